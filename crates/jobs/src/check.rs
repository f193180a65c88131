//! Checks URLs against one robots.txt.

use robomata_engine::syntax::Lines;
use robomata_engine::{Answer, Dialect};
use robomata_formats::urls::as_text;
use serde::Serialize;

use crate::crawl::{CrawlJudge, SiteQuestion};
use crate::error::JobError;
use crate::fetch::{Applied, StandingReport};
use crate::filter::Tally;
use crate::quotes::{quoted_line, shortened};
use crate::urls::{Urls, require_text};

/// The answer of one robots.txt about one URL. Unlike an [`Answer`], it quotes the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked<'u> {
    /// The URL; bytes that are not UTF-8 are replaced.
    pub url: std::borrow::Cow<'u, str>,
    /// `allow`, `disallow`, `defer`, `unknown` or `invalid`.
    pub verdict: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written; a long line is cut after 500 characters and ends with an ellipsis.
    pub rule: Option<String>,
    /// The name of the group that applies: `*`, or a product token in the file's first spelling; if the dialect merges the
    /// groups of several tokens, these with commas.
    pub group: Option<&'u str>,
    /// The dialect in which the file was read.
    pub dialect: Dialect,
    /// What applies to the site, from the fetch of the robots.txt; none when nothing is known about the fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingReport>,
}

impl Checked<'_> {
    /// Checks that the text of the URL can stand for `url`, as it was given.
    ///
    /// # Errors
    /// When it is not UTF-8, and in this dialect the answer about the text might be another.
    pub fn require_text(&self, url: &[u8]) -> Result<(), JobError> {
        if self.verdict == Answer::Invalid.as_str() { Ok(()) } else { require_text(url, self.dialect) }
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
) -> Result<Tally, JobError> {
    let Applied { policy, standing, .. } = question.applied();
    let lines = Lines::new(policy.text());
    let group = policy.rules_for(question.crawler).name(question.crawler).map(|name| shortened(&name));
    let mut judge = CrawlJudge::new(&policy, question.crawler, question.now);
    let mut tally = Tally::default();
    urls.for_each(|url| {
        let answer = judge.answer(url);
        tally.add(answer);
        let checked = Checked {
            url: as_text(url),
            verdict: answer.as_str(),
            line: answer.line(),
            rule: quoted_line(&lines, answer.line()),
            group: group.as_deref(),
            dialect: question.config.dialect(),
            standing,
        };
        each(url, &checked)
    })?;
    Ok(tally)
}
