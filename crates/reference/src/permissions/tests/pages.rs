//! ACAP part 2, robots META, headers and links of pages (P1 to P13, P16, T4, V6, table U).

use robomata_protocol::{Dialect, Moment, PageFacts, PageLink, Part, Place, Usage};

use super::{Ask, element, headers, metas};
use crate::permissions::licenses;

fn summary(tags: &[(&str, &str)], usage: Usage) -> String {
    Ask::of_page(metas(tags)).at("http://myserver.com/page").summary(usage)
}

/// Part 2, 2.1, 2.2.1 to 2.2.4: the examples.
#[test]
fn examples_of_meta_tags() {
    let overview =
        [("robots", "index nofollow"), ("robots", "ACAP allow-index"), ("robots", "ACAP disallow-follow")];
    assert_eq!(summary(&overview, Usage::Index), "permitted acap@meta:2");
    assert_eq!(
        summary(&overview, Usage::Follow),
        "prohibited acap@meta:3 (most-restrictive robots-meta@meta:1)"
    );
    assert_eq!(summary(&[("crawler-name", "ACAP allow-index")], Usage::Index), "unspecified silence");
    assert_eq!(summary(&[("SearchBot", "ACAP allow-index")], Usage::Index), "permitted acap@meta:1");
    let snippet = [("searchbot", "ACAP allow-present-snippet \n max-length=100-chars")];
    assert_eq!(summary(&snippet, Usage::PresentSnippet), "permitted acap@meta:1 max-length=100-chars");
    let extract = [("searchbot", "ACAP allow-index must-use-resource=the-acap:extract:class:abstract")];
    assert_eq!(
        summary(&extract, Usage::Index),
        "permitted acap@meta:1 must-use-resource=the-acap:extract:class:abstract"
    );
}

/// 2.2.1, P1 and P4.
#[test]
fn a_tag_to_the_crawler_overrides_one_to_any() {
    let tags = [("robots", "ACAP disallow-index"), ("searchbot", "ACAP allow-index")];
    assert_eq!(summary(&tags, Usage::Index), "permitted acap@meta:2 (named-over-any acap@meta:1)");
    // The first token that the page names is the crawler's name.
    let tags = [("a", "ACAP allow-index"), ("b", "ACAP disallow-index")];
    assert_eq!(Ask::of_page(metas(&tags)).by("x,b,a").summary(Usage::Index), "prohibited acap@meta:2");
}

/// 2.2.2, 2.2.3.1.
#[test]
fn purposes_in_meta_tags() {
    let tags = [("robots", "ACAP news.search.com allow-index"), ("robots", "ACAP disallow-index")];
    let ask = Ask::of_page(metas(&tags));
    assert_eq!(ask.summary(Usage::Index), "prohibited acap@meta:2");
    let ask = ask.for_purpose("news.search.com");
    assert_eq!(ask.summary(Usage::Index), "permitted acap@meta:1 (purpose-over-general acap@meta:2)");
}

/// P2.
#[test]
fn several_statements_in_one_tag() {
    let tags = [(
        "robots",
        "acap ALLOW-index time-limit = 3-days, disallow-follow time-limit=1-days, x, allow-crawl allow-preserve x",
    )];
    assert_eq!(summary(&tags, Usage::Index), "permitted acap@meta:1 time-limit=3-days ?now ?first-use");
    assert_eq!(summary(&tags, Usage::Follow), "prohibited acap@meta:1");
    assert_eq!(summary(&tags, Usage::Crawl), "permitted acap@meta:1");
    assert_eq!(summary(&tags, Usage::Preserve), "prohibited uninterpretable acap@meta:1");
}

/// 2.2.7, P3 and P6.
#[test]
fn versions() {
    let unknown = ("robots", "ACAP allow-print disallow-fold allow-index colour=red");
    let with = |version: &str, usage| summary(&[("x", version), unknown], usage);
    assert_eq!(summary(&[unknown], Usage::Index), "prohibited uninterpretable acap@meta:1");
    assert_eq!(with("ACAP Version 1.1", Usage::Index), "prohibited uninterpretable acap@meta:2");
    assert_eq!(with("ACAP Version 1.1", Usage::PresentLink), "unspecified silence");
    assert_eq!(with("ACAP version 1.2", Usage::Index), "prohibited uninterpretable acap@meta:2");
    assert_eq!(with("ACAP version 1.2", Usage::PresentLink), "prohibited uninterpretable acap@meta:2");
    assert_eq!(with("ACAP version 1.2", Usage::Follow), "unspecified silence");
    let tags = [
        ("robots", "ACAP allow-index disallow-follow"),
        ("robots", "ACAP version 2.0"),
        ("robots", "ACAP version 1.1"),
    ];
    assert_eq!(summary(&tags, Usage::Index), "prohibited uninterpretable acap@meta:1");
    assert_eq!(summary(&tags, Usage::Follow), "prohibited acap@meta:1");
    // A known but misplaced qualifier cannot be interpreted in any version.
    assert_eq!(
        summary(&[("robots", "ACAP allow-index max-length=3-chars")], Usage::Index),
        "prohibited uninterpretable acap@meta:1"
    );
}

