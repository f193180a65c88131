//! SQL functions for [DataFusion](datafusion) that evaluate robots.txt policies for columns of URLs.
//!
//! `robomata compile` compiles policies into a bundle. A query names the file, the crawler and a column:
//!
//! ```sql
//! SELECT count(*) FROM urls WHERE robots_allowed('policies.bundle', 'ExampleBot', url)
//! ```
//!
//! | function | returns |
//! |---|---|
//! | `robots_allowed(bundle, crawler, url [, usage])` | `true`, `false`, or null if the answer is unknown |
//! | `robots_verdict(bundle, crawler, url [, usage])` | a struct of `verdict`, `line` and `reason` |
//! | both as `(bundle, crawler, protocol, host, port, path, query [, usage])` | the same, for URLs in parts, as in Common Crawl's index |
//! | `robots_build([bundle])` | the evaluating process: a struct of `version`, `bundle`, `problem`, `host` and `pid` |
//! | `robots_sites(bundle)` | a table of the bundle's sites |
//! | `robots_pace(bundle, crawler)` | a table of the sites that say how often or when the crawler may visit: delay, source, line, hours, … |
//!
//! A permission for a usage may end on a date. Each batch is evaluated at the current time.
//!
//! In parts, an empty query is none, as a null is; a URL that ends in `?` can only be given as a whole.
//!
//! Bundle, crawler and usage must be literals. Columns of text may be Utf8, LargeUtf8 or Utf8View, and are not copied.
//! Every answer comes from [`robomata_columns`].
//!
//! # How bundles are opened and pinned
//!
//! A process maps a bundle into memory once, for the first batch that needs it. While a query is planned, the bundle's
//! name is pinned to the fingerprint of the file that the planner finds (`policies.bundle#0f3c…`). Every process that
//! evaluates the query refuses a different file with that name, so yesterday's bundle is an error and not a wrong
//! answer.
//!
//! If the planner cannot open the file (for example, a client without access to the cluster's disk), the name is not
//! pinned, and the next planner (Ballista's scheduler) tries. If no planner can open it, it is refused when the query is
//! evaluated, since the file may differ between processes and between batches; the message says how to pin the name in
//! the query. All of this is the same for the tables of a bundle.
//!
//! A bundle in shards (`policies-*-of-00016.bundle`) is pinned by its manifest, so a shard is opened only when the query
//! has a URL of one of its hosts.
//!
//! ```no_run
//! # async fn example() -> datafusion::error::Result<()> {
//! use datafusion::prelude::{ParquetReadOptions, SessionContext};
//!
//! let context = SessionContext::new();
//! robomata_datafusion::register(&context);
//! context.register_parquet("urls", "urls.parquet", ParquetReadOptions::default()).await?;
//! context.sql("SELECT robots_verdict('policies.bundle', 'ExampleBot', url) FROM urls").await?.show().await?;
//! # Ok(())
//! # }
//! ```

mod arguments;
mod check;
mod handshake;
mod pace;
mod pin;
mod sites;
mod tables;

use std::sync::Arc;

use datafusion::catalog::TableFunctionImpl;
use datafusion::execution::SessionState;
use datafusion::logical_expr::ScalarUDF;
use datafusion::logical_expr::registry::FunctionRegistry;
use datafusion::prelude::SessionContext;

pub use tables::{BundleExec, BundleTable, Contents};

/// Registers the functions with a session.
pub fn register(context: &SessionContext) {
    for function in scalar_functions() {
        context.register_udf(ScalarUDF::clone(&function));
    }
    for (name, function) in table_functions() {
        context.register_udtf(name, function);
    }
}

/// Registers the functions with a session state, before there is a context.
///
/// # Errors
/// Those of DataFusion's registration; its own session state returns none.
pub fn register_state(state: &mut SessionState) -> datafusion::error::Result<()> {
    for function in scalar_functions() {
        state.register_udf(function)?;
    }
    for (name, function) in table_functions() {
        state.register_udtf(name, function);
    }
    Ok(())
}

/// Returns the scalar functions, for registries that are neither a context nor a state.
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    let functions: [ScalarUDF; 3] = [
        check::RobotsCheck::allowed().into(),
        check::RobotsCheck::verdict().into(),
        handshake::RobotsBuild::new().into(),
    ];
    functions.into_iter().map(Arc::new).collect()
}

/// Returns the table functions with their names.
pub fn table_functions() -> Vec<(&'static str, Arc<dyn TableFunctionImpl>)> {
    vec![(sites::NAME, Arc::new(sites::RobotsSites)), (pace::NAME, Arc::new(pace::RobotsPace))]
}
