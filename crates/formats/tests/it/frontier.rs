//! Whole indexes and archives as frontiers, ours and real ones if available, and positions in frontiers.

use std::io::Write;
use std::path::PathBuf;

use robomata_formats::{Frontier, FrontierBlock, FrontierContent, InputError, Output, cdx};
use robomata_testkit::shared::expected_of;

fn urls(block: &FrontierBlock) -> impl Iterator<Item = Option<String>> {
    block.urls().map(|line| line.url.map(|url| String::from_utf8_lossy(&url).into_owned()))
}

/// The URLs of blocks, each with the number of its line.
fn numbered(blocks: &[FrontierBlock]) -> Vec<(u64, Option<String>)> {
    blocks.iter().flat_map(|block| block.urls().map(|line| line.number).zip(urls(block))).collect()
}

/// From the end of each of its blocks, a frontier continues with the next one.
fn require_resumes(frontier: &Frontier, blocks: &[FrontierBlock]) {
    for (index, block) in blocks.iter().enumerate() {
        let rest = frontier.clone().from_position(block.end).blocks();
        let rest: Vec<FrontierBlock> = rest.map(Result::unwrap).collect();
        assert_eq!(numbered(&rest), numbered(&blocks[index + 1..]), "after {:?}", block.end);
    }
}

/// The indexes of archives, with the numbers of their lines that are not headers.
fn indexes() -> Vec<(PathBuf, usize)> {
    let webcurator = "webcurator__es_org_webcurator_core_store_archiveFiles_IAH-20240708230933685-00000-1087998~dia~8443.cdx";
    expected_of(
        "cdx",
        [("crawl.cdx", 20), ("crawl.cdxj", 21), ("keys.cdxj", 10)],
        [
            ("ipwb__samples_indexes_sample-1.cdxj", 65),
            ("pywb__sample_archive_cdxj_iana.cdxj", 171),
            (webcurator, 172),
        ],
    )
}

#[test]
fn every_line_of_an_index_has_a_url() {
    for (path, expected) in indexes() {
        let mut count = 0;
        for block in Frontier::new([&path]).blocks() {
            for url in urls(&block.unwrap()) {
                let url = url.unwrap_or_else(|| panic!("{}", path.display()));
                let is_url = ["http://", "https://", "dns:", "warcinfo:", "metadata:", "whois:"];
                assert!(is_url.iter().any(|scheme| url.starts_with(scheme)), "{}: {url}", path.display());
                count += 1;
            }
        }
        assert_eq!(count, expected, "{}", path.display());
    }
}

#[test]
fn every_line_of_an_index_has_a_time() {
    for (path, expected) in indexes() {
        let text = std::fs::read(&path).unwrap();
        let mut lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).peekable();
        let columns = lines.peek().and_then(|line| cdx::CdxColumns::of_header(line));
        let mut count = 0;
        for line in lines.filter(|line| !cdx::is_cdxj_header(line) && !line.starts_with(b" CDX")) {
            let record = match &columns {
                Some(columns) => columns.record(line),
                None => cdx::cdxj_record(line),
            };
            let record = record.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(line)));
            assert!(record.time.is_some() && record.mime.is_some(), "{record:?}");
            count += 1;
        }
        assert_eq!(count, expected, "{}", path.display());
    }
}

/// The expected numbers are those of requests, responses, resources and revisits, without look-ups of hosts.
#[test]
fn archives_have_target_uris() {
    let ours = [("crawl.warc", 14), ("pages.warc", 7), ("revisits.warc", 10), ("wget.warc", 10)];
    let real = [
        ("aut__src_test_resources_warc_example.warc.gz", 522),
        ("chatnoir-resiliparse__tests_data_warcfile.warc.gz", 33),
        ("incubator-stormcrawler__external_warc_src_test_resources_test.warc.gz", 40),
        ("ipwb__samples_warcs_sample-1.warc.gz", 150),
        ("webarchive-commons__src_test_resources_org_archive_format_warc_IAH-urls-wget.warc", 35),
        ("whirlwind-python__whirlwind.warc", 2),
    ];
    for (path, expected) in expected_of("warc", ours, real) {
        let blocks = Frontier::new([&path]).blocks();
        let count: usize = blocks.map(|block| urls(&block.unwrap()).flatten().count()).sum();
        assert_eq!(count, expected, "{}", path.display());
    }
}

