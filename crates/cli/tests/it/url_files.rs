//! Unexpected files of URLs: no URL in the expected place, CSV, inputs that end early, outputs that are inputs; and the
//! closing line of a run.

mod bytes;

use crate::support::{Folder, Ran, SOURCE};

const FILTER: &str = "filter --agent A --robots robots.jsonl";

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

/// Lines of three columns; the last one is a URL.
fn columns(count: u32, separator: &str) -> String {
    (0..count).map(|n| format!("{n}{separator}x{separator}https://a.example/{n}\n")).collect()
}

#[track_caller]
fn refused(ran: &Ran, error: &str) {
    assert_eq!(
        (ran.code, ran.out.as_str(), ran.err.as_str()),
        (Some(2), "", format!("error: {error}\n").as_str())
    );
}

/// The first of two columns would decide which URL is judged.
#[test]
fn a_column_that_is_there_twice_is_an_error() {
    let rows = "https://a.example/a\thttps://a.example/b\n";
    let folder = Folder::with(&[
        ("robots.jsonl", "{\"host\": \"a.example\", \"body\": \"User-agent: *\\nDisallow: /b\"}\n"),
        ("twice.tsv", &format!("url\turl\n{rows}")),
        ("twice.csv", &format!("url\turl\n{rows}").replace('\t', ",")),
        ("cased.csv", &format!("URL\tUrl\n{rows}").replace('\t', ",")),
        ("exact.csv", &format!("url\tURL\n{rows}").replace('\t', ",")),
        ("other.tsv", &format!("url\tx\tx\n{}", rows.replace('\n', "\t-\n"))),
    ]);
    let line = "filter -q --agent A --robots robots.jsonl --column url";
    for name in ["twice.tsv", "twice.csv", "cased.csv"] {
        let ran = folder.run(&format!("{line} {name}"));
        let error = format!(
            "error: {name}: expected one column \"url\", found several (remove or rename the others)\n"
        );
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", error), "{name}");
    }
    for name in ["exact.csv", "other.tsv"] {
        assert_eq!(folder.run(&format!("{line} {name}")).code, Some(0), "{name}");
    }
    let keys = "{\"url\": \"https://a.example/a\"}\n{\"url\": \"https://a.example/a\", \"url\": \"https://a.example/b\"}\n";
    folder.write("twice.jsonl", keys);
    let ran = folder.run(&format!("{line} twice.jsonl --output verdicts"));
    assert!(ran.err.contains("twice.jsonl:2: ") && ran.err.contains("duplicate field `url`"), "{}", ran.err);
    assert_eq!(folder.run(&format!("{line} twice.jsonl --strict")).code, Some(2));
}

#[test]
fn a_file_without_a_url_in_its_first_lines_is_refused() {
    let folder = folder(&[
        ("many.tsv", &columns(1500, "\t")),
        ("header.tsv", "id\tname\tweb page\n1\tx\thttps://a.example/\n2\ty\t\n"),
        ("columns", &columns(3, "\t")),
        ("commas", &columns(1, ",")),
        ("key.jsonl", "{\"id\": 1, \"link\": \"https://a.example/\"}\nbroken\n"),
        ("objects", "{\"link\": \"https://a.example/\"}\n"),
        ("third.csv", "1,x,https://a.example/\n"),
        ("named.csv", "id,web page\n1,https://a.example/\n"),
        ("hosts", "example.com/a\n"),
        ("first", "https://a.example/x.pdf\t200\nhttps://a.example/private\t200\n"),
        ("mac", "https://a.example/1\rhttps://a.example/private\r"),
        ("out", "as it was"),
    ]);
    folder.write_compressed("many.tsv.zst", columns(1500, "\t"));
    for (name, error) in [
        ("many.tsv", "no URL in the first 1,000 lines (column 3 looks like URLs: --column 3)"),
        ("many.tsv.zst", "no URL in the first 1,000 lines (column 3 looks like URLs: --column 3)"),
        ("header.tsv", "no URL in its 2 lines (column \"web page\" looks like URLs: --column 'web page')"),
        ("columns", "no URL in its 3 lines (column 3 looks like URLs: --column 3)"),
        ("commas", "no URL in its only line (column 3 looks like URLs: --format csv --column 3)"),
        ("key.jsonl", "no URL in its 2 lines (key \"link\" looks like URLs: --column link)"),
        ("objects", "no URL in its only line (key \"link\" looks like URLs: --format jsonl --column link)"),
        ("third.csv", "no URL in its only line (column 3 looks like URLs: --column 3)"),
        ("named.csv", "no URL in its only line (column \"web page\" looks like URLs: --column 'web page')"),
        (
            "hosts",
            "no URL in its only line (the first is \"example.com/a\"; a URL has a scheme, such as https://)",
        ),
        ("first", "no URL in its 2 lines (column 1 looks like URLs: --column 1)"),
        ("mac", "no URL in its only line (its lines end at CR alone: tr '\\r' '\\n' makes it readable)"),
    ] {
        let error = format!("{name}: {error}");
        for line in [
            format!("{FILTER} {name}"),
            format!("{FILTER} {name} --to out"),
            format!("{FILTER} {name} --to out --resume"),
            format!("{FILTER} {name} --output verdicts --to out.parquet"),
            format!("compare --agent A --robots robots.jsonl {name} --to out"),
            format!("diff --agent A robots.jsonl robots.jsonl {name} --to out"),
        ] {
            refused(&folder.run(&line), &error);
        }
        assert_eq!(folder.read("out"), "as it was");
        let input = std::fs::read(folder.path(name)).unwrap();
        let format = ["tsv", "csv", "jsonl"].into_iter().find(|format| name.contains(&format!(".{format}")));
        let ran = folder.run_with_input(&format!("{FILTER} --format {}", format.unwrap_or("text")), input);
        refused(&ran, &error.replace(name, "<stdin>"));
    }
    assert!(!folder.names().iter().any(|name| name.contains("partial") || name.contains("parquet")));
    // Following the advice of the messages works.
    for line in ["many.tsv.zst --column 3", "objects --format jsonl --column link", "third.csv --column 3"] {
        assert_eq!(folder.run(&format!("{FILTER} {line}")).code, Some(0), "{line}");
    }
    let ran = folder.run_arguments(
        &["filter", "-q", "--agent", "A", "--robots", "robots.jsonl", "--column", "web page", "named.csv"],
        b"",
    );
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("id,web page\n1,https://a.example/\n", ""));
}

