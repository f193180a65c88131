//! robotxt: `Robots::parse` reads, normalises and sorts the rules of one crawler in one step; checks try them in order.

use super::{Engine, Row, Steps};
use crate::corpus::Form;

pub(super) struct Robots {
    pub(super) agent: &'static str,
}

impl Engine for Robots {
    type Ready = robotxt::Robots;

    fn row(&self) -> Row {
        Row { name: "robotxt", steps: Steps::OneStep, form: Form::Path }
    }

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        Some(robotxt::Robots::parse(body, self.agent))
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &'static str) -> bool {
        ready.is_allowed(question)
    }
}
