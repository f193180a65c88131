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
