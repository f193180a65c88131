//! Which parts of a page and its headers become facts, as written (`crates/PERMISSIONS.md`, P8 and P14).

use robomata_pages::{PageReader, facts, facts_of_text};
use robomata_protocol::{PageElement, PageFacts};

/// Formats the META tags of a page as `name=content@line`.
fn metas(html: &str) -> Vec<String> {
    let PageFacts { metas, .. } = facts(html.as_bytes(), &[]);
    metas.iter().map(|meta| format!("{}={}@{}", meta.name, meta.content, meta.line)).collect()
}

/// Formats the elements of a page as `tag#id@line<parent`.
fn elements(html: &str) -> Vec<String> {
    let text = |element: &PageElement| {
        let id = element.id.as_ref().map(|id| format!("#{id}")).unwrap_or_default();
        let parent = element.parent.map(|parent| format!("<{parent}")).unwrap_or_default();
        format!("{}{id}@{}{parent}", element.tag, element.line)
    };
    facts(html.as_bytes(), &[]).elements.iter().map(text).collect()
}

#[test]
fn meta_tags_of_the_head_with_their_lines() {
    let html = "<!DOCTYPE html>\n<HTML>\r\n<HEAD>\r<META name=\"robots\" content=\"index &amp; &#110;ofollow\">\n\
        <meta\n content='a'\n name=x><meta name=y><meta content=z><meta http-equiv=robots content=noindex>\n</HEAD>";
    assert_eq!(metas(html), ["robots=index & nofollow@4", "x=a@5"]);
}

#[test]
fn meta_tags_count_where_the_tree_has_them_in_the_head() {
    let tag = "<meta name=robots content=noindex>";
    let counted = [
        tag.to_owned(),
        format!("<title>x</title>{tag}"),
        format!("<head></head>{tag}<body>"),
        format!("<noscript>{tag}</noscript>"),
        format!("<head><noscript><noscript>{tag}</noscript></head>"),
        format!("<script>if (a < b) \"</div>\"</script>{tag}"),
        format!("<!-- a --><!-->{tag}"),
        format!("<title>\0</title>{tag}<frameset>"),
    ];
    for html in counted {
        assert_eq!(metas(&html), ["robots=noindex@1"], "{html}");
    }
    let void = [
        format!("<p>{tag}"),
        format!("text{tag}"),
        format!("<body>{tag}"),
        format!("<!-- {tag} -->"),
        format!("<script>{tag}</script>"),
        format!("<title>{tag}</title>"),
        format!("<style>{tag}"),
        format!("<template>{tag}</template>"),
        format!("<iframe>{tag}</iframe>"),
        format!("<textarea>{tag}"),
        format!("<a title='{tag}'>"),
        "<meta name=robots content=noindex".to_owned(),
    ];
    for html in void {
        assert_eq!(metas(&html), [""; 0], "{html}");
    }
}

/// XML 1.0, 3.1: "empty-element tags may be used for any element which has no content".
#[test]
fn an_empty_element_tag_ends_a_script_in_xml() {
    let metas = |html: &str, media_type: &str| {
        let headers = [("content-type", media_type)];
        let page = facts(html.as_bytes(), &headers);
        assert_eq!(page, facts_of_text(html, &headers));
        let tags = page.metas.iter().map(|meta| format!("{}={}@{}", meta.name, meta.content, meta.line));
        tags.collect::<Vec<_>>()
    };
    let tag = "<meta name='robots' content='noindex'/>";
    for element in ["script src='x.js'", "style", "title", "noscript", "noframes"] {
        for media_type in
            ["application/xhtml+xml", "Application/XHTML+XML; charset=utf-8", "text/xml", "image/svg+xml"]
        {
            let html =
                format!("<?xml version='1.0'?><html><head>\n<{element}/>{tag}<{element} />\n{tag}</head>");
            assert_eq!(metas(&html, media_type), ["robots=noindex@2", "robots=noindex@3"], "{html}");
        }
        let html = format!("<{element}>{tag}");
        let is_text = element != "noscript";
        assert_eq!(metas(&html, "text/xml").is_empty(), is_text, "{html}");
        let html = format!("<{element}/>{tag}");
        for media_type in ["text/html", "application/xml-dtd", ""] {
            assert_eq!(metas(&html, media_type).is_empty(), is_text, "{html}");
        }
    }
    let html = "<body><textarea/><iframe/><xmp/><noembed/><p class='the-acap:allow-index'/>";
    assert_eq!(facts(html.as_bytes(), &[("Content-Type", "text/xml")]).elements.len(), 1);
}

