//! Expectations: how they are written, and when they hold.

use robomata_evaluator::SitePolicy;
use robomata_lint::{CheckedExpectation, Expectations, LintOptions, UNMET, lint_expecting};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect, FetchStatus};
use robomata_syntax::Config;

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\nAllow: /private/press\nDisallow: /*?sort=\n\n\
                      User-agent: GPTBot\nDisallow: /\n";

fn read(text: impl AsRef<[u8]>) -> Result<Expectations, String> {
    Expectations::parse(text.as_ref(), Dialect::Rfc9309).map_err(|error| error.to_string())
}

fn checked(robots: &str, dialect: Dialect, text: &str) -> (bool, bool, Option<String>, u32, String) {
    let expectations = Expectations::parse(text.as_bytes(), dialect).unwrap();
    let policy = Policy::new(robots.as_bytes(), &Config::new(dialect));
    let [CheckedExpectation { holds, is_proved, witness, decided_by, message, .. }] =
        expectations.check(&policy).try_into().unwrap();
    (holds, is_proved, witness, decided_by, message)
}

/// `holds`, or the witness and the line that decides about it.
fn result(text: &str) -> String {
    match checked(ROBOTS, Dialect::Rfc9309, text) {
        (true, true, None, ..) => "holds".to_owned(),
        (false, true, Some(witness), line, _) => format!("{witness} by {line}"),
        (_, _, _, _, message) => message,
    }
}

#[test]
fn lines_have_one_form() {
    let text = "\u{feff}# comment\r\n\r  GPTBot \t may  not fetch /a*b # why\nMozilla/5.0 (compatible; ExampleBot/1.0) may fetch HTTPS://e.example/#x\n";
    let policy = Policy::new(b"", &Config::new(Dialect::Rfc9309));
    let read_ones = read(text).unwrap();
    let lines: Vec<_> = read_ones
        .check(&policy)
        .iter()
        .map(|checked| {
            (checked.expectation.line, checked.expectation.agent.clone(), checked.expectation.target.clone())
        })
        .collect();
    let expected =
        [(3, "GPTBot", "/a*b"), (4, "Mozilla/5.0 (compatible; ExampleBot/1.0)", "HTTPS://e.example/#x")];
    assert_eq!(lines, expected.map(|(line, agent, target)| (line, agent.to_owned(), target.to_owned())));
}

#[test]
fn a_line_that_cannot_be_read_is_an_error() {
    let form = "expected a line such as 'GPTBot may not fetch /private/*'";
    let url = "expected a path that begins with '/' but not with '//', or an http or https URL";
    for (text, error) in [
        ("", format!("no expectation: {form}")),
        ("# GPTBot may fetch /", format!("no expectation: {form}")),
        ("GPTBot", format!("line 1: {form}")),
        ("\n\nGPTBot May Fetch /", format!("line 3: {form}")),
        ("GPTBot may not read /", format!("line 1: {form}")),
        ("GPTBot may fetch", "line 1: expected one path or URL after 'fetch', found 0".to_owned()),
        ("GPTBot may fetch # /", "line 1: expected one path or URL after 'fetch', found 0".to_owned()),
        (
            "a may fetch /a may not fetch /b",
            "line 1: expected one path or URL after 'fetch', found 5 (write a space as %20)".to_owned(),
        ),
        ("a may fetch private", format!("line 1: 'private': {url}")),
        ("a may fetch *", format!("line 1: '*': {url}")),
        ("a may fetch https://", format!("line 1: 'https://': {url}")),
        ("a may fetch https://*/a", format!("line 1: 'https://*/a': {url}")),
        ("a may fetch //a.example/b", format!("line 1: '//a.example/b': {url}")),
        ("a may not fetch //*", format!("line 1: '//*': {url}")),
        ("a may fetch ftp://a.example/", format!("line 1: 'ftp://a.example/': {url}")),
        ("a may fetch /\u{200b}a", "line 1: the character U+200B is invisible (remove it)".to_owned()),
    ] {
        assert_eq!(read(text), Err(error), "{text}");
    }
    assert_eq!(read(b"a may fetch /\xff"), Err("line 1: expected UTF-8".to_owned()));
    for agent in ["", "Mozilla/5.0 (X11; Linux x86_64) Firefox/60.0", "two words"] {
        assert!(read(format!("{agent} may fetch /")).is_err(), "{agent}");
    }
}

