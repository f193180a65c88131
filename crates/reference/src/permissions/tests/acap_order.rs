//! Part 1, 2.4.5, 2.5.6 and 2.9: which statement decides (A14 to A18, A21, R3), and access under `acap`.

use robomata_protocol::{Access, Answer, Crawler, Dialect, Reason, Usage, Verdict};

use super::{Ask, metas};
use crate::Reference;

/// 2.4.5 and A15.
#[test]
fn the_narrowest_scope_decides() {
    let robots =
        "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-index: /news/\nACAP-disallow-index: /news/old/";
    let index = |url| Ask::new(robots).at(url).summary(Usage::Index);
    assert_eq!(index("/x"), "prohibited acap:2");
    assert_eq!(index("/News/x"), "permitted acap:3 (narrowest-scope acap:2)");
    assert_eq!(index("/news/old/x"), "prohibited acap:4 (narrowest-scope acap:2) (narrowest-scope acap:3)");
}

#[test]
fn what_cannot_be_determined_is_prohibited() {
    let robots = "ACAP-crawler: *\nACAP-allow-index: /\nACAP-allow-index: /*a\nACAP-disallow-index: /*b";
    // `/` is comparable to both, and wider than both: it is not the narrowest.
    assert_eq!(
        Ask::new(robots).at("/ab").summary(Usage::Index),
        "prohibited undeterminable acap:4 (narrowest-scope acap:2) (narrowest-scope acap:3)"
    );
    let robots = "ACAP-crawler: *\nACAP-allow-index: /A\nACAP-disallow-index: /a\nACAP-disallow-index: /";
    assert_eq!(
        Ask::new(robots).at("/a").summary(Usage::Index),
        "prohibited undeterminable acap:3 (narrowest-scope acap:2) (narrowest-scope acap:4)"
    );
}

#[test]
fn agreeing_permissions_of_narrowest_scope_add_their_qualifiers() {
    let robots = "ACAP-crawler: *\nACAP-allow-index: / time-limit=1-days\nACAP-allow-index: /*a time-limit=2-days\n\
                  ACAP-allow-index: /*b time-limit=3-days\nACAP-allow-index: /*b time-limit=2-days";
    let mut ask = Ask::new(robots).at("/ab");
    ask.circumstances.now = Some(robomata_protocol::Moment(0));
    ask.circumstances.first_use = Some(robomata_protocol::Moment(0));
    assert_eq!(
        ask.summary(Usage::Index),
        "permitted acap:3 time-limit=2-days time-limit=3-days (narrowest-scope acap:2)"
    );
}

/// 2.2: "override permissions ... contained in a record addressed to any crawler".
#[test]
fn a_record_that_names_the_crawler_overrides_one_for_any() {
    let robots = "ACAP-crawler: *\nACAP-disallow-index: /x/y\nACAP-crawler: searchbot\nACAP-allow-index: /";
    assert_eq!(Ask::new(robots).at("/x/y").summary(Usage::Index), "permitted acap:4 (named-over-any acap:2)");
    assert_eq!(
        Ask::new(robots).at("/x/y").by("news,searchbot").summary(Usage::Index),
        "permitted acap:4 (named-over-any acap:2)"
    );
    assert_eq!(Ask::new(robots).at("/x/y").by("").summary(Usage::Index), "prohibited acap:2");
}

/// 2.2 and A14: "with the same usage purposes (if any) and usage types".
#[test]
fn a_level_overrules_a_prohibition_by_the_same_usage_and_purpose_alone() {
    let robots = "ACAP-crawler: *\nACAP-disallow-present-snippet: /\nACAP-usage-purpose: news\nACAP-allow-index: /\n\
                  ACAP-crawler: searchbot\nACAP-allow-present: /\nACAP-disallow-index: /";
    assert_eq!(
        Ask::new(robots).summary(Usage::PresentSnippet),
        "prohibited acap:2 (derived-over-present acap:6)"
    );
    assert_eq!(
        Ask::new(robots).for_purpose("news").summary(Usage::Index),
        "prohibited undeterminable acap:7 (narrowest-scope acap:4)"
    );
    let mut ask = Ask::new(robots).by("other");
    ask.page = metas(&[("robots", "ACAP allow-present")]);
    // "The META Tag overrides the field in the robots.txt file" (part 2, 2.2.8), whatever either is about.
    assert_eq!(ask.summary(Usage::PresentSnippet), "permitted acap@meta:1 (innermost-place acap:2)");
}

/// 2.5.6 and A18.
#[test]
fn other_covers_every_usage_without_a_statement() {
    let robots = "User-agent: *\nAllow: /open\nContent-Signal: search=yes\n\
                  ACAP-crawler: *\nACAP-allow-index: /\nACAP-disallow-other: /";
    let summary = |usage| Ask::new(robots).at("/open").summary(usage);
    assert_eq!(summary(Usage::Index), "permitted acap:5 (explicit-over-other acap:6)");
    assert_eq!(summary(Usage::Crawl), "permitted robots:2 (explicit-over-other acap:6)");
    assert_eq!(summary(Usage::Search), "permitted content-signal:3 (explicit-over-other acap:6)");
    assert_eq!(summary(Usage::AiTrain), "prohibited acap:6");
    assert_eq!(summary(Usage::PresentLink), "prohibited acap:6");
    assert_eq!(summary(Usage::Other), "prohibited acap:6");
    assert_eq!(Ask::new(robots).at("/x").summary(Usage::Crawl), "prohibited acap:6");
}

