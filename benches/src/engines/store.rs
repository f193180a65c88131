//! robomata's store: the whole of a check in bulk, from the URL as found over its site to the verdict.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use robomata::{Answer, Checker, Config, Policy, PolicyCompiler, PolicyStore, Recency, Site, StoreBuilder};

use super::{Asked, Engine, NONE, Setting, is_allowed, letter};
use crate::corpus::{Corpus, Form, Questions};

/// A store of the corpus's sites. It needs no preparation of URLs, so it is asked in one way only.
pub(super) struct InStore {
    setting: Setting,
    checker: Option<Checker<'static>>,
}

impl InStore {
    pub(super) fn new(setting: &Setting) -> Self {
        InStore { setting: setting.clone(), checker: None }
    }

    fn checker(&mut self) -> &mut Checker<'static> {
        self.checker.as_mut().expect("an engine is prepared before it is asked")
    }
}

/// The store of all sites of the corpus.
pub(crate) fn store_of(corpus: &Corpus, setting: &Setting) -> PolicyStore {
    let crawlers = [setting.crawler()];
    let config = Config::new(setting.dialect);
    let mut compiler = PolicyCompiler::new(&crawlers);
    let mut builder = StoreBuilder::new(setting.dialect, crawlers.to_vec());
    let mut last = None;
    for &(site, body) in &corpus.sites {
        // Sites of one body often follow each other.
        let policies = match last.take() {
            Some((of, policies)) if of == body => policies,
            _ => compiler.compile(&Policy::new(corpus.bodies[body as usize], &config)),
        };
        let site = Site::of_url(site).expect("a corpus keeps sites in normal form");
        builder.insert(&site, &policies, Recency::default());
        last = Some((body, policies));
    }
    builder.build()
}

impl Engine for InStore {
    fn compile(&mut self, bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        let crawlers = [self.setting.crawler()];
        let config = Config::new(self.setting.dialect);
        let mut compiler = PolicyCompiler::new(&crawlers);
        let start = Instant::now();
        for body in bodies {
            black_box(compiler.compile(&Policy::new(black_box(body), &config)));
        }
        Ok(Some(start.elapsed()))
    }

    fn prepare(&mut self, corpus: &Corpus) -> Result<()> {
        // A checker borrows its store. Both are needed as long as the engine, so that may leak.
        let store: &'static PolicyStore = Box::leak(Box::new(store_of(corpus, &self.setting)));
        self.checker = Some(store.checker(&self.setting.crawler())?);
        Ok(())
    }

    fn ways(&self) -> &'static [Asked] {
        &[Asked::Url]
    }

    fn letters(&mut self, _asked: Asked, questions: &Questions) -> Result<Vec<u8>> {
        let checker = self.checker();
        let letter = |answer| match answer {
            Answer::Verdict(_) => letter(is_allowed(answer)),
            _ => NONE,
        };
        Ok(questions.of(Form::Url).iter().map(|url| letter(checker.check(url.as_bytes()))).collect())
    }

    fn check(&mut self, _asked: Asked, questions: &Questions) -> Result<(Duration, usize)> {
        let checker = self.checker();
        let urls = questions.of(Form::Url);
        let start = Instant::now();
        let mut allowed = 0;
        for url in urls {
            allowed += usize::from(is_allowed(checker.check(black_box(url.as_bytes()))));
        }
        Ok((start.elapsed(), allowed))
    }
}
