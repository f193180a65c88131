//! Errors for bytes that are not a valid store.

use std::fmt;
use std::io;

use robomata_automaton::LoadError;

use super::shard_files::ShardNumber;

/// A bundle could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The file could not be read.
    Io(io::Error),
    /// The bytes are not a bundle of this version, or they are damaged.
    Damaged(CorruptBundleError),
    /// The bundle is one shard. Opened on its own, it would answer that the sites of all other shards are unknown.
    Shard(ShardNumber),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        OpenError::Io(error)
    }
}

impl From<CorruptBundleError> for OpenError {
    fn from(error: CorruptBundleError) -> Self {
        OpenError::Damaged(error)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => write!(f, "cannot be read: {error}"),
            OpenError::Damaged(error) => error.fmt(f),
            OpenError::Shard(shard @ ShardNumber { count, .. }) => write!(
                f,
                "is {shard} of a bundle, and the sites of the other shards would pass as unknown (open all shards by \
                 their names and manifest, as 'PREFIX-*-of-{count:05}.bundle')"
            ),
        }
    }
}

impl std::error::Error for OpenError {}

/// What is wrong with the bytes of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorruptBundleError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Expected(&'static str),
    Program(LoadError),
}

impl CorruptBundleError {
    pub(crate) fn expected(what: &'static str) -> Self {
        CorruptBundleError { kind: Kind::Expected(what) }
    }
}

impl From<LoadError> for CorruptBundleError {
    fn from(error: LoadError) -> Self {
        CorruptBundleError { kind: Kind::Program(error) }
    }
}

impl fmt::Display for CorruptBundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a valid policy bundle: ")?;
        match &self.kind {
            Kind::Expected(what) => write!(f, "expected {what}"),
            Kind::Program(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CorruptBundleError {}

/// Returns an error that names what was expected, unless `holds`.
pub(super) fn ensure(holds: bool, expected: &'static str) -> Result<(), CorruptBundleError> {
    if holds { Ok(()) } else { Err(CorruptBundleError::expected(expected)) }
}
