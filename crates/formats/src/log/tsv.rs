//! Tab-separated columns, named by the first line.

use std::borrow::Cow;

use super::fields::present;
use super::record::{self, Columns, Field, Record};
use super::{Aside, LogLine, Malformed};
use crate::error::DuplicateColumn;
use crate::lines::{column, trim_line_end, without_mark};
use crate::tsv::NULL;

/// The header line of a log and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    line: Vec<u8>,
    pub(super) columns: Result<Columns, DuplicateColumn>,
}

impl Header {
    /// Parses `line` as a header. None if it names no time, or no request target.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let line = trim_line_end(line);
        let names = std::str::from_utf8(without_mark(line)).ok()?;
        let columns = Columns::of_names(&names.split('\t').collect::<Vec<_>>()).transpose()?;
        Some(Header { line: line.to_vec(), columns })
    }
}

pub(super) fn read<'l>(line: &'l [u8], header: Option<&Header>) -> Result<LogLine<'l>, Malformed> {
    let Some(header) = header else {
        return Err(Malformed(
            "a header line that names columns, a time and a url, or a time, a host and a path among them",
        ));
    };
    // Concatenated files contain the header line several times.
    if line == header.line {
        return Ok(LogLine::Aside(Aside::Blank));
    }
    match &header.columns {
        Ok(columns) => record::read(&Row { line, columns }),
        Err(_) => Err(Malformed("a header line that names each column once")),
    }
}

struct Row<'l, 'h> {
    line: &'l [u8],
    columns: &'h Columns,
}

impl<'l> Record<'l> for Row<'l, '_> {
    fn text(&self, field: Field) -> Option<Cow<'l, [u8]>> {
        let cell = |&place: &usize| {
            let cell = column(self.line, place + 1)?.trim_ascii();
            present(cell).filter(|cell| *cell != NULL)
        };
        self.columns.of(field).iter().find_map(cell).map(Cow::Borrowed)
    }

    fn has_agent(&self) -> bool {
        !self.columns.of(Field::Agent).is_empty()
    }

    fn has_path(&self) -> bool {
        !self.columns.of(Field::Path).is_empty()
    }
}
