//! Robots META, X-Robots-Tag, Content-Usage and TDMRep, by the rows of `crates/PERMISSIONS.md`.

use robomata_pages::{PageDiagnostic, PageReading, facts};
use robomata_policy::{Says, Statement, TdmStatement};
use robomata_protocol::{Crawler, Dialect, Place, Usage};

fn read(html: &str, headers: &[(&str, &str)]) -> PageReading {
    PageReading::new(&facts(html.as_bytes(), headers), &Crawler::new("FooBot"), Dialect::Acap)
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

/// What is said about `present` is said about each derived usage, too (P12).
fn present(qualifiers: &str) -> Vec<String> {
    let usages = Usage::ALL.into_iter();
    let usages = usages.filter(|usage| *usage == Usage::Present || usage.is_derived_from_present());
    usages.map(|usage| format!("{usage}+ {qualifiers}")).collect()
}

fn header(value: &str) -> Vec<String> {
    describe(&read("", &[("X-Robots-Tag", value)]).says.robots_meta)
}

#[test]
fn table_u_directives() {
    let cases: [(&str, &[&str]); 16] = [
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
        ("noimageindex", &["index-images- explicit"]),
    ];
    for (content, expected) in cases {
        assert_eq!(meta(content), expected, "{content}");
    }
    assert_eq!(meta("notranslate"), present("prohibited-modification=translation"));
}

/// White space separates words (ACAP part 2 has `index nofollow`), but also words of a sentence.
#[test]
fn row_p10_a_permission_next_to_an_unknown_word_has_no_effect() {
    let nothing = [
        "no index",
        "all things",
        "Do not follow",
        "foo:bar index",
        "index\tit, follow me",
        "index: no, follow:no",
        "foo: index",
    ];
    for content in nothing {
        assert_eq!(meta(content), [""; 0], "{content}");
        assert_eq!(header(content), [""; 0], "{content}");
    }
    assert_eq!(meta("index nofollow"), ["follow- explicit", "index+"]);
    assert_eq!(meta("max-snippet:-1 index"), ["index+", "present-snippet+", "present-oldsnippet+"]);
    assert_eq!(meta("no, index , it:, follow"), ["follow+", "index+"]);
    assert_eq!(header("bot: noindex, foo: index"), header("bot: noindex"));
    assert_eq!(meta("please noindex it"), ["index- explicit"]);
}

#[test]
fn row_p10_other_separators() {
    let both = ["follow- explicit", "index- explicit"];
    for content in ["noindex;nofollow", "noindex|nofollow", "noindex\u{a0}nofollow", "'noindex','nofollow'"] {
        assert_eq!(meta(content), both, "{content}");
        assert_eq!(header(content), both, "{content}");
    }
    assert_eq!(header("\"noindex\" nofollow"), both);
    assert_eq!(meta("max-snippet=0"), meta("max-snippet:0"));
    assert_eq!(header("foobot=noindex, barbot=nofollow"), ["index- explicit"]);
    assert_eq!(meta("no;index"), [""; 0], "only a comma parts them");
    // A structured field has its own separators.
    let tag = |value: &str| describe(&read("", &[("robots-tag", value)]).says.robots_meta);
    assert_eq!(tag("*;noindex|nofollow"), [""; 0]);
    assert_eq!(tag("*;unavailable_after=\"2010-06-25;15:00\"").len(), 10);
}

#[test]
fn row_p10_a_known_word_ends_a_date_and_is_no_other_value() {
    for date in ["25-Aug-2007 15:00:00 EST", "tomorrow", "", "June 25, 2010", "2010-06-25 (a)"] {
        let content = format!("unavailable_after: {date} noindex nofollow");
        let page = read(&format!("<meta name=robots content='{content}'>"), &[]);
        let says = describe(&page.says.robots_meta);
        assert_eq!(says[..2], ["follow- explicit", "index- explicit"], "{content}");
        let is_date = !["tomorrow", ""].contains(&date);
        assert_eq!(says.len(), if is_date { 11 } else { 2 }, "{content}");
        assert_eq!(describe(&read("", &[("x-robots-tag", &content)]).says.robots_meta), says);
    }
    assert_eq!(meta("unavailable_after: 2010-06-25 (a noindex b) nofollow").len(), 11, "the longest text");
    for content in ["max-snippet: noindex", "max-snippet:noindex", "unavailable_after:noindex"] {
        assert_eq!(meta(content), ["index- explicit"], "{content}");
    }
    assert_eq!(meta("max-snippet:none"), meta("none"));
    assert_eq!(meta("max-image-preview: none").len(), 2);
}

#[test]
fn row_p1_a_name_that_is_cut_to_robots_is_robots() {
    for name in ["robots, foo", "robots/1", "Robots foo"] {
        let html = format!("<meta name='{name}' content=noindex>");
        assert_eq!(describe(&read(&html, &[]).says.robots_meta), ["index- explicit"], "{name}");
    }
    assert_eq!(read("<meta name=robots2 content=noindex>", &[]).says.robots_meta, []);
    assert_eq!(read("<meta name=robots/1 content='ACAP disallow-index'>", &[]).says.acap.len(), 1);
}

#[test]
fn row_p1_each_name_of_a_list_and_a_star_count() {
    let index = |html: &str| describe(&read(html, &[]).says.robots_meta);
    for name in
        ["*", " * ", "otherbot,foobot", "otherbot , FooBot/2", "robots,otherbot", ",*", "foobot,foobot"]
    {
        assert_eq!(index(&format!("<meta name='{name}' content=noindex>")), ["index- explicit"], "{name}");
        let acap = read(&format!("<meta name='{name}' content='ACAP disallow-index'>"), &[]).says.acap;
        assert_eq!(describe(&acap), ["index- explicit"], "{name}");
    }
    for name in ["", ",", "*bot", "**", "otherbot,thirdbot", "otherbot foobot", "foobot2,otherbot"] {
        assert_eq!(index(&format!("<meta name='{name}' content=noindex>")), [""; 0], "{name}");
    }
    // As if each name had a tag of its own: two addresses, and one problem.
    let both =
        "<meta name='robots, foobot' content='noindex, foo'><meta name=foobot content=indexifembedded>";
    assert_eq!(index(both), ["index- explicit"]);
    assert_eq!(read(both, &[]).diagnostics.len(), 1);
    let both = read("<meta name='robots, foobot' content='ACAP allow-index foo'>", &[]);
    assert_eq!((both.says.acap.len(), both.diagnostics.len()), (2, 2), "{:?}", both.diagnostics);
}

#[test]
fn row_p2_in_other_dialects_acap_is_read_as_unknown_words() {
    let html = "<meta name=robots content='ACAP allow-index, noindex'><p class='the-acap:disallow-follow'>";
    let facts = facts(html.as_bytes(), &[]);
    for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Koster1996, Dialect::Yandex] {
        let page = PageReading::new(&facts, &Crawler::new("FooBot"), dialect);
        assert_eq!((page.says.acap, page.says.local), (vec![], vec![]), "{dialect}");
        assert_eq!(describe(&page.says.robots_meta), ["index- explicit"], "{dialect}");
        let unknown: Vec<_> =
            page.diagnostics.iter().map(|found| (found.code(), found.text.as_str())).collect();
        let expected = [("unknown-directive", "ACAP"), ("unknown-directive", "allow-index")];
        assert_eq!(unknown, expected, "{dialect}");
    }
}

