//! Counts URLs and their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use robomata_engine::{Access, Answer, Crawler, Dialect};
use serde::Serialize;

use super::cause::Cause;
use super::{CompareReport, Compared, differ};
use crate::filter::Tally;
use crate::problem::ErrorCounts;
use crate::sources::DialectStores;

/// The counts of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompareCounts {
    /// Lines read.
    pub lines: u64,
    /// URLs of known sites for which all dialects give the same answer.
    pub alike: u64,
    /// URLs about which they differ.
    pub different: u64,
    /// URLs of sites whose policy is unknown in every dialect.
    pub unknown: u64,
    /// Lines that are not URLs.
    pub invalid: u64,
    /// Sites with such URLs.
    pub differing_sites: u64,
    /// The causes, those with most URLs first. A URL counts once for each cause. Empty without bodies.
    pub causes: Vec<CauseCount>,
    /// The answers of each dialect.
    pub dialects: Vec<DialectTally>,
    /// The differences of each pair of dialects.
    pub pairs: Vec<PairCount>,
}

/// The number of URLs with one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CauseCount {
    /// The cause.
    pub cause: Cause,
    /// The number of URLs.
    pub urls: u64,
}

/// The answers of one dialect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DialectTally {
    /// The dialect.
    pub dialect: Dialect,
    /// Its answers.
    #[serde(flatten)]
    pub verdicts: Tally,
}

/// The differences of two dialects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PairCount {
    /// The two dialects.
    pub dialects: [Dialect; 2],
    /// URLs with different verdicts.
    pub urls: u64,
    /// Counts of these URLs by the two verdicts, most frequent first.
    pub kinds: Vec<KindCount>,
    /// URLs with the same verdict but different lines; counted when lines are compared.
    pub other_lines: u64,
}

/// The number of URLs with two given verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// The two verdicts.
    pub answers: [&'static str; 2],
    /// The number of URLs.
    pub urls: u64,
}

/// The JSON that `--stats` writes. It joins the counts of the sources and of the comparison, so it is not a
/// [`CompareReport`].
#[derive(Clone, Debug, Serialize)]
pub struct CompareStats<'r> {
    /// The crawler that the URLs were judged for.
    pub crawler: &'r Crawler,
    /// Sites with a known policy.
    pub sites: usize,
    /// Captures of robots.txt that were read.
    pub captures: u64,
    /// The counts.
    #[serde(flatten)]
    pub counts: &'r CompareCounts,
    /// The time for judging, in seconds, without the time for reading the sources.
    pub seconds: f64,
    /// URL lines judged per second, each in every dialect.
    pub urls_per_second: f64,
    /// Counts of unusable input in the sources and the frontier.
    pub errors: ErrorCounts,
}

impl<'r> CompareStats<'r> {
    /// The figures of `report`, which is about `dialect_stores` and `crawler`.
    #[expect(clippy::cast_precision_loss, reason = "a rate of lines needs no 64 bits")]
    pub fn new(dialect_stores: &DialectStores, crawler: &'r Crawler, report: &'r CompareReport) -> Self {
        let rate = |elapsed: Duration| report.counts.lines as f64 / elapsed.as_secs_f64();
        CompareStats {
            crawler,
            sites: dialect_stores.stores.first().map_or(0, robomata_engine::PolicyStore::site_count),
            captures: dialect_stores.counts.captures,
            counts: &report.counts,
            seconds: report.elapsed.as_secs_f64(),
            urls_per_second: if report.elapsed.is_zero() { 0.0 } else { rate(report.elapsed) },
            errors: dialect_stores.counts.errors.plus(&report.errors),
        }
    }
}

const WORDS: [&str; 5] = ["allow", "disallow", "defer", "unknown", "invalid"];

/// The index of an answer's verdict in [`WORDS`].
fn word(answer: Answer) -> usize {
    match answer {
        Answer::Verdict(verdict) if verdict.access == Access::Allow => 0,
        Answer::Verdict(_) => 1,
        Answer::Defer => 2,
        Answer::Unknown => 3,
        Answer::Invalid => 4,
    }
}

/// Running counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counting {
    lines: u64,
    alike: u64,
    different: u64,
    unknown: u64,
    causes: BTreeMap<Cause, u64>,
    tallies: Vec<Tally>,
    /// For each pair, counts by the two verdicts.
    kinds: Vec<[[u64; WORDS.len()]; WORDS.len()]>,
    /// For each pair, the number of URLs for which only the lines differ.
    other_lines: Vec<u64>,
}

/// The pairs of this many dialects, in order.
fn pairs(dialects: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..dialects).flat_map(move |one| (one + 1..dialects).map(move |other| (one, other)))
}

