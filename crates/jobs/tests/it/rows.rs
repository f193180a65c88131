//! Frontiers in Parquet: URLs split into parts, other column types, damaged files.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Folder, Heard, SITES, load, write_parquet};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
    Int32Array, LargeStringArray, NullArray, StringArray, TimestampMillisecondArray, TimestampSecondArray,
    UInt64Array,
};
use robomata_formats::UrlColumn;
use robomata_jobs::JobError;
use robomata_jobs::filter::{FilterJob, FilterReport, OutputForm, Selection, UnknownSites};

fn text(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn index(path: &Path) {
    write_parquet(
        path,
        vec![
            ("url_surtkey", text(&[Some("k"); 6])),
            (
                "url_protocol",
                text(&[Some("https"), Some("https"), Some("http"), None, Some("https"), Some("https")]),
            ),
            ("url_host_name", text(&[Some("a.example"); 6])),
            (
                "url_port",
                Arc::new(Int32Array::from(vec![None, Some(443), Some(8080), None, Some(70_000), Some(-1)])),
            ),
            (
                "url_path",
                Arc::new(LargeStringArray::from(vec![
                    Some("/private"),
                    Some("/b"),
                    Some("/private"),
                    Some("/"),
                    Some("/"),
                    Some(""),
                ])),
            ),
            ("url_query", text(&[Some("x"), None, None, None, None, Some("q")])),
        ],
    );
}

/// A value that is no port must not stand for the site on the default port.
#[test]
fn a_port_that_is_no_integer_is_invalid() {
    let verdicts = |ports: ArrayRef| {
        let folder = Folder::new();
        let path = folder.path("index.parquet");
        let rows = ports.len();
        let columns = [
            ("url_protocol", "https"),
            ("url_host_name", "a.example"),
            ("url_path", "/b"),
            ("url_query", ""),
        ];
        let mut columns: Vec<(&str, ArrayRef)> =
            columns.map(|(name, value)| (name, text(&vec![Some(value); rows]))).into();
        columns.push(("url_port", ports));
        write_parquet(&path, columns);
        let (out, ..) = judged(path, OutputForm::Text, Selection::Verdicts);
        out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let texts =
        ["8080.0", "8080/tcp", "abc", "", " 443", "+443", "-443", "99999999999999999999", "443", "8080"];
    let mut texts = texts.map(Some).to_vec();
    texts.push(None);
    let of_texts = [vec!["invalid"; 8], vec!["allow", "unknown", "allow"]].concat();
    assert_eq!(verdicts(text(&texts)), of_texts);
    let words: DictionaryArray<Int32Type> = texts.into_iter().collect();
    assert_eq!(verdicts(Arc::new(words)), of_texts);
    let numbers = [8080.7, 1e30, f64::NAN, f64::INFINITY, 65_536.0, 443.0, 8080.0, -1.0];
    let numbers = Float64Array::from(numbers.to_vec());
    let of_numbers = [vec!["invalid"; 5], vec!["allow", "unknown", "allow"]].concat();
    assert_eq!(verdicts(Arc::new(numbers)), of_numbers);
    let numbers = UInt64Array::from(vec![Some(u64::MAX), Some(443), Some(8080), None]);
    assert_eq!(verdicts(Arc::new(numbers)), ["invalid", "allow", "unknown", "allow"]);
    let numbers = Decimal128Array::from(vec![44_350, 44_300]).with_precision_and_scale(7, 2).unwrap();
    assert_eq!(verdicts(Arc::new(numbers)), ["invalid", "allow"]);
    assert_eq!(verdicts(Arc::new(BooleanArray::from(vec![Some(true), None]))), ["invalid", "allow"]);
    assert_eq!(verdicts(Arc::new(Date32Array::from(vec![Some(443), None]))), ["invalid", "allow"]);
    let times = TimestampSecondArray::from(vec![Some(443), None]);
    assert_eq!(verdicts(Arc::new(times)), ["invalid", "allow"]);
    assert_eq!(verdicts(Arc::new(NullArray::new(2))), ["allow", "allow"]);
}

#[test]
fn a_column_given_by_its_number_is_that_one() {
    let folder = Folder::new();
    let path = folder.path("urls.parquet");
    let column = |url| text(&[Some(url)]);
    write_parquet(
        &path,
        vec![
            ("url", column("https://a.example/ok")),
            ("other", column("https://a.example/")),
            ("url", column("https://a.example/private")),
        ],
    );
    for (form, selection) in [(OutputForm::Text, Selection::Verdicts), (OutputForm::Tsv, Selection::Verdicts)]
    {
        for (number, expected) in [(1, "allow"), (3, "disallow")] {
            let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
            let mut heard = Heard::default();
            crate::support::try_filter(
                &folder,
                &loaded,
                path.clone(),
                &mut heard,
                |job: &mut FilterJob<'_>| {
                    job.form = form;
                    job.selection = selection;
                    job.column = Some(UrlColumn::Number(NonZeroUsize::new(number).unwrap()));
                },
            )
            .unwrap();
            let out = folder.read("out");
            let verdict = out.lines().last().unwrap().split('\t').find(|cell| cell.ends_with("allow"));
            assert_eq!(verdict, Some(expected), "{form:?}: {out}");
        }
    }
}

#[test]
fn values_keep_their_meaning_as_text_or_fail() {
    let folder = Folder::new();
    let path = folder.path("urls.parquet");
    let times = |zone: Option<&str>| -> ArrayRef {
        let times = TimestampSecondArray::from(vec![Some(1_700_000_000), None]);
        Arc::new(times.with_timezone_opt(zone))
    };
    let url = || text(&[Some("https://a.example/b"); 2]);
    write_parquet(
        &path,
        vec![
            ("url", url()),
            ("none", Arc::new(NullArray::new(2))),
            ("plain", times(None)),
            ("fixed", times(Some("+01:00"))),
            ("utc", times(Some("UTC"))),
            ("berlin", times(Some("Europe/Berlin"))),
        ],
    );
    let (out, ..) = judged(path.clone(), OutputForm::JsonLines, Selection::Verdicts);
    let lines: Vec<&str> = out.lines().collect();
    let members = |values: &str| {
        format!(
            r#"{{"url":"https://a.example/b","none":null,{values},"verdict":"allow","line":null,"rule":null}}"#
        )
    };
    let values = r#""plain":"2023-11-14T22:13:20","fixed":"2023-11-14T23:13:20+01:00","utc":"2023-11-14T22:13:20Z","berlin":"2023-11-14T22:13:20Z""#;
    let nulls = r#""plain":null,"fixed":null,"utc":null,"berlin":null"#;
    assert_eq!(lines, [members(values), members(nulls)]);
    let (out, ..) = judged(path.clone(), OutputForm::Csv, Selection::Verdicts);
    assert!(out.contains(",,2023-11-14T22:13:20,"), "{out}");

    let far = TimestampMillisecondArray::from(vec![0, i64::MAX]);
    write_parquet(&path, vec![("url", url()), ("far", Arc::new(far))]);
    for form in [OutputForm::JsonLines, OutputForm::Csv, OutputForm::Tsv] {
        let error = try_judged(path.clone(), form, Selection::Verdicts).map(drop).unwrap_err().to_string();
        assert!(error.contains("column \"far\": a value cannot be written as text"), "{error}");
    }
    judged(path, OutputForm::Text, Selection::Verdicts);
}

fn judged(path: PathBuf, form: OutputForm, selection: Selection) -> (String, FilterReport, Heard) {
    try_judged(path, form, selection).unwrap()
}

fn try_judged(
    path: PathBuf,
    form: OutputForm,
    selection: Selection,
) -> Result<(String, FilterReport, Heard), JobError> {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let mut heard = Heard::default();
    let report =
        crate::support::try_filter(&folder, &loaded, path, &mut heard, |job: &mut FilterJob<'_>| {
            job.form = form;
            job.selection = selection;
        })?;
    Ok((folder.read("out"), report, heard))
}

