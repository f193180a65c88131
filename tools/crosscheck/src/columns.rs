//! Answers through Arrow columns: the path that bindings and query engines use.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, BinaryArray, Int32Array, LargeBinaryArray, StructArray};
use robomata_columns::{ColumnsError, Query, Urls, verdicts};
use robomata_engine::{Answer, Crawler, Moment, PolicySet, PolicyStore, UrlParts, requestable};

use crate::engines::parts_of;

/// An answer as one row of the columns: verdict, line and reason.
pub type Row = (String, u32, String);

/// Converts an answer to its row.
pub fn row_of(answer: Answer) -> Row {
    (answer.as_str().to_owned(), answer.line(), answer.reason().to_owned())
}

/// Whether the columns judge `url` as it is: they ignore blanks around it, and refuse control characters. The reference
/// judges any bytes.
pub fn judge_as_written(url: &[u8]) -> bool {
    requestable(url) == Some(url)
}

/// Returns the rows for `urls`, and checks that the URLs that have parts get the same rows when given as parts.
///
/// # Errors
/// If the store has no answers for `crawler`.
pub fn rows(store: PolicyStore, crawler: &Crawler, urls: &[&[u8]]) -> Result<Vec<Row>, ColumnsError> {
    let crawl_query = Query::of(crawler.clone(), store.usage_query().clone());
    // An instant before every date: the expected answers were computed without dates.
    let crawl_query = crawl_query.at(Moment::from_seconds(i64::MIN));
    let policies = PolicySet::of_store(store);
    let whole =
        rows_of(&verdicts(&policies, &crawl_query, &Urls::whole(&BinaryArray::from_vec(urls.to_vec()))?)?);
    let (numbers, parts): (Vec<usize>, Vec<UrlParts<'_>>) =
        urls.iter().enumerate().filter_map(|(number, url)| Some((number, columns_of(url)?))).unzip();
    let divided = rows_of(&parts_verdicts(&policies, &crawl_query, &parts)?);
    for (number, row) in numbers.into_iter().zip(divided) {
        assert_eq!(whole[number], row, "given as parts: {}", urls[number].escape_ascii());
    }
    Ok(whole)
}

/// The parts of `url`, if the columns put them together as they were: they refuse user information, take one `?` off a
/// query, take an empty query as none, and refuse a query that begins with `/` after an empty path.
fn columns_of(url: &[u8]) -> Option<UrlParts<'_>> {
    let is_changed = |UrlParts { host, path, query, .. }: &UrlParts<'_>| {
        let begins = |start: &[u8]| query.is_some_and(|query| query.starts_with(start));
        host.iter().any(|byte| matches!(byte, b'#' | b'@' | b'\\'))
            || query.is_some_and(<[u8]>::is_empty)
            || begins(b"?")
            || (path.is_empty() && begins(b"/"))
    };
    parts_of(url).filter(|parts| !is_changed(parts))
}

fn parts_verdicts(
    policies: &PolicySet,
    crawl_query: &Query,
    parts: &[UrlParts<'_>],
) -> Result<StructArray, ColumnsError> {
    let column =
        |part: fn(&UrlParts<'_>) -> Vec<u8>| parts.iter().map(|url| Some(part(url))).collect::<BinaryArray>();
    let protocol = column(|url| url.scheme.to_vec());
    let host = column(|url| url.host.to_vec());
    let port: Int32Array = parts.iter().map(|url| url.port.map(i32::from)).collect();
    let path = column(|url| url.path.to_vec());
    // Every other URL without a query has an empty one.
    let empty = |row: usize| row.is_multiple_of(2).then_some(&b""[..]);
    let query: LargeBinaryArray =
        parts.iter().enumerate().map(|(row, url)| url.query.or_else(|| empty(row))).collect();
    verdicts(policies, crawl_query, &Urls::parts(&protocol, &host, &port, &path, &query)?)
}

fn rows_of(verdicts: &StructArray) -> Vec<Row> {
    let text = |column: usize| verdicts.column(column).as_string::<i32>();
    let (verdict, reason) = (text(0), text(2));
    let line = verdicts.column(1).as_primitive::<UInt32Type>();
    let line_at = |row| if line.is_valid(row) { line.value(row) } else { 0 };
    let row = |row| (verdict.value(row).to_owned(), line_at(row), reason.value(row).to_owned());
    (0..verdicts.len()).map(row).collect()
}
