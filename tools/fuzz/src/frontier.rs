//! Reads URLs and requests from a file, in every way in which commands read them.

use std::num::NonZeroUsize;

use robomata_formats::cdx::{CdxColumns, cdxj_columns, cdxj_record, is_cdxj_header, url_of_key};
use robomata_formats::log::{LogFormat, LogLine, LogReader, detect};
use robomata_formats::{
    Frontier, FrontierBlock, FrontierContent, FrontierFormat, FrontierPosition, InputError,
};

use crate::file;

/// The number of blocks that are read. Compressed inputs can have any number.
const MOST: usize = 50_000;

/// A URL with the number of its line.
type Numbered = (u64, Option<Vec<u8>>);

/// Writes `bytes` to a file with this name, and reads it as URLs and as a log.
pub fn read(name: &str, bytes: &[u8], format: Option<FrontierFormat>, column: usize) {
    let path = file::write(name, bytes);
    let mut frontier = Frontier::new([&path]);
    if let Some(format) = format {
        frontier = frontier.with_format(format);
    }
    if let Some(column) = NonZeroUsize::new(column) {
        frontier = frontier.with_column(column);
    }
    let Some((whole, positions)) = urls(&frontier) else { return read_log(&path, bytes) };
    // What is read does not depend on the size of the blocks, nor on where an earlier run stopped.
    for size in [1, 17, 4_096] {
        let Some((in_blocks, _)) = urls(&frontier.clone().with_block_size(size)) else { continue };
        assert!(in_blocks == whole, "in blocks of {size} bytes {in_blocks:?}, not {whole:?}");
    }
    let small = urls(&frontier.clone().with_block_size(64)).map(|(_, positions)| positions);
    for (position, read) in positions.into_iter().chain(small.into_iter().flatten()).take(12) {
        let Some((rest, _)) = urls(&frontier.clone().from_position(position)) else { continue };
        assert!(rest == whole[read..], "from {position:?} on {rest:?}, not {:?}", &whole[read..]);
    }
    let _ = frontier.clone().requiring_urls(|url| url.contains(&b':')).require_urls();
    read_log(&path, bytes);
}

/// All URLs, and after each block its end and the number of lines up to it. `None` if the file has too many, or if its end
/// cannot be read: how much comes before that depends on the buffers of the decoder.
fn urls(frontier: &Frontier) -> Option<(Vec<Numbered>, Vec<(FrontierPosition, usize)>)> {
    let (mut urls, mut positions, mut is_whole) = (Vec::new(), Vec::new(), true);
    for (count, block) in frontier.blocks().enumerate() {
        match block {
            Ok(block) => {
                push_urls(&block, &mut urls);
                positions.push((block.end, urls.len()));
            }
            Err(error) => {
                assert!(!error.to_string().is_empty(), "an error says what is wrong");
                is_whole &= !error.ends_file();
            }
        }
        if count == MOST {
            return None;
        }
    }
    is_whole.then_some((urls, positions))
}

fn push_urls(block: &FrontierBlock, urls: &mut Vec<Numbered>) {
    assert!(block.is_empty() == (block.len() == 0));
    if let FrontierContent::Lines(lines) = &block.content {
        let _ = (lines.layout().names().len(), lines.layout().header().len());
    }
    for line in block.urls() {
        if line.url.is_none() {
            let _: InputError = block.missing_url(&line);
        }
        urls.push((line.number, line.url.as_ref().map(|url| url.to_vec())));
    }
}

fn read_log(path: &std::path::Path, bytes: &[u8]) {
    for format in LogFormat::ALL.into_iter().map(Some).chain([None]) {
        if matches!(format, Some(LogFormat::Parquet)) {
            continue;
        }
        for block in Frontier::of_logs([path], format).blocks().take(MOST) {
            let Ok(block) = block else { continue };
            let mut urls = Vec::new();
            push_urls(&block, &mut urls);
        }
    }
    let lines = || bytes.split(|&byte| byte == b'\n').take(200);
    let detected = detect(lines()).map(|found| found.reader);
    let named =
        LogFormat::ALL.into_iter().filter(|format| !matches!(format, LogFormat::Parquet | LogFormat::Warc));
    for reader in named.map(|format| LogReader::new(format, lines())).chain(detected) {
        for line in lines() {
            match reader.read(line) {
                Ok(LogLine::Entry(entry)) => assert!(!format!("{entry:?}").is_empty()),
                Ok(LogLine::Aside(_)) => {}
                Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
            }
        }
    }
    let columns = lines().next().and_then(CdxColumns::of_header).unwrap_or_default();
    for line in lines() {
        let _ = (columns.url(line), columns.record(line).is_some(), cdxj_record(line).is_some());
        let _ = (cdxj_columns(line), is_cdxj_header(line), url_of_key(line));
    }
}
