//! Errors.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use robomata_evaluator::{NotTextError, OpenError, PolicySetError, Site, SiteError, UnsupportedQueryError};
use robomata_protocol::visible;

use crate::{Agent, AgentError, Fingerprint, Moment};

/// An error of the library: of a [`PolicySet`](crate::PolicySet), of a body, of a time or of a URL.
///
/// ```
/// use robomata::{Error, PolicySet};
///
/// let error = PolicySet::open("missing.bundle").unwrap_err();
/// assert!(matches!(error, Error::Io { .. }));
/// assert!(error.to_string().starts_with("missing.bundle: cannot be read: "));
///
/// let mut builder = PolicySet::builder().agent("ExampleBot");
/// builder.insert("https://example.com", "User-agent: *\nDisallow: /private")?;
/// let error = builder.build().check("OtherBot", "https://example.com/").unwrap_err();
/// assert_eq!(error.to_string(), "the policies hold no crawler 'OtherBot': they were compiled for 'ExampleBot'");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A text names no crawler.
    Agent(AgentError),
    /// The policies cannot answer for this crawler: they were compiled for others, or its several names cannot be
    /// combined.
    #[non_exhaustive]
    UnsupportedAgent {
        /// The crawler.
        agent: Agent,
        /// The reason.
        reason: String,
    },
    /// The options of a builder cannot be combined.
    UnsupportedOptions(&'static str),
    /// A text names no site.
    #[non_exhaustive]
    Site {
        /// The text.
        text: String,
        /// What was expected.
        expected: String,
    },
    /// A body is compressed, a bundle or a WARC, or begins with the status line of a response. Read as a robots.txt, it would
    /// have no rules.
    #[non_exhaustive]
    NotText {
        /// What was expected, what was found, and what to do.
        reason: String,
    },
    /// A page, a tdmrep.json or a file that a robots.txt refers to is not what it is given as, such as a page that is still
    /// compressed or has no bytes: a prohibition might be missing.
    #[non_exhaustive]
    Content {
        /// What was given: `page`, `tdmrep`, or a file with its locator.
        what: String,
        /// What was expected, what was found, and what to do.
        reason: String,
    },
    /// No robots.txt can have been fetched at a time: it is before 1994, or so late that it is in milliseconds. Also when some
    /// captures of a site have a time, and others have none.
    #[non_exhaustive]
    Time {
        /// What the time is of: a site, or an argument such as `failing_since`.
        what: String,
        /// What was expected, what was found, and what to do.
        reason: String,
    },
    /// A file cannot be read or written.
    #[non_exhaustive]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// What failed.
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A file is not a valid bundle, or bytes are not.
    #[non_exhaustive]
    Corrupt {
        /// The path of the file; `None` for bytes in memory.
        path: Option<PathBuf>,
        /// What is wrong.
        reason: String,
    },
    /// A bundle is valid, but this library cannot answer from it.
    #[non_exhaustive]
    UnsupportedBundle {
        /// The path of the file; `None` for bytes in memory.
        path: Option<PathBuf>,
        /// The reason.
        reason: String,
    },
    /// A bundle does not have the expected fingerprint.
    #[non_exhaustive]
    Stale {
        /// The path of the bundle.
        path: PathBuf,
        /// The expected fingerprint.
        expected: Fingerprint,
        /// The fingerprint found.
        found: Fingerprint,
    },
    /// A path is not one of a bundle, or its shards do not belong together.
    #[non_exhaustive]
    Path {
        /// The path.
        path: PathBuf,
        /// What was expected.
        expected: String,
    },
}

impl Error {
    pub(crate) fn site(text: &[u8], error: SiteError) -> Self {
        Error::Site { text: String::from_utf8_lossy(text).into_owned(), expected: error.to_string() }
    }

    #[cfg(feature = "permissions")]
    pub(crate) fn content(what: impl Into<String>, reason: impl fmt::Display) -> Self {
        Error::Content { what: what.into(), reason: reason.to_string() }
    }

