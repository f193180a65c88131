//! Compares columns with the library's answers, row by row.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, Int32Array, Int64Array, LargeBinaryArray,
    LargeStringArray, NullArray, StringArray, StringViewArray, UInt16Array,
};
use robomata_columns::{
    ColumnsError, Query, Urls, allowed, check_url, holds, site_count, sites, verdict_fields, verdicts,
};
use robomata_engine::{
    Answer, Audience, Config, Crawler, Dialect, FetchStatus, Moment, Policy, PolicyCompiler, PolicySet,
    PolicySetError, PolicyStore, ShardFiles, ShardManifest, Site, StoreBuilder, StoreKind, Usage, UsageQuery,
};

const HOSTS: usize = 40;

/// A store whose rules differ from host to host; some hosts have no rules.
fn store(day: &str) -> PolicyStore {
    let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
    let mut compiler = PolicyCompiler::new(&kind);
    let mut builder = StoreBuilder::new(kind.clone());
    for host in 0..HOSTS {
        let robots =
            format!("User-agent: *\n# {day}\nDisallow: /{day}{host}\nAllow: /*.html\nDisallow: /?\n");
        let status = FetchStatus::Code(if host % 7 == 0 { 404 } else { 200 });
        let policy = Policy::fetched(robots.as_bytes(), Some(status), &Config::new(Dialect::Rfc9309));
        let site = format!("https://h{host}.example");
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &compiler.compile(&policy), None);
    }
    builder.build()
}

fn urls() -> Vec<Option<String>> {
    let mut urls: Vec<Option<String>> = Vec::new();
    for number in 0..600usize {
        // Sorted by site at first, then in no order.
        let host = if number < 200 { number / 10 } else { number * 7919 % (HOSTS + 3) };
        urls.push(Some(format!("https://h{host}.example/a{}", number % 50)));
        urls.push((number % 5 != 0).then(|| format!("https://h{host}.example/?q={number}")));
        urls.push(Some(format!("HTTPS://H{host}.Example:443/a{host}.html#f")));
    }
    urls.extend(
        ["", "x", "/a1", "ftp://h1.example/", "https://h1.example:99999/"].map(|url| Some(url.into())),
    );
    urls
}

fn expected(store: &PolicyStore, urls: &[Option<String>]) -> Vec<Option<Answer>> {
    let crawler = Crawler::new("ExampleBot");
    let check = |url: &String| store.checker(&crawler).unwrap().check(url.as_bytes());
    urls.iter().map(|url| url.as_ref().map(check)).collect()
}

fn crawl_query() -> Query {
    Query::new("ExampleBot", None).unwrap()
}

/// Asserts that the columns for `urls` equal the library's answers.
fn assert_answers(policies: &PolicySet, urls: &Urls, expected: &[Option<Answer>]) {
    let columns = verdicts(policies, &crawl_query(), urls).unwrap();
    assert_eq!(columns.fields(), &verdict_fields());
    let (words, reasons) = (columns.column(0).as_string::<i32>(), columns.column(2).as_string::<i32>());
    let lines = columns.column(1).as_primitive::<UInt32Type>();
    let allowed = allowed(policies, &crawl_query(), urls).unwrap();
    assert_eq!((columns.len(), allowed.len()), (expected.len(), expected.len()));
    for (row, answer) in expected.iter().enumerate() {
        let Some(answer) = answer else {
            assert!(columns.is_null(row) && allowed.is_null(row), "row {row}");
            continue;
        };
        assert!(columns.is_valid(row), "row {row}");
        assert_eq!((words.value(row), reasons.value(row)), (answer.as_str(), answer.reason()), "row {row}");
        let line = lines.is_valid(row).then(|| lines.value(row));
        assert_eq!(line, Some(answer.line()).filter(|&line| line > 0), "row {row}");
        let access = allowed.is_valid(row).then(|| allowed.value(row));
        assert_eq!(
            access,
            matches!(answer, Answer::Verdict(_)).then(|| answer.as_str() == "allow"),
            "row {row}"
        );
    }
}

