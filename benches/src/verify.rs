//! Answers first: how each engine's verdicts differ from Google's parser's, and robomata's from its own oracle's.

use robomata::{Config, Crawler, Dialect, Policy, SitePolicy};
use robomata_reference::Reference;

use crate::contender::Verdicts;
use crate::corpus::{Agent, Corpus, Form};
use crate::engines::{GOOGLE, REFERENCE, RFC9309, Row};

/// How one engine's verdicts compare with those of Google's parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// URLs that Google's parser forbids and the engine allows.
    pub(crate) let_through: usize,
    /// URLs that Google's parser allows and the engine forbids.
    pub(crate) shut_out: usize,
    /// URLs on which it gives no answer.
    pub(crate) unanswered: usize,
    /// Bodies that it does not read: an error, or a panic.
    pub(crate) unread: usize,
}

impl Differences {
    pub(crate) fn of(verdicts: &Verdicts, corpus: &Corpus) -> Self {
        let unread = verdicts.unread.iter().filter(|&&unread| unread).count();
        let mut found = Differences { unread, ..Differences::default() };
        for (allowed, google) in verdicts.allowed.iter().zip(&corpus.google) {
            match allowed {
                None => found.unanswered += 1,
                Some(true) => found.let_through += usize::from(!google.allows),
                Some(false) => found.shut_out += usize::from(google.allows),
            }
        }
        found
    }

    /// URLs on which the engine does not say what Google's parser says.
    pub(crate) fn sum(&self) -> usize {
        self.let_through + self.shut_out + self.unanswered
    }
}

/// What robomata must answer, and how often it does not. All zero, or nothing is timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// URLs on which the dialect `google` differs from Google's parser.
    pub(crate) google: usize,
    /// URLs on which it names another line than Google's parser; none when lines are not recorded for the crawler.
    pub(crate) google_line: Option<usize>,
    /// URLs on which the dialect `rfc9309` differs from the reference in verdict, line or reason.
    pub(crate) reference: usize,
    /// URLs on which any of robomata's rows under RFC 9309 differs from the reference's row; for the store those that
    /// it can hold.
    pub(crate) rows: usize,
}

impl Failures {
    pub(crate) fn find(corpus: &Corpus, agent: Agent, rows: &[Row], verdicts: &[Verdicts]) -> Self {
        let of = |name: &str| rows.iter().position(|row| row.name == name).map(|index| &verdicts[index]);
        let mut failures = full_answers(corpus, agent);
        if let Some(google) = of(GOOGLE) {
            failures.google = Differences::of(google, corpus).sum();
        }
        if let Some(reference) = of(REFERENCE) {
            failures.rows =
                RFC9309.into_iter().filter_map(of).map(|row| unlike(row, reference, corpus)).sum();
        }
        failures
    }

    pub(crate) fn is_none(&self) -> bool {
        self.google + self.google_line.unwrap_or(0) + self.reference + self.rows == 0
    }
}

/// The URLs that a store can hold, on which a row differs from another.
fn unlike(row: &Verdicts, other: &Verdicts, corpus: &Corpus) -> usize {
    let held = corpus.groups.iter().filter(|group| group.one_body);
    held.flat_map(|group| group.urls.clone())
        .filter(|&place| row.allowed[place] != other.allowed[place])
        .count()
}

/// Compares more than the verdict: the deciding line, and under RFC 9309 the reason.
fn full_answers(corpus: &Corpus, agent: Agent) -> Failures {
    let crawler = Crawler::new(agent.as_str());
    let urls = corpus.questions.of(Form::Url);
    let (mut lines, mut answers) = (0, 0);
    for group in &corpus.groups {
        let body = corpus.bodies[group.body];
        let site = |dialect| SitePolicy::new(&Policy::new(body, &Config::new(dialect)), &crawler);
        let (mut google, mut rfc) = (site(Dialect::Google), site(Dialect::Rfc9309));
        let reference = Reference::new(body, None, &crawler, Dialect::Rfc9309);
        for place in group.urls.clone() {
            let url = urls[place].as_bytes();
            let line = corpus.google[place].line;
            lines += usize::from(line.is_some_and(|line| google.check(url).line() != line));
            answers += usize::from(rfc.check(url) != reference.judge(url));
        }
    }
    let has_lines = agent == Agent::Googlebot;
    Failures { google_line: has_lines.then_some(lines), reference: answers, ..Failures::default() }
}

/// How many URLs Google's parser forbids.
pub(crate) fn forbidden(corpus: &Corpus) -> usize {
    corpus.google.iter().filter(|google| !google.allows).count()
}
