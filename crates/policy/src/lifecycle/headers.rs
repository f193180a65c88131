//! Header fields of a response, read according to RFC 9110 and RFC 9111 (F10 to F13).

use std::borrow::Cow;

use robomata_protocol::lifecycle::{Header, Moment};

/// The upper limit for numbers of seconds (RFC 9111, 1.2.2).
const MOST_SECONDS: i64 = 1 << 31;

/// The values of the fields called `name`, in order, without surrounding SP and HTAB.
pub(crate) fn values<'a>(headers: &'a [Header], name: &str) -> impl Iterator<Item = &'a [u8]> {
    headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name.as_bytes()))
        .map(|header| trimmed(&header.value))
}

/// The value of the first field called `name`.
pub(crate) fn first<'a>(headers: &'a [Header], name: &str) -> Option<&'a [u8]> {
    values(headers, name).next()
}

/// `text` without surrounding SP and HTAB.
pub(crate) fn trimmed(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// A number of seconds: digits and nothing else. Large numbers saturate.
pub(crate) fn seconds(text: &[u8]) -> Option<i64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_i64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        Some((number * 10 + digit).min(MOST_SECONDS))
    })
}

/// An HTTP date (F12), whose letters have no case (RFC 9111, 4.2). A leap second is the second after it, because moments
/// count none.
pub(crate) fn date(text: &[u8]) -> Option<Moment> {
    // The parser also accepts white space that HTTP does not allow.
    let printable = text.iter().all(|byte| matches!(byte, 0x20..=0x7e));
    let mut text = in_standard_case(std::str::from_utf8(trimmed(text)).ok().filter(|_| printable)?);
    let seconds = text.len().checked_sub(if text.ends_with(" GMT") { 7 } else { 8 })?;
    let is_leap = text.get(seconds..seconds + 3) == Some(":60");
    if is_leap {
        text.replace_range(seconds..seconds + 3, ":59");
    }
    // It also ignores the byte before the time in the form of RFC 850.
    let before_time = text.strip_suffix(" GMT").and_then(|rest| rest.as_bytes().iter().rev().nth(8));
    if before_time.is_some_and(|byte| *byte != b' ') {
        return None;
    }
    let since = httpdate::parse_http_date(&text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok().map(|seconds| Moment::from_seconds(seconds + i64::from(is_leap)))
}

/// The names of days and months with a capital, and `GMT`.
fn in_standard_case(date: &str) -> String {
    let mut is_inside = false;
    let letter = |letter: char| {
        let first = !std::mem::replace(&mut is_inside, letter.is_ascii_alphabetic());
        if first { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    };
    let text: String = date.chars().map(letter).collect();
    match text.strip_suffix("Gmt") {
        Some(rest) => format!("{rest}GMT"),
        None => text,
    }
}

/// The Cache-Control directives about the reuse of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheControl {
    /// no-store, or no-cache for the whole response: a cache must revalidate before reuse.
    pub(crate) forbids_reuse: bool,
    /// The first max-age in seconds; 0 when its value is malformed.
    pub(crate) max_age: Option<i64>,
}

impl CacheControl {
    /// The directives in `headers`.
    pub(crate) fn of(headers: &[Header]) -> Self {
        let mut found = CacheControl::default();
        for value in values(headers, "cache-control") {
            for directive in Directives(value) {
                found.add(directive);
            }
        }
        found
    }

    fn add(&mut self, directive: &[u8]) {
        let (name, argument) = match directive.iter().position(|byte| *byte == b'=') {
            Some(at) => (trimmed(&directive[..at]), Some(trimmed(&directive[at + 1..]))),
            None => (trimmed(directive), None),
        };
        if name.eq_ignore_ascii_case(b"no-store") {
            self.forbids_reuse = true;
        } else if name.eq_ignore_ascii_case(b"no-cache") {
            // With an argument, it only covers the header fields that it names.
            self.forbids_reuse |= argument.is_none();
        } else if name.eq_ignore_ascii_case(b"max-age") && self.max_age.is_none() {
            let argument = argument.and_then(unquoted);
            self.max_age = Some(argument.and_then(|text| seconds(&text)).unwrap_or(0));
        }
    }
}

/// The parts of a list, split at commas outside quoted strings.
struct Directives<'a>(&'a [u8]);

impl<'a> Iterator for Directives<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let (mut quoted, mut escaped) = (false, false);
        let end = self.0.iter().position(|byte| {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b',' => return !quoted,
                _ => {}
            }
            false
        });
        let (part, rest) = match end {
            Some(at) => (&self.0[..at], &self.0[at + 1..]),
            None => (self.0, &[][..]),
        };
        self.0 = rest;
        Some(part)
    }
}