fn write(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(new, path).unwrap();
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes `store` in shards and returns the name of the sharded bundle.
fn shards(folder: &Path, store: &PolicyStore, count: u32) -> String {
    let divided = store.shards(count);
    let files = ShardFiles::new(&folder.join("s"), count).unwrap();
    let mut manifest = ShardManifest(Vec::new());
    for shard in 0..count {
        let mut bytes = Vec::new();
        manifest.0.push(divided.write(shard as usize, &mut bytes).unwrap().fingerprint);
        write(&files.file(shard), &bytes);
    }
    std::fs::write(files.manifest(), manifest.to_string()).unwrap();
    name(&folder.join(format!("s-*-of-{count:05}.bundle"))).to_owned()
}

#[test]
fn every_layout_of_text_is_answered_as_the_library_answers() {
    let (store, urls) = (store("day"), urls());
    let answers = expected(&store, &urls);
    for word in ["allow", "disallow", "unknown", "invalid"] {
        assert!(
            answers.iter().flatten().any(|answer| answer.as_str() == word),
            "{word} is among the answers"
        );
    }
    let policies = PolicySet::of_store(store);
    let texts = || urls.iter().map(Option::as_deref);
    let bytes = || texts().map(|url| url.map(str::as_bytes));
    let layouts: [ArrayRef; 6] = [
        Arc::new(texts().collect::<StringArray>()),
        Arc::new(texts().collect::<LargeStringArray>()),
        Arc::new(texts().collect::<StringViewArray>()),
        Arc::new(bytes().collect::<BinaryArray>()),
        Arc::new(bytes().collect::<LargeBinaryArray>()),
        Arc::new(bytes().collect::<BinaryViewArray>()),
    ];
    for array in layouts {
        assert_answers(&policies, &Urls::whole(&array).unwrap(), &answers);
        // An array that starts inside its buffers and ends inside a group.
        let slice = array.slice(13, 101);
        assert_answers(&policies, &Urls::whole(&slice).unwrap(), &answers[13..114]);
    }
    let none = NullArray::new(3);
    assert_answers(&policies, &Urls::whole(&none).unwrap(), &[None, None, None]);
    assert_answers(&policies, &Urls::whole(&StringArray::from(Vec::<&str>::new())).unwrap(), &[]);
}

#[test]
fn parts_get_the_answers_of_their_whole_urls() {
    let store = store("day");
    let protocols = ["https", "https", "https", "http", "HTTPS", "https", "ftp", "https"];
    let hosts = [
        "h1.example",
        "h1.example",
        "H1.example",
        "h1.example",
        "h2.example",
        "h9999",
        "h1.example",
        "h3.example",
    ];
    let ports = [None, Some(443), Some(-1), Some(80), Some(70_000), None, None, Some(-2)];
    let paths = ["/day1", "/a", "", "/day1", "/", "/", "/", "/"];
    let queries = [None, Some("q"), Some(""), None, None, None, None, None];
    let urls = [
        "https://h1.example/day1",
        "https://h1.example:443/a?q",
        "https://H1.example",
        "http://h1.example:80/day1",
        "",
        "https://h9999/",
        "ftp://h1.example/",
        "",
    ];
    let urls: Vec<Option<String>> = urls.iter().map(|url| Some((*url).to_owned())).collect();
    let mut answers = expected(&store, &urls);
    answers.push(None);
    answers.push(None);
    let with_nulls = |texts: [&'static str; 8], null: usize| -> StringViewArray {
        let rows = texts.into_iter().map(Some).chain([Some("https"), Some("https")]);
        rows.enumerate().map(|(row, text)| text.filter(|_| row != null)).collect()
    };
    let (protocol, host) = (with_nulls(protocols, 8), with_nulls(hosts, 9));
    let path: LargeStringArray = paths.into_iter().map(Some).chain([None, None]).collect();
    let query: StringArray = queries.into_iter().chain([None, None]).collect();
    let port: Int32Array = ports.into_iter().chain([None, None]).collect();
    let wide: Int64Array = port.iter().map(|port| port.map(i64::from)).collect();
    let folder = tempfile::tempdir().unwrap();
    let sharded = PolicySet::open(shards(folder.path(), &store, 5)).unwrap();
    let whole = PolicySet::of_store(store);
    for policies in [&whole, &sharded] {
        for port in [&port as &dyn Array, &wide] {
            let urls = Urls::parts(&protocol, &host, port, &path, &query).unwrap();
            assert_answers(policies, &urls, &answers);
        }
    }
}

#[test]
fn ports_of_any_integer_type_and_null_ports_are_read() {
    let policies = PolicySet::of_store(store("day"));
    let text = |text: &'static str| StringArray::from(vec![text, text]);
    let [protocol, host, path] = ["https", "h1.example", "/day1"].map(text);
    let ports: [ArrayRef; 2] =
        [Arc::new(UInt16Array::from(vec![Some(443), None])), Arc::new(NullArray::new(2))];
    let query = NullArray::new(2);
    for port in ports {
        let urls = Urls::parts(&protocol, &host, &port, &path, &query).unwrap();
        let allowed = allowed(&policies, &crawl_query(), &urls).unwrap();
        assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(false), Some(false)]);
    }
}

