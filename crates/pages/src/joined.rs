//! Several headers of one name as one structured field (RFC 9651, 4.2).

use robomata_protocol::PageFacts;

use crate::headers;

/// The values of all headers of a name, joined by commas.
#[derive(Debug)]
pub(crate) struct JoinedHeaders {
    text: String,
    /// Where the value of each header begins, and the header's number; at least one.
    starts: Vec<(usize, u32)>,
    /// The positions of the commas outside of strings.
    commas: Vec<usize>,
}

impl JoinedHeaders {
    /// The headers called `name`; `None` if there are none.
    pub(crate) fn new(facts: &PageFacts, name: &str) -> Option<Self> {
        let (mut text, mut starts) = (String::new(), Vec::new());
        for (number, value) in headers::named(facts, name) {
            if !starts.is_empty() {
                text.push_str(", ");
            }
            starts.push((text.len(), number));
            text.push_str(&value);
        }
        let commas = commas(text.as_bytes());
        (!starts.is_empty()).then_some(JoinedHeaders { text, starts, commas })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn commas(&self) -> &[usize] {
        &self.commas
    }

    /// The number of the first header.
    pub(crate) fn first(&self) -> u32 {
        self.starts[0].1
    }

    /// The members of a valid list or dictionary: each one's text up to the end of all headers, and the number of the
    /// header in which it begins.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, u32)> {
        let begins = std::iter::once(0).chain(self.commas.iter().map(|comma| comma + 1));
        begins.map(|at| {
            let member = self.text[at..].trim_start_matches([' ', '\t']);
            let at = self.text.len() - member.len();
            let next = self.starts.partition_point(|&(start, _)| start <= at);
            (member, self.starts[next - 1].1)
        })
    }
}

/// The positions of the commas outside of strings.
fn commas(value: &[u8]) -> Vec<usize> {
    let (mut commas, mut at) = (Vec::new(), 0);
    while at < value.len() {
        match value[at] {
            b',' => commas.push(at),
            b'"' => at = string_end(value, at),
            _ => {}
        }
        at += 1;
    }
    commas
}

/// The position of the quote that ends the string at `start`, or the end of the value. Display strings, which begin
/// with `%`, have no escapes.
pub(crate) fn string_end(value: &[u8], start: usize) -> usize {
    let has_escapes = start == 0 || value[start - 1] != b'%';
    let mut at = start + 1;
    while at < value.len() && value[at] != b'"' {
        at += if has_escapes && value[at] == b'\\' { 2 } else { 1 };
    }
    at
}
