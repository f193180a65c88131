//! The history of each host's robots.txt.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use robomata_engine::{FetchStatus, Moment};
use robomata_formats::Timestamp;

use crate::corpus::{each_line, file};

/// Captures by host.
#[derive(Clone, Debug, Default)]
pub struct History {
    hosts: BTreeMap<String, HostHistory>,
    /// Number of skipped hosts: their captures are larger than [`LARGEST`] bytes together.
    pub left_out: usize,
}

/// The captures of one host.
#[derive(Clone, Debug, Default)]
pub struct HostHistory {
    /// The sites of the host that the captures cover.
    pub reach: Reach,
    /// Sorted by time, oldest first; no two have the same second.
    pub captures: Vec<Capture>,
}

/// The sites of a host that captures cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The http and the https site.
    #[default]
    Both,
    /// The http site alone.
    Http,
}

/// One fetch of a robots.txt.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Seconds since 1970.
    pub time: i64,
    /// How the fetch ended.
    pub status: FetchStatus,
    /// The body of the response.
    pub body: Arc<[u8]>,
    /// True for a generated capture, false for a real one.
    pub is_generated: bool,
}

impl fmt::Display for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = if self.is_generated { " (generated)" } else { "" };
        let (time, bytes) = (Moment::from_seconds(self.time), self.body.len());
        write!(f, "the capture of {time}{made}: {:?}, {bytes} bytes", self.status)
    }
}

/// Maximum size in bytes of all captures of a host. Without it, a few hosts with long and often changing files would be
/// most of the work.
pub const LARGEST: usize = 1 << 20;

#[derive(serde::Deserialize)]
struct Event {
    host: String,
    time: String,
    class: String,
    sha256: Option<String>,
}

#[derive(serde::Deserialize)]
struct Body {
    sha256: String,
    body: Option<String>,
    body_b64: Option<String>,
}

