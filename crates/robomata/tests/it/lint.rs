//! Mistakes in a robots.txt.

use robomata::Dialect;
use robomata::lint::{Code, Linter, Severity, lint};
use serde_json::{json, to_value};

fn codes(body: &str, linter: &Linter) -> Vec<String> {
    let report = linter.lint(body).unwrap();
    report.findings().iter().map(|finding| format!("{} {}", finding.line(), finding.code())).collect()
}

#[test]
fn findings_have_positions_and_fixes() {
    let body = "User-agent: *\nDisallow: /\u{e9}\u{e9}\nDisalow: /a\n";
    let report = lint(body);
    let positions: Vec<_> =
        report.findings().iter().map(|finding| (finding.line(), finding.column(), finding.span())).collect();
    assert_eq!(positions, [(2, 11, 24..29), (3, 1, 30..37)]);
    for finding in report.findings() {
        let fix = finding.fix().unwrap();
        assert_eq!(fix.span(), finding.span());
        assert!(report.text()[fix.span()] != *fix.text().as_bytes());
    }
    let fixed = report.fixed();
    assert_eq!(fixed, b"User-agent: *\nDisallow: /%C3%A9%C3%A9\nDisallow: /a\n");
    assert_eq!(lint(&fixed).findings(), []);
    assert_eq!(lint(&fixed).fixed(), fixed);
}

#[test]
fn a_fixed_file_keeps_what_is_not_read() {
    let rest = format!("{}Disallow: /secret\n", "# a comment\n".repeat(50_000));
    let cut = Linter::new().size_limit(512_000);
    let report = cut.lint(format!("User-agent: *\nDisalow: /a\n{rest}")).unwrap();
    assert!(report.text().len() <= 512_000);
    assert_eq!(report.fixed(), format!("User-agent: *\nDisallow: /a\n{rest}").into_bytes());

    let utf16: Vec<u8> =
        "\u{feff}User-agent: *\nDisalow: /a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(lint(&utf16).fixed(), utf16);
}

#[test]
fn a_text_that_is_no_host_is_ignored() {
    let body = "User-agent: *\nDisallow: /s/\nSitemap: https://example.com/s/1.xml";
    let all = codes(body, &Linter::new());
    assert!(all.iter().any(|code| code.ends_with("sitemap-closed")));
    for host in ["", "not a host", "https://"] {
        assert_eq!(codes(body, &Linter::new().host(host)), all, "{host}");
    }
    assert_ne!(codes(body, &Linter::new().host("other.example")), all);
}

#[test]
fn columns_count_characters_of_any_bytes() {
    let report = lint(b"User-agent: *\nDisallow: /\xFF\xC3\xA9$x\n");
    let found = report.findings().iter().find(|finding| finding.code().name() == "dollar-inside").unwrap();
    assert_eq!((found.column(), found.span()), (14, 28..29));
    let report = lint("\u{feff}User-agent: *\r\n\rUser-agent: x\0y\n");
    let found = report.findings().iter().find(|finding| finding.code().name() == "binary").unwrap();
    assert_eq!((found.line(), found.column()), (3, 14));
}

#[test]
fn options_choose_dialect_crawlers_and_host() {
    let body = "User-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow:\n";
    assert_eq!(codes(body, &Linter::new().agent("b")), ["5 idle-disallow"; 0]);
    assert_eq!(codes(body, &Linter::new().agent("b").agent("a")), ["2 search-engine-closed"]);
    let body = "User-agent: *\nDisallow: /s/\nSitemap: https://a.example/s/1.xml\n";
    assert_eq!(codes(body, &Linter::new()), ["3 sitemap-closed"]);
    assert_eq!(codes(body, &Linter::new().host("b.example")), [""; 0]);
    for &dialect in Dialect::ALL {
        assert_eq!(codes("User-agent: *\nDisallow: /a\n", &Linter::new().dialect(dialect)), [""; 0]);
    }
    let error = Linter::new().agent("").lint(body).unwrap_err();
    assert_eq!(error.agent().as_str(), "");
}

#[test]
fn codes_have_names_and_explanations() {
    assert!(Code::all().len() > 50);
    for code in Code::all() {
        assert_eq!(code.name().parse(), Ok(code));
        assert!(!code.summary().is_empty() && code.explanation().ends_with('.'), "{code}");
    }
    assert!(Severity::Note < Severity::Warning && Severity::Warning < Severity::Error);
}

#[test]
fn findings_are_serialized_with_the_names_of_the_command() {
    let report = lint("User-agent: *\nDisalow: /a\nAllow: /*\n");
    assert_eq!(
        to_value(&report).unwrap(),
        json!([
            {
                "line": 2, "column": 1, "offset": 14, "length": 7, "code": "misspelt-key", "severity": "warning",
                "message": "'Disalow': misspelt key: read as 'disallow'", "help": "write 'Disallow'",
                "fix": {"offset": 14, "length": 7, "text": "Disallow"}, "related": [],
            },
            {
                "line": 2, "column": 10, "offset": 23, "length": 2, "code": "never-decides", "severity": "warning",
                "message": "never decides: line 3 (allow '/*') always wins over it",
                "help": "remove the line, or make its pattern longer than that one", "fix": null,
                "related": [{"line": 3, "message": "always wins"}],
            },
        ])
    );
}

#[test]
fn expectations_are_serialized_for_programs() {
    let robots = robomata::Robots::parse("User-agent: *\nDisallow: /a");
    let checked = robomata::expectations::check(&robots, "x may not fetch /a*\nx may fetch /*").unwrap();
    assert_eq!(
        to_value(&checked).unwrap(),
        json!([
            {
                "line": 1, "text": "x may not fetch /a*", "agent": "x", "pattern": "/a*", "expected": "disallow",
                "holds": true, "is_proved": true, "witness": null, "decided_by": null,
                "message": "proved: disallow of every URL that it matches",
            },
            {
                "line": 2, "text": "x may fetch /*", "agent": "x", "pattern": "/*", "expected": "allow",
                "holds": false, "is_proved": true, "witness": "/a", "decided_by": 2,
                "message": "'/a': disallow by line 2 (Disallow: /a)",
            },
        ])
    );
    let error = robomata::expectations::check(&robots, "").unwrap_err();
    assert_eq!(error.line(), None);
}
