//! Encodes the table of a bundle's sites for transfer between the processes of a cluster. Ballista encodes everything
//! else.

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
use robomata_datafusion::{SitesExec, SitesTable};

/// The prefix of an encoded table of sites, and of an encoded plan that reads it. No protocol buffer message begins
/// with a zero.
const MARK: &[u8] = b"\0robots_sites\0";

/// Ballista's codec for logical plans, extended with tables of sites.
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
            Some(bundle) => Ok(Arc::new(SitesTable::new(text(bundle)?))),
            None => self.ballista.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        match (table.as_ref() as &dyn Any).downcast_ref::<SitesTable>() {
            Some(sites) => {
                bytes.extend_from_slice(MARK);
                bytes.extend_from_slice(sites.bundle().as_bytes());
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

/// Ballista's codec for physical plans, extended with plans that read tables of sites. Such a plan is encoded as the
/// mark, the number of columns to read (or 255 for all), the index of each, and the bundle's name.
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
            Some(sites) => Ok(Arc::new(decode_sites(sites)?)),
            None => self.ballista.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match (node.as_ref() as &dyn Any).downcast_ref::<SitesExec>() {
            Some(sites) => encode_sites(sites, bytes),
            None => self.ballista.try_encode(node, bytes, converter),
        }
    }
}

/// All columns, in place of their number.
const ALL: u8 = u8::MAX;

fn encode_sites(sites: &SitesExec, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.extend_from_slice(MARK);
    match sites.projection() {
        None => bytes.push(ALL),
        Some(columns) => {
            bytes.push(byte(columns.len())?);
            for &column in columns {
                bytes.push(byte(column)?);
            }
        }
    }
    bytes.extend_from_slice(sites.bundle().as_bytes());
    Ok(())
}

fn decode_sites(bytes: &[u8]) -> Result<SitesExec> {
    let truncated = || DataFusionError::Internal("a plan that reads sites is truncated".to_owned());
    let (&count, rest) = bytes.split_first().ok_or_else(truncated)?;
    if count == ALL {
        return SitesExec::try_new(text(rest)?, None);
    }
    let (columns, bundle) = rest.split_at_checked(usize::from(count)).ok_or_else(truncated)?;
    SitesExec::try_new(text(bundle)?, Some(columns.iter().map(|&column| usize::from(column)).collect()))
}

fn byte(number: usize) -> Result<u8> {
    u8::try_from(number).ok().filter(|&byte| byte != ALL).ok_or_else(|| {
        DataFusionError::Internal(format!("{number}: more columns than a table of sites can have"))
    })
}

fn text(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| DataFusionError::Internal("the name of a bundle in a plan is not UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_read_sites_survive_a_round_trip() {
        for projection in [None, Some(vec![]), Some(vec![4, 0])] {
            let sites = SitesExec::try_new("policies.bundle#0".to_owned(), projection.clone()).unwrap();
            let mut bytes = vec![];
            encode_sites(&sites, &mut bytes).unwrap();
            let back = decode_sites(bytes.strip_prefix(MARK).unwrap()).unwrap();
            assert_eq!(back.bundle(), "policies.bundle#0");
            assert_eq!(back.projection(), projection.as_deref());
        }
    }

    #[test]
    fn truncated_bytes_are_refused() {
        for bytes in [&[][..], &[3, 0, 1], &[0, 0xFF]] {
            assert!(decode_sites(bytes).is_err());
        }
    }
}
