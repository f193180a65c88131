//! Captures of robots.txt from a WARC file.
//!
//! Captures are responses and resources whose target is `/robots.txt` of a site, without a query, and revisits of them,
//! which repeat another record's content. Redirects are followed within the file ([`crate::chains`]). They may also
//! lead to URLs that are not robots.txt files. Answers to another method than GET are no captures ([`Answers`]).
//!
//! A revisit repeats the record with its payload digest, or else the one whose identifier it names, or else the one with
//! the URI and the time that it names ([`Originals`]), but none with another digest. The result of a revisit whose
//! original is not in the file is not known, so the file counts as incomplete. Only after a 304 that names no record,
//! nothing is known anyway. Digests are compared with each other, never with the content.
//!
//! Of a body of more than 64 MiB, the first lines are the capture, if the record is complete.
//!
//! Damage makes the file incomplete, because it may hide captures. If the head of the damaged record was read, its capture
//! is a network failure, too.
//!
//! A response that ended early is a network failure (RFC 9309, section 2.3.1.4), because the missing part may contain
//! rules. If 500 KiB of it are there, its complete lines are the capture, and it is also reported as an error. Any other
//! record whose content cannot be read is a network failure too, for example one with an unknown coding or with a body
//! that is still compressed, and so is a revisit of such a record.
//!
//! Memory holds the redirects, the newest bodies that another capture may take (64 MiB), the newest records that a
//! revisit may repeat (64 MiB), the answers that wait for their requests (64 MiB), and the current block. It also holds
//! other revisits ([`MAX_MISSING`]), for which the file is read again at its end.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use robomata_evaluator::{CompressedFormat, SiteResource};
use robomata_protocol::{FetchStatus, has_status_line};

use super::answers::{Answers, Read};
use super::head::bare;
use super::http::{MAX_CODINGS, MAX_FIELDS, Response};
use super::originals::{Original, OriginalKind, Originals, Referent, Wanted};
use super::{MAX_HEAD, RecordHead, RecordType, WarcReader};
use crate::capture::{Capture, CaptureSite, Origin};
use crate::chains::{Bodies, Chains, Content, End, Ended, HasUrl, RedirectCounts, is_redirect, is_success};
use crate::error::{InputError, Kind, quoted, shortened};
use crate::file_name::FileName;
use crate::lines::{MAX_LINE, complete_lines, first_lines};
use crate::time::Timestamp;
use crate::uri;

/// Maximum number of revisits whose content is still missing. Beyond that, their content is not searched.
const MAX_MISSING: usize = 1 << 18;

/// Maximum number of bytes of their URIs and digests.
const MAX_MISSING_BYTES: usize = 64 << 20;

/// Maximum number of revisits for which the repeated record is remembered, for redirects to them.
const MAX_REPEATED: usize = 1 << 20;

/// The captures of a WARC file.
pub(crate) struct RobotsRecords {
    reader: WarcReader,
    /// The path for another reading; `None` if that is impossible.
    path: Option<PathBuf>,
    ready: VecDeque<Result<Capture, InputError>>,
    answers: Answers,
    chains: Chains<Ask>,
    bodies: Bodies,
    originals: Originals,
    /// The records that revisits repeat, by the numbers of the revisits.
    repeated: HashMap<u64, u64>,
    missing: Vec<Missing>,
    /// The bytes of the texts in `missing`.
    missing_bytes: usize,
    /// The number of revisits without content, and the URI of the first one.
    lost: Option<(u64, String)>,
    block: Vec<u8>,
    ended: bool,
}

/// A revisit whose content is not known yet.
struct Missing {
    /// The capture; none if the revisit is only the target of redirects.
    ask: Option<Ask>,
    /// The number of the revisit.
    record: u64,
    status: FetchStatus,
    referent: Referent,
}

/// The captures that take their body from one record.
#[derive(Default)]
struct Takers {
    redirects: Vec<Ended<Ask>>,
    revisits: Vec<Missing>,
}

/// A capture without its body.
pub(crate) struct Ask {
    site: String,
    /// The identifier of the site's URL ([`Chains::url`]).
    url: u64,
    time: Option<Timestamp>,
    record: u64,
}

/// The content of a record.
pub(super) enum Answer {
    Body(FetchStatus, Arc<[u8]>),
    /// The [`key`](uri::key) of its target.
    Redirect(FetchStatus, Vec<u8>),
    Repeats(FetchStatus, Referent),
    /// The content cannot be read, for this reason. The fetch ended so.
    Unreadable(FetchStatus, String),
}

