//! Lists of URLs and logs, in every format but Parquet: text, TSV, CSV, JSON lines, CDX, CDXJ, WARC, access logs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_formats::FrontierFormat;
use robomata_fuzz::{choose, frontier};

const NAMES: [&str; 8] = ["x", "x.tsv", "x.csv", "x.jsonl", "x.cdx", "x.cdxj", "x.warc", "x.csv.gz"];

const FORMATS: [Option<FrontierFormat>; 4] =
    [None, Some(FrontierFormat::Text), Some(FrontierFormat::Csv), Some(FrontierFormat::Tsv)];

// The first byte chooses the name of the file, the second one the format and the column.
fuzz_target!(|data: &[u8]| {
    let Some((&[name, way], bytes)) = data.split_first_chunk() else { return };
    let way = usize::from(way);
    frontier::read(choose(&NAMES, name.into()), bytes, choose(&FORMATS, way), way / 4 % 4);
});
