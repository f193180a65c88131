//! The requests of a WARC file with their answers.
//!
//! A request without an answer counts as sent, and so does the request of an answer without one ([`Pairs`]).
//!
//! The crawler's name is the request's `User-Agent`, or else the `http-header-user-agent` of the preceding `warcinfo`.

use super::head::field_of;
use super::http::{self, Response};
use super::pairs::{Exchanged, Half, Link, Pairs};
use super::robots::{Refusal, skipped};
use super::{RecordHead, RecordType, WarcReader};
use crate::error::InputError;
use crate::log::is_http;
use crate::time::Timestamp;

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
    pairs: Pairs<Exchange>,
    /// The user agent in the last warcinfo.
    agent: Option<Vec<u8>>,
    block: Vec<u8>,
}

impl Exchanged for Exchange {
    fn uri(&self) -> &[u8] {
        &self.uri
    }

    fn time(&self) -> Option<Timestamp> {
        Some(self.time)
    }
}

impl Exchanges {
    /// Takes the record of `head`, which `reader` returned last.
    ///
    /// # Errors
    /// Fails when the record is corrupt, or has no date. It is then ignored.
    pub(crate) fn take(&mut self, head: &RecordHead, reader: &mut WarcReader) -> Result<(), InputError> {
        if head.record_type() == RecordType::Warcinfo {
            self.read(reader)?;
            self.agent = field_of(&self.block, b"http-header-user-agent").map(<[u8]>::to_vec);
        }
        let (Some(half), Some(uri)) = (Half::of(head.record_type()), head.target_uri()) else {
            return Ok(());
        };
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
        self.pairs.next()
    }

    /// Like [`Exchanges::next`], but for use after the last record.
    pub(crate) fn next_of_all(&mut self) -> Option<Exchange> {
        self.pairs.next_of_all()
    }

    fn read(&mut self, reader: &mut WarcReader) -> Result<(), InputError> {
        self.block.clear();
        reader.read_block(MAX_HEAD, &mut self.block)
    }

    fn add(&mut self, half: Exchange, is: Half, has_request: bool, link: Link) {
        if let Some(exchange) = self.pairs.other(&half, is, &link) {
            match is {
                Half::Answer => (exchange.time, exchange.status) = (half.time, half.status),
                Half::Request => exchange.method = half.method,
            }
            exchange.agent = half.agent.or(exchange.agent.take());
            return;
        }
        let agent = half.agent.or_else(|| self.agent.clone());
        self.pairs.wait(Exchange { agent, ..half }, is, !has_request, link);
    }
}
