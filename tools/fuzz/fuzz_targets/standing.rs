//! The life-cycle of a robots.txt: what applies after a fetch, and until when. The engine against the reference.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use robomata_engine::FetchStatus;
use robomata_engine::lifecycle::{
    self as engine, Attempt, GoodCopy, Header, Hop, Moment, SiteHealth, Situation, Terms, Unreachable,
};
use robomata_reference::lifecycle as reference;

#[derive(Debug)]
struct Input {
    situation: Situation,
    now: Moment,
    terms: Terms,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let at = moment(u)?;
        let hops: Vec<(u16, Option<&[u8]>)> = u.arbitrary()?;
        let situation = Situation {
            attempt: Attempt {
                url: [
                    *u.choose(&[&b"https://example.com/robots.txt"[..], b"http://a.example", b"x", b""])?,
                    u.arbitrary()?,
                ]
                .concat(),
                hops: hops
                    .into_iter()
                    .take(8)
                    .map(|(status, location)| Hop { status, location: location.map(<[u8]>::to_vec) })
                    .collect(),
                end: status(u)?,
                headers: headers(u)?,
                at,
            },
            failing_since: optional(u)?,
            good_copy: match optional(u)? {
                Some(at) => Some(GoodCopy { at, headers: headers(u)? }),
                None => None,
            },
            site: *u.choose(&[SiteHealth::Unknown, SiteHealth::Available, SiteHealth::Failing])?,
            unreachable: *u.choose(&Unreachable::ALL)?,
        };
        Ok(Input { situation, now: moment(u)?, terms: *u.choose(&Terms::ALL)? })
    }
}

/// Near one day of 2026, or anything.
fn moment(u: &mut Unstructured<'_>) -> arbitrary::Result<Moment> {
    const DAY: i64 = 86_400;
    let usual = 1_767_225_600;
    Ok(Moment::from_seconds(match u.int_in_range(0..=4)? {
        0 => usual,
        1 => usual + DAY * i64::from(u.arbitrary::<i8>()?),
        2 => usual + i64::from(u.arbitrary::<i16>()?),
        3 => usual + i64::from(u.arbitrary::<i32>()?),
        _ => u.arbitrary()?,
    }))
}

fn optional(u: &mut Unstructured<'_>) -> arbitrary::Result<Option<Moment>> {
    if u.arbitrary()? { moment(u).map(Some) } else { Ok(None) }
}

fn status(u: &mut Unstructured<'_>) -> arbitrary::Result<FetchStatus> {
    const CODES: [u16; 14] = [200, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 429, 500, 503];
    Ok(match u.int_in_range(0..=4)? {
        0 => FetchStatus::Success,
        1 => FetchStatus::NetworkFailure,
        2 => FetchStatus::TooManyRedirects,
        3 => FetchStatus::Code(u.arbitrary()?),
        _ => FetchStatus::Code(*u.choose(&CODES)?),
    })
}

fn headers(u: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Header>> {
    const NAMES: [&str; 8] =
        ["Cache-Control", "Expires", "Date", "Age", "Retry-After", "cache-control", "Last-Modified", "X"];
    const VALUES: [&[u8]; 10] = [
        b"max-age=3600",
        b"no-store",
        b"no-cache",
        b"max-age=\"60\", private",
        b"Thu, 01 Jan 2026 00:00:00 GMT",
        b"Thursday, 08-Jan-26 00:00:00 GMT",
        b"Thu Jan  8 00:00:01 2026",
        b"120",
        b"0",
        b"s-maxage=5,max-age=99999999999",
    ];
    let count = u.int_in_range(0..=4)?;
    (0..count)
        .map(|_| {
            let name = *u.choose(&NAMES)?;
            let mut value =
                if u.arbitrary()? { u.choose(&VALUES)?.to_vec() } else { u.arbitrary::<&[u8]>()?.to_vec() };
            if u.ratio(1, 4)? {
                value.extend(u.choose(&VALUES)?.iter());
            }
            Ok(Header::new(name, value))
        })
        .collect()
}

fuzz_target!(|input: Input| {
    let Input { situation, now, terms } = input;
    let standing = engine::standing(&situation, now, terms);
    assert_eq!(
        standing,
        reference::standing(&situation, now, terms),
        "at {now} on the terms of {terms}: {situation:#?}"
    );
    // A standing holds until the last second before its end.
    if let Some(until) = standing.until.filter(|until| *until > now) {
        let before = Moment::from_seconds(until.seconds() - 1);
        let at_end = engine::standing(&situation, before, terms);
        assert_eq!(at_end, reference::standing(&situation, before, terms), "at {before}: {situation:#?}");
        assert_eq!(at_end.applies, standing.applies, "until {until}: {situation:#?}");
    }
});
