//! Puts the page of `robomata playground` into the command, if ROBOMATA_PLAYGROUND names it.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ROBOMATA_PLAYGROUND");
    let page = match env::var_os("ROBOMATA_PLAYGROUND").filter(|path| !path.is_empty()) {
        None => Vec::new(),
        Some(path) => {
            println!("cargo:rerun-if-changed={}", path.display());
            fs::read(&path).unwrap_or_else(|error| panic!("ROBOMATA_PLAYGROUND: {}: {error}", path.display()))
        }
    };
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("playground.html"), page).expect("the folder can be written");
}
