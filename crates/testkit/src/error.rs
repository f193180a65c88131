//! Errors in files of cases.

use std::path::{Path, PathBuf};

/// A file of cases could not be read. The text names the file, the position in it, and what was expected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file or folder could not be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not TOML, or has a key or a type that the format does not define.
    #[error("{file}: {source}")]
    Toml {
        /// The file's name.
        file: String,
        /// The parser's error, with the line in question.
        source: Box<toml::de::Error>,
    },
    /// A line of a JSON-lines file does not follow its format.
    #[error("{file}: line {line}: {source}")]
    Json {
        /// The file's name.
        file: String,
        /// The 1-based line.
        line: usize,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// A value has the right type but an invalid meaning.
    #[error("{file}: {table}: expected {expected}, found {found}")]
    Value {
        /// The file's name.
        file: String,
        /// The table (or line) of the value.
        table: String,
        /// A description of the valid values.
        expected: String,
        /// The actual value.
        found: String,
    },
    /// Two cases have the same id, so a difference or a failure could not name either.
    #[error("{file}: {table}: expected an id of its own, found '{id}', which an earlier case has")]
    Duplicate {
        /// The file's name.
        file: String,
        /// The table of the second case.
        table: String,
        /// The id.
        id: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Error::Io { path: path.to_owned(), source }
    }

    pub(crate) fn toml(file: &str, source: toml::de::Error) -> Self {
        Error::Toml { file: file.to_owned(), source: Box::new(source) }
    }

    pub(crate) fn json(file: &str, line: usize, source: serde_json::Error) -> Self {
        Error::Json { file: file.to_owned(), line, source }
    }
}

/// A position in a file; creates the errors about it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) table: &'a str,
}

impl Place<'_> {
    pub(crate) fn expected(self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Error::Value {
            file: self.file.to_owned(),
            table: self.table.to_owned(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(crate) fn duplicate(self, id: &str) -> Error {
        Error::Duplicate { file: self.file.to_owned(), table: self.table.to_owned(), id: id.to_owned() }
    }
}

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::io(path, source))
}

/// The files of `folder` whose names end in `suffix`, sorted by name, so that every run has the same order.
pub(crate) fn files(folder: &Path, suffix: &str) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(|source| Error::io(folder, source))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|source| Error::io(folder, source))?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(suffix)) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The file's name up to its first dot: the first part of its cases' ids.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_owned()
}
