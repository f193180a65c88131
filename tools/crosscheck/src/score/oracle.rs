//! Classifies a request using the reference alone. It searches a list for the capture in force, every time anew.

use std::collections::HashMap;

use robomata_engine::lifecycle::{
    Applies, Attempt, Finding, GoodCopy, Header, Moment, RulesOf, SiteHealth, Situation, Standing, Terms,
};
use robomata_engine::{Access, Answer, Crawler, Dialect, FetchStatus, Verdict};
use robomata_reference::{Reference, lifecycle};

use super::history::{Capture, HostHistory, Reach};
use super::requests::Request;

/// Seconds per day.
const DAY: i64 = 24 * 60 * 60;

/// The classification of a request.
#[derive(Clone, Debug)]
pub struct ExpectedVerdict {
    /// The verdict, as named in the cells of a score.
    pub verdict: &'static str,
    /// The broken line, or 0 if none.
    pub line: u32,
    /// The reason, for debugging.
    pub why: String,
}

/// Classifies requests to one host.
pub struct OracleOfHost<'h> {
    history: Option<&'h HostHistory>,
    dialect: Dialect,
    terms: Terms,
    /// By crawler and index of the capture.
    references: HashMap<(Crawler, usize), Reference>,
}

/// The policy in force at an instant.
enum Force {
    BeforeFirst,
    /// The answer of the capture at this index.
    Capture(usize),
    /// The substitute while the robots.txt is unavailable, and the index of the last good copy.
    StandIn(Standing, Option<usize>),
}

impl Force {
    /// The time at which something else can apply although nothing was captured.
    fn until(&self) -> Option<i64> {
        match self {
            Force::StandIn(standing, _) => standing.until.map(Moment::seconds),
            Force::BeforeFirst | Force::Capture(_) => None,
        }
    }
}

impl<'h> OracleOfHost<'h> {
    /// The oracle for a host with this history, or `None` if the host was never captured.
    pub fn new(history: Option<&'h HostHistory>, dialect: Dialect) -> Self {
        let terms = match dialect {
            Dialect::Rfc9309 | Dialect::Acap => Terms::Rfc9309,
            Dialect::Google => Terms::Google,
            Dialect::Koster1996 => Terms::Koster1996,
            Dialect::Yandex => Terms::Yandex,
        };
        OracleOfHost { history, dialect, terms, references: HashMap::new() }
    }

    /// In the generated requests, `%74` is the only escape in this path. google/robotstxt decodes nothing, and Koster's
    /// draft compares no query.
    fn is_robots_txt(&self, target: &[u8]) -> bool {
        let ends = |byte: &u8| *byte == b'#' || (self.dialect == Dialect::Koster1996 && *byte == b'?');
        let path = target.split(ends).next().unwrap_or_default();
        path == b"/robots.txt" || (self.dialect != Dialect::Google && path == b"/robots.tx%74")
    }

    /// Returns the site of `request` and its classification.
    pub fn judge(&mut self, host: &str, request: &Request, crawler: &Crawler) -> (String, ExpectedVerdict) {
        // What a client requests for such a text is not known.
        let target = without_blanks(&request.target);
        if target.iter().any(u8::is_ascii_control) {
            return (String::new(), verdict("invalid", 0, "its URL contains a control character"));
        }
        let scheme = self.scheme(request);
        let site = match (request.port, scheme) {
            (None, _) | (Some(443), "https") | (Some(80), "http") => format!("{scheme}://{host}"),
            (Some(port), _) => format!("{scheme}://{host}:{port}"),
        };
        if self.is_robots_txt(target) {
            return (site, verdict("robots-txt", 0, "the robots.txt itself"));
        }
        let url = [site.as_bytes(), target].concat();
        let is_captured = self.history.is_some_and(|history| match history.reach {
            Reach::Both => matches!(request.port, None | Some(80 | 443)),
            Reach::Http => scheme == "http" && matches!(request.port, None | Some(80)),
        });
        if !is_captured {
            return (site, verdict("site-unknown", 0, "it was never captured"));
        }
        (site, self.verdict(crawler, &url, request.time))
    }