#[test]
fn row_p10_a_slash_at_the_end_of_a_content_has_no_effect() {
    for content in
        ["noindex/", "nofollow, noindex/", "foo noindex/", "unavailable_after: 2020-01-01, noindex/"]
    {
        let html = format!("<meta name=robots content='{content}'>");
        assert!(
            describe(&read(&html, &[]).says.robots_meta).contains(&"index- explicit".to_owned()),
            "{html}"
        );
    }
    assert_eq!(
        describe(&read("<meta name=robots content=noindex/>", &[]).says.robots_meta),
        ["index- explicit"]
    );
    for content in ["noindex//", "/noindex", "noindex/, foo"] {
        assert_eq!(meta(content), [""; 0], "{content}");
    }
    assert_eq!(header("noindex/"), [""; 0]);
}

#[test]
fn row_p12_what_is_said_about_present_holds_for_each_derived_usage() {
    let says = meta("max-image-preview:large, max-snippet:9, unavailable_after: 2020-01-01, nocache");
    for expected in [
        "present-snippet+ max-length=9-chars time-limit=until-@1577923199",
        "present-thumbnail+ max-image-preview=large time-limit=until-@1577923199",
        "present-link+ time-limit=until-@1577923199",
        "present-oldcopy- explicit",
    ] {
        assert!(says.contains(&expected.to_owned()), "{expected}: {says:?}");
    }
    let html = "<meta name=robots content=notranslate>\n<meta name=robots content=max-snippet:9>";
    let snippet = |page: PageReading| {
        page.says.robots_meta.into_iter().find(|said| said.usage == Usage::PresentSnippet).unwrap()
    };
    assert_eq!(snippet(read(html, &[])).source.line, 1);
}

