//! The comment that states the version (ACAP part 1, section 2.9.3; row A2).

use super::key::{first_word, is_white, strip_prefix};

/// The version in the first line of `text` of the form `##ACAP version=x`.
pub(super) fn version(text: &[u8]) -> Option<String> {
    // A byte order mark is not part of the first line.
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let version = text.split(|byte| matches!(byte, b'\n' | b'\r')).find_map(version_in)?;
    Some(String::from_utf8_lossy(version).into_owned())
}

fn version_in(line: &[u8]) -> Option<&[u8]> {
    let said = without_white_space(line).strip_prefix(b"##")?;
    let said = strip_prefix(without_white_space(said), b"ACAP")
        .filter(|rest| rest.first().is_some_and(|&o| is_white(o)))?;
    let said = strip_prefix(without_white_space(said), b"version")?;
    let (version, _) = first_word(without_white_space(said).strip_prefix(b"=")?);
    (!version.is_empty()).then_some(version)
}

/// `bytes` without leading white space.
fn without_white_space(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_white(byte)).unwrap_or(bytes.len());
    &bytes[start..]
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_first_comment_of_the_form_states_it() {
        let cases: [(&[u8], Option<&str>); 12] = [
            (b"##ACAP version=1.0\nx", Some("1.0")),
            (b"\xEF\xBB\xBF##acap VERSION=1.1\r\n", Some("1.1")),
            (b"User-agent: *\n\n \t## ACAP \t version = 1.0 \n##ACAP version=2", Some("1.0")),
            (b"##ACAP version=1.0 of it", Some("1.0")),
            (b"##ACAP version=\n##ACAP version=3", Some("3")),
            (b"#ACAP version=1.0", None),
            (b"##ACAPversion=1.0", None),
            (b"##ACAP 1.0", None),
            (b"x ##ACAP version=1.0", None),
            (b"##ACAP version", None),
            (b"##ACAP version=\xFF", Some("\u{FFFD}")),
            (b"", None),
        ];
        for (text, expected) in cases {
            assert_eq!(version(text).as_deref(), expected, "{}", text.escape_ascii());
        }
    }
}
