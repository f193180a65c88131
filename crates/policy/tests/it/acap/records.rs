//! Lines, records, addressing, purposes, requests: A1 to A6 and A13.

use robomata_policy::Policy;
use robomata_policy::acap::{Acap, Action};
use robomata_protocol::{Crawler, Dialect, Place};
use robomata_syntax::{Config, Key};

use super::{acap, odd, said, said_to};

#[test]
fn a1_keys_have_no_case_and_other_dialects_say_nothing() {
    assert_eq!(said("acap-CRAWLER: foobot\nAcap-Allow-CRAWL :/x # why"), ["2 named +crawl </x>"]);
    let file = b"ACAP-crawler: *\nACAP-allow-crawl: /x";
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let policy = Policy::with_diagnostics(file, &Config::new(dialect));
        assert!(Acap::read(&policy, &[]).is_none());
        let codes: Vec<_> = policy.diagnostics().iter().map(|found| found.kind.code()).collect();
        assert_eq!(codes, ["acap-ignored", "acap-ignored"]);
    }
}

#[test]
fn a1_a_file_without_acap_lines_takes_the_ordinary_path() {
    let policy = Policy::new(b"##ACAP version=1.0\nUser-agent: *\nDisallow: /", &Config::new(Dialect::Acap));
    assert!(Acap::read(&policy, &[]).is_none());
    assert_eq!(policy.rules_for(&Crawler::new("x")).rules().count(), 1);
}

#[test]
fn a5_the_names_of_all_records_are_listed_as_written() {
    let acap = acap(
        "ACAP-crawler: FooBot\nACAP-crawler: bar-bot\nACAP-disallow-crawl: /\n\nACAP-crawler: *\nACAP-allow-crawl: /\n\n\
         ACAP-crawler: foobot\nACAP-allow-crawl: /x",
    );
    let names: Vec<&[u8]> = acap.crawlers().collect();
    assert_eq!(names, [&b"FooBot"[..], b"bar-bot", b"foobot"]);
}

#[test]
fn a1_the_line_without_a_colon() {
    for line in [
        "ACAP-ignore-conventional-records",
        " acap-IGNORE-conventional-records # so",
        "ACAP-ignore-conventional-records:",
        "ACAP-ignore-conventional-records please",
    ] {
        let file = format!("User-agent: *\nDisallow: /\n{line}\nACAP-crawler: *");
        assert!(acap(&file).ignores_conventional(), "{line}");
    }
    assert!(!acap("# ACAP-ignore-conventional-records\nACAP-crawler: *").ignores_conventional());
    assert!(!acap("ACAP-ignore-conventional-records if you please\nACAP-crawler: *").ignores_conventional());
    // It counts at any position (A17), and does not end a record (A3).
    let late = acap(
        "ACAP-crawler: FooBot\nACAP-ignore-conventional-records\nACAP-crawler: BarBot\nACAP-allow-crawl: /",
    );
    assert!(late.ignores_conventional());
    assert_eq!(said_to("FooBot", &late), ["4 named +crawl </>"]);
}

#[test]
fn a17_without_an_acap_record_the_conventional_records_count() {
    let rules = |acap: &str| {
        let file = format!("ACAP-ignore-conventional-records\n\nUser-agent: *\nDisallow: /\n{acap}");
        let policy = Policy::with_diagnostics(file.as_bytes(), &Config::new(Dialect::Acap));
        let says = Acap::read(&policy, &[]).unwrap();
        let count = policy.rules_for(&Crawler::new("FooBot")).rules().count();
        assert_eq!(says.ignores_conventional(), count == 0, "{acap}");
        assert_eq!(odd(&says).contains(&"1 acap-ignore-without-record".to_owned()), count == 1, "{acap}");
        count
    };
    // Definitions, permissions outside of records and records for no crawler are no records.
    for none in
        ["", "ACAP-resource-set: s /a", "ACAP-disallow-crawl: /", "ACAP-crawler:", "ACAP-crawler: */1"]
    {
        assert_eq!(rules(none), 1, "{none}");
    }
    for record in
        ["ACAP-crawler: *", "ACAP-crawler: OtherBot\nACAP-allow-index: /", "ACAP-crawler:\nACAP-crawler: a"]
    {
        assert_eq!(rules(record), 0, "{record}");
    }
}