#[test]
fn a_frontier_resumes_from_the_end_of_any_block() {
    let directory = tempfile::tempdir().unwrap();
    let tsv: String = (0..500).map(|number| format!("{number}\thttps://a.example/{number}\r\n")).collect();
    let tsv = format!("id\turl\n{tsv}last");
    let cdxj: String =
        (0..300).map(|n| format!("example,a)/{n} 20240708230936 {{\"mime\": \"x\"}}\n")).collect();
    let warc: String = (0..100)
        .map(|n| {
            format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/{n}\r\nContent-Length: 1\r\n\r\nx\r\n\r\n")
        })
        .collect();
    let files = [
        ("a.tsv", tsv.clone()),
        ("b.tsv.gz", tsv.clone()),
        ("c.cdxj.zst", format!("!meta {{}}\n{cdxj}")),
        ("d.warc", warc),
        ("e.tsv", tsv),
    ];
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, text)| {
            let path = directory.path().join(name);
            let mut output = Output::create(&path).unwrap();
            output.write_all(text.as_bytes()).unwrap();
            output.commit().unwrap();
            path
        })
        .collect();
    let frontier = Frontier::new(paths).with_block_size(1000);
    let blocks: Vec<FrontierBlock> = frontier.blocks().map(Result::unwrap).collect();
    assert_eq!(numbered(&blocks).len(), 501 * 3 + 300 + 100);
    require_resumes(&frontier, &blocks);
}

#[test]
fn a_record_without_a_target_is_an_error_among_urls() {
    let record = |field: &str| {
        format!("WARC/1.0\r\nWARC-Type: response\r\n{field}\r\nContent-Length: 1\r\n\r\nx\r\n\r\n")
    };
    let [first, bad, last] =
        ["WARC-Target-URI: http://a/1", "X: y", "WARC-Target-URI: http://a/2"].map(record);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    std::fs::write(&path, [first, bad, last].concat()).unwrap();
    let frontier = Frontier::new([&path]);
    let items: Vec<_> = frontier.blocks().collect();
    let [Ok(first), Err(error), Ok(last)] = &items[..] else { panic!("{items:?}") };
    assert!(
        error.to_string().contains("record 2, ") && error.to_string().contains("WARC-Target-URI"),
        "{error}"
    );
    assert!(!error.ends_file() && !error.is_incomplete());
    assert_eq!((urls(first).count(), urls(last).count()), (1, 1));
    let rest: Vec<_> = frontier.clone().from_position(first.end).blocks().collect();
    let [Err(_), Ok(again)] = &rest[..] else { panic!("{rest:?}") };
    assert_eq!(again.end, last.end);
    assert!(frontier.from_position(last.end).blocks().next().is_none());
}

#[test]
fn positions_are_right_around_lines_that_are_too_long() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("urls");
    let long = "x".repeat(robomata_formats::lines::MAX_LINE + 10);
    std::fs::write(&path, format!("http://a/1\n{long}\nhttp://a/2\nhttp://a/3\n")).unwrap();
    let frontier = Frontier::new([&path]);
    let items: Vec<_> = frontier.blocks().collect();
    assert_eq!(items.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let first = items[0].as_ref().unwrap();
    let rest: Vec<_> = frontier.from_position(first.end).blocks().collect();
    assert_eq!(rest.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
    assert_eq!(rest[1].as_ref().unwrap().end, items[2].as_ref().unwrap().end);
    assert_eq!(urls(rest[1].as_ref().unwrap()).count(), 2);
}

/// The records of a file with this `text`, with their numbers.
fn records(name: &str, text: &str, block_size: usize) -> Vec<(u64, String, Option<String>)> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    let blocks = Frontier::new([&path]).with_block_size(block_size).blocks();
    let blocks: Vec<FrontierBlock> = blocks.map(Result::unwrap).collect();
    let of = |block: &FrontierBlock| -> Vec<(u64, String, Option<String>)> {
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        block.urls().map(|line| (line.number, text(line.line), line.url.as_deref().map(text))).collect()
    };
    blocks.iter().flat_map(of).collect()
}