#[test]
fn shards_are_opened_at_the_first_url_of_their_hosts() {
    let (store, urls) = (store("day"), urls());
    let answers = expected(&store, &urls);
    let folder = tempfile::tempdir().unwrap();
    let name = shards(folder.path(), &store, 8);
    let column: StringArray = urls.iter().map(Option::as_deref).collect();

    let policies = PolicySet::open(&name).unwrap();
    let site = Site::of_url(b"https://h1.example").unwrap();
    let others = (0..8).filter(|&shard| shard != site.shard(8));
    let hidden: Vec<_> = others
        .map(|shard| folder.path().join(format!("s-{shard:05}-of-00008.bundle")))
        .map(|path| (path.with_extension("hidden"), path))
        .collect();
    for (hiding_place, path) in &hidden {
        std::fs::rename(path, hiding_place).unwrap();
    }
    let one = StringArray::from(vec!["https://h1.example/day1", "x"]);
    let found = allowed(&policies, &crawl_query(), &Urls::whole(&one).unwrap()).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [Some(false), None]);
    let error = allowed(&policies, &crawl_query(), &Urls::whole(&column).unwrap()).unwrap_err();
    assert!(
        matches!(&error, ColumnsError::Policies(PolicySetError::Open { path, .. })
            if hidden.iter().any(|(_, hidden)| hidden == path)),
        "{error}"
    );

    for (hiding_place, path) in &hidden {
        std::fs::rename(hiding_place, path).unwrap();
    }
    assert_answers(&policies, &Urls::whole(&column).unwrap(), &answers);
    assert_eq!(site_count(&policies).unwrap(), HOSTS);
    assert_eq!(sites(&policies).collect::<Result<Vec<_>, _>>().unwrap().len(), HOSTS);
    assert!(holds(&policies, b"https://h1.example/x").unwrap());
    assert!(!holds(&policies, b"http://h1.example/x").unwrap() && !holds(&policies, b"x").unwrap());
}

#[test]
fn a_pinned_name_refuses_another_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p#1.bundle");
    write(&path, store("monday").bytes());
    let pinned = PolicySet::open(name(&path)).unwrap().pinned_name();
    PolicySet::open(&pinned).unwrap();
    write(&path, store("tuesday").bytes());
    let error = PolicySet::open(&pinned).unwrap_err();
    assert!(matches!(error, PolicySetError::Stale { .. }), "{error}");
    assert!(matches!(PolicySet::shared(&pinned), Err(PolicySetError::Stale { .. })));
}

