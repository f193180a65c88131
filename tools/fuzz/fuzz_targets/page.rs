//! A page with its headers, and the site's files: what they state about usages, the engine against the reference. The
//! facts of a page are the same however it arrives.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_crosscheck::permissions::divergence;
use robomata_crosscheck::usages;
use robomata_engine::{Circumstances, Moment, Usage};
use robomata_fuzz::{STATUSES, choose, crawler, dialect, fields, items, option};
use robomata_pages::{PageReader, PageReading, facts};
use robomata_testkit::permission_case::{Expectations, Page, PermissionCase, ReferencedFile};

fuzz_target!(|data: &[u8]| {
    let [options, name, url, robots, tdmrep, referenced, headers, html] = fields(data);
    let headers: Vec<(String, String)> = items(headers, 16)
        .map(|line| {
            let line = String::from_utf8_lossy(line);
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            (name.to_owned(), value.trim().to_owned())
        })
        .collect();
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let found = facts(html, &headers);
    for size in [1, 7, 1_000] {
        let mut reader = PageReader::new(&headers);
        html.chunks(size).for_each(|chunk| reader.write(chunk));
        assert_eq!(reader.finish(), found, "the facts of a page that arrives {size} bytes at a time");
    }
    let reading = PageReading::new(&found, &crawler(name), dialect(option(options, 0)));
    let _ = format!("{reading:?}");

    let moment = |option: usize| {
        (option > 0).then(|| Moment::from_seconds(1_700_000_000 + option as i64 * 40_000_000))
    };
    let case = PermissionCase {
        id: "fuzz/page".to_owned(),
        section: String::new(),
        title: "found by fuzzing".to_owned(),
        dialect: dialect(option(options, 0)),
        origin: "https://example.com".to_owned(),
        robots: robots.to_vec(),
        status: choose(&STATUSES, option(options, 1)),
        referenced: items(referenced, 2)
            .filter(|file| !file.is_empty())
            .map(|file| {
                let end = file.iter().position(|&byte| byte == b'\n').unwrap_or(file.len());
                let locator = String::from_utf8_lossy(&file[..end]).into_owned();
                ReferencedFile { locator, bytes: file.get(end + 1..).unwrap_or_default().to_vec() }
            })
            .collect(),
        tdmrep: (!tdmrep.is_empty()).then(|| tdmrep.to_vec()),
        page: (!html.is_empty() || !headers.is_empty()).then(|| Page { facts: found, html: None }),
        crawler: crawler(name),
        url: url.to_vec(),
        circumstances: Circumstances {
            purpose: (option(options, 2) % 2 == 1).then(|| "news".to_owned()),
            now: moment(option(options, 3) % 4),
            first_use: moment(option(options, 4) % 3),
            last_crawl: moment(option(options, 5) % 3),
            ..Circumstances::default()
        },
        expect: Expectations::default(),
        note: String::new(),
    };
    // The reference does not convert hosts: it compares international names and escapes as they are written.
    if has_converted_host(url) || has_converted_host(robots) {
        return;
    }
    let found = divergence(&case);
    assert!(found.is_empty(), "{}\n{case:#?}", found.join("\n"));
    let usage = choose(&Usage::ALL, option(options, 6));
    if let Some((engine, expected)) = usages::compared(&case, usage) {
        assert_eq!(engine, expected, "a store about {usage}\n{case:#?}");
    }
});

/// Whether an authority in `text` has other characters than ASCII, or escapes.
fn has_converted_host(text: &[u8]) -> bool {
    let mut words = text.split(|byte| byte.is_ascii_whitespace());
    words.any(|word| {
        let authorities = word.windows(3).enumerate().filter(|(_, three)| three == b"://");
        let mut authorities = authorities.map(|(at, _)| &word[at + 3..]);
        authorities.any(|rest| {
            let authority = rest.split(|byte| b"/?#".contains(byte)).next().unwrap_or_default();
            !authority.is_ascii() || authority.contains(&b'%')
        })
    })
}
