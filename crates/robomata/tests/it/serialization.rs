//! The feature `serde`.

use robomata::{Agent, Dialect, Fingerprint, PolicySet, Robots};
use serde_json::{from_value, json, to_value};

#[test]
fn results_are_serialized_with_the_names_of_the_other_outputs() {
    let robots =
        Robots::parse("User-agent: *\nDisallow: /private\nDisalow: /x\nRequest-rate: 1/5m 0600-0700");
    assert_eq!(
        to_value(robots.explain("ExampleBot", "/private")).unwrap(),
        json!({
            "url": "/private",
            "verdict": {"verdict": "disallow", "line": 2, "reason": "rule"},
            "agent": "ExampleBot",
            "dialect": "rfc9309",
            "target": "/private",
            "group": "*",
            "rule_count": 2,
            "rules": [{"line": 2, "access": "disallow", "pattern": "/private", "length": 8}],
        })
    );
    assert_eq!(
        to_value(robots.diagnostics()).unwrap(),
        json!([{
            "line": 3, "span": {"start": 33, "end": 40}, "code": "misspelt-key",
            "message": "misspelt key: read as 'disallow'",
        }])
    );
    assert_eq!(
        to_value(robots.request_rate("ExampleBot")).unwrap(),
        json!({"requests": 1, "per": {"secs": 300, "nanos": 0}, "window": {"from": 360, "to": 420}})
    );
    assert_eq!(
        to_value(robots.check("", "/")).unwrap(),
        json!({"verdict": "invalid", "line": null, "reason": "invalid-agent"})
    );
}

#[test]
fn options_can_be_read() {
    assert_eq!(from_value::<Dialect>(json!("google")).unwrap(), Dialect::Google);
    assert_eq!(from_value::<Agent>(json!("ExampleBot")).unwrap().as_str(), "ExampleBot");
    let error = from_value::<Dialect>(json!("bing")).unwrap_err();
    assert!(error.to_string().starts_with("unknown dialect 'bing': expected one of"), "{error}");
    let error = from_value::<Agent>(json!("")).unwrap_err();
    assert!(error.to_string().starts_with("the crawler's name is empty"), "{error}");
    let fingerprint = PolicySet::builder().build().fingerprint();
    assert_eq!(from_value::<Fingerprint>(to_value(fingerprint).unwrap()).unwrap(), fingerprint);
    assert!(from_value::<Fingerprint>(json!("0")).is_err());
}
