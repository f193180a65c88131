//! Reads captures in chunks, on a separate thread.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use robomata_formats::capture::RedirectCounts;
use robomata_formats::{Capture, CaptureSite, InputError, Meter, capture};

use crate::error::JobError;

/// The number of captures in a chunk: enough work for every core, but few enough to keep in memory.
const CAPTURES: usize = 1024;
/// A chunk is also full after this many bytes ([`size`]).
const BYTES: usize = 16 << 20;
/// The number of chunks that wait while another is compiled.
const WAITING: usize = 1;

/// Captures or errors in input order, each with the index of its source.
pub(super) type Chunk = Vec<(usize, Result<Capture, InputError>)>;

/// The chunks of some sources.
pub(super) struct Chunks {
    received: Receiver<Chunk>,
    reader: JoinHandle<RedirectCounts>,
}

impl Chunks {
    /// Starts reading `paths`, one after the other; `meter` counts the bytes. A single robots.txt among them belongs to
    /// `site`. No chunk has captures from both before and after one of the `positions` among the paths.
    pub(super) fn read(
        paths: Vec<PathBuf>,
        positions: Vec<usize>,
        site: Option<CaptureSite>,
        meter: Meter,
    ) -> Result<Self, JobError> {
        let (sender, received) = bounded(WAITING);
        // This is not a scoped thread, so a job that ends early does not wait for slow input.
        let reader = thread::Builder::new()
            .name("sources".to_owned())
            .spawn(move || send_all(&paths, &positions, site.as_ref(), &meter, &sender))
            .map_err(JobError::Threads)?;
        Ok(Chunks { received, reader })
    }

    /// Waits for the reader after the last chunk and propagates its panic. Returns the redirects of all sources that have
    /// no result, or one that may be out of date.
    pub(super) fn join(self) -> RedirectCounts {
        self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Iterator for Chunks {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        self.received.recv().ok()
    }
}

fn send_all(
    paths: &[PathBuf],
    positions: &[usize],
    site: Option<&CaptureSite>,
    meter: &Meter,
    sender: &Sender<Chunk>,
) -> RedirectCounts {
    let mut redirects = RedirectCounts::default();
    let (mut chunk, mut bytes) = (Chunk::new(), 0);
    for (source, path) in paths.iter().enumerate() {
        let mut captures = capture::captures_with(path, site, meter);
        for item in &mut captures {
            bytes += size(&item, chunk.last().map(|(_, before)| before));
            chunk.push((source, item));
            if chunk.len() >= CAPTURES || bytes >= BYTES {
                bytes = 0;
                // The job has ended, so there is no receiver.
                if sender.send(std::mem::take(&mut chunk)).is_err() {
                    return redirects;
                }
            }
        }
        redirects += captures.redirects();
        let is_last = source + 1 == paths.len() || positions.contains(&(source + 1));
        if is_last && !chunk.is_empty() {
            bytes = 0;
            if sender.send(std::mem::take(&mut chunk)).is_err() {
                return redirects;
            }
        }
    }
    redirects
}

/// The bytes of the texts and of the body of `item`. Captures that share a body follow one another, so it counts for the
/// first one alone.
fn size(item: &Result<Capture, InputError>, before: Option<&Result<Capture, InputError>>) -> usize {
    let Ok(capture) = item else { return 0 };
    let is_shared =
        before.is_some_and(|item| item.as_ref().is_ok_and(|before| Arc::ptr_eq(&before.body, &capture.body)));
    let (CaptureSite::Host(site) | CaptureSite::Url(site)) = &capture.site;
    let texts = site.len() + capture.location.as_ref().map_or(0, String::len);
    if is_shared { texts } else { texts + capture.body.len() }
}

#[cfg(test)]
mod tests {
    use robomata_formats::{FileName, Origin};

    use super::*;

    fn capture(line: &str) -> Result<Capture, InputError> {
        let origin = Origin { file: FileName::new("a.jsonl"), line: Some(1) };
        Capture::from_json_line(line.as_bytes(), &origin).map(Option::unwrap)
    }

    #[test]
    fn texts_count_like_bodies() {
        let captures =
            [r#"{"host":"a.com","body":"12345"}"#, r#"{"url":"http://a/","status":301,"location":"/"}"#];
        assert_eq!(captures.map(|line| size(&capture(line), None)), [10, 10]);
    }

    #[test]
    fn a_shared_body_counts_once() {
        let (first, other) =
            (capture(r#"{"host":"a","body":"12345"}"#), capture(r#"{"host":"b","body":"12345"}"#));
        let again = Ok(first.as_ref().unwrap().clone());
        let [first_size, shared, equal] =
            [size(&first, None), size(&again, Some(&first)), size(&other, Some(&first))];
        assert_eq!((first_size - shared, equal), (5, first_size));
    }
}
