//! What an attempt found (F4 to F7, F13).

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::{Attempt, Finding, Hop, Moment, Situation, Terms};

use super::redirect::{self, Next};
use super::terms::LifeCycleRules;
use crate::fetch::{is_redirect, is_success};

/// What the latest attempt of `situation` found.
pub(crate) fn of(situation: &Situation, rules: &LifeCycleRules) -> Finding {
    let attempt = &situation.attempt;
    let found = at_the_end(situation, rules);
    // F4: after too many redirects, a 4xx and one more redirect are no answer.
    let is_answer = found != Finding::Unavailable && !ends_in_redirect(attempt);
    if redirects(attempt) > rules.max_redirects && !(is_answer && rules.reads_any_end) {
        return Finding::TooManyRedirects;
    }
    found
}

/// What a fetch that ended with `status` after so many redirects ended with under `terms`: the status, or too many
/// redirects (F4). Nothing else is known of the fetch.
pub fn after_redirects(status: Option<FetchStatus>, redirects: usize, terms: Terms) -> Option<FetchStatus> {
    let rules = LifeCycleRules::of(terms);
    if redirects <= rules.max_redirects {
        return status;
    }
    let situation = Situation::first(Attempt {
        url: Vec::new(),
        hops: vec![Hop { status: 301, location: None }; redirects],
        end: status.unwrap_or(FetchStatus::Success),
        headers: Vec::new(),
        at: Moment::from_seconds(0),
    });
    match of(&situation, rules) {
        Finding::TooManyRedirects => Some(FetchStatus::TooManyRedirects),
        _ => status,
    }
}

/// What the end of the attempt is, after any number of redirects.
fn at_the_end(situation: &Situation, rules: &LifeCycleRules) -> Finding {
    match situation.attempt.end {
        FetchStatus::Success => Finding::Success,
        FetchStatus::NetworkFailure => Finding::Failure,
        FetchStatus::TooManyRedirects => Finding::TooManyRedirects,
        FetchStatus::Code(code) if is_success(code, rules.success) => Finding::Success,
        FetchStatus::Code(304) if situation.good_copy.is_some() => Finding::NotModified,
        FetchStatus::Code(304) => Finding::NothingToCompare,
        FetchStatus::Code(300..=399) => unfollowed(&situation.attempt),
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
    matches!(attempt.end, FetchStatus::Code(code) if is_redirect(code))
}

/// F5: the redirect that ended the attempt, when the number of redirects is within the limit.
fn unfollowed(attempt: &Attempt) -> Finding {
    match redirect::next(attempt) {
        Next::Visited => Finding::RedirectLoop,
        Next::New => Finding::NotFollowed,
        Next::DeadEnd(end) => Finding::RedirectNowhere(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(terms: Terms, redirects: usize, end: FetchStatus) -> Finding {
        let hop = Hop { status: 301, location: None };
        let situation = Situation::first(Attempt {
            url: b"https://a.example/robots.txt".to_vec(),
            hops: vec![hop; redirects],
            end,
            headers: Vec::new(),
            at: Moment::from_seconds(0),
        });
        of(&situation, LifeCycleRules::of(terms))
    }

    #[test]
    fn a_success_counts_after_any_number_of_redirects_where_the_terms_say_so() {
        let (ok, too_many) = (FetchStatus::Code(200), Finding::TooManyRedirects);
        for terms in [Terms::Rfc9309, Terms::Yandex] {
            assert_eq!([5, 6, 60].map(|redirects| found(terms, redirects, ok)), [Finding::Success; 3]);
            assert_eq!(found(terms, 6, FetchStatus::Success), Finding::Success);
        }
        assert_eq!(found(Terms::Yandex, 6, FetchStatus::Code(204)), too_many, "no success to Yandex");
        for terms in [Terms::Google, Terms::Koster1996] {
            assert_eq!([5, 6].map(|redirects| found(terms, redirects, ok)), [Finding::Success, too_many]);
        }
        for end in [404, 429, 302].map(FetchStatus::Code) {
            assert_eq!(found(Terms::Rfc9309, 6, end), too_many, "{end:?}");
        }
    }

    #[test]
    fn a_status_after_too_many_redirects_is_that_where_the_terms_say_so() {
        let (too_many, not_found) = (FetchStatus::TooManyRedirects, FetchStatus::Code(404));
        let ended = |end, redirects, terms| after_redirects(end, redirects, terms).unwrap();
        for terms in [Terms::Rfc9309, Terms::Google, Terms::Koster1996, Terms::Yandex] {
            assert_eq!(ended(Some(not_found), 5, terms), not_found);
            assert_eq!(ended(Some(not_found), 6, terms), too_many);
            assert_eq!(after_redirects(None, 5, terms), None);
        }
        for end in [200, 503].map(FetchStatus::Code) {
            assert_eq!(ended(Some(end), 6, Terms::Rfc9309), end);
            assert_eq!(ended(Some(end), 6, Terms::Google), too_many);
        }
        assert_eq!(after_redirects(None, 6, Terms::Rfc9309), None);
        assert_eq!(ended(None, 6, Terms::Google), too_many);
    }

    #[test]
    fn a_failure_and_a_304_count_after_any_number_of_redirects_where_the_terms_say_so() {
        let failures = [FetchStatus::Code(503), FetchStatus::Code(206), FetchStatus::NetworkFailure];
        for end in failures {
            assert_eq!(found(Terms::Rfc9309, 6, end), Finding::Failure, "{end:?}");
            for terms in [Terms::Google, Terms::Koster1996] {
                assert_eq!(found(terms, 6, end), Finding::TooManyRedirects, "{end:?}");
            }
        }
        assert_eq!(found(Terms::Yandex, 6, FetchStatus::NetworkFailure), Finding::Failure);
        for terms in [Terms::Rfc9309, Terms::Yandex] {
            assert_eq!(found(terms, 6, FetchStatus::Code(304)), Finding::NothingToCompare);
        }
    }
}
