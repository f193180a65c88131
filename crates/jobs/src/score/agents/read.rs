//! Reads crawler directories from files.

use std::collections::BTreeMap;
use std::path::Path;

use robomata_formats::BodyKind;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{LONGEST, is_searchable, tokens};
use crate::error::JobError;
use crate::problem::{InputProblem, ProblemKind, ProblemLog};
use crate::robots_file::RobotsFile;

/// The patterns and tokens of all files, in file order.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) patterns: Vec<String>,
    pub(super) tokens: Vec<String>,
}

/// An entry of monperrus/crawler-user-agents.
#[derive(Deserialize)]
struct Entry {
    pattern: String,
}

impl Directory {
    pub(super) fn read(&mut self, path: &Path, log: &mut ProblemLog<'_>) -> Result<(), JobError> {
        let file = RobotsFile::read(path)?;
        let text = file.bytes().strip_prefix(b"\xef\xbb\xbf").unwrap_or(file.bytes());
        let bad = |expected: String| InputProblem::at_line(ProblemKind::Agent, file.name(), None, &expected);
        let before = self.patterns.len() + self.tokens.len();
        match text.trim_ascii_start().first() {
            Some(b'[') => {
                let entries = serde_json::from_slice::<Vec<Entry>>(text).map_err(|error| {
                    JobError::Strict(bad(format!("expected an array of objects with a \"pattern\": {error}")))
                })?;
                self.add_patterns(entries, &bad, log)?;
            }
            Some(b'{') => {
                let object =
                    serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(text).map_err(|error| {
                        JobError::Strict(bad(format!(
                            "expected an object whose keys are product tokens: {error}"
                        )))
                    })?;
                object.into_keys().for_each(|token| self.add_token(&token));
            }
            _ if matches!(BodyKind::of(text), BodyKind::Html | BodyKind::Xml | BodyKind::Binary) => {
                let expected = "expected JSON, or lines that begin with product tokens".to_owned();
                return Err(JobError::Strict(bad(expected)));
            }
            _ => self.add_lines(text),
        }
        if self.patterns.len() + self.tokens.len() == before {
            let expected = "expected a list of crawlers, found none (leave out --agents without a list)";
            return Err(JobError::Strict(bad(expected.to_owned())));
        }
        Ok(())
    }

    fn add_patterns(
        &mut self,
        entries: Vec<Entry>,
        bad: &dyn Fn(String) -> InputProblem,
        log: &mut ProblemLog<'_>,
    ) -> Result<(), JobError> {
        for Entry { pattern } in entries {
            if is_searchable(&pattern) {
                self.patterns.push(pattern);
            } else {
                log.report(bad(format!("expected a regular expression, found {pattern:?}; it is skipped")))?;
            }
        }
        Ok(())
    }

    fn add_lines(&mut self, text: &[u8]) {
        for line in String::from_utf8_lossy(text).lines() {
            let line = line.split('#').next().unwrap_or_default();
            match line.split_once(':') {
                Some((key, value)) if key.trim().eq_ignore_ascii_case("user-agent") => self.add_token(value),
                // Other records of a robots.txt are skipped.
                Some((key, _)) if key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') => {}
                _ => self.add_token(first_column(line)),
            }
        }
    }

    fn add_token(&mut self, token: &str) {
        let token = token.trim();
        // Some robots.txt files name browsers, and so do lists made from them. Such a name would match every visitor.
        if (3..=LONGEST).contains(&token.len()) && tokens::may_be_crawler(token) {
            self.tokens.push(token.to_owned());
        }
    }
}

/// The text that `pattern` finds; `None` if it is another regular expression than a text with escaped punctuation.
pub(super) fn text_of(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => {
                characters.next().filter(char::is_ascii_punctuation).filter(|&next| !"<>".contains(next))?
            }
            '.' | '^' | '$' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' => return None,
            other => other,
        });
    }
    Some(text)
}

/// The text before the first comma or tab, or the quoted text at the start.
fn first_column(line: &str) -> &str {
    match line.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => line.split([',', '\t']).next().unwrap_or_default(),
    }
}
