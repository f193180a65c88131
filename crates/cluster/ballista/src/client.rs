//! The client: a session that plans queries, and evaluates them or sends them to a scheduler.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::parquet::basic::ConvertedType;
use datafusion::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use datafusion::parquet::schema::types::Type;
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

const EXTENSION: &str = ".parquet";

/// Registers the Parquet file at `path`, or the Parquet files in the folder at `path`, as the table `name`.
///
/// # Errors
/// If the file does not exist or cannot be read, if the folder contains no Parquet file, or one that would be left out, and
/// if its files have different columns.
pub async fn register_table(context: &SessionContext, name: &str, path: &Path) -> Result<()> {
    let refused = |why: String| DataFusionError::Configuration(format!("table {name}: {why}"));
    let is_folder = std::fs::metadata(path).map_err(|error| refused(at(path, &error)))?.is_dir();
    // An absolute path, so that its beginning is not parsed as a URL scheme.
    let location = std::path::absolute(path).map_err(|error| refused(at(path, &error)))?;
    let location = location.to_str().ok_or_else(|| refused(at(path, &"expected a name in UTF-8")))?;
    if location.contains(['*', '?', '[']) {
        return Err(refused(at(path, &"expected a name without any of *?[, which are wildcards")));
    }
    let mut files = Vec::new();
    match is_folder {
        true => collect_files(path, false, &mut files).map_err(refused)?,
        false => files.push(path.to_owned()),
    }
    if files.is_empty() {
        let expected = "expected files with the extension .parquet in this folder or its subfolders";
        return Err(refused(at(path, &expected)));
    }
    require_same_columns(&files).map_err(refused)?;
    // A file may have any extension; in a folder, only files with the extension are part of the table.
    let extension = if is_folder { EXTENSION } else { "" };
    let location =
        if is_folder { format!("{}/", location.trim_end_matches('/')) } else { location.to_owned() };
    let options = ParquetReadOptions { file_extension: extension, ..ParquetReadOptions::default() };
    context
        .register_parquet(name, location, options)
        .await
        .map_err(|error| refused(at(path, &crate::explained(&error))))
}

fn at(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}

/// Collects the Parquet files in a folder and its subfolders. DataFusion ignores links to missing files and extensions in
/// upper case without a message, and reads what Spark leaves in hidden files when a job fails. All of these are errors.
fn collect_files(
    folder: &Path,
    is_hidden: bool,
    files: &mut Vec<PathBuf>,
) -> std::result::Result<(), String> {
    let failed = |error: std::io::Error| at(folder, &error);
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut entries = entries.collect::<std::io::Result<Vec<_>>>().map_err(failed)?;
    entries.sort_unstable_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // As in Spark, where the folder of a partition is named by its column, which may begin with `_`.
        let is_hidden = is_hidden || name.starts_with('.') || (name.starts_with('_') && !name.contains('='));
        let metadata = std::fs::metadata(&path).map_err(|error| at(&path, &error))?;
        if metadata.is_dir() {
            collect_files(&path, is_hidden, files)?;
        } else if name.ends_with(EXTENSION) && is_hidden {
            let why = "names that begin with . or _ are hidden: this file may be from a job that failed, or no part of the \
                       table (remove it, or rename it)";
            return Err(at(&path, &why));
        } else if name.ends_with(EXTENSION) {
            files.push(path);
        } else if name.to_ascii_lowercase().ends_with(EXTENSION) {
            return Err(at(&path, &"only files with the extension .parquet are part of a table (rename it)"));
        }
    }
    Ok(())
}

/// DataFusion reads a column that a file does not have as nulls, so a URL without a query would be judged.
fn require_same_columns(files: &[PathBuf]) -> std::result::Result<(), String> {
    let Some((first, rest)) = files.split_first() else { return Ok(()) };
    let all = columns(first)?;
    for file in rest {
        let found = columns(file)?;
        let missing = |without: &Path, column: &String, with: &Path| {
            let with = with.display();
            let why = format!(
                "no column {column:?}, which {with} has: its rows would be read as null (write the column, or give the \
                 files as several tables)"
            );
            Err(at(without, &why))
        };
        if let Some(column) = all.difference(&found).next() {
            return missing(file, column, first);
        }
        if let Some(column) = found.difference(&all).next() {
            return missing(first, column, file);
        }
    }
    Ok(())
}

fn metadata(path: &Path) -> std::result::Result<ParquetMetaData, String> {
    if !std::fs::metadata(path).map_err(|error| at(path, &error))?.is_file() {
        return Err(at(path, &"expected a file"));
    }
    let file = File::open(path).map_err(|error| at(path, &error))?;
    ParquetMetaDataReader::new().parse_and_finish(&file).map_err(|error| {
        at(path, &format!("expected a complete Parquet file: {error} (write it again, or remove it)"))
    })
}

/// The names of a file's columns, and of the fields of its structs. Of two columns with one name, DataFusion reads the first: they
/// are an error.
fn columns(path: &Path) -> std::result::Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    let metadata = metadata(path)?;
    add_names(metadata.file_metadata().schema_descr().root_schema(), "", &mut names).map_err(|twice| {
        let why = format!(
            "two columns {twice:?}: the second one would not be read (write the file with one of them)"
        );
        at(path, &why)
    })?;
    Ok(names)
}

/// Adds the names of the fields of `group`. Fails with the name that two of them have.
fn add_names(group: &Type, prefix: &str, names: &mut BTreeSet<String>) -> std::result::Result<(), String> {
    let mut siblings = BTreeSet::new();
    for field in group.get_fields() {
        let name = format!("{prefix}{}", field.name());
        if !siblings.insert(field.name()) {
            return Err(name);
        }
        let info = field.get_basic_info();
        let is_struct = field.is_group()
            && info.logical_type_ref().is_none()
            && info.converted_type() == ConvertedType::NONE;
        if is_struct {
            add_names(field, &format!("{name}."), names)?;
        }
        names.insert(name);
    }
    Ok(())
}
