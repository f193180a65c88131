//! Permissions and prohibitions: A8, A9 and A11.

use robomata_policy::Policy;
use robomata_policy::acap::Acap;
use robomata_protocol::{Dialect, Usage};
use robomata_syntax::Config;

use super::{acap, odd, said, said_to};

/// The statements of a field for any crawler, and its diagnostics.
fn field(field: &str) -> (Vec<String>, Vec<String>) {
    let acap = acap(&format!("ACAP-crawler: *\n{field}"));
    let without = |text: String, head: &str| text.strip_prefix(head).unwrap().to_owned();
    let said = said_to("x", &acap).into_iter().map(|sentence| without(sentence, "2 any ")).collect();
    (said, odd(&acap).into_iter().map(|code| without(code, "2 acap-")).collect())
}

fn says(written: &str, sentence: &str, diagnostics: &[&str]) {
    let (said, odd) = field(written);
    let sentences: Vec<&str> = if sentence.is_empty() { Vec::new() } else { vec![sentence] };
    assert_eq!(
        (said, odd),
        (
            sentences.iter().map(ToString::to_string).collect(),
            diagnostics.iter().map(ToString::to_string).collect()
        ),
        "{written}"
    );
}

#[test]
fn u_every_usage_of_acap_has_its_fields() {
    for usage in Usage::ALL {
        let (allow, disallow) = (format!("ACAP-allow-{usage}: /"), format!("ACAP-disallow-{usage}: /"));
        if usage.is_acap() {
            says(&allow, &format!("+{usage} </>"), &[]);
            says(&disallow, &format!("-{usage} (explicit) </>"), &[]);
        } else {
            says(&allow, "", &["unknown-usage"]);
            says(&disallow, "", &["unknown-usage"]);
        }
    }
    says("ACAP-ALLOW-Present-OldSnippet: /", "+present-oldsnippet </>", &[]);
    says("ACAP-allow-snippet: /", "", &["unknown-usage"]);
    says("ACAP-allow-present-extract: /", "", &["unknown-usage"]);
    says("ACAP-allow-: /", "", &["unknown-usage"]);
}

#[test]
fn a8_patterns_are_kept_as_written_and_rooted() {
    says("ACAP-allow-crawl: /A%2a*.htm$", "+crawl </A%2a*.htm$>", &[]);
    says("ACAP-allow-crawl: *.gif", "+crawl <*.gif>", &[]);
    says("ACAP-allow-crawl: public/", "+crawl </public/>", &["relative-pattern"]);
    says("ACAP-disallow-crawl: $", "-crawl (explicit) </$>", &["relative-pattern"]);
    says("ACAP-allow-crawl: the-acap:other", "+crawl </the-acap:other>", &["relative-pattern"]);
    says("ACAP-allow-crawl: the-acap:resource-set:none", "", &["undefined-name"]);
    says("ACAP-disallow-crawl: the-acap:resource-set:", "", &["undefined-name"]);
}

#[test]
fn a9_white_space_may_surround_the_equals_sign() {
    for written in ["time-limit=3-days", "time-limit =3-days", "time-limit= 3-days", "Time-Limit \t=  3-DAYS"]
    {
        says(&format!("ACAP-allow-index: /a {written}"), "+index time-limit=3-days </a>", &[]);
    }
    says("ACAP-allow-index: /a time-limit=", "-index (uninterpretable) </a>", &["invalid-qualifier-value"]);
    says("ACAP-allow-index: /a time-limit", "-index (uninterpretable) </a>", &["no-qualifier"]);
    says("ACAP-allow-index: /a =3-days", "-index (uninterpretable) </a>", &["no-qualifier"]);
    says("ACAP-allow-index: time-limit=3-days", "+index </time-limit=3-days>", &["relative-pattern"]);
}

#[test]
fn a9_several_qualifiers_hold_together() {
    let written = "ACAP-allow-present-oldcopy: /a prohibited-modification=format prohibited-context=within-user-frame \
                   prohibited-modification=translation time-limit=until-2007-12-31";
    let sentence = "+present-oldcopy prohibited-modification=format prohibited-context=within-user-frame \
                    prohibited-modification=translation time-limit=until-2007-12-31 </a>";
    says(written, sentence, &[]);
}

