//! Records of WARC files, in every compression and with every kind of damage.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use crate::support::{Rng, dictionary_frame, gzip, record, response, zstd_frame};
use robomata_formats::warc::{RecordType, WarcReader};
use robomata_formats::{FileName, InputError};
use robomata_testkit::shared::expected_of;

/// A record as target and block.
type Read = Result<(String, Vec<u8>), String>;

fn reader(file: Vec<u8>) -> WarcReader {
    WarcReader::new(Cursor::new(file), &FileName::new("a")).unwrap()
}

fn read(file: Vec<u8>) -> Vec<Read> {
    read_all(reader(file))
}

fn read_all(mut records: WarcReader) -> Vec<Read> {
    let mut all = Vec::new();
    while let Some(head) = records.next() {
        let item = head.and_then(|head| {
            let mut block = Vec::new();
            records.read_block(1 << 20, &mut block)?;
            Ok((String::from_utf8_lossy(head.target_uri().unwrap_or_default()).into_owned(), block))
        });
        all.push(item.map_err(|error: InputError| error.to_string()));
        assert!(all.len() < 1000, "the reader does not end");
    }
    all
}

/// Records of several sizes, with texts that compress and bytes that do not.
fn some_records() -> Vec<Vec<u8>> {
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    (0..12)
        .map(|i| {
            let body: Vec<u8> = match i % 3 {
                0 => format!("User-agent: *\nDisallow: /{i}\n").into_bytes(),
                1 => (0..400).map(|_| u8::try_from(rng.below(256)).unwrap()).collect(),
                _ => b"Disallow: /a\r\n\r\n".repeat(100),
            };
            response(&format!("http://h{i}.com/"), "2024-05-01T00:00:00Z", "HTTP/1.1 200 OK", &body)
        })
        .collect()
}

fn expected(records: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    let all: Vec<_> = read(records.concat()).into_iter().map(Result::unwrap).collect();
    assert_eq!(all.len(), records.len());
    all
}

fn whole(items: Vec<Read>) -> Vec<(String, Vec<u8>)> {
    items.into_iter().map(Result::unwrap).collect()
}

#[test]
fn a_record_has_the_fields_that_are_written() {
    let file = b"WARC/1.0\r\nwarc-type: Response\r\nWARC-Target-URI:\r\n <http://a.com/\r\n\trobots.txt>\r\n\
                 WARC-Date: 2024-05-01T12:00:00Z\r\nWARC-Refers-To-Date: 2023\r\n\
                 WARC-Payload-Digest : sha1:ABCDEFGHIJKLMNOP\r\nContent-Length: 5\r\n\r\nBlock\r\n\r\n";
    let mut records = reader(file.to_vec());
    let head = records.next().unwrap().unwrap();
    assert_eq!((head.number(), head.offset(), head.block_length()), (1, 0, 5));
    assert_eq!(head.record_type(), RecordType::Response);
    assert_eq!(head.target_uri(), Some(&b"http://a.com/ robots.txt"[..]));
    assert_eq!(head.date().unwrap().to_string(), "2024-05-01T12:00:00Z");
    assert_eq!(head.refers_to_date().unwrap().to_string(), "2023-01-01T00:00:00Z");
    assert_eq!(head.refers_to_target_uri(), None);
    assert_eq!(head.payload_digest(), Some(&b"sha1:ABCDEFGHIJKLMNOP"[..]));
    let mut block = Vec::new();
    records.read_block(3, &mut block).unwrap();
    records.read_block(3, &mut block).unwrap();
    assert_eq!(block, b"Blo", "a longer block is cut, and given once");
    assert!(records.next().is_none() && records.next().is_none());
}