#[test]
fn a_second_file_without_urls_is_refused_before_the_first_is_read() {
    let folder = folder(&[("urls", "https://a.example/\n"), ("other.tsv", "1\thttps://a.example/\n")]);
    let ran = folder.run(&format!("{FILTER} urls other.tsv"));
    refused(&ran, "other.tsv: no URL in its only line (column 2 looks like URLs: --column 2)");
}

#[test]
fn a_column_that_is_not_there_is_refused_with_those_that_are() {
    let folder = folder(&[("urls.tsv", "id\tlink\n1\thttps://a.example/private\n")]);
    let error =
        "expected a column \"uri\", found \"id\", \"link\" (column \"link\" looks like URLs: --column link)";
    refused(&folder.run(&format!("{FILTER} urls.tsv --column uri")), &format!("urls.tsv: {error}"));
    let ran = folder.run(&format!("{FILTER} urls.tsv --column link --to urls.parquet"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    folder.write("urls.tsv", "id\tlink\n1\thttps://a.example/b\n");
    assert_eq!(folder.run(&format!("{FILTER} urls.tsv --column link --to urls.parquet")).code, Some(0));
    for options in ["--column uri", "--column uri --resume --to out"] {
        refused(&folder.run(&format!("{FILTER} urls.parquet {options}")), &format!("urls.parquet: {error}"));
    }
    let of_url = error.replace("\"uri\"", "\"url\"");
    refused(&folder.run(&format!("{FILTER} urls.parquet")), &format!("urls.parquet: {of_url}"));
    let ran = folder.run("compare --agent A --robots robots.jsonl urls.parquet --column id");
    refused(&ran, "urls.parquet: no URL in its only row (column \"link\" looks like URLs: --column link)");
}

/// Of two columns of URLs, the first is often that of the pages that link to the others.
#[test]
fn a_header_names_the_column_of_urls_in_tsv_and_csv_alike() {
    let folder = folder(&[]);
    let row = "https://x.example/\thttps://a.example/private\n";
    for (delimiter, extension) in [("\t", "tsv"), (",", "csv")] {
        let name = format!("urls.{extension}");
        let run = |text: &str, options: &str| {
            folder.write(&name, text.replace('\t', delimiter));
            folder.run(&format!("{FILTER} -q --output disallowed {name} {options}"))
        };
        for column in ["URL", "uri", "\"url\"", "url ", "Page URL"] {
            let text = format!("referrer\t{column}\n{row}");
            let ran = run(&text, "");
            assert_eq!((ran.out, ran.err.as_str()), (text.replace('\t', delimiter), ""), "{name} {column}");
        }
        let late = format!(
            "{name}: expected a header in the first line, found a column \"url\" in line 2 (remove the lines before it, or \
             choose a column: --column N)"
        );
        let several = format!(
            "{name}: expected one column of URLs, found URLs in columns 1 and 2 (choose one: --column N)"
        );
        for (text, error) in [
            (format!("# exported\nreferrer\turl\n{row}"), &late),
            (format!("\nreferrer\tURL\n{row}"), &late),
            (format!("referrer\ttarget\n{row}"), &several),
            (row.to_owned(), &several),
            // The first column is nearly empty.
            (format!("referrer\ttarget\n{row}{}", "-\thttps://a.example/private\n".repeat(9)), &several),
        ] {
            refused(&run(&text, ""), error);
            let ran = run(&text, "--column 2");
            assert!(ran.code == Some(0) && ran.out.contains("/private"), "{text}: {}", ran.err);
        }
        // Few rows of another column may have a URL.
        let notes = format!("page\tnote\nhttps://a.example/private\tsee {row}");
        let rows = "https://a.example/private\t-\n".repeat(3);
        let ran = run(&format!("{notes}{rows}{row}"), "");
        assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 5), "{}", ran.err);
    }
    folder.write("sep.csv", "sep=;\nreferrer;url\nhttps://x.example/;https://a.example/private\n");
    let ran = folder.run(&format!("{FILTER} sep.csv"));
    assert!(ran.code == Some(2) && ran.err.contains("found a column \"url\" in line 2"), "{}", ran.err);
}

