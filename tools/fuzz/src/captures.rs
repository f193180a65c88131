//! Reads captures from a file, in every way in which commands read them.

use std::path::Path;

use robomata_formats::lines::LineBlocks;
use robomata_formats::warc::WarcReader;
use robomata_formats::{BodyKind, Capture, CaptureSite, FileName, Meter, Origin, capture, input};

use crate::file;

/// The number of entries that are read. Compressed inputs can have any number.
const MOST: usize = 200_000;

/// Readers continue after errors, so they have to end by themselves.
fn assert_ends(entries: usize, bytes: &[u8]) {
    assert!(entries <= bytes.len() + 1 || is_compressed(bytes), "{entries} entries in {} bytes", bytes.len());
}

fn is_compressed(bytes: &[u8]) -> bool {
    const MAGICS: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];
    MAGICS.iter().any(|magic| bytes.windows(magic.len()).any(|window| window == *magic))
}

/// Writes `bytes` to a file with this name, and reads it.
pub fn read(name: &str, bytes: &[u8]) {
    let path = file::write(name, bytes);
    let found: Vec<_> = capture::captures(&path).take(MOST).collect();
    assert_ends(found.len(), bytes);
    for capture in found.iter().flatten() {
        let _ = (BodyKind::of(&capture.body), capture.is_failed(), capture.time);
        assert!(!format!("{:?}", capture.site).is_empty());
    }
    for error in found.iter().filter_map(|capture| capture.as_ref().err()) {
        assert!(!error.to_string().is_empty(), "an error says what is wrong");
    }
    let again: Vec<Capture> = capture::captures(&path).take(MOST).flatten().collect();
    let first: Vec<&Capture> = found.iter().flatten().collect();
    assert!(again.iter().eq(first.iter().copied()), "the same captures when the file is read again");
    let site = CaptureSite::Host("example.com".to_owned());
    for item in capture::captures_with(&path, Some(&site), &Meter::default()).take(MOST) {
        let _ = item.map(|capture| capture.body.len());
    }
    let _ = (capture::holds_captures(&path), capture::is_web_archive(&path));
    read_lines(&path);
    read_records(&path, bytes);
}

fn read_lines(path: &Path) {
    let Ok(blocks) = LineBlocks::open(path) else { return };
    let name = FileName::new(path);
    for block in blocks.take(MOST) {
        let Ok(block) = block else { return };
        for (line, text) in block.numbered_lines().take(1_000) {
            let origin = Origin { file: name.clone(), line: Some(line) };
            let _ = Capture::from_json_line(text, &origin);
        }
    }
}

/// Every record of a web archive, with the fields that anything reads.
fn read_records(path: &Path, bytes: &[u8]) {
    let Ok(mut reader) = WarcReader::open(path) else { return };
    let mut records = 0;
    let mut block = Vec::new();
    while let Some(head) = reader.next() {
        records += 1;
        assert_ends(records, bytes);
        if records > MOST {
            break;
        }
        let Ok(head) = head else { continue };
        let _ = (head.number(), head.offset(), head.record_type(), head.date(), head.record_id());
        let _ = (head.target_uri().map(<[u8]>::len), head.concurrent_to(), head.payload_digest());
        let _ = (
            head.refers_to(),
            head.refers_to_target_uri(),
            head.refers_to_date(),
            head.field(b"Content-Type"),
        );
        block.clear();
        if reader.read_block(1 << 20, &mut block).is_ok() {
            assert!(block.len() <= 1 << 20, "no more of a block than was asked for");
        }
    }
    let _ = input::open(path).map(drop);
}
