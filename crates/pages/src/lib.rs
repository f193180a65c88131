//! Permissions inside pages: META tags, class attributes and headers become statements about usages.

mod acap;
mod content_usage;
mod conventional;
mod dates;
mod diagnostic;
mod encoding;
mod extract;
mod feed;
mod headers;
mod statements;
mod tokens;
mod tree;
mod words;

pub use diagnostic::{PageDiagnostic, PageProblem};
pub use extract::{PageReader, facts};
pub use statements::{AcapVersion, PageStatements};
