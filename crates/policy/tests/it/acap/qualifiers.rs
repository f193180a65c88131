//! The qualifiers that are valid with each usage, and their values: A9, A10, and P7 for pages.

use robomata_policy::acap::{QualifierFault, Valid, qualifiers, usage};
use robomata_protocol::{Qualifier, Usage};

use QualifierFault::{InvalidValue, NoQualifier, NotForUsage, Repeated, UnknownType};

fn parsed(written: &str, usage: Usage, valid: Valid) -> Result<Vec<String>, QualifierFault> {
    qualifiers(written.split_ascii_whitespace(), usage, valid)
        .map(|list| list.iter().map(Qualifier::to_string).collect())
        .map_err(|error| error.fault)
}

fn in_robots(written: &str, usage: Usage) -> Result<Vec<String>, QualifierFault> {
    parsed(written, usage, Valid::InRobotsTxt)
}

/// Usages of ACAP in order: crawl, follow, index, preserve, present, original, currentcopy, oldcopy, snippet, thumbnail,
/// oldsnippet, oldthumbnail, link, other.
const VALID: [(&str, &str); 7] = [
    ("time-limit=3-days", "..xxxxxxxxxxx."),
    ("must-use-resource=/x", "..x.xxxxxxxxx."),
    ("must-include-resource=/x", "....xxxxxxxxx."),
    ("max-length=3-words", "........x.x..."),
    ("prohibited-modification=style", "....xxxx......"),
    ("prohibited-context=within-user-frame", ".....xxx......"),
    ("required-context=within-original-frame", ".....xxx......"),
];

#[test]
fn every_qualifier_with_every_usage() {
    let usages: Vec<Usage> = Usage::ALL.into_iter().filter(|usage| usage.is_acap()).collect();
    for (written, valid) in VALID {
        assert_eq!(valid.len(), usages.len(), "{written}");
        for (&usage, mark) in usages.iter().zip(valid.chars()) {
            let expected = if mark == '.' { Err(NotForUsage) } else { Ok(vec![written.to_owned()]) };
            for place in [Valid::InRobotsTxt, Valid::InPage] {
                assert_eq!(parsed(written, usage, place), expected, "{written} with {usage}");
            }
        }
    }
    for usage in usages {
        let location = "location=http://a.example/x";
        assert_eq!(parsed(location, usage, Valid::InRobotsTxt), Err(NotForUsage));
        assert_eq!(parsed(location, usage, Valid::InPage), Ok(vec![location.to_owned()]));
    }
}

