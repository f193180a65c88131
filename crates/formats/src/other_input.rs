//! Recognizes other inputs that were given by mistake as a robots.txt or as captures.

use robomata_evaluator::{CompressedFormat, NotTextError};

use crate::body_kind::BodyKind;
use crate::keys::{BODY_B64, NAMES};
use crate::lines::without_mark;
use crate::log::{self, LogFormat};
use crate::sniff::first_line;

/// Number of bytes that are examined.
const SEEN: usize = 64 << 10;

/// The mark of a tar archive with its position.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// What to do with archives of all kinds.
const ARCHIVE: &str = "an archive (extract it, and give its files)";

/// The first bytes of an ARC file, the predecessor of WARC.
const ARC: &[u8] = b"filedesc://";

/// Begins the line of a log in W3C's format, such as IIS's, that names its columns.
const W3C_FIELDS: &[u8] = b"#Fields:";

const LOG: &str = "a log (robomata score reads logs; give the robots.txt)";

/// What a bundle is where a robots.txt or captures are expected, and what to do.
pub const BUNDLE: &str = "a bundle (give it by name: robomata filter --policies checks URLs with it)";

/// Returns what `bytes`, decompressed, are instead of a robots.txt or captures, and what to do: a bundle, captures in CSV, a
/// list of URLs, a log, an archive, other compressed data, or a response with its head. Returns `None` in case of doubt, and for
/// everything else, such as a page.
pub fn other_input(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(SEEN)];
    let is_tar = head.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1));
    match NotTextError::of(head) {
        Some(NotTextError::Bundle) => return Some(BUNDLE),
        Some(NotTextError::Compressed(
            CompressedFormat::Zip | CompressedFormat::SevenZip | CompressedFormat::Rar,
        )) => return Some(ARCHIVE),
        Some(NotTextError::Response) => {
            return Some(
                "a response with its status line (save the body alone: curl -sfL -o robots.txt URL)",
            );
        }
        Some(NotTextError::Compressed(_)) => {
            return Some("compressed data (decompress them; gzip and zstd are read, but not within others)");
        }
        _ if is_tar => return Some(ARCHIVE),
        _ => {}
    }
    if first_line(head).starts_with(ARC) {
        return Some("an ARC file (convert it to WARC: warcio recompress)");
    }
    if are_csv_captures(head) {
        return Some("CSV; captures in CSV are not read (write them as JSON lines, TSV or Parquet)");
    }
    if BodyKind::has_record(head) {
        return None;
    }
    // The last line may be cut, unless it is the only one.
    let text = without_mark(head);
    let whole = memchr::memrchr(b'\n', text).map_or(text, |end| &text[..end]);
    let lines = || whole.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let is_comment = |line: &&[u8]| line.trim_ascii_start().starts_with(b"#");
    if lines().any(|line| line.starts_with(W3C_FIELDS)) {
        return Some(LOG);
    }
    let written = lines().filter(|line| !is_comment(line)).count();
    if 2 * lines().filter(|line| has_url(line)).count() > written {
        return Some("a list of URLs (give the robots.txt)");
    }
    let detection = log::detect(lines())?;
    let is_log = match detection.reader.format() {
        // Some servers send one JSON object instead of a robots.txt.
        LogFormat::Json => detection.read > 1 && detection.read == detection.tried,
        _ => 2 * detection.read > detection.tried,
    };
    is_log.then_some(LOG)
}

/// Returns whether the first line of `bytes` names the columns of captures, separated by commas or semicolons.
pub(crate) fn are_csv_captures(bytes: &[u8]) -> bool {
    let has = |name: &str| names_column(first_line(bytes), b",;", name);
    (has("host") || has("url")) && NAMES[BODY_B64..].iter().any(|name| has(name))
}

/// Returns whether `line`, with fields between these delimiters, names a column `name`, without case. Names may be quoted.
pub(crate) fn names_column(line: &[u8], delimiters: &[u8], name: &str) -> bool {
    line.split(|byte| delimiters.contains(byte))
        .any(|field| unquoted(field).trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
}

/// A field without blanks and quotes around it.
pub(crate) fn unquoted(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field)
}

/// Returns whether a column of `line` begins like an absolute URL.
fn has_url(line: &[u8]) -> bool {
    line.split(|byte| b"\t,;".contains(byte)).any(|column| {
        let column = column.trim_ascii_start();
        let column = column.strip_prefix(b"\"").unwrap_or(column);
        memchr::memmem::find(column, b"://").is_some_and(|end| {
            end > 0 && column[..end].iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_inputs_are_recognized_only_if_they_are_certain() {
        let log = "192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /private HTTP/1.1\" 200 5\n";
        let json = "{\"time\": \"2024-01-15\", \"path\": \"/a\", \"status\": 200}\n";
        let mut tar = [0; 512];
        tar[..10].copy_from_slice(b"robots.txt");
        tar[257..262].copy_from_slice(b"ustar");
        let tar = [&tar[..], b"User-agent: *\nDisallow: /\n"].concat();
        for (bytes, what) in [
            (&b"host,body,status\nexample.com,\"User-agent: *\nDisallow: /\",200\n"[..], "CSV"),
            (b"\"URL\";\"content\"\n", "CSV"),
            (b"https://a.example/\n\nftp://a.example/x y\n", "a list of URLs"),
            (b"\xef\xbb\xbfhttps://a.example/", "a list of URLs"),
            (b"# seeds\nhttps://a.example/\nhttps://b.example/\nmailto:a@b.example\n", "a list of URLs"),
            (b"referrer,url\na,https://a.example/\n,\"https://b.example/\"\n", "a list of URLs"),
            (b"#Software: IIS\n#Fields: date cs-method\n2024-01-15 GET\n", "a log"),
            (log.as_bytes(), "a log"),
            (json.repeat(2).as_bytes(), "a log"),
            (b"PK\x03\x04robots.txt", "an archive"),
            (b"robomata\x0f\0\0\0", "a bundle"),
            (&tar, "an archive"),
            (b"HTTP/1.1 503 Service Unavailable\r\n\r\nfail", "a response"),
            (b"\xef\xbb\xbfHTTP/2 200\nUser-agent: *\n", "a response"),
            (b"filedesc://x.arc 0.0.0.0 20060926225957 text/plain 76\n1 0 X\n\nDisallow: /\n", "an ARC file"),
        ] {
            let found = other_input(bytes).unwrap_or_default();
            assert!(found.starts_with(what), "{found}: {:?}", String::from_utf8_lossy(bytes));
        }
        for text in [
            "",
            "User-agent: *\n",
            "Sitemap: https://a.example/\n",
            "https://a.example/\nUser-agent: *\n",
            "https://a.example/\nSee above.\n",
            "# https://a.example/\n# https://b.example/\n",
            "host, body and soul",
            "<html>",
            "HTTP/1.1: see RFC 9112",
            "HTTP/2 2000 times faster",
            json,
            &format!("{log}Disallow: /"),
            "url\tbody\n",
        ] {
            assert_eq!(other_input(text.as_bytes()), None, "{text}");
        }
    }
}
