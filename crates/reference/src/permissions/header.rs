//! Response headers, by name.

use robomata_protocol::PageFacts;

/// The headers with this name: their 1-based numbers, and their values without white space around them. CR, LF and NUL are
/// spaces: "a recipient ... MUST either reject the message or replace each of those characters with SP" (RFC 9110, 5.5).
pub(crate) fn named(page: &PageFacts, name: &str) -> Vec<(u32, String)> {
    let numbered = (1_u32..).zip(&page.headers);
    let own = numbered.filter(|(_, header)| header.name.eq_ignore_ascii_case(name));
    let value = |written: &str| written.replace(['\r', '\n', '\0'], " ").trim_matches([' ', '\t']).to_owned();
    own.map(|(number, header)| (number, value(&header.value))).collect()
}

/// Several headers as one list (RFC 9651, 4.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    pub(crate) text: String,
    /// The number of each header, and the index of its first byte.
    starts: Vec<(u32, usize)>,
}

impl Joined {
    /// Joins the values of the headers with this name; `None` without any.
    pub(crate) fn named(page: &PageFacts, name: &str) -> Option<Joined> {
        let mut joined = Joined { text: String::new(), starts: Vec::new() };
        for (number, value) in named(page, name) {
            if !joined.starts.is_empty() {
                joined.text.push_str(", ");
            }
            joined.starts.push((number, joined.text.len()));
            joined.text.push_str(&value);
        }
        (!joined.starts.is_empty()).then_some(joined)
    }

    /// The number of the header that contains the byte at this index.
    pub(crate) fn header_at(&self, index: usize) -> u32 {
        let before = self.starts.iter().rev().find(|(_, start)| *start <= index);
        before.or(self.starts.first()).map_or(0, |&(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::tests::headers;

    #[test]
    fn headers_are_one_list() {
        let page = headers(&[("A", " x=1\t"), ("b", "y"), ("a", ""), ("A", "z")]);
        let joined = Joined::named(&page, "a").unwrap();
        assert_eq!(joined.text, "x=1, , z");
        assert_eq!([0, 2, 5, 7].map(|index| joined.header_at(index)), [1, 1, 3, 4]);
        assert_eq!(Joined::named(&page, "c"), None);
        let page = headers(&[("a", "\0x\r\n"), ("a", "\ty\0z ")]);
        assert_eq!(Joined::named(&page, "a").unwrap().text, "x, y z");
    }
}
