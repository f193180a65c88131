//! Comma-separated values (RFC 4180): joins lines to records, and splits records into fields.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::layout::Layout;
use crate::error::{InputError, Kind};
use crate::lines::{Block, LineBlocks, Lines, MAX_LINE, without_mark};

/// The delimiter of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    delimiter: u8,
}

thread_local! {
    /// The parser of a thread and its delimiter. Creating a parser takes longer than reading a record. (Cloning a
    /// parser does not work.)
    static PARSER: RefCell<Option<(u8, Reader)>> = const { RefCell::new(None) };
}

impl Dialect {
    /// Creates a dialect with this delimiter.
    fn new(delimiter: u8) -> Self {
        Dialect { delimiter }
    }

    /// Creates a parser. Records end at LF only, so every record consists of whole lines. A CR before the LF is removed
    /// with the line end.
    fn parser(self) -> Reader {
        ReaderBuilder::new().delimiter(self.delimiter).terminator(Terminator::Any(b'\n')).build()
    }

    /// The delimiter of a file with this first line. It is a comma, unless the line is a header without one:
    /// spreadsheets also write semicolons and tabs.
    pub(super) fn of_first_line(line: &[u8]) -> Self {
        let is_header = memchr::memmem::find(line, b"://").is_none() && !line.contains(&b',');
        let other = [b';', b'\t'].into_iter().find(|delimiter| is_header && line.contains(delimiter));
        Dialect::new(other.unwrap_or(b','))
    }

    pub(super) fn delimiter(self) -> u8 {
        self.delimiter
    }

    /// The fields of a record without its line end.
    pub(super) fn fields<'a>(self, record: &'a [u8]) -> Vec<Cow<'a, [u8]>> {
        let mut fields = Vec::new();
        self.each_field(record, |field| {
            fields.push(field);
            true
        });
        fields
    }

    /// The `n`th field of a record without its line end, counted from 1.
    pub(super) fn field<'a>(self, record: &'a [u8], n: usize) -> Option<Cow<'a, [u8]>> {
        let (mut number, mut found) = (0, None);
        self.each_field(record, |field| {
            number += 1;
            if number == n {
                found = Some(field);
            }
            number < n
        });
        found
    }

    /// Calls `take` for each field until it returns false.
    fn each_field<'a>(self, record: &'a [u8], mut take: impl FnMut(Cow<'a, [u8]>) -> bool) {
        let record = without_mark(record);
        if memchr::memchr(b'"', record).is_none() {
            let mut fields = record.split(|&byte| byte == self.delimiter);
            let _ = fields.all(|field| take(Cow::Borrowed(field)));
            return;
        }
        PARSER.with_borrow_mut(|parser| {
            let parser = match parser {
                Some((delimiter, parser)) if *delimiter == self.delimiter => parser,
                other => &mut other.insert((self.delimiter, self.parser())).1,
            };
            begin(parser);
            parse(parser, record, take);
        });
    }
}

/// Prepares `parser` for the first byte of a record. It would drop a byte order mark from its first input, but here each record
/// loses its own mark before it is parsed.
fn begin(parser: &mut Reader) {
    parser.reset();
    // Before a record, a line end is skipped.
    parser.read_field(b"\n", &mut [0]);
}

/// Parses a record without its line end. Calls `take` for each field until it returns false.
fn parse<'a>(parser: &mut Reader, record: &'a [u8], mut take: impl FnMut(Cow<'a, [u8]>) -> bool) {
    let mut rest = record;
    let mut text = vec![0; record.len() + 1];
    let mut length = 0;
    loop {
        let (result, read, written) = parser.read_field(rest, &mut text[length..]);
        rest = &rest[read..];
        length += written;
        match result {
            // Empty input marks the end of the record.
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::Field { record_end } => {
                if !take(Cow::Owned(text[..length].to_vec())) || record_end {
                    return;
                }
                length = 0;
            }
            // A field is never longer than its record.
            ReadFieldResult::OutputFull | ReadFieldResult::End => return,
        }
    }
}

/// The lines of a file in blocks. In CSV every block contains whole records.
pub(super) struct RecordBlocks {
    lines: LineBlocks,
    /// None for other formats.
    csv: Option<Joiner>,
    /// Items that were read but not returned, and the position of each: [`RecordBlocks::place`] before it.
    held: VecDeque<(Result<Block, InputError>, (u64, u64))>,
}