#[test]
fn a1_unknown_and_empty_fields_are_void_and_diagnosed() {
    let file = "ACAP-crawler: *\nACAP-frobnicate: /x\nACAP-allow: /x\nACAP-allow-index:\nACAP-disallow-crawl: # /\n\
                ACAP-request-take-down:\nACAP-: 1";
    assert!(said(file).is_empty());
    let expected = [
        "2 acap-unknown-field",
        "3 acap-unknown-field",
        "4 acap-no-value",
        "5 acap-no-value",
        "6 acap-no-value",
        "7 acap-unknown-field",
    ];
    assert_eq!(odd(&acap(file)), expected);
}

#[test]
fn a2_the_version_is_reported() {
    assert_eq!(acap("##ACAP version=1.0\nACAP-crawler: *").version(), Some("1.0"));
    assert_eq!(acap("ACAP-crawler: *\n ## acap  Version = 1.1 ").version(), Some("1.1"));
    assert_eq!(acap("#ACAP version=1.0\nACAP-crawler: *").version(), None);
}

#[test]
fn a3_a_record_ends_before_a_crawler_after_another_field() {
    let one = "ACAP-crawler: FooBot\n\n# and\nACAP-crawler: BarBot\nACAP-allow-crawl: /a\n\nACAP-disallow-index: /b\n";
    let both = acap(&format!("{one}ACAP-crawler: BarBot\nACAP-allow-crawl: /c"));
    assert_eq!(said_to("FooBot", &both), ["5 named +crawl </a>", "7 named -index (explicit) </b>"]);
    let barbot = ["5 named +crawl </a>", "7 named -index (explicit) </b>", "9 named +crawl </c>"];
    assert_eq!(said_to("BarBot", &both), barbot);
}

#[test]
fn a3_void_fields_of_records_end_them_and_unknown_fields_do_not() {
    let ends = [
        "ACAP-allow-fly: /",
        "ACAP-allow-index:",
        "ACAP-disallow-(x): /",
        "ACAP-request-dance: /",
        "ACAP-usage-purpose:",
        "ACAP-permissions-reference:",
    ];
    for void in ends {
        let file = acap(&format!("ACAP-crawler: FooBot\n{void}\nACAP-crawler: BarBot\nACAP-allow-crawl: /"));
        assert!(said_to("FooBot", &file).is_empty(), "{void}");
        assert_eq!(said_to("BarBot", &file), ["4 named +crawl </>"], "{void}");
    }
    let strangers = [
        "",
        "# x",
        "ACAP-frobnicate: 1",
        "ACAP-resource-set: x /",
        "User-agent: *",
        "Disallow: /",
        "Sitemap: http://a/",
        "nonsense",
    ];
    for stranger in strangers {
        let file =
            acap(&format!("ACAP-crawler: FooBot\n{stranger}\nACAP-crawler: BarBot\nACAP-allow-crawl: /"));
        assert_eq!(said_to("FooBot", &file), ["4 named +crawl </>"], "{stranger}");
    }
}

#[test]
fn a3_fields_before_the_first_crawler_belong_to_no_record() {
    let file = "ACAP-allow-crawl: /\nACAP-usage-purpose: news\nACAP-permissions-reference: /x\nACAP-request-re-crawl: /\n\
                ACAP-crawler: *\nACAP-disallow-crawl: /a";
    assert_eq!(said(file), ["6 any -crawl (explicit) </a>"]);
    assert_eq!(
        odd(&acap(file)),
        ["1 acap-outside-record", "2 acap-outside-record", "3 acap-outside-record", "4 acap-outside-record"]
    );
}

