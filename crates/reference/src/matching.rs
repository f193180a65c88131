//! Matches patterns against targets (decisions P1, P2; RFC 9309, 2.2.2 and 2.2.3; Koster 1996, 3.2.2).

use crate::normal::Symbol;

#[cfg(test)]
thread_local! {
    /// The positions that this thread looked at, for tests of the bound.
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns whether `pattern`, anchored at the first byte, matches `target`.
///
/// After each symbol, `positions` holds, in ascending order, the positions in the target where the part of the pattern
/// read so far may have ended. For each symbol, at most one more position is looked at than the target is long; in a
/// pattern without `*`, one. The caller passes the set, empty or not, so that one allocation serves all rules of a file.
///
/// P2 needs no code here: every target begins with `/`, so a pattern that begins with neither `/` nor `*` fails at its
/// first symbol.
pub(crate) fn matches(pattern: &[Symbol], target: &[Symbol], positions: &mut Vec<usize>) -> bool {
    positions.clear();
    positions.push(0);
    for symbol in pattern {
        #[cfg(test)]
        STEPS.set(STEPS.get() + positions.len());
        match *symbol {
            Symbol::End => positions.retain(|&at| at == target.len()),
            Symbol::AnyRun => {
                let first = positions[0];
                positions.clear();
                positions.extend(first..=target.len());
            }
            Symbol::Byte(_) | Symbol::EncodedSlash => {
                positions.retain(|&at| target.get(at) == Some(symbol));
                positions.iter_mut().for_each(|at| *at += 1);
            }
        }
        if positions.is_empty() {
            return false;
        }
    }
    true
}

/// The positions that `check` looks at.
#[cfg(test)]
pub(crate) fn steps_of(check: impl FnOnce()) -> usize {
    let before = STEPS.get();
    check();
    STEPS.get() - before
}
