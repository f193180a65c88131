//! `robomata check`.

use crate::support::{Folder, ROBOTS, SOURCE};

#[test]
fn one_line_a_url_in_the_order_given() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder
        .run("check --agent X --robots robots.txt https://any.example/private /private/press gopher://x /a");
    assert_eq!(
        ran.out,
        "disallow\thttps://any.example/private\nallow\t/private/press\nallow\tgopher://x\nallow\t/a\n"
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
}

#[test]
fn exit_codes_say_what_was_found() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let code = |urls: &str| folder.run(&format!("check --agent X --robots robots.txt {urls}")).code;
    assert_eq!(code("/a /b"), Some(0));
    assert_eq!(code("/a /private"), Some(1));
    assert_eq!(code("a.example/x /private"), Some(2));
    assert_eq!(folder.run("check --agent X --robots missing /a").code, Some(2));
    assert_eq!(folder.run("check --agent X /a").code, Some(2));
    assert_eq!(folder.run("check --robots robots.txt /a").code, Some(2));
    assert_eq!(folder.run("check --agent X --robots robots.txt --dialect bing /a").code, Some(2));
}

#[test]
fn what_is_no_url_is_invalid_in_every_dialect() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    for dialect in ["rfc9309", "google", "koster1996"] {
        let ran = folder.run(&format!(
            "check --agent X --robots robots.txt --dialect {dialect} mailto:a@b.example /private a.example/private"
        ));
        assert_eq!(ran.out, "invalid\tmailto:a@b.example\ndisallow\t/private\ninvalid\ta.example/private\n");
        assert_eq!(
            ran.err,
            "warning: 2 URLs are invalid, such as mailto:a@b.example: expected an absolute URL with a valid host, or a path that begins with a single '/'\n"
        );
        assert_eq!(ran.code, Some(2));
    }
}

#[test]
fn urls_come_from_standard_input_when_none_is_given() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run_with_input("check --agent X --robots robots.txt", "/private\r\n/a");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "disallow\t/private\nallow\t/a\n"));
}

#[test]
fn robots_come_from_standard_input_but_not_both() {
    let folder = Folder::new();
    let ran = folder.run_with_input("check --agent X --robots - /private", ROBOTS);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "disallow\t/private\n"));
    let ran = folder.run_with_input("check --agent X --robots -", ROBOTS);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("standard input cannot be both") && ran.err.contains("Usage: robomata check"));
}

#[test]
fn json_has_line_rule_and_group() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run("check --json --agent X --robots robots.txt /private /a x");
    let expected = [
        r#"{"url":"/private","verdict":"disallow","line":2,"rule":"Disallow: /private   # keep out","group":"*","dialect":"rfc9309"}"#,
        r#"{"url":"/a","verdict":"allow","line":0,"rule":null,"group":"*","dialect":"rfc9309"}"#,
        r#"{"url":"x","verdict":"invalid","line":0,"rule":null,"group":"*","dialect":"rfc9309"}"#,
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), expected);
    assert_eq!(ran.code, Some(2));

    let group = |agent: &str, robots: &str| {
        let ran = folder.run_with_input(&format!("check --json --agent {agent} --robots - /a"), robots);
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["group"].clone()
    };
    assert_eq!(group("foobot", ROBOTS), "FooBot");
    assert_eq!(group("Bar,FooBot", ROBOTS), "FooBot");
    assert_eq!(group("Bar", "User-agent: FooBot\nDisallow: /"), serde_json::Value::Null);
}