#[test]
fn records_of_csv_do_not_depend_on_the_block_size() {
    let text = "\u{feff}id,url\n1,\"https://a/\"\"x\n\"\"\"\n\n2,https://a/y\"z\n3,\"https://a/ä,b\"\r\n\"4\n\n\",https://a/4";
    let all = records("a.csv", text, 1 << 20);
    let expected = [
        (2, "1,\"https://a/\"\"x\n\"\"\"", None),
        (4, "", None),
        (5, "2,https://a/y\"z", Some("https://a/y\"z")),
        (6, "3,\"https://a/ä,b\"\r", Some("https://a/ä,b")),
        (7, "\"4\n\n\",https://a/4", Some("https://a/4")),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(number, line, url)| (number, line.to_owned(), url.map(str::to_owned)))
        .collect();
    assert_eq!(all, expected);
    let after_mark = "\u{feff}\n\"https://a/1\"\n\u{feff}\"https://a/\n2\"\n\u{feff}\u{feff}\"https://a/3\"";
    let urls: Vec<_> =
        records("a.csv", after_mark, 1 << 20).into_iter().map(|(number, _, url)| (number, url)).collect();
    let expected = [(1, Some("")), (2, Some("https://a/1")), (3, None), (5, Some("\u{feff}\"https://a/3\""))];
    assert_eq!(urls, expected.map(|(number, url)| (number, url.map(str::to_owned))));
    for text in [text, after_mark] {
        let all = records("a.csv", text, 1 << 20);
        for block_size in 1..text.len() {
            assert_eq!(records("a.csv", text, block_size), all, "{block_size}: {text:?}");
        }
    }
}

#[test]
fn the_header_of_cdxj_does_not_depend_on_the_block_size() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.cdxj");
    let header = "!context []\n!meta {}\n!\n";
    let rest = "a,b)/ 20200101000000 {\"url\": \"https://b.a/\"}\n!late\nno\n";
    for (text, header) in [
        (format!("{header}{rest}"), header.to_owned()),
        (format!("\u{feff}{header}{rest}"), format!("\u{feff}{header}")),
        (rest.to_owned(), String::new()),
        (header.to_owned(), header.to_owned()),
    ] {
        std::fs::write(&path, &text).unwrap();
        for block_size in [1, 5, 12, 13, 21, 25, 30, 1 << 20] {
            let frontier = Frontier::new([&path]).with_block_size(block_size);
            let blocks: Vec<FrontierBlock> = frontier.blocks().map(Result::unwrap).collect();
            let first = 1 + header.lines().count() as u64;
            let mut expected =
                vec![(first, Some("https://b.a/".to_owned())), (first + 1, None), (first + 2, None)];
            expected.truncate(text.lines().count() - header.lines().count());
            assert_eq!(numbered(&blocks), expected, "{text:?} in blocks of {block_size}");
            for block in &blocks {
                let FrontierContent::Lines(lines) = &block.content else { panic!("CDXJ has lines") };
                assert_eq!(lines.layout().header(), header.as_bytes(), "{text:?} in blocks of {block_size}");
            }
            require_resumes(&frontier, &blocks);
        }
    }
}

