//! Writes collections and frontiers to files, on all cores.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use robomata_formats::Output;
use serde::Serialize;

use crate::spec::{Order, Spec};
use crate::stream::Places;

/// Number of items whose text one task makes.
const TASK: usize = 256;
/// Number of items whose text is in memory while the previous batch is written.
const BATCH: usize = 64 * TASK;

/// The amount written, before compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Lines: captures or URLs.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
}

/// One line of a collection.
#[derive(Serialize)]
struct Capture<'a> {
    host: &'a str,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_b64: Option<String>,
}

/// Writes the captures of all sites as JSON lines; compresses if the name ends in `.gz` or `.zst`.
///
/// # Errors
/// If the file cannot be written.
pub fn robots(spec: &Spec, path: &Path) -> Result<Written> {
    let (mut host, mut body) = (Vec::new(), Vec::new());
    write(path, 0..spec.sites, move |&site, text| {
        host.clear();
        body.clear();
        spec.host(site, &mut host);
        spec.body(spec.policy_of(site), &mut body);
        push_capture(&host, &body, text);
    })
}

/// Writes the frontier, one URL per line; compresses if the name ends in `.gz` or `.zst`.
///
/// # Errors
/// If the file cannot be written.
pub fn frontier(spec: &Spec, order: Order, path: &Path) -> Result<Written> {
    write(path, Places::new(*spec, order), |&(site, n), text| {
        spec.url(site, n, text);
        text.push(b'\n');
    })
}

fn push_capture(host: &[u8], body: &[u8], text: &mut Vec<u8>) {
    let host = std::str::from_utf8(host).expect("hosts are ASCII");
    let readable = std::str::from_utf8(body).ok();
    let body_b64 = readable.is_none().then(|| STANDARD.encode(body));
    let capture = Capture { host, status: 200, body: readable, body_b64 };
    serde_json::to_writer(&mut *text, &capture).expect("writing to memory succeeds");
    text.push(b'\n');
}

/// Writes the output of `push` for all items, in order, while the next items are made.
fn write<T: Send + Sync>(
    path: &Path,
    items: impl Iterator<Item = T> + Send,
    push: impl FnMut(&T, &mut Vec<u8>) + Clone + Send + Sync,
) -> Result<Written> {
    let mut output = Output::create(path)?;
    let mut items = items.fuse();
    let mut written = Written::default();
    let mut ready: Vec<Vec<u8>> = Vec::new();
    loop {
        let (outcome, made) = rayon::join(
            || ready.iter().try_for_each(|text| output.write_all(text)),
            || {
                let batch: Vec<T> = items.by_ref().take(BATCH).collect();
                let texts =
                    batch.par_chunks(TASK).map(|task| text_of(task, push.clone())).collect::<Vec<_>>();
                (texts, batch.len() as u64)
            },
        );
        outcome.with_context(|| format!("writing {}", path.display()))?;
        let (texts, lines) = made;
        if lines == 0 {
            break;
        }
        written.lines += lines;
        written.bytes += texts.iter().map(|text| text.len() as u64).sum::<u64>();
        ready = texts;
    }
    output.commit()?;
    Ok(written)
}

fn text_of<T>(task: &[T], mut push: impl FnMut(&T, &mut Vec<u8>)) -> Vec<u8> {
    let mut text = Vec::new();
    for item in task {
        push(item, &mut text);
    }
    text
}
