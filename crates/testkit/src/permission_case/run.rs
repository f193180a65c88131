//! Runs every permission case with an engine and reports the wrong answers.

use std::fmt;

use robomata_protocol::{PageFacts, PermissionAnswer, Usage};

use super::{Announcement, ExpectedAnswer, Outcome, PermissionCase, TextAtLine, license};
use crate::{bytes, listing};

/// The results of an engine.
#[derive(Clone, Debug)]
pub struct PermissionReport {
    /// The engine's name.
    pub engine: String,
    /// Cases with all expectations met.
    pub passed: usize,
    /// Single expectations that were met.
    pub met: usize,
    /// Cases with an expectation that was not met.
    pub failures: Vec<PermissionFailure>,
}

/// A case with an unexpected answer.
#[derive(Clone, Debug)]
pub struct PermissionFailure {
    /// The case.
    pub case: PermissionCase,
    /// The expectations that were not met, with the actual answers.
    pub mismatches: Vec<Mismatch>,
}

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The question: a usage, or the name of another key of a case.
    pub asked: String,
    /// The case's expectation.
    pub expected: String,
    /// The engine's answer; `unanswered` if it gives none.
    pub got: String,
}

/// Runs every case with `engine` (called `name` in the report).
pub fn run_permissions(
    cases: &[PermissionCase],
    name: &str,
    engine: impl Fn(&PermissionCase) -> Outcome,
) -> PermissionReport {
    let mut report = PermissionReport { engine: name.to_owned(), passed: 0, met: 0, failures: Vec::new() };
    for case in cases {
        let checks = Checks::of(case, &engine(case));
        report.met += checks.met;
        if checks.mismatches.is_empty() {
            report.passed += 1;
        } else {
            report.failures.push(PermissionFailure { case: case.clone(), mismatches: checks.mismatches });
        }
    }
    report
}

/// The results of comparing one outcome with its case.
#[derive(Default)]
struct Checks {
    met: usize,
    mismatches: Vec<Mismatch>,
}

impl Checks {
    fn of(case: &PermissionCase, outcome: &Outcome) -> Self {
        let (expect, mut checks) = (&case.expect, Checks::default());
        for (usage, expected) in &expect.answers {
            checks.answer(*usage, expected, outcome.answers.iter().find(|answer| answer.usage == *usage));
        }
        checks.equal("requests", expect.requests.as_ref(), outcome.requests.as_ref(), |all| list(all));
        checks.equal("time_gates", expect.time_gates.as_ref(), outcome.time_gates.as_ref(), |all| list(all));
        let announces = (expect.announces_mementos.as_ref(), outcome.announces_mementos.as_ref());
        checks.equal("mementos", announces.0, announces.1, ToString::to_string);
        checks.equal("memento", expect.memento.as_ref(), outcome.memento.as_ref(), announcement);
        checks.equal("licenses", expect.licenses.as_ref(), outcome.licenses.as_ref(), |all| {
            format!("[{}]", all.iter().map(license).collect::<Vec<_>>().join(", "))
        });
        checks.equal("asides", expect.asides.as_ref(), outcome.asides.as_ref(), |all| format!("{all:?}"));
        checks.equal("pace", expect.pace.as_ref(), outcome.pace.as_ref(), |all| format!("{all:?}"));
        checks.equal("canonical", expect.canonical.as_ref(), outcome.canonical.as_ref(), |url| {
            bytes::escape(url)
        });
        checks.equal("version", expect.version.as_ref(), outcome.version.as_ref(), Clone::clone);
        if let Some(page) = case.page.as_ref().filter(|page| page.html.is_some()) {
            let without_headers = |facts: &PageFacts| PageFacts { headers: Vec::new(), ..facts.clone() };
            let (expected, got) = (without_headers(&page.facts), outcome.facts.as_ref().map(without_headers));
            checks.equal("facts", Some(&expected), got.as_ref(), |facts| format!("{facts:?}"));
        }
        checks
    }

