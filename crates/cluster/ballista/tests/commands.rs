//! The commands without a cluster.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, StructArray};
use arrow::datatypes::{DataType, Field};
use support::{Parts, urls, write, write_parts, write_urls};

#[expect(dead_code, reason = "the tests of the functions use the rest")]
#[path = "../../datafusion/tests/support/mod.rs"]
mod support;

const SQL: &str = env!("CARGO_BIN_EXE_robomata-sql");
const EXECUTOR: &str = env!("CARGO_BIN_EXE_robomata-executor");
const SCHEDULER: &str = env!("CARGO_BIN_EXE_robomata-scheduler");

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = run(SQL, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn results_are_written_in_every_format() {
    let query = "SELECT 'a,b' AS \"x,y\", NULL AS nothing, 1 AS one";
    assert_eq!(printed(&["--format", "csv", query]), "\"x,y\",nothing,one\n\"a,b\",,1\n");
    assert_eq!(printed(&["--format", "json", query]), "{\"x,y\":\"a,b\",\"one\":1}\n");
    let table = printed(&[query]);
    assert!(
        table.contains("| x,y | nothing | one |") && table.contains("| a,b |         | 1   |"),
        "{table}"
    );
    // A result without rows has a header.
    assert_eq!(printed(&["--format", "csv", "SELECT 1 AS one WHERE false"]), "one\n");
    let build = printed(&["--format", "json", "SELECT robots_build() AS build"]);
    assert!(build.starts_with("{\"build\":{\"version\":") && build.contains("\"pid\":"), "{build}");
}

#[test]
fn errors_are_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let empty = format!("urls={}", folder.path().display());
    let garbage = folder.path().join("garbage");
    std::fs::write(&garbage, "no Parquet").unwrap();
    let garbage = format!("urls={}", garbage.display());
    let starred = folder.path().join("w[1]");
    std::fs::write(&starred, "no Parquet").unwrap();
    let starred = format!("urls={}", starred.display());
    let cases: [(&str, &[&str], &str); 14] = [
        (
            SQL,
            &["--table", "urls=/no such file", "SELECT 1"],
            "error: table urls: /no such file: No such file",
        ),
        (SQL, &["--table", &empty, "SELECT 1"], "expected files with the extension .parquet"),
        (SQL, &["--table", &garbage, "SELECT 1"], "error: table urls: "),
        (SQL, &["--table", "urls", "SELECT 1"], "expected NAME=PATH"),
        (SQL, &["SELECT robots_allowed('a', 'b')"], "expected (bundle, crawler, url [, usage])"),
        (SQL, &["--format", "csv", "SELECT robots_build()"], "not supported in CSV"),
        (SQL, &["--scheduler", "127.0.0.1:1", "SELECT 1"], "Is there a robomata-scheduler at that address?"),
        (
            EXECUTOR,
            &["--scheduler", "127.0.0.1:1", "--wait", "1"],
            "error: no scheduler listens at 127.0.0.1:1: ",
        ),
        (EXECUTOR, &["--scheduler", "127.0.0.1"], "expected HOST:PORT"),
        (EXECUTOR, &["--scheduler", "[::1]:50050"], "an IPv4 address"),
        (EXECUTOR, &["--bind", "::1"], "--bind"),
        (SCHEDULER, &["--bind", "0.0.0.0", "--port", "0"], "--bind 0.0.0.0 requires --host"),
        (SQL, &["--table", &starred, "SELECT 1"], "without any of *?["),
        (SCHEDULER, &["--executor-timeout", "0"], "--executor-timeout"),
    ];
    for (program, arguments, expected) in cases {
        let output = run(program, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let all = format!("{SQL} --format csv 'SELECT value FROM generate_series(1, 1000000)' | head -n 2");
    let output = Command::new("bash").args(["-o", "pipefail", "-c", &all]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"value\n1\n");
}

#[test]
fn a_folder_is_a_table_with_its_subfolders() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("t/a/b:c")).unwrap();
    for place in ["t/one.parquet", "t/a/two.parquet", "t/a/b:c/three.parquet"] {
        write_urls(&folder.path().join(place), &DataType::Utf8, 0, &urls(0..10));
    }
    let table = format!("t={}", folder.path().join("t").display());
    assert_eq!(
        printed(&["--format", "csv", "--table", &table, "SELECT count(*) AS rows FROM t"]),
        "rows\n30\n"
    );
    // A name that begins like a URL scheme is a file name.
    let ran = Command::new(SQL)
        .args(["--format", "csv", "--table", "t=b:c", "SELECT count(*) AS rows FROM t"])
        .current_dir(folder.path().join("t/a"))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "rows\n10\n",
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

fn refused(arguments: &[&str]) -> String {
    let output = run(SQL, arguments);
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// DataFusion leaves these files out, or reads what is no part of the table, without a message.
#[test]
fn files_in_a_folder_that_would_be_left_out_are_errors() {
    type Write<'f> = &'f dyn Fn(&Path);
    let link = |to: &str, path: &Path| std::os::unix::fs::symlink(to, path).unwrap();
    let parquet = |path: &Path| write_urls(path, &DataType::Utf8, 0, &urls(0..10));
    let cases: [(&str, Write<'_>, &str); 9] = [
        ("b.parquet", &|path| std::fs::write(path, "").unwrap(), "expected a complete Parquet file: "),
        ("b.parquet", &|path| std::fs::write(path, "PAR1").unwrap(), "expected a complete Parquet file: "),
        ("b.parquet", &|path| link("/no such file", path), "No such file"),
        ("b", &|path| link("/no such folder", path), "No such file"),
        ("b.PARQUET", &parquet, "only files with the extension .parquet are part of a table"),
        (".b.parquet", &parquet, "names that begin with . or _ are hidden"),
        ("_temporary/0/b.parquet", &parquet, "names that begin with . or _ are hidden"),
        ("_day=1/b.parquet", &parquet, ""),
        ("_SUCCESS", &|path| std::fs::write(path, "").unwrap(), ""),
    ];
    for (name, write, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        parquet(&folder.path().join("a.parquet"));
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path);
        let table = format!("t={}", folder.path().display());
        let arguments = ["--format", "csv", "--table", &table, "SELECT count(*) % 10 AS rows FROM t"];
        if expected.is_empty() {
            assert_eq!(printed(&arguments), "rows\n0\n", "{name}");
        } else {
            let error = refused(&arguments);
            let expected = format!("error: table t: {}: {expected}", path.display());
            assert!(error.starts_with(&expected), "{name}: {error}");
        }
    }
    // A single file, too.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, "").unwrap();
    let error = refused(&["--table", &format!("t={}", path.display()), "SELECT count(*) FROM t"]);
    assert!(error.contains(": expected a complete Parquet file: "), "{error}");
}

fn write_columns(path: &Path, columns: &[(&str, ArrayRef)]) {
    write(path, &RecordBatch::try_from_iter(columns.iter().cloned()).unwrap());
}

/// A missing column would be read as nulls: URLs would be judged without their queries or ports.
#[test]
fn files_of_a_table_have_the_same_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    write_parts(&file("b.parquet"), &DataType::Utf8, &[Parts::number(0)]);
    let table = format!("t={}", folder.path().display());
    let query = ["--format", "csv", "--table", &table, "SELECT count(*) AS rows FROM t"];
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let all = ["number", "url_host_name", "url_path", "url_port", "url_protocol", "url_query"];
    for missing in ["number", "url_port", "url_query"] {
        let columns: Vec<_> =
            all.iter().filter(|name| **name != missing).map(|name| (*name, Arc::clone(&text))).collect();
        // Before and after the file with all columns.
        for name in ["a.parquet", "c.parquet"] {
            let path = file(name);
            write_columns(&path, &columns);
            let error = refused(&query);
            let (without, with) = (path.display(), file("b.parquet"));
            let with = with.display();
            let expected = format!("error: table t: {without}: no column {missing:?}, which {with} has: ");
            assert!(error.starts_with(&expected), "{error}");
            std::fs::remove_file(path).unwrap();
        }
    }
    write_parts(&file("c.parquet"), &DataType::Utf8, &[Parts::number(1)]);
    assert_eq!(printed(&query), "rows\n2\n");
    // The fields of structs are columns, too.
    for (name, fields) in [("b.parquet", &["path", "query"][..]), ("c.parquet", &["path"])] {
        let fields =
            fields.iter().map(|name| (Arc::new(Field::new(*name, DataType::Utf8, true)), Arc::clone(&text)));
        let url: ArrayRef = Arc::new(StructArray::from(fields.collect::<Vec<_>>()));
        write_columns(&file(name), &[("url", url)]);
    }
    let error = refused(&query);
    assert!(error.contains("c.parquet: no column \"url.query\", which "), "{error}");
}

/// Only the first one would be read, and might have other URLs than the second one.
#[test]
fn two_columns_with_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let table = format!("t={}", path.display());
    let query = ["--format", "csv", "--table", &table, "SELECT count(*) AS rows FROM t"];
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let of_struct = |names: &[&str]| -> ArrayRef {
        let fields =
            names.iter().map(|name| (Arc::new(Field::new(*name, DataType::Utf8, true)), Arc::clone(&text)));
        Arc::new(StructArray::from(fields.collect::<Vec<_>>()))
    };
    write_columns(
        &path,
        &[("url", Arc::clone(&text)), ("day", Arc::clone(&text)), ("url", Arc::clone(&text))],
    );
    let error = refused(&query);
    let expected = format!("error: table t: {}: two columns \"url\": ", path.display());
    assert!(error.starts_with(&expected), "{error}");
    write_columns(&path, &[("url", of_struct(&["path", "query", "path"]))]);
    assert!(refused(&query).contains("t.parquet: two columns \"url.path\": "));
    // These are two columns.
    write_columns(&path, &[("url.path", Arc::clone(&text)), ("url", of_struct(&["path"]))]);
    assert_eq!(printed(&query), "rows\n1\n");
}