#[test]
fn every_compression_gives_the_same_records() {
    let records = some_records();
    let expected = expected(&records);
    let plain = records.concat();
    // Any bytes are valid as a dictionary.
    let dictionary = records[..2].concat();
    let by_record = |encode: &dyn Fn(&[u8]) -> Vec<u8>| {
        records.iter().map(|record| encode(record)).collect::<Vec<_>>().concat()
    };
    let with_dictionary = by_record(&|record| zstd_frame(record, &dictionary));
    let compressed_dictionary = zstd::encode_all(&dictionary[..], 3).unwrap();
    let forms = [
        ("gzip by record", by_record(&gzip)),
        ("gzip whole", gzip(&plain)),
        ("gzip in pieces", plain.chunks(777).map(gzip).collect::<Vec<_>>().concat()),
        ("zstd by record", by_record(&|record| zstd_frame(record, &[]))),
        ("zstd whole", zstd_frame(&plain, &[])),
        (
            "zstd in pieces",
            plain.chunks(777).map(|piece| zstd_frame(piece, &[])).collect::<Vec<_>>().concat(),
        ),
        ("zstd with a dictionary", [dictionary_frame(&dictionary), with_dictionary.clone()].concat()),
        ("and that compressed", [dictionary_frame(&compressed_dictionary), with_dictionary.clone()].concat()),
        (
            "empty members between",
            records.iter().map(|r| [gzip(r), gzip(b"")].concat()).collect::<Vec<_>>().concat(),
        ),
    ];
    for (name, file) in forms {
        assert!(whole(read(file)) == expected, "{name}");
    }
    let without = read(with_dictionary);
    assert!(without.iter().all(Result::is_err), "{without:?}");
}