    /// Checks that `time`, of the argument `what`, can be that of a fetch. `advice` says what to do.
    pub(crate) fn require_fetch_time(what: &str, time: Moment, advice: &str) -> Result<(), Self> {
        let expected = "expected seconds since 1970, of a time since 1994";
        time.of_fetch().map(drop).map_err(|_| Error::Time {
            what: what.to_owned(),
            reason: format!("{expected}, found {}{advice}", time.seconds()),
        })
    }

    /// A capture of `site` has a time, if `is_dated`, and the captures before it have none; otherwise the other way round.
    pub(crate) fn mixed_times(site: &Site<'_>, is_dated: bool) -> Self {
        let (with, others) =
            if is_dated { ("with", "those without one") } else { ("without", "those with one") };
        let advice = "insert all captures of a site with insert_version, or none";
        let reason =
            format!("a capture {with} a time among {others}: which of them is newer is not known ({advice})");
        Error::Time { what: site.to_string(), reason }
    }

    pub(crate) fn unsupported(agent: &Agent, error: &UnsupportedQueryError) -> Self {
        Error::UnsupportedAgent { agent: agent.clone(), reason: error.to_string() }
    }

    pub(crate) fn writing(path: &Path, source: io::Error) -> Self {
        Error::Io { path: path.to_owned(), action: "cannot be written", source }
    }
}

impl From<NotTextError> for Error {
    fn from(error: NotTextError) -> Self {
        Error::NotText { reason: error.to_string() }
    }
}

impl From<AgentError> for Error {
    fn from(error: AgentError) -> Self {
        Error::Agent(error)
    }
}

impl From<PolicySetError> for Error {
    fn from(error: PolicySetError) -> Self {
        match error {
            PolicySetError::Open { path, error: OpenError::Io(source) } => {
                Error::Io { path, action: "cannot be read", source }
            }
            PolicySetError::Open { path, error: OpenError::Shard(shard) } => {
                let expected = format!("all shards, as 'PREFIX-*-of-{:05}.bundle', not {shard}", shard.count);
                Error::Path { path, expected }
            }
            PolicySetError::Open { path, error } => {
                Error::Corrupt { path: Some(path), reason: error.to_string() }
            }
            PolicySetError::Manifest { path, error } => {
                Error::Io { path, action: "the manifest of the shards cannot be read", source: error }
            }
            PolicySetError::Stale { name, expected, found } => {
                Error::Stale { path: name, expected: Fingerprint(expected), found: Fingerprint(found) }
            }
            PolicySetError::Name { name, expected } => {
                Error::Path { path: name, expected: expected.to_owned() }
            }
            PolicySetError::Shard { path, all } => {
                Error::Path { path, expected: format!("the name of all shards, '{}'", all.display()) }
            }
            error => Error::Corrupt { path: None, reason: error.to_string() },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Agent(error) => error.fmt(f),
            Error::UnsupportedAgent { reason, .. } => f.write_str(&visible(reason)),
            Error::UnsupportedOptions(reason) => f.write_str(reason),
            Error::NotText { reason } => f.write_str(reason),
            Error::Site { text, expected } => write!(f, "'{}' is not a site: {expected}", visible(text)),
            Error::Content { what, reason } | Error::Time { what, reason } => {
                write!(f, "{}: {reason}", visible(what))
            }
            Error::Io { path, action, source } => write!(f, "{}: {action}: {source}", path.display()),
            Error::Corrupt { path: Some(path), reason }
            | Error::UnsupportedBundle { path: Some(path), reason } => {
                write!(f, "{}: {reason}", path.display())
            }
            Error::Corrupt { path: None, reason } | Error::UnsupportedBundle { path: None, reason } => {
                f.write_str(reason)
            }
            Error::Stale { path, expected, found } => {
                let path = path.display();
                write!(f, "{path}: another bundle than was asked for: expected {expected}, found {found}")
            }
            Error::Path { path, expected } => write!(f, "{}: expected {expected}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Agent(error) => Some(error),
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
