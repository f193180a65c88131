//! Parsing lines: every row of the first part of the decision table, in both dialects.

use robomata_protocol::{Dialect, limits};
use robomata_syntax::{Config, Diagnostic, Document, Key, Record, Sink, Text, read};

/// Records as text: `line key=value`.
fn records(file: &[u8], config: &Config) -> Vec<String> {
    let document = Document::parse(file, config);
    let text = |span: robomata_protocol::Span| String::from_utf8_lossy(span.of(document.text())).into_owned();
    document
        .records()
        .iter()
        .map(|record| format!("{} {}={}", record.line, record.key, text(record.value)))
        .collect()
}

fn codes(file: &[u8], dialect: Dialect) -> Vec<String> {
    let document = Document::parse(file, &Config::new(dialect));
    document.diagnostics().iter().map(|found| format!("{} {}", found.line, found.kind.code())).collect()
}

fn both(file: &[u8], rfc9309: &[&str], google: &[&str]) {
    for (dialect, expected) in [(Dialect::Rfc9309, rfc9309), (Dialect::Google, google)] {
        assert_eq!(records(file, &Config::new(dialect)), expected, "{} in {dialect}", file.escape_ascii());
    }
}

fn same(file: &[u8], expected: &[&str]) {
    both(file, expected, expected);
}

#[test]
fn line_ends_marks_and_comments() {
    same(
        b"allow: /a\rallow: /b\r\nallow: /c\n\nallow: /d",
        &["1 allow=/a", "2 allow=/b", "3 allow=/c", "5 allow=/d"],
    );
    same(b"\xEF\xBB\xBFallow: /a", &["1 allow=/a"]);
    same(b"\xEF\xBBallow: /a", &["1 allow=/a"]);
    same(b"\xEFallow: /a", &["1 allow=/a"]);
    same(b"allow: /a#b # c\n#allow: /d\n", &["1 allow=/a"]);
    assert_eq!(codes(b"\xEF\xBB\xBFallow: /a", Dialect::Google), ["1 byte-order-mark"]);
    assert_eq!(codes(b"\xEF\xBBallow: /a", Dialect::Rfc9309), ["1 partial-byte-order-mark"]);
}

#[test]
fn nul_ends_a_line_for_google_only() {
    both(b"allow: /a\0b\n\0allow: /c", &["1 allow=/a\0b", "2 unknown=/c"], &["1 allow=/a"]);
    assert_eq!(codes(b"allow: /a\0b", Dialect::Rfc9309), ["1 excluded-byte"]);
    assert_eq!(codes(b"allow: /a\0b", Dialect::Google), ["1 nul-ends-line"]);
}

#[test]
fn separators() {
    same(b"allow : /a\n allow:/b \n", &["1 allow=/a", "2 allow=/b"]);
    same(b"allow /a\nallow\t/b\nallow /c d\nallow\n: /x\n", &["1 allow=/a", "2 allow=/b"]);
    both(b"disallow /a:b", &["1 disallow=/a:b"], &["1 disallow=b"]);
    both(b"sitemap http://a.example/s", &["1 sitemap=http://a.example/s"], &["1 sitemap=//a.example/s"]);
    both(b"user agent FooBot", &["1 user-agent=FooBot"], &[]);
    both(b"foo bar", &[], &["1 unknown=bar"]);
    assert_eq!(codes(b"allow /a\nfoo bar baz", Dialect::Rfc9309), ["1 missing-colon", "2 no-record"]);
}

#[test]
fn keys_and_their_misspellings() {
    same(
        b"USERAGENT: a\nuser agent: b\ndisalow: /c\nDiasllow: /d",
        &["1 user-agent=a", "2 user-agent=b", "3 disallow=/c", "4 disallow=/d"],
    );
    both(
        b"disallowed: /a\nallowance: /b",
        &["1 unknown=/a", "2 unknown=/b"],
        &["1 disallow=/a", "2 allow=/b"],
    );
    same(b"crawl-delay: 5\nhost: a\nfoo: b", &["1 crawl-delay=5", "2 host=a", "3 unknown=b"]);
    assert_eq!(
        codes(b"disalow: /\ndisallowed: /\nfoo: b", Dialect::Rfc9309),
        ["1 misspelt-key", "2 near-miss", "3 unknown-key"]
    );
}

