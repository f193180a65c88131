//! Blocks of whole lines of any size, columns, and frontiers of several files.

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;

use robomata_formats::lines::{MAX_LINE, column, trim_line_end};
use robomata_formats::{FileName, Frontier, LineBlocks};

fn blocks<R: Read>(reader: R, block_size: usize) -> LineBlocks<R> {
    LineBlocks::new(reader, FileName::new("urls"), block_size)
}

/// Every line with its number, after a check that the blocks are contiguous.
fn lines(data: &[u8], block_size: usize) -> Vec<(u64, Vec<u8>)> {
    let (mut lines, mut bytes) = (Vec::new(), Vec::new());
    let mut blocks = blocks(data, block_size);
    while let Some(block) = blocks.next() {
        let block = block.unwrap();
        assert_eq!(block.first_line, lines.len() as u64 + 1);
        assert_eq!(block.lines as usize, block.lines().count());
        assert!(!block.bytes.is_empty());
        bytes.extend_from_slice(&block.bytes);
        lines.extend(block.numbered_lines().map(|(number, line)| (number, line.to_vec())));
        blocks.recycle(block);
    }
    assert_eq!(bytes, data, "block size {block_size}");
    assert_eq!(blocks.dropped_lines(), 0);
    lines
}

#[test]
fn lines_do_not_depend_on_the_block_size() {
    let files: [&[u8]; 9] = [
        b"",
        b"\n",
        b"one",
        b"one\n",
        b"\n\none\n\n",
        b"one\r\ntwo\r\n",
        b"one\ntwo\nthree",
        b"a line that is longer than most blocks here\nb\nanother line that is longer than most blocks",
        b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\n",
    ];
    for file in files {
        let mut expected: Vec<_> = file.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        if expected.last().is_some_and(Vec::is_empty) {
            expected.pop();
        }
        let expected: Vec<_> = (1..).zip(expected).collect();
        for block_size in [0, 1, 2, 3, 5, 8, 13, 43, 44, 45, 1000, usize::MAX] {
            assert_eq!(lines(file, block_size), expected, "block size {block_size}");
        }
    }
}

#[test]
fn blocks_have_about_the_size_asked_for() {
    let data = b"0123456789\n".repeat(1000);
    let sizes: Vec<_> = blocks(&data[..], 100).map(|block| block.unwrap().bytes.len()).collect();
    assert!(sizes.iter().all(|size| size % 11 == 0 && (11..=100).contains(size)), "{sizes:?}");
    assert_eq!(sizes.iter().sum::<usize>(), data.len());
}

#[test]
fn lines_that_are_too_long_are_named_and_skipped() {
    let exact = vec![b'x'; MAX_LINE];
    let long = vec![b'y'; MAX_LINE + 1];
    let data = [b"one\n", exact.as_slice(), b"\n", &long, b"\nfour\n", &long, b"\n", &long].concat();
    let mut blocks = blocks(&data[..], 1 << 20);
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    for block in &mut blocks {
        match block {
            Ok(block) => lines.extend(block.numbered_lines().map(|(number, line)| (number, line.len()))),
            Err(error) => errors.push((error.ends_file(), error.to_string())),
        }
    }
    assert_eq!(lines, [(1, 3), (2, MAX_LINE), (4, 4)]);
    let message =
        |line| (false, format!("urls:{line}: expected a line of at most 64 MiB; the line is skipped"));
    assert_eq!(errors, [message(3), message(5), message(6)]);
    assert_eq!(blocks.dropped_lines(), 3);
}

