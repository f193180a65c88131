//! URLs in blocks and in parts have the same answers as a URL's text alone.

use std::path::Path;

use robomata_evaluator::{Audience, PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind};
use robomata_policy::Policy;
use robomata_protocol::{Answer, Crawler, Dialect, UrlParts, UrlRef};
use robomata_syntax::Config;

fn store(dialect: Dialect, sites: &[&str]) -> PolicyStore {
    let crawlers = [Crawler::new("FooBot"), Crawler::new("BarBot")];
    let robots =
        b"User-agent: *\nDisallow: /a\nAllow: /a?q\nDisallow: /*x$\n\nUser-agent: BarBot\nDisallow: /b?";
    let kind = StoreKind::new(dialect, crawlers.to_vec());
    let policies = PolicyCompiler::new(&kind).compile(&Policy::new(robots, &Config::new(dialect)));
    let mut builder = StoreBuilder::new(kind);
    for site in sites {
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &policies, None);
    }
    builder.build()
}

/// Compares the answers for `all`, in blocks of text, of parts and of both, with those of a checker that sees each URL
/// alone and without a site before it.
fn require_same<'u>(store: &PolicyStore, all: impl IntoIterator<Item = UrlParts<'u>>) {
    let Audience::Crawlers(crawlers) = store.audience() else { panic!("a store for some crawlers") };
    let all: Vec<UrlParts<'_>> = all.into_iter().collect();
    let texts: Vec<_> = all.iter().map(|&parts| UrlRef::Parts(parts).text()).collect();
    let alone = |text: &[u8]| store.checker_for(crawlers).unwrap().check_each(text).to_vec();
    let expected: Vec<Answer> = texts.iter().flat_map(|text| alone(text)).collect();
    let mut checker = store.checker_for(crawlers).unwrap();
    let width = crawlers.len();
    for (text, expected) in texts.iter().zip(expected.chunks(width)) {
        assert_eq!(checker.check_each(text), expected, "one by one: {}", text.escape_ascii());
    }
    for size in [1, 2, 7, 16, 1000] {
        for kind in 0..3 {
            let url = |place: usize| match (kind, place % 2) {
                (0, _) | (2, 0) => UrlRef::Text(&texts[place]),
                _ => UrlRef::Parts(all[place]),
            };
            let mut from = 0;
            while from < all.len() {
                let urls: Vec<_> = (from..all.len().min(from + size)).map(url).collect();
                let mut answers = vec![Answer::Unknown; urls.len() * width];
                checker.check_block(&urls, &mut answers);
                let expected = &expected[from * width..][..answers.len()];
                assert_eq!(answers, expected, "{urls:?}");
                from += size;
            }
        }
    }
}

#[test]
fn parts_have_the_answers_of_their_text_in_every_spelling() {
    let schemes: [&[u8]; 6] = [b"https", b"http", b"HTTPS", b"ftp", b"", b"h:ttp"];
    let hosts: [&[u8]; 9] = [
        b"a.example",
        b"A.Example.",
        b"b.example",
        b"",
        b"user@a.example",
        b"a.example/a",
        b"a.example;x",
        b"b\xc3\xbccher.example",
        b"a.example?",
    ];
    let ports = [None, Some(80), Some(443), Some(8443)];
    let paths: [&[u8]; 10] =
        [b"/a", b"/", b"", b"a", b"/b", b"/a?q", b"/a#x", b"/%61", b"/\xff x", b"/robots.txt"];
    let queries: [Option<&[u8]>; 6] = [None, Some(b""), Some(b"q"), Some(b"?x"), Some(b"#x"), Some(b"%71")];
    let sites =
        ["https://a.example", "http://a.example", "https://a.example:8443", "http://xn--bcher-kva.example"];
    for dialect in Dialect::ALL {
        let store = store(dialect, &sites);
        let mut all = Vec::new();
        for scheme in schemes {
            for host in hosts {
                for port in ports {
                    for path in paths {
                        all.extend(queries.map(|query| UrlParts { scheme, host, port, path, query }));
                    }
                }
            }
        }
        require_same(&store, all.iter().copied());
        // Also with a different site for each URL.
        require_same(&store, (0..all.len()).map(|place| all[place * 7919 % all.len()]));
    }
}