/// 2.2.8 and P5.
#[test]
fn conflicts_of_meta_tags() {
    let tags = [("robots", "ACAP allow-index"), ("robots", "ACAP disallow-index")];
    assert_eq!(
        summary(&tags, Usage::Index),
        "prohibited undeterminable acap@meta:2 (narrowest-scope acap@meta:1)"
    );
    let tags =
        [("robots", "ACAP allow-index time-limit=2-days"), ("robots", "ACAP allow-index time-limit=1-days")];
    assert_eq!(
        summary(&tags, Usage::Index),
        "permitted acap@meta:1 time-limit=2-days time-limit=1-days ?now ?first-use"
    );
    let mut ask = Ask::new("ACAP-crawler: *\nACAP-disallow-index: /$").at("/");
    ask.page = metas(&[("robots", "ACAP allow-index")]);
    assert_eq!(ask.summary(Usage::Index), "permitted acap@meta:1 (innermost-place acap:2)");
}

/// 2.2.9.1 and P7.
#[test]
fn location() {
    let tag = ("robots", "ACAP allow-crawl location=http://myserver.com/legitimate-copy.htm");
    let at = |url| Ask::of_page(metas(&[tag])).at(url).summary(Usage::Crawl);
    let permitted = "permitted acap@meta:1 location=http://myserver.com/legitimate-copy.htm";
    assert_eq!(at("http://MyServer.com:80/legitimate%2dcopy.htm#x"), permitted);
    assert_eq!(at("http://copycat.example/legitimate-copy.htm"), "prohibited location-mismatch acap@meta:1");
    assert_eq!(at("/legitimate-copy.htm"), format!("{permitted} ?page-url"));
    let mut ask = Ask::of_page(metas(&[tag])).at("/legitimate-copy.htm");
    ask.site.origin = Some(b"http://myserver.com/robots.txt");
    assert_eq!(ask.summary(Usage::Crawl), permitted);
    let path = [("robots", "ACAP allow-other location=/page")];
    assert_eq!(summary(&path, Usage::Tdm), "permitted acap@meta:1 location=/page");
    let other = [("robots", "ACAP allow-other location=/other")];
    assert_eq!(summary(&other, Usage::Tdm), "prohibited location-mismatch acap@meta:1");
}

fn nested(part: Part) -> Ask<'static> {
    let mut page = metas(&[("robots", "ACAP allow-index allow-follow")]);
    page.elements = vec![
        element("x the-acap:disallow-index", 5, None),
        element("The-ACAP:Allow-Index", 6, Some(0)),
        element("the-acap:allow-(local)", 7, Some(9)),
    ];
    let mut ask = Ask::of_page(page);
    ask.circumstances.part = part;
    ask
}

/// 2.2.5 and P8.
#[test]
fn elements() {
    assert_eq!(nested(Part::Rest).summary(Usage::Index), "permitted acap@meta:1");
    let outer = nested(Part::Element(0));
    assert_eq!(outer.summary(Usage::Index), "prohibited acap@element0:5 (innermost-place acap@meta:1)");
    assert_eq!(outer.summary(Usage::Follow), "permitted acap@meta:1");
    assert_eq!(
        nested(Part::Element(1)).summary(Usage::Index),
        "permitted acap@element1:6 (innermost-place acap@meta:1) (innermost-place acap@element0:5)"
    );
    let local = nested(Part::Element(2));
    assert_eq!(local.summary(Usage::Preserve), "prohibited uninterpretable acap@element2:7");
    assert_eq!(local.summary(Usage::Follow), "permitted acap@meta:1");
    assert_eq!(nested(Part::Element(3)).summary(Usage::Index), "permitted acap@meta:1");
}

