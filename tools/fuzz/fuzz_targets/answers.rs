//! A robots.txt, a crawler and URLs: every configuration of the engine against the reference.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robomata_crosscheck::engines::divergence;
use robomata_fuzz::{STATUSES, choose, crawler, dialect, fields, items, option};
use robomata_testkit::Case;
use robomata_testkit::case::{Expect, to_toml};

fuzz_target!(|data: &[u8]| {
    let [options, name, urls, robots] = fields(data);
    let mut case = Case {
        id: "fuzz/answers".to_owned(),
        section: String::new(),
        title: "found by fuzzing".to_owned(),
        dialect: dialect(option(options, 0)),
        robots: robots.to_vec(),
        status: choose(&STATUSES, option(options, 1)),
        crawler: crawler(name),
        url: Vec::new(),
        expect: Expect { word: robomata_testkit::Word::Invalid, line: None },
        note: String::new(),
    };
    for url in items(urls, 8) {
        case.url = url.to_vec();
        if let Some((configuration, engine, reference)) = divergence(&case) {
            case.expect = Expect::of(reference);
            panic!("{configuration}: {engine:?}, but the reference says {reference:?}\n{}", to_toml(&case));
        }
    }
});
