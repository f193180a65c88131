use robomata_protocol::limits::{DEFAULT_PARSING_LIMIT, GOOGLE_LINE_LIMIT, MIN_PARSING_LIMIT};
use robomata_protocol::{Crawler, Dialect};

use super::{both, check, differ, summary};
use crate::Reference;

#[test]
fn lines_end_at_lf_cr_and_crlf() {
    check(
        "FooBot",
        &[
            both("User-agent: *\nDisallow: /a\n", "/a", "disallow 2"),
            both("User-agent: *\rDisallow: /a\r", "/a", "disallow 2"),
            both("User-agent: *\r\nDisallow: /a\r\n", "/a", "disallow 2"),
            both("User-agent: *\r\n\r\nDisallow: /a\r\n", "/a", "disallow 3"),
            both("User-agent: *\n\rDisallow: /a", "/a", "disallow 3"),
            both("User-agent: *\r\r\nDisallow: /a", "/a", "disallow 3"),
            both("\r\n\n\r\rUser-agent: *\nDisallow: /a", "/a", "disallow 6"),
            // Nothing else ends a line: not VT, FF, NEL or U+2028.
            both("User-agent: *\nAllow: /x\x0BDisallow: /a\n", "/a", "allow 0"),
            both("User-agent: *\nAllow: /x\x0CDisallow: /a\n", "/a", "allow 0"),
            both("User-agent: *\nAllow: /x\u{85}Disallow: /a\n", "/a", "allow 0"),
            both("User-agent: *\nAllow: /x\u{2028}Disallow: /a\n", "/a", "allow 0"),
        ],
    );
}

#[test]
fn a_last_line_without_an_end_counts() {
    check("FooBot", &[both("User-agent: *\nDisallow: /a", "/a", "disallow 2"), both("", "/a", "allow 0")]);
    assert_eq!(crate::lines::lines(b""), [b""]);
    assert_eq!(crate::lines::lines(b"a\n"), [b"a".as_slice(), b""]);
    assert_eq!(crate::lines::lines(b"a\r\nb\rc\n\rd"), [b"a".as_slice(), b"b", b"c", b"", b"d"]);
}

/// L1: `limit` bytes that end with `tail`; the rest is comment lines.
fn file_up_to(limit: usize, tail: &str) -> Vec<u8> {
    let mut robots = b"User-agent: *\nDisallow: /early\n".to_vec();
    while robots.len() < limit - tail.len() - 1 {
        robots.push(b'#');
    }
    robots.push(b'\n');
    robots.extend_from_slice(tail.as_bytes());
    assert_eq!(robots.len(), limit);
    robots
}

fn told_with_limit(robots: &[u8], dialect: Dialect, limit: usize, url: &str) -> String {
    summary(
        Reference::with_limit(robots, None, &Crawler::new("FooBot"), dialect, limit).judge(url.as_bytes()),
    )
}

#[test]
fn l1_only_lines_whose_end_is_within_the_limit_count() {
    let limit = MIN_PARSING_LIMIT;
    let cases = [
        // The file, and the answer about /late.
        (file_up_to(limit, "Disallow: /late"), "disallow 4"),
        ([file_up_to(limit, "Disallow: /late"), b"\n".to_vec()].concat(), "allow 0"),
        ([file_up_to(limit, "Disallow: /late"), b"r\n".to_vec()].concat(), "allow 0"),
        ([file_up_to(limit, "Disallow: /late\n"), b"x\n".to_vec()].concat(), "disallow 4"),
        ([file_up_to(limit, "Disallow: /late\r"), b"\nx".to_vec()].concat(), "disallow 4"),
        ([file_up_to(limit, "Disallow: /x\n"), b"Disallow: /late".to_vec()].concat(), "allow 0"),
    ];
    for (robots, expected) in cases {
        for dialect in [Dialect::Rfc9309, Dialect::Google] {
            assert_eq!(told_with_limit(&robots, dialect, limit, "/late"), expected);
            assert_eq!(told_with_limit(&robots, dialect, limit, "/early"), "disallow 2");
        }
        assert!(told_with_limit(&robots, Dialect::Google, usize::MAX, "/later").starts_with("disallow"));
    }
}

#[test]
fn l1_the_limit_has_a_floor_and_a_default() {
    let robots = file_up_to(MIN_PARSING_LIMIT, "Disallow: /late");
    assert_eq!(told_with_limit(&robots, Dialect::Rfc9309, 0, "/late"), "disallow 4");

    let robots =
        [file_up_to(DEFAULT_PARSING_LIMIT, "Disallow: /late\n"), b"Disallow: /more\n".to_vec()].concat();
    check(
        "FooBot",
        &[both(&robots, "/late", "disallow 4"), differ(&robots, "/more", "allow 0", "disallow 5")],
    );
    assert_eq!(told_with_limit(&robots, Dialect::Rfc9309, usize::MAX, "/more"), "disallow 5");
}

#[test]
fn l1_one_endless_line_leaves_nothing() {
    let robots = vec![b'a'; MIN_PARSING_LIMIT + 1];
    assert_eq!(told_with_limit(&robots, Dialect::Rfc9309, MIN_PARSING_LIMIT, "/"), "allow 0");
}

