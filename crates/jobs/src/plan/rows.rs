//! The tables of a plan.

use std::path::Path;

use robomata_formats::{Cell, Column, ColumnKind, Output, OutputError};

use super::site::{Hold, PlannedFetch, SiteHistory, SitePlan};
use crate::error::JobError;
use crate::row_file::{RowBlock, RowEncoder, RowFile, RowForm, time};

/// The columns of fetches:
///
/// | column | meaning |
/// |---|---|
/// | `site` | the site |
/// | `reason` | why its robots.txt is fetched: see [`FetchReason`](super::FetchReason) |
/// | `not_before`, `not_after` | when to fetch it; the latter is null if nothing ends |
/// | `urls` | the site's URLs in the frontier; null without one |
/// | `change` | the probability that a fetch finds other rules than the last known ones |
/// | `value` | `urls` times `change`; without a frontier, `change` |
/// | `fetched` | when it was last fetched, with whatever result; null if that is not known |
pub static FETCH_COLUMNS: [Column; 8] = [
    Column::required("site", ColumnKind::Text),
    Column::required("reason", ColumnKind::Word),
    Column::required("not_before", ColumnKind::Time),
    Column::nullable("not_after", ColumnKind::Time),
    Column::nullable("urls", ColumnKind::U64),
    Column::required("change", ColumnKind::F64),
    Column::required("value", ColumnKind::F64),
    Column::nullable("fetched", ColumnKind::Time),
];

/// The columns of holds:
///
/// | column | meaning |
/// |---|---|
/// | `site` | the site |
/// | `applies` | what applies: `last-good-copy`, `restricted`, `unrestricted`, `deferred` or `unknown` |
/// | `until` | until when, if attempts go on to fail; null if that has no end |
/// | `then` | what applies after that |
/// | `since` | when the first of the failed attempts ended; null if none failed |
/// | `good_copy` | when the last good copy was fetched; null if there is none |
/// | `urls` | the site's URLs in the frontier; null without one |
/// | `fetched` | when the last attempt ended; null if that is not known |
pub static HOLD_COLUMNS: [Column; 8] = [
    Column::required("site", ColumnKind::Text),
    Column::required("applies", ColumnKind::Word),
    Column::nullable("until", ColumnKind::Time),
    Column::nullable("then", ColumnKind::Word),
    Column::nullable("since", ColumnKind::Time),
    Column::nullable("good_copy", ColumnKind::Time),
    Column::nullable("urls", ColumnKind::U64),
    Column::nullable("fetched", ColumnKind::Time),
];

/// A probability in millionths. Outputs are rounded to them, and rows are in the order of what is written.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a probability is from 0 to 1")]
pub(super) fn millionths(probability: f64) -> u64 {
    (probability * 1e6).round() as u64
}

/// An output for a table of the plan.
pub struct PlanOutput {
    output: Output,
    form: RowForm,
}

impl PlanOutput {
    /// An output in this format.
    pub fn new(output: Output, form: RowForm) -> Self {
        PlanOutput { output, form }
    }

    /// Creates an output at `path`, whose extension determines the format.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn create(path: &Path) -> Result<Self, JobError> {
        Ok(PlanOutput::new(Output::create(path)?, RowForm::of_name(path)))
    }

    /// Begins a table. `has_urls` says whether the number of URLs is known.
    pub(super) fn into_table(self, kind: TableKind, has_urls: bool) -> Result<PlanTable, JobError> {
        let file = RowFile::new(self.output, self.form, kind.columns())?;
        Ok(PlanTable { file, form: TableForm { kind, form: self.form, has_urls } })
    }
}

/// Which of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Fetches,
    Holds,
}

impl TableKind {
    const fn columns(self) -> &'static [Column] {
        match self {
            TableKind::Fetches => &FETCH_COLUMNS,
            TableKind::Holds => &HOLD_COLUMNS,
        }
    }
}

/// What the blocks of a table have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableForm {
    kind: TableKind,
    form: RowForm,
    has_urls: bool,
}

impl TableForm {
    /// An empty block of rows.
    pub(super) fn block(self) -> PlanBlock {
        PlanBlock { rows: RowEncoder::new(self.form, self.kind.columns()), form: self }
    }
}

/// A table of the plan, written in blocks.
pub(super) struct PlanTable {
    file: RowFile,
    form: TableForm,
}

impl PlanTable {
    pub(super) fn form(&self) -> TableForm {
        self.form
    }

    pub(super) fn write(&mut self, block: &RowBlock) -> Result<(), JobError> {
        self.file.write(block)
    }

    /// Completes the output under its name.
    pub(super) fn commit(self) -> Result<(), JobError> {
        self.file.commit()
    }
}

/// Rows of a table.
pub(super) struct PlanBlock {
    rows: RowEncoder,
    form: TableForm,
}

impl PlanBlock {
    /// Adds the row of a site, if the plan has one for this table.
    pub(super) fn push(&mut self, site: &str, urls: u64, history: &SiteHistory, plan: &SitePlan) {
        let row = match self.form.kind {
            TableKind::Fetches => plan.fetch.map(|fetch| self.fetch(site, urls, fetch, plan.change)),
            TableKind::Holds => plan.hold.map(|hold| self.hold(site, urls, hold)),
        };
        if let Some(row) = row {
            self.rows.push(row.into_iter().chain([time(history.fetched())]));
        }
    }

    pub(super) fn finish(self) -> Result<RowBlock, OutputError> {
        self.rows.finish()
    }

    fn fetch<'s>(&self, site: &'s str, urls: u64, fetch: PlannedFetch, change: f64) -> [Cell<'s>; 7] {
        let change = millionths(change);
        let decimal = |millionths: u64| Cell::F64(millionths as f64 / 1e6);
        [
            site.into(),
            fetch.reason.as_str().into(),
            time(Some(fetch.not_before)),
            time(fetch.not_after),
            self.urls(urls),
            decimal(change),
            decimal(urls.saturating_mul(change)),
        ]
    }

    fn hold<'s>(&self, site: &'s str, urls: u64, hold: Hold) -> [Cell<'s>; 7] {
        [
            site.into(),
            hold.applies.as_str().into(),
            time(hold.until),
            hold.then.map_or(Cell::Null, |then| then.as_str().into()),
            time(hold.since),
            time(hold.good_copy),
            self.urls(urls),
        ]
    }

    fn urls(&self, urls: u64) -> Cell<'static> {
        if self.form.has_urls { Cell::U64(urls) } else { Cell::Null }
    }
}
