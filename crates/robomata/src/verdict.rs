//! Verdicts on URLs.

use std::fmt;

use robomata_protocol as protocol;

/// Whether a crawler may fetch a URL, and why.
///
/// A URL is allowed only if its robots.txt says so. A verdict that is neither *allow* nor *disallow* is never
/// [`is_allowed`](Verdict::is_allowed): the site is unknown, its robots.txt cannot be fetched for now, or the text is
/// not a URL. [`Verdict::reason`] distinguishes these cases.
///
/// ```
/// use robomata::{PolicySet, Reason};
///
/// let mut builder = PolicySet::builder();
/// builder.insert("https://example.com", "User-agent: *\nDisallow: /private")?;
/// let policies = builder.build();
///
/// let verdict = policies.check("ExampleBot", "https://example.com/private")?;
/// assert!(verdict.is_disallowed());
/// assert_eq!((verdict.line(), verdict.reason()), (Some(2), Reason::Rule));
///
/// let verdict = policies.check("ExampleBot", "https://example.org/")?;
/// assert!(!verdict.is_allowed() && !verdict.is_disallowed());
/// assert_eq!(verdict.reason(), Reason::UnknownSite);
/// assert_eq!(verdict.to_string(), "unknown");
/// # Ok::<(), robomata::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Verdict {
    reason: Reason,
    access: Option<Access>,
    line: u32,
}

impl Verdict {
    pub(crate) const INVALID_AGENT: Self = Verdict { reason: Reason::InvalidAgent, access: None, line: 0 };

    /// Whether the crawler may fetch the URL. False unless the verdict is *allow*.
    #[must_use]
    pub const fn is_allowed(self) -> bool {
        matches!(self.access, Some(Access::Allow))
    }

    /// Whether the crawler must not fetch the URL. False unless the verdict is *disallow*; to decide whether to fetch,
    /// use [`Verdict::is_allowed`].
    #[must_use]
    pub const fn is_disallowed(self) -> bool {
        matches!(self.access, Some(Access::Disallow))
    }

    /// *Allow* or *disallow*; `None` if neither is decided.
    #[must_use]
    pub const fn access(self) -> Option<Access> {
        self.access
    }

    /// What led to the verdict.
    #[must_use]
    pub const fn reason(self) -> Reason {
        self.reason
    }

    /// The 1-based line of the rule that decided; `None` if no line did.
    #[must_use]
    pub const fn line(self) -> Option<u32> {
        if self.line == 0 { None } else { Some(self.line) }
    }

    /// `allow`, `disallow`, `defer`, `unknown` or `invalid`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match (self.access, self.reason) {
            (Some(access), _) => access.as_str(),
            (None, Reason::Deferred) => "defer",
            (None, Reason::InvalidUrl | Reason::InvalidAgent) => "invalid",
            (None, _) => "unknown",
        }
    }

    pub(crate) fn of(answer: protocol::Answer) -> Self {
        let undecided = |reason| Verdict { reason, access: None, line: 0 };
        let protocol::Verdict { access, line, reason } = match answer {
            protocol::Answer::Verdict(verdict) => verdict,
            protocol::Answer::Defer => return undecided(Reason::Deferred),
            protocol::Answer::Unknown => return undecided(Reason::UnknownSite),
            protocol::Answer::Invalid => return undecided(Reason::InvalidUrl),
        };
        let reason = match reason {
            // No query of this crate is about text and data mining.
            protocol::Reason::Rule | protocol::Reason::TdmRep => Reason::Rule,
            protocol::Reason::Undeterminable => Reason::Undeterminable,
            protocol::Reason::NoRule => Reason::NoRule,
            protocol::Reason::RobotsTxt => Reason::RobotsTxt,
            protocol::Reason::Unavailable => Reason::Unavailable,
            protocol::Reason::Unreachable => Reason::Unreachable,
            protocol::Reason::Restricted => Reason::Restricted,
        };
        Verdict { reason, access: Some(Access::of(access)), line }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = serializer.serialize_struct("Verdict", 3)?;
        fields.serialize_field("verdict", self.as_str())?;
        fields.serialize_field("line", &self.line())?;
        fields.serialize_field("reason", &self.reason)?;
        fields.end()
    }
}