#[test]
fn a_path_or_a_url_is_checked() {
    assert_eq!(result("GPTBot may not fetch /a"), "holds");
    assert_eq!(result("GPTBot may fetch /a"), "/a by 7");
    assert_eq!(result("Googlebot may fetch https://e.example"), "holds");
    assert_eq!(
        result("Googlebot may fetch https://e.example/private/a?b"),
        "https://e.example/private/a?b by 2"
    );
    assert_eq!(result("Googlebot may not fetch https://e.example?sort=1"), "holds");
    assert_eq!(result("Googlebot may fetch https://e.example?sort=1"), "https://e.example?sort=1 by 4");
    assert_eq!(result("Googlebot may fetch https://e.example#a"), "holds");
    assert_eq!(
        result("Googlebot may not fetch https://e.example//private/"),
        "https://e.example//private/ by 0"
    );
    assert_eq!(result("Other,GPTBot may not fetch /a"), "holds");
    assert_eq!(result("* may not fetch /private/"), "holds");
    assert_eq!(result("GPTBot may not fetch /robots.txt"), "/robots.txt by 0");
    assert_eq!(
        checked(ROBOTS, Dialect::Rfc9309, "a may not fetch /robots.txt").4,
        "'/robots.txt': allow, because the robots.txt itself is always allowed"
    );
    assert_eq!(
        checked(ROBOTS, Dialect::Rfc9309, "a may not fetch /").4,
        "'/': allow, because no rule matches"
    );
}

#[test]
fn a_pattern_is_proved_or_refuted_by_a_shortest_path() {
    assert_eq!(result("GPTBot may not fetch /*"), "holds");
    assert_eq!(result("GPTBot may fetch /*"), "/ by 7");
    assert_eq!(result("Googlebot may not fetch /private/*"), "/private/press by 3");
    assert_eq!(result("Googlebot may not fetch /private/pro*"), "holds");
    assert_eq!(result("Googlebot may not fetch https://e.example/private/*.gif$"), "/private/press.gif by 3");
    assert_eq!(result("Googlebot may fetch /public/*"), "/public/?sort= by 4");
    assert_eq!(result("Googlebot may fetch /public$"), "holds");
    assert_eq!(result("Googlebot may not fetch https://e.example?sort=*"), "holds");
    assert_eq!(result("Googlebot may fetch https://e.example?sort=*"), "/?sort= by 4");
    assert_eq!(
        result("Googlebot may fetch /robots.txt$"),
        "the pattern matches no URL that rules decide about"
    );
    assert_eq!(result("Googlebot may fetch /a#*"), "the pattern matches no URL that rules decide about");
    assert_eq!(
        checked(ROBOTS, Dialect::Rfc9309, "GPTBot may not fetch /*").4,
        "proved: disallow of every URL that it matches"
    );
}

#[test]
fn patterns_mean_the_same_in_every_dialect() {
    for dialect in Dialect::ALL {
        let holds =
            |robots: &str, text: &str| checked(&format!("User-agent: *\n{robots}\n"), dialect, text).0;
        assert!(holds("Disallow: /a", "x may not fetch /a*"), "{dialect}");
        assert!(!holds("Disallow: /a/", "x may not fetch /a*"), "{dialect}");
        assert!(!holds("Disallow: /a\nAllow: /a/b", "x may fetch /a/*b"), "{dialect}");
        assert!(holds("Disallow: /%C3%A9", "x may not fetch /%C3%A9*"), "{dialect}");
        assert!(holds("Disallow: /b", "x may fetch /a*c$"), "{dialect}");
    }
}

