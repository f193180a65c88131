//! Notices units that do not end: an error of the engine can be a loop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::results::Kind;

/// How often the units are looked at. Looks are counted, not the time: a process that is stopped has no endless units.
const PAUSE: Duration = Duration::from_secs(1);

/// The units that run, each with how often it was seen.
type Running = Mutex<BTreeMap<(Kind, u64), u32>>;

/// A thread that looks at the units that run.
#[derive(Debug)]
pub struct Watch {
    running: Arc<Running>,
}

impl Watch {
    /// Calls `endless` with each unit that has run for so many seconds.
    pub fn start(seconds: u32, endless: impl Fn(Kind, u64) + Send + 'static) -> Watch {
        let running = Arc::<Running>::default();
        let watched = Arc::downgrade(&running);
        thread::spawn(move || {
            while let Some(running) = watched.upgrade() {
                for ((kind, seed), seen) in &mut *running.lock().unwrap_or_else(PoisonError::into_inner) {
                    *seen += 1;
                    if *seen == seconds {
                        endless(*kind, *seed);
                    }
                }
                drop(running);
                thread::sleep(PAUSE);
            }
        });
        Watch { running }
    }

    /// Runs a unit.
    pub fn run<T>(&self, kind: Kind, seed: u64, unit: impl FnOnce() -> T) -> T {
        /// Removes the unit, also after a panic.
        struct Entry<'w>(&'w Running, (Kind, u64));
        impl Drop for Entry<'_> {
            fn drop(&mut self) {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
            }
        }
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert((kind, seed), 0);
        let _entry = Entry(&self.running, (kind, seed));
        unit()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_unit_that_does_not_end_is_noticed_and_others_are_not() {
        let (noticed, units) = mpsc::channel();
        let watch = Watch::start(2, move |kind, seed| noticed.send((kind, seed)).unwrap());
        watch.run(Kind::Usages, 1, || ());
        let panicked = catch_unwind(AssertUnwindSafe(|| watch.run(Kind::Usages, 2, || panic!("a test"))));
        assert!(panicked.is_err());
        // This unit only ends because it is noticed.
        assert_eq!(watch.run(Kind::Blocks, 3, || units.recv().unwrap()), (Kind::Blocks, 3));
        drop(watch);
        assert!(units.recv().is_err(), "no other unit is noticed");
    }
}