    /// The log does not name the scheme: https, unless only the http site is known.
    fn scheme(&self, request: &Request) -> &'static str {
        match (self.history.map(|history| history.reach), request.port) {
            (Some(_), Some(80)) | (Some(Reach::Http), None) => "http",
            _ => "https",
        }
    }

    fn verdict(&mut self, crawler: &Crawler, url: &[u8], now: i64) -> ExpectedVerdict {
        let (force, _) = self.in_force(now);
        let answer = self.answer(&force, crawler, url);
        let why = match &force {
            Force::BeforeFirst => "before the first capture".to_owned(),
            Force::Capture(place) => format!("by {}", self.captures()[*place]),
            Force::StandIn(standing, copy) => format!("{} (copy: {copy:?})", standing.why),
        };
        let (verdict, line) = match answer {
            None => ("before-first-capture", 0),
            Some(Answer::Verdict(Verdict { access: Access::Allow, .. })) => ("allowed", 0),
            Some(Answer::Verdict(verdict)) => match self.milder_verdict(crawler, url, now) {
                Some(milder) => (milder, 0),
                None => ("disallowed", verdict.line),
            },
            Some(Answer::Defer) => ("deferred", 0),
            Some(Answer::Unknown) => ("no-policy", 0),
            Some(Answer::Invalid) => ("invalid", 0),
        };
        ExpectedVerdict { verdict, line, why }
    }

    /// Returns another verdict on a disallowed request if the crawler may still use an older copy that allowed it, or whose
    /// rules are not known. A copy may be used for one day (RFC 9309, section 2.4), or seven days in Koster's draft
    /// (section 3.4). Between two failures, what would apply after a failed attempt counts too, also at `now`: such an
    /// attempt is not recorded. The policy changes only at a capture or where a substitute ends.
    fn milder_verdict(&mut self, crawler: &Crawler, url: &[u8], now: i64) -> Option<&'static str> {
        let days = if self.dialect == Dialect::Koster1996 { 7 } else { 1 };
        let mut instant = now.saturating_sub(days * DAY);
        // The latest instant without a known policy decides why the request is not counted as disallowed.
        let mut unknown = None;
        while instant <= now {
            let (force, if_failed) = self.in_force(instant);
            // The failed attempt comes last, because it counts as the later one.
            let possible = [Some(force), if_failed];
            for force in possible.iter().flatten() {
                match self.answer(force, crawler, url) {
                    Some(Answer::Verdict(Verdict { access: Access::Allow, .. })) => return Some("excused"),
                    None => unknown = Some("before-first-capture"),
                    Some(Answer::Unknown) => unknown = Some("no-policy"),
                    // It is known that visits had to be deferred.
                    Some(Answer::Verdict(_) | Answer::Defer | Answer::Invalid) => {}
                }
            }
            let captured = self.captures().iter().map(|capture| capture.time).find(|&time| time > instant);
            let until = possible.iter().flatten().filter_map(Force::until);
            let Some(next) = captured.into_iter().chain(until).min() else { break };
            instant = next;
        }
        unknown
    }

    /// `None` before the first capture.
    fn answer(&mut self, force: &Force, crawler: &Crawler, url: &[u8]) -> Option<Answer> {
        let end = |status, dialect| Reference::new(b"", Some(status), crawler, dialect).judge(url);
        Some(match *force {
            Force::BeforeFirst => return None,
            Force::Capture(place) => self.reference(crawler, place).judge(url),
            Force::StandIn(standing, copy) => match (standing.applies, copy) {
                (Applies::Rules(RulesOf::LastGoodCopy), Some(copy)) => {
                    self.reference(crawler, copy).judge(url)
                }
                // U3: google/robotstxt makes no exception. In Koster's draft, a failed fetch disallows nothing.
                (Applies::Restricted, _) if self.dialect == Dialect::Google => {
                    end(FetchStatus::NetworkFailure, Dialect::Google)
                }
                (Applies::Restricted, _) => end(FetchStatus::NetworkFailure, Dialect::Rfc9309),
                (Applies::Unrestricted, _) => end(FetchStatus::Code(404), self.dialect),
                (Applies::Deferred, _) => Answer::Defer,
                (Applies::Rules(_) | Applies::Unknown, _) => Answer::Unknown,
            },
        })
    }

    fn reference(&mut self, crawler: &Crawler, place: usize) -> &Reference {
        let capture = &self.history.expect("it has captures").captures[place];
        let dialect = self.dialect;
        self.references
            .entry((crawler.clone(), place))
            .or_insert_with(|| Reference::new(&capture.body, Some(capture.status), crawler, dialect))
    }

    /// The newest capture that is not later than `now`, or its substitute if the capture holds no robots.txt. A redirect
    /// that was not followed counts only without any other capture.
    ///
    /// Between two failures, also returns what would be in force if an attempt had failed at `now`.
    fn in_force(&self, now: i64) -> (Force, Option<Force>) {
        let captures = self.captures();
        let known = captures.iter().take_while(|capture| capture.time <= now).count();
        let is_conclusive = |place: &usize| self.finding(&captures[*place]) != Finding::NotFollowed;
        let conclusive: Vec<usize> = (0..known).filter(is_conclusive).collect();
        let Some(newest) = conclusive.last().copied().or(known.checked_sub(1)) else {
            return (Force::BeforeFirst, None);
        };
        if is_conclusive(&newest) && !self.is_failure(&captures[newest]) {
            return (Force::Capture(newest), None);
        }
        let run = conclusive.iter().rev().take_while(|&&place| self.is_failure(&captures[place]));
        let first = run.last().copied().unwrap_or(newest);
        // A site withdraws its rules with a status that is no failure.
        let held = conclusive
            .iter()
            .copied()
            .rev()
            .find(|&place| place < newest && !self.is_failure(&captures[place]));
        let copy = held.filter(|&place| {
            matches!(captures[place].status, FetchStatus::Success | FetchStatus::Code(200..=299))
        });
        // Between two failures, only the first one of the run is known (F15): a history keeps the first and the last of
        // captures that say the same. A crawler may know of a later one.
        let next = (known..captures.len()).find(is_conclusive);
        let is_outage = is_conclusive(&newest) && next.is_some_and(|next| self.is_failure(&captures[next]));
        let attempt = attempt(&captures[newest]);
        let since = moment(captures[first].time);
        let stand_in = |at: Moment| {
            let situation = Situation {
                failing_since: Some(since),
                good_copy: copy.map(|copy| GoodCopy { at: moment(captures[copy].time), headers: Vec::new() }),
                ..Situation::first(Attempt { at, ..attempt.clone() })
            };
            Force::StandIn(lifecycle::standing(&situation, moment(now), self.terms), copy)
        };
        let at = if is_outage { since } else { attempt.at };
        let if_failed = is_outage.then(|| stand_in(moment(now)));
        (stand_in(at), if_failed)
    }

    fn captures(&self) -> &'h [Capture] {
        self.history.map_or(&[], |history| &history.captures)
    }

    fn finding(&self, capture: &Capture) -> Finding {
        let situation = Situation { site: SiteHealth::Unknown, ..Situation::first(attempt(capture)) };
        lifecycle::standing(&situation, moment(capture.time), self.terms).why.finding
    }

    fn is_failure(&self, capture: &Capture) -> bool {
        matches!(self.finding(capture), Finding::Failure | Finding::RedirectNowhere(_))
    }
}

fn verdict(verdict: &'static str, line: u32, why: &str) -> ExpectedVerdict {
    ExpectedVerdict { verdict, line, why: why.to_owned() }
}

/// The fetch attempt that a capture records. The target of a redirect is not recorded, so an arbitrary one is used.
fn attempt(capture: &Capture) -> Attempt {
    Attempt {
        url: b"https://here.example/robots.txt".to_vec(),
        hops: Vec::new(),
        end: capture.status,
        headers: vec![Header::new("Location", "https://elsewhere.example/robots.txt")],
        at: moment(capture.time),
    }
}

fn moment(seconds: i64) -> Moment {
    Moment::from_seconds(seconds)
}

/// A target without the spaces and tabs around it.
fn without_blanks(target: &[u8]) -> &[u8] {
    let is_visible = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let begin = target.iter().position(is_visible).unwrap_or(target.len());
    let end = target.iter().rposition(is_visible).map_or(begin, |last| last + 1);
    &target[begin..end]
}
