//! What a page says to one crawler.

use robomata_policy::Statement;
use robomata_protocol::{Crawler, PageFacts};

use crate::diagnostic::PageDiagnostic;

/// What a page and its headers say to one crawler, by vocabulary, before it is decided which of it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageStatements {
    /// ACAP's: META tags that address the crawler or any, in the order of the page, then elements in theirs. A
    /// `location` is a [`Qualifier::Location`](robomata_protocol::Qualifier::Location), not yet compared with the page's URL.
    pub acap: Vec<Statement>,
    /// Robots META's and X-Robots-Tag's: one statement for each usage, the most restrictive of all (row P12).
    pub robots_meta: Vec<Statement>,
    /// Content-Usage's headers': one statement for each usage.
    pub content_usage: Vec<Statement>,
    /// TDMRep's.
    pub tdm: Option<Statement>,
    /// The ACAP version under which the page was written (part 2, 2.2.7).
    pub version: AcapVersion,
    /// What is odd about it.
    pub diagnostics: Vec<PageDiagnostic>,
}

/// A version of ACAP, `major.minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AcapVersion {
    /// Versions of different majors have nothing in common.
    pub major: u32,
    /// A version has all features of the minor ones before it.
    pub minor: u32,
}

impl Default for AcapVersion {
    /// 1.0, that of a page without a version tag (part 2, 2.2.7).
    fn default() -> Self {
        AcapVersion { major: 1, minor: 0 }
    }
}

impl PageStatements {
    /// What `facts` say to `crawler`. Never fails: oddities are diagnostics.
    pub fn read(facts: &PageFacts, crawler: &Crawler) -> Self {
        let _ = (facts, crawler);
        PageStatements::default()
    }
}
