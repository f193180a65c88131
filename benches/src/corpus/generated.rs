//! Corpora that the generator in `tools/corpus` makes from a seed.

use anyhow::{Result, bail};
use rayon::prelude::*;
use robomata_corpus::Spec;
use robomata_engine::Site;

use super::{Frontier, Line};

/// The specification of a profile. The same name gives the same bytes; a change here needs new answers.
pub(crate) fn spec(profile: &str) -> Result<Spec> {
    let (sites, distinct_policies, urls) = match profile {
        // For tests: seconds, even for the slowest engines.
        "small" => (300, 200, 6_000),
        // The size of one shard of a crawl.
        "shard" => (100_000, 40_000, 1_000_000),
        // A crawl's frontier: sites share files as in real collections.
        "frontier-1m" => return Ok(Spec::new(9309).with_sites(1_000_000).with_urls(10_000_000)),
        // Every site has its own policy, so nothing is shared or cached.
        "cold-100k" => (100_000, 100_000, 400_000),
        "cold-1m" => (1_000_000, 1_000_000, 2_000_000),
        // The size of a crawl's store: sites share files as in real collections. Too large for a corpus in memory.
        "sites-10m" => return Ok(Spec::new(9309).with_sites(10_000_000)),
        "sites-10k" => return Ok(Spec::new(9309).with_sites(10_000)),
        _ => bail!(
            "unknown profile '{profile}': expected small, shard, frontier-1m, cold-100k, cold-1m, sites-10k, sites-10m"
        ),
    };
    Ok(Spec::new(9309).with_sites(sites).with_distinct_policies(distinct_policies).with_urls(urls))
}

pub(super) fn frontier(profile: &str) -> Result<Frontier> {
    let spec = spec(profile)?;
    let mut frontier = Frontier { bodies: bodies(&spec), ..Frontier::default() };
    let body_of = |site: u64| u32::try_from(spec.policy_of(site));
    let mut host = Vec::new();
    for site in 0..spec.sites {
        host.clear();
        spec.host(site, &mut host);
        if let Ok([_, https]) = Site::both_of_host(&String::from_utf8_lossy(&host)) {
            frontier.sites.push((https.as_bytes().to_vec(), body_of(site)?));
        }
    }
    let mut urls = spec.urls_grouped();
    while let Some((site, url)) = urls.next() {
        // Engines that take text cannot check other URLs.
        if let Ok(url) = str::from_utf8(url) {
            frontier.lines.push(Line { body: body_of(site)?, url: url.to_owned(), recorded: None });
        }
    }
    Ok(frontier)
}

fn bodies(spec: &Spec) -> Vec<Vec<u8>> {
    let body = |policy| {
        let mut body = Vec::new();
        spec.body(policy, &mut body);
        body.shrink_to_fit();
        body
    };
    (0..spec.distinct_policies).into_par_iter().map(body).collect()
}
