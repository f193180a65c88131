//! A robots.txt from a file.

use std::io::{self, Read};
use std::path::Path;

use robomata_engine::Config;
use robomata_formats::lines::MAX_LINE;
use robomata_formats::{FileName, InputError, input};

use crate::error::JobError;

/// A robots.txt, read completely.
#[derive(Clone, Debug)]
pub struct RobotsFile {
    name: FileName,
    bytes: Vec<u8>,
}

impl RobotsFile {
    /// Reads the robots.txt at `path`, plain or compressed; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read completely: rules might be missing. Also when it has, decompressed, more than 64 MiB,
    /// which no robots.txt has: then no more than that is read.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let name = FileName::new(path);
        let mut bytes = Vec::new();
        match input::open(path)?.take(MAX_LINE as u64 + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() > MAX_LINE => {
                let message = format!("expected at most {} MiB, decompressed", MAX_LINE >> 20);
                Err(read_error(name, io::Error::new(io::ErrorKind::FileTooLarge, message)))
            }
            Ok(_) => Ok(RobotsFile { name, bytes }),
            Err(error) => Err(read_error(name, error)),
        }
    }

    /// The file's name in messages.
    pub fn name(&self) -> &FileName {
        &self.name
    }

    /// Has the file more bytes than are read with `config`?
    pub fn is_longer_than(&self, config: &Config) -> bool {
        self.bytes.len() > config.parsing_limit()
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The error for a file that cannot be read completely.
pub(crate) fn read_error(file: FileName, error: io::Error) -> JobError {
    match error.downcast::<InputError>() {
        Ok(error) => JobError::Input(error),
        Err(error) => JobError::Read { file, error },
    }
}
