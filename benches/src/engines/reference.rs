//! robomata's oracle: slow and obvious, here to judge the engine and to show what that costs.

use robomata::{Crawler, Dialect};
use robomata_reference::Reference;

use super::{Engine, Row, Steps};
use crate::corpus::Form;

pub(super) struct Oracle {
    crawler: Crawler,
}

impl Oracle {
    pub(super) fn new(crawler: &Crawler) -> Self {
        Oracle { crawler: crawler.clone() }
    }
}

impl Engine for Oracle {
    type Ready = Reference;

    fn row(&self) -> Row {
        Row { name: super::REFERENCE, steps: Steps::OneStep, form: Form::Url }
    }

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        Some(Reference::new(body, None, &self.crawler, Dialect::Rfc9309))
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &'static str) -> bool {
        super::is_allowed(ready.judge(question.as_bytes()))
    }
}
