//! Texts for which two policies of one site answer differently.

use std::collections::HashSet;

use robomata_automaton::{CompareOptions, Difference, Program, ProgramRef, compare_programs, path_of};
use robomata_protocol::{Answer, FetchOutcome, requestable};

use crate::site_policy::SitePolicy;

/// The differences between two policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    /// The changed answers, the shortest paths first: one for each pair of deciding rules. Both policies confirm each.
    pub changes: Vec<Change>,
    /// Whether the result is complete. If so, an empty list proves that the policies give the same answer for every URL.
    pub is_exhaustive: bool,
    /// Whether the search ended because its budget was spent. A larger one continues it.
    pub is_spent: bool,
}

/// A path with another answer after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Path and query, as in a URL.
    pub path: Vec<u8>,
    /// The answer before the change.
    pub old: Answer,
    /// The answer after the change.
    pub new: Answer,
}

/// Whether `difference` counts the change from `old` to `new`.
#[inline]
pub fn differ(old: Answer, new: Answer, difference: Difference) -> bool {
    old.as_str() != new.as_str() || difference == Difference::Line && old.line() != new.line()
}

/// Compares two policies of one dialect, which may be those of one site before and after a change. `budget` is that of
/// [`CompareOptions`].
pub fn differences(
    old: &mut SitePolicy,
    new: &mut SitePolicy,
    difference: Difference,
    budget: u64,
) -> Differences {
    let dialect = old.dialect();
    let Texts { texts, mut is_exhaustive, is_spent } = texts(old, new, difference, budget);
    let mut changes = Vec::with_capacity(texts.len());
    for text in texts {
        let path = path_of(&text, dialect);
        // No URL ends with a blank, but one that continues may have it there.
        let longer = [&path[..], b"x"].concat();
        let change = [path, longer].into_iter().find_map(|path| {
            let (old, new) = answers(old, new, &path);
            differ(old, new, difference).then_some(Change { path, old, new })
        });
        is_exhaustive &= change.is_some();
        changes.extend(change);
    }
    Differences { changes, is_exhaustive, is_spent }
}

/// The answers of two policies for a path: invalid if no client requests it ([`requestable`]). They look at no site, but in
/// some dialects, `//a` alone is a site.
fn answers(old: &mut SitePolicy, new: &mut SitePolicy, path: &[u8]) -> (Answer, Answer) {
    let url = [b"http://site.example", path].concat();
    match requestable(&url) == Some(&url) {
        true => (old.check(&url), new.check(&url)),
        false => (Answer::Invalid, Answer::Invalid),
    }
}

/// Texts in normal form whose answers should differ, the shortest first; the other fields are those of [`Differences`].
struct Texts {
    texts: Vec<Vec<u8>>,
    is_exhaustive: bool,
    is_spent: bool,
}

fn texts(old: &mut SitePolicy, new: &mut SitePolicy, difference: Difference, budget: u64) -> Texts {
    let [Some(old_program), Some(new_program)] = [&*old, &*new].map(|policy| program_of(policy, difference))
    else {
        return tried(old, new, difference, budget);
    };
    let options = CompareOptions { difference, budget, ..CompareOptions::default() };
    match compare_programs(old_program.as_ref(), new_program.as_ref(), old.dialect(), &options) {
        Ok(found) => Texts {
            texts: found.witnesses.into_iter().map(|witness| witness.text).collect(),
            is_exhaustive: found.is_exhaustive,
            is_spent: !found.is_exhaustive,
        },
        Err(_) => Texts { texts: vec![], is_exhaustive: false, is_spent: false },
    }
}

