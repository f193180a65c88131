//! Opening files: detection by first bytes and by name, and the output from corrupt archives.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use robomata_formats::{FileName, InputError, input};

fn gzip(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zstd_frame(data: &[u8]) -> Vec<u8> {
    zstd::encode_all(data, 1).unwrap()
}

/// Text that compresses, but not to almost nothing.
fn text(lines: u32) -> Vec<u8> {
    (0..lines)
        .flat_map(|i| format!("https://example.com/{:08x}\n", i.wrapping_mul(2_654_435_761)).into_bytes())
        .collect()
}

/// Reads `data` under `name` until it ends twice. Returns all bytes, and the errors on the way.
fn read(name: &str, data: Vec<u8>) -> (Vec<u8>, Vec<String>) {
    let mut input = match input::decode(io::Cursor::new(data), &FileName::new(name)) {
        Ok(input) => input,
        Err(error) => return (Vec::new(), vec![error.to_string()]),
    };
    let (mut bytes, mut errors) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        if let Err(error) = input.read_to_end(&mut bytes) {
            errors.push(error.downcast::<InputError>().unwrap().to_string());
        }
    }
    (bytes, errors)
}

#[test]
fn plain_data_of_any_length_are_returned_unchanged() {
    for data in ["", "a", "abc", "abcd", "abcdefg\n"] {
        assert_eq!(read("urls", data.into()), (data.into(), vec![]));
    }
}

#[test]
fn all_members_of_a_gzip_file_are_read_under_any_name() {
    let data = [gzip(b"one\n", 6), gzip(b"", 6), gzip(b"two\n", 0)].concat();
    for name in ["-", "urls", "urls.txt", "urls.gz", "URLS.GZ"] {
        assert_eq!(read(name, data.clone()), (b"one\ntwo\n".to_vec(), vec![]), "{name}");
    }
}

#[test]
fn all_frames_of_a_zstd_file_are_read_except_skippable_ones() {
    let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3].to_vec();
    let data = [skippable.clone(), zstd_frame(b"one\n"), skippable, zstd_frame(b"two\n")].concat();
    for name in ["-", "urls", "urls.zst"] {
        assert_eq!(read(name, data.clone()), (b"one\ntwo\n".to_vec(), vec![]), "{name}");
    }
}

/// A frame with a window of 2^`log` bytes: magic, no flags, and a last raw block of 6 bytes.
fn frame_with_window(log: u8) -> Vec<u8> {
    [b"\x28\xb5\x2f\xfd\x00", &[(log - 10) << 3][..], b"\x31\x00\x00hello\n"].concat()
}

#[test]
fn zstd_windows_of_128_mebibytes_are_accepted() {
    // As the highest level of `zstd` writes them.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    let data = text(50_000);
    encoder.write_all(&data).unwrap();
    assert_eq!(read("urls.zst", encoder.finish().unwrap()), (data, vec![]));
    assert_eq!(read("urls.zst", frame_with_window(27)), (b"hello\n".to_vec(), vec![]));
}

#[test]
fn longer_zstd_windows_are_one_error_that_says_what_to_do() {
    let error = "expected zstd data: the window is longer than 128 MiB (decompress the file with `zstd -d --long=31`)";
    for log in [28, 31, 32, 41] {
        let (bytes, errors) = read("urls.zst", frame_with_window(log));
        assert_eq!((bytes, errors), (vec![], vec![format!("urls.zst: {error}")]), "2^{log}");
    }
    // What precedes such a frame is returned.
    let both = [zstd_frame(b"one\n"), frame_with_window(31)].concat();
    assert_eq!(read("urls.zst", both), (b"one\n".to_vec(), vec![format!("urls.zst: {error}")]));
}

#[test]
fn a_name_must_match_the_data() {
    let error = "x.gz: expected gzip data, as its name promises";
    assert_eq!(read("x.gz", b"plain".to_vec()).1, [error]);
    assert_eq!(read("x.gz", vec![0x1f]).1, [error]);
    assert_eq!(read("x.gz", zstd_frame(b"other")).1, [error]);
    assert_eq!(read("x.zst", gzip(b"other", 6)).1, ["x.zst: expected zstd data, as its name promises"]);
    // A download that failed leaves an empty file.
    assert_eq!(read("x.gz", vec![]).1, [error]);
    assert_eq!(read("x.zst", vec![]).1, ["x.zst: expected zstd data, as its name promises"]);
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.warc.gz", "a.warc.zst", "a.jsonl.gz", "a.example.gz"] {
        let path = directory.path().join(name);
        std::fs::write(&path, b"").unwrap();
        let items: Vec<_> = robomata_formats::capture::captures(&path).collect();
        assert!(
            matches!(&items[..], [Err(error)] if error.to_string().contains("as its name promises")),
            "{name}"
        );
    }
}

