//! Pairs requests and their answers from the records of a WARC file (WARC 1.1, sections 5.7 and 6).
//!
//! A response, a resource or a revisit is the answer to a request, which may have a record of its own. The two are
//! paired if one names the other in `WARC-Concurrent-To`. They are also paired if they have the same target and either
//! the same date or neither names any record. Writers put the two records next to each other, so records more than
//! [`WINDOW`] others apart are not paired. A request without an answer counts as sent, and so does the request of an
//! answer without one.
//!
//! The crawler's name is the request's `User-Agent`, or else the `http-header-user-agent` of the preceding `warcinfo`.

use std::collections::VecDeque;

use super::head::field_of;
use super::http::{self, Response};
use super::robots::{Refusal, skipped};
use super::{RecordHead, RecordType, WarcReader};
use crate::error::InputError;
use crate::log::is_http;
use crate::time::Timestamp;

/// Maximum number of exchanges that wait for their other half.
const WINDOW: usize = 64;

/// Maximum number of bytes of a block to read for the head of an HTTP message or for a warcinfo.
const MAX_HEAD: usize = 1 << 16;

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// `WARC-Date` of the answer, or of the request if there is no answer.
    pub(crate) time: Timestamp,
    /// `WARC-Target-URI`.
    pub(crate) uri: Vec<u8>,
    /// The HTTP status, if there is an answer with one.
    pub(crate) status: Option<u16>,
    /// The method, if the request is in the file.
    pub(crate) method: Option<Vec<u8>>,
    /// The user agent, if the file records it.
    pub(crate) agent: Option<Vec<u8>>,
}

/// Pairs the two halves of exchanges.
#[derive(Default)]
pub(crate) struct Exchanges {
    waiting: VecDeque<Waiting>,
    /// The user agent in the last warcinfo.
    agent: Option<Vec<u8>>,
    block: Vec<u8>,
}

struct Waiting {
    exchange: Exchange,
    /// The missing half; none if the exchange is complete or no request is expected.
    lacks: Option<Half>,
    link: Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Request,
    Answer,
}

/// The references of a record to others.
struct Link {
    id: Option<Vec<u8>>,
    concurrent_to: Option<Vec<u8>>,
}

impl Exchanges {
    /// Takes the record of `head`, which `reader` returned last.
    ///
    /// # Errors
    /// Fails when the record is corrupt, or has no date. It is then ignored.
    pub(crate) fn take(&mut self, head: &RecordHead, reader: &mut WarcReader) -> Result<(), InputError> {
        let half = match head.record_type() {
            RecordType::Warcinfo => {
                self.read(reader)?;
                self.agent = field_of(&self.block, b"http-header-user-agent").map(<[u8]>::to_vec);
                return Ok(());
            }
            RecordType::Response | RecordType::Resource | RecordType::Revisit => Half::Answer,
            RecordType::Request => Half::Request,
            _ => return Ok(()),
        };
        let Some(uri) = head.target_uri() else { return Ok(()) };
        let is_http = is_http(uri);
        if half == Half::Request && !is_http {
            return Ok(());
        }
        let no_date = || skipped(reader.name(), head.number(), head.offset(), &Refusal::NoDate);
        let time = head.date().ok_or_else(no_date)?;
        self.read(reader)?;
        let mut exchange = Exchange { time, uri: uri.to_vec(), status: None, method: None, agent: None };
        match half {
            Half::Answer => exchange.status = Response::read(&self.block).map(|response| response.status),
            Half::Request => {
                let (method, agent) = http::request(&self.block);
                (exchange.method, exchange.agent) = (method.map(<[u8]>::to_vec), agent.map(<[u8]>::to_vec));
            }
        }
        self.add(exchange, half, is_http, Link::of(head));
        Ok(())
    }

    /// The next exchange that is complete, or that has waited too long for its other half.
    pub(crate) fn next(&mut self) -> Option<Exchange> {
        let is_ready = self.waiting.len() > WINDOW || self.waiting.front()?.lacks.is_none();
        is_ready.then(|| self.next_of_all()).flatten()
    }

    /// Like [`Exchanges::next`], but for use after the last record.
    pub(crate) fn next_of_all(&mut self) -> Option<Exchange> {
        self.waiting.pop_front().map(|waiting| waiting.exchange)
    }

    fn read(&mut self, reader: &mut WarcReader) -> Result<(), InputError> {
        self.block.clear();
        reader.read_block(MAX_HEAD, &mut self.block)
    }

    fn add(&mut self, half: Exchange, is: Half, has_request: bool, link: Link) {
        let fits = |other: &&mut Waiting| other.lacks == Some(is) && other.link.fits(&link, other, &half);
        if let Some(other) = self.waiting.iter_mut().rev().find(fits) {
            let Waiting { exchange, lacks, .. } = other;
            *lacks = None;
            match is {
                Half::Answer => (exchange.time, exchange.status) = (half.time, half.status),
                Half::Request => exchange.method = half.method,
            }
            exchange.agent = half.agent.or(exchange.agent.take());
            return;
        }
        let other = match is {
            Half::Answer => Half::Request,
            Half::Request => Half::Answer,
        };
        let agent = half.agent.or_else(|| self.agent.clone());
        let exchange = Exchange { agent, ..half };
        self.waiting.push_back(Waiting { exchange, lacks: has_request.then_some(other), link });
    }
}

impl Link {
    fn of(head: &RecordHead) -> Self {
        let id = |field: Option<&[u8]>| field.filter(|id| !id.is_empty()).map(<[u8]>::to_vec);
        Link { id: id(head.record_id()), concurrent_to: id(head.concurrent_to()) }
    }

    /// Returns whether the record of `other` is the other half of `half`, which has these links.
    fn fits(&self, other: &Link, waiting: &Waiting, half: &Exchange) -> bool {
        let names = |one: &Link, two: &Link| one.concurrent_to.is_some() && one.concurrent_to == two.id;
        let neither_names = self.concurrent_to.is_none() && other.concurrent_to.is_none();
        names(self, other)
            || names(other, self)
            || (waiting.exchange.uri == half.uri && (neither_names || waiting.exchange.time == half.time))
    }
}
