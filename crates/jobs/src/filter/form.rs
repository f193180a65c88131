//! Writes verdicts as text, as columns separated by tabs or commas, and as JSON lines.

use std::borrow::Cow;
use std::sync::Arc;

use robomata_engine::Answer;
use robomata_formats::cdx::{self, CdxColumns};
use robomata_formats::urls::as_text;
use robomata_formats::{CellText, FrontierBlock, FrontierContent, Layout, UrlLine, lines};
use serde::de::IgnoredAny;

use super::{FilterJob, OutputForm, Selection};
use crate::cells::{self, push_cell, push_field, push_key, push_string};

/// The result for a URL: for each crawler the answer, and the deciding rule if it is known.
#[derive(Clone, Copy)]
pub(crate) struct Rulings<'a> {
    pub(crate) answers: &'a [Answer],
    /// One for each answer, or empty.
    pub(crate) rules: &'a [Option<Arc<str>>],
}

impl<'a> Rulings<'a> {
    /// For each crawler the verdict, the line if one decided, and the rule.
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'static str, Option<u32>, Option<&'a str>)> {
        self.answers.iter().enumerate().map(move |(index, answer)| {
            let rule = self.rules.get(index).and_then(Option::as_deref);
            (answer.as_str(), Some(answer.line()).filter(|&line| line > 0), rule)
        })
    }
}

/// The names of the verdict columns, three for each crawler. With several crawlers they are numbered, in the order of
/// the crawlers.
pub(super) fn verdict_names(crawlers: usize) -> impl Iterator<Item = [String; 3]> {
    (1..=crawlers).map(move |number| {
        ["verdict", "line", "rule"].map(|name| match crawlers {
            1 => name.to_owned(),
            _ => format!("{name}_{number}"),
        })
    })
}

/// Whether `name` is one of [`verdict_names`]. In JSON objects, verdicts replace the input's values of these names.
fn is_verdict_name(name: &str, crawlers: usize) -> bool {
    let numbers = |rest: &str| {
        let number = rest.strip_prefix('_').filter(|number| !number.starts_with(['0', '+']));
        number.and_then(|number| number.parse().ok()).is_some_and(|number: usize| number <= crawlers)
    };
    let rest = ["verdict", "line", "rule"].into_iter().find_map(|kind| name.strip_prefix(kind));
    rest.is_some_and(|rest| if crawlers == 1 { rest.is_empty() } else { numbers(rest) })
}

/// The first column of the input, where `block` is the first block, that has the name of a verdict column, if the output
/// would then have two. In JSON objects, verdicts replace it.
pub(super) fn taken_name(job: &FilterJob<'_>, block: &FrontierBlock) -> Option<String> {
    if job.selection != Selection::Verdicts || matches!(job.form, OutputForm::Text | OutputForm::JsonLines) {
        return None;
    }
    let is_taken = |name: &&str| is_verdict_name(name, job.crawlers.len());
    match &block.content {
        FrontierContent::Lines(lines) => lines.layout().names().iter().map(String::as_str).find(is_taken),
        FrontierContent::Rows(rows) => rows.names().find(is_taken),
    }
    .map(str::to_owned)
}

