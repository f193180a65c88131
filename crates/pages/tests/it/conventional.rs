//! Robots META, X-Robots-Tag, Content-Usage and TDMRep, by the rows of `crates/PERMISSIONS.md`.

use robomata_pages::{PageDiagnostic, PageReading, facts};
use robomata_policy::{Says, Statement};
use robomata_protocol::{Crawler, Place};

fn read(html: &str, headers: &[(&str, &str)]) -> PageReading {
    PageReading::new(&facts(html.as_bytes(), headers), &Crawler::new("FooBot"))
}

fn describe(statements: &[Statement]) -> Vec<String> {
    let text = |statement: &Statement| match &statement.says {
        Says::Permitted(qualifiers) => {
            let start = format!("{}+", statement.usage);
            qualifiers.iter().fold(start, |text, qualifier| format!("{text} {qualifier}"))
        }
        Says::Prohibited(reason) => format!("{}- {reason}", statement.usage),
    };
    statements.iter().map(text).collect()
}

fn meta(content: &str) -> Vec<String> {
    describe(&read(&format!("<meta name=robots content=\"{content}\">"), &[]).says.robots_meta)
}

fn header(value: &str) -> Vec<String> {
    describe(&read("", &[("X-Robots-Tag", value)]).says.robots_meta)
}

#[test]
fn table_u_directives() {
    let cases: [(&str, &[&str]); 17] = [
        ("noindex", &["index- explicit"]),
        ("NoFollow", &["follow- explicit"]),
        ("none", &["follow- explicit", "index- explicit"]),
        ("all", &["follow+", "index+"]),
        ("index,nofollow", &["follow- explicit", "index+"]),
        ("noarchive", &["preserve- explicit", "present-currentcopy- explicit", "present-oldcopy- explicit"]),
        ("nocache", &["preserve- explicit", "present-currentcopy- explicit", "present-oldcopy- explicit"]),
        ("nosnippet", &["present-snippet- explicit", "present-oldsnippet- explicit"]),
        ("max-snippet:0", &["present-snippet- explicit", "present-oldsnippet- explicit"]),
        ("max-snippet:-1", &["present-snippet+", "present-oldsnippet+"]),
        (
            "max-snippet: 50",
            &["present-snippet+ max-length=50-chars", "present-oldsnippet+ max-length=50-chars"],
        ),
        ("max-image-preview:none", &["present-thumbnail- explicit", "present-oldthumbnail- explicit"]),
        (
            "max-image-preview:Large",
            &["present-thumbnail+ max-image-preview=large", "present-oldthumbnail+ max-image-preview=large"],
        ),
        ("max-video-preview : 9, x", &["present-snippet+ max-video-preview=9"]),
        ("max-video-preview:-1", &["present-snippet+"]),
        ("notranslate", &["present+ prohibited-modification=translation"]),
        ("noimageindex", &["index-images- explicit"]),
    ];
    for (content, expected) in cases {
        assert_eq!(meta(content), expected, "{content}");
    }
}

#[test]
fn indexifembedded_lifts_a_noindex_of_its_address() {
    assert_eq!(meta("indexifembedded"), [""; 0]);
    assert_eq!(meta("noindex,indexifembedded"), ["index+ when-embedded"]);
    let both = "<meta name=robots content=noindex><meta name=foobot content='noindex indexifembedded'>";
    assert_eq!(describe(&read(both, &[]).says.robots_meta), ["index- explicit"]);
    let apart = read("<meta name=robots content=noindex>", &[("X-Robots-Tag", "indexifembedded")]);
    assert_eq!(describe(&apart.says.robots_meta), ["index+ when-embedded"]);
}

#[test]
fn row_p10_dates_and_words() {
    let until = |seconds: i64| {
        vec![format!("index+ time-limit=until-@{seconds}"), format!("present+ time-limit=until-@{seconds}")]
    };
    let three_pm = 1_277_478_000;
    assert_eq!(meta("unavailable_after: 25-Jun-2010 15:00:00 GMT"), until(three_pm));
    assert_eq!(meta("unavailable_after:2010-06-25T15:00:00Z"), until(three_pm));
    let after =
        [until(three_pm), vec!["present-snippet- explicit".into(), "present-oldsnippet- explicit".into()]]
            .concat();
    assert_eq!(meta("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, nosnippet"), after);
    assert_eq!(meta("unavailable_after: Fri, 25 Jun 2010 07:00:00 PST,nosnippet"), after);
    let page =
        read("<meta name=robots content='unavailable_after: soon, noindex, max-snippet:x, noodp'>", &[]);
    assert_eq!(describe(&page.says.robots_meta), ["index- explicit"]);
    let codes: Vec<_> = page.diagnostics.iter().map(PageDiagnostic::code).collect();
    assert_eq!(codes, ["invalid-date", "invalid-value", "unknown-directive"]);
    assert_eq!(meta("foo: noindex, bar:nofollow"), ["index- explicit"], "an unknown word may have a value");
    assert_eq!(meta("noindex: nofollow"), ["follow- explicit", "index- explicit"]);
    assert_eq!(meta(":,: noindex"), ["index- explicit"]);
}

