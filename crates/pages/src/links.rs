//! Links to licences in Link headers (RFC 8288) and in pages (RSL 1.0; `crates/PERMISSIONS.md`, V6).

use robomata_protocol::{License, PageFacts, Place};

use crate::headers;

/// The licences of a response: those of Link headers, then those of links in the page.
pub(crate) fn licenses(facts: &PageFacts) -> Vec<License> {
    let of_headers = headers::named(facts, "link").flat_map(|(line, value)| {
        let licenses = Links { rest: &value }.filter(Link::is_license);
        let license = |Link { target, media_type, .. }: Link<'_>| License {
            url: target.to_owned(),
            media_type,
            place: Place::Header,
            line,
        };
        licenses.map(license).collect::<Vec<_>>()
    });
    let of_page = facts.links.iter().map(|link| License {
        url: link.href.clone(),
        media_type: link.media_type.clone(),
        place: Place::Link,
        line: link.line,
    });
    of_headers.chain(of_page).collect()
}

/// A link of a Link header.
#[derive(Debug, Default)]
struct Link<'t> {
    target: &'t str,
    /// The first value of the parameter `rel`.
    relations: Option<String>,
    /// The first value of the parameter `type`.
    media_type: Option<String>,
    /// It is about something other than the response's page.
    has_anchor: bool,
}

impl Link<'_> {
    fn is_license(&self) -> bool {
        let relations = self.relations.as_deref().unwrap_or_default();
        let mut words = relations.split_ascii_whitespace();
        !self.target.is_empty() && !self.has_anchor && words.any(|word| word.eq_ignore_ascii_case("license"))
    }
}

/// Reads the links of a header's value.
struct Links<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Links<'t> {
    type Item = Link<'t>;

    fn next(&mut self) -> Option<Link<'t>> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c == ',' || is_space(c));
            if self.rest.is_empty() {
                return None;
            }
            let Some(after) = self.rest.strip_prefix('<') else {
                self.skip();
                continue;
            };
            let Some((target, after)) = after.split_once('>') else {
                self.rest = "";
                return None;
            };
            self.rest = after;
            let mut link = Link { target, ..Link::default() };
            while let Some((name, value)) = self.parameter() {
                match name.to_ascii_lowercase().as_str() {
                    "rel" => drop(link.relations.get_or_insert(value)),
                    "type" => drop(link.media_type.get_or_insert(value)),
                    "anchor" => link.has_anchor = true,
                    _ => {}
                }
            }
            self.skip();
            return Some(link);
        }
    }
}

impl<'t> Links<'t> {
    /// Skips everything before the next comma that is outside of strings and of targets.
    fn skip(&mut self) {
        loop {
            let end = self.rest.find([',', '"', '<']).unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
            self.rest = match self.rest.bytes().next() {
                Some(b'"') => unquoted(&self.rest[1..]).1,
                Some(b'<') => self.rest.split_once('>').map_or("", |(_, after)| after),
                _ => return,
            };
        }
    }

    /// The next parameter of a link (RFC 8288, B.3).
    fn parameter(&mut self) -> Option<(&'t str, String)> {
        let rest = self.rest.trim_start_matches(is_space).strip_prefix(';')?.trim_start_matches(is_space);
        let end = rest.find(|c| is_space(c) || matches!(c, '=' | ';' | ',')).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let Some(rest) = rest.trim_start_matches(is_space).strip_prefix('=') else {
            self.rest = rest;
            return Some((name, String::new()));
        };
        let rest = rest.trim_start_matches(is_space);
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => {
                let (value, rest) = rest.split_at(rest.find([';', ',']).unwrap_or(rest.len()));
                (value.trim_end_matches(is_space).to_owned(), rest)
            }
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// The text of a string after its first quote, and what comes after the string (RFC 8288, B.4).
fn unquoted(text: &str) -> (String, &str) {
    let (mut value, mut characters) = (String::new(), text.chars());
    loop {
        match characters.next() {
            None | Some('"') => return (value, characters.as_str()),
            Some('\\') => value.extend(characters.next()),
            Some(other) => value.push(other),
        }
    }
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Vec<(&str, Option<String>)> {
        let licenses = Links { rest: value }.filter(Link::is_license);
        licenses.map(|link| (link.target, link.media_type)).collect()
    }

    #[test]
    fn v6_the_first_rel_with_the_word_license_counts() {
        let rsl = "<https://a.example/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"";
        assert_eq!(read(rsl), [("https://a.example/l.xml", Some("application/rsl+xml".to_owned()))]);
        for link in [
            "</l>; rel=license",
            "</l>;REL = \"next\tLICENSE\"",
            "</l>; rel=next license; rel=x",
            "</x>, , </l>;x;y=;rel=license",
            "</x>; title=\"a, <b\\\"; rel=license\", </l>; rel=license",
            "junk <,> \",\\\",\" , </l>; rel=license junk",
            "</l>; rel=\"license",
        ] {
            assert_eq!(read(link), [("/l", None)], "{link}");
        }
        for none in [
            "",
            "</l>",
            "</l>; rel",
            "</l>; rel=next; rel=license",
            "</l>; rel=license; anchor=\"#x\"",
            "<>; rel=license",
            "</l; rel=license",
            "</l> rel=license",
            "</l>; rel=\"licenses\"",
        ] {
            assert_eq!(read(none), [], "{none}");
        }
        assert_eq!(read("</a>; rel=license, </b>; rel=license").len(), 2);
    }
}
