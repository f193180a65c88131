use robomata_protocol::{Answer, Crawler, Dialect};

use super::{both, check, differ, summary};
use crate::normal::Symbol;
use crate::{Reference, target};

fn target_of(url: &str, dialect: Dialect) -> Option<String> {
    let written = |symbol| match symbol {
        Symbol::Byte(byte) => byte.escape_ascii().to_string(),
        Symbol::EncodedSlash => "<%2F>".to_owned(),
        Symbol::AnyRun | Symbol::End => panic!("a target has no wildcards"),
    };
    target::of(url.as_bytes(), dialect).map(|target| target.into_iter().map(written).collect())
}

#[test]
fn u1_what_is_matched_under_rfc9309() {
    for (url, expected) in [
        ("http://example.com/a/b?c=d", Some("/a/b?c=d")),
        ("http://example.com", Some("/")),
        ("http://example.com/", Some("/")),
        ("http://example.com?q", Some("/?q")),
        ("http://example.com#f", Some("/")),
        ("http://example.com?q#f?g", Some("/?q")),
        ("http://example.com/a#/b", Some("/a")),
        ("http://example.com#/b", Some("/")),
        ("http://user:pass@[::1]:8080/a", Some("/a")),
        ("http://example.com;p/a", Some("/a")),
        ("http://example.com;p", Some("/")),
        ("HTTPS://x/a", Some("/a")),
        ("a+b-c.1://x/a", Some("/a")),
        ("file:///a", Some("/a")),
        ("file://", Some("/")),
        ("http://http://x/a", Some("//x/a")),
        ("/a?b", Some("/a?b")),
        ("/a#b", Some("/a")),
        ("/#", Some("/")),
        ("//example.com/a", Some("//example.com/a")),
        ("/x://y/z", Some("/x://y/z")),
        ("", None),
        ("a", None),
        ("example.com/a", None),
        ("example.com:80/a", None),
        ("http:/a", None),
        ("http:example.com", None),
        ("://x/a", None),
        ("1http://x/a", None),
        ("ht tp://x/a", None),
        ("ht_tp://x/a", None),
        (" http://x/a", None),
        (" /a", None),
        ("?q", None),
        ("#/a", None),
        ("mailto:a@b", None),
    ] {
        assert_eq!(target_of(url, Dialect::Rfc9309).as_deref(), expected, "{url}");
    }
}

#[test]
fn u1_google_has_a_cut_of_its_own() {
    for (url, expected) in [
        ("", "/"),
        ("http://www.example.com", "/"),
        ("http://www.example.com/", "/"),
        ("http://www.example.com/a", "/a"),
        ("http://www.example.com/a/", "/a/"),
        ("http://www.example.com/a/b?c=http://d.e/", "/a/b?c=http://d.e/"),
        ("http://www.example.com/a/b?c=d&e=f#fragment", "/a/b?c=d&e=f"),
        ("example.com", "/"),
        ("example.com/", "/"),
        ("example.com/a", "/a"),
        ("example.com/a/b?c=d&e=f#fragment", "/a/b?c=d&e=f"),
        ("a", "/"),
        ("a/", "/"),
        ("/a", "/a"),
        ("a/b", "/b"),
        ("example.com?a", "/?a"),
        ("example.com/a;b#c", "/a;b"),
        ("//a/b/c", "/b/c"),
        ("//a", "/"),
        ("//", "/"),
        ("///", "/"),
        ("http://example.com;p", "/;p"),
        ("http://a?q", "/?q"),
        ("http://a#f", "/"),
        ("http://a#/f", "/"),
        ("#/a", "/"),
        ("/a#b", "/a"),
        ("/x://y/z", "/x://y/z"),
        ("?x://y/z", "/?x://y/z"),
        ("a;b://c/d", "/;b://c/d"),
        ("://x/a", "/a"),
        (" http://x/a", "/a"),
        ("http://http://x/a", "//x/a"),
        ("//http://x/a", "/a"),
        ("/a/../b//c", "/a/../b//c"),
        ("/%e3\u{e9}", "/%e3\\xc3\\xa9"),
        ("/a\0b", "/a"),
    ] {
        assert_eq!(target_of(url, Dialect::Google).as_deref(), Some(expected), "{url}");
    }
}

