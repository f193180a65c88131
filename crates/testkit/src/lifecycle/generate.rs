//! Generates situations around every boundary of the life-cycle, and header fields with every oddity, from a seed.

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::{
    Attempt, GoodCopy, Header, Hop, Moment, SiteHealth, Situation, Unreachable,
};

use crate::generate::Rng;

/// A situation and an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The known facts.
    pub situation: Situation,
    /// The instant of the question.
    pub now: Moment,
}

/// Generates questions; the same seed gives the same questions.
#[derive(Clone, Debug)]
pub struct Questions(Rng);

/// Durations in seconds at which something changes on some terms or in some header field.
const SPANS: [i64; 14] = [
    0,
    60,
    600,
    3_600,
    43_200,
    86_400,
    129_600,
    604_800,
    2_592_000,
    2_635_200,
    31_536_000,
    31_622_400,
    1 << 31,
    1 << 40,
];

/// 2026-01-01T00:00:00Z, a Thursday: [`DATES`] are near this date.
const USUAL: i64 = 1_767_225_600;

const DATES: &[&[u8]] = &[
    b"Thu, 01 Jan 2026 00:00:00 GMT",
    b"Thu, 01 Jan 2026 00:01:00 GMT",
    b"Wed, 31 Dec 2025 23:00:00 GMT",
    b"Fri, 02 Jan 2026 00:00:00 GMT",
    b"Fri, 02 Jan 2026 00:00:01 GMT",
    b"Thursday, 08-Jan-26 00:00:00 GMT",
    b"Thursday, 08-Jan-26_00:00:00 GMT",
    b"Thu Jan  8 00:00:01 2026",
    b"Thu Jan 08 00:00:01 2026",
    b"Thu Jan 8 00:00:01 2026",
    b"Sat, 31 Jan 2026 00:00:00 GMT",
    b"Thu, 31 Dec 2026 23:59:59 GMT",
    b"Fri, 31 Dec 9999 23:59:59 GMT",
    b"Sat, 01 Jan 10000 00:00:00 GMT",
    b"Thu, 01 Jan 1970 00:00:00 GMT",
    b"Wed, 31 Dec 1969 23:59:59 GMT",
    b"Wednesday, 31-Dec-69 00:00:00 GMT",
    b"Tuesday, 31-Dec-69 00:00:00 GMT",
    b"Thursday, 01-Jan-70 00:00:00 GMT",
    b"Sunday, 29-Feb-04 12:00:00 GMT",
    b"Sun, 29 Feb 2004 12:00:00 GMT",
    b"Thu, 29 Feb 2100 12:00:00 GMT",
    b"Mon, 01 Mar 2100 12:00:00 GMT",
    b"Fri, 01 Jan 2026 00:00:00 GMT",
    b"Thu, 1 Jan 2026 00:00:00 GMT",
    b"Thu, 01 Jan 2026 00:00:60 GMT",
    b"Thu, 01 Jan 2026 24:00:00 GMT",
    b"Thu, 01 Jan 2026 00:00:00 UTC",
    b"thu, 01 jan 2026 00:00:00 gmt",
    b"THURSDAY, 08-jan-26 00:00:60 GMT",
    b"thu JAN  8 00:59:60 2026",
    b"Thu, 01 Jan 2026 00:00:61 GMT",
    b"Thu, 31 Dec 2026 23:59:60 GMT",
    b"0",
    b"-1",
    b"",
    b"now",
    b"Thu, 01 Jan 2026 00:01:00 GMT\x0c",
    b"\nThu, 01 Jan 2026 00:01:00 GMT",
];

