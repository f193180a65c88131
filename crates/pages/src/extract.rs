//! Bytes and headers of a response become [`PageFacts`].

use robomata_protocol::{PageFacts, PageHeader};

use crate::encoding::{Decoding, PRESCAN};
use crate::feed::Feeder;

/// The facts of a page that is in memory whole, and of the response's headers, each a name and a value.
pub fn facts(html: &[u8], headers: &[(&str, &str)]) -> PageFacts {
    let mut reader = PageReader::new(headers);
    reader.write(html);
    reader.finish()
}

/// Reads a page as it arrives, in chunks that may be cut anywhere.
///
/// It never fails. It keeps what is open and what [`PageFacts`] hold; the time is linear in the page's bytes.
pub struct PageReader {
    headers: Vec<PageHeader>,
    /// The page's first bytes, until there are enough of them to tell the encoding.
    start: Vec<u8>,
    decoding: Option<Decoding>,
    feeder: Feeder,
}

impl PageReader {
    /// A reader of the page that comes with these headers.
    pub fn new(headers: &[(&str, &str)]) -> Self {
        let header =
            |&(name, value): &(&str, &str)| PageHeader { name: name.to_owned(), value: value.to_owned() };
        PageReader {
            headers: headers.iter().map(header).collect(),
            start: Vec::new(),
            decoding: None,
            feeder: Feeder::new(),
        }
    }

    /// Reads the page's next bytes.
    pub fn write(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        if self.decoding.is_none() {
            let missing = PRESCAN - self.start.len();
            let (start, behind) = chunk.split_at(missing.min(chunk.len()));
            self.start.extend_from_slice(start);
            rest = behind;
            if self.start.len() == PRESCAN {
                self.begin();
            }
        }
        if !rest.is_empty() {
            self.decode(rest, Chunk::Inner);
        }
    }

    /// The page has ended.
    pub fn finish(mut self) -> PageFacts {
        if self.decoding.is_none() {
            self.begin();
        }
        self.decode(&[], Chunk::Last);
        let (metas, elements) = self.feeder.finish().into_facts();
        PageFacts { metas, elements, headers: self.headers }
    }

    /// Decides the encoding and reads what the decision was made by.
    fn begin(&mut self) {
        let content_type =
            self.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-type"));
        let start = std::mem::take(&mut self.start);
        self.decoding = Some(Decoding::new(&start, content_type.map(|header| header.value.as_str())));
        self.decode(&start, Chunk::Inner);
    }

    fn decode(&mut self, bytes: &[u8], chunk: Chunk) {
        let PageReader { decoding, feeder, .. } = self;
        if let Some(decoding) = decoding {
            decoding.decode(bytes, chunk, |text| feeder.text(text));
        }
    }
}

/// Which chunk of a page it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// More may come.
    Inner,
    /// None comes behind it.
    Last,
}
