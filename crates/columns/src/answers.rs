//! The output columns.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, BooleanArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use robomata_engine::{Access, Answer, PolicySet};
use robomata_url_columns::{ColumnError, Urls};

use crate::check::{Query, each_answer};
use crate::error::ColumnsError;

/// Returns whether the crawler may fetch each URL. The answer is null for null rows, for sites whose policy is unknown
/// or currently unavailable, and for invalid URLs. [`verdicts`] distinguishes these cases.
///
/// # Errors
/// Fails when the policies do not support `query`, when a bundle is corrupt, or when a shard cannot be opened.
pub fn allowed(policies: &PolicySet, query: &Query, urls: &Urls) -> Result<BooleanArray, ColumnsError> {
    let mut allowed = BooleanBuilder::with_capacity(urls.len());
    each_answer(policies, query, urls, |answer| {
        allowed.append_option(match answer {
            Some(Answer::Verdict(verdict)) => Some(verdict.access == Access::Allow),
            _ => None,
        });
    })?;
    Ok(allowed.finish())
}

/// Returns the verdict on each URL, as a struct of [`verdict_fields`]. Null rows stay null.
///
/// # Errors
/// Fails like [`allowed`], and also when there are more than 150 million rows: their words would not fit into one text
/// column.
pub fn verdicts(policies: &PolicySet, query: &Query, urls: &Urls) -> Result<StructArray, ColumnsError> {
    if urls.len() > ROWS {
        let expected = "at most 150 million rows at once";
        return Err(ColumnError { column: "url", expected, found: urls.len().to_string() }.into());
    }
    let mut columns = Verdicts::with_capacity(urls.len());
    each_answer(policies, query, urls, |answer| columns.push(answer))?;
    Ok(columns.finish())
}

/// The fields of a verdict:
///
/// * `verdict`: `allow`, `disallow`, `defer`, `unknown` or `invalid`;
/// * `line`: the 1-based line of the deciding rule in the robots.txt; null when no line decided;
/// * `reason`: what decided: `rule`, `no-rule`, `robots-txt`, `unavailable`, … ([`Answer::reason`]).
pub fn verdict_fields() -> Fields {
    Fields::from(vec![
        Field::new("verdict", DataType::Utf8, true),
        Field::new("line", DataType::UInt32, true),
        Field::new("reason", DataType::Utf8, true),
    ])
}

/// Maximum number of rows in one array of verdicts. Arrow's text offsets have 31 bits, and the longest word has 14
/// bytes.
const ROWS: usize = 150_000_000;

/// Builders of the verdict columns.
struct Verdicts {
    verdicts: StringBuilder,
    lines: UInt32Builder,
    reasons: StringBuilder,
    nulls: NullBufferBuilder,
}

impl Verdicts {
    fn with_capacity(rows: usize) -> Self {
        const BYTES_OF_A_WORD: usize = 8;
        let words = || StringBuilder::with_capacity(rows, rows * BYTES_OF_A_WORD);
        Verdicts {
            verdicts: words(),
            lines: UInt32Builder::with_capacity(rows),
            reasons: words(),
            nulls: NullBufferBuilder::new(rows),
        }
    }

    #[inline]
    fn push(&mut self, answer: Option<Answer>) {
        let Some(answer) = answer else { return self.push_null() };
        self.verdicts.append_value(answer.as_str());
        self.lines.append_option(Some(answer.line()).filter(|&line| line > 0));
        self.reasons.append_value(answer.reason());
        self.nulls.append_non_null();
    }

    fn push_null(&mut self) {
        self.verdicts.append_null();
        self.lines.append_null();
        self.reasons.append_null();
        self.nulls.append_null();
    }

    fn finish(mut self) -> StructArray {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.verdicts.finish()),
            Arc::new(self.lines.finish()),
            Arc::new(self.reasons.finish()),
        ];
        StructArray::new(verdict_fields(), columns, self.nulls.finish())
    }
}
