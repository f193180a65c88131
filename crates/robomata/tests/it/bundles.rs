//! Policy sets in files.

use std::fs;
use std::io;

use robomata::{Dialect, Error, Fingerprint, PolicySet};

fn policies() -> PolicySet {
    let mut builder = PolicySet::builder().dialect(Dialect::Google);
    for number in 0..200 {
        let body = format!("User-agent: *\nDisallow: /private{number}");
        builder.insert(format!("https://{number}.example"), body).unwrap();
    }
    builder.build()
}

#[test]
fn a_set_survives_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policies.bundle");
    let built = policies();
    built.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), built.to_bytes().unwrap());
    let opened = PolicySet::open(&path).unwrap();
    fs::write(&path, "changed").unwrap();
    assert_eq!((opened.len(), opened.dialect(), opened.agents()), (200, Dialect::Google, None));
    assert_eq!(opened.fingerprint(), built.fingerprint());
    assert!(opened.check("ExampleBot", "https://7.example/private7").unwrap().is_disallowed());
    assert!(opened.check("ExampleBot", "https://7.example/private8").unwrap().is_allowed());
    // It replaces the file and leaves no other file, also where a process with this number was killed.
    fs::write(folder.path().join(format!("policies.bundle.{}-1.part", std::process::id())), "").unwrap();
    opened.save(&path).unwrap();
    opened.save(&path).unwrap();
    opened.save(&path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(PolicySet::open(&path).unwrap().fingerprint(), built.fingerprint());
}

#[test]
fn every_damaged_byte_is_an_error() {
    let bytes = policies().to_bytes().unwrap().to_vec();
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(PolicySet::from_bytes(damaged).is_err(), "byte {at}");
    }
    for length in (0..bytes.len()).step_by(97) {
        assert!(PolicySet::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    let error = PolicySet::from_bytes("no bundle").unwrap_err();
    assert!(matches!(error, Error::Corrupt { path: None, .. }));
    assert!(error.to_string().starts_with("not a valid policy bundle: expected"), "{error}");
}

#[test]
fn a_pinned_path_refuses_another_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policies.bundle");
    policies().save(&path).unwrap();
    let pinned = |fingerprint: Fingerprint| PolicySet::open(format!("{}#{fingerprint}", path.display()));
    assert!(pinned(policies().fingerprint()).is_ok());
    let other = PolicySet::builder().build().fingerprint();
    let error = pinned(other).unwrap_err();
    assert!(matches!(error, Error::Stale { expected, found, .. } if expected == other && found != other));
}

#[test]
fn errors_name_the_file_and_the_cause() {
    use std::error::Error as _;
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").join("policies.bundle");
    let error = PolicySet::open(&missing).unwrap_err();
    assert!(error.to_string().starts_with(&format!("{}: cannot be read: ", missing.display())));
    let cause = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
    assert_eq!(cause.kind(), io::ErrorKind::NotFound);
    let error = policies().save(&missing).unwrap_err();
    assert!(error.to_string().starts_with(&format!("{}: cannot be written: ", missing.display())));

    let damaged = folder.path().join("damaged.bundle");
    fs::write(&damaged, "User-agent: *\nDisallow: /\n").unwrap();
    let error = PolicySet::open(&damaged).unwrap_err();
    assert!(matches!(&error, Error::Corrupt { path: Some(path), .. } if *path == damaged), "{error}");
    let error = PolicySet::open(folder.path().join("p-*.bundle")).unwrap_err();
    assert!(error.to_string().contains("expected a shard name such as"), "{error}");
}

#[test]
fn the_bytes_do_not_depend_on_the_order_of_the_sites() {
    let set = |sites: &[&str]| {
        let mut builder = PolicySet::builder();
        for site in sites {
            builder.insert(site, "User-agent: *\nDisallow: /a").unwrap();
        }
        builder.build().fingerprint()
    };
    assert_eq!(
        set(&["https://a.example", "https://b.example"]),
        set(&["https://b.example", "https://a.example"])
    );
}