/// The header of the output, where `block` is the first block.
pub(super) fn header(job: &FilterJob<'_>, block: &FrontierBlock) -> Vec<u8> {
    let mut header = Vec::new();
    match (&block.content, job.selection, job.form) {
        (_, _, OutputForm::Parquet) => {}
        (FrontierContent::Lines(lines), Selection::Allowed(_) | Selection::Disallowed, _) => {
            header.extend_from_slice(lines.layout().header());
        }
        (FrontierContent::Lines(lines), Selection::Verdicts, form @ (OutputForm::Tsv | OutputForm::Csv))
            if form == OutputForm::Csv || lines.layout().csv_delimiter().is_some() =>
        {
            let layout = lines.layout();
            let line = lines::trim_line_end(layout.header());
            // In a CDX file the column names follow the word CDX.
            let names: Vec<Cow<'_, [u8]>> = match layout.cdx_columns().map(CdxColumns::delimiter) {
                Some(delimiter) => {
                    let names =
                        line.get(5..).into_iter().flat_map(|names| names.split(|&byte| byte == delimiter));
                    names.map(Cow::Borrowed).collect()
                }
                None => layout.names().iter().map(|name| name.as_bytes().into()).collect(),
            };
            push_header(form, names.into_iter(), job.crawlers.len(), &mut header);
        }
        (FrontierContent::Rows(rows), Selection::Verdicts, OutputForm::Csv) => {
            let names = rows.names().map(|name| Cow::Borrowed(name.as_bytes()));
            push_header(OutputForm::Csv, names, job.crawlers.len(), &mut header);
        }
        (FrontierContent::Lines(lines), Selection::Verdicts, OutputForm::Tsv) => {
            let layout = lines.layout();
            let line = lines::trim_line_end(layout.header());
            // In a CDX file the column names follow the word CDX.
            let columns = match layout.cdx_columns().map(CdxColumns::delimiter) {
                Some(delimiter) => line.get(5..).map(|names| with_tabs(names, delimiter)),
                None => (!layout.names().is_empty()).then(|| line.to_vec()),
            };
            if let Some(columns) = columns.filter(|columns| !columns.is_empty()) {
                header.extend_from_slice(&columns);
                push_names(job.crawlers.len(), &mut header);
            }
        }
        (FrontierContent::Rows(rows), Selection::Verdicts, OutputForm::Tsv) => {
            push_columns(OutputForm::Tsv, rows.names().map(|name| name.as_bytes().into()), &mut header);
            push_names(job.crawlers.len(), &mut header);
        }
        _ => {}
    }
    header
}

/// Appends a header with these columns and those of verdicts, unless there are no columns.
fn push_header<'n>(
    form: OutputForm,
    mut names: impl Iterator<Item = Cow<'n, [u8]>>,
    crawlers: usize,
    out: &mut Vec<u8>,
) {
    let Some(first) = names.next() else { return };
    let verdicts = verdict_names(crawlers).flatten().map(|name| Cow::Owned(name.into_bytes()));
    push_columns(form, std::iter::once(first).chain(names).chain(verdicts), out);
    out.push(b'\n');
}

/// Appends columns, with the separator of `form`.
fn push_columns<'c>(form: OutputForm, columns: impl Iterator<Item = Cow<'c, [u8]>>, out: &mut Vec<u8>) {
    for (place, column) in columns.enumerate() {
        let is_csv = form == OutputForm::Csv;
        if place > 0 {
            out.push(if is_csv { b',' } else { b'\t' });
        }
        if is_csv { push_field(&column, out) } else { push_cell(&column, out) }
    }
}

fn push_names(crawlers: usize, out: &mut Vec<u8>) {
    for name in verdict_names(crawlers).flatten() {
        out.push(b'\t');
        out.extend_from_slice(name.as_bytes());
    }
    out.push(b'\n');
}

/// Appends a line of verdicts: the verdict and the deciding line for each crawler, then the URL. An invalid URL can
/// contain line ends.
#[inline]
pub(super) fn push_text(answers: &[Answer], url: &[u8], out: &mut Vec<u8>) {
    let mut number = itoa::Buffer::new();
    for answer in answers {
        out.extend_from_slice(answer.as_str().as_bytes());
        out.push(b'\t');
        out.extend_from_slice(number.format(answer.line()).as_bytes());
        out.push(b'\t');
    }
    push_cell(url, out);
    out.push(b'\n');
}

/// Appends the replacement of a line that is too long to be read. Other lines have `columns` columns.
pub(super) fn push_unreadable(form: OutputForm, columns: usize, answers: &[Answer], out: &mut Vec<u8>) {
    let rulings = Rulings { answers, rules: &[] };
    match form {
        OutputForm::Text => push_text(answers, b"", out),
        OutputForm::Tsv | OutputForm::Csv => {
            let separator = if form == OutputForm::Csv { b',' } else { b'\t' };
            out.extend(std::iter::repeat_n(separator, columns.saturating_sub(1)));
            push_cells(form, rulings, out);
        }
        OutputForm::JsonLines => {
            out.push(b'{');
            push_members(rulings, true, out);
        }
        OutputForm::Parquet => {}
    }
}

