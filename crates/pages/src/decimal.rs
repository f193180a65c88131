//! Numbers of decimal digits alone.

/// The number that `digits` are, at most 4,294,967,295. `parse` would take a sign, too.
pub(crate) fn decimal(digits: &str) -> Option<u32> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
