//! Part 1, 2.1 to 2.7: records, sub-records, references, definitions, permissions and prohibitions (A1 to A13).

use robomata_protocol::{Circumstances, Crawler, Dialect, Moment, Usage};

use super::Ask;
use crate::permissions::requests;

/// The example of 2.1, with its misspelled name (errata) and in its intended form.
const OVERVIEW: &str = "\
##ACAP version=1.0
User-agent: *
Disallow: /

User-agent: named-crawler
Allow: /index.html
Allow: /public/
Allow: /promotion/
Allow: /news/

ACAP-resource-set: crawlable /public/ /promotion/ /news/
ACAP-qualified-usage: cache preserve time-limit=until-recrawled
ACAP-composite-usage: basic-usages crawl index present

ACAP-crawler: *
ACAP-disallow-crawl: /

ACAP-crawler: named-crawler
ACAP-allow-(basic-usages): the-acap:resource-set:crawable
ACAP-allow-(cache): the-acap:resource-set:crawable
";

#[test]
fn section_2_1_overview() {
    let misspelt = Ask::new(OVERVIEW).by("named-crawler").at("/public/x");
    // The set is undefined, so the fields are void; the conventional rule applies to the crawler itself.
    assert_eq!(misspelt.summary(Usage::Index), "unspecified silence");
    assert_eq!(misspelt.summary(Usage::Crawl), "permitted robots:7 (named-over-any acap:16)");
    let meant = OVERVIEW.replace("crawable", "crawlable");
    let meant = Ask::new(&meant).by("named-crawler").at("/public/x");
    assert_eq!(
        meant.summary(Usage::Crawl),
        "permitted acap:19 (named-over-any acap:16) (acap-over-conventional robots:7)"
    );
    assert_eq!(meant.summary(Usage::PresentSnippet), "permitted acap:19");
    assert_eq!(
        meant.summary(Usage::Preserve),
        "permitted acap:20 time-limit=until-recrawled ?first-use ?last-crawl"
    );
    assert_eq!(
        Ask::new(OVERVIEW).at("/public/x").summary(Usage::Crawl),
        "prohibited acap:16 (acap-over-conventional robots:3)"
    );
}

#[test]
fn under_other_dialects_the_fields_of_a_file_say_nothing() {
    let ask = Ask::new("ACAP-crawler: *\nACAP-disallow-index: /\n");
    assert_eq!(ask.summary(Usage::Index), "prohibited acap:2");
    let ask = ask.under(Dialect::Rfc9309);
    assert_eq!(ask.summary(Usage::Index), "unspecified silence");
}

/// A1 and L8.
#[test]
fn fields_without_a_colon() {
    let robots = "ACAP-resource-set: s /set\nACAP-resource-set s /other\nACAP-qualified-usage: r follow\n\
                  ACAP-crawler\tsearchbot\nACAP-disallow-index /a:b\nacap-Disallow-Preserve  *c # x\n\
                  ACAP-disallow-(r) the-acap:resource-set:s\nACAP-allow-present / time-limit=2-days\n\
                  ACAP-disallow-other/\nACAP-disallow-other\nACAP-usage-purpose news\nACAP-disallow-crawl /\n";
    let summary = |url, usage| Ask::new(robots).at(url).summary(usage);
    assert_eq!(summary("/a:b", Usage::Index), "prohibited acap:5");
    assert_eq!(summary("/a", Usage::Index), "unspecified silence");
    assert_eq!(summary("/c", Usage::Preserve), "prohibited acap:6");
    assert_eq!(summary("/set", Usage::Follow), "prohibited acap:7");
    // More than one run is no field.
    assert_eq!(summary("/", Usage::Present), "unspecified silence");
    assert_eq!(Ask::new(robots).for_purpose("news").summary(Usage::Crawl), "prohibited acap:12");
    assert_eq!(Ask::new(robots).summary(Usage::Crawl), "unspecified silence");
    // A key that is unknown or open is so without a colon, too: only an open one is a field of the record (A1, A3).
    let between = |line: &str| {
        let robots = format!("ACAP-crawler: searchbot\n{line}\nACAP-crawler: x\nACAP-disallow-index: /\n");
        Ask::new(&robots).summary(Usage::Index)
    };
    assert_eq!(between("ACAP-request-x /"), "unspecified silence");
    assert_eq!(between("ACAP-unknown /"), "prohibited acap:4");
    assert_eq!(between("ACAP-disallow-index /a b"), "prohibited acap:4");
    // Where ACAP is not read, they say nothing.
    assert_eq!(
        Ask::new(robots).under(Dialect::Rfc9309).at("/a:b").summary(Usage::Index),
        "unspecified silence"
    );
}

