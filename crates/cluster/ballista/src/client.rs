//! The client: a session that plans queries, and evaluates them or sends them to a scheduler.

use std::path::Path;
use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};

use crate::codec::{RobotsLogicalCodec, RobotsPhysicalCodec};

/// Creates a session that evaluates queries in this process. `settings` are names and values of DataFusion settings.
///
/// # Errors
/// If a setting is unknown or its value is invalid.
pub fn embedded(settings: &[(String, String)]) -> Result<SessionContext> {
    let context = SessionContext::new_with_config(configured(SessionConfig::new(), settings)?);
    robomata_datafusion::register(&context);
    Ok(context)
}

/// Creates a session that sends queries to the scheduler at `HOST:PORT`. `settings` may also be those of Ballista. Does
/// not connect yet.
///
/// # Errors
/// If a setting is unknown, or its value or the address is invalid.
pub async fn remote(scheduler: &str, settings: &[(String, String)]) -> Result<SessionContext> {
    let config = SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(Arc::new(RobotsLogicalCodec::default()))
        .with_ballista_physical_extension_codec(Arc::new(RobotsPhysicalCodec::default()));
    // By default a task has as many partitions as an executor has processors, so a few files would all go to one
    // machine.
    let one_per_task = ("ballista.scheduler.max_partitions_per_task".to_owned(), "1".to_owned());
    let config = configured(config, &[&[one_per_task], settings].concat())?;
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let context = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // Register the functions now: `remote_with_state` replaces those of the state.
    robomata_datafusion::register(&context);
    Ok(context)
}

fn configured(mut config: SessionConfig, settings: &[(String, String)]) -> Result<SessionConfig> {
    // A table includes the files in subfolders of its folder. By default DataFusion ignores them without a message.
    config.options_mut().set("datafusion.execution.listing_table_ignore_subdirectory", "false")?;
    for (name, value) in settings {
        config.options_mut().set(name, value)?;
    }
    Ok(config)
}

/// Registers the Parquet file at `path`, or the Parquet files in the folder at `path`, as the table `name`.
///
/// # Errors
/// If the file does not exist or cannot be read, or the folder contains no Parquet file.
pub async fn register_table(context: &SessionContext, name: &str, path: &Path) -> Result<()> {
    let refused = |why: &dyn std::fmt::Display| {
        DataFusionError::Configuration(format!("table {name}: {}: {why}", path.display()))
    };
    let metadata = std::fs::metadata(path).map_err(|error| refused(&error))?;
    // An absolute path, so that its beginning is not parsed as a URL scheme.
    let location = std::path::absolute(path).map_err(|error| refused(&error))?;
    let location = location.to_str().ok_or_else(|| refused(&"expected a name in UTF-8"))?;
    if location.contains(['*', '?', '[']) {
        return Err(refused(&"expected a name without any of *?[, which are wildcards"));
    }
    let has_files = !metadata.is_dir() || holds_parquet(path).map_err(|error| refused(&error))?;
    if !has_files {
        return Err(refused(&"expected files with the extension .parquet in this folder or its subfolders"));
    }
    // A file may have any extension; in a folder, only files with the extension are part of the table.
    let extension = if metadata.is_dir() { ".parquet".to_owned() } else { String::new() };
    let location =
        if metadata.is_dir() { format!("{}/", location.trim_end_matches('/')) } else { location.to_owned() };
    let options = ParquetReadOptions { file_extension: &extension, ..ParquetReadOptions::default() };
    context
        .register_parquet(name, location, options)
        .await
        .map_err(|error| refused(&crate::explained(&error)))
}

fn holds_parquet(folder: &Path) -> std::io::Result<bool> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_found = match path.is_dir() {
            true => holds_parquet(&path)?,
            false => path.extension().is_some_and(|extension| extension == "parquet"),
        };
        if is_found {
            return Ok(true);
        }
    }
    Ok(false)
}
