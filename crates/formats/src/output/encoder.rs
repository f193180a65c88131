//! Compresses outputs.

use std::io::{self, Write};

use super::sink::Sink;
use crate::input::Compression;

/// The compression of an output.
pub(super) enum Encoder {
    Plain(Sink),
    Gzip(flate2::write::GzEncoder<Sink>),
    Zstd(zstd::Encoder<'static, Sink>),
    /// Nothing more can be written: an error occurred between two members.
    Closed,
}

impl Encoder {
    pub(super) fn new(sink: Sink, compression: Option<Compression>) -> io::Result<Self> {
        Ok(match compression {
            None => Encoder::Plain(sink),
            Some(Compression::Gzip) => {
                Encoder::Gzip(flate2::write::GzEncoder::new(sink, flate2::Compression::default()))
            }
            Some(Compression::Zstd) => {
                let mut encoder = zstd::Encoder::new(sink, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        })
    }

    /// Ends the compressed data, calls `between`, and starts new compressed data.
    pub(super) fn restart<T>(&mut self, between: impl FnOnce(&mut Sink) -> io::Result<T>) -> io::Result<T> {
        let compression = match self {
            Encoder::Plain(sink) => return between(sink),
            Encoder::Closed => None,
            Encoder::Gzip(_) => Some(Compression::Gzip),
            Encoder::Zstd(_) => Some(Compression::Zstd),
        };
        let mut sink = std::mem::replace(self, Encoder::Closed).finish()?;
        let done = between(&mut sink)?;
        *self = Encoder::new(sink, compression)?;
        Ok(done)
    }

    /// The destination of the encoded bytes.
    pub(super) fn sink(&self) -> io::Result<&Sink> {
        match self {
            Encoder::Plain(sink) => Ok(sink),
            Encoder::Gzip(encoder) => Ok(encoder.get_ref()),
            Encoder::Zstd(encoder) => Ok(encoder.get_ref()),
            Encoder::Closed => Err(closed()),
        }
    }

    pub(super) fn finish(self) -> io::Result<Sink> {
        match self {
            Encoder::Plain(sink) => Ok(sink),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
            Encoder::Closed => Err(closed()),
        }
    }
}

impl Write for Encoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(sink) => sink.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
            Encoder::Closed => Err(closed()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Encoder::Plain(sink) => sink.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
            Encoder::Closed => Err(closed()),
        }
    }
}

fn closed() -> io::Error {
    io::Error::other("an earlier error closed the output")
}
