//! What the types promise: traits, sharing between threads, texts.

use std::fmt::{Debug, Display};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use robomata::history::HistoryChecker;
use robomata::lifecycle::{Applies, Attempt, Situation, Standing};
use robomata::{
    Access, Agent, AgentError, Checker, Diagnostic, Dialect, Error, Explanation, FetchStatus, Fingerprint,
    Moment, PolicySet, PolicySetBuilder, Reason, RequestRate, Robots, RobotsBuilder, Rules, Verdict,
    VisitTime, robots_txt_url,
};

#[test]
fn types_have_the_traits_that_programs_need() {
    fn shared<T: Send + Sync + Clone + Debug + std::panic::UnwindSafe>() {}
    fn sent<T: Send + Debug>() {}
    fn text<T: Display + std::hash::Hash + Eq>() {}
    fn error<T: std::error::Error + Send + Sync + 'static>() {}
    shared::<Robots>();
    shared::<Rules>();
    shared::<robomata::permissions::Permissions>();
    shared::<PolicySet>();
    shared::<RobotsBuilder>();
    shared::<Explanation>();
    shared::<Diagnostic>();
    shared::<RequestRate>();
    shared::<VisitTime>();
    shared::<(robomata::pace::Pace, robomata::pace::Delay)>();
    shared::<(robomata::lint::Linter, robomata::lint::Report)>();
    shared::<(Attempt, Situation, Standing)>();
    sent::<PolicySetBuilder>();
    sent::<Checker<'_>>();
    sent::<HistoryChecker<'_>>();
    text::<Agent>();
    text::<Dialect>();
    text::<Verdict>();
    text::<Reason>();
    text::<Access>();
    text::<Fingerprint>();
    text::<Applies>();
    text::<robomata::lint::Code>();
    text::<robomata::lint::Severity>();
    error::<Error>();
    error::<AgentError>();
    error::<robomata::FetchTimeError>();
    error::<robomata::ParseDialectError>();
    error::<robomata::lint::ParseCodeError>();
    error::<robomata::ParseFingerprintError>();
    assert!(size_of::<Verdict>() <= 8 && size_of::<Option<Verdict>>() <= 8);
}

#[test]
fn threads_share_rules() {
    let robots = Robots::parse("User-agent: *\nDisallow: /*a*b*c\nAllow: /*a*b*cd$\nDisallow: /x\n");
    let rules = robots.for_agent("ExampleBot");
    let allowed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (rules, robots, allowed) = (rules.clone(), &robots, &allowed);
            scope.spawn(move || {
                for number in 0..2_000 {
                    let url = format!("/{thread}/a/b{number}/cd");
                    assert!(rules.is_allowed(&url));
                    assert!(!rules.is_allowed(format!("{url}e")));
                    let agent = if number % 100 == 0 { "OtherBot" } else { "ExampleBot" };
                    allowed.fetch_add(usize::from(robots.is_allowed(agent, &url)), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(allowed.into_inner(), 16_000);
}

#[test]
fn threads_share_policy_sets() {
    let mut builder = PolicySet::builder();
    for number in 0..50 {
        builder
            .insert(format!("https://{number}.example"), format!("User-agent: *\nDisallow: /{number}"))
            .unwrap();
    }
    let policies = builder.build();
    let urls: Vec<String> =
        (0..5_000).map(|number| format!("https://{}.example/{}", number % 60, number % 50)).collect();
    let verdicts = policies.check_batch("ExampleBot", &urls).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut checker = policies.checker("ExampleBot").unwrap();
                for (url, &verdict) in urls.iter().zip(&verdicts) {
                    assert_eq!(checker.check(url), verdict);
                }
            });
        }
    });
    let count = |word| verdicts.iter().filter(|verdict| verdict.as_str() == word).count();
    assert_eq!(count("allow") + count("disallow") + count("unknown"), 5_000);
    assert!(count("disallow") > 0 && count("unknown") > 500);
}

#[test]
fn arguments_have_many_types() {
    let body: Vec<u8> = b"User-agent: *\nDisallow: /private".into();
    let robots = Robots::parse(body);
    let agent: Agent = "ExampleBot".parse().unwrap();
    let user_agent = String::from("ExampleBot/2.1 (+https://example.com)");
    assert!(!robots.is_allowed(&agent, b"/private"));
    assert!(!robots.is_allowed(agent, String::from("/private")));
    assert!(!robots.is_allowed(String::from("ExampleBot"), "/private".as_bytes()));
    assert!(!robots.is_allowed(&user_agent, "/private"));
}

