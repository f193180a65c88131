//! Reports sites whose captures are not ordered by their times.

use robomata_engine::Contests;

use crate::error::JobError;
use crate::events::Events;

/// Reports `contests`. Without a time, a capture that differs from a dated one may be the newer one, so it must not lose
/// silently.
pub(crate) fn require_ordered(contests: Contests, events: &mut dyn Events) -> Result<(), JobError> {
    let Contests { by_order, undated, first_undated } = contests;
    if let Some(site) = first_undated {
        return Err(JobError::UndatedCaptures { site, sites: undated });
    }
    if by_order > 0 {
        events.undated_captures(by_order);
    }
    Ok(())
}
