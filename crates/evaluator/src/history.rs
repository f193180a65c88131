//! What a site's robots.txt said at a given time.

use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, FetchOutcome};

use crate::site::Site;
use crate::site_policy::{CheckScratch, CompiledPolicy};
use crate::store::{CrawlerSlot, PolicyStore, SiteVersions, outcome_of};
use crate::target::{Target, TargetBuffer};

/// A version of a site's robots.txt: its captures from `first` to `last` have the same rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Checks URLs for one crawler against earlier versions of their sites' policies. Each thread has its own checker: it
/// remembers the last site.
///
/// The caller chooses the version: see the life cycle in the crate `robomata`.
#[derive(Debug)]
pub struct HistoryChecker<'s> {
    store: &'s PolicyStore,
    slot_of_crawler: CrawlerSlot,
    /// Empty before the first site.
    site: Vec<u8>,
    held: SiteVersions,
    versions: Vec<Version>,
    /// The last version that was used.
    compiled_policy: Option<(usize, CompiledPolicy<'s>)>,
    workspace: CheckScratch,
    buffer: TargetBuffer,
}

impl<'s> HistoryChecker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, slot_of_crawler: CrawlerSlot) -> Self {
        HistoryChecker {
            store,
            slot_of_crawler,
            site: Vec::new(),
            held: SiteVersions::default(),
            versions: Vec::new(),
            compiled_policy: None,
            workspace: CheckScratch::default(),
            buffer: TargetBuffer::default(),
        }
    }

    /// The versions of the URL's site, the oldest first. Empty when the store does not know the site, or `url` is not
    /// an absolute URL.
    pub fn versions(&mut self, url: &[u8]) -> &[Version] {
        match Site::of_url(url) {
            Ok(site) => {
                self.visit(&site);
                &self.versions
            }
            Err(_) => &[],
        }
    }

    /// The answer for `url` by the version of its site with this index in [`HistoryChecker::versions`]: `invalid` if
    /// `url` is not an absolute URL, `unknown` if there is no such version.
    pub fn check(&mut self, url: &[u8], version: usize) -> Answer {
        let dialect = self.store.dialect();
        let Ok(site) = Site::of_url(url) else { return Answer::Invalid };
        let Some(target) = Target::read(url, dialect) else { return Answer::Invalid };
        self.visit(&site);
        let Some(compiled_policy) = self.compiled_policy(version) else { return Answer::Unknown };
        self.compiled_policy = Some((version, compiled_policy));
        let Some((_, compiled_policy)) = &self.compiled_policy else { return Answer::Unknown };
        compiled_policy.answer(target.normal(dialect, &mut self.buffer), dialect, &mut self.workspace)
    }

    /// The rule on `line` of a version of the URL's site, as `Disallow: /private` with the pattern in its normal form.
    /// `None` when there is no such rule, and when more than rules decide.
    pub fn rule(&mut self, url: &[u8], version: usize, line: u32) -> Option<String> {
        self.visit(&Site::of_url(url).ok()?);
        let &(_, compiled_policy) = self.held.get(version)?;
        let rules = self.store.rules(compiled_policy, &self.slot_of_crawler)?;
        rules.iter().find(|rule| rule.line == line).map(ToString::to_string)
    }

    fn visit(&mut self, site: &Site<'_>) {
        if site.as_bytes() == self.site {
            return;
        }
        self.site.clear();
        self.site.extend_from_slice(site.as_bytes());
        self.compiled_policy = None;
        self.held = self.store.versions_of(site, self.slot_of_crawler.column);
        self.versions.clear();
        self.versions
            .extend(self.held.iter().map(|&(times, compiled_policy)| Version::new(times, compiled_policy)));
    }

    fn compiled_policy(&mut self, version: usize) -> Option<CompiledPolicy<'s>> {
        match self.compiled_policy.take() {
            Some((known, compiled_policy)) if known == version => Some(compiled_policy),
            _ => Some(self.store.numbered_compiled_policy(self.held.get(version)?.1, &self.slot_of_crawler)),
        }
    }
}
