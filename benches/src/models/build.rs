//! `parse` and `compile`: the cost of preparing files. The resulting answers are verified as for checks.

use anyhow::Result;

use super::verified::{Verified, quietly};
use super::{Context, Purpose};
use crate::definition::Definition;
use crate::results::Sample;
use crate::timing::rounds;

pub(super) fn parse(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    run(context, definition, Step::Parse)
}

pub(super) fn compile(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    run(context, definition, Step::Compile)
}

#[derive(Clone, Copy)]
enum Step {
    Parse,
    Compile,
}

fn run(context: &mut Context, definition: &Definition, step: Step) -> Result<Vec<Sample>> {
    let corpus = context.corpus(definition)?;
    let Verified { mut engines, .. } = Verified::new(context, definition, &corpus)?;
    if context.purpose == Purpose::Update {
        return Ok(Vec::new());
    }
    // A file that one engine cannot read is excluded for all, so that all times are over the same files.
    let mut is_read = vec![true; corpus.bodies.len()];
    for entrant in &mut engines {
        let readable = quietly(|| entrant.engine.readable(&corpus.bodies));
        let refused = readable.iter().filter(|&&is_readable| !is_readable).count();
        if refused > 0 {
            entrant.note = format!("refuses {refused} of {} bodies; {}", corpus.bodies.len(), entrant.note);
        }
        for (is_read, is_readable) in is_read.iter_mut().zip(readable) {
            *is_read &= is_readable;
        }
    }
    let kept = corpus.bodies.iter().zip(&is_read).filter(|&(_, &is_read)| is_read);
    let bodies: Vec<&'static [u8]> = kept.map(|(&body, _)| body).collect();

    eprintln!("{}: timing", definition.name);
    let taken = rounds(context.clock, engines.len(), |lane| {
        let engine = &mut engines[lane].engine;
        match step {
            Step::Parse => engine.parse(&bodies),
            Step::Compile => engine.compile(&bodies),
        }
    })?;
    let samples = engines.into_iter().zip(taken).filter(|(_, values)| !values.is_empty());
    let count = bodies.len();
    let microseconds = |seconds: f64| seconds * 1e6 / count.max(1) as f64;
    Ok(samples
        .map(|(entrant, values)| Sample {
            engine: entrant.name,
            measure: "files".to_owned(),
            unit: "µs/file",
            items: count,
            values: values.into_iter().map(microseconds).collect(),
            note: entrant.note,
        })
        .collect())
}