/// P8 and A11; 2.2.8: "semantically equivalent to permission and prohibition fields in a robots.txt file".
#[test]
fn prohibitions_of_local_usages() {
    const ROBOTS: &str = "ACAP-qualified-usage: short present-snippet max-length=30-words\n\
                          ACAP-composite-usage: both index (short)\n\
                          ACAP-qualified-usage: bad preserve max-length=3-chars\n\
                          ACAP-crawler: *\nACAP-allow-present: /\n\
                          ACAP-qualified-usage: late follow\n";
    let in_element = |class: &str, usage| {
        let page = PageFacts { elements: vec![element(class, 3, None)], ..PageFacts::default() };
        let mut ask = Ask { page, ..Ask::new(ROBOTS) };
        ask.circumstances.part = Part::Element(0);
        ask.summary(usage)
    };
    let in_meta =
        |content: &str, usage| Ask { page: metas(&[("robots", content)]), ..Ask::new(ROBOTS) }.summary(usage);
    for (name, usage) in [("(both)", Usage::Index), ("(Both)", Usage::Index), ("(BAD)", Usage::Preserve)] {
        let class = format!("The-ACAP:Disallow-{name}");
        assert_eq!(in_element(&class, usage), "prohibited acap@element0:3");
        assert_eq!(in_element(&class, Usage::Follow), "unspecified silence");
        assert_eq!(in_meta(&format!("ACAP disallow-{name}"), usage), "prohibited acap@meta:1");
        assert_eq!(in_meta(&format!("ACAP disallow-{name}"), Usage::Follow), "unspecified silence");
    }
    // A prohibition on the page overrules a permission of the file.
    assert_eq!(
        in_element("the-acap:disallow-(short)", Usage::PresentSnippet),
        "prohibited acap@element0:3 (innermost-place acap:5)"
    );
    assert_eq!(
        in_meta("ACAP disallow-(short) max-length=3-words", Usage::PresentSnippet),
        "prohibited acap@meta:1 (innermost-place acap:5)"
    );
    // Under another major version, prohibitions hold (P3).
    assert_eq!(in_meta("ACAP version 2.0 disallow-(both)", Usage::Index), "prohibited acap@meta:1");
    // A prohibition of a name that is not defined, or defined too late, is void (P6).
    for name in ["(none)", "(late)", "()", "(both", "print"] {
        for usage in [Usage::Index, Usage::Follow, Usage::Preserve] {
            let class = format!("the-acap:disallow-{name}");
            assert_eq!(in_element(&class, usage), "unspecified silence", "{name}");
            assert_eq!(in_meta(&format!("ACAP disallow-{name}"), usage), "unspecified silence", "{name}");
        }
    }
    // A permission of it is not: in an element every usage is prohibited (P6), in every version.
    assert_eq!(
        in_element("the-acap:allow-(none)", Usage::Index),
        "prohibited uninterpretable acap@element0:3"
    );
    // In a META tag it is a permission of an unknown usage (P3).
    assert_eq!(in_meta("ACAP allow-(both)", Usage::Index), "unspecified silence");
    assert_eq!(
        in_meta("ACAP version 1.2 allow-(both)", Usage::Index),
        "prohibited uninterpretable acap@meta:1"
    );
    // Crawlers that do not work by element: the prohibition names its usages (P9).
    let page =
        PageFacts { elements: vec![element("the-acap:disallow-(both)", 3, None)], ..PageFacts::default() };
    assert_eq!(
        Ask { page, ..Ask::new(ROBOTS) }.summary(Usage::Index),
        "prohibited element-fallback acap@element0:3"
    );
}

/// 2.2.6 and P9.
#[test]
fn crawlers_that_do_not_work_by_element_are_prohibited_what_elements_name() {
    let page = nested(Part::Page);
    assert_eq!(
        page.summary(Usage::Index),
        "prohibited element-fallback acap@element0:5 (innermost-place acap@meta:1)"
    );
    assert_eq!(page.summary(Usage::Follow), "permitted acap@meta:1");
    assert_eq!(page.summary(Usage::PresentLink), "prohibited element-fallback acap@element2:7");
    assert_eq!(page.summary(Usage::Tdm), "unspecified silence");
    // `other` covers every usage that nothing else on the page is about.
    let mut others = headers(&[("X-Robots-Tag", "noindex")]);
    others.elements = vec![element("the-acap:disallow-other", 2, None)];
    let others = Ask::of_page(others);
    assert_eq!(others.summary(Usage::Tdm), "prohibited element-fallback acap@element0:2");
    assert_eq!(others.summary(Usage::Index), "prohibited robots-meta@header:1");
    let mut page =
        PageFacts { elements: vec![element("the-acap:allow-present", 3, None)], ..PageFacts::default() };
    page.metas = metas(&[("robots", "ACAP allow-present-snippet disallow-other")]).metas;
    assert_eq!(
        Ask::of_page(page).summary(Usage::PresentSnippet),
        "prohibited element-fallback acap@element0:3 (explicit-over-other acap@meta:1) (innermost-place acap@meta:1)"
    );
}

/// Table U.
#[test]
fn robots_meta_words() {
    let one = |content: &str, usage| summary(&[("ROBOTS", content)], usage);
    assert_eq!(one("none", Usage::Index), "prohibited robots-meta@meta:1");
    assert_eq!(one("none", Usage::Follow), "prohibited robots-meta@meta:1");
    assert_eq!(one("All", Usage::Follow), "permitted robots-meta@meta:1");
    for usage in [Usage::Preserve, Usage::PresentCurrentcopy, Usage::PresentOldcopy] {
        assert_eq!(one("foo,NoArchive", usage), "prohibited robots-meta@meta:1");
    }
    assert_eq!(one("nosnippet", Usage::PresentOldsnippet), "prohibited robots-meta@meta:1");
    assert_eq!(one("max-snippet:0", Usage::PresentSnippet), "prohibited robots-meta@meta:1");
    assert_eq!(
        one("max-snippet: 50", Usage::PresentSnippet),
        "permitted robots-meta@meta:1 max-length=50-chars"
    );
    assert_eq!(one("max-snippet:-1", Usage::PresentSnippet), "permitted robots-meta@meta:1");
    assert_eq!(one("max-snippet:-2 noindex", Usage::PresentSnippet), "unspecified silence");
    assert_eq!(one("max-image-preview:none", Usage::PresentOldthumbnail), "prohibited robots-meta@meta:1");
    assert_eq!(
        one("max-image-preview:LARGE", Usage::PresentThumbnail),
        "permitted robots-meta@meta:1 max-image-preview=large"
    );
    assert_eq!(
        one("max-video-preview:9", Usage::PresentSnippet),
        "permitted robots-meta@meta:1 max-video-preview=9"
    );
    assert_eq!(
        one("notranslate", Usage::PresentLink),
        "permitted robots-meta@meta:1 prohibited-modification=translation"
    );
    assert_eq!(one("notranslate nosnippet", Usage::PresentSnippet), "prohibited robots-meta@meta:1");
    assert_eq!(one("noimageindex", Usage::IndexImages), "prohibited robots-meta@meta:1");
    assert_eq!(one("indexifembedded", Usage::Index), "unspecified silence");
    assert_eq!(one("noindex, indexifembedded", Usage::Index), "permitted robots-meta@meta:1 when-embedded");
    assert_eq!(one("foo:noindex", Usage::Index), "unspecified silence");
}