#[test]
fn a10_quotes_belong_to_values_and_are_diagnosed() {
    says(
        "ACAP-allow-index: /a must-use-resource='x'",
        "+index must-use-resource='x' </a>",
        &["quote-in-value"],
    );
}

#[test]
fn a11_a_permission_that_cannot_be_interpreted_prohibits() {
    let cases = [
        ("index: / frob=1", "index", "unknown-qualifier"),
        ("index: / noodp", "index", "no-qualifier"),
        ("index: / time-limit=soon", "index", "invalid-qualifier-value"),
        ("crawl: / time-limit=1-days", "crawl", "qualifier-not-for-usage"),
        ("index: / location=/a", "index", "qualifier-not-for-usage"),
        ("index: / time-limit=1-days time-limit=2-days", "index", "repeated-qualifier"),
        (
            "present: / prohibited-modification=any prohibited-modification=style",
            "present",
            "repeated-qualifier",
        ),
        ("other: / must-use-resource=/x", "other", "qualifier-not-for-usage"),
        ("index: / time-limit=soon frob=1", "index", "invalid-qualifier-value"),
    ];
    for (written, usage, code) in cases {
        says(&format!("ACAP-allow-{written}"), &format!("-{usage} (uninterpretable) </>"), &[code]);
    }
}

#[test]
fn a11_bytes_that_are_no_text_cannot_be_interpreted() {
    let file = b"ACAP-crawler: *\nACAP-allow-index: /\xFF time-limit=\xFF\nACAP-allow-\xFF: /\nACAP-allow-index: /\xFE";
    let policy = Policy::new(file, &Config::new(Dialect::Acap));
    let acap = Acap::read(&policy, &[]).unwrap();
    assert_eq!(said_to("x", &acap), ["2 any -index (uninterpretable) </\\xff>", "4 any +index </\\xfe>"]);
    assert_eq!(odd(&acap), ["2 acap-invalid-qualifier-value", "3 acap-unknown-usage"]);
}

#[test]
fn a11_a_prohibition_holds_without_its_qualifiers() {
    for rest in ["time-limit=1-days", "time-limit=soon", "frob"] {
        says(&format!("ACAP-disallow-index: / {rest}"), "-index (explicit) </>", &["qualified-prohibition"]);
    }
}

#[test]
fn a11_a_local_usage_has_no_further_qualifiers() {
    let definitions = "ACAP-qualified-usage: q present time-limit=1-days\nACAP-composite-usage: c (q) crawl\nACAP-crawler: *\n";
    let file =
        format!("{definitions}ACAP-allow-(c): / time-limit=2-days\nACAP-allow-(q): /x\nACAP-disallow-(q): /");
    let expected = [
        "4 any -present (uninterpretable) </>",
        "4 any -crawl (uninterpretable) </>",
        "5 any +present time-limit=1-days </x>",
        "6 any -present (explicit) </>",
    ];
    assert_eq!(said(&file), expected);
    assert_eq!(odd(&acap(&file)), ["4 acap-qualified-local-usage", "6 acap-local-prohibition"]);
}

#[test]
fn a11_a_prohibition_of_a_local_usage_prohibits_its_usages() {
    let definitions = "ACAP-composite-usage: all crawl index\nACAP-crawler: *\n";
    let file = format!(
        "{definitions}ACAP-allow-crawl: /\nACAP-disallow-(ALL): /p/ time-limit=1-days\nACAP-disallow-(none): /\nACAP-disallow-(all):"
    );
    let expected = ["3 any +crawl </>", "4 any -crawl (explicit) </p/>", "4 any -index (explicit) </p/>"];
    assert_eq!(said(&file), expected);
    let odd = odd(&acap(&file));
    assert_eq!(odd, ["4 acap-local-prohibition", "5 acap-undefined-name", "6 acap-no-value"]);
}

#[test]
fn a11_undefined_local_usages_are_void() {
    for written in ["ACAP-allow-(x): /", "ACAP-allow-(): /", "ACAP-allow-( x ): /", "ACAP-disallow-(x): /"] {
        says(written, "", &["undefined-name"]);
    }
    says("ACAP-allow-(x: /", "", &["unknown-usage"]);
    // Standard usages are not local usages.
    says("ACAP-allow-(crawl): /", "", &["undefined-name"]);
}
