//! One block of URL lines to the octets that are written for it.

use robomata::{Access, Answer, CrowdChecker, Site};
use robomata_formats::{FrontierBlock, UrlLine};

use super::{Selection, Tally, UnknownSites};
#[cfg(feature = "cross-check")]
use crate::cross_check::CrossChecker;
use crate::events::Divergence;
use crate::problem::{InputProblem, NAMED, ProblemKind};

/// What was found in a block, besides what is written for it.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) lines: u64,
    /// By crawler.
    pub(super) tallies: Vec<Tally>,
    /// The first lines that are no URL.
    pub(super) problems: Vec<InputProblem>,
    /// How many more there are.
    pub(super) more_problems: u64,
    pub(super) cross_checked: u64,
    pub(super) divergences: Vec<Divergence>,
}

impl Findings {
    /// Empties the findings for another block, but keeps their memory.
    pub(super) fn clear(&mut self, crawlers: usize) {
        self.lines = 0;
        self.tallies.clear();
        self.tallies.resize(crawlers, Tally::default());
        self.problems.clear();
        self.more_problems = 0;
        self.cross_checked = 0;
        self.divergences.clear();
    }

    fn problem(&mut self, problem: impl FnOnce() -> InputProblem) {
        if (self.problems.len() as u64) < NAMED {
            self.problems.push(problem());
        } else {
            self.more_problems += 1;
        }
    }
}

/// Judges blocks; one for each thread.
pub(super) struct Judge<'s> {
    checker: CrowdChecker<'s>,
    crawlers: usize,
    selection: Selection,
    #[cfg(feature = "cross-check")]
    cross_checker: Option<CrossChecker<'s>>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(
        checker: CrowdChecker<'s>,
        crawlers: usize,
        selection: Selection,
        #[cfg(feature = "cross-check")] cross_checker: Option<CrossChecker<'s>>,
    ) -> Self {
        Judge {
            checker,
            crawlers,
            selection,
            #[cfg(feature = "cross-check")]
            cross_checker,
        }
    }

    /// Appends what is to be written for `block` to `out`.
    pub(super) fn judge(&mut self, block: &FrontierBlock, out: &mut Vec<u8>, found: &mut Findings) {
        found.clear(self.crawlers);
        found.lines = u64::from(block.block.lines);
        let octets = &block.block.bytes;
        // Most lines are kept, and next to each other: a run of them is copied at once.
        let mut kept_from = 0;
        let mut start = 0;
        for line in block.urls() {
            let end = (start + line.line.len() + 1).min(octets.len());
            let selection = self.selection;
            let answers = self.answers(block, &line, found);
            match selection {
                Selection::Verdicts => push_verdicts(answers, line.url.unwrap_or_default(), out),
                selection if keeps(selection, answers[0]) => {}
                _ => {
                    out.extend_from_slice(&octets[kept_from..start]);
                    kept_from = end;
                }
            }
            start = end;
        }
        if self.selection != Selection::Verdicts {
            out.extend_from_slice(&octets[kept_from..]);
        }
    }

    /// The answers for `line`, one for each crawler.
    #[inline]
    fn answers(&mut self, block: &FrontierBlock, line: &UrlLine<'_>, found: &mut Findings) -> &[Answer] {
        // No text is a URL that is invalid for everybody.
        let answers = self.checker.check(line.url.unwrap_or_default());
        for (tally, &answer) in found.tallies.iter_mut().zip(answers) {
            tally.add(answer);
        }
        // Whether a text is a URL does not depend on the crawler.
        if answers.first() == Some(&Answer::Invalid) {
            found.problem(|| invalid_url(block, line));
        }
        #[cfg(feature = "cross-check")]
        if let (Some(cross_checker), Some(url)) = (&mut self.cross_checker, line.url) {
            found.cross_checked += cross_checker.check(url, answers, &mut found.divergences);
        }
        answers
    }
}

/// Is a line written as it is? A deferred one never is: it is to be asked about again.
#[inline]
fn keeps(selection: Selection, answer: Answer) -> bool {
    match (answer, selection) {
        (Answer::Verdict(verdict), Selection::Allowed(_)) => verdict.access == Access::Allow,
        (Answer::Verdict(verdict), Selection::Disallowed) => verdict.access == Access::Disallow,
        (Answer::Unknown, Selection::Allowed(unknown)) => unknown == UnknownSites::Keep,
        _ => false,
    }
}

/// A line of verdicts: verdict and line of the rule for each crawler, then the URL.
pub(super) fn push_verdicts(answers: &[Answer], url: &[u8], out: &mut Vec<u8>) {
    let mut number = itoa::Buffer::new();
    for answer in answers {
        out.extend_from_slice(answer.as_str().as_bytes());
        out.push(b'\t');
        out.extend_from_slice(number.format(answer.line()).as_bytes());
        out.push(b'\t');
    }
    out.extend_from_slice(url);
    out.push(b'\n');
}

/// What is wrong with a line that is no URL.
#[cold]
pub(crate) fn invalid_url(block: &FrontierBlock, line: &UrlLine<'_>) -> InputProblem {
    /// Characters of a text that a message quotes.
    const QUOTED: usize = 80;
    let Some(url) = line.url else {
        return InputProblem::of_error(&block.missing_column(line.number), ProblemKind::Url);
    };
    let expected = Site::of_url(url)
        .err()
        .map_or_else(|| "expected an http or https URL".to_owned(), |error| error.to_string());
    let text = String::from_utf8_lossy(url);
    let found = match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    };
    let message = format!("{expected}, found {found}");
    InputProblem::at_line(ProblemKind::Url, &block.file, Some(line.number), &message)
}
