//! Captures from TSV and Parquet, and detection of formats.

mod failures;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::support::{Rng, gzip, response, zstd_frame};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, DictionaryArray,
    DurationNanosecondArray, Int16Array, Int64Array, LargeBinaryArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Fields};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parquet::arrow::ArrowWriter;
use parquet::data_type::{ByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use robomata_formats::log::{LogLine, LogRows};
use robomata_formats::{Capture, CaptureSite, Frontier, FrontierContent, RowColumns, capture};
use robomata_protocol::FetchStatus;

/// Captures as `site|status|time|body|line`; errors, and unreadable results, as messages without the directory.
fn read(path: &Path) -> Vec<String> {
    let prefix = format!("{}/", path.parent().unwrap().display());
    let describe = |item| match item {
        Ok(Capture { unreadable: Some(why), status, .. }) => {
            assert_eq!(status, Some(FetchStatus::NetworkFailure));
            format!("failed: {}", why.replace(&prefix, ""))
        }
        Ok(Capture { site, body, status, time, origin, .. }) => {
            let site = match site {
                CaptureSite::Host(host) => host,
                CaptureSite::Url(url) => url,
            };
            let status = match status {
                None => String::new(),
                Some(FetchStatus::Code(code)) => code.to_string(),
                Some(other) => format!("{other:?}"),
            };
            let time = time.map_or_else(String::new, |time| time.to_string());
            format!("{site}|{status}|{time}|{}|{}", String::from_utf8_lossy(&body), origin.line.unwrap())
        }
        Err(error) => robomata_formats::InputError::to_string(&error).replace(&prefix, ""),
    };
    capture::captures(path).map(describe).collect()
}

fn read_tsv(text: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.tsv");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

fn read_json(text: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

fn read_table(columns: Vec<(&str, ArrayRef)>) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.parquet");
    write_table(&path, columns);
    read(&path)
}

fn write_table(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true))).unwrap();
    let groups = WriterProperties::builder().set_max_row_group_row_count(Some(100)).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(groups)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn a_line_of_tsv_has_the_columns_named_in_the_first_line() {
    let items = read_tsv(
        "\u{feff}Host\tother\tstatus\tTime\tbody\r\n\
         a.com\tx\t200\t2024-05-01\tUser-agent: *\\nDisallow: /\\t\\\\x\\q\\\r\n\
         \n\
         b.com\tx\t404\t\\N\t\\N\n\
         c.com\t\t\t20240501000000\t\n\
         d.com\tx\t200\t\n\
         \tx\t200\t\tz\n\
         e.com\tx\tgood\t\tz\n\
         f.com\tx\t0\t1714521600\t\\N\n",
    );
    assert_eq!(
        items,
        [
            "a.com|200|2024-05-01T00:00:00Z|User-agent: *\nDisallow: /\t\\x\\q\\|2",
            "b.com|404|||4",
            "failed: r.tsv:5: expected a status: an empty body without one may be that of a fetch that failed (an empty file has 200)",
            "failed: r.tsv:6: expected 5 cells, as in the first line, found 4 (escape tab and line end in a body as \\t and \\n; quotes do not protect them)",
            "r.tsv:7: expected a key \"host\" or \"url\", in a line without a readable site",
            "failed: r.tsv:8: expected an HTTP status, \"success\" or null in \"status\", found \"good\"",
            "f.com|NetworkFailure|2024-05-01T00:00:00Z||9",
        ]
    );
}

#[test]
fn a_tsv_without_its_last_line_end_ends_early() {
    let text = "host\tbody\na.com\tDisallow: /a\nb.com\tAllow: /public\n";
    let errors = |text: &str| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.tsv");
        std::fs::write(&path, text).unwrap();
        kinds(&path)
    };
    assert_eq!(errors(text), "cc");
    // Also where nothing but the line end is missing. Half of a host is another one.
    let last = text.find("b.com").unwrap();
    for cut in last + 1..text.len() {
        let expected = if cut > last + "b.com".len() { "cif" } else { "ci" };
        assert_eq!(errors(&text[..cut]), expected, "{:?}", &text[..cut]);
    }
    assert_eq!(errors("host\tbody"), "i");
    let items = read_tsv(&text[..text.len() - 1]);
    assert!(items[1].starts_with("r.tsv:3: expected a line end after the last line"), "{items:?}");
    assert_eq!(items[2], format!("failed: {}", items[1]));
    assert!(read_tsv(&text[..text.len() - 1])[1].contains("expected a line end after the last line"));
}

