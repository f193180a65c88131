//! Conformance cases of the permission model, checked with the reference and the engine.

use std::path::Path;

use robomata_crosscheck::permissions;
use robomata_testkit::permission_case::{PermissionReport, load_folder, run_permissions};

#[test]
fn every_case_is_answered_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/conformance");
    let cases = load_folder(&folder).unwrap();
    assert!(cases.len() > 300, "{} cases", cases.len());
    let reports = [
        run_permissions(&cases, "reference", permissions::reference),
        run_permissions(&cases, "engine", permissions::engine),
    ];
    for report in &reports {
        println!("{report}");
    }
    assert!(reports.iter().all(PermissionReport::is_clean));
}
