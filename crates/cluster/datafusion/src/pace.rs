//! `robots_pace`: how fast a crawler may fetch from the sites of a bundle, as a table.

use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayRef, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};
use robomata_columns::{PaceBuilder, Query, pace_fields};
use robomata_engine::policy::Pace;

use crate::tables::{Builder, BundleTable, Contents, literal};

pub(crate) const NAME: &str = "robots_pace";

/// `robots_pace(bundle, crawler)`: a row for each site that says how often or when the crawler may visit, with the column
/// `site` and those of [`pace_fields`]. The delay is the longest one of the day; `opens_in` is null.
#[derive(Debug)]
pub(crate) struct RobotsPace;

impl TableFunctionImpl for RobotsPace {
    fn call_with_args(&self, call: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [bundle, crawler] = call.exprs() else {
            return plan_err!("{NAME}: expected two arguments, the bundle and the crawler as text literals");
        };
        let (bundle, crawler) = (literal(NAME, "bundle", bundle)?, literal(NAME, "crawler", crawler)?);
        // An invalid name is an error of the plan.
        Query::new(crawler, None).map_err(|error| DataFusionError::Plan(format!("{NAME}: {error}")))?;
        Ok(Arc::new(BundleTable::pinned(bundle, Contents::Pace { crawler: crawler.to_owned() })))
    }
}

pub(crate) fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let site = Arc::new(Field::new("site", DataType::Utf8, false));
        Arc::new(Schema::new([site].into_iter().chain(pace_fields().iter().cloned()).collect::<Vec<_>>()))
    });
    Arc::clone(&SCHEMA)
}

/// A builder for a batch of rows.
#[derive(Default)]
pub(crate) struct Rows {
    sites: StringBuilder,
    paces: PaceBuilder,
}

impl Builder for Rows {
    type Row = (String, Pace);

    fn push(&mut self, (site, pace): (String, Pace)) {
        self.sites.append_value(site);
        self.paces.push(Some(&pace));
    }

    fn columns(&mut self) -> Vec<ArrayRef> {
        let sites: ArrayRef = Arc::new(self.sites.finish());
        [sites].into_iter().chain(self.paces.columns()).collect()
    }
}
