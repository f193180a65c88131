//! Judges one block of URLs and prepares its output.

use std::sync::Arc;

use robomata::{Access, Answer, CrowdChecker, Site, UrlParts};
use robomata_formats::{
    FrontierBlock, FrontierContent, LineBlock, OutputError, RowParts, RowUrl, Rows, UrlLine, UrlRows,
};

use super::form::{self, Rulings, push_text};
use super::pipeline::Judged;
use super::table::Table;
use super::{OutputForm, Selection, Tally, UnknownSites};
#[cfg(feature = "cross-check")]
use crate::cross_check::CrossChecker;
use crate::events::Divergence;
use crate::problem::{InputProblem, NAMED, ProblemKind};

/// The result for a block, besides its output.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) lines: u64,
    /// Counts of verdicts, by crawler.
    pub(super) tallies: Vec<Tally>,
    /// The first lines that are not URLs.
    pub(super) problems: Vec<InputProblem>,
    /// The number of further such lines.
    pub(super) more_problems: u64,
    pub(super) cross_checked: u64,
    pub(super) divergences: Vec<Divergence>,
}

impl Findings {
    /// Clears the result for another block, but keeps the allocated memory.
    pub(super) fn clear(&mut self, crawlers: usize) {
        self.lines = 0;
        self.tallies.clear();
        self.tallies.resize(crawlers, Tally::default());
        self.problems.clear();
        self.more_problems = 0;
        self.cross_checked = 0;
        self.divergences.clear();
    }

    /// Counts the answers for a URL; `problem` describes what is wrong with an invalid one.
    #[inline]
    fn count(&mut self, answers: &[Answer], problem: impl FnOnce() -> InputProblem) {
        for (tally, &answer) in self.tallies.iter_mut().zip(answers) {
            tally.add(answer);
        }
        // A text is a URL for all crawlers or for none.
        if answers.first() == Some(&Answer::Invalid) {
            self.problem(problem);
        }
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
    form: OutputForm,
    /// The rules that decided about a URL, by crawler.
    rules: Vec<Option<Arc<str>>>,
    #[cfg(feature = "cross-check")]
    cross_checker: Option<CrossChecker<'s>>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(
        checker: CrowdChecker<'s>,
        crawlers: usize,
        (selection, form): (Selection, OutputForm),
        #[cfg(feature = "cross-check")] cross_checker: Option<CrossChecker<'s>>,
    ) -> Self {
        Judge {
            checker,
            crawlers,
            selection,
            form,
            rules: Vec::new(),
            #[cfg(feature = "cross-check")]
            cross_checker,
        }
    }

    /// Judges `block` and puts its output and its result into `judged`.
    pub(super) fn judge(&mut self, block: &FrontierBlock, judged: &mut Judged) {
        judged.out.clear();
        judged.rows = None;
        judged.found.clear(self.crawlers);
        judged.found.lines = block.len();
        match (&block.content, self.selection, self.form) {
            (FrontierContent::Rows(rows), ..) => {
                judged.rows = self.judge_rows(block, rows, judged).transpose();
            }
            (FrontierContent::Lines(lines), _, OutputForm::Parquet) => {
                judged.rows = Some(self.gather(block, lines, &mut judged.found));
            }
            (FrontierContent::Lines(lines), Selection::Verdicts, _) => {
                self.write_verdicts(block, lines, judged);
            }
            (FrontierContent::Lines(lines), ..) => self.select(block, lines, judged),
        }
    }

    /// Copies the selected lines.
    fn select(&mut self, block: &FrontierBlock, lines: &LineBlock, Judged { out, found, .. }: &mut Judged) {
        let bytes = &lines.block.bytes;
        // Most lines are kept and adjacent, so a run of lines is copied at once.
        let mut kept_from = 0;
        let mut start = 0;
        for line in lines.urls() {
            let end = (start + line.line.len() + 1).min(bytes.len());
            let selection = self.selection;
            let answers = self.answers(block, &line, found);
            if !keeps(selection, answers[0]) {
                out.extend_from_slice(&bytes[kept_from..start]);
                kept_from = end;
            }
            start = end;
        }
        out.extend_from_slice(&bytes[kept_from..]);
    }

    /// Writes the verdicts of all lines.
    fn write_verdicts(
        &mut self,
        block: &FrontierBlock,
        lines: &LineBlock,
        Judged { out, found, .. }: &mut Judged,
    ) {
        let form = self.form;
        for line in lines.urls() {
            let answers = self.answers(block, &line, found);
            match form {
                OutputForm::Text => push_text(answers, line.url.as_deref().unwrap_or_default(), out),
                OutputForm::Tsv => form::push_tsv(lines.layout(), &line, self.rulings(), out),
                OutputForm::Csv => form::push_csv(lines.layout(), &line, self.rulings(), out),
                _ => form::push_json(lines.layout(), &line, self.rulings(), out),
            }
        }
    }

