//! Reports the mistakes in a robots.txt, and applies the fixes.

use robomata::lint::{Severity, lint};

pub(crate) fn main() {
    let body = "User-agent: *\nDisalow: /private\nDisallow: /a\nAllow: /*\n";
    let report = lint(body);
    for finding in report.findings() {
        println!("{finding}");
        if let Some(help) = finding.help() {
            println!("  {help}");
        }
    }
    assert_eq!(report.worst(), Some(Severity::Warning));

    let fixed = report.fixed();
    assert!(fixed.starts_with(b"User-agent: *\nDisallow: /private\n"));
}
