//! Evidence: which rule of which robots.txt decided about a URL, so that it can be verified later.
//!
//! A filter writes one JSON object for each URL and crawler ([`Evidence`]). With the captures, [`verify()`] decides
//! again, from the text of each robots.txt, and compares.

mod verify;

pub use self::verify::{Mismatch, VerifyJob, VerifyReport, verify};

use std::collections::HashMap;

use robomata_engine::{Access, Answer, Crawler, Moment, Site, Stores};
use robomata_formats::urls::as_text;
use robomata_formats::{Cell, Column, ColumnKind};

use crate::bodies::{Bodies, KeptBody};
use crate::filter::Rulings;
use crate::row_file::{RowBlock, RowEncoder, RowForm, time};

/// The keys of an object:
///
/// | key | meaning |
/// |---|---|
/// | `url` | the URL, as in the input; bytes that are not UTF-8 are %XX |
/// | `agent` | the crawler |
/// | `verdict` | `allow`, `disallow`, `defer` or `unknown` |
/// | `line`, `rule` | the line of the robots.txt that decided, and its rule, with the pattern in normal form; null if no line did |
/// | `dialect` | the dialect in which the robots.txt was read |
/// | `captured` | when the robots.txt was captured; null if that is not known |
/// | `body` | the BLAKE3 of the bytes of the robots.txt; null for a bundle, which has no bodies |
/// | `policies` | the fingerprint of the policies: that of the bundle, or of the bundle that `compile` would write |
pub(crate) static COLUMNS: [Column; 9] = [
    Column::required("url", ColumnKind::Text),
    Column::required("agent", ColumnKind::Word),
    Column::required("verdict", ColumnKind::Word),
    Column::nullable("line", ColumnKind::U32),
    Column::nullable("rule", ColumnKind::Text),
    Column::required("dialect", ColumnKind::Word),
    Column::nullable("captured", ColumnKind::Time),
    Column::nullable("body", ColumnKind::Word),
    Column::required("policies", ColumnKind::Word),
];

/// The evidence of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'s> {
    /// The URLs that it covers.
    pub urls: EvidenceFor,
    /// The captures that the policies were compiled from; `None` for a bundle.
    pub bodies: Option<&'s Bodies>,
}

/// The URLs that evidence covers. Lines that are not URLs have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvidenceFor {
    /// Every URL.
    #[default]
    All,
    /// The URLs that are disallowed.
    Disallowed,
}

/// The format of evidence.
pub(crate) const FORM: RowForm = RowForm::JsonLines;

/// The BLAKE3 of a body, in hexadecimal.
fn hash(kept: &KeptBody) -> String {
    blake3::hash(&kept.body).to_hex().to_string()
}

/// Collects the evidence of one thread.
pub(crate) struct EvidenceWriter<'s> {
    evidence: Evidence<'s>,
    stores: Stores<'s>,
    agents: Vec<String>,
    fingerprint: String,
    rows: RowEncoder,
    /// The site of the last URL, and what is known of its capture: URLs usually come grouped by site.
    site: Vec<u8>,
    captured: Option<Moment>,
    body: Option<String>,
    /// The hashes of bodies by their addresses: sites share bodies, and may come in any order.
    hashes: HashMap<usize, String>,
}

impl<'s> EvidenceWriter<'s> {
    pub(crate) fn new(evidence: Evidence<'s>, stores: Stores<'s>, crawlers: &[Crawler]) -> Self {
        EvidenceWriter {
            evidence,
            stores,
            agents: crawlers.iter().map(ToString::to_string).collect(),
            fingerprint: stores.fingerprint().to_string(),
            rows: RowEncoder::new(FORM, &COLUMNS),
            site: Vec::new(),
            captured: None,
            body: None,
            hashes: HashMap::new(),
        }
    }

    /// Adds the evidence for `url`.
    pub(crate) fn push(&mut self, url: &[u8], rulings: Rulings<'_>) {
        let urls = self.evidence.urls;
        let covers = |answer: &Answer| match (urls, answer) {
            (_, Answer::Invalid) => false,
            (EvidenceFor::All, _) => true,
            (EvidenceFor::Disallowed, answer) => {
                matches!(answer, Answer::Verdict(verdict) if verdict.access == Access::Disallow)
            }
        };
        if !rulings.answers.iter().any(covers) {
            return;
        }
        self.turn_to(url);
        let dialect = self.stores.any().dialect().as_str();
        let url = as_text(url);
        for ((answer, agent), (verdict, line, rule)) in
            rulings.answers.iter().zip(&self.agents).zip(rulings.iter())
        {
            if !covers(answer) {
                continue;
            }
            self.rows.push([
                Cell::Text(url.clone()),
                Cell::from(agent.as_str()),
                Cell::from(verdict),
                line.map_or(Cell::Null, Cell::U32),
                rule.map_or(Cell::Null, Cell::from),
                Cell::from(dialect),
                time(self.captured),
                self.body.as_deref().map_or(Cell::Null, Cell::from),
                Cell::from(self.fingerprint.as_str()),
            ]);
        }
    }

    /// Takes what was collected.
    pub(crate) fn take(&mut self) -> Result<RowBlock, robomata_formats::OutputError> {
        std::mem::replace(&mut self.rows, RowEncoder::new(FORM, &COLUMNS)).finish()
    }

    /// Looks up the capture of the URL's site.
    fn turn_to(&mut self, url: &[u8]) {
        let Ok(site) = Site::of_url(url) else { return };
        if site.as_bytes() == self.site {
            return;
        }
        self.site = site.as_bytes().to_vec();
        if let Some(bodies) = self.evidence.bodies {
            let kept = bodies.of(&site);
            self.captured = kept.and_then(|kept| kept.time);
            self.body = kept.map(|kept| {
                self.hashes.entry(kept.body.as_ptr().addr()).or_insert_with(|| hash(kept)).clone()
            });
            return;
        }
        let entry = self.stores.place_of(&site).and_then(|place| self.stores.site_at(place));
        self.captured = entry.and_then(|entry| entry.versions().last()?.last);
    }
}
