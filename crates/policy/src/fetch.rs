//! What the end of a fetch means (RFC 9309, section 2.3.1; `crates/DIALECTS.md`, F1).

use robomata_protocol::{Dialect, FetchOutcome, FetchStatus};

/// The outcome that `status` stands for. A capture without a status was a success.
pub fn outcome(status: Option<FetchStatus>, dialect: Dialect) -> FetchOutcome {
    match status {
        None | Some(FetchStatus::Success) => FetchOutcome::Success,
        Some(FetchStatus::NetworkFailure) => FetchOutcome::Unreachable,
        Some(FetchStatus::Code(code)) => match (code, dialect) {
            (200..=299, _) => FetchOutcome::Success,
            (300..=399, _) => FetchOutcome::Redirected,
            // "Too many requests" asks for less load, not for more (Google's documentation of its fetcher).
            (429, Dialect::Google) => FetchOutcome::Unreachable,
            (400..=499, _) => FetchOutcome::Unavailable,
            _ => FetchOutcome::Unreachable,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_mean_what_section_2_3_1_says() {
        let code = |code, dialect| outcome(Some(FetchStatus::Code(code)), dialect);
        for dialect in Dialect::ALL {
            assert_eq!(outcome(None, dialect), FetchOutcome::Success);
            assert_eq!(code(204, dialect), FetchOutcome::Success);
            assert_eq!(code(301, dialect), FetchOutcome::Redirected);
            assert_eq!(code(403, dialect), FetchOutcome::Unavailable);
            assert_eq!(code(503, dialect), FetchOutcome::Unreachable);
            assert_eq!(code(999, dialect), FetchOutcome::Unreachable);
            assert_eq!(outcome(Some(FetchStatus::NetworkFailure), dialect), FetchOutcome::Unreachable);
        }
        assert_eq!(code(429, Dialect::Rfc9309), FetchOutcome::Unavailable);
        assert_eq!(code(429, Dialect::Google), FetchOutcome::Unreachable);
    }
}
