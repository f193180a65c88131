//! What is generated: [`Spec`].

use robomata::Access;

use crate::body::push_body;
use crate::host::push_host;
use crate::popularity::Popularity;
use crate::profile::Profile;
use crate::sharing::Sharing;
use crate::stream::UrlStream;
use crate::url::{push_url, site_key};

/// A collection of robots.txt files and a frontier of URLs. Everything about them is a function of these numbers.
///
/// Sites are numbered from 0 to `sites`, policies (different robots.txt files) from 0 to `distinct_policies`. A larger
/// collection of the same seed has other hosts' names in its files; the rules of a policy stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The same seed makes the same bytes, on every machine.
    pub seed: u64,
    /// Sites of the collection; each has a host of its own.
    pub sites: u64,
    /// Different robots.txt files among them; no more than there are sites. Fewer are shared: a few of them by very
    /// many sites, most by one or two.
    pub distinct_policies: u64,
    /// URLs of the frontier.
    pub urls: u64,
}

/// In which order a frontier names its sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All URLs of the first site, then all of the next one.
    Grouped,
    /// Each URL is one of any site.
    Shuffled,
}

impl Spec {
    /// A small collection: 10,000 sites and 100,000 URLs.
    pub fn new(seed: u64) -> Self {
        Spec { seed, sites: 0, distinct_policies: 0, urls: 100_000 }.with_sites(10_000)
    }

    /// So many sites, and as many different files among them as real collections have: 44 of 100.
    #[must_use]
    pub fn with_sites(mut self, sites: u64) -> Self {
        const DISTINCT_OF_THOUSAND: u64 = 441;
        self.sites = sites;
        self.distinct_policies =
            sites / 1000 * DISTINCT_OF_THOUSAND + sites % 1000 * DISTINCT_OF_THOUSAND / 1000;
        self.distinct_policies = self.distinct_policies.max(1);
        self
    }

    /// So many different files.
    #[must_use]
    pub fn with_distinct_policies(mut self, distinct_policies: u64) -> Self {
        self.distinct_policies = distinct_policies;
        self
    }

    /// So many URLs.
    #[must_use]
    pub fn with_urls(mut self, urls: u64) -> Self {
        self.urls = urls;
        self
    }

    /// The policy of a site. Every policy is some site's.
    pub fn policy_of(&self, site: u64) -> u64 {
        self.sharing().policy_of(site)
    }

    /// Appends the bytes of a policy's robots.txt, different from those of every other policy.
    pub fn body(&self, policy: u64, out: &mut Vec<u8>) {
        let mut home = Vec::new();
        self.host(self.sharing().home_of(policy), &mut home);
        push_body(&self.profile(policy), &home, out);
    }

    /// Appends the host of a site, under a name that is reserved for examples.
    pub fn host(&self, site: u64, out: &mut Vec<u8>) {
        push_host(self.seed, site, out);
    }

    /// Appends the `n`th URL of a site. There is one for every number; few are the same.
    ///
    /// Where the site has rules for every crawler, some URLs are made from them: they match, or miss by a letter.
    pub fn url(&self, site: u64, n: u64, out: &mut Vec<u8>) {
        let mut host = Vec::new();
        self.host(site, &mut host);
        push_url(site_key(self.seed, site), n, &host, &self.profile(self.policy_of(site)), out);
    }

    /// The frontier, site by site. Popular sites have very many URLs of it, most sites few or none.
    pub fn urls_grouped(&self) -> UrlStream {
        UrlStream::new(*self, Order::Grouped)
    }

    /// The frontier in no order: each URL is one of a site drawn at random, popular sites more often.
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

    /// What a crawler that no group names may do with nearly every page of the site.
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
