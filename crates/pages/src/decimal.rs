//! Numbers that consist of decimal digits only.

/// Parses `digits` as a number up to 4,294,967,295. Unlike `parse`, does not accept a sign.
pub(crate) fn decimal(digits: &str) -> Option<u32> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
