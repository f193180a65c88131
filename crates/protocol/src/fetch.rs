//! How fetching a robots.txt ended.

/// The status with which a fetch of `/robots.txt` ended, as a capture records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchStatus {
    /// An HTTP status code.
    Code(u16),
    /// The fetch succeeded; the code was not recorded.
    Success,
    /// There was no HTTP response: DNS failure, connection failure or time-out.
    NetworkFailure,
    /// More redirects in a row than were followed, or a loop of them (RFC 9309, section 2.3.1.2).
    TooManyRedirects,
}

impl FetchStatus {
    /// The result of a fetch with this HTTP status code; none if it is no status code, which has three digits and does not
    /// begin with 0 (RFC 9110, section 15).
    pub const fn of_code(code: u16) -> Option<Self> {
        match code {
            100..=999 => Some(FetchStatus::Code(code)),
            _ => None,
        }
    }
}

/// What the outcome of a fetch means for the rules (RFC 9309, section 2.3.1; Koster 1996, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchOutcome {
    /// The crawler follows the rules of the body (2.3.1.1).
    Success,
    /// A redirect whose target is not available here (2.3.1.2): no policy is known.
    Redirected,
    /// "Unavailable" (2.3.1.3): any resource may be accessed.
    Unavailable,
    /// "Unreachable" (2.3.1.4): the crawler assumes complete disallow.
    Unreachable,
    /// "Access to the site completely restricted" (Koster 1996, 3.1): no resource may be accessed.
    Restricted,
    /// "Temporary failure" (Koster 1996, 3.1): the crawler defers its visits until it can fetch the file.
    Deferred,
}

impl FetchOutcome {
    /// Whether a crawler may fetch: by the rules, or freely because there are none.
    pub const fn permits_visits(self) -> bool {
        matches!(self, FetchOutcome::Success | FetchOutcome::Unavailable)
    }

    /// Whether the server has answered what holds, as opposed to a failure.
    pub const fn is_answer(self) -> bool {
        match self {
            FetchOutcome::Success | FetchOutcome::Unavailable | FetchOutcome::Restricted => true,
            FetchOutcome::Redirected | FetchOutcome::Unreachable | FetchOutcome::Deferred => false,
        }
    }

    /// The outcome's name in every output of robomata: `rules` for a success, `redirected`, `unavailable`,
    /// `unreachable`, `restricted` or `deferred`.
    pub const fn as_str(self) -> &'static str {
        match self {
            FetchOutcome::Success => "rules",
            FetchOutcome::Redirected => "redirected",
            FetchOutcome::Unavailable => "unavailable",
            FetchOutcome::Unreachable => "unreachable",
            FetchOutcome::Restricted => "restricted",
            FetchOutcome::Deferred => "deferred",
        }
    }
}

/// Whether `text` begins with the status line of a response, as `curl -i` writes it: `HTTP/1.1 503 …`. What follows is that of
/// any status. A byte order mark may be before it.
pub fn has_status_line(text: &[u8]) -> bool {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let Some(rest) = text.strip_prefix(b"HTTP/") else { return false };
    let version = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    match rest[version..] {
        [b' ', a, b, c, ref rest @ ..] => {
            version > 0
                && [a, b, c].iter().all(u8::is_ascii_digit)
                && rest.first().is_none_or(u8::is_ascii_whitespace)
        }
        _ => false,
    }
}