/// P12.
#[test]
fn all_statements_to_the_crawler_are_combined() {
    let tags = [
        ("robots", "max-snippet:100, max-video-preview:5"),
        ("searchbot", "max-snippet:50"),
        ("other", "nosnippet"),
    ];
    assert_eq!(
        summary(&tags, Usage::PresentSnippet),
        "permitted robots-meta@meta:1 max-length=50-chars max-video-preview=5"
    );
    let tags = [("searchbot", "index"), ("robots", "noindex")];
    assert_eq!(summary(&tags, Usage::Index), "prohibited robots-meta@meta:2");
    // Each of the crawler's tokens is its name.
    let tags =
        [("b", "noindex"), ("a", "nofollow"), ("a", "ACAP disallow-preserve"), ("b", "ACAP allow-crawl")];
    let by_both = |usage| Ask::of_page(metas(&tags)).by("a,b").summary(usage);
    assert_eq!(by_both(Usage::Index), "prohibited robots-meta@meta:1");
    assert_eq!(by_both(Usage::Follow), "prohibited robots-meta@meta:2");
    assert_eq!(by_both(Usage::Preserve), "prohibited acap@meta:3");
    assert_eq!(by_both(Usage::Crawl), "unspecified silence");
    // A noindex for another address is not softened.
    let tags = [("searchbot", "indexifembedded noindex"), ("robots", "noindex")];
    assert_eq!(summary(&tags, Usage::Index), "prohibited robots-meta@meta:2");
}

/// P12 and table U: no statement about a derived usage lifts one about `present`.
#[test]
fn what_is_said_about_present_holds_for_each_derived_usage() {
    let limits = [
        ("max-image-preview:large", Usage::PresentThumbnail, "max-image-preview=large"),
        ("max-snippet:50", Usage::PresentSnippet, "max-length=50-chars"),
        ("max-video-preview:9", Usage::PresentSnippet, "max-video-preview=9"),
    ];
    let date = "unavailable_after: 2010-06-25T15:00:00Z";
    for (limit, usage, qualifier) in limits {
        let in_one = metas(&[("robots", &format!("{limit}, {date}, notranslate"))]);
        let mut in_several = metas(&[("robots", limit)]);
        in_several.headers = headers(&[("X-Robots-Tag", date), ("Robots-Tag", "*;notranslate")]).headers;
        for page in [in_one, in_several] {
            let mut ask = Ask::of_page(page);
            let summary = ask.summary(usage);
            for held in [qualifier, "time-limit=until-@1277478000", "prohibited-modification=translation"] {
                assert!(summary.contains(held), "{summary}: {held}");
            }
            ask.circumstances.now = Some(Moment(1_277_478_001));
            assert_eq!(ask.summary(usage), "prohibited expired robots-meta@meta:1");
        }
    }
    // Of statements that agree the first is reported.
    let tags = [("robots", "notranslate"), ("robots", "max-snippet:-1")];
    assert_eq!(
        summary(&tags, Usage::PresentSnippet),
        "permitted robots-meta@meta:1 prohibited-modification=translation"
    );
    let tags = [("robots", date), ("robots", "nosnippet")];
    assert_eq!(summary(&tags, Usage::PresentSnippet), "prohibited robots-meta@meta:2");
}

/// P10 and A20.
#[test]
fn unavailable_after() {
    let mut page = metas(&[("robots", "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow")]);
    page.metas.extend(metas(&[("robots", "unavailable_after: 2010-06-25T15:00:01Z")]).metas);
    let at = |now: Option<i64>, usage| {
        let mut ask = Ask::of_page(page.clone());
        ask.circumstances.now = now.map(Moment);
        ask.summary(usage)
    };
    let permitted = "permitted robots-meta@meta:1 time-limit=until-@1277478000";
    assert_eq!(at(Some(1_277_478_000), Usage::Index), permitted);
    assert_eq!(at(Some(1_277_478_001), Usage::PresentLink), "prohibited expired robots-meta@meta:1");
    assert_eq!(at(None, Usage::Present), format!("{permitted} ?now"));
    assert_eq!(at(None, Usage::Follow), "prohibited robots-meta@meta:1");
    assert_eq!(summary(&[("robots", "unavailable_after: soon")], Usage::Index), "unspecified silence");
}