#[test]
fn robots_answer_everything_that_a_file_says() {
    let robots = Robots::builder().dialect(Dialect::Yandex).parse(
        "User-agent: a\nCrawl-delay: 2\nRequest-rate: 1/5m 0600-0700\nVisit-time: 2300-0100\nDisallow: /\n\
         Sitemap: https://example.com/a.xml\nHost: www.example.com\n",
    );
    let rules = robots.for_agent("a");
    assert_eq!(rules.crawl_delay().unwrap().as_secs(), 2);
    let rate = rules.request_rate().unwrap();
    assert_eq!(
        (rate.requests, rate.per.as_secs(), rate.window.map(|window| window.from)),
        (1, 300, Some(360))
    );
    let hours = rules.visit_time().unwrap();
    assert_eq!((hours.from, hours.to), (1380, 60));
    assert_eq!((rules.agent().as_str(), rules.dialect()), ("a", Dialect::Yandex));
    assert_eq!(rules.robots().sitemaps().count(), 1);
    assert_eq!(robots.preferred_host(), Some("www.example.com"));
    assert_eq!(robots.crawl_delay("b"), None);
    assert!(format!("{robots:?} {rules:?}").contains("Yandex"));
}

#[test]
fn diagnostics_are_about_the_file_as_it_was_given() {
    let codes = |body: &[u8]| -> Vec<String> {
        Robots::parse(body).diagnostics().iter().map(|diagnostic| diagnostic.code().to_owned()).collect()
    };
    assert_eq!(codes(b"User-agent: *\nDisallow: /\n"), [""; 0]);
    assert_eq!(codes(b"\xEF\xBB\xBFUser-agent: *\n"), ["byte-order-mark"]);
    assert_eq!(codes(b"\xFF\xFEU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0"), ["utf-16"]);
    let long = format!("User-agent: *\n{}", "Disallow: /x\n".repeat(100_000));
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let robots = Robots::builder().dialect(dialect).size_limit(1).parse(&long);
        assert_eq!(robots.diagnostics()[0].code(), "file-cut");
    }
    let diagnostics = Robots::parse("User-agent: *\nDisalow: /private").diagnostics();
    assert_eq!(
        (diagnostics[0].span(), diagnostics[0].message()),
        (14..21, "misspelt key: read as 'disallow'")
    );
}

#[test]
fn explanations_are_texts() {
    let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$");
    let text = |agent: &str, url: &str| robots.explain(agent, url).to_string();
    assert_eq!(text("ExampleBot", "/a"), "allow /a\n  no rule matches\n  group '*', dialect rfc9309\n");
    assert_eq!(text("", "/a"), "invalid /a\n  the agent names no crawler\n  no group, dialect rfc9309\n");
    assert_eq!(text("ExampleBot", "a"), "invalid a\n  the text is not a URL\n  group '*', dialect rfc9309\n");
    let explanation = robots.explain("ExampleBot", "https://example.com/private/press");
    assert_eq!((explanation.target(), explanation.rule_count()), (Some("/private/press"), 2));
    assert_eq!(explanation.rules()[1].access, Access::Disallow);
    // A site's text is neither more lines nor a command to a terminal.
    let robots = Robots::builder().dialect(Dialect::Koster1996).parse("User-agent: *\nDisallow: /%0A%1B[2J");
    let text = robots.explain("ExampleBot", "/%0A%1B[2J").to_string();
    assert!(text.contains("line 2: Disallow: /\\n\\u{1b}[2J (") && text.lines().count() == 3, "{text:?}");
}

#[test]
fn the_robots_txt_of_a_url_is_found() {
    assert_eq!(robots_txt_url("https://Example.com:443/a?b").unwrap(), "https://example.com/robots.txt");
    assert_eq!(robots_txt_url("http://example.com:8080").unwrap(), "http://example.com:8080/robots.txt");
    for url in ["https://example.com/pri\tvate", "https://example.com/\n", "/path", ""] {
        let error = robots_txt_url(url).unwrap_err();
        let shown = url.escape_debug();
        assert_eq!(error.to_string(), format!("'{shown}' is not a site: expected an absolute URL"));
    }
    assert_eq!(robots_txt_url(" https://example.com/x\t ").unwrap(), "https://example.com/robots.txt");
}

