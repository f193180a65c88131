//! Captures of robots.txt files in every format but Parquet: JSON lines, TSV, WARC, single files, compressed or not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_fuzz::{captures, choose};

/// The name decides about the format. One without an extension leaves it to the bytes.
const NAMES: [&str; 9] =
    ["x", "x.jsonl", "x.tsv", "x.warc", "x.jsonl.gz", "x.warc.gz", "x.tsv.zst", "x.warc.zst", "example.com"];

// The first byte chooses the name.
fuzz_target!(|data: &[u8]| {
    let Some((&first, bytes)) = data.split_first() else { return };
    captures::read(choose(&NAMES, first.into()), bytes);
});
