//! ACAP in pages: part 2 by section, with its examples, and the rows of `crates/PERMISSIONS.md`.

use std::sync::Arc;

use robomata_pages::{AcapVersion, PageDiagnostic, PageReading, facts};
use robomata_policy::{Address, Says, Statement};
use robomata_protocol::{Crawler, Dialect, Place};

fn read(html: &str) -> PageReading {
    PageReading::new(&facts(html.as_bytes(), &[]), &Crawler::new("searchbot-news,searchbot"), Dialect::Acap)
}

/// Formats a statement as `usage+ qualifiers` or `usage- reason`, with `!` if it addresses the crawler by name.
fn describe(statement: &Statement) -> String {
    let says = match &statement.says {
        Says::Permitted(qualifiers) => {
            qualifiers.iter().fold("+".to_owned(), |text, qualifier| format!("{text} {qualifier}"))
        }
        Says::Prohibited(reason) => format!("- {reason}"),
    };
    let named = if statement.address == Address::Named { "!" } else { "" };
    let purpose = statement.purpose.as_ref().map(|purpose| format!("[{purpose}]")).unwrap_or_default();
    format!("{}{named}{purpose}{says}", statement.usage)
}

/// The statements of a META tag for any crawler, and the codes of its diagnostics.
fn meta(content: &str) -> (Vec<String>, Vec<&'static str>) {
    let page = read(&format!("<meta name=robots content=\"{content}\">"));
    (
        page.says.acap.iter().map(describe).collect(),
        page.diagnostics.iter().map(PageDiagnostic::code).collect(),
    )
}

fn says(content: &str) -> Vec<String> {
    meta(content).0
}

/// Prohibitions of all usages except crawl and follow, with the reason `uninterpretable`.
fn uninterpretable() -> Vec<String> {
    let usages = "index preserve present present-original present-currentcopy present-oldcopy present-snippet \
        present-thumbnail present-oldsnippet present-oldthumbnail present-link";
    usages.split(' ').map(|usage| format!("{usage}- uninterpretable")).collect()
}

#[test]
fn section_2_1_the_page_of_the_overview() {
    let html = r#"<HTML>
<HEAD>
<TITLE>Page title displayed above browser window</TITLE>
<!-- Conventional REP: indexing permitted, following links prohibited. -->
<META name="robots" content="index nofollow">
<!-- The same expressed in ACAP syntax -->
<META name="robots" content="ACAP allow-index">
<META name="robots" content="ACAP disallow-follow">
</HEAD>
<BODY>
<!-- Content of page here... -->
</BODY>
</HTML>"#;
    let page = read(html);
    let lines: Vec<(String, u32)> =
        page.says.acap.iter().map(|statement| (describe(statement), statement.source.line)).collect();
    assert_eq!(lines, [("index+".to_owned(), 7), ("follow- explicit".to_owned(), 8)]);
    let conventional: Vec<String> = page.says.robots_meta.iter().map(describe).collect();
    assert_eq!(conventional, ["follow- explicit", "index+"]);
    assert_eq!(page.diagnostics, []);
}

#[test]
fn section_2_2_1_addresses() {
    let tag = |name: &str| format!("<meta name='{name}' content='ACAP allow-index'>");
    let addressed = |names: &[&str]| {
        let html: String = names.iter().map(|name| tag(name)).collect();
        read(&html).says.acap.iter().map(describe).collect::<Vec<_>>()
    };
    assert_eq!(addressed(&["robots", "SearchBot"]), ["index+", "index!+"]);
    assert_eq!(addressed(&[" Robots ", "searchbot", "searchbot2", "otherbot"]), ["index+", "index!+"]);
    assert_eq!(addressed(&["searchbot", "searchbot-news"]), ["index!+"], "the first token that is named");
    assert_eq!(addressed(&["description", ""]), [""; 0]);
    // Other META tags and headers may name the crawler for their own directives. That does not affect ACAP statements.
    for content in ["", "nosnippet", "noindex"] {
        let html = format!("{}<meta name=searchbot-news content='{content}'>", tag("searchbot"));
        assert_eq!(read(&html).says.acap.iter().map(describe).collect::<Vec<_>>(), ["index!+"], "{content}");
    }
    let facts = facts(tag("searchbot").as_bytes(), &[("X-Robots-Tag", "searchbot-news: noindex")]);
    let page = PageReading::new(&facts, &Crawler::new("searchbot-news,searchbot"), Dialect::Acap);
    assert_eq!(page.says.acap.len(), 1);
    assert_eq!(page.says.robots_meta.len(), 1);
}

