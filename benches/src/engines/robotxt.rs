//! robotxt: `Robots::parse` reads, normalises and sorts the rules of one crawler in one step; checks try them in order.

use super::Library;
use crate::corpus::Form;

pub(super) struct Robots {
    pub(super) agent: &'static str,
}

impl Library for Robots {
    type Ready = robotxt::Robots;

    const FORM: Form = Form::Path;
    const PARSES: bool = false;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        Some(robotxt::Robots::parse(body, self.agent))
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        ready.is_allowed(question)
    }
}