/// A letter for each item of `path`: a capture, a failed fetch, an incomplete source or another error.
fn kinds(path: &Path) -> String {
    let kind = |item: Result<Capture, robomata_formats::InputError>| match item {
        Ok(Capture { unreadable: Some(_), .. }) => 'f',
        Ok(_) => 'c',
        Err(error) if error.is_incomplete() => 'i',
        Err(_) => 'e',
    };
    capture::captures(path).map(kind).collect()
}

/// Programs that quote cells, or escape nothing, write the line ends of a body as such.
#[test]
fn a_line_of_tsv_that_was_torn_makes_its_site_fail_or_the_source_incomplete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.tsv");
    for (text, expected) in [
        // pandas, polars and Python.
        ("host\tstatus\tbody\na.com\t200\t\"User-agent: *\nDisallow: /x\n\"\n", "fii"),
        ("host\tbody\tstatus\r\na.com\t\"User-agent: *\nDisallow: /x\n\"\t200\r\n", "fii"),
        ("host\tbody\na.com\t\"# \"\"quoted\"\"\"\nb.com\tx\n", "fc"),
        ("\"host\"\t\"body\"\n\"a.com\"\t\"x\"\n", "e"),
        // Not escaped.
        ("host\tstatus\tbody\na.com\t200\tUser-agent: *\nDisallow: /x\nb.com\t200\tx\n", "cic"),
        ("host\tbody\na.com\tUser-agent: *\nDisallow:\t/x\n", "ci"),
        ("host\tbody\na.com\tUser-agent: *\n\tDisallow: /x\n", "ci"),
        ("url\tbody\nhttps://a.com/\tUser-agent: *\nDisallow:\t/x\n", "ci"),
        ("host\tbody\na.com\tUser-agent: *\nCrawl-delay:5\n", "ci"),
        ("host\tstatus\tbody\na.com\t200\tUser-agent: *\\nDisallow:\t/x\n", "f"),
        // Too few cells.
        ("host\tbody\tstatus\na.com\t\n", "f"),
        ("host\tstatus\tbody\n\n\t\t\nlocalhost:8080\t200\tx\n", "c"),
    ] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(kinds(&path), expected, "{text:?}: {:?}", read(&path));
    }
    let header = read_tsv("\"host\"\tbody\na.com\tx\n");
    assert!(header[0].starts_with("r.tsv:1: expected a cell without quotes"), "{header:?}");
    // Also without a name.
    let path = directory.path().join("captures");
    std::fs::write(&path, "\"host\"\t\"body\"\n").unwrap();
    assert!(capture::holds_captures(&path).unwrap());
}

#[test]
fn a_column_that_is_there_twice_is_an_error() {
    for (header, name) in [
        ("host\tstatus\tstatus\tbody", "status"),
        ("host\tbody\tbody", "body"),
        ("host\tBody\tBODY", "body"),
        ("url\turl\tbody", "url"),
    ] {
        let cells = header.split('\t').map(|_| "1").collect::<Vec<_>>().join("\t");
        let message = format!("expected one column \"{name}\", found several (remove or rename the others)");
        assert_eq!(read_tsv(&format!("{header}\n{cells}\n")), [format!("r.tsv:1: {message}")], "{header}");
        let column = |name| (name, Arc::new(StringArray::from(vec!["1"])) as ArrayRef);
        assert_eq!(
            read_table(header.split('\t').map(column).collect()),
            [format!("r.parquet: {message}")],
            "{header}"
        );
    }
    assert_eq!(read_tsv("host\tx\tx\tbody\na.com\t1\t2\tb\n"), ["a.com|||b|2"]);
}

#[test]
fn bytes_of_tsv_are_base64() {
    let items =
        read_tsv("body_b64\turl\nVXNlcg==\thttp://a.com:8080/\nVXNlcg\thttp://b.com/\n!\thttp://c.com/\n");
    assert_eq!(items[..2], ["http://a.com:8080/|||User|2", "http://b.com/|||User|3"]);
    assert!(items[2].starts_with("failed: r.tsv:4: expected base64 in \"body_b64\": "), "{items:?}");
}

