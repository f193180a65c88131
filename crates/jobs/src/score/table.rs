//! Writes counts as Parquet rows.

use std::sync::Arc;

use arrow_array::builder::{
    Date32Builder, StringBuilder, StringDictionaryBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use robomata_formats::{Output, OutputError, RowsOutput};

use super::report::Cell;
use crate::error::JobError;

/// The number of rows in a batch.
const ROWS: usize = 1 << 16;

/// Writes `cells` as Parquet: crawler, site, day, verdict, line and rule (null if none was violated), requests.
///
/// # Errors
/// When the output cannot be written.
pub fn write(cells: &[Cell], output: Output) -> Result<(), JobError> {
    let text = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let schema = Arc::new(Schema::new(vec![
        Field::new("crawler", text(), false),
        Field::new("site", DataType::Utf8, false),
        Field::new("day", DataType::Date32, false),
        Field::new("verdict", text(), false),
        Field::new("line", DataType::UInt32, true),
        Field::new("rule", DataType::Utf8, true),
        Field::new("requests", DataType::UInt64, false),
    ]));
    let mut rows = RowsOutput::new(output, Arc::clone(&schema))?;
    for cells in cells.chunks(ROWS) {
        let batch = columns(cells).and_then(|columns| RecordBatch::try_new(Arc::clone(&schema), columns));
        let batch = batch.map_err(|error| OutputError::from(std::io::Error::other(error)))?;
        rows.write(&batch)?;
    }
    Ok(rows.commit()?)
}

fn columns(cells: &[Cell]) -> Result<Vec<ArrayRef>, ArrowError> {
    let mut crawlers = StringDictionaryBuilder::<Int32Type>::new();
    let mut verdicts = StringDictionaryBuilder::<Int32Type>::new();
    let (mut sites, mut rules) = (StringBuilder::new(), StringBuilder::new());
    let (mut days, mut lines, mut requests) =
        (Date32Builder::new(), UInt32Builder::new(), UInt64Builder::new());
    for cell in cells {
        crawlers.append(&cell.crawler)?;
        sites.append_value(&cell.site);
        days.append_value(cell.day);
        verdicts.append(cell.verdict)?;
        lines.append_option((cell.line > 0).then_some(cell.line));
        rules.append_option(cell.rule.as_deref());
        requests.append_value(cell.requests);
    }
    Ok(vec![
        Arc::new(crawlers.finish()),
        Arc::new(sites.finish()),
        Arc::new(days.finish()),
        Arc::new(verdicts.finish()),
        Arc::new(lines.finish()),
        Arc::new(rules.finish()),
        Arc::new(requests.finish()),
    ])
}
