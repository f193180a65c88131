//! Encodes the tables of a bundle for transfer between the processes of a cluster. Ballista encodes everything else.

use std::any::Any;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use robomata_datafusion::{BundleExec, BundleTable, Contents};

/// The prefix of an encoded table of a bundle, and of an encoded plan that reads it. No protocol buffer message begins
/// with a zero.
const MARK: &[u8] = b"\0robots\0";

/// What a table contains, after the mark; a crawler follows, up to a zero.
const SITES: u8 = b's';
const PACE: u8 = b'p';

/// Ballista's codec for logical plans, extended with tables of a bundle.
#[derive(Debug, Default)]
pub struct RobotsLogicalCodec {
    ballista: BallistaLogicalExtensionCodec,
}

impl LogicalExtensionCodec for RobotsLogicalCodec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.ballista.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.ballista.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match bytes.strip_prefix(MARK) {
            Some(bytes) => {
                let (contents, bundle) = decode_contents(bytes)?;
                Ok(Arc::new(BundleTable::pinned(&text(bundle)?, contents)))
            }
            None => self.ballista.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        match (table.as_ref() as &dyn Any).downcast_ref::<BundleTable>() {
            Some(table) => {
                encode_contents(table.contents(), bytes);
                bytes.extend_from_slice(table.bundle().as_bytes());
                Ok(())
            }
            None => self.ballista.try_encode_table_provider(name, table, bytes),
        }
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.ballista.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, bytes: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.ballista.try_encode_file_format(bytes, format)
    }
}

/// Ballista's codec for physical plans, extended with plans that read tables of a bundle. Such a plan is encoded as the
/// mark, the table's contents, the number of columns to read (or 255 for all), the index of each, and the bundle's name.
#[derive(Debug, Default)]
pub struct RobotsPhysicalCodec {
    ballista: BallistaPhysicalExtensionCodec,
}

impl PhysicalExtensionCodec for RobotsPhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match bytes.strip_prefix(MARK) {
            Some(plan) => Ok(Arc::new(decode_plan(plan)?)),
            None => self.ballista.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match (node.as_ref() as &dyn Any).downcast_ref::<BundleExec>() {
            Some(plan) => encode_plan(plan, bytes),
            None => self.ballista.try_encode(node, bytes, converter),
        }
    }
}

/// All columns, in place of their number.
const ALL: u8 = u8::MAX;

fn encode_contents(contents: &Contents, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(MARK);
    match contents {
        Contents::Sites => bytes.push(SITES),
        Contents::Pace { crawler } => {
            bytes.push(PACE);
            bytes.extend_from_slice(crawler.as_bytes());
            bytes.push(0);
        }
    }
}

/// Decodes what follows the mark. Returns the contents of the table, and the other bytes.
fn decode_contents(bytes: &[u8]) -> Result<(Contents, &[u8])> {
    match bytes.split_first() {
        Some((&SITES, rest)) => Ok((Contents::Sites, rest)),
        Some((&PACE, rest)) => {
            let end = rest.iter().position(|&byte| byte == 0).ok_or_else(truncated)?;
            Ok((Contents::Pace { crawler: text(&rest[..end])? }, &rest[end + 1..]))
        }
        _ => Err(truncated()),
    }
}

fn encode_plan(plan: &BundleExec, bytes: &mut Vec<u8>) -> Result<()> {
    encode_contents(plan.contents(), bytes);
    match plan.projection() {
        None => bytes.push(ALL),
        Some(columns) => {
            bytes.push(byte(columns.len())?);
            for &column in columns {
                bytes.push(byte(column)?);
            }
        }
    }
    bytes.extend_from_slice(plan.bundle().as_bytes());
    Ok(())
}

fn decode_plan(bytes: &[u8]) -> Result<BundleExec> {
    let (contents, rest) = decode_contents(bytes)?;
    let (&count, rest) = rest.split_first().ok_or_else(truncated)?;
    if count == ALL {
        return BundleExec::try_new(text(rest)?, contents, None);
    }
    let (columns, bundle) = rest.split_at_checked(usize::from(count)).ok_or_else(truncated)?;
    let columns = columns.iter().map(|&column| usize::from(column)).collect();
    BundleExec::try_new(text(bundle)?, contents, Some(columns))
}

fn truncated() -> DataFusionError {
    DataFusionError::Internal("a plan that reads a bundle is truncated".to_owned())
}

fn byte(number: usize) -> Result<u8> {
    u8::try_from(number).ok().filter(|&byte| byte != ALL).ok_or_else(|| {
        DataFusionError::Internal(format!("{number}: more columns than a table of a bundle can have"))
    })
}

fn text(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| DataFusionError::Internal("a name in a plan is not UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_contents() -> [Contents; 2] {
        [Contents::Sites, Contents::Pace { crawler: "ExampleBot,Other".to_owned() }]
    }

    #[test]
    fn plans_that_read_bundles_survive_a_round_trip() {
        for contents in all_contents() {
            for projection in [None, Some(vec![]), Some(vec![4, 0])] {
                let bundle = "policies.bundle#0".to_owned();
                let plan = BundleExec::try_new(bundle, contents.clone(), projection.clone()).unwrap();
                let mut bytes = vec![];
                encode_plan(&plan, &mut bytes).unwrap();
                let back = decode_plan(bytes.strip_prefix(MARK).unwrap()).unwrap();
                assert_eq!((back.bundle(), back.contents()), ("policies.bundle#0", &contents));
                assert_eq!(back.projection(), projection.as_deref());
            }
        }
    }

    #[test]
    fn truncated_bytes_are_refused() {
        for bytes in [&b""[..], b"s", b"s\x03\x00\x01", b"s\x00\xFF", b"p", b"pBot", b"pBot\0", b"x\xFFa"] {
            assert!(decode_plan(bytes).is_err(), "{bytes:?}");
        }
    }
}
