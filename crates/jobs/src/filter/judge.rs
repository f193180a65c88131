//! Judges one block of URLs and prepares its output.

use std::ops::Range;
use std::sync::Arc;

use robomata_engine::protocol::Semantics;
use robomata_engine::{Access, Answer, BLOCK, Checker, Crawlers, Site, Stores, UrlRef};
use robomata_formats::{FrontierBlock, FrontierContent, LineBlock, OutputError, Rows, UrlLine, UrlRows};

use super::form::{self, Rulings, push_text};
use super::pipeline::Judged;
use super::table::Table;
use super::{OutputForm, Selection, Tally, UnknownSites};
#[cfg(feature = "cross-check")]
use crate::cross_check::CrossChecker;
use crate::events::Divergence;
use crate::evidence::EvidenceWriter;
use crate::problem::{InputProblem, NAMED, ProblemKind, quoted};
use crate::urls::compares_bytes;

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
    /// The first line with a URL that the output cannot hold.
    pub(super) unwritable: Option<String>,
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
        self.unwritable = None;
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
    checker: Checker<'s, Crawlers<'s>, Stores<'s>>,
    crawlers: usize,
    selection: Selection,
    form: OutputForm,
    /// Whether %XX for a byte of a URL may change its answer.
    compares_bytes: bool,
    /// Whether an output of the block can hold no URL that is not UTF-8.
    requires_text: bool,
    /// For the URLs that were checked together last: the answers for each crawler.
    answers: Vec<Answer>,
    /// The rules that decided about a URL, by crawler.
    rules: Vec<Option<Arc<str>>>,
    evidence: Option<EvidenceWriter<'s>>,
    #[cfg(feature = "cross-check")]
    cross_checker: Option<CrossChecker<'s>>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(
        checker: Checker<'s, Crawlers<'s>, Stores<'s>>,
        crawlers: usize,
        (selection, form): (Selection, OutputForm),
        semantics: &Semantics,
        evidence: Option<EvidenceWriter<'s>>,
        #[cfg(feature = "cross-check")] cross_checker: Option<CrossChecker<'s>>,
    ) -> Self {
        Judge {
            checker,
            crawlers,
            selection,
            form,
            compares_bytes: compares_bytes(semantics),
            requires_text: false,
            answers: Vec::new(),
            rules: Vec::new(),
            evidence,
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
        self.requires_text = self.compares_bytes && (self.evidence.is_some() || self.turns_to_text(block));
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
        judged.evidence = self.evidence.as_mut().map(EvidenceWriter::take);
    }

    /// Are lines of `block` written as texts? Rows already have columns of their own.
    fn turns_to_text(&self, block: &FrontierBlock) -> bool {
        let is_json = self.form == OutputForm::JsonLines && self.selection == Selection::Verdicts;
        matches!(block.content, FrontierContent::Lines(_)) && (is_json || self.form == OutputForm::Parquet)
    }

    /// Copies the selected lines.
    fn select(&mut self, block: &FrontierBlock, lines: &LineBlock, Judged { out, found, .. }: &mut Judged) {
        let bytes = &lines.block.bytes;
        let selection = self.selection;
        // Most lines are kept and adjacent, so a run of lines is copied at once.
        let mut kept_from = 0;
        let mut start = 0;
        self.each_line(block, lines, found, |judge, line, index| {
            let end = (start + line.line.len() + 1).min(bytes.len());
            if !keeps(selection, judge.answers_of(index)[0]) {
                out.extend_from_slice(&bytes[kept_from..start]);
                kept_from = end;
            }
            start = end;
        });
        out.extend_from_slice(&bytes[kept_from..]);
    }

    /// Writes the verdicts of all lines.
    fn write_verdicts(
        &mut self,
        block: &FrontierBlock,
        lines: &LineBlock,
        Judged { out, found, .. }: &mut Judged,
    ) {
        let layout = lines.layout();
        let form = self.form;
        self.each_line(block, lines, found, |judge, line, index| match form {
            OutputForm::Text => {
                let written = if line.url.is_some() { None } else { lines.written_url(line) };
                let url = line.url.as_deref().or(written.as_deref());
                push_text(judge.answers_of(index), url.unwrap_or_default(), out);
            }
            OutputForm::Tsv => form::push_tsv(layout, line, judge.rulings(index), out),
            OutputForm::Csv => form::push_csv(layout, line, judge.rulings(index), out),
            _ => form::push_json(layout, line, judge.rulings(index), out),
        });
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
        self.each_line(block, lines, found, |judge, line, index| {
            if selection == Selection::Verdicts || keeps(selection, judge.answers_of(index)[0]) {
                table.push_line(lines.layout(), line, judge.rulings(index));
            }
        });
        table.finish()
    }

    /// Judges the lines of a block, and calls `emit` with each line and its index among those that were checked
    /// together.
    #[inline]
    fn each_line(
        &mut self,
        block: &FrontierBlock,
        lines: &LineBlock,
        found: &mut Findings,
        mut emit: impl FnMut(&mut Self, &UrlLine<'_>, usize),
    ) {
        let mut lines = lines.urls();
        let mut together = Vec::with_capacity(BLOCK);
        loop {
            together.clear();
            together.extend(lines.by_ref().take(BLOCK));
            if together.is_empty() {
                return;
            }
            self.check(together.iter().map(url_of));
            for (index, line) in together.iter().enumerate() {
                self.count(index, found, url_of(line), || invalid_url(block, line));
                emit(self, line, index);
            }
        }
    }

    /// Checks at most [`BLOCK`] URLs.
    #[inline]
    fn check<'u>(&mut self, urls: impl Iterator<Item = Option<UrlRef<'u>>>) {
        // An empty text is invalid for every crawler.
        const NONE: UrlRef<'_> = UrlRef::Text(b"");
        let mut together = [NONE; BLOCK];
        let mut length = 0;
        for (place, url) in together.iter_mut().zip(urls) {
            *place = url.unwrap_or(NONE);
            length += 1;
        }
        self.answers.resize(BLOCK * self.crawlers, Answer::Unknown);
        self.checker.check_block(&together[..length], &mut self.answers);
    }

    /// Counts the answers for the URL with this index among those that were checked together. `problem` names its line.
    #[inline]
    fn count(
        &mut self,
        index: usize,
        found: &mut Findings,
        url: Option<UrlRef<'_>>,
        problem: impl Fn() -> InputProblem,
    ) {
        let answers = &self.answers[self.range(index)];
        found.count(answers, &problem);
        if self.requires_text
            && found.unwritable.is_none()
            && answers.first() != Some(&Answer::Invalid)
            && !url.is_none_or(is_text)
        {
            found.unwritable = Some(problem().place());
        }
        #[cfg(feature = "cross-check")]
        if let (Some(cross_checker), Some(url)) = (&mut self.cross_checker, url) {
            found.cross_checked += cross_checker.check(&url.text(), answers, &mut found.divergences);
        }
        if let (Some(evidence), Some(url)) = (&mut self.evidence, url) {
            self.checker.rules(index, answers, &mut self.rules);
            evidence.push(&url.text(), Rulings { answers, rules: &self.rules });
        }
    }

    /// The range of the answers for the URL with this index among those that were checked together.
    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        index * self.crawlers..(index + 1) * self.crawlers
    }

    /// The answers for the URL with this index among those that were checked together.
    #[inline]
    fn answers_of(&self, index: usize) -> &[Answer] {
        &self.answers[self.range(index)]
    }

    /// The same, with the rules that decided.
    fn rulings(&mut self, index: usize) -> Rulings<'_> {
        let answers = &self.answers[self.range(index)];
        self.checker.rules(index, answers, &mut self.rules);
        Rulings { answers, rules: &self.rules }
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
        .then(|| rows.cells())
        .transpose()?;
        let is_table = form == OutputForm::Parquet;
        let mut table = is_table.then(|| Table::of_rows(selection, self.crawlers)).transpose()?;
        let mut kept = Vec::new();
        for row in 0..rows.len() {
            let (index, url) = (row % BLOCK, rows.url(row));
            if index == 0 {
                self.check((row..rows.len()).take(BLOCK).map(|row| rows.url(row)));
            }
            self.count(index, &mut judged.found, url, || {
                let number = rows.rows_before() + row as u64 + 1;
                invalid_url(block, &UrlLine { number, line: b"", url: url.map(|url| url.text()) })
            });
            let is_kept = selection == Selection::Verdicts || keeps(selection, self.answers_of(index)[0]);
            match (&mut table, &cells, form) {
                (Some(table), ..) => {
                    kept.push(is_kept);
                    table.push_verdicts(self.rulings(index));
                }
                (None, Some(cells), OutputForm::Tsv) => {
                    form::push_row_tsv(cells.row(row)?, self.rulings(index), &mut judged.out);
                }
                (None, Some(cells), OutputForm::Csv) => {
                    form::push_row_csv(cells.row(row)?, self.rulings(index), &mut judged.out);
                }
                (None, Some(cells), _) => {
                    form::push_row_json(cells.row(row)?, self.rulings(index), &mut judged.out);
                }
                (None, None, _) if selection == Selection::Verdicts => {
                    let url = rows.written_url(row).map(|url| url.text()).unwrap_or_default();
                    push_text(self.answers_of(index), &url, &mut judged.out);
                }
                (None, None, _) if is_kept => {
                    judged.out.extend_from_slice(&url.map(|url| url.text()).unwrap_or_default());
                    judged.out.push(b'\n');
                }
                (None, None, _) => {}
            }
        }
        table.map(|table| table.finish_rows(rows, &kept)).transpose()
    }
}

/// Is `url` in UTF-8?
fn is_text(url: UrlRef<'_>) -> bool {
    let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
    match url {
        UrlRef::Text(url) => is_text(url),
        UrlRef::Parts(parts) => {
            let mut all = true;
            parts.each_piece(|piece| all &= is_text(piece));
            all
        }
    }
}

/// The URL of a line, if it has one.
fn url_of<'l>(line: &'l UrlLine<'_>) -> Option<UrlRef<'l>> {
    line.url.as_deref().map(UrlRef::Text)
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
    let Some(url) = line.url.as_deref() else {
        return InputProblem::of_error(&block.missing_url(line), ProblemKind::Url);
    };
    let expected = Site::of_url(url)
        .err()
        .map_or_else(|| "expected an http or https URL".to_owned(), |error| error.to_string());
    let message = format!("{expected}, found {}", quoted(&String::from_utf8_lossy(url)));
    InputProblem::at_line(ProblemKind::Url, &block.file, Some(line.number), &message)
}