#[test]
fn shards_of_two_days_are_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let sharded = shards(folder.path(), &store("monday"), 3);
    let files = ShardFiles::of_pattern(&sharded).unwrap();
    let manifest = std::fs::read(files.manifest()).unwrap();
    let pinned = PolicySet::open(&sharded).unwrap().pinned_name();
    assert_ne!(pinned, sharded);
    let mondays = PolicySet::shared(&pinned).unwrap();
    let column = StringArray::from(vec!["https://h1.example/monday1"]);
    let urls = Urls::whole(&column).unwrap();
    assert!(!allowed(&mondays, &crawl_query(), &urls).unwrap().value(0));

    shards(folder.path(), &store("tuesday"), 3);
    assert!(matches!(PolicySet::open(&pinned), Err(PolicySetError::Stale { .. })));
    assert!(matches!(PolicySet::shared(&pinned), Err(PolicySetError::Stale { .. })));
    let tuesdays = PolicySet::shared(&sharded).unwrap();
    assert!(allowed(&tuesdays, &crawl_query(), &urls).unwrap().value(0));
    PolicySet::shared(&tuesdays.pinned_name()).unwrap();

    // Shards of one day with the manifest of another.
    std::fs::write(files.manifest(), manifest).unwrap();
    let mixed = PolicySet::open(&sharded).unwrap();
    let error = allowed(&mixed, &crawl_query(), &urls).unwrap_err();
    let ColumnsError::Policies(PolicySetError::Stale { name, .. }) = &error else { panic!("{error}") };
    assert_eq!(*name, files.file(Site::of_url(b"https://h1.example").unwrap().shard(3)));

    std::fs::write(files.manifest(), "nonsense\n").unwrap();
    assert!(matches!(PolicySet::open(&sharded), Err(PolicySetError::Name { .. })));
    std::fs::remove_file(files.manifest()).unwrap();
    assert!(matches!(PolicySet::open(&sharded), Err(PolicySetError::Manifest { .. })));
}

#[test]
fn a_process_opens_a_bundle_once_and_reopens_a_replaced_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.bundle");
    write(&path, store("monday").bytes());
    let first = PolicySet::shared(name(&path)).unwrap();
    let again = PolicySet::shared(&first.pinned_name()).unwrap();
    assert!(Arc::ptr_eq(&first, &again));

    write(&path, store("tuesday").bytes());
    let column = StringArray::from(vec!["https://h1.example/monday1"]);
    let urls = Urls::whole(&column).unwrap();
    let second = PolicySet::shared(name(&path)).unwrap();
    assert!(!Arc::ptr_eq(&first, &second));
    // Users of the old bundle keep it.
    assert!(!allowed(&first, &crawl_query(), &urls).unwrap().value(0));
    assert!(allowed(&second, &crawl_query(), &urls).unwrap().value(0));
}

#[test]
fn errors_give_the_reason() {
    let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("ExampleBot")]);
    let policies = PolicySet::of_store(StoreBuilder::new(kind).build());
    let column = StringArray::from(vec!["https://h1.example/"]);
    let urls = Urls::whole(&column).unwrap();
    let other = allowed(&policies, &Query::new("OtherBot", None).unwrap(), &urls).unwrap_err().to_string();
    assert!(other.contains("'OtherBot'") && other.contains("'ExampleBot'"), "{other}");
    let usage = allowed(&policies, &Query::new("ExampleBot", Some(Usage::AiTrain.as_str())).unwrap(), &urls);
    assert!(matches!(usage, Err(ColumnsError::UnsupportedQueryError { .. })));
    assert!(Query::new("ExampleBot", Some("eating")).unwrap_err().to_string().contains("eating"));

    let numbers = Int64Array::from(vec![1]);
    let error = Urls::whole(&numbers).err().unwrap().to_string();
    assert!(error.starts_with("url: expected text") && error.ends_with("found Int64"), "{error}");
    let two = StringArray::from(vec!["a", "b"]);
    let error = Urls::parts(&column, &two, &numbers, &column, &column).err().unwrap().to_string();
    assert_eq!(error, "host: expected as many rows as protocols, found 2");
    let error = Urls::parts(&column, &column, &column, &column, &column).err().unwrap().to_string();
    assert_eq!(error, "port: expected an integer, found Utf8");

    let missing = PolicySet::open("no such.bundle").unwrap_err().to_string();
    assert!(missing.starts_with("no such.bundle: cannot be read"), "{missing}");
    for name in ["a-*.bundle", "a-*-of-00000.bundle", "a-*-of-x.bundle", "a-*-of-4000000000.bundle"] {
        assert!(matches!(PolicySet::open(name), Err(PolicySetError::Name { .. })), "{name}");
    }
}