/// P10: separators, values, and permissions next to unknown words.
#[test]
fn words_of_a_content() {
    let prohibited = "prohibited robots-meta@meta:1";
    for content in [
        "noindex;nofollow",
        "nofollow|noindex",
        "\"noindex\"",
        "nofollow\u{a0}noindex",
        "max-snippet: noindex",
        "max-snippet=noindex",
        "unavailable_after: 25-Aug-2007 15:00:00 EST noindex",
        "unavailable_after: tomorrow noindex noai",
    ] {
        assert_eq!(summary(&[("robots", content)], Usage::Index), prohibited, "{content}");
    }
    assert_eq!(summary(&[("robots", "max-snippet=0")], Usage::PresentSnippet), prohibited);
    for content in
        ["index: no", "index:false, noai", "no:index", "index|no", "index = no", "max-image-preview:none"]
    {
        assert_eq!(summary(&[("robots", content)], Usage::Index), "unspecified silence", "{content}");
    }
    assert_eq!(summary(&[("robots", "no, index")], Usage::Index), "permitted robots-meta@meta:1");
    let header = Ask::of_page(headers(&[("X-Robots-Tag", "SearchBot: index; nofollow")]));
    assert_eq!(header.summary(Usage::Index), "permitted robots-meta@header:1");
    assert_eq!(header.summary(Usage::Follow), "prohibited robots-meta@header:1");
}

/// P1: names that are cut to `robots`.
#[test]
fn every_crawler_by_a_name_that_is_cut() {
    for name in ["robots, searchbot", "Robots/1", "robots\u{a0}"] {
        assert_eq!(summary(&[(name, "noindex")], Usage::Index), "prohibited robots-meta@meta:1", "{name}");
    }
    assert_eq!(summary(&[("robots/1", "ACAP disallow-index")], Usage::Index), "prohibited acap@meta:1");
}

/// P1.
#[test]
fn names_of_any_crawler_and_lists_of_names() {
    let by = |crawler, name: &str, content: &str| {
        Ask::of_page(metas(&[(name, content)])).by(crawler).summary(Usage::Index)
    };
    for (content, says) in
        [("noindex", "prohibited robots-meta@meta:1"), ("ACAP disallow-index", "prohibited acap@meta:1")]
    {
        for name in ["*", "* x", "robots, x", "x,*", " googlebot ,\tbingbot,searchbot ", ",searchbot,"] {
            assert_eq!(by("searchbot", name, content), says, "{name}");
        }
        for name in ["*/1", "*x", "googlebot,bingbot", "search bot", ",", "search,bot"] {
            assert_eq!(by("searchbot", name, content), "unspecified silence", "{name}");
        }
    }
    assert_eq!(by("bingbot", "googlebot,bingbot", "noindex"), "prohibited robots-meta@meta:1");
    // Each name counts: the crawler's own, too.
    let tags = [("robots", "ACAP disallow-index"), ("x, SearchBot", "ACAP allow-index")];
    assert_eq!(summary(&tags, Usage::Index), "permitted acap@meta:2 (named-over-any acap@meta:1)");
    assert_eq!(by("searchbot", "*, searchbot", "ACAP allow-index"), "permitted acap@meta:1");
}

/// P2: other separators.
#[test]
fn marks_around_words_of_acap() {
    for content in [
        "\"ACAP disallow-index\"",
        "'ACAP' 'disallow-index'",
        "ACAP; disallow-index;",
        "|ACAP|\u{a0}\u{2003}disallow-index",
        "ACAP allow-follow;,\"disallow-index\"",
        "ACAP allow-follow;, \"disallow-index\",",
        "ACAP allow-follow time-limit=;, disallow-index",
        "ACAP;,;disallow-index",
    ] {
        assert_eq!(summary(&[("robots", content)], Usage::Index), "prohibited acap@meta:1", "{content}");
    }
    let limited = "permitted acap@meta:1 time-limit=3-days ?now ?first-use";
    for content in [
        "ACAP allow-index; time-limit=3-days;",
        "ACAP allow-index\u{a0}time-limit\u{a0}=\u{a0}3-days",
        "ACAP allow-index time-limit; = 3-days",
        "\"ACAP allow-index\", \"time-limit=3-days\"",
        "ACAP allow-index time-limit = \"3-days\"",
    ] {
        assert_eq!(summary(&[("robots", content)], Usage::Index), limited, "{content}");
    }
    // Within a word they are part of it: a restriction that is not read is a prohibition.
    for content in ["ACAP allow-index time-limit=\"3-days\"", "ACAP allow-index time-limit;=3-days"] {
        let says = "prohibited uninterpretable acap@meta:1";
        assert_eq!(summary(&[("robots", content)], Usage::Index), says, "{content}");
    }
    assert_eq!(summary(&[("robots", "ACAP;disallow-index")], Usage::Index), "unspecified silence");
}