/// 2.3 and A3: what ends a record and what does not.
#[test]
fn section_2_3_records() {
    let robots = "ACAP-crawler: other\nACAP-crawler: SearchBot\n\n# comment\nfoo: bar\nACAP-nothing: x\n\
                  ACAP-allow-index: /a\nSitemap: http://a.example/s\nACAP-resource-set: late /x\n\
                  ACAP-disallow-index: /b\nACAP-crawler: third\nACAP-disallow-follow: /";
    assert_eq!(Ask::new(robots).at("/a").summary(Usage::Index), "permitted acap:7");
    assert_eq!(Ask::new(robots).at("/b").by("other").summary(Usage::Index), "prohibited acap:10");
    assert_eq!(Ask::new(robots).summary(Usage::Follow), "unspecified silence");
    // A void field also ends a list of names.
    let robots = "ACAP-crawler: searchbot\nACAP-allow-print: /\nACAP-crawler: other\nACAP-allow-index: /";
    assert_eq!(Ask::new(robots).summary(Usage::Index), "unspecified silence");
    // Fields before the first crawler field belong to no record.
    assert_eq!(Ask::new("ACAP-allow-index: /\nACAP-crawler: *").summary(Usage::Index), "unspecified silence");
    // `*` together with names means any crawler, and the names are void (2.3.1).
    let robots = "ACAP-crawler: *\nACAP-crawler: searchbot\nACAP-allow-index: /\n\
                  ACAP-crawler: *\nACAP-disallow-index: /";
    assert_eq!(
        Ask::new(robots).summary(Usage::Index),
        "prohibited undeterminable acap:5 (narrowest-scope acap:3)"
    );
}

/// 2.9.2 and A4.
#[test]
fn conventional_fields_within_acap_records_are_void() {
    let robots = "User-agent: *\nACAP-crawler: *\nACAP-allow-index: /\nDisallow: /\nNoindex: /\n";
    let ask = Ask::new(robots);
    assert_eq!(ask.summary(Usage::Crawl), "unspecified silence");
    assert_eq!(ask.summary(Usage::Index), "permitted acap:3");
    let ask = ask.under(Dialect::Rfc9309);
    assert_eq!(ask.summary(Usage::Crawl), "prohibited robots:4");
    assert_eq!(ask.summary(Usage::Index), "prohibited noindex:5");
    // A user-agent line begins a conventional record, and does not end a record of ACAP (2.3).
    let robots = "User-agent: x\nACAP-crawler: *\nUser-agent: searchbot\nACAP-allow-index: /\nDisallow: /\n";
    assert_eq!(Ask::new(robots).summary(Usage::Crawl), "prohibited robots:5");
    assert_eq!(Ask::new(robots).summary(Usage::Index), "permitted acap:4");
    assert_eq!(Ask::new(robots).by("x").summary(Usage::Crawl), "unspecified silence");
}

/// 2.3.2 and A7.
#[test]
fn section_2_3_2_references() {
    let robots = "ACAP-resource-set: news /news/\nACAP-crawler: searchbot\n\
                  ACAP-permissions-reference: /searchbot.txt\nACAP-disallow-index: /\n\
                  ACAP-crawler: *\nACAP-allow-follow: /\nACAP-permissions-reference: /late.txt";
    let ask = Ask::new(robots).at("/news/1");
    // Fields after the reference are void; so is a reference that is not first.
    assert_eq!(ask.summary(Usage::Index), "unspecified silence ?referenced=/searchbot.txt");
    assert_eq!(ask.summary(Usage::Follow), "permitted acap:6 ?referenced=/searchbot.txt");
    assert_eq!(Ask::new(robots).by("x").summary(Usage::Index), "unspecified silence");
    let file = "ACAP-resource-set: news /x\nUser-agent: *\nDisallow: /\nACAP-crawler: *\n\
                ACAP-permissions-reference: /more.txt\nACAP-allow-index: the-acap:resource-set:news\n\
                ACAP-crawler: searchbot\nACAP-disallow-present: /";
    let mut ask = Ask::new(robots).at("/news/1");
    let referenced = [("/other.txt", &b""[..]), ("/searchbot.txt", file.as_bytes())];
    ask.site.referenced = &referenced;
    assert_eq!(ask.summary(Usage::Index), "permitted acap@1:6");
    assert_eq!(ask.summary(Usage::PresentLink), "prohibited acap@1:8");
    assert_eq!(ask.summary(Usage::Crawl), "prohibited robots@1:3");
}

