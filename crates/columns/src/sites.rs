//! The sites of a bundle.

use robomata_engine::{
    FetchOutcome, Moment, PolicySet, PolicySetError, PolicyStore, Site, SiteEntry, requestable,
};

/// A site with a robots.txt in the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// The site in normal form: `https://example.com`.
    pub site: String,
    /// The outcome of the newest robots.txt fetch. The rules apply only after a success.
    pub outcome: FetchOutcome,
    /// The time of the first capture; none if unknown.
    pub first: Option<Moment>,
    /// The time of the last capture; none if unknown.
    pub last: Option<Moment>,
    /// The number of stored versions.
    pub versions: usize,
}

/// The sites of a bundle with a robots.txt, in an arbitrary order. Opens each shard when the iterator reaches it.
pub fn sites(policies: &PolicySet) -> impl Iterator<Item = Result<SiteSummary, PolicySetError>> {
    policies.stores().flat_map(|store| {
        let (store, error) = match store {
            Ok(store) => (Some(store), None),
            Err(error) => (None, Some(Err(error))),
        };
        let summaries =
            store.into_iter().flat_map(PolicyStore::sites).filter_map(|site| summary(&site).map(Ok));
        error.into_iter().chain(summaries)
    })
}

/// The number of sites. Opens all shards.
///
/// # Errors
/// Fails when a shard cannot be opened.
pub fn site_count(policies: &PolicySet) -> Result<usize, PolicySetError> {
    policies.stores().map(|store| Ok(store?.site_count())).sum()
}

/// Returns whether the bundle contains the site of `url`, or both sites of a host name.
///
/// # Errors
/// Fails when its shard cannot be opened.
pub fn holds(policies: &PolicySet, url: &[u8]) -> Result<bool, PolicySetError> {
    let host = std::str::from_utf8(url).ok().filter(|text| !text.contains("://"));
    let sites = match (host.map(Site::named), requestable(url).map(Site::of_url)) {
        (Some(Ok((sites, _))), _) => sites,
        (None, Some(Ok(site))) => vec![site],
        _ => return Ok(false),
    };
    for site in sites {
        if !policies.store_of(&site)?.holds(&site) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `None` for a site whose tdmrep.json alone was captured.
fn summary(site: &SiteEntry<'_>) -> Option<SiteSummary> {
    let versions = site.versions();
    Some(SiteSummary {
        site: site.site(),
        outcome: versions.last()?.outcome,
        first: versions.iter().find_map(|version| version.first),
        last: versions.iter().rev().find_map(|version| version.last),
        versions: versions.len(),
    })
}
