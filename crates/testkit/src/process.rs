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

/// Memory of a process (its number, or `self`) in bytes, as Linux reports it: `VmRSS` is what is resident, `VmHWM` the most
/// that ever was. None elsewhere.
pub fn memory(process: &str, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