/// 2.3.2 and A7: the rules of a referenced file join those of the robots.txt.
#[test]
fn rules_of_referenced_files_apply_in_conjunction() {
    let robots = "User-agent: *\nDisallow: /a\nAllow: /b/c\nACAP-crawler: searchbot\n\
                  ACAP-permissions-reference: /searchbot.txt\n";
    let file = "User-agent: searchbot\nNoindex: /\nAllow: /a\nDisallow: /b\nACAP-crawler: *\nDisallow: /c\n\
                User-agent: *\nDisallow: /d\n";
    let referenced = [("/searchbot.txt", file.as_bytes())];
    let crawl = |robots, url| {
        let mut ask = Ask::new(robots).at(url);
        ask.site.referenced = &referenced;
        ask.summary(Usage::Crawl)
    };
    assert_eq!(crawl(robots, "/a"), "permitted robots@0:3");
    assert_eq!(crawl(robots, "/b"), "prohibited robots@0:4");
    assert_eq!(crawl(robots, "/b/c"), "permitted robots:3");
    assert_eq!(crawl(robots, "/c"), "unspecified silence");
    assert_eq!(crawl(robots, "/d"), "unspecified silence");
    let ignoring = format!("ACAP-ignore-conventional-records\n{robots}");
    assert_eq!(crawl(&ignoring, "/b"), "unspecified silence");
    let mut ask = Ask::new(robots).at("/a");
    ask.site.referenced = &referenced;
    assert_eq!(ask.summary(Usage::Index), "unspecified silence");
    assert_eq!(ask.by("other").summary(Usage::Crawl), "prohibited robots:2");
}

/// 2.3.3 and A6.
#[test]
fn section_2_3_3_usage_purposes() {
    let robots = "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-usage-purpose: news\n\
                  ACAP-usage-purpose: http://news.search.*/*\nACAP-allow-index: /\nACAP-request-re-crawl: /\n\
                  ACAP-usage-purpose: images\nACAP-disallow-follow: /";
    assert_eq!(Ask::new(robots).summary(Usage::Index), "prohibited acap:2");
    let news = "permitted acap:5 (purpose-over-general acap:2)";
    assert_eq!(Ask::new(robots).for_purpose("NEWS").summary(Usage::Index), news);
    assert_eq!(Ask::new(robots).for_purpose("http://news.search.uk/x").summary(Usage::Index), news);
    assert_eq!(Ask::new(robots).for_purpose("images").summary(Usage::Index), "prohibited acap:2");
    assert_eq!(Ask::new(robots).for_purpose("images").summary(Usage::Follow), "prohibited acap:8");
    assert!(requests(&Ask::new(robots).site, &Crawler::new("x"), b"/").is_empty());
    // An empty purpose field opens a sub-record for no purpose: its permissions do not apply to all purposes.
    let robots = "ACAP-crawler: *\nACAP-usage-purpose:\nACAP-allow-index: /";
    assert_eq!(Ask::new(robots).summary(Usage::Index), "unspecified silence");
}

/// 2.4.1 and 2.4.2: the examples of the sections.
#[test]
fn section_2_4_permissions_and_prohibitions() {
    let robots = "ACAP-qualified-usage: local-usage index time-limit=3-days\nACAP-crawler: *\n\
                  ACAP-allow-index: /news/\nACAP-allow-preserve: /news/ time-limit=until-recrawl\n\
                  ACAP-allow-(Local-Usage): /special/*.htm\nACAP-disallow-crawl: /private/ time-limit=3-days\n\
                  ACAP-disallow-(local-usage): /special/x.htm\nACAP-allow-(local-usage): /y max-length=3-chars\n\
                  ACAP-allow-(unknown): /z\nACAP-allow-snippet: /z\nACAP-allow-index: /z colour=red";
    assert_eq!(Ask::new(robots).at("/news/x").summary(Usage::Index), "permitted acap:3");
    assert_eq!(
        Ask::new(robots).at("/news/x").summary(Usage::Preserve),
        "permitted acap:4 time-limit=until-recrawled ?first-use ?last-crawl"
    );
    assert_eq!(
        Ask::new(robots).at("/special/x.htm").summary(Usage::Index),
        "prohibited acap:7 (narrowest-scope acap:5)"
    );
    assert_eq!(Ask::new(robots).at("/private/").summary(Usage::Crawl), "prohibited acap:6");
    assert_eq!(Ask::new(robots).at("/y").summary(Usage::Index), "prohibited uninterpretable acap:8");
    assert_eq!(Ask::new(robots).at("/z").summary(Usage::Index), "prohibited uninterpretable acap:11");
    assert_eq!(Ask::new(robots).at("/z").summary(Usage::PresentSnippet), "unspecified silence");
}

