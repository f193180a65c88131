//! `batch`: all URLs in one call, on one, two and all threads, compared with the loop that a program would write.

use std::time::Instant;

use anyhow::{Result, ensure};
use rayon::{ThreadPool, ThreadPoolBuilder};
use robomata_engine::{Access, Answer};

use super::verified::Verified;
use super::{Context, Purpose};
use crate::corpus::{Form, Order};
use crate::definition::Definition;
use crate::engines::{Asked, BATCH, letter, store_of};
use crate::results::Sample;
use crate::timing::rounds;

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    let corpus = context.corpus(definition)?;
    // The single-threaded loop, for the engines that have a store.
    let mut loops = definition.clone();
    loops.engines.retain(|engine| engine != BATCH);
    let mut verified = Verified::new(context, &loops, &corpus)?;

    let store = store_of(&corpus, &definition.setting());
    let crawler = definition.setting().crawler();
    let grouped = store.check_batch(&crawler, corpus.questions.of(Form::Url))?;
    let letters: Vec<u8> = grouped.iter().map(|&answer| letter(is_allowed(answer))).collect();
    context.verify(definition, &corpus, BATCH, &letters)?;
    if context.purpose == Purpose::Update {
        return Ok(Vec::new());
    }

    let questions = corpus.questions.in_order(Order::Random);
    let urls = questions.of(Form::Url);
    let pools = pools()?;
    let single = verified.engines.len();
    eprintln!("{}: timing {} URLs", definition.name, urls.len());
    let expected = grouped.iter().filter(|&&answer| is_allowed(answer)).count();
    let taken = rounds(context.clock, single + pools.len(), |lane| {
        if lane < single {
            return Ok(Some(verified.engines[lane].engine.check(Asked::Url, &questions)?.0));
        }
        let start = Instant::now();
        let answers = pools[lane - single].install(|| store.check_batch(&crawler, urls))?;
        let time = start.elapsed();
        let allowed = answers.into_iter().filter(|&answer| is_allowed(answer)).count();
        ensure!(allowed == expected, "{allowed} URLs allowed while timed, {expected} when verified");
        Ok(Some(time))
    })?;

    let names = verified.engines.iter().map(|entrant| (entrant.name.as_str(), "a loop".to_owned()));
    let batches = pools.iter().map(|pool| (BATCH, threads(pool.current_num_threads())));
    let nanoseconds = |seconds: f64| seconds * 1e9 / urls.len().max(1) as f64;
    let sample = |((engine, measure), values): ((&str, String), Vec<f64>)| Sample {
        engine: engine.to_owned(),
        measure,
        unit: "ns/URL",
        items: urls.len(),
        values: values.into_iter().map(nanoseconds).collect(),
        note: String::new(),
    };
    Ok(names.chain(batches).zip(taken).map(sample).collect())
}

fn is_allowed(answer: Answer) -> bool {
    matches!(answer, Answer::Verdict(verdict) if verdict.access == Access::Allow)
}

fn threads(count: usize) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}

/// Thread pools of one, two and all threads.
fn pools() -> Result<Vec<ThreadPool>> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, 2, all];
    counts.sort_unstable();
    counts.dedup();
    counts.into_iter().map(|count| Ok(ThreadPoolBuilder::new().num_threads(count).build()?)).collect()
}
