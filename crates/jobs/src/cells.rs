//! Values as text: tab-separated columns, members of JSON objects.

use robomata_formats::CellText;
use robomata_formats::urls::as_text;

/// Appends values as columns, separated by tabs; null values are empty.
pub(crate) fn push_columns<'v>(values: impl Iterator<Item = Option<CellText<'v>>>, out: &mut Vec<u8>) {
    for (place, value) in values.enumerate() {
        if place > 0 {
            out.push(b'\t');
        }
        if let Some(value) = value {
            push_text(&value.text, out);
        }
    }
}

/// Appends a text as a column. Control characters are percent-encoded, also those that only a terminal obeys.
fn push_text(text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        return push_cell(text.as_bytes(), out);
    }
    let mut buffer = [0; 4];
    for c in text.chars() {
        let bytes = c.encode_utf8(&mut buffer).as_bytes();
        if c.is_control() { push_encoded(bytes, out) } else { out.extend_from_slice(bytes) }
    }
}

fn push_encoded(bytes: &[u8], out: &mut Vec<u8>) {
    bytes.iter().for_each(|byte| out.extend_from_slice(format!("%{byte:02X}").as_bytes()));
}

/// Appends named values as members of an object.
pub(crate) fn push_members<'v>(
    values: impl Iterator<Item = (&'v str, Option<CellText<'v>>)>,
    out: &mut Vec<u8>,
) {
    for (place, (name, value)) in values.enumerate() {
        push_key(name, place == 0, out);
        match value {
            None => out.extend_from_slice(b"null"),
            Some(value) if value.is_bare => out.extend_from_slice(value.text.as_bytes()),
            Some(value) => push_string(value.text.as_bytes(), out),
        }
    }
}

/// Appends a text as a column. Control characters are percent-encoded: some would end the column or the line, others would
/// command a terminal.
pub(crate) fn push_cell(text: &[u8], out: &mut Vec<u8>) {
    // Without a branch for each byte, because nearly no text has one.
    if !text.iter().fold(false, |found, byte| found | byte.is_ascii_control()) {
        return out.extend_from_slice(text);
    }
    for byte in text {
        if byte.is_ascii_control() { push_encoded(&[*byte], out) } else { out.push(*byte) }
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

/// Appends a text as a JSON string. Bytes that are not UTF-8 are percent-encoded.
pub(crate) fn push_string(text: &[u8], out: &mut Vec<u8>) {
    serde_json::to_writer(out, &as_text(text)).expect("a text is JSON");
}
