//! Writes counts as Parquet rows.

use robomata_formats::{Cell as Value, Column, ColumnKind, Output, RowsBuilder, RowsOutput};

use super::report::Cell;
use crate::error::JobError;

/// The number of rows in a batch.
const ROWS: usize = 1 << 16;

static COLUMNS: [Column; 7] = [
    Column::required("crawler", ColumnKind::Word),
    Column::required("site", ColumnKind::Text),
    Column::nullable("day", ColumnKind::Day),
    Column::required("verdict", ColumnKind::Word),
    Column::nullable("line", ColumnKind::U32),
    Column::nullable("rule", ColumnKind::Text),
    Column::required("requests", ColumnKind::U64),
];

/// Writes `cells` as Parquet: crawler, site, day, verdict, line and rule (null if none was violated), requests.
///
/// # Errors
/// When the output cannot be written.
pub fn write(cells: &[Cell], output: Output) -> Result<(), JobError> {
    let mut rows = RowsOutput::new(output, &COLUMNS)?;
    for cells in cells.chunks(ROWS) {
        let mut builder = RowsBuilder::new(&COLUMNS)?;
        for cell in cells {
            let row: [Value<'_>; 7] = [
                (&*cell.crawler).into(),
                (&*cell.site).into(),
                cell.day.map_or(Value::Null, Value::Day),
                cell.verdict.into(),
                if cell.line > 0 { Value::U32(cell.line) } else { Value::Null },
                cell.rule.as_deref().map_or(Value::Null, Value::from),
                Value::U64(cell.requests),
            ];
            row.into_iter().for_each(|value| builder.push(value));
        }
        rows.write(&builder.finish()?)?;
    }
    Ok(rows.commit()?)
}