#[test]
fn an_error_within_the_header_of_cdxj_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.cdxj");
    let long = "x".repeat(robomata_formats::lines::MAX_LINE + 10);
    std::fs::write(&path, format!("!a\n{long}\n!b\na,b)/ 20200101000000 {{\"url\": \"https://b.a/\"}}\n"))
        .unwrap();
    let frontier = Frontier::new([&path]);
    let items: Vec<_> = frontier.blocks().collect();
    assert_eq!(items.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let header = items[0].as_ref().unwrap();
    assert!(header.is_empty() && header.is_first);
    assert_eq!(urls(items[2].as_ref().unwrap()).collect::<Vec<_>>(), [None, Some("https://b.a/".to_owned())]);
    let rest: Vec<_> = frontier.from_position(header.end).blocks().collect();
    assert_eq!(rest.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn csv_resumes_from_the_end_of_any_block() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.csv");
    let records: String =
        (0..300).map(|n| format!("{n};\"a \"\"b\n;\"\"\";https://a/{n}\n{n};;\"https://a/{n}\"\n")).collect();
    std::fs::write(&path, format!("id;\"some\nnote\";link\n{records}")).unwrap();
    let frontier = Frontier::new([&path]).with_block_size(100);
    let blocks: Vec<FrontierBlock> = frontier.blocks().map(Result::unwrap).collect();
    assert!(numbered(&blocks).len() == 600 && numbered(&blocks).iter().all(|(_, url)| url.is_some()));
    assert_eq!(numbered(&blocks)[0].0, 3);
    require_resumes(&frontier, &blocks);
}

#[test]
fn a_read_error_is_incomplete_and_a_missing_column_is_a_mistake() {
    let directory = tempfile::tempdir().unwrap();
    // Reading a directory fails like reading from a broken disk.
    let error = Frontier::new([directory.path()]).blocks().next().unwrap().unwrap_err();
    assert!(error.is_incomplete() && error.ends_file() && !error.is_mistake(), "{error}");
    let path = directory.path().join("urls");
    std::fs::write(&path, "a\nb\n").unwrap();
    let frontier = Frontier::new([&path]).requiring_urls(|text| text.starts_with(b"https://"));
    let error = frontier.require_urls().unwrap_err();
    assert!(error.is_mistake() && error.ends_file() && !error.is_incomplete(), "{error}");
    assert!(frontier.blocks().all(|block| block.is_err()), "nothing of it is returned");
}

#[test]
fn urls_have_no_blanks_around_them_and_no_control_characters() {
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| -> Vec<Option<String>> {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        Frontier::new([path]).blocks().flat_map(|block| urls(&block.unwrap()).collect::<Vec<_>>()).collect()
    };
    let url = || Some("https://a.example/x.pdf".to_owned());
    for text in
        ["https://a.example/x.pdf ", " \thttps://a.example/x.pdf\t \r\n", "https://a.example/x.pdf\r\n"]
    {
        assert_eq!(read("urls.txt", text), [url()], "{text:?}");
    }
    for control in (0..0x20).chain([0x7F]).map(char::from).filter(|&control| control != '\n') {
        let text = format!("https://a.example/x.pdf{control}200");
        assert_eq!(read("urls.txt", &text), [None], "{text:?}");
    }
    assert_eq!(
        read(
            "urls.csv",
            "url,k\n\" https://a.example/x.pdf \",1\n\"https://a.example/1\nhttps://a.example/x\",2\n"
        ),
        [url(), None]
    );
    assert_eq!(
        read(
            "urls.jsonl",
            "{\"url\":\"https:\\/\\/a.example/x.pdf \"}\n{\"url\":\"https://a.example/x\\u0000\"}\n"
        ),
        [url(), None]
    );
    assert_eq!(
        read("urls.tsv", "https://a.example/x.pdf \t200\nhttps://a.example/\u{1}\t1\n"),
        [url(), None]
    );
}

#[test]
fn an_error_quotes_a_url_with_control_characters() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("urls");
    std::fs::write(&path, "https://a.example/\rhttps://b.example/\n").unwrap();
    let block = Frontier::new([path]).blocks().next().unwrap().unwrap();
    let line = block.urls().next().unwrap();
    assert!(block.missing_url(&line).to_string().ends_with(
        "urls:1: expected a URL without control characters, found \"https://a.example/\\rhttps://b.example/\""
    ));
}

/// An index whose last line was cut ends early, and continues there when it is whole.
#[test]
fn an_index_or_json_that_was_cut_ends_before_its_last_line() {
    let directory = tempfile::tempdir().unwrap();
    let cdx = " CDX N b a m s\ncom,a)/1 20240708230936 https://a.com/1 text/html 200\n";
    let cdxj = "com,a)/1 20240708230936 {\"url\": \"https://a.com/1\"}\n";
    for (name, text, cut, rest) in [
        ("a.cdx", cdx, "com,a)/private 20240708230936 https://a.com/priv", "ate text/html 200"),
        (
            "b.cdx",
            &cdx.replace(" s\n", " s\n\n"),
            "com,a)/private 20240708230936",
            " https://a.com/private - 200",
        ),
        ("a.cdxj", cdxj, "com,a)/priv", "ate 20240708230936 {\"url\": \"https://a.com/private\"}"),
        ("b.cdxj", cdxj, "com,a)/private 20240708230936 {\"url\": \"https://a.com/priv", "ate\"}"),
        (
            "c.cdxj",
            cdxj,
            "com,a)/private 20240708230936 {\"mime\": \"x\"",
            ", \"url\": \"https://a.com/private\"}",
        ),
        ("a.jsonl", "{\"url\": \"https://a.com/1\"}\n", "{\"url\": \"https://a.com/priv", "ate\"}"),
        ("b.jsonl", "{\"url\": \"https://a.com/1\"}\n", "{\"url\": \"https://a.com/private\"", "}"),
    ] {
        let path = directory.path().join(name);
        for block_size in [1, 80, 1 << 20] {
            std::fs::write(&path, format!("{text}{cut}")).unwrap();
            let frontier = Frontier::new([&path]).with_block_size(block_size);
            let mut items: Vec<_> = frontier.blocks().collect();
            let error = items.pop().unwrap().unwrap_err();
            assert!(error.is_incomplete() && error.ends_file(), "{error}");
            assert_eq!(error.line(), Some(text.lines().count() as u64 + 1), "{name}");
            let blocks: Vec<FrontierBlock> = items.into_iter().map(Result::unwrap).collect();
            let found: Vec<String> = blocks.iter().flat_map(urls).flatten().collect();
            assert_eq!(found, ["https://a.com/1"], "{name} in blocks of {block_size}");

            std::fs::write(&path, format!("{text}{cut}{rest}")).unwrap();
            let rest = frontier.from_position(blocks.last().unwrap().end).blocks();
            let rest: Vec<String> =
                rest.flat_map(|block| urls(&block.unwrap()).collect::<Vec<_>>()).flatten().collect();
            assert_eq!(rest, ["https://a.com/private"], "{name} in blocks of {block_size}");
        }
    }
    // White space is no line that was cut.
    let path = directory.path().join("c.jsonl");
    std::fs::write(&path, "{\"url\": \"https://a.com/1\"}\n \t").unwrap();
    assert!(Frontier::new([path]).blocks().all(|block| block.is_ok()));
    // With a line end, it is one malformed line.
    let path = directory.path().join("c.cdx");
    std::fs::write(&path, format!("{cdx}com,a)/private 20240708230936 https://a.com/priv\n")).unwrap();
    let block = Frontier::new([path]).blocks().map(Result::unwrap).next().unwrap();
    assert_eq!(urls(&block).collect::<Vec<_>>(), [Some("https://a.com/1".to_owned()), None]);
    let error = block.missing_url(&block.urls().last().unwrap());
    assert!(
        error.to_string().ends_with("c.cdx:3: expected 5 columns, found 3 (a blank in a URL is %20)"),
        "{error}"
    );
}

