//! Outputs appear completely or not at all.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use robomata_formats::{Output, OutputError, input};

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_appears_before_the_commit_and_all_of_it_after() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.tsv");
    let text = "allow\thttps://example.com/\n".repeat(100_000);
    for old in [None, Some("old")] {
        if let Some(old) = old {
            fs::write(&path, old).unwrap();
        }
        let mut output = Output::create(&path).unwrap();
        output.write_all(text.as_bytes()).unwrap();
        output.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
        output.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(directory.path()), ["out.tsv"]);
    }
}

#[test]
fn without_a_commit_nothing_is_left_and_the_old_file_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.tsv.gz");
    for (old, left) in [(None, vec![]), (Some("old"), vec!["out.tsv.gz"])] {
        if let Some(old) = old {
            fs::write(&path, old).unwrap();
        }
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"half of it").unwrap();
        drop(output);
        assert_eq!(names(directory.path()), left);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
    }
}

#[test]
fn scratch_files_are_next_to_their_output_and_removed_on_drop() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.gz");
    let stale = directory.path().join(".robomata-stale.tmp");
    fs::write(&stale, "of a process that was killed").unwrap();
    let outputs = [Output::create(&path).unwrap(), Output::resumable(&path, None).unwrap()];
    for (output, its_own) in outputs.into_iter().zip([1, 0]) {
        assert!(!stale.exists());
        let mut scratches = [output.scratch().unwrap(), output.scratch().unwrap()];
        for scratch in &mut scratches {
            scratch.write_all(b"some bytes").unwrap();
        }
        for scratch in &scratches {
            assert_eq!(scratch.path().parent(), Some(directory.path()));
            assert_eq!(fs::read(scratch.path()).unwrap(), b"some bytes");
        }
        // They are locked, so an output that removes stale files does not remove them.
        drop(Output::create(&path).unwrap());
        assert!(scratches.iter().all(|scratch| scratch.path().exists()));
        drop(scratches);
        let hidden = names(directory.path()).into_iter().filter(|name| name.starts_with('.')).count();
        assert_eq!(hidden, its_own, "nothing but the output itself");
        drop(output);
    }
    assert_eq!(names(directory.path()), ["out.gz.partial"]);
    let scratch = Output::stdout().scratch().unwrap();
    assert_eq!(scratch.path().parent(), Some(&*std::env::temp_dir()));
}

#[test]
fn the_name_selects_the_compression() {
    let directory = tempfile::tempdir().unwrap();
    let text = "some lines\n".repeat(50_000);
    let magics: [(&str, &[u8]); 3] =
        [("a.gz", b"\x1f\x8b"), ("a.zst", b"\x28\xb5\x2f\xfd"), ("a.txt", b"some")];
    for (name, magic) in magics {
        let path = directory.path().join(name);
        let mut output = Output::create(&path).unwrap();
        output.write_all(text.as_bytes()).unwrap();
        output.commit().unwrap();
        assert!(fs::read(&path).unwrap().starts_with(magic), "{name}");
        let mut read = String::new();
        input::open(&path).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, text, "{name}");
    }
}

#[test]
fn an_output_that_cannot_be_created_is_named() {
    let Err(error) = Output::create(Path::new("no/such/directory/out")) else {
        panic!("there is no such directory")
    };
    assert!(error.to_string().starts_with("no/such/directory/out: cannot be created: "), "{error}");
    assert_eq!(error.io_error().kind(), io::ErrorKind::NotFound);
    assert!(!error.is_broken_pipe());

    let directory = tempfile::tempdir().unwrap();
    assert!(Output::create(directory.path()).is_err(), "a directory is not a file");
    assert_eq!(names(directory.path()).len(), 0);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    #[test]
    fn permissions_are_those_of_any_new_file() {
        let directory = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
        fs::write(directory.path().join("plain"), "").unwrap();
        Output::create(&directory.path().join("out")).unwrap().commit().unwrap();
        assert_eq!(mode("out"), mode("plain"));
    }

    #[test]
    fn the_file_behind_a_symbolic_link_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let (inner, link) = (directory.path().join("inner"), directory.path().join("link"));
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("file"), "old").unwrap();
        symlink("inner/file", &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(inner.join("file")).unwrap(), "new");
        assert_eq!(
            (names(directory.path()), names(&inner)),
            (vec!["inner".into(), "link".into()], vec!["file".into()])
        );
    }

    #[test]
    fn a_symbolic_link_stays_in_every_output_also_if_it_leads_to_nothing() {
        let create: fn(&Path) -> Output = |path| Output::create(path).unwrap();
        let resumable: fn(&Path) -> Output = |path| Output::resumable(path, None).unwrap();
        for (open, before_commit) in [(create, None), (resumable, Some("inner/file.partial"))] {
            for is_there in [true, false] {
                let directory = tempfile::tempdir().unwrap();
                let at = |name: &str| directory.path().join(name);
                fs::create_dir(at("inner")).unwrap();
                if is_there {
                    fs::write(at("inner/file"), "old").unwrap();
                }
                symlink("file", at("inner/second")).unwrap();
                symlink("inner/second", at("link")).unwrap();
                let mut output = open(&at("link"));
                output.write_all(b"new").unwrap();
                assert_eq!(before_commit.is_some(), at("inner/file.partial").exists());
                output.commit().unwrap();
                assert_eq!(fs::read_to_string(at("inner/file")).unwrap(), "new");
                assert_eq!(names(directory.path()), ["inner", "link"]);
                assert_eq!(names(&at("inner")), ["file", "second"]);
                assert!(at("link").is_symlink() && at("inner/second").is_symlink());
            }
        }
    }

    #[test]
    fn devices_are_written_directly_and_not_replaced() {
        let mut output = Output::create(Path::new("/dev/null")).unwrap();
        output.write_all(b"gone").unwrap();
        output.commit().unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    fn fifo(directory: &Path) -> std::path::PathBuf {
        let path = directory.join("fifo");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    #[test]
    fn a_fifo_is_written_directly() {
        let directory = tempfile::tempdir().unwrap();
        let path = fifo(directory.path());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"through the pipe").unwrap();
        output.commit().unwrap();
        assert_eq!(reader.join().unwrap(), b"through the pipe");
        assert_eq!(names(directory.path()), ["fifo"]);
    }

    #[test]
    fn a_closed_pipe_is_distinguished() {
        fn write_on(output: &mut Output) -> Result<(), OutputError> {
            loop {
                output.write_all(&[b'x'; 10_000])?;
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let path = fifo(directory.path());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::File::open(path).unwrap().read(&mut [0; 10]).unwrap()
        });
        let mut output = Output::create(&path).unwrap();
        let error = write_on(&mut output).unwrap_err();
        assert!(error.is_broken_pipe(), "{error}");
        assert!(
            error.to_string().starts_with(&format!("{}: cannot be written: ", path.display())),
            "{error}"
        );
        reader.join().unwrap();
    }

    #[test]
    fn a_full_device_is_an_error_at_the_latest_at_the_commit() {
        let Ok(mut output) = Output::create(Path::new("/dev/full")) else { return };
        output.write_all(b"few bytes stay in the buffer").unwrap();
        let error = output.commit().unwrap_err();
        assert_eq!(error.io_error().kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn any_other_error_becomes_one_about_the_output() {
    let error = OutputError::from(io::Error::from(io::ErrorKind::BrokenPipe));
    assert!(error.is_broken_pipe());
    assert!(error.to_string().starts_with("the output: cannot be written: "), "{error}");
}
