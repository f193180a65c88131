//! Two stores side by side, as one crawler sees them.

use std::convert::Infallible;

use robomata_protocol::Crawler;

use super::image::{FIRST_PROGRAM, SiteId, SiteName};
use super::merge::StoreRun;
use super::run::{Run, RunSite, for_each_site};
use super::{NotHeld, PolicyStore, Seat};
use crate::menu::{self, Dish, is_menu};
use crate::site::Site;
use crate::site_policy::{OwnedDecider, SitePolicy};

/// A store as one crawler sees it: what sites said when they were last captured.
#[derive(Debug)]
pub struct StoreView<'s> {
    store: &'s PolicyStore,
    seat: Seat,
}

/// What a site says, by its number in its store: sites of a store with the same number say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeciderId(u32);

/// A site that one of two stores holds, or both.
pub struct SitePair<'s> {
    name: SiteName<'s>,
    /// What it says in the first store; none when that does not hold it.
    pub old: Option<DeciderId>,
    /// What it says in the second store.
    pub new: Option<DeciderId>,
}

impl SitePair<'_> {
    /// The octets of the site in normal form, `https://example.com`.
    pub fn site(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.name.push_text(&mut text);
        text
    }
}

impl PolicyStore {
    /// The store as `crawler` sees it.
    ///
    /// # Errors
    /// When the store holds no programs for it.
    pub fn view(&self, crawler: &Crawler) -> Result<StoreView<'_>, NotHeld> {
        Ok(StoreView { store: self, seat: self.seat_of(crawler)? })
    }
}

impl StoreView<'_> {
    /// What `site` says; none when the store does not hold it.
    pub fn decider_of(&self, site: &Site<'_>) -> Option<DeciderId> {
        self.decider_at(self.store.find(site.as_octets())?)
    }

    /// The policy that this number of the store stands for; where its octets are damaged it knows nothing.
    pub fn policy(&self, decider: DeciderId) -> SitePolicy {
        let store = self.store;
        let owned = match store.owned_decider(decider.0) {
            Some(OwnedDecider::Menu(menu)) => self.choose(&menu),
            other => other,
        };
        SitePolicy::of_decider(owned.unwrap_or(OwnedDecider::Unknown), store.dialect())
    }

    /// Do two policies, `decider` of this store and `others` of the other one, say the same, octet for octet? Of the same
    /// dialect, that is.
    pub fn says_same(&self, decider: DeciderId, other: &StoreView<'_>, others: DeciderId) -> bool {
        match (self.octets(decider), other.octets(others)) {
            (Some(one), Some(two)) if one == two => true,
            // Of two menus the crawler may choose the same.
            (Some(one), Some(two)) if is_menu(one) || is_menu(two) => {
                self.policy(decider).is_same(&other.policy(others))
            }
            (None, None) => decider == others,
            _ => false,
        }
    }

    /// Do two policies say the same to every crawler, byte for byte?
    pub fn says_same_to_all(&self, decider: DeciderId, other: &StoreView<'_>, others: DeciderId) -> bool {
        match (self.octets(decider), other.octets(others)) {
            (None, None) => decider == others,
            (one, two) => one == two,
        }
    }

    /// The crawlers that a policy names, each with the number of the rules that it must obey; others obey the rules for
    /// every other crawler. None where the store was compiled for crawlers that were known beforehand.
    pub fn named(&self, decider: DeciderId) -> Vec<(String, usize)> {
        let octets = self.octets(decider).filter(|octets| is_menu(octets));
        octets.map_or_else(Vec::new, |octets| menu::named(octets, self.store.dialect()))
    }

    /// Hands `each` every site of both stores once, with what each of them holds of it; in the order of the sites' hashes,
    /// which means nothing to people. Linear in the sites.
    pub fn each_pair(&self, other: &StoreView<'_>, mut each: impl FnMut(&SitePair<'_>)) {
        let views = [self, other];
        let runs = views.map(|view| StoreRun::whole(view.store));
        let runs = runs.each_ref().map(|run| run as &dyn Run);
        let seed = self.store.image.layout().seed;
        let walked = for_each_site(&runs, seed, |same| {
            let Some((_, first)) = same.first() else { return Ok(()) };
            let mut pair = SitePair { name: first.name, old: None, new: None };
            for (run, site) in same {
                let decider = views[*run].decider_in(site);
                if *run == 0 { pair.old = decider } else { pair.new = decider }
            }
            each(&pair);
            Ok::<(), Infallible>(())
        });
        let Ok(()) = walked;
    }

    /// The octets of what decides, if it has any.
    fn octets(&self, DeciderId(number): DeciderId) -> Option<&[u8]> {
        self.store.sound_program(number.checked_sub(FIRST_PROGRAM)?)
    }

    fn decider_in(&self, site: &RunSite<'_>) -> Option<DeciderId> {
        let (_, id) = self.store.image.site_at(site.place)?;
        self.decider_at(id)
    }

    fn decider_at(&self, site: SiteId) -> Option<DeciderId> {
        self.store.image.decider(site, self.seat.column).map(DeciderId)
    }

    fn choose(&self, menu: &[u8]) -> Option<OwnedDecider> {
        let program = match menu::choose(menu, &self.seat.names)? {
            Dish::Program(program) => program.to_owned(),
            Dish::Text(text) => menu::compile_text(text, &self.seat.crawler, self.store.dialect()),
        };
        Some(OwnedDecider::Rules(program))
    }
}
