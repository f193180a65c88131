//! Definitions: A12.

use robomata_policy::{Address, LocalStatement, PageStatements, Says, Statement};
use robomata_protocol::{PermissionReason, Place, Source, Vocabulary};

use super::{acap, odd, said};

/// The statements of `ACAP-allow-(u): /` after these definitions, without line and address.
fn defined(definitions: &str) -> Vec<String> {
    said(&format!("{definitions}\nACAP-crawler: *\nACAP-allow-(u): /"))
        .iter()
        .map(|sentence| sentence.split_once(" any ").unwrap().1.to_owned())
        .collect()
}

/// The diagnostics of these definitions alone.
fn odd_in(definitions: &str) -> Vec<String> {
    odd(&acap(definitions))
}

#[test]
fn a_qualified_usage_is_a_usage_with_qualifiers() {
    let snippet = "ACAP-qualified-usage: U present-snippet time-limit=5-days max-length=250-chars";
    assert_eq!(defined(snippet), ["+present-snippet time-limit=5-days max-length=250-chars </>"]);
    assert_eq!(
        defined("ACAP-qualified-usage: u INDEX time-limit = 5-days"),
        ["+index time-limit=5-days </>"]
    );
    assert_eq!(defined("ACAP-qualified-usage: u index"), ["+index </>"]);
    assert_eq!(odd_in("ACAP-qualified-usage: u index"), ["1 acap-nothing-qualified"]);
}

#[test]
fn a_bad_qualifier_prohibits_where_the_usage_is_used() {
    let bad = "ACAP-qualified-usage: u index max-length=3-words";
    assert_eq!(defined(bad), ["-index (uninterpretable) </>"]);
    assert_eq!(odd_in(bad), ["1 acap-qualifier-not-for-usage"]);
    assert_eq!(
        defined(&format!("{bad}\nACAP-composite-usage: v crawl (u) index")),
        ["-index (uninterpretable) </>"]
    );
}

#[test]
fn a_composite_usage_lists_usages_and_qualified_ones() {
    let both = "ACAP-qualified-usage: q present-snippet max-length=30-words\nACAP-composite-usage: u (Q) present-thumbnail crawl";
    assert_eq!(
        defined(both),
        ["+present-snippet max-length=30-words </>", "+present-thumbnail </>", "+crawl </>"]
    );
}

#[test]
fn a_usage_that_is_listed_several_times_has_all_the_qualifiers_each_once() {
    let parts = "ACAP-qualified-usage: a present time-limit=1-days\n\
                 ACAP-qualified-usage: b present prohibited-modification=style time-limit=1-days\n\
                 ACAP-qualified-usage: c index time-limit=2-days\n";
    let twice = format!("{parts}ACAP-composite-usage: u (a) crawl present (b) (a) crawl");
    assert_eq!(
        defined(&twice),
        ["+present time-limit=1-days prohibited-modification=style </>", "+crawl </>"]
    );
    let bad =
        format!("{parts}ACAP-qualified-usage: d index time-limit=soon\nACAP-composite-usage: u (c) (d) (a)");
    assert_eq!(defined(&bad), ["-index (uninterpretable) </>", "+present time-limit=1-days </>"]);
}

#[test]
fn any_other_name_makes_a_composite_usage_void() {
    let composite = "ACAP-composite-usage: c crawl\nACAP-composite-usage: u index (c)";
    assert!(defined(composite).is_empty());
    assert_eq!(odd_in(composite), ["2 acap-undefined-name"]);
    let later = "ACAP-composite-usage: u index (q)\nACAP-qualified-usage: q present time-limit=1-days";
    assert!(defined(later).is_empty());
    assert_eq!(odd_in("ACAP-composite-usage: u index fly"), ["1 acap-unknown-usage"]);
    // Short names are valid in queries, not in files.
    assert_eq!(odd_in("ACAP-composite-usage: u snippet"), ["1 acap-unknown-usage"]);
    assert_eq!(odd_in("ACAP-composite-usage: u ai-train"), ["1 acap-unknown-usage"]);
}

#[test]
fn usages_share_their_names_sets_have_their_own_and_the_first_one_counts() {
    let twice = "ACAP-qualified-usage: u index time-limit=1-days\nACAP-composite-usage: U crawl\nACAP-resource-set: u /x";
    assert_eq!(defined(twice), ["+index time-limit=1-days </>"]);
    assert_eq!(odd_in(twice), ["2 acap-defined-twice"]);
    let sets = "ACAP-resource-set: s /a\nACAP-resource-set: S /b\nACAP-crawler: *\nACAP-allow-crawl: the-acap:resource-set:s";
    assert_eq!(said(sets), ["4 any +crawl </a>"]);
}

#[test]
fn a_void_definition_leaves_its_name_free() {
    assert_eq!(defined("ACAP-composite-usage: u fly\nACAP-composite-usage: u crawl"), ["+crawl </>"]);
}

