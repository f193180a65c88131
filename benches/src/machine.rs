//! Where and with what the numbers came about.

use std::fs;
use std::thread;

/// The crates that are compared, by their names in the manifest.
const PEERS: [&str; 4] = ["fast-robots", "texting_robots", "robotxt", "robotstxt"];

/// One line: processor, compiler, versions.
pub(crate) fn line() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut line = format!(
        "machine: {} ({cores} cores); {}; robomata {}",
        processor().as_deref().unwrap_or("unknown processor"),
        env!("RUSTC_VERSION"),
        env!("CARGO_PKG_VERSION"),
    );
    for peer in PEERS {
        line.push_str(&format!(", {peer} {}", pinned(peer).unwrap_or("unknown")));
    }
    if cfg!(debug_assertions) {
        line.push_str("; DEBUG BUILD: the times mean nothing");
    }
    line
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The version that the manifest pins.
fn pinned(name: &str) -> Option<&'static str> {
    let manifest = include_str!("../Cargo.toml");
    let line = manifest.lines().find(|line| line.split(' ').next() == Some(name))?;
    line.split_once("\"=")?.1.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_pinned() {
        assert_eq!(pinned("fast-robots"), Some("0.1.5"));
        assert!(PEERS.iter().all(|peer| pinned(peer).is_some()));
    }
}