/// P2 and P10: content of ACAP where ACAP is not read.
#[test]
fn acap_content_under_other_dialects() {
    let under = |dialect, content| Ask::of_page(metas(&[("robots", content)])).under(dialect);
    let content = "ACAP disallow-index, noindex, allow-follow follow";
    assert_eq!(under(Dialect::Acap, content).summary(Usage::Index), "prohibited acap@meta:1");
    for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Koster1996, Dialect::Yandex] {
        assert_eq!(under(dialect, content).summary(Usage::Index), "prohibited robots-meta@meta:1");
        // A permission next to an unknown word has no effect.
        assert_eq!(under(dialect, content).summary(Usage::Follow), "unspecified silence");
        assert_eq!(under(dialect, "ACAP disallow-index").summary(Usage::Index), "unspecified silence");
    }
}

/// P10: `<meta name=robots content=noindex/>`.
#[test]
fn a_slash_at_the_end_of_a_content() {
    for content in ["noindex/", "nofollow,noindex/", "noindex /"] {
        assert_eq!(
            summary(&[("robots", content)], Usage::Index),
            "prohibited robots-meta@meta:1",
            "{content}"
        );
    }
    assert_eq!(
        summary(&[("robots", "max-snippet:0/")], Usage::PresentSnippet),
        "prohibited robots-meta@meta:1"
    );
    for content in ["noindex//", "/noindex", "noindex/,"] {
        assert_eq!(summary(&[("robots", content)], Usage::Index), "unspecified silence", "{content}");
    }
    let header = Ask::of_page(headers(&[("X-Robots-Tag", "noindex/")]));
    assert_eq!(header.summary(Usage::Index), "unspecified silence");
}

/// P13: CR, LF and NUL in the values of headers.
#[test]
fn bytes_that_no_header_has_are_spaces() {
    let summary = |name, value, usage| Ask::of_page(headers(&[(name, value)])).summary(usage);
    for value in ["noindex\0", "\0noindex", "nofollow\0noindex", "nofollow\r\nnoindex", "SearchBot:\0noindex"]
    {
        assert_eq!(
            summary("X-Robots-Tag", value, Usage::Index),
            "prohibited robots-meta@header:1",
            "{value:?}"
        );
    }
    assert_eq!(summary("Robots-Tag", "*;\0noindex\0", Usage::Index), "prohibited robots-meta@header:1");
    assert_eq!(summary("Content-Usage", "train-ai=n\0", Usage::AiTrain), "prohibited content-usage@header:1");
    assert_eq!(
        summary("Content-Signal", "ai-train=no\0", Usage::AiTrain),
        "prohibited content-signal@header:1"
    );
    assert_eq!(summary("tdm-reservation", "\t\x001\0", Usage::Tdm), "prohibited tdmrep@header:1");
}

/// P11.
#[test]
fn x_robots_tag() {
    let page = headers(&[
        ("x-robots-tag", "otherbot: noindex, SearchBot: nofollow"),
        ("X-Robots-Tag", "noarchive, unavailable_after: 25 Jun 2010 15:00:00 GMT"),
    ]);
    let summary = |usage| Ask::of_page(page.clone()).summary(usage);
    assert_eq!(summary(Usage::Index), "permitted robots-meta@header:2 time-limit=until-@1277478000 ?now");
    assert_eq!(summary(Usage::Follow), "prohibited robots-meta@header:1");
    assert_eq!(summary(Usage::Preserve), "prohibited robots-meta@header:2");
    let other = Ask::of_page(page.clone()).by("OtherBot");
    assert_eq!(other.summary(Usage::Index), "prohibited robots-meta@header:1");
}

/// P10 and P11.
#[test]
fn a_colon_after_a_value_separates() {
    let in_meta = |content: &str, usage| summary(&[("robots", content)], usage);
    let in_header = |value: &str, usage| Ask::of_page(headers(&[("X-Robots-Tag", value)])).summary(usage);
    for content in [
        "max-snippet:5:noindex",
        "max-snippet : 5 : noindex",
        "max-snippet:5::noindex",
        "max-snippet:5:a:b:noindex",
    ] {
        for (says, place) in [(in_meta as fn(&str, Usage) -> String, "meta"), (in_header, "header")] {
            assert_eq!(says(content, Usage::Index), format!("prohibited robots-meta@{place}:1"), "{content}");
            let short = format!("permitted robots-meta@{place}:1 max-length=5-chars");
            assert_eq!(says(content, Usage::PresentSnippet), short, "{content}");
        }
    }
    // Also when the value is none.
    assert_eq!(in_meta("max-snippet::noindex", Usage::Index), "prohibited robots-meta@meta:1");
    assert_eq!(in_meta("max-snippet:x:noindex", Usage::Index), "prohibited robots-meta@meta:1");
    assert_eq!(
        in_meta("max-image-preview:large:max-snippet:5", Usage::PresentSnippet),
        "permitted robots-meta@meta:1 max-length=5-chars"
    );
    // The colons of a date are its own.
    assert_eq!(
        in_meta("unavailable_after: 2010-06-25T15:00:00Z", Usage::Index),
        "permitted robots-meta@meta:1 time-limit=until-@1277478000 ?now"
    );
    assert_eq!(in_meta("unavailable_after: soon:noindex", Usage::Index), "unspecified silence");
}

