use robomata_protocol::{Crawler, Dialect};

use super::{both, check, check_rules, differ, summary};
use crate::judge;

const BLOCK: (&str, &str) = ("disallow 2", "disallow 2");
const FREE: (&str, &str) = ("allow 0", "allow 0");
const GOOGLE_ONLY: (&str, &str) = ("allow 0", "disallow 2");
const RFC_ONLY: (&str, &str) = ("disallow 2", "allow 0");

/// Checks patterns of single disallow rules.
#[track_caller]
fn check_patterns(rows: &[(&str, &str, (&str, &str))]) {
    for (pattern, url, (rfc9309, google)) in rows {
        check_rules(&[(&format!("Disallow: {pattern}"), url, rfc9309, google)]);
    }
}

#[test]
fn p1_star_is_any_run() {
    check_patterns(&[
        ("/a*b", "/ab", BLOCK),
        ("/a*b", "/a/x/bc", BLOCK),
        ("/a*b", "/a", FREE),
        ("/*", "/", BLOCK),
        ("*", "/anything", BLOCK),
        ("**", "/", BLOCK),
        ("/a**b", "/ab", BLOCK),
        ("*a*a*a", "/aa", FREE),
        ("*a*a*a", "/aaa", BLOCK),
        ("/*.php", "/x.php7", BLOCK),
        ("/fish", "/Fish", FREE),
        ("/fish", "/fishing", BLOCK),
        ("/fish/", "/fish", FREE),
        // In a URL a star is a star.
        ("/a*b", "/a*b", BLOCK),
        ("/a", "/*", FREE),
    ]);
}

#[test]
fn p1_dollar_is_the_end_only_as_the_last_byte() {
    check_patterns(&[
        ("/a$", "/a", BLOCK),
        ("/a$", "/ab", FREE),
        ("/a$", "/a$", FREE),
        ("/a$b", "/a$b", BLOCK),
        ("/a$b", "/a", FREE),
        ("/a$$", "/a$", BLOCK),
        ("/a$$", "/a", FREE),
        ("/a$*", "/a$x", BLOCK),
        ("/a$*", "/a", FREE),
        ("$", "/", FREE),
        ("/$", "/", BLOCK),
        ("/$", "/a", FREE),
        ("*$", "/a", BLOCK),
        ("/*.php$", "/a.php.php", BLOCK),
        ("/*.php$", "/a.php?x", FREE),
        ("/a*$", "/abc", BLOCK),
        ("/$x", "/$x", BLOCK),
        ("$x", "/$x", FREE),
    ]);
}

#[test]
fn p2_patterns_are_anchored_at_the_first_byte() {
    check_patterns(&[
        ("a", "/a", FREE),
        ("about", "/about", FREE),
        ("%2Fa", "/a", FREE),
        ("%2A", "/a", FREE),
        ("?q", "/?q", FREE),
        ("http://example.com/a", "/a", FREE),
        ("*about", "/about", BLOCK),
        ("*/test", "/test", BLOCK),
        ("/b", "/a/b", FREE),
    ]);
}

#[test]
fn p3_an_empty_pattern() {
    check_rules(&[
        ("Disallow:", "/a", "allow 0", "allow 2"),
        ("Allow:", "/a", "allow 0", "allow 2"),
        ("Disallow:\nDisallow:", "/a", "allow 0", "allow 2"),
        ("Disallow:\nAllow:", "/a", "allow 0", "allow 3"),
        ("Allow:\nDisallow:", "/a", "allow 0", "allow 2"),
        ("Disallow:\nDisallow: /a", "/a", "disallow 3", "disallow 3"),
        ("Disallow: /a\nDisallow:", "/b", "allow 0", "allow 3"),
        ("Disallow: /a\nAllow:", "/a", "disallow 2", "disallow 2"),
        ("Disallow: # nothing", "/a", "allow 0", "allow 2"),
    ]);
    // Under google the empty rule of an own group sets the line, but `*` has no effect in either case.
    let robots = "User-agent: *\nDisallow: /\nUser-agent: FooBot\nDisallow:\n";
    check("FooBot", &[differ(robots, "/", "allow 0", "allow 4")]);
}

