//! Checks URLs against one robots.txt.

use robomata_engine::{Access, Answer};
use serde::Serialize;

use crate::crawl::{CrawlJudge, SiteQuestion};
use crate::error::JobError;
use crate::fetch::{Applied, StandingReport};
use crate::robots_file::NumberedLines;
use crate::urls::Urls;

/// The answer of one robots.txt about one URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked<'u> {
    /// The URL; bytes that are not UTF-8 are replaced.
    pub url: std::borrow::Cow<'u, str>,
    /// `allow`, `disallow`, `defer`, `unknown` or `invalid`.
    pub verdict: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written.
    pub rule: Option<String>,
    /// The name of the group that applies: `*`, or a product token in the file's first spelling.
    pub group: Option<&'u str>,
    /// The dialect in which the file was read.
    pub dialect: &'static str,
    /// What applies to the site, from the fetch of the robots.txt; none when nothing is known about the fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<&'u StandingReport>,
}

/// Counts of URLs by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// Allowed URLs.
    pub allowed: u64,
    /// Disallowed URLs.
    pub disallowed: u64,
    /// URLs that wait for the robots.txt.
    pub deferred: u64,
    /// URLs about which nothing is known, because the target of the robots.txt's redirect was not fetched.
    pub unknown: u64,
    /// Texts that are not URLs.
    pub invalid: u64,
}

impl CheckReport {
    pub(crate) fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Verdict(verdict) if verdict.access == Access::Allow => self.allowed += 1,
            Answer::Verdict(_) => self.disallowed += 1,
            Answer::Defer => self.deferred += 1,
            Answer::Unknown => self.unknown += 1,
            Answer::Invalid => self.invalid += 1,
        }
    }
}

/// Judges `urls` and passes every answer to `each`, in order. The first argument of `each` is the URL as given.
///
/// # Errors
/// When the URLs cannot be read, or `each` fails.
pub fn run(
    question: SiteQuestion<'_>,
    urls: Urls,
    mut each: impl FnMut(&[u8], &Checked<'_>) -> Result<(), JobError>,
) -> Result<CheckReport, JobError> {
    let Applied { policy, standing, .. } = question.applied();
    let lines = NumberedLines::new(policy.text());
    let group = policy.rules_for(question.crawler).choice().name();
    let mut judge = CrawlJudge::new(&policy, question.crawler, question.now);
    let mut report = CheckReport::default();
    urls.for_each(|url| {
        let answer = judge.answer(url);
        report.add(answer);
        let checked = Checked {
            url: String::from_utf8_lossy(url),
            verdict: answer.as_str(),
            line: answer.line(),
            rule: lines.text(answer.line()),
            group: group.as_deref(),
            dialect: question.dialect.as_str(),
            standing: standing.as_ref(),
        };
        each(url, &checked)
    })?;
    Ok(report)
}
