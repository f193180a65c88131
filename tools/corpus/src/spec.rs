//! Describes what to generate: [`Spec`].

use robomata_engine::Access;

use crate::body::push_body;
use crate::host::push_host;
use crate::popularity::Popularity;
use crate::profile::Profile;
use crate::sharing::Sharing;
use crate::stream::UrlStream;
use crate::url::{push_url, site_key};

/// A collection of robots.txt files and a frontier of URLs. Everything about them is a function of these numbers.
///
/// Sites are numbered from 0 to `sites`, policies (distinct robots.txt files) from 0 to `distinct_policies`. A larger
/// collection of the same seed has different host names in its files; the rules of a policy stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Seed; the same seed gives the same bytes on every machine.
    pub seed: u64,
    /// Number of sites; each has a host of its own.
    pub sites: u64,
    /// Number of distinct robots.txt files, at most the number of sites. If there are fewer, sites share them: very
    /// many sites share a few of them, and one or two sites share most.
    pub distinct_policies: u64,
    /// Number of URLs in the frontier.
    pub urls: u64,
}

/// The order of a frontier's sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All URLs of the first site, then all of the next one.
    Grouped,
    /// Each URL belongs to a random site.
    Shuffled,
}

impl Spec {
    /// A small collection: 10,000 sites and 100,000 URLs.
    pub fn new(seed: u64) -> Self {
        Spec { seed, sites: 0, distinct_policies: 0, urls: 100_000 }.with_sites(10_000)
    }

    /// Sets the number of sites, and the number of distinct files as in real collections: 44 per 100 sites.
    #[must_use]
    pub fn with_sites(mut self, sites: u64) -> Self {
        const DISTINCT_OF_THOUSAND: u64 = 441;
        self.sites = sites;
        self.distinct_policies =
            sites / 1000 * DISTINCT_OF_THOUSAND + sites % 1000 * DISTINCT_OF_THOUSAND / 1000;
        self.distinct_policies = self.distinct_policies.max(1);
        self
    }

    /// Sets the number of distinct files.
    #[must_use]
    pub fn with_distinct_policies(mut self, distinct_policies: u64) -> Self {
        self.distinct_policies = distinct_policies;
        self
    }

    /// Sets the number of URLs.
    #[must_use]
    pub fn with_urls(mut self, urls: u64) -> Self {
        self.urls = urls;
        self
    }

    /// The policy of a site. Every policy belongs to at least one site.
    pub fn policy_of(&self, site: u64) -> u64 {
        self.sharing().policy_of(site)
    }

    /// Appends the bytes of a policy's robots.txt. They differ from those of every other policy.
    pub fn body(&self, policy: u64, out: &mut Vec<u8>) {
        let mut home = Vec::new();
        self.host(self.sharing().home_of(policy), &mut home);
        push_body(&self.profile(policy), &home, out);
    }

    /// Appends the host of a site, under a name that is reserved for examples.
    pub fn host(&self, site: u64, out: &mut Vec<u8>) {
        push_host(self.seed, site, out);
    }

    /// Appends the `n`th URL of a site. Every `n` has a URL; few are the same.
    ///
    /// If the site has rules for every crawler, some URLs are derived from them: they match, or miss by a letter.
    pub fn url(&self, site: u64, n: u64, out: &mut Vec<u8>) {
        let mut host = Vec::new();
        self.host(site, &mut host);
        push_url(site_key(self.seed, site), n, &host, &self.profile(self.policy_of(site)), out);
    }

    /// The frontier, site by site. Popular sites have very many of its URLs, most sites few or none.
    pub fn urls_grouped(&self) -> UrlStream {
        UrlStream::new(*self, Order::Grouped)
    }

    /// The frontier in random order: each URL belongs to a site drawn at random, popular sites more often.
    pub fn urls_shuffled(&self) -> UrlStream {
        UrlStream::new(*self, Order::Shuffled)
    }

    /// The frontier in this order.
    pub fn frontier(&self, order: Order) -> UrlStream {
        UrlStream::new(*self, order)
    }

    pub(crate) fn popularity(&self) -> Popularity {
        Popularity::new(self.seed, self.sites)
    }

    /// The access of a crawler that no group names, on nearly every page of the site.
    pub(crate) fn access(&self, site: u64) -> Access {
        self.profile(self.policy_of(site)).access()
    }

    fn sharing(&self) -> Sharing {
        Sharing::new(self.seed, self.sites, self.distinct_policies)
    }

    fn profile(&self, policy: u64) -> Profile {
        Profile::new(self.seed, policy)
    }
}