/// P11.
#[test]
fn the_value_of_an_unknown_directive_is_no_name() {
    let page = |value: &str| headers(&[("X-Robots-Tag", value)]);
    let by = |crawler, value: &str, usage| Ask::of_page(page(value)).by(crawler).summary(usage);
    for value in
        ["A:B:noindex", "A: B: noindex", "A :B : noindex", "A: B, noindex", "A:, noindex", "A::noindex"]
    {
        for crawler in ["A", "B", "searchbot"] {
            assert_eq!(
                by(crawler, value, Usage::Index),
                "prohibited robots-meta@header:1",
                "{crawler}: {value}"
            );
        }
        let in_meta = summary(&[("robots", value)], Usage::Index);
        assert_eq!(in_meta, "prohibited robots-meta@meta:1", "{value}");
    }
    // The line stays addressed to whom it was.
    let value = "A: nofollow, max-audio-preview: B: noindex";
    assert_eq!(by("A", value, Usage::Index), "prohibited robots-meta@header:1");
    assert_eq!(by("B", value, Usage::Index), "unspecified silence");
    // After the value, as after a comma, a name may follow.
    assert_eq!(by("C", "A:B:C:noindex", Usage::Index), "prohibited robots-meta@header:1");
    assert_eq!(by("searchbot", "A:B:C:noindex", Usage::Index), "unspecified silence");
    // In META there are no names: what is joined to an unknown word has no effect, what is not joined has.
    assert_eq!(summary(&[("robots", "A:noindex")], Usage::Index), "unspecified silence");
    assert_eq!(summary(&[("robots", "A :noindex:nofollow")], Usage::Follow), "prohibited robots-meta@meta:1");
    assert_eq!(summary(&[("robots", "A: noindex")], Usage::Index), "prohibited robots-meta@meta:1");
}

/// P13.
#[test]
fn tdm_reservation() {
    let summary = |page: PageFacts| Ask::of_page(page).summary(Usage::Tdm);
    assert_eq!(summary(metas(&[("TDM-Reservation", "1")])), "prohibited tdmrep@meta:1");
    assert_eq!(summary(metas(&[("tdm-reservation", "2")])), "unspecified silence");
    assert_eq!(
        summary(headers(&[("tdm-policy", "http://p/"), ("tdm-reservation", " 1 ")])),
        "prohibited tdmrep@header:2 terms=http://p/"
    );
    let mut page = headers(&[("TDM-Reservation", "0")]);
    page.metas = metas(&[("tdm-reservation", "1")]).metas;
    // "The values found here supersede previous values" (TDMRep, Processing priority).
    assert_eq!(summary(page.clone()), "prohibited tdmrep@meta:1");
    page.metas = metas(&[("tdm-reservation", "yes"), ("tdm-policy", "http://p/")]).metas;
    assert_eq!(summary(page), "permitted tdmrep@header:1");
}