    fn answer(&mut self, usage: Usage, expected: &ExpectedAnswer, got: Option<&PermissionAnswer>) {
        if got.is_some_and(|answer| expected.holds(answer)) {
            self.met += 1;
            return;
        }
        let got = got.map(|answer| ExpectedAnswer::of(answer).to_string());
        self.miss(usage.as_str(), expected.to_string(), got);
    }

    /// Compares `got` with `expected`, if that is given.
    fn equal<T: PartialEq>(
        &mut self,
        asked: &str,
        expected: Option<&T>,
        got: Option<&T>,
        text: impl Fn(&T) -> String,
    ) {
        match expected {
            None => {}
            Some(expected) if got == Some(expected) => self.met += 1,
            Some(expected) => self.miss(asked, text(expected), got.map(&text)),
        }
    }

    fn miss(&mut self, asked: &str, expected: String, got: Option<String>) {
        let got = got.unwrap_or_else(|| "unanswered".to_owned());
        self.mismatches.push(Mismatch { asked: asked.to_owned(), expected, got });
    }
}

fn list(all: &[TextAtLine]) -> String {
    let all: Vec<_> = all.iter().map(|text| format!("{} by {}", text.what, text.line)).collect();
    format!("[{}]", all.join(", "))
}

fn announcement(announcement: &Announcement) -> String {
    match announcement {
        Announcement::By(line) => format!("announced by {line}"),
        Announcement::None => "not announced".to_owned(),
    }
}

impl PermissionReport {
    /// Returns whether there is no failure.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty()
    }
}

impl fmt::Display for PermissionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        let (passed, failed) = (self.passed, self.failures.len());
        let all = passed + failed;
        write!(
            f,
            "{}: {all} cases, {passed} passed ({} expectations met), {failed} failed",
            self.engine, self.met
        )
    }
}

impl fmt::Display for PermissionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = &self.case;
        writeln!(f, "FAILED {} under {}", case.id, case.dialect)?;
        writeln!(f, "  section  {}: {}", case.section, case.title)?;
        writeln!(f, "  crawler  {}", bytes::escape(case.crawler.to_string().as_bytes()))?;
        writeln!(f, "  site     {}", case.origin)?;
        writeln!(f, "  url      {}", bytes::escape(&case.url))?;
        if let Some(status) = case.status {
            writeln!(f, "  status   {status:?}")?;
        }
        if case.circumstances != Default::default() {
            writeln!(f, "  with     {:?}", case.circumstances)?;
        }
        for Mismatch { asked, expected, got } in &self.mismatches {
            writeln!(f, "  {asked}\n    expected {expected}\n    got      {got}")?;
        }
        if !case.note.is_empty() {
            writeln!(f, "  note     {}", case.note)?;
        }
        write_page(f, case)?;
        listing::write_robots(f, &case.robots)?;
        if let Some(tdmrep) = &case.tdmrep {
            writeln!(f, "  tdmrep   {}", bytes::escape(tdmrep))?;
        }
        for file in &case.referenced {
            writeln!(f, "  referenced {}", file.locator)?;
            listing::write_robots(f, &file.bytes)?;
        }
        Ok(())
    }
}

fn write_page(f: &mut fmt::Formatter<'_>, case: &PermissionCase) -> fmt::Result {
    let Some(page) = &case.page else { return Ok(()) };
    for meta in &page.facts.metas {
        writeln!(f, "  meta     {} | {}: {}", meta.line, meta.name, meta.content)?;
    }
    for (number, element) in page.facts.elements.iter().enumerate() {
        let (tag, classes, parent) = (&element.tag, element.classes.join(" "), element.parent);
        writeln!(f, "  element  {number} | {tag} class=\"{classes}\", parent {parent:?}")?;
    }
    for link in &page.facts.links {
        writeln!(f, "  link     {} | {} ({:?})", link.line, link.href, link.media_type)?;
    }
    for (number, header) in (1..).zip(&page.facts.headers) {
        writeln!(f, "  header   {number} | {}: {}", header.name, header.value)?;
    }
    match &page.html {
        Some(html) => writeln!(f, "  html     {}", bytes::escape(html)),
        None => Ok(()),
    }
}
