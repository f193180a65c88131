//! Frontiers in Parquet: URLs split into parts, other column types, damaged files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Folder, Heard, SITES, load, write_parquet};
use arrow_array::{ArrayRef, Int32Array, LargeStringArray, StringArray};
use robomata_jobs::JobError;
use robomata_jobs::filter::{FilterJob, FilterReport, OutputForm, Selection};

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
                    None,
                ])),
            ),
            ("url_query", text(&[Some("x"), None, None, None, None, Some("q")])),
        ],
    );
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
