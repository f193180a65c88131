//! The report about a URL, with stable names.

use std::borrow::Cow;

use serde::Serialize;

use crate::fetch::StandingReport;

/// The permissions of one URL.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UrlPermissions<'u> {
    /// The URL; bytes that are not UTF-8 are replaced.
    pub url: Cow<'u, str>,
    /// Is the text a URL? If not, the other fields are empty.
    pub valid: bool,
    /// Every usage, in the order of [`Usage::ALL`](robomata_engine::Usage::ALL).
    pub usages: Vec<UsagePermission>,
    /// Actions that the site requests (A13).
    pub requests: Vec<NamedRequest>,
    /// TimeGates with old versions of the URL (M4).
    pub time_gates: Vec<OldVersions>,
    /// The line that announces it as a Memento (M5).
    pub memento: Option<AnnouncedMemento>,
    /// The URL without irrelevant parameters, if it has any (V7).
    pub canonical: Option<String>,
    /// Remarks that are the same for every URL of the site.
    #[serde(flatten)]
    pub site: &'u SiteRemarks,
}

/// The permission for one usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsagePermission {
    /// The usage.
    pub usage: &'static str,
    /// `permitted`, `unspecified`, `deferred` or `prohibited`.
    pub permission: &'static str,
    /// The reason: a name of [`PermissionReason`](robomata_engine::PermissionReason).
    pub reason: &'static str,
    /// The statement that decided; none if there is none.
    pub source: Option<Quote>,
    /// The restrictions of a permission; all of them apply.
    pub qualifiers: Vec<String>,
    /// Facts that are missing for a final answer; `purpose=NAME` if the usage is prohibited for that purpose.
    pub lacks: Vec<String>,
    /// Statements that did not decide.
    pub conflicts: Vec<Overruled>,
}

/// A statement: its place and its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quote {
    /// The vocabulary.
    pub vocabulary: &'static str,
    /// `robots-txt`, `referenced`, `meta`, `element` or `header`.
    pub place: &'static str,
    /// The locator of the referenced file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locator: Option<String>,
    /// The element's number, as in [`SiteRemarks::elements`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<u32>,
    /// The 1-based line of a file or page, or the 1-based number of a header; 0 when unknown.
    pub line: u32,
    /// The line of a file, the header, or the relevant part of the tag; none if several tags share a line.
    pub text: Option<String>,
}

/// A statement that did not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overruled {
    /// The rule that overruled it: a name of [`ConflictRule`](robomata_engine::ConflictRule).
    pub rule: &'static str,
    /// The statement that was overruled.
    pub loser: Quote,
}

/// An action request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedRequest {
    /// `take-down` or `re-crawl`.
    pub action: &'static str,
    /// The statement.
    pub source: Quote,
}

/// A TimeGate that has old versions of the URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OldVersions {
    /// Its URL, as written.
    pub url: String,
    /// The 1-based line of the `TimeGate` record.
    pub line: u32,
    /// The line of its first `Archived` record that matches.
    pub archived_line: u32,
}

/// The URL is announced as a Memento.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AnnouncedMemento {
    /// The line that announces it.
    pub line: u32,
    /// The condition under which it is announced.
    pub condition: &'static str,
}

/// Remarks about a site, or a page, as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteRemarks {
    /// The crawler.
    pub crawler: String,
    /// The dialect of the robots.txt.
    pub dialect: &'static str,
    /// The outcome of the fetch of the robots.txt: `success`, `redirected`, `unavailable`, `unreachable`, `restricted`
    /// or `deferred`.
    pub fetched: &'static str,
    /// What applies to the site after that fetch, and until when; none when nothing is known about the fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingReport>,
    /// The version of ACAP that the robots.txt declares.
    pub acap_version: Option<String>,
    /// The files that the robots.txt refers to (A7).
    pub references: Vec<ListedReference>,
    /// The licences that accompany every answer (V6).
    pub licenses: Vec<LicenseLine>,
    /// Seconds to wait between requests.
    pub crawl_delay: Option<f64>,
    /// The allowed rate of requests.
    pub request_rate: Option<Rate>,
    /// The hours in which visits are welcome.
    pub visit_time: Option<Hours>,
    /// The URLs of sitemaps.
    pub sitemaps: Vec<String>,
    /// The preferred host.
    pub host: Option<String>,
    /// Preferences of Content-Signal and Content-Usage under labels without a known usage.
    pub labels: Vec<ForeignLabel>,
    /// The page's elements that have an ACAP class.
    pub elements: Vec<PageElementLine>,
    /// Diagnostics about the page's statements.
    pub page_diagnostics: Vec<String>,
}

/// A file that a robots.txt refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedReference {
    /// Its locator as written.
    pub locator: String,
    /// The 1-based line of the reference.
    pub line: u32,
    /// Was the file given to the query?
    pub supplied: bool,
}

/// A licence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LicenseLine {
    /// The URL of its terms.
    pub url: String,
    /// The 1-based line of the record.
    pub line: u32,
}

/// A rate of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// The number of requests.
    pub requests: u32,
    /// The number of seconds.
    pub seconds: u64,
    /// The hours in which the rate applies; at any time by default.
    pub hours: Option<Hours>,
}

/// Hours of every day, in UTC. They span midnight if they end before they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// The first minute of the day.
    pub from: u16,
    /// The last minute of the day.
    pub to: u16,
}

impl std::fmt::Display for Hours {
    /// `08:00-13:00`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Hours { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

impl Serialize for Hours {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A preference under a label without a known usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForeignLabel {
    /// `content-signal` or `content-usage`.
    pub vocabulary: &'static str,
    /// `robots-txt` or `header`.
    pub place: &'static str,
    /// The label as written.
    pub label: String,
    /// `yes`, `no`, or `unknown`.
    pub value: &'static str,
    /// The path pattern that it applies to; none if it applies to everything.
    pub pattern: Option<String>,
    /// The 1-based line of the record; 0 in headers.
    pub line: u32,
}

/// An element of the page that has an ACAP class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageElementLine {
    /// Its number, starting at 1, for queries about it.
    pub element: u32,
    /// The tag's name.
    pub tag: String,
    /// Its id.
    pub id: Option<String>,
    /// The words of its class.
    pub classes: Vec<String>,
    /// The 1-based line on which its tag begins.
    pub line: u32,
    /// The number of the innermost of these elements that encloses it.
    pub parent: Option<u32>,
}