/// *Allow* or *disallow*. There will never be another variant.
///
/// ```
/// let robots = robomata::Robots::parse("User-agent: *\nDisallow: /");
/// assert_eq!(robots.check("ExampleBot", "/a").access(), Some(robomata::Access::Disallow));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(into = "&'static str"))]
pub enum Access {
    /// The crawler must not fetch the URL.
    Disallow,
    /// The crawler may fetch the URL.
    Allow,
}

impl Access {
    /// `allow` or `disallow`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Allow => "allow",
            Access::Disallow => "disallow",
        }
    }

    pub(crate) fn of(access: protocol::Access) -> Self {
        match access {
            protocol::Access::Allow => Access::Allow,
            protocol::Access::Disallow => Access::Disallow,
        }
    }
}

impl From<Access> for &'static str {
    fn from(access: Access) -> Self {
        access.as_str()
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What led to a [`Verdict`].
///
/// ```
/// use robomata::{Reason, Robots};
///
/// let robots = Robots::builder().status(503).parse("");
/// assert_eq!(robots.check("ExampleBot", "/").reason(), Reason::Unreachable);
/// assert_eq!(robots.check("", "/").reason(), Reason::InvalidAgent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(into = "&'static str"))]
#[non_exhaustive]
pub enum Reason {
    /// A rule of the robots.txt: *allow* or *disallow*. [`Verdict::line`] is its line.
    Rule,
    /// No rule for the crawler matches the URL: *allow* (RFC 9309, 2.2.2).
    NoRule,
    /// The URL is `/robots.txt` itself: *allow* (RFC 9309, 2.2.2).
    RobotsTxt,
    /// The robots.txt is unavailable, such as with status 404: *allow* (RFC 9309, 2.3.1.3).
    Unavailable,
    /// The robots.txt is unreachable, such as with status 503: *disallow* (RFC 9309, 2.3.1.4).
    Unreachable,
    /// Access to the robots.txt is restricted, with status 401 or 403: *disallow* (Koster 1996, 3.1).
    Restricted,
    /// Fields of ACAP contradict each other: *disallow* (ACAP 1.0 part 1, 2.4.5).
    Undeterminable,
    /// Visits wait until the robots.txt can be fetched (Koster 1996, 3.1).
    Deferred,
    /// There is no policy for the site of the URL, or its robots.txt redirects to an unknown file.
    UnknownSite,
    /// The text is not a URL that a robots.txt can cover.
    InvalidUrl,
    /// The text names no crawler ([`Agent`](crate::Agent)).
    InvalidAgent,
}

impl Reason {
    /// A short, stable name: `rule`, `no-rule`, `robots-txt`, `unavailable`, `unreachable`, `restricted`,
    /// `undeterminable`, `deferred`, `unknown`, `invalid` or `invalid-agent`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Rule => "rule",
            Reason::NoRule => "no-rule",
            Reason::RobotsTxt => "robots-txt",
            Reason::Unavailable => "unavailable",
            Reason::Unreachable => "unreachable",
            Reason::Restricted => "restricted",
            Reason::Undeterminable => "undeterminable",
            Reason::Deferred => "deferred",
            Reason::UnknownSite => "unknown",
            Reason::InvalidUrl => "invalid",
            Reason::InvalidAgent => "invalid-agent",
        }
    }

    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Reason::Rule => "a rule decides",
            Reason::NoRule => "no rule matches",
            Reason::RobotsTxt => "the robots.txt itself is always allowed",
            Reason::Unavailable => "the robots.txt is unavailable",
            Reason::Unreachable => "the robots.txt is unreachable",
            Reason::Restricted => "access to the robots.txt is restricted",
            Reason::Undeterminable => "fields of ACAP contradict each other",
            Reason::Deferred => "visits wait until the robots.txt can be fetched",
            Reason::UnknownSite => "the policy of the site is unknown",
            Reason::InvalidUrl => "the text is not a URL",
            Reason::InvalidAgent => "the agent names no crawler",
        }
    }
}

impl From<Reason> for &'static str {
    fn from(reason: Reason) -> Self {
        reason.as_str()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