#[test]
fn row_p13_line_ends_and_nul_in_a_header_are_spaces() {
    for value in
        ["noindex\0", "\0noindex", "foo\0noindex", "foo,\r\n noindex", "foo\nnoindex", "\0 \tnoindex"]
    {
        assert_eq!(header(value), ["index- explicit"], "{value:?}");
    }
    let page = |name: &str, value: &str| read("", &[(name, value)]).says;
    let is_prohibited = |said: &[Statement]| matches!(said[0].says, Says::Prohibited(_));
    assert!(is_prohibited(&page("robots-tag", "*;noindex\0").robots_meta));
    assert!(is_prohibited(&page("content-signal", "search=no\0").content_signal));
    assert!(is_prohibited(&page("content-usage", "search=n\n").content_usage));
    for value in ["\u{0}1", "1\0", "0,\u{0}1"] {
        assert!(page("tdm-reservation", value).tdm.reserved.unwrap().0, "{value:?}");
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
        let limit = format!("time-limit=until-@{seconds}");
        [vec![format!("index+ {limit}")], present(&limit)].concat()
    };
    let three_pm = 1_277_478_000;
    assert_eq!(meta("unavailable_after: 25-Jun-2010 15:00:00 GMT"), until(three_pm));
    assert_eq!(meta("unavailable_after:2010-06-25T15:00:00Z"), until(three_pm));
    let without_snippets = |said: String| match said.split_once('+') {
        Some((usage @ ("present-snippet" | "present-oldsnippet"), _)) => format!("{usage}- explicit"),
        _ => said,
    };
    let after: Vec<String> = until(three_pm).into_iter().map(without_snippets).collect();
    assert_eq!(meta("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, nosnippet"), after);
    assert_eq!(meta("unavailable_after: Fri, 25 Jun 2010 07:00:00 PST,nosnippet"), after);
    // A date may contain commas.
    for date in [
        "June 25, 2010 15:00",
        "Fri, Jun 25, 2010 15:00:00,5 GMT",
        "Fri Jun 25 15:00:00 2010",
        "Fri, 25 Jun 2010 15:00:00 +0000 (a, b, c)",
        "2010/06/25 15:00",
    ] {
        assert_eq!(meta(&format!("unavailable_after: {date}")), until(three_pm), "{date}");
        assert_eq!(meta(&format!("unavailable_after: {date}, nosnippet")), after, "{date}");
        assert_eq!(header(&format!("unavailable_after: {date}, nosnippet")), after, "{date}");
    }
    assert_eq!(meta("unavailable_after: June 25, noindex"), ["index- explicit"]);
    let page =
        read("<meta name=robots content='unavailable_after: soon, noindex, max-snippet:x, noodp'>", &[]);
    assert_eq!(describe(&page.says.robots_meta), ["index- explicit"]);
    let codes: Vec<_> = page.diagnostics.iter().map(PageDiagnostic::code).collect();
    assert_eq!(codes, ["invalid-date", "invalid-value", "unknown-directive"]);
    assert_eq!(meta("foo: noindex, bar:nofollow"), ["index- explicit"], "an unknown word may have a value");
    assert_eq!(meta("noindex: nofollow"), ["follow- explicit", "index- explicit"]);
    assert_eq!(meta(":,: noindex"), ["index- explicit"]);
    // A colon ends a value, too.
    for content in
        ["foo:bar:noindex", "foo:bar: noindex", "foo: bar: noindex", "foo: bar:noindex", "foo:: noindex"]
    {
        assert_eq!(meta(content), ["index- explicit"], "{content}");
    }
    for content in ["max-snippet:x:noindex", "max-image-preview : : noindex", "max-video-preview::noindex"] {
        assert_eq!(meta(content), ["index- explicit"], "{content}");
    }
}