#[test]
fn offsets_are_those_of_the_members() {
    let records = some_records();
    let offsets = |file: Vec<u8>| reader(file).map(|head| head.unwrap().offset()).collect::<Vec<_>>();
    let starts = |pieces: &[Vec<u8>]| {
        pieces
            .iter()
            .scan(0, |at, piece| {
                let start = *at;
                *at += piece.len() as u64;
                Some(start)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(offsets(records.concat()), starts(&records));
    let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    assert_eq!(offsets(members.concat()), starts(&members));
    assert_eq!(offsets(gzip(&records.concat())), vec![0; records.len()]);
}

#[test]
fn line_ends_may_be_missing_between_records() {
    let record = &some_records()[0];
    let record = record.strip_suffix(b"\r\n\r\n").unwrap();
    for ends in ["", "\n", "\n\n", "\r\n", "\r\n\r\n\r\n", "\n\n\n\n\n\n"] {
        let file = [record, ends.as_bytes(), record, ends.as_bytes()].concat();
        assert_eq!(whole(read(file)).len(), 2, "{ends:?}");
    }
}

/// Asserts that `file` yields `whole` first, and then only records of `all`, in order.
fn check_prefix(file: Vec<u8>, all: &[(String, Vec<u8>)], whole: usize, what: &str) -> usize {
    let items = read(file);
    let good: Vec<_> = items.into_iter().filter_map(Result::ok).collect();
    assert!(good.len() >= whole && good[..whole] == all[..whole], "{what}: {} of {whole}", good.len());
    good.len()
}

#[test]
fn a_file_cut_anywhere_gives_all_records_before_the_cut() {
    let records = some_records();
    type Encode = fn(&[u8]) -> Vec<u8>;
    let encodings: [(&str, Encode); 3] =
        [("plain", <[u8]>::to_vec), ("gzip", gzip), ("zstd", |record| zstd_frame(record, &[]))];
    for (name, encode) in encodings {
        let pieces: Vec<Vec<u8>> = records.iter().map(|record| encode(record)).collect();
        let file = pieces.concat();
        let mut ends: Vec<usize> = Vec::new();
        for piece in &pieces {
            ends.push(ends.last().unwrap_or(&0) + piece.len());
        }
        for cut in (0..file.len()).step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
            let before = ends.iter().filter(|end| **end <= cut).count();
            let items = read(file[..cut].to_vec());
            let errors: Vec<&String> = items.iter().filter_map(|item| item.as_ref().err()).collect();
            let good = items.len() - errors.len();
            assert!(
                good == before || (name == "plain" && good == before + 1),
                "{name} cut at {cut}: {items:?}"
            );
            let at_end = cut == 0 || ends.contains(&cut) || good > before;
            // Fewer than four bytes of a magic number cannot be recognised.
            let expected = usize::from(!at_end);
            assert_eq!(errors.len(), expected, "{name} cut at {cut}: {errors:?}");
            let named = format!("record {}", before + 1);
            assert!(
                errors.iter().all(|error| error.contains(&named) || error.contains("expected a record")),
                "{cut}: {errors:?}"
            );
        }
    }
}

#[test]
fn errors_about_cut_records_give_record_and_offset() {
    let records = some_records();
    let plain = records.concat();
    let third = records[0].len() + records[1].len();
    let message = |file: Vec<u8>| {
        let error = reader(file).find_map(Result::err).unwrap();
        assert!(error.ends_file() && error.is_incomplete(), "{error}");
        error.to_string()
    };
    let length = records[2].len();
    assert_eq!(
        message(plain[..third + 20].to_vec()),
        format!(
            "a: record 3, at byte {third}: expected the rest of the record's head, found the end of the file; no record follows"
        )
    );
    let block = length - 4 - records[2].windows(4).position(|end| end == b"\r\n\r\n").unwrap() - 4;
    assert_eq!(
        message(plain[..third + length - 14].to_vec()),
        format!(
            "a: record 3, at byte {third}: expected a block of {block} bytes, found the end of the file after {} of them; no record follows",
            block - 10
        )
    );
    let member = gzip(&records[0]);
    let cut = [&member[..], &member[..member.len() - 3]].concat();
    assert_eq!(
        message(cut),
        format!(
            "a: record 2, at byte {}: expected the rest of the gzip data, found the end of the file; no record follows",
            member.len()
        )
    );
}

#[test]
fn a_corrupt_member_loses_only_its_own_record() {
    let records = some_records();
    let all = expected(&records);
    type Encode = fn(&[u8]) -> Vec<u8>;
    let encodings: [(&str, Encode); 2] = [("gzip", gzip), ("zstd", |record| zstd_frame(record, &[]))];
    let mut rng = Rng(7);
    for (name, encode) in encodings {
        let pieces: Vec<Vec<u8>> = records.iter().map(|record| encode(record)).collect();
        for _ in 0..1500 {
            let victim = rng.below(pieces.len());
            let mut damaged = pieces.clone();
            let at = rng.below(damaged[victim].len());
            if victim == 0 && at < 4 {
                // These bytes determine the compression of the file.
                continue;
            }
            damaged[victim][at] ^= 1 << rng.below(8);
            let items = read(damaged.concat());
            let good: Vec<_> = items.iter().filter_map(|item| item.as_ref().ok()).collect();
            let rest: Vec<_> =
                all.iter().enumerate().filter(|(i, _)| *i != victim).map(|(_, record)| record).collect();
            let whole: Vec<_> = all.iter().collect();
            assert!(good == rest || good == whole, "{name}: record {victim}, byte {at}: {}", good.len());
            assert!(items.len() <= all.len() + 1, "{name}: one error for one damage");
        }
    }
}

#[test]
fn damage_in_a_file_compressed_as_a_whole_keeps_earlier_records() {
    let records = some_records();
    let plain = records.concat();
    let mut rng = Rng(11);
    for file in [gzip(&plain), zstd_frame(&plain, &[])] {
        for _ in 0..300 {
            let mut damaged = file.clone();
            let at = rng.below(damaged.len());
            damaged[at] ^= 1 << rng.below(8);
            read(damaged);
        }
    }
    // Many blocks of data, and damage near the end.
    let bytes: Vec<u8> = (0..1_200_000).map(|_| b'a' + u8::try_from(rng.below(26)).unwrap()).collect();
    let many = bytes.chunks(4000).map(|body| record(&[("WARC-Type", "resource")], body));
    let plain = many.collect::<Vec<_>>().concat();
    for mut damaged in [gzip(&plain), zstd_frame(&plain, &[])] {
        let at = damaged.len() * 9 / 10;
        damaged[at..at + 8].fill(0xff);
        let mut records = reader(damaged);
        let good = records.by_ref().map_while(Result::ok).count();
        // With gzip, only the checksum at the end of the file reveals some wrong bytes.
        assert!(good >= 230, "{good}");
    }
}

#[test]
fn flips_and_cuts_never_lose_earlier_records() {
    let records = some_records();
    let all = expected(&records);
    let mut rng = Rng(3);
    let plain = records.concat();
    for _ in 0..3000 {
        let mut damaged = plain.clone();
        let first = rng.below(damaged.len());
        damaged[first] ^= 1 << rng.below(8);
        if rng.below(2) == 0 {
            let from = first + rng.below(damaged.len() - first);
            let to = from + rng.below(damaged.len() - from);
            damaged.drain(from..to);
        }
        let mut end = 0;
        let whole = records
            .iter()
            .take_while(|record| {
                end += record.len();
                // Only the first bytes of the next record show that a block is whole.
                end + b"WARC/".len() <= first
            })
            .count();
        check_prefix(damaged, &all, whole, &format!("flip at {first}"));
    }
}

#[test]
fn garbage_between_records_is_reported_and_skipped() {
    let records = some_records();
    let all = expected(&records);
    let (a, b) = (&records[0], &records[1]);
    let file = [a, &b"garbage WARC/1.1\r\n\xff\0\nWARC\n"[..], b].concat();
    // The garbage may be the rest of the block before it.
    let items = read(file.clone());
    let problem = "expected two line ends and the next record after the block of";
    assert!(items[0].as_ref().unwrap_err().starts_with(&format!("a: record 1, at byte 0: {problem}")));
    assert_eq!(items[1].as_ref().unwrap(), &all[1]);
    // Between two members it is not.
    let items = read([gzip(a), gzip(&file[a.len()..])].concat());
    assert_eq!(items[0].as_ref().unwrap(), &all[0]);
    assert_eq!(
        items[1].as_ref().unwrap_err(),
        &format!(
            "a: after record 1, at byte {0}: expected a record (\"WARC/1.1\"); the next record is at byte {0}",
            gzip(a).len(),
        )
    );
    assert_eq!(items[2].as_ref().unwrap(), &all[1]);
    assert_eq!(read(b"no WARC at all\n".to_vec()).len(), 1);
    assert_eq!(read(Vec::new()).len(), 0);
    assert_eq!(read(b"\r\n\r\n".to_vec()).len(), 0);
}

#[test]
fn a_wrong_length_loses_as_little_as_possible() {
    let records = some_records();
    let liar = |length: &str| {
        format!("WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: {length}\r\n\r\nshort\r\n\r\n")
            .into_bytes()
    };
    // A gigabyte: the next member or the file's size shows the error.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    for (file, name) in [
        ([liar("1000000000"), records[0].clone()].concat(), "plain"),
        ([gzip(&liar("1000000000")), gzip(&records[0])].concat(), "gzip"),
        ([liar("18446744073709551615"), records[0].clone()].concat(), "the longest"),
        ([liar("3"), records[0].clone()].concat(), "too short"),
        ([liar("18446744073709551616"), records[0].clone()].concat(), "more than a number holds"),
        ([liar("-1"), records[0].clone()].concat(), "negative"),
        ([liar(""), records[0].clone()].concat(), "none"),
    ] {
        std::fs::write(&path, file).unwrap();
        let items = read_all(WarcReader::open(&path).unwrap());
        assert_eq!(items.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true], "{name}: {items:?}");
    }
}

