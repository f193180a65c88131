//! robomata's store: the whole of a check in bulk, from the URL as found over its site to the verdict.

use std::time::{Duration, Instant};

use robomata::evaluator::Checker;
use robomata::{Config, Crawler, Dialect, Policy, PolicyCompiler, PolicyStore, Recency, Site, StoreBuilder};

use super::{Row, Steps, is_allowed};
use crate::contender::{Checks, Contender, Verdicts};
use crate::corpus::{Corpus, Form};

/// A store of the corpus's sites. It knows sites, not bodies, and so holds those alone whose URLs name one body.
pub(super) struct InStore {
    row: Row,
    checker: Checker<'static>,
}

impl InStore {
    pub(super) fn new(name: &'static str, corpus: &Corpus, crawler: &Crawler) -> Self {
        let store: &'static PolicyStore = Box::leak(Box::new(store_of(corpus, crawler)));
        let checker = store.checker(crawler).expect("the store was built for this crawler");
        InStore { row: Row { name, steps: Steps::ElsewhereTimed, form: Form::Url }, checker }
    }
}

fn store_of(corpus: &Corpus, crawler: &Crawler) -> PolicyStore {
    let crawlers = [crawler.clone()];
    let config = Config::new(Dialect::Rfc9309);
    let mut compiler = PolicyCompiler::new(&crawlers);
    let mut builder = StoreBuilder::new(Dialect::Rfc9309, crawlers.to_vec());
    let urls = corpus.questions.of(Form::Url);
    for group in corpus.groups.iter().filter(|group| group.one_body) {
        let site = Site::of_url(urls[group.urls.start].as_bytes()).expect("a group of one body has a site");
        let policies = compiler.compile(&Policy::new(corpus.bodies[group.body], &config));
        builder.insert(&site, &policies, Recency::default());
    }
    builder.build()
}

impl Contender for InStore {
    fn row(&self) -> Row {
        self.row
    }

    fn verdicts(&mut self, corpus: &Corpus) -> Verdicts {
        let urls = corpus.questions.of(self.row.form);
        let mut verdicts = Verdicts::none(corpus);
        for group in corpus.groups.iter().filter(|group| group.one_body) {
            for place in group.urls.clone() {
                verdicts.allowed[place] = Some(is_allowed(self.checker.check(urls[place].as_bytes())));
            }
        }
        verdicts
    }

    fn parse(&mut self, _bodies: &[&'static [u8]]) -> Duration {
        Duration::ZERO
    }

    fn compile(&mut self, _bodies: &[&'static [u8]]) -> Duration {
        Duration::ZERO
    }

    fn check(&mut self, checks: &Checks) -> (Duration, usize) {
        let urls = checks.questions.of(self.row.form);
        let start = Instant::now();
        let allowed = urls.iter().filter(|url| is_allowed(self.checker.check(url.as_bytes()))).count();
        (start.elapsed(), allowed)
    }
}
