//! Requests and their answers, out of the records of a WARC file (WARC 1.1, sections 5.7 and 6).
//!
//! A response, a resource or a revisit is the answer to a request, which may have a record of its own. The two belong
//! together when one names the other in `WARC-Concurrent-To`; and where they have one target, when they have one date, or
//! when neither names any record. What stands more than [`WINDOW`] others apart is not brought together: writers put the
//! two side by side. A request without an answer was made nevertheless, and so was one of which only the answer is there.
//!
//! Who asked is said by the request's `User-Agent`; else by the `http-header-user-agent` of the `warcinfo` before.

use std::collections::VecDeque;

use super::head::field_of;
use super::http::{self, Response};
use super::robots::{Refusal, refused};
use super::{RecordHead, RecordType, WarcReader};
use crate::error::InputError;
use crate::log::is_http;
use crate::time::Timestamp;

/// Exchanges that wait for their other half.
const WINDOW: usize = 64;

/// Bytes of a block that are read for the head of an HTTP message, or for what a warcinfo says.
const MAX_HEAD: usize = 1 << 16;

/// A request that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// `WARC-Date` of the answer, or of the request where there is no answer.
    pub(crate) time: Timestamp,
    /// `WARC-Target-URI`.
    pub(crate) uri: Vec<u8>,
    /// The HTTP status, where there is an answer that has one.
    pub(crate) status: Option<u16>,
    /// The method, where the request is there.
    pub(crate) method: Option<Vec<u8>>,
    /// Who asked, where the file says it.
    pub(crate) agent: Option<Vec<u8>>,
}

/// Brings the two halves of exchanges together.
#[derive(Default)]
pub(crate) struct Exchanges {
    waiting: VecDeque<Waiting>,
    /// What the last warcinfo says.
    agent: Option<Vec<u8>>,
    block: Vec<u8>,
}

struct Waiting {
    exchange: Exchange,
    /// None for those that no request is expected of.
    lacks: Option<Half>,
    link: Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Request,
    Answer,
}

/// How a record refers to others.
struct Link {
    id: Option<Vec<u8>>,
    concurrent_to: Option<Vec<u8>>,
}

impl Exchanges {
    /// Takes the record of `head`, which `reader` gave last.
    ///
    /// # Errors
    /// When the record is damaged, or has no date. Then it counts for nothing.
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
        let no_date = || refused(reader.name(), head.number(), head.offset(), Refusal::NoDate);
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

    /// The next exchange that is whole, or whose other half came not soon enough.
    pub(crate) fn next(&mut self) -> Option<Exchange> {
        let is_ready = self.waiting.len() > WINDOW || self.waiting.front()?.lacks.is_none();
        is_ready.then(|| self.next_of_all()).flatten()
    }

    /// As [`Exchanges::next`], after the last record.
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

    /// Is the record of `other` the other half of `half`, whose links these are?
    fn fits(&self, other: &Link, waiting: &Waiting, half: &Exchange) -> bool {
        let names = |one: &Link, two: &Link| one.concurrent_to.is_some() && one.concurrent_to == two.id;
        let neither_names = self.concurrent_to.is_none() && other.concurrent_to.is_none();
        names(self, other)
            || names(other, self)
            || (waiting.exchange.uri == half.uri && (neither_names || waiting.exchange.time == half.time))
    }
}
