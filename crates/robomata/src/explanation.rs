//! Explanations of verdicts.

use std::fmt;

use robomata_evaluator::Explainer;
use robomata_protocol::visible;

use crate::{Access, Agent, Dialect, Robots, Verdict};

/// Everything that led to a verdict. Its `Display` is a text for people, in which control
/// characters and invisible characters are escaped.
///
/// ```
/// use robomata::Robots;
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$");
/// let explanation = robots.explain("ExampleBot", "/private/press");
/// assert_eq!(explanation.group(), Some("*"));
/// assert_eq!(explanation.winner().map(|rule| rule.line), Some(3));
/// assert_eq!(explanation.runner_up().map(|rule| rule.line), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Explanation {
    url: String,
    verdict: Verdict,
    agent: Agent,
    dialect: Dialect,
    target: Option<String>,
    group: Option<String>,
    rule_count: usize,
    rules: Vec<MatchingRule>,
}

/// A rule that matches a URL. See [`Explanation::rules`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MatchingRule {
    /// The 1-based line of the rule.
    pub line: u32,
    /// Whether the rule allows or disallows.
    pub access: Access,
    /// The pattern in normal form.
    pub pattern: String,
    /// The length of the pattern, which decides between rules in most dialects.
    pub length: u32,
}

impl Explanation {
    pub(crate) fn new(robots: &Robots, agent: impl Into<Agent>, url: &[u8]) -> Self {
        let (agent, dialect) = (agent.into(), robots.dialect());
        let mut explanation = Explanation {
            url: String::from_utf8_lossy(url).into_owned(),
            verdict: Verdict::INVALID_AGENT,
            agent,
            dialect,
            target: None,
            group: None,
            rule_count: 0,
            rules: Vec::new(),
        };
        let Ok(crawler) = explanation.agent.crawler(dialect) else { return explanation };
        let found = Explainer::new(robots.policy(), &crawler).explain_url(url);
        explanation.group = found.group;
        explanation.rule_count = found.rule_count;
        explanation.verdict = Verdict::of(found.answer);
        explanation.rules = found
            .matching
            .iter()
            .map(|rule| MatchingRule {
                line: rule.line,
                access: Access::of(rule.access),
                pattern: rule.pattern.clone(),
                length: rule.length,
            })
            .collect();
        explanation.target = found.target;
        explanation
    }

    /// The URL. Invalid UTF-8 is replaced.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The crawler.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The path and query that are compared with the patterns, in normal form; `None` if the text is not a URL.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// The name of the group that the crawler obeys, `*` for the group of all others; `None` if no group applies. If the
    /// dialect merges the groups of several names, these are separated by commas.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// The number of rules that the crawler obeys.
    pub fn rule_count(&self) -> usize {
        self.rule_count
    }

    /// The rules that match the URL: first the one that decides, then the runner-up, then the others. Each line is there
    /// once.
    pub fn rules(&self) -> &[MatchingRule] {
        &self.rules
    }

    /// The rule that decides.
    pub fn winner(&self) -> Option<&MatchingRule> {
        self.rules.first().filter(|rule| Some(rule.line) == self.verdict.line())
    }

    /// The rule that would have decided if the winner did not exist.
    pub fn runner_up(&self) -> Option<&MatchingRule> {
        self.winner().and_then(|_| self.rules.get(1))
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.verdict, visible(&self.url))?;
        let winner = self.winner();
        if winner.is_none() {
            writeln!(f, "  {}", self.verdict.reason().sentence())?;
        }
        for rule in &self.rules {
            let field = match rule.access {
                Access::Allow => "Allow",
                Access::Disallow => "Disallow",
            };
            let decides = if winner == Some(rule) { " decides" } else { "" };
            let MatchingRule { line, pattern, length, .. } = rule;
            let pattern = visible(pattern);
            writeln!(f, "  line {line}: {field}: {pattern} ({length} bytes){decides}")?;
        }
        match &self.group {
            Some(group) => write!(f, "  group '{}'", visible(group))?,
            None => f.write_str("  no group")?,
        }
        writeln!(f, ", dialect {}", self.dialect)
    }
}
