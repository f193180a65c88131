//! Canonical URLs (`crates/PERMISSIONS.md`, V7).

use std::borrow::Cow;

use robomata_evaluator::CleanParams;
use robomata_policy::{CleanParam, Policy};
use robomata_protocol::Dialect;
use robomata_syntax::Config;

fn canonical(robots: &str, url: &str) -> String {
    let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
    let canonical = CleanParams::new(&policy).canonical(url.as_bytes()).into_owned();
    String::from_utf8(canonical).unwrap()
}

#[test]
fn listed_parameters_go_and_the_others_keep_their_order() {
    let robots = "clean-param: sid&ref";
    let cases = [
        ("/a?x=1&sid=2&y=3", "/a?x=1&y=3"),
        ("/a?sid=2&y=3&ref=4&x=1", "/a?y=3&x=1"),
        ("/a?y=3&sid=1&sid=2", "/a?y=3"),
        ("/a?sid", "/a"),
        ("/a?sid=", "/a"),
        ("/a?sid=b=c&d", "/a?d"),
        ("http://a.example/a?ref=1", "http://a.example/a"),
        ("http://a.example?ref=1", "http://a.example"),
        ("HTTPS://u@A.example:80?x&ref=1", "HTTPS://u@A.example:80?x"),
    ];
    for (url, expected) in cases {
        assert_eq!(canonical(robots, url), expected, "{url}");
    }
}

#[test]
fn fragments_stay_and_are_no_queries() {
    let robots = "clean-param: sid";
    assert_eq!(canonical(robots, "/a?sid=1#top"), "/a#top");
    assert_eq!(canonical(robots, "/a?x&sid=1#?sid=2&sid"), "/a?x#?sid=2&sid");
    assert_eq!(canonical(robots, "/a#b?sid=1"), "/a#b?sid=1");
    assert_eq!(canonical(robots, "http://a#/?sid=1"), "http://a#/?sid=1");
}

#[test]
fn empty_parameters_are_parameters_without_a_name() {
    let robots = "clean-param: a";
    let cases = [
        ("/?a&&b", "/?&b"),
        ("/?&a&b&", "/?&b&"),
        ("/?a&", "/"),
        ("/?&a", "/"),
        ("/?a&&", "/?&"),
        ("/?=1&a", "/?=1"),
        ("/?", "/?"),
        ("/?&", "/?&"),
        ("/?b?a", "/?b?a"),
        ("/?a?b&c", "/?a?b&c"),
    ];
    for (url, expected) in cases {
        assert_eq!(canonical(robots, url), expected, "{url}");
    }
}

#[test]
fn names_are_compared_as_they_are() {
    let url = "/?Sid=1&%73id=2&sid[]=3&sid%3D=4&sid =5";
    assert_eq!(canonical("clean-param: sid", url), url);
    assert_eq!(canonical("clean-param: %73id&sid[]", url), "/?Sid=1&sid%3D=4&sid =5");
}

#[test]
fn a_path_is_a_prefix_in_normal_form() {
    let robots = "clean-param: s /forum/\nclean-param: t /%7Eu/\u{e9}";
    let cases = [
        ("/forum/?s=1", "/forum/"),
        ("/forum/showthread.php?s=1&t=8", "/forum/showthread.php?t=8"),
        ("/forum?s=1", "/forum?s=1"),
        ("/x/forum/?s=1", "/x/forum/?s=1"),
        ("/forum%2F?s=1", "/forum%2F?s=1"),
        ("/f%6Frum/a?s=1", "/f%6Frum/a"),
        ("/~u/%c3%a9/a?t=1", "/~u/%c3%a9/a"),
        ("/~u/?t=1", "/~u/?t=1"),
    ];
    for (url, expected) in cases {
        assert_eq!(canonical(robots, url), expected, "{url}");
    }
    assert_eq!(canonical("clean-param: s forum/", "/forum/?s"), "/forum/?s", "no path begins so");
    assert_eq!(canonical("clean-param: s /a?b", "/a?b&s"), "/a?b&s", "a path is no query");
    assert_eq!(canonical("clean-param: s /", "http://a?s"), "http://a");
}