#[test]
fn row_p11_headers_and_their_addresses() {
    assert_eq!(header("noindex, nofollow"), ["follow- explicit", "index- explicit"]);
    assert_eq!(header("foobot: noindex, otherbot: nofollow"), ["index- explicit"]);
    assert_eq!(header("otherbot: noindex, FooBot/2.1 : nofollow"), ["follow- explicit"]);
    assert_eq!(header("otherbot: noindex, *: nofollow, robots: noarchive").len(), 4);
    assert_eq!(header("unavailable_after: 25 Jun 2010 15:00:00 GMT").len(), 2);
    let several = [("Server", "x"), ("X-Robots-Tag", "otherbot: noindex"), ("x-robots-tag", "nofollow")];
    let page = read("", &several);
    assert_eq!(describe(&page.says.robots_meta), ["follow- explicit"], "an address applies to its own line");
    assert_eq!(
        (page.says.robots_meta[0].source.place, page.says.robots_meta[0].source.line),
        (Place::Header, 3)
    );
}

#[test]
fn row_p12_the_most_restrictive_of_all() {
    let html = "<meta name=foobot content='index, max-snippet:-1, max-image-preview:large, notranslate'>\n\
        <meta name=robots content='max-snippet:50, max-image-preview:standard, unavailable_after: 2010-06-26'>";
    let tag = "noindex, max-snippet:20, max-video-preview:5, notranslate, unavailable_after: 2010-06-25";
    let page = read(html, &[("X-Robots-Tag", tag)]);
    assert_eq!(
        describe(&page.says.robots_meta),
        [
            "index- explicit",
            "present+ prohibited-modification=translation time-limit=until-@1277510399",
            "present-snippet+ max-length=20-chars max-video-preview=5",
            "present-thumbnail+ max-image-preview=standard",
            "present-oldsnippet+ max-length=20-chars",
            "present-oldthumbnail+ max-image-preview=standard",
        ]
    );
    assert_eq!(page.says.robots_meta[0].source.place, Place::Header);
    assert_eq!(page.says.robots_meta[1].source.line, 1, "the first permission is reported");
}

#[test]
fn row_v3_content_usage_headers() {
    let usage = |headers: &[(&str, &str)]| {
        let page = read("", headers);
        (describe(&page.says.content_usage), page.diagnostics.len())
    };
    let name = "Content-Usage";
    assert_eq!(
        usage(&[(name, "train-ai=n, search=y")]),
        (vec!["ai-train- explicit".into(), "search+".into()], 0)
    );
    assert_eq!(
        usage(&[(name, "train-ai=n;x=1, search=\"y\", other=n")]),
        (vec!["ai-train- explicit".into()], 0)
    );
    assert_eq!(usage(&[(name, "train-ai, search=(y)")]), (vec![], 0));
    assert_eq!(usage(&[(name, "/path train-ai=n")]), (vec![], 1), "a header has no path");
    assert_eq!(usage(&[(name, "train-ai=n"), (name, "=")]), (vec![], 1), "several headers form one list");
    let page = read("", &[("content-usage", "train-ai=n"), (name, "search=n"), (name, "train-ai=y")]);
    assert_eq!(describe(&page.says.content_usage), ["ai-train+", "search- explicit"]);
    let lines: Vec<u32> = page.says.content_usage.iter().map(|statement| statement.source.line).collect();
    assert_eq!(lines, [3, 2]);
}

#[test]
fn row_p13_tdm() {
    let tdm = |html: &str, headers: &[(&str, &str)]| {
        let page = read(html, headers);
        (describe(page.says.tdm.as_slice()), page.diagnostics.len())
    };
    let policy = ("tdm-policy", "https://example.com/policy.json");
    let metas = "<meta name=TDM-reservation content=1><meta name=tdm-policy content=https://example.com/m>";
    assert_eq!(tdm("", &[]), (vec![], 0));
    assert_eq!(tdm("", &[("TDM-Reservation", " 1 ")]), (vec!["tdm- explicit".into()], 0));
    assert_eq!(tdm("", &[("tdm-reservation", "0"), policy]), (vec!["tdm+".into()], 0));
    let terms = vec!["tdm+ terms=https://example.com/policy.json".to_owned()];
    assert_eq!(tdm("", &[("tdm-reservation", "1"), policy]), (terms, 0));
    assert_eq!(tdm(metas, &[]), (vec!["tdm+ terms=https://example.com/m".into()], 0));
    assert_eq!(
        tdm(metas, &[("tdm-reservation", "1")]),
        (vec!["tdm- explicit".into()], 0),
        "headers and META tags use their own policies"
    );
    assert_eq!(
        tdm("", &[("tdm-reservation", "0"), ("tdm-reservation", "1")]),
        (vec!["tdm- explicit".into()], 0)
    );
    assert_eq!(tdm(metas, &[("tdm-reservation", "yes"), ("tdm-policy", "/x")]).1, 2);
    assert_eq!(tdm("", &[policy]), (vec![], 0), "a policy alone has no effect");
}
