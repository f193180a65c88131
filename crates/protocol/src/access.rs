//! What a policy decides for a URL.

/// Whether a crawler may access a URI (RFC 9309, section 2.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// The crawler must not access the URI.
    Disallow,
    /// The crawler may access the URI.
    Allow,
}

impl Access {
    /// `allow` or `disallow`, as in every output of robomata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Allow => "allow",
            Access::Disallow => "disallow",
        }
    }
}

/// What decided a [`Verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A rule of the robots.txt; [`Verdict::line`] is its line.
    Rule,
    /// Fields of ACAP contradict each other, and it is undecidable which has the narrowest scope: disallowed (ACAP 1.0
    /// part 1, 2.4.5). [`Verdict::line`] is that of the first prohibition.
    Undeterminable,
    /// No rule that applies to the crawler matches the URL: allowed (RFC 9309, 2.2.2).
    NoRule,
    /// The URL is `/robots.txt`, which is implicitly allowed (RFC 9309, 2.2.2).
    RobotsTxt,
    /// The robots.txt is unavailable (4xx): everything is allowed (RFC 9309, 2.3.1.3).
    Unavailable,
    /// The robots.txt is unreachable (5xx, network): everything is disallowed (RFC 9309, 2.3.1.4).
    Unreachable,
    /// Access to the robots.txt is restricted (401, 403): everything is disallowed (Koster 1996, 3.1).
    Restricted,
    /// The site's tdmrep.json, in a query about text and data mining. No line of the robots.txt decided.
    TdmRep,
}

/// The answer for one URL under one site's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// Whether the crawler may access the URL.
    pub access: Access,
    /// The 1-based line of the deciding rule in the robots.txt; 0 when no line decided.
    pub line: u32,
    /// What decided.
    pub reason: Reason,
}

impl Verdict {
    /// A verdict by the rule on `line` (1-based).
    pub const fn by_rule(access: Access, line: u32) -> Self {
        Verdict { access, line, reason: Reason::Rule }
    }

    /// Allowed, because no rule matches.
    pub const NO_RULE: Self = Verdict { access: Access::Allow, line: 0, reason: Reason::NoRule };
    /// Allowed, because the URL is `/robots.txt` itself.
    pub const ROBOTS_TXT: Self = Verdict { access: Access::Allow, line: 0, reason: Reason::RobotsTxt };
    /// Allowed, because the robots.txt is unavailable.
    pub const UNAVAILABLE: Self = Verdict { access: Access::Allow, line: 0, reason: Reason::Unavailable };
    /// Disallowed, because the robots.txt is unreachable.
    pub const UNREACHABLE: Self = Verdict { access: Access::Disallow, line: 0, reason: Reason::Unreachable };
    /// Disallowed, because access to the robots.txt is restricted.
    pub const RESTRICTED: Self = Verdict { access: Access::Disallow, line: 0, reason: Reason::Restricted };

    /// A verdict by the site's tdmrep.json. Its rules have no lines.
    pub const fn by_tdmrep(access: Access) -> Self {
        Verdict { access, line: 0, reason: Reason::TdmRep }
    }
}

/// The answer to a check that first looks up the site's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The decision of the site's policy.
    Verdict(Verdict),
    /// Neither allowed nor disallowed yet: visits wait until the robots.txt can be fetched (Koster 1996, 3.1).
    Defer,
    /// No policy is known for the URL's site.
    Unknown,
    /// The text is not a URL that a policy can cover.
    Invalid,
}

impl Answer {
    /// `allow`, `disallow`, `defer`, `unknown` or `invalid`, as in every output of robomata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Answer::Verdict(verdict) => verdict.access.as_str(),
            Answer::Defer => "defer",
            Answer::Unknown => "unknown",
            Answer::Invalid => "invalid",
        }
    }

    /// What decided, as in every output of robomata: `rule`, `undeterminable`, `no-rule`, `robots-txt`, `unavailable`,
    /// `unreachable`, `restricted`, `tdmrep` ([`Reason`]), `deferred`, `unknown` or `invalid`.
    pub const fn reason(self) -> &'static str {
        let verdict = match self {
            Answer::Verdict(verdict) => verdict,
            Answer::Defer => return "deferred",
            Answer::Unknown | Answer::Invalid => return self.as_str(),
        };
        match verdict.reason {
            Reason::Rule => "rule",
            Reason::Undeterminable => "undeterminable",
            Reason::NoRule => "no-rule",
            Reason::RobotsTxt => "robots-txt",
            Reason::Unavailable => "unavailable",
            Reason::Unreachable => "unreachable",
            Reason::Restricted => "restricted",
            Reason::TdmRep => "tdmrep",
        }
    }

    /// The deciding rule's 1-based line; 0 when no line decided.
    pub const fn line(self) -> u32 {
        match self {
            Answer::Verdict(verdict) => verdict.line,
            Answer::Defer | Answer::Unknown | Answer::Invalid => 0,
        }
    }
}
