//! Faults that are not the failure of a call: clocks that jump, files that change, little memory, short files, bombs, other
//! runs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::cases::{CASES, Case};
use crate::experiment::Experiment;
use crate::lab::{Ended, Lab, Room, no_accident, require_message};
use crate::program::{Program, Ran, Running};

pub(crate) fn experiments(lab: &Lab) -> Vec<Experiment> {
    let mut experiments = Vec::new();
    for case in &CASES {
        let id = format!("{}/clocks", case.name);
        experiments.push(Experiment::new("clocks that jump", id, move |lab| clocks(lab, case)));
        for bytes in [0, 1, 100, 70_000].into_iter().filter(|_| case.outputs.is_empty()) {
            let id = format!("{}/closed:{bytes}", case.name);
            experiments.push(Experiment::new("closed pipe", id, move |lab| closed(lab, case, bytes)));
        }
        for input in [
            "urls.txt",
            "urls.txt.gz",
            "long.tsv",
            "robots.jsonl",
            "robots.warc.gz",
            "p.bundle",
            "access.log",
        ] {
            if !case.reads(input) || case.outputs.contains(&input) {
                continue;
            }
            for change in ["cut", "grow", "replace"] {
                for number in 1..=8 {
                    let id = format!("{}/{input}:{number}:{change}", case.name);
                    let run = move |lab: &Lab| changed(lab, case, input, change, number);
                    experiments.push(Experiment::new(format!("input that changes: {change}"), id, run));
                }
            }
        }
        for megabytes in [16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512] {
            let id = format!("{}/memory:{megabytes}", case.name);
            experiments.push(Experiment::new("little memory", id, move |lab| memory(lab, case, megabytes)));
        }
        for blocks in [1, 2, 4, 16, 64, 256] {
            let id = format!("{}/file-size:{blocks}", case.name);
            experiments.push(Experiment::new("limit of the size of files", id, move |lab| {
                file_size(lab, case, blocks)
            }));
        }
        let calls = lab.undisturbed(case).calls.len();
        for number in (1..=calls).step_by(3).filter(|_| !case.outputs.is_empty()) {
            let id = format!("{}/any:{number}:moved", case.name);
            experiments.push(Experiment::new("working folder that is renamed", id, move |lab| {
                moved(lab, case, number)
            }));
            let id = format!("{}/any:{number}:other", case.name);
            experiments
                .push(Experiment::new("two runs into one output", id, move |lab| other(lab, case, number)));
        }
    }
    for (name, line) in BOMBS {
        for form in ["zst", "gz"] {
            let id = format!("bomb/{name}/{form}");
            experiments.push(Experiment::new("decompression bomb", id, move |lab| bomb(lab, line, form)));
        }
    }
    experiments
}

fn clocks(lab: &Lab, case: &Case) -> Result<Ended> {
    let room = lab.room(case)?;
    let ran = lab.with_shim(lab.program(case, &room), &room).env("FAULTS_CLOCK", "1").run()?;
    let ended = lab.judge(case, &room, &ran, false)?;
    ensure!(ended == Ended::Complete, "the clock decides: {}", ran.err);
    Ok(ended)
}

/// The reader of standard output closes it after so many bytes.
fn closed(lab: &Lab, case: &Case, bytes: usize) -> Result<Ended> {
    let room = lab.room(case)?;
    let script = room.path().with_extension("sh");
    let text = format!(
        "\"{}\" {} | head -c {bytes} >/dev/null; exit ${{PIPESTATUS[0]}}\n",
        lab.robomata.display(),
        case.line()
    );
    fs::write(&script, text)?;
    let ran = Program::new(Path::new("bash"), &script.to_string_lossy(), &room.path()).run()?;
    no_accident(&ran)?;
    // The exit code of a command that judges says what it found, so one whose reader has gone has judged incompletely.
    const JUDGES: [&str; 7] = ["check", "explain", "verify-evidence", "score", "compare", "diff", "lint"];
    let judges = case.line().split(' ').next().is_some_and(|command| JUDGES.contains(&command));
    let code = Some(if judges { 4 } else { 0 });
    let is_quiet = ran.code == code || ran.code == lab.undisturbed(case).code;
    ensure!(is_quiet && !ran.err.contains("error"), "code {:?}: {}", ran.code, ran.err);
    Ok(Ended::Complete)
}

