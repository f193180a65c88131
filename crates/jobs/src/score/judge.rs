//! One request, judged by what was in force at its time.

use std::collections::HashMap;

use robomata::lifecycle::Terms;
use robomata::{Access, Answer, Crawler, HistoryChecker, Moment, PolicyStore, Site, Verdict, Version};

use super::effective::{EffectivePolicy, Evidence, TimeTravel, effective_at, evidence, in_grace};

/// What a request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The robots.txt itself was asked for: never a violation.
    RobotsTxt,
    /// It was allowed.
    Allowed(Decider),
    /// It was disallowed, also by everything that was in force in the days before for which a copy may be used.
    Disallowed {
        /// What was broken.
        decider: Decider,
        /// How well it is known that this was in force.
        evidence: Evidence,
    },
    /// It was disallowed, but allowed in the time before for which a copy may be used: a day (RFC 9309, section 2.4), with
    /// `koster1996` seven (Koster's draft, section 3.4).
    Excused(Decider),
    /// Visits were to be put off.
    Deferred,
    /// Neither the log nor the job says which host was asked.
    NoHost,
    /// No capture of the site is known.
    SiteUnknown,
    /// All captures of the site are of later.
    BeforeFirstCapture,
    /// What was in force cannot be told: the robots.txt redirected to where nobody looked, or it was compiled for others.
    /// So are policies of the google dialect for a crawler that falls back to other names: google/robotstxt joins the groups
    /// of all names, which policies for everyone do not hold.
    NoPolicy,
    /// The text is no absolute URL.
    Invalid,
}

/// What decided about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decider {
    /// The version of the site that was in force; none when the robots.txt was unreachable.
    pub version: Option<VersionId>,
    /// The 1-based line; 0 when no rule matches, or the whole site was open or closed.
    pub line: u32,
}

/// A version of a site's robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionId {
    /// Its place, the oldest being 0.
    pub number: usize,
    /// When it was first captured; none when the capture does not say.
    pub first: Option<Moment>,
}

impl Judgement {
    /// What decided, where rules were consulted.
    pub fn decider(&self) -> Option<Decider> {
        match *self {
            Judgement::Allowed(decider)
            | Judgement::Disallowed { decider, .. }
            | Judgement::Excused(decider) => Some(decider),
            _ => None,
        }
    }

    /// What it is called in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Judgement::RobotsTxt => "robots-txt",
            Judgement::Allowed(_) => "allowed",
            Judgement::Disallowed { .. } => "disallowed",
            Judgement::Excused(_) => "excused",
            Judgement::Deferred => "deferred",
            Judgement::NoHost => "no-host",
            Judgement::SiteUnknown => "site-unknown",
            Judgement::BeforeFirstCapture => "before-first-capture",
            Judgement::NoPolicy => "no-policy",
            Judgement::Invalid => "invalid",
        }
    }
}

/// Judges requests by a store's histories. One for each thread.
pub struct Judge<'s> {
    store: &'s PolicyStore,
    travel: TimeTravel,
    /// None for crawlers that the store does not hold.
    checkers: HashMap<Crawler, Option<HistoryChecker<'s>>>,
}

/// Crawlers whose checkers are kept; then all are let go.
const CHECKERS: usize = 1024;

impl<'s> Judge<'s> {
    /// A judge by the policies of `store`, of their time or the newest alone.
    pub fn new(store: &'s PolicyStore, travel: TimeTravel) -> Self {
        Judge { store, travel, checkers: HashMap::new() }
    }

    /// Is the site of `url` captured at all?
    pub fn knows(&self, url: &[u8]) -> bool {
        Site::of_url(url).is_ok_and(|site| self.store.holds(&site))
    }

    /// What the request of `crawler` for `url` at `now` was.
    pub fn judge(&mut self, crawler: &Crawler, url: &[u8], now: Moment) -> Judgement {
        let terms = Terms::from(self.store.dialect());
        let travel = self.travel;
        if is_robots_txt(url) {
            return Judgement::RobotsTxt;
        }
        let Some(checker) = self.checker(crawler) else { return Judgement::NoPolicy };
        let versions = checker.versions(url).to_vec();
        let (effective, _) = effective_at(&versions, now, terms, travel);
        let decider = |line| {
            let version = match effective {
                EffectivePolicy::Version(number) => Some(VersionId { number, first: versions[number].first }),
                _ => None,
            };
            Decider { version, line }
        };
        match answer(checker, url, effective) {
            Answer::Verdict(Verdict { access: Access::Allow, line, .. }) => Judgement::Allowed(decider(line)),
            Answer::Verdict(Verdict { line, .. }) => {
                let is_allowed = |effective| {
                    let answer = answer(checker, url, effective);
                    matches!(answer, Answer::Verdict(Verdict { access: Access::Allow, .. }))
                };
                if in_grace(&versions, now, terms, travel).any(is_allowed) {
                    return Judgement::Excused(decider(line));
                }
                let evidence = evidence_of(&versions, effective, now);
                Judgement::Disallowed { decider: decider(line), evidence }
            }
            Answer::Defer => Judgement::Deferred,
            Answer::Invalid => Judgement::Invalid,
            Answer::Unknown => match effective {
                EffectivePolicy::SiteUnknown => Judgement::SiteUnknown,
                EffectivePolicy::BeforeFirst => Judgement::BeforeFirstCapture,
                _ => Judgement::NoPolicy,
            },
        }
    }

