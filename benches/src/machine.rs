//! The machine and the software versions of a measurement.

use std::fs;
use std::thread;

/// The machine and the compiler, as every row of a result names them.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The model's name, with the vector instructions that it has.
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) rustc: &'static str,
}

impl Machine {
    pub(crate) fn here() -> Self {
        Machine {
            cpu: format!("{} ({})", processor().as_deref().unwrap_or("unknown processor"), features()),
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

/// The instructions that make a difference to engines.
fn features() -> String {
    let mut found = vec![std::env::consts::ARCH];
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let known = [
            ("sse4.2", has!("sse4.2")),
            ("avx2", has!("avx2")),
            ("bmi2", has!("bmi2")),
            ("avx512bw", has!("avx512bw")),
        ];
        found.extend(known.into_iter().filter(|(_, here)| *here).map(|(name, _)| name));
    }
    found.join(" ")
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