/// An input changes at a read. The result must be that of a file that existed: the one before or the one after.
fn changed(lab: &Lab, case: &Case, input: &str, change: &str, number: u32) -> Result<Ended> {
    let room = lab.room(case)?;
    room.own(input)?;
    let path = room.path().join(input);
    let given = fs::read(&path)?;
    let from = room.path().with_extension("from");
    // The same bytes once more, or other bytes: half of the lines, in their order.
    let other = if change == "replace" { given[..given.len() / 2].to_vec() } else { given.clone() };
    fs::write(&from, &other)?;
    let ran = lab
        .disturbed(case, &room, &format!("read:{number}:{change}"))
        .env("FAULTS_ONLY", input)
        .env("FAULTS_FILE", &path)
        .env("FAULTS_FROM", &from)
        .run()?;
    let judged = lab.judge(case, &room, &ran, false);
    if judged.is_ok() {
        return judged;
    }
    // Is it the result for the changed file?
    let outputs = room.outputs(case)?;
    let second = lab.room(case)?;
    second.own(input)?;
    fs::copy(&path, second.path().join(input))?;
    let whole = lab.program(case, &second).run()?;
    no_accident(&ran)?;
    if (ran.code, &ran.out) == (whole.code, &whole.out) && outputs == second.outputs(case)? {
        return Ok(Ended::Complete);
    }
    judged
}

/// What Rust says when a thread that was started cannot have the stack on which it would report an overflow.
const NO_STACK: &str = "failed to allocate an alternative stack";

/// The address space is bounded. Rust aborts when it cannot have memory; the outputs are as they were even then.
fn memory(lab: &Lab, case: &Case, megabytes: u64) -> Result<Ended> {
    let room = lab.room(case)?;
    let limit = format!("-v {}", megabytes << 10);
    // The least memory with which the program starts at all.
    let start = Program::within(&lab.robomata, "--version", &room.path(), &limit).run()?;
    if start.code != Some(0) {
        return Ok(Ended::Refused);
    }
    let mut ran = Program::within(&lab.robomata, &case.line(), &room.path(), &limit).run()?;
    let has_no_stack = ran.err.contains(NO_STACK);
    if has_no_stack {
        // It is a panic of Rust's library, and may end its thread only.
        ran.err = ran.err.replace("panicked at", "ended at");
    }
    let has_aborted = ran.signal == Some(6) && (has_no_stack || ran.err.contains("memory allocation of "));
    if !has_aborted {
        let ended = lab.judge(case, &room, &ran, false)?;
        lab.require_next_run(case, &room)?;
        return Ok(ended);
    }
    ensure!(!ran.err.contains("panicked at"), "it panics: {}", ran.err);
    lab.judge_killed(case, &room)?;
    lab.require_next_run(case, &room)?;
    Ok(Ended::Aborted)
}

/// No file may be longer than so many blocks of 512 bytes, standard output among them.
fn file_size(lab: &Lab, case: &Case, blocks: u32) -> Result<Ended> {
    let room = lab.room(case)?;
    let ran = Program::within(&lab.robomata, &case.line(), &room.path(), &format!("-f {blocks}")).run()?;
    let ended = lab.judge(case, &room, &ran, false)?;
    lab.require_next_run(case, &room)?;
    Ok(ended)
}

/// Starts a run, and waits until it stops before the call with this number, or has ended. It goes on when the file that is
/// returned exists.
fn stopped(lab: &Lab, case: &Case, room: &Room, number: usize) -> Result<(Running, PathBuf)> {
    let gate = room.path().with_extension("gate");
    let reached = gate.with_extension("gate.reached");
    let mut running =
        lab.disturbed(case, room, &format!("any:{number}:wait")).env("FAULTS_GATE", &gate).start()?;
    let started = Instant::now();
    while !reached.exists() && running.is_running()? {
        ensure!(started.elapsed() < Duration::from_secs(60), "it does not come to the call");
        sleep(Duration::from_millis(1));
    }
    Ok((running, gate))
}

/// The working folder gets another name while the command runs.
fn moved(lab: &Lab, case: &Case, number: usize) -> Result<Ended> {
    let room = lab.room(case)?;
    let (running, gate) = stopped(lab, case, &room, number)?;
    let away = room.path().with_extension("away");
    fs::rename(room.path(), &away)?;
    fs::write(&gate, "")?;
    let ran = running.wait();
    fs::rename(&away, room.path())?;
    let ended = lab.judge(case, &room, &ran?, true)?;
    lab.require_next_run(case, &room)?;
    Ok(ended)
}