#[test]
fn parts_are_judged_as_the_url_they_make() {
    let folder = Folder::new();
    let path = folder.path("index.parquet");
    index(&path);
    let (out, report, heard) = judged(path.clone(), OutputForm::Text, Selection::Verdicts);
    assert_eq!(
        out,
        "disallow\t2\thttps://a.example/private?x\nallow\t0\thttps://a.example:443/b\n\
         unknown\t0\thttp://a.example:8080/private\ninvalid\t0\t\ninvalid\t0\t\nallow\t0\thttps://a.example?q\n"
    );
    assert_eq!((report.lines, report.errors.invalid_urls), (6, 2));
    assert!(heard.problems[0].ends_with("index.parquet:4: expected a URL, or a scheme, a host and a port"));
    let (out, ..) = judged(path, OutputForm::JsonLines, Selection::Verdicts);
    assert_eq!(
        out.lines().nth(1),
        Some(
            r#"{"url_surtkey":"k","url_protocol":"https","url_host_name":"a.example","url_port":443,"url_path":"/b","url_query":null,"verdict":"allow","line":null,"rule":null}"#
        )
    );
}

#[test]
fn files_with_other_columns_do_not_go_into_one_output() {
    let folder = Folder::new();
    let (one, other) = (folder.path("one.parquet"), folder.path("other.parquet"));
    index(&one);
    write_parquet(&other, vec![("url", text(&[Some("https://a.example/")]))]);
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let error = crate::support::try_filter(&folder, &loaded, one, &mut Heard::default(), |job| {
        job.form = OutputForm::Parquet;
        job.selection = Selection::Verdicts;
        job.urls.push(other);
    })
    .unwrap_err();
    assert!(matches!(&error, JobError::OtherColumns { .. }), "{error}");
    assert!(!folder.path("out").exists());
}

