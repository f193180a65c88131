//! Describes the contents of a bundle.

use std::cmp::Reverse;

use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::{
    Crawler, Dialect, FetchOutcome, PolicyStore, ShardNumber, Site, StoreParts, Usage, Version,
};
use serde::Serialize;

/// The contents of a bundle, from a walk through all of it.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// Which shard of a bundle it is; none if it is undivided.
    pub shard: Option<ShardNumber>,
    /// The dialect of its policies.
    pub dialect: Dialect,
    /// The usage that its answers are about.
    pub usage: Usage,
    /// The purpose of the usage.
    pub purpose: Option<String>,
    /// The crawlers that it was compiled for; empty means every crawler.
    pub crawlers: Vec<Crawler>,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// The fingerprint, as in a pin.
    pub fingerprint: String,
    /// The size of each section in bytes.
    pub sections: Sections,
    /// The number of sites with a robots.txt.
    pub sites: u64,
    /// The number of sites with a tdmrep.json.
    pub tdmreps: usize,
    /// Counts of sites by the fetch outcome of their newest capture.
    pub outcomes: Outcomes,
    /// The number of versions of all sites together.
    pub versions: u64,
    /// The site with the most versions.
    pub most_versions: Option<Share>,
    /// The times of the oldest and the newest capture, if known.
    pub captured: Option<(Moment, Moment)>,
    /// The number of different programs.
    pub programs: usize,
    /// The number of uses of programs by the newest versions of sites, for all crawlers.
    pub program_uses: u64,
    /// The number of bodies with known programs.
    pub bodies: usize,
    /// The programs that are used by most sites.
    pub most_shared: Vec<ProgramShare>,
    /// The largest programs.
    pub largest: Vec<ProgramShare>,
}

/// The size of each section in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sections {
    /// The bundle's header.
    pub header: usize,
    /// The other sections.
    #[serde(flatten)]
    pub parts: StoreParts,
}

/// Counts of sites by the fetch outcome of their newest capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcomes {
    /// Success: the rules decide.
    pub rules: u64,
    /// Unavailable: everything is allowed.
    pub unavailable: u64,
    /// Unreachable or restricted: everything is disallowed.
    pub disallowed: u64,
    /// Deferred: everything waits.
    pub deferred: u64,
    /// Redirected to a target that was not fetched.
    pub redirected: u64,
}

/// A count for one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The site.
    pub site: String,
    /// The count.
    pub count: usize,
}

/// A program and its uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramShare {
    /// The size of the program in bytes.
    pub bytes: usize,
    /// The number of sites whose newest version uses it, once for each crawler.
    pub uses: u32,
    /// The first such site by name.
    pub site: String,
}

/// The contents of a bundle for one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteInspection {
    /// The site.
    pub site: String,
    /// The versions of its robots.txt, oldest first.
    pub versions: Vec<Version>,
    /// Those of its tdmrep.json.
    pub tdmreps: Vec<Version>,
}

/// Walks through all of `store`. Lists `top` programs of each kind.
pub fn inspect(store: &PolicyStore, top: usize) -> Inspection {
    let mut census = Census::new(store);
    for entry in store.sites() {
        census.add(&entry.site(), &entry.versions(), entry.programs());
    }
    let kind = store.kind();
    let crawlers = match &kind.audience {
        robomata_engine::Audience::Crawlers(crawlers) => crawlers.clone(),
        robomata_engine::Audience::Everyone => Vec::new(),
    };
    let used: u64 = census.uses.iter().map(|&uses| u64::from(uses)).sum();
    Inspection {
        shard: store.shard(),
        dialect: kind.dialect,
        usage: kind.usage_query.usage,
        purpose: kind.usage_query.purpose.clone(),
        crawlers,
        bytes: store.bytes().len(),
        fingerprint: store.fingerprint().to_string(),
        sections: sections(store),
        sites: census.sites,
        tdmreps: store.tdmrep_count(),
        outcomes: census.outcomes,
        versions: census.versions,
        most_versions: census.most_versions.clone(),
        captured: census.captured,
        programs: store.program_count(),
        program_uses: used,
        bodies: store.body_count(),
        most_shared: census.top(top, |census, number| u64::from(census.uses[number])),
        largest: census.top(top, |census, number| census.bytes(number) as u64),
    }
}

