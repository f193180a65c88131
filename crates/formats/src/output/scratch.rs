//! Files for data that do not fit into memory.

use std::io::{self, Write};
use std::path::Path;

use super::temporary::Temporary;

/// An unbuffered file for data that do not fit into memory, created by [`Output::scratch`](crate::Output::scratch). It
/// is removed when this value is dropped or the process ends, like an uncommitted output.
pub struct ScratchFile(Temporary);

impl ScratchFile {
    pub(super) fn new(file: Temporary) -> Self {
        ScratchFile(file)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.file()?.flush()
    }
}
