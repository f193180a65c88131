//! Compares the engine with the reference.
//!
//! * [`engines`]: every configuration of the engine, each compared with the reference.
//! * [`blocks`]: blocks of many URLs over many sites, in every way in which a bundle can be checked.
//! * [`generated`]: questions generated from a seed.
//! * [`night`]: all of these questions, many URLs for each file, with counts that add up over runs.
//! * [`planted`]: errors in the engine that `night` must find.
//! * [`mutants`]: small changes of the engine that a test or `night` must notice.
//! * [`costs`]: the time and memory of every command on adversarial files.
//! * [`fuzz`]: a search for the rules and the URL that need the most steps.
//! * [`corpus`]: real robots.txt files and real URLs, with the verdicts of Google's parser.
//! * [`refresh`]: crawlers that fetch the files of real hosts again, with and without a plan.
//! * [`score`]: logs of generated requests to real hosts, scored by the robots.txt file of the host at the time of the
//!   request.
//!
//! A divergence is shrunk and printed as a conformance case, ready to be committed with its explanation.

#[cfg(feature = "commands")]
pub mod blocks;
#[cfg(feature = "commands")]
pub mod columns;
#[cfg(feature = "commands")]
pub mod corpus;
#[cfg(feature = "commands")]
pub mod costs;
pub mod engines;
#[cfg(feature = "commands")]
pub mod fuzz;
#[cfg(feature = "commands")]
pub mod generated;
#[cfg(feature = "commands")]
pub mod mutants;
#[cfg(feature = "commands")]
pub mod night;
pub mod permissions;
#[cfg(feature = "commands")]
pub mod planted;
#[cfg(feature = "commands")]
pub mod refresh;
#[cfg(feature = "commands")]
pub mod refresh_chart;
#[cfg(feature = "commands")]
mod results_file;
#[cfg(feature = "commands")]
pub mod score;
pub mod usages;
