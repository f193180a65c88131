//! Small inputs of every kind, generated from a seed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, ensure};
use robomata_corpus::Spec;
use robomata_formats::Output;

use crate::program::Program;

/// Sites, and URLs of a small and of a long frontier. A read returns at most 128 KiB, so files need several reads. A long
/// frontier has several blocks of a megabyte, so that a run has several checkpoints.
const SITES: u64 = 300;
const URLS: u64 = 6_000;
const LONG: u64 = 60_000;

/// The crawler that runs ask for. No generated file names it.
pub(crate) const AGENT: &str = "ExampleBot";

/// Writes all inputs into `folder`. Bundles and Parquet are made by `robomata` itself.
pub(crate) fn write(folder: &Path, robomata: &Path, seed: u64) -> Result<()> {
    let spec = Spec::new(seed).with_sites(SITES).with_urls(LONG);
    let old = captures(&spec, "2026-01-05T06:00:00Z", 0);
    let new = captures(&spec, "2026-02-05T06:00:00Z", 1);
    file(folder, "robots.jsonl", &old)?;
    file(folder, "robots.jsonl.gz", &old)?;
    file(folder, "robots.jsonl.zst", &old)?;
    file(folder, "new.jsonl", &new)?;

    let mut stream = spec.urls_shuffled();
    let (mut urls, mut long, mut log) = (String::new(), "id\turl\n".to_owned(), String::new());
    for number in 0..LONG {
        let Some((_, url)) = stream.next() else { break };
        let url = std::str::from_utf8(url)?;
        writeln!(long, "{number}\t{url}")?;
        if number < URLS {
            writeln!(urls, "{url}")?;
            log.push_str(&request(url, number));
        }
    }
    file(folder, "urls.txt", &urls)?;
    file(folder, "urls.txt.gz", &urls)?;
    file(folder, "long.tsv", &long)?;
    file(folder, "access.log", &log)?;

    let mut archive = String::new();
    for site in 0..SITES / 4 {
        let (host, body) = (host(&spec, site), body(&spec, site, 0));
        archive.push_str(&record(&format!("https://{host}/robots.txt"), &body));
        if site < 5 {
            fs::create_dir_all(folder.join("sites"))?;
            file(&folder.join("sites"), &host, &body)?;
        }
    }
    file(folder, "robots.warc.gz", &archive)?;
    file(
        folder,
        "robots.txt",
        "User-agent: *\nDisallow: private\nDisalow: /x\nContent-Signal: ai-train=no\n",
    )?;
    file(
        folder,
        "page.html",
        "<html><head><meta name=robots content='noindex, noai'></head><body>A page</body></html>",
    )?;
    file(folder, "headers", "HTTP/1.1 200 OK\nX-Robots-Tag: nosnippet\n")?;

    for line in [
        "compile -q robots.jsonl --all-agents -o p.bundle".to_owned(),
        "compile -q robots.jsonl new.jsonl --all-agents --history -o history.bundle".to_owned(),
        "shard p.bundle -n 2 -o given".to_owned(),
        format!("filter -q --agent {AGENT} --policies p.bundle urls.txt --to urls.parquet"),
        format!(
            "filter -q --agent {AGENT} --robots robots.jsonl urls.txt --evidence evidence.jsonl --to /dev/null"
        ),
    ] {
        let ran = Program::new(robomata, &line, folder).run()?;
        ensure!(ran.code == Some(0), "robomata {line}: {}", ran.err);
    }
    Ok(())
}

/// Writes a file, compressed according to its name.
fn file(folder: &Path, name: &str, text: &str) -> Result<()> {
    let mut output = Output::create(&folder.join(name))?;
    output.write_all(text.as_bytes())?;
    Ok(output.commit()?)
}

fn host(spec: &Spec, site: u64) -> String {
    let mut host = Vec::new();
    spec.host(site, &mut host);
    String::from_utf8_lossy(&host).into_owned()
}

/// The robots.txt of a site; each `version` is another one.
fn body(spec: &Spec, site: u64, version: u64) -> String {
    let mut body = Vec::new();
    spec.body((spec.policy_of(site) + version) % spec.distinct_policies, &mut body);
    String::from_utf8_lossy(&body).into_owned()
}

fn captures(spec: &Spec, time: &str, version: u64) -> String {
    let line = |site| {
        let (host, body) = (host(spec, site), body(spec, site, version));
        serde_json::json!({ "host": host, "time": time, "body": body }).to_string() + "\n"
    };
    (0..spec.sites).map(line).collect()
}

/// A line of an access log.
fn request(url: &str, number: u64) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let (day, second) = (6 + number % 20, number % 60);
    format!(
        "{host} 192.0.2.7 - - [{day:02}/Jan/2026:09:12:{second:02} +0000] \"GET {path} HTTP/1.1\" 200 812 \"-\" \
         \"{AGENT}/2.0 (+https://example.com/bot)\"\n"
    )
}

/// A WARC record with a response.
fn record(url: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-05T06:00:00Z\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}
