//! Compares the engine with the reference.
//!
//! * [`engines`]: every way in which the engine answers a question, each to be held against the reference.
//! * [`generated`]: questions made up from a seed.
//! * [`fuzz`]: a search for the rules and the URL that need the most steps.
//! * [`corpus`]: real robots.txt files and real URLs, and the verdicts of Google's parser on them.
//! * [`score`]: logs of made-up requests to real hosts, scored by the robots.txt files that these had at the time.
//!
//! A divergence is shrunk and printed as a conformance case, ready to be committed with its explanation.

pub mod columns;
pub mod corpus;
pub mod engines;
pub mod fuzz;
pub mod generated;
pub mod permissions;
pub mod score;
pub mod usages;