#[test]
fn a4_a_user_agent_line_after_an_acap_record_begins_a_group() {
    let file = b"User-agent: *\nDisallow: /a\nCrawl-delay: 1\nACAP-resource-set: s /\nDisallow: /b\nACAP-crawler: *\n\
                 Disallow: /c\nCrawl-delay: 2\nUser-agent: FooBot\nAllow: /d\nSitemap: http://a/s\nHost: a\nfrob: 1";
    let policy = Policy::with_diagnostics(file, &Config::new(Dialect::Acap));
    let lines: Vec<u32> = policy.rules_for(&Crawler::new("FooBot")).rules().map(|rule| rule.line).collect();
    assert_eq!((lines, policy.groups().len()), (vec![10], 2));
    let others: Vec<u32> = policy.rules_for_others().rules().map(|rule| rule.line).collect();
    assert_eq!(others, [2, 5]);
    assert_eq!(policy.crawl_delay(&Crawler::new("BarBot")).map(|delay| delay.as_secs()), Some(1));
    assert_eq!((policy.sitemaps().count(), policy.hosts().count()), (1, 1));
    let void: Vec<u32> = policy
        .diagnostics()
        .iter()
        .filter(|found| found.kind.code() == "acap-conventional-in-record")
        .map(|found| found.line)
        .collect();
    assert_eq!(void, [7, 8]);
    // In other dialects, ACAP's lines are unknown records that end nothing.
    let ordinary = Policy::new(file, &Config::new(Dialect::Rfc9309));
    assert_eq!(
        (ordinary.groups().len(), ordinary.rules_for(&Crawler::new("FooBot")).rules().count()),
        (2, 1)
    );
}

#[test]
fn a4_a_group_continues_after_definitions_and_void_fields() {
    let file = b"User-agent: *\nACAP-allow-crawl: /\nDisallow: /a";
    let policy = Policy::new(file, &Config::new(Dialect::Acap));
    assert_eq!(policy.rules_for(&Crawler::new("x")).rules().count(), 1);
    let fields = policy.extensions().iter().filter(|extension| extension.key == Key::Acap);
    assert_eq!(fields.map(|field| field.group).collect::<Vec<_>>(), [None]);
}

#[test]
fn a5_names_are_compared_whole() {
    let file = acap(
        "ACAP-crawler: Google News\nACAP-allow-crawl: /a\nACAP-crawler: Google Images\nACAP-allow-crawl: /b",
    );
    assert_eq!(said_to("google news", &file), ["2 named +crawl </a>"]);
    assert_eq!(said_to(" GOOGLE Images ", &file), ["4 named +crawl </b>"]);
    assert!(said_to("Google", &file).is_empty());
    assert_eq!(said_to("Google News/2", &file), ["2 named +crawl </a>"]);
    assert!(said_to("", &file).is_empty());
    assert!(odd(&file).is_empty());
}

#[test]
fn a5_a_name_ends_before_a_version() {
    let file = acap(
        "ACAP-crawler: sb/1.0\nACAP-disallow-index: /a\nACAP-crawler: Foo Bot /2 (x)\nACAP-disallow-index: /b\n\
         ACAP-crawler: /3\nACAP-crawler: */4\nACAP-disallow-index: /c",
    );
    for name in ["sb", "sb/1.0", "SB/2", " sb "] {
        assert_eq!(said_to(name, &file), ["2 named -index (explicit) </a>"], "{name}");
    }
    for name in ["foo bot", "Foo Bot/1"] {
        assert_eq!(said_to(name, &file), ["4 named -index (explicit) </b>"], "{name}");
    }
    for name in ["s", "sb1", "", "/3", "*/4", "*", "Foo"] {
        assert!(said_to(name, &file).is_empty(), "{name}");
    }
    assert_eq!(file.crawlers().collect::<Vec<_>>(), [&b"sb"[..], b"Foo Bot"]);
    assert_eq!(odd(&file), ["5 acap-no-name", "6 acap-no-name"]);
}

