//! Any bytes are a robots.txt. Reads everything that a policy says, and lints it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_engine::automaton::{Program, ProgramRef, Scratch, idle_rules};
use robomata_engine::evaluator::{CleanParams, SiteMementos};
use robomata_engine::policy::DelayLimits;
use robomata_engine::policy::acap::Acap;
use robomata_engine::syntax::Lines;
use robomata_engine::{
    Config, Crawler, Dialect, FetchStatus, Moment, Policy, Site, TdmRep, crawler_of_user_agent, explain,
    read_crawler,
};
use robomata_fuzz::{dialect, fields, option};
use robomata_lint::{LintOptions, lint};

// The first part chooses the dialect.
fuzz_target!(|data: &[u8]| {
    let [options, file] = fields(data);
    let dialect = dialect(option(options, 0));
    read(&Policy::with_diagnostics(file, &Config::new(dialect)));
    find_mistakes(file, dialect);
    let unavailable = Policy::fetched(file, Some(FetchStatus::Code(404)), &Config::new(dialect));
    assert!(unavailable.groups().is_empty(), "the body of an error page has no rules");
    let _ = format!("{:?}", TdmRep::read(file));
    let text = String::from_utf8_lossy(file);
    let _ = (read_crawler(&text, dialect), crawler_of_user_agent(&text));
});

/// Every accessor, and that positions are in the text.
fn read(policy: &Policy<'_>) {
    let text = policy.text();
    let lines = Lines::new(text);
    let count = lines.count();
    let mut crawlers = vec![Crawler::new("FooBot"), Crawler::new("FooBot-News,Foo_Bot"), Crawler::new("*")];
    let mut last = 0;
    for group in policy.groups() {
        for name in policy.names_of(group) {
            assert!((1..=count).contains(&name.line), "a name on line {} of {count}", name.line);
            let written = name.value.of(text);
            let _ = policy.agent_of(name);
            if crawlers.len() < 6 {
                crawlers.push(Crawler::new(&String::from_utf8_lossy(written)));
            }
        }
        for rule in policy.rules_of(group) {
            assert!(last <= rule.line && rule.line <= count, "rules in the order of their lines");
            last = rule.line;
            assert!(rule.pattern.range().end <= text.len(), "a pattern in the text");
        }
    }
    for record in policy.extensions() {
        assert!((1..=count).contains(&record.line), "a record on line {} of {count}", record.line);
        let _ = format!("{:?}", record.read(text));
        let _ = (record.written_key.of(text), policy.bound_by(record).len());
    }
    for diagnostic in policy.diagnostics() {
        assert!(diagnostic.line <= count, "a diagnostic on line {} of {count}", diagnostic.line);
        assert!(diagnostic.span.range().end <= text.len(), "a diagnostic in the text");
    }
    let _ = (policy.sitemaps().count(), policy.hosts().count(), policy.licenses().count());
    let _ =
        (policy.silent_records().count(), policy.unknown_records().count(), policy.joined_fields().count());
    let _ = (policy.time_gates(), policy.acap_version(), policy.schedules());
    for crawler in &crawlers {
        let _ = (policy.content_signal(crawler), policy.content_usage(crawler), policy.noindex(crawler));
        let _ = (policy.ai_training(crawler), policy.visit_time(crawler), policy.request_rate(crawler));
        let schedule = policy.schedule(crawler);
        for now in [None, Some(Moment::from_seconds(0)), Some(Moment::from_seconds(1_700_000_000))] {
            let limits = DelayLimits::default();
            let _ = robomata_engine::policy::Pace::new(policy.outcome(), &schedule, now, &limits);
        }
        compile(policy, crawler);
    }
    if let Some(acap) = Acap::read(policy, &[]) {
        for crawler in &crawlers {
            let _ = (acap.fields_for(crawler).len(), acap.requests_for(crawler).len());
            let _ = (acap.missing_references(crawler), acap.files_for(crawler));
        }
        let _ = (acap.crawlers().count(), acap.references().len(), acap.diagnostics().len());
    }
    let site = Site::of_url(b"https://example.com/").ok().map(Site::into_owned);
    let mut mementos = SiteMementos::new(policy, site);
    let url = b"https://example.com/a/b?x=1&y=2";
    let _ = (mementos.time_gates(url), mementos.announces(url));
    let _ = CleanParams::new(policy).canonical(url);
}

/// The program of the rules, read back and compiled from its bytes.
fn compile(policy: &Policy<'_>, crawler: &Crawler) {
    let dialect = policy.dialect();
    let rules = policy.rules_for(crawler);
    let program = Program::compile(&rules);
    let program = program.as_ref();
    assert_eq!(ProgramRef::from_bytes(program.bytes()).as_ref(), Ok(&program), "a compiled program loads");
    let read_back = program.rules(dialect).expect("a compiled program has all of its rules");
    for idle in idle_rules(program, &read_back, dialect) {
        assert!(idle.rule < read_back.len(), "an idle rule that exists");
    }
    let mut scratch = Scratch::new();
    for target in [&b"/"[..], b"/a", b"/robots.txt", b"/a/b.gif?c=d&e"] {
        let verdict = program.verdict(target, &mut scratch);
        let best = program.matching_ranks(target, &mut scratch).into_iter().max().unwrap_or(0);
        let line = read_back.iter().find(|rule| rule.rank == best).map_or(0, |rule| rule.line);
        assert_eq!(line, verdict.line, "the best of all rules that match decides");
    }
    let explained = explain(policy, crawler, b"https://example.com/a/b");
    let winner = explained.winner().map_or(0, |rule| rule.line);
    // Under ACAP, a field can decide instead of a rule.
    assert!(
        dialect == Dialect::Acap || winner == explained.answer.line(),
        "the winner is the rule that decides"
    );
}

/// Lints, and applies every fix.
fn find_mistakes(data: &[u8], dialect: Dialect) {
    let options = LintOptions { dialect, ..LintOptions::default() };
    let report = lint(data, &options);
    let length = report.text.len();
    for finding in &report.findings {
        assert!(finding.line > 0 && finding.column > 0, "{finding:?}");
        assert!(finding.span.range().end <= length, "{finding:?}");
        for related in &finding.related {
            assert!(related.span.range().end <= length, "{finding:?}");
        }
        if let Some(fix) = &finding.fix {
            let mut fixed = report.text.clone();
            fixed.splice(fix.span.range(), fix.text.bytes());
            assert_ne!(fixed, report.text, "a fix changes something: {finding:?}");
        }
    }
}
