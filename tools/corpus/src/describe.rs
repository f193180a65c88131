//! Describes a collection in the numbers that the generator must match.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rayon::prelude::*;
use robomata_engine::protocol::Access;
use robomata_engine::syntax::Key;
use robomata_engine::{Config, Dialect, Policy};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// A collection under construction: each distinct body once, with the number of its files.
///
/// Memory grows by about a hundred bytes for each distinct body and two for each rule.
#[derive(Debug, Default)]
pub struct Collection {
    bodies: HashMap<u128, Body>,
}

/// The data kept for a body.
#[derive(Debug)]
struct Body {
    files: u64,
    bytes: u64,
    groups: u64,
    rule_set: u64,
    features: Vec<Feature>,
    /// Bytes of each pattern.
    patterns: Vec<u16>,
    counts: [u64; RuleKind::ALL.len()],
}

/// A feature of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A record with this key.
    Record(Key),
    /// A byte order mark.
    ByteOrderMark,
    /// A line that ends in CR LF.
    CrLf,
    /// A comment.
    Comment,
    /// A group that closes the whole site to every crawler without a group of its own.
    Closed,
    /// Bytes that are not UTF-8.
    NotUtf8,
}

/// A property of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// `Allow`.
    Allow,
    /// With at least one `*`.
    Star,
    /// With at least two.
    TwoStars,
    /// With at least three.
    ThreeStars,
    /// Ending in `$`.
    End,
    /// The pattern is `/`.
    Slash,
    /// With a `%`.
    Percent,
    /// With a byte outside ASCII.
    NonAscii,
}

impl RuleKind {
    /// All kinds.
    pub const ALL: [RuleKind; 8] = [
        RuleKind::Allow,
        RuleKind::Star,
        RuleKind::TwoStars,
        RuleKind::ThreeStars,
        RuleKind::End,
        RuleKind::Slash,
        RuleKind::Percent,
        RuleKind::NonAscii,
    ];

    fn holds(self, access: Access, pattern: &[u8]) -> bool {
        let stars = || pattern.iter().filter(|&&byte| byte == b'*').count();
        match self {
            RuleKind::Allow => access == Access::Allow,
            RuleKind::Star => stars() >= 1,
            RuleKind::TwoStars => stars() >= 2,
            RuleKind::ThreeStars => stars() >= 3,
            RuleKind::End => pattern.ends_with(b"$"),
            RuleKind::Slash => pattern == b"/",
            RuleKind::Percent => pattern.contains(&b'%'),
            RuleKind::NonAscii => !pattern.is_ascii(),
        }
    }
}

/// The unit of each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Every file: a body shared by a thousand sites counts a thousand times.
    Files,
    /// Every distinct body once.
    Bodies,
}

impl Collection {
    /// Adds files by their bodies.
    pub fn add(&mut self, bodies: &[impl AsRef<[u8]> + Sync]) {
        let hashes: Vec<u128> = bodies.par_iter().map(|body| xxh3_128(body.as_ref())).collect();
        let mut fresh = Vec::new();
        for (&hash, body) in hashes.iter().zip(bodies) {
            match self.bodies.entry(hash) {
                Entry::Occupied(mut known) => known.get_mut().files += 1,
                Entry::Vacant(place) => {
                    place.insert(Body::UNREAD);
                    fresh.push((hash, body));
                }
            }
        }
        let read: Vec<_> = fresh.par_iter().map(|(hash, body)| (*hash, Body::read(body.as_ref()))).collect();
        for (hash, body) in read {
            let place = self.bodies.get_mut(&hash).expect("just inserted");
            *place = Body { files: place.files, ..body };
        }
    }

    /// The number of files, or of distinct bodies.
    pub fn len(&self, count: Count) -> u64 {
        self.bodies.values().map(|body| body.weight(count)).sum()
    }

    /// Returns whether the collection is empty.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The number of distinct rule sets. Two are the same if they have the same names and the same rules in the same
    /// order.
    pub fn rule_sets(&self) -> usize {
        self.bodies.values().map(|body| body.rule_set).collect::<std::collections::HashSet<_>>().len()
    }

    /// The shares of all files that have the most shared bodies, largest first.
    pub fn heads(&self, heads: usize) -> Vec<f64> {
        let mut files: Vec<u64> = self.bodies.values().map(|body| body.files).collect();
        files.sort_unstable_by_key(|&files| std::cmp::Reverse(files));
        let all = self.len(Count::Files) as f64;
        files.iter().take(heads).map(|&files| files as f64 / all).collect()
    }

    /// Bytes of files.
    pub fn bytes(&self, count: Count) -> Distribution {
        self.distribution(count, |body| body.bytes)
    }

    /// Rules of files, not counting rules without a pattern.
    pub fn rules(&self, count: Count) -> Distribution {
        self.distribution(count, |body| body.patterns.len() as u64)
    }

