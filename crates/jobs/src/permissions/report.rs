//! What is told about a URL, with names that stay.

use std::borrow::Cow;

use serde::Serialize;

use crate::fetch::StandingReport;

/// What may be done with one URL.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UrlPermissions<'u> {
    /// The URL; bytes that are no UTF-8 are replaced.
    pub url: Cow<'u, str>,
    /// Is the text a URL at all? Of one that is none nothing is said.
    pub valid: bool,
    /// Every usage, in the order of [`Usage::ALL`](robomata::Usage::ALL).
    pub usages: Vec<UsagePermission>,
    /// What the site asks to be done with it soon (A13).
    pub requests: Vec<NamedRequest>,
    /// Where its old versions are (M4).
    pub time_gates: Vec<OldVersions>,
    /// The line by which it is announced as a Memento (M5).
    pub memento: Option<AnnouncedMemento>,
    /// The URL without parameters that do not matter, where it has such (V7).
    pub canonical: Option<String>,
    /// What is the same for every URL of the site.
    #[serde(flatten)]
    pub site: &'u SiteRemarks,
}

/// What is said about one usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsagePermission {
    /// Which.
    pub usage: &'static str,
    /// `permitted`, `unspecified`, `deferred` or `prohibited`.
    pub permission: &'static str,
    /// Why: a name of [`PermissionReason`](robomata::PermissionReason).
    pub reason: &'static str,
    /// What decided; none when nothing is said.
    pub source: Option<Quote>,
    /// The restrictions of a permission; all of them hold.
    pub qualifiers: Vec<String>,
    /// What must be known before the answer is final; `purpose=NAME` where the usage is prohibited for that purpose.
    pub lacks: Vec<String>,
    /// What was said, too, and did not decide.
    pub conflicts: Vec<Overruled>,
}

/// A place where something is said, and its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quote {
    /// In whose words.
    pub vocabulary: &'static str,
    /// `robots-txt`, `referenced`, `meta`, `element` or `header`.
    pub place: &'static str,
    /// The locator of the referenced file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locator: Option<String>,
    /// The element's number, as in [`SiteRemarks::elements`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<u32>,
    /// The 1-based line of a file or page, the 1-based number of a header; 0 when unknown.
    pub line: u32,
    /// The line of a file, the header, or the tag as far as it speaks; none where several tags share a line.
    pub text: Option<String>,
}

/// A statement that did not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overruled {
    /// By which rule: a name of [`ConflictRule`](robomata::ConflictRule).
    pub rule: &'static str,
    /// What was overruled.
    pub loser: Quote,
}

/// An action request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedRequest {
    /// `take-down` or `re-crawl`.
    pub action: &'static str,
    /// Where it stands.
    pub source: Quote,
}

/// A TimeGate that has old versions of the URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OldVersions {
    /// Where it is, as written.
    pub url: String,
    /// The 1-based line of the `TimeGate` record.
    pub line: u32,
    /// The line of its first `Archived` record that matches.
    pub archived_line: u32,
}

/// The URL is announced as a Memento.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AnnouncedMemento {
    /// By this line.
    pub line: u32,
    /// To whom it is announced.
    pub condition: &'static str,
}

/// What is said about a site, or a page, as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteRemarks {
    /// Who asks.
    pub crawler: String,
    /// The dialect in which the robots.txt was read.
    pub dialect: &'static str,
    /// What the fetch of the robots.txt came to: `success`, `redirected`, `unavailable`, `unreachable`, `restricted`
    /// or `deferred`.
    pub fetched: &'static str,
    /// What applies to the site by that fetch, and until when; none when nothing is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingReport>,
    /// The version of ACAP in which the robots.txt says it is written.
    pub acap_version: Option<String>,
    /// The files that the robots.txt refers to (A7).
    pub references: Vec<ListedReference>,
    /// The licences that are told with every answer (V6).
    pub licenses: Vec<LicenseLine>,
    /// Seconds to leave between requests.
    pub crawl_delay: Option<f64>,
    /// How many requests in how long.
    pub request_rate: Option<Rate>,
    /// When to come.
    pub visit_time: Option<Hours>,
    /// Where sitemaps are.
    pub sitemaps: Vec<String>,
    /// The preferred host.
    pub host: Option<String>,
    /// What Content-Signal and Content-Usage say under labels that mean no usage known here.
    pub labels: Vec<ForeignLabel>,
    /// The page's elements that have an ACAP class.
    pub elements: Vec<PageElementLine>,
    /// What is odd about what the page says.
    pub page_diagnostics: Vec<String>,
}

/// A file that a robots.txt refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedReference {
    /// Its locator as written.
    pub locator: String,
    /// The 1-based line of the reference.
    pub line: u32,
    /// Was it given?
    pub supplied: bool,
}

/// A licence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LicenseLine {
    /// Where its terms are.
    pub url: String,
    /// The 1-based line of the record.
    pub line: u32,
}

/// A rate of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// So many requests.
    pub requests: u32,
    /// In so many seconds.
    pub seconds: u64,
    /// At these hours; at any when none are given.
    pub hours: Option<Hours>,
}

/// Hours of every day, in UTC; over midnight when they end before they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// The first minute of the day.
    pub from: u16,
    /// The last one.
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

/// A preference under a label that means no usage.
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
    /// The path pattern for which it is said; none for everything.
    pub pattern: Option<String>,
    /// The 1-based line of the record; 0 in headers.
    pub line: u32,
}

/// An element of the page that has an ACAP class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageElementLine {
    /// Its number, from 1 on, by which it can be asked about.
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
