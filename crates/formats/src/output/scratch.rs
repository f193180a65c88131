//! Files for what does not fit into memory.

use std::io::{self, Write};
use std::path::Path;

use super::temporary::Temporary;

/// A file for what does not fit into memory, made by [`Output::scratch`](crate::Output::scratch); it goes with this value,
/// or with the process, as outputs do that are not committed. Writing to it is not buffered.
pub struct ScratchFile(Temporary);

impl ScratchFile {
    pub(super) fn new(file: Temporary) -> Self {
        ScratchFile(file)
    }

    /// Where it lies.
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