#[test]
fn a_first_line_without_the_columns_ends_the_file() {
    assert_eq!(
        read_tsv("a.com\t200\nb.com\t200\n"),
        ["r.tsv:1: expected a column \"host\" or \"url\" in the first line, found \"a.com\", \"200\""]
    );
    assert_eq!(
        read_tsv("\nhost\tx\na\tb\n"),
        ["r.tsv:2: expected a column \"body\" or \"body_b64\" in the first line, found \"host\", \"x\""]
    );
    assert_eq!(read_tsv(""), Vec::<String>::new());
}

#[test]
fn rows_of_parquet_have_the_fields_of_their_columns() {
    let times =
        TimestampMicrosecondArray::from(vec![Some(1_714_521_600_000_001), None, Some(757_382_400_000_000)]);
    let items = read_table(vec![
        ("ignored", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("URL", Arc::new(StringArray::from(vec!["http://a.com/", "http://b.com/", "http://c.com/"]))),
        ("http_status", Arc::new(Int16Array::from(vec![Some(200), Some(404), None]))),
        ("fetch_time", Arc::new(times.with_timezone("UTC"))),
        ("content", Arc::new(BinaryArray::from_opt_vec(vec![Some(b"\xffa"), None, Some(b"c")]))),
    ]);
    assert_eq!(
        items,
        [
            "http://a.com/|200|2024-05-01T00:00:00.000001Z|\u{fffd}a|1",
            "http://b.com/|404|||2",
            "http://c.com/||1994-01-01T00:00:00Z|c|3",
        ]
    );
}

#[test]
fn an_empty_body_in_parquet_needs_a_status() {
    let table = |status: Option<i16>, body: &str| {
        read_table(vec![
            ("host", Arc::new(StringArray::from(vec!["a.com"]))),
            ("status", Arc::new(Int16Array::from(vec![status]))),
            ("body", Arc::new(StringArray::from(vec![body]))),
        ])
    };
    for (status, body, is_known) in [(None, "", false), (None, "x", true), (Some(200), "", true)] {
        let items = table(status, body);
        assert_eq!(!items[0].contains("expected a status: "), is_known, "{items:?}");
    }
    let without = read_table(vec![
        ("host", Arc::new(StringArray::from(vec!["a.com"]))),
        ("body", Arc::new(StringArray::from(vec![""]))),
    ]);
    assert!(without[0].contains("expected a status: "), "{without:?}");
}

#[test]
fn every_type_that_can_hold_a_body_does() {
    let texts = ["User-agent: *", "#", "Disallow: /"];
    let bytes: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    let dictionary: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    let bodies: [ArrayRef; 6] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
        Arc::new(dictionary),
    ];
    let hosts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    for body in bodies {
        let kind = body.data_type().clone();
        let items = read_table(vec![("host", hosts.clone()), ("body", body)]);
        assert_eq!(items, ["a|||User-agent: *|1", "b|||#|2", "c|||Disallow: /|3"], "{kind}");
    }
    let encoded: ArrayRef = Arc::new(StringViewArray::from(vec![Some("VXNlcg"), None, Some("!")]));
    let plain: ArrayRef = Arc::new(StringArray::from(vec!["User", "y", "z"]));
    let items = read_table(vec![("host", hosts), ("body_b64", encoded), ("body", plain)]);
    assert_eq!(items[..2], ["a|||User|1", "b|||y|2"]);
    assert!(items[2].starts_with("failed: r.parquet:3: expected base64 in \"body_b64\": "));
}

