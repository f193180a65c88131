//! Schemes of URLs.

/// The port that URLs of `scheme`, in lower case, mean without naming one; none of a scheme that is not known here.
pub const fn default_port(scheme: &[u8]) -> Option<u16> {
    match scheme {
        b"https" | b"wss" => Some(443),
        b"http" | b"ws" => Some(80),
        b"ftp" => Some(21),
        _ => None,
    }
}
