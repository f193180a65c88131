//! The file names of a sharded bundle, and its manifest.

use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, str};

use super::damage::CorruptBundleError;
use super::fingerprint::Fingerprint;

/// The files of a sharded bundle: `PREFIX-00003-of-00016.bundle` and the others, and their manifest
/// `PREFIX-of-00016.shards`, which is written last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardFiles {
    prefix: PathBuf,
    shards: u32,
}

/// Which shard of a bundle a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ShardNumber {
    /// Its number, from 0 on.
    pub number: u32,
    /// The number of shards.
    pub count: u32,
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
    pub fn of_pattern(pattern: impl AsRef<Path>) -> Option<Self> {
        let (files, number) = ShardFiles::of_name(pattern.as_ref())?;
        (number == b"*").then_some(files)
    }

    /// All shards of the bundle, and which one this is, if the file at `path` is one of them by its name.
    pub fn of_shard(path: &Path) -> Option<(Self, ShardNumber)> {
        let (files, number) = ShardFiles::of_name(path)?;
        let number = number_of_digits(number).filter(|&number| number < files.shards)?;
        let shard = files.shard(number);
        Some((files, shard))
    }

    /// The files of `PREFIX-NUMBER-of-00016.bundle`, and the text of the number.
    fn of_name(path: &Path) -> Option<(Self, &[u8])> {
        let name = path.as_os_str().as_encoded_bytes();
        let (rest, count) = split_last(name.strip_suffix(b".bundle")?, b"-of-")?;
        let (prefix, number) = split_last(rest, b"-")?;
        // The name of a file need not be UTF-8.
        #[cfg(unix)]
        let prefix = OsStr::from_bytes(prefix);
        #[cfg(not(unix))]
        let prefix = str::from_utf8(prefix).ok()?;
        Some((ShardFiles::new(Path::new(prefix), number_of_digits(count)?)?, number))
    }

    /// The shard with this number.
    pub fn shard(&self, number: u32) -> ShardNumber {
        ShardNumber { number, count: self.shards }
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

/// The number that five digits stand for.
fn number_of_digits(digits: &[u8]) -> Option<u32> {
    let is_number = digits.len() == 5 && digits.iter().all(u8::is_ascii_digit);
    str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

/// Splits `text` at the last `separator`.
fn split_last<'t>(text: &'t [u8], separator: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = memchr::memmem::rfind(text, separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

/// `shard 3 of 16`
impl fmt::Display for ShardNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of {}", self.number, self.count)
    }
}

/// Reads what [`ShardNumber`] displays.
impl FromStr for ShardNumber {
    type Err = CorruptBundleError;

    fn from_str(text: &str) -> Result<Self, CorruptBundleError> {
        let numbers = text.strip_prefix("shard ").and_then(|text| text.split_once(" of "));
        let shard = numbers.and_then(|(number, count)| {
            Some(ShardNumber { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        shard
            .filter(|shard| shard.number < shard.count && shard.to_string() == text)
            .ok_or_else(|| CorruptBundleError::expected("the number of a shard"))
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
            let shard = ShardNumber { number, count: 16 };
            assert_eq!(ShardFiles::of_shard(&files.file(number)), Some((files, shard)));
            assert_eq!(shard.to_string().parse(), Ok(shard));
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
        for text in ["shard 16 of 16", "shard 03 of 16", "shard +3 of 16", "3 of 16", "shard 3 of 16 "] {
            assert!(text.parse::<ShardNumber>().is_err(), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_of_shards_need_not_be_utf_8() {
        let files = ShardFiles::new(Path::new(OsStr::from_bytes(b"\xFF/p")), 2).unwrap();
        assert_eq!(ShardFiles::of_shard(&files.file(1)), Some((files.clone(), files.shard(1))));
        assert_eq!(ShardFiles::of_pattern(files.pattern()), Some(files));
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
