//! Hostile and accidental input: no bytes cause a panic, no pattern takes forever.

use robomata_protocol::{Answer, Crawler, Dialect};

use super::{both, check, summary};
use crate::matching::steps_of;
use crate::{Reference, judge};

#[test]
fn thousands_of_stars_take_at_most_the_product_of_both_lengths() {
    let stars = "*a".repeat(3_000);
    let robots = format!("User-agent: *\nDisallow: /{stars}b\nDisallow: /{}x$\n", "*".repeat(5_000));
    let url = format!("/{}", "a".repeat(2_000));
    check("FooBot", &[both(&robots, &url, "allow 0"), both(&robots, &format!("{url}x"), "disallow 3")]);
    // Of the first rule, each star begins again at the next position, and the last of the target ends it.
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let reference = Reference::new(robots.as_bytes(), None, &Crawler::new("FooBot"), dialect);
        let steps = steps_of(|| _ = reference.judge(url.as_bytes()));
        let bound = robots.len() * (url.len() + 1);
        assert!((2_000 * 2_000..=bound).contains(&steps), "{dialect}: {steps} steps, at most {bound}");
    }
}

#[test]
fn many_rules_without_stars_take_a_step_for_each_byte() {
    let rules: String = (0..47_000).map(|i| format!("Disallow: /path/{i}/x\n")).collect();
    let robots = format!("User-agent: *\n{rules}");
    let reference = Reference::new(robots.as_bytes(), None, &Crawler::new("FooBot"), Dialect::Rfc9309);
    for i in (0..47_000_u32).step_by(997) {
        let mut answer = Answer::Invalid;
        let steps = steps_of(|| answer = reference.judge(format!("/path/{i}/x?y").as_bytes()));
        assert_eq!(summary(answer), format!("disallow {}", i + 2));
        assert!((47_000..=rules.len()).contains(&steps), "{steps} steps for {} bytes", rules.len());
    }
}

#[test]
fn a_reference_answers_more_than_once() {
    let robots = b"User-agent: *\nDisallow: /a*b$\nDisallow: /c\n";
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let reference = Reference::new(robots, None, &Crawler::new("FooBot"), dialect);
        for _ in 0..2 {
            assert_eq!(summary(reference.judge(b"/axb")), "disallow 2");
            assert_eq!(summary(reference.judge(b"/c")), "disallow 3");
            assert_eq!(summary(reference.judge(b"/d")), "allow 0");
        }
    }
}

/// Bytes that are special in some dialect, in the orders that a small generator produces.
#[test]
fn no_bytes_panic() {
    const PIECES: [&[u8]; 24] = [
        b"User-agent",
        b"Disallow",
        b"allow",
        b":",
        b" ",
        b"\t",
        b"\r",
        b"\n",
        b"\0",
        b"#",
        b"*",
        b"$",
        b"/",
        b"%",
        b"%2",
        b"%2A",
        b"%e3",
        b"\xEF",
        b"\xBB\xBF",
        b"\xFF\xFE",
        b"\xFE\xFF",
        b"?",
        b"://",
        b"index.htm",
    ];
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..20_000 {
        let mut text = |len: usize| {
            (0..next(len)).flat_map(|_| PIECES[next(PIECES.len())]).copied().collect::<Vec<u8>>()
        };
        let prefix: &[u8] = b"User-agent:*\nDisallow:";
        let (robots, url) = (text(24), text(12));
        for dialect in Dialect::ALL {
            for crawler in ["FooBot", "", "User-agent,*"] {
                let crawler = Crawler::new(crawler);
                judge(&robots, None, &crawler, dialect, &url);
                judge(&[prefix, &robots].concat(), None, &crawler, dialect, &[b"/", url.as_slice()].concat());
            }
        }
    }
}
