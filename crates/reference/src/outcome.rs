//! What the end of a fetch means (RFC 9309, 2.3.1; decision F1).

use robomata_protocol::{Dialect, FetchOutcome, FetchStatus};

/// F1. Without a status the body is taken as successfully fetched.
pub(crate) fn of(status: Option<FetchStatus>, dialect: Dialect) -> FetchOutcome {
    match status {
        None | Some(FetchStatus::Success) => FetchOutcome::Success,
        Some(FetchStatus::NetworkFailure) => FetchOutcome::Unreachable,
        Some(FetchStatus::Code(code)) => of_code(code, dialect),
    }
}

/// F1 for an HTTP status code; the dialects differ in 429 alone.
fn of_code(code: u16, dialect: Dialect) -> FetchOutcome {
    match code {
        200..=299 => FetchOutcome::Success,
        300..=399 => FetchOutcome::Redirected,
        429 if dialect == Dialect::Google => FetchOutcome::Unreachable,
        400..=499 => FetchOutcome::Unavailable,
        _ => FetchOutcome::Unreachable,
    }
}
