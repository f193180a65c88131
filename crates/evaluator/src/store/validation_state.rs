//! What is known of the programs of a store that was not validated whole.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::damage::CorruptBundleError;

/// Programs are marked when they are first used. A mark only ever says what anybody would find out again, so threads
/// need not agree on an order.
pub(super) struct ValidationState {
    /// Is everything known to be sound?
    whole: AtomicBool,
    /// The first damage that anybody met.
    damage: OnceLock<CorruptBundleError>,
    /// Two bits for each program: SOUND, DAMAGED.
    marks: Box<[AtomicU64]>,
}

const SOUND: u64 = 0b01;
const DAMAGED: u64 = 0b10;
const PROGRAMS_OF_WORD: usize = 32;

impl ValidationState {
    /// Of a store that is known to be sound.
    pub(super) fn whole() -> Self {
        ValidationState { whole: AtomicBool::new(true), ..ValidationState::new(0) }
    }

    /// Of a store with so many programs, none of which has been looked at.
    pub(super) fn new(programs: usize) -> Self {
        let words = programs.div_ceil(PROGRAMS_OF_WORD);
        ValidationState {
            whole: AtomicBool::new(false),
            damage: OnceLock::new(),
            marks: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.whole.load(Ordering::Relaxed)
    }

    pub(super) fn set_whole(&self) {
        self.whole.store(true, Ordering::Relaxed);
    }

    /// The first damage that was met.
    pub(super) fn damage(&self) -> Option<&CorruptBundleError> {
        self.damage.get()
    }

    #[cold]
    pub(super) fn report(&self, damage: CorruptBundleError) {
        // Of several only the first is kept.
        let _ = self.damage.set(damage);
    }

    /// Is this program sound? It is validated when nobody knows as yet.
    #[inline]
    pub(super) fn is_sound(
        &self,
        program: usize,
        validate: impl FnOnce() -> Result<(), CorruptBundleError>,
    ) -> bool {
        let Some(word) = self.marks.get(program / PROGRAMS_OF_WORD) else { return false };
        let shift = 2 * (program % PROGRAMS_OF_WORD);
        match word.load(Ordering::Relaxed) >> shift & (SOUND | DAMAGED) {
            0 => self.find_out(word, shift, validate),
            mark => mark == SOUND,
        }
    }

    #[cold]
    fn find_out(
        &self,
        word: &AtomicU64,
        shift: usize,
        validate: impl FnOnce() -> Result<(), CorruptBundleError>,
    ) -> bool {
        let validated = validate();
        let is_sound = validated.is_ok();
        word.fetch_or(if is_sound { SOUND } else { DAMAGED } << shift, Ordering::Relaxed);
        if let Err(damage) = validated {
            self.report(damage);
        }
        is_sound
    }
}