#[test]
fn crawler_names_are_parsed_as_elsewhere() {
    let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("ExampleBot")]);
    let robots = b"User-agent: ExampleBot\nDisallow: /x\n";
    let policy = Policy::new(robots, &Config::new(Dialect::Rfc9309));
    let mut builder = StoreBuilder::new(kind.clone());
    builder.insert(
        &Site::of_url(b"https://a.example").unwrap(),
        &PolicyCompiler::new(&kind).compile(&policy),
        None,
    );
    let policies = PolicySet::of_store(builder.build());
    for name in ["ExampleBot", "examplebot", "ExampleBot/2.1", "Mozilla/5.0 (compatible; ExampleBot/2.1)"] {
        let answer = check_url(&policies, &Query::new(name, None).unwrap(), b"https://a.example/x").unwrap();
        assert_eq!((answer.as_str(), answer.line()), ("disallow", 2), "{name}");
    }
    for (name, why) in [
        ("", "name is empty"),
        ("Mozilla/5.0 (X11; Linux) Firefox/60.0", "names a browser"),
        ("Example Bot", "not a product token"),
    ] {
        let query = Query::new(name, None)
            .and_then(|crawl_query| check_url(&policies, &crawl_query, b"https://a.example/x"));
        let error = query.unwrap_err();
        assert!(matches!(error, ColumnsError::Crawler(_)), "{name}: {error}");
        assert!(error.to_string().contains(why), "{name}: {error}");
    }
    let about_training = Query::new("ExampleBot", Some("ai-train")).unwrap();
    let error = check_url(&policies, &about_training, b"https://a.example/x").unwrap_err();
    assert!(matches!(error, ColumnsError::UnsupportedQueryError { .. }), "{error}");
}

#[test]
fn an_expired_permission_does_not_count() {
    let usage_query = UsageQuery { usage: "preserve".parse::<Usage>().unwrap(), purpose: None };
    let kind = StoreKind {
        usage_query: usage_query.clone(),
        ..StoreKind::new(Dialect::Acap, Audience::Crawlers(vec![Crawler::new("ExampleBot")]))
    };
    let robots = b"ACAP-crawler: *\nACAP-disallow-preserve: /\n\
        ACAP-allow-preserve: /dated/ time-limit=until-2007-12-31\nACAP-allow-crawl: /\n";
    let mut builder = StoreBuilder::new(kind.clone());
    let policy = Policy::new(robots, &Config::new(Dialect::Acap));
    builder.insert(
        &Site::of_url(b"https://a.example").unwrap(),
        &PolicyCompiler::new(&kind).compile(&policy),
        None,
    );
    let policies = PolicySet::of_store(builder.build());
    let url = "https://a.example/dated/x";
    let crawl_query = Query::new("ExampleBot", Some("preserve")).unwrap();
    let column = StringArray::from(vec![url]);
    let parts: [ArrayRef; 5] = [
        Arc::new(StringArray::from(vec!["https"])),
        Arc::new(StringArray::from(vec!["a.example"])),
        Arc::new(Int32Array::from(vec![None])),
        Arc::new(StringArray::from(vec!["/dated/x"])),
        Arc::new(StringArray::from(vec![None::<&str>])),
    ];
    let [protocol, host, port, path, query] = &parts;
    let answers = |crawl_query: &Query| {
        let whole = allowed(&policies, crawl_query, &Urls::whole(&column).unwrap()).unwrap();
        let parts = Urls::parts(protocol, host, port, path, query).unwrap();
        let parts = allowed(&policies, crawl_query, &parts).unwrap();
        let one = check_url(&policies, crawl_query, url.as_bytes()).unwrap();
        [whole.value(0), parts.value(0), one.as_str() == "allow"]
    };
    // The clock is past 2007, and 1199145600 is the first second of 2008.
    assert_eq!(answers(&crawl_query), [false; 3]);
    assert_eq!(answers(&crawl_query.clone().at(Moment::from_seconds(1_199_145_599))), [true; 3]);
    assert_eq!(answers(&crawl_query.at(Moment::from_seconds(1_199_145_600))), [false; 3]);
}

