//! References to other files: A7.

use robomata_policy::Policy;
use robomata_policy::acap::{Acap, ReferencedFile};
use robomata_protocol::{Crawler, Dialect, Place};
use robomata_syntax::Config;

use super::{acap, odd, said_to, with_files};

const REFERRING: &str = "ACAP-crawler: FooBot\nACAP-permissions-reference: /foo.txt\n\
                         ACAP-crawler: *\nACAP-disallow-crawl: /a";

#[test]
fn an_unsupplied_file_is_missing_for_the_crawlers_of_its_record() {
    let file = acap(REFERRING);
    assert_eq!(file.missing_references(&Crawler::new("FooBot")), ["/foo.txt"]);
    assert!(file.missing_references(&Crawler::new("BarBot")).is_empty());
    let references: Vec<_> = file.references().iter().map(|r| (r.locator.as_str(), r.line, r.file)).collect();
    assert_eq!(references, [("/foo.txt", 2, None)]);
}

#[test]
fn each_missing_file_is_reported_once() {
    let twice =
        "ACAP-crawler: *\nACAP-permissions-reference: /f\nACAP-crawler: *\nACAP-permissions-reference: /f";
    assert_eq!(acap(twice).missing_references(&Crawler::new("x")), ["/f"]);
    assert_eq!(acap(twice).references().len(), 2);
}

#[test]
fn a_supplied_file_is_read_after_the_referring_one() {
    let supplied = "User-agent: *\nDisallow: /\nACAP-crawler: *\nACAP-allow-crawl: /b\nACAP-crawler: FooBot\n\
                    ACAP-allow-index: /c\nACAP-crawler: BarBot\nACAP-allow-index: /d\nACAP-request-re-crawl: /e";
    let file = with_files(
        REFERRING,
        &[("/other.txt", "ACAP-crawler: *\nACAP-allow-other: /"), ("/foo.txt", supplied)],
    );
    let foobot = ["4 any -crawl (explicit) </a>", "1:4 any +crawl </b>", "1:6 named +index </c>"];
    assert_eq!(said_to("FooBot", &file), foobot);
    assert!(file.missing_references(&Crawler::new("FooBot")).is_empty());
    // Its record for BarBot only applies to crawlers that the referring record addresses.
    assert_eq!(said_to("BarBot", &file), ["4 any -crawl (explicit) </a>"]);
    assert!(file.requests_for(&Crawler::new("BarBot")).is_empty());
    assert_eq!(file.references()[0].file, Some(1));
}

#[test]
fn a_file_can_name_crawlers_that_the_referring_one_does_not() {
    let referring = "ACAP-crawler: *\nACAP-permissions-reference: names.txt";
    let file = with_files(
        referring,
        &[("names.txt", "ACAP-crawler: FooBot\nACAP-allow-crawl: /\nACAP-request-take-down: /x")],
    );
    assert_eq!(said_to("Qux,FooBot", &file), ["0:2 named +crawl </>"]);
    let request = file.requests_for(&Crawler::new("FooBot"))[0].source;
    assert_eq!((request.place, request.line), (Place::Referenced(0), 3));
    assert!(said_to("BarBot", &file).is_empty());
}

#[test]
fn a_file_that_two_records_refer_to_is_read_once() {
    let referring = "ACAP-crawler: FooBot\nACAP-permissions-reference: /f\nACAP-crawler: *\nACAP-permissions-reference: /f";
    let file = with_files(referring, &[("/f", "ACAP-crawler: *\nACAP-allow-crawl: /")]);
    assert_eq!(said_to("FooBot", &file), ["0:2 any +crawl </>"]);
}

#[test]
fn a_record_with_a_reference_contains_nothing_else() {
    let file = acap(
        "ACAP-crawler: FooBot\nACAP-permissions-reference: /f\nACAP-allow-crawl: /\nACAP-usage-purpose: x\n\
         ACAP-permissions-reference: /g\nACAP-request-re-crawl: /x\nACAP-crawler: FooBot\nACAP-allow-crawl: /b",
    );
    assert_eq!(said_to("FooBot", &file), ["8 named +crawl </b>"]);
    assert_eq!(file.references().len(), 1);
    let expected = [
        "3 acap-beside-reference",
        "4 acap-beside-reference",
        "5 acap-beside-reference",
        "6 acap-beside-reference",
    ];
    assert_eq!(odd(&file), expected);
}