#[test]
fn times_and_statuses_have_many_types() {
    let hosts: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let body: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let times: [ArrayRef; 4] = [
        Arc::new(TimestampSecondArray::from(vec![1_714_521_600])),
        Arc::new(Int64Array::from(vec![1_714_521_600])),
        Arc::new(Int64Array::from(vec![20_240_501_000_000])),
        Arc::new(StringArray::from(vec!["2024-05-01T02:00:00+02:00"])),
    ];
    for time in times {
        let items = read_table(vec![("host", hosts.clone()), ("timestamp", time), ("body", body.clone())]);
        assert_eq!(items, ["a||2024-05-01T00:00:00Z|x|1"]);
    }
    // The first times of Go, of a computer without a clock and before robots.txt, one of 2500, and the time that a fetch took.
    let durations = DurationNanosecondArray::from(vec![1_714_521_600]);
    let strangers: [ArrayRef; 8] = [
        Arc::new(TimestampSecondArray::from(vec![-62_135_596_800])),
        Arc::new(Date32Array::from(vec![-719_162])),
        Arc::new(TimestampSecondArray::from(vec![0])),
        Arc::new(Date32Array::from(vec![0])),
        Arc::new(TimestampMicrosecondArray::from(vec![757_382_399_999_999])),
        Arc::new(TimestampSecondArray::from(vec![16_725_225_600])),
        Arc::new(Int64Array::from(vec![2026])),
        Arc::new(durations),
    ];
    for time in strangers {
        let (kind, body) = (time.data_type().clone(), body.clone());
        let items = read_table(vec![("host", hosts.clone()), ("time", time), ("body", body)]);
        assert!(items[0].starts_with("failed: r.parquet:1: expected a"), "{kind}: {items:?}");
        assert!(items[0].contains(r#" 1994 to 2200 in "time", found "#), "{kind}: {items:?}");
    }
    let text: ArrayRef = Arc::new(StringArray::from(vec!["success"]));
    let items = read_table(vec![("host", hosts.clone()), ("fetch_status", text), ("body", body.clone())]);
    assert_eq!(items, ["a|Success||x|1"]);
    let wrong: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    let items = read_table(vec![("host", hosts), ("status", wrong), ("body", body)]);
    assert_eq!(
        items,
        ["failed: r.parquet:1: expected an HTTP status, \"success\" or null in \"status\", found true"]
    );
}

/// JSON lines, TSV and Parquet know the same names of the status.
#[test]
fn a_status_of_any_name_counts_in_every_format() {
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
    let read_all = |name: &str, value: &str| {
        [
            read_json(&format!("{{\"{name}\":{value},\"host\":\"a.com\",\"body\":\"x\"}}\n")),
            read_tsv(&format!(
                "{name}\thost\tbody\n{}\ta.com\tx\n",
                if value == "null" { "" } else { value }
            )),
            read_table(vec![
                (name, Arc::new(Int64Array::from(vec![value.parse::<i64>().ok()]))),
                ("host", text("a.com")),
                ("body", text("x")),
            ]),
        ]
        .concat()
    };
    let names =
        ["status", "http_status", "status_code", "statuscode", "fetch_status", "http_code", "response_code"];
    for name in
        names.iter().copied().chain(["Status", "statusCode", "HTTP_Status", "StatusCode", "HTTP_CODE"])
    {
        assert!(read_all(name, "503").iter().all(|item| item.starts_with("a.com|503||x|")), "{name}");
        assert!(read_all(name, "null").iter().all(|item| item.starts_with("a.com|||x|")), "{name}");
    }
    let codes = ["reply_code", "HTTP-Code", "httpCode", "exitcode", "ResponseCode", "rc.code", "code"];
    for name in ["code", "Code", "response_status", "robotsStatus", "status_text"].into_iter().chain(codes) {
        for item in read_all(name, "503") {
            let expected = format!("expected a key or column \"status\", found {name:?}, ");
            assert!(item.starts_with("failed: ") && item.contains(&expected), "{item}");
        }
    }
    for name in ["country_code", "LangCode", "postcode", "charcode", "source-code", "codec"] {
        assert!(read_all(name, "503").iter().all(|item| item.starts_with("a.com|||x|")), "{name}");
    }
    for (other, is_equal) in [("503", true), ("200", false), ("404", false), ("null", true), ("\"?\"", true)]
    {
        let line = format!(r#"{{"host":"a.com","body":"x","status":503,"http_status":{other}}}"#);
        let items = read_json(&(line + "\n"));
        assert_eq!(items[0].starts_with("a.com|503||x|"), is_equal, "{items:?}");
        assert!(
            is_equal || items[0].contains("found two that differ, \"status\" and \"http_status\""),
            "{items:?}"
        );
    }
    // Any status that is known decides.
    let known = "{\"host\":\"a.com\",\"body\":\"x\",\"code\":1,\"status\":503,\"fetch\":{\"status\":200}}\n";
    assert_eq!(read_json(known), ["a.com|503||x|1"]);
    let nested = "{\"host\":\"a.com\",\"body\":\"\",\"fetch\":{\"status\" : 503}}\n";
    let why = "failed: r.jsonl:1: expected a key or column \"status\", found \"….status\", ";
    assert!(read_json(nested)[0].starts_with(why));
    for name in ["http_code", "code", "statusCode", "Status"] {
        let items = read_json(&nested.replace("status", name));
        assert!(items[0].starts_with(&why.replace(".status", &format!(".{name}"))), "{items:?}");
    }
    let outer =
        "{\"host\":\"a.com\",\"body\":\"x\",\"statusCode\":null,\"server\":{\"cache-status\":\"HIT\"}}\n";
    assert_eq!(read_json(outer), ["a.com|||x|1"]);
    for word in ["status", "code"] {
        let quoted = "{\"host\":\"a.com\",\"body\":\"\\\"status\\\": 1\",\"x\":\"status\"}\n";
        let expected = "a.com|||\"status\": 1|1".replace("status", word);
        assert_eq!(read_json(&quoted.replace("status", word)), [expected]);
    }
    let fields = Fields::from(vec![Field::new("status", DataType::Int64, true)]);
    let values: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(vec![503]))];
    let fetch: ArrayRef = Arc::new(StructArray::new(fields, values, None));
    let table = read_table(vec![("fetch", fetch), ("host", text("a.com")), ("body", text("x"))]);
    assert!(table[0].contains("found \"fetch.status\""), "{table:?}");
}

/// A row that says why its fetch failed is not that of a success, whatever was received before.
#[test]
fn a_row_with_an_error_and_no_status_is_a_network_failure_in_every_format() {
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
    for name in ["error", "Error", "errormsg", "exception", "failure"] {
        let rows = |value: &str| {
            [
                read_json(&format!("{{\"{name}\":\"{value}\",\"host\":\"a.com\",\"body\":\"x\"}}\n")),
                read_tsv(&format!("{name}\thost\tbody\n{value}\ta.com\tx\n")),
                read_table(vec![(name, text(value)), ("host", text("a.com")), ("body", text("x"))]),
            ]
            .concat()
        };
        let expected =
            format!("expected a status, or null in \"{}\", found \"timeout\"", name.to_ascii_lowercase());
        for item in rows("timeout") {
            assert!(item.starts_with("failed: ") && item.ends_with(&expected), "{item}");
        }
        for nothing in ["", " ", "None", "NaN", "0", "false"] {
            assert!(rows(nothing).iter().all(|item| item.starts_with("a.com|||x|")), "{name} {nothing:?}");
        }
    }
    for (value, is_failure) in
        [("null", false), ("false", false), ("0", false), ("28", true), ("true", true), ("{\"a\":1}", true)]
    {
        let line = |status: &str| {
            format!("{{\"host\":\"a.com\",\"body\":\"x\",\"status\":{status},\"error\":{value}}}\n")
        };
        assert_eq!(read_json(&line("null"))[0].starts_with("failed: "), is_failure, "{value}");
        assert_eq!(read_json(&line("200")), ["a.com|200||x|1"], "a status says more");
    }
    for (value, is_failure) in [(false, false), (true, true)] {
        let error: ArrayRef = Arc::new(BooleanArray::from(vec![value]));
        let items = read_table(vec![("error", error), ("host", text("a.com")), ("body", text("x"))]);
        assert_eq!(items[0].starts_with("failed: "), is_failure, "{items:?}");
    }
}

#[test]
fn many_rows_in_many_groups_are_all_read() {
    let numbers = 0..2500;
    let hosts: ArrayRef = Arc::new(numbers.clone().map(|i| Some(format!("h{i}"))).collect::<StringArray>());
    let bodies: ArrayRef =
        Arc::new(numbers.map(|i| (i % 3 > 0).then(|| format!("b{i}"))).collect::<StringArray>());
    let items = read_table(vec![("host", hosts), ("body", bodies)]);
    assert_eq!(items.len(), 2500);
    for (i, item) in items.iter().enumerate() {
        let line = i + 1;
        let expected = if i % 3 > 0 {
            format!("h{i}|||b{i}|{line}")
        } else {
            format!("failed: r.parquet:{line}: expected a value in \"body\", \"content\" or \"body_b64\"")
        };
        assert_eq!(*item, expected);
    }
}

#[test]
fn errors_about_missing_columns_list_the_present_ones() {
    let column: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    assert_eq!(
        read_table(vec![("site", column.clone()), ("body", column.clone())]),
        ["r.parquet: expected a column \"url\" or \"host\", found \"site\", \"body\""]
    );
    assert_eq!(
        read_table(vec![("host", column.clone()), ("text", column)]),
        ["r.parquet: expected a column \"body\", \"content\" or \"body_b64\", found \"host\", \"text\""]
    );
}

#[test]
fn corrupt_parquet_is_an_error_and_not_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.parquet");
    let hosts: ArrayRef = Arc::new((0..500).map(|i| Some(format!("h{i}"))).collect::<StringArray>());
    write_table(&path, vec![("host", hosts.clone()), ("body", hosts)]);
    let file = std::fs::read(&path).unwrap();
    let mut rng = Rng(5);
    for _ in 0..400 {
        let mut damaged = file.clone();
        if rng.below(4) == 0 {
            damaged.truncate(rng.below(damaged.len()));
        } else {
            for _ in 0..=rng.below(3) {
                let at = rng.below(damaged.len());
                damaged[at] ^= 1 << rng.below(8);
            }
        }
        std::fs::write(&path, damaged).unwrap();
        assert!(capture::captures(&path).take(10_000).count() < 10_000);
    }
    std::fs::write(&path, b"PAR1 and nothing").unwrap();
    let items = read(&path);
    assert!(items.len() == 1 && items[0].starts_with("r.parquet: expected Parquet data: "), "{items:?}");
}