#[test]
fn n1_normal_form() {
    check_patterns(&[
        // Bytes from 0x80 are encoded; under google the URL is compared as given.
        ("/ツ", "/%E3%83%84", BLOCK),
        ("/ツ", "/ツ", RFC_ONLY),
        ("/%E3%83%84", "/ツ", RFC_ONLY),
        ("/%e3%83%84", "/%E3%83%84", BLOCK),
        ("/%E3%83%84", "/%e3%83%84", RFC_ONLY),
        // Unreserved bytes are decoded.
        ("/%62%61%7A", "/baz", RFC_ONLY),
        ("/baz", "/%62%61%7A", RFC_ONLY),
        ("/%7e%2D%2e%5F%30", "/~-._0", RFC_ONLY),
        ("/%7e", "/%7E", BLOCK),
        // Other bytes are not.
        ("/a%2Fb", "/a/b", FREE),
        ("/a/b", "/a%2Fb", FREE),
        ("/a%2fb", "/a%2Fb", BLOCK),
        ("/a%2Fb", "/a%2fb", RFC_ONLY),
        ("/a%3Fb", "/a?b", FREE),
        // A reserved byte that delimits nothing at its position equals its escape.
        ("/a%3Ab", "/a:b", RFC_ONLY),
        ("/a@b", "/a%40b", RFC_ONLY),
        ("/Foo_(bar)", "/Foo_%28bar%29", RFC_ONLY),
        ("/a%3Bb!',", "/a;b%21%27%2C", RFC_ONLY),
        ("/a%26%2B%3Db", "/a&+=b", RFC_ONLY),
        ("/?a%26%2B%3Db", "/?a&+=b", FREE),
        ("/?a&b", "/?a%26b", FREE),
        ("/?a%26b", "/?a%26b", BLOCK),
        ("/?a/?b", "/?a%2F%3fb", RFC_ONLY),
        ("/?a%2f%3Fb", "/?a/?b", RFC_ONLY),
        ("/a%5Bb", "/a[b", RFC_ONLY),
        ("/?a[b]", "/?a%5bb%5D", RFC_ONLY),
        ("/?a%23b", "/?a%23b", BLOCK),
        // After a star either reading may match.
        ("/*%2B", "/a?b%2B", BLOCK),
        ("/*%2b", "/a?b%2B", BLOCK),
        ("/*%2B", "/a?b+", RFC_ONLY),
        ("/*%2B", "/a+?b", RFC_ONLY),
        ("/*%2F", "/a%2F", BLOCK),
        ("/*%2F", "/a?b/", RFC_ONLY),
        ("/*a%2Fb", "/a/b", FREE),
        ("/*/c/*%2B*", "/a/c/x?q=a%2Bb", BLOCK),
        ("/*%26%2F", "/a?%26/", RFC_ONLY),
        ("/*%252F", "/a?%252F", BLOCK),
        ("/*%252F", "/a?%25/", FREE),
        ("/a*%2F", "/b?a%2F", FREE),
        ("/*a?%2F", "/a%2F?b", FREE),
        ("/*?%26", "/?%26", BLOCK),
        ("/*?%26", "/?&", FREE),
        ("/a%00b", "/a%00b", BLOCK),
        ("/a%21", "/a!", RFC_ONLY),
        ("/a<b", "/a<b", BLOCK),
        ("/a%7Fb", "/a\u{7F}b", RFC_ONLY),
        ("/a%1Fb", "/a\u{1F}b", RFC_ONLY),
        ("/a\tb", "/a%09b", RFC_ONLY),
        ("/a%23b", "/a%23b", BLOCK),
        ("/a%25b", "/a%b", FREE),
        // A text that only looks like an escape stays unchanged.
        ("/%zz", "/%zz", BLOCK),
        ("/%ZZ", "/%zz", FREE),
        ("/%e", "/%e", BLOCK),
        ("/%", "/%", BLOCK),
        ("/100%x", "/100%25x", FREE),
        ("/%%41", "/%A", RFC_ONLY),
        ("/%2541", "/%41", FREE),
        ("/%2541", "/%2541", BLOCK),
        ("/a%2", "/a%2", BLOCK),
        ("/%4%31", "/%41", FREE),
    ]);
}

/// RFC 3986, 2 and 2.1.
#[test]
fn n1_a_byte_that_no_uri_has_equals_its_escape() {
    const IN_NO_URI: &str = " \"<>\\^`{|}\t\u{1}\u{1F}\u{7F}";
    for byte in IN_NO_URI.bytes() {
        let raw = char::from(byte);
        for part in ["/a", "/?a", "/*", "/*?"] {
            let (rule, url) = (part, part.replace('*', "x"));
            for (rule, url, expected) in [
                (format!("{rule}{raw}b"), format!("{url}%{byte:02X}b"), RFC_ONLY),
                (format!("{rule}%{byte:02x}b"), format!("{url}{raw}b"), RFC_ONLY),
                (format!("{rule}%{byte:02x}b"), format!("{url}%{byte:02X}b"), BLOCK),
                (format!("{rule}{raw}b"), format!("{url}{raw}b"), BLOCK),
                (format!("{rule}{raw}b"), format!("{url}%25{byte:02X}b"), FREE),
            ] {
                check_patterns(&[(&rule, &url, expected)]);
            }
        }
    }
    // Under acap and yandex the same, under koster1996 as always.
    for dialect in Dialect::ALL {
        let answer =
            judge(b"User-agent: *\nDisallow: /a {b\n", None, &Crawler::new("FooBot"), dialect, b"/a%20%7bb");
        let expected = if dialect == Dialect::Google { "allow 0" } else { "disallow 2" };
        assert_eq!(summary(answer), expected, "{dialect}");
    }
    check_rules(&[
        // Each counts three (R1), raw or not.
        ("Allow: /****\nDisallow: /%20b", "/%20b", "allow 2", "allow 2"),
        ("Allow: /***\nDisallow: /%20b", "/ b", "disallow 3", "allow 2"),
        ("Allow: /***\nDisallow: / b", "/%20b", "disallow 3", "allow 2"),
        ("Allow: /%7Ba\nDisallow: /{a", "/{a", "allow 2", "disallow 3"),
    ]);
}

