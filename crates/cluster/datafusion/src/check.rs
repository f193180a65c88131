//! `robots_allowed` and `robots_verdict`.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, lit,
};
use robomata_columns::{ColumnsError, Query, Urls, allowed, verdict_fields, verdicts};
use robomata_engine::PolicySet;

use crate::arguments::{COLUMNS_START, Form, Literals, Shape, require_query};
use crate::pin;

/// A check of URLs against a bundle.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RobotsCheck {
    output: Output,
    signature: Signature,
}

/// The result of a check for each URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Output {
    Allowed,
    Verdict,
}

impl RobotsCheck {
    /// `robots_allowed`.
    pub(crate) fn allowed() -> Self {
        Self::new(Output::Allowed)
    }

    /// `robots_verdict`.
    pub(crate) fn verdict() -> Self {
        Self::new(Output::Verdict)
    }

    /// The function is stable, not immutable: it reads a file, which may be replaced before the next query.
    fn new(output: Output) -> Self {
        RobotsCheck { output, signature: Signature::user_defined(Volatility::Stable) }
    }

    fn check(
        &self,
        policies: &PolicySet,
        literals: &Literals<'_>,
        urls: &Urls,
    ) -> Result<ArrayRef, ColumnsError> {
        let query = Query::new(literals.crawler, literals.usage)?;
        Ok(match self.output {
            Output::Allowed => Arc::new(allowed(policies, &query, urls)?),
            Output::Verdict => Arc::new(verdicts(policies, &query, urls)?),
        })
    }

    fn execution_error(&self, error: &ColumnsError) -> DataFusionError {
        DataFusionError::Execution(format!("{}: {error}", self.name()))
    }
}

impl ScalarUDFImpl for RobotsCheck {
    fn name(&self) -> &str {
        match self.output {
            Output::Allowed => "robots_allowed",
            Output::Verdict => "robots_verdict",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Shape::of(self.name(), types.len())?.coerce(self.name(), types)
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(match self.output {
            Output::Allowed => DataType::Boolean,
            Output::Verdict => DataType::Struct(verdict_fields()),
        })
    }

    /// Rejects invalid arguments before the query runs, and pins the bundle to the file that this process finds.
    fn simplify(&self, mut arguments: Vec<Expr>, _info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let shape = Shape::of(self.name(), arguments.len())?;
        if let Some(Expr::Literal(last, _)) = arguments.last() {
            require_query(self.name(), shape, last)?;
        }
        let Some(literals) = Literals::planned(self.name(), shape, &arguments)? else {
            return Ok(ExprSimplifyResult::Original(arguments));
        };
        Query::new(literals.crawler, literals.usage)
            .map_err(|error| DataFusionError::Plan(format!("{}: {error}", self.name())))?;
        let Some(pinned) = pin::pinned(literals.bundle) else {
            return Ok(ExprSimplifyResult::Original(arguments));
        };
        arguments[0] = lit(pinned);
        let function = Arc::new(ScalarUDF::from(Self::new(self.output)));
        let call = ScalarFunction::new_udf(function, arguments);
        Ok(ExprSimplifyResult::Simplified(Expr::ScalarFunction(call)))
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let shape = Shape::of(self.name(), call.args.len())?;
        let literals = Literals::evaluated(self.name(), shape, &call.args)?;
        let end = call.args.len() - usize::from(shape.has_usage);
        let columns = &call.args[COLUMNS_START..end];
        let is_scalar = columns.iter().all(|column| matches!(column, ColumnarValue::Scalar(_)));
        // The planner evaluates a call of literals before it simplifies it, for one row. The columns of a file are scalars,
        // too, if the statistics say that all rows are equal.
        if let (true, 1, Some(ColumnarValue::Scalar(last))) = (is_scalar, call.number_rows, call.args.last())
        {
            require_query(self.name(), shape, last)?;
        }
        let rows = if is_scalar { 1 } else { call.number_rows };
        let columns = columns.iter().map(|column| column.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let policies = pin::open(self.name(), literals.bundle)?;
        let answers = urls(shape.form, &columns)
            .and_then(|urls| self.check(&policies, &literals, &urls))
            .map_err(|error| self.execution_error(&error))?;
        match is_scalar {
            true => ScalarValue::try_from_array(&answers, 0).map(ColumnarValue::Scalar),
            false => Ok(ColumnarValue::Array(answers)),
        }
    }
}

fn urls(form: Form, columns: &[ArrayRef]) -> Result<Urls, ColumnsError> {
    Ok(match (form, columns) {
        (Form::Parts, [protocol, host, port, path, query]) => Urls::parts(protocol, host, port, path, query)?,
        _ => Urls::whole(&columns[0])?,
    })
}
