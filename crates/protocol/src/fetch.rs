//! How fetching a robots.txt ended.

/// The status with which a fetch of `/robots.txt` ended, as a capture records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchStatus {
    /// An HTTP status code.
    Code(u16),
    /// The fetch succeeded; the code was not recorded.
    Success,
    /// No HTTP answer came: DNS, connection or time-out.
    NetworkFailure,
    /// More than five redirects in a row, or a loop of them (RFC 9309, section 2.3.1.2).
    TooManyRedirects,
}

/// What a fetch's end means for the rules (RFC 9309, section 2.3.1; Koster 1996, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchOutcome {
    /// The body's rules are to be followed (2.3.1.1).
    Success,
    /// A redirect whose target is not at hand (2.3.1.2): no policy is known.
    Redirected,
    /// "Unavailable" (2.3.1.3): any resource may be accessed.
    Unavailable,
    /// "Unreachable" (2.3.1.4): complete disallow is to be assumed.
    Unreachable,
    /// "Access to the site completely restricted" (Koster 1996, 3.1): no resource may be accessed.
    Restricted,
    /// "Temporary failure" (Koster 1996, 3.1): visits are to be put off until the file can be had.
    Deferred,
}

impl FetchOutcome {
    /// `rules`, for they speak after a success, `redirected`, `unavailable`, `unreachable`, `restricted` or `deferred`, as
    /// every output of robomata writes it.
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