#[test]
fn row_p11_headers_and_their_addresses() {
    assert_eq!(header("noindex, nofollow"), ["follow- explicit", "index- explicit"]);
    assert_eq!(header("foobot: noindex, otherbot: nofollow"), ["index- explicit"]);
    assert_eq!(header("otherbot: noindex, FooBot/2.1 : nofollow"), ["follow- explicit"]);
    assert_eq!(header("otherbot: noindex, *: nofollow, robots: noarchive").len(), 4);
    assert_eq!(header("unavailable_after: 25 Jun 2010 15:00:00 GMT").len(), 10);
    // A word before a colon is a name only before a known directive.
    let unknown = |value: &str| {
        let page = read("", &[("X-Robots-Tag", value)]);
        let problems = page.diagnostics.iter().map(|found| (found.code(), found.text.clone()));
        (describe(&page.says.robots_meta), problems.collect::<Vec<_>>())
    };
    let noindex = vec!["index- explicit".to_owned()];
    let odd = |text: &str| vec![("unknown-directive", text.to_owned())];
    assert_eq!(unknown("max-audio-preview:5, noindex"), (noindex.clone(), odd("max-audio-preview: 5")));
    assert_eq!(unknown("foobot: noindex, frob:x"), (noindex.clone(), odd("frob: x")));
    assert_eq!(unknown("noindex, otherbot:"), (noindex.clone(), odd("otherbot: ")));
    assert_eq!(unknown("otherbot: frob, noindex").0, noindex);
    assert_eq!(unknown("otherbot:, noindex").0, noindex);
    assert_eq!(unknown("otherbot: max-snippet:5, noindex"), (vec![], vec![]));
    // A value is no name.
    for value in ["frob:otherbot:noindex", "frob:otherbot: noindex", "frob: otherbot: noindex"] {
        assert_eq!(unknown(value), (noindex.clone(), odd("frob: otherbot")), "{value}");
    }
    assert_eq!(header("max-snippet:x:noindex"), noindex);
    assert_eq!(header("noindex:otherbot:nofollow"), noindex);
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
    let [translation, until] = ["prohibited-modification=translation", "time-limit=until-@1277510399"];
    let general = format!("{translation} {until}");
    assert_eq!(
        describe(&page.says.robots_meta),
        [
            "index- explicit".to_owned(),
            format!("present+ {general}"),
            format!("present-original+ {general}"),
            format!("present-currentcopy+ {general}"),
            format!("present-oldcopy+ {general}"),
            format!("present-snippet+ {translation} max-length=20-chars {until} max-video-preview=5"),
            format!("present-thumbnail+ max-image-preview=standard {general}"),
            format!("present-oldsnippet+ {translation} max-length=20-chars {until}"),
            format!("present-oldthumbnail+ max-image-preview=standard {general}"),
            format!("present-link+ {general}"),
        ]
    );
    assert_eq!(page.says.robots_meta[0].source.place, Place::Header);
    assert_eq!(page.says.robots_meta[1].source.line, 1, "the first permission is reported");
}

