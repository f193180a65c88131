//! One robots.txt.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use robomata_evaluator::{NotTextError, require_text};
use robomata_policy::Policy;
use robomata_protocol::{self as protocol, FetchOutcome, limits};
use robomata_syntax::Config;

#[cfg(feature = "lifecycle")]
use crate::lifecycle::Applies;
use crate::pace::Pace;
use crate::rules::CompiledRules;
use crate::{Agent, Diagnostic, Dialect, Error, Explanation, RequestRate, Rules, Verdict, VisitTime};

/// A parsed robots.txt, for any crawler.
///
/// It is immutable and cheap to clone, and threads can share it. It does not know its site: it answers for every URL as
/// if the URL were of its own site. A path with a query is a URL, too: `/private?x`. A text that begins with `//`, such as
/// `//example.com/private`, is none: it names a host.
///
/// Pass each URL as the HTTP client requests it, for example as the crate `url` prints it. Parsers of robots.txt do not
/// resolve dot segments or backslashes: `/a/../private` is not below `/private`. Blanks around a URL do not count. A URL
/// that contains control characters, such as a tab or a line end, is not a URL: clients remove them or refuse it.
///
/// ```
/// use robomata::Robots;
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$");
/// assert!(!robots.is_allowed("ExampleBot", "https://example.com/private/a"));
/// assert_eq!(robots.check("ExampleBot", "/private/press").line(), Some(3));
/// ```
#[derive(Clone)]
pub struct Robots {
    shared: Arc<Shared>,
}

struct Shared {
    policy: Policy<'static>,
    dialect: Dialect,
    config: Config,
    /// The rules that the last check compiled: the next check is usually for the same crawler.
    last: Mutex<Option<Arc<CompiledRules>>>,
}

impl Robots {
    /// Parses a robots.txt that was fetched successfully, in the dialect of RFC 9309. Parsing never fails: any text is
    /// a robots.txt. Compressed data, a bundle and a WARC are none, and count as a fetch that failed. For another dialect or an
    /// HTTP status, see [`Robots::builder`].
    pub fn parse(body: impl AsRef<[u8]>) -> Self {
        Robots::builder().parse(body)
    }

    /// Options for parsing.
    pub fn builder() -> RobotsBuilder {
        RobotsBuilder::default()
    }

    /// Whether `agent` may fetch `url`. False unless the verdict is *allow*: also false when `agent` names no crawler, or
    /// `url` is not a URL.
    ///
    /// For many URLs, [`Robots::for_agent`] is faster.
    pub fn is_allowed(&self, agent: impl Into<Agent>, url: impl AsRef<[u8]>) -> bool {
        self.check(agent, url).is_allowed()
    }

    /// The verdict on `url` for `agent`. The rules of one agent are kept for the next call. For many URLs,
    /// [`Robots::for_agent`] is faster.
    pub fn check(&self, agent: impl Into<Agent>, url: impl AsRef<[u8]>) -> Verdict {
        self.compiled(agent.into()).check(url.as_ref())
    }

    /// The rules for `agent`, compiled.
    pub fn for_agent(&self, agent: impl Into<Agent>) -> Rules {
        Rules::new(self.clone(), Arc::new(CompiledRules::new(self, agent.into())))
    }

    /// Explains the verdict on `url` for `agent`.
    pub fn explain(&self, agent: impl Into<Agent>, url: impl AsRef<[u8]>) -> Explanation {
        Explanation::new(self, agent.into(), url.as_ref())
    }

