//! The answers to GET requests, which may be captures.
//!
//! An answer to another method says nothing about the content of its target: one to HEAD has no body, and a 405 concerns
//! the method. An answer without a request in the file ([`Pairs`]) counts as one to GET.

use super::http;
use super::pairs::{Exchanged, Half, Link, Pairs};
use super::robots::{Answer, read_answer, require_fields};
use super::{RecordHead, WarcReader};
use crate::error::InputError;
use crate::log::is_http;
use crate::time::Timestamp;
use crate::uri;

/// Maximum number of bytes of the answers that wait for their requests. The oldest ones then count without them.
const MAX_BYTES: usize = 64 << 20;

/// The number of bytes of a request to read for its method.
const MAX_METHOD: usize = 64;

/// Pairs the answers of a file with their requests.
pub(super) struct Answers {
    pairs: Pairs<Waiting>,
    bytes: usize,
    max_bytes: usize,
    ended: bool,
}

/// An answer.
pub(super) struct Read {
    pub(super) head: RecordHead,
    /// The [`key`](uri::key) of its target.
    pub(super) key: Vec<u8>,
    /// The content of the record.
    pub(super) answer: Answer,
    /// Why the record is damaged or has only a part of the body, if so.
    pub(super) problem: Option<InputError>,
}

/// An answer or a request that waits for the other one.
struct Waiting {
    head: RecordHead,
    key: Vec<u8>,
    /// The answer with its problem, if that is in the file.
    read: Option<(Answer, Option<InputError>)>,
    /// Whether the request is in the file and has another method than GET.
    is_other_method: bool,
}

impl Default for Answers {
    fn default() -> Self {
        Answers { pairs: Pairs::default(), bytes: 0, max_bytes: MAX_BYTES, ended: false }
    }
}

impl Answers {
    /// The next answer to a GET request in `reader`. Reads only the records that `is_wanted` returns true for, from the
    /// head, the key of the target, and whether a redirect that still waits leads there.
    pub(super) fn next(
        &mut self,
        reader: &mut WarcReader,
        block: &mut Vec<u8>,
        mut is_wanted: impl FnMut(&RecordHead, &[u8], bool) -> bool,
    ) -> Option<Result<Read, InputError>> {
        loop {
            while let Some(waiting) = self.pop() {
                if let Some(read) = waiting.answer() {
                    return Some(Ok(read));
                }
            }
            if self.ended {
                return None;
            }
            let Some(head) = reader.next() else {
                self.ended = true;
                continue;
            };
            let added = head.and_then(|head| self.add(head, reader, block, &mut is_wanted));
            if let Err(error) = added {
                return Some(Err(error));
            }
        }
    }

    /// Reads the record of `head`, if it `is_wanted`.
    fn add(
        &mut self,
        head: RecordHead,
        reader: &mut WarcReader,
        block: &mut Vec<u8>,
        is_wanted: &mut impl FnMut(&RecordHead, &[u8], bool) -> bool,
    ) -> Result<(), InputError> {
        require_fields(&head, reader.name())?;
        let (Some(half), Some(target)) = (Half::of(head.record_type()), head.target_uri()) else {
            return Ok(());
        };
        let (key, is_alone) = (uri::key(target), !is_http(target));
        let is_awaited = self.pairs.iter().any(|waiting| waiting.target() == Some(&key));
        if (half == Half::Request && is_alone) || !is_wanted(&head, &key, is_awaited) {
            return Ok(());
        }
        let (mut read, mut is_other_method) = (None, false);
        match half {
            Half::Answer => read = Some(read_answer(reader, &head, block, &key)),
            Half::Request => {
                block.clear();
                reader.read_block(MAX_METHOD, block)?;
                is_other_method = http::request(block).0.is_some_and(|method| method != b"GET");
            }
        }
        let link = Link::of(&head);
        let waiting = Waiting { head, key, read, is_other_method };
        self.bytes += waiting.bytes();
        match self.pairs.other(&waiting, half, &link) {
            Some(other) => {
                let before = other.bytes() + waiting.bytes();
                other.complete(waiting);
                self.bytes = self.bytes + other.bytes() - before;
            }
            None => self.pairs.wait(waiting, half, is_alone, link),
        }
        Ok(())
    }

