//! Reads headers in the form in which they are sent (RFC 9112, sections 2.2, 4 and 5), for example the output of `curl
//! --head` or `curl --include`.

use crate::error::JobError;
use crate::problem::{InputProblem, ProblemKind, ProblemLog};
use crate::robots_file::RobotsFile;

/// The most bytes of a bad line that are quoted.
const QUOTED: usize = 60;

/// The headers in `file`, each a name and a value. Lines end at LF or CRLF.
///
/// A status line is not a header. Everything before it belongs to another response, for example a redirect. An empty
/// line ends the headers, unless a status line follows. A line that begins with white space continues the previous line
/// (obsolete line folding, 5.2).
pub(super) fn read_headers(
    file: &RobotsFile,
    log: &mut ProblemLog<'_>,
) -> Result<Vec<(String, String)>, JobError> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut last = Last::Nothing;
    for (number, line) in (1..).zip(file.bytes().split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"HTTP/") {
            headers.clear();
            last = Last::Nothing;
        } else if line.trim_ascii().is_empty() {
            last = Last::Empty;
        } else if last == Last::Empty && !headers.is_empty() {
            // The content follows. It is not read, except for another response's status line directly after the empty
            // line.
            break;
        } else if line.starts_with(b" ") || line.starts_with(b"\t") {
            match (last, headers.last_mut()) {
                (Last::Header, Some((_, value))) => {
                    if !value.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(&text(line));
                }
                // The line continues one that was already reported.
                (Last::Bad, _) => {}
                _ => last = bad(file, number, line, log)?,
            }
        } else if let Some(header) = header(line) {
            headers.push(header);
            last = Last::Header;
        } else {
            last = bad(file, number, line, log)?;
        }
    }
    Ok(headers)
}

/// The kind of the previous line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// There is no previous line, or it is a status line.
    Nothing,
    Header,
    Bad,
    Empty,
}

/// Splits `name: value`. The name is a token (RFC 9110, 5.6.2), with no white space before the colon (RFC 9112, 5.1).
fn header(line: &[u8]) -> Option<(String, String)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    (!name.is_empty() && name.iter().all(is_of_token)).then(|| (text(name), text(value)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}

fn bad(file: &RobotsFile, number: u64, line: &[u8], log: &mut ProblemLog<'_>) -> Result<Last, JobError> {
    let quoted = String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned();
    let expected = format!("expected a header, 'name: value', found {quoted:?}");
    log.report(InputProblem::at_line(ProblemKind::HeaderLine, file.name(), Some(number), &expected))?;
    Ok(Last::Bad)
}
