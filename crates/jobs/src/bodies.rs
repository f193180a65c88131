//! The robots.txt of each site, kept for whoever wants to read them again.

use std::collections::HashMap;
use std::sync::Arc;

use robomata::{FetchStatus, Site};

/// The captures that a store was compiled from, by site.
#[derive(Debug, Default)]
pub struct Bodies {
    sites: HashMap<Box<[u8]>, KeptBody>,
}

/// The capture that speaks for a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBody {
    /// The octets of the robots.txt; equal ones are kept once.
    pub body: Arc<[u8]>,
    /// How the fetch ended.
    pub status: Option<FetchStatus>,
}

impl Bodies {
    /// The capture that speaks for `site`.
    pub fn of(&self, site: &Site<'_>) -> Option<&KeptBody> {
        self.sites.get(site.as_octets())
    }

    /// The sites in normal form, in no order.
    pub(crate) fn sites(&self) -> impl Iterator<Item = &[u8]> {
        self.sites.keys().map(|site| &**site)
    }

    /// The capture that speaks for the site with this normal form.
    pub(crate) fn of_octets(&self, site: &[u8]) -> Option<&KeptBody> {
        self.sites.get(site)
    }

    pub(crate) fn insert(&mut self, site: &Site<'_>, kept: KeptBody) {
        self.sites.insert(site.as_octets().into(), kept);
    }
}
