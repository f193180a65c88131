//! Compares two stores for one crawler.

use std::convert::Infallible;

use robomata_policy::{DelayLimits, Pace, Schedule};
use robomata_protocol::{Crawler, FetchOutcome, Moment};

use super::image::{FIRST_PROGRAM, SiteId, SiteName};
use super::merge::StoreRun;
use super::run::{Run, RunSite, for_each_site};
use super::{CrawlerSlot, PolicyStore, UnsupportedQueryError, outcome_of};
use crate::group_table::{self, is_group_table};
use crate::schedules;
use crate::site::Site;
use crate::site_policy::{OwnedCompiledPolicy, SitePolicy};

/// A store from the point of view of one crawler: the newest policy of each site.
#[derive(Debug)]
pub struct StoreView<'s> {
    store: &'s PolicyStore,
    slot: CrawlerSlot,
}

/// A site's policy, by its numbers in its store: sites of a store with the same numbers have the same policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompiledPolicyId {
    robots: u32,
    /// That of the tdmrep.json, if there is one.
    tdmrep: Option<u32>,
}

/// A site that is in at least one of two stores.
pub struct SitePair<'s> {
    name: SiteName<'s>,
    /// Its policy in the first store; `None` when that store does not have the site.
    pub old: Option<CompiledPolicyId>,
    /// Its policy in the second store.
    pub new: Option<CompiledPolicyId>,
}

impl SitePair<'_> {
    /// The site in normal form, `https://example.com`.
    pub fn site(&self) -> String {
        self.name.text()
    }
}

/// A site of a [`StoreView`].
pub struct ViewedSite<'s> {
    name: SiteName<'s>,
    /// Its newest policy.
    pub policy: CompiledPolicyId,
    /// What it says about how often and when to visit, in bytes.
    schedule: &'s [u8],
}

impl ViewedSite<'_> {
    /// The site in normal form, `https://example.com`.
    pub fn site(&self) -> String {
        self.name.text()
    }

    /// Whether it says something about how often and when to visit, to the crawler or, in a store for every crawler, to
    /// others.
    pub fn has_schedule(&self) -> bool {
        !self.schedule.is_empty()
    }
}

impl PolicyStore {
    /// The store from the point of view of `crawler`.
    ///
    /// # Errors
    /// When the store has no programs for it.
    pub fn view(&self, crawler: &Crawler) -> Result<StoreView<'_>, UnsupportedQueryError> {
        Ok(StoreView { store: self, slot: self.slot_of(crawler)? })
    }
}

impl<'s> StoreView<'s> {
    /// The policy of `site`; `None` when the store does not have it.
    pub fn compiled_policy_of(&self, site: &Site<'_>) -> Option<CompiledPolicyId> {
        self.compiled_policy_at(self.store.find(site.as_bytes())?)
    }

    /// The policy with this number in the store. If there is none, it answers `unknown`.
    pub fn policy(&self, compiled_policy: CompiledPolicyId) -> SitePolicy {
        let store = self.store;
        let owned = match store.owned_compiled_policy(compiled_policy.robots) {
            Some(OwnedCompiledPolicy::GroupTable(group_table)) => self.choose(&group_table),
            other => other,
        };
        let robots = owned.unwrap_or(OwnedCompiledPolicy::WithoutRules(FetchOutcome::Redirected));
        let tdmrep = compiled_policy.tdmrep.and_then(|tdmrep| store.owned_compiled_policy(tdmrep));
        let policy = match tdmrep {
            Some(tdmrep) => OwnedCompiledPolicy::WithTdmRep(Box::new([robots, tdmrep])),
            None => robots,
        };
        SitePolicy::of_compiled_policy(policy, store.dialect())
    }

    /// Whether two policies, `compiled_policy` of this store and `others` of the other one, are equal, byte for byte.
    /// Both stores must have the same dialect.
    pub fn says_same(
        &self,
        compiled_policy: CompiledPolicyId,
        other: &StoreView<'_>,
        others: CompiledPolicyId,
    ) -> bool {
        if !self.has_same_tdmrep(compiled_policy, other, others) {
            return false;
        }
        match (self.bytes(compiled_policy.robots), other.bytes(others.robots)) {
            (Some(one), Some(two)) if one == two => true,
            // The crawler may choose the same program from two different group tables.
            (Some(one), Some(two)) if is_group_table(one) || is_group_table(two) => {
                self.policy(compiled_policy).is_same(&other.policy(others))
            }
            (None, None) => compiled_policy.robots == others.robots,
            _ => false,
        }
    }

    /// Whether two policies are equal for every crawler, byte for byte.
    pub fn says_same_to_all(
        &self,
        compiled_policy: CompiledPolicyId,
        other: &StoreView<'_>,
        others: CompiledPolicyId,
    ) -> bool {
        let says_same = match (self.bytes(compiled_policy.robots), other.bytes(others.robots)) {
            (None, None) => compiled_policy.robots == others.robots,
            (one, two) => one == two,
        };
        says_same && self.has_same_tdmrep(compiled_policy, other, others)
    }

    /// Whether two policies have an equal tdmrep.json.
    fn has_same_tdmrep(
        &self,
        compiled_policy: CompiledPolicyId,
        other: &StoreView<'_>,
        others: CompiledPolicyId,
    ) -> bool {
        let bytes = [(self, compiled_policy.tdmrep), (other, others.tdmrep)]
            .map(|(view, number)| view.bytes(number?));
        match bytes {
            [None, None] => compiled_policy.tdmrep == others.tdmrep,
            [one, two] => one == two,
        }
    }

