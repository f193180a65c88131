//! robomata's store: a complete check in bulk, from the URL as found through its site to the verdict.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use robomata_corpus::Spec;
use robomata_engine::{
    Answer, Checker, CompiledPolicies, Config, Policy, PolicyCompiler, PolicyStore, Site, StoreBuilder,
    StoreKind,
};

use super::{Asked, Engine, NONE, Setting, is_allowed, letter};
use crate::corpus::{Corpus, Form, Questions};

/// A store of the corpus's sites. It needs no preparation of URLs, so it is queried in one way only.
pub(super) struct InStore {
    setting: Setting,
    checker: Option<Checker<'static>>,
}

impl InStore {
    pub(super) fn new(setting: &Setting) -> Self {
        InStore { setting: setting.clone(), checker: None }
    }

    fn checker(&mut self) -> &mut Checker<'static> {
        self.checker.as_mut().expect("an engine is prepared before it is queried")
    }
}

/// Builds the store of all sites of the corpus.
pub(crate) fn store_of(corpus: &Corpus, setting: &Setting) -> PolicyStore {
    let site = |&(site, body): &(&'static [u8], u32)| {
        let site = Site::of_url(site).expect("a corpus keeps sites in normal form");
        (site, body)
    };
    let body = |body: u32, out: &mut Vec<u8>| out.extend_from_slice(corpus.bodies[body as usize]);
    build(corpus.sites.iter().map(site), body, setting)
}

/// Builds the store of a generated collection. The collection is generated during the build, and not kept.
pub(crate) fn store_of_spec(spec: &Spec, setting: &Setting) -> PolicyStore {
    let sites = (0..spec.sites).map(|number| (site_of(spec, number), spec.policy_of(number)));
    build(sites, |policy, out| spec.body(policy, out), setting)
}

/// The https site of a generated host.
pub(crate) fn site_of(spec: &Spec, number: u64) -> Site<'static> {
    let mut host = Vec::new();
    spec.host(number, &mut host);
    let sites = Site::both_of_host(&String::from_utf8_lossy(&host));
    let [_, https] = sites.expect("generated hosts are names");
    https
}

/// Compiles on all cores, a part of the sites at a time. `push_body` appends a body by its number.
fn build<'s, B: Copy + PartialEq + Send + Sync>(
    mut sites: impl Iterator<Item = (Site<'s>, B)>,
    push_body: impl Fn(B, &mut Vec<u8>) + Sync,
    setting: &Setting,
) -> PolicyStore {
    const SITES_AT_A_TIME: usize = 1 << 14;
    let kind = StoreKind::new(setting.dialect, vec![setting.crawler()]);
    let config = Config::new(setting.dialect);
    let mut builder = StoreBuilder::new(kind.clone());
    loop {
        let part: Vec<(Site<'s>, B)> = sites.by_ref().take(SITES_AT_A_TIME).collect();
        if part.is_empty() {
            return builder.build();
        }
        // Sites of one body often follow each other.
        let runs: Vec<&[(Site<'s>, B)]> = part.chunk_by(|a, b| a.1 == b.1).collect();
        let compile = |(compiler, body): &mut (PolicyCompiler<'_>, Vec<u8>), run: &&[(Site<'s>, B)]| {
            body.clear();
            push_body(run[0].1, body);
            compiler.compile(&Policy::new(body, &config))
        };
        let compiled: Vec<CompiledPolicies> =
            runs.par_iter().map_init(|| (PolicyCompiler::new(&kind), Vec::new()), compile).collect();
        for (run, policies) in runs.iter().zip(&compiled) {
            for (site, _) in *run {
                builder.insert(site, policies, None);
            }
        }
    }
}

/// The same store, queried for all URLs in one call on one thread.
pub(super) struct InBatch {
    setting: Setting,
    store: Option<PolicyStore>,
    pool: ThreadPool,
}

impl InBatch {
    pub(super) fn new(setting: &Setting) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
        Ok(InBatch { setting: setting.clone(), store: None, pool })
    }

    fn answers(&self, questions: &Questions) -> Result<Vec<Answer>> {
        let store = self.store.as_ref().expect("an engine is prepared before it is queried");
        let (crawler, urls) = (self.setting.crawler(), questions.of(Form::Url));
        Ok(self.pool.install(|| store.check_batch(&crawler, black_box(urls)))?)
    }
}

impl Engine for InBatch {
    fn prepare(&mut self, corpus: &Corpus) -> Result<()> {
        self.store = Some(store_of(corpus, &self.setting));
        Ok(())
    }

    fn ways(&self) -> &'static [Asked] {
        &[Asked::Url]
    }

    fn letters(&mut self, _asked: Asked, questions: &Questions) -> Result<Vec<u8>> {
        Ok(self.answers(questions)?.into_iter().map(letter_of).collect())
    }

    fn check(&mut self, _asked: Asked, questions: &Questions) -> Result<(Duration, usize)> {
        let start = Instant::now();
        let answers = self.answers(questions)?;
        let time = start.elapsed();
        Ok((time, answers.into_iter().filter(|&answer| is_allowed(answer)).count()))
    }
}

fn letter_of(answer: Answer) -> u8 {
    match answer {
        Answer::Verdict(_) => letter(is_allowed(answer)),
        _ => NONE,
    }
}

impl Engine for InStore {
    fn compile(&mut self, bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        let kind = StoreKind::new(self.setting.dialect, vec![self.setting.crawler()]);
        let config = Config::new(self.setting.dialect);
        let mut compiler = PolicyCompiler::new(&kind);
        let start = Instant::now();
        for body in bodies {
            black_box(compiler.compile(&Policy::new(black_box(body), &config)));
        }
        Ok(Some(start.elapsed()))
    }

    fn prepare(&mut self, corpus: &Corpus) -> Result<()> {
        // A checker borrows its store. Both are needed as long as the engine, so leaking it is acceptable.
        let store: &'static PolicyStore = Box::leak(Box::new(store_of(corpus, &self.setting)));
        self.checker = Some(store.checker(&self.setting.crawler())?);
        Ok(())
    }

    fn ways(&self) -> &'static [Asked] {
        &[Asked::Url]
    }

    fn letters(&mut self, _asked: Asked, questions: &Questions) -> Result<Vec<u8>> {
        let checker = self.checker();
        Ok(questions.of(Form::Url).iter().map(|url| letter_of(checker.check(url.as_bytes()))).collect())
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
