//! Decides whether a URL may be crawled, from everything that one robots.txt says about it.

use robomata_engine::{
    Access, Answer, Circumstances, Config, Crawler, FetchOutcome, Moment, PageStatements, Permission,
    PermissionAnswer, PermissionReason, Policy, SitePermissions, SitePolicy, Usage, Verdict, path_or_url,
};

use crate::fetch::{Applied, Fetch};
use crate::robots_file::RobotsFile;

/// A query to one robots.txt.
#[derive(Clone, Copy, Debug)]
pub struct SiteQuestion<'r> {
    /// The robots.txt.
    pub robots: &'r RobotsFile,
    /// The result of its fetch; by default a success, so that its rules apply.
    pub fetch: Option<&'r Fetch>,
    /// The crawler.
    pub crawler: &'r Crawler,
    /// The dialect of the robots.txt, and how much of it is read.
    pub config: Config,
    /// The time of the query, which matters for permissions that end (ACAP).
    pub now: Option<Moment>,
}

impl<'r> SiteQuestion<'r> {
    /// What applies.
    pub(crate) fn applied(&self) -> Applied<'r> {
        Applied::new(self.robots, self.fetch, &self.config)
    }
}

/// Judges URLs by rules, under `acap` also by the fields of ACAP (A14 to A18).
pub(crate) struct CrawlJudge {
    rules: SitePolicy,
    permissions: Option<SitePermissions>,
    circumstances: Circumstances,
}

impl CrawlJudge {
    pub(crate) fn new(policy: &Policy<'_>, crawler: &Crawler, now: Option<Moment>) -> Self {
        let has_fields = policy.dialect().semantics().reads_acap && policy.outcome() == FetchOutcome::Success;
        CrawlJudge {
            rules: SitePolicy::new(policy, crawler),
            permissions: has_fields.then(|| SitePermissions::new(policy, &[], None, crawler, None)),
            circumstances: Circumstances { now, ..Circumstances::default() },
        }
    }

    /// The answer for `url`; `invalid` if it is not a URL.
    pub(crate) fn answer(&mut self, url: &[u8]) -> Answer {
        let Some(url) = path_or_url(url) else { return Answer::Invalid };
        match self.permission(url) {
            Some(permission) => answer_of(&permission),
            None => self.rules.check(url),
        }
    }

    /// The permission to crawl, if more than rules may decide; none if rules or the result of the fetch decide.
    pub(crate) fn permission(&mut self, url: &[u8]) -> Option<PermissionAnswer> {
        let page = PageStatements::default();
        self.permissions.as_mut()?.answer_for(Usage::Crawl, url, &page, &self.circumstances)
    }
}

/// Is the text a path or a URL ([`path_or_url`])?
pub(crate) fn is_path_or_url(text: &[u8]) -> bool {
    path_or_url(text).is_some()
}

/// A permission to crawl as a verdict: URLs without a statement are allowed.
pub(crate) fn answer_of(permission: &PermissionAnswer) -> Answer {
    let line = permission.source.map_or(0, |source| source.line);
    match (permission.permission, permission.reason) {
        (Permission::Prohibited, _) => Answer::Verdict(Verdict::by_rule(Access::Disallow, line)),
        (Permission::Deferred, _) => Answer::Defer,
        (Permission::Permitted, PermissionReason::RobotsTxt) => Answer::Verdict(Verdict::ROBOTS_TXT),
        (Permission::Permitted, _) => Answer::Verdict(Verdict::by_rule(Access::Allow, line)),
        (Permission::Unspecified, _) => Answer::Verdict(Verdict::NO_RULE),
    }
}
