//! Uses the library as programs in other languages do.

mod header;
mod misuse;
mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this crate.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The library, installed in a folder of its own. Cargo has built it for this test.
struct Installed {
    folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Self {
        let test = std::env::current_exe().unwrap();
        let built = test.parent().unwrap();
        let folder = tempfile::tempdir().unwrap();
        run(Command::new(self::folder().join("install.sh")).arg(folder.path()).arg(built));
        Installed { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles a program, as the flags of pkg-config say.
    fn compile(&self, compiler: &[&str], source: &Path, is_static: bool) -> PathBuf {
        let program = self.path(&format!("{}-{is_static}", source.file_name().unwrap().display()));
        let libraries = self.path("lib");
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-g"]);
        command.arg("-I").arg(self.path("include")).arg(source).arg("-o").arg(&program);
        if is_static {
            command.arg(libraries.join("librobomata.a")).args(["-lpthread", "-ldl", "-lm"]);
        } else {
            command.arg("-L").arg(&libraries).arg("-lrobomata");
            command.arg(format!("-Wl,-rpath,{}", libraries.display()));
        }
        run(&mut command);
        program
    }
}

/// The standard output of a command that must succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
