//! Identity of a bundle's contents.

use std::fmt;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::str::FromStr;

use super::damage::OpenError;
use super::image::{CHECKSUM, HEADER, HEADER_SUM_AT, number_at};
use super::validate;

/// The checksums in a bundle, of its header and of its sections. Bundles with the same fingerprint have the same bytes,
/// except for accidents and damage. It does not protect against forged bundles. Its text is 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u128);

/// The text is not a [`Fingerprint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseFingerprintError;

impl Fingerprint {
    /// The number of hexadecimal digits.
    const DIGITS: usize = 32;

    pub(super) fn new(header_sum: u64, checksum: u64) -> Self {
        Fingerprint(u128::from(header_sum) << 64 | u128::from(checksum))
    }

    /// The fingerprint that the bundle at `path` states, in constant time. It is verified when the bundle is opened.
    ///
    /// # Errors
    /// When the file cannot be read, or does not begin like a bundle of this version.
    pub fn of_file(path: &Path) -> Result<Self, OpenError> {
        let mut file = File::open(path)?;
        let (mut header, mut checksum) = ([0; HEADER], [0; CHECKSUM]);
        file.read_exact(&mut header)?;
        validate::label(&header)?;
        file.seek(SeekFrom::End(-(CHECKSUM as i64)))?;
        file.read_exact(&mut checksum)?;
        let header_sum = number_at(&header, HEADER_SUM_AT, 8).unwrap_or(0);
        Ok(Fingerprint::new(header_sum, u64::from_le_bytes(checksum)))
    }

    /// The fingerprint of several bundles, in this order.
    pub fn of_all(bundles: &[Fingerprint]) -> Self {
        let bytes: Vec<u8> = bundles.iter().flat_map(|bundle| bundle.0.to_le_bytes()).collect();
        Fingerprint(xxhash_rust::xxh3::xxh3_128(&bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$x}", self.0, width = Self::DIGITS)
    }
}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Self, ParseFingerprintError> {
        let is_whole = text.len() == Self::DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = Some(text).filter(|_| is_whole).ok_or(ParseFingerprintError)?;
        u128::from_str_radix(digits, 16).map(Fingerprint).map_err(|_| ParseFingerprintError)
    }
}

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} hexadecimal digits", Fingerprint::DIGITS)
    }
}

impl std::error::Error for ParseFingerprintError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_read_as_they_are_written() {
        let fingerprint = Fingerprint::new(1, 0xABCD);
        assert_eq!(fingerprint.to_string(), "0000000000000001000000000000abcd");
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        for text in ["", "1", "+000000000000001000000000000abcde", "g0000000000000010000000000000abcd"] {
            assert_eq!(text.parse::<Fingerprint>(), Err(ParseFingerprintError), "{text}");
        }
    }

    #[test]
    fn the_order_of_bundles_counts() {
        let [one, two] = [Fingerprint::new(1, 2), Fingerprint::new(3, 4)];
        assert_ne!(Fingerprint::of_all(&[one, two]), Fingerprint::of_all(&[two, one]));
    }
}
