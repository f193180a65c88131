//! Names of files in messages.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The name of an input as the user gave it; `-` is standard input. Cheap to clone, because every capture has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(Arc<Path>);

impl FileName {
    /// Creates the name `path`. Exactly `-` is standard input; use `./-` for a file of that name.
    pub fn new(path: impl AsRef<Path>) -> Self {
        FileName(Arc::from(path.as_ref()))
    }

    /// Returns whether this is standard input.
    pub fn is_stdin(&self) -> bool {
        self.0.as_os_str() == "-"
    }

    /// The name as a path; `-` for standard input.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stdin() { f.write_str("<stdin>") } else { self.0.display().fmt(f) }
    }
}
