//! Tracks which programs of a store are validated, as long as the whole store is not.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::damage::CorruptBundleError;

/// Programs are marked at their first use. Every thread would compute the same mark, so the order of the writes does
/// not matter.
pub(super) struct ValidationState {
    /// Whether the whole store is validated.
    whole: AtomicBool,
    /// The first damage found.
    damage: OnceLock<CorruptBundleError>,
    /// Two bits for each program: SOUND, DAMAGED.
    marks: Box<[AtomicU64]>,
}

const SOUND: u64 = 0b01;
const DAMAGED: u64 = 0b10;
const PROGRAMS_OF_WORD: usize = 32;

impl ValidationState {
    /// The state of a store that is known to be valid.
    pub(super) fn whole() -> Self {
        ValidationState { whole: AtomicBool::new(true), ..ValidationState::new(0) }
    }

    /// The state of a store with this number of programs, none of which is validated yet.
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

    /// The first damage found.
    pub(super) fn damage(&self) -> Option<&CorruptBundleError> {
        self.damage.get()
    }

    #[cold]
    pub(super) fn report(&self, damage: CorruptBundleError) {
        // Only the first damage is kept.
        let _ = self.damage.set(damage);
    }

    /// Whether this program is valid. Validates it if that is not known yet.
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
