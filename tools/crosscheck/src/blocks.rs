//! Blocks of many URLs over many sites, in every way in which a bundle can be checked: for one crawler and several, as
//! texts and as parts, in a store, in open shards, in shards that are opened when a URL needs them, in bundles for some
//! crawlers and for everyone, and by earlier versions. The URLs come in random order, in runs of one site, and again.

use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use fastrand::Rng;
use rayon::prelude::*;
use robomata_engine::evaluator::FindStore;
use robomata_engine::{
    Answer, Audience, Checker, Config, Crawler, Crawlers, Dialect, FetchStatus, History, HistoryChecker,
    Moment, Policy, PolicyCompiler, PolicySet, PolicyStore, ShardFiles, ShardManifest, Site, StoreBuilder,
    StoreKind, UrlRef,
};
use robomata_reference::Reference;
use robomata_testkit::Generator;

use crate::engines::parts_of;

const SITES: usize = 24;
const URLS: usize = 300;
const CRAWLERS: usize = 3;
const SHARDS: u32 = 3;
/// One file in so many has groups that share names.
const TANGLED: u8 = 12;
/// The captures of a site.
const VERSIONS: usize = 2;

/// The result of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of answers of the reference, each compared with those of every cell.
    pub questions: u64,
    /// A block for which the engine contradicts the reference.
    pub divergence: Option<String>,
}

/// Compares about `count` answers on all cores; the same `seed` gives the same blocks. Stops early at a divergence.
pub fn run(seed: u64, count: u64) -> Outcome {
    let rounds = count.div_ceil((URLS * CRAWLERS * VERSIONS) as u64);
    let divergence = (0..rounds).into_par_iter().find_map_any(|round| {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(round);
        let difference = compare(seed).difference?;
        Some(format!("round {round}: {difference}"))
    });
    Outcome { questions: rounds * (URLS * CRAWLERS * VERSIONS) as u64, divergence }
}

/// The blocks of one seed, compared.
#[derive(Debug)]
pub struct Compared {
    /// The dialect of all sites.
    pub dialect: Dialect,
    /// Number of answers of the reference.
    pub questions: u64,
    /// Number of answers of the cells that were compared with them.
    pub answers: u64,
    /// The first difference.
    pub difference: Option<String>,
}

/// Compares the blocks of one seed in every cell.
pub fn compare(seed: u64) -> Compared {
    let mut world = World::new(seed);
    let difference = world.compare().err();
    Compared {
        dialect: world.dialect,
        questions: (URLS * CRAWLERS * VERSIONS) as u64,
        answers: world.answers,
        difference,
    }
}

/// A robots.txt and the outcome of its fetch.
type Capture = (Vec<u8>, Option<FetchStatus>);

/// Sites, and URLs of which most belong to them.
struct World {
    rng: Rng,
    dialect: Dialect,
    crawlers: Vec<Crawler>,
    /// The sites in normal form, each with its captures, the oldest first.
    sites: Vec<(String, [Capture; VERSIONS])>,
    urls: Vec<Vec<u8>>,
    /// By version, URL and crawler.
    expected: Vec<Vec<Vec<Answer>>>,
    /// The number of answers compared so far.
    answers: u64,
}