    /// Turns lines into rows.
    fn gather(
        &mut self,
        block: &FrontierBlock,
        lines: &LineBlock,
        found: &mut Findings,
    ) -> Result<Rows, OutputError> {
        let selection = self.selection;
        let mut table = Table::of_lines(lines.layout(), selection, self.crawlers)?;
        for line in lines.urls() {
            let answers = self.answers(block, &line, found);
            if selection == Selection::Verdicts || keeps(selection, answers[0]) {
                table.push_line(lines.layout(), &line, self.rulings());
            }
        }
        table.finish()
    }

    /// The result for the URL that was judged last.
    fn rulings(&mut self) -> Rulings<'_> {
        self.checker.rules(&mut self.rules);
        Rulings { answers: self.checker.answers(), rules: &self.rules }
    }

    /// Judges rows. Uses the parts of their URLs if the rows have them.
    fn judge_rows(
        &mut self,
        block: &FrontierBlock,
        rows: &UrlRows,
        judged: &mut Judged,
    ) -> Result<Option<Rows>, OutputError> {
        let (selection, form) = (self.selection, self.form);
        let cells = (selection == Selection::Verdicts
            && matches!(form, OutputForm::Tsv | OutputForm::Csv | OutputForm::JsonLines))
        .then(|| rows.cells());
        let is_table = form == OutputForm::Parquet;
        let mut table = is_table.then(|| Table::of_rows(selection, self.crawlers)).transpose()?;
        let mut kept = Vec::new();
        for row in 0..rows.len() {
            let url = rows.url(row);
            let answers = self.row_answers(block, rows, row, &mut judged.found);
            let is_kept = selection == Selection::Verdicts || keeps(selection, answers[0]);
            match (&mut table, &cells, form) {
                (Some(table), ..) => {
                    kept.push(is_kept);
                    table.push_verdicts(self.rulings());
                }
                (None, Some(cells), OutputForm::Tsv) => {
                    form::push_row_tsv(cells, row, self.rulings(), &mut judged.out);
                }
                (None, Some(cells), OutputForm::Csv) => {
                    form::push_row_csv(cells, row, self.rulings(), &mut judged.out);
                }
                (None, Some(cells), _) => form::push_row_json(cells, row, self.rulings(), &mut judged.out),
                (None, None, _) if selection == Selection::Verdicts => {
                    push_text(self.checker.answers(), &url.text().unwrap_or_default(), &mut judged.out);
                }
                (None, None, _) if is_kept => {
                    judged.out.extend_from_slice(&url.text().unwrap_or_default());
                    judged.out.push(b'\n');
                }
                (None, None, _) => {}
            }
        }
        table.map(|table| table.finish_rows(rows, &kept)).transpose()
    }

    /// The answers for a row, one for each crawler.
    #[inline]
    fn row_answers(
        &mut self,
        block: &FrontierBlock,
        rows: &UrlRows,
        row: usize,
        found: &mut Findings,
    ) -> &[Answer] {
        let url = rows.url(row);
        let answers = match url {
            // An empty text is invalid for every crawler.
            RowUrl::Missing => self.checker.check(b""),
            RowUrl::Whole(url) => self.checker.check(url),
            RowUrl::Parts(RowParts { scheme, host, port, path, query }) => {
                self.checker.check_parts(&UrlParts { scheme, host, port, path, query })
            }
        };
        found.count(answers, || {
            let number = rows.rows_before() + row as u64 + 1;
            invalid_url(block, &UrlLine { number, line: b"", url: url.text() })
        });
        #[cfg(feature = "cross-check")]
        if let (Some(cross_checker), Some(url)) = (&mut self.cross_checker, url.text()) {
            found.cross_checked += cross_checker.check(&url, answers, &mut found.divergences);
        }
        answers
    }

    /// The answers for `line`, one for each crawler.
    #[inline]
    fn answers(&mut self, block: &FrontierBlock, line: &UrlLine<'_>, found: &mut Findings) -> &[Answer] {
        // An empty text is invalid for every crawler.
        let answers = self.checker.check(line.url.as_deref().unwrap_or_default());
        found.count(answers, || invalid_url(block, line));
        #[cfg(feature = "cross-check")]
        if let (Some(cross_checker), Some(url)) = (&mut self.cross_checker, &line.url) {
            found.cross_checked += cross_checker.check(url, answers, &mut found.divergences);
        }
        answers
    }
}

/// Is the line selected? Deferred lines never are, because the verdict may change later.
#[inline]
fn keeps(selection: Selection, answer: Answer) -> bool {
    match (answer, selection) {
        (Answer::Verdict(verdict), Selection::Allowed(_)) => verdict.access == Access::Allow,
        (Answer::Verdict(verdict), Selection::Disallowed) => verdict.access == Access::Disallow,
        (Answer::Unknown, Selection::Allowed(unknown)) => unknown == UnknownSites::Keep,
        _ => false,
    }
}

/// The problem of a line that is not a URL.
#[cold]
pub(crate) fn invalid_url(block: &FrontierBlock, line: &UrlLine<'_>) -> InputProblem {
    /// The most characters of a text that a message quotes.
    const QUOTED: usize = 80;
    let Some(url) = line.url.as_deref() else {
        return InputProblem::of_error(&block.missing_url(line), ProblemKind::Url);
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
