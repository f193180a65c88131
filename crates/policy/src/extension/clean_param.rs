//! `Clean-param`: query parameters that do not change a page (Yandex; `crates/PERMISSIONS.md`, V7).

/// A record of more bytes is void.
const MOST_BYTES: usize = 500;

/// `Clean-param: a&b /path`: query parameters that do not change what a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanParam<'t> {
    /// The parameters' names, compared as they are; at least one, none is empty.
    pub parameters: Vec<&'t [u8]>,
    /// The prefix, with `*` for any run, of the paths concerned; all when none is given.
    pub path: Option<&'t [u8]>,
    /// The 1-based line of the record.
    pub line: u32,
}

impl CleanParam<'_> {
    /// Of the records of a file whose path has a star before its end, so many count: each is tried by itself.
    pub const MOST_WITH_STARS: usize = 256;

    /// Is its path more than a prefix: has it a star before its end?
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