/// The text would be another URL, about which the answer is another.
#[test]
fn a_url_that_is_not_utf_8_is_refused_where_only_text_can_stand_for_it() {
    let folder = Folder::with(&[
        ("robots.txt", "User-agent: *\nDisallow: /b%FF\n"),
        ("robots.jsonl", r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /b%FF\n"}"#),
    ]);
    let url = b"https://a.example/b\xff\n";
    let run = |line: &str| folder.run_with_input(line, url);
    for line in [
        "check --agent X --dialect google --robots robots.txt --json",
        "explain --agent X --dialect google --robots robots.txt --json",
        "explain --agent X --dialect google --robots robots.txt",
        "permissions --agent X --dialect google --robots robots.txt --json",
        "compare -q --agent X --dialect google --dialect rfc9309 --robots robots.jsonl --json",
    ] {
        let ran = run(line);
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{line}");
        assert!(ran.err.contains(": expected a URL in UTF-8: "), "{line}: {}", ran.err);
        let answered = run(&line.replace("google", "yandex"));
        assert!(matches!(answered.code, Some(0 | 1)), "{line}: {}", answered.err);
    }
    let ran = run("check --agent X --dialect google --robots robots.txt");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Counts include it, and examples do not.
    folder.write("other.txt", "User-agent: *\nDisallow: /\n");
    for line in [
        "compare -q --agent X --dialect google --dialect rfc9309 --robots robots.jsonl",
        "diff -q --agent X --dialect google robots.txt other.txt -",
    ] {
        let ran = run(line);
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.err);
        assert!(
            ran.out.contains("1 URL") && !ran.out.contains("  https://a.example/b%FF"),
            "{line}: {}",
            ran.out
        );
    }
}

#[test]
fn how_the_fetch_ended_decides_by_the_dialect() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let check = |status: &str, dialect: &str| {
        let ran = folder.run(&format!(
            "check --agent X --robots robots.txt --status {status} --dialect {dialect} /private"
        ));
        (ran.out.split('\t').next().unwrap().to_owned(), ran.code)
    };
    let ends = |word: &str, code| (word.to_owned(), Some(code));
    assert_eq!(check("200", "rfc9309"), ends("disallow", 1));
    assert_eq!(check("404", "rfc9309"), ends("allow", 0));
    assert_eq!(check("503", "rfc9309"), ends("disallow", 1));
    assert_eq!(check("301", "rfc9309"), ends("unknown", 1));
    assert_eq!(check("403", "koster1996"), ends("disallow", 1));
    assert_eq!(check("network-failure", "koster1996"), ends("defer", 1));
    assert_eq!(check("network-failure", "acap"), ends("disallow", 1));
    assert_eq!(check("none", "rfc9309"), ends("", 2));
}

