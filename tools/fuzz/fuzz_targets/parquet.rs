//! Parquet files: captures, URLs and requests. Most of the code is that of another library.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_fuzz::{captures, frontier};

fuzz_target!(|data: &[u8]| {
    captures::read("x.parquet", data);
    frontier::read("x.parquet", data, None, 0);
});
