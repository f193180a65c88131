//! How fast a crawler may fetch, site by site.

use std::time::Duration;

use robomata_engine::policy::{Adjustment, DayWindow, DelayLimits, Pace};
use robomata_engine::{Crawler, Moment, Stores};
use robomata_formats::{Cell, Column, ColumnKind, Output};

use crate::error::JobError;
use crate::row_file::{RowFile, RowForm};

/// The columns of a row:
///
/// | column | meaning |
/// |---|---|
/// | `site`, `agent` | the site, and the crawler |
/// | `delay` | seconds from the beginning of one fetch to the beginning of the next, within the limits; null if nothing asks for a delay |
/// | `source` | where the delay comes from: `crawl-delay`, `request-rate` or `default`; the outcome of the fetch if no robots.txt was received; null if nothing asks for a delay |
/// | `line`, `hours` | the line of the robots.txt, and the hours in the line (UTC, with their last minute) |
/// | `asked` | the seconds that the line asks for |
/// | `limit` | `raised` or `capped` if a limit changed them |
/// | `visit_time` | the hours of visits (UTC, with their last minute); null: any |
/// | `opens_in` | the seconds until the hours of visits begin, 0 during them; null without an instant or without such hours |
static COLUMNS: [Column; 10] = [
    Column::required("site", ColumnKind::Text),
    Column::required("agent", ColumnKind::Word),
    Column::nullable("delay", ColumnKind::F64),
    Column::nullable("source", ColumnKind::Word),
    Column::nullable("line", ColumnKind::U32),
    Column::nullable("hours", ColumnKind::Word),
    Column::nullable("asked", ColumnKind::F64),
    Column::nullable("limit", ColumnKind::Word),
    Column::nullable("visit_time", ColumnKind::Word),
    Column::nullable("opens_in", ColumnKind::U64),
];

/// The number of rows that are written at a time.
const BLOCK: usize = 1 << 12;

/// A table of delays.
#[derive(Clone, Debug)]
pub struct PaceJob<'s> {
    /// The policies; of each site, the newest capture counts.
    pub stores: Stores<'s>,
    /// The crawlers, in the order of the table.
    pub crawlers: Vec<Crawler>,
    /// The instant; `None` for the longest delay of the day.
    pub at: Option<Moment>,
    /// The limits of delays. With a default, every site has a row.
    pub limits: DelayLimits,
    /// The format of the table.
    pub form: RowForm,
}

/// Counts of sites, once for each crawler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaceReport {
    /// All sites.
    pub sites: u64,
    /// The sites that ask for a delay.
    pub delays: u64,
    /// Of these: the sites whose delay was raised.
    pub raised: u64,
    /// Of these: the sites whose delay was capped.
    pub capped: u64,
    /// The sites that limit the hours of visits.
    pub visit_times: u64,
    /// The sites that got the default.
    pub defaults: u64,
    /// The sites without a robots.txt to obey: unreachable, restricted, deferred or redirected.
    pub without_rules: u64,
}

impl<'s> PaceJob<'s> {
    /// A job without limits, over the day.
    pub fn new(stores: Stores<'s>, crawlers: Vec<Crawler>) -> Self {
        PaceJob { stores, crawlers, at: None, limits: DelayLimits::default(), form: RowForm::Tsv }
    }
}

/// Writes a row for each site that says how often or when to visit, and with a default delay for every other site, too.
/// The rows of the first crawler come first. Sites are in the order of the store, which has no meaning for users, but is
/// the same each time. Needs a few bytes for each program.
///
/// # Errors
/// When a store has no programs for a crawler, and when the output cannot be written.
pub fn run(job: &PaceJob<'_>, output: Output) -> Result<PaceReport, JobError> {
    // All crawlers are looked up before the first row is written.
    for crawler in &job.crawlers {
        job.stores.any().view(crawler)?;
    }
    let mut file = RowFile::new(output, job.form, &COLUMNS)?;
    let (mut block, mut rows) = (file.block(), 0);
    let mut report = PaceReport::default();
    for crawler in &job.crawlers {
        let agent = crawler.to_string();
        for store in job.stores.iter() {
            let view = store.view(crawler)?;
            for site in view.sites() {
                report.sites += 1;
                report.without_rules += u64::from(!view.outcome(site.policy).permits_visits());
                let Some(pace) = view.spoken_pace(&site, job.at, &job.limits) else { continue };
                report.add(&pace);
                block.push(cells(&site.site(), &agent, &pace));
                rows += 1;
                if rows == BLOCK {
                    file.write(&std::mem::replace(&mut block, file.block()).finish()?)?;
                    rows = 0;
                }
            }
        }
    }
    file.write(&block.finish()?)?;
    file.commit()?;
    Ok(report)
}

impl PaceReport {
    fn add(&mut self, pace: &Pace) {
        let adjustment = pace.delay.and_then(|delay| delay.adjustment);
        self.delays += u64::from(pace.asked.is_some());
        self.raised += u64::from(adjustment == Some(Adjustment::Raised));
        self.capped += u64::from(adjustment == Some(Adjustment::Capped));
        self.visit_times += u64::from(pace.visit_time.is_some());
        self.defaults += u64::from(pace.asked.is_none() && pace.delay.is_some());
    }
}

/// The row of a site.
fn cells<'r>(site: &'r str, agent: &'r str, pace: &Pace) -> [Cell<'r>; 10] {
    let Pace { asked, delay, visit_time, opens_in, .. } = *pace;
    let seconds = |duration: Duration| Cell::F64(duration.as_secs_f64());
    let hours = |window: DayWindow| Cell::Text(window.to_string().into());
    let adjustment = delay.and_then(|delay| delay.adjustment);
    [
        site.into(),
        agent.into(),
        delay.map_or(Cell::Null, |delay| seconds(delay.duration)),
        pace.source().map_or(Cell::Null, Cell::from),
        asked.map_or(Cell::Null, |asked| Cell::U32(asked.line)),
        asked.and_then(|asked| asked.hours).map_or(Cell::Null, hours),
        asked.map_or(Cell::Null, |asked| seconds(asked.duration)),
        adjustment.map_or(Cell::Null, |adjustment| adjustment.as_str().into()),
        visit_time.map_or(Cell::Null, hours),
        opens_in.map_or(Cell::Null, |wait| Cell::U64(wait.as_secs())),
    ]
}