#[test]
fn a_site_alone_is_its_root() {
    for dialect in Dialect::ALL {
        let kind = StoreKind::new(dialect, vec![Crawler::new("FooBot")]);
        let of =
            |robots: &[u8]| PolicyCompiler::new(&kind).compile(&Policy::new(robots, &Config::new(dialect)));
        let mut builder = StoreBuilder::new(kind.clone());
        let sites: [(&str, &[u8]); 2] =
            [("https://a.example", b"User-agent: *\nDisallow: /\n"), ("http://b.example:8080", b"")];
        for (site, robots) in sites {
            builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &of(robots), None);
        }
        let store = builder.build();
        let words = [
            ("https://a.example", "disallow"),
            ("https://a.example", "disallow"),
            ("http://b.example:8080", "allow"),
            ("http://b.example:80", "unknown"),
            ("https://a.example/", "disallow"),
            ("https://a.exampl", "unknown"),
            ("https://a.example", "disallow"),
            ("https://A.example.", "disallow"),
            ("https://a.example:443", "disallow"),
            ("https://a.example:", "disallow"),
            ("https://a.example?", "disallow"),
            ("https://a.example#/x", "disallow"),
            ("https://c--d.example", "unknown"),
            ("https://c--d.example", "unknown"),
            ("https://.", "invalid"),
            ("https://", "invalid"),
            ("http://", "invalid"),
            ("https:", "invalid"),
            ("https://a.example%", "invalid"),
        ];
        let urls = words.map(|(url, _)| UrlRef::from(url));
        let mut answers = vec![Answer::Unknown; urls.len()];
        store.checker(&Crawler::new("FooBot")).unwrap().check_block(&urls, &mut answers);
        let mut checker = store.checker(&Crawler::new("FooBot")).unwrap();
        for ((url, word), answer) in words.iter().zip(answers) {
            assert_eq!(answer.as_str(), *word, "{url}, {dialect}, in a block");
            assert_eq!(checker.check(url.as_bytes()).as_str(), *word, "{url}, {dialect}");
            let alone = store.checker(&Crawler::new("FooBot")).unwrap().check(url.as_bytes());
            assert_eq!(alone.as_str(), *word, "{url}, {dialect}, alone");
        }
    }
}

/// The parts of a URL as an index would store them.
fn divided(url: &[u8]) -> Option<UrlParts<'_>> {
    let colon = url.windows(3).position(|bytes| bytes == b"://")?;
    let rest = &url[colon + 3..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (path, query) = match rest.iter().position(|&byte| byte == b'?') {
        Some(mark) => (&rest[..mark], Some(&rest[mark + 1..])),
        None => (rest, None),
    };
    let (host, port) = match authority.iter().rposition(|&byte| byte == b':') {
        Some(at) => {
            (&authority[..at], Some(std::str::from_utf8(&authority[at + 1..]).ok()?.parse::<u16>().ok()?))
        }
        None => (authority, None),
    };
    Some(UrlParts { scheme: &url[..colon], host, port, path, query })
}

#[test]
fn parts_of_sample_urls_have_the_answers_of_their_text() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/samples/urls.txt");
    let text = std::fs::read(samples).unwrap();
    let urls: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|url| !url.is_empty()).collect();
    let parts: Vec<UrlParts<'_>> = urls.iter().filter_map(|url| divided(url)).collect();
    assert!(parts.len() * 2 > urls.len(), "{} of {}", parts.len(), urls.len());
    for (url, parts) in urls.iter().filter(|url| divided(url).is_some()).zip(&parts) {
        let mut joined = Vec::new();
        parts.each_piece(|piece| joined.extend_from_slice(piece));
        assert_eq!(joined, *url);
    }
    let sites: Vec<String> =
        urls.iter().filter_map(|url| Site::of_url(url).ok()).map(|site| site.to_string()).collect();
    let sites: Vec<&str> = sites.iter().map(String::as_str).step_by(2).collect();
    for dialect in Dialect::ALL {
        require_same(&store(dialect, &sites), parts.iter().copied());
    }
}