    /// Groups of files.
    pub fn groups(&self, count: Count) -> Distribution {
        self.distribution(count, |body| body.groups)
    }

    /// Bytes of patterns.
    pub fn patterns(&self, count: Count) -> Distribution {
        let weighted = |body: &Body, length: u16| (u64::from(length), body.weight(count));
        let all = self.bodies.values();
        Distribution::new(
            all.flat_map(|body| body.patterns.iter().map(move |&length| weighted(body, length))).collect(),
        )
    }

    /// The share of rules that are of this kind.
    pub fn share_of_rules(&self, count: Count, kind: RuleKind) -> f64 {
        let sum = |value: &dyn Fn(&Body) -> u64| -> u64 {
            self.bodies.values().map(|body| body.weight(count) * value(body)).sum()
        };
        let of_kind = sum(&|body| body.counts[kind as usize]);
        of_kind as f64 / sum(&|body| body.patterns.len() as u64) as f64
    }

    /// The share of files with this feature.
    pub fn share_of_files(&self, count: Count, feature: Feature) -> f64 {
        let with = self.bodies.values().filter(|body| body.features.contains(&feature));
        with.map(|body| body.weight(count)).sum::<u64>() as f64 / self.len(count) as f64
    }

    fn distribution(&self, count: Count, value: impl Fn(&Body) -> u64) -> Distribution {
        Distribution::new(self.bodies.values().map(|body| (value(body), body.weight(count))).collect())
    }
}

impl Body {
    const UNREAD: Body = Body {
        files: 1,
        bytes: 0,
        groups: 0,
        rule_set: 0,
        features: Vec::new(),
        patterns: Vec::new(),
        counts: [0; RuleKind::ALL.len()],
    };

    fn weight(&self, count: Count) -> u64 {
        match count {
            Count::Files => self.files,
            Count::Bodies => 1,
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let policy = Policy::new(bytes, &Config::new(Dialect::Rfc9309));
        let mut body = Body {
            bytes: bytes.len() as u64,
            groups: policy.groups().len() as u64,
            features: features(bytes, &policy),
            ..Body::UNREAD
        };
        let mut rule_set = Xxh3::new();
        for group in policy.groups() {
            for name in policy.names_of(group) {
                rule_set.update(name.value.of(policy.text()));
                rule_set.update(b"\n");
            }
            for rule in policy.rules_of(group) {
                let pattern = rule.pattern.of(policy.text());
                rule_set.update(rule.access.as_str().as_bytes());
                rule_set.update(pattern);
                rule_set.update(b"\r");
                body.add_rule(rule.access, pattern);
            }
        }
        body.rule_set = rule_set.digest();
        body
    }

    fn add_rule(&mut self, access: Access, pattern: &[u8]) {
        if pattern.is_empty() {
            return;
        }
        self.patterns.push(u16::try_from(pattern.len()).unwrap_or(u16::MAX));
        for kind in RuleKind::ALL {
            self.counts[kind as usize] += u64::from(kind.holds(access, pattern));
        }
    }
}

fn features(bytes: &[u8], policy: &Policy<'_>) -> Vec<Feature> {
    let mut features = Vec::new();
    let mut note = |holds: bool, feature: Feature| {
        if holds && !features.contains(&feature) {
            features.push(feature);
        }
    };
    for extension in policy.extensions() {
        note(true, Feature::Record(extension.key));
    }
    note(bytes.starts_with(b"\xef\xbb\xbf"), Feature::ByteOrderMark);
    note(bytes.windows(2).any(|pair| pair == b"\r\n"), Feature::CrLf);
    note(bytes.contains(&b'#'), Feature::Comment);
    note(is_closed(policy), Feature::Closed);
    note(std::str::from_utf8(bytes).is_err(), Feature::NotUtf8);
    features
}

fn is_closed(policy: &Policy<'_>) -> bool {
    let crawler = robomata_engine::Crawler::new("ExampleBot");
    let rules = policy.rules_for(&crawler);
    rules.rules().any(|rule| rule.access == Access::Disallow && rule.pattern.of(policy.text()) == b"/")
}

/// Values with their counts.
#[derive(Clone, Debug)]
pub struct Distribution {
    values: Vec<(u64, u64)>,
    all: u64,
}

impl Distribution {
    fn new(mut values: Vec<(u64, u64)>) -> Self {
        values.sort_unstable();
        let all = values.iter().map(|&(_, times)| times).sum();
        Distribution { values, all }
    }

    /// The value at the quantile `share`; 0 if there are no values.
    pub fn quantile(&self, share: f64) -> u64 {
        let mut left = share * self.all as f64;
        for &(value, times) in &self.values {
            left -= times as f64;
            if left < 0.0 {
                return value;
            }
        }
        self.values.last().map_or(0, |&(value, _)| value)
    }

    /// The mean; 0 if there are no values.
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.values.iter().map(|&(value, times)| value * times).sum();
        sum as f64 / self.all.max(1) as f64
    }
}
