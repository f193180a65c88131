//! Tables of what a bundle holds, read in batches.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::ScalarValue;
use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};

use crate::{pace, pin, sites};

/// What a table of a bundle contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// `robots_sites(bundle)`: its sites.
    Sites,
    /// `robots_pace(bundle, crawler)`: how fast the crawler may fetch from each site that says something about it.
    Pace {
        /// The crawler, as named in the query.
        crawler: String,
    },
}

impl Contents {
    /// The name of the table function.
    pub fn function(&self) -> &'static str {
        match self {
            Contents::Sites => sites::NAME,
            Contents::Pace { .. } => pace::NAME,
        }
    }

    fn schema(&self) -> SchemaRef {
        match self {
            Contents::Sites => sites::schema(),
            Contents::Pace { .. } => pace::schema(),
        }
    }
}

/// A table of a bundle. The rows are in no particular order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleTable {
    bundle: String,
    contents: Contents,
}

impl BundleTable {
    /// Creates a table of a bundle, pinned to the file that this process finds. If it finds none, the next planner
    /// tries.
    pub fn pinned(bundle: &str, contents: Contents) -> Self {
        let bundle = pin::pinned(bundle).unwrap_or_else(|| bundle.to_owned());
        BundleTable { bundle, contents }
    }

    /// The bundle's name.
    pub fn bundle(&self) -> &str {
        &self.bundle
    }

    /// What the table contains.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }
}

#[async_trait]
impl TableProvider for BundleTable {
    fn schema(&self) -> SchemaRef {
        self.contents.schema()
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
        let (bundle, contents) = (self.bundle.clone(), self.contents.clone());
        Ok(Arc::new(BundleExec::try_new(bundle, contents, projection.cloned())?))
    }
}

/// Reads a table of a bundle in batches. Neither the file nor the table is ever completely in memory.
#[derive(Clone, Debug)]
pub struct BundleExec {
    bundle: String,
    contents: Contents,
    projection: Option<Vec<usize>>,
    properties: Arc<PlanProperties>,
}

impl BundleExec {
    /// Creates a plan that reads the columns with these indices, or all columns.
    ///
    /// # Errors
    /// If a column does not exist.
    pub fn try_new(bundle: String, contents: Contents, projection: Option<Vec<usize>>) -> Result<Self> {
        let schema = match &projection {
            Some(columns) => Arc::new(contents.schema().project(columns)?),
            None => contents.schema(),
        };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        // Tokio channels yield to other tasks by themselves.
        let properties = properties.with_scheduling_type(SchedulingType::Cooperative);
        Ok(BundleExec { bundle, contents, projection, properties: Arc::new(properties) })
    }

    /// The bundle's name.
    pub fn bundle(&self) -> &str {
        &self.bundle
    }

    /// What the table contains.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// The indices of the columns that are read; none means all.
    pub fn projection(&self) -> Option<&[usize]> {
        self.projection.as_deref()
    }

    /// Passes batches to `emit` until the table ends or `emit` returns false.
    fn read(&self, batch_size: usize, emit: impl FnMut(RecordBatch) -> bool) -> Result<()> {
        let policies = pin::open(self.contents.function(), &self.bundle)?;
        match &self.contents {
            Contents::Sites => {
                let rows = robomata_columns::sites(&policies);
                self.read_rows::<sites::Rows, _>(rows, batch_size, emit)
            }
            Contents::Pace { crawler } => {
                let query =
                    robomata_columns::Query::new(crawler, None).map_err(|error| self.failed(&error))?;
                let rows =
                    robomata_columns::paces(&policies, &query, robomata_columns::PaceOptions::default());
                self.read_rows::<pace::Rows, _>(rows, batch_size, emit)
            }
        }
    }

    fn read_rows<B: Builder, E: fmt::Display>(
        &self,
        rows: impl Iterator<Item = std::result::Result<B::Row, E>>,
        batch_size: usize,
        mut emit: impl FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        let (mut builder, mut count) = (B::default(), 0);
        for row in rows {
            builder.push(row.map_err(|error| self.failed(&error))?);
            count += 1;
            if count == batch_size && !emit(self.batch(&mut builder, std::mem::take(&mut count))?) {
                return Ok(());
            }
        }
        if count > 0 {
            emit(self.batch(&mut builder, count)?);
        }
        Ok(())
    }

    fn batch(&self, builder: &mut impl Builder, count: usize) -> Result<RecordBatch> {
        let rows = RecordBatchOptions::new().with_row_count(Some(count));
        let batch = RecordBatch::try_new_with_options(self.contents.schema(), builder.columns(), &rows)?;
        Ok(match self.projection() {
            Some(projection) => batch.project(projection)?,
            None => batch,
        })
    }

    fn failed(&self, error: &impl fmt::Display) -> DataFusionError {
        DataFusionError::Execution(format!("{}: {error}", self.contents.function()))
    }
}

/// Builds batches of rows.
pub(crate) trait Builder: Default {
    type Row;

    fn push(&mut self, row: Self::Row);

    /// Returns the rows as columns and clears the builder.
    fn columns(&mut self) -> Vec<ArrayRef>;
}

impl DisplayAs for BundleExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BundleExec: {}, bundle={}", self.contents.function(), self.bundle)?;
        match &self.contents {
            Contents::Sites => Ok(()),
            Contents::Pace { crawler } => write!(f, ", crawler={crawler}"),
        }
    }
}

impl ExecutionPlan for BundleExec {
    fn name(&self) -> &'static str {
        "BundleExec"
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
        let (sender, table) = (stream.tx(), self.clone());
        let batch_size = context.session_config().batch_size();
        stream
            .spawn_blocking(move || table.read(batch_size, |batch| sender.blocking_send(Ok(batch)).is_ok()));
        Ok(stream.build())
    }
}

/// Reads an argument of a table function: `what`, a text literal.
pub(crate) fn literal<'e>(function: &str, what: &str, argument: &'e Expr) -> Result<&'e str> {
    let Expr::Literal(value, _) = argument else {
        return plan_err!("{function}: {what} must be a text literal");
    };
    match value.try_as_str() {
        Some(Some(text)) => Ok(text),
        _ => plan_err!("{function}: expected text as {what}, found {}", ScalarValue::data_type(value)),
    }
}
