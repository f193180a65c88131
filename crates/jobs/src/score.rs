//! Requests out of logs, judged by the robots.txt in force at their time.
//!
//! [`agents::Agents`] names the crawler behind a User-Agent, [`Judge`] says what a request was. Requests come from
//! [`robomata_formats::log`].

pub mod agents;
mod force;
mod judge;

pub use force::{Evidence, TimeTravel};
pub use judge::{Judge, Judgement};