/// 2.4.4, 2.7.3, 2.8.
#[test]
fn resource_sets() {
    let robots = "ACAP-resource-set: indexable /public/ /news/ /promote/\n\
                  ACAP-resource-set: images *.gif *.jpg *.png\nACAP-resource-set: images /none\nACAP-crawler: *\n\
                  ACAP-allow-index: the-acap:resource-set:indexable\n\
                  ACAP-disallow-index: the-acap:resource-set:Images";
    assert_eq!(Ask::new(robots).at("/news/x").summary(Usage::Index), "permitted acap:5");
    assert_eq!(Ask::new(robots).at("/x/A.JPG").summary(Usage::Index), "prohibited acap:6");
    assert_eq!(Ask::new(robots).at("/none").summary(Usage::Index), "unspecified silence");
    // `*.gif` is wider than `/news/`: an asterisk against another character.
    assert_eq!(
        Ask::new(robots).at("/news/a.gif").summary(Usage::Index),
        "permitted acap:5 (narrowest-scope acap:6)"
    );
}

/// 2.5.3.1 and A20.
#[test]
fn section_2_5_3_1_time_limits() {
    let robots = "ACAP-crawler: *\nACAP-allow-index: /public/ time-limit=until-recrawled\n\
                  ACAP-allow-index: /news/2007/ time-limit=until-2007-12-31\n\
                  ACAP-allow-index: /current-news/ time-limit=3-days";
    let summary = |url, now, first_use| {
        let mut ask = Ask::new(robots).at(url);
        ask.circumstances = Circumstances {
            now: Some(Moment(now)),
            first_use: Some(Moment(first_use)),
            last_crawl: Some(Moment(100)),
            ..Circumstances::default()
        };
        ask.summary(Usage::Index)
    };
    assert_eq!(summary("/public/", 0, 100), "permitted acap:2 time-limit=until-recrawled");
    assert_eq!(summary("/public/", 0, 99), "prohibited expired acap:2");
    // 2008-01-01T00:00:00Z.
    assert_eq!(summary("/news/2007/", 1_199_145_599, 0), "permitted acap:3 time-limit=until-2007-12-31");
    assert_eq!(summary("/news/2007/", 1_199_145_600, 0), "prohibited expired acap:3");
    assert_eq!(summary("/current-news/", 259_300, 100), "permitted acap:4 time-limit=3-days");
    assert_eq!(summary("/current-news/", 259_301, 100), "prohibited expired acap:4");
}

/// 2.5.3.2, 2.5.5.2.2, 2.5.5.2.5 and A19.
#[test]
fn resources_that_a_permission_requires_must_be_crawlable() {
    let robots = "ACAP-crawler: *\nACAP-disallow-crawl: /closed/\n\
                  ACAP-allow-index: /page-image.pdf must-use-resource=/page-image-index.txt\n\
                  ACAP-allow-index: /articles/ must-use-resource=the-acap:extract:class:abstract\n\
                  ACAP-allow-present-thumbnail: /book/pages/ must-use-resource=/closed/cover.jpg\n\
                  ACAP-allow-present: /credit must-include-resource=the-acap:credit:http://b.example/c\n\
                  ACAP-allow-present: /closed/d must-include-resource=terms.html";
    let index = |url| Ask::new(robots).at(url).summary(Usage::Index);
    assert_eq!(index("/page-image.pdf"), "permitted acap:3 must-use-resource=/page-image-index.txt");
    assert_eq!(index("/articles/1"), "permitted acap:4 must-use-resource=the-acap:extract:class:abstract");
    assert_eq!(
        Ask::new(robots).at("/book/pages/1").summary(Usage::PresentThumbnail),
        "prohibited target-not-crawlable acap:5"
    );
    assert_eq!(
        Ask::new(robots).at("http://a.example/credit").summary(Usage::Present),
        "permitted acap:6 must-include-resource=the-acap:credit:http://b.example/c ?crawl-of=http://b.example/c"
    );
    assert_eq!(
        Ask::new(robots).at("/closed/d").summary(Usage::PresentLink),
        "prohibited target-not-crawlable acap:7"
    );
}

