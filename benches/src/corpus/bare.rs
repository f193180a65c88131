//! The bodies and sites of a corpus as one file, for a process whose memory is measured.
//!
//! Reading a corpus frees much memory again. Later allocations would reuse it, and the measurement would miss them.
//! This file is read in one piece and kept.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::{Corpus, Questions};

/// Writes the bodies that URLs are checked against, and their sites. For each body: its length, its number of sites,
/// its bytes. Then for each site: its length and text.
pub(crate) fn write(corpus: &Corpus, path: &Path) -> Result<()> {
    let mut sites = vec![Vec::new(); corpus.bodies.len()];
    for &(site, body) in &corpus.sites {
        sites[body as usize].push(site);
    }
    let mut is_asked = vec![false; corpus.bodies.len()];
    for &body in &corpus.questions.bodies {
        is_asked[body as usize] = true;
    }
    let mut out = BufWriter::new(File::create(path)?);
    for ((body, sites), _) in corpus.bodies.iter().zip(&sites).zip(&is_asked).filter(|&(_, &asked)| asked) {
        out.write_all(&u32::try_from(body.len())?.to_le_bytes())?;
        out.write_all(&u32::try_from(sites.len())?.to_le_bytes())?;
        out.write_all(body)?;
        for site in sites {
            out.write_all(&u32::try_from(site.len())?.to_le_bytes())?;
            out.write_all(site)?;
        }
    }
    Ok(out.flush()?)
}

/// Reads the output of [`write()`]. There are no URLs, but each body counts as used.
pub(crate) fn read(path: &Path) -> Result<Corpus> {
    let mut rest: &'static [u8] = fs::read(path)?.leak();
    let (mut bodies, mut sites) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let length = number(&mut rest)?;
        let count = number(&mut rest)?;
        let body = u32::try_from(bodies.len())?;
        bodies.push(take(&mut rest, length)?);
        for _ in 0..count {
            let length = number(&mut rest)?;
            sites.push((take(&mut rest, length)?, body));
        }
    }
    let questions = Questions::of_bodies((0..u32::try_from(bodies.len())?).collect());
    Ok(Corpus { bodies, sites, questions, recorded: Vec::new() })
}

fn number(rest: &mut &'static [u8]) -> Result<usize> {
    let bytes = take(rest, 4)?;
    Ok(u32::from_le_bytes(bytes.try_into()?) as usize)
}

fn take(rest: &mut &'static [u8], length: usize) -> Result<&'static [u8]> {
    let (taken, remaining) = rest.split_at_checked(length).context("the file is truncated")?;
    *rest = remaining;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_and_sites_are_read_as_they_were_written() {
        let corpus = Corpus::of_one_site(b"User-agent: *".to_vec(), vec!["https://a.example/x".to_owned()]);
        let file = tempfile::NamedTempFile::new().unwrap();
        write(&corpus, file.path()).unwrap();
        let again = read(file.path()).unwrap();
        assert_eq!((again.bodies, again.sites), (corpus.bodies, corpus.sites));
        assert_eq!(again.questions.bodies, corpus.questions.bodies);
    }
}