/// Finds records of several lines.
pub(super) struct Joiner {
    /// None before the first line.
    dialect: Option<Dialect>,
    /// Parses the record at the start of `pending`; none before the first quote.
    parser: Option<Reader>,
    /// The lines of an incomplete record.
    pending: Block,
}

/// Where a record ends within its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordEnd {
    /// The number of bytes up to the end.
    pub(super) bytes: usize,
    /// The number of lines up to the end.
    pub(super) lines: u32,
}

/// A block and the ends of its records; none if every line is a record.
pub(super) type Records = (Block, Option<Vec<RecordEnd>>);

impl Joiner {
    /// Creates a joiner. The delimiter is `dialect`, if known.
    pub(super) fn new(dialect: Option<Dialect>) -> Self {
        Joiner { dialect, parser: None, pending: Block::default() }
    }

    /// Returns whether the record ends with this line.
    fn ends_with(&mut self, mut line: &[u8]) -> bool {
        // The fields are parsed later; here the output is discarded.
        let (mut text, mut ends) = ([0; 4096], [0; 64]);
        let Some(parser) = &mut self.parser else { return true };
        while !line.is_empty() {
            let (result, read, ..) = parser.read_record(line, &mut text, &mut ends);
            line = &line[read..];
            match result {
                ReadRecordResult::Record => return true,
                ReadRecordResult::InputEmpty | ReadRecordResult::End => return false,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
            }
        }
        false
    }

    /// Joins the pending lines and `block`. Returns the complete records; none if no record ends in the block.
    fn join(&mut self, block: Block) -> Option<Records> {
        let dialect = self
            .dialect
            .get_or_insert_with(|| Dialect::of_first_line(block.lines().next().unwrap_or_default()));
        if self.pending.bytes.is_empty() {
            if memchr::memchr(b'"', &block.bytes).is_none() {
                return Some((block, None));
            }
            begin(self.parser.get_or_insert_with(|| dialect.parser()));
        }
        let mut ends = Vec::new();
        let mut is_within = !self.pending.bytes.is_empty();
        let mut has_many_lines = is_within;
        let (mut at, mut lines) = (self.pending.bytes.len(), self.pending.lines);
        let (mut whole, mut whole_lines) = (0, 0);
        for line in block.bytes.split_inclusive(|&byte| byte == b'\n') {
            at += line.len();
            lines += 1;
            // A blank line between records counts as a record, so that lines and records are numbered alike.
            let line = if is_within { line } else { without_mark(line) };
            let is_blank = !is_within && line.trim_ascii().is_empty();
            if is_blank || self.ends_with(line) {
                ends.push(RecordEnd { bytes: at, lines });
                (whole, whole_lines, is_within) = (at, lines, false);
            } else {
                (is_within, has_many_lines) = (true, true);
            }
        }
        let mut joined = std::mem::take(&mut self.pending);
        if joined.bytes.is_empty() {
            joined = block;
        } else {
            joined.bytes.extend_from_slice(&block.bytes);
        }
        self.pending = Block {
            bytes: joined.bytes.split_off(whole),
            first_line: joined.first_line + u64::from(whole_lines),
            lines: lines - whole_lines,
        };
        joined.lines = whole_lines;
        (whole > 0).then_some((joined, has_many_lines.then_some(ends)))
    }

    /// The last record, which has no line end; none if a quote is still open.
    fn finish(&mut self) -> Option<Records> {
        let end = RecordEnd { bytes: self.pending.bytes.len(), lines: self.pending.lines };
        self.ends_with(b"\n").then(|| (std::mem::take(&mut self.pending), Some(vec![end])))
    }
}

impl RecordBlocks {
    /// Creates blocks from `lines`, joined to records by `csv`.
    pub(super) fn new(lines: LineBlocks, csv: Option<Joiner>) -> Self {
        RecordBlocks { lines, csv, held: VecDeque::new() }
    }

