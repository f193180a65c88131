//! One question about what may be done with a resource, and what is to be answered.
//!
//! As with [`Case`](crate::Case), nothing here knows an engine: whoever wants to be judged hands [`run_permissions`] a closure
//! `Fn(&PermissionCase) -> Outcome`. The format of the files is described in `corpora/conformance/README.md`.

mod grammar;
mod load;
mod moment;
mod page;
mod run;
mod shrink;

use robomata_protocol::{
    Circumstances, ConflictRule, Crawler, Dialect, FetchStatus, PageFacts, Permission, PermissionAnswer,
    PermissionReason, Place, Source, Usage, Vocabulary,
};

pub use load::{load, load_folder, parse};
pub use moment::moment;
pub use run::{Mismatch, PermissionFailure, PermissionReport, run_permissions};
pub use shrink::shrink_permissions;

/// One question and what is expected of its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionCase {
    /// Names the case for good: `file/section/title/number`.
    pub id: String,
    /// The section of the specification, or the row of the decision table, that decides.
    pub section: String,
    /// What is required, in a few words.
    pub title: String,
    /// The reading of robots.txt under which the answer is expected.
    pub dialect: Dialect,
    /// The site that the robots.txt is from, e.g. `http://example.com`.
    pub origin: String,
    /// The robots.txt, byte by byte.
    pub robots: Vec<u8>,
    /// How its fetch ended; `None` when nothing is known but the body.
    pub status: Option<FetchStatus>,
    /// The files that were supplied for `ACAP-permissions-reference` (row A7).
    pub referenced: Vec<ReferencedFile>,
    /// The page, when it is known.
    pub page: Option<Page>,
    /// Who asks.
    pub crawler: Crawler,
    /// What is asked about.
    pub url: Vec<u8>,
    /// What else is known.
    pub circumstances: Circumstances,
    /// What is to be said.
    pub expect: Expectations,
    /// Why, where the title does not say it.
    pub note: String,
}

/// A file that an `ACAP-permissions-reference` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferencedFile {
    /// The locator as the reference writes it.
    pub locator: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// A page: what it says, or its text together with what has to be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What META tags, elements and headers hold.
    pub facts: PageFacts,
    /// The page's text: then META tags and elements are to be extracted from it, and must be those of `facts`.
    pub html: Option<Vec<u8>>,
}

/// What a case expects. What is empty or `None` is not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// The answer for each of these usages.
    pub answers: Vec<(Usage, ExpectedAnswer)>,
    /// The action requests for the URL (row A13): `take-down` or `re-crawl`, by line.
    pub requests: Option<Vec<Told>>,
    /// The TimeGates for the URL (row M4), each by the first `Archived` line that matches.
    pub time_gates: Option<Vec<Told>>,
    /// Does the file announce Mementos (row M5)?
    pub announces_mementos: Option<bool>,
    /// Is the URL announced as a Memento, and by which line (row M5)?
    pub memento: Option<Announcement>,
    /// The licenses (row V6), by line.
    pub licenses: Option<Vec<Told>>,
    /// What the fields that say nothing of usages come to (row V9), a text each.
    pub asides: Option<Vec<String>>,
    /// The canonical URL (row V7).
    pub canonical: Option<Vec<u8>>,
    /// The ACAP version that a comment tells (row A2); empty when none does.
    pub version: Option<String>,
}

impl Expectations {
    /// How many things are expected.
    pub fn count(&self) -> usize {
        let others = [
            self.requests.is_some(),
            self.time_gates.is_some(),
            self.announces_mementos.is_some(),
            self.memento.is_some(),
            self.licenses.is_some(),
            self.asides.is_some(),
            self.canonical.is_some(),
            self.version.is_some(),
        ];
        self.answers.len() + others.into_iter().filter(|asked| *asked).count()
    }
}

/// Something a line tells about a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What: a URL, or the name of an action.
    pub what: String,
    /// The 1-based line of the robots.txt.
    pub line: u32,
}