/// The rules of a policy, or rules with the same effect; `None` if more than rules decide, or if nothing is known.
pub(crate) fn program_of(policy: &SitePolicy, difference: Difference) -> Option<Program> {
    match policy.outcome() {
        _ if policy.has_tdmrep() => None,
        FetchOutcome::Success => policy.program().map(ProgramRef::to_owned),
        FetchOutcome::Unavailable => Some(Program::without_rules(policy.dialect())),
        // No line decides in this case, but a compiled rule would have a line.
        FetchOutcome::Unreachable | FetchOutcome::Restricted if difference == Difference::Verdict => {
            Some(Program::disallowing_all(policy.dialect()))
        }
        _ => None,
    }
}

/// When programs cannot be compared: texts made from the patterns of both policies whose answers differ, a shortest one
/// for each pair of lines that decide. Texts of patterns that one policy alone has are tried first.
fn tried(old: &mut SitePolicy, new: &mut SitePolicy, difference: Difference, budget: u64) -> Texts {
    let dialect = old.dialect();
    let made = [old.instances(), new.instances()];
    // A check takes longer the more patterns there are.
    let steps = 1 + (made[0].len() + made[1].len()) / INSTANCES_A_STEP;
    let most = usize::try_from(budget).unwrap_or(usize::MAX) / steps;

    let [olds, news] = made.each_ref().map(|texts| texts.iter().collect::<HashSet<_>>());
    let mut texts: Vec<&[u8]> = olds.symmetric_difference(&news).map(|text| text.as_slice()).collect();
    let by_length = |one: &&[u8], other: &&[u8]| (one.len(), one).cmp(&(other.len(), other));
    texts.sort_unstable_by(by_length);
    let mut shared: Vec<&[u8]> = olds.intersection(&news).map(|text| text.as_slice()).collect();
    shared.sort_unstable_by(by_length);
    texts.extend(shared);
    let is_spent = texts.len() > most;
    texts.truncate(most);
    texts.push(b"/");
    texts.sort_unstable_by(by_length);

    let mut seen = HashSet::new();
    texts.retain(|text| {
        let answers = answers(old, new, &path_of(text, dialect));
        differ(answers.0, answers.1, difference) && seen.insert(answers)
    });
    let texts = texts.into_iter().map(<[u8]>::to_vec).collect();
    Texts { texts, is_exhaustive: false, is_spent }
}

/// Texts made from patterns, a few for each, against which a check takes one step of a budget.
const INSTANCES_A_STEP: usize = 16;

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::{Crawler, Dialect};

    use super::*;

    fn paths(old: &str, new: &str, dialect: Dialect) -> Vec<String> {
        let policy =
            |text: &str| SitePolicy::new(&Policy::in_dialect(text.as_bytes(), dialect), &Crawler::new("A"));
        let found = differences(&mut policy(old), &mut policy(new), Difference::Verdict, 1 << 20);
        found.changes.into_iter().map(|change| String::from_utf8(change.path).unwrap()).collect()
    }

    /// They are compared in lower case, but a URL has upper case there.
    #[test]
    fn escapes_in_patterns_of_any_case_are_in_normal_form() {
        let old = "ACAP-crawler: *\nACAP-allow-crawl: /zz\n";
        for (path, expected) in [
            ("/Caf%c3%A9/", "/caf%C3%A9/"),
            ("/a%2Fb", "/a%2Fb"),
            ("/a^", "/a%5E"),
            ("/a%zz", "/a%zz"),
            ("/a%2", "/a%2"),
        ] {
            let new = format!("{old}ACAP-disallow-crawl: {path}\n");
            assert_eq!(paths(old, &new, Dialect::Acap), [expected], "{path}");
        }
    }

    #[test]
    fn texts_that_are_no_urls_are_no_differences() {
        let old = "User-agent: *\nDisallow: /zz\n";
        for (path, expected) in
            [("/a\u{1}", &[][..]), ("/a *", &["/a x"]), ("/a b", &["/a b"]), ("/a%20*", &["/a%20"])]
        {
            assert_eq!(
                paths(old, &format!("{old}Disallow: {path}\n"), Dialect::Google),
                expected,
                "{path:?}"
            );
        }
    }
}