#[test]
fn row_v3_content_usage_headers() {
    let usage = |headers: &[(&str, &str)]| {
        let page = read("", headers);
        (general(&page.says.content_usage), page.diagnostics.len())
    };
    let name = "Content-Usage";
    assert_eq!(
        usage(&[(name, "train-ai=n, search=y")]),
        (vec!["search+".into(), "ai-train- explicit".into()], 0)
    );
    assert_eq!(
        usage(&[(name, "train-ai=n;x=1, search=\"y\", other=n")]),
        (vec!["ai-train- explicit".into()], 1)
    );
    assert_eq!(usage(&[(name, "train-ai, search=(y)")]), (vec![], 2));
    assert_eq!(usage(&[(name, "/path train-ai=n")]), (vec![], 1), "a header has no path");
    assert_eq!(usage(&[(name, "train-ai=n"), (name, "=")]), (vec![], 1), "several headers form one list");
    let page = read("", &[("content-usage", "train-ai=n"), (name, "search=n"), (name, "train-ai=y")]);
    let expected = [
        "search- explicit",
        "ai-input-in-search- explicit",
        "ai-train+",
        "ai-train-images+",
        "ai-train-in-search- explicit",
    ];
    assert_eq!(describe(&page.says.content_usage), expected);
    let lines: Vec<u32> = page.says.content_usage.iter().map(|statement| statement.source.line).collect();
    assert_eq!(lines, [2, 2, 3, 3, 2]);
    let blanks = read("", &[(name, "train-ai=n search=y")]);
    assert_eq!((blanks.says.content_usage.len(), codes(&blanks.diagnostics)), (0, vec!["missing-comma"]));
    assert_eq!(usage(&[(name, "a=y"), (name, ""), (name, "train-ai=n")]), (vec![], 1), "an empty member");
    let slips = read(
        "",
        &[("content-signal", "train-ai=no, search=no"), (name, "ai-train=n, a=no"), (name, "train-ai=no")],
    );
    let found: Vec<(u32, &str, &str)> =
        slips.diagnostics.iter().map(|found| (found.source.line, &*found.text, found.code())).collect();
    let expected = [
        (1, "train-ai", "label-of-other-header"),
        (2, "ai-train", "label-of-other-header"),
        (3, "train-ai", "unknown-preference"),
    ];
    assert_eq!(found, expected);
    assert_eq!(usage(&[(name, " \ttrain-ai=n\t ")]).0, ["ai-train- explicit"]);
}

#[test]
fn row_p13_content_signal_headers() {
    let name = "content-signal";
    let page =
        read("", &[(name, "search=yes,, ai-train=yes"), ("x", "y"), (name, "USE=immediate, Search=YES")]);
    let is_stated = |usage: &str| {
        page.says
            .content_signal
            .iter()
            .find(|said| said.usage.as_str() == usage)
            .map(|said| (matches!(said.says, Says::Prohibited(_)), said.source.line, said.source.place))
    };
    let header = |prohibits, line| Some((prohibits, line, Place::Header));
    assert_eq!(is_stated("ai-train"), header(true, 3), "by the ceiling");
    assert_eq!(is_stated("search"), header(true, 3));
    assert_eq!(is_stated("ai-input"), None);
    assert_eq!(codes(&page.diagnostics), ["invalid-signal"]);
    let page = read("", &[(name, "use=immediate, search=no"), (name, "use=full, search=yes")]);
    assert!(
        page.says.content_signal.iter().all(|said| said.source.line == 1),
        "a later header opens nothing"
    );
    assert!(page.says.content_signal.iter().any(|said| said.usage.as_str() == "ai-train"));
    let page = read("", &[(name, "ai-input=no, use=other, new=thing")]);
    assert_eq!(describe(&page.says.content_signal), ["ai-input- explicit", "ai-input-in-search- explicit"]);
    assert_eq!(page.diagnostics, []);
}

