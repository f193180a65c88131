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
    let config = configured(config, settings)?;
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let context = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // Not earlier: the functions of the state that was given are replaced.
    robomata_datafusion::register(&context);
    Ok(context)
}

fn configured(mut config: SessionConfig, settings: &[(String, String)]) -> Result<SessionConfig> {
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
    let location = path.to_str().ok_or_else(|| refused(&"expected a name in UTF-8"))?;
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
