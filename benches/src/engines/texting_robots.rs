//! texting_robots: `Robot::new` parses and compiles in one step for one crawler; rules that end in `$` become regular
//! expressions. It takes a URL or a path; for a path it has less to do.

use super::Library;
use crate::corpus::Form;

pub(super) struct Robot {
    pub(super) agent: &'static str,
}

impl Library for Robot {
    type Ready = texting_robots::Robot;

    const FORM: Form = Form::Path;
    const PARSES: bool = false;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        texting_robots::Robot::new(self.agent, body).ok()
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        ready.allowed(question)
    }
}