/// As in files that were joined. The same header line is no URL; under another one, a URL would be read from another column.
#[test]
fn later_header_lines_of_an_index_do_not_depend_on_the_block_size() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.cdx");
    let header = " CDX N b a m s k r V g\n";
    let line = |n: u32| format!("com,a)/{n} 20240708230936 https://a.com/{n} CDX 200 - - 0 a.warc\n");
    let url = |n: u32| Some(format!("https://a.com/{n}"));
    let [one, two, three] = [1, 2, 3].map(line);
    let other = " CDX N b m a s k r V g\n";
    let cases = [
        (
            format!("{header}{one}{header}{two}{header}{header}{three}"),
            vec![(2, url(1)), (4, url(2)), (7, url(3))],
            None,
        ),
        (format!("{header}{header}\n{one}{two}{header}"), vec![(3, None), (4, url(1)), (5, url(2))], None),
        (format!("{one}{header}{two}"), vec![(1, url(1)), (3, url(2))], None),
        (format!("{one}{}{two}", header.replace('\n', "\r\n")), vec![(1, url(1)), (3, url(2))], None),
        (format!("{header}{one}{header}{two}{other}{three}"), vec![(2, url(1)), (4, url(2))], Some(5)),
        (format!("{header}{other}{three}"), vec![], Some(2)),
        (format!("{one}{other}{three}"), vec![(1, url(1))], Some(2)),
        (format!("{header}{one}{header}{two} CDX N b"), vec![(2, url(1)), (4, url(2))], Some(5)),
    ];
    for (text, expected, error) in cases {
        std::fs::write(&path, &text).unwrap();
        for block_size in (1..text.len()).step_by(7).chain([1 << 20]) {
            let frontier = Frontier::new([&path]).with_block_size(block_size);
            let (blocks, errors): (Vec<_>, Vec<_>) = frontier.blocks().partition(Result::is_ok);
            let blocks: Vec<FrontierBlock> = blocks.into_iter().map(Result::unwrap).collect();
            let errors: Vec<_> = errors.into_iter().map(Result::unwrap_err).collect();
            assert_eq!(numbered(&blocks), expected, "{text:?} in blocks of {block_size}");
            assert_eq!(errors.iter().find_map(InputError::line), error, "{text:?} in blocks of {block_size}");
            assert!(errors.iter().all(|error| error.is_incomplete() && error.ends_file()), "{errors:?}");
            for (index, block) in blocks.iter().enumerate() {
                let (rest, again): (Vec<_>, Vec<_>) =
                    frontier.clone().from_position(block.end).blocks().partition(Result::is_ok);
                let rest: Vec<FrontierBlock> = rest.into_iter().map(Result::unwrap).collect();
                assert_eq!(numbered(&rest), numbered(&blocks[index + 1..]), "{text:?} after {:?}", block.end);
                assert_eq!(again.len(), errors.len(), "{text:?} after {:?}", block.end);
            }
        }
    }
}