/// Appends the columns of a line, then those of its verdicts.
pub(super) fn push_tsv(layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    let text = lines::trim_line_end(line.line);
    if layout.csv_delimiter().is_some() {
        push_columns(OutputForm::Tsv, columns_of(layout, line).into_iter(), out);
    } else if layout.has_columns() {
        out.extend_from_slice(text);
        let columns = 1 + text.iter().filter(|&&byte| byte == b'\t').count();
        out.extend(std::iter::repeat_n(b'\t', layout.names().len().saturating_sub(columns)));
    } else if layout.cdx_columns().is_some() {
        push_columns(OutputForm::Tsv, columns_of(layout, line).into_iter(), out);
    } else if let Some([key, time, json]) = cdx::cdxj_columns(text).filter(|_| layout.is_cdxj()) {
        out.extend_from_slice(&[key, b"\t", time, b"\t", json].concat());
    } else {
        push_cell(line.url.as_deref().unwrap_or(text), out);
    }
    push_cells(OutputForm::Tsv, rulings, out);
}

/// Appends the fields of a line, then those of its verdicts.
pub(super) fn push_csv(layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    push_columns(OutputForm::Csv, columns_of(layout, line).into_iter(), out);
    push_cells(OutputForm::Csv, rulings, out);
}

/// The columns of a line, as many as the header names. A line without columns has its URL.
fn columns_of<'l>(layout: &Layout, line: &'l UrlLine<'_>) -> Vec<Cow<'l, [u8]>> {
    let text = lines::trim_line_end(line.line);
    let mut columns: Vec<Cow<'_, [u8]>> = if layout.has_columns() || layout.csv_delimiter().is_some() {
        layout.columns(text).collect()
    } else if let Some(cdx) = layout.cdx_columns() {
        // Columns that a blank moved must not be read as others.
        match cdx.count_in(text) == cdx.count() {
            true => text.split(|&byte| byte == cdx.delimiter()).map(Cow::Borrowed).collect(),
            false => {
                let mut columns = vec![Cow::Borrowed(text)];
                columns.resize(cdx.count().max(1), Cow::Borrowed(b""));
                columns
            }
        }
    } else if let Some(columns) = cdx::cdxj_columns(text).filter(|_| layout.is_cdxj()) {
        columns.map(Cow::Borrowed).to_vec()
    } else {
        vec![Cow::Borrowed(line.url.as_deref().unwrap_or(text))]
    };
    columns.resize(columns.len().max(layout.names().len()), Cow::Borrowed(b""));
    columns
}

/// Appends the columns of verdicts and the end of the line.
fn push_cells(form: OutputForm, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    let is_csv = form == OutputForm::Csv;
    let separator = if is_csv { b',' } else { b'\t' };
    for (verdict, line, rule) in rulings.iter() {
        out.push(separator);
        out.extend_from_slice(verdict.as_bytes());
        out.push(separator);
        if let Some(line) = line {
            out.extend_from_slice(itoa::Buffer::new().format(line).as_bytes());
        }
        out.push(separator);
        let rule = rule.unwrap_or_default().as_bytes();
        if is_csv { push_field(rule, out) } else { push_cell(rule, out) }
    }
    out.push(b'\n');
}

fn with_tabs(text: &[u8], delimiter: u8) -> Vec<u8> {
    text.iter().map(|&byte| if byte == delimiter { b'\t' } else { byte }).collect()
}

/// Appends a line as a JSON object that includes its verdicts.
pub(super) fn push_json(layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    let text = lines::trim_line_end(line.line).trim_ascii();
    let crawlers = rulings.answers.len();
    if layout.is_json() {
        // A line with a URL is an object.
        let members = text.strip_prefix(b"{").and_then(|text| text.strip_suffix(b"}"));
        let is_object = line.url.is_some() || serde_json::from_slice::<IgnoredAny>(text).is_ok();
        out.push(b'{');
        let start = out.len();
        if let Some(members) = members.filter(|_| is_object) {
            push_input_members(members, crawlers, true, out);
        }
        return push_members(rulings, out.len() == start, out);
    }
    out.push(b'{');
    let start = out.len();
    if let Some([key, time, json]) = cdx::cdxj_columns(text).filter(|_| layout.is_cdxj()) {
        push_member("urlkey", key, true, out);
        push_member("timestamp", time, false, out);
        let members = json.strip_prefix(b"{").and_then(|json| json.strip_suffix(b"}")).unwrap_or_default();
        if line.url.is_some() {
            push_input_members(members, crawlers, false, out);
        }
    } else if layout.names().is_empty() {
        push_member("url", line.url.as_deref().unwrap_or(text), true, out);
    } else {
        for (name, column) in layout.names().iter().zip(layout.columns(text)) {
            if !is_verdict_name(name, crawlers) {
                push_member(name, &column, out.len() == start, out);
            }
        }
    }
    push_members(rulings, out.len() == start, out);
}

