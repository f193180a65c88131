//! The SQL arguments of a check.

use arrow::datatypes::DataType;
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, Expr};
use robomata_engine::Usage;

/// The index of the first column of URLs among the arguments. The bundle and the crawler come before it, and an
/// optional usage comes last.
pub(crate) const COLUMNS_START: usize = 2;

/// The form of the URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One column.
    Whole,
    /// Five columns: protocol, host, port, path, query.
    Parts,
}

/// The kinds of arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) form: Form,
    /// Is the last argument a usage?
    pub(crate) has_usage: bool,
}

impl Shape {
    /// Returns the shape of a call with `count` arguments.
    pub(crate) fn of(function: &str, count: usize) -> Result<Self> {
        let (form, has_usage) = match count {
            3 => (Form::Whole, false),
            4 => (Form::Whole, true),
            7 => (Form::Parts, false),
            8 => (Form::Parts, true),
            _ => {
                return plan_err!(
                    "{function}: {count} arguments; expected (bundle, crawler, url [, usage]) or \
                     (bundle, crawler, protocol, host, port, path, query [, usage])"
                );
            }
        };
        Ok(Shape { form, has_usage })
    }

    /// Returns the name of each argument.
    fn names(self) -> Vec<&'static str> {
        let columns: &[_] = match self.form {
            Form::Whole => &["url"],
            Form::Parts => &["protocol", "host", "port", "path", "query"],
        };
        let usage: &[_] = if self.has_usage { &["usage"] } else { &[] };
        [&["bundle", "crawler"], columns, usage].concat()
    }

    /// Returns the types to which the arguments are converted. Columns keep their layout, so they are not copied.
    pub(crate) fn coerce(self, function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
        let coerced = self.names().into_iter().zip(types).map(|(name, given)| match name {
            "bundle" | "crawler" | "usage" => text(given).map(|_| DataType::Utf8),
            "port" => integer(given),
            _ => text(given),
        });
        coerced
            .zip(self.names())
            .zip(types)
            .map(|((coerced, name), given)| match coerced {
                Some(coerced) => Ok(coerced),
                None => {
                    let expected = if name == "port" { "an integer" } else { "text" };
                    plan_err!("{function}: expected {expected} as {name}, found {given}")
                }
            })
            .collect()
    }
}

fn text(given: &DataType) -> Option<DataType> {
    match given {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(given.clone()),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(given.clone()),
        DataType::Null => Some(DataType::Utf8),
        DataType::Dictionary(_, values) => text(values),
        _ => None,
    }
}

fn integer(given: &DataType) -> Option<DataType> {
    match given {
        DataType::Null => Some(DataType::Int32),
        DataType::Dictionary(_, values) => integer(values),
        given => given.is_integer().then(|| given.clone()),
    }
}

/// The arguments that are the same for every row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literals<'a> {
    pub(crate) bundle: &'a str,
    pub(crate) crawler: &'a str,
    pub(crate) usage: Option<&'a str>,
}

impl<'a> Literals<'a> {
    /// Reads the literals from a plan. None if one of them is an expression of literals that is not folded yet.
    pub(crate) fn planned(function: &str, shape: Shape, arguments: &'a [Expr]) -> Result<Option<Self>> {
        let usage = arguments.last().filter(|_| shape.has_usage);
        let is_folded =
            |argument: &Expr| matches!(argument, Expr::Literal(..)) || !argument.column_refs().is_empty();
        if !arguments.iter().take(COLUMNS_START).chain(usage).all(is_folded) {
            return Ok(None);
        }
        let literals = Self::read(function, shape, arguments, |argument| match argument {
            Expr::Literal(value, _) => Some(value),
            _ => None,
        })?;
        Ok(Some(literals))
    }

    /// Reads the literals during evaluation.
    pub(crate) fn evaluated(function: &str, shape: Shape, arguments: &'a [ColumnarValue]) -> Result<Self> {
        Self::read(function, shape, arguments, |argument| match argument {
            ColumnarValue::Scalar(value) => Some(value),
            ColumnarValue::Array(_) => None,
        })
    }

    fn read<T>(
        function: &str,
        shape: Shape,
        arguments: &'a [T],
        value: impl Fn(&'a T) -> Option<&'a ScalarValue>,
    ) -> Result<Self> {
        let literal = |name: &str, argument: &'a T| -> Result<&'a str> {
            value(argument).and_then(ScalarValue::try_as_str).flatten().ok_or_else(|| {
                DataFusionError::Plan(format!(
                    "{function}: {name} must be a text literal, the same for every row"
                ))
            })
        };
        let usage = match (shape.has_usage, arguments.last()) {
            (true, Some(usage)) => Some(literal("usage", usage)?),
            _ => None,
        };
        match arguments {
            [bundle, crawler, ..] => Ok(Literals {
                bundle: literal("bundle", bundle)?,
                crawler: literal("crawler", crawler)?,
                usage,
            }),
            _ => plan_err!("{function}: expected a bundle and a crawler"),
        }
    }
}

/// Refuses a usage in place of the query: if the query was forgotten, the usage would not be evaluated.
pub(crate) fn require_query(function: &str, shape: Shape, last: &ScalarValue) -> Result<()> {
    let has_query_last = shape == Shape { form: Form::Parts, has_usage: false };
    match last.try_as_str().flatten() {
        Some(usage) if has_query_last && usage.parse::<Usage>().is_ok() => plan_err!(
            "{function}: expected the query of a URL, found the usage '{usage}' (give NULL as query, then the usage; if it is \
             the query, give the usage 'crawl' after it)"
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_arguments_determines_their_shape() {
        assert_eq!(Shape::of("f", 3).unwrap(), Shape { form: Form::Whole, has_usage: false });
        assert_eq!(Shape::of("f", 8).unwrap(), Shape { form: Form::Parts, has_usage: true });
        assert_eq!(Shape::of("f", 8).unwrap().names().len(), 8);
        for count in [0, 1, 2, 5, 6, 9] {
            let error = Shape::of("f", count).unwrap_err().to_string();
            assert!(error.contains("expected (bundle, crawler, url [, usage])"), "{error}");
        }
    }

    #[test]
    fn columns_keep_their_layout_and_dictionaries_are_unpacked() {
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8));
        for (given, expected) in [
            (DataType::Utf8, DataType::Utf8),
            (DataType::LargeUtf8, DataType::LargeUtf8),
            (DataType::Utf8View, DataType::Utf8View),
            (DataType::Null, DataType::Utf8),
            (dictionary, DataType::LargeUtf8),
        ] {
            let shape = Shape::of("f", 3).unwrap();
            let coerced = shape.coerce("f", &[DataType::Utf8View, DataType::Utf8, given]).unwrap();
            assert_eq!(coerced, [DataType::Utf8, DataType::Utf8, expected]);
        }
    }

    #[test]
    fn a_column_of_another_type_is_refused_by_its_name() {
        let text = DataType::Utf8;
        let parts = Shape::of("f", 7).unwrap();
        let types = [
            text.clone(),
            text.clone(),
            text.clone(),
            text.clone(),
            text.clone(),
            text.clone(),
            text.clone(),
        ];
        let error = parts.coerce("f", &types).unwrap_err().to_string();
        assert!(error.contains("f: expected an integer as port, found Utf8"), "{error}");
        let whole = Shape::of("f", 3).unwrap();
        let error = whole.coerce("f", &[text.clone(), text, DataType::Int64]).unwrap_err().to_string();
        assert!(error.contains("f: expected text as url, found Int64"), "{error}");
    }
}
