//! The model of one robots.txt.
//!
//! Records become groups and rules (RFC 9309, sections 2.1 to 2.2.4). All other records become typed [`Extension`]s,
//! which never end a group and never change a verdict. The result of the fetch becomes a
//! [`FetchOutcome`](robomata_protocol::FetchOutcome) (2.3.1). [`Policy::rules_for`] returns the [`RuleSet`] that a
//! crawler must obey.
//!
//! This crate also reads statements about usages beyond crawling ([`Policy::content_signal`],
//! [`Policy::content_usage`], [`Policy::noindex`], [`Policy::ai_training`], [`Policy::licenses`]), the site's
//! tdmrep.json ([`TdmRep`]), and Memento's announcements
//! ([`Policy::time_gates`], [`Policy::mementos`]). It returns them as written, in the same way in every dialect.
//! Another crate decides which of them apply to a URL.
//!
//! The model keeps a pattern's bytes as written. It knows neither automata nor percent-encoding.
//!
//! ```
//! use robomata_policy::{Choice, Policy};
//! use robomata_protocol::{Crawler, Dialect};
//! use robomata_syntax::Config;
//!
//! let policy = Policy::new(b"User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nDisallow: /x", &Config::new(Dialect::Rfc9309));
//! let rules = policy.rules_for(&Crawler::new("FooBot-News,FooBot"));
//! assert_eq!(rules.choice(), Choice::Own(b"FooBot"));
//! let patterns: Vec<&[u8]> = rules.rules().map(|rule| rule.pattern.of(policy.text())).collect();
//! assert_eq!(patterns, [b"/x"]);
//! ```

pub mod acap;

mod build;
mod choose;
mod content_signal;
pub mod content_usage;
mod dot_segments;
mod extension;
mod fetch;
mod header_lines;
mod joined;
mod memento;
mod pace;
mod policy;
mod statement;
mod tdmrep;
mod user_agent;

#[cfg(feature = "lifecycle")]
pub mod lifecycle;

pub use choose::{Choice, NamedRules, RuleSet, can_be_named, compared_token};
pub use content_signal::{ContentSignal, SignalItem, SignalStatement, SignalValue};
pub use content_usage::{ContentUsage, Preference, UsageItem, UsageStatement};
pub use dot_segments::without_dot_segments;
pub use extension::{
    AiTrainingRule, CleanParam, DayWindow, Extension, Noindex, RequestRate, Value, is_http_url,
};
pub use fetch::outcome;
pub use header_lines::{BadHeaderLine, HeaderLine, ResponseHead};
pub use joined::JoinedField;
pub use memento::{Archived, ArchivedPattern, Mementos, TimeGate};
pub use pace::{
    Adjustment, Delay, DelayLimits, DelayLimitsError, DelaySource, LimitedDelay, Pace, Schedule,
    ScheduleRecord, ScheduleValue, Schedules,
};
pub use policy::{Group, Name, Policy, Rule};
pub use statement::{Address, LocalStatement, PageStatements, Says, Statement, unknown_usages};
pub use tdmrep::{TdmProblem, TdmRep, TdmRule, TdmStatement};
pub use user_agent::{CrawlerNameError, NamedCrawler, crawler_of_user_agent, read_crawler};
