//! `check-hot`, `check-random`, `check-cold`: one verdict per URL, in the order of the model.

use anyhow::{Result, ensure};

use super::verified::Verified;
use super::{Context, Model, Purpose};
use crate::corpus::Order;
use crate::definition::Definition;
use crate::engines::ALLOW;
use crate::results::Sample;
use crate::timing::rounds;

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    let corpus = context.corpus(definition)?;
    let mut verified = Verified::new(context, definition, &corpus)?;
    if context.purpose == Purpose::Update {
        return Ok(Vec::new());
    }
    let order = match definition.model {
        Model::CheckHot => Order::Grouped,
        _ => Order::Random,
    };
    // A URL that one engine does not answer is excluded for all, so that all times are over the same URLs.
    let questions = corpus.questions.in_order(order).select(|place| verified.is_answered[place]);
    let lanes = verified.lanes();

    eprintln!("{}: timing {} URLs", definition.name, questions.len());
    let expected: Vec<usize> = (verified.letters.iter())
        .map(|letters| questions.places.iter().filter(|&&place| letters[place as usize] == ALLOW).count())
        .collect();
    let taken = rounds(context.clock, lanes.len(), |lane| {
        let (index, asked) = lanes[lane];
        let entrant = &mut verified.engines[index];
        let (time, allowed) = entrant.engine.check(asked, &questions)?;
        let verified = expected[index];
        ensure!(
            allowed == verified,
            "{}: {allowed} URLs allowed while timed, {verified} when verified",
            entrant.name
        );
        Ok(Some(time))
    })?;

    let nanoseconds = |seconds: f64| seconds * 1e9 / questions.len().max(1) as f64;
    let sample = |((index, asked), values): (&(usize, crate::engines::Asked), Vec<f64>)| Sample {
        engine: verified.engines[*index].name.clone(),
        measure: asked.as_str().to_owned(),
        unit: "ns/URL",
        items: questions.len(),
        values: values.into_iter().map(nanoseconds).collect(),
        note: verified.engines[*index].note.clone(),
    };
    Ok(lanes.iter().zip(taken).map(sample).collect())
}
