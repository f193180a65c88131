//! What a bundle knows of the fetches of one robots.txt: the input of the life-cycle.

use robomata_engine::lifecycle::{Attempt, GoodCopy, Header, Situation};
use robomata_engine::{FetchOutcome, FetchStatus, Moment, Version};

/// The situation at `now` of a site whose latest attempt is the version `newest`. An answer at an unknown time counts as
/// one at `undated`, and a failure at an unknown time as one at `now`: it shows no outage.
///
/// Of a version, only the first and the last capture are known. So between them, the first one is the latest attempt
/// that is known to have failed.
///
/// A bundle has no header fields, so the lifetime is the default one, and a failed attempt is repeated after the default
/// time.
pub(crate) fn situation_at(
    versions: &[Version],
    newest: usize,
    before: &mut Before,
    now: Moment,
    undated: Moment,
) -> Situation {
    before.advance(versions, newest);
    let Version { first, last, outcome } = versions[newest];
    let attempted = last.filter(|&last| last <= now).or(first.map(|first| first.min(now)));
    let attempted = attempted.unwrap_or(if outcome.is_answer() { undated } else { now });
    let good = before.last_good.map(|good| versions[good].last.unwrap_or(undated).min(now));
    Situation {
        // At most one version has no time, the first.
        failing_since: versions[before.failing..=newest].iter().take(2).find_map(|version| version.first),
        good_copy: good.map(|at| GoodCopy { at, headers: Vec::new() }),
        ..Situation::first(attempt(&versions[newest], attempted))
    }
}

/// The facts about the versions before one. Going to a later version reads only those between them.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// The number of versions before.
    count: usize,
    /// The newest of them that has rules, unless a later one shows that the file was withdrawn or may not be read.
    pub(crate) last_good: Option<usize>,
    /// The index of the first of the failures that end them; their number if the last one is not a failure.
    failing: usize,
    /// The number of versions that were read.
    #[cfg(test)]
    pub(crate) read: usize,
}

impl Before {
    /// Changes to the first `count` versions; starts again if these are fewer than before.
    fn advance(&mut self, versions: &[Version], count: usize) {
        if count < self.count {
            (self.count, self.last_good, self.failing) = (0, None, 0);
        }
        for (index, version) in versions.iter().enumerate().take(count).skip(self.count) {
            #[cfg(test)]
            {
                self.read += 1;
            }
            match version.outcome {
                FetchOutcome::Success => self.last_good = Some(index),
                FetchOutcome::Unavailable | FetchOutcome::Restricted => self.last_good = None,
                FetchOutcome::Unreachable | FetchOutcome::Deferred | FetchOutcome::Redirected => {}
            }
            if !is_failure(version) {
                self.failing = index + 1;
            }
        }
        self.count = count;
    }
}

fn is_failure(version: &Version) -> bool {
    matches!(version.outcome, FetchOutcome::Unreachable | FetchOutcome::Deferred)
}

/// The fetch attempt of a version. A redirect was not followed and its target is unknown, so the attempt has a made-up
/// target on another site. A status code is one that has this outcome.
fn attempt(version: &Version, at: Moment) -> Attempt {
    let mut headers = Vec::new();
    let end = match version.outcome {
        FetchOutcome::Success => FetchStatus::Success,
        FetchOutcome::Unavailable => FetchStatus::Code(404),
        FetchOutcome::Restricted => FetchStatus::Code(403),
        FetchOutcome::Unreachable | FetchOutcome::Deferred => FetchStatus::NetworkFailure,
        FetchOutcome::Redirected => {
            headers.push(Header::new("Location", "https://elsewhere.invalid/robots.txt"));
            FetchStatus::Code(302)
        }
    };
    Attempt { url: b"https://here.invalid/robots.txt".to_vec(), hops: Vec::new(), end, headers, at }
}
