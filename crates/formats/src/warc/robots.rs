//! Captures of robots.txt from a WARC file.
//!
//! Captures are responses and resources whose target is `/robots.txt` of a site, without a query, and revisits of them,
//! which repeat another record's content. Redirects are followed within the file ([`crate::chains`]). They may also
//! lead to URLs that are not robots.txt files, if these come later in the file.
//!
//! Of a body of more than 64 MiB, the first lines are the capture, if the record is complete.
//!
//! A response that ended early is a network failure (RFC 9309, section 2.3.1.4), because the missing part may contain
//! rules. If 500 KiB of it are there, its complete lines are the capture, and it is also reported as an error. Any other
//! record whose content cannot be read is a network failure too, for example one with an unknown content coding. A
//! revisit whose content is not in the file is an error: the site sent what it had sent before, which another file may have.
//!
//! Memory holds redirects that wait for their target, the newest bodies that a revisit may repeat (64 MiB), and the
//! current block. It also holds other revisits ([`MAX_MISSING`]), for which the file is read a second time at its end.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use robomata_protocol::FetchStatus;

use super::http::Response;
use super::kept::{KeptBodies, Referent};
use super::wanted::{Missing, Wanted};
use super::{RecordHead, RecordType, WarcReader};
use crate::capture::{Capture, CaptureSite, Origin};
use crate::chains::{Chain, Chains, End, Ended, HasUrl, is_redirect};
use crate::error::{InputError, Kind, shortened};
use crate::file_name::FileName;
use crate::lines::{MAX_LINE, complete_lines, first_lines};
use crate::time::Timestamp;
use crate::uri;

/// Maximum number of revisits whose content is still missing. Beyond that, their content is not searched.
const MAX_MISSING: usize = 1 << 18;

/// Maximum number of bytes of their URIs and digests.
const MAX_MISSING_BYTES: usize = 64 << 20;

/// The captures of a WARC file.
pub(crate) struct RobotsRecords {
    reader: WarcReader,
    /// The path for a second reading; `None` if that is impossible.
    path: Option<PathBuf>,
    ready: VecDeque<Result<Capture, InputError>>,
    chains: Chains<Ask>,
    kept: KeptBodies,
    missing: Vec<Missing>,
    /// The bytes of the texts in `missing`.
    missing_bytes: usize,
    /// Redirects that take the body of an earlier record, by its number.
    earlier: BTreeMap<u64, Vec<Chain<Ask>>>,
    block: Vec<u8>,
    ended: bool,
}

/// A capture without its body.
pub(super) struct Ask {
    site: String,
    /// The identifier of the site's URL ([`Chains::url`]).
    url: u64,
    time: Option<Timestamp>,
    record: u64,
    offset: u64,
}

/// The content of a record.
enum Answer {
    Body(FetchStatus, Arc<[u8]>),
    Redirect(FetchStatus, Option<Vec<u8>>),
    Repeats(FetchStatus, Referent),
    /// The content cannot be read, for this reason.
    Unreadable(String),
}

/// Why the content of a record whose target is a robots.txt cannot be read, or why a record is not a request although its
/// type documents one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("expected an HTTP response")]
    NoResponse,
    #[error("expected a body of at most {max} MiB", max = MAX_LINE >> 20)]
    TooLong,
    #[error("expected a whole record, found a segmented one")]
    Segment,
    #[error("expected a time in the field WARC-Date")]
    NoDate,
    #[error("expected the content coding gzip, deflate or zstd, found {0}")]
    Coding(String),
    #[error("expected the capture of {0} that this revisit repeats; it is not in the file")]
    Repeats(String),
}

/// Why a response contains only a part of a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Partial {
    #[error("expected a whole response, found the field WARC-Truncated")]
    Truncated,
    #[error("expected a blank line after the head of the response")]
    Head,
    #[error("expected a body of {expected} bytes, found {found}")]
    Length { expected: u64, found: usize },
    #[error("expected the last chunk of the body, found the end of the record")]
    Chunks,
    #[error("expected a body with the coding {0} that can be decoded to its end")]
    Coding(String),
    #[error("expected the whole file, found a part of it (status 206)")]
    Range,
}

