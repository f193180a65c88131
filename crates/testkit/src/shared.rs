//! Loads JSON-lines collections of other projects' cases, and locates them and other files for tests.
//!
//! There are three formats. *Cases*: one object a line, `{id, robots_b64, agent, url, url_b64?, expect, dialect, note,
//! sensitive_to?}`. Here `dialect` is a tag that names the smallest deviation from RFC 9309 that explains the answer
//! (`rfc9309` for none). *Extras*: `{id, robots_b64, kind, input, expect, note?}`, an expectation other than the verdict
//! of a URL. *Traps*: `{name, robots_b64, agent, url, verdicts: {parser: "A" | "D" | an error}}`, one
//! question with the answers of many parsers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robomata_protocol::{Crawler, Dialect, ProductToken};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::case::{Case, Expect, Word};
use crate::error::{self, Error, Place};

/// Files with this suffix contain expectations other than verdicts.
const EXTRA: &str = ".extra.jsonl";

/// A case of another project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCase {
    /// The question and its answer, under [`Dialect::Rfc9309`]; use [`Case::under`] for another dialect.
    pub case: Case,
    /// The deviation from RFC 9309 that explains the answer; `rfc9309` if there is none.
    pub tag: String,
    /// Interpretations that would reverse the answer.
    pub sensitive_to: Vec<String>,
}

/// An expectation of another project other than the verdict of a URL.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    /// Its id.
    pub id: String,
    /// The bytes of the robots.txt.
    pub robots: Vec<u8>,
    /// The kind of question: `crawl_delay`, `sitemaps`, `status`, `report`, or the `op` of the input for `other`.
    pub kind: String,
    /// The rest of the question, in the source's own terms.
    pub input: Value,
    /// The answer, in the source's own terms.
    pub expect: Value,
}

/// A question with the answers of many parsers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Its name.
    pub name: String,
    /// The answer of each parser: [`Word::Allow`], [`Word::Disallow`], or `None` for an error.
    pub verdicts: BTreeMap<String, Option<Word>>,
    question: Case,
}

