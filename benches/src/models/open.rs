//! `open`: from a bundle on disk to the first answer, compared with only reading the file and with compiling everything
//! again.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use robomata_engine::PolicyStore;

use super::verified::Verified;
use super::{Context, Purpose};
use crate::corpus::Form;
use crate::definition::Definition;
use crate::engines::{STORE, store_of};
use crate::results::Sample;
use crate::timing::rounds;

const LANES: [(&str, &str); 3] =
    [(STORE, "open, answer"), (STORE, "compile, answer"), ("read", "the file, no answer")];

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    let corpus = context.corpus(definition)?;
    let setting = definition.setting();
    Verified::new(context, definition, &corpus)?;
    if context.purpose == Purpose::Update {
        return Ok(Vec::new());
    }
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("policies.bundle");
    let store = store_of(&corpus, &setting);
    fs::write(&path, store.bytes())?;
    let bytes = store.bytes().len();
    let (sites, crawler) = (store.site_count(), setting.crawler());
    let url = corpus.questions.of(Form::Url)[0].as_bytes();
    let first = store.checker(&crawler)?.check(url);

    let taken = rounds(context.clock, LANES.len(), |lane| {
        let start = Instant::now();
        match lane {
            0 => black_box(PolicyStore::open(&path)?.checker(&crawler)?.check(url)),
            1 => black_box(store_of(&corpus, &setting).checker(&crawler)?.check(url)),
            _ => {
                black_box(fs::read(&path)?);
                first
            }
        };
        Ok(Some(start.elapsed()))
    })?;
    let opened = PolicyStore::open(&path)?.checker(&crawler)?.check(url);
    ensure!(opened == first, "a bundle answers {opened:?}, the store that was written {first:?}");

    let sample = |((engine, measure), values): ((&str, &str), Vec<f64>)| Sample {
        engine: engine.to_owned(),
        measure: measure.to_owned(),
        unit: "ms",
        items: 1,
        note: note(bytes, sites, &values),
        values: values.into_iter().map(|seconds| seconds * 1e3).collect(),
    };
    Ok(LANES.into_iter().zip(taken).map(sample).collect())
}

/// The size of the bundle, and the throughput.
fn note(bytes: usize, sites: usize, values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let speed = bytes as f64 / Duration::from_secs_f64(least).as_secs_f64() / 1e9;
    format!("{bytes} bytes, {sites} sites; {speed:.2} GB/s")
}
