//! WARC files for tests.

use std::io::Write;

/// A record with `fields` in addition to its length.
pub(crate) fn record(fields: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let mut record = b"WARC/1.1\r\n".to_vec();
    for (name, value) in fields {
        write!(record, "{name}: {value}\r\n").unwrap();
    }
    write!(record, "Content-Length: {}\r\n\r\n", block.len()).unwrap();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// The response to a request of `url` at `date`; `http` is its head without the blank line.
pub(crate) fn response(url: &str, date: &str, http: &str, body: &[u8]) -> Vec<u8> {
    let block = [http.as_bytes(), b"\r\n\r\n", body].concat();
    record(
        &[
            ("WARC-Type", "response"),
            ("WARC-Target-URI", url),
            ("WARC-Date", date),
            ("Content-Type", "application/http;msgtype=response"),
        ],
        &block,
    )
}

/// One gzip member.
pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// One zstd frame with a checksum.
pub(crate) fn zstd_frame(data: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// The skippable frame with a dictionary at the beginning of a `.warc.zst`.
pub(crate) fn dictionary_frame(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap();
    [&[0x5d, 0x2a, 0x4d, 0x18], &length.to_le_bytes()[..], content].concat()
}

/// A generator of reproducible pseudo-random numbers.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}
