//! Counts bodies that were sent as a robots.txt but are not one.

use std::fmt;

use robomata_engine::Config;
use robomata_formats::{BodyKind, Capture};
use serde::Serialize;

use crate::robots_file::Defect;

/// Counts of captures of successful fetches whose body is not a robots.txt, by kind.
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
    /// Records in a single line, of which only the first one counts.
    pub one_line: u64,
    /// Rules without a group, which count for no crawler.
    pub no_group: u64,
}

impl NotRobots {
    /// The sum over all kinds.
    pub fn total(&self) -> u64 {
        self.kinds().iter().map(|(_, count)| count).sum()
    }

    /// Counts the body of `capture`, if it has one and its status lets it count, as it is read with `config`.
    pub(super) fn count(&mut self, capture: &Capture, config: &Config) {
        if capture.is_failed() {
            return;
        }
        match Defect::of(&capture.body, config) {
            None | Some(Defect::Other(BodyKind::Robots)) => {}
            Some(Defect::Other(BodyKind::Empty)) => self.empty += 1,
            Some(Defect::Other(BodyKind::Html)) => self.html += 1,
            Some(Defect::Other(BodyKind::Xml)) => self.xml += 1,
            Some(Defect::Other(BodyKind::Json)) => self.json += 1,
            Some(Defect::Other(BodyKind::Binary)) => self.binary += 1,
            Some(Defect::Other(BodyKind::Prose)) => self.prose += 1,
            Some(Defect::OneLine) => self.one_line += 1,
            Some(Defect::NoGroup(_)) => self.no_group += 1,
        }
    }

    const fn kinds(&self) -> [(&'static str, u64); 8] {
        [
            (BodyKind::Empty.as_str(), self.empty),
            (BodyKind::Html.as_str(), self.html),
            (BodyKind::Xml.as_str(), self.xml),
            (BodyKind::Json.as_str(), self.json),
            (BodyKind::Binary.as_str(), self.binary),
            (BodyKind::Prose.as_str(), self.prose),
            ("in one line", self.one_line),
            ("without a group", self.no_group),
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
