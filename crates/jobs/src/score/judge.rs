//! Judges a request by the policy in force at its time.

use std::sync::Arc;
use std::time::Duration;

use robomata_engine::lifecycle::Terms;
use robomata_engine::{
    Access, Answer, Audience, Crawler, Dialect, HistoryChecker, Moment, RuleTexts, Site, Stores, Target,
    Verdict,
};

use crate::urls::site_of;

use super::effective::{EffectivePolicy, Evidence, TimeTravel, effective_at, evidence_of, in_grace};

/// The verdict about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// A request for the robots.txt itself: never a violation.
    RobotsTxt,
    /// The request was allowed.
    Allowed(Decider),
    /// The request was disallowed, also by every policy in force during the preceding days for which a copy may be
    /// used.
    Disallowed {
        /// The rule that was violated.
        decider: Decider,
        /// The evidence that this rule was in force.
        evidence: Evidence,
    },
    /// The request was disallowed, but allowed in the preceding time for which a copy may be used: a day (RFC 9309,
    /// section 2.4), with `koster1996` seven days (Koster's draft, section 3.4). Or, between two captured failures, it was
    /// allowed to a crawler whose own attempt failed.
    Excused(Decider),
    /// Crawlers had to postpone visits.
    Deferred,
    /// Neither the log nor the job names the host.
    NoHost,
    /// There is no capture of the site.
    SiteUnknown,
    /// All captures of the site are later than the request; or the request was disallowed, but the crawler may have used a
    /// copy from before them.
    BeforeFirstCapture,
    /// The policy in force, or one of the preceding days for which a copy may be used, is unknown: the target of the
    /// robots.txt's redirect was not fetched.
    NoPolicy,
    /// The policies were compiled for other crawlers. In the google dialect, policies for every crawler are none for
    /// crawlers that fall back to other names: google/robotstxt joins the groups of all their names.
    NoCrawler,
    /// The text is neither an absolute URL nor a path, it contains control characters, or its host is invalid or too
    /// long.
    Invalid,
}

/// The line that decided about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decider {
    /// The version of the site that was in force; none if the robots.txt was unreachable.
    pub version: Option<VersionId>,
    /// The 1-based line; 0 if no rule matches, or if the whole site was allowed or disallowed.
    pub line: u32,
}

/// A version of a site's robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionId {
    /// Its index; the oldest version has 0.
    pub number: usize,
    /// The time of its first capture; none if unknown.
    pub first: Option<Moment>,
}

impl Judgement {
    /// The line that decided, if rules were evaluated.
    pub fn decider(&self) -> Option<Decider> {
        match *self {
            Judgement::Allowed(decider)
            | Judgement::Disallowed { decider, .. }
            | Judgement::Excused(decider) => Some(decider),
            _ => None,
        }
    }

    /// Its name in reports.
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
            Judgement::NoCrawler => "no-crawler",
            Judgement::Invalid => "invalid",
        }
    }
}

/// Judges requests by the history of a store; one for each thread.
pub struct Judge<'s> {
    stores: Stores<'s>,
    travel: TimeTravel,
    /// One for all crawlers, so that histories are decoded and kept once. None if the store holds no crawler.
    checker: Option<HistoryChecker<'s, Stores<'s>>>,
    /// The crawler of the last request, and whether the store holds it.
    last: Option<(Crawler, bool)>,
    /// The texts of rules, for all crawlers together.
    texts: RuleTexts<'s>,
}

impl<'s> Judge<'s> {
    /// A judge that uses the policies of `stores`: those of the requests' time, or only the newest.
    pub fn new(stores: impl Into<Stores<'s>>, travel: TimeTravel) -> Self {
        let stores = stores.into();
        let any = match stores.any().audience() {
            Audience::Crawlers(held) => held.first().cloned(),
            Audience::Everyone => Some(Crawler::new("*")),
        };
        let checker = any.and_then(|crawler| stores.history_checker(&crawler).ok());
        Judge { stores, travel, checker, last: None, texts: RuleTexts::default() }
    }