#[test]
fn section_2_2_2_purposes() {
    assert_eq!(says("ACAP news allow-index"), ["index[news]+"]);
    assert_eq!(
        says("ACAP news.search.com allow-index disallow-follow"),
        ["index[news.search.com]+", "follow[news.search.com]- explicit"]
    );
    assert_eq!(meta("ACAP news"), (vec![], vec!["unknown-word"]));
}

#[test]
fn statements_of_a_tag_share_its_purpose() {
    let says =
        read("<meta name=robots content='ACAP news disallow-index disallow-follow disallow-(local)'>").says;
    let purposes =
        says.acap.iter().map(|said| &said.purpose).chain(says.local.iter().map(|said| &said.purpose));
    let purposes: Vec<_> = purposes.flatten().collect();
    assert_eq!(purposes.len(), 3);
    assert!(purposes.iter().all(|purpose| Arc::ptr_eq(purpose, purposes[0])));
}

#[test]
fn section_2_2_3_permissions() {
    assert_eq!(says("ACAP allow-index"), ["index+"]);
    assert_eq!(
        says("acap ALLOW-Present-Snippet \n max-length=100-chars"),
        ["present-snippet+ max-length=100-chars"]
    );
    assert_eq!(
        says("ACAP allow-index must-use-resource=the-acap:extract:class:abstract"),
        ["index+ must-use-resource=the-acap:extract:class:abstract"]
    );
    assert_eq!(
        says("ACAP allow-present time-limit = 3-days prohibited-modification= style"),
        ["present+ time-limit=3-days prohibited-modification=style"]
    );
}

#[test]
fn row_p2_words_and_commas() {
    assert_eq!(says("ACAP, allow-index, disallow-follow,"), ["index+", "follow- explicit"]);
    assert_eq!(says("ACAP allow-index,disallow-follow"), ["index+", "follow- explicit"]);
    assert_eq!(
        says("ACAP allow-index,time-limit=3-days, allow-follow"),
        ["index+ time-limit=3-days", "follow+"]
    );
    assert_eq!(
        says("ACAP allow-index location=http://a/?b,c= disallow-follow"),
        ["index+ location=http://a/?b,c=", "follow- explicit"]
    );
    assert_eq!(
        meta("ACAP disallow-follow nonsense disallow-index"),
        (vec!["follow- explicit".into(), "index- explicit".into()], vec!["unknown-word"])
    );
    assert_eq!(says("ACAPx allow-index"), [""; 0]);
    assert_eq!(meta("ACAP"), (vec![], vec![]));
}

#[test]
fn row_p2_a_permission_with_a_word_that_is_no_qualifier_cannot_be_interpreted() {
    for words in [
        "time-limit:until-2020-01-01",
        "time-limit 3-days",
        "location:http://other.com/",
        "must-use-resource the-acap:extract:class:abstract",
        "time-limit",
        "time-limit, =3-days",
        "time-limit=3-days nonsense",
        "nonsense time-limit=3-days",
    ] {
        let (says, codes) = meta(&format!("ACAP allow-index {words}, disallow-follow"));
        assert_eq!(says, ["index- uninterpretable", "follow- explicit"], "{words}");
        assert!(codes.starts_with(&["unknown-word"]) && codes.ends_with(&["uninterpretable"]), "{words}");
    }
    let snippet = says("ACAP allow-present-snippet max-length 100-chars");
    assert_eq!(snippet, ["present-snippet- uninterpretable"]);
    // Before the first statement, a word is the purpose or skipped.
    assert_eq!(meta("ACAP news nonsense allow-index"), (vec!["index[news]+".into()], vec!["unknown-word"]));
}

