//! Captures of redirects, in every command that reads captures.

use crate::support::Folder;

const CLOSED: &str = r"User-agent: *\nDisallow: /closed\n";

/// A capture of a redirect from host `from` to the robots.txt of host `to`.
fn moved(from: &str, to: &str) -> String {
    format!(
        "{{\"url\": \"http://{from}/robots.txt\", \"status\": 301, \"location\": \"http://{to}/robots.txt\"}}\n"
    )
}

fn ok(host: &str) -> String {
    format!("{{\"url\": \"http://{host}/robots.txt\", \"status\": 200, \"body\": \"{CLOSED}\"}}\n")
}

/// A chain of six redirects, a loop, and one whose target was not captured.
fn captures() -> String {
    let chain: String = (0..6).map(|hop| moved(&format!("h{hop}"), &format!("h{}", hop + 1))).collect();
    let others = [ok("h6"), moved("a", "b"), moved("b", "a"), moved("u", "elsewhere")].concat();
    chain + &others
}

const EXPECTED: &str = "disallow\thttp://h0/closed\n\
                        disallow\thttp://h1/closed\n\
                        disallow\thttp://h6/closed\n\
                        allow\thttp://a/closed\n\
                        allow\thttp://b/closed\n\
                        unknown\thttp://u/closed\n";

#[test]
fn filter_and_compile_follow_redirects_among_captures() {
    let urls: String =
        EXPECTED.lines().map(|line| format!("{}\n", line.split_once('\t').unwrap().1)).collect();
    let folder = Folder::with(&[("a.jsonl", &captures()), ("urls.txt", &urls)]);
    let verdicts = |options: &str| {
        let ran = folder.run(&format!("filter -q --agent FooBot --output verdicts {options} urls.txt"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let columns = |line: &str| {
            let (verdict, rest) = line.split_once('\t').unwrap();
            format!("{verdict}\t{}\n", rest.rsplit('\t').next().unwrap())
        };
        ran.out.lines().map(columns).collect::<String>()
    };
    assert_eq!(verdicts("--robots a.jsonl"), EXPECTED);
    assert_eq!(folder.run("compile a.jsonl -o a.bundle --agent FooBot").code, Some(0));
    assert_eq!(verdicts("--policies a.bundle"), EXPECTED);
    for (dialect, verdict) in [("koster1996", "defer"), ("google", "allow")] {
        let found = verdicts(&format!("--robots a.jsonl --dialect {dialect}"));
        let expected = format!("{verdict}\thttp://h0/closed\ndisallow\thttp://h1/closed\n");
        assert!(found.starts_with(&expected), "{found}");
    }
}

/// A site and its `www`, captured on different days around a switch, and a redirect to a site whose file was confirmed.
#[test]
fn known_rules_outlast_a_loop_of_different_days_and_a_304() {
    let at = |line: &str, time: &str| line.replace("}\n", &format!(", \"time\": \"2025-11-{time}Z\"}}\n"));
    let switch = [
        at(&ok("apex"), "25T05:00:00"),
        at(&moved("www", "apex"), "26T06:00:00"),
        at(&moved("apex", "www"), "27T05:00:00"),
        at(&ok("www"), "28T06:00:00"),
    ];
    let not_modified = ok("b").replace("200", "304").replace(CLOSED, "");
    let confirmed = [
        at(&ok("b"), "26T06:00:00"),
        at(&moved("a", "b"), "27T06:00:00"),
        at(&not_modified, "27T06:00:01"),
        at(&not_modified.replace("//b", "//c"), "27T06:00:01"),
        at(&moved("d", "c"), "27T06:00:00"),
    ];
    let urls = ["apex", "www", "a", "b", "d"].map(|host| format!("http://{host}/closed\n")).concat();
    let folder = Folder::with(&[
        ("switch.jsonl", &switch.concat()),
        ("confirmed.jsonl", &confirmed.concat()),
        ("urls.txt", &urls),
    ]);
    let ran = folder.run("filter -q --agent FooBot --robots switch.jsonl --robots confirmed.jsonl urls.txt");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "http://d/closed\n"), "{}", ran.err);
    let warnings = [
        "warning: 1 redirect leads to a URL whose result is not in the same source: it is not followed (add a capture of each target to the source; a 304 is no result)",
        "warning: 2 redirects lead in a loop of captures that are more than ten minutes apart: such a loop is not followed (capture targets together with their redirects)",
    ];
    assert_eq!(ran.err.lines().collect::<Vec<_>>(), warnings);
}

