//! Permissions inside pages: META tags, class attributes and headers become statements about usages.

mod diagnostic;
mod extract;
mod statements;

pub use diagnostic::{PageDiagnostic, PageProblem};
pub use extract::{PageReader, facts};
pub use statements::{AcapVersion, PageStatements};