    /// The crawlers that a policy names, each with the number of the rules that it must obey; others obey the rules for
    /// every other crawler. Empty if the store was compiled for a list of crawlers.
    pub fn named(&self, compiled_policy: CompiledPolicyId) -> Vec<(String, usize)> {
        let bytes = self.bytes(compiled_policy.robots).filter(|bytes| is_group_table(bytes));
        bytes.map_or_else(Vec::new, group_table::named)
    }

    /// The outcome of the fetch that a policy comes from.
    pub fn outcome(&self, compiled_policy: CompiledPolicyId) -> FetchOutcome {
        outcome_of(compiled_policy.robots)
    }

    /// What a policy says to the crawler about how often and when to visit.
    pub fn schedule(&self, compiled_policy: CompiledPolicyId) -> Schedule {
        self.store.schedule(compiled_policy.robots, &self.slot)
    }

    /// What a site says to the crawler about how often and when to visit.
    pub fn schedule_of(&self, site: &ViewedSite<'_>) -> Schedule {
        // Verified stores have complete schedules.
        schedules::choose(site.schedule, &self.slot.names).unwrap_or_default()
    }

    /// How fast the crawler may fetch from a site with this policy, at an instant or over the day.
    pub fn pace(&self, policy: CompiledPolicyId, at: Option<Moment>, limits: &DelayLimits) -> Pace {
        Pace::new(self.outcome(policy), &self.schedule(policy), at, limits)
    }

    /// How fast the crawler may fetch from a site, at an instant or over the day.
    pub fn pace_of(&self, site: &ViewedSite<'_>, at: Option<Moment>, limits: &DelayLimits) -> Pace {
        Pace::new(self.outcome(site.policy), &self.schedule_of(site), at, limits)
    }

    /// Like [`StoreView::pace_of`]; `None` when neither the site nor a default delay limits the crawler.
    pub fn spoken_pace(
        &self,
        site: &ViewedSite<'_>,
        at: Option<Moment>,
        limits: &DelayLimits,
    ) -> Option<Pace> {
        if limits.default.is_some() {
            return Some(self.pace_of(site, at, limits));
        }
        // Nearly all sites say nothing.
        let pace = site.has_schedule().then(|| self.pace_of(site, at, limits))?;
        (!pace.is_silent()).then_some(pace)
    }

    /// All sites, in the order of the store, which has no meaning for users. Needs a few bytes for each program.
    pub fn sites(&self) -> impl Iterator<Item = ViewedSite<'s>> + use<'s> {
        let (image, column) = (&self.store.image, self.slot.column);
        // By program: the position of its schedule plus one. A search for each site would take longer.
        let mut positions = vec![0_usize; image.program_count()];
        for (number, position) in (0..image.scheduled_count()).filter_map(|entry| image.scheduled(entry)) {
            let program =
                number.checked_sub(FIRST_PROGRAM).and_then(|program| positions.get_mut(program as usize));
            if let Some(program) = program {
                *program = position + 1;
            }
        }
        image.places().filter_map(move |place| {
            let (name, id) = image.site_at(place)?;
            let number = image.compiled_policy(id, column)?;
            let program =
                number.checked_sub(FIRST_PROGRAM).and_then(|program| positions.get(program as usize));
            let position = program.and_then(|position| position.checked_sub(1));
            let schedule = position.and_then(|position| image.schedule_at(position));
            Some(ViewedSite {
                name,
                policy: CompiledPolicyId { robots: number, tdmrep: image.newest_tdmrep(id) },
                schedule: schedule.map_or(&[], |(schedule, _)| schedule),
            })
        })
    }

    /// Calls `each` once for every site of both stores, with its policy in each of them. The order is that of the
    /// sites' hashes, which has no meaning for users. Takes time linear in the sites.
    pub fn each_pair(&self, other: &StoreView<'_>, mut each: impl FnMut(&SitePair<'_>)) {
        let views = [self, other];
        let runs = views.map(|view| StoreRun::whole(view.store));
        let runs = runs.each_ref().map(|run| run as &dyn Run);
        let seed = self.store.image.layout().seed;
        let walked = for_each_site(&runs, seed, |same| {
            let Some((_, first)) = same.first() else { return Ok(()) };
            let mut pair = SitePair { name: first.name, old: None, new: None };
            for (run, site) in same {
                let compiled_policy = views[*run].compiled_policy_in(site);
                if *run == 0 { pair.old = compiled_policy } else { pair.new = compiled_policy }
            }
            each(&pair);
            Ok::<(), Infallible>(())
        });
        let Ok(()) = walked;
    }

    /// The bytes of the program with this number of a compiled policy, if it has one.
    fn bytes(&self, number: u32) -> Option<&[u8]> {
        self.store.image.program(number.checked_sub(FIRST_PROGRAM)?)
    }

    fn compiled_policy_in(&self, site: &RunSite<'_>) -> Option<CompiledPolicyId> {
        let (_, id) = self.store.image.site_at(site.place)?;
        self.compiled_policy_at(id)
    }

    fn compiled_policy_at(&self, site: SiteId) -> Option<CompiledPolicyId> {
        let image = &self.store.image;
        let robots = image.compiled_policy(site, self.slot.column)?;
        Some(CompiledPolicyId { robots, tdmrep: image.newest_tdmrep(site) })
    }

    fn choose(&self, group_table: &[u8]) -> Option<OwnedCompiledPolicy> {
        let program = group_table::choose(group_table, &self.slot.names)?;
        program.into_owned(self.store.dialect()).ok().map(OwnedCompiledPolicy::Rules)
    }
}
