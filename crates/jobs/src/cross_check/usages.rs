//! The reference's answers about crawling combined with another usage (`crates/PERMISSIONS.md`, R4).

use robomata_engine::protocol::{Circumstances, PageFacts, PermissionAnswer};
use robomata_engine::{Answer, Crawler, Dialect, FetchStatus, Moment, Reason, Usage, UsageQuery};
use robomata_reference::{Reference, permissions};

use super::CrossCheck;
use crate::bodies::KeptBody;

/// What one robots.txt says to one crawler about crawling and the usage of a [`UsageQuery`], interpreted literally.
pub(super) struct UsageReference<'s> {
    crawl: Reference,
    body: &'s [u8],
    status: Option<FetchStatus>,
    dialect: Dialect,
    crawler: &'s Crawler,
    usage_query: &'s UsageQuery,
    now: Option<Moment>,
}

impl<'s> UsageReference<'s> {
    pub(super) fn new(kept: &'s KeptBody, crawler: &'s Crawler, check: &CrossCheck<'s>) -> Self {
        UsageReference {
            crawl: Reference::new(&kept.body, kept.status, crawler, check.dialect),
            body: &kept.body,
            status: kept.status,
            dialect: check.dialect,
            crawler,
            usage_query: check.usage_query,
            now: check.now,
        }
    }

    /// The answer for `url`; none if it depends on facts that a filter does not have.
    pub(super) fn judge(&self, url: &[u8]) -> Option<Answer> {
        let crawl = self.crawl.judge(url);
        let Answer::Verdict(verdict) = crawl else { return Some(crawl) };
        let is_fetch =
            matches!(verdict.reason, Reason::Unavailable | Reason::Unreachable | Reason::Restricted);
        if *self.usage_query == UsageQuery::default() || is_fetch {
            return Some(crawl);
        }
        let [crawl, used] = self.permissions(url)?;
        permissions::in_bulk(&crawl, &used).map(Answer::Verdict)
    }

    /// The answers for crawling and for the usage.
    fn permissions(&self, url: &[u8]) -> Option<[PermissionAnswer; 2]> {
        let site = permissions::Site {
            robots: self.body,
            status: self.status,
            dialect: self.dialect,
            referenced: &[],
            tdmrep: None,
            origin: None,
        };
        let purpose = self.usage_query.purpose.clone();
        let circumstances = Circumstances { purpose, now: self.now, ..Circumstances::default() };
        let answers =
            permissions::permissions(&site, &PageFacts::default(), self.crawler, url, &circumstances)?;
        let of = |usage| answers.iter().find(|answer| answer.usage == usage).cloned();
        Some([of(Usage::Crawl)?, of(self.usage_query.usage)?])
    }
}