/// Both statements about crawling, a contradiction, and a permission that cannot be interpreted.
const ACAP: &str = "\
User-agent: *
Disallow: /a
ACAP-crawler: *
ACAP-allow-crawl: /a
ACAP-allow-crawl: /b/*x
ACAP-disallow-crawl: /b/x*
ACAP-disallow-crawl: /b/*x
ACAP-allow-crawl: /c time-limit=3-days
";

#[test]
fn fields_of_acap_answer_in_their_dialect() {
    let folder = Folder::with(&[("robots.txt", ACAP)]);
    let check = |dialect: &str| {
        let ran =
            folder.run(&format!("check --agent X --robots robots.txt --dialect {dialect} /a /b/x /c /d x"));
        assert_eq!(ran.code, Some(2));
        ran.out
    };
    assert_eq!(check("acap"), "allow\t/a\ndisallow\t/b/x\ndisallow\t/c\nallow\t/d\ninvalid\tx\n");
    assert_eq!(check("rfc9309"), "disallow\t/a\nallow\t/b/x\nallow\t/c\nallow\t/d\ninvalid\tx\n");
    let ran = folder.run("check --json --agent X --robots robots.txt --dialect acap /a");
    let expected = r#"{"url":"/a","verdict":"allow","line":4,"rule":"ACAP-allow-crawl: /a","group":"*","dialect":"acap"}"#;
    assert_eq!(ran.out.trim_end(), expected);
}

#[test]
fn a_compressed_robots_txt_is_read_and_a_truncated_one_refused() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.bash(
        "gzip -k robots.txt && head -c 40 robots.txt.gz > cut.gz
         robomata check --agent X --robots robots.txt.gz /private
         robomata check --agent X --robots cut.gz /private; echo $?",
    );
    assert_eq!(ran.out, "disallow\t/private\n2\n");
    assert!(ran.err.starts_with("error: cut.gz: expected the rest of the gzip data"), "{}", ran.err);
}

#[test]
fn json_says_what_applies_by_the_fetch() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let json = |options: &str| {
        let line = format!("check --agent X --robots robots.txt --json {options} /private");
        serde_json::from_str::<serde_json::Value>(&folder.run(&line).out).unwrap()
    };
    assert_eq!(json("")["standing"], serde_json::Value::Null);
    let said = json("--status 503 --now 2026-11-22");
    assert_eq!((&said["verdict"], &said["standing"]["applies"]), (&"disallow".into(), &"restricted".into()));
    assert_eq!(said["standing"]["until"], "2026-12-22T00:00:00Z");
    let said = json("--fetched 2026-11-20 --now 2026-11-22");
    assert_eq!((&said["verdict"], &said["standing"]["due"]), (&"unknown".into(), &true.into()));
}

#[test]
fn a_url_with_control_characters_is_invalid_and_blanks_around_it_do_not_count() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /*.pdf$\n")]);
    let ran =
        folder.run_with_input("check --agent X --robots robots.txt", "/x.pdf \n/x.pdf\t200\n/a\r/x.pdf\n");
    assert_eq!(ran.out, "disallow\t/x.pdf\ninvalid\t/x.pdf\\t200\ninvalid\t/a\\r/x.pdf\n");
    assert_eq!(ran.code, Some(2));
    for command in ["check", "explain", "permissions"] {
        let line = [command, "--agent", "X", "--robots", "robots.txt", "--json", "/a\n/x.pdf"];
        let ran = folder.run_arguments(&line, b"");
        let allows = ran.out.contains("\"verdict\":\"allow\"");
        assert_eq!((ran.code, allows), (Some(2), false), "{command}: {}", ran.out);
    }
}

/// As in `filter`, whose policies are of many sites.
#[test]
fn a_url_with_an_invalid_host_is_invalid_in_every_dialect() {
    const URLS: [&str; 12] = [
        r"https://example.com\private",
        r"https://example.com\@evil.example/private",
        "https://example.com:99999/x",
        "https://a b/x",
        "https:///x",
        "//example.com/private",
        "//example.com",
        "https://*.example.com/x",
        "https://256.0.0.1/x",
        "example.com/x",
        "mailto:x@example.com",
        "",
    ];
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /private\n")]);
    for dialect in ["rfc9309", "google", "koster1996", "yandex", "acap"] {
        for (command, invalid) in [
            ("check", "\"verdict\":\"invalid\""),
            ("explain", "\"verdict\":\"invalid\""),
            ("permissions", "\"valid\":false"),
        ] {
            let line =
                [command, "--agent", "X", "--robots", "robots.txt", "--json", "--dialect", dialect, "--"];
            let ran = folder.run_arguments(&[&line[..], &URLS].concat(), b"");
            let found = ran.out.lines().filter(|line| line.contains(invalid)).count();
            assert_eq!((ran.code, found), (Some(2), URLS.len()), "{dialect} {command}: {}", ran.out);
        }
    }
}

#[test]
fn a_url_as_a_file_is_an_error_that_says_how_to_fetch_it() {
    let ran = Folder::with(&[]).run("check --agent X --robots https://example.com/robots.txt /");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("a URL is no file, and robomata fetches nothing (curl -sfL"), "{}", ran.err);
}

#[test]
fn captures_and_bundles_are_no_robots_txt() {
    let folder =
        Folder::with(&[("captures.jsonl", SOURCE), ("captures", SOURCE), ("fetched.tsv", "url\tbody\n")]);
    assert_eq!(folder.run("compile --quiet captures.jsonl --agent X -o x.bundle").code, Some(0));
    folder.write(
        "p-of-00002.shards",
        "4c9e24ad83609d5d868e05bb4c7a8853 0\nd886e2d4a347df2ce43361a2965d95d5 1\n",
    );
    for (file, found) in [
        ("captures.jsonl", "captures (robomata filter --robots checks URLs with them)"),
        ("captures", "captures (robomata filter --robots checks URLs with them)"),
        ("fetched.tsv", "captures (robomata filter --robots checks URLs with them)"),
        ("x.bundle", "a bundle (give it by name: robomata filter --policies checks URLs with it)"),
        ("p-of-00002.shards", "a bundle (give it by name: robomata filter --policies checks URLs with it)"),
    ] {
        for command in ["check", "explain", "permissions", "debug"] {
            let url = if command == "debug" { "" } else { "/private" };
            let ran = folder.run(&format!("{command} --agent X --robots {file} {url}"));
            let error = format!("error: {file}: expected the robots.txt of one site, found {found}\n");
            assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", error), "{command}");
        }
        let bytes = std::fs::read(folder.path(file)).unwrap();
        let ran = folder.run_with_input("check --agent X --robots - /private", &bytes);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{file}");
        assert!(ran.err.contains(found), "{}", ran.err);
    }
    folder.write("urls", "https://a.example/private\n");
    let bundle = std::fs::read(folder.path("x.bundle")).unwrap();
    let ran = folder.run_with_input("filter --agent X --host a.example --robots - urls", &bundle);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("expected the robots.txt of one site, found a bundle"), "{}", ran.err);
    folder.write("access.log", "");
    for line in [
        "filter --agent X --robots {} urls",
        "compile --agent X {} -o y.bundle",
        "compare --agent X --robots {} urls",
    ] {
        let ran = folder.run_with_input(&line.replace("{}", "-"), &bundle);
        let error = "error: <stdin>: expected captures, found a bundle (give it by name: robomata filter --policies checks URLs \
                     with it)\n";
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(2), "", error), "{line}");
    }
    folder.write("evidence.jsonl", "");
    for line in
        ["compare --agent X --robots x.bundle urls", "verify-evidence evidence.jsonl --robots x.bundle"]
    {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(ran.err.contains("x.bundle: a bundle has no texts of robots.txt files"), "{}", ran.err);
    }
}

/// Read as a robots.txt, it would allow everything.
#[test]
fn another_input_is_no_robots_txt() {
    let log = "192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /private HTTP/1.1\" 200 5 \"-\" \"A/1.0\"\n";
    let csv = "host,body,status\nexample.com,\"User-agent: *\nDisallow: /private\",200\n";
    let tar = format!("{:0<257}ustar{:0<250}User-agent: *\nDisallow: /private\n", "robots.txt", "");
    let urls = "https://example.com/private\nhttps://example.com/\n";
    let arc = "filedesc://x.arc 0.0.0.0 20060926225957 text/plain 76\n1 0 InternetArchive\nURL IP-address Archive-date \
               Content-type Archive-length\n\nhttp://example.com/robots.txt 192.0.2.1 20060926225957 text/plain 64\n\
               HTTP/1.1 200 OK\n\nUser-agent: *\nDisallow: /private\n";
    let folder = Folder::with(&[
        ("caps.csv", csv),
        ("urls", urls),
        ("access.log", log),
        ("site.tar", &tar),
        ("crawl.arc", arc),
    ]);
    folder.write_compressed("crawl.arc.gz", arc);
    for (file, found) in [
        ("caps.csv", "CSV; captures in CSV are not read (write them as JSON lines, TSV or Parquet)"),
        ("urls", "a list of URLs (give the robots.txt)"),
        ("access.log", "a log (robomata score reads logs; give the robots.txt)"),
        ("site.tar", "an archive (extract it, and give its files)"),
        ("crawl.arc", "an ARC file (convert it to WARC: warcio recompress)"),
        ("crawl.arc.gz", "an ARC file (convert it to WARC: warcio recompress)"),
    ] {
        let error = format!("error: {file}: expected the robots.txt of one site, found {found}\n");
        for line in [
            "check --agent X --robots {} /private",
            "explain --agent X --robots {} /private",
            "permissions --agent X --robots {} /private",
            "debug --agent X --robots {}",
            "diff {} {} urls --agent X",
            "filter --agent X --host example.com --robots {} urls",
            "compile --agent X --host example.com {} -o out",
            "score --latest --host example.com --robots {} access.log",
        ] {
            let ran = folder.run(&line.replace("{}", file));
            assert_eq!((ran.code, ran.out.as_str(), &ran.err), (Some(2), "", &error), "{line}");
        }
        let ran = folder.run(&format!("filter --agent X --robots {file} urls"));
        let error = format!("error: {file}: expected captures, found {found}\n");
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", error));
    }
    // In these lists, not each line is a URL.
    for (text, found) in [
        ("# my URLs\nhttps://example.com/\n", "a list of URLs"),
        ("/private\n/\n", "text that is no"),
        ("example.com/private\n", "text that is no"),
    ] {
        folder.write("list", text);
        for line in [
            "filter --agent X --robots list urls",
            "compile --agent X list -o out",
            "pace --agent X --robots list",
        ] {
            let ran = folder.run(line);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
            assert!(ran.err.contains(&format!("list: expected captures, found {found}")), "{}", ran.err);
        }
    }
}

/// The same as for lint's not-robots and rule-before-group.
#[test]
fn a_file_without_a_group_or_a_known_field_is_a_warning_in_every_command() {
    let folder = Folder::with(&[
        ("README.md", "# Samples\n\nSee: the documentation of Samples\n"),
        ("field.txt", "Sitemap: https://example.com/sitemap.xml\n"),
        ("void.txt", "Disallow: /private\n"),
        ("comment.txt", "# nothing here\n"),
        ("urls", "https://example.com/private\n"),
    ]);
    folder.write(
        "utf16.txt",
        b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0",
    );
    for line in [
        "check --agent X --robots {} /private",
        "explain --agent X --robots {} /private",
        "permissions --agent X --robots {} /private",
        "debug --agent X --robots {}",
        "diff {} field.txt urls --agent X",
        "filter -q --agent X --host example.com --robots {} urls",
        "compile -q --agent X --host example.com {} -o out",
    ] {
        for (file, warning, code) in [
            (
                "README.md",
                "README.md: expected a robots.txt, found text without a rule: without rules, everything is allowed (check the file)",
                "\"not-robots\"",
            ),
            (
                "void.txt",
                "void.txt:1: expected a group (User-agent) before the first rule: these rules count for no crawler, so everything is allowed (check the file)",
                "\"rule-before-group\"",
            ),
            ("field.txt", "", ""),
            ("comment.txt", "", ""),
            ("utf16.txt", "", ""),
        ] {
            let ran = folder.run(&line.replace("{}", file));
            let expected = if warning.is_empty() { String::new() } else { format!("warning: {warning}\n") };
            assert_eq!(ran.err, expected, "{line}: {file}");
            assert_ne!(ran.code, Some(2), "{line}: {file}");
            let linted = folder.run(&format!("lint --format json {file}"));
            for other in ["\"not-robots\"", "\"rule-before-group\""] {
                assert_eq!(linted.out.contains(other), other == code, "{file}");
            }
        }
    }
}

/// Only gzip and zstd are decompressed, and once.
#[test]
fn a_file_that_is_still_compressed_is_no_robots_txt() {
    let folder = Folder::with(&[("urls", "https://example.com/private\n"), ("plain.txt", ROBOTS)]);
    folder.write("robots.txt.bz2", b"BZh91AY&SY\xba\xe5");
    folder.write("robots.txt.xz", b"\xfd7zXZ\0\0\x04");
    folder.write_compressed("twice.gz", b"\x1f\x8b\x08");
    folder.write("robots.zip", b"PK\x03\x04\x14\0");
    let compressed = "compressed data (decompress them; gzip and zstd are read, but not within others)";
    for (file, format, found) in [
        ("robots.txt.bz2", "bzip2", compressed),
        ("robots.txt.xz", "xz", compressed),
        ("twice.gz", "gzip", compressed),
        ("robots.zip", "zip", "an archive (extract it, and give its files)"),
    ] {
        for line in ["check", "explain", "permissions"] {
            let ran = folder.run(&format!("{line} --agent X --robots {file} /private"));
            let error = format!("error: {file}: expected the robots.txt of one site, found {found}\n");
            assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", error), "{line}");
        }
        for line in [
            "filter --agent X --host example.com --robots {} urls",
            "filter --agent X --robots {} urls",
            "compile --agent X --host example.com {} -o out",
            "lint {}",
            "permissions --agent X --robots plain.txt --tdmrep {} /private",
            "permissions --agent X --robots plain.txt --reference a={} /private",
        ] {
            let ran = folder.run(&line.replace("{}", file));
            assert_eq!(ran.code, Some(2), "{line}: {}", ran.out);
            let error = format!("expected a body of text, found {format} data");
            assert!(ran.err.contains(&error) || ran.err.contains(found), "{line}: {}", ran.err);
        }
    }
}

/// As after `curl` without a connection.
#[test]
fn a_robots_txt_of_no_bytes_needs_a_status() {
    let folder = Folder::with(&[("empty", ""), ("headers", "HTTP/1.1 200 OK\n")]);
    folder.write("urls", "https://example.com/private\n");
    folder.write_compressed("empty.gz", "");
    let error = "an empty robots.txt, or a fetch that failed? (if it is empty, ";
    for command in ["check", "explain", "permissions"] {
        for (file, name) in [("empty", "empty"), ("empty.gz", "empty.gz"), ("-", "<stdin>")] {
            let line = format!("{command} --agent X --robots {file}");
            let ran = folder.run(&format!("{line} /private"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
            assert_eq!(ran.err, format!("error: {name}: {error}add --status 200)\n"), "{line}");
            for fetch in ["--status 200", "--robots-headers headers"] {
                let ran = folder.run(&format!("{line} {fetch} /private"));
                assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line} {fetch}");
            }
        }
    }
    folder.write("robots.txt", ROBOTS);
    for (line, what, advice) in [
        ("lint empty", "robots.txt", "if it is empty, add a comment to it, such as # No rules"),
        (
            "permissions --agent X --robots robots.txt --tdmrep empty /",
            "tdmrep.json",
            "if the site has none, omit --tdmrep",
        ),
        (
            "permissions --agent X --robots robots.txt --reference a=empty /",
            "file",
            "if it is empty, add a comment to it, such as # No rules",
        ),
    ] {
        let ran = folder.run(line);
        let error = format!("error: empty: an empty {what}, or a fetch that failed? ({advice})\n");
        assert_eq!((ran.code, &ran.err), (Some(2), &error), "{line}");
    }
    for line in [
        "filter --agent X --host example.com --robots - urls --to out",
        "compare --agent X --host example.com --robots - urls --to out",
        "compile --agent X --host example.com - -o out",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        let advice = "give it as a capture with \"status\": 200";
        assert_eq!(ran.err, format!("error: <stdin>: {error}{advice})\n"), "{line}");
        assert!(!folder.path("out").exists(), "{line}");
    }
}

/// Rules after the cut would be missing.
#[test]
fn a_file_shorter_than_its_content_length_is_an_error() {
    let text = "User-agent: *\nDisallow: /a\n";
    let folder = Folder::with(&[("robots.txt", text), ("page.html", "<p>x</p>\n")]);
    folder.write_compressed("robots.txt.gz", text);
    let bytes = text.len();
    let stored = std::fs::read(folder.path("robots.txt.gz")).unwrap().len();
    let check = |file: &str, status: &str, fields: &str| {
        folder.write("headers", format!("HTTP/1.1 {status}\r\n{fields}\r\n\r\n"));
        let ran = folder.run(&format!("check --agent X --robots {file} --robots-headers headers /b"));
        (ran.code, ran.err)
    };
    let cut = |file: &str, expected: usize, found: usize| {
        let error = format!(
            "error: {file}: expected {expected} bytes, as the Content-Length in headers says, found {found} (fetch it again)\n"
        );
        (Some(2), error)
    };
    let whole = || (Some(0), String::new());
    for length in [0, 1, bytes - 1, bytes] {
        assert_eq!(check("robots.txt", "200 OK", &format!("Content-Length: {length}")), whole());
    }
    for length in [bytes + 1, 5000] {
        let field = format!("content-length: 1, {length}\r\nContent-Encoding: identity");
        assert_eq!(check("robots.txt", "200 OK", &field), cut("robots.txt", length, bytes));
        assert_eq!(check("robots.txt", "404 Not Found", &field), whole());
        for coding in ["Content-Encoding: gzip", "Transfer-Encoding: chunked"] {
            assert_eq!(check("robots.txt", "200 OK", &format!("{field}\r\n{coding}")), whole());
        }
        assert_eq!(check("robots.txt", "200 OK", &format!("Content-Length: x{length}")), whole());
    }
    // It was compressed when it was served, or when it was saved.
    for length in [bytes, stored] {
        assert_eq!(check("robots.txt.gz", "200 OK", &format!("Content-Length: {length}")), whole());
    }
    let field = format!("Content-Length: {}", stored.max(bytes) + 1);
    assert_eq!(
        check("robots.txt.gz", "200 OK", &field),
        cut("robots.txt.gz", stored.max(bytes) + 1, stored.max(bytes))
    );

    for (length, code) in [(8, 0), (9, 0), (10, 2)] {
        folder.write("headers", format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"));
        let line = "permissions --agent X --robots robots.txt --headers headers";
        assert_eq!(folder.run(&format!("{line} --page page.html /")).code, Some(code), "{length}");
        assert_eq!(folder.run(&format!("{line} /")).code, Some(0), "{length}");
        let ran = folder.run_with_input(&format!("{line} --page - /"), "<p>x</p>\n");
        assert_eq!(ran.code, Some(code), "{length}");
    }
}

#[test]
fn a_warning_says_what_a_file_without_rules_is() {
    let folder = Folder::new();
    let warned = |bytes: &[u8], rest: &str| {
        folder.write("file", bytes);
        let ran = folder.run(&format!("check --agent X --robots file {rest} /a"));
        let found = ran.err.strip_prefix("warning: file: expected a robots.txt, found ");
        found.and_then(|found| found.split(':').next()).unwrap_or_default().to_owned()
    };
    assert_eq!(warned(b"<!DOCTYPE html><p>", ""), "an HTML page");
    assert_eq!(warned(b"\xff\xfeD\0i\0s\0", ""), "binary data or UTF-16");
    assert_eq!(warned(b"\xef\xbb\xbf \r\n", ""), "white space alone");
    assert_eq!(warned(b"# No rules", ""), "");
    // A gzip or zstd file that is cut.
    for start in [&b"\x1f"[..], b"\x1f\x8b", b"\x1f\x8b\x08", b"\x28\xb5", b"\x28\xb5\x2f"] {
        folder.write("file", start);
        let ran = folder.run("check --agent X --robots file /a");
        assert!(ran.code == Some(2) || ran.err.starts_with("warning: "), "{start:?}: {}", ran.err);
    }
    assert_eq!(warned(b"User-agent: *\n", ""), "");
    assert_eq!(warned(b"", "--status 200"), "");
    assert_eq!(warned(b"<html>", "--status 404"), "", "the body of a failure is not read");
}

/// A rule that ends with `$` does not match what follows a blank.
#[test]
fn lines_with_more_than_a_url_are_an_error() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /x$\n")]);
    for command in ["check", "explain", "permissions"] {
        let command = format!("{command} --agent A --robots robots.txt");
        let ran = folder.run_with_input(&command, "\nhttps://a.example/x 200\n/x GET\n");
        let error = "error: <stdin>: expected a URL on each line, found a blank within it (give the URLs alone: \
                     cut -d' ' -f1; in a URL, write %20)\n";
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(2), "", error));
        let ran = folder.run_with_input(&command, " /x \n/a b\n");
        assert!(ran.code != Some(2) && ran.err.is_empty(), "{ran:?}");
    }
}

/// Otherwise, a list that is not there would be one whose URLs are all allowed.
#[test]
fn standard_input_without_a_url_is_an_error() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /\n")]);
    for command in ["check", "explain", "permissions"] {
        for json in ["", "--json"] {
            let ran = folder.run(&format!("{command} --agent A --robots robots.txt {json}"));
            let error = "error: <stdin>: no URL, as after a command that failed (give URLs, one per line)\n";
            assert_eq!(
                (ran.code, ran.out.as_str(), ran.err.as_str()),
                (Some(2), "", error),
                "{command} {json}"
            );
        }
    }
}
