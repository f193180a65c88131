//! Bytes are counted as files are read; at the end all bytes are counted.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{gzip, response};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use robomata_formats::{Frontier, Meter, Output, capture};

const LINES: u32 = 60_000;

fn write(path: &Path, text: &[u8]) {
    let mut output = Output::create(path).unwrap();
    output.write_all(text).unwrap();
    output.commit().unwrap();
}

fn write_table(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut rows = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    rows.write(&batch).unwrap();
    rows.close().unwrap();
}

fn scattered() -> impl Iterator<Item = u32> {
    (0..LINES).map(|number| number.wrapping_mul(2_654_435_761))
}

fn texts(of: impl Fn(u32) -> String) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(scattered().map(of)))
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

/// Asserts that the count never decreases, is between zero and the total at some time, and equals the total at the end.
#[track_caller]
fn check(meter: &Meter, items: impl Iterator, path: &Path) {
    let total = meter.total().unwrap();
    let (mut last, mut between) = (0, 0);
    for _ in items {
        let read = meter.read();
        assert!(read >= last && read <= total, "{}: {read} after {last} of {total}", path.display());
        between += u32::from(read > 0 && read < total);
        last = read;
    }
    assert!(between > 0, "{}", path.display());
    assert_eq!(meter.read(), total, "{}", path.display());
}

#[test]
fn frontiers_of_every_format_are_counted_to_their_end() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let lines: String = scattered().map(|n| format!("https://a.example/{n}\n")).collect();
    for name in ["urls", "urls.gz", "urls.zst"] {
        write(&at(name), lines.as_bytes());
    }
    let records = (0..3000)
        .map(|n| response(&format!("http://a/{n}"), "2024-05-01T00:00:00Z", "HTTP/1.1 200 OK", &[b'x'; 100]));
    let records: Vec<Vec<u8>> = records.collect();
    write(&at("a.warc"), &records.concat());
    let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    std::fs::write(at("b.warc.gz"), members.concat()).unwrap();
    write_table(
        &at("urls.parquet"),
        vec![("url", texts(|n| format!("https://a.example/{n}"))), ("more", texts(|n| n.to_string()))],
    );
    let whole = std::fs::read(at("urls.gz")).unwrap();
    std::fs::write(at("cut.gz"), &whole[..whole.len() / 2]).unwrap();

    let mut paths: Vec<PathBuf> = Vec::new();
    for name in ["urls", "urls.gz", "urls.zst", "a.warc", "b.warc.gz", "urls.parquet", "cut.gz"] {
        let path = at(name);
        let meter = Meter::of(std::slice::from_ref(&path));
        assert_eq!(meter.total(), Some(size(&path)));
        check(
            &meter,
            Frontier::new([&path]).with_block_size(20_000).with_meter(meter.clone()).blocks(),
            &path,
        );
        paths.push(path);
    }
    // All files together, and from any position.
    let frontier = Frontier::new(&paths).with_block_size(50_000);
    let ends: Vec<_> = frontier.blocks().filter_map(Result::ok).map(|block| block.end).collect();
    for end in ends.into_iter().step_by(10) {
        let meter = Meter::of(&paths);
        let rest = frontier.clone().with_meter(meter.clone()).from_position(end);
        rest.blocks().for_each(drop);
        assert_eq!(Some(meter.read()), meter.total(), "{end:?}");
    }
}

#[test]
fn sources_of_every_kind_are_counted_to_their_end() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let json: String =
        scattered().map(|n| format!("{{\"host\": \"h{n}.example\", \"body\": \"x\"}}\n")).collect();
    // If the names are inconclusive, the first bytes are examined.
    for name in ["a.jsonl", "b.jsonl.gz", "c.jsonl.zst", "sniffed", "sniffed.gz", "sniffed.zst"] {
        write(&at(name), json.as_bytes());
    }
    let tsv: String = scattered().map(|n| format!("h{n}.example\tx\n")).collect();
    write(&at("a.tsv"), format!("host\tbody\n{tsv}").as_bytes());
    let records = (0..3000).map(|n| {
        response(
            &format!("http://h{n}.example/robots.txt"),
            "2024-05-01T00:00:00Z",
            "HTTP/1.1 200 OK",
            &[b'x'; 100],
        )
    });
    write(&at("a.warc"), &records.collect::<Vec<_>>().concat());
    write_table(
        &at("a.parquet"),
        vec![("host", texts(|n| format!("h{n}.example"))), ("body", texts(|n| n.to_string()))],
    );
    std::fs::copy(at("a.parquet"), at("table")).unwrap();
    for name in ["one.example", "two.example", "three.example.gz"] {
        std::fs::create_dir_all(at("sites")).unwrap();
        write(&at("sites").join(name), b"User-agent: *\n");
    }
    std::fs::write(at("sites/.hidden"), "not read").unwrap();
    for name in [
        "a.jsonl",
        "b.jsonl.gz",
        "c.jsonl.zst",
        "sniffed",
        "sniffed.gz",
        "sniffed.zst",
        "a.tsv",
        "a.warc",
        "a.parquet",
        "table",
        "sites",
    ] {
        let path = at(name);
        let meter = Meter::of(std::slice::from_ref(&path));
        check(&meter, capture::captures_with(&path, None, &meter), &path);
    }
}

#[test]
fn a_pipe_has_no_total() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("urls");
    std::fs::write(&path, "four").unwrap();
    assert_eq!(Meter::of(&["-".into(), path.clone()]).total(), None);
    assert_eq!(Meter::of(&["/dev/null".into(), path.clone()]).total(), None);
    assert_eq!(Meter::of(&["missing".into(), path.clone(), path]).total(), Some(8));
    assert_eq!(Meter::of_bytes(7).total(), Some(7));
}
