//! The target URIs of a web archive, as lines (WARC 1.1, sections 4 and 5).

use std::sync::Arc;

use super::layout::Layout;
use super::{FrontierBlock, FrontierContent, FrontierPosition, LineBlock};
use crate::error::InputError;
use crate::lines::Block;
use crate::warc::{RecordHead, RecordType, WarcReader};

/// An archive as the target URIs of its response, resource, revisit and request records, one a line. What the records
/// hold is passed over.
pub(super) struct TargetUris {
    reader: WarcReader,
    file: usize,
    block_size: usize,
    layout: Arc<Layout>,
    /// What the reader gave so far, damage counted as a record.
    records: u64,
    lines: u64,
    /// Damage that comes after the block before it.
    damage: Option<InputError>,
}

impl TargetUris {
    /// The URIs behind `from`.
    pub(super) fn new(mut reader: WarcReader, from: FrontierPosition, block_size: usize) -> Self {
        // What was damaged there has been told already.
        for _ in 0..from.at {
            let _ = reader.next();
        }
        TargetUris {
            reader,
            file: from.file,
            block_size,
            layout: Arc::default(),
            records: from.at,
            lines: from.lines,
            damage: None,
        }
    }

    fn block(&mut self) -> Option<Block> {
        let mut block = Block { first_line: self.lines + 1, ..Block::default() };
        while block.bytes.len() < self.block_size && self.damage.is_none() {
            match self.reader.next() {
                None => break,
                Some(Err(error)) => self.damage = Some(error),
                Some(Ok(head)) => {
                    self.records += 1;
                    if let Some(uri) = target_uri(&head) {
                        block.bytes.extend_from_slice(uri);
                        block.bytes.push(b'\n');
                        block.lines += 1;
                    }
                }
            }
        }
        self.lines += u64::from(block.lines);
        (block.lines > 0).then_some(block)
    }
}

impl Iterator for TargetUris {
    type Item = Result<FrontierBlock, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.damage.is_none()
            && let Some(block) = self.block()
        {
            let end = FrontierPosition { file: self.file, at: self.records, lines: self.lines };
            let content = FrontierContent::Lines(LineBlock { block, layout: self.layout.clone() });
            let file = self.reader.name().clone();
            return Some(Ok(FrontierBlock { file, content, end, is_first: false }));
        }
        self.records += 1;
        self.damage.take().map(Err)
    }
}

fn target_uri(head: &RecordHead) -> Option<&[u8]> {
    let has_target = matches!(
        head.record_type(),
        RecordType::Response | RecordType::Resource | RecordType::Revisit | RecordType::Request
    );
    head.target_uri().filter(|_| has_target)
}