    fn pop(&mut self) -> Option<Waiting> {
        let waiting = match self.ended || self.bytes > self.max_bytes {
            true => self.pairs.next_of_all(),
            false => self.pairs.next(),
        }?;
        self.bytes -= waiting.bytes();
        Some(waiting)
    }
}

impl Waiting {
    /// Adds the other half.
    fn complete(&mut self, other: Waiting) {
        let is_other_method = self.is_other_method || other.is_other_method;
        if other.read.is_some() {
            *self = other;
        }
        self.is_other_method = is_other_method;
    }

    /// The answer. Damage in any answer counts, because it may concern the records next to it.
    fn answer(self) -> Option<Read> {
        let Waiting { head, key, read, is_other_method } = self;
        let (answer, problem) = read?;
        (!is_other_method || problem.is_some()).then_some(Read { head, key, answer, problem })
    }

    /// The key of the target of a redirect.
    fn target(&self) -> Option<&Vec<u8>> {
        match &self.read {
            Some((Answer::Redirect(_, target), _)) => Some(target),
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        let content = match &self.read {
            Some((Answer::Body(_, body), _)) => body.len(),
            _ => self.target().map_or(0, Vec::len),
        };
        self.head.fields.len() + self.key.len() + content
    }
}

impl Exchanged for Waiting {
    fn uri(&self) -> &[u8] {
        &self.key
    }

    fn time(&self) -> Option<Timestamp> {
        self.head.date()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_name::FileName;
    use crate::warc::RobotsRecords;
    use crate::warc::pairs::WINDOW;

    fn record(kind: &str, uri: &str, block: &str) -> String {
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    fn response(uri: &str, http: &str) -> String {
        record("response", uri, &format!("HTTP/1.1 {http}"))
    }

    fn reader(file: String) -> WarcReader {
        WarcReader::new(std::io::Cursor::new(file), &FileName::new("a.warc")).unwrap()
    }

    /// The numbers of the answers in `file`, each with the number of the record after which it is returned.
    fn returned(file: String, max_bytes: usize) -> Vec<(u64, u64)> {
        let (mut reader, mut block) = (reader(file), Vec::new());
        let mut answers = Answers { max_bytes, ..Answers::default() };
        let mut last = 0;
        let mut returned = Vec::new();
        while let Some(read) = answers.next(&mut reader, &mut block, |head, _, _| {
            last = head.number();
            true
        }) {
            returned.push((read.unwrap().head.number(), last));
        }
        assert_eq!(answers.bytes, 0);
        returned
    }

    #[test]
    fn answers_wait_for_a_bounded_number_of_records_and_bytes() {
        let count = WINDOW as u64 + 9;
        let uri = |number| format!("http://h{number}.com/robots.txt");
        let answers = |body: &str| -> String {
            (1..=count).map(|number| response(&uri(number), &format!("200 OK\r\n\r\n{body}"))).collect()
        };
        let after = |waiting: u64| -> Vec<_> {
            (1..=count).map(|number| (number, (number + waiting).min(count))).collect()
        };
        assert_eq!(returned(answers(""), MAX_BYTES), after(WINDOW as u64));
        assert_eq!(returned(answers(&"x".repeat(1000)), 4000), after(3));
        let complete = [response(&uri(1), "200 OK\r\n\r\n"), record("request", &uri(1), "GET /robots.txt ")];
        assert_eq!(returned(complete.concat(), MAX_BYTES), [(1, 2)]);
        let alone = [record("resource", "ftp://a.com/robots.txt", ""), response(&uri(1), "404 x\r\n\r\n")];
        assert_eq!(returned(alone.concat(), MAX_BYTES), [(1, 1), (2, 2)]);
    }

    #[test]
    fn the_target_of_a_redirect_that_waits_is_read_at_once() {
        let file = [
            response("http://a.com/robots.txt", "301 Moved\r\nLocation: /x\r\n\r\n"),
            response("http://a.com/x", "302 Moved\r\nLocation: /y\r\n\r\n"),
            response("http://a.com/y", "200 OK\r\n\r\nrules"),
        ];
        // Like standard input, this cannot be read again.
        let captures: Vec<_> = RobotsRecords::new(reader(file.concat()), None).map(Result::unwrap).collect();
        assert_eq!(captures.len(), 1);
        assert_eq!(*captures[0].body, b"rules"[..]);
    }
}