/// The value of an argument: the argument itself, or the text within its quotation marks, which must be at its ends.
fn unquoted(argument: &[u8]) -> Option<Cow<'_, [u8]>> {
    let Some(quoted) = argument.strip_prefix(b"\"") else {
        return Some(Cow::Borrowed(argument));
    };
    let mut text = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter();
    loop {
        match bytes.next()? {
            b'"' => return bytes.as_slice().is_empty().then_some(Cow::Owned(text)),
            b'\\' => text.push(*bytes.next()?),
            byte => text.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache_control(values: &[&str]) -> CacheControl {
        let headers: Vec<Header> = values.iter().map(|value| Header::new("CACHE-control", *value)).collect();
        CacheControl::of(&headers)
    }

    fn max_age(value: &str) -> Option<i64> {
        cache_control(&[value]).max_age
    }

    #[test]
    fn max_age_is_found_at_any_position() {
        for value in
            ["max-age=60", "public,MAX-Age=60", ", ,max-age = 60 ,", "max-age=\"60\"", "max-age=\"6\\0\""]
        {
            assert_eq!(max_age(value), Some(60), "{value}");
        }
        assert_eq!(max_age("max-age=60, max-age=5"), Some(60));
        assert_eq!(cache_control(&["public", "max-age=7", "max-age=8"]).max_age, Some(7));
        assert_eq!(max_age("s-maxage=60, xmax-age=60"), None);
        assert_eq!(max_age("ext=\"max-age=60, max-age=5\", max-age=9"), Some(9));
        assert_eq!(max_age("ext=\"a\\\", max-age=60\", max-age=9"), Some(9));
        assert_eq!(max_age("ext=\"never closed, max-age=60"), None);
        assert_eq!(cache_control(&["ext=\"never closed", "max-age=60"]).max_age, Some(60));
    }

    #[test]
    fn a_max_age_that_is_not_a_number_is_zero_and_a_large_one_saturates() {
        for value in [
            "max-age",
            "max-age=",
            "max-age=-1",
            "max-age=1.5",
            "max-age=6 0",
            "max-age=\"60\"x",
            "max-age=\"60",
        ] {
            assert_eq!(max_age(value), Some(0), "{value}");
        }
        assert_eq!(max_age("max-age=2147483647"), Some(2_147_483_647));
        assert_eq!(max_age("max-age=2147483649"), Some(2_147_483_648));
        assert_eq!(max_age(&format!("max-age={}", "9".repeat(100))), Some(2_147_483_648));
        assert_eq!(max_age("max-age=00000000000000000000060"), Some(60));
    }

    #[test]
    fn reuse_is_forbidden_for_the_whole_response_only() {
        for value in ["no-store", "No-Cache", "max-age=9,no-cache", "no-store=x"] {
            assert!(cache_control(&[value]).forbids_reuse, "{value}");
        }
        for value in ["no-cache=\"Set-Cookie\"", "must-revalidate", "private", "no-stores", ""] {
            assert!(!cache_control(&[value]).forbids_reuse, "{value}");
        }
    }

    #[test]
    fn dates_have_three_forms_and_nothing_else() {
        let some = Some(Moment::from_seconds(784_111_777));
        assert_eq!(date(b"Sun, 06 Nov 1994 08:49:37 GMT"), some);
        assert_eq!(date(b"Sunday, 06-Nov-94 08:49:37 GMT"), some);
        assert_eq!(
            date(b" Sun Nov  6 08:49:37 1994\t"),
            None,
            "an inner tab is no SP; fields are trimmed before"
        );
        assert_eq!(date(b"Sun Nov  6 08:49:37 1994"), some);
        for cased in
            ["sun, 06 nov 1994 08:49:37 gmt", "SUNDAY, 06-NOV-94 08:49:37 Gmt", "sUN nOV  6 08:49:37 1994"]
        {
            assert_eq!(date(cased.as_bytes()), some, "{cased}");
        }
        let leap = Some(Moment::from_seconds(1_483_228_800));
        for text in
            ["Sat, 31 Dec 2016 23:59:60 GMT", "Saturday, 31-Dec-16 23:59:60 gmt", "Sat Dec 31 23:59:60 2016"]
        {
            assert_eq!(date(text.as_bytes()), leap, "{text}");
        }
        for none in [
            &b"0"[..],
            b"",
            b"-1",
            b"Mon, 06 Nov 1994 08:49:37 GMT",
            b"Sun, 06 Nov 1994 08:49:61 GMT",
            b"Sun, 06 Nov 1994 08:60:37 GMT",
            b"Sun, 06 Nov 1994 08:49:60 UTC",
            b":60",
            b"Thu, 31 Feb 2000 00:00:00 GMT",
            b"Sun, 06 Nov 1994 08:49:37 UTC",
            b"Sunday, 06-Nov-94_08:49:37 GMT",
            b"Sun, 06 Nov 1994 08:49:37 GMT\x0b",
            b"Sun, 31 Dec 1899 00:00:00 GMT",
            b"Sun, 06 Nov 1994 08:49:37 GM\xff",
        ] {
            assert_eq!(date(none), None, "{}", String::from_utf8_lossy(none));
        }
    }
}
