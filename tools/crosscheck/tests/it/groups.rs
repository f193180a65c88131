//! Files whose groups overlap much.

use robomata_crosscheck::engines;
use robomata_engine::{
    Audience, Config, Crawler, Dialect, Policy, PolicyCompiler, Site, StoreBuilder, StoreKind,
};
use robomata_testkit::Generator;
use robomata_testkit::case::{Case, Expect, Word};
use robomata_testkit::hostile::GROUP_FAMILIES;

/// The bytes of the only program of a store for every crawler that holds `robots`.
fn group_table(robots: &[u8], dialect: Dialect) -> Vec<u8> {
    let kind = StoreKind::new(dialect, Audience::Everyone);
    let policies = PolicyCompiler::new(&kind).compile(&Policy::new(robots, &Config::new(dialect)));
    let mut builder = StoreBuilder::new(kind);
    builder.insert(&Site::of_url(b"https://a.example").unwrap(), &policies, None);
    builder.build().program_bytes_of(0).map_or_else(Vec::new, <[u8]>::to_vec)
}

/// The first byte of a group table that holds each rule once.
const UNION_TAG: u8 = 0xC6;

#[test]
fn tangled_files_are_beyond_the_limit() {
    let mut generator = Generator::new(15);
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let tables = (0..100).map(|_| group_table(&generator.tangled_robots(), dialect));
        let unions = tables.filter(|table| table.first() == Some(&UNION_TAG)).count();
        assert!(unions > 60, "{dialect}: {unions}");
    }
}

#[test]
fn adversarial_groups_are_answered_like_others() {
    for (name, family) in GROUP_FAMILIES {
        let robots = family.file(20_000);
        for dialect in [Dialect::Rfc9309, Dialect::Google] {
            // Only unknown keys have a single group.
            assert_eq!(group_table(&robots, dialect)[0] == UNION_TAG, name != "unknown-keys", "{name}");
            for crawler in family.crawlers() {
                for path in family.paths() {
                    let case = Case {
                        id: name.to_owned(),
                        section: String::new(),
                        title: String::new(),
                        dialect,
                        robots: robots.clone(),
                        status: None,
                        crawler: Crawler::new(&crawler),
                        url: format!("https://a.example{path}").into_bytes(),
                        expect: Expect { word: Word::Allow, line: None },
                        note: String::new(),
                    };
                    let found = engines::divergence(&case);
                    assert!(found.is_none(), "{name} {dialect} {crawler} {path}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn group_tables_are_linear_in_the_file() {
    for (name, family) in GROUP_FAMILIES {
        for bytes in [100_000, 400_000] {
            let table = group_table(&family.file(bytes), Dialect::Rfc9309).len();
            assert!(table < 4 * bytes, "{name}: {table} of {bytes}");
        }
    }
}