impl Counting {
    /// Resets the counts, for this many dialects.
    pub(super) fn clear(&mut self, dialects: usize) {
        let Counting { tallies, kinds, other_lines, .. } = std::mem::take(self);
        *self = Counting { tallies, kinds, other_lines, ..Counting::default() };
        self.tallies.clear();
        self.tallies.resize(dialects, Tally::default());
        self.kinds.clear();
        self.kinds.resize(pairs(dialects).count(), [[0; WORDS.len()]; WORDS.len()]);
        self.other_lines.clear();
        self.other_lines.resize(pairs(dialects).count(), 0);
    }

    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Counts a line. Returns whether the dialects differ about it.
    #[inline]
    pub(super) fn add(&mut self, answers: &[Answer], compared: Compared) -> bool {
        self.lines += 1;
        for (tally, &answer) in self.tallies.iter_mut().zip(answers) {
            tally.add(answer);
        }
        if differ(answers, compared) {
            self.add_difference(answers, compared);
            return true;
        }
        match answers.first() {
            Some(Answer::Unknown) => self.unknown += 1,
            Some(Answer::Invalid) | None => {}
            Some(_) => self.alike += 1,
        }
        false
    }

    fn add_difference(&mut self, answers: &[Answer], compared: Compared) {
        self.different += 1;
        let counts = self.kinds.iter_mut().zip(&mut self.other_lines);
        for ((one, other), (kinds, other_lines)) in pairs(answers.len()).zip(counts) {
            let (one, other) = (answers[one], answers[other]);
            kinds[word(one)][word(other)] += 1;
            if compared == Compared::Line && word(one) == word(other) && one.line() != other.line() {
                *other_lines += 1;
            }
        }
    }

    /// Counts the causes of one URL.
    pub(super) fn add_causes(&mut self, causes: impl Iterator<Item = Cause>) {
        for cause in causes.collect::<BTreeSet<_>>() {
            *self.causes.entry(cause).or_default() += 1;
        }
    }

    /// Counts a line that could not be read as invalid.
    pub(super) fn add_unreadable_line(&mut self) {
        self.lines += 1;
        self.tallies.iter_mut().for_each(|tally| tally.invalid += 1);
    }

    pub(super) fn add_all(&mut self, more: &Counting) {
        self.lines += more.lines;
        self.alike += more.alike;
        self.different += more.different;
        self.unknown += more.unknown;
        for (&cause, urls) in &more.causes {
            *self.causes.entry(cause).or_default() += urls;
        }
        for (tally, more) in self.tallies.iter_mut().zip(&more.tallies) {
            *tally = tally.plus(more);
        }
        for (count, more) in self.other_lines.iter_mut().zip(&more.other_lines) {
            *count += more;
        }
        let (kinds, more) = (self.kinds.as_flattened_mut(), more.kinds.as_flattened());
        for (count, more) in kinds.as_flattened_mut().iter_mut().zip(more.as_flattened()) {
            *count += more;
        }
    }

    pub(super) fn report(&self, dialects: &[Dialect], differing_sites: u64) -> CompareCounts {
        let tally = |(&dialect, &verdicts): (&Dialect, &Tally)| DialectTally { dialect, verdicts };
        let counts = self.kinds.iter().zip(&self.other_lines);
        let pairs = pairs(dialects.len()).zip(counts).map(|((one, other), (words, &other_lines))| {
            let kinds = kinds_of(words);
            PairCount {
                dialects: [dialects[one], dialects[other]],
                urls: kinds.iter().map(|kind| kind.urls).sum(),
                kinds,
                other_lines,
            }
        });
        CompareCounts {
            lines: self.lines,
            alike: self.alike,
            different: self.different,
            unknown: self.unknown,
            invalid: self.lines - self.alike - self.different - self.unknown,
            differing_sites,
            causes: causes_of(&self.causes),
            dialects: dialects.iter().zip(&self.tallies).map(tally).collect(),
            pairs: pairs.collect(),
        }
    }
}

fn causes_of(counts: &BTreeMap<Cause, u64>) -> Vec<CauseCount> {
    let causes = counts.iter().map(|(&cause, &urls)| CauseCount { cause, urls });
    let mut causes: Vec<CauseCount> = causes.collect();
    causes.sort_by_key(|count| std::cmp::Reverse(count.urls));
    causes
}

fn kinds_of(counts: &[[u64; WORDS.len()]; WORDS.len()]) -> Vec<KindCount> {
    let mut kinds = Vec::new();
    for (one, counts) in WORDS.into_iter().zip(counts) {
        let differing = WORDS.into_iter().zip(counts).filter(|&(other, &urls)| other != one && urls > 0);
        kinds.extend(differing.map(|(other, &urls)| KindCount { answers: [one, other], urls }));
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.urls));
    kinds
}