    /// The problems in the file, by line. Each call reads the file again.
    ///
    /// ```
    /// let robots = robomata::Robots::parse("User-agent: *\nDisalow: /private");
    /// let diagnostics = robots.diagnostics();
    /// assert_eq!(diagnostics[0].to_string(), "2: misspelt key: read as 'disallow'");
    /// ```
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.policy().diagnose(&self.shared.config).iter().map(Diagnostic::new).collect()
    }

    /// The sitemaps that the file names, in file order.
    ///
    /// ```
    /// let robots = robomata::Robots::parse("Sitemap: https://example.com/sitemap.xml");
    /// assert_eq!(robots.sitemaps().collect::<Vec<_>>(), ["https://example.com/sitemap.xml"]);
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.policy().sitemaps()
    }

    /// The site's preferred host (`Host`, an extension of Yandex).
    pub fn preferred_host(&self) -> Option<&str> {
        self.policy().hosts().next()
    }

    /// How fast `agent` may fetch, and when: what follows from `Crawl-delay`, `Request-rate` and `Visit-time` together.
    /// Empty if the file does not say, or `agent` names no crawler. See the module [`pace`](crate::pace).
    pub fn pace(&self, agent: impl Into<Agent>) -> Pace {
        let crawler = agent.into().crawler(self.dialect());
        crawler.map_or_else(|_| Pace::default(), |crawler| Pace::new(self.policy().schedule(&crawler)))
    }

    /// The time that `agent` should wait between requests (`Crawl-delay`). `None` if the file does not say, or `agent`
    /// names no crawler.
    ///
    /// ```
    /// let robots = robomata::Robots::parse("User-agent: *\nCrawl-delay: 1.5");
    /// assert_eq!(robots.crawl_delay("ExampleBot").map(|delay| delay.as_millis()), Some(1500));
    /// ```
    pub fn crawl_delay(&self, agent: impl Into<Agent>) -> Option<Duration> {
        self.policy().crawl_delay(&agent.into().crawler(self.dialect()).ok()?)
    }

    /// The number of requests that `agent` may make in a span of time (`Request-rate`). `None` if the file does not say,
    /// or `agent` names no crawler.
    pub fn request_rate(&self, agent: impl Into<Agent>) -> Option<RequestRate> {
        self.policy().request_rate(&agent.into().crawler(self.dialect()).ok()?).map(RequestRate::new)
    }

    /// The hours at which `agent` may visit (`Visit-time`). `None` if the file does not say, or `agent` names no crawler.
    pub fn visit_time(&self, agent: impl Into<Agent>) -> Option<VisitTime> {
        self.policy().visit_time(&agent.into().crawler(self.dialect()).ok()?).map(VisitTime::new)
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    pub(crate) fn policy(&self) -> &Policy<'static> {
        &self.shared.policy
    }

    fn compiled(&self, agent: Agent) -> Arc<CompiledRules> {
        let last = || self.shared.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = last().as_ref().filter(|rules| rules.agent == agent) {
            return Arc::clone(rules);
        }
        let rules = Arc::new(CompiledRules::new(self, agent));
        *last() = Some(Arc::clone(&rules));
        rules
    }
}

impl fmt::Debug for Robots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Robots")
            .field("dialect", &self.dialect())
            .field("bytes", &self.policy().text().len())
            .finish_non_exhaustive()
    }
}

/// Options for parsing a robots.txt.
///
/// ```
/// use robomata::{Dialect, Robots};
///
/// let robots = Robots::builder().dialect(Dialect::Google).status(404).parse("");
/// assert!(robots.is_allowed("ExampleBot", "/private"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct RobotsBuilder {
    dialect: Dialect,
    fetch: Fetch,
    size_limit: Option<usize>,
}

/// What decides whether the body counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fetch {
    Status(FetchStatus),
    #[cfg(feature = "lifecycle")]
    Applies(Applies),
}

impl Fetch {
    /// The policy of `body`. Fails if the body counts, but is no text.
    pub(crate) fn policy<'b>(self, body: &'b [u8], config: &Config) -> Result<Policy<'b>, NotTextError> {
        let policy = match self {
            Fetch::Status(status) => Policy::fetched(body, Some(status.inner()), config),
            #[cfg(feature = "lifecycle")]
            Fetch::Applies(applies) => Policy::applying(applies.inner(), body, config),
        };
        if policy.outcome() == FetchOutcome::Success {
            require_text(body)?;
        }
        Ok(policy)
    }
}

impl Default for Fetch {
    fn default() -> Self {
        Fetch::Status(FetchStatus::Success)
    }
}

impl RobotsBuilder {
    /// The numbers of bytes that [`RobotsBuilder::size_limit`] can set; it rounds others to the next one of them. Programs
    /// whose users give a limit can refuse others.
    pub const SIZE_LIMITS: RangeInclusive<usize> = limits::MIN_PARSING_LIMIT..=limits::MAX_PARSING_LIMIT;

    /// Sets the dialect. The default is that of RFC 9309.
    pub fn dialect(self, dialect: Dialect) -> Self {
        RobotsBuilder { dialect, ..self }
    }

    /// Sets the result of the fetch: an HTTP status, or a [`FetchStatus`]. The body only counts after a success. In the
    /// default dialect, 4xx (also 401, 403 and 429) allow everything, 5xx disallow everything, and the rules of a 3xx
    /// are unknown. Other dialects differ: see `crates/DIALECTS.md`. The default is a success.
    pub fn status(self, status: impl Into<FetchStatus>) -> Self {
        RobotsBuilder { fetch: Fetch::Status(status.into()), ..self }
    }