/// Another run writes the same output while this one waits before a call.
fn other(lab: &Lab, case: &Case, number: usize) -> Result<Ended> {
    let room = lab.room(case)?;
    let (first, gate) = stopped(lab, case, &room, number)?;
    let second = lab.program(case, &room).second().run()?;
    fs::write(&gate, "")?;
    let first = first.wait()?;
    let mut ended = Vec::new();
    for ran in [&second, &first] {
        no_accident(ran)?;
        let is_done = ran.code == lab.undisturbed(case).code;
        if !is_done {
            require_message(ran)?;
        }
        ended.push(is_done);
    }
    ensure!(ended.contains(&true), "both fail: {} {}", first.err, second.err);
    let baseline = lab.undisturbed(case);
    for (name, bytes) in room.outputs(case)? {
        let is_complete = room.is_complete(case, name, &bytes, baseline)?;
        ensure!(is_complete, "{name} is not complete: {} {}", first.err, second.err);
    }
    lab.require_next_run(case, &room)?;
    Ok(if ended.contains(&false) { Ended::Refused } else { Ended::Complete })
}

/// Commands that read a file that is small, and very large when it is decompressed. `{}` is replaced by its name.
const BOMBS: [(&str, &str); 9] = [
    ("urls", "filter -q --threads 1 --agent A --policies p.bundle {} --to out"),
    ("source", "filter -q --threads 1 --agent A --robots {} urls.txt --to out"),
    ("compile", "compile -q --threads 1 {} --agent A -o out"),
    ("log", "score -q --threads 1 --robots robots.jsonl {} --to out"),
    ("robots-txt", "lint {}"),
    ("check", "check --agent A --robots {} /a"),
    ("page", "permissions --agent A --robots robots.txt --page {} /a"),
    ("headers", "permissions --agent A --robots robots.txt --headers {} /a"),
    ("evidence", "verify-evidence {} --robots robots.jsonl"),
];

/// The decompressed size of a bomb. It is one line.
const BOMB: u64 = 1 << 30;

/// The address space for a command that reads a bomb, in kilobytes.
const BOMB_MEMORY: u64 = 768 << 10;

/// The run ends, with a message or without, in bounded memory.
fn bomb(lab: &Lab, line: &str, form: &str) -> Result<Ended> {
    let room: Room = lab.room(&CASES[0])?;
    let name = format!("bomb.{form}");
    let path = room.path().join(&name);
    if form == "zst" {
        zstd_bomb(&path)?;
    } else {
        gzip_bomb(&path)?;
    }
    let ran: Ran = Program::within(
        &lab.robomata,
        &line.replace("{}", &name),
        &room.path(),
        &format!("-v {BOMB_MEMORY}"),
    )
    .run()?;
    no_accident(&ran)?;
    match ran.code {
        Some(0) => Ok(Ended::Complete),
        Some(1) => bail!("a finding in nothing: {}", ran.err),
        _ => require_message(&ran).map(|()| Ended::Refused),
    }
}

/// A frame of blocks that repeat a byte: four bytes for 128 KiB (RFC 8878, 3.1.1.2).
fn zstd_bomb(path: &Path) -> Result<()> {
    const BLOCK: u64 = 128 << 10;
    // No content size, no checksum; a window of 128 KiB.
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    let blocks = BOMB / BLOCK;
    for number in 1..=blocks {
        let header = u32::try_from(BLOCK << 3)? | 1 << 1 | u32::from(number == blocks);
        bytes.extend_from_slice(&header.to_le_bytes()[..3]);
        bytes.push(b'x');
    }
    Ok(fs::write(path, bytes)?)
}

/// Members that are copies of one.
fn gzip_bomb(path: &Path) -> Result<()> {
    const MEMBER: usize = 64 << 20;
    let mut output = robomata_formats::Output::create(path)?;
    output.write_all(&vec![b'x'; MEMBER])?;
    output.commit()?;
    let member = fs::read(path)?;
    Ok(fs::write(path, member.repeat(usize::try_from(BOMB)? / MEMBER))?)
}
