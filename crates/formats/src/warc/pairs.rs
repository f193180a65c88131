//! Pairs requests and their answers (WARC 1.1, sections 5.7 and 6).
//!
//! A response, a resource or a revisit is the answer to a request, which may have a record of its own. The two are
//! paired if one names the other in `WARC-Concurrent-To`. Otherwise they are paired if they have the same target and the
//! same date, or else if they have the same target and neither names any record. Writers put the two records next to each
//! other, so records more than [`WINDOW`] others apart are not paired.

use std::collections::VecDeque;

use super::{RecordHead, RecordType};
use crate::time::Timestamp;

/// Maximum number of halves and pairs that wait.
pub(super) const WINDOW: usize = 64;

/// A half of an exchange, or both halves.
pub(super) trait Exchanged {
    /// The target.
    fn uri(&self) -> &[u8];

    /// `WARC-Date`.
    fn time(&self) -> Option<Timestamp>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Request,
    Answer,
}

impl Half {
    /// What a record of this type is, if it is half of an exchange.
    pub(crate) fn of(kind: RecordType) -> Option<Self> {
        match kind {
            RecordType::Response | RecordType::Resource | RecordType::Revisit => Some(Half::Answer),
            RecordType::Request => Some(Half::Request),
            _ => None,
        }
    }
}

/// The references of a record to others.
pub(super) struct Link {
    id: Option<Vec<u8>>,
    concurrent_to: Option<Vec<u8>>,
}

/// The exchanges that wait for their other half, and those after them, in the order of their first halves.
pub(super) struct Pairs<T> {
    waiting: VecDeque<Waiting<T>>,
}

struct Waiting<T> {
    value: T,
    /// The missing half; none if the exchange is complete or no request is expected.
    lacks: Option<Half>,
    link: Link,
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs { waiting: VecDeque::new() }
    }
}

impl<T: Exchanged> Pairs<T> {
    /// The other half of `value`, which is this half. It no longer waits for one.
    pub(super) fn other(&mut self, value: &T, is: Half, link: &Link) -> Option<&mut T> {
        let position = |fits: &dyn Fn(&Waiting<T>) -> bool| {
            self.waiting.iter().rposition(|other| other.lacks == Some(is) && fits(other))
        };
        let at = position(&|other| other.link.names(link))
            .or_else(|| position(&|other| other.has_target_of(value) && other.has_time_of(value)))
            .or_else(|| position(&|other| other.has_target_of(value) && other.link.neither_names(link)))?;
        let other = self.waiting.get_mut(at)?;
        other.lacks = None;
        Some(&mut other.value)
    }

    /// Lets `value`, which is this half, wait for the other one. If it `is_alone`, it has none.
    pub(super) fn wait(&mut self, value: T, is: Half, is_alone: bool, link: Link) {
        let other = match is {
            Half::Answer => Half::Request,
            Half::Request => Half::Answer,
        };
        self.waiting.push_back(Waiting { value, lacks: (!is_alone).then_some(other), link });
    }

    /// The next exchange that is complete, or that has waited too long for its other half.
    pub(super) fn next(&mut self) -> Option<T> {
        let is_ready = self.waiting.len() > WINDOW || self.waiting.front()?.lacks.is_none();
        is_ready.then(|| self.next_of_all()).flatten()
    }

    /// Like [`Pairs::next`], but does not wait any longer.
    pub(super) fn next_of_all(&mut self) -> Option<T> {
        self.waiting.pop_front().map(|waiting| waiting.value)
    }

    /// What waits.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter().map(|waiting| &waiting.value)
    }
}

impl<T: Exchanged> Waiting<T> {
    fn has_target_of(&self, value: &T) -> bool {
        self.value.uri() == value.uri()
    }

    fn has_time_of(&self, value: &T) -> bool {
        let time = self.value.time();
        time.is_some() && time == value.time()
    }
}

impl Link {
    pub(super) fn of(head: &RecordHead) -> Self {
        let id = |field: Option<&[u8]>| field.filter(|id| !id.is_empty()).map(<[u8]>::to_vec);
        Link { id: id(head.record_id()), concurrent_to: id(head.concurrent_to()) }
    }

    /// Returns whether one of the two records names the other.
    fn names(&self, other: &Link) -> bool {
        let names = |one: &Link, two: &Link| one.concurrent_to.is_some() && one.concurrent_to == two.id;
        names(self, other) || names(other, self)
    }

    fn neither_names(&self, other: &Link) -> bool {
        self.concurrent_to.is_none() && other.concurrent_to.is_none()
    }
}