    /// The dialect of the policies.
    pub fn dialect(&self) -> Dialect {
        self.stores.any().dialect()
    }

    /// Is there a capture of the site of `url`?
    pub fn knows(&self, url: &[u8]) -> bool {
        Site::of_url(url).is_ok_and(|site| self.stores.holds(&site))
    }

    /// The verdict about a request of `crawler` for `url` at `now`.
    pub fn judge(&mut self, crawler: &Crawler, url: &[u8], now: Moment) -> Judgement {
        let dialect = self.dialect();
        let (terms, travel) = (Terms::from(dialect), self.travel);
        if is_robots_txt(url, dialect) {
            return Judgement::RobotsTxt;
        }
        if site_of(url).is_none() {
            return Judgement::Invalid;
        }
        let Some(checker) = self.checker(crawler) else { return Judgement::NoCrawler };
        let Ok(versions) = checker.shared_versions(url);
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
                let mut not_known = None;
                for effective in in_grace(&versions, now, terms, travel) {
                    match answer(checker, url, effective) {
                        Answer::Verdict(Verdict { access: Access::Allow, .. }) => {
                            return Judgement::Excused(decider(line));
                        }
                        Answer::Unknown => not_known = Some(unknown(effective)),
                        _ => {}
                    }
                }
                // The crawler may have used a copy that was not captured.
                if let Some(not_known) = not_known {
                    return not_known;
                }
                let evidence = evidence_of(&versions, effective, now, travel);
                Judgement::Disallowed { decider: decider(line), evidence }
            }
            Answer::Defer => Judgement::Deferred,
            Answer::Invalid => Judgement::Invalid,
            Answer::Unknown => unknown(effective),
        }
    }

    /// None for crawlers that the store does not hold.
    fn checker(&mut self, crawler: &Crawler) -> Option<&mut HistoryChecker<'s, Stores<'s>>> {
        let checker = self.checker.as_mut()?;
        let is_held = match &self.last {
            Some((last, is_held)) if last == crawler => *is_held,
            _ => {
                let is_held = checker.set_crawler(crawler);
                self.last = Some((crawler.clone(), is_held));
                is_held
            }
        };
        is_held.then_some(checker)
    }

    /// What a crawler may have had to follow at `now` because of its copy ([`in_grace`]).
    pub(super) fn in_grace(&mut self, crawler: &Crawler, url: &[u8], now: Moment) -> Vec<EffectivePolicy> {
        let (terms, travel) = (Terms::from(self.dialect()), self.travel);
        let Some(checker) = self.checker(crawler) else { return Vec::new() };
        let Ok(versions) = checker.shared_versions(url);
        in_grace(&versions, now, terms, travel).collect()
    }

    /// The delay that a version of the URL's site asks for with Crawl-delay.
    pub fn crawl_delay(&mut self, crawler: &Crawler, url: &[u8], version: usize) -> Option<Duration> {
        let Ok(schedule) = self.checker(crawler)?.schedule(url, version);
        schedule.crawl_delay().map(|delay| delay.duration)
    }

    /// The rule that decided, as text: the rule on `line` of a version of the URL's site. None if more than rules
    /// decided.
    pub fn rule(&mut self, crawler: &Crawler, url: &[u8], version: usize, line: u32) -> Option<Arc<str>> {
        self.checker(crawler)?;
        let Ok(rule) = self.checker.as_mut()?.rule(url, version, line, &mut self.texts);
        rule
    }
}

/// The verdict where the policy in force is not known.
fn unknown(effective: EffectivePolicy) -> Judgement {
    match effective {
        EffectivePolicy::SiteUnknown => Judgement::SiteUnknown,
        EffectivePolicy::BeforeFirst => Judgement::BeforeFirstCapture,
        _ => Judgement::NoPolicy,
    }
}

