//! Matches patterns against targets (decisions P1, P2; RFC 9309, 2.2.2 and 2.2.3; Koster 1996, 3.2.2).

use crate::normal::Symbol;

/// Returns whether `pattern`, anchored at the first byte, matches `target`.
///
/// After each symbol, `positions` holds, in ascending order, the positions in the target where the part of the pattern
/// read so far may have ended. Time is at most the product of both lengths, for every pattern. The caller passes the
/// set, empty or not, so that one allocation serves all rules of a file.
///
/// P2 needs no code here: every target begins with `/`, so a pattern that begins with neither `/` nor `*` fails at its
/// first symbol.
pub(crate) fn matches(pattern: &[Symbol], target: &[Symbol], positions: &mut Vec<usize>) -> bool {
    positions.clear();
    positions.push(0);
    for symbol in pattern {
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
