//! Counts bodies that were sent as a robots.txt but are not one.

use std::fmt;

use robomata_formats::{BodyKind, Capture};
use serde::Serialize;

/// Counts of captures of successful fetches whose body does not look like a robots.txt, by kind.
///
/// These bodies are parsed like all others: any rules in them count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotRobots {
    /// Only white space.
    pub empty: u64,
    /// Pages.
    pub html: u64,
    /// Other markup.
    pub xml: u64,
    /// JSON.
    pub json: u64,
    /// Images, archives and the like.
    pub binary: u64,
    /// Text without a record or a comment.
    pub prose: u64,
}

impl NotRobots {
    /// The sum over all kinds.
    pub fn total(&self) -> u64 {
        self.kinds().iter().map(|(_, count)| count).sum()
    }

    /// Counts the body of `capture`, if it has one and its status lets it count.
    pub(super) fn count(&mut self, capture: &Capture) {
        if capture.is_failed() {
            return;
        }
        match BodyKind::of(&capture.body) {
            BodyKind::Robots => {}
            BodyKind::Empty => self.empty += 1,
            BodyKind::Html => self.html += 1,
            BodyKind::Xml => self.xml += 1,
            BodyKind::Json => self.json += 1,
            BodyKind::Binary => self.binary += 1,
            BodyKind::Prose => self.prose += 1,
        }
    }

    const fn kinds(&self) -> [(&'static str, u64); 6] {
        [
            (BodyKind::Empty.as_str(), self.empty),
            (BodyKind::Html.as_str(), self.html),
            (BodyKind::Xml.as_str(), self.xml),
            (BodyKind::Json.as_str(), self.json),
            (BodyKind::Binary.as_str(), self.binary),
            (BodyKind::Prose.as_str(), self.prose),
        ]
    }
}

/// Writes the nonzero counts: `2 empty, 31 html`; `none` if there are none.
impl fmt::Display for NotRobots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.kinds();
        let found: Vec<String> = kinds
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        f.pad(if found.is_empty() { "none".to_owned() } else { found.join(", ") }.as_str())
    }
}