/// Some data in small pieces, then an error.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("the disk is on fire"));
        }
        let most = buffer.len().min(7);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn an_error_comes_after_the_whole_lines_before_it() {
    for (data, whole, dropped) in
        [("one\ntwo\nthr", 2, 1), ("one\ntwo\n", 2, 0), ("thr", 0, 1), ("", 0, 0), ("one\n\n\n\n", 4, 0)]
    {
        for block_size in [1, 2, 4, 7, 9, 100] {
            let mut blocks = blocks(Failing(data.as_bytes()), block_size);
            let mut lines = 0;
            let error = loop {
                match blocks.next().unwrap() {
                    Ok(block) => lines += u64::from(block.lines),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.to_string(), format!("urls:{}: cannot be read: the disk is on fire", whole + 1));
            assert!(error.ends_file());
            assert_eq!(
                (lines, blocks.dropped_lines()),
                (whole, dropped),
                "{data:?} in blocks of {block_size}"
            );
            assert!(blocks.next().is_none());
        }
    }
}

#[test]
fn an_error_within_a_line_that_is_too_long_is_reported_at_it() {
    let long = vec![b'y'; MAX_LINE + 5000];
    let results: Vec<_> = blocks(io::Read::chain(&long[..], Failing(b"")), 1 << 16).collect();
    let errors: Vec<_> = results.into_iter().map(|result| result.unwrap_err().line()).collect();
    assert_eq!(errors, [Some(1), Some(1)]);

    let data = [long.as_slice(), b"\ntwo\nthr"].concat();
    let texts: Vec<_> = blocks(io::Read::chain(&data[..], Failing(b"")), 1 << 16)
        .map(|result| result.map(|block| block.bytes).map_err(|error| error.line()))
        .collect();
    assert_eq!(texts, [Err(Some(1)), Ok(b"two\n".to_vec()), Err(Some(3))]);
}

#[test]
fn line_ends_are_trimmed_once() {
    for (line, trimmed) in [
        ("", ""),
        ("a", "a"),
        ("a\n", "a"),
        ("a\r", "a"),
        ("a\r\n", "a"),
        ("a\r\r\n", "a\r"),
        ("a\n\n", "a\n"),
        (" a ", " a "),
    ] {
        assert_eq!(trim_line_end(line.as_bytes()), trimmed.as_bytes(), "{line:?}");
    }
}

#[test]
fn columns_count_from_one() {
    let line = b"a\t\tccc";
    assert_eq!(column(line, 0), None);
    assert_eq!(column(line, 1), Some(&b"a"[..]));
    assert_eq!(column(line, 2), Some(&b""[..]));
    assert_eq!(column(line, 3), Some(&b"ccc"[..]));
    assert_eq!(column(line, 4), None);
    assert_eq!(column(b"", 1), Some(&b""[..]));
    assert_eq!(column(b"", 2), None);
}

#[test]
fn a_frontier_numbers_every_line_and_continues_after_a_bad_file() {
    let directory = tempfile::tempdir().unwrap();
    let plain = directory.path().join("a.tsv");
    std::fs::write(&plain, "x\thttp://a/\r\nno tab\n\nx\thttp://b/\tmore\n").unwrap();
    let missing = directory.path().join("missing");
    let packed = directory.path().join("c.tsv.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"y\thttp://c/").unwrap();
    std::fs::write(&packed, encoder.finish().unwrap()).unwrap();

    let frontier = Frontier::new([&plain, &missing, &packed])
        .with_column(NonZeroUsize::new(2).unwrap())
        .with_block_size(10);
    let (mut urls, mut errors) = (Vec::new(), Vec::new());
    let mut blocks = frontier.blocks();
    while let Some(block) = blocks.next() {
        let block = match block {
            Ok(block) => block,
            Err(error) => {
                errors.push(error.to_string());
                continue;
            }
        };
        for line in block.urls() {
            match &line.url {
                Some(url) => urls.push((block.file.as_path().to_owned(), line.number, url.to_vec())),
                None => errors.push(block.missing_url(&line).to_string()),
            }
        }
        blocks.recycle(block);
    }
    let expected = [(&plain, 1, "http://a/"), (&plain, 4, "http://b/"), (&packed, 1, "http://c/")];
    assert_eq!(urls, expected.map(|(path, line, url)| (path.clone(), line, url.into())));
    let missing_column = "expected at least 2 columns, separated by tabs";
    assert_eq!(errors[0], format!("{}:2: {missing_column}", plain.display()));
    assert_eq!(errors[1], format!("{}:3: {missing_column}", plain.display()));
    assert!(errors[2].starts_with(&format!("{}: cannot be read: ", missing.display())), "{errors:?}");
    assert_eq!(errors.len(), 3);
}

#[test]
fn without_a_column_the_whole_line_is_the_url() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("urls.txt");
    std::fs::write(&path, "http://a/ b\r\n\n").unwrap();
    for block in Frontier::new([path]).blocks() {
        let block = block.unwrap();
        let lines: Vec<_> = block.urls().map(|line| (line.number, line.line, line.url)).collect();
        let expected = [(1, &b"http://a/ b\r"[..], Some(b"http://a/ b".into())), (2, b"", Some(b"".into()))];
        assert_eq!(lines, expected);
    }
}

#[test]
fn streams_and_what_they_yield_can_go_to_other_threads() {
    fn goes<T: Send + 'static>() {}
    goes::<robomata_formats::Captures>();
    goes::<robomata_formats::Capture>();
    goes::<robomata_formats::FrontierBlock>();
    goes::<robomata_formats::InputError>();
    goes::<robomata_formats::Output>();
    goes::<LineBlocks>();
    goes::<robomata_formats::urls::FrontierBlocks>();
}
