//! What applies after an attempt to fetch a robots.txt, from JSON to JSON.

use robomata::lifecycle::{Attempt, Situation, Unreachable};
use robomata::{Dialect, FetchStatus, Moment};
use serde::{Deserialize, Serialize};

use crate::error::Failure;

/// Times are in seconds since 1970.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    url: String,
    status: Status,
    at: i64,
    now: i64,
    failing_since: Option<i64>,
    good_copy_at: Option<i64>,
    headers: Option<String>,
    dialect: Option<Dialect>,
    unreachable: Option<Choice>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Status {
    Code(u16),
    Failure(NoStatus),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NoStatus {
    NoResponse,
    TooManyRedirects,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Choice {
    LastGoodCopy,
    Disallow,
}

#[derive(Serialize)]
pub(crate) struct Output {
    applies: &'static str,
    until: Option<i64>,
    refetch: i64,
    text: String,
}

pub(crate) fn standing(situation: &[u8]) -> Result<Output, Failure> {
    let input: Input = serde_json::from_slice(situation)
        .map_err(|error| Failure::argument(format!("situation: {error}")))?;
    let status = match input.status {
        Status::Code(code) => FetchStatus::from(code),
        Status::Failure(NoStatus::NoResponse) => FetchStatus::NetworkFailure,
        Status::Failure(NoStatus::TooManyRedirects) => FetchStatus::TooManyRedirects,
    };
    let attempt = Attempt::new(input.url, status, Moment::from_seconds(input.at))
        .header_lines(input.headers.unwrap_or_default())
        .map_err(|error| Failure::argument(format!("headers: {error}")))?;
    let mut situation = Situation::new(attempt);
    if let Some(since) = input.failing_since {
        situation = situation.failing_since(Moment::from_seconds(since));
    }
    if let Some(at) = input.good_copy_at {
        situation = situation.good_copy(Moment::from_seconds(at), [("", ""); 0]);
    }
    if let Some(Choice::Disallow) = input.unreachable {
        situation = situation.unreachable(Unreachable::Disallow);
    }
    let standing = situation.standing(Moment::from_seconds(input.now), input.dialect.unwrap_or_default());
    Ok(Output {
        applies: standing.applies().as_str(),
        until: standing.until().map(Moment::seconds),
        refetch: standing.refetch().seconds(),
        text: standing.to_string(),
    })
}
