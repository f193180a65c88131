//! `robots_sites`: the sites of a bundle as a table.

use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayRef, StringBuilder, TimestampSecondBuilder, UInt32Builder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::Result;
use robomata_columns::SiteSummary;
use robomata_engine::Moment;

use crate::tables::{Builder, BundleTable, Contents, literal};

pub(crate) const NAME: &str = "robots_sites";

/// `robots_sites(bundle)`, with one row per site:
///
/// * `site`: `https://example.com`;
/// * `outcome`: the outcome of its newest robots.txt: `rules`, `redirected`, `unavailable`, `unreachable`, `restricted`
///   or `deferred`;
/// * `first` and `last`: the times of its first and last capture, null if unknown;
/// * `versions`: the number of versions of its robots.txt.
#[derive(Debug)]
pub(crate) struct RobotsSites;

impl TableFunctionImpl for RobotsSites {
    fn call_with_args(&self, call: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [bundle] = call.exprs() else {
            return plan_err!("{NAME}: expected one argument, the bundle as a text literal");
        };
        let bundle = literal(NAME, "bundle", bundle)?;
        Ok(Arc::new(BundleTable::pinned(bundle, Contents::Sites)))
    }
}

pub(crate) fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let time = || DataType::Timestamp(TimeUnit::Second, Some("UTC".into()));
        Arc::new(Schema::new(vec![
            Field::new("site", DataType::Utf8, false),
            Field::new("outcome", DataType::Utf8, false),
            Field::new("first", time(), true),
            Field::new("last", time(), true),
            Field::new("versions", DataType::UInt32, false),
        ]))
    });
    Arc::clone(&SCHEMA)
}

/// A builder for a batch of rows.
#[derive(Default)]
pub(crate) struct Rows {
    sites: StringBuilder,
    outcomes: StringBuilder,
    first: TimestampSecondBuilder,
    last: TimestampSecondBuilder,
    versions: UInt32Builder,
}

impl Builder for Rows {
    type Row = SiteSummary;

    fn push(&mut self, site: SiteSummary) {
        self.sites.append_value(&site.site);
        self.outcomes.append_value(site.outcome.as_str());
        self.first.append_option(site.first.map(Moment::seconds));
        self.last.append_option(site.last.map(Moment::seconds));
        self.versions.append_value(u32::try_from(site.versions).unwrap_or(u32::MAX));
    }

    fn columns(&mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.sites.finish()),
            Arc::new(self.outcomes.finish()),
            Arc::new(self.first.finish().with_timezone("UTC")),
            Arc::new(self.last.finish().with_timezone("UTC")),
            Arc::new(self.versions.finish()),
        ]
    }
}
