//! `robots_sites`: the sites of a bundle as a table.

use std::fmt;
use std::sync::{Arc, LazyLock};

use arrow::array::{
    ArrayRef, RecordBatch, RecordBatchOptions, StringBuilder, TimestampSecondBuilder, UInt32Builder,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use robomata_columns::{SiteSummary, sites};
use robomata_engine::Moment;
use robomata_engine::{PolicySet, PolicySetError};

use crate::check::pinned;

pub(crate) const NAME: &str = "robots_sites";

/// `robots_sites(bundle)`.
#[derive(Debug)]
pub(crate) struct RobotsSites;

impl TableFunctionImpl for RobotsSites {
    fn call_with_args(&self, call: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(bundle, _)] = call.exprs() else {
            return plan_err!("{NAME}: expected one argument, the bundle as a text literal");
        };
        let Some(Some(bundle)) = bundle.try_as_str() else {
            return plan_err!("{NAME}: expected text as bundle, found {}", bundle.data_type());
        };
        Ok(Arc::new(SitesTable::new(pinned(bundle).unwrap_or_else(|| bundle.to_owned()))))
    }
}

/// The sites of a bundle, with one row per site:
///
/// * `site`: `https://example.com`;
/// * `outcome`: the outcome of its newest robots.txt: `rules`, `redirected`, `unavailable`, `unreachable`, `restricted`
///   or `deferred`;
/// * `first` and `last`: the times of its first and last capture, null if unknown;
/// * `versions`: the number of versions of its robots.txt.
///
/// The rows are in no particular order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitesTable {
    bundle: String,
}

impl SitesTable {
    /// Creates the table of the sites of a bundle. The bundle is opened when the table is read.
    pub fn new(bundle: String) -> Self {
        SitesTable { bundle }
    }

    /// The bundle's name.
    pub fn bundle(&self) -> &str {
        &self.bundle
    }
}

#[async_trait]
impl TableProvider for SitesTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCHEMA)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SitesExec::try_new(self.bundle.clone(), projection.cloned())?))
    }
}

/// Reads the sites of a bundle in batches. Neither the file nor the table is ever completely in memory.
#[derive(Clone, Debug)]
pub struct SitesExec {
    bundle: String,
    projection: Option<Vec<usize>>,
    properties: Arc<PlanProperties>,
}

impl SitesExec {
    /// Creates a plan that reads the columns with these indices, or all columns.
    ///
    /// # Errors
    /// If a column does not exist.
    pub fn try_new(bundle: String, projection: Option<Vec<usize>>) -> Result<Self> {
        let schema = match &projection {
            Some(columns) => Arc::new(SCHEMA.project(columns)?),
            None => Arc::clone(&SCHEMA),
        };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        // Tokio channels yield to other tasks by themselves.
        let properties = properties.with_scheduling_type(SchedulingType::Cooperative);
        Ok(SitesExec { bundle, projection, properties: Arc::new(properties) })
    }

    /// The bundle's name.
    pub fn bundle(&self) -> &str {
        &self.bundle
    }

    /// The indices of the columns that are read; none means all.
    pub fn projection(&self) -> Option<&[usize]> {
        self.projection.as_deref()
    }

    /// Passes batches to `emit` until the sites end or `emit` returns false.
    fn read(&self, batch_size: usize, mut emit: impl FnMut(RecordBatch) -> bool) -> Result<()> {
        let failed = |error: PolicySetError| DataFusionError::Execution(format!("{NAME}: {error}"));
        let policies = PolicySet::shared(&self.bundle).map_err(failed)?;
        let mut rows = Rows::default();
        for site in sites(&policies) {
            rows.push(&site.map_err(failed)?);
            if rows.len == batch_size && !emit(rows.take(self.projection())?) {
                return Ok(());
            }
        }
        if rows.len > 0 {
            emit(rows.take(self.projection())?);
        }
        Ok(())
    }
}

impl DisplayAs for SitesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SitesExec: bundle={}", self.bundle)
    }
}

impl ExecutionPlan for SitesExec {
    fn name(&self) -> &'static str {
        "SitesExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, _partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut stream = RecordBatchReceiverStreamBuilder::new(self.schema(), 2);
        let (sender, sites) = (stream.tx(), self.clone());
        let batch_size = context.session_config().batch_size();
        stream
            .spawn_blocking(move || sites.read(batch_size, |batch| sender.blocking_send(Ok(batch)).is_ok()));
        Ok(stream.build())
    }
}

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

/// A builder for a batch of rows.
#[derive(Default)]
struct Rows {
    len: usize,
    sites: StringBuilder,
    outcomes: StringBuilder,
    first: TimestampSecondBuilder,
    last: TimestampSecondBuilder,
    versions: UInt32Builder,
}

impl Rows {
    fn push(&mut self, site: &SiteSummary) {
        self.len += 1;
        self.sites.append_value(&site.site);
        self.outcomes.append_value(site.outcome.as_str());
        self.first.append_option(site.first.map(Moment::seconds));
        self.last.append_option(site.last.map(Moment::seconds));
        self.versions.append_value(u32::try_from(site.versions).unwrap_or(u32::MAX));
    }

    /// Returns the rows as a batch and clears the builder.
    fn take(&mut self, projection: Option<&[usize]>) -> Result<RecordBatch> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.sites.finish()),
            Arc::new(self.outcomes.finish()),
            Arc::new(self.first.finish().with_timezone("UTC")),
            Arc::new(self.last.finish().with_timezone("UTC")),
            Arc::new(self.versions.finish()),
        ];
        let rows = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.len)));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&SCHEMA), columns, &rows)?;
        Ok(match projection {
            Some(projection) => batch.project(projection)?,
            None => batch,
        })
    }
}
