//! The report about a URL, with stable names.

use std::borrow::Cow;

use robomata_engine::policy::acap::{Action, Reference};
use robomata_engine::policy::{DayWindow, RequestRate};
use robomata_engine::{
    Conflict, Crawler, Dialect, FetchOutcome, FoundTimeGate, License, Permission, PermissionReason, Place,
    Qualifier, Source, Usage, Vocabulary,
};
use serde::Serialize;

use crate::fetch::StandingReport;
use crate::quotes::Omitted;

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
    pub time_gates: Vec<FoundTimeGate>,
    /// How many entries `requests` and `time_gates` have beyond the 100 that are listed; with the remarks, also those of
    /// [`SiteRemarks::omitted`].
    #[serde(skip_serializing_if = "Omitted::is_empty")]
    pub omitted: Omitted,
    /// The line that announces it as a Memento (M5).
    pub memento: Option<AnnouncedMemento>,
    /// The URL without irrelevant parameters, if it has any (V7).
    pub canonical: Option<String>,
    /// Remarks that are the same for every URL of the site; only with the first URL, since a site can write many.
    #[serde(flatten)]
    pub site: Option<&'u SiteRemarks>,
}

/// The answer about a usage. Unlike a [`PermissionAnswer`](robomata_engine::PermissionAnswer), it quotes statements, and
/// cuts long lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsagePermission {
    /// The usage.
    pub usage: Usage,
    /// The answer.
    pub permission: Permission,
    /// Why.
    pub reason: PermissionReason,
    /// The first statement that decides.
    pub source: Option<Quote>,
    /// The restrictions of a permission. All of them apply, and none is left out. A prohibition by TDMRep has its policy
    /// here.
    pub qualifiers: Vec<Qualifier>,
    /// The facts that the final answer depends on and that the query lacks.
    pub lacks: Vec<String>,
    /// The statements that were overruled, in the order in which that happened.
    pub conflicts: Vec<Conflict<Quote>>,
    /// How many entries `lacks` and `conflicts` have beyond the 100 that are listed.
    #[serde(skip_serializing_if = "Omitted::is_empty")]
    pub omitted: Omitted,
}

/// A statement: its place and its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quote {
    /// Its place. In JSON, elements have the numbers of [`SiteRemarks::elements`].
    #[serde(flatten)]
    pub source: Source,
    /// The locator of the referenced file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locator: Option<String>,
    /// The line of a file, the header, or the relevant part of the tag; of META tags that share a line, those about the
    /// usage. A long text is cut after 500 characters and ends with an ellipsis.
    pub text: Option<String>,
}

/// An action request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedRequest {
    /// The action.
    pub action: Action,
    /// The statement.
    pub source: Quote,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteRemarks {
    /// The crawler.
    pub crawler: Crawler,
    /// The dialect of the robots.txt.
    pub dialect: Dialect,
    /// The outcome of the fetch of the robots.txt.
    pub outcome: FetchOutcome,
    /// What applies to the site after that fetch, and until when; none when nothing is known about the fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingReport>,
    /// The version of ACAP that the robots.txt declares.
    pub acap_version: Option<String>,
    /// The files that the robots.txt refers to (A7).
    pub references: Vec<Reference>,
    /// The licences that accompany every answer (V6): those of the robots.txt, of headers and of the page.
    pub licenses: Vec<License>,
    /// Seconds to wait between requests.
    pub crawl_delay: Option<f64>,
    /// The allowed rate of requests.
    pub request_rate: Option<RequestRate>,
    /// The hours in which visits are welcome.
    pub visit_time: Option<DayWindow>,
    /// The URLs of sitemaps.
    pub sitemaps: Vec<String>,
    /// The preferred host.
    pub host: Option<String>,
    /// Ceilings of Content-Signal, and preferences of Content-Signal and Content-Usage under labels without a known
    /// usage.
    pub labels: Vec<ForeignLabel>,
    /// The page's elements that have an ACAP class.
    pub elements: Vec<PageElementLine>,
    /// Problems in the fields of the robots.txt that are about usages.
    pub robots_diagnostics: Vec<String>,
    /// Problems in the tdmrep.json.
    pub tdmrep_diagnostics: Vec<String>,
    /// Diagnostics about the page's statements.
    pub page_diagnostics: Vec<String>,
    /// How many entries `licenses`, `labels`, `elements` and the diagnostics have beyond the 100 that are listed. In JSON,
    /// they are in that of the URL.
    #[serde(skip)]
    pub omitted: Omitted,
}

/// A preference under a label without a known usage, or a ceiling. Content-Signal and Content-Usage share this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForeignLabel {
    /// Content-Signal or Content-Usage.
    pub vocabulary: Vocabulary,
    /// The robots.txt or a header.
    pub place: Place,
    /// The label as written.
    pub label: String,
    /// The preference, or the value as written.
    pub value: String,
    /// The path pattern that it applies to; none if it applies to everything.
    pub pattern: Option<String>,
    /// The 1-based line of the record; 0 in Content-Usage headers, which form one list.
    pub line: u32,
}

/// An element of the page that has an ACAP class. Unlike a [`PageElement`](robomata_engine::protocol::PageElement), it has
/// a number, as users give it.
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
