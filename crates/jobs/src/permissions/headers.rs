//! Reads the headers of a response from a file.

use robomata_engine::policy::header_lines;

use crate::error::JobError;
use crate::problem::{InputProblem, ProblemKind, ProblemLog};
use crate::robots_file::RobotsFile;

/// The headers in `file`, each a name and a value ([`header_lines`]). Other lines are bad input.
pub(super) fn read_headers(
    file: &RobotsFile,
    log: &mut ProblemLog<'_>,
) -> Result<Vec<(String, String)>, JobError> {
    let (headers, bad_lines) = header_lines(file.bytes());
    for bad in bad_lines {
        let expected = format!("expected a header, 'name: value', found {:?}", bad.text);
        let line = Some(bad.line.into());
        log.report(InputProblem::at_line(ProblemKind::HeaderLine, file.name(), line, &expected))?;
    }
    Ok(headers.into_iter().map(|header| (header.name, header.value)).collect())
}