#[test]
fn white_space_around_values() {
    both(b"allow: /a\x0b", &["1 allow=/a\x0b"], &["1 allow=/a"]);
    same(b"\tallow\t:\t/a b \t", &["1 allow=/a b"]);
}

#[test]
fn names_that_are_cut_are_reported() {
    let found = codes(
        b"user-agent: *\nuser-agent: * x\nuser-agent: A/1\nuser-agent: A, B\nuser-agent: \"A\"\nuser-agent:\n",
        Dialect::Rfc9309,
    );
    assert_eq!(found, ["2 text-after-star", "3 name-cut", "4 several-names", "5 no-name", "6 no-name"]);
    let headers = b"user-agent: Mozilla/4.0 (compatible; A; B)\nuser-agent: A/1 (B, C)\nuser-agent: A; http://a.example/b\n\
                    user-agent: A;\nuser-agent: A B; C\nuser-agent: A, *\n";
    let kinds = ["name-cut", "name-cut", "name-cut", "name-cut", "several-names", "several-names"];
    let expected: Vec<String> = (1..).zip(kinds).map(|(line, kind)| format!("{line} {kind}")).collect();
    assert_eq!(codes(headers, Dialect::Rfc9309), expected);
}

#[test]
fn patterns_that_cannot_match_and_files_that_are_pages() {
    let found = codes(b"disallow: x\nallow: http://a.example/\nallow:\n", Dialect::Rfc9309);
    assert_eq!(found, ["1 pattern-without-slash", "2 absolute-url-pattern"]);
    assert_eq!(codes(b" <!DOCTYPE HTML><html>\n", Dialect::Rfc9309)[0], "1 html");
}

#[test]
fn utf16_is_read_by_rfc9309_and_not_by_google() {
    let encode = |unit: fn(u16) -> [u8; 2], mark: [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain("allow: /a\n".encode_utf16().flat_map(unit)).collect()
    };
    for file in [encode(u16::to_le_bytes, [0xFF, 0xFE]), encode(u16::to_be_bytes, [0xFE, 0xFF])] {
        both(&file, &["1 allow=/a"], &[]);
        assert_eq!(codes(&file, Dialect::Rfc9309), ["1 utf-16"]);
    }
}

#[test]
fn a_line_is_cut_for_google_only() {
    let pattern = format!("/{}", "a".repeat(20_000));
    let file = format!("allow: {pattern}\nallow: /b");
    let cut = &file[..limits::GOOGLE_LINE_LIMIT];
    let cut_record = format!("1 allow={}", &cut["allow: ".len()..]);
    both(file.as_bytes(), &[&format!("1 allow={pattern}"), "2 allow=/b"], &[&cut_record, "2 allow=/b"]);
    assert_eq!(codes(file.as_bytes(), Dialect::Google), ["1 line-cut"]);
}

/// `SECURITY.md` states the default limits.
#[test]
fn four_mebibytes_are_read_by_default() {
    let line = "allow: /a\n";
    let lines = limits::DEFAULT_PARSING_LIMIT / line.len() + 10;
    let file = line.repeat(lines);
    for dialect in Dialect::ALL {
        let read = records(file.as_bytes(), &Config::new(dialect)).len();
        let limit = match dialect {
            Dialect::Google => file.len(),
            // Yandex treats a longer file as if it were empty.
            Dialect::Yandex => 0,
            _ => 4 << 20,
        };
        assert_eq!(read, limit / line.len(), "{dialect}");
    }
    let longest = &file.as_bytes()[..512_000];
    assert_eq!(records(longest, &Config::new(Dialect::Yandex)).len(), longest.len() / line.len());
}