/// "The end of the path from the rule is reached before a difference in octets is encountered" (2.2.2).
#[test]
fn n1_a_pattern_that_ends_within_an_escape_matches_bytes_that_no_uri_has() {
    check_patterns(&[
        ("/*%", "/a%20b", BLOCK),
        ("/*%", "/a b", RFC_ONLY),
        ("/a%", "/a%22b", BLOCK),
        ("/a%2", "/a b", RFC_ONLY),
        ("/a%2", "/a<b", FREE),
        ("/a%", "/a%3Ab", GOOGLE_ONLY),
        ("/a%", "/a%41b", GOOGLE_ONLY),
        ("/a%*b", "/a\u{7F}b", RFC_ONLY),
        ("/a%2*b", "/a\"b", RFC_ONLY),
        ("/a%$", "/a ", FREE),
        ("/?a%", "/?a b", RFC_ONLY),
        ("/*?*%2", "/?a b", RFC_ONLY),
    ]);
}

#[test]
fn n1_an_escaped_star_or_dollar_is_literal() {
    check_patterns(&[
        ("/a%2Ab", "/a*b", RFC_ONLY),
        ("/a%2ab", "/a%2Ab", BLOCK),
        ("/a%2Ab", "/axb", FREE),
        ("/a%24", "/a$", RFC_ONLY),
        ("/a%24", "/ab", FREE),
        ("/a%24", "/a%24b", BLOCK),
        ("/a%24", "/a", FREE),
        // A star as written also matches the escaped one; so does a `$` within.
        ("/a*b", "/a%2Ab", BLOCK),
        ("/a$b", "/a%24b", RFC_ONLY),
        ("/a%24$", "/a$", RFC_ONLY),
        ("/a%24$", "/a$b", FREE),
    ]);
}

#[test]
fn n2_star_and_dollar_are_recognised_as_written() {
    check_patterns(&[
        ("/%2A$", "/*", RFC_ONLY),
        ("/%2A$", "/*x", FREE),
        ("/%*1", "/%21", GOOGLE_ONLY),
        ("/%*1", "/%11", BLOCK),
        ("/%*1", "/%41", GOOGLE_ONLY),
        ("/%4*", "/%41", GOOGLE_ONLY),
        ("/%4$", "/%4", BLOCK),
        ("/%2$", "/%24", FREE),
    ]);
}

#[test]
fn r1_the_longest_pattern_decides() {
    check_rules(&[
        ("Disallow: /\nAllow: /a", "/ab", "allow 3", "allow 3"),
        ("Allow: /a\nDisallow: /ab", "/ab", "disallow 3", "disallow 3"),
        // Every star counts, including each star of a run.
        ("Allow: /ab\nDisallow: /*****", "/ab", "disallow 3", "disallow 3"),
        ("Allow: /ab\nDisallow: /*", "/ab", "allow 2", "allow 2"),
        ("Allow: /ab\nDisallow: /**", "/ab", "allow 2", "allow 2"),
        ("Allow: /ab\nDisallow: /***", "/ab", "disallow 3", "disallow 3"),
        // The end counts.
        ("Allow: /ab\nDisallow: /ab$", "/ab", "disallow 3", "disallow 3"),
        ("Allow: /a\nDisallow: /$", "/", "disallow 3", "disallow 3"),
        // An encoded byte counts three: `/%C3%A9` has 7.
        ("Allow: /****\nDisallow: /é", "/%C3%A9", "disallow 3", "disallow 3"),
        ("Allow: /*******\nDisallow: /é", "/%C3%A9", "allow 2", "allow 2"),
        // A decoded byte counts one under rfc9309: `/%61b` has 3 or 5.
        ("Allow: /***\nDisallow: /%61b", "/ab", "allow 2", "allow 2"),
        ("Allow: /***\nDisallow: /%61b", "/%61b", "allow 2", "disallow 3"),
        // A star or dollar written as an escape counts three.
        ("Allow: /***\nDisallow: /%2Ab", "/%2Ab", "disallow 3", "disallow 3"),
        ("Allow: /****\nDisallow: /%24b", "/%24b", "allow 2", "allow 2"),
        ("Allow: /***\nDisallow: /%24b", "/%24b", "disallow 3", "disallow 3"),
        ("Allow: /***\nDisallow: /$b", "/$b", "allow 2", "allow 2"),
        // Each of two readings has its own rank.
        ("Allow: /****\nDisallow: /*%2B", "/a?%2B", "allow 2", "allow 2"),
        ("Allow: /***\nDisallow: /*%2B", "/a?%2B", "disallow 3", "disallow 3"),
        ("Allow: /****\nDisallow: /*%2F", "/a?/", "allow 2", "allow 2"),
        ("Allow: /***\nDisallow: /*%2F", "/a?/", "disallow 3", "allow 2"),
        ("Allow: /***\nDisallow: /*%2B", "/a+", "allow 2", "allow 2"),
        ("Allow: /*\nDisallow: /%24b", "/$b", "disallow 3", "allow 2"),
        ("Allow: /***\nDisallow: /%2Fb", "/%2Fb", "disallow 3", "disallow 3"),
    ]);
}

