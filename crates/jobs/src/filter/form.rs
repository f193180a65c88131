//! How verdicts are written: as text, tab-separated columns, JSON lines.

use std::sync::Arc;

use robomata::Answer;
use robomata_formats::{FrontierBlock, FrontierContent, Layout, UrlLine, cdx, lines};
use serde::de::IgnoredAny;

use super::{FilterJob, OutputForm, Selection};
use crate::cells::{Cells, push_cell, push_key, push_string};

/// What was found about a URL: for each crawler the answer, and the rule that decided where it is known.
#[derive(Clone, Copy)]
pub(super) struct Rulings<'a> {
    pub(super) answers: &'a [Answer],
    /// As many as answers, or none.
    pub(super) rules: &'a [Option<Arc<str>>],
}

impl<'a> Rulings<'a> {
    /// For each crawler the verdict's word, the line if one decided, and the rule.
    pub(super) fn iter(self) -> impl Iterator<Item = (&'static str, Option<u32>, Option<&'a str>)> {
        self.answers.iter().enumerate().map(move |(index, answer)| {
            let rule = self.rules.get(index).and_then(Option::as_deref);
            (answer.as_str(), Some(answer.line()).filter(|&line| line > 0), rule)
        })
    }
}

/// The names of the columns that verdicts have, for each crawler three: with numbers when there are several, in the order
/// of the crawlers.
pub(super) fn verdict_names(crawlers: usize) -> impl Iterator<Item = [String; 3]> {
    (1..=crawlers).map(move |number| {
        ["verdict", "line", "rule"].map(|name| match crawlers {
            1 => name.to_owned(),
            _ => format!("{name}_{number}"),
        })
    })
}

/// What stands before everything that is written, `block` being the first one.
pub(super) fn header(job: &FilterJob<'_>, block: &FrontierBlock) -> Vec<u8> {
    let mut header = Vec::new();
    match (&block.content, job.selection, job.form) {
        (_, _, OutputForm::Parquet) => {}
        (FrontierContent::Lines(lines), Selection::Allowed(_) | Selection::Disallowed, _) => {
            header.extend_from_slice(lines.layout().header());
        }
        (FrontierContent::Lines(lines), Selection::Verdicts, OutputForm::Tsv) => {
            let layout = lines.layout();
            let line = lines::trim_line_end(layout.header());
            // The columns of CDX are named behind the word CDX.
            let columns = match layout.cdx_delimiter() {
                Some(delimiter) => line.get(5..).map(|names| with_tabs(names, delimiter)),
                None => (!layout.names().is_empty()).then(|| line.to_vec()),
            };
            if let Some(columns) = columns.filter(|columns| !columns.is_empty()) {
                header.extend_from_slice(&columns);
                push_names(job.crawlers.len(), &mut header);
            }
        }
        (FrontierContent::Rows(rows), Selection::Verdicts, OutputForm::Tsv) => {
            for (place, field) in rows.batch.schema().fields().iter().enumerate() {
                if place > 0 {
                    header.push(b'\t');
                }
                push_cell(field.name().as_bytes(), &mut header);
            }
            push_names(job.crawlers.len(), &mut header);
        }
        _ => {}
    }
    header
}

fn push_names(crawlers: usize, out: &mut Vec<u8>) {
    for name in verdict_names(crawlers).flatten() {
        out.push(b'\t');
        out.extend_from_slice(name.as_bytes());
    }
    out.push(b'\n');
}

/// A line of verdicts: verdict and line of the rule for each crawler, then the URL.
#[inline]
pub(super) fn push_text(answers: &[Answer], url: &[u8], out: &mut Vec<u8>) {
    let mut number = itoa::Buffer::new();
    for answer in answers {
        out.extend_from_slice(answer.as_str().as_bytes());
        out.push(b'\t');
        out.extend_from_slice(number.format(answer.line()).as_bytes());
        out.push(b'\t');
    }
    out.extend_from_slice(url);
    out.push(b'\n');
}

/// What stands for a line that is too long to be read; other lines have so many columns.
pub(super) fn push_unreadable(form: OutputForm, columns: usize, answers: &[Answer], out: &mut Vec<u8>) {
    let rulings = Rulings { answers, rules: &[] };
    match form {
        OutputForm::Text => push_text(answers, b"", out),
        OutputForm::Tsv => {
            out.extend(std::iter::repeat_n(b'\t', columns.saturating_sub(1)));
            push_cells(rulings, out);
        }
        OutputForm::JsonLines => {
            out.push(b'{');
            push_members(rulings, true, out);
        }
        OutputForm::Parquet => {}
    }
}

