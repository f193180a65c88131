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
    at: f64,
    now: f64,
    failing_since: Option<f64>,
    good_copy_at: Option<f64>,
    headers: Option<String>,
    dialect: Option<Dialect>,
    unreachable: Option<Choice>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "status: expected a number from 100 to 999, `no-response` or `too-many-redirects`"
)]
enum Status {
    Code(u16),
    Failure(NoStatus),
}

// Enums that derive it would also read objects, such as `{"no-response": null}`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
enum NoStatus {
    NoResponse,
    TooManyRedirects,
}

impl TryFrom<String> for NoStatus {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "no-response" => Ok(NoStatus::NoResponse),
            "too-many-redirects" => Ok(NoStatus::TooManyRedirects),
            _ => Err("no status"),
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Choice(Unreachable);

impl TryFrom<String> for Choice {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "last-good-copy" => Ok(Choice(Unreachable::LastGoodCopy)),
            "disallow" => Ok(Choice(Unreachable::Disallow)),
            _ => Err(format!("unreachable: expected `last-good-copy` or `disallow`, found `{text}`")),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Output {
    applies: &'static str,
    until: Option<i64>,
    refetch: i64,
    text: String,
}

/// The instant of a field. In seconds, milliseconds would be so far away that an hour without a response would be more than
/// the month after which a site counts as open.
fn moment(field: &str, seconds: f64) -> Result<Moment, Failure> {
    Moment::from_clock(seconds).ok_or_else(|| {
        let message = "expected seconds since 1970, found";
        Failure::argument(format!("situation: {field}: {message} {seconds} (milliseconds?)"))
    })
}

pub(crate) fn standing(situation: &[u8]) -> Result<Output, Failure> {
    // What is derived for a struct would also read an array of its fields.
    if !situation.trim_ascii_start().starts_with(b"{") {
        return Err(Failure::argument("situation: expected a JSON object".to_owned()));
    }
    let input: Input = serde_json::from_slice(situation)
        .map_err(|error| Failure::argument(format!("situation: {error}")))?;
    let status = match input.status {
        Status::Code(code) => match FetchStatus::from(code) {
            status @ FetchStatus::Code(_) => status,
            _ => {
                let message = format!("situation: status: expected 100 to 999, found {code}");
                return Err(Failure::argument(message));
            }
        },
        Status::Failure(NoStatus::NoResponse) => FetchStatus::NetworkFailure,
        Status::Failure(NoStatus::TooManyRedirects) => FetchStatus::TooManyRedirects,
    };
    let attempt = Attempt::new(input.url, status, moment("at", input.at)?)
        .header_lines(input.headers.unwrap_or_default())
        .map_err(|error| Failure::argument(format!("headers: {error}")))?;
    let mut situation = Situation::new(attempt);
    if let Some(since) = input.failing_since {
        situation = situation.failing_since(moment("failing_since", since)?);
    }
    if let Some(at) = input.good_copy_at {
        situation = situation.good_copy(moment("good_copy_at", at)?, [("", ""); 0]);
    }
    if let Some(Choice(choice)) = input.unreachable {
        situation = situation.unreachable(choice);
    }
    let now = moment("now", input.now)?;
    let standing = situation.standing(now, input.dialect.unwrap_or_default());
    let standing = standing.map_err(|error| Failure::argument(format!("situation: {error}")))?;
    Ok(Output {
        applies: standing.applies().as_str(),
        until: standing.until().map(Moment::seconds),
        refetch: standing.refetch().seconds(),
        text: standing.to_string(),
    })
}
