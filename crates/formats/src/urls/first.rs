//! Examines the first lines of a file: do they contain a URL, and if not, where might one be?

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use super::csv::Dialect;
use super::format::FrontierFormat;
use super::layout::URL_NAMES;
use super::{FrontierBlock, FrontierContent, LineBlock, UrlLine};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::lines::{self, Block};
use crate::other_input::{names_column, unquoted};
use crate::rows;

/// Maximum number of lines or rows to examine.
pub(crate) const LINES: usize = 1000;

/// Maximum number of bytes to examine, for very long lines.
const BYTES: usize = 16 << 20;

/// Looks for a URL.
pub(super) struct FirstLines {
    is_url: fn(&[u8]) -> bool,
    state: State,
    /// The number of lines before the first URL that are not blank.
    lines: usize,
    bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Looking,
    /// There is a URL, or the answer is unknown.
    Satisfied,
    AtEnd,
}

impl FirstLines {
    pub(super) fn new(is_url: fn(&[u8]) -> bool) -> Self {
        FirstLines { is_url, state: State::Looking, lines: 0, bytes: 0 }
    }

    pub(super) fn wants_more(&self) -> bool {
        self.state == State::Looking && self.lines < LINES && self.bytes < BYTES
    }

    pub(super) fn look(&mut self, block: &FrontierBlock) {
        let is_rows = matches!(block.content, FrontierContent::Rows(_));
        for line in block.urls() {
            if !self.wants_more() {
                return;
            }
            self.bytes += line.line.len();
            if line.url.as_deref().is_some_and(self.is_url) {
                self.state = State::Satisfied;
            } else {
                self.lines += usize::from(is_rows || !line.line.trim_ascii().is_empty());
            }
        }
    }

    /// Records that there are no more lines.
    pub(super) fn end(&mut self) {
        self.state = State::AtEnd;
    }

    /// Records that there may be more lines, but they cannot be read.
    pub(super) fn give_up(&mut self) {
        self.state = State::Satisfied;
    }