/// A text of a stranger is neither a command to a terminal nor text that runs backwards.
#[test]
fn errors_quote_texts_visibly() {
    let (text, shown) = ("\u{1b}[2J\u{202e}x", "\\u{1b}[2J\\u{202e}x");
    let mut builder = PolicySet::builder().agent("A").dialect(Dialect::Google);
    builder.insert("https://example.com", "").unwrap();
    let (policies, mut builder) = (builder.build(), PolicySet::builder());
    for error in [
        robots_txt_url(text).unwrap_err(),
        builder.insert(text, "").unwrap_err(),
        builder.insert_version(text, Moment::from_seconds(0), 200, "").unwrap_err(),
        policies.pace("A", text).unwrap_err(),
        policies.check(text, "https://example.com").unwrap_err(),
        Agent::from(text).validate(Dialect::Rfc9309).unwrap_err().into(),
        Agent::from(format!("Mozilla/5.0 ({text}) Firefox/60.0"))
            .validate(Dialect::Rfc9309)
            .unwrap_err()
            .into(),
    ] {
        assert!(error.to_string().contains(shown), "{:?}", error.to_string());
        assert!(!error.to_string().contains(['\u{1b}', '\u{202e}']));
    }
    let error = policies.check("\u{202e}x", "https://example.com").unwrap_err();
    assert!(error.to_string().contains("'\\u{202e}x'"), "{:?}", error.to_string());
}

#[test]
fn moments_are_times() {
    use std::time::{Duration, UNIX_EPOCH};
    assert_eq!(Moment::from(UNIX_EPOCH + Duration::from_millis(1_999)), Moment::from_seconds(1));
    assert_eq!(Moment::from(UNIX_EPOCH - Duration::from_millis(1)), Moment::from_seconds(-1));
    assert_eq!(FetchStatus::from(999), FetchStatus::Code(999));
}

#[test]
fn a_set_follows_what_applies_to_a_site() {
    let body = "User-agent: *\nDisallow: /private";
    let mut builder = PolicySet::builder();
    let applies = [
        ("rules", Applies::Rules),
        ("copy", Applies::LastGoodCopy),
        ("open", Applies::Unrestricted),
        ("shut", Applies::Restricted),
        ("unknown", Applies::Unknown),
    ];
    for (name, applies) in applies {
        builder.insert_applies(format!("https://{name}.example"), applies, body).unwrap();
    }
    let policies = builder.build();
    let allowed = |name: &str, path: &str| {
        policies.check("ExampleBot", format!("https://{name}.example{path}")).unwrap().is_allowed()
    };
    let answers = applies.map(|(name, _)| (allowed(name, "/public"), allowed(name, "/private")));
    assert_eq!(answers, [(true, false), (true, false), (true, true), (false, false), (false, false)]);
}

#[test]
fn a_name_that_some_dialect_accepts_is_an_agent() {
    for name in ["ExampleBot", "Google bot", "Googlebot-Image,Googlebot"] {
        let agent: Agent = name.parse().unwrap();
        assert!(Dialect::ALL.iter().any(|&dialect| agent.validate(dialect).is_ok()), "{name}");
    }
    for name in ["", " ", ","] {
        assert!(name.parse::<Agent>().is_err(), "{name:?}");
        assert!(Dialect::ALL.iter().all(|&dialect| Agent::from(name).validate(dialect).is_err()), "{name:?}");
    }
}

#[test]
fn a_size_limit_is_one_of_policy_sets_too() {
    let limits = RobotsBuilder::SIZE_LIMITS;
    let comments = "# a comment\n".repeat(limits.start() / 12);
    let body = format!("User-agent: *\nDisallow: /early\n{comments}Disallow: /late\n");
    let late = |builder: PolicySetBuilder| {
        let mut builder = builder.agent("A").dialect(Dialect::Google);
        builder.insert("a.example", &body).unwrap();
        builder.build().check("A", "https://a.example/late").unwrap().is_allowed()
    };
    assert!(!late(PolicySet::builder()) && !late(PolicySet::builder().size_limit(*limits.end())));
    assert!(late(PolicySet::builder().size_limit(*limits.start())));
    let mut builder = PolicySet::builder();
    builder.insert("a.example", &body).unwrap();
    let error = builder.size_limit(*limits.start()).insert("b.example", &body).unwrap_err();
    assert!(matches!(error, Error::UnsupportedOptions(_)), "{error}");
}
