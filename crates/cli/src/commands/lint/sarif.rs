//! Findings as SARIF 2.1.0 (OASIS, 2020): one log with one run.

use robomata_engine::protocol::Span;
use robomata_engine::syntax::Lines;
use robomata_lint::{CODES, Code, Finding, Severity};
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The text of the log before its results and after them. Results are written between them as they are found, since
/// those of all files may not fit into memory.
pub(super) fn frame() -> (String, String) {
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "robomata",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": CODES.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "results": [],
        }],
    });
    let text = log.to_string();
    // Quotation marks in texts are escaped.
    let (head, tail) = text.split_once(RESULTS).expect("the log has an empty list of results");
    (format!("{head}\"results\":["), format!("\n]{tail}\n"))
}

/// The empty list of results.
const RESULTS: &str = "\"results\":[]";

/// A code (3.49, `reportingDescriptor`).
fn rule(code: &Code) -> Value {
    json!({
        "id": code.name,
        "shortDescription": {"text": code.summary()},
        "fullDescription": {"text": code.text()},
        "help": {"text": code.text()},
        "defaultConfiguration": {"level": level(code.severity)},
    })
}

fn level(severity: Severity) -> &'static str {
    severity.as_str()
}

/// A finding in the file `name` (3.27, `result`).
pub(super) fn result(name: &str, finding: &Finding, lines: &Lines<'_>) -> Value {
    let text = match &finding.help {
        Some(help) => format!("{}; {help}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.code.name,
        "ruleIndex": CODES.iter().position(|code| code.name == finding.code.name),
        "level": level(finding.code.severity),
        "message": {"text": plain(&text)},
        "locations": [{"physicalLocation": physical(name, finding.span, lines)}],
    });
    if !finding.related.is_empty() {
        let related = finding.related.iter().map(|related| {
            json!({
                "physicalLocation": physical(name, related.span, lines),
                "message": {"text": plain(&related.message)},
            })
        });
        result["relatedLocations"] = related.collect();
    }
    if let Some(fix) = &finding.fix {
        result["fixes"] = json!([{
            "description": {"text": plain(finding.help.as_deref().unwrap_or("replace it"))},
            "artifactChanges": [{
                "artifactLocation": {"uri": uri(name)},
                "replacements": [{
                    "deletedRegion": deleted(fix.span, lines),
                    "insertedContent": {"text": fix.text},
                }],
            }],
        }]);
    }
    result
}

fn physical(name: &str, span: Span, lines: &Lines<'_>) -> Value {
    json!({"artifactLocation": {"uri": uri(name)}, "region": region(span, lines)})
}

/// The region of a span (3.30): lines and columns; the end column is one past the last character. Neither depends "on the
/// presence or absence of a byte order mark (BOM) at the start of the artifact" (3.30.2).
fn region(span: Span, lines: &Lines<'_>) -> Value {
    let range = span.range();
    let has_mark = has_mark(lines);
    let position = |offset| match lines.position(offset) {
        (1, column) if has_mark => (1, (column - 1).max(1)),
        position => position,
    };
    let ((line, column), (end_line, end_column)) = (position(range.start), position(range.end));
    json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column})
}

/// The region that a fix deletes. Only bytes can name the byte order mark.
fn deleted(span: Span, lines: &Lines<'_>) -> Value {
    let range = span.range();
    if has_mark(lines) && range.start < BYTE_ORDER_MARK.len() {
        return json!({"byteOffset": range.start, "byteLength": range.len()});
    }
    region(span, lines)
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

fn has_mark(lines: &Lines<'_>) -> bool {
    lines.bytes(1).is_some_and(|line| line.starts_with(BYTE_ORDER_MARK.as_bytes()))
}

/// A text in a message without placeholders and links, which a site could write (3.11.5, 3.11.6).
fn plain(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// Converts a path or the URL of a capture to a URI reference: percent-encodes the bytes that are not allowed in one.
fn uri(name: &str) -> String {
    // In a URL, reserved characters and `%` have their meaning already (RFC 3986, 2.2).
    let is_url = ["http://", "https://"].iter().any(|scheme| name.starts_with(scheme));
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ if is_url && b":?#[]@!$&'()*+,;=%".contains(&byte) => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
