//! How much of a file is in memory at once.

use arrow_array::types::Int8Type;
use arrow_array::{
    BinaryArray, DictionaryArray, FixedSizeBinaryArray, LargeStringArray, ListArray, StringArray,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use super::*;
use crate::rows::RowColumns;

/// The length of a text that all rows share.
const LONG: usize = 1 << 20;
const ROWS: usize = 200;

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>, properties: WriterProperties) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Properties with which a long text is written once.
fn shared() -> WriterProperties {
    WriterProperties::builder().set_dictionary_page_size_limit(4 * LONG).build()
}

/// A long text for each row.
fn long() -> StringArray {
    let text = format!("http://a.com/{}", "x".repeat(LONG));
    StringArray::from_iter_values(std::iter::repeat_n(text, ROWS))
}

fn batches(path: &Path, read: RowColumns) -> Vec<UrlRows> {
    RowReader::open(path, None, read, 0, &Meter::default()).unwrap().map(Result::unwrap).collect()
}

#[test]
fn rows_with_long_urls_are_used_a_few_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    write(&path, vec![("url", Arc::new(long()))], shared());
    assert!(path.metadata().unwrap().len() < 4 * LONG as u64, "the text is written once");
    for read in [RowColumns::Url, RowColumns::All] {
        let batches = batches(&path, read);
        assert!(batches.iter().all(|rows| rows.len() * LONG <= BATCH_BYTES), "{read:?}");
        let mut before = 0;
        for rows in &batches {
            assert_eq!(rows.rows_before(), before);
            assert!((0..rows.len()).all(|row| rows.url(row).is_some()));
            before += rows.len() as u64;
        }
        assert_eq!(before, ROWS as u64, "{read:?}");
    }
}

#[test]
fn a_body_that_captures_share_is_in_memory_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let url: ArrayRef = Arc::new(StringArray::from(vec!["http://a.com/"; ROWS]));
    write(&path, vec![("url", url), ("body", Arc::new(long()))], shared());
    let mut captures = TableCaptures::open(&path, &Meter::default()).unwrap();
    assert_eq!(captures.next().unwrap().unwrap().body.len(), long().value_length(0) as usize);
    assert!(captures.bytes() < 4 * LONG, "{} bytes", captures.bytes());
    assert_eq!(captures.filter(Result::is_ok).count(), ROWS - 1);
}

#[test]
fn few_rows_are_read_at_once_if_their_texts_are_copied() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let url: ArrayRef = Arc::new(StringArray::from(vec!["http://a.com/"; ROWS]));
    let most = |name: &str, column: ArrayRef, properties: WriterProperties| {
        write(&path, vec![("url", Arc::clone(&url)), (name, column)], properties);
        batches(&path, RowColumns::All).iter().map(UrlRows::len).max().unwrap()
    };
    let delta = WriterProperties::builder()
        .set_column_dictionary_enabled(ColumnPath::from("text"), false)
        .set_column_encoding(ColumnPath::from("text"), Encoding::DELTA_BYTE_ARRAY)
        .build();
    let plain = WriterProperties::default;
    assert_eq!(most("text", Arc::clone(&url), plain()), ROWS);
    assert_eq!(most("text", Arc::clone(&url), delta), COPIED_ROWS);
    let lists = ListArray::from_nested_iter::<arrow_array::builder::StringBuilder, _, _, _>(
        std::iter::repeat_n([Some("x")], ROWS).map(Some),
    );
    assert_eq!(most("list", Arc::new(lists), plain()), COPIED_ROWS);
    let fixed = FixedSizeBinaryArray::try_from_iter(std::iter::repeat_n(vec![0; LONG], ROWS)).unwrap();
    assert_eq!(most("fixed", Arc::new(fixed), shared()), BATCH_BYTES / LONG);
}

#[test]
fn rows_are_written_again_in_the_types_in_which_they_were_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let words: DictionaryArray<Int8Type> = vec!["a", "b", "a"].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("url", Arc::new(StringArray::from(vec!["http://a.com/", "", "http://b.com/"]))),
        (
            "large",
            Arc::new(LargeStringArray::from(vec![Some("x"), None, Some("a text of more than 12 bytes")])),
        ),
        ("bytes", Arc::new(BinaryArray::from_iter_values([b"\xff", b"\xfe", b"\0"]))),
        ("words", Arc::new(words)),
    ];
    let batch = RecordBatch::try_from_iter(columns.clone()).unwrap();
    write(&path, columns, WriterProperties::default());
    let rows = batches(&path, RowColumns::All);
    let [rows] = &rows[..] else { panic!("{} batches", rows.len()) };
    assert_eq!(rows.batch.schema().fields(), batch.schema().fields());
    let text = |batch: &RecordBatch, column: usize| {
        arrow_cast::cast(batch.column(column), &DataType::Binary).unwrap()
    };
    for column in 0..batch.num_columns() {
        assert_eq!(*text(&rows.batch, column), *text(&batch, column));
    }
}

/// A URL without its query would match other rules.
#[test]
fn parts_are_a_url_if_none_but_the_port_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let all = [
        ("url", "https://a.com/whole?q"),
        ("url_protocol", "https"),
        ("url_host_name", "a.com"),
        ("url_port", "8080"),
        ("url_path", "/parts"),
        ("url_query", "q"),
    ];
    let read = |missing: &[&str]| {
        let columns = all.into_iter().filter(|(name, _)| !missing.contains(name));
        let columns = columns.map(|(name, text)| (name, Arc::new(StringArray::from(vec![text])) as ArrayRef));
        write(&path, columns.collect(), WriterProperties::default());
        let rows = RowReader::open(&path, None, RowColumns::Url, 0, &Meter::default());
        rows.map(|mut rows| format!("{:?}", rows.next().unwrap().unwrap().url(0).unwrap()))
            .map_err(|error| error.to_string())
    };
    let (whole, parts) = (read(&all.map(|(name, _)| name)[1..]), read(&["url"]));
    assert!(whole.is_ok() && parts.is_ok() && whole != parts, "{whole:?}, {parts:?}");
    assert_eq!(read(&[]), parts);
    for part in &all.map(|(name, _)| name)[1..] {
        assert_eq!(read(&[part]), whole, "{part}");
    }
    assert!(read(&["url", "url_port"]).is_ok());
    for missing in [&["url", "url_query"][..], &["url", "url_query", "url_port"]] {
        let error = read(missing).unwrap_err();
        assert!(error.contains("expected a column \"url\" or \"url_query\", found "), "{error}");
    }
    assert!(read(&["url", "url_path"]).unwrap_err().contains("expected a column \"url\", found "));
}
