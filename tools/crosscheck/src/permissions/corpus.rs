//! Real files and URLs, checked for every usage.

use rayon::prelude::*;
use robomata_engine::protocol::Circumstances;
use robomata_engine::{Crawler, Dialect};
use robomata_testkit::permission_case::{Expectations, PermissionCase};

use super::divergence;
use crate::corpus::{CRAWLERS, Corpus};

/// The result of a comparison over a corpus.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of questions, each about all usages.
    pub questions: usize,
    /// Questions where the engine and the reference differ.
    pub divergences: Vec<PermissionCase>,
}

/// URLs checked per body.
const URLS: usize = 3;

/// Checks some URLs of every body, in every dialect, for each of [`CRAWLERS`].
pub fn run(corpus: &Corpus) -> Outcome {
    let of_body = |place: usize| {
        let mut found = Outcome::default();
        for case in cases(corpus, place) {
            found.questions += 1;
            if !divergence(&case).is_empty() {
                found.divergences.push(case);
            }
        }
        found
    };
    (0..corpus.bodies.len()).into_par_iter().map(of_body).reduce(Outcome::default, |mut all, more| {
        all.questions += more.questions;
        all.divergences.extend(more.divergences);
        all
    })
}

fn cases(corpus: &Corpus, place: usize) -> impl Iterator<Item = PermissionCase> {
    let urls = &corpus.urls[place];
    // Spread over all URLs, because neighbours are alike.
    let sampled = urls.iter().step_by((urls.len() / URLS).max(1)).take(URLS);
    let questions = sampled.flat_map(|(_, url)| Dialect::ALL.map(|dialect| (url, dialect)));
    let questions = questions.flat_map(|(url, dialect)| CRAWLERS.map(|crawler| (url, dialect, crawler)));
    questions.map(move |(url, dialect, crawler)| PermissionCase {
        id: format!("corpus/{place}"),
        section: "corpus".to_owned(),
        title: "engine and reference agree".to_owned(),
        dialect,
        origin: "http://example.com".to_owned(),
        robots: corpus.bodies[place].clone(),
        status: None,
        referenced: Vec::new(),
        tdmrep: None,
        page: None,
        crawler: Crawler::new(crawler),
        url: url.clone(),
        circumstances: Circumstances::default(),
        expect: Expectations::default(),
        note: String::new(),
    })
}
