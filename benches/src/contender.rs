//! What every engine is put through: the verdicts on everything, then passes over everything against the clock.
//!
//! A pass is one call, so that nothing but the engine's own code runs between two of its items.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::corpus::{Corpus, Group, Questions};
use crate::engines::{Engine, Row};

/// One row of the report.
pub(crate) trait Contender {
    fn row(&self) -> Row;

    /// Judges every URL. What is made ready for that stays for [`Contender::check`].
    fn verdicts(&mut self, corpus: &Corpus) -> Verdicts;

    /// Parses the bodies.
    fn parse(&mut self, bodies: &[&'static [u8]]) -> Duration;

    /// Makes the bodies ready for one crawler, from its octets.
    fn compile(&mut self, bodies: &[&'static [u8]]) -> Duration;

    /// Asks the questions; gives also how many are allowed.
    fn check(&mut self, checks: &Checks) -> (Duration, usize);
}

/// What an engine says about the corpus.
#[derive(Debug)]
pub(crate) struct Verdicts {
    /// The bodies that it could not read, by body.
    pub(crate) unread: Vec<bool>,
    /// By URL; none when it gave no answer: its body is unread, or it panicked.
    pub(crate) allowed: Vec<Option<bool>>,
}

impl Verdicts {
    /// Every body read, no URL judged.
    pub(crate) fn none(corpus: &Corpus) -> Self {
        Verdicts { unread: vec![false; corpus.bodies.len()], allowed: vec![None; corpus.google.len()] }
    }
}

/// Questions to be asked against the clock, site after site.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) groups: Vec<Group>,
    pub(crate) questions: Questions,
    /// The URLs' places in the corpus.
    pub(crate) places: Vec<usize>,
}

impl Checks {
    /// The URLs of the corpus for which `is_wanted`, given the body and the URL's place, says yes.
    pub(crate) fn select(corpus: &Corpus, mut is_wanted: impl FnMut(usize, usize) -> bool) -> Self {
        let (mut groups, mut places) = (Vec::new(), Vec::new());
        for group in &corpus.groups {
            let start = places.len();
            places.extend(group.urls.clone().filter(|&place| is_wanted(group.body, place)));
            if places.len() > start {
                groups.push(Group { urls: start..places.len(), ..group.clone() });
            }
        }
        Checks { groups, questions: corpus.questions.select(&places), places }
    }
}

/// An engine with the bodies that it has made ready.
pub(crate) struct Prepared<E: Engine> {
    engine: E,
    ready: Vec<Option<E::Ready>>,
}

impl<E: Engine> Prepared<E> {
    pub(crate) fn new(engine: E) -> Self {
        Prepared { engine, ready: Vec::new() }
    }
}

impl<E: Engine> Contender for Prepared<E> {
    fn row(&self) -> Row {
        self.engine.row()
    }

    fn verdicts(&mut self, corpus: &Corpus) -> Verdicts {
        let Prepared { engine, ready } = self;
        let caught = |body: &&'static [u8]| catch(|| engine.ready(body)).flatten();
        *ready = corpus.bodies.iter().map(caught).collect();

        let mut verdicts = Verdicts::none(corpus);
        verdicts.unread = ready.iter().map(Option::is_none).collect();
        let questions = corpus.questions.of(engine.row().form);
        for group in &corpus.groups {
            let Some(ready) = &mut ready[group.body] else { continue };
            for place in group.urls.clone() {
                verdicts.allowed[place] = catch(|| engine.allows(ready, questions[place]));
            }
        }
        verdicts
    }

    fn parse(&mut self, bodies: &[&'static [u8]]) -> Duration {
        let start = Instant::now();
        for body in bodies {
            self.engine.parse(black_box(body));
        }
        start.elapsed()
    }

    fn compile(&mut self, bodies: &[&'static [u8]]) -> Duration {
        let start = Instant::now();
        for body in bodies {
            self.engine.compile(black_box(body));
        }
        start.elapsed()
    }

    fn check(&mut self, checks: &Checks) -> (Duration, usize) {
        let Prepared { engine, ready } = self;
        let questions = checks.questions.of(engine.row().form);
        let mut allowed = 0;
        let start = Instant::now();
        for group in &checks.groups {
            let Some(ready) = &mut ready[group.body] else { continue };
            for question in &questions[group.urls.clone()] {
                allowed += usize::from(engine.allows(ready, black_box(question)));
            }
        }
        (start.elapsed(), allowed)
    }
}

/// What `run` gives, none when it panics.
fn catch<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}