#[test]
fn text_that_is_not_a_url_is_invalid_only_under_rfc9309() {
    let robots = "User-agent: *\nDisallow: /\n";
    check(
        "FooBot",
        &[
            differ(robots, "", "invalid 0", "disallow 2"),
            differ(robots, "example.com/a", "invalid 0", "disallow 2"),
            both(robots, "https://example.com", "disallow 2"),
        ],
    );
    let reference = Reference::new(robots.as_bytes(), None, &Crawler::new("FooBot"), Dialect::Rfc9309);
    assert_eq!(reference.judge(b"a/b"), Answer::Invalid);
}

#[test]
fn the_site_is_ignored() {
    let robots = "User-agent: *\nDisallow: /a\n";
    for url in ["http://one/a", "https://two:8443/a", "ftp://three/a", "/a"] {
        check("FooBot", &[both(robots, url, "disallow 2")]);
    }
}

#[test]
fn u2_dot_segments_and_double_slashes_are_kept() {
    let robots = "User-agent: *\nDisallow: /a/b\nDisallow: /c/../d\nDisallow: /e//f\n";
    check(
        "FooBot",
        &[
            both(robots, "/a/./b", "allow 0"),
            both(robots, "/x/../a/b", "allow 0"),
            both(robots, "/a//b", "allow 0"),
            both(robots, "/d", "allow 0"),
            both(robots, "/c/../d", "disallow 3"),
            both(robots, "/e//f", "disallow 4"),
            both(robots, "/e/f", "allow 0"),
            both(robots, "/a/b?", "disallow 2"),
        ],
    );
}

#[test]
fn u3_robots_txt_is_implicitly_allowed() {
    let robots = "User-agent: *\nDisallow: /\n";
    check(
        "FooBot",
        &[
            differ(robots, "/robots.txt", "allow 0", "disallow 2"),
            differ(robots, "https://example.com/robots.txt", "allow 0", "disallow 2"),
            differ(robots, "/robots.txt#x", "allow 0", "disallow 2"),
            differ(robots, "/%72obots%2Etxt", "allow 0", "disallow 2"),
            both(robots, "/robots.txt?", "disallow 2"),
            both(robots, "/robots.txt?q", "disallow 2"),
            both(robots, "/robots.txt/", "disallow 2"),
            both(robots, "/Robots.txt", "disallow 2"),
            both(robots, "/a/robots.txt", "disallow 2"),
            both(robots, "//robots.txt", "disallow 2"),
        ],
    );
}

/// Under google the two slashes and the text after them are read as an authority.
#[test]
fn two_slashes_at_the_start_differ() {
    let robots = "User-agent: *\nDisallow: //b\nDisallow: /c\n";
    check("FooBot", &[differ(robots, "//b/c", "disallow 2", "disallow 3")]);
}

#[test]
fn a_nul_in_the_url_ends_googles_target() {
    let judge = |dialect, url| {
        summary(crate::judge(b"User-agent: *\nDisallow: /a$\n", None, &Crawler::new("x"), dialect, url))
    };
    assert_eq!(judge(Dialect::Rfc9309, b"/a\0b"), "allow 0");
    assert_eq!(judge(Dialect::Google, b"/a\0b"), "disallow 2");
}

#[test]
fn u1_and_n1_under_koster1996() {
    for (url, expected) in [
        ("http://example.com/a/b?c=d", Some("/a/b")),
        ("http://example.com?q/r", Some("/")),
        ("http://example.com#f?g", Some("/")),
        ("/a;p=1?q;r", Some("/a;p=1")),
        ("/a#b?c", Some("/a")),
        ("/a%3fb", Some("/a?b")),
        ("/a%23b", Some("/a#b")),
        ("/%7ejoe", Some("/~joe")),
        ("/a%2fb%2Fc/d", Some("/a<%2F>b<%2F>c/d")),
        ("/a%252Fb", Some("/a%2Fb")),
        ("/100%/%zz/%2", Some("/100%/%zz/%2")),
        ("/%%2F", Some("/%<%2F>")),
        ("/%e9\u{E9}", Some("/\\xe9\\xc3\\xa9")),
        ("", None),
        ("a", None),
        ("?a", None),
    ] {
        assert_eq!(target_of(url, Dialect::Koster1996).as_deref(), expected, "{url}");
    }
}
