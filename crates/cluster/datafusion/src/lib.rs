//! What robots.txt says about URLs, as SQL functions of [DataFusion](datafusion).
//!
//! Policies are compiled into a bundle beforehand (`robomata compile`); a query names the file, the crawler and a column:
//!
//! ```sql
//! SELECT count(*) FROM urls WHERE robots_allowed('policies.bundle', 'ExampleBot', url)
//! ```
//!
//! | function | gives |
//! |---|---|
//! | `robots_allowed(bundle, crawler, url [, usage])` | `true`, `false`, or null where nobody can tell |
//! | `robots_verdict(bundle, crawler, url [, usage])` | a struct of `verdict`, `line` and `reason` |
//! | both as `(bundle, crawler, protocol, host, port, path, query [, usage])` | the same, for URLs in the parts that Common Crawl's index has |
//! | `robots_build([bundle])` | who evaluates: a struct of `version`, `bundle`, `problem`, `host` and `pid` |
//! | `robots_sites(bundle)` | a table of the bundle's sites |
//!
//! A permission of a usage that ends on a date is one until then: each batch is asked at the time of the clock.
//!
//! Bundle, crawler and usage are literals. Columns of text are read as they lie, be they Utf8, LargeUtf8 or Utf8View. Every
//! answer comes from [`robomata_columns`]; nothing is decided here.
//!
//! # Who opens what, and when
//!
//! A process opens a bundle once, when the first batch needs it: it is mapped, not read. While a query is planned, the
//! bundle's name is pinned to the fingerprint of the file that the planner sees (`policies.bundle#0f3c…`). Whoever evaluates
//! the query, on whichever machine, refuses another file of that name: yesterday's bundle is an error and not an answer.
//! Where the planner cannot open the file, as a client without the disk of the cluster cannot, the name stays as it is, and
//! the next planner (Ballista's scheduler) tries; if nobody could, the executors take what they find, and `robots_build`
//! tells what that is. A bundle in shards (`policies-*-of-00016.bundle`) is pinned by its manifest, so that no shard has to be
//! opened for it before one of its hosts is met; without a manifest it is not pinned.
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
mod sites;

use std::sync::Arc;

use datafusion::catalog::TableFunctionImpl;
use datafusion::execution::SessionState;
use datafusion::logical_expr::ScalarUDF;
use datafusion::logical_expr::registry::FunctionRegistry;
use datafusion::prelude::SessionContext;

pub use sites::{SitesExec, SitesTable};

/// Makes the functions known to a session.
pub fn register(context: &SessionContext) {
    for function in scalar_functions() {
        context.register_udf(ScalarUDF::clone(&function));
    }
    for (name, function) in table_functions() {
        context.register_udtf(name, function);
    }
}

/// Makes the functions known to a session's state, as it stands before there is a context.
///
/// # Errors
/// None that DataFusion's own state is known to have.
pub fn register_state(state: &mut SessionState) -> datafusion::error::Result<()> {
    for function in scalar_functions() {
        state.register_udf(function)?;
    }
    for (name, function) in table_functions() {
        state.register_udtf(name, function);
    }
    Ok(())
}

/// The functions that give a value for a row: for registries that are neither a context nor a state.
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    let functions: [ScalarUDF; 3] = [
        check::RobotsCheck::allowed().into(),
        check::RobotsCheck::verdict().into(),
        handshake::RobotsBuild::new().into(),
    ];
    functions.into_iter().map(Arc::new).collect()
}

/// The functions that give a table, with their names.
pub fn table_functions() -> Vec<(&'static str, Arc<dyn TableFunctionImpl>)> {
    vec![(sites::NAME, Arc::new(sites::RobotsSites))]
}
