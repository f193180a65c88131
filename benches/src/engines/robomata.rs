//! robomata for one site: the bare matcher, and the façade.

use std::hint::black_box;

use robomata_engine::automaton::{Compiler, Program, Scratch};
use robomata_engine::{Access, Config, Crawler, Dialect, Policy, SitePolicy};

use super::{Library, is_allowed};
use crate::corpus::Form;

/// A program alone: the target comes in normal form, and one compiler serves all files.
pub(super) struct Walk {
    crawler: Crawler,
    config: Config,
    compiler: Compiler,
    scratch: Scratch,
}

impl Walk {
    pub(super) fn new(crawler: &Crawler) -> Self {
        Walk {
            crawler: crawler.clone(),
            config: Config::new(Dialect::Rfc9309),
            compiler: Compiler::new(),
            scratch: Scratch::new(),
        }
    }
}

impl Library for Walk {
    type Ready = Program;

    const FORM: Form = Form::Target;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        let policy = Policy::new(body, &self.config);
        Some(self.compiler.compile(&policy.rules_for(&self.crawler)).to_owned())
    }

    fn parse(&mut self, body: &'static [u8]) {
        black_box(Policy::new(body, &self.config));
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        // RFC 9309, section 2.2.2: no rule covers this one, so programs do not know it.
        question == "/robots.txt"
            || ready.as_ref().verdict(question.as_bytes(), &mut self.scratch).access == Access::Allow
    }
}

/// The façade's way for one site.
pub(super) struct OneSite {
    crawler: Crawler,
    config: Config,
}

impl OneSite {
    pub(super) fn new(crawler: &Crawler, dialect: Dialect) -> Self {
        OneSite { crawler: crawler.clone(), config: Config::new(dialect) }
    }
}

impl Library for OneSite {
    type Ready = SitePolicy;

    const FORM: Form = Form::Url;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        Some(SitePolicy::new(&Policy::new(body, &self.config), &self.crawler))
    }

    fn parse(&mut self, body: &'static [u8]) {
        black_box(Policy::new(body, &self.config));
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        is_allowed(ready.check(question.as_bytes()))
    }
}
