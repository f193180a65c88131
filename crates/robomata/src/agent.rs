//! Names of crawlers.

use std::fmt;
use std::str::FromStr;

use robomata_policy::{CrawlerNameError, read_crawler};
use robomata_protocol::Crawler;

use crate::Dialect;

/// The name of a crawler, which chooses the groups of a robots.txt that it obeys.
///
/// It is one of these texts:
///
/// - A product token: `Googlebot`.
/// - Several product tokens, separated by commas: `Googlebot-Image,Googlebot`. The crawler obeys the groups of the first
///   token that the file names. In the dialect `google`, it obeys the groups of all of them, merged.
/// - A User-Agent header: `Mozilla/5.0 (compatible; ExampleBot/2.1)` names `ExampleBot`.
/// - `*`: a crawler that no group names.
///
/// Every text converts to an agent. A text that names no crawler, such as an empty one or the User-Agent of a browser
/// or of two products, is allowed nothing: see [`Reason::InvalidAgent`](crate::Reason::InvalidAgent). [`Agent::validate`]
/// and `parse` report such a text as an error.
///
/// ```
/// use robomata::Agent;
///
/// let agent = Agent::from("Googlebot-Image,Googlebot");
/// assert_eq!(agent.as_str(), "Googlebot-Image,Googlebot");
/// assert!("Mozilla/5.0 (X11; Linux x86_64) Firefox/60.0".parse::<Agent>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Agent(Box<str>);

impl Agent {
    /// The text as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks that the text names a crawler in `dialect`. Names with spaces, for example, exist only in some dialects. In the
    /// dialect `google`, nearly every text is a name, but no group can have many of them: see [`Agent::note`].
    ///
    /// # Errors
    /// When the text names no crawler.
    pub fn validate(&self, dialect: Dialect) -> Result<(), AgentError> {
        self.crawler(dialect).map(drop)
    }

    /// What a user may not expect of the text in `dialect`: that a User-Agent is reduced to a name, or that a name is used
    /// as given but no group can have it. `None` if the text means what it says, or names no crawler.
    ///
    /// ```
    /// use robomata::{Agent, Dialect};
    ///
    /// let agent = Agent::from("MJ12bot");
    /// assert_eq!(agent.note(Dialect::Rfc9309), None);
    /// // Google's parser reads the line `User-agent: MJ12bot` as the name `MJ`.
    /// assert!(agent.note(Dialect::Google).unwrap().starts_with("'MJ12bot' is used as given, but no group can name it"));
    /// ```
    pub fn note(&self, dialect: Dialect) -> Option<String> {
        read_crawler(&self.0, dialect.inner()).ok()?.note
    }

    pub(crate) fn crawler(&self, dialect: Dialect) -> Result<Crawler, AgentError> {
        let named = read_crawler(&self.0, dialect.inner());
        named.map(|named| named.crawler).map_err(|error| AgentError { agent: self.clone(), error })
    }

    pub(crate) fn of_crawler(crawler: &Crawler) -> Self {
        Agent(crawler.to_string().into())
    }
}

impl From<&str> for Agent {
    fn from(text: &str) -> Self {
        Agent(text.into())
    }
}

impl From<String> for Agent {
    fn from(text: String) -> Self {
        Agent(text.into())
    }
}

impl From<&String> for Agent {
    fn from(text: &String) -> Self {
        Agent(text.as_str().into())
    }
}

impl From<&Agent> for Agent {
    fn from(agent: &Agent) -> Self {
        agent.clone()
    }
}

impl From<Agent> for String {
    fn from(agent: Agent) -> Self {
        agent.0.into()
    }
}

impl FromStr for Agent {
    type Err = AgentError;

    /// Fails for a text that names no crawler in any dialect.
    fn from_str(text: &str) -> Result<Self, AgentError> {
        let agent = Agent::from(text);
        match Dialect::ALL.iter().any(|&dialect| agent.validate(dialect).is_ok()) {
            true => Ok(agent),
            false => agent.validate(Dialect::default()).map(|()| agent),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Agent {
    /// Fails like `parse`.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for Agent {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A text names no crawler.
///
/// ```
/// let error = "Google bot".parse::<robomata::Agent>();
/// assert!(error.is_ok(), "some dialects have names with spaces");
/// let error = robomata::Agent::from("Google bot").validate(robomata::Dialect::Rfc9309).unwrap_err();
/// assert!(error.to_string().starts_with("'Google bot' is not a product token: expected one word"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentError {
    agent: Agent,
    error: CrawlerNameError,
}

impl AgentError {
    /// The text.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for AgentError {}
