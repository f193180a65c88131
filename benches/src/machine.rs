//! The machine and the software versions of a measurement.

use std::fs;
use std::thread;

/// The machine and the compiler, as every row of a result names them.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) rustc: &'static str,
}

impl Machine {
    pub(crate) fn here() -> Self {
        Machine {
            cpu: processor().unwrap_or_else(|| "unknown processor".to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            rustc: env!("RUSTC_VERSION"),
        }
    }
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The version of an engine: for peers the one pinned in the manifest, otherwise this workspace's.
pub(crate) fn version(engine: &str) -> &str {
    let library = engine.split('/').next().unwrap_or(engine);
    match library {
        "robomata" => env!("CARGO_PKG_VERSION"),
        _ => pinned(library).unwrap_or(""),
    }
}

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
        assert_eq!(version("fast-robots/parsed"), "0.1.5");
        for peer in ["texting_robots", "robotxt", "robotstxt", "aho-corasick", "regex-automata"] {
            assert!(!version(peer).is_empty(), "{peer}");
        }
        assert_eq!(version("cat"), "");
    }
}
