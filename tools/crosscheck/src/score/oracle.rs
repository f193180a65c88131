//! What a request was, by the reference alone: the capture in force is looked for in a list, every time anew.

use std::collections::HashMap;

use robomata::lifecycle::{
    Applies, Attempt, Finding, GoodCopy, Header, Moment, RulesOf, SiteHealth, Situation, Standing, Terms,
};
use robomata::{Access, Answer, Crawler, Dialect, FetchStatus, Verdict};
use robomata_reference::{Reference, lifecycle};

use super::history::{Capture, HostHistory, Reach};
use super::requests::Request;

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// What a request was.
#[derive(Clone, Debug)]
pub struct Said {
    /// In the words of a score's cells.
    pub verdict: &'static str,
    /// The line that was broken; 0 where none was.
    pub line: u32,
    /// What decided, for whoever has to find out.
    pub why: String,
}

/// Judges requests to one host.
pub struct OracleOfHost<'h> {
    history: Option<&'h HostHistory>,
    dialect: Dialect,
    terms: Terms,
    /// By crawler and the place of the capture.
    references: HashMap<(Crawler, usize), Reference>,
}

/// What is in force at an instant.
enum Force {
    BeforeFirst,
    /// The answer of the capture at this place.
    Capture(usize),
    /// What stands in while the robots.txt cannot be had, and the place of the last good copy.
    StandIn(Standing, Option<usize>),
}

impl<'h> OracleOfHost<'h> {
    /// The oracle for a host with this history; none where nobody captured it.
    pub fn new(history: Option<&'h HostHistory>, dialect: Dialect) -> Self {
        OracleOfHost { history, dialect, terms: Terms::from(dialect), references: HashMap::new() }
    }

    /// The site that `request` went to, and what it was.
    pub fn judge(&mut self, host: &str, request: &Request, crawler: &Crawler) -> (String, Said) {
        let scheme = self.scheme(request);
        let site = match (request.port, scheme) {
            (None, _) | (Some(443), "https") | (Some(80), "http") => format!("{scheme}://{host}"),
            (Some(port), _) => format!("{scheme}://{host}:{port}"),
        };
        // However it is spelt: of all bytes the requests encode but one of these.
        let path = request.target.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
        if path == b"/robots.txt" || path == b"/robots.tx%74" {
            return (site, said("robots-txt", 0, "the robots.txt itself"));
        }
        let url = [site.as_bytes(), &request.target].concat();
        let is_captured = self.history.is_some_and(|history| match history.reach {
            Reach::Both => matches!(request.port, None | Some(80 | 443)),
            Reach::Http => scheme == "http" && matches!(request.port, None | Some(80)),
        });
        if !is_captured {
            return (site, said("site-unknown", 0, "nobody captured it"));
        }
        (site, self.verdict(crawler, &url, request.time))
    }

    /// The log does not say it: https, unless only the site of http is known.
    fn scheme(&self, request: &Request) -> &'static str {
        match (self.history.map(|history| history.reach), request.port) {
            (Some(_), Some(80)) | (Some(Reach::Http), None) => "http",
            _ => "https",
        }
    }

    fn verdict(&mut self, crawler: &Crawler, url: &[u8], now: i64) -> Said {
        let force = self.in_force(now);
        let answer = self.answer(&force, crawler, url);
        let why = match &force {
            Force::BeforeFirst => "before the first capture".to_owned(),
            Force::Capture(place) => format!("by {}", self.captures()[*place]),
            Force::StandIn(standing, copy) => format!("{} (copy: {copy:?})", standing.why),
        };
        let (verdict, line) = match answer {
            None => ("before-first-capture", 0),
            Some(Answer::Verdict(Verdict { access: Access::Allow, .. })) => ("allowed", 0),
            Some(Answer::Verdict(_)) if self.was_allowed(crawler, url, now) => ("excused", 0),
            Some(Answer::Verdict(verdict)) => ("disallowed", verdict.line),
            Some(Answer::Defer) => ("deferred", 0),
            Some(Answer::Unknown) => ("no-policy", 0),
            Some(Answer::Invalid) => ("invalid", 0),
        };
        Said { verdict, line, why }
    }

    /// Was it allowed at some instant of the time before for which a copy may be used? That is a day (RFC 9309, section 2.4),
    /// in Koster's draft seven (section 3.4). Nothing changes but at a capture, or where a stand-in ends.
    fn was_allowed(&mut self, crawler: &Crawler, url: &[u8], now: i64) -> bool {
        let days = if self.dialect == Dialect::Koster1996 { 7 } else { 1 };
        let mut instant = now.saturating_sub(days * DAY);
        while instant < now {
            let force = self.in_force(instant);
            let answer = self.answer(&force, crawler, url);
            if matches!(answer, Some(Answer::Verdict(Verdict { access: Access::Allow, .. }))) {
                return true;
            }
            let captured = self.captures().iter().map(|capture| capture.time).find(|&time| time > instant);
            let until = match force {
                Force::StandIn(standing, _) => standing.until.map(Moment::seconds),
                Force::BeforeFirst | Force::Capture(_) => None,
            };
            let Some(next) = captured.into_iter().chain(until).min() else { return false };
            instant = next;
        }
        false
    }

    /// None before the first capture.
    fn answer(&mut self, force: &Force, crawler: &Crawler, url: &[u8]) -> Option<Answer> {
        let end = |status, dialect| Reference::new(b"", Some(status), crawler, dialect).judge(url);
        Some(match *force {
            Force::BeforeFirst => return None,
            Force::Capture(place) => self.reference(crawler, place).judge(url),
            Force::StandIn(standing, copy) => match (standing.applies, copy) {
                (Applies::Rules(RulesOf::LastGoodCopy), Some(copy)) => {
                    self.reference(crawler, copy).judge(url)
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

    /// The newest capture that is not later, or what stands in for it where it is none of a robots.txt.
    fn in_force(&self, now: i64) -> Force {
        let captures = self.captures();
        let Some(newest) = captures.iter().rposition(|capture| capture.time <= now) else {
            return Force::BeforeFirst;
        };
        if !self.is_failure(&captures[newest])
            && !matches!(self.finding(&captures[newest]), Finding::NotFollowed)
        {
            return Force::Capture(newest);
        }
        let mut first = newest;
        while first > 0 && self.is_failure(&captures[first - 1]) {
            first -= 1;
        }
        let copy = captures[..newest].iter().rposition(|capture| {
            matches!(capture.status, FetchStatus::Success | FetchStatus::Code(200..=299))
        });
        let situation = Situation {
            failing_since: Some(moment(captures[first].time)),
            good_copy: copy.map(|at| GoodCopy { at: moment(captures[at].time), headers: Vec::new() }),
            ..Situation::first(attempt(&captures[newest]))
        };
        Force::StandIn(lifecycle::standing(&situation, moment(now), self.terms), copy)
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

fn said(verdict: &'static str, line: u32, why: &str) -> Said {
    Said { verdict, line, why: why.to_owned() }
}

/// The attempt that a capture tells of. Where a redirect led to is not told: somewhere.
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
