//! The rules of one robots.txt for one crawler.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use regex_automata::util::pool::Pool;
use robomata_evaluator::{SitePolicy, SiteScratch};
use robomata_protocol::Answer;
use robomata_protocol::semantics::UrlCut;

use crate::{Agent, AgentError, Dialect, Explanation, RequestRate, Robots, Verdict, VisitTime};

/// The rules of a robots.txt for one crawler, compiled.
///
/// A check takes time linear in the length of the URL, however many rules there are. Rules are cheap to clone, and
/// threads can share them.
///
/// ```
/// use robomata::Robots;
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$");
/// let rules = robots.for_agent("ExampleBot");
/// let verdict = rules.check("https://example.com/private/press");
/// assert!(verdict.is_allowed());
/// assert_eq!(verdict.line(), Some(3));
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| assert!(!rules.is_allowed("/private/a")));
///     scope.spawn(|| assert!(rules.is_allowed("/public")));
/// });
/// ```
#[derive(Clone)]
pub struct Rules {
    robots: Robots,
    compiled: Arc<CompiledRules>,
}

/// Compiled rules, without their file.
pub(crate) struct CompiledRules {
    pub(crate) agent: Agent,
    policy: Result<SitePolicy, AgentError>,
    scratch: Pool<SiteScratch, fn() -> SiteScratch>,
}

impl CompiledRules {
    pub(crate) fn new(robots: &Robots, agent: Agent) -> Self {
        let crawler = agent.crawler(robots.dialect());
        let policy = crawler.map(|crawler| SitePolicy::new(robots.policy(), &crawler));
        CompiledRules { agent, policy, scratch: Pool::new(SiteScratch::default) }
    }

    pub(crate) fn check(&self, url: &[u8]) -> Verdict {
        self.verdict(|policy, scratch| policy.check_url_with(url, scratch))
    }

    fn check_batch(&self, urls: &mut dyn Iterator<Item = &[u8]>, each: &mut dyn FnMut(Verdict)) {
        match &self.policy {
            Ok(policy) => {
                let mut scratch = self.scratch.get();
                policy.check_urls_with(urls, &mut scratch, &mut |answer| each(Verdict::of(answer)));
            }
            Err(_) => urls.for_each(|_| each(Verdict::INVALID_AGENT)),
        }
    }

    fn check_any_text(&self, text: &[u8]) -> Verdict {
        self.verdict(|policy, scratch| match policy.dialect().semantics().url_cut {
            UrlCut::GetPathParamsQuery => policy.check_with(text, scratch),
            UrlCut::Rfc3986 => policy.check_url_with(text, scratch),
        })
    }

    #[inline]
    fn verdict(&self, answer: impl FnOnce(&SitePolicy, &mut SiteScratch) -> Answer) -> Verdict {
        match &self.policy {
            Ok(policy) => Verdict::of(answer(policy, &mut self.scratch.get())),
            Err(_) => Verdict::INVALID_AGENT,
        }
    }
}

impl Rules {
    pub(crate) fn new(robots: Robots, compiled: Arc<CompiledRules>) -> Self {
        Rules { robots, compiled }
    }

    /// The verdict on `url`: an absolute URL, or a path with a query. The host is not compared with anything: see
    /// [`Robots`].
    pub fn check(&self, url: impl AsRef<[u8]>) -> Verdict {
        self.compiled.check(url.as_ref())
    }

    /// The verdicts on `urls`, in their order. It is faster than many calls of [`Rules::check`], above all for URLs of one
    /// site.
    ///
    /// ```
    /// # use robomata::Robots;
    /// let rules = Robots::parse("User-agent: *\nDisallow: /private").for_agent("ExampleBot");
    /// let verdicts = rules.check_batch(&["https://example.com/", "https://example.com/private"]);
    /// assert_eq!(verdicts.iter().map(|verdict| verdict.line()).collect::<Vec<_>>(), [None, Some(2)]);
    /// ```
    pub fn check_batch<U: AsRef<[u8]>>(&self, urls: &[U]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(urls.len());
        self.check_batch_with(urls.iter().map(AsRef::as_ref), |verdict| verdicts.push(verdict));
        verdicts
    }

    /// Like [`Rules::check_batch`], but calls `each` with each verdict instead of collecting them.
    pub fn check_batch_with<'u>(
        &self,
        urls: impl IntoIterator<Item = &'u [u8]>,
        mut each: impl FnMut(Verdict),
    ) {
        self.compiled.check_batch(&mut urls.into_iter(), &mut each);
    }

    /// The verdict on any text, for programs that called google/robotstxt: in the dialect `google`, every text has a path,
    /// and a text without one has the path `/`. In other dialects, like [`Rules::check`].
    ///
    /// ```
    /// # use robomata::{Dialect, Robots};
    /// let robots = Robots::builder().dialect(Dialect::Google).parse("User-agent: *\nDisallow: /a");
    /// let rules = robots.for_agent("ExampleBot");
    /// assert!(rules.check_any_text("example.com/a").is_disallowed());
    /// assert!(!rules.is_allowed("example.com/b"), "not a URL");
    /// ```
    pub fn check_any_text(&self, text: impl AsRef<[u8]>) -> Verdict {
        self.compiled.check_any_text(text.as_ref())
    }

    /// Whether the crawler may fetch `url`. False unless the verdict is *allow*: also false when `url` is not a URL.
    pub fn is_allowed(&self, url: impl AsRef<[u8]>) -> bool {
        self.check(url).is_allowed()
    }

    /// Explains the verdict on `url`. The explanation has a `Display` for people. Each call compiles the rules again.
    ///
    /// ```
    /// # use robomata::Robots;
    /// let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$");
    /// let explanation = robots.for_agent("ExampleBot").explain("/private/press");
    /// assert_eq!(explanation.to_string(), "\
    /// allow /private/press
    ///   line 3: Allow: /private/press$ (15 bytes) decides
    ///   line 2: Disallow: /private (8 bytes)
    ///   group '*', dialect rfc9309
    /// ");
    /// ```
    pub fn explain(&self, url: impl AsRef<[u8]>) -> Explanation {
        Explanation::new(&self.robots, self.agent(), url.as_ref())
    }

    /// The crawler.
    pub fn agent(&self) -> &Agent {
        &self.compiled.agent
    }

    /// The reason why the agent names no crawler; `None` for a crawler.
    ///
    /// ```
    /// # use robomata::Robots;
    /// let rules = Robots::parse("").for_agent("");
    /// assert!(!rules.is_allowed("/"));
    /// assert!(rules.agent_error().is_some());
    /// ```
    pub fn agent_error(&self) -> Option<&AgentError> {
        self.compiled.policy.as_ref().err()
    }

    /// The robots.txt of the rules.
    pub fn robots(&self) -> &Robots {
        &self.robots
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.robots.dialect()
    }

    /// The time that the crawler should wait between requests: see [`Robots::crawl_delay`].
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.robots.crawl_delay(self.agent())
    }

    /// The number of requests that the crawler may make in a span of time: see [`Robots::request_rate`].
    pub fn request_rate(&self) -> Option<RequestRate> {
        self.robots.request_rate(self.agent())
    }

    /// The hours at which the crawler may visit: see [`Robots::visit_time`].
    pub fn visit_time(&self) -> Option<VisitTime> {
        self.robots.visit_time(self.agent())
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("agent", self.agent())
            .field("dialect", &self.dialect())
            .finish_non_exhaustive()
    }
}
