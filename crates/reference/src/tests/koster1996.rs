//! The rows of `koster1996`, by section of the draft.

use robomata_protocol::{Crawler, Dialect};

use super::summary;
use crate::judge;

/// Checks the answers for `crawler` about one file, given as URL and answer.
#[track_caller]
fn check(robots: &str, crawler: &str, questions: &[(&str, &str)]) {
    for (url, expected) in questions {
        let crawler = Crawler::new(crawler);
        let answer = judge(robots.as_bytes(), None, &crawler, Dialect::Koster1996, url.as_bytes());
        assert_eq!(summary(answer), *expected, "{crawler} about {url} in {robots:?}");
    }
}

/// Checks whether the path in a Disallow line matches.
#[track_caller]
fn check_matches(rows: &[(&str, &str, bool)]) {
    for &(path, url, matches) in rows {
        let expected = if matches { "disallow 2" } else { "allow 0" };
        check(&format!("User-agent: *\nDisallow: {path}\n"), "FooBot", &[(url, expected)]);
    }
}

#[test]
fn section_3_2_2_table() {
    check_matches(&[
        ("/tmp", "/tmp", true),
        ("/tmp", "/tmp.html", true),
        ("/tmp", "/tmp/a.html", true),
        ("/tmp/", "/tmp", false),
        ("/tmp/", "/tmp/", true),
        ("/tmp/", "/tmp/a.html", true),
        ("/a%3cd.html", "/a%3cd.html", true),
        ("/a%3Cd.html", "/a%3cd.html", true),
        ("/a%3cd.html", "/a%3Cd.html", true),
        ("/a%3cd.html", "/a%3cd.html", true),
        ("/a%2fb.html", "/a%2fb.html", true),
        ("/a%2fb.html", "/a%2Fb.html", true),
        ("/a%2fb.html", "/a/b.html", false),
        ("/%7ejoe/index.html", "/~joe/index.html", true),
        ("/~joe/index.html", "/%7Ejoe/index.html", true),
    ]);
}

#[test]
fn section_3_2_2_bytes() {
    check_matches(&[
        ("/a*b", "/axb", false),
        ("/a*b", "/a*bc", true),
        ("/a%2Ab", "/a*b", true),
        ("/a$", "/a", false),
        ("/a$", "/a$b", true),
        ("*", "/a", false),
        ("a", "/a", false),
        ("%2Fa", "/a", false),
        ("%2Fa", "//a", false),
        ("/a%252Fb", "/a%2Fb", false),
        ("/a%2Fb", "/a%252Fb", false),
        ("/a%252Fb", "/a%25%32Fb", true),
        ("/a%", "/a%25", true),
        ("/a%", "/a%2F", false),
        ("/a%zz", "/a%25zz", true),
        ("/a%2", "/a%2F", false),
        ("/\u{E9}", "/%C3%a9", true),
        ("/%E9", "/\u{E9}", false),
        ("/a?b", "/a?b", false),
        ("/a?b", "/a%3Fb", true),
        ("/a", "/a?b", true),
        ("/a;b", "/a;b?c", true),
        ("/A", "/a", false),
        ("/a b", "/a%20b", true),
        ("/", "http://example.com", true),
    ]);
}

#[test]
fn section_3_2_2_the_first_match_decides() {
    let robots = "User-agent: *\nDisallow:\nAllow:\nAllow: /a/b\nDisallow: /a\nAllow: /a/c/long\nDisallow: /a\nAllow: /\nDisallow: /z";
    check(
        robots,
        "FooBot",
        &[("/a/b", "allow 4"), ("/a/c/long", "disallow 5"), ("/z", "allow 8"), ("/robots.txt", "allow 8")],
    );
    check("User-agent: *\nDisallow: /robots", "FooBot", &[("/robots.txt", "disallow 2")]);
}

#[test]
fn section_3_2_records_end_at_blank_lines() {
    let robots = "Disallow: /1\nUser-agent: a\n# c\nDisallow: /4\n # c\nSitemap: /s\nDisallow: /7\n \t\nDisallow: /9\n\nUser-agent: b\n\nUser-agent: *\nDisallow: /14";
    check(robots, "a", &[("/4", "disallow 4"), ("/7", "disallow 7"), ("/9", "allow 0"), ("/1", "allow 0")]);
    check(robots, "b", &[("/14", "disallow 14"), ("/9", "allow 0")]);
    check("User-agent: a\n\x0b\n:\nDisallow: /4", "a", &[("/4", "disallow 4")]);
    check("User-agent: a\rDisallow: /2\r\rDisallow: /4", "a", &[("/2", "disallow 2"), ("/4", "allow 0")]);
    check(
        "User-agent: a\r\nDisallow: /2\r\n\r\nDisallow: /4",
        "a",
        &[("/2", "disallow 2"), ("/4", "allow 0")],
    );
}

#[test]
fn section_3_2_1_names() {
    let robots = "User-agent: *\nDisallow: /2\n\nUser-agent: FigTree/1.0\nUser-agent: other\nDisallow: /6\nUser-agent: figtree\nDisallow: /8\n\nUser-agent: *\nDisallow: /11\nUser-agent: foo*\nDisallow: /13\n";
    for name in ["figtree", "FIGTREE/0.1 Robot/1.0", "FigTree", "x,figtree", "figtree,other", "OTHER"] {
        check(robots, name, &[("/6", "disallow 6"), ("/8", "allow 0"), ("/2", "allow 0")]);
    }
    for name in ["fig", "figtrees", "", "*", "Fig Tree", "foo"] {
        check(robots, name, &[("/2", "disallow 2"), ("/11", "allow 0"), ("/6", "allow 0")]);
    }
    check(robots, "FOO*/2", &[("/13", "disallow 13")]);
    check("User-agent: * x\nDisallow: /2", "a", &[("/2", "disallow 2")]);
    check("User-agent: \nDisallow: /2", "", &[("/2", "allow 0")]);
    check("User-agent: \u{E9}\nDisallow: /2", "\u{E9}", &[("/2", "allow 0")]);
}

#[test]
fn section_3_3_keys_and_colons() {
    let robots = "USER-AGENT : a\nDISALLOW:/2 \t# c\nDisalow: /3\nDisallow /4\nDisallowed: /5\n disallow\t:\t/6\nallow#: /7";
    check(
        robots,
        "a",
        &[
            ("/2x", "disallow 2"),
            ("/3", "allow 0"),
            ("/4", "allow 0"),
            ("/5", "allow 0"),
            ("/6", "disallow 6"),
        ],
    );
    check("Useragent: a\nDisallow: /2", "a", &[("/2", "allow 0")]);
    check("\u{FEFF}User-agent: a\nDisallow: /2#/2x", "a", &[("/2", "disallow 2")]);
}
