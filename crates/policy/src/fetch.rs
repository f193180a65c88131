//! What the outcome of a fetch means (RFC 9309, section 2.3.1; Koster 1996, 3.1; `crates/DIALECTS.md`, F1).

use robomata_protocol::{Dialect, FetchOutcome, FetchStatus};

/// The outcome that `status` means. A capture without a status was a success.
pub fn outcome(status: Option<FetchStatus>, dialect: Dialect) -> FetchOutcome {
    let semantics = dialect.semantics();
    match status {
        None | Some(FetchStatus::Success) => FetchOutcome::Success,
        Some(FetchStatus::NetworkFailure) => semantics.failure,
        Some(FetchStatus::TooManyRedirects) => semantics.too_many_redirects,
        Some(FetchStatus::Code(code)) => match code {
            _ if is_success(code, semantics.success) => FetchOutcome::Success,
            300..=399 => FetchOutcome::Redirected,
            _ if semantics.restricting.contains(&code) => semantics.restricted,
            _ if semantics.temporary.contains(&code) => semantics.failure,
            400..=499 => FetchOutcome::Unavailable,
            _ => semantics.other_codes,
        },
    }
}

/// Whether a status code says that the file was downloaded: one from the first to the last of a success, but not 206, with
/// which a part of it comes.
pub(crate) fn is_success(code: u16, (first, last): (u16, u16)) -> bool {
    (first..=last).contains(&code) && code != 206
}

/// Whether a status code says that the file is at another URL: 300 to 399, but not 304.
pub(crate) fn is_redirect(code: u16) -> bool {
    matches!(code, 300..=303 | 305..=399)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_follow_section_2_3_1() {
        let code = |code, dialect| outcome(Some(FetchStatus::Code(code)), dialect);
        for dialect in Dialect::ALL {
            assert_eq!(outcome(None, dialect), FetchOutcome::Success);
            assert_eq!(code(200, dialect), FetchOutcome::Success);
            assert_eq!(code(301, dialect), FetchOutcome::Redirected);
            assert_eq!(code(404, dialect), FetchOutcome::Unavailable);
        }
        for dialect in [Dialect::Rfc9309, Dialect::Google] {
            assert_eq!(code(204, dialect), FetchOutcome::Success);
            assert_eq!(code(206, dialect), FetchOutcome::Unreachable);
            assert_eq!(code(403, dialect), FetchOutcome::Unavailable);
            assert_eq!(code(408, dialect), FetchOutcome::Unavailable);
            assert_eq!(code(503, dialect), FetchOutcome::Unreachable);
            assert_eq!(code(999, dialect), FetchOutcome::Unreachable);
            assert_eq!(outcome(Some(FetchStatus::NetworkFailure), dialect), FetchOutcome::Unreachable);
        }
        assert_eq!(code(429, Dialect::Rfc9309), FetchOutcome::Unavailable);
        assert_eq!(code(429, Dialect::Google), FetchOutcome::Unreachable);
    }

    #[test]
    fn yandex_follows_only_200() {
        let code = |code| outcome(Some(FetchStatus::Code(code)), Dialect::Yandex);
        for other in [0, 199, 201, 204, 206, 400, 403, 429, 500, 503, 600] {
            assert_eq!(code(other), FetchOutcome::Unavailable);
        }
        let failure = outcome(Some(FetchStatus::NetworkFailure), Dialect::Yandex);
        assert_eq!(failure, FetchOutcome::Unreachable);
    }

    #[test]
    fn statuses_follow_section_3_1_of_the_draft() {
        let code = |code| outcome(Some(FetchStatus::Code(code)), Dialect::Koster1996);
        assert_eq!([code(401), code(403)], [FetchOutcome::Restricted; 2]);
        assert_eq!([code(400), code(402), code(407), code(410), code(451)], [FetchOutcome::Unavailable; 5]);
        assert_eq!([206, 408, 425, 429, 500, 503].map(code), [FetchOutcome::Deferred; 6]);
        assert_eq!([code(0), code(100), code(600)], [FetchOutcome::Deferred; 3]);
        let failure = outcome(Some(FetchStatus::NetworkFailure), Dialect::Koster1996);
        assert_eq!(failure, FetchOutcome::Deferred);
    }

    #[test]
    fn too_many_redirects_are_unavailable_except_under_the_draft() {
        let outcome = |dialect| outcome(Some(FetchStatus::TooManyRedirects), dialect);
        for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Acap] {
            assert_eq!(outcome(dialect), FetchOutcome::Unavailable);
        }
        assert_eq!(outcome(Dialect::Koster1996), FetchOutcome::Deferred);
    }
}