/// The site of a URL.
#[derive(Clone, Copy)]
enum Whose {
    Site(usize),
    UnknownSite,
    NotAUrl,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut generator = Generator::new(seed);
        let dialect = generator.dialect();
        // Some captures are those of several sites.
        let mut robots = |generator: &mut Generator| match rng.u8(..TANGLED) {
            0 => generator.tangled_robots(),
            _ => generator.robots(),
        };
        let captures: Vec<Capture> =
            (0..SITES).map(|_| (robots(&mut generator), generator.status())).collect();
        let mut capture = || captures[rng.usize(..captures.len())].clone();
        let sites: Vec<_> = (0..SITES).map(|number| (site(number), [capture(), capture()])).collect();
        let crawlers: Vec<Crawler> =
            captures.iter().take(CRAWLERS).map(|(robots, _)| generator.crawler_for(robots)).collect();
        let mut asked: Vec<(Vec<u8>, Whose)> = Vec::new();
        let mut number = 0;
        while asked.len() < URLS {
            if rng.u8(..5) == 0 && !asked.is_empty() {
                asked.push(asked[rng.usize(..asked.len())].clone());
                continue;
            }
            if rng.bool() {
                number = rng.usize(..SITES);
            }
            let (site, [_, (robots, _)]) = &sites[number];
            let path = path_of(&generator.url_for(robots));
            asked.push(match rng.u8(..40) {
                0 => ([b"https://not-held.example", &path[..]].concat(), Whose::UnknownSite),
                1 => (NO_URLS[rng.usize(..NO_URLS.len())].to_vec(), Whose::NotAUrl),
                2..8 => ([odd_spelling(site, &mut rng).as_bytes(), &path].concat(), Whose::Site(number)),
                _ => ([site.as_bytes(), &path].concat(), Whose::Site(number)),
            });
        }
        let references: Vec<Vec<Vec<Reference>>> = (0..VERSIONS)
            .map(|version| {
                let of_site = |(_, captures): &(String, [Capture; VERSIONS])| {
                    let (robots, status) = counted(&captures[..=version]);
                    let of = |crawler| Reference::new(robots, *status, crawler, dialect);
                    crawlers.iter().map(of).collect()
                };
                sites.iter().map(of_site).collect()
            })
            .collect();
        let expected = references.iter().map(|references| {
            let of_url = |(url, whose): &(Vec<u8>, Whose)| match *whose {
                Whose::Site(site) => references[site].iter().map(|reference| reference.judge(url)).collect(),
                Whose::UnknownSite => vec![Answer::Unknown; CRAWLERS],
                Whose::NotAUrl => vec![Answer::Invalid; CRAWLERS],
            };
            asked.iter().map(of_url).collect()
        });
        let expected = expected.collect();
        World {
            rng,
            dialect,
            crawlers,
            sites,
            urls: asked.into_iter().map(|(url, _)| url).collect(),
            expected,
            answers: 0,
        }
    }

    /// Compares all cells; the error describes the first difference.
    fn compare(&mut self) -> Result<(), String> {
        for audience in [Audience::from(self.crawlers.clone()), Audience::Everyone] {
            let kind = StoreKind { history: History::All, ..StoreKind::new(self.dialect, audience) };
            if kind.is_possible() {
                self.compare_kind(&kind)?;
            }
        }
        Ok(())
    }

    fn compare_kind(&mut self, kind: &StoreKind) -> Result<(), String> {
        let store = self.store(kind);
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let name = write_shards(&store, folder.path()).map_err(|error| error.to_string())?;
        let open = || PolicySet::open(&name).map_err(|error| error.to_string());
        let (lazy, all) = (open()?, open()?);
        let stores = all.open_all().map_err(|error| error.to_string())?;
        let is_supported = |&number: &usize| store.checker(&self.crawlers[number]).is_ok();
        let supported: Vec<usize> = (0..CRAWLERS).filter(is_supported).collect();
        let alone = supported.iter().map(|&number| vec![number]);
        for asked in alone.chain([supported.clone()]) {
            let crawlers: Vec<Crawler> = asked.iter().map(|&number| self.crawlers[number].clone()).collect();
            let unsupported = |error| format!("{error}");
            let in_store = store.checker_for(&crawlers).map_err(unsupported)?;
            self.compare_blocks("a store", in_store, &asked)?;
            let in_stores = stores.checker_for(&crawlers).map_err(unsupported)?;
            self.compare_blocks("open shards", in_stores, &asked)?;
            let in_set = Checker::new(&lazy, &store, &crawlers).map_err(unsupported)?;
            self.compare_blocks("shards", in_set, &asked)?;
            if let [number] = asked[..] {
                let crawler = &crawlers[0];
                let in_store = store.history_checker(crawler).map_err(unsupported)?;
                self.compare_versions("a store", in_store, number)?;
                let in_stores = stores.history_checker(crawler).map_err(unsupported)?;
                self.compare_versions("open shards", in_stores, number)?;
            }
        }
        Ok(())
    }

    fn store(&self, kind: &StoreKind) -> PolicyStore {
        let mut compiler = PolicyCompiler::new(kind);
        let mut builder = StoreBuilder::new(kind.clone());
        for (site, captures) in &self.sites {
            let site = Site::of_url(site.as_bytes()).expect("a site in normal form");
            for (time, (robots, status)) in (1..).zip(captures) {
                let policy = Policy::fetched(robots, *status, &Config::new(self.dialect));
                builder.insert(&site, &compiler.compile(&policy), Some(Moment::from_seconds(time)));
            }
        }
        builder.build()
    }

    /// Compares blocks of several sizes, and single URLs between them.
    fn compare_blocks<'s, P: FindStore<'s, Error: Debug>>(
        &mut self,
        cell: &str,
        mut checker: Checker<'s, Crawlers<'s>, P>,
        asked: &[usize],
    ) -> Result<(), String> {
        let newest = &self.expected[VERSIONS - 1];
        let mut from = 0;
        while from < URLS {
            let size = [1, 1, 2, 3, 16, 17, 50][self.rng.usize(..7)].min(URLS - from);
            let texts = &self.urls[from..from + size];
            let mut form = |url| match parts_of(url).filter(|_| self.rng.bool()) {
                Some(parts) => UrlRef::Parts(parts),
                None => UrlRef::Text(url),
            };
            let urls: Vec<UrlRef<'_>> = texts.iter().map(|url| form(url)).collect();
            let mut answers = vec![Answer::Unknown; size * asked.len()];
            match urls[..] {
                [UrlRef::Text(url)] => {
                    answers = checker.try_check_each(url).map_err(|error| format!("{error:?}"))?.to_vec();
                }
                _ => checker.try_check_block(&urls, &mut answers).map_err(|error| format!("{error:?}"))?,
            }
            let expected = newest[from..from + size].iter();
            let expected: Vec<Answer> =
                expected.flat_map(|answers| asked.iter().map(|&number| answers[number])).collect();
            let differs = answers.iter().zip(&expected).position(|(answer, expected)| answer != expected);
            if let Some(place) = differs {
                let (url, number) = (place / asked.len(), asked[place % asked.len()]);
                return Err(format!(
                    "{} for {}, {cell} says {:?} about URL {url} of {urls:?}, the reference {:?}",
                    self.dialect, self.crawlers[number], answers[place], expected[place],
                ));
            }
            self.answers += answers.len() as u64;
            from += size;
        }
        Ok(())
    }

    /// Compares the versions of each URL's site.
    fn compare_versions<'s, P: FindStore<'s, Error: Debug>>(
        &mut self,
        cell: &str,
        mut checker: HistoryChecker<'s, P>,
        number: usize,
    ) -> Result<(), String> {
        for (place, url) in self.urls.iter().enumerate() {
            let expected = |version: usize| self.expected[version][place][number];
            let versions = checker.versions(url).map_err(|error| format!("{error:?}"))?.len();
            // Captures with the same rules are one version.
            for version in 0..versions {
                let answer = checker.check_version(url, version).map_err(|error| format!("{error:?}"))?;
                let expected = expected(VERSIONS - versions + version);
                self.answers += 1;
                if answer != expected {
                    return Err(format!(
                        "{} for {}, version {version} in {cell} says {answer:?} about {}, the reference {expected:?}",
                        self.dialect,
                        self.crawlers[number],
                        url.escape_ascii(),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The capture that counts: the newest one, but a redirect that was not followed only without any other (F1).
fn counted(captures: &[Capture]) -> &Capture {
    let is_redirect = |(_, status): &&Capture| matches!(status, Some(FetchStatus::Code(300..=399)));
    let conclusive = captures.iter().rev().find(|capture| !is_redirect(capture));
    conclusive.unwrap_or_else(|| &captures[captures.len() - 1])
}

/// Texts that are not absolute URLs.
const NO_URLS: &[&[u8]] = &[
    b"",
    b"/a",
    b"mailto:a@b.example",
    b"http:///a",
    b"http://[::g]/a",
    b"https://s1.example:99999/a",
    b"://s1.example/a",
    b"https:/s1.example/a",
];

/// A site in normal form.
fn site(number: usize) -> String {
    let scheme = ["https", "http", "https", "ftp"][number % 4];
    let name = ["a", "a-b", "a--b", "a_b", "www.a", "a;b"][number % 6];
    let port = if number.is_multiple_of(7) { ":8443" } else { "" };
    format!("{scheme}://{name}{number}.example{port}")
}

/// Another spelling of `site`.
fn odd_spelling(site: &str, rng: &mut Rng) -> String {
    let (scheme, authority) = site.split_once("://").expect("a site in normal form");
    match rng.u8(..5) {
        0 => site.to_ascii_uppercase(),
        1 => format!("{scheme}://user:secret@{authority}"),
        2 => format!("{scheme}://{}", authority.replacen(".example", ".example.", 1)),
        3 => format!("{scheme}://{}", authority.replacen('a', "%61", 1)),
        _ if authority.contains(':') => site.to_owned(),
        _ => match scheme {
            "https" => format!("{site}:443"),
            "http" => format!("{site}:80"),
            _ => format!("{site}:21"),
        },
    }
}

/// The part of a generated URL after its site. It begins with `/`, `?` or `#`, or is empty.
fn path_of(url: &[u8]) -> Vec<u8> {
    let begins_path = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
    let authority = url.windows(3).position(|bytes| bytes == b"://").filter(|_| url.first() != Some(&b'/'));
    let start = authority.map_or(0, |colon| {
        let rest = &url[colon + 3..];
        colon + 3 + rest.iter().position(begins_path).unwrap_or(rest.len())
    });
    match url[start..].first() {
        Some(first) if !begins_path(first) => [b"/", &url[start..]].concat(),
        _ => url[start..].to_vec(),
    }
}

/// Writes the shards of `store` with their manifest, and returns their name.
fn write_shards(store: &PolicyStore, folder: &Path) -> io::Result<String> {
    let files = ShardFiles::new(&folder.join("p"), SHARDS).expect("names can count them");
    let shards = store.shards(SHARDS);
    let mut manifest = ShardManifest(Vec::new());
    for number in 0..SHARDS {
        let mut out = BufWriter::new(File::create(files.file(number))?);
        manifest.0.push(shards.write(number as usize, &mut out)?.fingerprint);
        out.flush()?;
    }
    fs::write(files.manifest(), manifest.to_string())?;
    Ok(folder.join(format!("p-*-of-{SHARDS:05}.bundle")).to_string_lossy().into_owned())
}
