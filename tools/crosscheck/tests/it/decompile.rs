//! Rules read back out of programs: generated files and real ones.

use std::collections::HashSet;

use robomata_engine::automaton::{Program, ProgramRule, ranked_rules};
use robomata_engine::{Access, Answer, Config, Crawler, Dialect, Policy, SitePolicy};
use robomata_formats::capture;
use robomata_testkit::Generator;
use robomata_testkit::shared::captures;

/// Sorts the rules by line, and writes them as a file for every crawler.
fn file_of(rules: &mut [ProgramRule]) -> Vec<u8> {
    rules.sort_by_key(|rule| rule.line);
    let mut file = b"User-agent: *\n".to_vec();
    for rule in rules {
        let key: &[u8] = if rule.access == Access::Allow { b"Allow: " } else { b"Disallow: " };
        file.extend([key, &rule.pattern, b"\n"].concat());
    }
    file
}

/// Compares the answers, and their lines, with those of the rules read back. Returns the number of URLs decided by a
/// line.
fn same_answers(robots: &[u8], dialect: Dialect, crawler: &Crawler, urls: &[Vec<u8>]) -> usize {
    let config = Config::new(dialect);
    let policy = Policy::new(robots, &config);
    let program = Program::compile(&policy.rules_for(crawler));
    let mut rules = program.as_ref().rules(dialect).unwrap();
    let again = file_of(&mut rules);
    let again = Policy::new(&again, &config);
    let (mut first, mut second) = (SitePolicy::new(&policy, crawler), SitePolicy::new(&again, crawler));
    let mut decided = 0;
    for url in urls {
        let (expected, found) = (first.check(url), second.check(url));
        let line_of = |answer: Answer| match answer.line() {
            0 | 1 => 0,
            line => rules[line as usize - 2].line,
        };
        assert_eq!(
            (found.as_str(), line_of(found)),
            (expected.as_str(), expected.line()),
            "{dialect}, {crawler}: {} in\n{}",
            url.escape_ascii(),
            String::from_utf8_lossy(robots)
        );
        decided += usize::from(expected.line() > 0);
    }
    decided
}

#[test]
fn generated_files_give_the_same_answers_when_read_back() {
    let mut decided = 0;
    for seed in 0..8_000 {
        let mut generator = Generator::new(seed);
        let robots = generator.robots();
        let (dialect, crawler) = (generator.dialect(), generator.crawler_for(&robots));
        let urls: Vec<_> = (0..12).map(|_| generator.url_for(&robots)).collect();
        decided += same_answers(&robots, dialect, &crawler, &urls);
    }
    assert!(decided > 10_000, "only {decided} answers by a line");
}

/// The pattern without stars that change only its length.
fn without_idle_stars(pattern: &str) -> String {
    let mut text = pattern.to_owned();
    while text.contains("**") {
        text = text.replace("**", "*");
    }
    let text = text.strip_suffix("*$").or(text.strip_suffix('*')).unwrap_or(&text);
    let behind_slash = text.strip_prefix("/*").filter(|rest| !rest.is_empty() && !rest.starts_with('/'));
    behind_slash.map_or_else(|| text.to_owned(), |rest| format!("*{rest}"))
}

#[test]
fn real_files_come_back_as_the_normal_forms_of_their_rules() {
    let sources = captures();
    let (mut seen, mut rules_seen, mut same) = (HashSet::new(), 0, 0);
    let crawlers = ["Googlebot", "x"].map(Crawler::new);
    for capture in sources.iter().flat_map(|source| capture::captures(source)) {
        let body = capture.unwrap().body;
        if !seen.insert(body.clone()) {
            continue;
        }
        let dialect = Dialect::ALL[seen.len() % Dialect::ALL.len()];
        let policy = Policy::new(&body, &Config::new(dialect));
        let rule_set = policy.rules_for(&crawlers[seen.len() / 4 % 2]);
        let found = Program::compile(&rule_set).as_ref().rules(dialect).unwrap();
        let mut ranked = ranked_rules(&rule_set);
        // Among rules of the same shape, the first one decides.
        let mut ranks = HashSet::from([0]);
        ranked.retain(|rule| ranks.insert(rule.rank));
        assert_eq!(found.len(), ranked.len());
        for (found, expected) in found.iter().zip(&ranked) {
            // Google's library reads an empty path as a rule that allows everything.
            let access = if expected.pattern.is_empty() { Access::Allow } else { expected.access };
            assert_eq!((found.rank, found.line, found.access), (expected.rank, expected.line, access));
            let pattern = String::from_utf8_lossy(&found.pattern).into_owned();
            rules_seen += 1;
            same += usize::from(pattern == expected.pattern);
            if dialect == Dialect::Rfc9309 || dialect == Dialect::Acap {
                // A literal `$` is written as itself, and some escapes so that path and query read them alike.
                let pattern = without_idle_stars(&pattern).replace("%%32", "%2").replace("%%33", "%3");
                let expected = without_idle_stars(&expected.pattern).replace("%24", "$");
                assert_eq!(pattern.replace("%24", "$"), expected);
            }
        }
    }
    println!("{rules_seen} rules, {same} as their normal form has them to the byte");
    assert!(rules_seen > 500 && same * 100 > rules_seen * 80, "{same} of {rules_seen} rules alike");
    if sources.len() > 1 {
        assert!(seen.len() >= 13_559 && rules_seen > 300_000, "{} files", seen.len());
    }
}
