//! What a site's robots.txt said at a given time.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_policy::Schedule;
use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome};

use crate::check::{Checker, Evaluate, FindStore};
use crate::policy_set::Stores;
use crate::rules::RuleTexts;
use crate::site_policy::{CheckScratch, CompiledPolicy};
use crate::store::{CrawlerSlot, PolicyStore, SiteId, SiteVersions, StoredPolicy, outcome_of};

/// A version of a site's robots.txt: its captures from `first` to `last` have the same rules and delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Version {
    /// When it was first captured; `None` when that is not known.
    pub first: Option<Moment>,
    /// When it was last captured; `None` when that is not known.
    pub last: Option<Moment>,
    /// The outcome of the fetch. The rules apply only after a success.
    pub outcome: FetchOutcome,
}

impl Version {
    pub(crate) fn new((first, last): (i64, i64), compiled_policy: u32) -> Self {
        let moment = |time| (time > 0).then_some(Moment(time));
        Version { first: moment(first), last: moment(last), outcome: outcome_of(compiled_policy) }
    }
}

/// Checks URLs for one crawler against earlier versions of their sites' policies. The caller chooses the version: see
/// the life cycle in the crate `robomata`.
pub type HistoryChecker<'s, P = &'s PolicyStore> = Checker<'s, AtVersion<'s>, P>;

/// Evaluates for one crawler by a version of the site's policy.
#[derive(Debug)]
pub struct AtVersion<'s> {
    slot: CrawlerSlot,
    /// The store of the last site; `None` if no store holds it.
    store: Option<&'s PolicyStore>,
    site: Option<SiteId>,
    held: Arc<SiteVersions>,
    /// Those of the site's tdmrep.json.
    tdmreps: Arc<SiteVersions>,
    versions: Arc<[Version]>,
    long: LongHistories,
    chosen: Option<usize>,
    /// The last version that was used.
    policy: Option<(usize, CompiledPolicy<'s>)>,
}

impl<'s> AtVersion<'s> {
    pub(crate) fn new(slot: CrawlerSlot) -> Self {
        AtVersion {
            slot,
            store: None,
            site: None,
            held: Arc::default(),
            tdmreps: Arc::default(),
            versions: Arc::default(),
            long: LongHistories::default(),
            chosen: None,
            policy: None,
        }
    }
}

/// The versions of a site for one column, those of its tdmrep.json, and the first as callers see them.
type Decoded = (Arc<SiteVersions>, Arc<SiteVersions>, Arc<[Version]>);

/// The long histories of sites that were visited, decoded. The sites and crawlers of a log can alternate with each line,
/// and a site decides how many versions it has.
#[derive(Debug, Default)]
struct LongHistories {
    /// By store, site and column.
    known: HashMap<(usize, SiteId, usize), Decoded>,
    bytes: usize,
}

/// The fewest versions of a history that is remembered. Shorter ones are decoded faster than they are found.
const LONG: usize = 16;
/// The most bytes of histories that are remembered; after that, all are forgotten.
const REMEMBERED: usize = 32 << 20;

impl LongHistories {
    fn decoded(&mut self, store: &PolicyStore, site: SiteId, column: usize) -> Decoded {
        let key = (std::ptr::from_ref(store).addr(), site, column);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let (held, tdmreps) = (store.versions_of(site, column), store.tdmreps_of(site));
        let versions: Arc<[Version]> =
            held.iter().map(|&(times, number)| Version::new(times, number)).collect();
        let bytes = size_of_val(&*held) + size_of_val(&*tdmreps) + size_of_val(&*versions);
        let decoded = (Arc::new(held), Arc::new(tdmreps), versions);
        if decoded.0.len() + decoded.1.len() >= LONG {
            if self.bytes + bytes > REMEMBERED {
                self.known.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            self.known.insert(key, decoded.clone());
        }
        decoded
    }
}

impl<'s> Evaluate<'s> for AtVersion<'s> {
    fn width(&self) -> usize {
        1
    }

