//! texting_robots: `Robot::new` parses and compiles in one step for one crawler; rules that end in `$` become regular
//! expressions. It takes a URL or a path; for a path it has less to do.

use super::{Engine, Row, Steps};
use crate::corpus::Form;

pub(super) struct Robot {
    pub(super) agent: &'static str,
}

impl Engine for Robot {
    type Ready = texting_robots::Robot;

    fn row(&self) -> Row {
        Row { name: "texting_robots", steps: Steps::OneStep, form: Form::Path }
    }

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        texting_robots::Robot::new(self.agent, body).ok()
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &'static str) -> bool {
        ready.allowed(question)
    }
}