    /// Returns an error if the file `path`, which begins with `blocks`, has lines but no URL. Also returns an error if
    /// its format was guessed as text or TSV (`is_guess`) but the lines form another table.
    pub(super) fn result<'b>(
        &self,
        path: &Path,
        format: FrontierFormat,
        is_guess: bool,
        blocks: impl Iterator<Item = &'b FrontierBlock>,
    ) -> Result<(), InputError> {
        if self.lines == 0 && self.state != State::Satisfied {
            return Ok(());
        }
        let mut blocks = blocks.filter(|block| !block.is_empty());
        if self.state == State::Satisfied {
            let Some(FrontierContent::Lines(lines)) = blocks.next().map(|block| &block.content) else {
                return Ok(());
            };
            let kind = self.unclear_column(lines).or_else(|| match format {
                FrontierFormat::Text if is_guess => {
                    self.table_of(lines).or_else(|| self.more_than_urls(lines))
                }
                FrontierFormat::Tsv if is_guess => self.more_than_urls(lines),
                FrontierFormat::Csv => self.more_than_urls(lines),
                _ => None,
            });
            return kind.map_or(Ok(()), |kind| Err(InputError::new(FileName::new(path), None, kind)));
        }
        let what = if format == FrontierFormat::Parquet { "row" } else { "line" };
        let looked = match (self.state, self.lines) {
            (State::AtEnd, 1) => format!("its only {what}"),
            (State::AtEnd, lines) => format!("its {lines} {what}s"),
            (_, LINES) => format!("the first 1,000 {what}s"),
            (_, lines) => format!("the first {lines} {what}s"),
        };
        let advice = match blocks.next().map(|block| &block.content) {
            None => String::new(),
            Some(FrontierContent::Rows(_)) => advice_on_rows(path, self.is_url),
            Some(FrontierContent::Lines(lines)) => advice_on_lines(lines, format, self.is_url),
        };
        let kind = Kind::NoUrl(looked, advice);
        Err(InputError::new(FileName::new(path), None, kind))
    }

    /// The error for a table without a known name in its first line, if a line below it has one, or if another column than the
    /// first has URLs in half as many lines or more. Then the first column may be that of the pages that link to the URLs.
    fn unclear_column(&self, lines: &LineBlock) -> Option<Kind> {
        let layout = lines.layout();
        if !layout.is_default() {
            return None;
        }
        let delimiters: &[u8] = if layout.has_columns() { b"\t" } else { b",;\t" };
        let mut before = self.before_urls(lines).skip_while(|(line, _)| *line == 1);
        if let Some((line, name)) =
            before.find_map(|(line, text)| Some((line, name_of_urls(text, delimiters)?)))
        {
            return Some(Kind::LateHeader { line, name });
        }
        let mut counts = vec![0];
        for line in lines.urls().take(LINES) {
            for (place, column) in layout.columns(lines::trim_line_end(line.line)).enumerate() {
                counts.resize(counts.len().max(place + 1), 0);
                counts[place] += usize::from((self.is_url)(&column));
            }
        }
        let likely = |place: &usize| *place == 0 || (counts[*place] > 0 && 2 * counts[*place] >= counts[0]);
        let likely: Vec<String> =
            (0..counts.len()).filter(likely).map(|place| (place + 1).to_string()).collect();
        let (last, others) = likely.split_last()?;
        (!others.is_empty()).then(|| Kind::SeveralColumns(format!("{} and {last}", others.join(", "))))
    }

    /// The error for lines of text that form a table: the first line names columns, and all lines have as many columns.
    fn table_of(&self, lines: &LineBlock) -> Option<Kind> {
        if lines.layout().has_columns() {
            return None;
        }
        let texts = lines.urls().map(|line| lines::trim_line_end(line.line)).take(LINES);
        let mut texts = texts.filter(|text| !text.trim_ascii().is_empty());
        let header = texts.next().filter(|text| !has_scheme(text))?;
        let dialect = Dialect::of_first_line(header);
        let count = dialect.fields(header).len();
        let is_table = count > 1 && texts.all(|text| dialect.fields(text).len() == count);
        is_table.then(|| {
            Kind::NoUrl(format!("its first line, and every line has {count} columns"), LIKE_CSV.to_owned())
        })
    }

    /// The header and the lines before the first URL, with their numbers.
    fn before_urls<'l>(&self, lines: &'l LineBlock) -> impl Iterator<Item = (u64, &'l [u8])> {
        let header =
            Some(lines.layout().header()).filter(|header| !header.is_empty()).map(|header| (1, header));
        let has_url =
            |line: &UrlLine<'_>| has_scheme(line.line) || line.url.as_deref().is_some_and(self.is_url);
        let others = lines.urls().take(LINES).take_while(move |line| !has_url(line));
        header.into_iter().chain(others.map(|line| (line.number, line.line)))
    }

    /// The error for lines with more than a URL: a line before the first URL names a column of URLs, or a number follows each URL
    /// after a delimiter, or each URL has a blank within it. Judged as a URL, such a line matches other rules.
    fn more_than_urls(&self, lines: &LineBlock) -> Option<Kind> {
        let layout = lines.layout();
        let delimiters: &[u8] = match layout.csv_delimiter() {
            None => b",;|",
            Some(b',') => b";|",
            Some(_) => b"",
        };
        let is_csv = layout.csv_delimiter().is_some();
        let is_given = layout.has_columns() && !layout.is_default();
        let named = self.before_urls(lines).find_map(|(line, text)| Some((line, name_of_urls(text, b",;")?)));
        if let Some((line, name)) = named.filter(|_| !is_csv && !is_given) {
            let place = if line == 1 { "first line".to_owned() } else { format!("line {line}") };
            return Some(Kind::NoUrl(
                format!("its {place}, which names a column {name:?}"),
                LIKE_CSV.to_owned(),
            ));
        }
        let texts = lines.urls().take(LINES).filter_map(|line| line.url).filter(|url| (self.is_url)(url));
        let texts: Vec<Cow<'_, [u8]>> = texts.collect();
        let first = texts.first()?;
        for &delimiter in delimiters {
            let split = |text: &[u8]| text.iter().rposition(|&byte| byte == delimiter);
            let fields = |text: &[u8]| memchr::memchr_iter(delimiter, text).count() + 1;
            let ends_with_number = |text: &[u8]| split(text).is_some_and(|at| is_number(&text[at + 1..]));
            let count = fields(first);
            // A single URL may well end so.
            let is_likely = texts.len() > 1 || split(first).is_some_and(|at| ends_like_url(&first[..at]));
            if is_likely && texts.iter().all(|text| fields(text) == count && ends_with_number(text)) {
                let found = format!("{count} fields, of which the last is a number");
                let advice = match delimiter {
                    b',' => LIKE_CSV.to_owned(),
                    other => LIKE_OTHER_CSV.replace('D', &char::from(other).to_string()),
                };
                return Some(Kind::MoreThanUrls(found + &advice));
            }
        }
        let have_blanks = !is_csv && texts.iter().all(|text| text.contains(&b' '));
        have_blanks.then(|| {
            let found = "a blank within it (before further columns, write tabs: tr ' ' '\\t', and --column 1; in a URL, \
                         write %20; or --format text if each line is a URL)";
            Kind::MoreThanUrls(found.to_owned())
        })
    }
}

