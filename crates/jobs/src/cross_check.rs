//! Cross-checks a sample of a filter's answers with the reference, which reads the robots.txt itself.

mod usages;

use robomata_engine::{Answer, Crawler, Dialect, Moment, Site, UsageQuery};
use robomata_formats::urls::as_text;

use self::usages::{Files, UsageReference};
use crate::bodies::Bodies;
use crate::events::Divergence;
use crate::share::Share;

/// A cross-check: the sample of answers, and the bodies for the reference.
#[derive(Clone, Copy, Debug)]
pub struct CrossCheck<'s> {
    /// The bodies that the store was compiled from.
    pub bodies: &'s Bodies,
    /// The dialect that the store was compiled in.
    pub dialect: Dialect,
    /// The usage that the answers are about.
    pub usage_query: &'s UsageQuery,
    /// The time of the query: see [`Checker::at`](robomata_engine::Checker::at).
    pub now: Option<Moment>,
    /// The sample of URLs.
    pub share: Share,
}

impl<'s> CrossCheck<'s> {
    pub(crate) fn checker(&self, crawlers: &'s [Crawler]) -> CrossChecker<'s> {
        CrossChecker { check: *self, crawlers, last_site: Vec::new(), last: None }
    }
}

/// Checks answers with the reference; one for each thread.
pub(crate) struct CrossChecker<'s> {
    check: CrossCheck<'s>,
    crawlers: &'s [Crawler],
    last_site: Vec<u8>,
    /// The references for the last site, one for each crawler; none if its policy is unknown.
    last: Option<Vec<UsageReference<'s>>>,
}

impl CrossChecker<'_> {
    /// Checks the answers for `url` if it is in the sample. Returns the number of answers that were checked.
    pub(crate) fn check(&mut self, url: &[u8], answers: &[Answer], divergences: &mut Vec<Divergence>) -> u64 {
        if !self.check.share.holds(url) {
            return 0;
        }
        let mut compared = 0;
        let site = Site::of_url(url).ok();
        if let Some(site) = &site {
            self.turn_to(site);
        }
        for (index, (&engine, crawler)) in answers.iter().zip(self.crawlers).enumerate() {
            let reference = match (&site, &self.last) {
                (None, _) => Answer::Invalid,
                (Some(_), None) => Answer::Unknown,
                (Some(_), Some(references)) => match references[index].judge(url) {
                    Some(answer) => answer,
                    None => continue,
                },
            };
            compared += 1;
            if (engine.as_str(), engine.line()) != (reference.as_str(), reference.line()) {
                divergences.push(Divergence {
                    site: site.as_ref().map(ToString::to_string),
                    url: as_text(url).into_owned(),
                    crawler: crawler.clone(),
                    engine,
                    reference,
                });
            }
        }
        compared
    }

    /// Prepares the references for `site`. They are kept until the site changes: URLs usually come grouped by site, and
    /// reading the robots.txt again for each URL would be very slow.
    fn turn_to(&mut self, site: &Site<'_>) {
        if site.as_bytes() == self.last_site {
            return;
        }
        self.last_site.clear();
        self.last_site.extend_from_slice(site.as_bytes());
        self.last = Files::of(site, self.check.bodies, self.check.dialect).map(|files| {
            let reference = |crawler| UsageReference::new(files, crawler, &self.check);
            self.crawlers.iter().map(reference).collect()
        });
    }
}
