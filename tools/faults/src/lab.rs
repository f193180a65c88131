//! Rooms in which runs take place, the undisturbed runs, and what must hold after a disturbed one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::cases::{CASES, Case};
use crate::inputs;
use crate::program::{Program, Ran};
use crate::shim::{self, Call};

/// The content of each output before a run.
const OLD: &[u8] = b"as it was\n";

/// How a run ended, if everything holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// The outputs are those of the undisturbed run.
    Complete,
    /// The run failed with a message, and the outputs are as they were.
    Refused,
    /// The run was killed, and the outputs are as they were or complete.
    Killed,
    /// Rust aborted the process, because memory was not available.
    Aborted,
}

/// An undisturbed run.
pub(crate) struct Baseline {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) outputs: BTreeMap<&'static str, Vec<u8>>,
    names: BTreeSet<String>,
    pub(crate) calls: Vec<Call>,
}

/// Everything that runs share.
pub struct Lab {
    folder: tempfile::TempDir,
    pub(crate) robomata: PathBuf,
    shim: PathBuf,
    /// The inputs, which no run may change.
    given: BTreeMap<PathBuf, Vec<u8>>,
    baselines: BTreeMap<&'static str, Baseline>,
    pub(crate) seed: u64,
}

impl Lab {
    /// Writes the inputs, and runs each command once, undisturbed.
    ///
    /// # Errors
    /// When something is missing, or a command does not give the same outputs twice.
    pub fn new(robomata: &Path, work: Option<&Path>, seed: u64) -> Result<Self> {
        let robomata = fs::canonicalize(robomata).with_context(|| format!("{}", robomata.display()))?;
        let folder = match work {
            Some(work) => tempfile::tempdir_in(fs::canonicalize(work)?),
            None => tempfile::tempdir(),
        }?;
        let given = folder.path().join("given");
        fs::create_dir(&given)?;
        let shim = shim::build(folder.path())?;
        inputs::write(&given, &robomata, seed)?;
        let given = files(&given)?;
        let mut lab = Lab { folder, robomata, shim, given, baselines: BTreeMap::new(), seed };
        for case in &CASES {
            let baseline = lab.baseline(case).with_context(|| format!("undisturbed: {}", case.name))?;
            lab.baselines.insert(case.name, baseline);
        }
        Ok(lab)
    }

    fn baseline(&self, case: &Case) -> Result<Baseline> {
        let run = |traces: bool| -> Result<_> {
            let room = self.room(case)?;
            let trace = room.path().with_extension("trace");
            let program = if traces {
                self.disturbed(case, &room, "any:1000000000:e5").env("FAULTS_TRACE", &trace)
            } else {
                self.program(case, &room)
            };
            let ran = program.run()?;
            // A command that finds something ends with 1.
            ensure!(matches!(ran.code, Some(0 | 1)) && !ran.err.contains("error"), "{ran:?}");
            let calls = if traces { shim::trace(&trace)? } else { Vec::new() };
            Ok((ran, room.outputs(case)?, room.names()?, calls))
        };
        let (ran, outputs, names, calls) = run(true)?;
        let (again, outputs_again, names_again, _) = run(false)?;
        ensure!(ran.out == again.out && ran.code == again.code, "two runs print different results");
        ensure!(outputs == outputs_again && names == names_again, "two runs write different files");
        ensure!(outputs.values().all(|bytes| bytes != OLD), "an output is not written");
        // Calls that do not go through the C library are not seen, and would never fail.
        let renames = calls.iter().filter(|call| call.kind == "rename").count();
        ensure!(!calls.is_empty() && renames >= case.outputs.len(), "only {renames} renames were traced");
        Ok(Baseline { code: ran.code, out: ran.out, outputs, names, calls })
    }

    pub(crate) fn undisturbed(&self, case: &Case) -> &Baseline {
        &self.baselines[case.name]
    }

