//! Indexes of web archives. Each line is a request whose response, or whose lack of change, was archived.

use std::borrow::Cow;

use super::fields::is_http;
use super::{Aside, LogEntry, LogLine, Malformed, Precision};
use crate::cdx::{CdxColumns, CdxRecord, cdxj_record, is_cdxj_header};

pub(super) fn read<'l>(line: &'l [u8], columns: &CdxColumns) -> Result<LogLine<'l>, Malformed> {
    match CdxColumns::of_header(line) {
        Some(header) if header == *columns => return Ok(LogLine::Aside(Aside::Blank)),
        Some(_) => return Err(Malformed("the columns of the first line, found a header line with others")),
        None => {}
    }
    entry(
        columns.record(line),
        Malformed("the columns named in the header line, a time of 14 digits and a URL among them"),
    )
}

pub(super) fn read_cdxj(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    if is_cdxj_header(line) {
        return Ok(LogLine::Aside(Aside::Blank));
    }
    entry(cdxj_record(line), Malformed("a key, a time of 14 digits and a JSON object, separated by spaces"))
}

fn entry(record: Option<CdxRecord<'_>>, expected: Malformed) -> Result<LogLine<'_>, Malformed> {
    let record = record.ok_or(expected)?;
    let time = record.time.ok_or(expected)?;
    if !is_http(&record.url) {
        return Ok(LogLine::Aside(Aside::OtherScheme));
    }
    Ok(LogLine::Entry(LogEntry {
        time,
        precision: Precision::Seconds,
        client: None,
        host: None,
        scheme: None,
        // Indexes record no method; archived captures were fetched with GET.
        method: Cow::Borrowed(b"GET"),
        target: record.url,
        status: record.status.map(i32::from),
        bytes: None,
        agent: None,
        referrer: None,
        has_agent: false,
        refused: false,
    }))
}