#[test]
fn a_query_writes_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write_urls(&path, &DataType::Utf8, 0, &urls(0..10));
    let before = std::fs::read(&path).unwrap();
    let (table, path) = (format!("t={}", path.display()), path.display());
    for query in [
        format!("COPY (SELECT * FROM t) TO '{path}' STORED AS PARQUET"),
        format!("EXPLAIN ANALYZE COPY (SELECT * FROM t) TO '{path}' STORED AS PARQUET"),
        "INSERT INTO t SELECT * FROM t".to_owned(),
    ] {
        let error = refused(&["--table", &table, &query]);
        assert!(
            error.contains("robomata-sql writes no files") && error.contains("redirect it"),
            "{query}: {error}"
        );
    }
    assert_eq!(std::fs::read(folder.path().join("t.parquet")).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn equal_names_of_columns_are_an_error_in_json() {
    let from = "FROM (SELECT 1 AS x) AS a CROSS JOIN (SELECT 2 AS x) AS b";
    let error = refused(&["--format", "json", &format!("SELECT a.x, b.x {from}")]);
    assert!(
        error.contains("two columns of the result are named \"x\"") && error.contains("with AS"),
        "{error}"
    );
    let named = format!("SELECT a.x, b.x AS y {from}");
    assert_eq!(printed(&["--format", "json", &named]), "{\"x\":1,\"y\":2}\n");
}

#[test]
fn the_help_lists_every_function() {
    let help = printed(&["--help"]);
    let state = robomata_ballista::client::embedded(&[]).unwrap().state();
    let functions = state.scalar_functions().keys().chain(state.table_functions().keys());
    let functions: Vec<_> = functions.filter(|name| name.starts_with("robots_")).collect();
    assert_eq!(functions.len(), 5, "{functions:?}");
    for function in functions {
        assert!(help.contains(&format!("\n  {function}(")), "{function}: {help}");
    }
}