#[test]
fn a_pattern_is_read_like_the_urls_that_it_matches() {
    let result = |dialect, rules: &str, text: &str| {
        let (holds, _, witness, ..) = checked(&format!("User-agent: *\n{rules}\n"), dialect, text);
        if holds { "holds".to_owned() } else { witness.unwrap_or_default() }
    };
    // Google's URLs are compared as written.
    let rule = "Disallow: /caf%c3%a9/";
    assert_eq!(result(Dialect::Google, rule, "x may not fetch /caf%c3%a9/*"), "/caf%c3%a9/");
    assert_eq!(result(Dialect::Google, rule, "x may not fetch /caf%C3%A9/*"), "holds");
    assert_eq!(result(Dialect::Rfc9309, rule, "x may not fetch /caf%c3%a9/*"), "holds");
    // The draft compares no query.
    let koster = |rules: &str, text: &str| result(Dialect::Koster1996, rules, text);
    assert_eq!(koster("Disallow: /search?q=", "x may not fetch /search?q=*"), "/search?q=");
    assert_eq!(koster("Disallow: /search", "x may not fetch /search?q=*"), "holds");
    assert_eq!(koster("Allow: /?%3F\nDisallow: /", "x may fetch /?%3F*"), "/?%3F");
    assert_eq!(koster("Disallow: /", "x may fetch /?a*"), "/?a");
    assert_eq!(koster("Allow: /a\nDisallow: /", "x may fetch /*a$"), "/?a");
    assert_eq!(koster("Disallow: /a", "x may not fetch /a*?b$"), "holds");
}

/// Whether a pattern matches the bytes of a URL, both as written.
fn glob(pattern: &[u8], url: &[u8]) -> bool {
    match pattern {
        [] => true,
        b"$" => url.is_empty(),
        [b'*', rest @ ..] => (0..=url.len()).any(|at| glob(rest, &url[at..])),
        [first, rest @ ..] => url.first() == Some(first) && glob(rest, &url[1..]),
    }
}

/// Every sequence of at most `most` tokens, after a slash.
fn sequences(tokens: &[&str], most: usize) -> Vec<String> {
    let mut all = vec!["/".to_owned()];
    let mut start = 0;
    for _ in 0..most {
        let end = all.len();
        for at in start..end {
            all.extend(tokens.iter().map(|token| format!("{}{token}", all[at])).collect::<Vec<_>>());
        }
        start = end;
    }
    all
}

#[test]
fn no_url_that_a_pattern_matches_refutes_its_proof() {
    let urls = sequences(&["x", "?", "%3F", "%c3%a9", "%C3%A9"], 3);
    let patterns = sequences(&["x", "?", "%3f", "%c3%a9", "*"], 2);
    let lines = patterns.iter().flat_map(|pattern| {
        let pattern = if pattern.contains('*') { pattern.clone() } else { format!("{pattern}$") };
        ["may", "may not"].map(|verb| format!("a {verb} fetch {pattern}\n"))
    });
    let lines: String = lines.collect();
    for dialect in Dialect::ALL {
        let expectations = Expectations::parse(lines.as_bytes(), dialect).unwrap();
        let (mut proved, mut refuted) = (0, 0);
        for rules in [
            "Disallow: /x",
            "Allow: /?x\nDisallow: /",
            "Disallow: /%c3%a9",
            "Disallow: /*%3F",
            "Disallow: /?\nDisallow: /%3F",
            "Disallow: /*x$",
        ] {
            let robots = format!("User-agent: *\n{rules}\n");
            let policy = Policy::new(robots.as_bytes(), &Config::new(dialect));
            let answers = expectations.check(&policy);
            let mut site = SitePolicy::new(&policy, &Crawler::new("a"));
            for checked in answers {
                let pattern = checked.expectation.target.as_bytes();
                if checked.holds {
                    proved += 1;
                    for url in urls.iter().filter(|url| glob(pattern, url.as_bytes())) {
                        let answer = site.check(format!("http://e.example{url}").as_bytes());
                        let access = checked.expectation.access;
                        assert_eq!(
                            answer.as_str(),
                            access.to_string(),
                            "{dialect}: {rules:?}: {url} of {}",
                            checked.expectation.text
                        );
                    }
                } else if let Some(witness) = checked.witness {
                    refuted += 1;
                    // The witness may be in normal form.
                    let rule = format!("User-agent: *\nDisallow: {}\n", checked.expectation.target);
                    let rule = Policy::new(rule.as_bytes(), &Config::new(Dialect::Rfc9309));
                    let answer = SitePolicy::new(&rule, &Crawler::new("a"))
                        .check(format!("http://e.example{witness}").as_bytes());
                    assert_eq!(
                        answer.as_str(),
                        "disallow",
                        "{dialect}: {witness} of {}",
                        checked.expectation.text
                    );
                }
            }
        }
        assert!(proved > 50 && refuted > 50, "{dialect}: {proved} proved, {refuted} refuted");
    }
}

