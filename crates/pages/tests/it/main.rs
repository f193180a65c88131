//! All integration tests of this crate, in one binary.

mod acap;
mod conventional;
mod facts;
mod hostile;
mod oracle;
