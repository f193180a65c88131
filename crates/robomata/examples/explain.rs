//! Explains an answer: which rules match the URL, and which of them wins.

use robomata::{Config, Crawler, Dialect, Policy, explain};

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private\nAllow: /private/press$\nDisallow: /*?sort=\n";

pub(crate) fn main() {
    let policy = Policy::new(ROBOTS, &Config::new(Dialect::Rfc9309));
    let explanation = explain(&policy, &Crawler::new("ExampleBot"), b"https://example.com/private/press");

    println!(
        "{}: {} of {} rules match",
        explanation.answer.as_str(),
        explanation.matching.len(),
        explanation.rule_count
    );
    for rule in &explanation.matching {
        println!("line {}\t{}: {}", rule.line, rule.access, rule.pattern);
    }
    assert_eq!(explanation.winner().map(|rule| rule.line), Some(3));
    assert_eq!(explanation.runner_up().map(|rule| rule.line), Some(2));
}
