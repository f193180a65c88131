//! Reads the headers of a response from a file.

use robomata_engine::policy::ResponseHead;

use crate::error::JobError;
use crate::problem::{InputProblem, ProblemKind, ProblemLog};
use crate::robots_file::RobotsFile;

/// The headers of `head`, which was read from `file`, each a name and a value. Other lines are bad input.
pub(super) fn read_headers(
    file: &RobotsFile,
    head: ResponseHead,
    log: &mut ProblemLog<'_>,
) -> Result<Vec<(String, String)>, JobError> {
    for bad in head.bad_lines {
        let expected = format!("expected a header, 'name: value', found {:?}", bad.text);
        let line = Some(bad.line.into());
        log.report(InputProblem::at_line(ProblemKind::HeaderLine, file.name(), line, &expected))?;
    }
    Ok(head.headers.into_iter().map(|header| (header.name, header.value)).collect())
}