#[test]
fn a_damaged_bundle_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.bundle");
    let whole = store("day").bytes().to_vec();
    // A sample of all single bits.
    for bit in (0..whole.len() * 8).step_by(97) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, bytes).unwrap();
        let error = PolicySet::open(&path).unwrap_err();
        assert!(matches!(error, PolicySetError::Open { .. }), "bit {bit}: {error}");
    }
    for length in (0..whole.len()).step_by(997) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(PolicySet::open(&path), Err(PolicySetError::Open { .. })), "{length} bytes");
    }
}

#[test]
fn a_change_right_after_opening_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.bundle");
    let days = ["monday", "friday"].map(|day| store(day).bytes().to_vec());
    assert_eq!(days[0].len(), days[1].len());
    std::fs::write(&path, &days[0]).unwrap();
    for day in (0..50).map(|round| &days[(round + 1) % 2]) {
        let before = PolicySet::shared(name(&path)).unwrap();
        // The same length, the same inode, and often the same time.
        std::fs::write(&path, day).unwrap();
        assert_ne!(PolicySet::shared(name(&path)).unwrap().fingerprint(), before.fingerprint());
    }
}

/// Answers as words, for whole URLs.
fn words(policies: &PolicySet, urls: &Urls) -> Vec<String> {
    let columns = verdicts(policies, &crawl_query(), urls).unwrap();
    columns.column(0).as_string::<i32>().iter().map(|word| word.unwrap_or("null").to_owned()).collect()
}

/// The policies of one site.
fn one_site(robots: &str) -> PolicySet {
    let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
    let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
    let mut builder = StoreBuilder::new(kind.clone());
    let site = Site::of_url(b"https://a.example").unwrap();
    builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
    PolicySet::of_store(builder.build())
}

