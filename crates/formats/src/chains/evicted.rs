//! Notices when a redirect that no longer waits has lost a target in the source.

use std::collections::HashSet;

/// The targets of redirects that no longer wait.
pub(super) struct Evicted {
    targets: HashSet<u64>,
    most: usize,
    lost: u64,
}

impl Evicted {
    /// Remembers at most `most` targets. Further ones count as lost.
    pub(super) fn new(most: usize) -> Self {
        Evicted { targets: HashSet::new(), most, lost: 0 }
    }

    /// Records that a redirect no longer waits for `target`, which `was_captured` before.
    pub(super) fn add(&mut self, target: u64, was_captured: bool) {
        let has_room = self.targets.len() < self.most || self.targets.contains(&target);
        if has_room && !was_captured {
            self.targets.insert(target);
        } else {
            self.lost += 1;
        }
    }

    /// Records that `target` is captured.
    pub(super) fn found(&mut self, target: u64) {
        self.lost += u64::from(self.targets.remove(&target));
    }

    /// Returns whether no target matters.
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns the number of lost targets, once. It may be too small, but is 0 only if no target was captured.
    pub(super) fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }
}