impl History {
    /// Reads the history in `folder`: history_events.jsonl.zst, and the bodies from history_bodies.jsonl.zst.
    /// Both may also be there without `.zst`, not compressed.
    ///
    /// `deleted` is read as status 404, `fetch-error` as a network failure. The bytes of pages and other things that
    /// were sent instead of a robots.txt are unknown; a line of markup replaces them.
    ///
    /// # Errors
    /// If a file is missing or malformed.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut bodies: HashMap<String, Arc<[u8]>> = HashMap::new();
        each_line(&file(folder, "history_bodies.jsonl"), |line| {
            let Body { sha256, body, body_b64 } = serde_json::from_slice(line)?;
            let bytes = match body_b64 {
                Some(text) => STANDARD.decode(text)?,
                None => body.context("expected a body")?.into_bytes(),
            };
            bodies.insert(sha256, bytes.into());
            Ok(())
        })?;
        let mut history = History::default();
        each_line(&file(folder, "history_events.jsonl"), |line| {
            let Event { host, time, class, sha256 } = serde_json::from_slice(line)?;
            let known = sha256.map(|sha256| bodies.get(&sha256).cloned());
            let (status, body) = match (class.as_str(), known) {
                ("deleted", _) => (FetchStatus::Code(404), Arc::default()),
                ("fetch-error", _) => (FetchStatus::NetworkFailure, Arc::default()),
                (_, Some(Some(body))) => (FetchStatus::Success, body),
                // The collection lacks a few bodies.
                (_, Some(None)) => return Ok(()),
                (_, None) => (FetchStatus::Success, Arc::from(&b"<!DOCTYPE html><p>generated</p>"[..])),
            };
            let time: Timestamp = time.parse().context("expected a time")?;
            let capture = Capture { time: time.seconds(), status, body, is_generated: false };
            history.hosts.entry(host).or_default().captures.push(capture);
            Ok(())
        })?;
        history.close();
        Ok(history)
    }

    /// Builds the history of `hosts`.
    pub fn new(hosts: impl IntoIterator<Item = (String, HostHistory)>) -> Self {
        let mut history = History { hosts: hosts.into_iter().collect(), left_out: 0 };
        history.close();
        history
    }

    fn close(&mut self) {
        for host in self.hosts.values_mut() {
            host.captures.sort_by_key(|capture| capture.time);
            host.captures.dedup_by_key(|capture| capture.time);
        }
        let hosts = self.hosts.len();
        self.hosts.retain(|_, host| {
            let bytes: usize = host.captures.iter().map(|capture| capture.body.len()).sum();
            bytes <= LARGEST
        });
        self.left_out += hosts - self.hosts.len();
    }

    /// Keeps at most `hosts` hosts, chosen by `random`.
    #[must_use]
    pub fn sample(mut self, hosts: usize, random: &mut Rng) -> Self {
        let mut names: Vec<String> = self.hosts.keys().cloned().collect();
        random.shuffle(&mut names);
        for name in names.iter().skip(hosts) {
            self.hosts.remove(name);
        }
        self
    }

    /// Adds captures to one host in four, with statuses of every class: those that are missing or rare among the real
    /// ones. Also makes one host in eight cover http alone.
    pub fn add_generated(&mut self, random: &mut Rng) {
        const ENDS: [FetchStatus; 9] = [
            FetchStatus::NetworkFailure,
            FetchStatus::Code(503),
            FetchStatus::Code(500),
            FetchStatus::Code(404),
            FetchStatus::Code(410),
            FetchStatus::Code(403),
            FetchStatus::Code(429),
            FetchStatus::Code(302),
            FetchStatus::Code(200),
        ];
        for host in self.hosts.values_mut() {
            if random.u8(..8) == 0 {
                host.reach = Reach::Http;
            }
            if random.u8(..8) == 0 {
                // A site of which only redirects were captured, and not followed.
                host.captures.iter_mut().for_each(|capture| capture.status = FetchStatus::Code(302));
                continue;
            }
            let (Some(first), Some(last)) = (host.captures.first(), host.captures.last()) else { continue };
            if random.u8(..4) != 0 {
                continue;
            }
            let mut time = random.i64(first.time - 40 * 86_400..=last.time + 40 * 86_400);
            for _ in 0..random.usize(1..=4) {
                let status = ENDS[random.usize(..ENDS.len())];
                let body = match status {
                    FetchStatus::Code(200) => b"# generated\nUser-agent: *\nDisallow: /\n"[..].into(),
                    _ => Arc::default(),
                };
                host.captures.push(Capture { time, status, body, is_generated: true });
                // Within hours, days or months.
                let days = [1, 5, 100][random.usize(..3)];
                time += random.i64(1..days * 86_400);
            }
        }
        self.close();
    }

    /// The history of `host`, or `None` if it was never captured.
    pub fn captures(&self, host: &str) -> Option<&HostHistory> {
        self.hosts.get(host)
    }

    /// Every host, by name.
    pub fn hosts(&self) -> impl Iterator<Item = (&str, &HostHistory)> {
        self.hosts.iter().map(|(name, host)| (name.as_str(), host))
    }

    /// The numbers of hosts, captures, captures without rules, and generated captures.
    pub fn counts(&self) -> [usize; 4] {
        let captures = || self.hosts.values().flat_map(|host| &host.captures);
        let no_rules = |capture: &&Capture| {
            !matches!(capture.status, FetchStatus::Success | FetchStatus::Code(200..=299))
        };
        let generated = captures().filter(|capture| capture.is_generated).count();
        [self.hosts.len(), captures().count(), captures().filter(no_rules).count(), generated]
    }

    /// Writes all captures as JSON lines; the captures of a host are not in order.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        for (name, host) in self.hosts() {
            let (even, odd) = (host.captures.iter().step_by(2), host.captures.iter().skip(1).step_by(2));
            for capture in odd.chain(even) {
                let place = match host.reach {
                    Reach::Both => format!("\"host\": {name:?}"),
                    Reach::Http => format!("\"url\": {:?}", format!("http://{name}/robots.txt")),
                };
                let status = match capture.status {
                    FetchStatus::Success => "\"success\"".to_owned(),
                    FetchStatus::NetworkFailure => "0".to_owned(),
                    FetchStatus::TooManyRedirects => "\"too-many-redirects\"".to_owned(),
                    FetchStatus::Code(code) => code.to_string(),
                };
                let body = STANDARD.encode(&capture.body);
                let time = Moment::from_seconds(capture.time);
                writeln!(
                    out,
                    "{{{place}, \"time\": \"{time}\", \"status\": {status}, \"body_b64\": \"{body}\"}}"
                )?;
            }
        }
        Ok(())
    }
}
