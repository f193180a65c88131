//! Writes our TOML format, so that a failure found by a fuzzer can become a committed case.

use std::fmt::Write as _;

use robomata_protocol::{Crawler, FetchStatus, ProductToken};

use super::Case;
use crate::bytes;

/// Writes `case` as a group of our TOML format, ready to append to a file. Reading it returns `case`.
pub fn to_toml(case: &Case) -> String {
    let mut text = String::from("[[group]]\n");
    line(&mut text, "section", &quoted(&case.section));
    line(&mut text, "title", &quoted(&case.title));
    line(&mut text, "dialects", &format!("[{}]", quoted(case.dialect.as_str())));
    push_status(&mut text, case.status);
    push_robots(&mut text, &case.robots);
    text.push_str("[[group.case]]\n");
    line(&mut text, "id", &quoted(&case.id));
    line(&mut text, "agent", &agent(&case.crawler));
    push_url(&mut text, &case.url);
    line(&mut text, "expect", &quoted(case.expect.word.as_str()));
    if let Some(number) = case.expect.line {
        line(&mut text, "line", &number.to_string());
    }
    if !case.note.is_empty() {
        line(&mut text, "note", &quoted(&case.note));
    }
    text
}

fn line(text: &mut String, key: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}

/// A basic string. The escapes of JSON are those that TOML needs, except for DEL.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

fn push_status(text: &mut String, status: Option<FetchStatus>) {
    match status {
        None => {}
        Some(FetchStatus::Code(code)) => line(text, "status", &code.to_string()),
        Some(FetchStatus::Success) => line(text, "status", "\"success\""),
        Some(FetchStatus::NetworkFailure) => line(text, "status", "\"network-failure\""),
        Some(FetchStatus::TooManyRedirects) => line(text, "status", "\"too-many-redirects\""),
    }
}

fn push_robots(text: &mut String, robots: &[u8]) {
    match std::str::from_utf8(robots) {
        Ok(plain) if is_plain(plain) => line(text, "robots", &format!("'''\n{plain}'''")),
        _ => line(text, "robots_escaped", &format!("'''\n{}'''", escaped_lines(robots))),
    }
}

/// Returns whether the text is valid in a literal string and readable for people.
fn is_plain(text: &str) -> bool {
    let trails = |line: &str| line.ends_with(' ');
    let odd = |c: char| c == '\'' || (c != '\n' && bytes::is_invisible(c));
    !text.contains(odd) && !text.split('\n').any(trails)
}

/// Escaped bytes with a real line break at each LF. Spaces before it, which editors remove, are escaped.
fn escaped_lines(robots: &[u8]) -> String {
    let lines = robots.split(|byte| *byte == b'\n').map(|line| {
        let mut escaped = bytes::escape(line).replace('\'', "\\x27");
        if escaped.ends_with(' ') {
            escaped.truncate(escaped.len() - 1);
            escaped.push_str("\\x20");
        }
        escaped
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn push_url(text: &mut String, url: &[u8]) {
    match std::str::from_utf8(url) {
        Ok(plain) if !plain.contains(bytes::is_invisible) => line(text, "url", &quoted(plain)),
        _ => line(text, "url_escaped", &quoted(&bytes::escape(url))),
    }
}

/// Tokens joined by commas, or a list when a comma is part of a token.
fn agent(crawler: &Crawler) -> String {
    let tokens: Vec<_> = crawler.tokens().iter().map(ProductToken::as_str).collect();
    if tokens.iter().any(|token| token.contains(',')) {
        let quoted: Vec<_> = tokens.iter().map(|token| quoted(token)).collect();
        return format!("[{}]", quoted.join(", "));
    }
    quoted(&tokens.join(","))
}