/// 2.5.5: present, its derived usages, and their qualifiers.
#[test]
fn section_2_5_5_present() {
    let robots = "ACAP-crawler: *\nACAP-allow-present: /public/ prohibited-modification=annotation\n\
                  ACAP-allow-present-snippet: /public/ max-length=250-chars\n\
                  ACAP-disallow-present-thumbnail: /public/\n\
                  ACAP-allow-present-currentcopy: /public/ prohibited-modification=format \
                  prohibited-modification=translation prohibited-context=within-user-frame\n\
                  ACAP-allow-present-original: /public/ required-context=within-original-frame";
    let summary = |usage| Ask::new(robots).at("/public/").summary(usage);
    assert_eq!(summary(Usage::PresentLink), "permitted acap:2 prohibited-modification=annotation");
    assert_eq!(
        summary(Usage::PresentSnippet),
        "permitted acap:3 max-length=250-chars (derived-over-present acap:2)"
    );
    assert_eq!(summary(Usage::PresentThumbnail), "prohibited acap:4 (derived-over-present acap:2)");
    assert_eq!(
        summary(Usage::PresentCurrentcopy),
        "permitted acap:5 prohibited-modification=format prohibited-modification=translation \
         prohibited-context=within-user-frame (derived-over-present acap:2)"
    );
    assert_eq!(summary(Usage::Preserve), "unspecified silence");
}

/// 2.6 and A13.
#[test]
fn section_2_6_action_requests() {
    let robots = "ACAP-crawler: *\nACAP-request-take-down: /news/bad-story.htm\n\
                  ACAP-crawler: searchbot\nACAP-request-re-crawl: news/BAD-story.htm\nACAP-request-other: /\n";
    let site = Ask::new(robots).site;
    let summary = |crawler: &str, url: &str| {
        let requests = requests(&site, &Crawler::new(crawler), url.as_bytes());
        requests.into_iter().map(|(action, source)| (action, source.line)).collect::<Vec<_>>()
    };
    let url = "http://a.example/news/bad-story.htm#x";
    assert_eq!(summary("searchbot", url), [("take-down", 2), ("re-crawl", 4)]);
    assert_eq!(summary("x", url), [("take-down", 2)]);
    assert_eq!(summary("x", "/news/bad-story.html"), []);
}

/// 2.7.1 and 2.7.2: the examples, and A12.
#[test]
fn section_2_7_definitions() {
    let robots = "ACAP-composite-usage: early (my-present-snippet) crawl\n\
                  ACAP-qualified-usage: my-present-snippet present-snippet time-limit=5-days max-length=250-chars\n\
                  ACAP-qualified-usage: present-30-word-snippet present-snippet max-length=30-words\n\
                  ACAP-composite-usage: my-default-present (present-30-word-snippet) present-thumbnail\n\
                  ACAP-composite-usage: both (my-present-snippet) (present-30-word-snippet)\n\
                  ACAP-qualified-usage: bad preserve max-length=3-chars\n\
                  ACAP-composite-usage: nested (both)\n\
                  ACAP-crawler: *\nACAP-allow-(my-present-snippet): /1\nACAP-allow-(my-default-present): /2\n\
                  ACAP-allow-(both): /3\nACAP-allow-(bad): /4\nACAP-allow-(early): /5\nACAP-allow-(nested): /6";
    let summary = |url, usage| Ask::new(robots).at(url).summary(usage);
    assert_eq!(
        summary("/1", Usage::PresentSnippet),
        "permitted acap:9 time-limit=5-days max-length=250-chars ?now ?first-use"
    );
    assert_eq!(summary("/2", Usage::PresentSnippet), "permitted acap:10 max-length=30-words");
    assert_eq!(summary("/2", Usage::PresentThumbnail), "permitted acap:10");
    assert_eq!(
        summary("/3", Usage::PresentSnippet),
        "permitted acap:11 time-limit=5-days max-length=250-chars max-length=30-words ?now ?first-use"
    );
    assert_eq!(summary("/4", Usage::Preserve), "prohibited uninterpretable acap:12");
    assert_eq!(summary("/5", Usage::Crawl), "unspecified silence");
    assert_eq!(summary("/6", Usage::PresentSnippet), "unspecified silence");
}
