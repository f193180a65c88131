//! Rows of Parquet: captures, URLs and requests in columns, and outputs.
//!
//! The module `arrow` contains everything that needs Arrow. Without the feature `parquet`, `no_parquet.rs` replaces it:
//! there the same types have no values, and opening them fails with [`NoParquet`].

#[cfg_attr(not(feature = "parquet"), path = "rows/no_parquet.rs")]
mod arrow;

use std::borrow::Cow;

pub use self::arrow::{Cells, LogRows, Rows, RowsBuilder, RowsOutput, UrlRows, silence_caught_panics};
pub(crate) use self::arrow::{ReadError, RowReader, TableCaptures, likely_column};
use crate::time::Timestamp;

/// The first and the last bytes of a Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// This build cannot read or write Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this build has no Parquet (build with the feature \"parquet\")")]
pub struct NoParquet;

/// Checks that this build can read and write Parquet.
///
/// # Errors
/// Fails without the feature `parquet`.
pub const fn require_parquet() -> Result<(), NoParquet> {
    if cfg!(feature = "parquet") { Ok(()) } else { Err(NoParquet) }
}

/// Which columns are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowColumns {
    /// The columns of the URL.
    #[default]
    Url,
    /// All columns, to write them again.
    All,
    /// The columns of a logged request, for [`LogRows`]. [`UrlRows::url`] then returns none.
    Request,
}

/// A column of rows to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: Cow<'static, str>,
    /// The type of the values.
    pub kind: ColumnKind,
    /// Whether the column may contain [`Cell::Null`].
    pub is_nullable: bool,
}

impl Column {
    /// A column that requires a value in every row.
    pub const fn required(name: &'static str, kind: ColumnKind) -> Self {
        Column { name: Cow::Borrowed(name), kind, is_nullable: false }
    }

    /// A column that may contain [`Cell::Null`].
    pub const fn nullable(name: &'static str, kind: ColumnKind) -> Self {
        Column { name: Cow::Borrowed(name), kind, is_nullable: true }
    }
}

/// The type of the values in a [`Column`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Texts of which few are different, stored in a dictionary.
    Word,
    /// Days since 1970-01-01.
    Day,
    /// Times, in milliseconds and UTC.
    Time,
    /// Signed numbers of 32 bits.
    I32,
    /// Unsigned numbers of 32 bits.
    U32,
    /// Unsigned numbers of 64 bits.
    U64,
    /// Floating-point numbers of 64 bits.
    F64,
}

/// A value to write in a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A text, for the kinds `Text` and `Word`.
    Text(Cow<'a, str>),
    /// A day.
    Day(i32),
    /// A time. Fractions of milliseconds are cut off.
    Time(Timestamp),
    /// A signed number.
    I32(i32),
    /// An unsigned number.
    U32(u32),
    /// An unsigned number.
    U64(u64),
    /// A finite floating-point number.
    F64(f64),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(Cow::Borrowed(text))
    }
}

/// The text of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellText<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Whether JSON represents the value by its text without quotes: a number or a truth value.
    pub is_bare: bool,
}

impl<'a> Cell<'a> {
    /// The text of the value, the same as that of a cell read from Parquet; none for null.
    pub fn into_text(self) -> Option<CellText<'a>> {
        let quoted = |text: Cow<'a, str>| Some(CellText { text, is_bare: false });
        let bare = |text: String| Some(CellText { text: Cow::Owned(text), is_bare: true });
        match self {
            Cell::Null => None,
            Cell::Text(text) => quoted(text),
            Cell::Day(days) => {
                let time = Timestamp::from_milliseconds(i64::from(days) * 86_400_000).ok()?;
                quoted(Cow::Owned(time.to_string().split('T').next()?.to_owned()))
            }
            Cell::Time(time) => {
                let time = Timestamp::from_milliseconds(time.milliseconds()).ok()?;
                let has_fraction = time.nanoseconds() > 0;
                quoted(Cow::Owned(if has_fraction { format!("{time:.3}") } else { time.to_string() }))
            }
            Cell::I32(number) => bare(number.to_string()),
            Cell::U32(number) => bare(number.to_string()),
            Cell::U64(number) => bare(number.to_string()),
            Cell::F64(number) => bare(number.to_string()),
        }
    }
}
