//! The policies of many sites.

mod builder;

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use robomata_evaluator as evaluator;
use robomata_evaluator::{
    Audience, CorruptBundleError, Crawlers, PolicyStore, Site, Stores, UsageQuery, ViewedSite, sync_folder_of,
};
use robomata_protocol::{Answer, Crawler, UrlRef, requestable};

pub use builder::PolicySetBuilder;

use crate::history::HistoryChecker;
use crate::pace::Pace;
use crate::{Agent, Dialect, Error, Fingerprint, Verdict};

/// The policies of many sites, compiled.
///
/// A set is built in memory ([`PolicySet::builder`]), or read from a *bundle*: a file that [`PolicySet::save`] or the
/// command `robomata compile` wrote. It is immutable and cheap to clone, and threads can share it.
///
/// A policy set answers only for the sites that it holds. For any other site, the verdict is neither *allow* nor
/// *disallow*: [`Reason::UnknownSite`](crate::Reason::UnknownSite).
///
/// ```
/// use robomata::{Dialect, PolicySet};
///
/// let mut builder = PolicySet::builder().agent("Googlebot-Image,Googlebot").dialect(Dialect::Google);
/// builder.insert("https://example.com", "User-agent: *\nDisallow: /private")?;
/// let policies = builder.build();
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("policies.bundle");
/// # let path = path.to_str().unwrap();
/// policies.save(path)?;
/// let policies = PolicySet::open(path)?;
///
/// let urls = ["https://example.com/private", "https://example.com/", "https://example.org/"];
/// let verdicts = policies.check_batch("Googlebot-Image,Googlebot", &urls)?;
/// let words: Vec<&str> = verdicts.iter().map(|verdict| verdict.as_str()).collect();
/// assert_eq!(words, ["disallow", "allow", "unknown"]);
/// # Ok::<(), robomata::Error>(())
/// ```
#[derive(Clone)]
pub struct PolicySet {
    set: Arc<evaluator::PolicySet>,
    dialect: Dialect,
    fingerprint: Fingerprint,
}

impl PolicySet {
    /// Options for a set, and then its sites.
    pub fn builder() -> PolicySetBuilder {
        PolicySetBuilder::default()
    }