#[test]
fn section_2_2_4_prohibitions() {
    assert_eq!(says("ACAP disallow-present-oldcopy"), ["present-oldcopy- explicit"]);
    let qualified = meta("ACAP disallow-index time-limit=3-days");
    assert_eq!(qualified, (vec!["index- explicit".into()], vec!["qualified-prohibition"]));
    assert_eq!(meta("ACAP disallow-print"), (vec![], vec!["void-prohibition"]));
    // Left open, because the site's robots.txt may define it.
    let local = meta("ACAP disallow-(local) time-limit=3-days");
    assert_eq!(local, (vec![], vec!["local-prohibition", "qualified-prohibition"]));
}

#[test]
fn section_2_2_5_elements() {
    let html = "<div class='x the-acap:allow-index'>\n<p class='the-acap:disallow-index The-ACAP:Disallow-Follow'></div>";
    let page = read(html);
    let elements: Vec<_> = page
        .says
        .acap
        .iter()
        .map(|statement| (describe(statement), statement.source.place, statement.source.line))
        .collect();
    assert_eq!(
        elements,
        [
            ("index+".to_owned(), Place::Element(0), 1),
            ("index- explicit".to_owned(), Place::Element(1), 2),
            ("follow- explicit".to_owned(), Place::Element(1), 2),
        ]
    );
}

#[test]
fn section_2_2_6_elements_that_cannot_be_interpreted() {
    let class = |class: &str| {
        let page = read(&format!("<p class='{class}'>"));
        let codes: Vec<_> = page.diagnostics.iter().map(PageDiagnostic::code).collect();
        (page.says.acap.iter().map(describe).collect::<Vec<_>>(), codes)
    };
    assert_eq!(class("the-acap:allow-print"), (uninterpretable(), vec!["uninterpretable"]));
    // Left open, because the site's robots.txt may define it.
    assert_eq!(class("the-acap:allow-(local)"), (vec![], vec![]));
    let page = read("<p class='the-acap:allow-(local)'>").says.resolved(None).into_owned();
    assert_eq!(page.acap.iter().map(describe).collect::<Vec<_>>(), uninterpretable());
    assert_eq!(class("the-acap:disallow-print"), (vec![], vec!["void-prohibition"]));
    assert_eq!(class("the-acap:disallow-(local)"), (vec![], vec!["local-prohibition"]));
    assert_eq!(class("the-acap:classlist:x"), (vec![], vec!["unknown-word"]));
}

#[test]
fn section_2_2_7_versions() {
    let version = |html: &str| {
        let AcapVersion { major, minor } = read(html).version;
        (major, minor)
    };
    assert_eq!(version("<meta name=robots content='ACAP Version 1.1'>"), (1, 1));
    assert_eq!(version(""), (1, 0));
    assert_eq!(version("<meta name=otherbot content='ACAP version 1.2.3'>"), (1, 2), "for any address");
    let two = "<meta name=robots content='ACAP version x'><meta name=robots content='ACAP version 2'>";
    assert_eq!(version(two), (2, 0), "the first valid version");
    assert_eq!(meta("ACAP version x").1, ["invalid-version"]);
    assert_eq!(meta("ACAP version"), (vec![], vec!["invalid-version"]));
    assert_eq!(meta("ACAP version 1.1 allow-index"), (vec!["index+".into()], vec![]));
}

#[test]
fn row_p3_usages_of_later_versions() {
    let under = |version: &str, content: &str| {
        let version = format!("<meta name=robots content='ACAP version {version}'>");
        let page = read(&format!("{version}<meta name=robots content='ACAP {content}'>"));
        page.says.acap.iter().map(describe).collect::<Vec<_>>()
    };
    for version in ["1.0", "1.1"] {
        assert_eq!(under(version, "allow-print"), [""; 0]);
        assert_eq!(under(version, "allow-print colour=red, allow-(local) red, allow-follow"), ["follow+"]);
        // The usage is known: a permission without its restriction would be wider than what was written.
        let qualified = under(version, "allow-index colour=red allow-follow");
        assert_eq!(qualified, ["index- uninterpretable", "follow+"]);
    }
    assert_eq!(under("1.2", "allow-print"), uninterpretable());
    assert_eq!(under("1.2", "allow-index colour=red"), ["index- uninterpretable"]);
    assert_eq!(under("1.2", "allow-index"), ["index+"]);
    assert_eq!(under("2.0", "allow-index disallow-follow"), ["index- uninterpretable", "follow- explicit"]);
    assert_eq!(meta("ACAP allow-print"), (vec![], vec!["later-feature"]));
}