#[test]
fn the_parsing_limit_keeps_whole_lines_and_has_a_floor() {
    let line = "allow: /a\n";
    let file = line.repeat(limits::MIN_PARSING_LIMIT / line.len() + 10);
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let config = Config::new(dialect).with_parsing_limit(1);
        assert_eq!(config.parsing_limit(), limits::MIN_PARSING_LIMIT);
        assert_eq!(records(file.as_bytes(), &config).len(), limits::MIN_PARSING_LIMIT / line.len());
        let document = Document::parse(file.as_bytes(), &config);
        assert_eq!(
            document.diagnostics()[0].to_string(),
            "1: file longer than the parsing limit: the last 100 bytes are not read"
        );
    }
    let config = Config::new(Dialect::Yandex).with_parsing_limit(1);
    assert_eq!(config.parsing_limit(), limits::YANDEX_FILE_LIMIT, "its own");
    assert_eq!(
        records(file.as_bytes(), &Config::new(Dialect::Google)).len(),
        limits::MIN_PARSING_LIMIT / line.len() + 10
    );
}

#[test]
fn any_bytes_are_a_document() {
    let mut state = 1u32;
    let mut file = Vec::new();
    for length in 0..400 {
        file.clear();
        for _ in 0..length {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bytes = b":#\n\r\0 \t\xEF\xBB\xBF\xFF\xFE*$/%adilowuser-gnt";
            file.push(bytes[(state >> 16) as usize % bytes.len()]);
        }
        for dialect in Dialect::ALL {
            let document = Document::parse(&file, &Config::new(dialect));
            for record in document.records() {
                assert!(record.value.range().end <= document.text().len());
                assert!(record.key != Key::Unknown || !record.written_key.is_empty());
            }
        }
    }
}

/// A sink without diagnostics: the parser uses a faster path for plain lines.
struct Records(Vec<Record>);

impl Sink for Records {
    const DIAGNOSTICS: bool = false;

    fn record(&mut self, record: Record) {
        self.0.push(record);
    }

    fn diagnostic(&mut self, _: Diagnostic) {
        unreachable!("diagnostics are not wanted");
    }
}

#[test]
fn records_are_the_same_without_diagnostics() {
    let pieces = [
        "disallow:",
        "Disallow: ",
        "ALLOW:",
        "allow: ",
        "user-agent: ",
        "User\rAgent:",
        "sitemap: ",
        "Crawl-delay:",
        "host:",
        "noindex: ",
        "Content-Signal: ",
        "content-usage:",
        "License: ",
        "TimeGate:",
        "archived: ",
        "disalow: ",
        "\u{4}isallow:",
        "allow /a",
        "ACAP-crawler:",
        "acap-ignore-conventional-records",
        " ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "#",
        ":",
        "!",
        "\"",
        "\0",
        "\u{b}",
        "\u{c}",
        "/",
        "/a*b$",
        "/a-path-that-is-longer-than-a-block",
        "\u{e9}",
        "*",
    ];
    let mut state = 1u32;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % bound
    };
    for round in 0..20_000 {
        let mut file: String = (0..next(12)).map(|_| pieces[next(pieces.len())]).collect();
        if round % 1000 == 0 {
            file += &format!(
                "\nallow: /{}\nallow: /b",
                "a".repeat(limits::GOOGLE_LINE_LIMIT - 10 + round / 1000)
            );
        }
        for dialect in Dialect::ALL {
            let config = Config::new(dialect);
            let mut records = Records(Vec::new());
            read(&Text::new(file.as_bytes(), &config), &config, &mut records);
            assert_eq!(
                records.0,
                Document::parse(file.as_bytes(), &config).records(),
                "{file:?} in {dialect}"
            );
        }
    }
}

/// Diagnostics of a file in the dialect of Koster's draft.
fn koster1996(file: &[u8]) -> Vec<String> {
    codes(file, Dialect::Koster1996)
}

#[test]
fn the_draft_takes_whole_keys_and_colons_only() {
    let file = b"USER-AGENT:a\nuseragent: b\ndisalow: /c\ndisallow /d\n allow : /e \nsitemap: http://s/\n";
    let found = records(file, &Config::new(Dialect::Koster1996));
    assert_eq!(found[..3], ["1 user-agent=a", "2 unknown=b", "3 unknown=/c"]);
    assert_eq!(found[3..], ["5 allow=/e", "6 sitemap=http://s/"]);
    assert_eq!(
        koster1996(file),
        ["2 near-miss", "3 near-miss", "4 no-record", "5 space-around-key", "6 unknown-key"]
    );
}