fn has_scheme(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"://").is_some()
}

/// The name of the column of URLs, in a line that names columns between one of these delimiters.
fn name_of_urls(line: &[u8], delimiters: &[u8]) -> Option<&'static str> {
    let has_columns = line.iter().any(|byte| delimiters.contains(byte));
    URL_NAMES.into_iter().find(|name| has_columns && names_column(line, delimiters, name))
}

/// Returns whether a field is a number, quoted or not.
fn is_number(field: &[u8]) -> bool {
    let field = std::str::from_utf8(unquoted(field)).unwrap_or_default();
    field.contains(|byte: char| byte.is_ascii_digit()) && field.parse::<f64>().is_ok()
}

/// Returns whether a URL that ends so is probably complete: at a `/` or at the extension of a file.
fn ends_like_url(text: &[u8]) -> bool {
    /// The longest extension.
    const LONGEST: usize = 5;
    let name = text.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let extension = name.iter().rposition(|&byte| byte == b'.').map(|at| &name[at + 1..]);
    name.is_empty()
        || extension.is_some_and(|extension| {
            extension.len() <= LONGEST
                && extension.first().is_some_and(u8::is_ascii_alphabetic)
                && extension.iter().all(u8::is_ascii_alphanumeric)
        })
}

/// Advice on lines that look like CSV.
const LIKE_CSV: &str = " (it looks like CSV: --format csv, or --format text if each line is a URL)";

/// The same for another delimiter `D`. Without a header, CSV has commas.
const LIKE_OTHER_CSV: &str =
    " (it looks like CSV: tr 'D' ',' and --format csv, or --format text if each line is a URL)";

/// Advice on the column of a Parquet file that looks like URLs.
pub(super) fn advice_on_rows(path: &Path, is_url: fn(&[u8]) -> bool) -> String {
    rows::likely_column(path, is_url).map_or_else(String::new, |name| Likely::Name(name).advice(""))
}

/// Advice on the column that looks like URLs, in a file without the requested column.
pub(super) fn advice_on_columns(first: &Block, csv: Option<Dialect>, is_url: fn(&[u8]) -> bool) -> String {
    let texts = || first.lines().map(lines::trim_line_end).take(LINES);
    likely_column(texts, |text| columns(text, csv), &[], is_url)
        .map_or_else(String::new, |found| found.advice(""))
}

