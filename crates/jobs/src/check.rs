//! Some URLs against one robots.txt.

use robomata::{Access, Answer, Config, Crawler, Dialect, Policy, SitePolicy, Target};
use serde::Serialize;

use crate::error::JobError;
use crate::robots_file::{NumberedLines, RobotsFile};
use crate::urls::Urls;

/// What one robots.txt says about one URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked<'u> {
    /// The URL; octets that are no UTF-8 are replaced.
    pub url: std::borrow::Cow<'u, str>,
    /// `allow`, `disallow`, `defer` or `invalid`.
    pub verdict: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written.
    pub rule: Option<String>,
    /// The name of the group that applies: `*`, or a product token as the file first has it.
    pub group: Option<&'u str>,
    /// The dialect in which the file was read.
    pub dialect: &'static str,
}

/// How many URLs got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// Allowed ones.
    pub allowed: u64,
    /// Disallowed ones.
    pub disallowed: u64,
    /// Those that wait for the robots.txt.
    pub deferred: u64,
    /// Texts that are no URL.
    pub invalid: u64,
}

impl CheckReport {
    pub(crate) fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Verdict(verdict) if verdict.access == Access::Allow => self.allowed += 1,
            Answer::Verdict(_) => self.disallowed += 1,
            Answer::Defer => self.deferred += 1,
            Answer::Unknown | Answer::Invalid => self.invalid += 1,
        }
    }
}

/// Whether and how a text is a URL of the site is the same in every dialect, unlike the cut of its path: an absolute
/// URL of any scheme, or a path.
pub(crate) fn is_url(text: &[u8]) -> bool {
    Target::new(text).is_some()
}

/// Judges `urls` by `robots` and hands every answer to `each`, in order: first the URL as it was given.
///
/// # Errors
/// When the URLs cannot be read, and those of `each`.
pub fn run(
    robots: &RobotsFile,
    crawler: &Crawler,
    dialect: Dialect,
    urls: Urls,
    mut each: impl FnMut(&[u8], &Checked<'_>) -> Result<(), JobError>,
) -> Result<CheckReport, JobError> {
    let policy = Policy::new(robots.octets(), &Config::new(dialect));
    let lines = NumberedLines::new(policy.text());
    let group = policy.rules_for(crawler).choice().name();
    let mut site = SitePolicy::new(&policy, crawler);
    let mut report = CheckReport::default();
    urls.for_each(|url| {
        let answer = if is_url(url) { site.check(url) } else { Answer::Invalid };
        report.add(answer);
        let checked = Checked {
            url: String::from_utf8_lossy(url),
            verdict: answer.as_str(),
            line: answer.line(),
            rule: lines.text(answer.line()),
            group: group.as_deref(),
            dialect: dialect.as_str(),
        };
        each(url, &checked)
    })?;
    Ok(report)
}