/// 2.9.1 and A17.
#[test]
fn conventional_records_may_be_ignored() {
    for line in ["ACAP-ignore-conventional-records", "acap-ignore-conventional-records: # now"] {
        let robots = format!("User-agent: *\nDisallow: /\nNoindex: /\n{line}\nACAP-crawler: *\n");
        assert_eq!(Ask::new(&robots).summary(Usage::Crawl), "unspecified silence");
        assert_eq!(Ask::new(&robots).summary(Usage::Index), "unspecified silence");
    }
    for line in ["# ACAP-ignore-conventional-records\nACAP-crawler: *", "ACAP-ignore-conventional-records"] {
        let robots = format!("User-agent: *\nDisallow: /\n{line}");
        assert_eq!(Ask::new(&robots).summary(Usage::Crawl), "prohibited robots:2");
    }
}

/// 2.9.2 and A17.
#[test]
fn acap_fields_overrule_conventional_ones_on_one_pattern() {
    let robots = "User-agent: *\nDisallow: /a\nAllow: /b\nDisallow: /b\nDisallow: /a/b/c\n\
                  ACAP-crawler: *\nACAP-allow-crawl: /A\nACAP-disallow-crawl: /b/";
    let crawl = |url| Ask::new(robots).at(url).summary(Usage::Crawl);
    assert_eq!(crawl("/a"), "permitted acap:7 (acap-over-conventional robots:2)");
    assert_eq!(
        crawl("/a/b/c"),
        "prohibited robots:5 (narrowest-scope acap:7) (acap-over-conventional robots:2)"
    );
    assert_eq!(crawl("/b/"), "prohibited acap:8 (narrowest-scope robots:3) (narrowest-scope robots:4)");
    // If no ACAP field is about crawl, the rules apply as without ACAP.
    assert_eq!(crawl("/b"), "permitted robots:3");
    assert_eq!(crawl("/c"), "unspecified silence");
}

#[test]
fn robots_txt_is_implicitly_allowed() {
    let robots = "ACAP-crawler: *\nACAP-disallow-crawl: /";
    assert_eq!(Ask::new(robots).at("/robots.txt").summary(Usage::Crawl), "permitted robots-txt");
    assert_eq!(Ask::new(robots).at("/robots.txt").after(500).summary(Usage::Crawl), "permitted robots-txt");
}

/// R3.
#[test]
fn an_unavailable_file_answers_crawl_alone() {
    let robots = "ACAP-crawler: *\nACAP-disallow-index: /";
    let summary = |code, usage| Ask::new(robots).after(code).summary(usage);
    assert_eq!(summary(404, Usage::Crawl), "unspecified fetch");
    assert_eq!(summary(301, Usage::Crawl), "deferred fetch");
    assert_eq!(summary(503, Usage::Crawl), "prohibited fetch");
    assert_eq!(summary(503, Usage::Index), "unspecified silence");
    let mut ask = Ask::of_page(metas(&[("robots", "ACAP allow-crawl disallow-index")])).after(503);
    assert_eq!(ask.summary(Usage::Crawl), "prohibited fetch (most-restrictive acap@meta:1)");
    assert_eq!(ask.summary(Usage::Index), "prohibited acap@meta:1");
    ask = ask.after(404);
    assert_eq!(ask.summary(Usage::Crawl), "permitted acap@meta:1");
}

/// Part 2, 2.2.8: META wins over robots.txt for the same address, in the dialect that reads ACAP.
#[test]
fn a_page_overrules_its_site() {
    let summary = |dialect, robots| {
        let mut ask = Ask::new(robots).under(dialect);
        ask.page = metas(&[("robots", "ACAP allow-crawl")]);
        ask.summary(Usage::Crawl)
    };
    let (to_any, to_named) = ("User-agent: *\nDisallow: /\n", "User-agent: searchbot\nDisallow: /\n");
    assert_eq!(summary(Dialect::Acap, to_any), "permitted acap@meta:1 (innermost-place robots:2)");
    assert_eq!(summary(Dialect::Acap, to_named), "permitted acap@meta:1 (innermost-place robots:2)");
    for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Koster1996] {
        assert_eq!(summary(dialect, to_any), "prohibited robots:2");
    }
}

#[test]
fn access_under_acap() {
    let robots = b"ACAP-crawler: *\nACAP-allow-crawl: /a\nACAP-disallow-crawl: /A\nACAP-disallow-crawl: /b\n\
                   ACAP-allow-crawl: /c\n";
    let reference = Reference::new(robots, None, &Crawler::new("x"), Dialect::Acap);
    let verdict = |access, line, reason| Answer::Verdict(Verdict { access, line, reason });
    assert_eq!(reference.judge(b"/a"), verdict(Access::Disallow, 3, Reason::Undeterminable));
    assert_eq!(reference.judge(b"/b"), Answer::Verdict(Verdict::by_rule(Access::Disallow, 4)));
    assert_eq!(reference.judge(b"/c"), Answer::Verdict(Verdict::by_rule(Access::Allow, 5)));
    assert_eq!(reference.judge(b"/d"), Answer::Verdict(Verdict::NO_RULE));
    assert_eq!(reference.judge(b"/robots.txt"), Answer::Verdict(Verdict::ROBOTS_TXT));
    assert_eq!(reference.judge(b"x"), Answer::Invalid);
    let judge = |code| {
        let status = Some(robomata_protocol::FetchStatus::Code(code));
        Reference::new(robots, status, &Crawler::new("x"), Dialect::Acap).judge(b"/a")
    };
    assert_eq!(judge(404), Answer::Verdict(Verdict::UNAVAILABLE));
    assert_eq!(judge(302), Answer::Unknown);
    assert_eq!(judge(500), Answer::Verdict(Verdict::UNREACHABLE));
}
