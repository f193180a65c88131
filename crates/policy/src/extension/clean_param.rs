//! `Clean-param`: query parameters that do not change a page (Yandex; `crates/PERMISSIONS.md`, V7).

/// A longer record is void.
const MOST_BYTES: usize = 500;

/// `Clean-param: a&b /path`: query parameters that do not change what a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanParam<'t> {
    /// The parameters' names, which are case-sensitive. There is at least one, and none is empty.
    pub parameters: Vec<&'t [u8]>,
    /// The prefix of the paths in question, with `*` for any run; `None` for all paths.
    pub path: Option<&'t [u8]>,
    /// The 1-based line of the record.
    pub line: u32,
}

impl CleanParam<'_> {
    /// The number of records per file that count if their paths have a star before the end: each one is tried
    /// separately.
    pub const MOST_WITH_STARS: usize = 256;

    /// Whether its path has a star before its end, and so is more than a prefix.
    pub(crate) fn has_star(&self) -> bool {
        let path = self.path.unwrap_or_default();
        let end = path.iter().rposition(|&byte| byte != b'*').map_or(0, |last| last + 1);
        path[..end].contains(&b'*')
    }
}

pub(super) fn read(value: &[u8], line: u32) -> Option<CleanParam<'_>> {
    if value.len() > MOST_BYTES {
        return None;
    }
    let mut words = value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let names = words.next()?.split(|&byte| byte == b'&');
    let parameters: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
    let path = words.next();
    let is_whole = !parameters.is_empty() && words.next().is_none();
    is_whole.then_some(CleanParam { parameters, path, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_and_a_path_may_follow() {
        let params = read(b"sid&sort \t/forum/", 7).unwrap();
        let names: [&[u8]; 2] = [b"sid", b"sort"];
        assert_eq!((params.parameters, params.path, params.line), (names.to_vec(), Some(&b"/forum/"[..]), 7));
        assert_eq!(read(b"&&s&", 1).unwrap().parameters, [b"s"]);
        for odd in [&b""[..], b"& /x", b"a /b c"] {
            assert_eq!(read(odd, 1), None, "{odd:?}");
        }
    }

    #[test]
    fn a_record_has_500_bytes_at_most() {
        assert!(read(&[b'a'; 500], 1).is_some());
        assert!(read(&[b'a'; 501], 1).is_none());
    }
}
