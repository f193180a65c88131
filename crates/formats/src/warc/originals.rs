//! Finds the records that revisits repeat.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use crate::time::Timestamp;

/// Maximum number of bytes of the remembered records. Older ones are found in another reading of the file.
const MAX_BYTES: usize = 64 << 20;

/// The same in that reading, which remembers only records that a revisit may repeat.
const MAX_WANTED_BYTES: usize = 4 * MAX_BYTES;

/// The cost of a record in addition to its URI and its digest.
const ENTRY: usize = 512;

/// Maximum number of records of one URI and time that are compared.
const MAX_COMPARED: usize = 16;

/// The record that a revisit repeats.
#[derive(Clone, Debug)]
pub(super) struct Referent {
    /// The record's identifier, if the revisit names it, without angle brackets.
    pub(super) id: Option<Vec<u8>>,
    /// The capture's URI, normalised by [`key`](crate::uri::key).
    pub(super) uri: Arc<[u8]>,
    /// The time of the capture, if the revisit names it.
    pub(super) date: Option<Timestamp>,
    /// Whether the revisit names its record, by an identifier, a URI or a time. If not, there may be none.
    pub(super) is_given: bool,
    /// The number and the time of the revisit.
    pub(super) revisit: (u64, Option<Timestamp>),
    /// The digest of the payload, as written. No record with another digest is repeated.
    pub(super) digest: Option<Vec<u8>>,
}

impl Referent {
    /// Returns whether the revisit names its record by an identifier, a digest or a time.
    pub(super) fn is_named(&self) -> bool {
        self.id.is_some() || self.digest.is_some() || self.date.is_some()
    }

    /// The number of bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        self.uri.len() + [&self.id, &self.digest].into_iter().flatten().map(Vec::len).sum::<usize>()
    }
}

/// A record that may be repeated.
pub(super) struct Original {
    pub(super) number: u64,
    /// The record's identifier, without angle brackets.
    pub(super) id: Option<Vec<u8>>,
    /// The capture's URI, normalised by [`key`](crate::uri::key).
    pub(super) uri: Arc<[u8]>,
    pub(super) date: Option<Timestamp>,
    /// The digest of the payload, as written.
    pub(super) digest: Option<Vec<u8>>,
    pub(super) kind: OriginalKind,
}

/// What a record that may be repeated contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OriginalKind {
    /// A body that can be read.
    Readable,
    /// A body that cannot be read. A readable one with the same digest is repeated instead.
    Unreadable,
    /// Nothing: it is a revisit itself.
    Revisit,
}

/// A URI, or none for any, and a digest.
type UriAndDigest = (Option<Arc<[u8]>>, Vec<u8>);

/// A URI, a time, and a record number.
type Place = (Arc<[u8]>, Option<Timestamp>, u64);

/// The newest records of a file, indexed by the references of revisits.
pub(super) struct Originals {
    entries: VecDeque<Original>,
    bytes: usize,
    max_bytes: usize,
    /// Whether older records were forgotten.
    has_forgotten: bool,
    /// The newest record with each identifier.
    by_id: HashMap<Vec<u8>, u64>,
    /// The newest record with each digest, of any URI (`None`) and of each URI.
    by_digest: HashMap<UriAndDigest, u64>,
    /// All records with their digests.
    by_uri: BTreeMap<Place, Option<Vec<u8>>>,
    /// The records without a digest.
    without_digest: BTreeSet<Place>,
}

impl Default for Originals {
    fn default() -> Self {
        Originals {
            entries: VecDeque::new(),
            bytes: 0,
            max_bytes: MAX_BYTES,
            has_forgotten: false,
            by_id: HashMap::new(),
            by_digest: HashMap::new(),
            by_uri: BTreeMap::new(),
            without_digest: BTreeSet::new(),
        }
    }
}

impl Originals {
    /// The records of a reading that remembers only those that a revisit may repeat.
    pub(super) fn wanted() -> Self {
        Originals { max_bytes: MAX_WANTED_BYTES, ..Originals::default() }
    }

