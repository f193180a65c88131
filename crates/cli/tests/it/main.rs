//! All integration tests of this crate, in one binary.

mod agents;
mod blast_radius;
mod browser;
mod bundle;
mod bundle_faults;
mod check;
mod debug;
mod dissent;
mod explain;
mod failures;
mod filter;
mod frontiers;
mod input_faults;
mod interrupted;
mod lint;
mod manual;
mod output_faults;
mod permissions;
mod redirects;
mod round_trips;
mod score;
mod sources;
mod sql;
mod support;
mod url_files;
mod usages;