impl Trap {
    /// The question under `dialect`, with the answer of `parser`; `None` if that parser gave none.
    pub fn case(&self, parser: &str, dialect: Dialect) -> Option<Case> {
        let word = (*self.verdicts.get(parser)?)?;
        Some(Case { dialect, expect: Expect { word, line: None }, ..self.question.clone() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseLine {
    id: String,
    robots_b64: String,
    agent: String,
    url: String,
    url_b64: Option<String>,
    expect: Word,
    dialect: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    sensitive_to: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExtraLine {
    id: String,
    robots_b64: String,
    kind: String,
    input: Value,
    expect: Value,
    #[serde(default, rename = "note")]
    _note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrapLine {
    name: String,
    robots_b64: String,
    agent: String,
    url: String,
    verdicts: BTreeMap<String, String>,
}

/// The folder with this name outside the checkout, among the shared folders. Prints a message and returns `None` if it
/// is missing and not required.
///
/// # Panics
/// If it is missing and `ROBOMATA_REQUIRE_SHARED` is set.
pub fn shared_folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("ROBOMATA_REQUIRE_SHARED").is_none(), "{} is missing", folder.display());
    println!("no {}: the rest of the test is skipped", folder.display());
    None
}

/// Our files in the shapes of real ones: `corpora/small`, which every checkout has.
pub fn small_corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/small")
}

/// Captures to read: the files of [`small_corpus`], and real ones if they are available.
pub fn captures() -> Vec<PathBuf> {
    let real = shared_folder("corpora").map(|corpora| corpora.join("robots.jsonl.zst"));
    std::iter::once(small_corpus().join("sites")).chain(real).collect()
}

/// Logs of servers and crawlers: ours, and real ones if they are available.
pub fn logs() -> Vec<PathBuf> {
    files("logs")
}

/// Indexes of web archives: ours, and real ones if they are available.
pub fn indexes() -> Vec<PathBuf> {
    files("cdx")
}

/// Web archives: ours, and real ones if they are available.
pub fn archives() -> Vec<PathBuf> {
    files("warc")
}

/// The files in `folder` of [`small_corpus`], then those of the real corpora if they are available, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let real = shared_folder("corpora");
    std::iter::once(small_corpus()).chain(real).flat_map(|corpora| names(&corpora.join(folder))).collect()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no files", folder.display());
    paths
}

/// Files with what a test expects of each: `ours` are in [`small_corpus`], and `real` are in the real corpora, left out
/// if these are not available.
///
/// # Panics
/// If a folder has other files than those named here, so that no file is without an expectation.
pub fn expected_of<T>(
    folder: &str,
    ours: impl IntoIterator<Item = (&'static str, T)>,
    real: impl IntoIterator<Item = (&'static str, T)>,
) -> Vec<(PathBuf, T)> {
    let mut all = expected_in(&small_corpus().join(folder), ours);
    if let Some(corpora) = shared_folder("corpora") {
        all.extend(expected_in(&corpora.join(folder), real));
    }
    all
}

fn expected_in<T>(folder: &Path, expected: impl IntoIterator<Item = (&'static str, T)>) -> Vec<(PathBuf, T)> {
    let mut all: Vec<(PathBuf, T)> =
        expected.into_iter().map(|(name, expected)| (folder.join(name), expected)).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    let named: Vec<&PathBuf> = all.iter().map(|(path, _)| path).collect();
    assert_eq!(named, names(folder).iter().collect::<Vec<_>>(), "the files with expectations, and the files");
    all
}

/// Reads the cases of every `.jsonl` file in `folder`, except those with other expectations (`.extra.jsonl`).
pub fn load_cases(folder: &Path) -> Result<Vec<SharedCase>, Error> {
    let mut cases = Vec::new();
    for path in error::files(folder, ".jsonl")? {
        if !path.to_string_lossy().ends_with(EXTRA) {
            cases.append(&mut parse_cases(&path.display().to_string(), &error::read(&path)?)?);
        }
    }
    Ok(cases)
}

/// Reads the extras of every `.extra.jsonl` file in `folder`.
pub fn load_extras(folder: &Path) -> Result<Vec<Extra>, Error> {
    let mut extras = Vec::new();
    for path in error::files(folder, EXTRA)? {
        extras.append(&mut parse_extras(&path.display().to_string(), &error::read(&path)?)?);
    }
    Ok(extras)
}

/// Reads the traps of the file at `path`.
pub fn load_traps(path: &Path) -> Result<Vec<Trap>, Error> {
    parse_traps(&path.display().to_string(), &error::read(path)?)
}

/// Reads the cases of `text`; `file` names it in errors.
pub fn parse_cases(file: &str, text: &str) -> Result<Vec<SharedCase>, Error> {
    lines(file, text, |line: CaseLine, place| {
        let url = match &line.url_b64 {
            Some(url) => decode(url, place)?,
            None => line.url.into_bytes(),
        };
        let expect = Expect { word: line.expect, line: None };
        let case = question(line.id, &line.dialect, decode(&line.robots_b64, place)?, &line.agent, url);
        Ok(SharedCase {
            case: Case { expect, note: line.note, ..case },
            tag: line.dialect,
            sensitive_to: line.sensitive_to,
        })
    })
}

/// Reads the extras of `text`; `file` names it in errors. `Infinity`, which is no JSON, is read as a string.
pub fn parse_extras(file: &str, text: &str) -> Result<Vec<Extra>, Error> {
    let text = text.replace("\"expect\":Infinity", "\"expect\":\"Infinity\"");
    lines(file, &text, |line: ExtraLine, place| {
        let op = line.input.get("op").and_then(Value::as_str);
        let kind = if line.kind == "other" { op.unwrap_or("other").to_owned() } else { line.kind };
        let robots = decode(&line.robots_b64, place)?;
        Ok(Extra { id: line.id, robots, kind, input: line.input, expect: line.expect })
    })
}

/// Reads the traps of `text`; `file` names it in errors.
pub fn parse_traps(file: &str, text: &str) -> Result<Vec<Trap>, Error> {
    lines(file, text, |line: TrapLine, place| {
        let word = |verdict: String| match verdict.as_str() {
            "A" => Some(Word::Allow),
            "D" => Some(Word::Disallow),
            _ => None,
        };
        let id = format!("traps/{}", line.name);
        Ok(Trap {
            question: question(
                id,
                "trap",
                decode(&line.robots_b64, place)?,
                &line.agent,
                line.url.into_bytes(),
            ),
            name: line.name,
            verdicts: line.verdicts.into_iter().map(|(parser, verdict)| (parser, word(verdict))).collect(),
        })
    })
}

/// A case without its answer. The agent is one name, even if it contains commas: the other parsers received it as one.
fn question(id: String, tag: &str, robots: Vec<u8>, agent: &str, url: Vec<u8>) -> Case {
    Case {
        title: id.clone(),
        id,
        section: tag.to_owned(),
        dialect: Dialect::Rfc9309,
        robots,
        status: None,
        crawler: Crawler::must(vec![ProductToken::new(agent)]),
        url,
        expect: Expect { word: Word::Allow, line: None },
        note: String::new(),
    }
}

fn lines<L: DeserializeOwned, T>(
    file: &str,
    text: &str,
    mut read: impl FnMut(L, Place<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let parsed = serde_json::from_str(line).map_err(|source| Error::json(file, index + 1, source))?;
        let table = format!("line {}", index + 1);
        all.push(read(parsed, Place { file, table: &table })?);
    }
    Ok(all)
}

fn decode(text: &str, place: Place<'_>) -> Result<Vec<u8>, Error> {
    BASE64_STANDARD.decode(text).map_err(|error| place.expected("base64", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_keeps_its_tag_and_its_bytes() {
        let text = r#"{"id":"a/1","robots_b64":"YQ==","agent":"A,B","url":"/?","url_b64":"L/8=","expect":"disallow","dialect":"bom-skip","note":"n"}"#;
        let cases = parse_cases("demo", text).unwrap();
        let case = &cases[0].case;
        assert_eq!((cases[0].tag.as_str(), case.url.as_slice()), ("bom-skip", b"/\xff".as_slice()));
        assert_eq!((case.robots.as_slice(), case.expect.word), (b"a".as_slice(), Word::Disallow));
        assert_eq!(case.crawler.tokens().len(), 1);
    }

    #[test]
    fn an_extra_keeps_its_question_and_names_its_operation() {
        let text = r#"{"id":"a/x0","robots_b64":"YQ==","kind":"crawl_delay","input":{"agent":"A"},"expect":Infinity}
            {"id":"a/x1","robots_b64":"","kind":"other","input":{"op":"host"},"expect":null,"note":"n"}"#;
        let extras = parse_extras("demo", text).unwrap();
        assert_eq!((extras[0].kind.as_str(), extras[0].robots.as_slice()), ("crawl_delay", b"a".as_slice()));
        assert_eq!((&extras[0].input["agent"], &extras[0].expect), (&"A".into(), &"Infinity".into()));
        assert_eq!((extras[1].kind.as_str(), &extras[1].expect), ("host", &Value::Null));
    }

    #[test]
    fn a_trap_gives_the_answer_of_the_parser_asked_for() {
        let text =
            r#"{"name":"t","robots_b64":"","agent":"A","url":"/","verdicts":{"google":"A","x":"E: lost"}}"#;
        let trap = &parse_traps("demo", text).unwrap()[0];
        assert_eq!(trap.case("google", Dialect::Google).unwrap().expect.word, Word::Allow);
        assert_eq!(trap.case("x", Dialect::Google), None);
        assert_eq!(trap.case("nobody", Dialect::Google), None);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let error = parse_cases("demo", "\n{}").unwrap_err().to_string();
        assert!(error.starts_with("demo: line 2: missing field `id`"), "{error}");
        let text = r#"{"name":"t","robots_b64":"?","agent":"A","url":"/","verdicts":{}}"#;
        let error = parse_traps("demo", text).unwrap_err().to_string();
        assert!(error.starts_with("demo: line 1: expected base64, found"), "{error}");
    }
}