/// A file of pyarrow with the checksums of its pages. The writer of the library has none.
const CHECKSUMS: &str = "\
    UEFSMRUAFR4VHhX7jNotHBUCFQAVBhUGHAAAAAIAAAACAQUAAABhLmNvbRUAFSwVLBWqpcD6DxwVAhUAFQYVBhwAAAACAAAAAgEMAAAA\
    RGlzYWxsb3c6IC94FQQZPDUAGAZzY2hlbWEVBAAVDCUCGARob3N0JQBMHAAAABUMJQIYBGJvZHklAEwcAAAAFgIZHBksJgAcFQwZJQYA\
    GRgEaG9zdBUAFgIWThZOJghJHBUAFQAVAgA8FgoZBhkmAAIAAAAmABwVDBklBgAZGARib2R5FQAWAhZeFl4mVkkcFQAVABUCADwWGBkG\
    GSYAAgAAABasARYCJggWrAEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAAM0AAABQQVIx";

#[test]
fn a_page_with_another_checksum_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.parquet");
    let mut file = STANDARD.decode(CHECKSUMS).unwrap();
    std::fs::write(&path, &file).unwrap();
    assert_eq!(read(&path), ["a.com|||Disallow: /x|1"]);
    let body = file.windows(8).position(|bytes| bytes == b"Disallow").unwrap();
    file[body] ^= 1;
    std::fs::write(&path, &file).unwrap();
    let items: Vec<_> = capture::captures(&path).collect();
    assert!(matches!(&items[..], [Err(error)] if error.is_incomplete()), "{items:?}");
}

