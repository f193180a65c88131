//! What an attempt found (F4 to F7, F13).

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::{Attempt, Finding, Situation};

use super::redirect::{self, Next};
use super::terms::LifeCycleRules;

/// What the latest attempt of `situation` found.
pub(crate) fn of(situation: &Situation, rules: &LifeCycleRules) -> Finding {
    let attempt = &situation.attempt;
    if redirects(attempt) > rules.max_redirects {
        return Finding::TooManyRedirects;
    }
    match attempt.end {
        FetchStatus::Success => Finding::Success,
        FetchStatus::Code(code) if code >= rules.success.0 && code <= rules.success.1 => Finding::Success,
        FetchStatus::NetworkFailure => Finding::Failure,
        FetchStatus::TooManyRedirects => Finding::TooManyRedirects,
        FetchStatus::Code(304) if situation.good_copy.is_some() => Finding::NotModified,
        FetchStatus::Code(304) => Finding::NothingToCompare,
        FetchStatus::Code(300..=399) => unfollowed(attempt),
        FetchStatus::Code(code) if rules.restricting.contains(&code) => Finding::AccessRestricted,
        FetchStatus::Code(code) if rules.temporary.contains(&code) => Finding::Failure,
        FetchStatus::Code(400..=499) => Finding::Unavailable,
        FetchStatus::Code(_) => rules.other_codes,
    }
}

/// The number of redirects of the attempt, including one that ended it.
pub(crate) fn redirects(attempt: &Attempt) -> usize {
    attempt.hops.len() + usize::from(ends_in_redirect(attempt))
}

fn ends_in_redirect(attempt: &Attempt) -> bool {
    matches!(attempt.end, FetchStatus::Code(300..=303 | 305..=399))
}

/// F5: the redirect that ended the attempt, when the number of redirects is within the limit.
fn unfollowed(attempt: &Attempt) -> Finding {
    match redirect::next(attempt) {
        Next::Visited => Finding::RedirectLoop,
        Next::New => Finding::NotFollowed,
        Next::DeadEnd(end) => Finding::RedirectNowhere(end),
    }
}