#[test]
fn row_p14_meta_tags_before_the_end_of_the_head_count_in_the_body() {
    let tag = "<meta name=robots content=noindex>";
    let link = "<link rel=license href=/l>";
    let pixel = "<noscript><img src=/pixel></noscript>";
    let counted = [
        format!("<head>{pixel}{tag}{link}</head><body>"),
        format!("<head><div></div>{tag}{link}</head>"),
        format!("<head><div>{tag}<p>{link}</div></head>"),
        format!("\0<head>{tag}{link}</head>"),
        format!("\u{feff}\u{feff}<html><head>{tag}{link}</head><body>"),
        format!("x{tag}{link}<body>"),
        format!("<p><svg><foreignObject>{tag}{link}</svg></head>"),
        format!("<head><p><template></head></template>{tag}{link}</HEAD>{tag}"),
        format!("<table>{tag}{link}<b></table><body></head>{tag}"),
    ];
    for html in counted {
        assert_eq!(metas(&html), ["robots=noindex@1"], "{html}");
        assert_eq!(facts(html.as_bytes(), &[]).links.len(), 1, "{html}");
    }
    for html in [
        format!("<head>{pixel}{tag}{link}"),
        format!("<head></head><body>{tag}{link}</body></html>"),
        format!("<p></head>{tag}{link}</head>"),
        format!("<p><template>{tag}{link}</head></template></head>"),
        format!("<p><div><template shadowrootmode=open>{tag}{link}</template></div></head>"),
        format!("<p><textarea>{tag}{link}</head></textarea>"),
        format!("\0{tag}{link}</head><frameset>"),
    ] {
        assert_eq!(metas(&html), [""; 0], "{html}");
        assert_eq!(facts(html.as_bytes(), &[]).links, [], "{html}");
    }
}

#[test]
fn row_p8_shadow_roots_are_content_of_the_page() {
    let a = "class=the-acap:allow-index";
    let html = format!("<div {a}><template shadowrootmode=open {a}><p {a}></template><i {a}></div>");
    assert_eq!(elements(&html), ["div@1", "template@1<0", "p@1<1", "i@1<0"]);
    assert_eq!(elements(&html.replace("open", "none")), ["div@1", "template@1<0", "i@1<0"]);
    let nested = format!("<template>{html}</template><div><template shadowrootmode=closed><p {a}>");
    assert_eq!(elements(&nested), ["p@1"]);
}

#[test]
fn the_first_of_repeated_attributes_counts() {
    assert_eq!(metas("<meta name=robots name=x content=noindex content=index>"), ["robots=noindex@1"]);
    assert_eq!(elements("<p class=a class=the-acap:allow-index>"), [""; 0]);
}

#[test]
fn elements_with_the_acap_classes_and_what_encloses_them() {
    let html = "<body>\n<div class='x The-ACAP:allow-index' id=a>\n<p\n class=the-acap:disallow-index>one\n\
        <p class=\"the-acap:disallow-follow\">two<span class=the-acap:allow-present>x</span></div>\n<p class=the-acap:x>";
    assert_eq!(elements(html), ["div#a@2", "p@3<0", "p@5<0", "span@5<2", "p@6"]);
    let facts = facts(html.as_bytes(), &[]);
    assert_eq!(facts.elements[0].classes, ["x", "The-ACAP:allow-index"]);
}