#[test]
fn values() {
    let accepted = [
        ("time-limit=until-recrawled", "time-limit=until-recrawled"),
        ("time-limit=Until-Recrawl", "time-limit=until-recrawled"),
        ("time-limit=UNTIL-2008-02-29", "time-limit=until-2008-02-29"),
        ("time-limit=until-2000-02-29", "time-limit=until-2000-02-29"),
        ("time-limit=0-days", "time-limit=0-days"),
        ("time-limit=004294967295-DAYS", "time-limit=4294967295-days"),
        ("max-length=250-Chars", "max-length=250-chars"),
        ("max-length=0-words", "max-length=0-words"),
        ("must-use-resource=http://a/b?c=d", "must-use-resource=http://a/b?c=d"),
        (
            "must-use-resource=The-ACAP:Extract:Class:Abstract",
            "must-use-resource=The-ACAP:Extract:Class:Abstract",
        ),
        ("must-use-resource=the-acap:extract:id:x", "must-use-resource=the-acap:extract:id:x"),
        ("must-use-resource=the-acap:extract:meta:d:e", "must-use-resource=the-acap:extract:meta:d:e"),
        ("must-include-resource=the-acap:credit:id:x", "must-include-resource=the-acap:credit:id:x"),
        ("must-include-resource=the-acap:link:http://a/", "must-include-resource=the-acap:link:http://a/"),
        ("must-include-resource=terms.html", "must-include-resource=terms.html"),
    ];
    for (written, told) in accepted {
        assert_eq!(in_robots(written, Usage::PresentSnippet), Ok(vec![told.to_owned()]), "{written}");
    }
    let refused = [
        "time-limit=until-2007-02-29",
        "time-limit=until-1900-02-29",
        "time-limit=until-2007-04-31",
        "time-limit=until-2007-13-01",
        "time-limit=until-2007-00-01",
        "time-limit=until-2007-01-00",
        "time-limit=until-2007-1-1",
        "time-limit=until-20070101",
        "time-limit=until-2007-01-01-",
        "time-limit=until-+007-01-01",
        "time-limit=until-",
        "time-limit=3-day",
        "time-limit=-3-days",
        "time-limit=+3-days",
        "time-limit=-days",
        "time-limit=4294967296-days",
        "time-limit=3",
        "time-limit=\u{e9}-days",
        "time-limit=\u{e9}days",
        "max-length=250",
        "max-length=2.5-chars",
        "max-length=4294967296-words",
        "must-use-resource=",
        "must-use-resource=the-acap:extract:id:",
        "must-use-resource=the-acap:extract:http://a/",
        "must-use-resource=the-acap:credit:id:x",
        "must-use-resource=the-acap:x",
        "must-use-resource=/caf\u{e9}",
        "must-include-resource=/a\u{1}",
        "must-include-resource=the-acap:extract:id:x",
        "must-include-resource=the-acap:credit:",
        "must-include-resource=the-acap:link:class:",
        "must-include-resource=the-acap:credit:the-acap:link:/x",
    ];
    for written in refused {
        assert_eq!(in_robots(written, Usage::PresentSnippet), Err(InvalidValue), "{written}");
    }
    for written in [
        "prohibited-modification=colour",
        "prohibited-context=within-original-frame",
        "required-context=within-user-frame",
    ] {
        assert_eq!(in_robots(written, Usage::PresentOriginal), Err(InvalidValue), "{written}");
    }
}

#[test]
fn repetition() {
    let usage = Usage::PresentOriginal;
    let modification = |kinds: &[&str]| {
        let written: Vec<String> =
            kinds.iter().map(|kind| format!("prohibited-modification={kind}")).collect();
        in_robots(&written.join(" "), usage).map(|list| list.len())
    };
    assert_eq!(modification(&["format", "style", "translation", "annotation"]), Ok(4));
    assert_eq!(modification(&["format", "format"]), Ok(1));
    assert_eq!(modification(&["any"]), Ok(1));
    assert_eq!(modification(&["any", "any"]), Err(Repeated));
    assert_eq!(modification(&["style", "any"]), Err(Repeated));
    assert_eq!(modification(&["any", "style"]), Err(Repeated));
    for once in [
        "time-limit=1-days",
        "must-use-resource=/x",
        "must-include-resource=/x",
        "required-context=within-original-frame",
    ] {
        assert_eq!(in_robots(&format!("{once} {once}"), usage), Err(Repeated), "{once}");
    }
    assert_eq!(parsed("location=/a location=/b", usage, Valid::InPage), Err(Repeated));
}

#[test]
fn faults_are_distinguished_and_the_first_is_reported() {
    let error = qualifiers(["frob=1", "time-limit=soon"], Usage::Index, Valid::InPage).unwrap_err();
    assert_eq!((error.fault, error.word.as_str()), (UnknownType, "frob"));
    assert_eq!(error.to_string(), "frob: unknown-qualifier");
    let error = qualifiers(["x", "time-limit=soon"], Usage::Index, Valid::InPage).unwrap_err();
    assert_eq!((error.fault, error.word.as_str()), (NoQualifier, "x"));
    assert_eq!(in_robots("", Usage::Crawl), Ok(Vec::new()));
}

#[test]
fn usages_by_their_whole_names() {
    assert_eq!(usage("Present-OldThumbnail"), Some(Usage::PresentOldthumbnail));
    assert_eq!(usage("OTHER"), Some(Usage::Other));
    for stranger in ["", "thumbnail", "present-", "index-images", "tdm", "crawl "] {
        assert_eq!(usage(stranger), None, "{stranger}");
    }
}