#[test]
fn truncated_gzip_yields_what_could_be_decoded_then_one_error() {
    let error = "urls.gz: expected the rest of the gzip data, found the end of the file";
    let data = text(3_000);
    // Stored, not compressed: the header of 10 bytes and the 5 bytes of the block precede the data.
    let stored = gzip(&data[..30_000], 0);
    let (bytes, errors) = read("urls.gz", stored[..10 + 5 + 20_000].to_vec());
    assert_eq!((bytes.as_slice(), errors), (&data[..20_000], vec![error.to_owned()]));

    let members = [gzip(&data, 6), gzip(b"more", 6)].concat();
    let first = gzip(&data, 6).len();
    for (cut, least) in
        [(2, 0), (9, 0), (first / 2, data.len() / 4), (first - 4, data.len()), (first + 5, data.len())]
    {
        let (bytes, errors) = read("urls.gz", members[..cut].to_vec());
        assert_eq!(errors, [error], "cut at {cut}");
        assert!(bytes.len() >= least && data.starts_with(&bytes), "{} bytes at {cut}", bytes.len());
    }
}

#[test]
fn truncated_zstd_yields_what_could_be_decoded_then_one_error() {
    let error = "urls.zst: expected the rest of the zstd data, found the end of the file";
    let data = text(40_000);
    let first = zstd_frame(&data);
    let frames = [first.clone(), zstd_frame(b"more")].concat();
    for (cut, least) in [(5, 0), (first.len() / 2, data.len() / 4), (first.len() + 6, data.len())] {
        let (bytes, errors) = read("urls.zst", frames[..cut].to_vec());
        assert_eq!(errors, [error], "cut at {cut}");
        assert!(bytes.len() >= least && data.starts_with(&bytes), "{} bytes at {cut}", bytes.len());
    }
}

#[test]
fn errors_of_corrupt_archives_say_what_was_expected() {
    let mut data = gzip(b"some text", 6);
    let end = data.len();
    data[end - 6] ^= 1;
    let (bytes, errors) = read("x.gz", data);
    assert_eq!(bytes, b"some text");
    assert!(errors.len() == 1 && errors[0].starts_with("x.gz: expected gzip data: corrupt"), "{errors:?}");

    let (bytes, errors) = read("x.gz", [gzip(b"some text", 6), b"rubbish after it".to_vec()].concat());
    assert_eq!(bytes, b"some text");
    assert!(errors.len() == 1 && errors[0].starts_with("x.gz: expected gzip data: "), "{errors:?}");

    let (bytes, errors) = read("x.zst", [zstd_frame(b"some text"), b"rubbish after it".to_vec()].concat());
    assert_eq!(bytes, b"some text");
    assert!(errors.len() == 1 && errors[0].starts_with("x.zst: expected zstd data: "), "{errors:?}");
}

/// Some data, then the error of a failing disk.
struct FailingDisk(io::Cursor<Vec<u8>>);

impl Read for FailingDisk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the disk is on fire")),
            read => Ok(read),
        }
    }
}

#[test]
fn errors_from_below_a_decoder_are_not_blamed_on_the_archive() {
    let data = text(20_000);
    for archive in [gzip(&data, 6), zstd_frame(&data), data.clone()] {
        let disk = FailingDisk(io::Cursor::new(archive[..archive.len() / 2].to_vec()));
        let mut input = input::decode(disk, &FileName::new("urls")).unwrap();
        let mut bytes = Vec::new();
        let error = input.read_to_end(&mut bytes).unwrap_err().downcast::<InputError>().unwrap();
        assert_eq!(error.to_string(), "urls: cannot be read: the disk is on fire");
        assert!(error.ends_file() && data.starts_with(&bytes) && bytes.len() > data.len() / 8);
    }
}

#[test]
fn a_missing_file_is_named() {
    let path = PathBuf::from("no/such/file.jsonl");
    let Err(error) = input::open(&path) else { panic!("there is no such file") };
    assert!(error.to_string().starts_with("no/such/file.jsonl: cannot be read: "), "{error}");
    assert_eq!(error.file().as_path(), path);
    assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("urls");
    let size = text(20_000).len() as u64;
    for left in [0, 1, 100_000, size - 1] {
        std::fs::write(&path, text(20_000)).unwrap();
        let mut input = input::open(&path).unwrap();
        let mut bytes = vec![0; 1000];
        input.read_exact(&mut bytes).unwrap();
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(left).unwrap();
        let error = input.read_to_end(&mut bytes).unwrap_err().downcast::<InputError>().unwrap();
        assert!(error.is_incomplete() && error.ends_file());
        let text = format!("/urls: cannot be read: it ends after {} of {size} bytes, so it ", bytes.len());
        assert!(error.to_string().contains(&text), "{error}");
        // What was read before is returned.
        assert!(bytes.len() as u64 >= left.max(1000));
    }
}

#[test]
fn a_file_may_grow_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, text(20_000)).unwrap();
    let mut input = input::open(&path).unwrap();
    let mut bytes = vec![0; 1000];
    input.read_exact(&mut bytes).unwrap();
    let mut log = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    log.write_all(b"more").unwrap();
    input.read_to_end(&mut bytes).unwrap();
    assert!(bytes == [text(20_000), b"more".to_vec()].concat());
    // What is appended later is not waited for, and cutting it off again loses nothing.
    log.set_len(10).unwrap();
    assert_eq!(input.read(&mut [0; 10]).unwrap(), 0);
}

/// Such files have the size 0.
#[cfg(target_os = "linux")]
#[test]
fn files_of_the_kernel_are_read_to_their_end() {
    let mut read = String::new();
    input::open("/proc/self/status".as_ref()).unwrap().read_to_string(&mut read).unwrap();
    assert!(read.starts_with("Name:") && read.ends_with('\n'), "{read}");
}
