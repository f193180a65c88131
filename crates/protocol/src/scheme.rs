//! URL schemes.

/// The default port of `scheme`, which is in lower case; `None` for an unknown scheme.
pub const fn default_port(scheme: &[u8]) -> Option<u16> {
    match scheme {
        b"https" | b"wss" => Some(443),
        b"http" | b"ws" => Some(80),
        b"ftp" => Some(21),
        _ => None,
    }
}

/// Whether it is a scheme (RFC 3986, section 3.1).
pub fn is_scheme(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(|&byte| is_of_scheme(byte))
}

/// Whether a scheme may contain this byte.
#[inline]
pub(crate) fn is_of_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}