/// The columns of a line, then those of its verdicts.
pub(super) fn push_tsv(layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    let text = lines::trim_line_end(line.line);
    if layout.has_columns() {
        out.extend_from_slice(text);
        let columns = 1 + text.iter().filter(|&&octet| octet == b'\t').count();
        out.extend(std::iter::repeat_n(b'\t', layout.names().len().saturating_sub(columns)));
    } else if let Some(delimiter) = layout.cdx_delimiter() {
        out.extend_from_slice(&with_tabs(text, delimiter));
    } else if let Some([key, time, json]) = cdx::cdxj_columns(text).filter(|_| layout.is_cdxj()) {
        out.extend_from_slice(&[key, b"\t", time, b"\t", json].concat());
    } else {
        push_cell(line.url.as_deref().unwrap_or(text), out);
    }
    push_cells(rulings, out);
}

/// The columns of verdicts, behind others, and the end of the line.
fn push_cells(rulings: Rulings<'_>, out: &mut Vec<u8>) {
    for (verdict, line, rule) in rulings.iter() {
        out.push(b'\t');
        out.extend_from_slice(verdict.as_bytes());
        out.push(b'\t');
        if let Some(line) = line {
            out.extend_from_slice(itoa::Buffer::new().format(line).as_bytes());
        }
        out.push(b'\t');
        push_cell(rule.unwrap_or_default().as_bytes(), out);
    }
    out.push(b'\n');
}

fn with_tabs(text: &[u8], delimiter: u8) -> Vec<u8> {
    text.iter().map(|&octet| if octet == delimiter { b'\t' } else { octet }).collect()
}

/// A line as a JSON object, its verdicts among its members.
pub(super) fn push_json(layout: &Layout, line: &UrlLine<'_>, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    let text = lines::trim_line_end(line.line).trim_ascii();
    if layout.is_json() {
        // Who has a URL is an object.
        let members = text.strip_prefix(b"{").and_then(|text| text.strip_suffix(b"}"));
        let is_object = line.url.is_some() || serde_json::from_slice::<IgnoredAny>(text).is_ok();
        out.push(b'{');
        let members = members.filter(|members| is_object && !members.trim_ascii().is_empty());
        push_lossy(members.unwrap_or_default(), out);
        return push_members(rulings, members.is_none(), out);
    }
    out.push(b'{');
    if let Some([key, time, json]) = cdx::cdxj_columns(text).filter(|_| layout.is_cdxj()) {
        push_member("urlkey", key, true, out);
        push_member("timestamp", time, false, out);
        let members = json.strip_prefix(b"{").and_then(|json| json.strip_suffix(b"}")).unwrap_or_default();
        if !members.trim_ascii().is_empty() && line.url.is_some() {
            out.push(b',');
            push_lossy(members, out);
        }
    } else if layout.names().is_empty() {
        push_member("url", line.url.as_deref().unwrap_or(text), true, out);
    } else {
        let columns = text.split(|&octet| octet == b'\t');
        for (place, (name, column)) in layout.names().iter().zip(columns).enumerate() {
            push_member(name, column, place == 0, out);
        }
    }
    push_members(rulings, false, out);
}

fn push_member(name: &str, text: &[u8], is_first: bool, out: &mut Vec<u8>) {
    push_key(name, is_first, out);
    push_string(text, out);
}

/// Members of an object as they are; octets that are no UTF-8, which nobody looked at when they were read, are replaced.
fn push_lossy(members: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(String::from_utf8_lossy(members).as_bytes());
}

/// The members of verdicts, the end of the object and that of the line.
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

/// The columns of a row, then those of its verdicts.
pub(super) fn push_row_tsv(cells: &Cells<'_>, row: usize, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    cells.push_columns(row, out);
    push_cells(rulings, out);
}

/// A row as a JSON object, its verdicts among its members.
pub(super) fn push_row_json(cells: &Cells<'_>, row: usize, rulings: Rulings<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    cells.push_members(row, out);
    push_members(rulings, cells.is_empty(), out);
}
