//! A site's statements about the uses of a resource: a literal implementation of `crates/PERMISSIONS.md`, ACAP 1.0 part
//! 1 and 1.1 part 2.
//!
//! Each vocabulary answers the question, and the answers are combined (R1, R2). The modules:
//!
//! 1. The crate's `fields` and `groups`: lines to fields, and the groups that apply to a crawler (A1, V1).
//! 2. `acap`, `qualifiers`, `scope`, `reading`: ACAP's records and definitions, and their meaning for a crawler (A3 to
//!    A13).
//! 3. `page`, `robots_meta`, `robots_tag`, `dates`: META tags, class attributes, X-Robots-Tag, Robots-Tag (P1 to P12, P16).
//! 4. `content`, `signal`, `tdm`, `license`: Noindex, DisallowAITraining, Content-Usage, Content-Signal, TDMRep, RSL (V2
//!    to V6, V8, V10, P13, T1 to T6), with their formats: `structured`, `header`, `link`, `json`.
//! 5. `ladder`, `voice`: which statement decides (A14, A15), and one answer from several vocabularies (R2).
//! 6. `time`, `locator`: conditions that turn a permission into a prohibition (A19, A20, P7).
//! 7. `bulk`: crawl and another usage as one verdict (R4).
//! 8. `memento`, `clean_param`: TimeGates, Mementos, canonical URLs (M1 to M5, V7).

mod acap;
mod answer;
mod asides;
mod bulk;
mod clean_param;
mod content;
mod dates;
mod header;
mod json;
mod ladder;
mod license;
mod link;
mod locator;
mod memento;
mod pace;
mod page;
mod qualifiers;
mod reading;
mod robots_meta;
mod robots_tag;
mod scope;
mod signal;
mod statement;
mod structured;
mod tdm;
mod time;
mod voice;

#[cfg(test)]
mod tests;

use robomata_protocol::{
    Circumstances, Crawler, Dialect, FetchOutcome, FetchStatus, License, Moment, PageFacts, PermissionAnswer,
    Source,
};

pub(crate) use answer::CrawlJudge;
pub use bulk::in_bulk;
use reading::Reading;
pub(crate) use statement::Address;

use crate::fields::{Field, fields};
use crate::target;

/// The files of a site that may make statements about usages.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The bytes of the robots.txt.
    pub robots: &'a [u8],
    /// How its fetch ended.
    pub status: Option<FetchStatus>,
    /// Its dialect. Only under [`Dialect::Acap`] do its ACAP fields have an effect.
    pub dialect: Dialect,
    /// Files that an `ACAP-permissions-reference` may name: the locator as written there, and the bytes (A7).
    pub referenced: &'a [(&'a str, &'a [u8])],
    /// The bytes of `/.well-known/tdmrep.json`, if it is known (T1).
    pub tdmrep: Option<&'a [u8]>,
    /// How its fetch ended (T6).
    pub tdmrep_status: Option<FetchStatus>,
    /// An absolute URL of the site. It is needed if the URLs in question are paths alone (A19, P7, M4).
    pub origin: Option<&'a [u8]>,
}

impl Site<'_> {
    fn is_had(&self) -> bool {
        crate::outcome::of(self.status, self.dialect) == FetchOutcome::Success
    }

    /// The fields of the robots.txt; none if it was not available (R3).
    fn fields(&self) -> Vec<Field> {
        if self.is_had() { fields(self.robots, self.dialect) } else { Vec::new() }
    }
}

/// The answer for each usage of `url`, in the order of [`robomata_protocol::Usage::ALL`].
///
/// Returns `None` for a text that is not a URL in the site's dialect.
pub fn permissions(
    site: &Site<'_>,
    page: &PageFacts,
    crawler: &Crawler,
    url: &[u8],
    circumstances: &Circumstances,
) -> Option<Vec<PermissionAnswer>> {
    let reading = Reading::new(site, crawler);
    answer::answers(&reading, site.origin, page, crawler, url, circumstances)
}

/// The actions that the site requests of `crawler` for `url`: `take-down` or `re-crawl`, in text order (A13).
pub fn requests(site: &Site<'_>, crawler: &Crawler, url: &[u8]) -> Vec<(&'static str, Source)> {
    let reading = Reading::new(site, crawler);
    if target::of(url, site.dialect).is_none() {
        return Vec::new();
    }
    let resource = scope::target(&locator::normal_path(url));
    let is_asked = |written: &[u8]| scope::target(&locator::normal_path(written)) == resource;
    let asked = reading.requests.iter().filter(|(_, written, _)| is_asked(written));
    asked.map(|&(action, _, source)| (action, source)).collect()
}

/// The TimeGates for `url`: value, line of the `TimeGate`, line of its first `Archived` that matches (M1 to M4).
pub fn time_gates(site: &Site<'_>, url: &[u8]) -> Vec<(String, u32, u32)> {
    if target::of(url, site.dialect).is_none() {
        return Vec::new();
    }
    memento::time_gates(&site.fields(), url, site.origin)
}

/// Returns whether the file announces Mementos (M5).
pub fn announces_mementos(site: &Site<'_>) -> bool {
    memento::announces_any(&Reading::new(site, &memento::crawler()))
}

/// The line that announces `url` as a Memento, to crawlers that keep Memento-Datetime sticky (M5).
pub fn announced_by(site: &Site<'_>, url: &[u8]) -> Option<u32> {
    let reading = Reading::new(site, &memento::crawler());
    memento::announced_by(&reading, &target::of(url, site.dialect)?)
}

/// The version of ACAP in a comment of the file (A2).
pub fn version(site: &Site<'_>) -> Option<String> {
    if site.dialect != Dialect::Acap || !site.is_had() {
        return None;
    }
    acap::version(site.robots)
}

/// The licences that the robots.txt, the headers and the page name, in this order (V6).
pub fn licenses(site: &Site<'_>, page: &PageFacts) -> Vec<License> {
    license::licenses(&site.fields(), page)
}

/// The fields that say nothing about usages, as they apply to `crawler` (V9): `crawl-delay` in seconds; `request-rate`
/// as a count per number of seconds, with a window in minutes of the day; `visit-time` with a window; each `sitemap`;
/// each `host`; each silent record as written (V11).
pub fn asides(site: &Site<'_>, crawler: &Crawler) -> Vec<String> {
    let fields = site.fields();
    asides::asides(&Reading::new(site, crawler).spoken.directly, &fields)
}

/// How long `crawler` waits between two fetches at `now`, or the longest time of the day (`crates/DIALECTS.md`, W1 to
/// W8): `delay SECONDS by KEY on LINE`, with the hours of the line in minutes of the day; and `opens in SECONDS` if the
/// instant is known and the site has a visit time.
pub fn pace(site: &Site<'_>, crawler: &Crawler, now: Option<Moment>) -> Vec<String> {
    pace::pace(&Reading::new(site, crawler).spoken.directly, now)
}

/// Returns `url` without the parameters that change nothing (V7).
pub fn canonical(site: &Site<'_>, url: &[u8]) -> Vec<u8> {
    clean_param::canonical(&site.fields(), url)
}