fn answer<'s>(
    checker: &mut HistoryChecker<'s, Stores<'s>>,
    url: &[u8],
    effective: EffectivePolicy,
) -> Answer {
    match effective {
        EffectivePolicy::Version(number) => {
            let Ok(answer) = checker.check_version(url, number);
            answer
        }
        EffectivePolicy::Restricted => Answer::Verdict(Verdict::UNREACHABLE),
        EffectivePolicy::Unrestricted => Answer::Verdict(Verdict::UNAVAILABLE),
        EffectivePolicy::Deferred => Answer::Defer,
        EffectivePolicy::SiteUnknown | EffectivePolicy::BeforeFirst | EffectivePolicy::Unknown => {
            Answer::Unknown
        }
    }
}

/// Is `url`, which is absolute or a path, that of the robots.txt?
pub(super) fn is_robots_txt(url: &[u8], dialect: Dialect) -> bool {
    Target::read(url, dialect).is_some_and(|target| target.is_robots_txt(dialect))
}

#[cfg(test)]
mod tests {
    use robomata_engine::{Config, Policy, PolicyCompiler, StoreBuilder, StoreKind};

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
        assert_eq!((of("/robots.txt"), of("/x")), (Judgement::RobotsTxt, Judgement::NoCrawler));
        assert!(judge.knows(b"http://a.example/x") && !judge.knows(b"https://a.example/x"));
    }

    /// A log can have any number of crawlers and lines, and a robots.txt any number of rules.
    #[test]
    fn each_program_is_decompiled_once_for_all_crawlers_and_lines() {
        let robots =
            "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n\nUser-agent: own\nDisallow: /own\n";
        let mut names: Vec<String> = (0..9).map(|number| format!("bot{number}")).collect();
        names.push("own".to_owned());
        let crawlers: Vec<Crawler> = names.iter().map(|name| Crawler::new(name)).collect();
        for (audience, programs) in [(Audience::Everyone, 2), (crawlers.clone().into(), 2)] {
            let kind = StoreKind::new(Dialect::Rfc9309, audience);
            let mut builder = StoreBuilder::new(kind.clone());
            let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
            let site = Site::of_url(b"http://a.example/").unwrap();
            builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
            let store = builder.build();
            let mut judge = Judge::new(&store, TimeTravel::InForce);
            for crawler in &crawlers {
                let paths = if *crawler == Crawler::new("own") { &["own"][..] } else { &["a", "b", "c"] };
                for path in paths {
                    let url = format!("http://a.example/{path}");
                    let judgement = judge.judge(crawler, url.as_bytes(), Moment::from_seconds(0));
                    let Decider { version, line } = judgement.decider().unwrap();
                    let rule = judge.rule(crawler, url.as_bytes(), version.unwrap().number, line);
                    assert_eq!(rule.as_deref(), Some(format!("Disallow: /{path}").as_str()));
                }
            }
            assert_eq!(judge.texts.decompiled(), programs);
        }
    }

    /// As every other command says (U3).
    #[test]
    fn the_robots_txt_is_the_one_of_the_engine() {
        let known = |path: &str| {
            let url = format!("http://a.example:8080{path}");
            Dialect::ALL.map(|dialect| is_robots_txt(url.as_bytes(), dialect))
        };
        for path in ["/robots.txt", "/robots.txt#x"] {
            assert!(known(path).iter().all(|&is| is), "{path}");
        }
        let some = |path: &str| {
            let dialects = Dialect::ALL.into_iter().zip(known(path));
            dialects.filter(|(_, is)| !is).map(|(dialect, _)| dialect).collect::<Vec<_>>()
        };
        assert_eq!(some("/%72obots.tx%74"), [Dialect::Google]);
        for path in ["/robots.txt?1", "/robots.txt?"] {
            let others: Vec<_> =
                Dialect::ALL.into_iter().filter(|&other| other != Dialect::Koster1996).collect();
            assert_eq!(some(path), others, "{path}");
        }
        for path in ["", "/", "/robots.txt/", "/a/robots.txt", "/Robots.txt", "/robots.tx%7", "/?/robots.txt"]
        {
            assert!(!known(path).contains(&true), "{path}");
        }
    }
}
