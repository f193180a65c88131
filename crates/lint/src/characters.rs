//! Findings about lines that look different from their contents: invisible and look-alike characters, markup, lost line
//! breaks.

use robomata_protocol::{Span, is_invisible};
use robomata_syntax::Lines;

use crate::Findings;
use crate::look_alikes::{looks_like, skeleton};

/// Adds the findings about the characters of every line.
pub(crate) fn find(lines: &Lines<'_>, findings: &mut Findings<'_>) {
    let text = findings.policy.text();
    for line in 1..=lines.count() {
        let Some(range) = lines.range(line) else { continue };
        let bytes = &text[range.clone()];
        let comment = bytes.iter().position(|&byte| byte == b'#').unwrap_or(bytes.len());
        let (content, comment) = bytes.split_at(comment);
        for chunk in content.utf8_chunks() {
            let start = chunk.valid().as_ptr() as usize - text.as_ptr() as usize;
            look_at(&Piece { line, start, text: chunk.valid() }, findings);
        }
        let start = range.start + content.len();
        glued_comment(&Piece { line, start, text: &String::from_utf8_lossy(comment) }, findings);
    }
}

/// A part of a line.
struct Piece<'t> {
    line: u32,
    start: usize,
    text: &'t str,
}

impl Piece<'_> {
    fn span(&self, from: usize, length: usize) -> Span {
        let at = |at: usize| u32::try_from(self.start + at).unwrap_or(u32::MAX);
        Span::new(at(from), at(from + length))
    }
}

/// Checks a part of a line outside comments.
fn look_at(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    if !piece.text.is_ascii() {
        double_encoded(piece, findings);
        invisible(piece, findings);
        look_alike_key(piece, findings);
    }
    markup(piece, findings);
    glued(piece, findings);
}

fn invisible(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    let shows_something = |c: char| !c.is_whitespace() && !is_invisible(c);
    if !piece.text.chars().any(shows_something) {
        return;
    }
    let found = piece.text.char_indices().find(|&(at, c)| {
        let is_mark = c == '\u{feff}' && piece.start + at == 0;
        is_invisible(c) && !c.is_control() && !is_mark && !joins_letters(piece.text, at, c)
    });
    let Some((at, c)) = found else { return };
    let (span, code) = (piece.span(at, c.len_utf8()), u32::from(c));
    let message = format!("the character U+{code:04X} is invisible, but crawlers do not skip it");
    findings.add("invisible-character", piece.line, span, message).help("remove it");
}

/// Is `c` a joiner between two letters of a script that uses invisible characters to join or separate letters?
fn joins_letters(text: &str, at: usize, c: char) -> bool {
    let is_of_script = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_invisible(c));
    matches!(c, '\u{200c}' | '\u{200d}')
        && is_of_script(text[..at].chars().next_back())
        && is_of_script(text[at + c.len_utf8()..].chars().next())
}

/// Keys of lines that have an effect. A key that is part of another key comes after it.
const KEYS: [&str; 8] =
    ["user-agent", "disallow", "allow", "sitemap", "crawl-delay", "request-rate", "clean-param", "noindex"];

/// Finds a key or a colon that is written with characters of another script.
fn look_alike_key(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    let text = piece.text.trim_start();
    let is_end = |c: char| c == ':' || looks_like(c).is_some_and(|(plain, _)| plain == ":");
    let Some(end) = text.find(is_end) else { return };
    let colon = text[end..].chars().next().map_or(1, char::len_utf8);
    // Invisible characters are another finding.
    if !text[..end + colon].contains(|c: char| !c.is_ascii() && !is_invisible(c)) {
        return;
    }
    let Some(written) = skeleton(&text[..end].trim_end().to_lowercase()) else { return };
    let Some(key) = KEYS.into_iter().find(|key| skeleton(key).as_ref() == Some(&written)) else { return };
    let from = piece.text.len() - text.len();
    let message = format!("looks like '{key}:' but contains look-alike characters");
    findings
        .add("look-alike-character", piece.line, piece.span(from, end + colon), message)
        .help(format!("retype '{key}:'"));
}

