//! Pages designed to be slow, large or fatal.

use robomata_pages::{PageReader, PageReading, facts};
use robomata_protocol::{Crawler, Dialect};
use robomata_testkit::hostile::pages;

const MARKED: &str = "<i class='the-acap:disallow-index' id=last>";

/// `crosscheck costs` measures their time. Here the point is that nothing is lost.
#[test]
fn what_follows_deep_wide_and_misnested_content_is_read() {
    // The others end inside a tag.
    for (name, start) in pages(500_000).into_iter().filter(|(name, _)| !name.starts_with("attributes")) {
        let facts = facts(format!("{start}{MARKED}").as_bytes(), &[]);
        let last = facts.elements.last().unwrap();
        assert_eq!(last.id.as_deref(), Some("last"), "{name}");
    }
}

#[test]
fn elements_beyond_the_limit_are_enclosed_by_what_was_open() {
    let nested = "<div>".repeat(50_000);
    let html = format!("<div class=the-acap:allow-index>{nested}<script>{MARKED}</script>{MARKED}");
    let facts = facts(html.as_bytes(), &[]);
    let parents: Vec<_> = facts.elements.iter().map(|element| element.parent).collect();
    assert_eq!(parents, [None, Some(0)]);
    let mut reader = PageReader::new(&[]);
    html.as_bytes().chunks(7).for_each(|chunk| reader.write(chunk));
    assert_eq!(reader.finish(), facts, "the limit does not depend on chunks");
}

#[test]
fn row_p14_meta_tags_beyond_the_limit_are_of_the_head_until_the_body_begins() {
    let tag = "<meta name=robots content=noindex>";
    let nested = "<template>".repeat(20_000);
    let metas = |html: String| facts(html.as_bytes(), &[]).metas.len();
    assert_eq!(metas(format!("<head>{nested}{tag}</head><body>{tag}")), 1);
    assert_eq!(metas(format!("<head>{nested}{tag}<body>{tag}<script>{tag}</script>")), 1);
    let nested = "<div>".repeat(40_000);
    assert_eq!(metas(format!("<body>{nested}{tag}")), 0);
    assert_eq!(metas(format!("<head>{nested}{tag}</head>{tag}")), 1);
    for (start, count) in [("<template>", 1500), ("<div>", 3000), ("<noscript>", 3000)] {
        let html = format!("<head>{}</template>{tag}</head>", start.repeat(count));
        assert_eq!(metas(html), usize::from(start != "<template>"), "{start} is within the limit");
    }
}

#[test]
fn row_p8_elements_beyond_the_limit_are_enclosed_by_earlier_prohibitions() {
    let mark = |words: &str| format!("<div class='{words}'>");
    let (no, yes) = (mark("the-acap:disallow-index"), mark("x The-ACAP:allow-index"));
    let nested = "<div>".repeat(40_000);
    let html = format!("<body>{yes}</div>{no}{yes}{nested}{no}</div>{yes}</div>{yes}{no}{yes}");
    let facts = facts(html.as_bytes(), &[]);
    let parents: Vec<_> = facts.elements.iter().map(|element| element.parent).collect();
    assert_eq!(parents, [None, None, Some(1), Some(2), Some(3), Some(3), Some(3), Some(6)]);
}

#[test]
fn of_very_many_attributes_the_first_are_read() {
    for (name, html) in pages(1_500_000).into_iter().filter(|(name, _)| name.starts_with("attributes")) {
        let metas = facts(format!("{html}{MARKED}").as_bytes(), &[]).metas.len();
        assert_eq!(metas, usize::from(!name.ends_with("end tag")), "{name}");
    }
    let attributes = |i: usize| format!(" a{i}");
    let all: String = (0..1000).map(attributes).collect();
    let html = format!("<p{all} b='>' c=\"<x>\" d>\n{MARKED}<p {all}/><script>a <b {all}</script>{MARKED}");
    let lines: Vec<u32> = facts(html.as_bytes(), &[]).elements.iter().map(|element| element.line).collect();
    assert_eq!(lines, [2, 2], "what follows the tag is read");
}

#[test]
fn long_values_are_read() {
    let long = "noindex, ACAP=<>".repeat(100_000);
    let html = format!("<meta name=robots content='{long}'><p class='the-acap:allow-index {long}'>{long}");
    let facts = facts(html.as_bytes(), &[("X-Robots-Tag", &long), ("Content-Usage", &long)]);
    let reading = PageReading::new(&facts, &Crawler::new("FooBot"), Dialect::Acap);
    assert_eq!(reading.says.robots_meta.len(), 1);
}

#[test]
fn any_bytes_are_a_page() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let words = [
        "<",
        ">",
        "/",
        "=",
        "\"",
        "'",
        " ",
        "\n",
        "\r",
        "\0",
        "&",
        "&amp",
        ";",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<p",
        "<b ",
        "<table",
        "<tr>",
        "<svg>",
        "<math>",
        "<template>",
        "</template>",
        "<script>",
        "</script>",
        "<select>",
        "<body ",
        "<html ",
        "<head>",
        "</head>",
        "<meta ",
        "name=robots",
        "content=",
        "ACAP ",
        "allow-index",
        "class=",
        "the-acap:allow-index",
        "max-length=",
        "1-chars",
        "unavailable_after:",
        "25 Jun 2010",
        ",",
        ":",
        "-1",
        "<a>",
        "</a>",
        "</b>",
        "</p>",
        "<frameset>",
        "<plaintext>",
        "\u{e9}",
        "location=",
        "version ",
        "1.1",
        "<option>",
    ];
    let crawler = Crawler::new("FooBot,p");
    for round in 0..3000 {
        let mut html = Vec::new();
        for _ in 0..random(80) {
            if random(8) == 0 {
                html.push(u8::try_from(random(256)).unwrap());
            } else {
                html.extend_from_slice(words[random(words.len())].as_bytes());
            }
        }
        let value = String::from_utf8_lossy(&html).into_owned();
        let headers = [("X-Robots-Tag", value.as_str()), ("Content-Usage", &value), ("tdm-policy", &value)];
        let mut facts = facts(&html, &headers);
        let elements = facts.elements.len();
        for (i, element) in facts.elements.iter().enumerate() {
            assert!(element.parent.is_none_or(|parent| (parent as usize) < i), "round {round}");
        }
        let content = format!("ACAP {value}");
        facts.metas.push(robomata_protocol::MetaTag { name: "robots".into(), content, line: 1 });
        let reading = PageReading::new(&facts, &crawler, Dialect::Acap);
        assert!(reading.says.acap.iter().all(|statement| statement.usage.is_acap()), "round {round}");
        assert!(elements <= html.len());
        reading.diagnostics.iter().for_each(|oddity| assert!(oddity.to_string().contains(": ")));
    }
}