/// The contents of `store` for the site of `url`; none if the site is unknown.
///
/// # Errors
/// When `url` is not an absolute URL. The error says what was expected.
pub fn inspect_site(
    store: &PolicyStore,
    url: &str,
) -> Result<Option<SiteInspection>, robomata_engine::SiteError> {
    let site = Site::of_url(url.as_bytes())?;
    if !store.holds(&site) {
        return Ok(None);
    }
    let crawler = match store.audience() {
        robomata_engine::Audience::Crawlers(crawlers) => crawlers[0].clone(),
        robomata_engine::Audience::Everyone => Crawler::new("*"),
    };
    let mut checker = store.history_checker(&crawler).expect("the store's own crawler");
    let Ok(versions) = checker.versions(url.as_bytes());
    let (versions, tdmreps) = (versions.to_vec(), store.tdmrep_versions(&site));
    Ok(Some(SiteInspection { site: site.to_string(), versions, tdmreps }))
}

fn sections(store: &PolicyStore) -> Sections {
    let parts @ StoreParts { slots, sites, index, programs, schedules, tdmreps, bodies } = store.parts();
    let header = store.bytes().len() - slots - sites - index - programs - schedules - tdmreps - bodies;
    Sections { header, parts }
}

/// Running counts over all sites.
struct Census<'s> {
    store: &'s PolicyStore,
    sites: u64,
    versions: u64,
    most_versions: Option<Share>,
    captured: Option<(Moment, Moment)>,
    outcomes: Outcomes,
    /// Uses by program.
    uses: Vec<u32>,
}

impl<'s> Census<'s> {
    fn new(store: &'s PolicyStore) -> Self {
        Census {
            store,
            sites: 0,
            versions: 0,
            most_versions: None,
            captured: None,
            outcomes: Outcomes::default(),
            uses: vec![0; store.program_count()],
        }
    }

    fn add(&mut self, site: &str, versions: &[Version], programs: impl Iterator<Item = u32>) {
        // The tdmrep.json of a site can be there alone.
        self.sites += u64::from(!versions.is_empty());
        self.versions += versions.len() as u64;
        let more = match &self.most_versions {
            None => true,
            Some(most) => (Reverse(most.count), most.site.as_str()) > (Reverse(versions.len()), site),
        };
        if more {
            self.most_versions = Some(Share { site: site.to_owned(), count: versions.len() });
        }
        for moment in versions.iter().flat_map(|version| [version.first, version.last]).flatten() {
            let (first, last) = self.captured.unwrap_or((moment, moment));
            self.captured = Some((first.min(moment), last.max(moment)));
        }
        if let Some(newest) = versions.last() {
            *match newest.outcome {
                FetchOutcome::Success => &mut self.outcomes.rules,
                FetchOutcome::Unavailable => &mut self.outcomes.unavailable,
                FetchOutcome::Unreachable | FetchOutcome::Restricted => &mut self.outcomes.disallowed,
                FetchOutcome::Deferred => &mut self.outcomes.deferred,
                FetchOutcome::Redirected => &mut self.outcomes.redirected,
            } += 1;
        }
        for program in programs {
            self.uses[program as usize] += 1;
        }
    }

    fn bytes(&self, program: usize) -> usize {
        let number = u32::try_from(program).unwrap_or(u32::MAX);
        self.store.program_bytes_of(number).map_or(0, <[u8]>::len)
    }

    /// The programs with the greatest `key`; among equal keys, earlier programs first.
    fn top(&self, count: usize, key: impl Fn(&Self, usize) -> u64) -> Vec<ProgramShare> {
        let mut best: Vec<(Reverse<u64>, usize)> = Vec::with_capacity(count.min(self.uses.len()) + 1);
        for program in (0..self.uses.len()).filter(|&program| self.uses[program] > 0) {
            let item = (Reverse(key(self, program)), program);
            let at = best.partition_point(|other| *other < item);
            if at < count {
                best.insert(at, item);
                best.truncate(count);
            }
        }
        let wanted: Vec<u32> =
            best.iter().map(|&(_, program)| u32::try_from(program).unwrap_or(u32::MAX)).collect();
        let mut sites: Vec<Option<String>> = vec![None; wanted.len()];
        for entry in self.store.sites() {
            for program in entry.programs() {
                let Some(at) = wanted.iter().position(|&wanted| wanted == program) else { continue };
                let site = entry.site();
                if sites[at].as_ref().is_none_or(|known| *known > site) {
                    sites[at] = Some(site);
                }
            }
        }
        best.iter()
            .zip(sites)
            .map(|(&(_, program), site)| ProgramShare {
                bytes: self.bytes(program),
                uses: self.uses[program],
                site: site.unwrap_or_default(),
            })
            .collect()
    }
}