#[test]
fn elements_are_enclosed_as_in_the_tree() {
    let a = "class=the-acap:allow-index";
    let cases: [(String, &[&str]); 9] = [
        // Void elements enclose nothing.
        (format!("<img {a}><i {a}>"), &["img@1", "i@1"]),
        // List items close each other.
        (format!("<ul {a}><li {a}><li {a}></ul><b {a}>"), &["ul@1", "li@1<0", "li@1<0", "b@1"]),
        // A misnested formatting element is one element, although it is two nodes.
        (format!("<b {a}><p {a}>x</b>y<i {a}></p>"), &["b@1", "p@1", "i@1<1"]),
        (format!("<i><b {a}></i><u {a}>"), &["b@1", "u@1<0"]),
        // Misplaced content of a table moves before the table.
        (format!("<table {a}><b {a}>x<tr {a}><td><b {a}>"), &["table@1", "b@1", "tr@1<0", "b@1<2"]),
        // A table ends where another table begins inside it, but not in a cell.
        (format!("<table {a}><td><table {a}>"), &["table@1", "table@1<0"]),
        (format!("<template {a}><p {a}></template><p {a}>"), &["template@1", "p@1"]),
        (format!("<svg {a}><foreignObject {a}><p {a}>"), &["svg@1", "foreignobject@1<0", "p@1<1"]),
        (format!("<p {a}>\n<body {a}>\n<body {a}><html {a}>"), &["html@3", "body@2<0", "p@1<1"]),
    ];
    for (html, expected) in cases {
        assert_eq!(elements(&html), expected, "{html}");
    }
}

#[test]
fn a_tag_that_the_tree_builder_ignores_is_not_an_element() {
    assert_eq!(elements("<div><tr class=the-acap:allow-index></div>"), [""; 0]);
}

#[test]
fn encodings_are_detected_as_in_html() {
    let html = "<meta name=robots content='\u{e9}'>";
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(html.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let latin: Vec<u8> = html.chars().map(|c| c as u8).collect();
    let content = |html: &[u8], headers: &[(&str, &str)]| facts(html, headers).metas[0].content.clone();
    assert_eq!(content(html.as_bytes(), &[]), "\u{e9}");
    assert_eq!(content(&utf16, &[]), "\u{e9}");
    assert_eq!(content(&latin, &[]), "\u{e9}");
    assert_eq!(content(&latin, &[("content-type", "text/html;charset=iso-8859-5")]), "\u{449}");
    assert_eq!(content(&[b"<meta charset=koi8-r>", latin.as_slice()].concat(), &[]), "\u{418}");
    assert_eq!(content(&[b"\xEF\xBB\xBF", html.as_bytes()].concat(), &[]), "\u{e9}");
}

#[test]
fn headers_are_kept_in_order() {
    let headers = [("X-Robots-Tag", "noindex"), ("tdm-reservation", "1")];
    let kept = facts(b"", &headers).headers;
    let kept: Vec<_> = kept.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect();
    assert_eq!(kept, headers);
}

#[test]
fn chunks_may_be_cut_anywhere() {
    let mut html = "<!DOCTYPE html><html>\r\n<head><title>a &amp; b</title>\r\n<!-- < -- ><meta -->\
        <script>if (a<b) '</p>' <!-- <script> </script> --></script>\
        <meta name=\"robots\"\r\n content='ACAP &lt;allow-index&gt; \u{20ac}'></head>\r\n<body class='the-acap:allow-index'>\
        &amp<div\nclass=\"the-acap:disallow-index\" title='<\n>' id=x>&notin;<b class=the-acap:allow-follow><p \
        class=the-acap:x>y</b></p><svg><![CDATA[<p>]]></svg></div>"
        .to_owned();
    let whole = facts(html.as_bytes(), &[]);
    assert_eq!(whole.metas.len(), 1);
    assert_eq!(whole.elements.len(), 4);
    let rest = "<p class=the-acap:z>".repeat(60);
    html.push_str(&rest);
    let whole = facts(html.as_bytes(), &[]);
    assert_eq!(whole.elements.len(), 64);
    for split in 0..=html.len() {
        let mut reader = PageReader::new(&[]);
        let (before, after) = html.as_bytes().split_at(split);
        reader.write(before);
        reader.write(after);
        assert_eq!(reader.finish(), whole, "cut at {split}");
    }
    let mut reader = PageReader::new(&[]);
    html.as_bytes().iter().for_each(|byte| reader.write(&[*byte]));
    assert_eq!(reader.finish(), whole, "byte by byte");
}