/// T4.
#[test]
fn a_page_overrides_the_file_of_its_site() {
    let mut ask = Ask::of_page(headers(&[("tdm-reservation", "0")]));
    ask.site.tdmrep = Some(br#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "http://p/"}]"#);
    assert_eq!(ask.summary(Usage::Tdm), "permitted tdmrep@header:1");
    ask.page = headers(&[("tdm-policy", "http://q/")]);
    assert_eq!(ask.summary(Usage::Tdm), "prohibited tdmrep@tdmrep:1 terms=http://q/");
}

/// P12 and table U.
#[test]
fn terms_of_bing_and_google() {
    let by = |crawler, tags: &[(&str, &str)], usage| Ask::of_page(metas(tags)).by(crawler).summary(usage);
    let both = [("robots", "noarchive"), ("bingbot", "nocache")];
    assert_eq!(by("bingbot", &both[..1], Usage::AiTrainImages), "prohibited robots-meta@meta:1");
    assert_eq!(
        by("BingBot/2.0", &both, Usage::AiInput),
        "permitted robots-meta@meta:2 only=url,title,snippet"
    );
    assert_eq!(by("bingbot", &both, Usage::Preserve), "prohibited robots-meta@meta:1");
    assert_eq!(by("searchbot", &both, Usage::AiInput), "unspecified silence");
    let snippet = [("robots", "max-snippet:50"), ("googlebot", "nosnippet")];
    assert_eq!(by("Googlebot", &snippet, Usage::AiInputInSearch), "prohibited robots-meta@meta:2");
    let googlebot = by("x,googlebot", &snippet[..1], Usage::AiInput);
    assert_eq!(googlebot, "permitted robots-meta@meta:1 max-length=50-chars");
    assert_eq!(by("bingbot", &snippet, Usage::AiInput), "unspecified silence");
}

/// P10 and table U.
#[test]
fn words_about_training() {
    assert_eq!(summary(&[("robots", "noai")], Usage::AiTrainInSearch), "prohibited robots-meta@meta:1");
    assert_eq!(summary(&[("robots", "noai")], Usage::AiInput), "unspecified silence");
    assert_eq!(summary(&[("robots", "noimageai")], Usage::AiTrainImages), "prohibited robots-meta@meta:1");
    assert_eq!(summary(&[("robots", "noimageai")], Usage::AiTrain), "unspecified silence");
}

/// P16.
#[test]
fn robots_tag() {
    let summary = |value: &str, usage| Ask::of_page(headers(&[("Robots-Tag", value)])).summary(usage);
    let example = "*;noindex;nosnippet, SearchBot;";
    assert_eq!(summary(example, Usage::Index), "prohibited robots-meta@header:1");
    assert_eq!(
        summary("*;noindex, otherbot;nofollow, searchbot;nofollow=?0", Usage::Follow),
        "unspecified silence"
    );
    assert_eq!(
        summary("\"SearchBot\";max-snippet=5", Usage::PresentSnippet),
        "permitted robots-meta@header:1 max-length=5-chars"
    );
    assert_eq!(summary("*;noindex;x=%\"\\\", \"a, b", Usage::Index), "prohibited robots-meta@header:1");
    assert_eq!(summary("*;noindex, x;y=\"\\\", z", Usage::Index), "prohibited robots-meta@header:1");
    // "At least 8 KiB are read, a truncated last member is ignored."
    let long = |length: usize, end: &str| {
        let filler = format!("x;x=\"{}\", ", "x".repeat(length - "x;x=\"\", *;noindex".len()));
        summary(&format!("{filler}*;noindex{end}"), Usage::Index)
    };
    let prohibited = "prohibited robots-meta@header:1";
    assert_eq!(long(8_192, ", y"), prohibited);
    assert_eq!(long(65_536, ""), prohibited);
    assert_eq!(long(65_535, ",y"), prohibited);
    assert_eq!(long(65_536, ",y"), "unspecified silence");
    assert_eq!(long(65_537, ""), "unspecified silence");
}

/// V2 and P13.
#[test]
fn content_signal_headers() {
    let mut ask = Ask::new("User-agent: *\nContent-Signal: ai-train=yes, search=no\n");
    ask.page = headers(&[("Content-Signal", "search=yes, use=full"), ("content-signal", "use=reference")]);
    assert_eq!(ask.summary(Usage::AiTrain), "prohibited content-signal@header:2");
    assert_eq!(ask.summary(Usage::Search), "prohibited content-signal:2");
    let lines = headers(&[("Content-Signal", "ai-train=no"), ("Content-Signal", "ai-train=yes")]);
    assert_eq!(Ask::of_page(lines).summary(Usage::AiTrain), "prohibited content-signal@header:1");
}

/// P13.
#[test]
fn several_reservations_in_a_header() {
    let summary = |value| Ask::of_page(headers(&[("TDM-Reservation", value)])).summary(Usage::Tdm);
    assert_eq!(summary("0 ,\t1"), "prohibited tdmrep@header:1");
    assert_eq!(summary("0,0"), "permitted tdmrep@header:1");
    assert_eq!(summary("\"1\""), "unspecified silence");
}

/// V6.
#[test]
fn licences_of_pages() {
    let mut page =
        headers(&[("Link", "<a>;rel=\"x License\";type=t, <b>;rel=license;anchor=c, <d>; rel = license")]);
    page.links.push(PageLink { href: "e".to_owned(), media_type: None, line: 7 });
    let licenses = licenses(&Ask::new("License: http://f/, http://g/").site, &page).into_iter();
    let licenses: Vec<_> = licenses.map(|license| (license.url, license.place, license.line)).collect();
    let named = |url: &str, place, line| (url.to_owned(), place, line);
    assert_eq!(
        licenses,
        [
            named("http://f/", Place::RobotsTxt, 1),
            named("http://g/", Place::RobotsTxt, 1),
            named("a", Place::Header, 1),
            named("d", Place::Header, 1),
            named("e", Place::Link, 7)
        ]
    );
}

/// V5 and P13.
#[test]
fn content_usage_headers() {
    let mut ask = Ask::new("User-agent: *\nContent-Usage: train-ai=y, search=n\n");
    ask.page = headers(&[("Content-Usage", "train-ai=n, search=y"), ("content-usage", "x=y")]);
    assert_eq!(ask.summary(Usage::AiTrain), "prohibited content-usage@header:1");
    assert_eq!(ask.summary(Usage::Search), "prohibited content-usage:2");
    // R3 and V4: the headers' statements hold without a robots.txt, and for a resource that may not be crawled.
    ask = ask.after(404);
    assert_eq!(ask.summary(Usage::Search), "permitted content-usage@header:1");
    assert_eq!(ask.after(503).summary(Usage::Search), "permitted content-usage@header:1");
}
