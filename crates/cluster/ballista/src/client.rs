//! The client: a session in which queries are planned, and either evaluated here or sent to a scheduler.

use std::path::Path;
use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};

use crate::codec::{RobotsLogicalCodec, RobotsPhysicalCodec};

/// A session that evaluates here. `settings` are names of DataFusion's settings with their values.
///
/// # Errors
/// When a setting is unknown, or has no such value.
pub fn embedded(settings: &[(String, String)]) -> Result<SessionContext> {
    let context = SessionContext::new_with_config(configured(SessionConfig::new(), settings)?);
    robomata_datafusion::register(&context);
    Ok(context)
}

/// A session that sends queries to the scheduler at `HOST:PORT`. `settings` may be Ballista's too.
///
/// # Errors
/// When a setting is unknown or has no such value, or the address is none. Nothing is sent yet.
pub async fn remote(scheduler: &str, settings: &[(String, String)]) -> Result<SessionContext> {
    let config = SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(Arc::new(RobotsLogicalCodec::default()))
        .with_ballista_physical_extension_codec(Arc::new(RobotsPhysicalCodec::default()));
    // As many partitions as an executor has processors would be one task, and few files would all go to one machine.
    let each_alone = ("ballista.scheduler.max_partitions_per_task".to_owned(), "1".to_owned());
    let config = configured(config, &[&[each_alone], settings].concat())?;
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let context = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // Not earlier: the functions of the state that was given are replaced.
    robomata_datafusion::register(&context);
    Ok(context)
}

fn configured(mut config: SessionConfig, settings: &[(String, String)]) -> Result<SessionConfig> {
    // A folder is a table with all that lies below it; otherwise what lies in folders of it would be left out in silence.
    config.options_mut().set("datafusion.execution.listing_table_ignore_subdirectory", "false")?;
    for (name, value) in settings {
        config.options_mut().set(name, value)?;
    }
    Ok(config)
}

/// Makes the Parquet file at `path`, or those in the folder at `path`, known as the table `name`.
///
/// # Errors
/// When there is no such file, no Parquet file in the folder, or none that can be read.
pub async fn register_table(context: &SessionContext, name: &str, path: &Path) -> Result<()> {
    let refused = |why: &dyn std::fmt::Display| {
        DataFusionError::Configuration(format!("table {name}: {}: {why}", path.display()))
    };
    let metadata = std::fs::metadata(path).map_err(|error| refused(&error))?;
    // Whole, so that no beginning of it is taken for a protocol.
    let location = std::path::absolute(path).map_err(|error| refused(&error))?;
    let location = location.to_str().ok_or_else(|| refused(&"expected a name in UTF-8"))?;
    if location.contains(['*', '?', '[']) {
        return Err(refused(&"expected a name without any of *?[, which would stand for others"));
    }
    let has_files = !metadata.is_dir() || holds_parquet(path).map_err(|error| refused(&error))?;
    if !has_files {
        return Err(refused(
            &"expected files with the ending .parquet in this folder, or folders of such files",
        ));
    }
    // A file is taken whatever its ending; in a folder the ending tells which are meant.
    let ending = if metadata.is_dir() { ".parquet".to_owned() } else { String::new() };
    let location =
        if metadata.is_dir() { format!("{}/", location.trim_end_matches('/')) } else { location.to_owned() };
    let options = ParquetReadOptions { file_extension: &ending, ..ParquetReadOptions::default() };
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
            false => path.extension().is_some_and(|ending| ending == "parquet"),
        };
        if is_found {
            return Ok(true);
        }
    }
    Ok(false)
}
