//! The common parts of the TOML formats: bytes, statuses, crawlers, dialects, ids.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robomata_protocol::{Crawler, Dialect, FetchStatus, ProductToken};
use serde::Deserialize;

use crate::bytes;
use crate::error::{Error, Place};

/// Maximum total size of parts; a larger size is a mistake in `repeat`.
const MAX_BYTES: usize = 64 << 20;

/// The question that a file's cases ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// May a crawler fetch a URL?
    #[default]
    Access,
    /// What may be done with a URL?
    Permissions,
    /// What does the end of a fetch mean, and for how long?
    Lifecycle,
}

impl Kind {
    /// The kind of the file with this text.
    pub(crate) fn of(file: &str, text: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Head {
            #[serde(default)]
            kind: Kind,
        }
        toml::from_str(text).map(|head: Head| head.kind).map_err(|source| Error::toml(file, source))
    }
}

/// Bytes in one of three forms, by the name of the key.
pub(crate) enum Text<'a> {
    Plain(&'a str),
    Escaped(&'a str),
    Base64(&'a str),
}

impl<'a> Text<'a> {
    /// The only form that is given, if any. It is an error to give several.
    pub(crate) fn only(
        plain: Option<&'a str>,
        escaped: Option<&'a str>,
        b64: Option<&'a str>,
    ) -> Result<Option<Self>, Several> {
        let texts = [plain.map(Text::Plain), escaped.map(Text::Escaped), b64.map(Text::Base64)];
        let mut given = texts.into_iter().flatten();
        match (given.next(), given.next()) {
            (first, None) => Ok(first),
            _ => Err(Several),
        }
    }

    pub(crate) fn bytes(&self, place: Place<'_>) -> Result<Vec<u8>, Error> {
        match *self {
            Text::Plain(text) => Ok(text.as_bytes().to_vec()),
            Text::Escaped(text) => bytes::unescape(text).map_err(|escape| {
                place.expected(r"an escape \n, \r, \t, \0, \\ or \xNN", format!("'{escape}'"))
            }),
            Text::Base64(text) => {
                BASE64_STANDARD.decode(text).map_err(|error| place.expected("base64", error.to_string()))
            }
        }
    }
}

/// The same bytes are given in more than one form.
pub(crate) struct Several;

/// One part of a file in parts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    text: Option<String>,
    escaped: Option<String>,
    b64: Option<String>,
    repeat: Option<usize>,
}

/// The bytes of `robots`, `robots_escaped`, `robots_b64` or `robots_parts`: exactly one of them must be given.
pub(crate) fn robots(
    whole: Result<Option<Text<'_>>, Several>,
    parts: Option<&[Part]>,
    place: Place<'_>,
) -> Result<Vec<u8>, Error> {
    const EXPECTED: &str = "exactly one of `robots`, `robots_escaped`, `robots_b64` and `robots_parts`";
    match (parts, whole) {
        (Some(parts), Ok(None)) => joined(parts, place),
        (None, Ok(Some(text))) => text.bytes(place),
        (None, Ok(None)) => Err(place.expected(EXPECTED, "none")),
        _ => Err(place.expected(EXPECTED, "several")),
    }
}

fn joined(parts: &[Part], place: Place<'_>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    for part in parts {
        let text = Text::only(part.text.as_deref(), part.escaped.as_deref(), part.b64.as_deref());
        let Ok(Some(text)) = text else {
            return Err(place.expected("one of `text`, `escaped` and `b64` in each part", "none or several"));
        };
        let (part, times) = (text.bytes(place)?, part.repeat.unwrap_or(1));
        if bytes.len().saturating_add(part.len().saturating_mul(times)) > MAX_BYTES {
            return Err(place.expected(format!("a robots.txt of at most {MAX_BYTES} bytes"), "more"));
        }
        bytes.extend(part.repeat(times));
    }
    Ok(bytes)
}

/// The bytes of `url`, `url_escaped` or `url_b64`: exactly one of them must be given.
pub(crate) fn url(text: Result<Option<Text<'_>>, Several>, place: Place<'_>) -> Result<Vec<u8>, Error> {
    const EXPECTED: &str = "exactly one of `url`, `url_escaped` and `url_b64`";
    match text {
        Ok(Some(text)) => text.bytes(place),
        Ok(None) => Err(place.expected(EXPECTED, "none")),
        Err(Several) => Err(place.expected(EXPECTED, "several")),
    }
}

/// How a fetch ended.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a status code, \"success\", \"network-failure\" or \"too-many-redirects\"")]
pub(crate) enum Status {
    Code(u16),
    Word(String),
}

impl Status {
    pub(crate) fn fetch_status(&self, place: Place<'_>) -> Result<FetchStatus, Error> {
        const EXPECTED: &str = "a status code, \"success\", \"network-failure\" or \"too-many-redirects\"";
        match self {
            Status::Code(code) => Ok(FetchStatus::Code(*code)),
            Status::Word(word) => match word.as_str() {
                "success" => Ok(FetchStatus::Success),
                "network-failure" => Ok(FetchStatus::NetworkFailure),
                "too-many-redirects" => Ok(FetchStatus::TooManyRedirects),
                _ => Err(place.expected(EXPECTED, format!("'{word}'"))),
            },
        }
    }
}

/// A crawler's product tokens.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a comma-separated text or a list of product tokens")]
pub(crate) enum Agent {
    List(String),
    Tokens(Vec<String>),
}

/// The crawler of the innermost `agent`.
pub(crate) fn crawler(agent: Option<&Agent>, place: Place<'_>) -> Result<Crawler, Error> {
    match agent {
        Some(Agent::List(list)) => Ok(Crawler::new(list)),
        Some(Agent::Tokens(tokens)) if !tokens.is_empty() => {
            Ok(Crawler::must(tokens.iter().map(|token| ProductToken::new(token)).collect()))
        }
        Some(Agent::Tokens(_)) => Err(place.expected("at least one product token", "an empty list")),
        None => Err(place.expected("`agent` in the case or in its group", "neither")),
    }
}

/// The dialects with these names, or the inherited ones.
pub(crate) fn dialects(
    names: Option<&[String]>,
    inherited: &[Dialect],
    place: Place<'_>,
) -> Result<Vec<Dialect>, Error> {
    let Some(names) = names else { return Ok(inherited.to_vec()) };
    if names.is_empty() {
        return Err(place.expected("at least one dialect", "an empty list"));
    }
    let parse = |name: &String| {
        name.parse().map_err(|_| {
            place.expected("a dialect (rfc9309, google, koster1996, acap or yandex)", format!("'{name}'"))
        })
    };
    names.iter().map(parse).collect()
}

/// `file/section/title/number`, the title as lower-case words joined by hyphens.
pub(crate) fn id(file: &str, section: &str, title: &str, number: usize) -> String {
    format!("{file}/{section}/{}/{number}", slug(title))
}

pub(crate) fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