#[test]
fn a_head_without_an_end_is_an_error() {
    let mut file = b"WARC/1.1\r\nX: ".to_vec();
    file.resize(3 << 20, b'x');
    file.extend_from_slice(b"\n");
    file.extend_from_slice(&record(&[("WARC-Type", "metadata")], b""));
    let items = read(file);
    assert!(items[0].as_ref().unwrap_err().contains("expected a head of at most 1 MiB"), "{items:?}");
    assert_eq!(items.len(), 2);
}

/// Only an empty line ends a head (WARC 1.1, section 4).
#[test]
fn a_line_of_blanks_continues_the_field_before_it() {
    for blank in [" ", "\t", " \t ", " \r"] {
        for end in ["\r\n", "\n"] {
            let head = [
                "WARC/1.1",
                blank,
                "WARC-Type: resource",
                blank,
                "WARC-Target-URI: u",
                blank,
                " v",
                "Content-Length: 2",
                "",
                "ab",
                "",
                "",
            ];
            let items = read(head.join(end).into_bytes());
            let [Ok((uri, block))] = &items[..] else { panic!("{blank:?}: {items:?}") };
            assert_eq!((&**uri, &**block), ("u  v", &b"ab"[..]), "{blank:?}");
        }
    }
}

/// Which record has a field is unknown if the heads of two are mixed.
#[test]
fn a_head_with_a_repeated_field_or_another_line_is_damage() {
    let good = record(&[("WARC-Type", "metadata")], b"");
    let with = |line: &str| {
        let head =
            "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: u\r\nWARC-Date: 2024\r\nWARC-Record-ID: <a>";
        let damaged = format!("{head}\r\n{line}\r\nContent-Length: 2\r\n\r\nab\r\n\r\n");
        let items = read([damaged.as_bytes(), &good].concat());
        assert!(items.last().unwrap().is_ok(), "{line}: {items:?}");
        items.iter().filter_map(|item| item.as_ref().err()).cloned().collect::<Vec<_>>().join("; ")
    };
    let unique = ["WARC-Type", "warc-target-uri", "WARC-Date ", "WARC-Record-ID", "CONTENT-LENGTH"];
    for name in unique {
        assert!(with(&format!("{name}: 2")).contains("once, found it twice"), "{name}");
    }
    for other in [
        "WARC-Concurrent-To: <b>\r\nWARC-Concurrent-To: <c>",
        "X: 1\r\nX: 2",
        "X: WARC/1.1",
        "X:\r\n WARC/1.1",
    ] {
        assert_eq!(with(other), "", "{other}");
    }
    assert!(with("no field").contains("in each other line a field"));
    assert!(with("WARC/1.0").contains("the rest of the record's head, found another record"));
    let version = read([b"WARC/1.WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n", &good[..]].concat());
    assert!(version[0].as_ref().unwrap_err().contains("expected a version"), "{version:?}");
    assert_eq!(version.len(), 2);
}

