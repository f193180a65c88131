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
use robomata_columns::{Query, ColumnsError, PolicySet, Urls, allowed, verdict_fields, verdicts};

use crate::arguments::{COLUMNS_START, Form, Literals, Shape};

/// A check of URLs against a bundle.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RobotsCheck {
    gives: Gives,
    signature: Signature,
}

/// What a check gives for a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gives {
    Allowed,
    Verdict,
}

impl RobotsCheck {
    /// `robots_allowed`.
    pub(crate) fn allowed() -> Self {
        Self::giving(Gives::Allowed)
    }

    /// `robots_verdict`.
    pub(crate) fn verdict() -> Self {
        Self::giving(Gives::Verdict)
    }

    /// Stable, not immutable: a file is read, and the next query may find another there.
    fn giving(gives: Gives) -> Self {
        RobotsCheck { gives, signature: Signature::user_defined(Volatility::Stable) }
    }

    fn check(&self, literals: &Literals<'_>, urls: &Urls<'_>) -> Result<ArrayRef, ColumnsError> {
        let policies = PolicySet::shared(literals.bundle)?;
        let query = Query::new(literals.crawler, literals.usage)?;
        Ok(match self.gives {
            Gives::Allowed => Arc::new(allowed(&policies, &query, urls)?),
            Gives::Verdict => Arc::new(verdicts(&policies, &query, urls)?),
        })
    }

    fn execution_error(&self, error: &ColumnsError) -> DataFusionError {
        DataFusionError::Execution(format!("{}: {error}", self.name()))
    }
}

impl ScalarUDFImpl for RobotsCheck {
    fn name(&self) -> &str {
        match self.gives {
            Gives::Allowed => "robots_allowed",
            Gives::Verdict => "robots_verdict",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Shape::of(self.name(), types.len())?.coerce(self.name(), types)
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(match self.gives {
            Gives::Allowed => DataType::Boolean,
            Gives::Verdict => DataType::Struct(verdict_fields()),
        })
    }

    /// Refuses what can be refused before anything runs, and pins the bundle to the file that is seen here.
    fn simplify(&self, mut arguments: Vec<Expr>, _info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let shape = Shape::of(self.name(), arguments.len())?;
        let literals = Literals::planned(self.name(), shape, &arguments)?;
        Query::new(literals.crawler, literals.usage)
            .map_err(|error| DataFusionError::Plan(format!("{}: {error}", self.name())))?;
        let Some(pinned) = pinned(literals.bundle) else {
            return Ok(ExprSimplifyResult::Original(arguments));
        };
        arguments[0] = lit(pinned);
        let function = Arc::new(ScalarUDF::from(Self::giving(self.gives)));
        let call = ScalarFunction::new_udf(function, arguments);
        Ok(ExprSimplifyResult::Simplified(Expr::ScalarFunction(call)))
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let shape = Shape::of(self.name(), call.args.len())?;
        let literals = Literals::evaluated(self.name(), shape, &call.args)?;
        let end = call.args.len() - usize::from(shape.has_usage);
        let columns = &call.args[COLUMNS_START..end];
        let is_scalar = columns.iter().all(|column| matches!(column, ColumnarValue::Scalar(_)));
        let rows = if is_scalar { 1 } else { call.number_rows };
        let columns = columns.iter().map(|column| column.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let answers = urls(shape.form, &columns)
            .and_then(|urls| self.check(&literals, &urls))
            .map_err(|error| self.execution_error(&error))?;
        match is_scalar {
            true => ScalarValue::try_from_array(&answers, 0).map(ColumnarValue::Scalar),
            false => Ok(ColumnarValue::Array(answers)),
        }
    }
}

fn urls(form: Form, columns: &[ArrayRef]) -> Result<Urls<'_>, ColumnsError> {
    match (form, columns) {
        (Form::Parts, [protocol, host, port, path, query]) => Urls::parts(protocol, host, port, path, query),
        _ => Urls::whole(&columns[0]),
    }
}

/// The bundle's name with the fingerprint of what is found here. None where it has one already; where nothing can be opened
/// here, which may well differ elsewhere; and for shards without a manifest, which have no fingerprint.
pub(crate) fn pinned(bundle: &str) -> Option<String> {
    let pinned = PolicySet::shared(bundle).ok()?.pinned_name();
    (pinned != bundle).then_some(pinned)
}
