//! The statistics of a filter, for programs.

use robomata_engine::{Crawler, Dialect, Stores, Usage};
use serde::Serialize;

use crate::filter::{CrossChecked, FilterReport, Tally};
use crate::problem::ErrorCounts;
use crate::sources::{NotRobots, SourceCounts};

/// The JSON that `--stats` writes. It joins the counts of the sources and of the filter, so it is not a [`FilterReport`].
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// The dialect of the policies.
    pub dialect: Dialect,
    /// The usage that the verdicts are about.
    pub usage: Usage,
    /// Sites with a known policy.
    pub sites: usize,
    /// Captures of robots.txt that were read; none if the policies come from a bundle.
    pub captures: Option<u64>,
    /// Used captures whose body is not a robots.txt, by kind; none if the policies come from a bundle.
    pub not_robots: Option<NotRobots>,
    /// Used captures whose body is longer than the parsing limit; none if the policies come from a bundle.
    pub too_long: Option<u64>,
    /// URL lines read.
    pub lines: u64,
    /// URLs by verdict, for all crawlers together.
    pub verdicts: Tally,
    /// URLs by verdict, for each crawler.
    pub crawlers: Vec<CrawlerStats>,
    /// The time for judging, in seconds, without the time for reading the sources.
    pub seconds: f64,
    /// URL lines judged per second.
    pub urls_per_second: f64,
    /// Counts of unusable input in the sources and the frontier.
    pub errors: ErrorCounts,
    /// The result of the cross-check; zeros without one.
    pub cross_check: CrossChecked,
}

/// The verdicts for one crawler.
#[derive(Clone, Debug, Serialize)]
pub struct CrawlerStats {
    /// Its product tokens.
    pub crawler: Crawler,
    /// Its verdicts.
    #[serde(flatten)]
    pub verdicts: Tally,
}

impl Stats {
    /// The statistics of a filter with `stores`, which were compiled from `sources` unless they are a bundle.
    #[expect(clippy::cast_precision_loss, reason = "a rate of lines needs no 64 bits")]
    pub fn new(stores: Stores<'_>, sources: Option<&SourceCounts>, report: &FilterReport) -> Self {
        let seconds = report.elapsed.as_secs_f64();
        let crawler_stats = |(crawler, verdicts): &(Crawler, Tally)| CrawlerStats {
            crawler: crawler.clone(),
            verdicts: *verdicts,
        };
        Stats {
            dialect: stores.any().dialect(),
            usage: stores.any().usage_query().usage,
            sites: stores.site_count(),
            captures: sources.map(|counts| counts.captures),
            not_robots: sources.map(|counts| counts.not_robots),
            too_long: sources.map(|counts| counts.too_long),
            lines: report.lines,
            verdicts: report.verdicts(),
            crawlers: report.by_crawler.iter().map(crawler_stats).collect(),
            seconds,
            urls_per_second: if seconds > 0.0 { report.lines as f64 / seconds } else { 0.0 },
            errors: sources.map_or(report.errors, |counts| counts.errors.plus(&report.errors)),
            cross_check: report.cross_checked,
        }
    }
}