#[test]
fn captures_are_distinguished_from_a_robots_txt() {
    let directory = tempfile::tempdir().unwrap();
    let warc = response("http://a.com/robots.txt", "2026-01-02T03:04:05Z", "HTTP/1.1 200 OK", b"x");
    let table = directory.path().join("written");
    write_table(&table, vec![("host", Arc::new(StringArray::from(vec!["a.com"])))]);
    let cases: [(&str, Vec<u8>, bool); 13] = [
        ("robots.txt", b"User-agent:\t*\nDisallow:\t/".to_vec(), false),
        ("robots.txt.gz", gzip(b"User-agent: *\nDisallow: /"), false),
        ("empty", vec![], false),
        ("spaces", b"host\tx\n".to_vec(), false),
        ("page", b"<html>{}".to_vec(), false),
        ("named.warc", b"User-agent: *".to_vec(), true),
        ("named.jsonl.zst", zstd_frame(b"User-agent: *", &[]), true),
        ("lines", b"\n {\"host\": 1}".to_vec(), true),
        ("table", b"\xef\xbb\xbfBody\tHost\r\n".to_vec(), true),
        ("archive", warc.clone(), true),
        ("archive-gz", gzip(&warc), true),
        ("archive-zst", zstd_frame(&warc, &[]), true),
        ("rows", std::fs::read(&table).unwrap(), true),
    ];
    for (name, bytes, expected) in cases {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(capture::holds_captures(&path).unwrap(), expected, "{name}");
    }
    assert!(capture::holds_captures(directory.path()).unwrap());
    assert!(!capture::holds_captures(Path::new("-")).unwrap());
    assert!(capture::holds_captures(&directory.path().join("missing")).is_err());
}

