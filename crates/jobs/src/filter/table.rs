//! Output rows: the input's columns, then those of verdicts.

use std::sync::Arc;

use arrow_array::builder::{StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use robomata_formats::{Layout, UrlLine, lines};

use super::form::{Rulings, verdict_names};
use super::{FilterJob, Selection};

/// Collects the output rows of a block.
pub(super) struct Table {
    /// The input's columns, if the input consists of lines.
    input: Vec<(String, StringBuilder)>,
    verdicts: Option<Verdicts>,
}

/// The columns of verdicts, by crawler.
struct Verdicts(Vec<(StringBuilder, UInt32Builder, StringBuilder)>);

impl Verdicts {
    fn new(crawlers: usize) -> Self {
        Verdicts((0..crawlers).map(|_| Default::default()).collect())
    }

    fn push(&mut self, rulings: Rulings<'_>) {
        for ((words, line_numbers, rules), (verdict, line, rule)) in self.0.iter_mut().zip(rulings.iter()) {
            words.append_value(verdict);
            line_numbers.append_option(line);
            rules.append_option(rule);
        }
    }

    fn columns(self) -> impl Iterator<Item = (Field, ArrayRef)> {
        let fields = verdict_fields(self.0.len());
        let arrays = self.0.into_iter().flat_map(|(mut words, mut line_numbers, mut rules)| {
            let columns: [ArrayRef; 3] =
                [Arc::new(words.finish()), Arc::new(line_numbers.finish()), Arc::new(rules.finish())];
            columns
        });
        fields.zip(arrays)
    }
}

fn verdict_fields(crawlers: usize) -> impl Iterator<Item = Field> {
    verdict_names(crawlers).flat_map(|[verdict, line, rule]| {
        [
            Field::new(verdict, DataType::Utf8, false),
            Field::new(line, DataType::UInt32, true),
            Field::new(rule, DataType::Utf8, true),
        ]
    })
}

impl Table {
    /// A table for lines of this layout; with verdicts for this many crawlers if verdicts are written.
    pub(super) fn of_lines(layout: &Layout, selection: Selection, crawlers: usize) -> Self {
        let mut input: Vec<_> =
            layout.names().iter().map(|name| (name.clone(), StringBuilder::new())).collect();
        if input.is_empty() {
            input.push(("url".to_owned(), StringBuilder::new()));
        }
        Table { input, ..Table::of_rows(selection, crawlers) }
    }

    /// A table for input rows, which have their own columns.
    pub(super) fn of_rows(selection: Selection, crawlers: usize) -> Self {
        let verdicts = (selection == Selection::Verdicts).then(|| Verdicts::new(crawlers));
        Table { input: Vec::new(), verdicts }
    }

    pub(super) fn push_line(&mut self, layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>) {
        let text = lines::trim_line_end(line.line);
        if layout.names().is_empty() {
            if let Some((_, urls)) = self.input.first_mut() {
                urls.append_value(String::from_utf8_lossy(line.url.as_deref().unwrap_or(text)));
            }
        } else {
            let mut columns = layout.columns(text);
            for (_, builder) in &mut self.input {
                let column = columns.next();
                builder.append_option(column.as_deref().map(String::from_utf8_lossy));
            }
        }
        self.push_verdicts(rulings);
    }

    pub(super) fn push_verdicts(&mut self, rulings: Rulings<'_>) {
        if let Some(verdicts) = &mut self.verdicts {
            verdicts.push(rulings);
        }
    }

    /// Finishes a table of lines.
    pub(super) fn finish(self) -> Result<RecordBatch, ArrowError> {
        let input = self.input.into_iter().map(|(name, mut builder)| {
            let column: ArrayRef = Arc::new(builder.finish());
            (Field::new(name, DataType::Utf8, true), column)
        });
        let verdicts = self.verdicts.into_iter().flat_map(Verdicts::columns);
        let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = input.chain(verdicts).unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }

    /// Finishes a table of rows: `rows` with their verdicts, or those that `kept` selects.
    pub(super) fn finish_rows(self, rows: &RecordBatch, kept: &[bool]) -> Result<RecordBatch, ArrowError> {
        let Some(verdicts) = self.verdicts else {
            return arrow_select::filter::filter_record_batch(rows, &BooleanArray::from(kept.to_vec()));
        };
        let mut fields: Vec<_> = rows.schema_ref().fields().iter().cloned().collect();
        let mut columns = rows.columns().to_vec();
        for (field, column) in verdicts.columns() {
            fields.push(Arc::new(field));
            columns.push(column);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }
}

/// The columns of an output for empty input.
pub(super) fn schema_without_input(job: &FilterJob<'_>) -> SchemaRef {
    let url = Field::new("url", DataType::Utf8, true);
    let crawlers = if job.selection == Selection::Verdicts { job.crawlers.len() } else { 0 };
    Arc::new(Schema::new(std::iter::once(url).chain(verdict_fields(crawlers)).collect::<Vec<_>>()))
}

/// The same columns, all nullable except those of verdicts: a later file may lack values that the first one has.
pub(super) fn nullable(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
