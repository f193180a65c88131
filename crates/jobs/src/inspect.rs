//! What is in a bundle.

use std::cmp::Reverse;

use robomata::protocol::lifecycle::Moment;
use robomata::{Crawler, FetchOutcome, PolicyStore, Site, StoreParts, Version};
use serde::Serialize;

/// What is in a bundle; found out by going through all of it.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The dialect of its policies.
    pub dialect: &'static str,
    /// The usage that it answers about.
    pub usage: &'static str,
    /// The purpose of the usage.
    pub purpose: Option<String>,
    /// The crawlers that it answers for; none of them: for every crawler.
    pub crawlers: Vec<String>,
    /// Bytes of the file.
    pub bytes: usize,
    /// Bytes by what they are for.
    pub sections: Sections,
    /// Sites.
    pub sites: u64,
    /// Sites by what their newest capture's end means.
    pub outcomes: Outcomes,
    /// Versions of all sites together.
    pub versions: u64,
    /// Versions of the site that has most.
    pub most_versions: Option<Share>,
    /// When the oldest and the newest capture were made, where that is known.
    pub captured: Option<(String, String)>,
    /// Different programs.
    pub programs: usize,
    /// Uses of programs by the newest versions of sites, for all crawlers.
    pub program_uses: u64,
    /// Bodies whose programs it knows.
    pub bodies: usize,
    /// The programs that most sites use.
    pub most_shared: Vec<ProgramShare>,
    /// The largest programs.
    pub largest: Vec<ProgramShare>,
}

/// Bytes by what they are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sections {
    /// What the bundle says of itself.
    pub header: usize,
    /// The look-up of sites.
    pub slots: usize,
    /// The sites' names, versions, and what decides for them.
    pub sites: usize,
    /// Where programs lie.
    pub index: usize,
    /// The programs.
    pub programs: usize,
    /// Digests of bodies.
    pub bodies: usize,
}

/// Sites by what their newest capture's end means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcomes {
    /// The rules decide.
    pub rules: u64,
    /// Unavailable: everything is allowed.
    pub unavailable: u64,
    /// Unreachable or restricted: everything is disallowed.
    pub disallowed: u64,
    /// Everything waits.
    pub deferred: u64,
    /// Redirected to where nobody looked.
    pub redirected: u64,
}

/// How many of something a site has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The site.
    pub site: String,
    /// How many.
    pub count: usize,
}

/// A program, and who uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramShare {
    /// Its bytes.
    pub bytes: usize,
    /// Sites whose newest version uses it, once for each crawler.
    pub uses: u32,
    /// The first of these sites by name.
    pub site: String,
}

/// What a bundle holds of one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteInspection {
    /// The site.
    pub site: String,
    /// Its versions, the oldest first.
    pub versions: Vec<VersionInspection>,
}

/// A version of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VersionInspection {
    /// When it was first captured.
    pub first: Option<String>,
    /// When it was last captured.
    pub last: Option<String>,
    /// What the fetch's end means.
    pub outcome: &'static str,
}

/// Goes through all of `store`, and names `top` programs of each kind.
pub fn inspect(store: &PolicyStore, top: usize) -> Inspection {
    let mut census = Census::new(store);
    for entry in store.sites() {
        census.add(&entry.site(), &entry.versions(), entry.programs());
    }
    let kind = store.kind();
    let crawlers = match &kind.audience {
        robomata::Audience::Crawlers(crawlers) => crawlers.iter().map(Crawler::to_string).collect(),
        robomata::Audience::Everyone => Vec::new(),
    };
    let used: u64 = census.uses.iter().map(|&uses| u64::from(uses)).sum();
    Inspection {
        dialect: kind.dialect.as_str(),
        usage: kind.usage_query.usage.as_str(),
        purpose: kind.usage_query.purpose.clone(),
        crawlers,
        bytes: store.bytes().len(),
        sections: sections(store),
        sites: census.sites,
        outcomes: census.outcomes,
        versions: census.versions,
        most_versions: census.most_versions.clone(),
        captured: census.captured.map(|(first, last)| (first.to_string(), last.to_string())),
        programs: store.program_count(),
        program_uses: used,
        bodies: store.body_count(),
        most_shared: census.top(top, |census, number| u64::from(census.uses[number])),
        largest: census.top(top, |census, number| census.bytes(number) as u64),
    }
}

/// What `store` holds of the site of `url`; none when it does not know it.
///
/// # Errors
/// When `url` is no absolute URL: then the error says what was expected.
pub fn inspect_site(store: &PolicyStore, url: &str) -> Result<Option<SiteInspection>, robomata::SiteError> {
    let site = Site::of_url(url.as_bytes())?;
    let crawler = match store.audience() {
        robomata::Audience::Crawlers(crawlers) => crawlers[0].clone(),
        robomata::Audience::Everyone => Crawler::new("*"),
    };
    let mut checker = store.history_checker(&crawler).expect("the store's own crawler");
    let versions: Vec<VersionInspection> = checker.versions(url.as_bytes()).iter().map(version).collect();
    Ok((!versions.is_empty()).then(|| SiteInspection { site: site.to_string(), versions }))
}

fn version(version: &Version) -> VersionInspection {
    VersionInspection {
        first: version.first.map(|moment| moment.to_string()),
        last: version.last.map(|moment| moment.to_string()),
        outcome: version.outcome.as_str(),
    }
}

fn sections(store: &PolicyStore) -> Sections {
    let StoreParts { slots, sites, index, programs, bodies } = store.parts();
    let header = store.bytes().len() - slots - sites - index - programs - bodies;
    Sections { header, slots, sites, index, programs, bodies }
}

/// What is counted on the way through all sites.
struct Census<'s> {
    store: &'s PolicyStore,
    sites: u64,
    versions: u64,
    most_versions: Option<Share>,
    captured: Option<(Moment, Moment)>,
    outcomes: Outcomes,
    /// By program.
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
        self.sites += 1;
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

    /// The programs with the greatest `key`, the earlier ones first where it is the same.
    fn top(&self, count: usize, key: impl Fn(&Self, usize) -> u64) -> Vec<ProgramShare> {
        let mut best: Vec<(Reverse<u64>, usize)> = Vec::with_capacity(count + 1);
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
