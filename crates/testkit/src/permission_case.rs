//! One question about what may be done with a resource, and the expected answers.
//!
//! As with [`Case`](crate::Case), nothing here knows an engine: the caller passes a closure `Fn(&PermissionCase) ->
//! Outcome` to [`run_permissions`]. The format of the files is described in `corpora/conformance/README.md`.

mod grammar;
mod load;
mod moment;
mod page;
mod run;
mod shrink;

use robomata_protocol::{
    Circumstances, ConflictRule, Crawler, Dialect, FetchStatus, License, PageFacts, Permission,
    PermissionAnswer, PermissionReason, Place, Source, Usage, Vocabulary,
};

pub use load::{load, load_folder, parse};
pub use moment::moment;
pub use run::{Mismatch, PermissionFailure, PermissionReport, run_permissions};
pub use shrink::shrink_permissions;

/// One question and its expected answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionCase {
    /// A permanent identifier: `file/section/title/number`.
    pub id: String,
    /// The section of the specification, or the row of the decision table, that decides.
    pub section: String,
    /// The requirement, in a few words.
    pub title: String,
    /// The dialect under which the answer is expected.
    pub dialect: Dialect,
    /// The site that the robots.txt is from, e.g. `http://example.com`.
    pub origin: String,
    /// The robots.txt, byte by byte.
    pub robots: Vec<u8>,
    /// How its fetch ended; `None` if only the body is known.
    pub status: Option<FetchStatus>,
    /// The files that were supplied for `ACAP-permissions-reference` (row A7).
    pub referenced: Vec<ReferencedFile>,
    /// The bytes of `/.well-known/tdmrep.json`, if it is known (row T1).
    pub tdmrep: Option<Vec<u8>>,
    /// The page, if it is known.
    pub page: Option<Page>,
    /// The crawler.
    pub crawler: Crawler,
    /// The URL.
    pub url: Vec<u8>,
    /// Other known facts.
    pub circumstances: Circumstances,
    /// The expected answers.
    pub expect: Expectations,
    /// The reason, if the title does not give it.
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

/// A page: its facts alone, or its text with the facts that must be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The contents of META tags, elements, links and headers.
    pub facts: PageFacts,
    /// The page's text. If given, META tags, elements and links are extracted from it and must equal those of `facts`.
    pub html: Option<Vec<u8>>,
}

/// The expectations of a case. Empty or `None` fields are not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// The answer for each of these usages.
    pub answers: Vec<(Usage, ExpectedAnswer)>,
    /// The action requests for the URL (row A13): `take-down` or `re-crawl`, by line.
    pub requests: Option<Vec<TextAtLine>>,
    /// The TimeGates for the URL (row M4), each with the first `Archived` line that matches.
    pub time_gates: Option<Vec<TextAtLine>>,
    /// Whether the file announces Mementos (row M5).
    pub announces_mementos: Option<bool>,
    /// Whether the URL is announced as a Memento, and on which line (row M5).
    pub memento: Option<Announcement>,
    /// The licenses (row V6), in order.
    pub licenses: Option<Vec<License>>,
    /// The fields that say nothing about usages (rows V9 and V11), as one text each.
    pub asides: Option<Vec<String>>,
    /// How long to wait between two fetches, and for a visit (`crates/DIALECTS.md`, rows W), as one text each.
    pub pace: Option<Vec<String>>,
    /// The canonical URL (row V7).
    pub canonical: Option<Vec<u8>>,
    /// The ACAP version in a comment (row A2); empty if there is none.
    pub version: Option<String>,
}

impl Expectations {
    /// The number of expectations.
    pub fn count(&self) -> usize {
        let others = [
            self.requests.is_some(),
            self.time_gates.is_some(),
            self.announces_mementos.is_some(),
            self.memento.is_some(),
            self.licenses.is_some(),
            self.asides.is_some(),
            self.pace.is_some(),
            self.canonical.is_some(),
            self.version.is_some(),
        ];
        self.answers.len() + others.into_iter().filter(|asked| *asked).count()
    }
}

