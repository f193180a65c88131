//! Real robots.txt files and real URLs, with the verdicts of Google's parser.
//!
//! A corpus is a folder with three files: `robots.jsonl.zst` (captures), `urls.tsv.zst` (host, sha256 of the robots
//! body, URL) and `google_verdicts.tsv.zst`. The verdicts are aligned with the URLs: one each for Googlebot, GPTBot and
//! ExampleBot, then Googlebot's deciding line. Each file may also be there without `.zst`, not compressed.
//!
//! A small corpus has the files as they are, as `sites/HOST`, and `urls.txt`. It has no verdicts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use crate::columns;
use crate::engines::checked_again;
use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use rayon::prelude::*;
use robomata_engine::automaton::Program;
use robomata_engine::protocol::SplitUrl;
use robomata_engine::{
    Access, Answer, Audience, Config, Crawler, Dialect, Policy, PolicyCompiler, Site, SitePolicy,
    StoreBuilder, StoreKind,
};
use robomata_formats::lines::LineBlocks;
use robomata_formats::{Capture, CaptureSite, capture};
use robomata_reference::Reference;
use robomata_testkit::case::{Case, Expect};

/// The crawlers with recorded Google verdicts, in file order.
pub const CRAWLERS: [&str; 3] = ["Googlebot", "GPTBot", "ExampleBot"];

/// A corpus in memory.
pub struct Corpus {
    /// The number of captures; several captures may share a body.
    pub captures: usize,
    /// The distinct bodies, in file order.
    pub bodies: Vec<Vec<u8>>,
    /// The URLs of each body, by body index, with their index in the file.
    pub urls: Vec<Vec<(usize, Vec<u8>)>>,
    /// The verdicts of Google's parser, by URL index. None at all in a small corpus.
    pub google: Vec<GoogleSays>,
}

/// The verdicts of Google's parser on one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoogleSays {
    /// For each of [`CRAWLERS`].
    pub access: [Access; 3],
    /// Googlebot's deciding line, or 0 if none.
    pub line: u32,
}

#[derive(serde::Deserialize)]
struct Line {
    sha256: String,
    body_b64: String,
}

impl Corpus {
    /// Reads the corpus in `folder`.
    ///
    /// # Errors
    /// If a file is missing or malformed.
    pub fn load(folder: &Path) -> Result<Self> {
        if folder.join("sites").is_dir() {
            return Self::load_small(folder);
        }
        let mut place_of = HashMap::new();
        let (mut captures, mut bodies) = (0, Vec::new());
        each_line(&file(folder, "robots.jsonl"), |line| {
            let Line { sha256, body_b64 } = serde_json::from_slice(line)?;
            captures += 1;
            if let Entry::Vacant(place) = place_of.entry(sha256) {
                place.insert(bodies.len());
                bodies.push(base64::engine::general_purpose::STANDARD.decode(body_b64)?);
            }
            Ok(())
        })?;
        let mut urls = vec![Vec::new(); bodies.len()];
        let mut count = 0;
        each_line(&file(folder, "urls.tsv"), |line| {
            let mut columns = line.splitn(3, |&byte| byte == b'\t').skip(1);
            let sha256 = std::str::from_utf8(columns.next().context("expected a second column")?)?;
            let url = columns.next().context("expected a third column")?;
            let place = *place_of.get(sha256).context("expected a body with the URL's sha256")?;
            urls[place].push((count, url.to_vec()));
            count += 1;
            Ok(())
        })?;
        let mut google = Vec::with_capacity(count);
        each_line(&file(folder, "google_verdicts.tsv"), |line| {
            google.push(GoogleSays::read(line).context("expected three letters, a tab and a line number")?);
            Ok(())
        })?;
        ensure!(
            google.len() == count,
            "expected one Google verdict for each of {count} URLs, found {}",
            google.len()
        );
        Ok(Corpus { captures, bodies, urls, google })
    }

    fn load_small(folder: &Path) -> Result<Self> {
        let mut place_of = HashMap::new();
        let mut bodies = Vec::new();
        for capture in capture::captures(&folder.join("sites")) {
            let Capture { site, body, .. } = capture?;
            let CaptureSite::Host(host) = site else { bail!("expected files that are named after hosts") };
            place_of.insert(host, bodies.len());
            bodies.push(body.to_vec());
        }
        let mut urls = vec![Vec::new(); bodies.len()];
        let mut count = 0;
        each_line(&folder.join("urls.txt"), |url| {
            let host = std::str::from_utf8(SplitUrl::new(url).context("expected a URL")?.authority)?;
            let place = *place_of.get(host).with_context(|| format!("expected a file of {host}"))?;
            urls[place].push((count, url.to_vec()));
            count += 1;
            Ok(())
        })?;
        Ok(Corpus { captures: bodies.len(), bodies, urls, google: Vec::new() })
    }