#[test]
fn check_follows_a_robots_txt_after_six_redirects_where_the_dialect_does() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /closed\n")]);
    let check =
        |options: &str| folder.run(&format!("check --agent X --robots robots.txt {options} /closed")).out;
    assert_eq!(check("--redirects 5"), "disallow\t/closed\n");
    let found = [("rfc9309", "disallow"), ("acap", "disallow"), ("google", "allow"), ("koster1996", "defer")];
    for (dialect, found) in found {
        assert_eq!(check(&format!("--redirects 6 --dialect {dialect}")), format!("{found}\t/closed\n"));
        let unended = if found == "defer" { found } else { "allow" };
        for fetch in ["--status too-many-redirects", "--redirects 6 --status 404"] {
            let said = check(&format!("{fetch} --dialect {dialect}"));
            assert_eq!(said, format!("{unended}\t/closed\n"), "{fetch}, {dialect}");
        }
    }
}

/// As after `curl -L --max-redirs`. F5: the base of a relative Location is the URL that answered.
#[test]
fn redirects_in_the_headers_were_followed() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /closed\n")]);
    let check = |headers: &[&str], options: &str| {
        let heads = headers.iter().map(|head| format!("HTTP/1.1 {head}\r\n\r\n"));
        folder.write("headers", heads.collect::<String>());
        let ran = folder
            .run(&format!("check --agent X --robots robots.txt --robots-headers headers {options} /closed"));
        (ran.code, ran.out, ran.err)
    };
    let said = |verdict: &str, code| (Some(code), format!("{verdict}\t/closed\n"), String::new());
    let relative = "301 Moved\r\nLocation: /robots.txt";
    let other = "301 Moved\r\nLocation: https://b.example/x";
    for chain in [&[relative][..], &[other, relative], &[relative, relative], &[other, other, relative]] {
        assert_eq!(check(chain, ""), said("unknown", 1), "{chain:?}");
    }
    // Here, the URL was requested before.
    let back = "301 Moved\r\nLocation: https://b.example/robots.txt";
    assert_eq!(check(&[back, other, relative], ""), said("allow", 0));
    assert_eq!(check(&[other, "301 Moved\r\nLocation: x"], ""), said("allow", 0));

    let found = [("rfc9309", "disallow"), ("google", "allow"), ("koster1996", "defer")];
    for (dialect, found) in found {
        let options = format!("--dialect {dialect}");
        let code = i32::from(found != "allow");
        assert_eq!(check(&[&[relative; 6][..], &["200 OK"]].concat(), &options), said(found, code));
        assert_eq!(check(&[&[relative; 5][..], &["200 OK"]].concat(), &options), said("disallow", 1));
        let gone = check(&[&[relative; 6][..], &["404 Not Found"]].concat(), &options);
        assert_eq!(gone, if found == "defer" { said("defer", 1) } else { said("allow", 0) });
    }
    let chain = [relative, "200 OK"];
    assert_eq!(check(&chain, "--redirects 1"), said("disallow", 1));
    for number in ["0", "2", "6"] {
        let (code, out, err) = check(&chain, &format!("--redirects {number}"));
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(err.contains("--redirects differs from the number in --robots-headers, which is 1"), "{err}");
    }
}

#[test]
fn the_end_of_six_redirects_is_what_the_dialect_says() {
    let chain: String = (0..6).map(|hop| moved(&format!("h{hop}"), &format!("h{}", hop + 1))).collect();
    let end = |fields: &str| format!("{chain}{{\"url\": \"http://h6/robots.txt\", {fields}}}\n");
    let folder = Folder::with(&[("urls.txt", "http://h0/closed\n")]);
    for (fields, rfc9309, google, koster1996) in [
        (&*format!("\"status\": 200, \"body\": \"{CLOSED}\""), "disallow", "allow", "defer"),
        ("\"status\": 503", "disallow", "allow", "defer"),
        ("\"status\": -1", "disallow", "allow", "defer"),
        ("\"status\": 404", "allow", "allow", "defer"),
        ("\"status\": 302", "unknown", "unknown", "unknown"),
    ] {
        folder.write("a.jsonl", end(fields));
        for (dialect, verdict) in [("rfc9309", rfc9309), ("google", google), ("koster1996", koster1996)] {
            let line = format!(
                "filter -q --agent E --output verdicts --dialect {dialect} --robots a.jsonl urls.txt"
            );
            let ran = folder.run(&line);
            assert!(
                ran.out.starts_with(&format!("{verdict}\t")),
                "{fields}, {dialect}: {}{}",
                ran.out,
                ran.err
            );
        }
    }
}

#[test]
fn a_site_with_a_redirect_that_cannot_be_followed_is_closed() {
    let line = |location: &str| format!("{{\"host\": \"a.com\", \"status\": 301{location}}}\n");
    let folder = Folder::with(&[("urls.txt", "https://a.com/x\n")]);
    for (location, kept) in [
        (", \"location\": \"\"", ""),
        (", \"location\": \"ftp://a.com/robots.txt\"", ""),
        ("", "https://a.com/x\n"),
    ] {
        folder.write("a.jsonl", line(location) + &ok("b.com"));
        let ran = folder.run("filter -q --agent E --robots a.jsonl urls.txt");
        assert_eq!((ran.code, &*ran.out), (Some(0), kept), "{location}: {}", ran.err);
    }
}