#[test]
fn other_answers_than_allow_and_disallow_hold_for_nothing() {
    let config = Config::new(Dialect::Rfc9309);
    for (status, [may, may_not]) in
        [(200, [true, false]), (404, [true, false]), (503, [false, true]), (302, [false; 2])]
    {
        let policy = Policy::fetched(b"", Some(FetchStatus::Code(status)), &config);
        let text = "a may fetch /x\na may fetch /x*\na may not fetch /x\na may not fetch /x*";
        let holds: Vec<_> = read(text).unwrap().check(&policy).iter().map(|checked| checked.holds).collect();
        assert_eq!(holds, [may, may, may_not, may_not], "{status}");
    }
}

#[test]
fn more_than_rules_are_not_proved() {
    let robots = "ACAP-crawler: *\nACAP-disallow-crawl: /private/\n";
    let (holds, is_proved, witness, ..) = checked(robots, Dialect::Acap, "a may not fetch /private/*");
    assert_eq!((holds, is_proved, witness), (false, false, None));
    let (holds, is_proved, witness, ..) = checked(robots, Dialect::Acap, "a may fetch /private/*");
    assert_eq!((holds, is_proved, witness), (false, true, Some("/private/".to_owned())));
}

#[test]
fn a_search_that_takes_too_long_is_no_proof() {
    let many: String = (0..300).map(|n| format!("Disallow: /*{n}*a*{n}\nAllow: /x*{n}*{n}*a\n")).collect();
    let (holds, is_proved, witness, _, message) = checked(
        &format!("User-agent: *\nDisallow: /\n{many}"),
        Dialect::Rfc9309,
        "a may not fetch /*a*b*c*d*z$",
    );
    assert_eq!((holds, is_proved, witness), (false, false, None));
    assert_eq!(message, "not proved: the search took too many steps, or more than rules decide");
}

#[test]
fn findings_are_at_the_rules_that_decide() {
    let expectations = read("GPTBot may fetch /\nother may not fetch /\nGPTBot may not fetch /").unwrap();
    let report = lint_expecting(ROBOTS.as_bytes(), &LintOptions::default(), &expectations);
    let found = report.findings.iter().filter(|finding| finding.code.name == UNMET);
    let places: Vec<_> = found.map(|finding| (finding.line, finding.span.of(&report.text))).collect();
    assert_eq!(places, [(1, &b""[..]), (7, b"/")]);

    let expectations = Expectations::parse(b"a may fetch /private/b\na may fetch /c", Dialect::Acap).unwrap();
    let robots = b"User-agent: *\nDisallow: /c\n\nACAP-crawler: *\nACAP-disallow-crawl: /private/\n";
    let options = LintOptions { dialect: Dialect::Acap, ..LintOptions::default() };
    let report = lint_expecting(robots, &options, &expectations);
    let found = report.findings.iter().filter(|finding| finding.code.name == UNMET);
    let places: Vec<_> = found.map(|finding| (finding.line, finding.span.of(&report.text))).collect();
    assert_eq!(places, [(2, &b"/c"[..]), (5, b"/private/")]);
}