    /// The number of URLs.
    pub fn url_count(&self) -> usize {
        self.urls.iter().map(Vec::len).sum()
    }
}

impl GoogleSays {
    fn read(line: &[u8]) -> Option<Self> {
        let (letters, number) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut access = [Access::Allow; 3];
        for (slot, letter) in access.iter_mut().zip(letters.chars()) {
            *slot = match letter {
                'A' => Access::Allow,
                'D' => Access::Disallow,
                _ => return None,
            };
        }
        Some(GoogleSays { access, line: number.parse().ok()? })
    }
}

/// The file `name` in `folder`, or `name.zst` if there is none with that name.
pub(crate) fn file(folder: &Path, name: &str) -> PathBuf {
    let plain = folder.join(name);
    if plain.exists() { plain } else { folder.join(format!("{name}.zst")) }
}

pub(crate) fn each_line(path: &Path, mut read: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    for block in LineBlocks::open(path)? {
        for (number, line) in block?.numbered_lines() {
            read(line).with_context(|| format!("{}:{number}", path.display()))?;
        }
    }
    Ok(())
}

/// The result of a comparison over a corpus.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Answers compared, for each configuration.
    pub comparisons: usize,
    /// Number of programs compiled.
    pub programs: usize,
    /// Total size of the programs in bytes.
    pub program_bytes: usize,
    /// Disagreements between the engine and the reference or Google's parser.
    pub divergences: Vec<(Case, String)>,
}

/// Compiles every body and evaluates every URL for [`CRAWLERS`] in every dialect. Compares the engine with the
/// reference by answer, line and reason. In the `google` dialect, also compares it with the verdicts of Google's
/// parser.
pub fn run(corpus: &Corpus) -> Outcome {
    let of_body = |place: usize| {
        let mut found = Outcome::default();
        for dialect in Dialect::ALL {
            for (number, name) in CRAWLERS.iter().enumerate() {
                compare_body(corpus, place, dialect, number, &Crawler::new(name), &mut found);
            }
            compare_names(corpus, place, dialect, &mut found);
        }
        found
    };
    (0..corpus.bodies.len()).into_par_iter().map(of_body).reduce(Outcome::default, |mut all, more| {
        all.comparisons += more.comparisons;
        all.programs += more.programs;
        all.program_bytes += more.program_bytes;
        all.divergences.extend(more.divergences);
        all
    })
}

fn compare_body(
    corpus: &Corpus,
    place: usize,
    dialect: Dialect,
    number: usize,
    crawler: &Crawler,
    found: &mut Outcome,
) {
    let robots = &corpus.bodies[place];
    let policy = Policy::with_diagnostics(robots, &Config::new(dialect));
    let program = Program::compile(&policy.rules_for(crawler));
    found.programs += 1;
    found.program_bytes += program.as_ref().bytes().len();
    let mut report = |url: &[u8], expect: Answer, message: String| {
        let case = divergence(robots, dialect, crawler, url, expect, &message);
        found.divergences.push((case, message));
    };
    if let Err(error) = Program::from_bytes(program.as_ref().bytes()) {
        report(b"/", Answer::Unknown, format!("a compiled program does not load: {error}"));
    }

    let mut site = SitePolicy::new(&policy, crawler);
    let mut in_store = StoreAnswers::new(&policy, crawler);
    let reference = Reference::new(robots, None, crawler, dialect);
    for (at, url) in &corpus.urls[place] {
        found.comparisons += 1;
        let (answer, expected) = (site.check(url), reference.judge(url));
        if answer != expected {
            report(url, expected, format!("one site says {answer:?}, the reference {expected:?}"));
        }
        if let Some(stored) = in_store.check(url)
            && stored != expected
        {
            report(url, expected, format!("the store says {stored:?}, the reference {expected:?}"));
        }
        if dialect == Dialect::Google
            && let Some(&google) = corpus.google.get(*at)
            && !agrees(answer, google, number)
        {
            report(url, answer, format!("the engine says {answer:?}, Google's parser {google:?}"));
        }
    }
    for (url, expected, message) in compare_columns(&corpus.urls[place], &policy, crawler, &reference) {
        report(url, expected, message);
    }
}