    /// None for crawlers that the store does not hold.
    fn checker(&mut self, crawler: &Crawler) -> Option<&mut HistoryChecker<'s>> {
        if self.checkers.len() >= CHECKERS && !self.checkers.contains_key(crawler) {
            self.checkers.clear();
        }
        let store = self.store;
        self.checkers.entry(crawler.clone()).or_insert_with(|| store.history_checker(crawler).ok()).as_mut()
    }

    /// The rule that decided, as text: the one on `line` of a version of the URL's site. None when more than rules
    /// decided.
    pub fn rule(&mut self, crawler: &Crawler, url: &[u8], version: usize, line: u32) -> Option<String> {
        self.checkers.get_mut(crawler)?.as_mut()?.rule(url, version, line)
    }
}

fn answer(checker: &mut HistoryChecker<'_>, url: &[u8], effective: EffectivePolicy) -> Answer {
    match effective {
        EffectivePolicy::Version(number) => checker.check(url, number),
        EffectivePolicy::Restricted => Answer::Verdict(Verdict::UNREACHABLE),
        EffectivePolicy::Unrestricted => Answer::Verdict(Verdict::UNAVAILABLE),
        EffectivePolicy::Deferred => Answer::Defer,
        EffectivePolicy::SiteUnknown | EffectivePolicy::BeforeFirst | EffectivePolicy::Unknown => {
            Answer::Unknown
        }
    }
}

fn evidence_of(versions: &[Version], effective: EffectivePolicy, now: Moment) -> Evidence {
    match effective {
        EffectivePolicy::Version(number) => {
            versions.get(number).map_or(Evidence::Undated, |version| evidence(version, now))
        }
        _ => Evidence::Undated,
    }
}

/// Is the path of `url`, percent-encodings undone, that of the robots.txt?
pub(super) fn is_robots_txt(url: &[u8]) -> bool {
    let Some(slashes) = url.windows(3).position(|three| three == b"://") else { return false };
    let rest = &url[slashes + 3..];
    let path = rest.iter().position(|&byte| byte == b'/').map_or(&b""[..], |at| &rest[at..]);
    let path = path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
    decoded(path).eq(b"/robots.txt".iter().copied())
}

fn decoded(path: &[u8]) -> impl Iterator<Item = u8> {
    let hex = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut rest = path;
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (byte, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            rest = after;
            return Some(high << 4 | low);
        }
        Some(byte)
    })
}

#[cfg(test)]
mod tests {
    use robomata::{Audience, Config, Dialect, Policy, PolicyCompiler, StoreBuilder, StoreKind};

    use super::*;

    #[test]
    fn whoever_is_not_held_may_fetch_the_robots_txt_all_the_same() {
        let kind = StoreKind::new(Dialect::Google, Audience::Everyone);
        let mut builder = StoreBuilder::new(kind.clone());
        let policy = Policy::new(b"User-agent: *\nDisallow: /", &Config::new(Dialect::Google));
        let site = Site::of_url(b"http://a.example/").unwrap();
        builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
        let store = builder.build();
        let mut judge = Judge::new(&store, TimeTravel::InForce);
        let several = Crawler::new("one,two");
        let now = Moment::from_seconds(0);
        let mut of = |path: &str| judge.judge(&several, format!("http://a.example{path}").as_bytes(), now);
        assert_eq!((of("/robots.txt"), of("/x")), (Judgement::RobotsTxt, Judgement::NoPolicy));
        assert!(judge.knows(b"http://a.example/x") && !judge.knows(b"https://a.example/x"));
    }

    #[test]
    fn the_robots_txt_is_known_however_it_is_written() {
        let is = ["", "?1", "#x"].map(|end| format!("https://a.example/robots.txt{end}"));
        let is = is.iter().map(String::as_str).chain(["http://a.example:8080/%72obots.tx%74"]);
        for url in is {
            assert!(is_robots_txt(url.as_bytes()), "{url}");
        }
        for path in ["", "/", "/robots.txt/", "/a/robots.txt", "/Robots.txt", "/robots.tx%7", "/?/robots.txt"]
        {
            assert!(!is_robots_txt(format!("https://a.example{path}").as_bytes()), "{path}");
        }
    }
}
