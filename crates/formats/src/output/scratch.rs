//! Files for what does not fit into memory.

use std::io::{self, Write};
use std::path::Path;

use super::temporary::Temporary;

/// A file for what does not fit into memory, made by [`Output::scratch`](crate::Output::scratch); it goes with this value,
/// or with the process, as outputs do that are not committed. Writing to it is not buffered.
pub struct Scratch(Temporary);

impl Scratch {
    pub(super) fn new(file: Temporary) -> Self {
        Scratch(file)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Write for Scratch {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.file()?.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.file()?.flush()
    }
}