    /// The delimiter of fields; none before the first block, and in other formats.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        self.csv.as_ref()?.dialect
    }

    /// The position of the next block: the number of bytes before it, and the 1-based number of its first line.
    pub(super) fn place(&self) -> (u64, u64) {
        if let Some((_, place)) = self.held.front() {
            return *place;
        }
        let (at, line) = self.lines.place();
        let pending = self.csv.as_ref().map(|csv| &csv.pending);
        let (bytes, lines) = pending.map_or((0, 0), |block| (block.bytes.len() as u64, block.lines));
        (at - bytes, line - u64::from(lines))
    }

    /// Takes back a used block to reuse its memory.
    pub(super) fn recycle(&mut self, block: Block) {
        self.lines.recycle(block);
    }

    /// The first block of a file whose header consists of all lines at its beginning that `is_header` accepts. It ends
    /// after the header, unless that is longer than [`MAX_LINE`] or followed by an error.
    pub(super) fn first(&mut self, is_header: fn(&[u8]) -> bool) -> Option<Result<Records, InputError>> {
        let (mut first, ends) = match self.next()? {
            Ok(records) => records,
            Err(error) => return Some(Err(error)),
        };
        let text = if first.first_line == 1 { without_mark(&first.bytes) } else { &first.bytes };
        let mut is_within = Lines::of(text).all(is_header);
        while is_within && first.bytes.len() <= MAX_LINE {
            let place = self.place();
            match self.next() {
                Some(Ok((block, _))) => {
                    is_within = block.lines().all(is_header);
                    first.bytes.extend_from_slice(&block.bytes);
                    first.lines += block.lines;
                    self.recycle(block);
                }
                Some(Err(error)) => {
                    self.held.push_back((Err(error), place));
                    break;
                }
                None => break,
            }
        }
        Some(Ok((first, ends)))
    }

    fn next_of_csv(&mut self) -> Option<Result<Records, InputError>> {
        loop {
            let csv = self.csv.as_mut()?;
            match self.lines.next() {
                Some(Ok(block)) => {
                    if let Some(records) = csv.join(block) {
                        return Some(Ok(records));
                    }
                    if csv.pending.bytes.len() > MAX_LINE {
                        return Some(Err(self.give_up(Kind::RecordTooLong)));
                    }
                }
                Some(Err(error)) => {
                    // The record with the failure is lost.
                    csv.pending = Block::default();
                    return Some(Err(error));
                }
                None if csv.pending.bytes.is_empty() => return None,
                None => return Some(csv.finish().ok_or_else(|| self.give_up(Kind::UnclosedQuote))),
            }
        }
    }

    /// Divides `block`, the last item returned, at the lines that are not those of URLs ([`Layout::breaks`]). What
    /// follows such a line is the next item.
    pub(super) fn divide(&mut self, block: &mut Block, layout: &Layout) {
        // A part of a block that was divided before.
        if !self.held.is_empty() {
            return;
        }
        let breaks = layout.breaks(&block.bytes);
        if breaks.is_empty() {
            return;
        }
        let whole = std::mem::take(block);
        let (mut at, mut line) = (0, whole.first_line);
        let before = self.lines.place().0 - whole.bytes.len() as u64;
        let mut parts = VecDeque::new();
        let end = whole.bytes.len();
        for (lines, error) in breaks.into_iter().chain([(end..end, None)]) {
            let part = Block::of_lines(whole.bytes[at..lines.start].to_vec(), line);
            let place = (before + at as u64, line);
            line += u64::from(part.lines);
            if parts.is_empty() || part.lines > 0 {
                parts.push_back((Ok(part), place));
            }
            if let Some(kind) = error {
                let error = InputError::new(self.lines.name().clone(), Some(line), kind);
                parts.push_back((Err(error), (before + lines.start as u64, line)));
                self.lines.end();
                break;
            }
            (at, line) = (lines.end, line + 1);
        }
        if let Some((Ok(first), _)) = parts.pop_front() {
            *block = first;
        }
        self.held = parts;
        self.recycle(whole);
    }

    /// Ends the file with an error at the pending record.
    fn give_up(&mut self, kind: Kind) -> InputError {
        let line = self.place().1;
        self.csv = None;
        self.lines.end();
        InputError::new(self.lines.name().clone(), Some(line), kind)
    }
}

impl Iterator for RecordBlocks {
    type Item = Result<Records, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((item, _)) = self.held.pop_front() {
            return Some(item.map(|block| (block, None)));
        }
        if self.csv.is_some() {
            return self.next_of_csv();
        }
        self.lines.next().map(|block| block.map(|block| (block, None)))
    }
}