    /// Opens the bundle at `path`: reads it into memory, and verifies all of it. Later changes of the file have no
    /// effect on the set.
    ///
    /// In the path, `*` is the number of a shard: `policies-*-of-00016.bundle`. All shards are opened. After a
    /// `#`, the path can have the expected [`Fingerprint`].
    ///
    /// # Errors
    /// When a file cannot be read, is not a valid bundle, or is not the expected one. Also when it answers about another
    /// usage than crawl.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let set = evaluator::PolicySet::open(path)?;
        let path = Some(set.name().to_owned());
        PolicySet::new(set, path)
    }

    /// Opens a bundle that is in memory, such as one that was embedded in a program.
    ///
    /// # Errors
    /// When the bytes are not a valid bundle.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let corrupt = |error: CorruptBundleError| Error::Corrupt { path: None, reason: error.to_string() };
        let store = PolicyStore::from_bytes(bytes.into()).map_err(corrupt)?;
        PolicySet::of_store(store)
    }

    fn of_store(store: PolicyStore) -> Result<Self, Error> {
        PolicySet::new(evaluator::PolicySet::of_store(store), None)
    }

    fn new(set: evaluator::PolicySet, path: Option<PathBuf>) -> Result<Self, Error> {
        let stores = set.open_all()?;
        let kind = stores.any().kind();
        let unsupported = |reason| Error::UnsupportedBundle { path, reason };
        let Some(dialect) = Dialect::of(kind.dialect) else {
            let reason = "this build has no dialect 'acap' (enable the feature 'permissions' of robomata)";
            return Err(unsupported(reason.to_owned()));
        };
        if kind.usage_query != UsageQuery::default() {
            let usage = &kind.usage_query;
            let reason =
                format!("the policies answer about {usage}: expected crawl (compile them without --usage)");
            return Err(unsupported(reason));
        }
        let fingerprint = Fingerprint(stores.fingerprint());
        Ok(PolicySet { set: Arc::new(set), dialect, fingerprint })
    }

    /// Writes the set to a bundle at `path`, completely or not at all: a file that is there already is replaced at the
    /// end.
    ///
    /// # Errors
    /// When the file cannot be written, or cannot be opened by this name, such as `a-00001-of-00002.bundle`. Also when the set was opened from shards: the command `robomata shard` writes
    /// them.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        robomata_evaluator::PolicySet::require_name(path)?;
        let bytes = self.to_bytes()?;
        // The name is new even if a process with the same number was killed while it wrote.
        let (temporary, file) = std::iter::repeat_with(|| {
            static NEXT: AtomicU64 = AtomicU64::new(0);
            let mut temporary = OsString::from(path.as_os_str());
            temporary.push(format!(".{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            let file = File::create_new(&temporary);
            (temporary, file)
        })
        .find(|(_, file)| !file.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists))
        .expect("an endless iterator");
        let write = || {
            let mut file = file?;
            let written = file.write_all(bytes).and_then(|()| file.sync_all());
            drop(file);
            let replaced = written.and_then(|()| fs::rename(&temporary, path));
            if replaced.is_err() {
                drop(fs::remove_file(&temporary));
            }
            replaced.and_then(|()| sync_folder_of(path))
        };
        write().map_err(|error| Error::writing(path, error))
    }

    /// The contents of the bundle that [`PolicySet::save`] writes.
    ///
    /// # Errors
    /// When the set was opened from shards.
    pub fn to_bytes(&self) -> Result<&[u8], Error> {
        match self.set.store_count() {
            1 => Ok(self.set.store(0)?.bytes()),
            _ => Err(Error::Path {
                path: self.set.name().to_owned(),
                expected: "a single bundle, not shards".to_owned(),
            }),
        }
    }

    /// The verdict on `url`, which has to be an absolute URL. For many URLs, [`PolicySet::check_batch`] and
    /// [`PolicySet::checker`] are faster.
    ///
    /// # Errors
    /// When `agent` names no crawler, or the set cannot answer for it.
    pub fn check(&self, agent: impl Into<Agent>, url: impl AsRef<[u8]>) -> Result<Verdict, Error> {
        Ok(self.checker(agent)?.check(url))
    }

    /// The verdicts on `urls`, in input order, computed on all cores (with the feature `parallel`).
    ///
    /// # Errors
    /// When `agent` names no crawler, or the set cannot answer for it.
    pub fn check_batch<U: AsRef<[u8]> + Sync>(
        &self,
        agent: impl Into<Agent>,
        urls: &[U],
    ) -> Result<Vec<Verdict>, Error> {
        let (agent, crawler) = self.crawler(agent)?;
        let stores = self.set.open_all()?;
        let answers =
            stores.check_batch(&crawler, urls).map_err(|error| Error::unsupported(&agent, &error))?;
        Ok(answers.into_iter().map(Verdict::of).collect())
    }

    /// A checker of URLs for `agent`. Each thread needs its own.
    ///
    /// # Errors
    /// When `agent` names no crawler, or the set cannot answer for it.
    pub fn checker(&self, agent: impl Into<Agent>) -> Result<Checker<'_>, Error> {
        let (agent, crawler) = self.crawler(agent)?;
        let checker = self.set.open_all()?.checker_for(&[crawler]);
        let checker = checker.map_err(|error| Error::unsupported(&agent, &error))?;
        Ok(Checker { checker })
    }

    /// A checker of URLs by earlier versions of their sites' policies.
    ///
    /// # Errors
    /// When `agent` names no crawler, or the set cannot answer for it.
    pub fn history(&self, agent: impl Into<Agent>) -> Result<HistoryChecker<'_>, Error> {
        let (agent, crawler) = self.crawler(agent)?;
        let checker = self.set.open_all()?.history_checker(&crawler);
        Ok(HistoryChecker::new(checker.map_err(|error| Error::unsupported(&agent, &error))?))
    }

    /// How fast `agent` may fetch from the site of `url`, which has to be an absolute URL. `None` if the set does not hold
    /// the site. See the module [`pace`](crate::pace).
    ///
    /// ```
    /// # use robomata::PolicySet;
    /// let mut builder = PolicySet::builder();
    /// builder.insert("https://example.com", "User-agent: *\nCrawl-delay: 5")?;
    /// let policies = builder.build();
    /// let pace = policies.pace("ExampleBot", "https://example.com/news")?.unwrap();
    /// assert_eq!(pace.delay().unwrap().duration.as_secs(), 5);
    /// assert_eq!(policies.pace("ExampleBot", "https://example.org/")?, None);
    /// # Ok::<(), robomata::Error>(())
    /// ```
    ///
    /// # Errors
    /// When `agent` names no crawler, the set cannot answer for it, or `url` is not an absolute URL.
    pub fn pace(&self, agent: impl Into<Agent>, url: impl AsRef<[u8]>) -> Result<Option<Pace>, Error> {
        let (agent, crawler) = self.crawler(agent)?;
        let site = Site::of_url(judged(url.as_ref())).map_err(|error| Error::site(url.as_ref(), error))?;
        let view = self.set.store_of(&site)?.view(&crawler);
        let view = view.map_err(|error| Error::unsupported(&agent, &error))?;
        Ok(view.compiled_policy_of(&site).map(|policy| Pace::new(view.schedule(policy))))
    }

    /// The sites that say how fast or when `agent` may fetch, in an order without meaning.
    ///
    /// ```
    /// # use robomata::PolicySet;
    /// # let mut builder = PolicySet::builder();
    /// # builder.insert("https://example.com", "User-agent: *\nCrawl-delay: 5")?;
    /// # builder.insert("https://example.org", "User-agent: *\nDisallow: /x")?;
    /// # let policies = builder.build();
    /// for (site, pace) in policies.paces("ExampleBot")? {
    ///     println!("{site}: {:?}", pace.delay());
    /// }
    /// # assert_eq!(policies.paces("ExampleBot")?.count(), 1);
    /// # Ok::<(), robomata::Error>(())
    /// ```
    ///
    /// # Errors
    /// When `agent` names no crawler, or the set cannot answer for it.
    pub fn paces(&self, agent: impl Into<Agent>) -> Result<impl Iterator<Item = (String, Pace)>, Error> {
        let (agent, crawler) = self.crawler(agent)?;
        let views = self.set.open_all()?.iter().map(|store| store.view(&crawler));
        let views: Result<Vec<_>, _> = views.collect();
        let views = views.map_err(|error| Error::unsupported(&agent, &error))?;
        let paces = views.into_iter().flat_map(|view| {
            let sites = view.sites().filter(ViewedSite::has_schedule);
            sites.map(move |site| (site.site(), Pace::new(view.schedule_of(&site))))
        });
        Ok(paces.filter(|(_, pace)| !pace.is_empty()))
    }

    fn crawler(&self, agent: impl Into<Agent>) -> Result<(Agent, Crawler), Error> {
        let agent = agent.into();
        let crawler = agent.crawler(self.dialect)?;
        Ok((agent, crawler))
    }

    /// Whether the set has a policy for the site of `url`.
    pub fn contains(&self, url: impl AsRef<[u8]>) -> bool {
        let Ok(site) = Site::of_url(judged(url.as_ref())) else { return false };
        self.set.open_all().is_ok_and(|stores| stores.holds(&site))
    }

    /// The number of sites.
    pub fn len(&self) -> usize {
        self.set.open_all().map_or(0, Stores::site_count)
    }

    /// Whether the set has no sites.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The crawlers that the set answers for; `None`: every crawler.
    pub fn agents(&self) -> Option<Vec<Agent>> {
        match self.set.open_all().ok()?.any().audience() {
            Audience::Crawlers(crawlers) => Some(crawlers.iter().map(Agent::of_crawler).collect()),
            Audience::Everyone => None,
        }
    }

    /// Identity of the contents.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

