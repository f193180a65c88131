//! How the table of a bundle's sites travels between the processes of a cluster. Everything else is left to Ballista.

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

/// What stands before a table of sites, and before what reads it. No message of protocol buffers begins with a zero.
const MARK: &[u8] = b"\0robots_sites\0";

/// Ballista's codec for logical plans, and tables of sites.
#[derive(Debug, Default)]
pub struct RobotsLogicalCodec {
    ballista: BallistaLogicalExtensionCodec,
}

impl LogicalExtensionCodec for RobotsLogicalCodec {
    fn try_decode(&self, octets: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.ballista.try_decode(octets, inputs, context)
    }

    fn try_encode(&self, node: &Extension, octets: &mut Vec<u8>) -> Result<()> {
        self.ballista.try_encode(node, octets)
    }

    fn try_decode_table_provider(
        &self,
        octets: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match octets.strip_prefix(MARK) {
            Some(bundle) => Ok(Arc::new(SitesTable::new(text(bundle)?))),
            None => self.ballista.try_decode_table_provider(octets, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        octets: &mut Vec<u8>,
    ) -> Result<()> {
        match (table.as_ref() as &dyn Any).downcast_ref::<SitesTable>() {
            Some(sites) => {
                octets.extend_from_slice(MARK);
                octets.extend_from_slice(sites.bundle().as_bytes());
                Ok(())
            }
            None => self.ballista.try_encode_table_provider(name, table, octets),
        }
    }

    fn try_decode_file_format(
        &self,
        octets: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.ballista.try_decode_file_format(octets, context)
    }

    fn try_encode_file_format(&self, octets: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.ballista.try_encode_file_format(octets, format)
    }
}

/// Ballista's codec for physical plans, and what reads tables of sites: the mark, the number of columns that are read (none
/// for all), the place of each, and the bundle's name.
#[derive(Debug, Default)]
pub struct RobotsPhysicalCodec {
    ballista: BallistaPhysicalExtensionCodec,
}

impl PhysicalExtensionCodec for RobotsPhysicalCodec {
    fn try_decode(
        &self,
        octets: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match octets.strip_prefix(MARK) {
            Some(sites) => Ok(Arc::new(decode_sites(sites)?)),
            None => self.ballista.try_decode(octets, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        octets: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match (node.as_ref() as &dyn Any).downcast_ref::<SitesExec>() {
            Some(sites) => encode_sites(sites, octets),
            None => self.ballista.try_encode(node, octets, converter),
        }
    }
}

/// In place of a number of columns: all.
const ALL: u8 = u8::MAX;

fn encode_sites(sites: &SitesExec, octets: &mut Vec<u8>) -> Result<()> {
    octets.extend_from_slice(MARK);
    match sites.projection() {
        None => octets.push(ALL),
        Some(columns) => {
            octets.push(octet(columns.len())?);
            for &column in columns {
                octets.push(octet(column)?);
            }
        }
    }
    octets.extend_from_slice(sites.bundle().as_bytes());
    Ok(())
}

fn decode_sites(octets: &[u8]) -> Result<SitesExec> {
    let cut = || DataFusionError::Internal("a plan that reads sites is cut short".to_owned());
    let (&count, rest) = octets.split_first().ok_or_else(cut)?;
    if count == ALL {
        return SitesExec::try_new(text(rest)?, None);
    }
    let (columns, bundle) = rest.split_at_checked(usize::from(count)).ok_or_else(cut)?;
    SitesExec::try_new(text(bundle)?, Some(columns.iter().map(|&column| usize::from(column)).collect()))
}

fn octet(number: usize) -> Result<u8> {
    u8::try_from(number).ok().filter(|&octet| octet != ALL).ok_or_else(|| {
        DataFusionError::Internal(format!("{number}: more columns than a table of sites can have"))
    })
}

fn text(octets: &[u8]) -> Result<String> {
    String::from_utf8(octets.to_vec())
        .map_err(|_| DataFusionError::Internal("the name of a bundle in a plan is no UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_sites_comes_back_as_it_went() {
        for projection in [None, Some(vec![]), Some(vec![4, 0])] {
            let sites = SitesExec::try_new("policies.bundle#0".to_owned(), projection.clone()).unwrap();
            let mut octets = vec![];
            encode_sites(&sites, &mut octets).unwrap();
            let back = decode_sites(octets.strip_prefix(MARK).unwrap()).unwrap();
            assert_eq!(back.bundle(), "policies.bundle#0");
            assert_eq!(back.projection(), projection.as_deref());
        }
    }

    #[test]
    fn octets_that_are_cut_short_are_refused() {
        for octets in [&[][..], &[3, 0, 1], &[0, 0xFF]] {
            assert!(decode_sites(octets).is_err());
        }
    }
}
