//! Describes URLs about which dialects differ: answers with their lines, and causes.

use std::collections::HashMap;

use robomata_engine::{Answer, Dialect, Policy, Site};
use robomata_formats::urls::as_text;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::cause::{self, Cause, Reading};
use super::{CompareJob, differ};
use crate::bodies::KeptBody;

/// A URL about which dialects differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The URL; bytes that are not UTF-8 are replaced.
    pub url: String,
    /// Its site in normal form.
    pub site: String,
    /// The answers of the dialects, in the order of the stores; in JSON an object by dialect.
    #[serde(serialize_with = "by_dialect")]
    pub answers: Vec<DialectAnswer>,
    /// The causes: one for each dialect that differs from the first one. Empty without bodies.
    pub causes: Vec<DialectCause>,
}

/// The answer of one dialect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DialectAnswer {
    /// The dialect.
    #[serde(skip)]
    pub dialect: Dialect,
    /// `allow`, `disallow`, `defer` or `unknown`.
    pub verdict: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written; a long line is cut after 500 characters and ends with an ellipsis.
    pub rule: Option<String>,
    /// The name of the group that applies: `*`, or a product token in the file's first spelling; if the dialect merges the
    /// groups of several tokens, these with commas.
    pub group: Option<String>,
}

/// The cause why a dialect differs from the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DialectCause {
    /// The two dialects, the first one first.
    pub dialects: [Dialect; 2],
    /// The cause.
    pub cause: Cause,
    /// The 1-based line that causes the difference; 0 when there is none.
    pub line: u32,
    /// The cause as a sentence.
    pub text: String,
}

/// Passes the index of each of `sites` to `each`, with the site's robots.txt in each dialect. Sites whose redirects lead
/// to one robots.txt share it, so it is read once for all of them.
pub(super) fn each_site(
    job: &CompareJob<'_>,
    sites: &[&Site<'_>],
    mut each: impl FnMut(usize, &[Reading<'_>]),
) {
    let bodies = &job.dialect_stores.bodies;
    let mut shared: HashMap<_, (Option<&KeptBody>, Vec<usize>)> = HashMap::new();
    for (index, site) in sites.iter().enumerate() {
        let kept = bodies.of(site);
        let (_, indices) = shared.entry(kept.map(KeptBody::key)).or_insert((kept, Vec::new()));
        indices.push(index);
    }
    for (kept, indices) in shared.into_values() {
        let policies: Vec<(Policy<'_>, &KeptBody)> = kept.map_or_else(Vec::new, |kept| {
            job.dialects().map(|dialect| (bodies.policy(kept, dialect), kept)).collect()
        });
        let readings: Vec<Reading<'_>> =
            policies.iter().map(|(policy, kept)| Reading::new(policy, kept, &job.crawler)).collect();
        indices.into_iter().for_each(|index| each(index, &readings));
    }
}

/// Passes the differences about URLs of `site` to `each`, in order.
pub(super) fn of_site<'a>(
    job: &CompareJob<'_>,
    site: &Site<'_>,
    readings: &[Reading<'_>],
    questions: impl Iterator<Item = (&'a [u8], &'a [Answer])>,
    mut each: impl FnMut(Difference),
) {
    let site = site.to_string();
    for (url, answers) in questions {
        let describe = |(index, (dialect, &answer))| dialect_answer(dialect, answer, readings.get(index));
        each(Difference {
            url: as_text(url).into_owned(),
            site: site.clone(),
            answers: job.dialects().zip(answers).enumerate().map(describe).collect(),
            causes: causes(job, readings, url, answers),
        });
    }
}

fn dialect_answer(dialect: Dialect, answer: Answer, reading: Option<&Reading<'_>>) -> DialectAnswer {
    DialectAnswer {
        dialect,
        verdict: answer.as_str(),
        line: answer.line(),
        rule: reading.and_then(|reading| reading.quote(answer.line())),
        group: reading.and_then(Reading::group),
    }
}

fn causes(
    job: &CompareJob<'_>,
    readings: &[Reading<'_>],
    url: &[u8],
    answers: &[Answer],
) -> Vec<DialectCause> {
    let mut pairs = readings.iter().zip(answers.iter().copied());
    let Some(first) = pairs.next() else { return Vec::new() };
    pairs
        .filter(|other| differ(&[first.1, other.1], job.compared))
        .map(|other| {
            let found = cause::find(first, other, url);
            DialectCause {
                dialects: [first.0.dialect(), other.0.dialect()],
                cause: found.cause,
                line: found.line,
                text: found.sentence(first.0, other.0),
            }
        })
        .collect()
}

fn by_dialect<S: Serializer>(answers: &[DialectAnswer], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(answers.len()))?;
    for answer in answers {
        map.serialize_entry(&answer.dialect, answer)?;
    }
    map.end()
}