    /// Remembers `original`.
    pub(super) fn add(&mut self, original: Original) {
        let Original { number, id, uri, digest, kind, .. } = &original;
        if let Some(id) = id {
            self.by_id.insert(id.clone(), *number);
        }
        match digest {
            _ if *kind == OriginalKind::Revisit => {}
            Some(digest) => {
                for uri in [None, Some(Arc::clone(uri))] {
                    let newest = self.by_digest.entry((uri, digest.clone())).or_insert(*number);
                    if *kind == OriginalKind::Readable {
                        *newest = *number;
                    }
                }
            }
            None => drop(self.without_digest.insert(original.place())),
        }
        self.by_uri.insert(original.place(), digest.clone());
        self.bytes += original.bytes();
        self.entries.push_back(original);
        while self.bytes > self.max_bytes {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some(oldest) = self.entries.pop_front() else { return };
        self.has_forgotten = true;
        self.bytes -= oldest.bytes();
        self.by_uri.remove(&oldest.place());
        self.without_digest.remove(&oldest.place());
        if let Some(id) = oldest.id {
            remove_if(&mut self.by_id, &id, oldest.number);
        }
        if let Some(digest) = oldest.digest {
            remove_if(&mut self.by_digest, &(None, digest.clone()), oldest.number);
            remove_if(&mut self.by_digest, &(Some(oldest.uri), digest), oldest.number);
        }
    }

    /// The number of the record that has the digest of `referent`, or else its identifier. A revisit that names no identifier
    /// repeats the one with its URI and time. Records with another digest are left out.
    ///
    /// The digest is first because records with the same one have the same content. So a revisit need not wait for the end
    /// of the file if the record that it names may follow.
    pub(super) fn named(&self, referent: &Referent) -> Option<u64> {
        self.of_digest(referent).or_else(|| match referent.id {
            Some(_) => self.of_id(referent),
            None => self.of_time(referent),
        })
    }

    /// Like [`Originals::named`], in all records of the file. If none of them has the identifier, the URI and the time count.
    /// A revisit that names no identifier and no time repeats the newest record of its URI before it. With a digest, it
    /// repeats one without a digest. Nothing is found if a newer record may have been forgotten.
    pub(super) fn find(&self, referent: &Referent) -> Option<u64> {
        let newest = || {
            if referent.id.is_some() || referent.date.is_some() || self.has_forgotten {
                return None;
            }
            let first = (Arc::clone(&referent.uri), None, 0);
            let last = (Arc::clone(&referent.uri), referent.revisit.1.or(Some(Timestamp::MAX)), u64::MAX);
            match referent.digest {
                Some(_) => self.without_digest.range(first..=last).next_back().map(number),
                None => self.by_uri.range(first..=last).next_back().map(|(place, _)| number(place)),
            }
        };
        let is_there = referent.id.as_ref().is_some_and(|id| self.by_id.contains_key(id));
        let found = self.named(referent);
        found.or_else(|| if is_there { None } else { self.of_time(referent).or_else(newest) })
    }

    fn of_digest(&self, referent: &Referent) -> Option<u64> {
        let digest = referent.digest.as_ref()?;
        let of_uri = self.by_digest.get(&(Some(Arc::clone(&referent.uri)), digest.clone()));
        of_uri.or_else(|| self.by_digest.get(&(None, digest.clone()))).copied()
    }

    fn of_id(&self, referent: &Referent) -> Option<u64> {
        let number = *self.by_id.get(referent.id.as_ref()?)?;
        let place = self.entries.binary_search_by_key(&number, |original| original.number).ok()?;
        let is_same = !differ(self.entries[place].digest.as_ref(), referent.digest.as_ref());
        (is_same && number != referent.revisit.0).then_some(number)
    }

    fn of_time(&self, referent: &Referent) -> Option<u64> {
        let place = |number| (Arc::clone(&referent.uri), referent.date, number);
        referent.date?;
        let mut of_time = self.by_uri.range(place(0)..=place(u64::MAX)).rev().take(MAX_COMPARED);
        let is_other = |(place, _): &(&Place, _)| number(place) != referent.revisit.0;
        let matches = |digest: &Option<Vec<u8>>| !differ(digest.as_ref(), referent.digest.as_ref());
        of_time.find(|found| is_other(found) && matches(found.1)).map(|(place, _)| number(place))
    }
}

impl Original {
    fn place(&self) -> Place {
        (Arc::clone(&self.uri), self.date, self.number)
    }

    fn bytes(&self) -> usize {
        // The identifier and the digest are keys as well.
        let length = |text: &Option<Vec<u8>>| text.as_ref().map_or(0, Vec::len);
        self.uri.len() + 2 * length(&self.id) + 4 * length(&self.digest) + ENTRY
    }
}

fn number((_, _, number): &Place) -> u64 {
    *number
}

/// Returns whether two digests of the same algorithm differ.
fn differ(one: Option<&Vec<u8>>, other: Option<&Vec<u8>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return false };
    let algorithm = |digest: &[u8]| digest.split(|byte| *byte == b':').next().map(<[u8]>::to_ascii_lowercase);
    algorithm(one) == algorithm(other) && !one.eq_ignore_ascii_case(other)
}

/// Removes `key` if its value is `number`.
fn remove_if<K: Eq + Hash>(map: &mut HashMap<K, u64>, key: &K, number: u64) {
    if map.get(key) == Some(&number) {
        map.remove(key);
    }
}

/// The identifiers, URIs and digests to which revisits refer.
#[derive(Default)]
pub(super) struct Wanted {
    ids: HashSet<Vec<u8>>,
    uris: HashSet<Arc<[u8]>>,
    digests: HashSet<Vec<u8>>,
}