#[test]
fn check_fails_closed_after_six_redirects_to_a_failure() {
    let folder = Folder::with(&[("robots.txt", ""), ("good.txt", "User-agent: *\nDisallow: /closed\n")]);
    let good = "--last-good good.txt --last-good-fetched 2026-11-21T12:00:00Z";
    for (options, verdict) in [
        ("--status 503", "disallow\t/open"),
        ("--status network-failure", "disallow\t/open"),
        ("--status 404", "allow\t/open"),
        (&*format!("--status 503 {good}"), "allow\t/open"),
        (&*format!("--status 304 {good}"), "allow\t/open"),
    ] {
        let check = |redirects: u8, path: &str| {
            let now = "--now 2026-11-22T00:00:00Z";
            let line =
                format!("check --agent X --robots robots.txt {now} {options} --redirects {redirects} {path}");
            folder.run(&line).out
        };
        assert_eq!(check(6, "/open"), format!("{verdict}\n"), "{options}");
        for path in ["/open", "/closed"] {
            assert_eq!(check(6, path), check(5, path), "{options}");
        }
    }
}

/// A capture of `path` without a body, at an hour of a day.
fn without_body(path: &str, hour: u32, status: &str) -> String {
    format!(
        "{{\"url\": \"https://a.com/{path}\", \"time\": \"2026-11-19T{hour:02}:00:00Z\", \"status\": {status}}}\n"
    )
}

#[test]
fn a_redirect_or_a_304_displaces_no_rules() {
    let file = |path: &str, body: &str| {
        let capture = without_body(path, 3, "200").replace("}\n", ", \"body\": ");
        format!("{capture}{body:?}}}\n")
    };
    let tdmrep = ".well-known/tdmrep.json";
    let everything = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    let closed = file("robots.txt", "User-agent: *\nDisallow: /\n");
    let mining = [file("robots.txt", ""), file(tdmrep, everything)].concat();
    for (rules, path, usage) in [(&closed, "robots.txt", ""), (&mining, tdmrep, "--usage tdm")] {
        for status in ["304", "301, \"location\": \"https://a.com/login\""] {
            // Before, at the same time and after.
            for hour in [2, 3, 6] {
                let folder = Folder::with(&[
                    ("rules.jsonl", rules),
                    ("none.jsonl", &without_body(path, hour, status)),
                    ("urls.txt", "https://a.com/x\n"),
                ]);
                let assert_closed = |options: &str| {
                    let ran = folder.run(&format!("filter -q --agent E {usage} {options} urls.txt"));
                    assert_eq!((ran.code, &*ran.out), (Some(0), ""), "{options}, {path}, {status}, {hour}");
                };
                assert_closed("--robots rules.jsonl --robots none.jsonl");
                assert_closed("--robots none.jsonl --robots rules.jsonl");
                let mut bundles = Vec::new();
                for (first, second) in [("rules", "none"), ("none", "rules")] {
                    for history in ["", "--history"] {
                        for command in [
                            format!("compile -q {first}.jsonl --agent E {usage} {history} -o a.bundle"),
                            format!("compile -q {second}.jsonl --onto a.bundle -o a.bundle"),
                        ] {
                            let ran = folder.run(&command);
                            assert_eq!(ran.code, Some(0), "{}", ran.err);
                        }
                        assert_closed("--policies a.bundle");
                        bundles.push(std::fs::read(folder.path("a.bundle")).unwrap());
                    }
                }
                assert!(bundles[..2] == bundles[2..], "the order of captures shows in the bundle");
            }
        }
    }
    // A newer answer of another kind displaces both.
    let gone = without_body("robots.txt", 9, "404");
    let folder = Folder::with(&[("a.jsonl", &[closed, gone].concat()), ("urls.txt", "https://a.com/x\n")]);
    assert_eq!(folder.run("filter -q --agent E --robots a.jsonl urls.txt").out, "https://a.com/x\n");
}

#[test]
fn a_redirect_with_a_body_and_no_location_is_a_warning() {
    let line = "{\"host\": \"a.com\", \"status\": 301, \"body\": \"User-agent: *\\nDisallow: /\"}\n";
    let folder = Folder::with(&[("a.jsonl", line), ("urls.txt", "https://a.com/x\n")]);
    let ran = folder.run("filter -q --agent E --robots a.jsonl urls.txt");
    assert_eq!((ran.code, &*ran.out), (Some(0), "https://a.com/x\n"));
    assert_eq!(
        ran.err,
        "warning: 1 redirect or 304 has a body and no \"location\": the body does not count (a fetcher that follows redirects must record the status of the last response)\n"
    );
}
