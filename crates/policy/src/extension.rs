//! Records other than allow and disallow. They are stored, with a type if they have one, and have no effect on verdicts
//! (RFC 9309, 2.2.4; `crates/PERMISSIONS.md`, V1 to V9).

mod address;
mod ai_training;
mod clean_param;
mod schedule;

use std::time::Duration;

use robomata_protocol::{Crawler, License, Place, Span};
use robomata_syntax::Key;

use crate::content_signal::{self, SignalItem};
use crate::content_usage::{self, ContentUsage};
use crate::memento::ArchivedPattern;
use crate::policy::{Group, Name, Policy, range};

pub use address::is_http_url;
pub use ai_training::AiTrainingRule;
pub use clean_param::CleanParam;
pub use schedule::{DayWindow, RequestRate};

/// A record that is not a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The 1-based line of the record.
    pub line: u32,
    /// The kind of record; [`Key::Unknown`] for an unknown key.
    pub key: Key,
    /// The key as written.
    pub written_key: Span,
    /// The value as written.
    pub value: Span,
    /// The group (an index into [`Policy::groups`]) that contains it; `None` outside groups.
    pub group: Option<usize>,
    /// The names that it applies to if it belongs to a group.
    pub(crate) names: (u32, u32),
}

/// The typed value of an [`Extension`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    /// `Crawl-delay`: the time to leave between requests.
    CrawlDelay(Duration),
    /// `Request-rate`: the number of requests per span of time.
    RequestRate(RequestRate),
    /// `Visit-time`: when to visit.
    VisitTime(DayWindow),
    /// `Sitemap`: the location of a sitemap, an absolute http or https URL.
    Sitemap(&'t str),
    /// `Host`: the preferred host, optionally with a scheme and a port.
    Host(&'t str),
    /// `Clean-param`: parameters without effect.
    CleanParam(CleanParam<'t>),
    /// `Noindex`, `DisallowAITraining` or `AllowAITraining`: a path pattern, as written.
    Pattern(&'t [u8]),
    /// `Content-Signal`: the well-formed items, in the order of the line; at least one.
    ContentSignal(Vec<SignalItem<'t>>),
    /// `Content-Usage`: preferences, optionally limited to some paths.
    ContentUsage(ContentUsage<'t>),
    /// `License`: absolute URLs, at least one.
    Licenses(Vec<&'t str>),
    /// `TimeGate`: an absolute http or https URL, or a path.
    TimeGate(&'t str),
    /// `Archived`: the resources of the TimeGate before it.
    Archived(ArchivedPattern<'t>),
    /// The value of an unknown key or of one that is only kept, or a value that is not valid for its key.
    Text(&'t [u8]),
}

/// A `Noindex` record: a pattern of pages to leave out of an index (V8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noindex<'t> {
    /// The path pattern as written; never empty.
    pub pattern: &'t [u8],
    /// The 1-based line of the record.
    pub line: u32,
}

impl Extension {
    /// The value in `text` (the policy's text), typed if it is well-formed.
    pub fn read<'t>(&self, text: &'t [u8]) -> Value<'t> {
        let bytes = self.value.of(text);
        self.typed(bytes).unwrap_or(Value::Text(bytes))
    }

    fn typed<'t>(&self, bytes: &'t [u8]) -> Option<Value<'t>> {
        let text = || std::str::from_utf8(bytes).ok();
        Some(match self.key {
            Key::CrawlDelay => Value::CrawlDelay(schedule::crawl_delay(text()?)?),
            Key::RequestRate => Value::RequestRate(schedule::request_rate(text()?)?),
            Key::VisitTime => Value::VisitTime(schedule::day_window(text()?)?),
            Key::Sitemap => Value::Sitemap(address::http_url(text()?)?),
            Key::Host => Value::Host(address::host(text()?)?),
            Key::CleanParam => Value::CleanParam(clean_param::read(bytes, self.line)?),
            Key::Noindex | Key::DisallowAiTraining | Key::AllowAiTraining => Value::Pattern(bytes),
            Key::ContentSignal => {
                let items: Vec<_> = content_signal::items(bytes, self.line).filter_map(Result::ok).collect();
                (!items.is_empty()).then_some(Value::ContentSignal(items))?
            }
            Key::ContentUsage => Value::ContentUsage(content_usage::record(bytes, self.line)?),
            Key::License => Value::Licenses(address::absolute_urls(text()?)?),
            Key::TimeGate => Value::TimeGate(address::http_url_or_path(text()?)?),
            Key::Archived => Value::Archived(ArchivedPattern::new(bytes)?),
            Key::Schemamap
            | Key::LlmPolicy
            | Key::Agentmap
            | Key::TdmReservation
            | Key::TdmPolicy
            | Key::UserAgent
            | Key::Allow
            | Key::Disallow
            | Key::Acap
            | Key::Unknown => return None,
        })
    }

    /// Whether the record says how often or when to visit.
    pub const fn is_schedule(&self) -> bool {
        matches!(self.key, Key::CrawlDelay | Key::RequestRate | Key::VisitTime)
    }

    /// Whether the record belongs to the group that contains it, and not to the whole file (V1).
    pub const fn is_of_group(&self) -> bool {
        is_of_group(self.key)
    }
}

/// Whether records with this key belong to the group that contains them, and not to the whole file (V1).
pub(crate) const fn is_of_group(key: Key) -> bool {
    matches!(
        key,
        Key::CrawlDelay
            | Key::RequestRate
            | Key::VisitTime
            | Key::Noindex
            | Key::DisallowAiTraining
            | Key::AllowAiTraining
            | Key::ContentSignal
            | Key::ContentUsage
    )
}

impl Policy<'_> {
    /// The sitemaps of the whole file, in file order; they belong to no group (sitemaps.org).
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.values(Key::Sitemap)
            .filter_map(|(value, _)| if let Value::Sitemap(url) = value { Some(url) } else { None })
    }

    /// The preferred hosts, in file order; the first one counts (Yandex).
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.values(Key::Host)
            .filter_map(|(value, _)| if let Value::Host(host) = value { Some(host) } else { None })
    }

    /// The clean-param records of the whole file, in file order, up to a limit for those with stars (V7).
    pub fn clean_params(&self) -> impl Iterator<Item = CleanParam<'_>> {
        let mut with_star = 0;
        self.values(Key::CleanParam)
            .filter_map(|(value, _)| if let Value::CleanParam(params) = value { Some(params) } else { None })
            .filter(move |params| {
                with_star += usize::from(params.has_star());
                !params.has_star() || with_star <= CleanParam::MOST_WITH_STARS
            })
    }

    /// The licences of the whole file, in file order (V6).
    pub fn licenses(&self) -> impl Iterator<Item = License> {
        let urls = self.values(Key::License).flat_map(|(value, line)| match value {
            Value::Licenses(urls) => urls.into_iter().map(|url| (url, line)).collect(),
            _ => Vec::new(),
        });
        let place = Place::RobotsTxt;
        urls.map(move |(url, line)| License { url: url.to_owned(), media_type: None, place, line })
    }

    /// The records that are known but only kept as text: key, value and line, in file order (V11).
    pub fn silent_records(&self) -> impl Iterator<Item = (Key, &[u8], u32)> {
        let silent = self.extensions.iter().filter(|extension| extension.key.is_silent());
        silent.map(|extension| (extension.key, extension.value.of(self.text()), extension.line))
    }

    /// The unknown records, in file order.
    pub fn unknown_records(&self) -> impl Iterator<Item = &Extension> {
        self.extensions.iter().filter(|extension| extension.key == Key::Unknown)
    }

    /// The names that a field of a group applies to: those of the user-agent records directly above it. Names after it
    /// belong to the same group, unless a rule comes between them, but the field does not apply to them (V1).
    pub fn bound_by(&self, field: &Extension) -> &[Name] {
        &self.names[range(field.names)]
    }

    /// The first well-formed crawl-delay that applies to `crawler`.
    pub fn crawl_delay(&self, crawler: &Crawler) -> Option<Duration> {
        self.first_scheduled(crawler, |value| match value {
            Value::CrawlDelay(delay) => Some(delay),
            _ => None,
        })
    }

    /// The first well-formed request rate that applies to `crawler`.
    pub fn request_rate(&self, crawler: &Crawler) -> Option<RequestRate> {
        self.first_scheduled(crawler, |value| match value {
            Value::RequestRate(rate) => Some(rate),
            _ => None,
        })
    }

    /// The first well-formed visit time that applies to `crawler`.
    pub fn visit_time(&self, crawler: &Crawler) -> Option<DayWindow> {
        self.first_scheduled(crawler, |value| match value {
            Value::VisitTime(window) => Some(window),
            _ => None,
        })
    }

    /// The noindex records that apply to `crawler`, except for empty ones, which have no effect (V8).
    pub fn noindex(&self, crawler: &Crawler) -> Vec<Noindex<'_>> {
        self.extensions_for(crawler)
            .filter(|extension| extension.key == Key::Noindex && !extension.value.is_empty())
            .map(|extension| Noindex { pattern: extension.value.of(self.text()), line: extension.line })
            .collect()
    }

    fn values(&self, key: Key) -> impl Iterator<Item = (Value<'_>, u32)> {
        let of_key = move |extension: &&Extension| extension.key == key;
        self.extensions.iter().filter(of_key).map(|extension| (extension.read(self.text()), extension.line))
    }

    fn first_scheduled<T>(&self, crawler: &Crawler, of_type: impl Fn(Value<'_>) -> Option<T>) -> Option<T> {
        self.scheduled(crawler, |extension| of_type(extension.read(self.text()))).next()
    }

    /// The schedules that apply to `crawler`, in file order, as far as `read` returns a value.
    pub(crate) fn scheduled<T>(
        &self,
        crawler: &Crawler,
        read: impl Fn(&Extension) -> Option<T>,
    ) -> impl Iterator<Item = T> {
        self.extensions_for(crawler).filter(|extension| extension.is_schedule()).filter_map(read)
    }

    /// The fields of groups that apply to `crawler`, in file order: those of the groups that it obeys, as far as a name
    /// directly above them names it (V1).
    pub(crate) fn extensions_for(&self, crawler: &Crawler) -> impl Iterator<Item = &Extension> {
        let rules = self.rules_for(crawler);
        // Both are in file order, so one pass over each is enough.
        let chosen: Vec<Group> = rules.groups().iter().map(|&&group| group).collect();
        let mut next = 0;
        // Neighbouring fields apply to the same names.
        let mut last = None;
        self.extensions.iter().filter(move |extension| {
            let Some(group) = extension.group.map(|index| self.groups[index]) else { return false };
            while chosen.get(next).is_some_and(|chosen| chosen.names.0 < group.names.0) {
                next += 1;
            }
            if chosen.get(next) != Some(&group) {
                return false;
            }
            let is_bound = match last {
                Some((names, is_bound)) if names == extension.names => is_bound,
                _ => self.bound_by(extension).iter().any(|name| rules.is_named_by(name, crawler)),
            };
            last = Some((extension.names, is_bound));
            is_bound
        })
    }
}

/// `bytes` without the white space (RFC 9309's WS) around them.
pub(crate) fn trimmed(bytes: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let start = bytes.iter().position(is_part).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_part).map_or(start, |last| last + 1);
    &bytes[start..end]
}
