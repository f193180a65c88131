//! What a bundle knows of the fetches of one robots.txt: the input of the life-cycle.

use robomata_engine::lifecycle::{Attempt, GoodCopy, Header, Situation};
use robomata_engine::{FetchOutcome, FetchStatus, Moment, Version};

/// The situation at `now` of a site whose latest attempt is the version `newest`. A version at an unknown time counts as
/// one at `undated`.
///
/// A bundle has no header fields, so the lifetime is the default one, and a failed attempt is repeated after the default
/// time.
pub(crate) fn situation_at(versions: &[Version], newest: usize, now: Moment, undated: Moment) -> Situation {
    let before = &versions[..newest];
    let latest = |version: &Version| version.last.or(version.first).unwrap_or(undated).min(now);
    let run = before.iter().rposition(|version| !is_failure(version)).map_or(0, |last| last + 1);
    let good = last_good(before).map(|good| latest(&before[good]));
    Situation {
        failing_since: versions[run].first,
        good_copy: good.map(|at| GoodCopy { at, headers: Vec::new() }),
        ..Situation::first(attempt(&versions[newest], latest(&versions[newest])))
    }
}

/// The newest of `versions` that has rules.
pub(crate) fn last_good(versions: &[Version]) -> Option<usize> {
    versions.iter().rposition(|version| version.outcome == FetchOutcome::Success)
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
