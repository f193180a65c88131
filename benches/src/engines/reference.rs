//! robomata's oracle: slow and obvious. It checks the engine, and shows the cost of doing so.

use robomata_engine::{Crawler, Dialect};
use robomata_reference::Reference;

use super::{Library, is_allowed};
use crate::corpus::Form;

pub(super) struct Oracle {
    crawler: Crawler,
    dialect: Dialect,
}

impl Oracle {
    pub(super) fn new(crawler: &Crawler, dialect: Dialect) -> Self {
        Oracle { crawler: crawler.clone(), dialect }
    }
}

impl Library for Oracle {
    type Ready = Reference;

    const FORM: Form = Form::Url;
    const PARSES: bool = false;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        Some(Reference::new(body, None, &self.crawler, self.dialect))
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        is_allowed(ready.judge(question.as_bytes()))
    }
}