impl Answer {
    /// A network failure: what the server answered is not known to its end.
    fn failure(why: &dyn std::fmt::Display) -> Self {
        Answer::Unreadable(FetchStatus::NetworkFailure, why.to_string())
    }
}

/// Why the content of a record whose target is a robots.txt cannot be read, or why a record is not a request although its
/// type documents one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("expected an HTTP response, with a head of at most {max} MiB and {MAX_FIELDS} fields", max = MAX_HEAD >> 20)]
    NoResponse,
    #[error("expected a body of at most {max} MiB", max = MAX_LINE >> 20)]
    TooLong,
    #[error("expected a whole record, found a segmented one")]
    Segment,
    #[error("expected a value in the field {0}")]
    NoField(&'static str),
    #[error("expected a time in the field WARC-Date")]
    NoDate,
    #[error("expected a time in the field WARC-Refers-To-Date")]
    NoReferredDate,
    #[error("expected the coding gzip, deflate or zstd, found {0}")]
    Coding(String),
    #[error("expected a URL in the field Location, found {0}")]
    Location(String),
    #[error("expected one field Location, found two that differ")]
    TwoLocations,
    #[error("expected at most {max} codings of the body", max = MAX_CODINGS)]
    Codings,
    #[error("expected a body of text, found {0} data")]
    Compressed(CompressedFormat),
    #[error("expected a body, found the status line of another response")]
    TwoHeads,
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
    /// Reads the captures of `reader`. With a `path`, the file can be read again.
    pub(crate) fn new(reader: WarcReader, path: Option<&Path>) -> Self {
        RobotsRecords {
            reader,
            path: path.map(Path::to_owned),
            ready: VecDeque::new(),
            answers: Answers::default(),
            chains: Chains::default(),
            bodies: Bodies::default(),
            originals: Originals::default(),
            repeated: HashMap::new(),
            missing: Vec::new(),
            missing_bytes: 0,
            lost: None,
            block: Vec::new(),
            ended: false,
        }
    }

    /// The counts of redirects, after the last capture.
    pub(crate) fn redirects(&self) -> RedirectCounts {
        self.chains.counts()
    }

    /// The next record that is a capture or the target of a redirect.
    fn next_record(&mut self) -> Option<Result<Read, InputError>> {
        self.answers.next(&mut self.reader, &mut self.block, |head, key, is_awaited| {
            let url = self.chains.url(key);
            let is_read = is_awaited || is_wanted(head) || self.chains.is_target(url);
            if !is_read && head.record_type() != RecordType::Request {
                // A later redirect may lead to it.
                self.chains.saw(url, head.number(), head.date(), End::Unread);
            }
            is_read
        })
    }

    fn record(&mut self, Read { head, key, answer, problem }: Read) {
        self.ready.extend(problem.map(Err));
        let url = self.chains.url(&key);
        let ask = is_wanted(&head).then(|| Ask::new(&head, url));
        self.settle(ask, url, answer, &head, key);
    }

    /// Uses the `answer` of the record of `head`, which has this URL: for the capture `ask`, or as a target.
    fn settle(&mut self, ask: Option<Ask>, url: u64, answer: Answer, head: &RecordHead, key: Vec<u8>) {
        let (number, time) = (head.number(), head.date());
        let end = self.end_of(&answer);
        self.chains.saw(url, number, time, end);
        if ask.is_some() {
            self.chains.precede([Some(url), None], number, time);
        }
        if let Some(original) = original(head, key.into(), &answer) {
            self.originals.add(original);
        }
        match answer {
            Answer::Body(status, body) => {
                let body = Ok(body);
                if is_success(status) {
                    self.bodies.keep(number, &body);
                }
                self.deliver(ask, status, &body);
            }
            Answer::Unreadable(status, why) => {
                let why = self.unreadable(head, why);
                self.bodies.keep(number, &why);
                // Each dialect knows what another status means without a body.
                let nothing = Ok(Arc::default());
                self.deliver(ask, status, if status == PART { &nothing } else { &why });
            }
            Answer::Redirect(status, _) => {
                let (Some(ask), End::Redirect(target)) = (ask, end) else { return };
                let ended = self.chains.begin([Some(url), None], number, time, (status, target), ask);
                self.end_all(ended);
            }
            Answer::Repeats(status, referent) => {
                let original = self.originals.named(&referent);
                match original.and_then(|original| Some((original, self.bodies.get(original)?))) {
                    Some((original, content)) => {
                        self.bodies.keep(number, &content);
                        if self.repeated.len() < MAX_REPEATED {
                            self.repeated.insert(number, original);
                        }
                        self.deliver(ask, found(status), &content);
                    }
                    None => self.miss(ask, number, status, referent),
                }
            }
        }
    }

    /// The result of the fetch that a record with this `answer` contains.
    fn end_of(&self, answer: &Answer) -> End {
        match answer {
            Answer::Body(status, _) if is_success(*status) => End::Body(*status),
            Answer::Body(status, _) => End::Status(*status),
            Answer::Unreadable(PART, _) => End::Status(PART),
            Answer::Unreadable(status, _) => End::Body(*status),
            Answer::Repeats(status, _) => End::Body(found(*status)),
            Answer::Redirect(_, target) => End::Redirect(self.chains.url(target)),
        }
    }

    /// Ends captures without a body.
    fn end_all(&mut self, ended: impl IntoIterator<Item = Ended<Ask>>) {
        for ended in ended {
            self.deliver_ended(ended, &Ok(Arc::default()));
        }
    }

    fn miss(&mut self, ask: Option<Ask>, record: u64, status: FetchStatus, referent: Referent) {
        self.missing_bytes += ask.as_ref().map_or(0, Ask::url_length) + referent.bytes();
        if let Some(ask) = &ask {
            self.chains.hold(ask.url, ask.record, ask.time);
        }
        self.missing.push(Missing { ask, record, status, referent });
        if self.missing.len() > MAX_MISSING || self.missing_bytes > MAX_MISSING_BYTES {
            self.give_up();
        }
    }

    fn deliver(&mut self, asks: impl IntoIterator<Item = Ask>, status: FetchStatus, content: &Content) {
        let file = self.reader.name();
        self.ready.extend(asks.into_iter().map(|ask| Ok(ask.capture(file, status, content))));
    }

    fn deliver_ended(&mut self, Ended { value, status, redirects, .. }: Ended<Ask>, content: &Content) {
        let capture = value.capture(self.reader.name(), status, content);
        self.ready.push_back(Ok(Capture { redirects, ..capture }));
    }

    /// The content of the record of `head`, which cannot be read.
    fn unreadable(&self, head: &RecordHead, why: String) -> Content {
        Err(of_record(self.reader.name(), head.number(), head.offset(), why).to_string().into())
    }

    /// Delivers the captures that take `content`.
    fn deliver_to(&mut self, takers: Takers, content: &Content) {
        for ended in takers.redirects {
            self.deliver_ended(ended, content);
        }
        for Missing { ask, status, .. } in takers.revisits {
            let ask = ask.filter(|ask| self.chains.release(ask.url, ask.record, ask.time));
            self.deliver(ask, found(status), content);
        }
    }

    /// The end of the file: resolves everything that waits.
    fn finish(&mut self) {
        self.ended = true;
        if self.reader.records == 0 {
            let error = InputError::new(self.reader.name().clone(), None, Kind::NoRecords);
            self.ready.push_back(Err(error));
        }
        let path = self.path.take();
        while path.is_some() && self.chains.read_again() {
            let is_read = path.as_ref().and_then(|path| self.read_targets(path));
            if is_read.is_none() {
                self.chains.misread();
            }
        }
        let finished = self.chains.finish();
        self.end_all(finished.ended);
        let mut takers: BTreeMap<u64, Takers> = BTreeMap::new();
        self.find_originals(path.as_deref());
        for missing in std::mem::take(&mut self.missing) {
            match self.repeated.contains_key(&missing.record) {
                true => {
                    let original = self.original(missing.record);
                    takers.entry(original).or_default().revisits.push(missing);
                }
                false => self.missing.push(missing),
            }
        }
        for (number, redirects) in finished.bodies {
            takers.entry(self.original(number)).or_default().redirects.extend(redirects);
        }
        for takers in self.read_bodies(takers, path.as_deref()).into_values() {
            for ended in takers.redirects {
                let ended = self.chains.lose(ended);
                self.end_all([ended]);
            }
            self.missing.extend(takers.revisits);
        }
        self.give_up();
        self.ready.extend(self.chains.lost_targets(self.reader.name()).map(Err));
        if let Some((count, uri)) = self.lost.take() {
            let kind = Kind::LostOriginals { count, uri };
            self.ready.push_back(Err(InputError::new(self.reader.name().clone(), None, kind)));
        }
    }

    /// The record with the content of the record `number`.
    fn original(&self, number: u64) -> u64 {
        /// A revisit may repeat another revisit, of a time before it.
        const MAX_REVISITS: usize = 8;
        let next = |number: &u64| self.repeated.get(number).copied();
        std::iter::successors(Some(number), next).take(MAX_REVISITS).last().unwrap_or(number)
    }

    /// Reads the file again, for the results of the targets of redirects. Returns none if it has changed.
    fn read_targets(&mut self, path: &Path) -> Option<()> {
        let mut reader = WarcReader::open(path).ok()?;
        let mut answers = Answers::default();
        while let Some(read) = answers.next(&mut reader, &mut self.block, |_, key, is_awaited| {
            is_awaited || self.chains.is_target(self.chains.url(key))
        }) {
            // The damage was reported in the first reading.
            let Ok(Read { head, key, answer, .. }) = read else { continue };
            self.chains.saw(self.chains.url(&key), head.number(), head.date(), self.end_of(&answer));
            match answer {
                Answer::Body(status, body) if is_success(status) => {
                    self.bodies.keep(head.number(), &Ok(body));
                }
                Answer::Unreadable(_, why) => {
                    self.bodies.keep(head.number(), &self.unreadable(&head, why));
                }
                Answer::Repeats(status, referent) => self.miss(None, head.number(), status, referent),
                Answer::Body(..) | Answer::Redirect(..) => {}
            }
        }
        (reader.records == self.reader.records).then_some(())
    }

    /// Finds the records that the missing revisits repeat, in another reading of the file if that is possible.
    fn find_originals(&mut self, path: Option<&Path>) {
        if self.missing.is_empty() {
            return;
        }
        if let Some(mut reader) = path.and_then(|path| WarcReader::open(path).ok()) {
            let mut wanted = Wanted::default();
            self.missing.iter().for_each(|missing| wanted.add(&missing.referent));
            self.originals = Originals::wanted();
            let mut answers = Answers::default();
            while let Some(read) = answers.next(&mut reader, &mut self.block, |head, key, _| {
                wanted.contains(head.record_id().map(bare), key, head.payload_digest())
            }) {
                if let Ok(Read { head, key, answer, .. }) = read {
                    original(&head, key.into(), &answer).into_iter().for_each(|new| self.originals.add(new));
                }
            }
        }
        for Missing { record, referent, .. } in &self.missing {
            let original = self.originals.find(referent);
            self.repeated.extend(original.map(|original| (*record, original)));
        }
    }

    /// Delivers the captures that take the bodies of these records. Returns those whose bodies cannot be read.
    fn read_bodies(
        &mut self,
        mut takers: BTreeMap<u64, Takers>,
        path: Option<&Path>,
    ) -> BTreeMap<u64, Takers> {
        let numbers: Vec<u64> = takers.keys().copied().collect();
        for number in numbers {
            if let Some(content) = self.bodies.get(number)
                && let Some(takers) = takers.remove(&number)
            {
                self.deliver_to(takers, &content);
            }
        }
        let path = path.filter(|_| !takers.is_empty());
        let Some(mut reader) = path.and_then(|path| WarcReader::open(path).ok()) else { return takers };
        while !takers.is_empty()
            && let Some(head) = reader.next()
        {
            let Ok(head) = head else { continue };
            if !takers.contains_key(&head.number()) {
                continue;
            }
            let content = match read_answer(&mut reader, &head, &mut self.block, b"") {
                (Answer::Body(status, body), _) if is_success(status) => Ok(body),
                (Answer::Unreadable(_, why), _) => self.unreadable(&head, why),
                _ => continue,
            };
            if let Some(takers) = takers.remove(&head.number()) {
                self.deliver_to(takers, &content);
            }
        }
        takers
    }

    /// Content that is still missing is not in the file.
    fn give_up(&mut self) {
        self.missing_bytes = 0;
        for Missing { ask, status, referent, .. } in std::mem::take(&mut self.missing) {
            let Some(ask) = ask else { continue };
            let counts = self.chains.release(ask.url, ask.record, ask.time);
            if status != NOT_MODIFIED || referent.is_given {
                let (count, _) = self.lost.get_or_insert_with(|| (0, shortened(&referent.uri)));
                *count += 1;
            } else if counts {
                self.deliver([ask], status, &Ok(Arc::default()));
            }
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
            match self.next_record() {
                Some(Ok(read)) => self.record(read),
                Some(Err(error)) => return Some(Err(error.losing_captures())),
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
    fn new(head: &RecordHead, url: u64) -> Self {
        Ask {
            site: String::from_utf8_lossy(head.target_uri().unwrap_or_default()).into_owned(),
            url,
            time: head.date(),
            record: head.number(),
        }
    }

    fn capture(self, file: &FileName, status: FetchStatus, content: &Content) -> Capture {
        let site = CaptureSite::Url(self.site);
        Capture {
            resource: site.resource(),
            site,
            body: Arc::default(),
            status: Some(status),
            location: None,
            redirects: 0,
            time: self.time,
            origin: Origin { file: file.clone(), line: Some(self.record) },
            unreadable: None,
            other_host: None,
        }
        .with_content(content)
    }
}

const NOT_MODIFIED: FetchStatus = FetchStatus::Code(304);

/// The status of a part of a file.
const PART: FetchStatus = FetchStatus::Code(206);

/// The status of a revisit whose content was found: the status of the fetch, or the earlier success if the response was
/// "not modified".
fn found(status: FetchStatus) -> FetchStatus {
    if status == NOT_MODIFIED { FetchStatus::Success } else { status }
}

fn of_record(file: &FileName, record: u64, offset: u64, what: String) -> InputError {
    InputError::new(file.clone(), None, Kind::Record { record, offset, what })
}

/// The error for a record that is not used.
pub(super) fn skipped(file: &FileName, record: u64, offset: u64, refusal: &Refusal) -> InputError {
    of_record(file, record, offset, format!("{refusal}; the record is skipped"))
}

/// Fails if the record of `head` lacks a field without which nothing is known of it. It is then skipped.
pub(crate) fn require_fields(head: &RecordHead, file: &FileName) -> Result<(), InputError> {
    let refused = |field| skipped(file, head.number(), head.offset(), &Refusal::NoField(field));
    head.missing_field().map_or(Ok(()), |field| Err(refused(field)))
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
            return Ok((redirect(head, &response), None));
        }
        if status == NOT_MODIFIED && !response.has_whole_head {
            return Ok((Answer::failure(&Partial::Head), None));
        }
        if !is_success(status) {
            return Ok((Answer::Body(status, Arc::default()), None));
        }
        let (body, partial) = response.body(is_cut(head))?;
        (status, body, partial)
    };
    if let Some(found) = CompressedFormat::of(&body) {
        return Err(Refusal::Compressed(found));
    }
    if has_status_line(&body) {
        return Err(Refusal::TwoHeads);
    }
    let partial = head.field(b"WARC-Truncated").map(|_| Partial::Truncated).or(partial);
    // A 206 is no success (F1), unless it has the whole file, or as much of it as counts.
    let success = if status == PART { FetchStatus::Code(200) } else { status };
    Ok(match partial {
        None => (Answer::Body(success, body.into()), None),
        Some(partial) => match complete_lines(body) {
            Some(lines) => (Answer::Body(success, lines.into()), Some(partial)),
            None if status == PART => (Answer::Unreadable(PART, partial.to_string()), None),
            None => (Answer::failure(&partial), None),
        },
    })
}

/// Interprets a revisit: how this fetch ended and, if needed, which record has its content.
fn repeated(head: &RecordHead, block: &[u8], key: &[u8]) -> Answer {
    let unchanged =
        memchr::memmem::find(head.field(b"WARC-Profile").unwrap_or_default(), b"server-not-modified");
    let status = match Response::read(block) {
        Some(response) if is_redirect(response.status) => {
            return redirect(head, &response);
        }
        Some(response) => FetchStatus::Code(response.status),
        // It may be a redirect, or another status.
        None if block.starts_with(b"HTTP/") => {
            return Answer::failure(&Refusal::NoResponse);
        }
        None if unchanged.is_some() => NOT_MODIFIED,
        None => FetchStatus::Success,
    };
    if !is_success(status) && status != NOT_MODIFIED {
        return Answer::Body(status, Arc::default());
    }
    let fields = [&b"WARC-Refers-To"[..], b"WARC-Refers-To-Target-URI", b"WARC-Refers-To-Date"];
    let [has_id, has_uri, has_date] =
        fields.map(|name| head.field(name).is_some_and(|value| !value.is_empty()));
    if has_date && head.refers_to_date().is_none() {
        return Answer::failure(&Refusal::NoReferredDate);
    }
    let referent = Referent {
        id: head.refers_to().filter(|_| has_id).map(<[u8]>::to_vec),
        uri: head.refers_to_target_uri().map_or_else(|| key.into(), |uri| uri::key(uri).into()),
        date: head.refers_to_date(),
        is_given: has_id || has_uri || has_date,
        revisit: (head.number(), head.date()),
        digest: head.payload_digest().filter(|_| unchanged.is_none()).map(<[u8]>::to_vec),
    };
    Answer::Repeats(status, referent)
}

/// Reads the record of `head` into `block`, and interprets it. Also returns the problem to report, if the block is damaged,
/// or if it has only a part of the body, and that counts.
pub(super) fn read_answer(
    reader: &mut WarcReader,
    head: &RecordHead,
    block: &mut Vec<u8>,
    key: &[u8],
) -> (Answer, Option<InputError>) {
    let refusal = if head.field(b"WARC-Segment-Number").is_some() {
        // The other segments are missing, and they may contain rules.
        Some(Refusal::Segment)
    } else {
        // Without its time, an old record could count as the newest one.
        let is_dated = head.field(b"WARC-Date").is_some_and(|date| !date.is_empty());
        (is_dated && head.date().is_none()).then_some(Refusal::NoDate)
    };
    if let Some(refusal) = refusal {
        return (Answer::failure(&refusal), None);
    }
    block.clear();
    if let Err(damage) = reader.read_block(MAX_LINE, block) {
        return (Answer::failure(&damage.cause()), Some(damage.losing_captures()));
    }
    let answer = match head.record_type() {
        RecordType::Revisit => Ok((repeated(head, block, key), None)),
        _ => answered(head, block),
    };
    let (answer, partial) = answer.unwrap_or_else(|refusal| (Answer::failure(&refusal), None));
    let problem = partial.map(|partial| {
        let what = format!("{partial}; its complete lines count");
        of_record(reader.name(), head.number(), head.offset(), what)
    });
    (answer, problem)
}

/// Returns whether this is a record about a robots.txt or a tdmrep.json.
fn is_wanted(head: &RecordHead) -> bool {
    let resource = head.target_uri().and_then(SiteResource::of_url);
    matches!(resource, Some(SiteResource::Robots | SiteResource::TdmRep))
}

/// Interprets a redirect in the record of `head`. If it ended early, its target may be missing or only a part.
fn redirect(head: &RecordHead, response: &Response<'_>) -> Answer {
    let is_truncated = head.field(b"WARC-Truncated").is_some();
    let to = |location: &Vec<u8>| head.target_uri().and_then(|base| uri::target(base, location));
    match &response.location {
        _ if !response.has_whole_head => Answer::failure(&Partial::Head),
        None if is_truncated => Answer::failure(&Partial::Truncated),
        None => Answer::failure(&Refusal::NoField("Location")),
        Some(_) if response.has_other_location => Answer::failure(&Refusal::TwoLocations),
        Some(location) => match to(location) {
            Some(target) => Answer::Redirect(FetchStatus::Code(response.status), target),
            None => Answer::failure(&Refusal::Location(quoted(&String::from_utf8_lossy(location)))),
        },
    }
}

/// The record of `head`, if a revisit may repeat it. One that names no record has no content of its own, such as a 304.
fn original(head: &RecordHead, uri: Arc<[u8]>, answer: &Answer) -> Option<Original> {
    let kind = match answer {
        Answer::Body(status, _) if is_success(*status) => OriginalKind::Readable,
        Answer::Unreadable(..) => OriginalKind::Unreadable,
        Answer::Repeats(_, referent) if referent.is_named() => OriginalKind::Revisit,
        _ => return None,
    };
    let text = |text: Option<&[u8]>| text.map(<[u8]>::to_vec);
    let (id, digest) = (text(head.record_id().map(bare)), text(head.payload_digest()));
    Some(Original { number: head.number(), id, uri, date: head.date(), digest, kind })
}
