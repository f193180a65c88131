//! Reads captures of tdmrep.json, which count in stores that answer about text and data mining.

use std::sync::Arc;

use rayon::prelude::*;
use robomata_engine::policy::{TdmProblem, TdmRep, outcome};
use robomata_engine::{CompiledTdmRep, Dialect, FetchOutcome};
use robomata_formats::{Capture, Origin, Resource};

use super::{Keep, Loader, sites_or_problem};
use crate::bodies::KeptBody;
use crate::problem::{InputProblem, ProblemKind};

/// A tdmrep.json that was read and compiled.
pub(super) struct ReadTdmRep {
    /// One for each dialect: they differ in what the result of a fetch means.
    compiled: Vec<CompiledTdmRep>,
    problems: Vec<TdmProblem>,
}

impl ReadTdmRep {
    fn new(capture: &Capture, dialects: &[Dialect]) -> Self {
        let outcomes: Vec<FetchOutcome> =
            dialects.iter().map(|&dialect| outcome(capture.status_in(dialect), dialect)).collect();
        let is_read = outcomes.contains(&FetchOutcome::Success);
        let tdmrep = if is_read { TdmRep::read(&capture.body) } else { TdmRep::default() };
        let compiled = outcomes.into_iter().map(|outcome| CompiledTdmRep::new(outcome, &tdmrep)).collect();
        ReadTdmRep { compiled, problems: tdmrep.problems }
    }

    /// What is wrong with the file at `origin`. What is valid in it counts nevertheless.
    pub(super) fn problem(&self, Origin { file, line }: &Origin) -> Option<InputProblem> {
        let message = match &self.problems[..] {
            [] => return None,
            [only] => only.to_string(),
            [first, more @ ..] => format!("{first} (and {} more problems)", more.len()),
        };
        Some(InputProblem::at_line(ProblemKind::SourceLine, file, *line, &message))
    }
}

impl Loader<'_> {
    /// Reads and compiles `captures`, in order.
    pub(super) fn read_tdmreps(&self, captures: &[&Capture]) -> Vec<ReadTdmRep> {
        let dialects: Vec<Dialect> =
            self.dialect_builders.iter().map(|builder| builder.kind.dialect).collect();
        captures.par_iter().map(|capture| ReadTdmRep::new(capture, &dialects)).collect()
    }

    /// Inserts a capture. The error says why it cannot be used.
    pub(super) fn insert_tdmrep(&mut self, capture: &Capture, read: &ReadTdmRep) -> Result<(), InputProblem> {
        let sites = sites_or_problem(capture, self.options.host.as_ref())?;
        self.captures += 1;
        let time = self.time_of(capture);
        let body = (self.options.keep == Keep::Bodies).then(|| Arc::clone(&capture.body));
        for site in &sites {
            for (dialect_builder, compiled) in self.dialect_builders.iter_mut().zip(&read.compiled) {
                dialect_builder.builder.insert_tdmrep(site, compiled, time);
            }
            if let Some(body) = &body {
                let kept = KeptBody {
                    body: Arc::clone(body),
                    status: capture.status,
                    redirects: capture.redirects,
                    time,
                };
                self.bodies.insert(site, Resource::TdmRepJson, kept, self.options.kind.history);
            }
        }
        Ok(())
    }
}
