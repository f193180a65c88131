//! URLs with bytes that a text cannot hold.

use super::*;

#[test]
fn a_url_that_is_not_utf_8_is_written_as_one_with_the_same_verdict() {
    let folder = Folder::new();
    folder.write("robots.txt", "User-agent: *\nAllow: /%E9\nDisallow: /\n");
    folder.write("urls.txt", b"https://a.example/\xe9\xc3\xa9\n");
    folder.write("urls.tsv", b"x\turl\n\xff\thttps://a.example/\xe9\xc3\xa9\n");
    let filter = "filter -q --agent A --host a.example --robots robots.txt";
    let written = "https://a.example/%E9\u{e9}";
    for dialect in ["rfc9309", "yandex", "koster1996", "acap"] {
        let run = |arguments: &str| {
            let ran = folder.run(&format!("{filter} --dialect {dialect} {arguments}"));
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{dialect} {arguments}");
            ran.out
        };
        // The same command passes what it has written.
        let verdict = format!("allow\t2\t{written}\n");
        for urls in ["urls.txt", "urls.tsv"] {
            run(&format!("--to out.parquet {urls}"));
            assert_eq!(run("--output verdicts out.parquet"), verdict, "{dialect} {urls}");
            run(&format!("--output verdicts --to out.jsonl {urls}"));
            assert_eq!(run("--output verdicts out.jsonl"), verdict, "{dialect} {urls}");
        }
    }
    // In this dialect, a byte of a URL and its %XX are different.
    let run = |arguments: &str| folder.run(&format!("{filter} --dialect google {arguments} urls.txt"));
    for arguments in [
        "--to new.jsonl --output verdicts",
        "--to new.parquet --output verdicts",
        "--to new.parquet",
        "--evidence evidence.jsonl",
    ] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments}");
        assert!(
            ran.err.starts_with("error: urls.txt:1: expected a URL in UTF-8: "),
            "{arguments}: {}",
            ran.err
        );
    }
    assert_eq!(folder.names(), ["out.jsonl", "out.parquet", "robots.txt", "urls.tsv", "urls.txt"]);
    for format in ["text", "tsv", "csv"] {
        let ran = run(&format!("--output verdicts --output-format {format}"));
        assert_eq!(ran.code, Some(0), "{format}: {}", ran.err);
    }
}

#[test]
fn verdicts_show_a_url_with_control_characters_in_every_format() {
    let folder = Folder::with(&[
        ("robots.txt", "User-agent: *\nDisallow: /private\n"),
        ("urls.csv", "url\n\"https://a.example/a\tb\nc\"\nhttps://a.example/\n"),
        (
            "urls.jsonl",
            "{\"url\":\"https://a.example/a\\tb\\nc\"}\n{\"url\":\"https://a.example/\"}\n{\"x\":1}\n",
        ),
        ("urls.txt", "https://a.example/a\u{1b}[2J\u{7}\u{7f}b\nhttps://a.example/\n"),
        ("urls.tsv", "url\tx\nhttps://a.example/a\u{1}b\t1\nhttps://a.example/\t2\n"),
    ]);
    let filter = "filter -q --agent X --host a.example --robots robots.txt --output verdicts";
    let rows = |file: &str| folder.run(&format!("{filter} {file}")).out;
    assert_eq!(rows("urls.csv"), "invalid\t0\thttps://a.example/a%09b%0Ac\nallow\t0\thttps://a.example/\n");
    assert_eq!(
        rows("urls.jsonl"),
        "invalid\t0\thttps://a.example/a%09b%0Ac\nallow\t0\thttps://a.example/\ninvalid\t0\t\n"
    );
    assert_eq!(
        rows("urls.txt"),
        "invalid\t0\thttps://a.example/a%1B[2J%07%7Fb\nallow\t0\thttps://a.example/\n"
    );
    assert_eq!(rows("urls.tsv"), "invalid\t0\thttps://a.example/a%01b\nallow\t0\thttps://a.example/\n");
}