#[test]
fn a_reference_that_does_not_directly_follow_the_crawlers_is_void() {
    let file = acap(
        "ACAP-crawler: FooBot\nACAP-allow-crawl: /a\nACAP-permissions-reference: /f\nACAP-allow-crawl: /b\n\
         ACAP-crawler: FooBot\nACAP-permissions-reference:\nACAP-permissions-reference: /g",
    );
    assert_eq!(said_to("FooBot", &file), ["2 named +crawl </a>", "4 named +crawl </b>"]);
    assert!(file.references().is_empty());
    assert_eq!(odd(&file), ["3 acap-misplaced-reference", "6 acap-no-value", "7 acap-misplaced-reference"]);
    // Unknown lines and conventional lines may come between them.
    let near = acap("ACAP-crawler: *\nACAP-frob: 1\nDisallow: /\nACAP-permissions-reference: /f x");
    assert_eq!(near.missing_references(&Crawler::new("x")), ["/f"]);
}

#[test]
fn a_reference_in_a_referenced_file_is_void() {
    let supplied = "ACAP-crawler: *\nACAP-permissions-reference: /g\nACAP-allow-crawl: /b";
    let file =
        with_files(REFERRING, &[("/foo.txt", supplied), ("/g", "ACAP-crawler: *\nACAP-allow-crawl: /g")]);
    assert_eq!(said_to("FooBot", &file), ["4 any -crawl (explicit) </a>", "0:3 any +crawl </b>"]);
    let found = file.diagnostics()[0];
    assert_eq!(
        (found.place, found.line, found.kind.code()),
        (Place::Referenced(0), 2, "acap-nested-reference")
    );
}

#[test]
fn definitions_of_the_referring_file_hold_and_come_first() {
    let referring = "ACAP-resource-set: s /own\nACAP-qualified-usage: keep preserve time-limit=1-days\n\
                     ACAP-crawler: *\nACAP-permissions-reference: /f";
    let supplied = "ACAP-resource-set: S /theirs\nACAP-resource-set: t /t\nACAP-qualified-usage: keep preserve time-limit=9-days\n\
                    ACAP-composite-usage: all crawl (keep)\nACAP-crawler: *\nACAP-allow-(all): the-acap:resource-set:s\n\
                    ACAP-allow-index: the-acap:resource-set:t";
    let file = with_files(referring, &[("/f", supplied)]);
    let expected =
        ["0:6 any +crawl </own>", "0:6 any +preserve time-limit=1-days </own>", "0:7 any +index </t>"];
    assert_eq!(said_to("x", &file), expected);
    assert_eq!(odd(&file), ["1 acap-defined-twice", "3 acap-defined-twice"]);
    // Its definitions are not valid in another file.
    let two =
        "ACAP-crawler: *\nACAP-permissions-reference: /f\nACAP-crawler: *\nACAP-permissions-reference: /g";
    let other = "ACAP-crawler: *\nACAP-allow-crawl: the-acap:resource-set:t";
    assert!(said_to("x", &with_files(two, &[("/f", "ACAP-resource-set: t /t"), ("/g", other)])).is_empty());
}

#[test]
fn a_referenced_file_does_not_have_conventional_records_ignored() {
    let file = with_files(REFERRING, &[("/foo.txt", "ACAP-ignore-conventional-records\n")]);
    assert!(!file.ignores_conventional());
    assert_eq!(odd(&file), ["1 acap-ignore-in-referenced-file"]);
}

/// Decoded, a file can be twice as long. The memory of this one is never written.
#[test]
#[cfg(target_pointer_width = "64")]
fn files_whose_lengths_do_not_fit_into_32_bits_are_not_read() {
    let robots = "ACAP-crawler: a\nACAP-permissions-reference: /long\n\
                  ACAP-crawler: b\nACAP-permissions-reference: /short";
    let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Acap));
    let long = vec![0; 1 << 31];
    let short = ReferencedFile { locator: "/short", bytes: b"ACAP-disallow-index: /" };
    let missing = |files: &[ReferencedFile<'_>]| {
        let acap = Acap::read(&policy, files).unwrap();
        acap.references().iter().map(|reference| reference.file.is_none()).collect::<Vec<_>>()
    };
    assert_eq!(missing(&[short]), [true, false]);
    assert_eq!(missing(&[ReferencedFile { locator: "/long", bytes: &long }, short]), [true, true]);
}
