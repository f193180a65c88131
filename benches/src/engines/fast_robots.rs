//! fast-robots. It reads bytes through `parse_bytes`, as its README advises, with its limit of 512 KiB; `matcher()`
//! compiles the groups of every crawler.

use std::hint::black_box;

use fast_robots::{RobotsMatcher, RobotsTxt};

use super::Library;
use crate::corpus::Form;

/// Compiled: for many checks of one file.
pub(super) struct Matcher {
    pub(super) agent: &'static str,
}

impl Library for Matcher {
    type Ready = RobotsMatcher<'static>;

    const FORM: Form = Form::Path;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        // A matcher borrows the parsed file. Both are needed until the program ends, so leaking it is acceptable.
        let parsed: &'static RobotsTxt<'static> = Box::leak(Box::new(RobotsTxt::parse_bytes(body).ok()?));
        Some(parsed.matcher())
    }

    fn parse(&mut self, body: &'static [u8]) {
        let _ = black_box(RobotsTxt::parse_bytes(body));
    }

    fn compile(&mut self, body: &'static [u8]) {
        if let Ok(parsed) = RobotsTxt::parse_bytes(body) {
            black_box(parsed.matcher());
        }
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        ready.is_allowed(self.agent, question)
    }
}

/// Parsed only: "the lowest-overhead choice for one-off checks". It parses in the same way as the matcher.
pub(super) struct Parsed {
    pub(super) agent: &'static str,
}

impl Library for Parsed {
    type Ready = RobotsTxt<'static>;

    const FORM: Form = Form::Path;
    const PARSES: bool = false;
    const COMPILES: bool = false;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        RobotsTxt::parse_bytes(body).ok()
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        ready.is_allowed(self.agent, question)
    }
}