impl RobotsRecords {
    /// Reads the captures of `reader`. With a `path`, the file can be read a second time.
    pub(crate) fn new(reader: WarcReader, path: Option<&Path>) -> Self {
        RobotsRecords {
            reader,
            path: path.map(Path::to_owned),
            ready: VecDeque::new(),
            chains: Chains::default(),
            kept: KeptBodies::default(),
            missing: Vec::new(),
            missing_bytes: 0,
            earlier: BTreeMap::new(),
            block: Vec::new(),
            ended: false,
        }
    }

    fn record(&mut self, head: &RecordHead) {
        if !matches!(head.record_type(), RecordType::Response | RecordType::Resource | RecordType::Revisit) {
            return;
        }
        let Some(target) = head.target_uri() else { return };
        let is_wanted = matches!(uri::place(target), Some(uri::Place::Robots | uri::Place::TdmRep));
        if !is_wanted && self.chains.is_empty() {
            return;
        }
        let key = uri::key(target);
        let url = self.chains.url(&key);
        let chains = self.chains.take(url);
        let ask = is_wanted.then(|| Ask::new(head, target, url));
        if ask.is_none() && chains.is_empty() {
            return;
        }
        match self.answer(head, &key) {
            Ok(answer) => self.settle(ask, chains, answer, head, key),
            Err(error) => {
                // Redirects to this record continue to wait: the next capture may be complete.
                for chain in chains {
                    let oldest = self.chains.wait(chain);
                    self.end_all(oldest);
                }
                self.ready.push_back(Err(error));
            }
        }
    }

    /// Interprets the record of `head`.
    fn answer(&mut self, head: &RecordHead, key: &[u8]) -> Result<Answer, InputError> {
        // The other segments are missing, and they may contain rules.
        if head.field(b"WARC-Segment-Number").is_some() {
            return Ok(Answer::Unreadable(Refusal::Segment.to_string()));
        }
        self.block.clear();
        self.reader.read_block(MAX_LINE, &mut self.block)?;
        let answer = match head.record_type() {
            RecordType::Revisit => Ok((repeated(head, &self.block, key), None)),
            _ => answered(head, &mut self.block),
        };
        let (answer, partial) = match answer {
            Ok(answer) => answer,
            Err(refusal) => (Answer::Unreadable(refusal.to_string()), None),
        };
        if let Some(partial) = partial {
            let what = format!("{partial}; its complete lines count");
            self.ready.push_back(Err(of_record(self.reader.name(), head.number(), head.offset(), what)));
        }
        Ok(answer)
    }

    fn settle(
        &mut self,
        ask: Option<Ask>,
        mut chains: Vec<Chain<Ask>>,
        answer: Answer,
        head: &RecordHead,
        key: Vec<u8>,
    ) {
        let (url, number, time) = (self.chains.url(&key), head.number(), head.date());
        if ask.is_some() {
            self.chains.precede([Some(url), None], number, time);
        }
        match answer {
            Answer::Unreadable(why) => {
                let status = FetchStatus::NetworkFailure;
                let asks = self.ended(ask, chains, status);
                self.chains.saw(url, number, End::Status(status));
                let error = of_record(self.reader.name(), number, head.offset(), why);
                let failed = asks.into_iter().map(|ask| Ok(ask.failed(&error)));
                self.ready.extend(failed);
            }
            Answer::Body(status, body) => {
                let asks = self.ended(ask, chains, status);
                self.chains.saw(url, number, End::Status(status));
                if is_success(status) {
                    self.kept.keep(key.into(), time, head.payload_digest(), &body);
                }
                self.deliver(asks, status, &body);
            }
            Answer::Redirect(status, location) => {
                let target = location.and_then(|location| uri::join(head.target_uri()?, &location));
                let target = target.map(|target| self.chains.url(&uri::key(&target)));
                self.chains.saw(url, number, End::Redirect(target));
                chains.extend(ask.map(|ask| self.chains.begin([Some(url), None], number, time, status, ask)));
                for chain in chains {
                    let ended = self.chains.follow(chain, target);
                    self.end_all(ended);
                }
            }
            Answer::Repeats(status, referent) => {
                let asks = self.ended(ask, chains, status);
                match self.kept.find(&referent) {
                    Some(body) => self.deliver(asks, found(status), &body),
                    None => self.miss(asks, status, &referent),
                }
            }
        }
    }

    /// Returns the captures that end with the capture of `ask`.
    fn ended(&mut self, ask: Option<Ask>, chains: Vec<Chain<Ask>>, status: FetchStatus) -> Vec<Ask> {
        let ended = chains.into_iter().filter_map(|chain| self.chains.end(chain, status));
        ended.map(|ended| ended.value).chain(ask).collect()
    }

