//! What applies while attempts fail (F15).

use robomata_protocol::lifecycle::{Applies, Ground, Moment, SiteHealth, Situation};

use super::freshness::later;

/// A stage of a run of failures.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The end of the stage, in seconds after the first failure of the run; `None` when it has no end.
    pub(super) ends: Option<i64>,
    /// What applies within it.
    pub(super) stand: StandBy,
}

/// The fact that decides what applies in a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StandBy {
    /// Whether there is a last good copy.
    Copy { with: Stand, without: Stand },
    /// Whether the rest of the site is known to be available.
    Site { available: Stand, otherwise: Stand },
}

/// What applies, and the ground for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    pub(super) applies: Applies,
    pub(super) ground: Ground,
}

impl Stage {
    pub(super) const fn new(ends: Option<i64>, with: Stand, without: Stand) -> Self {
        Stage { ends, stand: StandBy::Copy { with, without } }
    }

    /// Whether it is over at `at`, in a run of failures since `since`.
    fn is_over(&self, since: Moment, at: Moment) -> bool {
        self.ends.is_some_and(|ends| later(since, ends) <= at)
    }

    fn stand(&self, situation: &Situation) -> Stand {
        match (self.stand, situation.site) {
            (StandBy::Copy { with, .. }, _) if situation.good_copy.is_some() => with,
            (StandBy::Copy { without, .. }, _) => without,
            (StandBy::Site { available, .. }, SiteHealth::Available) => available,
            (StandBy::Site { otherwise, .. }, SiteHealth::Unknown | SiteHealth::Failing) => otherwise,
        }
    }
}

/// What applies at `now`, when attempts have failed since `since`, and until when. The run of failures lasts to the last
/// attempt: a stage is over when an attempt fails after its end. Skips stages that bring no change. The last of `stages`
/// has no end.
pub(crate) fn stand(
    stages: &[Stage],
    since: Moment,
    now: Moment,
    situation: &Situation,
) -> (Stand, Option<Moment>) {
    let is_over = |stage: &&Stage| stage.is_over(since, situation.attempt.at);
    let current = stages.iter().take_while(is_over).count().min(stages.len() - 1);
    let stand = stages[current].stand(situation);
    let same = stages[current..].iter().take_while(|stage| stage.stand(situation) == stand);
    let until = same.last().and_then(|stage| stage.ends).map(|ends| later(since, ends));
    // After the end of a stage, only another attempt changes what applies.
    (stand, until.filter(|&until| now < until))
}