impl fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySet")
            .field("name", &self.set.name())
            .field("dialect", &self.dialect)
            .field("sites", &self.len())
            .finish_non_exhaustive()
    }
}

/// The URL in `url`, without blanks around it; empty, and so invalid, if it contains control characters.
pub(crate) fn judged(url: &[u8]) -> &[u8] {
    requestable(url).unwrap_or_default()
}

/// Checks URLs one after the other. It remembers the last site, because URLs usually come grouped by site.
///
/// ```
/// use robomata::PolicySet;
///
/// let mut builder = PolicySet::builder();
/// builder.insert("https://example.com", "User-agent: *\nDisallow: /private")?;
/// let policies = builder.build();
/// let mut checker = policies.checker("ExampleBot")?;
/// for url in ["https://example.com/private", "https://example.com/public"] {
///     println!("{url}: {}", checker.check(url));
/// }
/// # Ok::<(), robomata::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker<'s> {
    checker: evaluator::Checker<'s, Crawlers<'s>, Stores<'s>>,
}

impl Checker<'_> {
    /// The verdict on `url`, which has to be an absolute URL.
    pub fn check(&mut self, url: impl AsRef<[u8]>) -> Verdict {
        Verdict::of(self.checker.check(judged(url.as_ref())))
    }

    /// Whether the crawler may fetch `url`. False unless the verdict is *allow*: also false when the set does not hold
    /// the site, or `url` is not an absolute URL.
    pub fn is_allowed(&mut self, url: impl AsRef<[u8]>) -> bool {
        self.check(url).is_allowed()
    }

    /// Replaces the contents of `verdicts` with the verdicts on `urls`, on this thread. When sites come in random order,
    /// this is much faster than single checks.
    pub fn check_all<U: AsRef<[u8]>>(&mut self, urls: &[U], verdicts: &mut Vec<Verdict>) {
        use robomata_evaluator::BLOCK;
        verdicts.clear();
        verdicts.reserve(urls.len());
        let mut answers = [Answer::Unknown; BLOCK];
        for urls in urls.chunks(BLOCK) {
            let mut block = [UrlRef::Text(b""); BLOCK];
            for (place, url) in block.iter_mut().zip(urls) {
                *place = UrlRef::Text(judged(url.as_ref()));
            }
            self.checker.check_block(&block[..urls.len()], &mut answers);
            verdicts.extend(answers[..urls.len()].iter().map(|&answer| Verdict::of(answer)));
        }
    }
}