#[test]
fn a_star_is_any_run_and_a_dollar_is_no_end() {
    let robots =
        "clean-param: s /*/print*.php\nclean-param: t /a*b*\nclean-param: u *.gif$\nclean-param: v /%2A";
    let cases = [
        ("/x/print-8.php5?s", "/x/print-8.php5"),
        ("/print.php?s", "/print.php?s"),
        ("/a/c/b?t", "/a/c/b"),
        ("/a?t=b", "/a?t=b"),
        ("/x.gif?u", "/x.gif?u"),
        ("/x.gif$x?u", "/x.gif$x"),
        ("/x.gif%24?u", "/x.gif%24"),
        ("/x?v", "/x?v"),
        ("/*?v", "/*"),
        ("/%2a?v", "/%2a"),
    ];
    for (url, expected) in cases {
        assert_eq!(canonical(robots, url), expected, "{url}");
    }
}

#[test]
fn any_of_several_records_may_list_a_name() {
    let robots = "clean-param: a&b /x/\nuser-agent: *\ndisallow: /\nclean-param: a /x/y\nclean-param: a /z\nclean-param: c";
    assert_eq!(canonical(robots, "/x/y?a&b&c&d"), "/x/y?d");
    assert_eq!(canonical(robots, "/z?a&b&c&d"), "/z?b&d");
    assert_eq!(canonical(robots, "/?a&b&c"), "/?a&b");
}

#[test]
fn texts_without_changes_are_not_copied() {
    let policy = Policy::new(b"clean-param: a", &Config::new(Dialect::Google));
    let params = CleanParams::new(&policy);
    for url in ["", "?a", "a.example/?a", "mailto:b?a", "/b", "/b?c", "http://b"] {
        assert!(
            matches!(params.canonical(url.as_bytes()), Cow::Borrowed(same) if same == url.as_bytes()),
            "{url}"
        );
    }
    let nothing = Policy::new(b"clean-param: & /", &Config::new(Dialect::Google));
    assert!(CleanParams::new(&nothing).is_empty());
}

#[test]
fn so_many_records_with_stars_count() {
    let star = |number: usize| format!("clean-param: p{number} /*/a\n");
    let robots: String = (0..=CleanParam::MOST_WITH_STARS).map(star).collect();
    assert_eq!(canonical(&robots, "/b/a?p0&p255&p256"), "/b/a?p256");
    let policy = Policy::with_diagnostics(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
    let found: Vec<_> = policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
    assert_eq!(found, [(257, "too-many-records")]);
    let prefixes = robots.replace("/*/a", "/b/*");
    assert_eq!(canonical(&prefixes, "/b/a?p0&p255&p256"), "/b/a", "a star at the end is none");
}

/// The decision read literally, for patterns that are their own normal form.
fn literally(records: &[(Vec<&str>, &str)], path: &str, query: &str) -> String {
    fn begins(path: &[u8], pattern: &[u8]) -> bool {
        match pattern.split_first() {
            None => true,
            Some((b'*', rest)) => (0..=path.len()).any(|skipped| begins(&path[skipped..], rest)),
            Some((byte, rest)) => path.first() == Some(byte) && begins(&path[1..], rest),
        }
    }
    let is_kept = |parameter: &&str| {
        let name = parameter.split('=').next().unwrap();
        let lists = |(names, pattern): &(Vec<&str>, &str)| {
            names.contains(&name) && begins(path.as_bytes(), pattern.as_bytes())
        };
        name.is_empty() || !records.iter().any(lists)
    };
    let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
    let query_left = kept.join("&");
    let is_as_it_was = kept.len() == query.split('&').count();
    if query_left.is_empty() && !is_as_it_was { path.to_owned() } else { format!("{path}?{query_left}") }
}

#[test]
fn random_records_and_urls_are_as_the_decision_says() {
    let mut state = 7u32;
    let mut next = move |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % bound
    };
    let names = ["a", "b", "ab", "c", ""];
    for _ in 0..3000 {
        let patterns: Vec<String> = (0..next(7))
            .map(|_| format!("/{}", (0..next(5)).map(|_| ["a", "b", "/", "*"][next(4)]).collect::<String>()))
            .collect();
        let records: Vec<(Vec<&str>, &str)> = patterns
            .iter()
            .map(|pattern| ((0..1 + next(3)).map(|_| names[next(4)]).collect(), pattern.as_str()))
            .collect();
        let robots: String = records
            .iter()
            .map(|(names, path)| format!("clean-param: {} {path}\n", names.join("&")))
            .collect();
        let path = format!("/{}", (0..next(6)).map(|_| ["a", "b", "/"][next(3)]).collect::<String>());
        let parameters: Vec<String> =
            (0..1 + next(5)).map(|_| format!("{}{}", names[next(5)], ["", "=", "=1"][next(3)])).collect();
        let query = parameters.join("&");
        let url = format!("{path}?{query}");
        assert_eq!(canonical(&robots, &url), literally(&records, &path, &query), "{url} by\n{robots}");
    }
}
