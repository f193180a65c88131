//! A whole parsed file.

use crate::diagnostic::Diagnostic;
use crate::read::{Record, Sink, read};
use crate::reading::Config;
use crate::text::Text;

/// The records and diagnostics of one robots.txt.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    text: Text<'a>,
    found: Found,
}

#[derive(Clone, Debug, Default)]
struct Found {
    records: Vec<Record>,
    diagnostics: Vec<Diagnostic>,
}

impl Sink for Found {
    const DIAGNOSTICS: bool = true;

    fn record(&mut self, record: Record) {
        self.records.push(record);
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

impl<'a> Document<'a> {
    /// Parses `file`. Any bytes are a document.
    pub fn parse(file: &'a [u8], config: &Config) -> Self {
        let text = Text::new(file, config);
        let mut found = Found::default();
        read(&text, config, &mut found);
        Document { text, found }
    }

    /// The bytes that spans refer to.
    pub fn text(&self) -> &[u8] {
        self.text.bytes()
    }

    /// The records in file order.
    pub fn records(&self) -> &[Record] {
        &self.found.records
    }

    /// The diagnostics in file order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.found.diagnostics
    }
}