/// Finds letters of another script among Latin letters, in a name or a pattern.
pub(crate) fn look_alike_value(line: u32, span: Span, findings: &mut Findings<'_>) {
    let Ok(text) = std::str::from_utf8(span.of(findings.policy.text())) else { return };
    if text.is_ascii() {
        return;
    }
    let letters = |c: char| {
        let (plain, _) = looks_like(c).filter(|&(_, is_foreign)| is_foreign && c.is_alphabetic())?;
        (!plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(plain)
    };
    // The hexadecimal digits of a percent-encoded byte are not letters of a word.
    let is_escape = |at: usize| (1..=2).any(|back| at >= back && text.as_bytes()[at - back] == b'%');
    // A real word of another script also has letters that do not look like Latin ones.
    let (mut has_latin, mut has_others, mut foreign) = (false, false, None);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !c.is_alphabetic() || c.is_ascii() && is_escape(at) {
            if has_latin && !has_others && foreign.is_some() {
                break;
            }
            (has_latin, has_others, foreign) = (false, false, None);
        } else {
            has_latin |= c.is_ascii();
            has_others |= !c.is_ascii() && letters(c).is_none();
            foreign = foreign.or(letters(c).map(|plain| (at, c, plain)));
        }
    }
    let (Some((at, c, plain)), true) = (foreign, has_latin) else { return };
    let piece = Piece { line, start: span.start as usize, text };
    let message = format!("'{c}' (U+{:04X}) looks like '{plain}' but is another character", u32::from(c));
    findings.add("look-alike-character", line, piece.span(at, c.len_utf8()), message).help("retype the word");
}

/// Finds UTF-8 that was read as Latin-1 and encoded again.
fn double_encoded(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    let is_of_latin_1 = |c: char| ('\u{80}'..='\u{ff}').contains(&c);
    let (mut start, mut bytes) = (0, Vec::new());
    for (at, c) in piece.text.char_indices().chain([(piece.text.len(), ' ')]) {
        if let Some(byte) = u8::try_from(u32::from(c)).ok().filter(|_| is_of_latin_1(c)) {
            if bytes.is_empty() {
                start = at;
            }
            bytes.push(byte);
            continue;
        }
        if let Ok(meant) = std::str::from_utf8(&bytes)
            && !meant.is_empty()
        {
            let message = format!(
                "{} is UTF-8 that was encoded twice",
                crate::quoted(&piece.text.as_bytes()[start..at])
            );
            // A byte order mark or another invisible character needs no replacement.
            let help = match meant.contains(|c: char| !is_invisible(c)) {
                true => format!("write {}", crate::quoted(meant.as_bytes())),
                false => "remove it".to_owned(),
            };
            findings.add("double-encoded", piece.line, piece.span(start, at - start), message).help(help);
            return;
        }
        bytes.clear();
    }
}

/// Finds leftover markup of a page, an editor or a template.
fn markup(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    const MARKS: [&str; 19] = [
        "<?php", "<?=", "?>", "</", "<br", "<p>", "<pre", "<!--", "-->", "<html", "<head", "<body",
        "<script", "<div", "<span", "<a ", "&nbsp;", "&amp;", "&lt;",
    ];
    let text = piece.text.to_ascii_lowercase();
    let found = MARKS.iter().filter_map(|mark| Some((text.find(mark)?, mark.len()))).min();
    let Some((at, length)) = found else { return };
    let message = format!(
        "{} is markup: a robots.txt is plain text",
        crate::quoted(&piece.text.as_bytes()[at..at + length])
    );
    let help = match &text[at..at + length] {
        "&amp;" => "write '&'",
        "&lt;" => "write '<'",
        _ => "remove it",
    };
    findings.add("markup", piece.line, piece.span(at, length), message).help(help);
}

/// Returns whether a record follows another one in `line`, or a comment, because a line break was lost.
pub fn has_glued_records(line: &str) -> bool {
    let at = line.find('#').unwrap_or(line.len());
    let (content, comment) = line.split_at(at);
    glued_record(content).is_some() || glued_record_in_comment(comment).is_some()
}

