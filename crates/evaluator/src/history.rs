//! What a site's robots.txt said at a given time.

use std::sync::Arc;

use robomata_policy::Schedule;
use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, Dialect, FetchOutcome};

use crate::check::{Checker, Evaluate, FindStore};
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
    held: SiteVersions,
    /// Those of the site's tdmrep.json.
    tdmreps: SiteVersions,
    versions: Arc<[Version]>,
    chosen: Option<usize>,
    /// The last version that was used.
    policy: Option<(usize, CompiledPolicy<'s>)>,
}

impl<'s> AtVersion<'s> {
    pub(crate) fn new(slot: CrawlerSlot) -> Self {
        AtVersion {
            slot,
            store: None,
            held: SiteVersions::default(),
            tdmreps: SiteVersions::default(),
            versions: Arc::default(),
            chosen: None,
            policy: None,
        }
    }
}

impl<'s> Evaluate<'s> for AtVersion<'s> {
    fn width(&self) -> usize {
        1
    }

    fn visit(&mut self, site: Option<(&'s PolicyStore, SiteId)>, _: StoredPolicy<'s>) {
        self.policy = None;
        self.store = site.map(|(store, _)| store);
        self.held = site.map(|(store, site)| store.versions_of(site, self.slot.column)).unwrap_or_default();
        self.tdmreps = site.map(|(store, site)| store.tdmreps_of(site)).unwrap_or_default();
        self.versions = self.held.iter().map(|&(times, number)| Version::new(times, number)).collect();
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