#[test]
fn a5_records_for_any_crawler_apply_in_addition_to_those_by_name() {
    let file = acap("ACAP-crawler: *\nACAP-allow-crawl: /a\nACAP-crawler: FooBot\nACAP-disallow-crawl: /a");
    assert_eq!(said_to("FooBot", &file), ["2 any +crawl </a>", "4 named -crawl (explicit) </a>"]);
    assert_eq!(said_to("BarBot", &file), ["2 any +crawl </a>"]);
}

#[test]
fn a5_names_in_addition_to_a_star_are_void() {
    let file = acap(
        "ACAP-crawler: FooBot\nACAP-crawler: *\nACAP-crawler: BarBot\nACAP-allow-crawl: /a\nACAP-crawler: Baz\nACAP-allow-crawl: /b",
    );
    assert_eq!(said_to("FooBot,Baz", &file), ["4 any +crawl </a>", "6 named +crawl </b>"]);
    assert_eq!(odd(&file), ["1 acap-name-beside-star", "3 acap-name-beside-star"]);
}

#[test]
fn a5_the_first_token_that_a_record_names_is_the_name() {
    let file = acap("ACAP-crawler: Bar\nACAP-allow-crawl: /a\nACAP-crawler: Foo\nACAP-allow-crawl: /b");
    assert_eq!(said_to("Foo,Bar", &file), ["4 named +crawl </b>"]);
    assert_eq!(said_to("Qux,Bar,Foo", &file), ["2 named +crawl </a>"]);
}

#[test]
fn a5_a_crawler_field_without_a_name_begins_a_record_for_no_crawler() {
    let file = "ACAP-crawler: FooBot\nACAP-allow-crawl: /a\nACAP-crawler:\nACAP-allow-crawl: /b\nACAP-crawler: # x\n\
                ACAP-allow-crawl: /c";
    assert_eq!(said(file), ["2 named +crawl </a>"]);
    assert_eq!(odd(&acap(file)), ["3 acap-no-name", "5 acap-no-name"]);
}

#[test]
fn a6_sub_records_hold_what_follows_their_purposes() {
    let file = "ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-usage-purpose: news\n# or\n\nACAP-usage-purpose: http://n.*/*\n\
                ACAP-allow-index: /a\nACAP-disallow-present: /b\nACAP-usage-purpose: web\nACAP-disallow-index: /c\n\
                ACAP-crawler: FooBot\nACAP-allow-follow: /d";
    let expected = [
        "2 any +crawl </>",
        "7 any +index </a> for [news http://n.*/*]",
        "8 any -present (explicit) </b> for [news http://n.*/*]",
        "10 any -index (explicit) </c> for [web]",
        "12 named +follow </d>",
    ];
    assert_eq!(said(file), expected);
}

#[test]
fn a6_void_permissions_end_purposes_too_and_requests_do_not() {
    let void = "ACAP-crawler: *\nACAP-usage-purpose: a\nACAP-allow-fly: /\nACAP-usage-purpose: b\nACAP-allow-crawl: /";
    assert_eq!(said(void), ["5 any +crawl </> for [b]"]);
    let request = acap(
        "ACAP-crawler: *\nACAP-usage-purpose: a\nACAP-request-re-crawl: /x\nACAP-usage-purpose: b\nACAP-allow-crawl: /\n\
         ACAP-request-re-crawl: /y",
    );
    assert_eq!(said_to("x", &request), ["5 any +crawl </> for [a b]"]);
    assert!(request.requests_for(&Crawler::new("x")).is_empty());
    assert_eq!(odd(&request), ["3 acap-request-for-purpose", "6 acap-request-for-purpose"]);
}

