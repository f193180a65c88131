//! Parquet files: captures, URLs and requests. Most of the code is that of another library.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_fuzz::{captures, frontier};

fuzz_target!(
    // A panic of the library is an error for our readers, as in the command, and not a finding.
    init: robomata_formats::silence_caught_panics(),
    |data: &[u8]| {
        captures::read("x.parquet", data);
        frontier::read("x.parquet", data, None, 0);
    }
);