    fn visit(&mut self, site: Option<(&'s PolicyStore, SiteId)>, _: StoredPolicy<'s>) {
        self.policy = None;
        (self.store, self.site) = site.unzip();
        (self.held, self.tdmreps, self.versions) =
            site.map(|(store, site)| self.long.decoded(store, site, self.slot.column)).unwrap_or_default();
    }

    /// A check chooses among the versions of a site, so none of them is looked up before.
    fn policy_number(&self, _: &'s PolicyStore, _: SiteId) -> u32 {
        StoredPolicy::UNKNOWN.number
    }

    fn evaluate(
        &mut self,
        target: &[u8],
        dialect: Dialect,
        scratch: &mut CheckScratch,
        answers: &mut [Answer],
    ) {
        let version = self.chosen.and_then(|chosen| Some((chosen, *self.held.get(chosen)?)));
        let (Some((chosen, ((_, last), number))), Some(store)) = (version, self.store) else {
            return answers.fill(Answer::Unknown);
        };
        if self.policy.as_ref().is_none_or(|&(known, _)| known != chosen) {
            let now = scratch.now().map_or(last, Moment::seconds);
            let tdmrep = self.tdmreps.iter().rfind(|((first, _), _)| *first <= now);
            let policy = match tdmrep {
                Some(&(_, tdmrep)) => store.with_tdmrep(number, tdmrep, &self.slot),
                None => store.numbered_compiled_policy(number, &self.slot),
            };
            self.policy = Some((chosen, policy));
        }
        if let Some((_, policy)) = &self.policy {
            answers.fill(policy.answer(target, dialect, scratch));
        }
    }
}

impl<'s> HistoryChecker<'s, Stores<'s>> {
    /// Checks for `crawler` from now on, without forgetting the histories that were decoded. Returns false, and changes
    /// nothing, if the stores have no programs for it.
    pub fn set_crawler(&mut self, crawler: &Crawler) -> bool {
        let Some(slot) = self.find.any().find_slot(crawler) else { return false };
        self.who.slot = slot;
        self.who.visit(self.who.store.zip(self.who.site), StoredPolicy::UNKNOWN);
        true
    }
}

