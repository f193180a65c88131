//! Extracts [`PageFacts`] from the bytes and headers of a response.

use robomata_protocol::{PageFacts, PageHeader};

use crate::encoding::{Decoding, PRESCAN};
use crate::feed::Feeder;
use crate::tokens::Syntax;

/// Extracts the facts of a complete page in memory and of the response's headers (names and values).
pub fn facts(html: &[u8], headers: &[(&str, &str)]) -> PageFacts {
    let mut reader = PageReader::new(headers);
    reader.write(html);
    reader.finish()
}

/// Like [`facts`], for a page whose encoding is already decoded. What the page and the headers say about it does not matter.
pub fn facts_of_text(html: &str, headers: &[(&str, &str)]) -> PageFacts {
    let headers = headers_of(headers);
    let mut feeder = Feeder::new(syntax(&headers));
    feeder.text(html.strip_prefix('\u{feff}').unwrap_or(html));
    let (metas, elements, links) = feeder.finish().into_facts();
    PageFacts { metas, elements, links, headers }
}

/// The value of the first Content-Type.
fn content_type(headers: &[PageHeader]) -> Option<&str> {
    let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-type"));
    header.map(|header| header.value.as_str())
}

/// What a page is written in: XML if its media type is one of XML (MIME Sniffing, 4.6), and HTML otherwise.
fn syntax(headers: &[PageHeader]) -> Syntax {
    let media_type = content_type(headers).and_then(|value| value.split(';').next()).unwrap_or_default();
    let media_type = media_type.trim_ascii().to_ascii_lowercase();
    let is_xml = media_type.ends_with("+xml") || media_type.ends_with("/xml");
    if is_xml { Syntax::Xml } else { Syntax::Html }
}

fn headers_of(headers: &[(&str, &str)]) -> Vec<PageHeader> {
    let header =
        |&(name, value): &(&str, &str)| PageHeader { name: name.to_owned(), value: value.to_owned() };
    headers.iter().map(header).collect()
}

/// Reads a page as it arrives. Chunks may end anywhere.
///
/// Reading never fails. Memory holds the open elements and the [`PageFacts`]; time is linear in the page's bytes.
pub struct PageReader {
    headers: Vec<PageHeader>,
    /// The page's first bytes, until there are enough to detect the encoding.
    start: Vec<u8>,
    decoding: Option<Decoding>,
    feeder: Feeder,
}

impl PageReader {
    /// Creates a reader for a page with these response headers.
    pub fn new(headers: &[(&str, &str)]) -> Self {
        let headers = headers_of(headers);
        let feeder = Feeder::new(syntax(&headers));
        PageReader { headers, start: Vec::new(), decoding: None, feeder }
    }

    /// Reads the page's next bytes.
    pub fn write(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        if self.decoding.is_none() {
            let missing = PRESCAN - self.start.len();
            let (start, after) = chunk.split_at(missing.min(chunk.len()));
            self.start.extend_from_slice(start);
            rest = after;
            if self.start.len() == PRESCAN {
                self.begin();
            }
        }
        if !rest.is_empty() {
            self.decode(rest, Chunk::Inner);
        }
    }

    /// Ends the page and returns its facts.
    pub fn finish(mut self) -> PageFacts {
        if self.decoding.is_none() {
            self.begin();
        }
        self.decode(&[], Chunk::Last);
        let (metas, elements, links) = self.feeder.finish().into_facts();
        PageFacts { metas, elements, links, headers: self.headers }
    }

    /// Detects the encoding and processes the bytes read so far.
    fn begin(&mut self) {
        let start = std::mem::take(&mut self.start);
        self.decoding = Some(Decoding::new(&start, content_type(&self.headers)));
        self.decode(&start, Chunk::Inner);
    }

    fn decode(&mut self, bytes: &[u8], chunk: Chunk) {
        let PageReader { decoding, feeder, .. } = self;
        if let Some(decoding) = decoding {
            decoding.decode(bytes, chunk, |text| feeder.text(text));
        }
    }
}

/// The position of a chunk in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// More chunks may follow.
    Inner,
    /// The last chunk.
    Last,
}
