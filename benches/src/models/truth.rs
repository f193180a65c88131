//! The right answers: those of the reference, and under `google` those of Google's parser itself.

use anyhow::{Result, ensure};
use rayon::prelude::*;
use robomata_engine::{Access, Answer, Dialect};
use robomata_reference::Reference;

use crate::corpus::{Corpus, Form};
use crate::engines::{Setting, letter};

/// Number of differing URLs to print.
const SHOWN: usize = 20;

/// The letters of the reference, in the order of the corpus.
pub(super) fn right(corpus: &Corpus, setting: &Setting) -> Result<Vec<u8>> {
    eprintln!("evaluating the reference");
    let crawler = setting.crawler();
    let questions = &corpus.questions;
    let urls = questions.of(Form::Url);
    let pairs: Vec<(u32, &str)> = questions.bodies.iter().copied().zip(urls.iter().copied()).collect();
    // A few sites have most of the URLs, but each body is still read only a few times.
    let runs: Vec<&[(u32, &str)]> =
        pairs.chunk_by(|a, b| a.0 == b.0).flat_map(|run| run.chunks(64)).collect();
    let letters: Vec<Vec<u8>> = runs
        .into_par_iter()
        .map(|run| {
            let body = corpus.bodies[run[0].0 as usize];
            let reference = Reference::new(body, None, &crawler, setting.dialect);
            run.iter().map(|(_, url)| letter(allows(reference.judge(url.as_bytes())))).collect()
        })
        .collect();
    let letters = letters.concat();
    if setting.dialect == Dialect::Google
        && let Some(recorded) = corpus.recorded(setting.agent)
    {
        ensure!(recorded == letters, "the reference differs from Google's parser");
    }
    Ok(letters)
}

fn allows(answer: Answer) -> bool {
    matches!(answer, Answer::Verdict(verdict) if verdict.access == Access::Allow)
}

/// Prints the URLs whose `letters` are wrong: one for each of the first sites.
pub(super) fn show_differences(corpus: &Corpus, right: &[u8], letters: &[u8]) {
    let urls = corpus.questions.of(Form::Url);
    let bodies = &corpus.questions.bodies;
    let mut differing: Vec<usize> =
        (0..right.len()).filter(|&at| letters.get(at) != Some(&right[at])).collect();
    if differing.is_empty() {
        return;
    }
    eprintln!("{} of {} URLs differ from the reference", differing.len(), right.len());
    differing.dedup_by_key(|at| bodies[*at]);
    for at in differing.into_iter().take(SHOWN) {
        let letter = letters.get(at).map_or('-', |&letter| char::from(letter));
        eprintln!("  {letter} where {} is right: {}", char::from(right[at]), urls[at]);
    }
}
