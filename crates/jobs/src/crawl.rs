//! Crawl of a URL, by all that one robots.txt says of it.

use robomata::{
    Access, Answer, Circumstances, Crawler, Dialect, FetchOutcome, Moment, PageStatements, Permission,
    PermissionAnswer, PermissionReason, Policy, SitePermissions, SitePolicy, Target, Usage, Verdict,
};

use crate::fetch::{Applied, Fetch};
use crate::robots_file::RobotsFile;

/// One robots.txt, and who asks it.
#[derive(Clone, Copy, Debug)]
pub struct SiteQuestion<'r> {
    /// The robots.txt.
    pub robots: &'r RobotsFile,
    /// How its fetch went; a success whose rules hold when nothing is said.
    pub fetch: Option<&'r Fetch>,
    /// Who asks.
    pub crawler: &'r Crawler,
    /// How the robots.txt is read.
    pub dialect: Dialect,
    /// The time of the question, by which permissions end (ACAP).
    pub now: Option<Moment>,
}

impl<'r> SiteQuestion<'r> {
    /// What applies.
    pub(crate) fn applied(&self) -> Applied<'r> {
        Applied::new(self.robots, self.fetch, self.dialect)
    }
}

/// Judges URLs: by rules, under `acap` by the fields of ACAP beside them (A14 to A18).
pub(crate) struct CrawlJudge {
    rules: SitePolicy,
    permissions: Option<SitePermissions>,
    circumstances: Circumstances,
}

impl CrawlJudge {
    pub(crate) fn new(policy: &Policy<'_>, crawler: &Crawler, now: Option<Moment>) -> Self {
        let has_fields = policy.dialect() == Dialect::Acap && policy.outcome() == FetchOutcome::Success;
        CrawlJudge {
            rules: SitePolicy::new(policy, crawler),
            permissions: has_fields.then(|| SitePermissions::new(policy, &[], crawler, None)),
            circumstances: Circumstances { now, ..Circumstances::default() },
        }
    }

    /// The answer for `url`; `invalid` for what is no URL.
    pub(crate) fn answer(&mut self, url: &[u8]) -> Answer {
        if !is_url(url) {
            return Answer::Invalid;
        }
        match self.permission(url) {
            Some(permission) => answer_of(&permission),
            None => self.rules.check(url),
        }
    }

    /// What is said of crawl where more than rules may speak; none where rules, or the fetch's end, decide by themselves.
    pub(crate) fn permission(&mut self, url: &[u8]) -> Option<PermissionAnswer> {
        let page = PageStatements::default();
        self.permissions.as_mut()?.answer_for(Usage::Crawl, url, &page, &self.circumstances)
    }
}

/// Whether and how a text is a URL of the site is the same in every dialect, unlike the cut of its path: an absolute
/// URL of any scheme, or a path.
pub(crate) fn is_url(text: &[u8]) -> bool {
    Target::new(text).is_some()
}

/// A permission to crawl as a verdict: what nothing is said of is allowed.
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