/// Appends the members of an object of the input, but those that verdicts replace. The others are unchanged, except that
/// bytes that are not UTF-8 are percent-encoded, because the reader does not check them.
fn push_input_members(members: &[u8], crawlers: usize, mut is_first: bool, out: &mut Vec<u8>) {
    if members.trim_ascii().is_empty() {
        return;
    }
    // A key begins after a quote, and may be escaped.
    let may_be_replaced = |&quote: &usize| matches!(members.get(quote + 1), Some(b'v' | b'l' | b'r' | b'\\'));
    if !memchr::memchr_iter(b'"', members).any(|quote| may_be_replaced(&quote)) {
        push_separator(&mut is_first, out);
        return out.extend_from_slice(as_text(members).as_bytes());
    }
    for member in split_members(members) {
        let key = key_of(member).and_then(|key| serde_json::from_str::<Cow<'_, str>>(key).ok());
        if !key.is_some_and(|key| is_verdict_name(&key, crawlers)) {
            push_separator(&mut is_first, out);
            out.extend_from_slice(as_text(member).as_bytes());
        }
    }
}

fn push_separator(is_first: &mut bool, out: &mut Vec<u8>) {
    if !std::mem::replace(is_first, false) {
        out.push(b',');
    }
}

/// Splits the members of a valid object at the commas between them.
fn split_members(members: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    members.split(move |&byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b',' && !is_text && depth == 0
    })
}

/// The key of a member of a valid object, in quotes.
fn key_of(member: &[u8]) -> Option<&str> {
    let member = member.trim_ascii_start();
    let mut quotes = memchr::memchr_iter(b'"', member).skip(1);
    let is_escape =
        |end: usize| member[..end].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
    let end = quotes.find(|&end| !is_escape(end))?;
    std::str::from_utf8(&member[..=end]).ok()
}

fn push_member(name: &str, text: &[u8], is_first: bool, out: &mut Vec<u8>) {
    push_key(name, is_first, out);
    push_string(text, out);
}

/// Appends the members of verdicts, the end of the object and the end of the line.
fn push_members(rulings: Rulings<'_>, mut is_first: bool, out: &mut Vec<u8>) {
    for ([verdict_name, line_name, rule_name], (verdict, line, rule)) in
        verdict_names(rulings.answers.len()).zip(rulings.iter())
    {
        push_member(&verdict_name, verdict.as_bytes(), is_first, out);
        is_first = false;
        push_key(&line_name, false, out);
        match line {
            Some(line) => out.extend_from_slice(itoa::Buffer::new().format(line).as_bytes()),
            None => out.extend_from_slice(b"null"),
        }
        push_key(&rule_name, false, out);
        match rule {
            Some(rule) => push_string(rule.as_bytes(), out),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(b"}\n");
}

/// The names and values of a row: [`Cells::row`](robomata_formats::Cells::row).
type Row<'r> = Vec<(&'r str, Option<CellText<'r>>)>;

/// Appends the columns of a row, then those of its verdicts.
pub(super) fn push_row_tsv(row: Row<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    cells::push_columns(row.into_iter().map(|(_, value)| value), out);
    push_cells(OutputForm::Tsv, rulings, out);
}

/// Appends the fields of a row, then those of its verdicts.
pub(super) fn push_row_csv(row: Row<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    let text = |value: CellText<'_>| value.text.into_owned().into_bytes();
    let texts = row.into_iter().map(|(_, value)| Cow::Owned(value.map(text).unwrap_or_default()));
    push_columns(OutputForm::Csv, texts, out);
    push_cells(OutputForm::Csv, rulings, out);
}

/// Appends a row as a JSON object that includes its verdicts.
pub(super) fn push_row_json(row: Row<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    let start = out.len();
    let crawlers = rulings.answers.len();
    cells::push_members(row.into_iter().filter(|(name, _)| !is_verdict_name(name, crawlers)), out);
    push_members(rulings, out.len() == start, out);
}