#[test]
fn a6_a_purpose_field_without_a_pattern_matches_no_purpose() {
    let file = "ACAP-crawler: *\nACAP-usage-purpose: a\nACAP-allow-crawl: /x\nACAP-usage-purpose:\nACAP-allow-crawl: /y";
    assert_eq!(said(file), ["3 any +crawl </x> for [a]", "5 any +crawl </y> for []"]);
    assert_eq!(
        said("ACAP-crawler: *\nACAP-usage-purpose: a b\nACAP-allow-crawl: /x"),
        ["3 any +crawl </x> for [a]"]
    );
}

#[test]
fn a13_requests_name_one_resource() {
    let file = acap(
        "ACAP-crawler: FooBot\nACAP-request-take-down: /news/bad-story.htm\nACAP-Request-RE-CRAWL: a*b c\n\
         ACAP-request-burn: /x\nACAP-crawler: BarBot\nACAP-request-re-crawl: /y",
    );
    let requests = file.requests_for(&Crawler::new("FooBot"));
    let told: Vec<_> = requests.iter().map(|told| (told.action, told.path, told.source.line)).collect();
    assert_eq!(
        told,
        [(Action::TakeDown, &b"/news/bad-story.htm"[..], 2), (Action::Recrawl, &b"/a*b"[..], 3)]
    );
    assert_eq!(requests[0].source.place, Place::RobotsTxt);
    assert_eq!(odd(&file), ["3 acap-text-behind-value", "3 acap-relative-pattern", "4 acap-unknown-action"]);
}

/// The example of section 2.1, whose names `crawlable` and `crawable` differ (an erratum).
const EXAMPLE: &str = "##ACAP version=1.0
# Legacy robots.txt content...

User-agent: *
Disallow: /

User-agent: named-crawler
Allow: /index.html
Allow: /public/
Allow: /promotion/
Allow: /news/

# Un-comment the line below, if crawlers capable of understanding
# ACAP records are to ignore conventional records
# ACAP-ignore-conventional-records

# ACAP local definitions
# Resources found in three directories are crawlable
ACAP-resource-set: crawlable /public/ /promotion/ /news/

# On this site 'cache' means 'preserve (store) until re-crawled'
ACAP-qualified-usage: cache preserve time-limit=until-recrawled

# The same usages are permitted for all resources in the specified
# resource set, so we can define a composite usage
ACAP-composite-usage: basic-usages crawl index present

# Crawlers in general are prohibited to crawl this site
ACAP-crawler: *
ACAP-disallow-crawl: /

# Named crawler may crawl, index and display the content of /public/ ...
ACAP-crawler: named-crawler
# All my usages are permitted for the specified resource set...
ACAP-allow-(basic-usages): the-acap:resource-set:crawable
# ...but may only preserve copies in the locally-defined sense
# ACAP-allow-(cache): the-acap:resource-set:crawable
";

#[test]
fn the_example_of_section_2_1() {
    let policy = Policy::with_diagnostics(EXAMPLE.as_bytes(), &Config::new(Dialect::Acap));
    let diagnostics: Vec<String> = policy.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(diagnostics, ["35: this name is not defined above: void"]);
    assert_eq!(policy.rules_for(&Crawler::new("named-crawler")).rules().count(), 4);

    let acap = acap(EXAMPLE);
    assert_eq!((acap.version(), acap.ignores_conventional()), (Some("1.0"), false));
    assert_eq!(said_to("named-crawler", &acap), ["30 any -crawl (explicit) </>"]);

    let meant =
        super::acap(&EXAMPLE.replace("crawable", "crawlable").replace("# ACAP-allow-(", "ACAP-allow-("));
    let set = "</public/> </promotion/> </news/>";
    let expected = [
        "30 any -crawl (explicit) </>".to_owned(),
        format!("35 named +crawl {set}"),
        format!("35 named +index {set}"),
        format!("35 named +present {set}"),
        format!("37 named +preserve time-limit=until-recrawled {set}"),
    ];
    assert_eq!(said_to("named-crawler", &meant), expected);
}