/// As in `filter` (`urls_have_no_blanks_around_them_and_no_control_characters` of the formats).
#[test]
fn blanks_around_a_url_do_not_count_and_control_characters_make_it_invalid() {
    let policies = one_site("User-agent: *\nDisallow: /*.pdf$\nDisallow: /private");
    let cases = [
        ("https://a.example/a.pdf ", "disallow"),
        ("https://a.example/a.pdf\t", "disallow"),
        (" \thttps://a.example/private", "disallow"),
        (" https://a.example/b ", "allow"),
        ("https://a.example/a.pdf\n", "invalid"),
        ("https://a.example/a.pdf\r", "invalid"),
        ("https://a.example/pri\tvate", "invalid"),
        ("https://a.example/pri\x7Fvate", "invalid"),
        ("\0https://a.example/private", "invalid"),
    ];
    let texts = StringArray::from_iter_values(cases.iter().map(|(url, _)| *url));
    let expected: Vec<&str> = cases.iter().map(|(_, word)| *word).collect();
    assert_eq!(words(&policies, &Urls::whole(&texts).unwrap()), expected);
    for (url, word) in cases {
        assert_eq!(check_url(&policies, &crawl_query(), url.as_bytes()).unwrap().as_str(), word, "{url:?}");
        assert_eq!(holds(&policies, url.as_bytes()).unwrap(), word != "invalid", "{url:?}");
    }
    let column = |texts: &[&'static str]| StringArray::from_iter_values(texts.iter().copied());
    let (hosts, ports) = (column(&["a.example"; 4]), NullArray::new(4));
    let (protocols, paths) =
        (column(&[" https", "https", "https", "https"]), column(&["/private ", "/a.pdf\t", "/b\n", "/b"]));
    let queries = StringArray::from_iter([None, None, None, Some("x \t")]);
    let parts = Urls::parts(&protocols, &hosts, &ports, &paths, &queries).unwrap();
    assert_eq!(words(&policies, &parts), ["disallow", "disallow", "invalid", "allow"]);
}

/// "The path must either be empty or begin with a slash" after an authority (RFC 3986, 3.3).
#[test]
fn parts_that_would_be_another_url_in_one_text_are_invalid() {
    let policies = one_site("User-agent: *\nDisallow: /private\nDisallow: /?x");
    let cases = [
        ("https", "a.example", "/private", None, "disallow"),
        ("https", "a.example", "", None, "allow"),
        ("https", "a.example", "private", None, "invalid"),
        ("https", "a.", "example/b", None, "invalid"),
        ("https", "b.example", "@a.example/b", None, "invalid"),
        ("https", "a.example", ":8443/private", None, "invalid"),
        ("https", "a.example", "?b", None, "invalid"),
        ("https", "a.example/", "/private", None, "invalid"),
        ("https", "a.example?", "/private", None, "invalid"),
        ("https", "a.example#", "/private", None, "invalid"),
        ("https", "user@a.example", "/b", None, "invalid"),
        ("https", r"a.example\b", "/b", None, "invalid"),
        ("https://a.example/?", "b.example", "/private", None, "invalid"),
        ("https", "a.example", "/", Some("x"), "disallow"),
        ("https", "a.example", "/", Some("?x"), "disallow"),
        ("https", "a.example", "/", Some("??x"), "allow"),
    ];
    let protocol = StringArray::from_iter_values(cases.iter().map(|case| case.0));
    let host = StringArray::from_iter_values(cases.iter().map(|case| case.1));
    let path = StringArray::from_iter_values(cases.iter().map(|case| case.2));
    let query: StringArray = cases.iter().map(|case| case.3).collect();
    let port = NullArray::new(cases.len());
    let urls = Urls::parts(&protocol, &host, &port, &path, &query).unwrap();
    for (answer, case) in words(&policies, &urls).iter().zip(cases) {
        assert_eq!(answer, case.4, "{case:?}");
    }
}

/// As `urlsplit` of Python, `URL.search` of JavaScript and `RawQuery` of Go write "no query".
#[test]
fn an_empty_query_in_parts_is_none() {
    let policies = one_site("User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?");
    let whole = StringArray::from_iter_values(["https://a.example/a.pdf", "https://a.example/a.pdf?"]);
    assert_eq!(words(&policies, &Urls::whole(&whole).unwrap()), ["disallow"; 2]);
    let cases = [
        ("/a.pdf", None, "disallow"),
        ("/a.pdf", Some(""), "disallow"),
        ("/a.pdf", Some(" \t"), "disallow"),
        ("/a.pdf", Some("?"), "disallow"),
        ("/b", None, "allow"),
        ("/b", Some(""), "allow"),
        ("/b", Some("?"), "allow"),
        ("/b", Some("x"), "disallow"),
        ("/b", Some(" x"), "disallow"),
    ];
    let [protocol, host] = ["https", "a.example"].map(|text| StringArray::from(vec![text; cases.len()]));
    let path = StringArray::from_iter_values(cases.iter().map(|case| case.0));
    let query: StringArray = cases.iter().map(|case| case.1).collect();
    let urls = Urls::parts(&protocol, &host, &NullArray::new(cases.len()), &path, &query).unwrap();
    for (answer, case) in words(&policies, &urls).iter().zip(cases) {
        assert_eq!(answer, case.2, "{case:?}");
    }
}

#[test]
fn a_path_and_a_query_in_the_wrong_order_are_invalid() {
    let policies = one_site("User-agent: *\nDisallow: /private");
    // The path, the query, and the answers in this order and in the other one.
    let cases = [
        (Some("/private"), None, "disallow", "invalid"),
        (Some("/private"), Some(""), "disallow", "invalid"),
        (Some("/private"), Some("x"), "disallow", "invalid"),
        (Some("/"), Some("/x"), "allow", "allow"),
        (Some(""), Some("x"), "allow", "invalid"),
        (None, Some("x"), "invalid", "invalid"),
        (None, Some(""), "allow", "allow"),
        (None, None, "allow", "allow"),
    ];
    let [protocol, host] = ["https", "a.example"].map(|text| StringArray::from(vec![text; cases.len()]));
    let path: StringArray = cases.iter().map(|case| case.0).collect();
    let query: StringArray = cases.iter().map(|case| case.1).collect();
    let port = NullArray::new(cases.len());
    let right = words(&policies, &Urls::parts(&protocol, &host, &port, &path, &query).unwrap());
    let wrong = words(&policies, &Urls::parts(&protocol, &host, &port, &query, &path).unwrap());
    for ((right, wrong), case) in right.iter().zip(&wrong).zip(cases) {
        assert_eq!((right.as_str(), wrong.as_str()), (case.2, case.3), "{case:?}");
    }
}
