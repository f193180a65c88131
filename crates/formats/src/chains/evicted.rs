//! Notices when a redirect that does not wait has lost a target in the source.

use std::collections::HashSet;

/// The targets of redirects that do not wait.
pub(super) struct Evicted {
    targets: HashSet<u64>,
    most: usize,
    /// The number of further targets.
    more: u64,
}

impl Evicted {
    /// Remembers at most `most` targets. Further ones count as lost.
    pub(super) fn new(most: usize) -> Self {
        Evicted { targets: HashSet::new(), most, more: 0 }
    }

    /// Records that a redirect does not wait for `target`.
    pub(super) fn add(&mut self, target: u64) {
        if self.targets.len() < self.most || self.targets.contains(&target) {
            self.targets.insert(target);
        } else {
            self.more += 1;
        }
    }

    /// The number of lost targets, of those that `may_be_captured`. It may be too small, but is 0 only if there is none.
    pub(super) fn lost(&self, may_be_captured: impl Fn(u64) -> bool) -> u64 {
        self.more + self.targets.iter().filter(|target| may_be_captured(**target)).count() as u64
    }
}
