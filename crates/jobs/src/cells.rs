//! Arrow rows as text: tab-separated columns, members of JSON objects.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

/// The columns of rows as texts.
pub(crate) struct Cells<'r> {
    names: Vec<Cow<'r, str>>,
    columns: Vec<(Kind, Option<ArrayFormatter<'r>>)>,
    rows: &'r RecordBatch,
}

/// The JSON representation of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bare,
    String,
}

impl<'r> Cells<'r> {
    pub(crate) fn new(rows: &'r RecordBatch, options: &'r FormatOptions<'r>) -> Self {
        let of = |column: &'r Arc<dyn Array>| {
            let is_bare = column.data_type().is_integer() || *column.data_type() == DataType::Boolean;
            let kind = if is_bare { Kind::Bare } else { Kind::String };
            (kind, ArrayFormatter::try_new(column.as_ref(), options).ok())
        };
        let names = rows.schema_ref().fields().iter().map(|field| Cow::Borrowed(field.name().as_str()));
        Cells { names: names.collect(), columns: rows.columns().iter().map(of).collect(), rows }
    }

    /// Are there no columns?
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Appends the columns of a row, separated by tabs; null values are empty.
    pub(crate) fn push_columns(&self, row: usize, out: &mut Vec<u8>) {
        for (place, (_, formatter)) in self.columns.iter().enumerate() {
            if place > 0 {
                out.push(b'\t');
            }
            if let (Some(formatter), true) = (formatter, self.rows.column(place).is_valid(row)) {
                push_cell(formatter.value(row).to_string().as_bytes(), out);
            }
        }
    }

    /// The columns of a row as texts; null values are empty.
    pub(crate) fn texts(&self, row: usize) -> impl Iterator<Item = String> {
        self.columns.iter().enumerate().map(move |(place, (_, formatter))| {
            let formatter = formatter.as_ref().filter(|_| self.rows.column(place).is_valid(row));
            formatter.map_or_else(String::new, |formatter| formatter.value(row).to_string())
        })
    }

    /// Appends the columns of a row as members of an object.
    pub(crate) fn push_members(&self, row: usize, out: &mut Vec<u8>) {
        for (place, (name, (kind, formatter))) in self.names.iter().zip(&self.columns).enumerate() {
            push_key(name, place == 0, out);
            match formatter.as_ref().filter(|_| self.rows.column(place).is_valid(row)) {
                None => out.extend_from_slice(b"null"),
                Some(formatter) if *kind == Kind::Bare => {
                    let _ = write!(out, "{}", formatter.value(row));
                }
                Some(formatter) => push_string(formatter.value(row).to_string().as_bytes(), out),
            }
        }
    }
}

/// Appends a text as a column. Bytes that would end the column or the line are percent-encoded.
pub(crate) fn push_cell(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'\t' => out.extend_from_slice(b"%09"),
            b'\n' => out.extend_from_slice(b"%0A"),
            b'\r' => out.extend_from_slice(b"%0D"),
            _ => out.push(byte),
        }
    }
}

/// Appends a text as a CSV field, quoted if necessary.
pub(crate) fn push_field(text: &[u8], out: &mut Vec<u8>) {
    if !text.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for &byte in text {
        if byte == b'"' {
            out.push(byte);
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Appends the key of a member, with a separator after the previous member.
pub(crate) fn push_key(name: &str, is_first: bool, out: &mut Vec<u8>) {
    if !is_first {
        out.push(b',');
    }
    push_string(name.as_bytes(), out);
    out.push(b':');
}

/// Appends a text as a JSON string. Bytes that are not UTF-8 are replaced.
pub(crate) fn push_string(text: &[u8], out: &mut Vec<u8>) {
    serde_json::to_writer(out, &String::from_utf8_lossy(text)).expect("a text is JSON");
}
