//! Files that try to cause failures or large memory use.

use robomata_policy::acap::{Acap, ReferencedFile, Resources};
use robomata_policy::{Policy, Says};
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

use super::{acap, said_to};

/// SplitMix64: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }
}

const MORSELS: [&[u8]; 44] = [
    b"ACAP-crawler",
    b"ACAP-allow-",
    b"ACAP-disallow-",
    b"ACAP-request-",
    b"ACAP-usage-purpose",
    b"ACAP-permissions-reference",
    b"ACAP-resource-set",
    b"ACAP-qualified-usage",
    b"ACAP-composite-usage",
    b"ACAP-ignore-conventional-records",
    b"##ACAP version=",
    b"User-agent",
    b"Disallow",
    b"index",
    b"present",
    b"present-snippet",
    b"crawl",
    b"(a)",
    b"(",
    b")",
    b"a",
    b"b",
    b"the-acap:resource-set:a",
    b"time-limit",
    b"=",
    b"until-",
    b"2007-02-28",
    b"3-days",
    b"max-length=",
    b"must-use-resource=",
    b"prohibited-modification=any",
    b"*",
    b"$",
    b"/",
    b"take-down",
    b": ",
    b": ",
    b":",
    b" ",
    b"\n",
    b"\n",
    b"\r\n",
    b"\xFF",
    b"\0",
];

fn soup(random: &mut Random) -> Vec<u8> {
    let mut soup = Vec::new();
    for _ in 0..random.below(60) {
        match random.below(20) {
            0 => soup.push(u8::try_from(random.below(256)).unwrap()),
            1..7 => soup.extend_from_slice(b"\nACAP-crawler: *\nACAP-allow-crawl: "),
            _ => soup.extend_from_slice(MORSELS[random.below(MORSELS.len())]),
        }
    }
    soup
}

#[test]
fn any_bytes_can_be_read_and_queried() {
    let mut random = Random(20_071_130);
    let (mut files, mut fields) = (0, 0);
    for _ in 0..20_000 {
        let (robots, other) = (soup(&mut random), soup(&mut random));
        let policy = Policy::with_diagnostics(&robots, &Config::new(Dialect::Acap));
        let referenced =
            [ReferencedFile { locator: "/", bytes: &other }, ReferencedFile { locator: "a", bytes: &other }];
        let Some(acap) = Acap::read(&policy, &referenced) else { continue };
        files += 1;
        for crawler in ["a", "b,*", ""] {
            fields += said_to(crawler, &acap).len();
            let crawler = Crawler::new(crawler);
            assert!(acap.requests_for(&crawler).iter().all(|request| request.path.starts_with(b"/")));
            assert!(acap.missing_references(&crawler).len() <= acap.references().len());
        }
        let most = u32::try_from(robots.len().max(other.len())).unwrap();
        assert!(
            acap.diagnostics().iter().all(|found| (1..=most).contains(&found.line) && found.span.end <= most)
        );
    }
    assert!(files > 15_000 && fields > 50_000, "the soup is too thin: {files} files, {fields} fields");
}

/// A crawler gets at most one field per usage of ACAP and line; sets and lists are shared.
#[test]
fn a_composite_usage_with_thousands_of_names_stays_small() {
    let mut file = "ACAP-qualified-usage: q present time-limit=1-days\nACAP-composite-usage: u".to_owned();
    for _ in 0..10_000 {
        file += " (q) crawl index follow present-link";
    }
    file += "\nACAP-resource-set: s";
    for number in 0..10_000 {
        file += &format!(" /{number}");
    }
    file += "\nACAP-crawler: *\n";
    for _ in 0..5_000 {
        file += "ACAP-allow-(u): the-acap:resource-set:s\n";
    }
    let acap = acap(&file);
    let fields = acap.fields_for(&Crawler::new("x"));
    assert_eq!(fields.len(), 5 * 5_000);
    let Resources::Set(set) = fields[0].field.resources else { panic!("the set is referred to") };
    assert_eq!(acap.set(set).len(), 10_000);
    assert!(fields.iter().all(|addressed| addressed.field.resources == fields[0].field.resources));
    let Says::Permitted(list) = fields[0].field.says else { panic!("it is permitted") };
    assert_eq!(acap.qualifiers(list).count(), 1);
}

/// Lists that composite usages merge hold numbers: a long URI is stored once, however many lists contain it.
#[test]
fn merged_lists_hold_each_qualifier_once() {
    let long = "x".repeat(100_000);
    let mut file = format!("ACAP-qualified-usage: a present must-use-resource=/{long}\n");
    for number in 0..4_000 {
        file += &format!("ACAP-qualified-usage: b{number} present time-limit={number}-days\n");
        file += &format!("ACAP-composite-usage: c{number} (a) (b{number})\n");
    }
    file += "ACAP-crawler: *\n";
    for number in 0..4_000 {
        file += &format!("ACAP-allow-(c{number}): /\n");
    }
    let acap = acap(&file);
    let fields = acap.fields_for(&Crawler::new("x"));
    assert_eq!(fields.len(), 4_000);
    let uris: Vec<_> = fields
        .iter()
        .map(|addressed| {
            let Says::Permitted(list) = addressed.field.says else { panic!("it is permitted") };
            let mut qualifiers = acap.qualifiers(list);
            let first = qualifiers.next().unwrap();
            assert_eq!(qualifiers.count(), 1);
            std::ptr::from_ref(first)
        })
        .collect();
    assert!(uris.iter().all(|&uri| uri == uris[0]));
}

#[test]
fn many_repeated_modifications_are_one() {
    let file =
        format!("ACAP-crawler: *\nACAP-allow-present: /{}", " prohibited-modification=style".repeat(10_000));
    assert_eq!(said_to("x", &acap(&file)), ["2 any +present prohibited-modification=style </>"]);
}

#[test]
fn many_records_purposes_and_references() {
    let mut file = String::new();
    for number in 0..5_000 {
        file += &format!("ACAP-crawler: c{number}\nACAP-permissions-reference: /{}\n", number % 7);
        file += "ACAP-crawler: *\nACAP-usage-purpose: p\nACAP-disallow-index: /\n";
    }
    let acap = acap(&file);
    assert_eq!(acap.fields_for(&Crawler::new("c4999")).len(), 5_000);
    assert_eq!(acap.missing_references(&Crawler::new("c4999")), ["/1"]);
    assert_eq!(acap.references().len(), 5_000);
}
