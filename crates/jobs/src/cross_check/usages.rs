//! The reference's answers about crawling combined with another usage (`crates/PERMISSIONS.md`, R4).

use robomata_engine::protocol::{Circumstances, PageFacts, Permission, PermissionAnswer};
use robomata_engine::{Answer, Crawler, Dialect, FetchStatus, Moment, Site, Usage, UsageQuery};
use robomata_reference::{Reference, permissions};

use super::CrossCheck;
use crate::bodies::{Bodies, KeptBody};

/// What the files of one site say to one crawler about crawling and the usage of a [`UsageQuery`], interpreted
/// literally.
pub(super) struct UsageReference<'s> {
    crawl: Reference,
    files: Files<'s>,
    dialect: Dialect,
    crawler: &'s Crawler,
    usage_query: &'s UsageQuery,
    now: Option<Moment>,
}

/// The captures of a site.
#[derive(Clone, Copy)]
pub(super) struct Files<'s> {
    robots: (&'s [u8], Option<FetchStatus>),
    tdmrep: Option<(&'s [u8], Option<FetchStatus>)>,
}

impl<'s> Files<'s> {
    /// `None` if there are no captures of the site.
    pub(super) fn of(site: &Site<'_>, bodies: &'s Bodies, dialect: Dialect) -> Option<Self> {
        /// Without a robots.txt, no policy is known: as after a redirect to a file that is not there.
        const UNKNOWN: (&[u8], Option<FetchStatus>) = (&[], Some(FetchStatus::Code(302)));
        let kept = |kept: &'s KeptBody| (&*kept.body, kept.status_in(dialect));
        let [robots, tdmrep] = [bodies.of(site), bodies.tdmrep_of(site)].map(|file| file.map(kept));
        (robots.is_some() || tdmrep.is_some()).then(|| Files { robots: robots.unwrap_or(UNKNOWN), tdmrep })
    }
}

impl<'s> UsageReference<'s> {
    pub(super) fn new(files: Files<'s>, crawler: &'s Crawler, check: &CrossCheck<'s>) -> Self {
        let (body, status) = files.robots;
        UsageReference {
            crawl: Reference::new(body, status, crawler, check.dialect),
            files,
            dialect: check.dialect,
            crawler,
            usage_query: check.usage_query,
            now: check.now,
        }
    }

    /// The answer for `url`; none if it depends on facts that a filter does not have.
    pub(super) fn judge(&self, url: &[u8]) -> Option<Answer> {
        let crawl = self.crawl.judge(url);
        if *self.usage_query == UsageQuery::default() || crawl == Answer::Invalid {
            return Some(crawl);
        }
        let answers = self.permissions(url)?;
        let both = Answer::Verdict(permissions::in_bulk(&answers[0], &answers[1])?);
        // Nothing is allowed while the policy is unknown, but a tdmrep.json may prohibit.
        Some(match crawl {
            Answer::Verdict(_) => both,
            _ if answers[1].permission == Permission::Prohibited => both,
            crawl => crawl,
        })
    }

    /// The answers for crawling and for the usage.
    fn permissions(&self, url: &[u8]) -> Option<[PermissionAnswer; 2]> {
        let Files { robots: (robots, status), tdmrep } = self.files;
        let site = permissions::Site {
            robots,
            status,
            dialect: self.dialect,
            referenced: &[],
            tdmrep: tdmrep.map(|(body, _)| body),
            tdmrep_status: tdmrep.and_then(|(_, status)| status),
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
