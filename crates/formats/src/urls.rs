//! URLs to check: a frontier, in one or more files of one URL a line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input;
use crate::lines::{self, Block, DEFAULT_BLOCK_SIZE, LineBlocks};

/// Where URLs come from: files, read one after the other, and what of each line is the URL.
///
/// ```
/// use robomata_formats::Frontier;
/// use std::num::NonZeroUsize;
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("urls.tsv");
/// std::fs::write(&path, "7\thttps://example.com/a\r\nno tab\n")?;
///
/// let frontier = Frontier::new([path]).with_column(NonZeroUsize::new(2).unwrap());
/// for block in frontier.blocks() {
///     let block = block?;
///     let urls: Vec<_> = block.urls().map(|line| (line.number, line.url)).collect();
///     assert_eq!(urls, [(1, Some(&b"https://example.com/a"[..])), (2, None)]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frontier {
    paths: Vec<PathBuf>,
    column: Option<NonZeroUsize>,
    block_size: usize,
}

impl Frontier {
    /// The URLs of the files `paths`, plain or compressed, `-` for standard input; the whole line is the URL.
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Frontier { paths, column: None, block_size: DEFAULT_BLOCK_SIZE }
    }

    /// The URL is the `column`th of the columns that tabs separate, counted from 1.
    #[must_use]
    pub fn with_column(mut self, column: NonZeroUsize) -> Self {
        self.column = Some(column);
        self
    }

    /// Blocks of about `octets` octets instead of [`DEFAULT_BLOCK_SIZE`]; see [`LineBlocks::new`].
    #[must_use]
    pub fn with_block_size(mut self, octets: usize) -> Self {
        self.block_size = octets;
        self
    }

    /// All blocks of all files, in order. A file that cannot be read (further) is an error among them, and the
    /// next file follows it.
    pub fn blocks(&self) -> FrontierBlocks {
        FrontierBlocks {
            paths: self.paths.clone().into_iter(),
            column: self.column,
            block_size: self.block_size,
            current: None,
        }
    }
}

/// The iterator that [`Frontier::blocks`] returns.
pub struct FrontierBlocks {
    paths: std::vec::IntoIter<PathBuf>,
    column: Option<NonZeroUsize>,
    block_size: usize,
    current: Option<LineBlocks>,
}

impl FrontierBlocks {
    /// Takes back a block that is no longer needed: its memory serves a later one.
    pub fn recycle(&mut self, block: FrontierBlock) {
        if let Some(current) = &mut self.current {
            current.recycle(block.block);
        }
    }
}

impl Iterator for FrontierBlocks {
    type Item = Result<FrontierBlock, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(current) = &mut self.current {
                let file = current.name().clone();
                match current.next() {
                    Some(Ok(block)) => {
                        return Some(Ok(FrontierBlock { file, block, column: self.column }));
                    }
                    Some(Err(error)) => return Some(Err(error)),
                    None => self.current = None,
                }
            }
            let path = self.paths.next()?;
            match input::open(&path) {
                Ok(input) => {
                    self.current = Some(LineBlocks::new(input, FileName::new(path), self.block_size));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Lines of one file of a frontier.
#[derive(Clone, Debug)]
pub struct FrontierBlock {
    /// The file.
    pub file: FileName,
    /// Its lines.
    pub block: Block,
    column: Option<NonZeroUsize>,
}

/// A line of a frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlLine<'a> {
    /// The 1-based number of the line in its file.
    pub number: u64,
    /// The whole line as it stands in the file, without LF.
    pub line: &'a [u8],
    /// The URL, as it stands there: possibly empty, possibly none. `None` when the line has too few columns.
    pub url: Option<&'a [u8]>,
}

impl FrontierBlock {
    /// The lines with their URLs, in order. A CR at a line's end belongs to no URL.
    pub fn urls(&self) -> impl Iterator<Item = UrlLine<'_>> {
        self.block.numbered_lines().map(|(number, line)| {
            let text = lines::trim_line_end(line);
            let url = match self.column {
                Some(column) => lines::column(text, column.get()),
                None => Some(text),
            };
            UrlLine { number, line, url }
        })
    }

    /// The error to report for a line of this block whose [`UrlLine::url`] is `None`.
    pub fn missing_column(&self, number: u64) -> InputError {
        let columns = self.column.map_or(1, NonZeroUsize::get);
        InputError::new(self.file.clone(), Some(number), Kind::MissingColumn(columns))
    }
}