#[test]
fn damaged_files_are_reported_wherever_the_damage_is() {
    let folder = Folder::new();
    let path = folder.path("index.parquet");
    index(&path);
    let whole = std::fs::read(&path).unwrap();
    for place in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        // Anything but a panic is fine: damage may not affect the data that is read.
        let _ = try_judged(path.clone(), OutputForm::Text, Selection::Verdicts);
    }
    for length in [0, 4, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = try_judged(path.clone(), OutputForm::Text, Selection::Verdicts).err().unwrap();
        assert!(matches!(error, JobError::IncompleteUrls { .. }), "{length}: {error}");
        assert!(error.to_string().contains("index.parquet: expected Parquet data: "), "{error}");
    }
}

#[test]
fn a_line_end_in_a_url_makes_no_line_of_its_own() {
    let folder = Folder::new();
    let path = folder.path("whole.parquet");
    let urls = [
        "https://a.example/1\nhttps://a.example/private",
        "https://a.example/b ",
        "https://a.example/private\t",
    ];
    write_parquet(&path, vec![("url", text(&urls.map(Some)))]);
    let (out, report, heard) = judged(path.clone(), OutputForm::Text, Selection::Allowed(UnknownSites::Keep));
    assert_eq!((out.as_str(), report.errors.invalid_urls), ("https://a.example/b\n", 1));
    assert!(heard.problems[0].ends_with(
        "whole.parquet:1: expected a URL without control characters, found \"https://a.example/1\\nhttps://a.example/private\""
    ));
    let (out, ..) = judged(path, OutputForm::Text, Selection::Verdicts);
    assert_eq!(
        out.lines().collect::<Vec<_>>(),
        [
            "invalid\t0\thttps://a.example/1%0Ahttps://a.example/private",
            "allow\t0\thttps://a.example/b ",
            "disallow\t2\thttps://a.example/private%09"
        ]
    );

    let path = folder.path("parts.parquet");
    let host = ("url_host_name", text(&[Some("a.example"); 3]));
    write_parquet(
        &path,
        vec![
            ("url_protocol", text(&[Some("https"); 3])),
            host,
            ("url_port", Arc::new(Int32Array::from(vec![None; 3]))),
            ("url_path", text(&[Some("/1"), Some("/\r"), Some("/c ")])),
            ("url_query", text(&[Some("q\nhttps://a.example/private"), None, None])),
        ],
    );
    let (out, report, _) = judged(path, OutputForm::Text, Selection::Allowed(UnknownSites::Keep));
    assert_eq!((out.as_str(), report.errors.invalid_urls), ("https://a.example/c\n", 2));
}
