//! What the fuzz targets and the generator of seeds share.
//!
//! Inputs of several parts are separated by control characters ([`fields`]): a mutation inside one part leaves the other
//! parts as they are, and seeds can be written without an encoder.

pub mod bundle;
pub mod captures;
pub mod corpus;
pub mod file;
pub mod frontier;

use robomata_engine::{Crawler, Dialect, FetchStatus};

/// Separates the parts of an input.
pub const FIELD: u8 = 0x1f;
/// Separates the items of a part.
pub const ITEM: u8 = 0x1e;

/// The parts of an input. Missing parts are empty, and the last part contains the rest.
pub fn fields<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |&byte| byte == FIELD);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// The items of a part; at most `most`.
pub fn items(part: &[u8], most: usize) -> impl Iterator<Item = &[u8]> {
    part.split(|&byte| byte == ITEM).take(most)
}

/// One byte of the part with the options.
pub fn option(options: &[u8], index: usize) -> usize {
    options.get(index).copied().unwrap_or(b'0').wrapping_sub(b'0').into()
}

/// One of several things, by an option.
pub fn choose<T: Copy>(all: &[T], option: usize) -> T {
    all[option % all.len()]
}

/// A dialect.
pub fn dialect(option: usize) -> Dialect {
    choose(&Dialect::ALL, option)
}

/// How a fetch ended.
pub const STATUSES: [Option<FetchStatus>; 10] = [
    None,
    Some(FetchStatus::Success),
    Some(FetchStatus::Code(200)),
    Some(FetchStatus::Code(206)),
    Some(FetchStatus::Code(302)),
    Some(FetchStatus::Code(403)),
    Some(FetchStatus::Code(404)),
    Some(FetchStatus::Code(503)),
    Some(FetchStatus::NetworkFailure),
    Some(FetchStatus::TooManyRedirects),
];

/// A crawler, named by bytes that are usually UTF-8. No command or library accepts names with control characters.
pub fn crawler(names: &[u8]) -> Crawler {
    Crawler::new(&String::from_utf8_lossy(names).replace(char::is_control, "-"))
}
