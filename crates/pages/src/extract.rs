//! Octets and headers of a response become [`PageFacts`].

use robomata_protocol::{PageFacts, PageHeader};

/// The facts of a page that is in memory whole, with the response's headers as name and value.
pub fn facts(html: &[u8], headers: &[(&str, &str)]) -> PageFacts {
    let mut reader = PageReader::new(headers);
    reader.write(html);
    reader.finish()
}

/// Reads a page as it arrives, in chunks that may be cut anywhere.
pub struct PageReader {
    facts: PageFacts,
}

impl PageReader {
    /// A reader of the page that comes with these headers.
    pub fn new(headers: &[(&str, &str)]) -> Self {
        let header =
            |&(name, value): &(&str, &str)| PageHeader { name: name.to_owned(), value: value.to_owned() };
        PageReader {
            facts: PageFacts { headers: headers.iter().map(header).collect(), ..PageFacts::default() },
        }
    }

    /// Reads the page's next octets.
    pub fn write(&mut self, chunk: &[u8]) {
        let _ = chunk;
    }

    /// The page has ended.
    pub fn finish(self) -> PageFacts {
        self.facts
    }
}
