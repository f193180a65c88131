//! Names of files in messages.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use robomata_protocol::visible;

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
        // In a mirror, sites may have named the files.
        if self.is_stdin() {
            f.write_str("<stdin>")
        } else {
            f.write_str(&visible(&self.0.to_string_lossy()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_without_commands() {
        let shown = |name: &str| FileName::new(name).to_string();
        assert_eq!(shown("sites/a\u{1b}[2J\nerror.example"), "sites/a\\u{1b}[2J\\nerror.example");
        assert_eq!((shown("é b.txt").as_str(), shown("-").as_str()), ("é b.txt", "<stdin>"));
    }
}