/// Evaluates all URLs at once through columns, and returns the rows that differ from the reference, with a description.
fn compare_columns<'u>(
    urls: &'u [(usize, Vec<u8>)],
    policy: &Policy<'_>,
    crawler: &Crawler,
    reference: &Reference,
) -> Vec<(&'u [u8], Answer, String)> {
    let kind = StoreKind::new(policy.dialect(), vec![crawler.clone()]);
    let policies = PolicyCompiler::new(&kind).compile(policy);
    let mut builder = StoreBuilder::new(kind);
    let written = urls.iter().map(|(_, url)| url.as_slice()).filter(|url| columns::judge_as_written(url));
    let sites = written.filter_map(|url| Some((url, Site::of_url(url).ok()?)));
    let urls: Vec<&[u8]> = sites
        .map(|(url, site)| {
            builder.insert(&site, &policies, None);
            url
        })
        .collect();
    let rows = columns::rows(builder.build(), crawler, &urls).expect("a store answers for its crawler");
    let compared = urls.into_iter().zip(rows).map(|(url, row)| (url, row, reference.judge(url)));
    let differ = compared.filter(|(_, row, expected)| *row != columns::row_of(*expected));
    differ
        .map(|(url, row, expected)| {
            (url, expected, format!("the columns say {row:?}, the reference {expected:?}"))
        })
        .collect()
}

/// Builds the case of a divergence.
fn divergence(
    robots: &[u8],
    dialect: Dialect,
    crawler: &Crawler,
    url: &[u8],
    expect: Answer,
    message: &str,
) -> Case {
    Case {
        id: String::new(),
        section: "divergence".to_owned(),
        title: message.to_owned(),
        dialect,
        robots: robots.to_vec(),
        status: None,
        crawler: crawler.clone(),
        url: url.to_vec(),
        expect: Expect::of(expect),
        note: String::new(),
    }
}

/// Queries a store for every crawler on behalf of several crawlers that the file names and one that it does not name.
fn compare_names(corpus: &Corpus, place: usize, dialect: Dialect, found: &mut Outcome) {
    const NAMES: usize = 6;
    const URLS: usize = 40;
    let robots = &corpus.bodies[place];
    let policy = Policy::new(robots, &Config::new(dialect));
    let kind = StoreKind::new(dialect, Audience::Everyone);
    if !kind.is_possible() {
        return;
    }
    let named = policy.named_rules();
    let names = named.iter().rev().flat_map(|named| named.names.iter().rev()).take(NAMES);
    let names = names.map(|name| String::from_utf8_lossy(name).into_owned()).chain(["nobody".to_owned()]);
    let crawlers: Vec<Crawler> = names.map(|name| Crawler::new(&name)).collect();
    let policies = PolicyCompiler::new(&kind).compile(&policy);
    let mut builder = StoreBuilder::new(kind);
    for (_, url) in corpus.urls[place].iter().take(URLS) {
        if let Ok(site) = Site::of_url(url) {
            builder.insert(&site, &policies, None);
        }
    }
    let store = builder.build();
    for crawler in &crawlers {
        let reference = Reference::new(robots, None, crawler, dialect);
        for (_, url) in corpus.urls[place].iter().take(URLS) {
            let Some(answer) = checked_again(&store, crawler, url) else { continue };
            found.comparisons += 1;
            let expect = reference.judge(url);
            if answer == expect || Site::of_url(url).is_err() {
                continue;
            }
            let message = format!("a store for everyone says {answer:?}, the reference {expect:?}");
            let case = divergence(robots, dialect, crawler, url, expect, &message);
            found.divergences.push((case, message));
        }
    }
}

/// A store that holds this one policy for all sites of the URLs.
struct StoreAnswers<'p> {
    policy: &'p Policy<'p>,
    crawlers: [Crawler; 1],
    site: Vec<u8>,
    store: Option<robomata_engine::PolicyStore>,
}

impl<'p> StoreAnswers<'p> {
    fn new(policy: &'p Policy<'p>, crawler: &Crawler) -> Self {
        StoreAnswers { policy, crawlers: [crawler.clone()], site: Vec::new(), store: None }
    }

    fn check(&mut self, url: &[u8]) -> Option<Answer> {
        let site = Site::of_url(url).ok()?;
        if site.as_bytes() != self.site {
            let kind = StoreKind::new(self.policy.dialect(), self.crawlers.to_vec());
            let policies = PolicyCompiler::new(&kind).compile(self.policy);
            let mut builder = StoreBuilder::new(kind);
            builder.insert(&site, &policies, None);
            self.store = Some(builder.build());
            self.site = site.as_bytes().to_vec();
        }
        checked_again(self.store.as_ref()?, &self.crawlers[0], url)
    }
}

fn agrees(answer: Answer, google: GoogleSays, crawler: usize) -> bool {
    let Answer::Verdict(verdict) = answer else { return false };
    verdict.access == google.access[crawler] && (crawler > 0 || verdict.line == google.line)
}
