//! Counts the URLs of a frontier by site.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use robomata_engine::{Site, SitePlace, Stores};
use robomata_formats::{EmptyStreams, FrontierBlock, FrontierFormat, Meter, UrlColumn};

use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::filter::{frontier, invalid_url};
use crate::ordered::{Outcome, for_each_block, thread_count};
use crate::problem::{
    ErrorCounts, IncompleteInput, InputProblem, NAMED, ProblemKind, ProblemLog, Strictness,
};
use crate::urls::site_of;

/// Files of the URLs that a crawler is about to fetch.
#[derive(Clone, Debug, Default)]
pub struct PlanFrontier {
    /// The files; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all files; by default, their names determine it.
    pub format: Option<FrontierFormat>,
    /// The column that holds the URL.
    pub column: Option<UrlColumn>,
    /// How to treat standard input and pipes of URLs without a byte.
    pub empty_streams: EmptyStreams,
    /// How to treat lines that are not URLs.
    pub strictness: Strictness,
    /// The size of blocks in bytes.
    pub block_size: Option<NonZeroUsize>,
}

/// The number of URLs of each site. Memory is needed for sites, not for URLs, and for names only of unknown sites.
#[derive(Debug, Default)]
pub(super) struct Demand {
    pub(super) lines: u64,
    pub(super) errors: ErrorCounts,
    /// Sites that the stores have.
    pub(super) known: HashMap<SitePlace, u64>,
    /// Sites that they do not have, sorted.
    pub(super) unknown: Vec<(Box<[u8]>, u64)>,
}

/// The sites of one block.
#[derive(Debug, Default)]
struct Counted {
    /// The URLs of each run of URLs with the same site.
    known: Vec<(SitePlace, u64)>,
    unknown: Vec<(Box<[u8]>, u64)>,
    problems: Vec<InputProblem>,
    more_problems: u64,
}

impl Demand {
    /// Counts the URLs of `files`. A file that ends early is an error: URLs would be missing.
    pub(super) fn read(
        files: &PlanFrontier,
        stores: Stores<'_>,
        events: &mut dyn Events,
    ) -> Result<Self, JobError> {
        let bytes = Meter::of(&files.urls);
        let blocks = frontier(&files.urls, files.format, files.column.as_ref(), files.block_size)
            .with_empty_streams(files.empty_streams);
        let mut log = ProblemLog::new(events, files.strictness).with_incomplete(IncompleteInput::Refuse);
        let mut demand = Demand::default();
        let mut unknown: HashMap<Box<[u8]>, u64> = HashMap::new();
        let workers = vec![(); thread_count()];
        let count = |(): &mut (), block: &FrontierBlock, counted: &mut Counted| counted.count(block, stores);
        for_each_block(blocks.with_meter(bytes.clone()), workers, count, |item| {
            let (counted, block) = match item {
                Outcome::Found(counted, block) => (counted, block),
                Outcome::Error(error) => return log.report_urls(error),
            };
            for problem in counted.problems.drain(..) {
                log.report(problem)?;
            }
            log.count(ProblemKind::Url, counted.more_problems);
            for &(place, urls) in &counted.known {
                *demand.known.entry(place).or_default() += urls;
            }
            for (site, urls) in counted.unknown.drain(..) {
                *unknown.entry(site).or_default() += urls;
            }
            demand.lines += block.len();
            log.events.progress(Progress { done: Done::Lines(demand.lines), bytes: &bytes });
            Ok(())
        })?;
        demand.unknown = unknown.into_iter().collect();
        demand.unknown.sort_unstable();
        demand.errors = log.close();
        Ok(demand)
    }
}

impl Counted {
    fn count(&mut self, block: &FrontierBlock, stores: Stores<'_>) {
        self.known.clear();
        self.unknown.clear();
        self.problems.clear();
        self.more_problems = 0;
        // Neighbors often have the same site.
        let mut last: Option<Site<'_>> = None;
        let mut is_known = false;
        for line in block.urls() {
            let site = match line.url.as_deref().and_then(site_of) {
                Some(site) => site,
                None if (self.problems.len() as u64) < NAMED => {
                    self.problems.push(invalid_url(block, &line));
                    continue;
                }
                None => {
                    self.more_problems += 1;
                    continue;
                }
            };
            if last.as_ref() == Some(&site) {
                let urls = match is_known {
                    true => self.known.last_mut().map(|(_, urls)| urls),
                    false => self.unknown.last_mut().map(|(_, urls)| urls),
                };
                urls.into_iter().for_each(|urls| *urls += 1);
                continue;
            }
            let place = stores.place_of(&site);
            is_known = place.is_some();
            match place {
                Some(place) => self.known.push((place, 1)),
                None => self.unknown.push((site.as_bytes().into(), 1)),
            }
            last = Some(site.into_owned());
        }
    }
}
