//! The meaning of a fetch's end (RFC 9309, 2.3.1; Koster 1996, 3.1; decision F1).

use robomata_protocol::{Dialect, FetchOutcome, FetchStatus};

/// F1. Without a status, the body counts as successfully fetched.
pub(crate) fn of(status: Option<FetchStatus>, dialect: Dialect) -> FetchOutcome {
    match (status, dialect) {
        (None | Some(FetchStatus::Success), _) => FetchOutcome::Success,
        (Some(FetchStatus::NetworkFailure), Dialect::Koster1996) => FetchOutcome::Deferred,
        (Some(FetchStatus::NetworkFailure), _) => FetchOutcome::Unreachable,
        // F4. "... until a resource can be found" (3.1): none was.
        (Some(FetchStatus::TooManyRedirects), Dialect::Koster1996) => FetchOutcome::Deferred,
        // "If there are more than five consecutive redirects, crawlers MAY assume that the robots.txt file is unavailable"
        // (RFC 9309, 2.3.1.2).
        (Some(FetchStatus::TooManyRedirects), _) => FetchOutcome::Unavailable,
        (Some(FetchStatus::Code(code)), Dialect::Rfc9309 | Dialect::Google | Dialect::Acap) => {
            of_code(code, dialect)
        }
        (Some(FetchStatus::Code(code)), Dialect::Koster1996) => koster1996_of_code(code),
        (Some(FetchStatus::Code(code)), Dialect::Yandex) => yandex_of_code(code),
    }
}

/// F1 for an HTTP status code under `rfc9309` and `google`, which differ only in 429. 206 is a part of the file.
fn of_code(code: u16, dialect: Dialect) -> FetchOutcome {
    match code {
        206 => FetchOutcome::Unreachable,
        200..=299 => FetchOutcome::Success,
        300..=399 => FetchOutcome::Redirected,
        429 if dialect == Dialect::Google => FetchOutcome::Unreachable,
        400..=499 => FetchOutcome::Unavailable,
        _ => FetchOutcome::Unreachable,
    }
}

/// F1 for an HTTP status code under `yandex`: the server has to answer "with the HTTP code 200 OK"; otherwise the site is
/// open. A redirect has a target, which is not here.
fn yandex_of_code(code: u16) -> FetchOutcome {
    match code {
        200 => FetchOutcome::Success,
        300..=399 => FetchOutcome::Redirected,
        _ => FetchOutcome::Unavailable,
    }
}

/// F1 for an HTTP status code under `koster1996` (3.1).
fn koster1996_of_code(code: u16) -> FetchOutcome {
    match code {
        // "Temporary failure": a part of the file.
        206 => FetchOutcome::Deferred,
        200..=299 => FetchOutcome::Success,
        300..=399 => FetchOutcome::Redirected,
        // "On server response indicating access restrictions".
        401 | 403 => FetchOutcome::Restricted,
        // "Temporary failure": a time-out, a request that came too early, too many requests.
        408 | 425 | 429 => FetchOutcome::Deferred,
        // 404, "the resource does not exist", and codes that the draft does not mention.
        400..=499 => FetchOutcome::Unavailable,
        _ => FetchOutcome::Deferred,
    }
}