    /// Ends captures without a body.
    fn end_all(&mut self, ended: impl IntoIterator<Item = Ended<Ask>>) {
        for ended in ended {
            self.deliver(vec![ended.value], ended.status, &Arc::default());
        }
    }

    fn miss(&mut self, asks: Vec<Ask>, status: FetchStatus, referent: &Referent) {
        for ask in asks {
            let digest = referent.digest.as_ref().map_or(0, Vec::len);
            self.missing_bytes += ask.site.len() + referent.uri.len() + digest;
            self.chains.hold(ask.url, ask.record, ask.time);
            self.missing.push(Missing { ask, status, referent: referent.clone() });
        }
        if self.missing.len() > MAX_MISSING || self.missing_bytes > MAX_MISSING_BYTES {
            self.give_up();
        }
    }

    fn deliver(&mut self, asks: Vec<Ask>, status: FetchStatus, body: &Arc<[u8]>) {
        let captures =
            asks.into_iter().map(|ask| Ok(ask.capture(self.reader.name(), status, Arc::clone(body))));
        self.ready.extend(captures);
    }

    /// The end of the file: resolves everything that waits.
    fn finish(&mut self) {
        let left = self.chains.finish();
        self.end_all(left.ended);
        self.earlier = left.earlier;
        self.ready.extend(self.chains.lost_targets(self.reader.name()).map(Err));
        if let (Some(path), false) = (self.path.take(), self.missing.is_empty() && self.earlier.is_empty()) {
            self.find_missing(&path);
        }
        for chain in std::mem::take(&mut self.earlier).into_values().flatten() {
            let ended = self.chains.stay(chain);
            self.end_all(ended);
        }
        self.give_up();
        self.ended = true;
    }

    /// Reads the file again, for repeated bodies that were not stored.
    fn find_missing(&mut self, path: &Path) {
        let Ok(mut reader) = WarcReader::open(path) else { return };
        let mut wanted = Wanted::new(std::mem::take(&mut self.missing));
        while !(wanted.is_empty() && self.earlier.is_empty())
            && let Some(head) = reader.next()
        {
            // The damage was reported in the first reading.
            let Ok(head) = head else { continue };
            if !matches!(head.record_type(), RecordType::Response | RecordType::Resource) {
                continue;
            }
            let key = head.target_uri().map(uri::key).unwrap_or_default().into();
            let chains = self.earlier.remove(&head.number()).unwrap_or_default();
            if (wanted.are_there(&head, &key) || !chains.is_empty())
                && let Some((status, body)) = body_of(&mut reader, &head)
            {
                let asks = self.ended(None, chains, status);
                self.deliver(asks, status, &body);
                for Missing { ask, status, .. } in wanted.take(&head, &key) {
                    if self.chains.release(ask.url, ask.record, ask.time) {
                        self.deliver(vec![ask], found(status), &body);
                    }
                }
            }
        }
        self.missing = wanted.left_over();
    }

    /// Content that is still missing is not in the file.
    fn give_up(&mut self) {
        self.missing_bytes = 0;
        for Missing { ask, status, referent } in std::mem::take(&mut self.missing) {
            let counts = self.chains.release(ask.url, ask.record, ask.time);
            let item = if status == NOT_MODIFIED {
                if !counts {
                    continue;
                }
                Ok(ask.capture(self.reader.name(), status, Arc::default()))
            } else {
                let refusal = Refusal::Repeats(shortened(&referent.uri));
                Err(skipped(self.reader.name(), ask.record, ask.offset, &refusal))
            };
            self.ready.push_back(item);
        }
    }
}

impl Iterator for RobotsRecords {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            if self.ended {
                return None;
            }
            match self.reader.next() {
                Some(Ok(head)) => self.record(&head),
                Some(Err(error)) => return Some(Err(error)),
                None => self.finish(),
            }
        }
    }
}

impl HasUrl for Ask {
    fn url_length(&self) -> usize {
        self.site.len()
    }
}

impl Ask {
    fn new(head: &RecordHead, target: &[u8], url: u64) -> Self {
        Ask {
            site: String::from_utf8_lossy(target).into_owned(),
            url,
            time: head.date(),
            record: head.number(),
            offset: head.offset(),
        }
    }

