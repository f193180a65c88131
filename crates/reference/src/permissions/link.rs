//! The Link header (RFC 8288, appendix B), for licences.

use crate::text::{is_ws, trim};

/// A link of a field value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The target as written.
    pub(crate) target: String,
    /// Names in lower case, with values.
    parameters: Vec<(String, String)>,
}

impl Link {
    /// The first parameter with this name (B.2, 2.9).
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether `rel` has this relation type: types are separated by white space, and have no case (B.2, 2.10 and
    /// 2.17).
    pub(crate) fn is_of_type(&self, relation: &str) -> bool {
        let types = self.parameter("rel").unwrap_or_default();
        types.split([' ', '\t']).any(|own| own.eq_ignore_ascii_case(relation))
    }
}

/// B.2: the links of a field value. Unlike there, text that is no link ends only at the next comma (V6).
pub(crate) fn links(value: &str) -> Vec<Link> {
    let mut left = value;
    let mut links = Vec::new();
    loop {
        // "#link-value" permits empty elements (RFC 9110, 5.6.1.2).
        left = left.trim_start_matches([' ', '\t', ',']);
        if let Some((target, rest)) = left.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            let (parameters, rest) = parameters(rest);
            links.push(Link { target: target.to_owned(), parameters });
            left = rest;
        }
        match next_comma(left) {
            Some(at) => left = &left[at..],
            None => return links,
        }
    }
}

/// The next comma outside of quotes and of `<` and `>`.
fn next_comma(text: &str) -> Option<usize> {
    let mut left = text;
    loop {
        left = &left[left.find([',', '"', '<'])?..];
        if left.starts_with(',') {
            return Some(text.len() - left.len());
        }
        left = match left.strip_prefix('<') {
            Some(rest) => rest.split_once('>')?.1,
            None => quoted_string(&left[1..]).1,
        };
    }
}

/// B.3: parameters, and the text after them.
fn parameters(mut left: &str) -> (Vec<(String, String)>, &str) {
    let is_space = [' ', '\t'];
    let mut parameters = Vec::new();
    loop {
        left = left.trim_start_matches(is_space);
        let Some(rest) = left.strip_prefix(';') else {
            return (parameters, left);
        };
        let rest = rest.trim_start_matches(is_space);
        let end = rest.find([' ', '\t', '=', ';', ',']).unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        let rest = rest[end..].trim_start_matches(is_space);
        let (value, rest) = match rest.strip_prefix('=') {
            None => (String::new(), rest),
            Some(rest) => match rest.trim_start_matches(is_space) {
                quoted if quoted.starts_with('"') => quoted_string(&quoted[1..]),
                rest => {
                    let end = rest.find([';', ',']).unwrap_or(rest.len());
                    let value = trim(&rest.as_bytes()[..end], is_ws);
                    (crate::text::text(value), &rest[end..])
                }
            },
        };
        parameters.push((name, value));
        left = rest;
    }
}

/// B.4: the text of a quoted string after its first quote, and the text after it.
fn quoted_string(left: &str) -> (String, &str) {
    let mut output = String::new();
    let mut characters = left.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (output, &left[at + 1..]),
            '\\' => output.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => output.push(character),
        }
    }
    (output, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Vec<(String, String)> {
        let rel = |link: &Link| link.parameter("rel").unwrap_or_default().to_owned();
        links(value).into_iter().map(|link| (rel(&link), link.target)).collect()
    }

    fn pair(rel: &str, target: &str) -> (String, String) {
        (rel.to_owned(), target.to_owned())
    }

    #[test]
    fn links_have_targets_and_parameters() {
        assert_eq!(
            read("<https://a.example/l.xml>; rel=\"license\"; type=\"application/rsl+xml\""),
            [pair("license", "https://a.example/l.xml")]
        );
        assert_eq!(
            read("</a,b>;REL = next ; x , ,<c>;title=\"a\\\"b,<d>\";rel=\"x LICENSE\";rel=y,<e>"),
            [pair("next", "/a,b"), pair("x LICENSE", "c"), pair("", "e")]
        );
        let all = links("<a>;rel=\"next License\", <b>;rel=licenses");
        assert!(all[0].is_of_type("license") && !all[1].is_of_type("license"));
    }

    #[test]
    fn text_that_is_no_link_ends_at_a_comma() {
        assert_eq!(read("a; rel=license, <b>"), [pair("", "b")]);
        assert_eq!(read("<a; rel=license, b"), []);
        assert_eq!(read("<a>;rel=x y, <b>"), [pair("x y", "a"), pair("", "b")]);
        assert_eq!(read("<a> b \"<c>,\" <d,>, <e>"), [pair("", "a"), pair("", "e")]);
        assert_eq!(read("<a>;rel=\"license, <b>"), [pair("license, <b>", "a")]);
        assert_eq!(read("\"a, <b>"), []);
    }
}