    /// Sets what applies to the site, instead of the result of the fetch. The body that is parsed has to be that of the
    /// latest attempt or of the last good copy, as `applies` says.
    #[cfg(feature = "lifecycle")]
    pub fn applies(self, applies: Applies) -> Self {
        RobotsBuilder { fetch: Fetch::Applies(applies), ..self }
    }

    /// Sets the number of bytes of a file that are read, in every dialect but `yandex`. It is at least 500 KiB (RFC
    /// 9309, 2.5), and 4 GiB at most. Of a longer file, the lines that are complete within the limit count. The default is
    /// 4 MiB; in the dialect `google`, it is 4 GiB, because Google's parser has no limit. Google's crawlers read 500 KiB.
    pub fn size_limit(self, bytes: usize) -> Self {
        RobotsBuilder { size_limit: Some(bytes), ..self }
    }

    /// Parses a robots.txt. A body that is no text counts as a fetch that failed: see [`RobotsBuilder::try_parse`].
    #[must_use]
    pub fn parse(self, body: impl AsRef<[u8]>) -> Robots {
        let failed = self.status(FetchStatus::NetworkFailure);
        self.try_parse(body)
            .or_else(|_| failed.try_parse(""))
            .unwrap_or_else(|_| unreachable!("there is no body"))
    }

    /// Like [`RobotsBuilder::parse`], but fails if the body counts and begins like compressed data, an archive, a bundle or a
    /// WARC, or with the status line of a response: read as a robots.txt, it would have no rules, and allow everything.
    ///
    /// ```
    /// use robomata::Robots;
    ///
    /// let gzip = b"\x1f\x8b\x08\0\0\0\0\0";
    /// let error = Robots::builder().try_parse(gzip).unwrap_err();
    /// assert_eq!(error.to_string(), "expected a body of text, found gzip data (decode the body)");
    /// assert!(!Robots::parse(gzip).is_allowed("ExampleBot", "/"));
    /// assert!(Robots::builder().try_parse("HTTP/1.1 503 Service Unavailable\r\n\r\n").is_err());
    /// ```
    ///
    /// # Errors
    /// [`Error::NotText`].
    pub fn try_parse(self, body: impl AsRef<[u8]>) -> Result<Robots, Error> {
        let config = self.config();
        let policy = self.fetch.policy(body.as_ref(), &config)?.into_owned();
        let shared = Shared { policy, dialect: self.dialect, config, last: Mutex::default() };
        Ok(Robots { shared: Arc::new(shared) })
    }

    fn config(self) -> Config {
        Config::new(self.dialect.inner()).with_parsing_limit(self.size_limit)
    }
}

/// How the fetch of a robots.txt ended.
///
/// An HTTP status converts to it. A number outside 100 to 999 is no HTTP status: it counts as
/// [`FetchStatus::NetworkFailure`].
///
/// ```
/// use robomata::{FetchStatus, Robots};
///
/// let robots = Robots::builder().status(FetchStatus::NetworkFailure).parse("");
/// assert!(!robots.is_allowed("ExampleBot", "/"));
/// assert_eq!(FetchStatus::from(404), FetchStatus::Code(404));
/// assert_eq!(FetchStatus::from(0), FetchStatus::NetworkFailure);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FetchStatus {
    /// An HTTP status.
    Code(u16),
    /// The fetch succeeded; the status is not known.
    Success,
    /// There was no HTTP response: the name was not found, the connection failed or timed out.
    NetworkFailure,
    /// More redirects than the dialect follows, or a loop of them. Everything is allowed, as without a robots.txt (RFC
    /// 9309, 2.3.1.2), except in the dialect `koster1996`.
    TooManyRedirects,
}

impl FetchStatus {
    pub(crate) fn inner(self) -> protocol::FetchStatus {
        match self {
            FetchStatus::Code(code) => {
                protocol::FetchStatus::of_code(code).unwrap_or(protocol::FetchStatus::NetworkFailure)
            }
            FetchStatus::NetworkFailure => protocol::FetchStatus::NetworkFailure,
            FetchStatus::Success => protocol::FetchStatus::Success,
            FetchStatus::TooManyRedirects => protocol::FetchStatus::TooManyRedirects,
        }
    }
}

impl From<u16> for FetchStatus {
    fn from(code: u16) -> Self {
        match protocol::FetchStatus::of_code(code) {
            Some(_) => FetchStatus::Code(code),
            None => FetchStatus::NetworkFailure,
        }
    }
}