#[test]
fn l2_google_keeps_the_first_bytes_of_a_line() {
    let key = "Disallow: ";
    let fitting = format!("/{}", "a".repeat(GOOGLE_LINE_LIMIT - key.len() - 1));
    let robots = format!("User-agent: *\n{key}{fitting}bcd\n");
    check(
        "FooBot",
        &[
            differ(&robots, &fitting, "allow 0", "disallow 2"),
            differ(&robots, &fitting[1..], "invalid 0", "allow 0"),
            both(&robots, &format!("{fitting}bcd"), "disallow 2"),
            both(&robots, &fitting[..fitting.len() - 1], "allow 0"),
        ],
    );
    // A `$` that the cut makes the last byte is an end.
    let robots = format!("User-agent: *\n{key}{}$x\n", &fitting[..fitting.len() - 1]);
    check("FooBot", &[differ(&robots, &fitting[..fitting.len() - 1], "allow 0", "disallow 2")]);
    // The byte order mark is not part of the line.
    let robots = [b"\xEF\xBB\xBF".as_slice(), b"User-agent: *\nDisallow: /a"].concat();
    check("FooBot", &[both(&robots, "/a", "disallow 2")]);
}

#[test]
fn l3_a_byte_order_mark_is_skipped_also_a_partial_one() {
    let rest = "User-agent: *\nDisallow: /a\n";
    let after = |mark: &[u8]| [mark, rest.as_bytes()].concat();
    check(
        "FooBot",
        &[
            both(&after(b"\xEF\xBB\xBF"), "/a", "disallow 2"),
            both(&after(b"\xEF\xBB"), "/a", "disallow 2"),
            both(&after(b"\xEF"), "/a", "disallow 2"),
            both(&after(b"\xEF\xBB\xBF\xEF\xBB\xBF"), "/a", "allow 0"),
            both(&after(b"\xEF\xEF"), "/a", "allow 0"),
            both(&after(b"\xBB\xBF"), "/a", "allow 0"),
            both(&after(b"\n\xEF\xBB\xBF"), "/a", "allow 0"),
            both(&b"\xEF\xBB\xBF"[..], "/a", "allow 0"),
        ],
    );
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{FEFF}{text}").encode_utf16().flat_map(bytes).collect()
}

#[test]
fn l4_rfc9309_decodes_utf16() {
    let text = "User-agent: *\r\nDisallow: /ツ\nDisallow: /b";
    let little = utf16(text, u16::to_le_bytes);
    let big = utf16(text, u16::to_be_bytes);
    let odd = [big.clone(), b"z".to_vec()].concat();
    for robots in [&little, &big, &odd] {
        check(
            "FooBot",
            &[
                differ(robots, "/%E3%83%84", "disallow 2", "allow 0"),
                differ(robots, "/b", "disallow 3", "allow 0"),
            ],
        );
    }
    // An unpaired surrogate is U+FFFD, a pair is its character.
    let mut lone = utf16("User-agent: *\nDisallow: /", u16::to_le_bytes);
    lone.extend_from_slice(&[0x00, 0xD8]);
    check("FooBot", &[differ(&lone, "/%EF%BF%BD", "disallow 2", "allow 0")]);
    let pair = utf16("User-agent: *\nDisallow: /\u{1F916}", u16::to_be_bytes);
    check("FooBot", &[differ(&pair, "/%F0%9F%A4%96", "disallow 2", "allow 0")]);
    // Without the mark nothing indicates UTF-16; and of two marks only one is skipped.
    check("FooBot", &[both(&little[2..], "/b", "allow 0")]);
    let twice = utf16("\u{FEFF}User-agent: *\nDisallow: /b", u16::to_le_bytes);
    check("FooBot", &[both(&twice, "/b", "allow 0")]);
    check("FooBot", &[both(&b"\xFF\xFE"[..], "/b", "allow 0"), both(&b"\xFE\xFFx"[..], "/b", "allow 0")]);
}

#[test]
fn l4_the_limit_counts_the_bytes_of_the_file() {
    let wide = utf16(&format!("User-agent: *\n#{}\nDisallow: /late", "a".repeat(300_000)), u16::to_le_bytes);
    assert!(wide.len() > MIN_PARSING_LIMIT && wide.len() / 2 < MIN_PARSING_LIMIT);
    assert_eq!(told_with_limit(&wide, Dialect::Rfc9309, MIN_PARSING_LIMIT, "/late"), "allow 0");
    assert_eq!(told_with_limit(&wide, Dialect::Rfc9309, wide.len(), "/late"), "disallow 3");
}

#[test]
fn l5_a_nul_is_a_byte_or_ends_the_line() {
    check(
        "FooBot",
        &[
            differ("User-agent: *\nDisallow: /a\0b", "/a", "allow 0", "disallow 2"),
            both("User-agent: *\nDisallow: /a\0b", "/a\0b", "disallow 2"),
            // Google's line is only the text before the NUL, so here it is empty.
            both("User-agent: *\n\0Disallow: /a", "/a", "allow 0"),
            differ("User-agent: *\0x\nDisallow: /a", "/a", "allow 0", "disallow 2"),
            both("User-agent: *\nDisallow: /a\0\nDisallow: /b", "/b", "disallow 3"),
            both("User-agent: *\nDisallow\0: /a", "/a", "allow 0"),
        ],
    );
}

#[test]
fn l6_a_comment_is_cut_at_the_first_hash() {
    check(
        "FooBot",
        &[
            both("User-agent: * # all\nDisallow: /a#b#c\n", "/a", "disallow 2"),
            both("User-agent: *#\nDisallow: /a # x\n", "/ab", "disallow 2"),
            both("User-agent: *\n#Disallow: /a\n", "/a", "allow 0"),
            both("User-agent: *\nDisallow #: /a\n", "/a", "allow 0"),
            differ("User-agent: *\nDisallow: /a\0b#c", "/a", "allow 0", "disallow 2"),
            both("User-agent: *\nDisallow: /a#\0b", "/a", "disallow 2"),
        ],
    );
    // L2 comes first: a `#` after the cut is not seen, and not needed.
    let robots = format!("User-agent: *\nDisallow: /a{}#", " ".repeat(GOOGLE_LINE_LIMIT));
    check("FooBot", &[both(&robots, "/a", "disallow 2")]);
}