fn codes(diagnostics: &[PageDiagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(PageDiagnostic::code).collect()
}

/// The statements about usages that no other usage includes.
fn general(statements: &[Statement]) -> Vec<String> {
    let general = statements.iter().filter(|statement| statement.usage.including().is_none());
    describe(&general.cloned().collect::<Vec<_>>())
}

fn for_crawler(crawler: &str, html: &str, headers: &[(&str, &str)]) -> Vec<String> {
    let page = PageReading::new(&facts(html.as_bytes(), headers), &Crawler::new(crawler), Dialect::Acap);
    general(&page.says.robots_meta)
}

#[test]
fn row_p12_some_terms_are_for_one_crawler() {
    let bing = |html: &str, headers: &[(&str, &str)]| {
        let stated = for_crawler("msnbot,BingBot", html, headers);
        stated.into_iter().filter(|said| said.starts_with("ai-")).collect::<Vec<_>>()
    };
    let (none, milder) = (
        vec!["ai-input- explicit", "ai-train- explicit"],
        vec!["ai-input+ only=url,title,snippet", "ai-train+ only=url,title,snippet"],
    );
    assert_eq!(bing("<meta name=robots content=noarchive>", &[]), none);
    assert_eq!(bing("<meta name=bingbot content=nocache>", &[]), milder);
    assert_eq!(bing("<meta name=robots content='noarchive, nocache'>", &[]), milder);
    assert_eq!(bing("<meta name=bingbot content=noarchive>", &[("x-robots-tag", "nocache")]), milder);
    assert_eq!(bing("<meta name=robots content='noai, nocache'>", &[])[1], "ai-train- explicit");
    assert_eq!(bing("<meta name=googlebot content=noarchive>", &[]), [""; 0]);
    let google = |content: &str| {
        let stated = for_crawler("Googlebot", &format!("<meta name=robots content={content}>"), &[]);
        stated.into_iter().filter(|said| said.starts_with("ai-")).collect::<Vec<_>>()
    };
    assert_eq!(google("nosnippet"), ["ai-input- explicit"]);
    assert_eq!(google("max-snippet:0"), ["ai-input- explicit"]);
    assert_eq!(google("max-snippet:-1"), ["ai-input+"]);
    assert_eq!(google("max-snippet:20"), ["ai-input+ max-length=20-chars"]);
    assert_eq!(google("noarchive"), [""; 0]);
    for crawler in ["FooBot", "Googlebot-News", "bingbots"] {
        let html = "<meta name=robots content='noarchive, nocache, nosnippet'>";
        assert!(for_crawler(crawler, html, &[]).iter().all(|said| !said.starts_with("ai-")), "{crawler}");
    }
}

#[test]
fn row_p10_noai_is_about_training() {
    let training = ["ai-train- explicit", "ai-train-images- explicit", "ai-train-in-search- explicit"];
    assert_eq!(meta("noai"), training);
    assert_eq!(header("NoAI, noimageai"), training);
    assert_eq!(meta("noimageai"), ["ai-train-images- explicit"]);
}

#[test]
fn row_p16_robots_tag_is_a_list() {
    let name = "Robots-Tag";
    let tag = |value: &str| {
        let page = read("", &[(name, value)]);
        (describe(&page.says.robots_meta), codes(&page.diagnostics))
    };
    let of = |words: &[&'static str]| (words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), vec![]);
    assert_eq!(tag("*;nofollow, FooBot;noindex, BarBot;noai"), of(&["follow- explicit", "index- explicit"]));
    assert_eq!(tag("\"foobot/2\";noindex;nofollow=?0"), of(&["index- explicit"]));
    assert_eq!(tag("ROBOTS;noindex=5;nofollow=?1;noindex=?0"), of(&["follow- explicit"]));
    assert_eq!(tag("(foobot *);noindex, 5;noindex, ?1;noindex, :Kg==:;noindex"), of(&[]));
    let sized = "*;max-image-preview=large;max-video-preview=\"5\"";
    let expected = [
        "present-snippet+ max-video-preview=5",
        "present-thumbnail+ max-image-preview=large",
        "present-oldthumbnail+ max-image-preview=large",
    ];
    assert_eq!(tag(sized), of(&expected));
    for date in ["@1277510399", "\"Friday, 25-Jun-10 23:59:59 GMT\""] {
        let (says, odd) = tag(&format!("*;unavailable_after={date}"));
        assert_eq!((&says[0], odd.len()), (&"index+ time-limit=until-@1277510399".to_owned(), 0));
        assert_eq!(says[1..], present("time-limit=until-@1277510399"));
    }
    for (odd, code) in [
        ("*;max-snippet", "invalid-value"),
        ("*;max-snippet=5.0", "invalid-value"),
        ("*;max-snippet=-2", "invalid-value"),
        ("*;unavailable_after=5", "invalid-date"),
        ("*;archive", "unknown-directive"),
    ] {
        assert_eq!(tag(odd), (vec![], vec![code]), "{odd}");
    }
    let cased = read(
        "",
        &[(name, "\"x;NoIndex\" ,*; NoIndex;X=\";NoAI\";MAX-Snippet=5, FOOBOT;NoFollow;Nofollow=?0")],
    );
    let expected =
        ["index- explicit", "present-snippet+ max-length=5-chars", "present-oldsnippet+ max-length=5-chars"];
    assert_eq!(
        describe(&cased.says.robots_meta),
        expected,
        "keys have no case, strings and tokens keep theirs"
    );
    let cut = "invalid-robots-tag";
    let index = vec!["index- explicit".to_owned()];
    assert_eq!(tag("*;noindex, ExampleBot;"), (index.clone(), vec![cut]), "the last member is truncated");
    assert_eq!(tag("*;noindex, \"a, b"), (index.clone(), vec![cut]));
    assert_eq!(tag("*;noindex;, *;nofollow"), (vec![], vec![cut]));
    assert_eq!(tag("*;noindex FooBot;nofollow"), (vec![], vec![cut]));
    let page = read(
        "",
        &[(name, "*;noindex"), ("x-robots-tag", "noindex, noai"), (name, "a;x=\", *;noai\",*;nofollow")],
    );
    let sources: Vec<_> =
        page.says.robots_meta.iter().map(|said| (said.usage.as_str(), said.source.line)).collect();
    assert_eq!(sources[..3], [("follow", 3), ("index", 1), ("ai-train", 2)]);
    assert!(tag("").0.is_empty() && tag("").1.is_empty());
}

#[test]
fn row_p16_the_end_of_a_long_robots_tag_is_ignored() {
    let long = |filler: usize| format!("*;noindex, \"{}\", *;nofollow, *;noai", "x".repeat(filler));
    let tag = |value: &str| {
        let page = read("", &[("robots-tag", value)]);
        (general(&page.says.robots_meta), codes(&page.diagnostics))
    };
    let (index, follow) = ("index- explicit".to_owned(), "follow- explicit".to_owned());
    assert_eq!(tag(&long(8192)).0.len(), 3);
    let overhead = long(0).len();
    assert_eq!(tag(&long(65_536 - overhead)).0.len(), 3);
    let cut = vec!["long-robots-tag"];
    assert_eq!(tag(&long(65_537 - overhead)), (vec![follow, index.clone()], cut.clone()));
    assert_eq!(tag(&long(65_537)), (vec![index], cut));
}

#[test]
fn row_v6_links_to_licences() {
    let html = "<link rel='license x' href=/l type=application/rsl+xml><link rel=licence href=/x><link rel=LICENSE href=''>\n\
        <template><link rel=license href=/x></template><body><link rel=license href=/body>";
    let page = read(html, &[("x", "y"), ("Link", "</h>; rel=license, </x>; rel=next")]);
    let found: Vec<_> =
        page.licenses.iter().map(|found| (found.url.as_str(), found.place, found.line)).collect();
    assert_eq!(found, [("/h", Place::Header, 2), ("/l", Place::Link, 1)]);
    assert_eq!(page.licenses[1].media_type.as_deref(), Some("application/rsl+xml"));
}

#[test]
fn row_p13_tdm() {
    let tdm = |html: &str, headers: &[(&str, &str)]| {
        let page = read(html, headers);
        let TdmStatement { reserved, policy } = page.says.tdm;
        (reserved.map(|(is_reserved, source)| (is_reserved, source.place)), policy, page.diagnostics.len())
    };
    let policy = ("tdm-policy", "https://example.com/h");
    let [of_header, of_meta] = ["h", "m"].map(|name| Some(format!("https://example.com/{name}")));
    let (header, meta) = (|is_reserved| Some((is_reserved, Place::Header)), Some((true, Place::Meta)));
    let metas = "<meta name=TDM-reservation content=1><meta name=tdm-policy content=https://example.com/m>";
    assert_eq!(tdm("", &[]), (None, None, 0));
    assert_eq!(tdm("", &[("TDM-Reservation", " 1 ")]), (header(true), None, 0));
    assert_eq!(tdm("", &[("tdm-reservation", "0"), policy]), (header(false), of_header.clone(), 0));
    assert_eq!(tdm("", &[("tdm-reservation", "1"), policy]), (header(true), of_header.clone(), 0));
    assert_eq!(tdm(metas, &[]), (meta, of_meta.clone(), 0));
    assert_eq!(tdm(metas, &[("tdm-reservation", "0"), policy]), (meta, of_meta.clone(), 0));
    let reservation = "<meta name=TDM-reservation content=1>";
    assert_eq!(tdm(reservation, &[policy]), (meta, of_header.clone(), 0), "each value replaces its own");
    let meta_policy = "<meta name=tdm-policy content=https://example.com/m>";
    assert_eq!(tdm(meta_policy, &[("tdm-reservation", "1"), policy]), (header(true), of_meta, 0));
    assert_eq!(tdm("", &[("tdm-reservation", "0"), ("tdm-reservation", "1")]), (header(true), None, 0));
    assert_eq!(tdm(metas, &[("tdm-reservation", "yes"), ("tdm-policy", "/x")]).2, 2);
    assert_eq!(tdm("", &[policy]).0, None, "a policy alone has no effect");
    for several in ["1, 1", "0, 1", "0 ,\t1,0"] {
        assert_eq!(tdm("", &[("tdm-reservation", several)]), (header(true), None, 0), "{several}");
    }
    assert_eq!(tdm("", &[("tdm-reservation", "1, x")]), (header(true), None, 1));
    assert_eq!(tdm("<meta name=tdm-reservation content='1,1'>", &[]), (None, None, 1), "in headers alone");
}

#[test]
fn row_p1_directives_to_every_token_of_the_crawler_add_up() {
    let news =
        |html: &str, headers: &[(&str, &str)]| for_crawler("Googlebot-News,Googlebot/2.1", html, headers);
    let noindex = "<meta name=googlebot content=noindex>";
    let tag = |content: &str| format!("{noindex}<meta name=googlebot-news content='{content}'>");
    let has_noindex = |says: Vec<String>| says.contains(&"index- explicit".to_owned());
    for content in ["", "nosnippet", "index", "ACAP allow-follow"] {
        assert!(has_noindex(news(&tag(content), &[])), "{content}");
    }
    assert_eq!(
        news(&tag("nofollow"), &[("x-robots-tag", "*: noai")]),
        ["follow- explicit", "index- explicit", "ai-train- explicit"]
    );
    assert!(has_noindex(news(noindex, &[("x-robots-tag", "googlebot-news: nofollow")])));
    assert!(has_noindex(news("<meta name=googlebot-news>", &[("x-robots-tag", "googlebot: noindex")])));
    assert!(has_noindex(news("", &[("robots-tag", "googlebot;noindex, googlebot-news;nofollow")])));
    assert!(has_noindex(news("", &[("x-robots-tag", "googlebot: noindex, googlebot-news: nofollow")])));
    assert!(!has_noindex(news("<meta name=googlebot-images content=noindex><meta content=noindex>", &[])));
    // Each name is an address of its own.
    assert!(has_noindex(news(&tag("indexifembedded"), &[])));
    let embedded = news(noindex, &[("robots-tag", "GoogleBot;indexifembedded")]);
    assert_eq!(embedded, ["index+ when-embedded"]);
}

#[test]
fn row_p16_a_directive_where_a_name_belongs_is_diagnosed() {
    let name = "robots-tag";
    let problems = |headers: &[(&str, &str)]| {
        let page = read("", headers);
        assert_eq!(page.says.robots_meta, [], "{headers:?}");
        let of = |found: &PageDiagnostic| (found.source.line, found.code(), found.text.clone());
        page.diagnostics.iter().map(of).collect::<Vec<_>>()
    };
    let odd = |line, text: &str| (line, "directive-as-name", text.to_owned());
    assert_eq!(problems(&[(name, "noindex")]), [odd(1, "noindex")]);
    let several = [(name, "NoIndex, max-snippet:5"), ("x", "y"), (name, "\"nofollow\"")];
    assert_eq!(problems(&several), [odd(1, "NoIndex"), odd(1, "max-snippet:5"), odd(3, "nofollow")]);
    assert_eq!(problems(&[(name, "otherbot, *, noindexbot, noindex;nofollow, (noindex), 5")]), []);
}