#[test]
fn r2_ties() {
    check_rules(&[
        ("Disallow: /a\nAllow: /a", "/a", "allow 3", "allow 3"),
        ("Allow: /a\nDisallow: /a", "/a", "allow 2", "allow 2"),
        ("Disallow: /a\nDisallow: /*", "/a", "disallow 2", "disallow 2"),
        ("Disallow: /*\nDisallow: /a", "/a", "disallow 2", "disallow 2"),
        ("Disallow: /b\nDisallow: /a\nDisallow: /a", "/a", "disallow 3", "disallow 3"),
        ("Disallow: /a\nAllow: /*\nAllow: /a", "/a", "allow 3", "allow 3"),
        ("Allow: /*b\nDisallow: /ab\nAllow: /ab", "/ab", "allow 2", "allow 2"),
    ]);
}

#[test]
fn r3_index_files_stand_for_their_folder() {
    check_rules(&[
        ("Allow: /x/index.html\nDisallow: /x/", "/x/", "disallow 3", "allow 2"),
        ("Allow: /x/index.htm\nDisallow: /x/", "/x/", "disallow 3", "allow 2"),
        ("Allow: /x/index.html?q\nDisallow: /x/", "/x/", "disallow 3", "allow 2"),
        ("Allow: /x/index.htm$\nDisallow: /x/", "/x/", "disallow 3", "allow 2"),
        ("Allow: /x/index.html\nDisallow: /x/", "/x/index.html", "allow 2", "allow 2"),
        ("Allow: /x/index.html\nDisallow: /x/", "/x/y", "disallow 3", "disallow 3"),
        // Its rank is that of the shorter pattern: 4 here.
        ("Allow: /x/index.html\nDisallow: /x/$", "/x/", "disallow 3", "allow 2"),
        ("Allow: /x/index.html\nDisallow: /x/**", "/x/", "disallow 3", "disallow 3"),
        ("Allow: /index.html\nDisallow: /", "/", "disallow 3", "allow 2"),
        // Not with another case, another segment, or a disallow rule.
        ("Allow: /x/Index.html\nDisallow: /x/", "/x/", "disallow 3", "disallow 3"),
        ("Allow: /x/index.html/\nDisallow: /x/", "/x/", "disallow 3", "disallow 3"),
        ("Allow: /x/index.ht\nDisallow: /x/", "/x/", "disallow 3", "disallow 3"),
        ("Allow: /x/in*dex.htm\nDisallow: /x/", "/x/", "disallow 3", "disallow 3"),
        ("Disallow: /x/index.html", "/x/", "allow 0", "allow 0"),
        // The prefix keeps its stars; the escaped pattern is searched, so %2F is not a slash.
        ("Allow: /*/index.html\nDisallow: /x/", "/x/", "disallow 3", "allow 2"),
        ("Allow: /é/index.html\nDisallow: /", "/%C3%A9/", "disallow 3", "allow 2"),
        ("Allow: /x%2Findex.html\nDisallow: /", "/x%2F", "disallow 3", "disallow 3"),
        ("Allow: *index.html\nDisallow: /", "/", "disallow 3", "disallow 3"),
    ]);
}

#[test]
fn raw_bytes_in_patterns_are_kept() {
    check(
        "FooBot",
        &[
            both(b"User-agent: *\nDisallow: /\xFFx", "/%FFx", "disallow 2"),
            differ(b"User-agent: *\nDisallow: /\xFFx", b"/\xFFx", "disallow 2", "allow 0"),
            both(b"User-agent: *\nDisallow: /\x01\x7F", b"/\x01\x7F", "disallow 2"),
        ],
    );
}