#[test]
fn the_first_bytes_give_the_format_if_the_name_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let warc = response("http://a.com/robots.txt", "2024-05-01", "HTTP/1.1 200 OK", b"x");
    let dictionary = crate::support::dictionary_frame(&warc);
    let json = b"{\"host\": \"a\", \"body\": \"x\"}\n".to_vec();
    let tsv = b"host\tbody\na\tx\n".to_vec();
    let column: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let table = directory.path().join("table");
    write_table(&table, vec![("host", column.clone()), ("body", column)]);
    assert_eq!(read(&table), ["x|||x|1"]);
    let captured = "http://a.com/robots.txt|200|2024-05-01T00:00:00Z|x|1";
    for (name, bytes, expected) in [
        ("plain", warc.clone(), captured),
        ("gzip", gzip(&warc), captured),
        ("zstd", zstd_frame(&warc, &[]), captured),
        ("dictionary", [dictionary, zstd_frame(&warc, &warc)].concat(), captured),
        ("data.gz", gzip(&warc), captured),
        ("a.WARC.GZ", gzip(&warc), captured),
        ("json", json.clone(), "a|||x|1"),
        ("data.zst", zstd_frame(&json, &[]), "a|||x|1"),
        ("a.ndjson.gz", gzip(&json), "a|||x|1"),
        ("tabs", tsv.clone(), "a|||x|2"),
        ("tabs.gz", gzip(&tsv), "a|||x|2"),
        ("a.tsv.zst", zstd_frame(&tsv, &[]), "a|||x|2"),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path), [expected], "{name}");
    }
    let path = directory.path().join("text");
    std::fs::write(&path, "User-agent: *\n").unwrap();
    let message = "text: no captures found; this looks like a single robots.txt (name its site with --host)";
    assert_eq!(read(&path), [message]);
    std::fs::write(&path, "nonsense\n").unwrap();
    let message = "text: expected captures, found text that is no JSON, TSV or WARC (name the site of a robots.txt with --host)";
    assert_eq!(read(&path), [message]);
    // The beginning may be cut.
    std::fs::write(&path, "nonsense\n{\"host\": \"a\"}\n").unwrap();
    assert_eq!(read(&path)[0], "text:1: expected a JSON object, in a line without a readable site");
}

/// JSON lines, TSV and Parquet read the same captures from these columns.
#[test]
fn the_first_column_with_a_value_counts() {
    let rows = [
        [Some("200"), Some("204"), None, Some("2024-01-01"), Some("2025-01-01"), Some("b"), Some("b")],
        [None, Some("404"), None, None, Some("2025-01-01"), Some("b"), Some("c")],
        [None, None, Some("503"), None, None, None, Some("c")],
        [None, None, None, None, None, None, Some("c")],
    ];
    let names = ["status", "http_status", "fetch_status", "time", "timestamp", "body", "content"];
    let expected = [
        "a.com|200|2024-01-01T00:00:00Z|b|",
        "a.com|404|2025-01-01T00:00:00Z|b|",
        "a.com|503||c|",
        "a.com|||c|",
    ];
    // The order of the columns does not matter.
    for order in [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0]] {
        let column = |column: usize| -> ArrayRef {
            Arc::new(rows.iter().map(|row| row[column]).collect::<StringArray>())
        };
        let host: ArrayRef = Arc::new(StringArray::from(vec!["a.com"; rows.len()]));
        let columns = order.map(|place| (names[place], column(place)));
        let table = read_table([&[("host", host)], &columns[..]].concat());
        let line = |cells: &mut dyn Iterator<Item = &str>| cells.collect::<Vec<_>>().join("\t") + "\n";
        let lines = rows.iter().map(|row| {
            let cells = order.map(|place| row[place].unwrap_or("\\N"));
            line(&mut std::iter::once("a.com").chain(cells))
        });
        let header = line(&mut std::iter::once("host").chain(order.map(|place| names[place])));
        let tsv = read_tsv(&std::iter::once(header).chain(lines).collect::<String>());
        for (row, expected) in expected.iter().enumerate() {
            assert_eq!(table[row], format!("{expected}{}", row + 1), "{order:?}");
            assert_eq!(tsv[row], format!("{expected}{}", row + 2), "{order:?}");
        }
    }
}