impl<'s, P: FindStore<'s>> HistoryChecker<'s, P> {
    /// The versions of the URL's site, the oldest first. Empty when no store knows the site, or `url` is not an
    /// absolute URL.
    ///
    /// # Errors
    /// When a store cannot be opened.
    pub fn versions(&mut self, url: &[u8]) -> Result<&[Version], P::Error> {
        let answer = self.check_version_at(url, None)?;
        Ok(if answer == Answer::Invalid { &[] } else { &self.who.versions })
    }

    /// Like [`HistoryChecker::versions`], for callers that check URLs meanwhile. It copies nothing: the result is the
    /// same for all URLs of a site in a row.
    ///
    /// # Errors
    /// When a store cannot be opened.
    pub fn shared_versions(&mut self, url: &[u8]) -> Result<Arc<[Version]>, P::Error> {
        let answer = self.check_version_at(url, None)?;
        Ok(if answer == Answer::Invalid { Arc::default() } else { Arc::clone(&self.who.versions) })
    }

    /// The answer for `url` by the version of its site with this index in [`HistoryChecker::versions`]: `invalid` if
    /// `url` is not an absolute URL, `unknown` if there is no such version. The tdmrep.json is the newest one that was
    /// first captured before the time of the query or, without that time, before the last capture of the version.
    ///
    /// # Errors
    /// When a store cannot be opened.
    pub fn check_version(&mut self, url: &[u8], version: usize) -> Result<Answer, P::Error> {
        self.check_version_at(url, Some(version))
    }

    fn check_version_at(&mut self, url: &[u8], version: Option<usize>) -> Result<Answer, P::Error> {
        self.who.chosen = version;
        Ok(self.try_check_each(url)?[0])
    }

    /// What a version of the URL's site says about how often and when to visit; nothing when there is no such version.
    ///
    /// # Errors
    /// When a store cannot be opened.
    pub fn schedule(&mut self, url: &[u8], version: usize) -> Result<Schedule, P::Error> {
        self.versions(url)?;
        let AtVersion { slot, store, held, .. } = &self.who;
        let schedule =
            held.get(version).zip(*store).map(|(&(_, number), store)| store.schedule(number, slot));
        Ok(schedule.unwrap_or_default())
    }

    /// The rule on `line` of a version of the URL's site, as `Disallow: /private` with the pattern in its normal form.
    /// `None` when there is no such rule, and when more than rules decide. Checkers of several crawlers can share
    /// `texts`.
    ///
    /// # Errors
    /// When a store cannot be opened.
    pub fn rule(
        &mut self,
        url: &[u8],
        version: usize,
        line: u32,
        texts: &mut RuleTexts<'s>,
    ) -> Result<Option<Arc<str>>, P::Error> {
        self.versions(url)?;
        let AtVersion { slot, store, held, .. } = &self.who;
        let version = held.get(version).zip(*store);
        Ok(version.and_then(|(&(_, number), store)| texts.rule(store, number, slot, line)))
    }
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_syntax::Config;

    use super::*;
    use crate::{Audience, History, PolicyCompiler, Site, StoreBuilder, StoreKind};

    /// A store of sites with these numbers of versions. Version 0 disallows /0, and so on.
    fn store(audience: Audience, sites: &[usize]) -> PolicyStore {
        let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, audience) };
        let mut builder = StoreBuilder::new(kind.clone());
        let mut compiler = PolicyCompiler::new(&kind);
        for (number, &versions) in sites.iter().enumerate() {
            let url = url(number);
            let site = Site::of_url(url.as_bytes()).unwrap();
            for version in 0..versions {
                let robots = format!("User-agent: *\nDisallow: /{}", version % 9);
                let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
                let time = i64::try_from(version).unwrap() + 1;
                builder.insert(&site, &compiler.compile(&policy), Some(Moment::from_seconds(time)));
            }
        }
        builder.build()
    }

    fn url(site: usize) -> String {
        format!("https://{site}.example/5")
    }

    /// The sites and crawlers of a log can alternate with each line.
    #[test]
    fn a_long_history_is_decoded_once_for_all_lines_and_crawlers() {
        let crawlers = ["a", "b"].map(Crawler::new);
        for (audience, decoded) in [(Audience::Everyone, 2), (crawlers.to_vec().into(), 4)] {
            let store = store(audience, &[100, 50, 2]);
            let mut checker = Stores::from(&store).history_checker(&crawlers[0]).unwrap();
            let mut of = |crawler: &Crawler, site: usize| {
                assert!(checker.set_crawler(crawler));
                let Ok(answer) = checker.check_version(url(site).as_bytes(), 5);
                assert_eq!(answer.as_str(), if site < 2 { "disallow" } else { "unknown" });
                let Ok(versions) = checker.shared_versions(url(site).as_bytes());
                (versions, checker.who.long.known.len())
            };
            let mut first: HashMap<(usize, usize), Arc<[Version]>> = HashMap::new();
            for round in 0..4 {
                for (number, crawler) in crawlers.iter().enumerate() {
                    for (site, length) in [100, 50, 2].into_iter().enumerate() {
                        let (versions, known) = of(crawler, site);
                        assert_eq!(versions.len(), length);
                        let known_before =
                            first.entry((number, site)).or_insert_with(|| Arc::clone(&versions));
                        assert_eq!(Arc::ptr_eq(known_before, &versions), round == 0 || site < 2);
                        assert!(known <= decoded, "{known}");
                    }
                }
            }
        }
    }

    #[test]
    fn decoded_histories_take_limited_memory() {
        let store = store(Audience::Everyone, &[300; 3]);
        let mut long = LongHistories { bytes: REMEMBERED - 40_000, ..LongHistories::default() };
        for number in [0, 1, 2, 2] {
            let site = store.find(url(number).strip_suffix("/5").unwrap().as_bytes()).unwrap();
            let (held, _, versions) = long.decoded(&store, site, 0);
            assert_eq!((held.len(), versions.len()), (300, 300));
            assert!(long.bytes <= REMEMBERED);
        }
        let bytes_of = |(held, tdmreps, versions): &Decoded| {
            size_of_val(&***held) + size_of_val(&***tdmreps) + size_of_val(&**versions)
        };
        assert_eq!(long.known.values().map(bytes_of).sum::<usize>(), long.bytes);
        assert!((1..3).contains(&long.known.len()));
    }

    #[test]
    fn a_crawler_that_is_not_held_changes_nothing() {
        let crawlers = ["a", "b"].map(Crawler::new);
        let store = store(crawlers.to_vec().into(), &[2]);
        let mut checker = Stores::from(&store).history_checker(&crawlers[0]).unwrap();
        assert!(!checker.set_crawler(&Crawler::new("c")));
        let Ok(answer) = checker.check_version(b"https://0.example/1", 1);
        assert_eq!(answer.as_str(), "disallow");
    }
}
