//! Detects the format of a log.

use super::scrapy;
use super::{LogFormat, LogReader};

/// Maximum number of lines at the start of a log that are tried.
pub const SAMPLE: usize = 100;

/// A detected format, and how many lines support it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// A reader for the log in this format.
    pub reader: LogReader,
    /// The number of tried lines that are valid in this format.
    pub read: usize,
    /// The number of lines tried: not blank, at most [`SAMPLE`].
    pub tried: usize,
}

/// The order in which line formats are tried. Of formats that accept equally many lines, the first one is chosen,
/// because it is stricter.
const ORDER: [LogFormat; 10] = [
    LogFormat::Json,
    LogFormat::Heritrix,
    LogFormat::Scrapy,
    LogFormat::Cdxj,
    LogFormat::Cdx,
    LogFormat::Tsv,
    LogFormat::VhostCombined,
    LogFormat::Combined,
    LogFormat::VhostCommon,
    LogFormat::Common,
];

/// Detects the format that accepts most of the first `lines`. Returns `None` if no format accepts any.
///
/// A line of Combined that is cut within its last fields is a line of Common. So Combined wins if it accepts most lines
/// that Common accepts: otherwise one damaged line would hide the User-Agents of all others.
pub fn detect<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Option<Detection> {
    let is_text = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    let lines: Vec<&[u8]> = lines.into_iter().filter(is_text).take(SAMPLE).collect();
    let of = |format| {
        let reader = LogReader::new(format, lines.iter().copied());
        let read = lines.iter().filter(|line| is_of(&reader, line)).count();
        Detection { reader, read, tried: lines.len() }
    };
    let mut all = ORDER.map(of);
    all.reverse();
    let best = all.iter().max_by_key(|detection| detection.read).filter(|best| best.read > 0)?;
    let longer = match best.reader.format() {
        LogFormat::Common => Some(LogFormat::Combined),
        LogFormat::VhostCommon => Some(LogFormat::VhostCombined),
        _ => None,
    };
    let is_longer =
        |detection: &&Detection| Some(detection.reader.format()) == longer && 2 * detection.read > best.read;
    Some(all.iter().find(is_longer).unwrap_or(best).clone())
}

fn is_of(reader: &LogReader, line: &[u8]) -> bool {
    match reader.format() {
        LogFormat::Scrapy => scrapy::is_message(line),
        _ => reader.read(line).is_ok(),
    }
}
