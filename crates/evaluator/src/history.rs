//! What a site said at some time.

use robomata_protocol::lifecycle::Moment;
use robomata_protocol::{Answer, FetchOutcome};

use crate::site::Site;
use crate::site_policy::{Decider, Workspace};
use crate::store::{PolicyStore, Seat, SiteVersions, outcome_of};
use crate::target::{Target, TargetBuffer};

/// What a site said from one time to another: its captures from `first` to `last` say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// When it was first captured; none when nobody knows.
    pub first: Option<Moment>,
    /// When it was last captured; none when nobody knows.
    pub last: Option<Moment>,
    /// What the fetch's end means. The rules speak only after a success.
    pub outcome: FetchOutcome,
}

impl Version {
    pub(crate) fn new((first, last): (i64, i64), decider: u32) -> Self {
        let moment = |time| (time > 0).then_some(Moment(time));
        Version { first: moment(first), last: moment(last), outcome: outcome_of(decider) }
    }
}

/// Checks URLs for one crawler against what their sites said at some time. One for each thread: it remembers the last
/// site.
///
/// Which version counts is for the caller to say: see the life-cycle of the crate `robomata`.
#[derive(Debug)]
pub struct HistoryChecker<'s> {
    store: &'s PolicyStore,
    seat: Seat,
    /// Empty before the first one.
    site: Vec<u8>,
    held: SiteVersions,
    versions: Vec<Version>,
    /// The version that was asked for last.
    decider: Option<(usize, Decider<'s>)>,
    workspace: Workspace,
    buffer: TargetBuffer,
}

impl<'s> HistoryChecker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, seat: Seat) -> Self {
        HistoryChecker {
            store,
            seat,
            site: Vec::new(),
            held: SiteVersions::default(),
            versions: Vec::new(),
            decider: None,
            workspace: Workspace::default(),
            buffer: TargetBuffer::default(),
        }
    }

    /// The versions of the URL's site, the oldest first. None when the store does not know it, or it is no absolute
    /// URL.
    pub fn versions(&mut self, url: &[u8]) -> &[Version] {
        match Site::of_url(url) {
            Ok(site) => {
                self.visit(&site);
                &self.versions
            }
            Err(_) => &[],
        }
    }

    /// The answer for `url` by a version of its site, as [`HistoryChecker::versions`] counts them: `invalid` when it is no
    /// absolute URL, `unknown` when there is no such version.
    pub fn check(&mut self, url: &[u8], version: usize) -> Answer {
        let dialect = self.store.dialect();
        let Ok(site) = Site::of_url(url) else { return Answer::Invalid };
        let Some(target) = Target::read(url, dialect) else { return Answer::Invalid };
        self.visit(&site);
        let Some(decider) = self.decider(version) else { return Answer::Unknown };
        self.decider = Some((version, decider));
        let Some((_, decider)) = &self.decider else { return Answer::Unknown };
        decider.answer(target.normal(dialect, &mut self.buffer), dialect, &mut self.workspace)
    }

    /// The rule on `line` of a version of the URL's site, as `Disallow: /private` with the pattern in its normal form; none
    /// when there is none, and when more than rules decide.
    pub fn rule(&mut self, url: &[u8], version: usize, line: u32) -> Option<String> {
        self.visit(&Site::of_url(url).ok()?);
        let &(_, decider) = self.held.get(version)?;
        let rules = self.store.rules(decider, &self.seat)?;
        rules.iter().find(|rule| rule.line == line).map(ToString::to_string)
    }

    fn visit(&mut self, site: &Site<'_>) {
        if site.as_octets() == self.site {
            return;
        }
        self.site.clear();
        self.site.extend_from_slice(site.as_octets());
        self.decider = None;
        self.held = self.store.versions_of(site, self.seat.column);
        self.versions.clear();
        self.versions.extend(self.held.iter().map(|&(times, decider)| Version::new(times, decider)));
    }

    fn decider(&mut self, version: usize) -> Option<Decider<'s>> {
        match self.decider.take() {
            Some((known, decider)) if known == version => Some(decider),
            _ => Some(self.store.numbered_decider(self.held.get(version)?.1, &self.seat)),
        }
    }
}
