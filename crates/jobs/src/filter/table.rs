//! Output rows: the input's columns, then those of verdicts.

use robomata_formats::urls::as_text;
use robomata_formats::{
    Cell, Column, ColumnKind, Layout, OutputError, Rows, RowsBuilder, UrlLine, UrlRows, lines,
};

use super::form::{Rulings, verdict_names};
use super::{FilterJob, Selection};

/// Collects the output rows of a block.
pub(super) struct Table {
    builder: RowsBuilder,
    has_verdicts: bool,
}

impl Table {
    /// A table for lines of this layout; with verdicts for this many crawlers if verdicts are written.
    pub(super) fn of_lines(
        layout: &Layout,
        selection: Selection,
        crawlers: usize,
    ) -> Result<Self, OutputError> {
        let text = |name: &String| Column { name: name.clone().into(), ..URL };
        let mut input: Vec<Column> = layout.names().iter().map(text).collect();
        if input.is_empty() {
            input.push(URL);
        }
        Table::new(input, selection, crawlers)
    }

    /// A table for input rows, which have their own columns.
    pub(super) fn of_rows(selection: Selection, crawlers: usize) -> Result<Self, OutputError> {
        Table::new(Vec::new(), selection, crawlers)
    }

    fn new(mut columns: Vec<Column>, selection: Selection, crawlers: usize) -> Result<Self, OutputError> {
        let has_verdicts = selection == Selection::Verdicts;
        if has_verdicts {
            columns.extend(verdict_columns(crawlers));
        }
        Ok(Table { builder: RowsBuilder::new(&columns)?, has_verdicts })
    }

    pub(super) fn push_line(&mut self, layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>) {
        let text = lines::trim_line_end(line.line);
        if layout.names().is_empty() {
            let url = line.url.as_deref().unwrap_or(text);
            self.builder.push(Cell::Text(as_text(url)));
        } else {
            let mut columns = layout.columns(text);
            for _ in layout.names() {
                let column = columns.next();
                let text = column.as_deref().map(as_text);
                self.builder.push(text.map_or(Cell::Null, Cell::Text));
            }
        }
        self.push_verdicts(rulings);
    }

    pub(super) fn push_verdicts(&mut self, rulings: Rulings<'_>) {
        if !self.has_verdicts {
            return;
        }
        for (verdict, line, rule) in rulings.iter() {
            self.builder.push(verdict.into());
            self.builder.push(line.map_or(Cell::Null, Cell::U32));
            self.builder.push(rule.map_or(Cell::Null, Cell::from));
        }
    }

    /// Finishes a table of lines.
    pub(super) fn finish(self) -> Result<Rows, OutputError> {
        self.builder.finish()
    }

    /// Finishes a table of rows: `rows` with their verdicts, or those that `kept` selects.
    pub(super) fn finish_rows(self, rows: &UrlRows, kept: &[bool]) -> Result<Rows, OutputError> {
        if self.has_verdicts { rows.with_columns(&self.builder.finish()?) } else { rows.selected(kept) }
    }
}

/// The column of URLs without a name in the input.
const URL: Column = Column::nullable("url", ColumnKind::Text);

/// The columns of verdicts, by crawler.
fn verdict_columns(crawlers: usize) -> impl Iterator<Item = Column> {
    verdict_names(crawlers).flat_map(|[verdict, line, rule]| {
        [
            Column { name: verdict.into(), kind: ColumnKind::Text, is_nullable: false },
            Column { name: line.into(), kind: ColumnKind::U32, is_nullable: true },
            Column { name: rule.into(), kind: ColumnKind::Text, is_nullable: true },
        ]
    })
}

/// The columns of an output for empty input.
pub(super) fn columns_without_input(job: &FilterJob<'_>) -> Vec<Column> {
    let crawlers = if job.selection == Selection::Verdicts { job.crawlers.len() } else { 0 };
    std::iter::once(URL).chain(verdict_columns(crawlers)).collect()
}
