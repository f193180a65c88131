//! The engines of a benchmark, prepared and with verified answers.

use std::panic;

use anyhow::{Result, ensure};
use robomata_engine::Dialect;

use super::{Context, Purpose, Runners};
use crate::answers::key;
use crate::corpus::Corpus;
use crate::definition::Definition;
use crate::engines::{self, Asked, Engine, NONE};

/// Engines whose answers are as committed.
pub(super) struct Verified {
    pub(super) engines: Vec<Entrant>,
    /// By index in the corpus: whether every engine answers.
    pub(super) is_answered: Vec<bool>,
    /// By engine: its answers, in the order of the corpus.
    pub(super) letters: Vec<Vec<u8>>,
}

/// An engine that takes part.
pub(super) struct Entrant {
    pub(super) name: String,
    pub(super) engine: Box<dyn Engine>,
    pub(super) note: String,
}

impl Verified {
    /// Prepares the engines of `definition` and compares their answers with the committed ones. Fails if one differs.
    pub(super) fn new(context: &mut Context, definition: &Definition, corpus: &Corpus) -> Result<Self> {
        let mut verified = Verified {
            engines: Vec::new(),
            is_answered: vec![true; corpus.questions.len()],
            letters: Vec::new(),
        };
        for name in &definition.engines {
            if let Some(mut engine) = entrant(context, definition, name)? {
                eprintln!("{}: verifying {name}", definition.name);
                quietly(|| engine.prepare(corpus))?;
                verified.add(context, definition, corpus, name, engine)?;
            }
        }
        if definition.dialect == Dialect::Google
            && context.purpose != Purpose::Update
            && let Some(recorded) = corpus.recorded(definition.agent)
        {
            context.answers.verify_right(&key(definition, &definition.corpus), &recorded)?;
        }
        Ok(verified)
    }

    fn add(
        &mut self,
        context: &mut Context,
        definition: &Definition,
        corpus: &Corpus,
        name: &str,
        mut engine: Box<dyn Engine>,
    ) -> Result<()> {
        let ways = engine.ways();
        let letters = quietly(|| engine.letters(ways[0], &corpus.questions))?;
        let mut note = context.verify(definition, corpus, name, &letters)?;
        for &asked in &ways[1..] {
            let others = quietly(|| engine.letters(asked, &corpus.questions))?;
            ensure!(others == letters, "{name} answers differently when queried with {}", asked.as_str());
        }
        for (is_answered, &letter) in self.is_answered.iter_mut().zip(&letters) {
            *is_answered &= letter != NONE;
        }
        if engine.refused() > 0 {
            note = format!("refuses {} bodies with URLs; {note}", engine.refused());
        }
        self.letters.push(letters);
        self.engines.push(Entrant { name: name.to_owned(), engine, note });
        Ok(())
    }

    /// All engines, in each supported way of querying.
    pub(super) fn lanes(&self) -> Vec<(usize, Asked)> {
        let ways = |(index, entrant): (usize, &Entrant)| {
            entrant.engine.ways().iter().map(move |&asked| (index, asked)).collect::<Vec<_>>()
        };
        self.engines.iter().enumerate().flat_map(ways).collect()
    }
}

/// The engine, unless it is in another language and is disabled or not installed.
fn entrant(context: &Context, definition: &Definition, name: &str) -> Result<Option<Box<dyn Engine>>> {
    if name == "protego" {
        if context.runners == Runners::Skipped {
            return Ok(None);
        }
        if let Err(error) = engines::protego(definition.agent).version() {
            eprintln!("{}: skipping {name}: {error:#}", definition.name);
            return Ok(None);
        }
    }
    engines::make(name, &definition.setting()).map(Some)
}

/// Runs `run` without printing panics. A panic of an engine counts as a failure to answer.
pub(super) fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = run();
    panic::set_hook(hook);
    result
}
