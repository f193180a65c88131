//! All integration tests of this crate, in one binary.

mod capture;
mod corpora;
mod frontier;
mod input;
mod lines;
mod logs;
mod meter;
mod output;
mod redirects;
mod support;
mod tables;
mod warc;
mod warc_captures;
mod warc_waiting;