    /// A folder with all inputs, and old outputs.
    pub(crate) fn room(&self, case: &Case) -> Result<Room> {
        let folder = tempfile::tempdir_in(self.folder.path())?;
        let work = folder.path().join("work");
        let given = self.folder.path().join("given");
        fs::create_dir(&work)?;
        for path in self.given.keys() {
            let to = work.join(path);
            fs::create_dir_all(to.parent().context("a file has a folder")?)?;
            fs::hard_link(given.join(path), to)?;
        }
        let room = Room { folder };
        for output in case.outputs {
            // Of a file that is read and replaced, each room has its own: locks belong to files, not to names.
            match self.given.get(Path::new(output)) {
                Some(_) => room.own(output)?,
                None => fs::write(work.join(output), OLD)?,
            }
        }
        Ok(room)
    }

    /// The command, undisturbed.
    pub(crate) fn program(&self, case: &Case, room: &Room) -> Program {
        Program::new(&self.robomata, &case.line(), &room.path())
    }

    /// The command with the library that injects faults.
    pub(crate) fn disturbed(&self, case: &Case, room: &Room, fault: &str) -> Program {
        self.with_shim(self.program(case, room), room).env("FAULTS", fault)
    }

    pub(crate) fn with_shim(&self, program: Program, room: &Room) -> Program {
        program.env("LD_PRELOAD", &self.shim).env("FAULTS_ROOT", room.path())
    }

    /// Checks that no run has changed the inputs.
    pub(crate) fn require_inputs_unchanged(&self) -> Result<()> {
        let now = files(&self.folder.path().join("given"))?;
        ensure!(now == self.given, "a run changed its inputs");
        Ok(())
    }

    /// Checks a disturbed run. `leftovers` says that temporary files may be left.
    pub(crate) fn judge(&self, case: &Case, room: &Room, ran: &Ran, leftovers: bool) -> Result<Ended> {
        let baseline = self.undisturbed(case);
        let context = || format!("code {:?}, signal {:?}: {}", ran.code, ran.signal, ran.err.trim_end());
        no_accident(ran).with_context(context)?;
        let outputs = room.outputs(case)?;
        if ran.code == baseline.code {
            for name in case.outputs {
                let now = outputs.get(name);
                ensure!(
                    now.map_or(Ok(false), |now| room.is_complete(case, name, now, baseline))?,
                    "the exit code is that of success, but {name} is not complete; {}",
                    context()
                );
            }
            ensure!(
                ran.out == baseline.out,
                "the exit code is that of success, but standard output is not complete; {}",
                context()
            );
        } else {
            require_message(ran).with_context(context)?;
            self.require_old_or_new(case, room, &outputs).with_context(context)?;
        }
        self.require_names(case, room, leftovers).with_context(context)?;
        Ok(if ran.code == baseline.code { Ended::Complete } else { Ended::Refused })
    }

    /// Checks what a killed run left.
    pub(crate) fn judge_killed(&self, case: &Case, room: &Room) -> Result<()> {
        self.require_old_or_new(case, room, &room.outputs(case)?)?;
        self.require_names(case, room, true)
    }

    /// Checks that each output is as it was before, or complete.
    fn require_old_or_new(
        &self,
        case: &Case,
        room: &Room,
        outputs: &BTreeMap<&'static str, Vec<u8>>,
    ) -> Result<()> {
        for name in case.outputs {
            let old = self.given.get(Path::new(name)).map_or(OLD, Vec::as_slice);
            let now = outputs.get(name).with_context(|| format!("{name} is gone"))?;
            let baseline = self.undisturbed(case);
            ensure!(
                now == old || room.is_complete(case, name, now, baseline)?,
                "{name} is neither as it was nor complete"
            );
        }
        Ok(())
    }