    fn capture(self, file: &FileName, status: FetchStatus, body: Arc<[u8]>) -> Capture {
        let site = CaptureSite::Url(self.site);
        Capture {
            resource: site.resource(),
            site,
            body,
            status: Some(status),
            location: None,
            time: self.time,
            origin: Origin { file: file.clone(), line: Some(self.record) },
            unreadable: None,
        }
    }

    /// The capture if its result cannot be read because of `error`.
    fn failed(self, error: &InputError) -> Capture {
        let unreadable = Some(error.to_string().into());
        Capture { unreadable, ..self.capture(error.file(), FetchStatus::NetworkFailure, Arc::default()) }
    }
}

const NOT_MODIFIED: FetchStatus = FetchStatus::Code(304);

/// The status of a revisit whose content was found: the status of the fetch, or the earlier success if the response was
/// "not modified".
fn found(status: FetchStatus) -> FetchStatus {
    if status == NOT_MODIFIED { FetchStatus::Success } else { status }
}

fn is_success(status: FetchStatus) -> bool {
    matches!(status, FetchStatus::Success | FetchStatus::Code(200..=299))
}

fn of_record(file: &FileName, record: u64, offset: u64, what: String) -> InputError {
    InputError::new(file.clone(), None, Kind::Record { record, offset, what })
}

/// The error for a record that is not used.
pub(super) fn skipped(file: &FileName, record: u64, offset: u64, refusal: &Refusal) -> InputError {
    of_record(file, record, offset, format!("{refusal}; the record is skipped"))
}

/// Returns whether only the beginning of the record's block was read.
fn is_cut(head: &RecordHead) -> bool {
    head.block_length() > MAX_LINE as u64
}

/// Interprets the block of a resource or a response, and returns why it has only a part of the body, if so, and that
/// counts. Only the body of a success is decoded.
fn answered(head: &RecordHead, block: &mut Vec<u8>) -> Result<(Answer, Option<Partial>), Refusal> {
    let (status, body, partial) = if head.record_type() == RecordType::Resource {
        let body = std::mem::take(block);
        let body = if is_cut(head) { first_lines(body).ok_or(Refusal::TooLong)? } else { body };
        (FetchStatus::Success, body, None)
    } else {
        let response = Response::read(block).ok_or(Refusal::NoResponse)?;
        let status = FetchStatus::Code(response.status);
        if is_redirect(response.status) {
            return Ok((Answer::Redirect(status, response.location), None));
        }
        if !is_success(status) {
            return Ok((Answer::Body(status, Arc::default()), None));
        }
        let (body, partial) = response.body(is_cut(head))?;
        (status, body, partial)
    };
    let partial = head.field(b"WARC-Truncated").map(|_| Partial::Truncated).or(partial);
    Ok(match partial {
        None => (Answer::Body(status, body.into()), None),
        Some(partial) => match complete_lines(body) {
            Some(lines) => (Answer::Body(status, lines.into()), Some(partial)),
            None => (Answer::Unreadable(partial.to_string()), None),
        },
    })
}

/// Interprets a revisit: how this fetch ended and, if needed, which record has its content.
fn repeated(head: &RecordHead, block: &[u8], key: &[u8]) -> Answer {
    let unchanged =
        memchr::memmem::find(head.field(b"WARC-Profile").unwrap_or_default(), b"server-not-modified");
    let status = match Response::read(block) {
        Some(response) if is_redirect(response.status) => {
            return Answer::Redirect(FetchStatus::Code(response.status), response.location);
        }
        Some(response) => FetchStatus::Code(response.status),
        None if unchanged.is_some() => NOT_MODIFIED,
        None => FetchStatus::Success,
    };
    if !is_success(status) && status != NOT_MODIFIED {
        return Answer::Body(status, Arc::default());
    }
    let referent = Referent {
        uri: head.refers_to_target_uri().map_or_else(|| key.into(), |uri| uri::key(uri).into()),
        date: head.refers_to_date(),
        digest: head.payload_digest().filter(|_| unchanged.is_none()).map(<[u8]>::to_vec),
    };
    Answer::Repeats(status, referent)
}

/// The body of a success.
fn body_of(reader: &mut WarcReader, head: &RecordHead) -> Option<(FetchStatus, Arc<[u8]>)> {
    let mut block = Vec::new();
    reader.read_block(MAX_LINE, &mut block).ok()?;
    match answered(head, &mut block) {
        Ok((Answer::Body(status, body), _)) if is_success(status) => Some((status, body)),
        _ => None,
    }
}