/// Finds a key with its colon in `text`, at or after `from`, where a lost line break would leave it.
fn key_within(text: &str, from: usize) -> Option<(usize, &'static str)> {
    let lower = text.to_ascii_lowercase();
    let is_key = |at: usize, key: &str| {
        let behind = lower[at + key.len()..].trim_start_matches([' ', '\t']);
        let before = text[..at].chars().next_back();
        behind.starts_with(':')
            && match before {
                None => false,
                // A line separator, the end of a tag or a character reference.
                Some(before) if before.is_whitespace() || ">;".contains(before) => true,
                // An escaped line end.
                Some('n' | 'r') if text[..at - 1].ends_with('\\') => true,
                Some(before) => {
                    // The key begins with a capital directly after another word.
                    let is_capital = text.as_bytes()[at].is_ascii_uppercase();
                    is_capital
                        && (before.is_lowercase()
                            || before.is_ascii_digit()
                            || ".!)*".contains(before)
                            || before == '/')
                }
            }
    };
    let places = KEYS.into_iter().flat_map(|key| {
        lower.match_indices(key).map(|(at, _)| (at, key)).filter(|&(at, _)| at >= from).collect::<Vec<_>>()
    });
    places.filter(|&(at, key)| is_key(at, key) && !(key == "allow" && lower[..at].ends_with("dis"))).min()
}

/// Finds two records on one line.
fn glued(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    let Some((at, key)) = glued_record(piece.text) else { return };
    let rest = piece.text[at..].trim_end();
    let message =
        format!("{} is not at the beginning of a line: it is not read", crate::quoted(rest.as_bytes()));
    findings
        .add("glued-lines", piece.line, piece.span(at, key.len()), message)
        .help("put it on a line of its own");
}

/// The second record of a text without a comment.
fn glued_record(text: &str) -> Option<(usize, &'static str)> {
    let words = text.trim_start();
    // Skips comments in the syntax of other languages.
    let is_word = words.starts_with(|c: char| c.is_alphabetic());
    is_word.then(|| key_within(text, text.len() - words.len() + 1)).flatten()
}

/// Finds a record that a lost line break has moved into a comment.
fn glued_comment(piece: &Piece<'_>, findings: &mut Findings<'_>) {
    let Some((at, key)) = glued_record_in_comment(piece.text) else { return };
    let message = format!(
        "{} is inside a comment: it is not read",
        crate::quoted(piece.text[at..].trim_end().as_bytes())
    );
    findings
        .add("glued-comment", piece.line, piece.span(at, key.len()), message)
        .help("if it is intended, put it on a line of its own");
}

fn glued_record_in_comment(text: &str) -> Option<(usize, &'static str)> {
    let words = text.trim_start_matches(['#', ' ', '\t']);
    let (at, key) = key_within(text, text.len() - words.len() + 1)?;
    // A record has a single word between the last key and the end of the line. With more words it is a sentence.
    let value_of = |at: usize, key: &str| {
        let behind = &text[at + key.len()..];
        behind.trim_start().strip_prefix(':').map_or("", str::trim)
    };
    let begins_as_value =
        |value: &str| value.starts_with(['/', '*']) || key == "user-agent" || key == "sitemap";
    let is_touching = !text[..at].ends_with([' ', '\t']);
    let mut last = (at, key);
    let mut count = 1;
    while let Some(next) = key_within(text, last.0 + last.1.len()) {
        (last, count) = (next, count + 1);
    }
    let is_alone = !value_of(last.0, last.1).contains([' ', '\t']);
    let is_value = begins_as_value(value_of(at, key));
    (is_alone && is_value && (is_touching || count > 1)).then_some((at, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_within_lines_are_distinguished_from_words() {
        for glued in [
            "/a Disallow: /b",
            "/aDisallow:/b",
            "* User-agent : x",
            "*<br>disallow: /",
            "*\u{2028}disallow: /",
            "*\\ndisallow: /",
        ] {
            assert!(key_within(glued, 1).is_some(), "{glued}");
        }
        for fine in
            ["/a-disallow:b", "/disallow: /a", "/x?allow:1", "Disallow", "/a disallowed: b", "Allow: /"]
        {
            assert_eq!(key_within(fine, 1), None, "{fine}");
        }
    }
}