const CACHE_CONTROL: &[&[u8]] = &[
    b"max-age=0",
    b"max-age=60",
    b"Max-Age=600",
    b"max-age=43200",
    b"max-age=86400",
    b"max-age=86401",
    b"max-age=604800",
    b"max-age=2592000",
    b"max-age=2592001",
    b"max-age=31536000",
    b"max-age=31536001",
    b"max-age=2147483648",
    b"max-age=99999999999999999999999999999999999999999999",
    b"max-age=\"600\"",
    b"max-age=\"6\\00\"",
    b"max-age=\"600",
    b"max-age=\"600\"x",
    b"max-age=\"6\\",
    b"max-age = 600",
    b"max-age",
    b"max-age=",
    b"max-age=-1",
    b"max-age=+1",
    b"max-age=1.5",
    b"max-age=x",
    b"s-maxage=60",
    b"no-store",
    b"NO-CACHE",
    b"no-cache=\"Set-Cookie, Age\"",
    b"no-cache=",
    b"no-store=1",
    b"must-revalidate",
    b"private",
    b"public",
    b"ext=\"max-age=1, no-store\"",
    b"ext=\"\\\", no-store",
    b"\\\"",
    b"\"",
    b"",
    b" \t",
    b"=",
    b"immutable",
];

const AGES: &[&[u8]] = &[
    b"0",
    b"60",
    b"600",
    b"3600",
    b"86400",
    b"9999999999999999999999",
    b"60 ,5",
    b"x, 5",
    b"-1",
    b"",
    b" 60\t",
    b"1.5",
];

const URLS: &[&[u8]] = &[
    b"https://example.com/robots.txt",
    b"https://EXAMPLE.com/robots.txt#top",
    b"HTTPS://example.com/a/../robots.txt",
    b"http://example.com/robots.txt",
    b"https://example.org/robots.txt",
    b"https://example.org:443/robots.txt",
    b"https://example.com",
    b"https://example.com/",
    b"https://example.com?",
    b"https://example.com/robots.txt?x",
    b"/robots.txt",
    b" /robots.txt\t",
    b"robots.txt",
    b"./robots.txt",
    b"../robots.txt",
    b"../a//../robots.txt",
    b"a/./b/..",
    b"https://example.com/a/b/..",
    b"https://example.com/a/",
    b"https://example.com/a",
    b"/a/b/c/../../..",
    b"/..//.",
    b".",
    b"..",
    b"/",
    b"?",
    b"?x",
    b"?/../x",
    b"#top",
    b"//example.com/robots.txt",
    b"//example.org",
    b"//",
    b"///robots.txt",
    b"http:robots.txt",
    b"https:///robots.txt",
    b"http://?x",
    b"ftp://example.com/robots.txt",
    b"javascript:void(0)",
    b"example.com:80/robots.txt",
    b"1:2",
    b":x",
    b"a/b:c",
    b"",
    b" ",
    b"/robots.txt\x00",
    b"/\xC3\xA9 x",
    b"\x7f",
];

impl Questions {
    /// The questions of `seed`.
    pub fn new(seed: u64) -> Self {
        Questions(Rng::new(seed))
    }

    /// The next question.
    pub fn question(&mut self) -> Question {
        let at = self.time_of_attempt();
        let failing_since = self.0.chance(60).then(|| self.before(at));
        let copy_at = self.before(at);
        let good_copy = self.0.chance(60).then(|| GoodCopy { at: copy_at, headers: self.headers() });
        let attempt = if self.0.chance(20) { self.redirected(at) } else { self.attempt(at) };
        let since = [at, failing_since.unwrap_or(at), copy_at];
        let now = self.after(since);
        let site = self.0.pick(&[SiteHealth::Unknown, SiteHealth::Available, SiteHealth::Failing]);
        let unreachable = self.0.pick(&Unreachable::ALL);
        Question { situation: Situation { attempt, failing_since, good_copy, site, unreachable }, now }
    }

    fn attempt(&mut self, at: Moment) -> Attempt {
        let url = self.requested_url();
        Attempt { url, hops: self.hops(), end: self.end(), headers: self.headers(), at }
    }

    /// An attempt that ended in a redirect, with two random URLs.
    fn redirected(&mut self, at: Moment) -> Attempt {
        let hops = (0..self.0.small(3)).map(|_| self.hop()).collect();
        let headers = vec![Header::new("Location", self.0.pick(URLS))];
        Attempt { url: self.0.pick(URLS).to_vec(), hops, end: FetchStatus::Code(302), headers, at }
    }

    /// Mostly the URL that the others are near.
    fn requested_url(&mut self) -> Vec<u8> {
        if self.0.chance(90) { URLS[0].to_vec() } else { self.0.pick(URLS).to_vec() }
    }