/// Is a URL announced as a Memento?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// Yes, by the rule on this line.
    By(u32),
    /// No.
    None,
}

/// What an answer has to be. Its text form is described in `corpora/conformance/README.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedAnswer {
    /// May it be done?
    pub permission: Permission,
    /// Why.
    pub reason: PermissionReason,
    /// What decided; `None` when the case does not say.
    pub source: Option<ExpectedSource>,
    /// In whose words; `None` when the case does not say.
    pub vocabulary: Option<Vocabulary>,
    /// The qualifiers as their `Display` writes them, sorted; `None` when the case does not say.
    pub qualifiers: Option<Vec<String>>,
    /// The lacks as their `Display` writes them, sorted.
    pub lacks: Vec<String>,
    /// What was overruled, in order; `None` when the case does not say.
    pub conflicts: Option<Vec<(ExpectedSource, ConflictRule)>>,
}

impl ExpectedAnswer {
    /// Is `answer` what is expected?
    pub fn holds(&self, answer: &PermissionAnswer) -> bool {
        let source = answer.source.as_ref();
        self.permission == answer.permission
            && self.reason == answer.reason
            && self.source.is_none_or(|expected| expected.is(source))
            && self.vocabulary.is_none_or(|expected| source.is_some_and(|s| s.vocabulary == expected))
            && self.qualifiers.as_ref().is_none_or(|expected| *expected == sorted(&answer.qualifiers))
            && self.lacks == sorted(&answer.lacks)
            && self.conflicts.as_ref().is_none_or(|expected| {
                expected.len() == answer.conflicts.len()
                    && expected.iter().zip(&answer.conflicts).all(|((loser, rule), conflict)| {
                        *rule == conflict.rule && loser.is(Some(&conflict.loser))
                    })
            })
    }
}

/// The texts of `all`, sorted: neither qualifiers nor lacks have an order of their own.
fn sorted<T: ToString>(all: &[T]) -> Vec<String> {
    let mut texts: Vec<_> = all.iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

/// Where something has to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedSource {
    /// Nowhere.
    Nothing,
    /// On this line of this place.
    Line(Place, u32),
    /// By this element, whatever its line.
    Element(u32),
}

impl ExpectedSource {
    /// Is `source` there?
    pub fn is(self, source: Option<&Source>) -> bool {
        match self {
            ExpectedSource::Nothing => source.is_none(),
            ExpectedSource::Line(place, line) => source.is_some_and(|s| s.place == place && s.line == line),
            ExpectedSource::Element(number) => source.is_some_and(|s| s.place == Place::Element(number)),
        }
    }
}

/// What an engine says to a case. What it leaves out counts as unanswered when the case asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The answers, at least for the usages that the case asks for ([`PermissionCase::usages`]).
    pub answers: Vec<PermissionAnswer>,
    /// See [`Expectations::requests`].
    pub requests: Option<Vec<Told>>,
    /// See [`Expectations::time_gates`].
    pub time_gates: Option<Vec<Told>>,
    /// See [`Expectations::announces_mementos`].
    pub announces_mementos: Option<bool>,
    /// See [`Expectations::memento`].
    pub memento: Option<Announcement>,
    /// See [`Expectations::licenses`].
    pub licenses: Option<Vec<Told>>,
    /// See [`Expectations::asides`].
    pub asides: Option<Vec<String>>,
    /// See [`Expectations::canonical`].
    pub canonical: Option<Vec<u8>>,
    /// See [`Expectations::version`].
    pub version: Option<String>,
    /// The META tags and elements of [`Page::html`]; its headers are not looked at.
    pub facts: Option<PageFacts>,
}

impl PermissionCase {
    /// The usages asked about.
    pub fn usages(&self) -> impl Iterator<Item = Usage> {
        self.expect.answers.iter().map(|(usage, _)| *usage)
    }

    /// What the page says, if there is one.
    pub fn facts(&self) -> Option<&PageFacts> {
        self.page.as_ref().map(|page| &page.facts)
    }
}
