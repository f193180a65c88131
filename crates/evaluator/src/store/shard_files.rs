//! The file names of a sharded bundle, and its manifest.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::fingerprint::Fingerprint;

/// The files of a sharded bundle: `PREFIX-00003-of-00016.bundle` and the others, and their manifest
/// `PREFIX-of-00016.shards`, which is written last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardFiles {
    prefix: PathBuf,
    shards: u32,
}

/// The fingerprints of all shards. They identify a shard from another run. As text, it has a line for each shard: the
/// fingerprint and the number of the shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardManifest(pub Vec<Fingerprint>);

/// The text is not a [`ShardManifest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestError;

impl ShardFiles {
    /// The largest number of shards that the names can count.
    pub const MOST: u32 = 99_999;

    /// Files for this number of shards, with names that begin with `prefix`; `None` when the names cannot count them.
    pub fn new(prefix: &Path, shards: u32) -> Option<Self> {
        (1..=Self::MOST).contains(&shards).then(|| ShardFiles { prefix: prefix.to_owned(), shards })
    }

    /// The files that a name with a star for the number matches: `PREFIX-*-of-00016.bundle`.
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        let (prefix, count) = pattern.strip_suffix(".bundle")?.rsplit_once("-*-of-")?;
        let is_count = count.len() == 5 && count.bytes().all(|byte| byte.is_ascii_digit());
        let shards = Some(count).filter(|_| is_count)?.parse().ok()?;
        ShardFiles::new(Path::new(prefix), shards)
    }

    /// All shards of the bundle, and the number of this one, if the file at `path` is one of them by its name.
    pub fn of_shard(path: &Path) -> Option<(Self, u32)> {
        let (start, end) = path.to_str()?.rsplit_once("-of-")?;
        let (prefix, number) = start.rsplit_once('-')?;
        let files = ShardFiles::of_pattern(&format!("{prefix}-*-of-{end}"))?;
        let number = number.parse().ok().filter(|&number: &u32| number < files.shards)?;
        (files.file(number) == path).then_some((files, number))
    }

    /// The name of all shards, with a star for the number.
    pub fn pattern(&self) -> PathBuf {
        self.named(format!("-*-of-{:05}.bundle", self.shards))
    }

    /// The number of shards.
    pub fn count(&self) -> u32 {
        self.shards
    }

    /// The file of a shard.
    pub fn file(&self, number: u32) -> PathBuf {
        self.named(format!("-{number:05}-of-{:05}.bundle", self.shards))
    }

    /// The file of the manifest.
    pub fn manifest(&self) -> PathBuf {
        self.named(format!("-of-{:05}.shards", self.shards))
    }

    fn named(&self, end: impl AsRef<OsStr>) -> PathBuf {
        let mut name = self.prefix.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    }
}

impl ShardManifest {
    /// Identity of all shards together.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_all(&self.0)
    }
}

impl fmt::Display for ShardManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(number, shard)| writeln!(f, "{shard} {number}"))
    }
}

impl FromStr for ShardManifest {
    type Err = ManifestError;

    fn from_str(text: &str) -> Result<Self, ManifestError> {
        let line = |(number, line): (usize, &str)| {
            let (fingerprint, at) = line.split_once(' ')?;
            (at == number.to_string()).then(|| fingerprint.parse().ok())?
        };
        text.lines().enumerate().map(line).collect::<Option<_>>().map(ShardManifest).ok_or(ManifestError)
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a line for each shard, its fingerprint and its number")
    }
}

impl std::error::Error for ManifestError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_the_files_of_all_shards() {
        let files = ShardFiles::of_pattern("a/p-*-of-00016.bundle").unwrap();
        assert_eq!(files, ShardFiles::new(Path::new("a/p"), 16).unwrap());
        assert_eq!(files.file(3), Path::new("a/p-00003-of-00016.bundle"));
        assert_eq!(files.manifest(), Path::new("a/p-of-00016.shards"));
        for pattern in
            ["p.bundle", "p-*.bundle", "p-*-of-16.bundle", "p-*-of-00000.bundle", "p-*-of-+0016.bundle"]
        {
            assert_eq!(ShardFiles::of_pattern(pattern), None, "{pattern}");
        }
        assert_eq!(ShardFiles::new(Path::new("p"), 100_000), None);
        assert_eq!(files.pattern(), Path::new("a/p-*-of-00016.bundle"));
    }

    #[test]
    fn a_file_of_a_shard_names_all_shards() {
        for number in [0, 3, 15] {
            let files = ShardFiles::new(Path::new("a-of-b/p-1"), 16).unwrap();
            assert_eq!(ShardFiles::of_shard(&files.file(number)), Some((files, number)));
        }
        for other in [
            "p.bundle",
            "p-of-00016.bundle",
            "p-*-of-00016.bundle",
            "p-00016-of-00016.bundle",
            "p-3-of-00016.bundle",
            "p-00003-of-16.bundle",
            "p-+0003-of-00016.bundle",
            "p-00003-of-00016.shards",
        ] {
            assert_eq!(ShardFiles::of_shard(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn manifests_are_read_as_they_are_written() {
        let manifest = ShardManifest(vec![Fingerprint::new(1, 2), Fingerprint::new(3, 4)]);
        let text = manifest.to_string();
        assert_eq!(text.parse(), Ok(manifest));
        let cut = text.lines().next_back().unwrap();
        assert_eq!(cut.parse::<ShardManifest>(), Err(ManifestError), "the second line alone");
        assert_eq!("x 0\n".parse::<ShardManifest>(), Err(ManifestError));
    }
}