#[test]
fn the_draft_s_grammar_names_what_it_excludes() {
    assert_eq!(koster1996(b"allow: /a-b_c.d+e!f*g'h(i),$:@&=%2f/\n"), <[&str; 0]>::default());
    let found = koster1996(
        b"allow: /a b\nallow: /a?b\nallow: /a;b\nallow: /%zz\nallow: /%2\nallow: /\xE9\nallow: *\nallow:\n",
    );
    let excluded = (1..=6).map(|line| format!("{line} excluded-byte"));
    let others = ["7 pattern-without-slash", "8 empty-path"].map(str::to_owned);
    assert_eq!(found, excluded.chain(others).collect::<Vec<_>>());
    assert_eq!(
        koster1996(b"user-agent: a/1\nuser-agent: * x\nuser-agent: /\n"),
        ["1 name-cut", "2 text-after-star", "3 no-name"]
    );
}

/// Counts blank lines.
#[derive(Default)]
struct Blanks(usize);

impl Sink for Blanks {
    const DIAGNOSTICS: bool = false;

    fn record(&mut self, _: Record) {}

    fn blank_line(&mut self) {
        self.0 += 1;
    }

    fn diagnostic(&mut self, _: Diagnostic) {}
}

#[test]
fn blank_lines_have_nothing_but_white_space() {
    let config = Config::new(Dialect::Koster1996);
    for (file, expected) in [
        (&b"\n\r\n\r \t\n"[..], 4),
        (b"a: b\n\nc: d\n", 1),
        (b"#\n # x\n\t#\n", 0),
        (b"\x0B\n\x0C\n\0\n:\nx\n", 0),
        (b"allow: /a\n ", 1),
        (b"", 0),
    ] {
        let mut blanks = Blanks::default();
        read(&Text::new(file, &config), &config, &mut blanks);
        assert_eq!(blanks.0, expected, "{}", file.escape_ascii());
    }
}

#[test]
fn acap_fields_are_records_of_their_own_in_dialect_acap() {
    let file = b"ACAP-crawler: *\nacap-allow-crawl : /a # b\nACAP-ignore-conventional-records # so\n\
                 ACAP-crawler x\nACAP: 1\nDisallow /a:b\nACAP-allow-(x):/y:z";
    let acap = Config::new(Dialect::Acap);
    let expected =
        ["1 acap=*", "2 acap=/a", "3 acap=", "4 acap=x", "5 unknown=1", "6 disallow=/a:b", "7 acap=/y:z"];
    assert_eq!(records(file, &acap), expected);
    assert_eq!(codes(file, Dialect::Acap), ["4 missing-colon", "5 unknown-key", "6 missing-colon"]);
    let document = Document::parse(file, &acap);
    let keys = document.records().iter().map(|record| record.written_key.of(document.text()));
    assert_eq!(
        keys.collect::<Vec<_>>()[1..3],
        [&b"acap-allow-crawl"[..], b"ACAP-ignore-conventional-records"]
    );
}

#[test]
fn acap_fields_need_no_colon_in_dialect_acap() {
    let file = b"acap-disallow-crawl\t/a\nACAP-disallow-index /b:c\nACAP-crawler :x\nACAP-crawler a b\nACAP-allow-index /d: e\n\
                 ACAP-disallow-index";
    let expected = ["1 acap=/a", "2 acap=/b:c", "3 acap=x", "5 acap=e"];
    assert_eq!(records(file, &Config::new(Dialect::Acap)), expected);
    let found = ["1 missing-colon", "2 missing-colon", "4 no-record", "6 no-record"];
    assert_eq!(codes(file, Dialect::Acap), found);
    let others = ["1 unknown=/a", "2 unknown=c", "3 unknown=x", "5 unknown=e"];
    both(file, &others[1..], &others);
}

#[test]
fn acap_fields_have_their_own_diagnostic_in_other_dialects() {
    let file = b"ACAP-crawler: *\nACAP-ignore-conventional-records\nACAP: 1";
    same(file, &["1 unknown=*", "3 unknown=1"]);
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        assert_eq!(codes(file, dialect), ["1 acap-ignored", "2 acap-ignored", "3 unknown-key"]);
    }
}
