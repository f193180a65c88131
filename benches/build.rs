//! Passes the compiler version to the program: a time is meaningless without it.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=RUSTC_VERSION={}", version.as_deref().unwrap_or("rustc unknown").trim());
    println!("cargo::rerun-if-changed=build.rs");
}