/// A table may have an empty text for null.
#[test]
fn an_empty_body_gives_way_to_one_that_is_not() {
    let names = ["body_b64", "body", "content"];
    for (cells, expected) in [
        (["", "x", ""], "a.com|||x|"),
        (["", "", "x"], "a.com|||x|"),
        (["eA==", "", ""], "a.com|||x|"),
        (["eA==", "x", "x"], "a.com|||x|"),
        (["eA==", "y", ""], "failed: "),
        (["", "x", "y"], "failed: "),
        (["eA==", "", "y"], "failed: "),
    ] {
        let columns = names.into_iter().zip(cells);
        let columns = std::iter::once(("host", "a.com")).chain(columns);
        let column = |(name, cell)| (name, Arc::new(StringArray::from(vec![cell])) as ArrayRef);
        let (header, row): (Vec<_>, Vec<_>) = columns.clone().unzip();
        let tsv = read_tsv(&format!("{}\n{}\n", header.join("\t"), row.join("\t")));
        for item in [read_table(columns.map(column).collect()), tsv].concat() {
            assert!(item.starts_with(expected), "{cells:?}: {item}");
        }
    }
}

#[test]
fn numbers_out_of_range_are_errors_of_their_row() {
    let table = |name, numbers: Vec<u64>| {
        let rows = numbers.len();
        read_table(vec![
            ("host", Arc::new(StringArray::from(vec!["a.com"; rows]))),
            (name, Arc::new(UInt64Array::from(numbers))),
            ("body", Arc::new(StringArray::from(vec!["b"; rows]))),
        ])
    };
    let items = table("status", vec![200, u64::MAX, 1 << 63, 65_536]);
    assert_eq!(items[0], "a.com|200||b|1");
    for (row, item) in items.iter().enumerate().skip(1) {
        let error = format!(
            "failed: r.parquet:{}: expected an HTTP status, \"success\" or null in \"status\"",
            row + 1
        );
        assert!(item.starts_with(&error), "{item}");
    }
    let items = table("timestamp", vec![20_240_501_000_000, u64::MAX]);
    assert_eq!(items[0], "a.com||2024-05-01T00:00:00Z|b|1");
    assert!(items[1].contains("in \"timestamp\", found a number out of range"), "{items:?}");
}

#[test]
fn an_exact_column_name_counts_before_one_in_other_case() {
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
    let columns =
        [("HOST", "x.com"), ("Body", "wrong"), ("body", "right"), ("host", "a.com"), ("Status", "404")];
    let table = read_table(columns.iter().map(|(name, value)| (*name, text(value))).collect());
    assert_eq!(table, ["a.com|404||right|1"]);
    let line =
        |of: fn(&(&'static str, &'static str)) -> &'static str| columns.iter().map(of).collect::<Vec<_>>();
    let tsv = [line(|column| column.0), line(|column| column.1)].map(|line| line.join("\t") + "\n").concat();
    assert_eq!(read_tsv(&tsv), ["a.com|404||right|2"]);
}

/// Spark and Impala write such times.
#[test]
fn times_in_int96_may_be_of_any_year() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.parquet");
    let schema =
        "message m { required binary url (UTF8); required binary body (UTF8); required int96 time; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for _ in 0..2 {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&vec!["http://a.com/".into(); 3], None, None).unwrap();
        column.close().unwrap();
    }
    // Julian days, after the nanoseconds of the day: the beginnings of 2020, 3000 and 1600.
    let times: Vec<Int96> = [2_458_850, 2_816_788, 2_305_448].map(|day| vec![0, 0, day].into()).into();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int96Type>().write_batch(&times, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let captures = read(&path);
    assert_eq!(captures[0], "http://a.com/||2020-01-01T00:00:00Z|http://a.com/|1");
    for (capture, found) in captures[1..].iter().zip(["32503680000000000", "-11676096000000000"]) {
        assert!(
            capture.ends_with(&format!(" of the years 1994 to 2200 in \"time\", found {found}")),
            "{capture}"
        );
    }
    // So do those of logs. Rows that are written again keep theirs.
    let log = Frontier::of_logs([&path], None).blocks().next().unwrap().unwrap();
    let FrontierContent::Rows(rows) = &log.content else { panic!("rows") };
    let log = LogRows::new(rows);
    let all = Frontier::new([&path]).with_row_columns(RowColumns::All).blocks().next().unwrap().unwrap();
    let FrontierContent::Rows(rows) = &all.content else { panic!("rows") };
    let cells = rows.cells().unwrap();
    for (row, year) in ["2020", "3000", "1600"].iter().enumerate() {
        match log.read(row) {
            Ok(LogLine::Entry(entry)) => assert_eq!(entry.time.to_string(), "2020-01-01T00:00:00Z"),
            read => assert!(row > 0 && read.is_err(), "row {row}"),
        }
        let time = cells.row(row).unwrap().pop().unwrap().1.unwrap().text.into_owned();
        assert_eq!(time, format!("{year}-01-01T00:00:00"));
    }
}
