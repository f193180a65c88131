//! Dot segments of paths (RFC 3986, section 5.2.4).

/// Removes the segments `.` and `..` from a path that is empty or begins with `/`.
///
/// ```
/// use robomata_policy::without_dot_segments;
///
/// assert_eq!(without_dot_segments(b"/a/./b/../c"), b"/a/c");
/// assert_eq!(without_dot_segments(b"/../a/.."), b"/");
/// ```
pub fn without_dot_segments(path: &[u8]) -> Vec<u8> {
    let segments = path.strip_prefix(b"/").unwrap_or(path).split(|byte| *byte == b'/');
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut ends_in_dots = false;
    for segment in segments {
        ends_in_dots = matches!(segment, b"." | b"..");
        match segment {
            b"." => {}
            b".." => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    if ends_in_dots {
        kept.push(b"");
    }
    [b"/", kept.join(&b'/').as_slice()].concat()
}
