//! The reference's answers about crawl and another usage together (`crates/PERMISSIONS.md`, R4).

use robomata::protocol::{
    Circumstances, PageFacts, Permission, PermissionAnswer, PermissionReason, Qualifier, Source,
};
use robomata::{Access, Aim, Answer, Crawler, Dialect, FetchStatus, Reason, Usage, Verdict};
use robomata_reference::{Reference, permissions};

use super::CrossCheck;
use crate::bodies::KeptBody;

/// What one robots.txt says to one crawler about crawl and the usage of an [`Aim`], read literally.
pub(super) struct UsageReference<'s> {
    crawl: Reference,
    body: &'s [u8],
    status: Option<FetchStatus>,
    dialect: Dialect,
    crawler: &'s Crawler,
    aim: &'s Aim,
}

impl<'s> UsageReference<'s> {
    pub(super) fn new(kept: &'s KeptBody, crawler: &'s Crawler, check: &CrossCheck<'s>) -> Self {
        UsageReference {
            crawl: Reference::new(&kept.body, kept.status, crawler, check.dialect),
            body: &kept.body,
            status: kept.status,
            dialect: check.dialect,
            crawler,
            aim: check.aim,
        }
    }

    /// The answer for `url`; none where it depends on more than a filter looks at.
    pub(super) fn judge(&self, url: &[u8]) -> Option<Answer> {
        let crawl = self.crawl.judge(url);
        let Answer::Verdict(verdict) = crawl else { return Some(crawl) };
        let is_fetch =
            matches!(verdict.reason, Reason::Unavailable | Reason::Unreachable | Reason::Restricted);
        if *self.aim == Aim::default() || is_fetch {
            return Some(crawl);
        }
        let [crawl, used] = self.permissions(url)?;
        Some(Answer::Verdict(together(&crawl, &used)))
    }

    /// The answers for crawl and for the usage.
    fn permissions(&self, url: &[u8]) -> Option<[PermissionAnswer; 2]> {
        let site = permissions::Site {
            robots: self.body,
            status: self.status,
            dialect: self.dialect,
            referenced: &[],
            origin: None,
        };
        let circumstances = Circumstances { purpose: self.aim.purpose.clone(), ..Circumstances::default() };
        let answers =
            permissions::permissions(&site, &PageFacts::default(), self.crawler, url, &circumstances)?;
        let of = |usage| answers.iter().find(|answer| answer.usage == usage).cloned();
        let both = [of(Usage::Crawl)?, of(self.aim.usage)?];
        (!both.iter().any(looks_elsewhere)).then_some(both)
    }
}

/// Does an answer depend on whether another resource may be crawled (A19)? A filter does not look there.
fn looks_elsewhere(answer: &PermissionAnswer) -> bool {
    let is_target = |qualifier: &Qualifier| {
        matches!(qualifier, Qualifier::MustUseResource(_) | Qualifier::MustIncludeResource(_))
    };
    answer.reason == PermissionReason::TargetNotCrawlable || answer.qualifiers.iter().any(is_target)
}

fn together(crawl: &PermissionAnswer, used: &PermissionAnswer) -> Verdict {
    let is_prohibited = |answer: &&PermissionAnswer| answer.permission == Permission::Prohibited;
    let line = |source: &Source| source.line;
    if let Some(answer) = [used, crawl].into_iter().find(is_prohibited) {
        return Verdict::by_rule(Access::Disallow, answer.source.as_ref().map_or(0, line));
    }
    let source = used.source.as_ref().or(crawl.source.as_ref());
    Verdict::by_rule(Access::Allow, source.map_or(0, line))
}