    fn time_of_attempt(&mut self) -> Moment {
        let seconds = match self.0.below(20) {
            0 => self.0.pick(&[i64::MIN, i64::MIN + 1, i64::MAX - 86_400, i64::MAX]),
            1 => self.0.pick(&[-1, 0, 1, -86_400]),
            _ => USUAL,
        };
        Moment::from_seconds(seconds)
    }

    /// A second before, at or after one of the durations.
    fn span(&mut self) -> i64 {
        self.0.pick(&SPANS) + self.0.pick(&[-1, 0, 0, 1])
    }

    /// Mostly earlier than `at`.
    fn before(&mut self, at: Moment) -> Moment {
        let span = if self.0.chance(5) { -self.span() } else { self.span() };
        Moment::from_seconds(at.seconds().saturating_sub(span))
    }

    /// Mostly later than one of `starts` by one of the durations, at which the interval that began there ends.
    fn after(&mut self, starts: [Moment; 3]) -> Moment {
        let start = self.0.pick(&starts).seconds();
        let seconds = match self.0.below(30) {
            0 => self.0.pick(&[i64::MIN, i64::MAX, i64::MAX - 1]),
            1 => start.saturating_sub(self.span()),
            _ => start.saturating_add(self.span()),
        };
        Moment::from_seconds(seconds)
    }

    fn end(&mut self) -> FetchStatus {
        const CODES: &[u16] = &[
            0, 100, 199, 200, 200, 204, 299, 300, 301, 302, 303, 304, 304, 305, 307, 308, 399, 400, 401, 402,
            403, 404, 408, 410, 425, 429, 451, 499, 500, 503, 599, 600, 999, 65535,
        ];
        match self.0.below(9) {
            0 => FetchStatus::NetworkFailure,
            1 => FetchStatus::Success,
            8 => FetchStatus::TooManyRedirects,
            2 | 3 => FetchStatus::Code(503),
            _ => FetchStatus::Code(self.0.pick(CODES)),
        }
    }

    fn hops(&mut self) -> Vec<Hop> {
        let count = if self.0.chance(60) { 0 } else { self.0.below(8) };
        (0..count).map(|_| self.hop()).collect()
    }

    fn hop(&mut self) -> Hop {
        let status = self.0.pick(&[301, 302, 303, 307, 308, 200]);
        let location = self.0.chance(90).then(|| self.0.pick(URLS).to_vec());
        Hop { status, location }
    }

    fn headers(&mut self) -> Vec<Header> {
        let count = self.0.small(5);
        (0..count).map(|_| self.header()).collect()
    }

    fn header(&mut self) -> Header {
        let (name, value): (&str, Vec<u8>) = match self.0.below(10) {
            0..=2 => ("Cache-Control", self.cache_control()),
            3 | 4 => ("Expires", self.0.pick(DATES).to_vec()),
            5 => ("Date", self.0.pick(DATES).to_vec()),
            6 => ("Age", self.0.pick(AGES).to_vec()),
            7 => ("Retry-After", self.retry_after()),
            8 => ("Location", self.0.pick(URLS).to_vec()),
            _ => ("Last-Modified", self.0.pick(DATES).to_vec()),
        };
        let mut header = Header::new(name, value);
        if self.0.chance(10) {
            self.0.flip_case(&mut header.name);
        }
        if self.0.chance(5) {
            self.spoil(&mut header.value);
        }
        header
    }

    fn retry_after(&mut self) -> Vec<u8> {
        let values = if self.0.chance(50) { DATES } else { AGES };
        self.0.pick(values).to_vec()
    }

    fn cache_control(&mut self) -> Vec<u8> {
        let parts: Vec<&[u8]> = (0..=self.0.small(3)).map(|_| self.0.pick(CACHE_CONTROL)).collect();
        parts.join(self.0.pick(&[&b","[..], b", ", b" ,"]))
    }

    /// Changes, inserts or removes one byte.
    fn spoil(&mut self, value: &mut Vec<u8>) {
        let at = self.0.below(value.len() + 1);
        match self.0.below(3) {
            0 => value.truncate(at),
            1 => value.insert(at, self.0.byte()),
            _ if at < value.len() => value[at] = self.0.byte(),
            _ => {}
        }
    }
}
