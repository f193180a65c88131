//! Processes that tools watch.

use std::process::{Child, ExitStatus};
use std::time::Duration;
use std::{fs, io, thread};

/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits until a process ends, and asks `goes_on` meanwhile. Kills it when that says no; then there is no status.
///
/// # Errors
/// If the process cannot be waited for, or killed.
pub fn ended(child: &mut Child, mut goes_on: impl FnMut(&Child) -> bool) -> io::Result<Option<ExitStatus>> {
    loop {
        let may_go_on = goes_on(child);
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if !may_go_on {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// The time of cores that a process used. Unlike the time since its start, it does not depend on other processes. None
/// where the system does not say, as only Linux does.
pub fn core_time(process: u32) -> Option<Duration> {
    const TICKS_A_SECOND: u64 = 100;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain spaces.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((next()? + next()?) * 1000 / TICKS_A_SECOND))
}

/// Memory of a process (its number, or `self`) in bytes, as Linux reports it: `VmRSS` is what is resident, `VmHWM` the most
/// that ever was. None elsewhere.
pub fn memory(process: &str, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_cores_is_that_of_work_alone() {
        let used = || core_time(std::process::id()).unwrap();
        let before = used();
        while used() == before {
            std::hint::spin_loop();
        }
        assert!(used() > before);
        assert_eq!(core_time(u32::MAX), None);
    }
}