#[test]
fn a_name_for_gzip_requires_gzip_data() {
    let open = |name: &str| WarcReader::new(Cursor::new(some_records().concat()), &FileName::new(name));
    assert!(open("a.warc").is_ok());
    let error = open("a.warc.gz").err().unwrap().to_string();
    assert_eq!(error, "a.warc.gz: expected gzip data, as its name promises");
    assert!(WarcReader::open(Path::new("no/such/file")).is_err());
}

#[test]
fn every_file_is_read_to_its_end() {
    use RecordType::{Metadata, Request, Resource, Response, Revisit, Warcinfo};
    let ours = [
        ("crawl.warc", vec![(Warcinfo, 1), (Response, 10), (Request, 7), (Metadata, 7)]),
        ("pages.warc", vec![(Warcinfo, 1), (Response, 3), (Request, 4), (Metadata, 3)]),
        ("revisits.warc", vec![(Warcinfo, 1), (Response, 4), (Request, 5), (Revisit, 2)]),
        ("wget.warc", vec![(Warcinfo, 1), (Response, 4), (Resource, 2), (Request, 4)]),
    ];
    let real = [
        (
            "aut__src_test_resources_warc_example.warc.gz",
            vec![(Warcinfo, 1), (Response, 299), (Request, 261), (Metadata, 261)],
        ),
        (
            "chatnoir-resiliparse__tests_data_warcfile.warc.gz",
            vec![(Warcinfo, 1), (Response, 16), (Request, 17), (Metadata, 16)],
        ),
        (
            "incubator-stormcrawler__external_warc_src_test_resources_test.warc.gz",
            vec![(Warcinfo, 2), (Response, 18), (Request, 20), (Revisit, 2)],
        ),
        (
            "ipwb__samples_warcs_sample-1.warc.gz",
            vec![(Warcinfo, 1), (Response, 70), (Request, 75), (Metadata, 75), (Revisit, 10)],
        ),
        (
            "webarchive-commons__src_test_resources_org_archive_format_warc_IAH-urls-wget.warc",
            vec![(Warcinfo, 1), (Response, 16), (Resource, 3), (Request, 16)],
        ),
        ("whirlwind-python__whirlwind.warc", vec![(Warcinfo, 1), (Response, 1), (Request, 1), (Metadata, 1)]),
    ];
    for (path, counts) in expected_of("warc", ours, real) {
        let name = path.display();
        let mut found = BTreeMap::new();
        let mut records = WarcReader::open(&path).unwrap();
        let mut block = Vec::new();
        while let Some(head) = records.next() {
            let head = head.unwrap();
            *found.entry(head.record_type()).or_insert(0) += 1;
            assert!(head.date().is_some() && head.number() > 0, "{name}");
            block.clear();
            records.read_block(64 << 20, &mut block).unwrap();
            assert_eq!(block.len() as u64, head.block_length(), "{name}");
        }
        assert_eq!(found, counts.into_iter().collect(), "{name}");
    }
}
