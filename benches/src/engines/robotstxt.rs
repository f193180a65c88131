//! robotstxt, the port of Google's parser. Like the original it keeps nothing of a file: each check parses it again.

use std::borrow::Cow;
use std::hint::black_box;

use robotstxt::{DefaultMatcher, RobotsParseHandler, parse_robotstxt};

use super::Library;
use crate::corpus::Form;

pub(super) struct GooglePort {
    pub(super) agent: &'static str,
}

impl Library for GooglePort {
    /// The file as text, because the library takes text.
    type Ready = &'static str;

    const FORM: Form = Form::Url;
    const COMPILES: bool = false;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        // It takes text only and does not specify other bytes; a few files contain some.
        let text = match String::from_utf8_lossy(body) {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => text.leak(),
        };
        // Reports a file that it cannot parse now, not at the first check.
        parse_robotstxt(text, &mut Ignore);
        Some(text)
    }

    fn parse(&mut self, body: &'static [u8]) {
        parse_robotstxt(&String::from_utf8_lossy(body), &mut Ignore);
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        DefaultMatcher::default().one_agent_allowed_by_robots(ready, self.agent, question)
    }
}

/// Receives records and ignores them.
struct Ignore;

impl RobotsParseHandler for Ignore {
    fn handle_robots_start(&mut self) {}

    fn handle_robots_end(&mut self) {}

    fn handle_user_agent(&mut self, line: u32, agent: &str) {
        black_box((line, agent));
    }

    fn handle_allow(&mut self, line: u32, pattern: &str) {
        black_box((line, pattern));
    }

    fn handle_disallow(&mut self, line: u32, pattern: &str) {
        black_box((line, pattern));
    }

    fn handle_sitemap(&mut self, line: u32, url: &str) {
        black_box((line, url));
    }

    fn handle_unknown_action(&mut self, line: u32, key: &str, value: &str) {
        black_box((line, key, value));
    }
}
