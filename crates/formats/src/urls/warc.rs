//! Converts the records of a web archive to lines (WARC 1.1, sections 4 and 5).

use std::sync::Arc;

use super::layout::Layout;
use super::{FrontierBlock, FrontierContent, FrontierFormat, FrontierPosition, LineBlock};
use crate::error::InputError;
use crate::lines::Block;
use crate::log;
use crate::uri;
use crate::warc::{Exchanges, Half, RecordHead, WarcReader, require_fields};

/// The lines of an archive's records.
pub(super) struct RecordLines {
    reader: WarcReader,
    content: RecordContent,
    file: usize,
    block_size: usize,
    layout: Arc<Layout>,
    /// The number of records so far, including corrupt ones.
    records: u64,
    lines: u64,
    /// An error to return after the block before it.
    damage: Option<InputError>,
}

/// The content of the lines.
pub(super) enum RecordContent {
    /// The target URIs of response, resource, revisit and request records, except URIs without an authority
    /// (`dns:a.com`). Blocks are skipped.
    TargetUris,
    /// The requests of a log, in the format of [`crate::log`].
    Requests(Exchanges),
}

impl RecordContent {
    /// Adds the lines of the record with `head`, which `reader` returned last, to `block`.
    fn add(
        &mut self,
        head: &RecordHead,
        reader: &mut WarcReader,
        block: &mut Block,
    ) -> Result<(), InputError> {
        match self {
            RecordContent::TargetUris => {
                if let Some(uri) = target_uri(head) {
                    block.bytes.extend_from_slice(uri);
                    block.bytes.push(b'\n');
                    block.lines += 1;
                }
            }
            RecordContent::Requests(exchanges) => {
                exchanges.take(head, reader)?;
                add_all(std::iter::from_fn(|| exchanges.next()), block);
            }
        }
        Ok(())
    }

    /// Adds the lines after the last record.
    fn finish(&mut self, block: &mut Block) {
        if let RecordContent::Requests(exchanges) = self {
            add_all(std::iter::from_fn(|| exchanges.next_of_all()), block);
        }
    }
}

fn add_all(exchanges: impl Iterator<Item = crate::warc::Exchange>, block: &mut Block) {
    for exchange in exchanges {
        log::write_exchange(&exchange, &mut block.bytes);
        block.lines += 1;
    }
}

impl RecordLines {
    /// The lines after `from`; for a log, all lines.
    pub(super) fn new(
        mut reader: WarcReader,
        content: RecordContent,
        from: FrontierPosition,
        block_size: usize,
    ) -> Self {
        // Errors in this part were already reported.
        for _ in 0..from.at {
            let _ = reader.next();
        }
        RecordLines {
            reader,
            content,
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
            let Some(head) = self.reader.next() else {
                self.content.finish(&mut block);
                break;
            };
            let added = head.and_then(|head| {
                require_fields(&head, self.reader.name())?;
                self.content.add(&head, &mut self.reader, &mut block)
            });
            match added {
                Ok(()) => self.records += 1,
                // Counted when it is returned.
                Err(error) => self.damage = Some(error),
            }
        }
        self.lines += u64::from(block.lines);
        (block.lines > 0).then_some(block)
    }
}

impl Iterator for RecordLines {
    type Item = Result<FrontierBlock, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.damage.is_none()
            && let Some(block) = self.block()
        {
            let end = FrontierPosition { file: self.file, at: self.records, lines: self.lines };
            let content =
                FrontierContent::Lines(LineBlock { block, ends: None, layout: self.layout.clone() });
            let file = self.reader.name().clone();
            let format = FrontierFormat::Warc;
            return Some(Ok(FrontierBlock { file, format, content, end, is_first: false }));
        }
        self.records += 1;
        self.damage.take().map(Err)
    }
}

fn target_uri(head: &RecordHead) -> Option<&[u8]> {
    let has_target = Half::of(head.record_type()).is_some();
    // Crawlers also record host look-ups. Such a URI belongs to no site.
    head.target_uri().filter(|uri| has_target && !uri::has_no_authority(uri))
}
