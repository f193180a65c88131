//! The header agrees with the source.

use cbindgen::{Builder, Config};

use crate::folder;

#[test]
fn the_header_is_current() {
    let config = Config::from_file(folder().join("cbindgen.toml")).unwrap();
    // It follows the modules.
    let builder = Builder::new().with_config(config).with_src(folder().join("src/lib.rs"));
    let mut generated = Vec::new();
    builder.generate().unwrap().write(&mut generated);
    let generated = String::from_utf8(generated).unwrap();
    let path = folder().join("include/robomata.h");
    if std::env::var_os("ROBOMATA_UPDATE").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == generated, "{} is not current: run the test with ROBOMATA_UPDATE=1", path.display());
}