#[test]
fn names_are_letters_then_letters_digits_and_three_signs() {
    for name in ["a", "A-b_c.9", "z9"] {
        assert!(odd_in(&format!("ACAP-resource-set: {name} /")).is_empty(), "{name}");
    }
    for name in ["9a", "-a", "_a", "a/b", "a:b", "(a)", "\u{e9}", "a*"] {
        assert_eq!(odd_in(&format!("ACAP-resource-set: {name} /")), ["1 acap-invalid-name"], "{name}");
    }
}

#[test]
fn definitions_that_define_nothing_are_void() {
    for key in ["qualified-usage", "composite-usage", "resource-set"] {
        assert_eq!(odd_in(&format!("ACAP-{key}: u")), ["1 acap-empty-definition"]);
        assert_eq!(odd_in(&format!("ACAP-{key}:")), ["1 acap-no-value"]);
    }
    assert_eq!(odd_in("ACAP-qualified-usage: u fly time-limit=1-days"), ["1 acap-unknown-usage"]);
}

#[test]
fn definitions_after_the_first_crawler_are_void() {
    let file = "ACAP-crawler: *\nACAP-resource-set: s /\nACAP-allow-crawl: the-acap:resource-set:s\nACAP-allow-index: /";
    assert_eq!(said(file), ["4 any +index </>"]);
    assert_eq!(odd(&acap(file)), ["2 acap-misplaced-definition", "3 acap-undefined-name"]);
}

#[test]
fn sets_are_referred_to_not_copied() {
    let file = "ACAP-resource-set: images *.gif *.jpg png$\nACAP-crawler: *\nACAP-disallow-index: THE-ACAP:resource-set:Images";
    assert_eq!(said(file), ["3 any -index (explicit) <*.gif> <*.jpg> </png$>"]);
    assert_eq!(odd(&acap(file)), ["1 acap-relative-pattern"]);
}

/// What a page says in the words of these definitions, for `disallow-(name)` and `allow-(name)`.
fn said_on_page(file: &str, name: &str, prohibited: Option<PermissionReason>) -> Vec<String> {
    let source = Source { vocabulary: Vocabulary::Acap, place: Place::Meta, line: 1 };
    let (address, purpose) = (Address::Named, Some("news".into()));
    let local =
        vec![LocalStatement { name: name.to_owned(), prohibited, address, purpose, source, after: 0 }];
    let page = PageStatements { local, ..PageStatements::default() };
    let page = page.resolved(Some(&acap(file))).into_owned();
    assert!(page.acap.iter().all(|said| said.address == address && said.purpose.as_deref() == Some("news")));
    let sentence = |said: &Statement| match &said.says {
        Says::Permitted(list) => format!("+{} {}", said.usage, list.len()),
        Says::Prohibited(reason) => format!("-{} ({reason})", said.usage),
    };
    page.acap.iter().map(sentence).collect()
}

#[test]
fn p8_a_page_prohibits_what_the_robots_txt_defines() {
    let file = "ACAP-qualified-usage: late preserve time-limit=1-days\nACAP-qualified-usage: odd follow colour=blue\n\
        ACAP-composite-usage: Both index (late)\n";
    let explicit = Some(PermissionReason::Explicit);
    assert_eq!(said_on_page(file, "BOTH", None), ["+index 0", "+preserve 1"]);
    assert_eq!(said_on_page(file, "BOTH", explicit), ["-index (explicit)", "-preserve (explicit)"]);
    assert_eq!(said_on_page(file, "odd", explicit), ["-follow (explicit)"]);
    assert_eq!(
        said_on_page(file, "late", Some(PermissionReason::Uninterpretable)),
        ["-preserve (uninterpretable)"]
    );
    // A prohibition of an undefined name is void. A permission of one prohibits.
    assert_eq!(said_on_page(file, "none", explicit), [""; 0]);
    assert_eq!(said_on_page(file, "none", None).len(), 11);
}

/// A small page and a small robots.txt would otherwise have any number of qualifiers.
#[test]
fn a_page_takes_no_more_qualifiers_from_definitions_than_a_limit() {
    let file = "ACAP-qualified-usage: u index time-limit=1-days must-use-resource=/x\nACAP-composite-usage: both (u) follow";
    let source = Source { vocabulary: Vocabulary::Acap, place: Place::Meta, line: 1 };
    let local = LocalStatement {
        name: "both".to_owned(),
        prohibited: None,
        address: Address::Named,
        purpose: None,
        source,
        after: 0,
    };
    let page = PageStatements { local: vec![local; 17_000], ..PageStatements::default() };
    let page = page.resolved(Some(&acap(file))).into_owned();
    assert_eq!(page.acap.len(), 2 * 17_000);
    // One for each of the two statements, and two qualifiers: four of the 65,536.
    let permitted = page.acap.iter().take_while(|said| matches!(said.says, Says::Permitted(_))).count();
    assert_eq!(permitted, 2 * 16_384);
    let uninterpretable = Says::Prohibited(PermissionReason::Uninterpretable);
    assert!(page.acap[permitted..].iter().all(|said| said.says == uninterpretable));
}