/// Advice on where the URL might be in the lines, or on what the first line is.
fn advice_on_lines(lines: &LineBlock, format: FrontierFormat, is_url: fn(&[u8]) -> bool) -> String {
    let texts = || lines.urls().map(|line| lines::trim_line_end(line.line)).take(LINES);
    if let Some(start) = texts().next().map(<[u8]>::trim_ascii_start) {
        if start.starts_with(b"[") {
            return " (it looks like a JSON array: jq -cr '.[]' makes lines of it)".to_owned();
        }
        if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            return " (it looks like UTF-16: iconv -f UTF-16 -t UTF-8 makes it readable)".to_owned();
        }
        if format != FrontierFormat::Csv
            && start.split(|&byte| byte == b'\r').filter(|&text| is_url(text)).count() > 1
        {
            return " (its lines end at CR alone: tr '\\r' '\\n' makes it readable)".to_owned();
        }
    }
    let layout = lines.layout();
    let found = match format {
        FrontierFormat::Text | FrontierFormat::Tsv | FrontierFormat::Csv => {
            likely_column(texts, |text| columns(text, layout.csv()), layout.names(), is_url)
                .map(|found| found.advice(""))
        }
        _ => None,
    };
    let is_json = format == FrontierFormat::JsonLines;
    let found = found.or_else(|| {
        let (is_text, option) = (format == FrontierFormat::Text, "--format jsonl ");
        let key = (is_text || is_json).then(|| likely_key(texts(), is_url)).flatten()?;
        Some(Likely::Key(key).advice(if is_json { "" } else { option }))
    });
    let found = found.or_else(|| {
        let csv = (format == FrontierFormat::Text).then(|| Dialect::of_first_line(b""))?;
        let found = likely_column(texts, |text| columns(text, Some(csv)), &[], is_url)?;
        Some(found.advice("--format csv "))
    });
    found.unwrap_or_else(|| {
        let first = texts().find(|text| !text.trim_ascii().is_empty()).unwrap_or_default();
        let text = String::from_utf8_lossy(first);
        let text: String = text.chars().take(60).collect();
        format!(" (the first is {text:?}; a URL has a scheme, such as https://)")
    })
}

fn columns<'a>(text: &'a [u8], csv: Option<Dialect>) -> Vec<std::borrow::Cow<'a, [u8]>> {
    match csv {
        Some(dialect) => dialect.fields(text),
        None => text.split(|&byte| byte == b'\t').map(Into::into).collect(),
    }
}

/// The likely position of URLs.
enum Likely {
    /// A column by its number, counted from 1.
    Place(usize),
    /// A column by its name.
    Name(String),
    /// A key.
    Key(String),
}

impl Likely {
    /// Advice to use it; `options` are additional necessary options.
    fn advice(&self, options: &str) -> String {
        let (what, argument) = match self {
            Likely::Place(place) => (format!("column {place}"), place.to_string()),
            Likely::Name(name) => (format!("column {name:?}"), name.clone()),
            Likely::Key(key) => (format!("key {key:?}"), key.clone()),
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
        let argument = match argument.bytes().all(is_plain) {
            true => argument,
            false => format!("'{}'", argument.replace('\'', r"'\''")),
        };
        format!(" ({what} looks like URLs: {options}--column {argument})")
    }
}

/// The column with most URLs. It has a name if `names` has one, or if the first line contains no URL.
fn likely_column<'t, T: Iterator<Item = &'t [u8]>>(
    texts: impl Fn() -> T,
    columns: impl Fn(&'t [u8]) -> Vec<std::borrow::Cow<'t, [u8]>>,
    names: &[String],
    is_url: fn(&[u8]) -> bool,
) -> Option<Likely> {
    let mut counts: Vec<usize> = Vec::new();
    for text in texts() {
        let columns = columns(text);
        counts.resize(counts.len().max(columns.len()), 0);
        counts.iter_mut().zip(&columns).for_each(|(count, column)| *count += usize::from(is_url(column)));
    }
    // Of equal columns, the first.
    let counts = counts.into_iter().enumerate().rev().filter(|(_, count)| *count > 0);
    let (place, _) = counts.max_by_key(|(_, count)| *count)?;
    let first = texts().next().map(columns).unwrap_or_default();
    let of_header = first.get(place).filter(|name| !is_url(name));
    let name = names.get(place).cloned().or_else(|| {
        let name = String::from_utf8_lossy(of_header?);
        Some(name.trim_start_matches('\u{feff}').trim().to_owned())
    });
    let name = name.filter(|name| !name.is_empty() && name.parse::<usize>().is_err());
    Some(name.map_or(Likely::Place(place + 1), Likely::Name))
}

/// The key with most URLs in lines of JSON.
fn likely_key<'t>(texts: impl Iterator<Item = &'t [u8]>, is_url: fn(&[u8]) -> bool) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for object in texts.filter_map(|text| serde_json::from_slice::<Map<String, Value>>(text).ok()) {
        let with_url =
            object.iter().filter(|(_, value)| value.as_str().is_some_and(|text| is_url(text.as_bytes())));
        for (key, _) in with_url {
            match counts.iter_mut().find(|(other, _)| other == key) {
                Some((_, count)) => *count += 1,
                None => counts.push((key.clone(), 1)),
            }
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(key, _)| key)
}
