//! Usage purposes (ACAP 1.0 part 1, sections 2.3.3 and 2.8; `crates/PERMISSIONS.md`, A6).

/// Whether `pattern` matches the whole of `purpose`. `*` matches any run of bytes, a `$` at the end adds nothing, and
/// case does not matter. Takes time linear in the purpose for each segment of the pattern.
pub(crate) fn is_purpose_of(pattern: &[u8], purpose: &str) -> bool {
    let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern).to_ascii_lowercase();
    let purpose = purpose.to_ascii_lowercase().into_bytes();
    let mut segments = pattern.split(|&byte| byte == b'*');
    let head = segments.next().unwrap_or_default();
    let Some(mut rest) = purpose.strip_prefix(head) else { return false };
    let mut segments: Vec<&[u8]> = segments.collect();
    let Some(tail) = segments.pop() else { return rest.is_empty() };
    for segment in segments {
        let Some(at) = memchr::memmem::find(rest, segment) else { return false };
        rest = &rest[at + segment.len()..];
    }
    rest.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_compared_as_a_whole() {
        let cases = [
            ("news", "news", true),
            ("news", "News", true),
            ("news$", "news", true),
            ("news", "newsletter", false),
            ("news*", "newsletter", true),
            ("http://news.search.*/*", "http://news.search.example/x", true),
            ("http://news.search.*/*", "http://news.search.example", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("*b*", "abc", true),
            ("*ab*bc", "abc", false),
        ];
        for (pattern, purpose, expected) in cases {
            assert_eq!(is_purpose_of(pattern.as_bytes(), purpose), expected, "{pattern} {purpose}");
        }
    }
}