#[test]
fn rows_a9_to_a11_and_p6_qualifiers() {
    let valid = [
        "allow-preserve time-limit=until-2007-12-31",
        "allow-present-link time-limit=until-recrawled",
        "allow-present-currentcopy prohibited-modification=format prohibited-modification=translation",
        "allow-present-original required-context=within-original-frame",
        "allow-present-oldcopy prohibited-context=within-user-frame",
        "allow-present must-include-resource=the-acap:credit:meta:author",
        "allow-present must-include-resource=the-acap:link:http://example.com/terms",
        "allow-present-thumbnail must-use-resource=/book/cover.jpg",
        "allow-present-oldsnippet max-length=20-words",
        "allow-crawl location=http://myserver.com/legitimate-copy.htm",
    ];
    for content in valid {
        let expected = content.strip_prefix("allow-").unwrap().replacen(' ', "+ ", 1);
        assert_eq!(says(&format!("ACAP {content}")), [expected]);
    }
    let invalid = [
        "allow-crawl time-limit=3-days",
        "allow-index max-length=3-chars",
        "allow-index time-limit=until-2007-02-29",
        "allow-index time-limit=4294967296-days",
        "allow-index time-limit=-days",
        "allow-index time-limit=3-days time-limit=3-days",
        "allow-index must-use-resource=the-acap:extract:class:",
        "allow-index must-use-resource=the-acap:credit:id:x",
        "allow-index must-use-resource=the-acap:extract:http://a.example/",
        "allow-index location=",
        "allow-present prohibited-modification=any prohibited-modification=style",
        "allow-present-snippet max-length=100",
        "allow-present-snippet prohibited-modification=style",
        "allow-present required-context=within-original-frame",
    ];
    for content in invalid {
        let usage = content.split(['-', ' ']).nth(1).unwrap();
        let usage = if content.contains("snippet ") { "present-snippet" } else { usage };
        let expected = (vec![format!("{usage}- uninterpretable")], vec!["uninterpretable"]);
        assert_eq!(meta(&format!("ACAP {content}")), expected, "{content}");
    }
    // META tags have no local usages.
    assert_eq!(says("ACAP allow-(local)"), [""; 0]);
}

#[test]
fn diagnostics_contain_position_and_problem() {
    let page = read("<title>x</title>\n<meta name=robots content='ACAP allow-index time-limit=x'>");
    let text = page.diagnostics[0].to_string();
    assert_eq!(text, "line 2: acap: 'allow-index time-limit=x' cannot be interpreted: it prohibits");
}

#[test]
fn row_p1_the_name_of_a_meta_tag_ends_before_a_version() {
    let html = "<meta name='FooBot/2.0' content='ACAP disallow-index'>";
    let page =
        |name: &str| PageReading::new(&facts(html.as_bytes(), &[]), &Crawler::new(name), Dialect::Acap);
    for name in ["foobot", "FooBot/1"] {
        assert_eq!(
            page(name).says.acap.iter().map(describe).collect::<Vec<_>>(),
            ["index!- explicit"],
            "{name}"
        );
    }
    assert_eq!(page("Foo").says.acap, []);
}

#[test]
fn row_p2_other_separators_at_the_ends_of_words_are_spaces() {
    for content in [
        "'ACAP disallow-index'",
        "ACAP; disallow-index;",
        "ACAP | disallow-index | ",
        ";ACAP\u{a0}disallow-index\u{3000}",
        "ACAP,;disallow-index,';",
        "ACAP disallow-index;, |",
    ] {
        assert_eq!(meta(content), (vec!["index- explicit".to_owned()], vec![]), "{content}");
    }
    let limited = ["index+ time-limit=5-days"];
    for content in [
        "allow-index; time-limit=5-days;",
        "allow-index 'time-limit=; 5-days'",
        "allow-index time-limit ;=5-days",
    ] {
        assert_eq!(says(&format!("ACAP {content}")), limited, "{content}");
    }
    assert_eq!(says("ACAP disallow-follow time-limit=,; allow-index"), ["follow- explicit", "index+"]);
    for content in ["ACAP;disallow-index", "ACAP'disallow-index", "ACAP disallow-in;dex"] {
        assert_eq!(says(content), [""; 0], "{content}");
    }
}
