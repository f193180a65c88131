//! Real robots.txt files and real URLs, with the verdicts of Google's parser.
//!
//! | file | a line |
//! |---|---|
//! | `robots.jsonl.zst` | a capture in JSON; bodies are identified by their sha256 |
//! | `urls.tsv.zst` | host, sha256 of the body to check against, URL |
//! | `google_verdicts.tsv.zst` | for the URL on the same line: `A` or `D` for each of `RECORDED_AGENTS`; further columns are ignored |

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use robomata_engine::Target;
use robomata_formats::capture::captures;
use robomata_formats::lines::{LineBlocks, column, trim_line_end};
use sha2::{Digest, Sha256};

use super::{Frontier, Line};

/// The index of the body with a sha256.
type Places = HashMap<[u8; 32], u32>;

/// Reads the files of `directory`: only the first `first_bodies` bodies and their URLs.
pub(super) fn read(directory: &Path, first_bodies: usize) -> Result<Frontier> {
    ensure!(directory.is_dir(), "{}: expected a directory with a corpus", directory.display());
    let (mut bodies, places) = bodies(&directory.join("robots.jsonl.zst"))?;
    bodies.truncate(first_bodies);
    let verdicts = verdicts(&directory.join("google_verdicts.tsv.zst"))?;
    let lines = urls(&directory.join("urls.tsv.zst"), &places, &verdicts, bodies.len())?;
    Ok(Frontier { bodies, sites: Vec::new(), lines })
}

/// The distinct bodies in the order of the file.
fn bodies(path: &Path) -> Result<(Vec<Vec<u8>>, Places)> {
    let (mut bodies, mut places) = (Vec::new(), HashMap::new());
    for capture in captures(path) {
        let body = capture?.body;
        if let Entry::Vacant(entry) = places.entry(Sha256::digest(&body).into()) {
            entry.insert(u32::try_from(bodies.len())?);
            bodies.push(body.to_vec());
        }
    }
    Ok((bodies, places))
}

fn verdicts(path: &Path) -> Result<Vec<[u8; 3]>> {
    let mut verdicts = Vec::new();
    for_each_line(path, |line| {
        verdicts.push(verdict(line).context("expected three letters A or D")?);
        Ok(())
    })?;
    Ok(verdicts)
}

fn verdict(line: &[u8]) -> Option<[u8; 3]> {
    let letters: [u8; 3] = column(line, 1)?.try_into().ok()?;
    letters.iter().all(|letter| matches!(letter, b'A' | b'D')).then_some(letters)
}

/// The URLs that belong to one of the first `limit` bodies.
fn urls(path: &Path, places: &Places, verdicts: &[[u8; 3]], limit: usize) -> Result<Vec<Line>> {
    let (mut lines, mut verdicts) = (Vec::new(), verdicts.iter());
    for_each_line(path, |line| {
        let recorded = *verdicts.next().context("expected a verdict for every URL, found fewer")?;
        let body = column(line, 2).and_then(sha256).context("expected a sha256 in the second column")?;
        let body = *places.get(&body).context("expected the sha256 of a body, found an unknown one")?;
        let url = column(line, 3).context("expected a URL in the third column")?;
        let url = str::from_utf8(url).context("expected a URL in UTF-8")?.to_owned();
        ensure!(is_absolute(&url), "expected an absolute URL");
        if (body as usize) < limit {
            lines.push(Line { body, url, recorded: Some(recorded) });
        }
        Ok(())
    })?;
    ensure!(verdicts.next().is_none(), "{}: expected a URL for every verdict, found fewer", path.display());
    Ok(lines)
}

fn is_absolute(url: &str) -> bool {
    Target::new(url.as_bytes()).is_some_and(|target| target.scheme.is_some())
}

fn sha256(hex: &[u8]) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if hex.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(hex.chunks(2)) {
        *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

fn for_each_line(path: &Path, mut use_line: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    for block in LineBlocks::open(path)? {
        for (number, line) in block?.numbered_lines() {
            use_line(trim_line_end(line)).with_context(|| format!("{}:{number}", path.display()))?;
        }
    }
    Ok(())
}
