//! The figures and examples of RFC 9309, by number.

use robomata_protocol::{Answer, Crawler, Dialect, Verdict};

use super::{both, check, check_rules, differ};
use crate::judge;

#[test]
fn section_5_1_simple_example() {
    let robots = "\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot";
    check(
        "otherbot",
        &[
            both(robots, "https://example.com/x.gif", "disallow 2"),
            both(robots, "https://example.com/x.gif?", "allow 0"),
            both(robots, "https://example.com/example/page.html", "disallow 3"),
            both(robots, "https://example.com/publications/x", "allow 4"),
            both(robots, "https://example.com/publications/x.gif", "allow 4"),
            both(robots, "https://example.com/", "allow 0"),
        ],
    );
    check(
        "foobot",
        &[
            both(robots, "https://example.com/", "disallow 7"),
            both(robots, "https://example.com/example/page.html?x", "allow 8"),
            both(robots, "https://example.com/example/allowed.gif", "allow 9"),
            both(robots, "https://example.com/publications/", "disallow 7"),
        ],
    );
    for crawler in ["barbot", "BazBot"] {
        check(
            crawler,
            &[
                both(robots, "https://example.com/example/page.html", "disallow 13"),
                both(robots, "https://example.com/example/x.gif", "allow 0"),
            ],
        );
    }
    check("quxbot", &[both(robots, "https://example.com/example/x.gif", "allow 0")]);
}

/// The URI of the section's text, `disallow.gif`, is an erratum for the rule's `disallowed.gif`.
#[test]
fn section_5_2_longest_match() {
    let robots = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
    check(
        "foobot",
        &[
            both(robots, "https://example.com/example/page/disallowed.gif", "disallow 3"),
            both(robots, "https://example.com/example/page/disallow.gif", "allow 2"),
        ],
    );
}

#[test]
fn figure_1_the_product_token_not_the_header() {
    let robots = "user-agent: ExampleBot\ndisallow: /\n";
    check("ExampleBot", &[both(robots, "/", "disallow 2")]);
    check("ExampleBot/0.1", &[differ(robots, "/", "disallow 2", "allow 0")]);
    check("Mozilla/5.0 (compatible; ExampleBot/0.1)", &[both(robots, "/", "allow 0")]);
}

#[test]
fn figure_2_merged_groups() {
    let apart =
        "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
    let merged = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\ndisallow: /baz\n";
    check(
        "ExampleBot",
        &[
            both(apart, "/foo", "disallow 2"),
            both(apart, "/bar", "disallow 3"),
            both(apart, "/baz", "disallow 6"),
            both(merged, "/baz", "disallow 4"),
        ],
    );
}

#[test]
fn figure_3_only_the_group_for_every_crawler() {
    let robots = "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\ndisallow: /baz\n";
    check(
        "ExampleBot",
        &[
            both(robots, "/foo", "disallow 2"),
            both(robots, "/bar", "disallow 3"),
            both(robots, "/baz", "allow 0"),
        ],
    );
    check("BazBot", &[both(robots, "/foo", "allow 0"), both(robots, "/baz", "disallow 6")]);
}

#[test]
fn figure_4_percent_encoding() {
    check_rules(&[
        ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", "disallow 2", "disallow 2"),
        (
            "Disallow: /foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https://foo.bar",
            "disallow 2",
            "disallow 2",
        ),
        (
            "Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar",
            "/foo/bar?baz=https%3a%2f%2ffoo.bar",
            "disallow 2",
            "allow 0",
        ),
        // Row 2: in the query `:` and `/` delimit nothing (N1).
        (
            "Disallow: /foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
            "disallow 2",
            "allow 0",
        ),
        ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", "disallow 2", "disallow 2"),
        ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", "disallow 2", "disallow 2"),
        ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", "disallow 2", "allow 0"),
        ("Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", "disallow 2", "allow 0"),
    ]);
}

#[test]
fn figure_5_special_characters() {
    check_rules(&[
        ("disallow: /\nallow: /x # comment in line", "/x", "allow 3", "allow 3"),
        ("# comment on its own line\ndisallow: /", "/", "disallow 3", "disallow 3"),
        ("disallow: /\nallow: /this/path/exactly$", "/this/path/exactly", "allow 3", "allow 3"),
        ("disallow: /\nallow: /this/path/exactly$", "/this/path/exactly/", "disallow 2", "disallow 2"),
        ("disallow: /\nallow: /this/*/exactly", "/this/or/that/exactly", "allow 3", "allow 3"),
        ("disallow: /\nallow: /this/*/exactly", "/this//exactly", "allow 3", "allow 3"),
        ("disallow: /\nallow: /this/*/exactly", "/this/exactly", "disallow 2", "disallow 2"),
    ]);
}

#[test]
fn figure_6_special_characters_verbatim() {
    check_rules(&[
        (
            "Disallow: /path/file-with-a-%2A.html",
            "https://www.example.com/path/file-with-a-*.html",
            "disallow 2",
            "allow 0",
        ),
        ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-x.html", "allow 0", "allow 0"),
        ("Disallow: /path/foo-%24", "https://www.example.com/path/foo-$", "disallow 2", "allow 0"),
        ("Disallow: /path/foo-%24", "https://www.example.com/path/foo-", "allow 0", "allow 0"),
    ]);
}

#[test]
fn section_2_2_2_no_match_and_robots_txt_are_allowed() {
    let asked =
        |url: &[u8]| judge(b"user-agent: *\ndisallow: /r\n", None, &Crawler::new("x"), Dialect::Rfc9309, url);
    assert_eq!(asked(b"/x"), Answer::Verdict(Verdict::NO_RULE));
    assert_eq!(asked(b"/robots.txt"), Answer::Verdict(Verdict::ROBOTS_TXT));
}
