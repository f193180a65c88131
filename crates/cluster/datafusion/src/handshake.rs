//! `robots_build`: reports the process that evaluates the query, and its bundle.

use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayRef, StringArray, StructArray, UInt32Array};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use robomata_engine::PolicySet;

const NAME: &str = "robots_build";

/// `robots_build([bundle])`: a struct of
///
/// * `version`: the version of these functions;
/// * `bundle`: the fingerprint of the bundle that the evaluating process finds; null if no bundle is given, and if
///   it cannot be opened;
/// * `problem`: the reason why the bundle cannot be opened, or null;
/// * `host` and `pid`: the machine and the process that evaluate the function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RobotsBuild {
    signature: Signature,
}

impl RobotsBuild {
    /// The function is volatile. Otherwise the planner would evaluate it and report its own process.
    pub(crate) fn new() -> Self {
        RobotsBuild { signature: Signature::user_defined(Volatility::Volatile) }
    }
}

impl ScalarUDFImpl for RobotsBuild {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [] => Ok(vec![]),
            [DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View] => Ok(vec![DataType::Utf8]),
            [other] => plan_err!("{NAME}: expected text as bundle, found {other}"),
            _ => plan_err!("{NAME}: {} arguments; expected ([bundle])", types.len()),
        }
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Struct(FIELDS.clone()))
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let bundle = match call.args.as_slice() {
            [] => None,
            [ColumnarValue::Scalar(value)] => value.try_as_str().flatten(),
            _ => return Err(DataFusionError::Plan(format!("{NAME}: bundle must be a text literal"))),
        };
        let (bundle, problem) = match bundle.map(fingerprint) {
            None => (None, None),
            Some(Ok(fingerprint)) => (Some(fingerprint), None),
            Some(Err(problem)) => (None, Some(problem)),
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(vec![env!("CARGO_PKG_VERSION")])),
            Arc::new(StringArray::from(vec![bundle])),
            Arc::new(StringArray::from(vec![problem])),
            Arc::new(StringArray::from(vec![host()])),
            Arc::new(UInt32Array::from(vec![std::process::id()])),
        ];
        let build = StructArray::try_new(FIELDS.clone(), columns, None)?;
        Ok(ColumnarValue::Scalar(ScalarValue::Struct(Arc::new(build))))
    }
}

static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("version", DataType::Utf8, true),
        Field::new("bundle", DataType::Utf8, true),
        Field::new("problem", DataType::Utf8, true),
        Field::new("host", DataType::Utf8, true),
        Field::new("pid", DataType::UInt32, true),
    ])
});

fn fingerprint(bundle: &str) -> Result<String, String> {
    let policies = PolicySet::shared(bundle).map_err(|error| error.to_string())?;
    Ok(policies.fingerprint().to_string())
}

fn host() -> Option<String> {
    gethostname::gethostname().into_string().ok()
}