/// A statement about a URL, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextAtLine {
    /// The content: a URL, or the name of an action.
    pub what: String,
    /// The 1-based line of the robots.txt.
    pub line: u32,
}

/// Whether a URL is announced as a Memento.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// Yes, by the rule on this line.
    By(u32),
    /// No.
    None,
}

/// The expected properties of an answer. `corpora/conformance/README.md` describes its text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedAnswer {
    /// The permission.
    pub permission: Permission,
    /// The reason.
    pub reason: PermissionReason,
    /// The deciding source; `None` if the case does not specify it.
    pub source: Option<ExpectedSource>,
    /// The vocabulary of the source; `None` if the case does not specify it.
    pub vocabulary: Option<Vocabulary>,
    /// The qualifiers as their `Display` writes them, sorted; `None` if the case does not specify them.
    pub qualifiers: Option<Vec<String>>,
    /// The lacks as their `Display` writes them, sorted.
    pub lacks: Vec<String>,
    /// The overruled sources, in order; `None` if the case does not specify them.
    pub conflicts: Option<Vec<(ExpectedSource, ConflictRule)>>,
}

impl ExpectedAnswer {
    /// Returns whether `answer` is as expected.
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

/// The texts of `all`, sorted: the order of qualifiers and lacks does not matter.
fn sorted<T: ToString>(all: &[T]) -> Vec<String> {
    let mut texts: Vec<_> = all.iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

/// A license as cases write it: `https://a.example/l.xml by header 2`, then ` as ` and its media type, if it has one.
fn license(license: &License) -> String {
    let License { url, media_type, place, line } = license;
    let place = ExpectedSource::Line(*place, *line);
    let media_type = media_type.as_ref().map_or_else(String::new, |media_type| format!(" as {media_type}"));
    format!("{url} by {place}{media_type}")
}

/// The expected location of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedSource {
    /// Nowhere.
    Nothing,
    /// On this line of this place.
    Line(Place, u32),
    /// On this element, regardless of the line.
    Element(u32),
}

impl ExpectedSource {
    /// Returns whether `source` is at this location.
    pub fn is(self, source: Option<&Source>) -> bool {
        match self {
            ExpectedSource::Nothing => source.is_none(),
            ExpectedSource::Line(place, line) => source.is_some_and(|s| s.place == place && s.line == line),
            ExpectedSource::Element(number) => source.is_some_and(|s| s.place == Place::Element(number)),
        }
    }
}

/// An engine's answers to a case. A missing answer counts as unanswered if the case expects it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The answers, at least for the usages of the case ([`PermissionCase::usages`]).
    pub answers: Vec<PermissionAnswer>,
    /// See [`Expectations::requests`].
    pub requests: Option<Vec<TextAtLine>>,
    /// See [`Expectations::time_gates`].
    pub time_gates: Option<Vec<TextAtLine>>,
    /// See [`Expectations::announces_mementos`].
    pub announces_mementos: Option<bool>,
    /// See [`Expectations::memento`].
    pub memento: Option<Announcement>,
    /// See [`Expectations::licenses`].
    pub licenses: Option<Vec<License>>,
    /// See [`Expectations::asides`].
    pub asides: Option<Vec<String>>,
    /// See [`Expectations::pace`].
    pub pace: Option<Vec<String>>,
    /// See [`Expectations::canonical`].
    pub canonical: Option<Vec<u8>>,
    /// See [`Expectations::version`].
    pub version: Option<String>,
    /// The META tags, elements and links of [`Page::html`]; its headers are ignored.
    pub facts: Option<PageFacts>,
}

impl PermissionCase {
    /// The usages that the case asks about.
    pub fn usages(&self) -> impl Iterator<Item = Usage> {
        self.expect.answers.iter().map(|(usage, _)| *usage)
    }

    /// The facts of the page, if there is one.
    pub fn facts(&self) -> Option<&PageFacts> {
        self.page.as_ref().map(|page| &page.facts)
    }
}