    /// Checks that there are no files but inputs, outputs and progress, and temporary files where they are allowed.
    fn require_names(&self, case: &Case, room: &Room, leftovers: bool) -> Result<()> {
        for name in room.names()?.difference(&self.undisturbed(case).names) {
            let is_progress =
                case.resumes() && (name.ends_with(".partial") || name.ends_with(".checkpoint.json"));
            let is_temporary = name.starts_with(".robomata-") && name.ends_with(".tmp");
            ensure!(is_progress || (leftovers && is_temporary), "{name} is left");
        }
        Ok(())
    }

    /// Checks that the next run, undisturbed, completes and cleans up.
    pub(crate) fn require_next_run(&self, case: &Case, room: &Room) -> Result<()> {
        let baseline = self.undisturbed(case);
        let ran = self.program(case, room).run()?;
        let context = || format!("the next run: code {:?}: {}", ran.code, ran.err.trim_end());
        ensure!(ran.code == baseline.code && ran.out == baseline.out, context());
        for (name, bytes) in room.outputs(case)? {
            let is_complete = room.is_complete(case, name, &bytes, baseline)?;
            ensure!(is_complete, "{name} is not complete; {}", context());
        }
        let names = room.names()?;
        ensure!(names == baseline.names, "left: {:?}", names.symmetric_difference(&baseline.names));
        Ok(())
    }
}

/// Checks that a run ended in time, by itself, and without a panic.
pub(crate) fn no_accident(ran: &Ran) -> Result<()> {
    ensure!(!ran.is_late, "it does not end");
    ensure!(!ran.err.contains("panicked at"), "it panics");
    ensure!(ran.code.is_some(), "a signal ended it");
    Ok(())
}

/// Checks that a failed run has an exit code of failures, and a message.
pub(crate) fn require_message(ran: &Ran) -> Result<()> {
    ensure!(matches!(ran.code, Some(2 | 4)), "the exit code is not one of a failure");
    // What is on standard output cannot be withdrawn: a file that ends early is a warning, and the next one follows.
    let warning = if ran.code == Some(4) { "warning: " } else { "error: " };
    let message =
        ran.err.lines().find_map(|line| line.strip_prefix("error: ").or_else(|| line.strip_prefix(warning)));
    ensure!(message.is_some_and(|message| message.len() > 10), "there is no message");
    Ok(())
}

/// A folder in which runs take place.
pub(crate) struct Room {
    folder: tempfile::TempDir,
}

impl Room {
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Replaces a link to an input by a copy.
    pub(crate) fn own(&self, name: &str) -> Result<()> {
        let (path, copy) = (self.path().join(name), self.folder.path().join("copy"));
        fs::copy(&path, &copy)?;
        Ok(fs::rename(copy, path)?)
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(self.path())? {
            names.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    /// Is an output, whose content is `now`, that of the undisturbed run? Of a compressed output that was resumed, the text
    /// counts: a checkpoint ends a member or frame.
    pub(crate) fn is_complete(
        &self,
        case: &Case,
        name: &str,
        now: &[u8],
        baseline: &Baseline,
    ) -> Result<bool> {
        if now == baseline.outputs[name] || !case.resumes() {
            return Ok(now == baseline.outputs[name]);
        }
        let expected = self.folder.path().join(name);
        fs::write(&expected, &baseline.outputs[name])?;
        let text = |path: &Path| -> Result<Vec<u8>> {
            let mut text = Vec::new();
            robomata_formats::input::open(path)?.read_to_end(&mut text)?;
            Ok(text)
        };
        Ok(text(&self.path().join(name))? == text(&expected)?)
    }

    pub(crate) fn outputs(&self, case: &Case) -> Result<BTreeMap<&'static str, Vec<u8>>> {
        let mut outputs = BTreeMap::new();
        for name in case.outputs {
            if let Ok(bytes) = fs::read(self.path().join(name)) {
                outputs.insert(*name, bytes);
            }
        }
        Ok(outputs)
    }
}

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder)?.to_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}