#[test]
fn a_header_is_kept_when_the_column_is_a_number() {
    let text = "id\tweb page\n1\thttps://a.example/b\n";
    let folder = folder(&[("urls.tsv", text), ("urls.txt", text)]);
    let line = format!("{FILTER} -q --strict --column 2");
    for ran in [
        folder.run(&format!("{line} urls.tsv")),
        folder.run(&format!("{line} urls.txt")),
        folder.run_with_input(&line, text),
    ] {
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), text, ""));
    }
    // These are rows.
    for row in ["1\texample.com/b\n", "1\tmailto:a@a.example\n", "1\t\n", "1\n"] {
        folder.write("urls.tsv", format!("{row}1\thttps://a.example/b\n"));
        let ran = folder.run(&format!("{FILTER} --column 2 urls.tsv"));
        assert!(ran.out == "1\thttps://a.example/b\n" && ran.err.contains("1 invalid"), "{row}: {}", ran.err);
    }
}

#[test]
fn files_without_lines_have_no_urls_and_that_is_fine() {
    let folder =
        folder(&[("empty", ""), ("blank", "\n\n"), ("header.tsv", "id\turl\n"), ("header.csv", "id,url\n")]);
    for name in ["empty", "header.tsv", "header.csv"] {
        let ran = folder.run(&format!("{FILTER} {name}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), "0 URLs: 0 allowed, 0 disallowed\n"), "{name}");
    }
    let ran = folder.run(&format!("{FILTER} blank"));
    assert!(
        ran.code == Some(0) && ran.err.ends_with("2 URLs: 0 allowed, 0 disallowed, 2 invalid\n"),
        "{}",
        ran.err
    );
}

const CSV: &str = "id,Url,note\r\n1,https://a.example/private/,\"a \"\"b\"\"\nand c\"\r\n\
                   2,\"https://a.example/x,y\",\r\n3,https://a.example/ca/,1\r\n";

#[test]
fn csv_is_read_field_by_field_and_written_as_it_was() {
    let folder =
        folder(&[("urls.csv", CSV), ("plain.csv", "https://a.example/private,1\nhttps://a.example/ca/,1\n")]);
    folder.write_compressed("urls.csv.gz", CSV);
    let written = |line: &str| {
        let ran = folder.run(&format!("{FILTER} -q {line}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
        ran.out
    };
    let allowed = "id,Url,note\r\n2,\"https://a.example/x,y\",\r\n3,https://a.example/ca/,1\r\n";
    for line in ["urls.csv", "urls.csv.gz", "urls.csv --column Url", "urls.csv --column 2"] {
        assert_eq!(written(line), allowed, "{line}");
    }
    assert_eq!(
        written("urls.csv --output disallowed"),
        "id,Url,note\r\n1,https://a.example/private/,\"a \"\"b\"\"\nand c\"\r\n"
    );
    assert_eq!(
        written("urls.csv --output verdicts"),
        "disallow\t2\thttps://a.example/private/\nallow\t0\thttps://a.example/x,y\nallow\t0\thttps://a.example/ca/\n"
    );
    assert_eq!(
        written("urls.csv --output verdicts --output-format csv"),
        "id,Url,note,verdict,line,rule\n1,https://a.example/private/,\"a \"\"b\"\"\nand c\",disallow,2,Disallow: /private\n\
         2,\"https://a.example/x,y\",,allow,,\n3,https://a.example/ca/,1,allow,,\n"
    );
    assert_eq!(
        written("urls.csv --output verdicts --output-format tsv").lines().nth(1),
        Some("1\thttps://a.example/private/\ta \"b\"%0Aand c\tdisallow\t2\tDisallow: /private")
    );
    assert_eq!(
        written("urls.csv --output verdicts --output-format jsonl").lines().next(),
        Some(
            r#"{"id":"1","Url":"https://a.example/private/","note":"a \"b\"\nand c","verdict":"disallow","line":2,"rule":"Disallow: /private"}"#
        )
    );
    written("urls.csv --output verdicts --to verdicts.parquet");
    assert_eq!(
        written("verdicts.parquet --column Url --agent B --output verdicts --output-format csv")
            .lines()
            .next(),
        Some("id,Url,note,verdict,line,rule,verdict_1,line_1,rule_1,verdict_2,line_2,rule_2")
    );
    assert_eq!(written("plain.csv"), "https://a.example/ca/,1\n");
    // Spreadsheets of many countries use semicolons as separators.
    folder.write("semicolons.csv", "id;Address\n1;https://a.example/private\n2;\"https://a.example/b\"\n");
    assert_eq!(written("semicolons.csv"), "id;Address\n2;\"https://a.example/b\"\n");
}

#[test]
fn a_quote_that_is_never_closed_is_an_incomplete_file() {
    let folder =
        folder(&[("urls.csv", "url,note\nhttps://a.example/,\"never closed\nhttps://a.example/b,\n")]);
    let ran = folder.run(&format!("{FILTER} urls.csv --to out"));
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(ran.err.starts_with("error: urls.csv:2: expected the closing quote"), "{}", ran.err);
    assert!(!folder.path("out").exists());
}

#[test]
fn json_lines_that_end_within_an_object_are_an_incomplete_file() {
    let cut =
        "{\"url\":\"https://a.example/\"}\n{\"url\":\"https://a.example/b\"}\n{\"url\":\"https://a.exam";
    let folder = folder(&[("cut.jsonl", cut), ("out", "as it was")]);
    folder.write_compressed("cut.jsonl.gz", cut);
    let stdin = folder.run_with_input(&format!("{FILTER} --format jsonl --to out"), cut);
    let named = ["cut.jsonl", "cut.jsonl.gz", "cut.jsonl --evidence evidence"];
    let named = named.map(|name| folder.run(&format!("{FILTER} {name} --to out")));
    assert_eq!(folder.run("compile -q robots.jsonl --all-agents --history -o h.bundle").code, Some(0));
    let plan = "plan --policies h.bundle --now 2026-11-23T12:00:00Z --frontier cut.jsonl --to out";
    for ran in named.into_iter().chain([stdin, folder.run(plan)]) {
        assert_eq!(ran.code, Some(4), "{}", ran.err);
        assert!(ran.err.contains(":3: expected the rest of the JSON object, found the end"), "{}", ran.err);
        assert_eq!(folder.read("out"), "as it was");
    }
    assert!(!folder.path("evidence").exists());
    // It is continued when the rest has arrived.
    let resumed = format!("{FILTER} cut.jsonl --resume --to resumed");
    assert_eq!(folder.run(&resumed).code, Some(4));
    folder.write("cut.jsonl", format!("{cut}ple/c\"}}\n"));
    assert_eq!(folder.run(&resumed).code, Some(0));
    assert_eq!(folder.read("resumed").lines().count(), 3);
}

fn scattered(count: u32) -> String {
    (0..count).map(|n| format!("https://a.example/{}\n", n.wrapping_mul(2_654_435_761))).collect()
}

/// The first two thirds of a compressed file, and all of it.
fn write_cut(folder: &Folder, name: &str, text: &str) -> Vec<u8> {
    folder.write_compressed(name, text);
    let whole = std::fs::read(folder.path(name)).unwrap();
    folder.write(name, &whole[..whole.len() / 3 * 2]);
    whole
}

#[test]
fn a_file_that_ends_early_is_never_written_as_if_it_were_all() {
    let text = scattered(100_000);
    let folder = folder(&[("more", "https://a.example/last\n"), ("out", "as it was")]);
    for name in ["urls.gz", "urls.zst"] {
        write_cut(&folder, name, &text);
        let ran = folder.run(&format!("{FILTER} {name} more --to out --stats stats"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{}", ran.err);
        assert!(
            ran.err.contains("found the end of the file; nothing was written (repair the file"),
            "{}",
            ran.err
        );
        assert_eq!(folder.read("out"), "as it was");
        assert!(!folder.path("stats").exists());
        // Lines already written remain, and the next file follows.
        let ran = folder.run(&format!("{FILTER} {name} more"));
        assert_eq!(ran.code, Some(4), "{}", ran.err);
        assert!(
            ran.err.starts_with(&format!("warning: {name}:")) && ran.err.contains(" allowed"),
            "{}",
            ran.err
        );
        let read = ran.out.strip_suffix("https://a.example/last\n").unwrap();
        assert!(text.starts_with(read) && read.len() < text.len());
        for line in ["compare --agent A --robots robots.jsonl", "diff --agent A robots.jsonl robots.jsonl"] {
            let ran = folder.run(&format!("{line} {name}"));
            assert!(ran.code == Some(4) && !ran.out.is_empty(), "{line}: {}", ran.err);
            for json in ["", "--json"] {
                let ran = folder.run(&format!("{line} {name} {json} --to out"));
                assert_eq!(
                    (ran.code, folder.read("out").as_str()),
                    (Some(4), "as it was"),
                    "{line}: {}",
                    ran.err
                );
            }
        }
    }
}

#[test]
fn a_repaired_file_is_continued_where_it_ended() {
    let text = scattered(100_000);
    let folder = folder(&[("first", "https://a.example/first\n"), ("last", "https://a.example/last")]);
    for (name, out) in [("urls.gz", "out"), ("urls.zst", "out.jsonl.gz"), ("urls.csv.gz", "out.csv")] {
        let whole = write_cut(&folder, name, &text);
        let line = format!("{FILTER} --output verdicts first {name} last --resume --to {out}");
        let ran = folder.run(&line);
        assert_eq!(ran.code, Some(4), "{}", ran.err);
        let kept = format!("earlier results are kept in {out}.partial (repair the file");
        assert!(ran.err.contains(&kept), "{}", ran.err);
        assert!(!folder.path(out).exists());
        assert!(folder.path(&format!("{out}.checkpoint.json")).exists());
        // The same happens until the file is repaired.
        assert_eq!(folder.run(&line).code, Some(4));
        // A run with a different file is not continued.
        folder.write_compressed(name, text.replace("https", "http"));
        let ran = folder.run(&line);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert_eq!(ran.err.matches("expected the checkpoint of this run, but file 2 of URLs was").count(), 1);
        folder.write(name, &whole);
        let stats = folder.run(&format!("{line} --stats -"));
        assert_eq!(stats.code, Some(0), "{}", stats.err);
        let stats: serde_json::Value = serde_json::from_str(&stats.out).unwrap();
        assert_eq!(stats["lines"], 100_002);
        assert_eq!(
            folder.run(&format!("{FILTER} --output verdicts first {name} last --to whole-{out}")).code,
            Some(0)
        );
        let all = |name: &str| folder.bash(&format!("zcat -f {name} | sha256sum")).out;
        assert_eq!(all(out), all(&format!("whole-{out}")));
        assert!(
            !folder
                .names()
                .iter()
                .any(|name| name.ends_with(".partial") || name.ends_with(".checkpoint.json"))
        );
    }
}

#[test]
fn a_run_that_could_not_read_its_first_block_writes_the_header_later() {
    let folder = folder(&[]);
    folder.write_compressed("urls.csv.gz", "url\nhttps://a.example/1\nhttps://a.example/private\n");
    let whole = std::fs::read(folder.path("urls.csv.gz")).unwrap();
    folder.write("urls.csv.gz", &whole[..12]);
    let line = format!("{FILTER} --output verdicts urls.csv.gz --resume --to out.csv");
    let ran = folder.run(&line);
    assert_eq!((ran.code, folder.read("out.csv.partial").as_str()), (Some(4), ""), "{}", ran.err);
    folder.write("urls.csv.gz", whole);
    assert_eq!(folder.run(&line).code, Some(0));
    assert_eq!(folder.run(&format!("{FILTER} --output verdicts urls.csv.gz --to whole.csv")).code, Some(0));
    let (out, whole) = (folder.read("out.csv"), folder.read("whole.csv"));
    assert!(whole.starts_with("url,") && whole.lines().count() == 3, "{whole}");
    assert_eq!(out, whole);
}

/// Such a line is no part of a block, so the checkpoint is from before it.
#[test]
fn a_line_that_is_too_long_is_counted_once_by_a_run_that_resumes_there() {
    let folder = folder(&[]);
    let long = "x".repeat((64 << 20) + 1);
    let compressed = |name: &str, text: &str| {
        folder.write_compressed(name, text);
        std::fs::read(folder.path(name)).unwrap()
    };
    let begin = compressed("begin.gz", &format!("https://a.example/1\n{long}\n"));
    let end = compressed("end.gz", "https://a.example/2\n");
    folder.write("urls.gz", [&begin[..], &end[..12]].concat());
    let line = format!("{FILTER} --output verdicts urls.gz --resume --stats stats --to out");
    assert_eq!(folder.run(&line).code, Some(4));
    assert_eq!(folder.read("out.partial").lines().count(), 1);
    folder.write("urls.gz", [begin, end].concat());
    let ran = folder.run(&line);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        folder.read("out"),
        "allow\t0\thttps://a.example/1\ninvalid\t0\t\nallow\t0\thttps://a.example/2\n"
    );
    let stats: serde_json::Value = serde_json::from_str(&folder.read("stats")).unwrap();
    let counts = [&stats["lines"], &stats["verdicts"]["invalid"], &stats["errors"]["invalid_urls"]];
    assert_eq!(counts, [3, 1, 1], "{stats}");
}

/// If a run is killed between the two, the next one must not take the old checkpoint for one of the new output.
#[cfg(unix)]
#[test]
fn an_old_checkpoint_is_removed_before_the_new_output_is_created() {
    let folder = folder(&[]);
    write_cut(&folder, "urls.gz", &scattered(100_000));
    let line = format!("{FILTER} urls.gz --resume --to out");
    assert_eq!(folder.run(&line).code, Some(4));
    // As after a run that completed, and was killed before it removed its checkpoint.
    std::fs::remove_file(folder.path("out.partial")).unwrap();
    // The new output cannot be created.
    assert_eq!(folder.bash("mkfifo out").code, Some(0));
    let ran = folder.run(&line);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("expected a regular file"), "{}", ran.err);
    assert!(!folder.path("out.checkpoint.json").exists());
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = folder(&[
        ("urls", "https://a.example/b\n"),
        ("sites/a.example", "User-agent: *\n"),
        ("mirror/a.example/robots.txt", "User-agent: *\n"),
        ("mirror/a.example/.well-known/tdmrep.json", "[]\n"),
        ("mirror/results/out", "of an earlier run\n"),
        ("robots.txt", "User-agent: *\n"),
        ("access.log", "nonsense\n"),
    ]);
    assert_eq!(folder.run("compile robots.jsonl --all-agents -o p.bundle").code, Some(0));
    std::fs::hard_link(folder.path("urls"), folder.path("same")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("urls", folder.path("link")).unwrap();
    let all = || {
        folder.bash("cat urls robots.jsonl robots.txt access.log p.bundle sites/* mirror/*/* mirror/*/.*/* | sha256sum").out
    };
    let before = all();
    for line in [
        "filter --agent A --robots robots.jsonl urls --to urls",
        "filter --agent A --robots robots.jsonl urls --to ./sites/../urls",
        "filter --agent A --robots robots.jsonl urls --to same",
        "filter --agent A --robots robots.jsonl urls --to link",
        "filter --agent A --robots robots.jsonl link --to urls --resume",
        "filter --agent A --robots robots.jsonl urls --stats urls",
        "filter --agent A --robots robots.jsonl urls --to robots.jsonl",
        "filter --agent A --robots sites urls --to sites/a.example",
        "filter --agent A --robots mirror urls --to mirror/a.example/robots.txt",
        "filter --agent A --robots mirror urls --stats mirror/a.example/.well-known/tdmrep.json",
        "pace --agent A --robots ./mirror --to mirror/../mirror/a.example/robots.txt",
        "compile mirror --all-agents -o mirror/a.example/robots.txt",
        "diff --agent A mirror sites --to mirror/a.example/robots.txt",
        "filter --agent A --policies p.bundle urls --to p.bundle",
        "compare --agent A --robots robots.jsonl urls --to urls",
        "compare --agent A --robots robots.jsonl urls --stats robots.jsonl",
        "compile robots.jsonl --all-agents -o robots.jsonl",
        "score --robots robots.jsonl access.log --to access.log",
        "score --robots robots.jsonl access.log --html robots.jsonl",
        "score --policies p.bundle access.log --requests p.bundle",
        "score --policies p.bundle access.log --parquet access.log",
        "diff --agent A robots.txt robots.txt urls --to robots.txt",
        "lint robots.txt --to robots.txt",
        "debug --agent A --robots robots.txt --dot robots.txt",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert!(ran.err.contains("and would replace it (choose another name)"), "{line}: {}", ran.err);
        assert_eq!(all(), before, "{line}");
    }
    // Nothing is replaced, but a bundle may be updated in place.
    for line in [
        "filter --agent A --robots robots.jsonl urls --to new",
        "filter --agent A --robots robots.jsonl urls --to /dev/null",
        "filter --agent A --robots mirror urls --to mirror/results/out",
        "compile robots.jsonl --onto p.bundle -o p.bundle",
    ] {
        assert_eq!(folder.run(line).code, Some(0), "{line}");
    }
}

#[test]
fn a_run_is_closed_by_one_line_unless_it_is_quiet() {
    let urls = "https://a.example/private\nhttps://a.example/b\nhttps://x.example/\nnonsense\n";
    let folder = folder(&[("urls", urls)]);
    let line = |options: &str, code| {
        let ran = folder.run(options);
        assert_eq!(ran.code, Some(code), "{options}: {}", ran.err);
        let quiet = folder.run(&format!("{options} --quiet"));
        assert!(!quiet.err.contains("URLs: ") && !quiet.err.contains(" sites, "), "{}", quiet.err);
        ran.err.lines().last().unwrap_or_default().to_owned()
    };
    let counts = "4 URLs: 1 allowed, 1 disallowed, 1 of sites without a robots.txt";
    assert_eq!(line(&format!("{FILTER} urls"), 0), format!("{counts} (kept; --unknown drop), 1 invalid"));
    assert_eq!(line(&format!("{FILTER} urls --unknown drop"), 0), format!("{counts} (left out), 1 invalid"));
    assert_eq!(line(&format!("{FILTER} urls --output disallowed"), 0), format!("{counts}, 1 invalid"));
    assert_eq!(
        line(&format!("{FILTER} urls --to out"), 0),
        format!("{counts} (kept; --unknown drop), 1 invalid")
    );
    assert_eq!(
        line(&format!("{FILTER} --agent B urls --output verdicts"), 0),
        "4 URLs: A: 1 allowed, 1 disallowed; B: 1 allowed, 1 disallowed; 1 of sites without a robots.txt, 1 invalid"
    );
    folder.write("down", "https://down.example/\n");
    assert_eq!(
        line(&format!("{FILTER} --dialect koster1996 down"), 0),
        "1 URL: 0 allowed, 0 disallowed, 1 deferred"
    );
    assert_eq!(
        line("compare --agent A --dialect rfc9309 --dialect koster1996 --robots robots.jsonl urls down", 1),
        "5 URLs: 1 answered differently on 1 site, 2 alike, 1 of sites without a robots.txt, 1 invalid"
    );
    let many: String = "https://a.example/b\n".repeat(1234);
    folder.write("many", many);
    assert_eq!(line(&format!("{FILTER} many --to out"), 0), "1,234 URLs: 1,234 allowed, 0 disallowed");
    let compiled = line("compile robots.jsonl --all-agents -o p.bundle", 0);
    assert!(
        compiled.starts_with("p.bundle: 4 sites, ") && compiled.contains(" bytes; 3 captures"),
        "{compiled}"
    );
}

#[test]
fn a_usage_that_is_named_is_read_in_the_words_of_acap_even_when_it_is_crawl() {
    let source = r#"{"host": "a.example", "body": "ACAP-crawler: *\nACAP-disallow-crawl: /\n"}"#;
    let folder = folder(&[("acap.jsonl", source), ("urls", "https://a.example/\n")]);
    let verdict = |line: &str| folder.run(&format!("filter -q --agent A --output verdicts urls {line}")).out;
    assert_eq!(verdict("--robots acap.jsonl --usage crawl"), "disallow\t2\thttps://a.example/\n");
    assert_eq!(verdict("--robots acap.jsonl"), "allow\t0\thttps://a.example/\n");
    assert_eq!(
        verdict("--robots acap.jsonl --usage crawl --dialect rfc9309"),
        "allow\t0\thttps://a.example/\n"
    );
    assert_eq!(folder.run("compile acap.jsonl --agent A --usage crawl -o p.bundle").code, Some(0));
    assert_eq!(verdict("--policies p.bundle"), "disallow\t2\thttps://a.example/\n");
}

#[test]
fn parquet_cannot_be_continued_and_the_message_says_what_can() {
    let folder = folder(&[("urls", "https://a.example/\n")]);
    let ran = folder.run(&format!("{FILTER} urls --resume --to x.parquet"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--resume cannot continue a Parquet file (write .jsonl or .tsv"), "{}", ran.err);
}

#[test]
fn an_output_that_the_shell_opened_as_input_is_refused_and_so_are_two_outputs_of_one_name() {
    let folder = folder(&[("urls", "https://a.example/b\n"), ("access.log", "")]);
    let before = folder.read("urls");
    let ran = folder.bash(&format!("robomata {FILTER} --to urls < urls"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("urls: the output is the input /dev/stdin"), "{}", ran.err);
    assert_eq!(folder.read("urls"), before);
    let ran = folder.run("score --robots robots.jsonl access.log --html r --to r");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("r: two outputs are this file"), "{}", ran.err);
}

/// A link to a file that does not exist yet leads to the same file as its name.
#[cfg(unix)]
#[test]
fn two_outputs_are_one_file_through_a_link_that_leads_nowhere() {
    let folder = folder(&[("urls", "https://a.example/b\n"), ("folder/x", "")]);
    std::os::unix::fs::symlink("../out", folder.path("folder/link")).unwrap();
    std::os::unix::fs::symlink("folder/link", folder.path("link")).unwrap();
    std::os::unix::fs::symlink("other", folder.path("apart")).unwrap();
    for (one, other) in [("out", "link"), ("link", "out"), ("folder/link", "link")] {
        let ran = folder.run(&format!("{FILTER} --to {one} --evidence {other} urls"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{one} {other}: {}", ran.err);
        assert!(ran.err.contains(": two outputs are this file (choose another name)"), "{}", ran.err);
    }
    assert!(!folder.path("out").exists());
    let ran = folder.run(&format!("{FILTER} --to link --evidence apart urls"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(folder.path("out").exists() && folder.path("other").exists());
}

#[test]
fn two_outputs_are_one_file_in_every_spelling() {
    let folder = folder(&[("urls", "https://a.example/b\n"), ("folder/x", "")]);
    let path = folder.path("out").display().to_string();
    for exists in [false, true] {
        for spelling in ["out", "./out", "folder/../out", &path] {
            for option in ["--stats", "--evidence"] {
                let ran = folder.run(&format!("{FILTER} --to out {option} {spelling} urls"));
                assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{spelling}: {}", ran.err);
                assert!(ran.err.contains(": two outputs are this file (choose another name)"), "{}", ran.err);
            }
        }
        assert_eq!(folder.path("out").exists(), exists);
        folder.write("out", "before\n");
    }
    assert_eq!(folder.read("out"), "before\n");
    let ran = folder.run(&format!("{FILTER} --to out --stats folder/out urls"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run(&format!("{FILTER} --to /dev/null --stats /dev/null urls"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_table_that_nobody_calls_one_is_not_read_as_text() {
    let table = "url,n\nhttps://a.example/private,1\n\"https://a.example/b,c\",2\n";
    let folder = folder(&[
        ("table", table),
        ("semicolons", "url;n\nhttps://a.example/b;1\n"),
        ("strings.json", "[\"https://a.example/private\",\"https://a.example/\"]\n"),
        ("commas", "nonsense\nhttps://a.example/b,c\nhttps://a.example/d\n"),
    ]);
    folder.write("wide", b"\xff\xfeh\0t\0t\0p\0\n\0");
    for (name, error) in [
        (
            "table",
            "no URL in its first line, and every line has 2 columns (it looks like CSV: --format csv, or --format text if each line is a URL)",
        ),
        (
            "semicolons",
            "no URL in its first line, and every line has 2 columns (it looks like CSV: --format csv, or --format text if each line is a URL)",
        ),
        (
            "strings.json",
            "no URL in its only line (it looks like a JSON array: jq -cr '.[]' makes lines of it)",
        ),
        ("wide", "no URL in its 2 lines (it looks like UTF-16: iconv -f UTF-16 -t UTF-8 makes it readable)"),
    ] {
        refused(&folder.run(&format!("{FILTER} {name}")), &format!("{name}: {error}"));
    }
    let ran = folder.run_with_input(FILTER, table);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    assert_eq!(
        folder.run(&format!("{FILTER} --format csv table")).out,
        "url,n\n\"https://a.example/b,c\",2\n"
    );
    assert_eq!(folder.run(&format!("{FILTER} --format text table")).code, Some(0));
    assert_eq!(folder.run(&format!("{FILTER} commas")).code, Some(0));
}

/// Judged as a URL, such a line matches no rule that ends in `$`.
#[test]
fn lines_with_more_than_a_url_are_not_judged_as_urls() {
    let csv = "(it looks like CSV: --format csv, or --format text if each line is a URL)";
    let semicolons =
        "(it looks like CSV: tr ';' ',' and --format csv, or --format text if each line is a URL)";
    let blanks = "expected a URL on each line, found a blank within it (before further columns, write tabs: tr ' ' '\\t', and --column 1; in a URL, write %20; or --format text if each line is a URL)";
    let number = "expected a URL on each line, found 2 fields, of which the last is a number";
    let named = "no URL in its first line, which names a column \"url\"";
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /*.pdf$\n")]);
    let filter = "filter --agent A --host a.example --robots robots.txt";
    for (name, text, error) in [
        ("blanks.txt", "https://a.example/x.pdf 200\n", blanks),
        ("blanks.txt", "https://a.example/x.pdf 200\nhttps://a.example/y.pdf 404\n", blanks),
        (
            "commas.txt",
            "https://a.example/x.pdf,200\nhttps://a.example/y.pdf,404\n",
            &format!("{number} {csv}"),
        ),
        (
            "semi.txt",
            "https://a.example/x.pdf;200\nhttps://a.example/y;404\n",
            &format!("{number} {semicolons}"),
        ),
        (
            "named.txt",
            "url,status\nhttps://a.example/x.pdf,200\nhttps://a.example/a,b,200\n",
            &format!("{named} {csv}"),
        ),
        (
            "named.txt",
            "# exported\nurl,status\nhttps://a.example/x.pdf,200\nhttps://a.example/y.pdf,404\n",
            &format!("{named} {csv}").replace("first line", "line 2"),
        ),
        (
            "comment.txt",
            "# exported\nhttps://a.example/x,200\nhttps://a.example/y,404\n",
            &format!("{number} {csv}"),
        ),
        ("named.tsv", "\"URL\",status\nhttps://a.example/x.pdf,200\n", &format!("{named} {csv}")),
        // These may be URLs.
        ("one.txt", "https://a.example/x.pdf 200\nhttps://a.example/y\n", ""),
        ("maps.txt", "https://a.example/1,2\nhttps://a.example/1,2,3\n", ""),
        ("words.txt", "https://a.example/a,b\nhttps://a.example/c,d\n", ""),
        ("single.txt", "https://a.example/x,200\n", ""),
        ("map.txt", "https://a.example/map?at=52.5,13.4\n", ""),
        ("header.txt", "url\nhttps://a.example/y\n", ""),
    ] {
        folder.write(name, text);
        let ran = folder.run(&format!("{filter} {name}"));
        let piped = folder.run_with_input(filter, text);
        if error.is_empty() {
            assert_eq!((ran.code, piped.code), (Some(0), Some(0)), "{text}: {}", ran.err);
            continue;
        }
        refused(&ran, &format!("{name}: {error}"));
        let format = if name == "named.tsv" { "tsv" } else { "text" };
        if format == "text" {
            refused(&piped, &format!("<stdin>: {error}"));
        }
        assert_eq!(folder.run(&format!("{filter} --format {format} {name}")).code, Some(0), "{text}");
    }
}

/// Scores and quoted numbers, after any delimiter, also in a single line and in CSV with another delimiter than a comma.
#[test]
fn every_number_after_a_url_makes_a_table() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /*.pdf$\n")]);
    let filter = "filter --agent A --host a.example --robots robots.txt";
    for end in [",0.5", ",-1", ";0.25", ",1e3", ",\"200\"", "|0.5", ", 7"] {
        for paths in [&["x.pdf"][..], &["x.pdf", "y"], &["x/", "y"]] {
            let text: String = paths.iter().map(|path| format!("https://a.example/{path}{end}\n")).collect();
            let ran = folder.run_with_input(filter, &text);
            let error = "error: <stdin>: expected a URL on each line, found 2 fields, of which the last is a number (";
            assert!(ran.code == Some(2) && ran.err.starts_with(error), "{text}: {}", ran.err);
            assert_eq!(folder.run_with_input(&format!("{filter} --format text"), &text).code, Some(0));
            if !end.starts_with(',') {
                folder.write("urls.csv", &text);
                assert_eq!(folder.run(&format!("{filter} urls.csv")).code, Some(2), "{text}");
            }
        }
    }
}

#[test]
fn a_byte_order_mark_belongs_to_no_url() {
    let urls = "\u{feff}https://a.example/private\r\nhttps://a.example/b\r\n";
    let folder = folder(&[("urls", urls), ("urls.tsv", "\u{feff}url\tn\nhttps://a.example/private\t1\n")]);
    let ran = folder.run(&format!("{FILTER} --output verdicts urls"));
    let verdicts: Vec<&str> = ran.out.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(verdicts, ["disallow", "allow"], "{}", ran.err);
    let ran = folder.run(&format!("{FILTER} --output disallowed urls"));
    assert_eq!(ran.out, "https://a.example/private\r\n");
    let ran = folder.run(&format!("{FILTER} --output disallowed urls.tsv"));
    assert_eq!(ran.out, "\u{feff}url\tn\nhttps://a.example/private\t1\n", "{}", ran.err);
}