impl Wanted {
    pub(super) fn add(&mut self, referent: &Referent) {
        self.ids.extend(referent.id.clone());
        self.uris.insert(Arc::clone(&referent.uri));
        self.digests.extend(referent.digest.clone());
    }

    /// Returns whether a revisit may repeat a record with this identifier, URI and digest.
    pub(super) fn contains(&self, id: Option<&[u8]>, uri: &[u8], digest: Option<&[u8]>) -> bool {
        let has =
            |texts: &HashSet<Vec<u8>>, text: Option<&[u8]>| text.is_some_and(|text| texts.contains(text));
        self.uris.contains(uri) || has(&self.ids, id) || has(&self.digests, digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(second: i64) -> Option<Timestamp> {
        Some(Timestamp::from_number(1_600_000_000 + second).unwrap())
    }

    fn original(number: u64, date: Option<Timestamp>, digest: Option<&[u8]>) -> Original {
        let (uri, digest) = ((*b"u").into(), digest.map(<[u8]>::to_vec));
        Original { number, id: None, uri, date, digest, kind: OriginalKind::Readable }
    }

    fn referent(date: Option<Timestamp>, revisited: Option<Timestamp>, digest: Option<&[u8]>) -> Referent {
        let (uri, digest) = ((*b"u").into(), digest.map(<[u8]>::to_vec));
        Referent { id: None, uri, date, is_given: false, revisit: (99, revisited), digest }
    }

    #[test]
    fn a_record_with_another_digest_is_never_repeated() {
        let (a, b): (Option<&[u8]>, Option<&[u8]>) = (Some(b"sha1:A"), Some(b"sha1:B"));
        let mut originals = Originals::default();
        originals.add(original(1, time(10), b));
        assert_eq!(originals.find(&referent(time(10), time(20), a)), None);
        assert_eq!(originals.find(&referent(None, time(20), a)), None);
        // Another algorithm, and other case, prove nothing.
        for other in [&b"md5:A"[..], b"SHA1:b"] {
            assert_eq!(originals.find(&referent(time(10), time(20), Some(other))), Some(1));
        }
        originals.add(original(2, time(10), None));
        assert_eq!(originals.find(&referent(time(10), time(20), a)), Some(2));
        assert_eq!(originals.find(&referent(None, time(20), a)), Some(2));
        originals.add(original(3, time(5), a));
        originals.add(Original { uri: (*b"v").into(), ..original(4, time(6), a) });
        assert_eq!(originals.find(&referent(time(10), time(20), a)), Some(3), "the same URI first");
        originals.add(Original { kind: OriginalKind::Unreadable, ..original(5, time(7), a) });
        assert_eq!(originals.find(&referent(time(10), time(20), a)), Some(3), "a readable one first");
        let c: Option<&[u8]> = Some(b"sha1:C");
        originals.add(Original { kind: OriginalKind::Unreadable, ..original(6, time(8), c) });
        assert_eq!(originals.find(&referent(time(10), time(20), c)), Some(6));
    }

    #[test]
    fn without_a_digest_the_newest_record_before_the_revisit_is_repeated() {
        let mut originals = Originals::default();
        for (number, second) in [(1, Some(30)), (2, Some(10)), (3, Some(20)), (4, None), (5, Some(20))] {
            originals.add(original(number, second.and_then(time), Some(b"sha1:A")));
        }
        let find = |second| originals.find(&referent(None, time(second), None));
        assert_eq!([5, 15, 20, 29, 30, 99].map(find), [4, 2, 5, 5, 1, 1].map(Some));
        assert_eq!(originals.find(&referent(None, None, None)), Some(1));
        assert_eq!(originals.find(&referent(time(21), time(99), None)), None);
    }

    #[test]
    fn the_newest_record_is_unknown_if_one_was_forgotten() {
        let mut originals = Originals { max_bytes: 2 * (1 + 2 + 4 * 2 + ENTRY), ..Originals::default() };
        let id = |number: u64| Some(vec![number.to_le_bytes()[0]]);
        for number in 1..=3_u64 {
            let digest = [b'd', number.to_le_bytes()[0]];
            originals.add(Original { id: id(number), ..original(number, time(1), Some(&digest)) });
        }
        assert_eq!((originals.by_uri.len(), originals.by_digest.len(), originals.by_id.len()), (2, 4, 2));
        let of_id = |number| originals.named(&Referent { id: id(number), ..referent(None, time(9), None) });
        assert_eq!([1, 2, 3].map(of_id), [None, Some(2), Some(3)]);
        assert_eq!(originals.find(&referent(None, time(9), None)), None);
        assert_eq!(originals.find(&referent(time(1), time(9), None)), Some(3));
        originals.add(Original { uri: vec![0; 5000].into(), ..original(4, None, None) });
        assert!(originals.entries.is_empty() && originals.by_uri.is_empty() && originals.bytes == 0);
        assert!(originals.by_digest.is_empty() && originals.by_id.is_empty());
        assert!(originals.without_digest.is_empty());
    }
}
