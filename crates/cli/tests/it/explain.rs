//! `robomata explain`.

use crate::support::{Folder, ROBOTS};

#[test]
fn lines_are_quoted_and_marked() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run("explain --agent X --robots robots.txt https://a.example/%70rivate/press");
    let expected = "\
https://a.example/%70rivate/press
  verdict  allow: line 3 decides
  group    *: no group names X, and this one is for every other crawler
  target   /private/press (path and query in normal form)
  rules    2 of 2 match; best is most bytes of the normal form, allow over disallow
  dialect  rfc9309

  robots.txt:
        1 | User-agent: *
        2 | Disallow: /private   # keep out  <- runner-up: /private (8 bytes)
  >     3 | Allow: /private/press            <- wins: /private/press (14 bytes)

";
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected));
}

#[test]
fn a_delay_that_does_not_end_the_group_is_named() {
    let file = "User-agent: bingbot\nCrawl-delay: 10\n\nUser-agent: *\nDisallow: /a\n";
    let folder = Folder::with(&[("robots.txt", file)]);
    let line = "        2 | Crawl-delay: 10      <- does not end the list of names: only a rule does (RFC 9309, 2.2.4)\n";
    let ran = folder.run("explain --agent bingbot --robots robots.txt /a");
    assert!(ran.out.contains(line), "{}", ran.out);
    // The note appears only where a rule below the delay decides for a crawler that is named above it.
    for other in
        ["explain --agent bingbot --robots robots.txt /b", "explain --agent x --robots robots.txt /a"]
    {
        let ran = folder.run(other);
        assert!(!ran.out.contains("does not end the list"), "{}", ran.out);
    }
}

#[test]
fn a_file_that_is_longer_than_the_limit_is_named_as_the_cause() {
    let file = format!("User-agent: *\nDisallow: /a\n#{}\nDisallow: /b\n", "x".repeat(512_000));
    let folder = Folder::with(&[("robots.txt", file.as_str())]);
    for (options, text, limit) in [
        ("--dialect yandex", "  limit    the file is longer than 512000 bytes: no rule counts\n", 512_000),
        (
            "--max-robots-bytes 512001",
            "  limit    the file is longer than 512001 bytes: only what is within it is read\n",
            512_001,
        ),
    ] {
        let explain = |more: &str| {
            folder.run(&format!("explain --agent X --robots robots.txt {options} {more} /b")).out
        };
        assert!(explain("").contains(text), "{}", explain(""));
        assert!(explain("--json").contains(&format!("\"exceeded_limit\":{limit},")), "{}", explain("--json"));
    }
    let ran = folder.run("explain --agent X --robots robots.txt --json /b");
    assert!(!ran.out.contains("exceeded_limit"), "{}", ran.out);
}

#[test]
fn defaults_and_invalid_urls_are_explained() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run("explain --agent Bar,FooBot --robots robots.txt /a /robots.txt x");
    assert_eq!(ran.code, Some(2));
    for text in [
        "allow: the default, since no rule of the group matches",
        "FooBot: the file has a group for Bar,FooBot",
        "allow: /robots.txt itself is always allowed (RFC 9309, 2.2.2)",
        "invalid: expected an absolute URL with a valid host, or a path that begins with a single '/'",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
    let ran = folder.run_with_input("explain --agent Bar --robots - /a", "User-agent: Foo\nDisallow: /");
    assert!(ran.out.contains("none: no group is for Bar"), "{}", ran.out);
    assert!(ran.out.contains("allow: the default, since no group applies"), "{}", ran.out);
}

#[test]
fn json_contains_every_field() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run("explain --json --agent X --robots robots.txt /private/press#f /a");
    let accounts: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = &accounts[0];
    for (key, expected) in [
        ("url", serde_json::json!("/private/press#f")),
        ("verdict", "allow".into()),
        ("reason", "rule".into()),
        ("line", 3.into()),
        ("rule", "Allow: /private/press".into()),
        ("group", "*".into()),
        ("group_reason", "any".into()),
        ("dialect", "rfc9309".into()),
        ("target", "/private/press".into()),
        (
            "winner",
            serde_json::json!({"line": 3, "access": "allow", "pattern": "/private/press", "length": 14}),
        ),
        (
            "runner_up",
            serde_json::json!({"line": 2, "access": "disallow", "pattern": "/private", "length": 8}),
        ),
        ("rules", 2.into()),
    ] {
        assert_eq!(first[key], expected, "{key}");
    }
    assert_eq!(first["matching"].as_array().unwrap().len(), 2);
    assert_eq!(accounts[1]["winner"], serde_json::Value::Null);
    assert_eq!(accounts[1]["reason"], "no-rule");
}

/// The size of the output is that of the URLs, not URLs times lines.
#[test]
fn long_lines_and_lists_are_cut_for_each_url() {
    let pattern = "x".repeat(20_000);
    let groups = format!("User-agent: *\nDisallow: /{pattern}*\n").repeat(150);
    let references: String =
        (0..150).map(|n| format!("ACAP-crawler: *\nACAP-permissions-reference: /{n}{pattern}\n")).collect();
    let folder = Folder::with(&[
        ("robots.txt", &format!("{groups}Allow: / #{pattern}\n")),
        ("acap.txt", &format!("User-agent: *\nAllow: / #{pattern}\n{references}")),
    ]);
    let ran = folder.run("explain --json --agent X --robots robots.txt /a /b");
    let check = folder.run("check --json --agent X --robots robots.txt /a /b");
    assert!(ran.out.len() < 10_000 && check.out.len() < 2_000, "{} {}", ran.out.len(), check.out.len());
    let cut = format!("Allow: / #{}…", &pattern[..490]);
    for line in ran.out.lines().chain(check.out.lines()) {
        assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap()["rule"], cut.as_str());
    }
    let account: serde_json::Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(account["group_lines"].as_array().unwrap().len(), 100);
    assert_eq!(account["omitted"], serde_json::json!({"group_lines": 50}));

    let ran = folder.run("explain --json --dialect acap --agent X --robots acap.txt /a");
    let account: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(account["omitted"], serde_json::json!({"lacks": 50}));
    assert_eq!(account["lacks"][0].as_str().unwrap().chars().count(), 501);
    let text = folder.run("explain --dialect acap --agent X --robots acap.txt /a").out;
    assert!(text.contains(", and 50 more\n") && text.len() < 80_000, "{}", text.len());

    let ran = folder.run("permissions --json --agent X --robots acap.txt /a");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    for answer in report["usages"].as_array().unwrap() {
        assert_eq!(
            (answer["lacks"].as_array().unwrap().len(), &answer["omitted"]["lacks"]),
            (100, &50.into())
        );
    }
    assert_eq!(report["usages"][0]["source"]["text"], cut.as_str());
}

/// Else the output would be as large as the product of the lines and the URLs.
#[test]
fn rules_and_remarks_of_a_site_are_bounded_for_each_url() {
    let rules: String = (0..150).map(|n| format!("Disallow: /{}\n", "a".repeat(n))).collect();
    let sitemaps: String = (0..150).map(|n| format!("Sitemap: https://a.example/{n}\n")).collect();
    let requests = "ACAP-request-take-down: /a\n".repeat(150);
    let gates = "TimeGate: http://gate.example/\nArchived: /a\n".repeat(150);
    let folder = Folder::with(&[
        ("robots.txt", &format!("User-agent: *\n{rules}{sitemaps}{gates}")),
        ("acap.txt", &format!("ACAP-crawler: *\n{requests}{gates}{sitemaps}")),
    ]);
    let json = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let count = |list: &serde_json::Value| list.as_array().unwrap().len();

    let path = format!("/{}", "a".repeat(150));
    let ran = folder.run(&format!("explain --json --agent X --robots robots.txt {path} {path}"));
    assert_eq!(ran.out.lines().count(), 2);
    for account in ran.out.lines().map(json) {
        assert_eq!((count(&account["matching"]), &account["omitted"]["matching"]), (100, &50.into()));
        assert_eq!((&account["winner"]["line"], &account["runner_up"]["line"]), (&151.into(), &150.into()));
    }
    let text = folder.run(&format!("explain --agent X --robots robots.txt {path}")).out;
    assert!(text.contains("150 of 150 match") && text.contains("(138 more matching rules"), "{text}");

    let ran = folder.run("permissions --json --agent X --robots acap.txt /a /a");
    let reports: Vec<_> = ran.out.lines().map(json).collect();
    for report in &reports {
        assert_eq!((count(&report["requests"]), &report["omitted"]["requests"]), (100, &50.into()));
    }
    // The remarks about the site are in the first object, and complete.
    assert_eq!((count(&reports[0]["sitemaps"]), reports[0]["crawler"].as_str()), (150, Some("X")));
    assert_eq!(
        (&reports[1]["sitemaps"], &reports[1]["crawler"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    let text = folder.run("permissions --agent X --robots acap.txt /a").out;
    assert!(text.contains("50 more\n"), "{text}");
}

#[test]
fn the_google_dialect_names_itself() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run("explain --agent X --dialect google --robots robots.txt /private x");
    assert!(ran.out.contains("dialect  google") && ran.out.contains("invalid: "), "{}", ran.out);
    assert!(ran.out.contains("  target   /private (path and query as given)\n"), "{}", ran.out);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn the_first_line_wins_under_koster1996() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run("explain --agent X --robots robots.txt --dialect koster1996 /private/press?a%2fb");
    assert_eq!(ran.code, Some(1));
    for text in [
        "disallow: line 2 decides",
        "target   /private/press (the path alone, in normal form)",
        "2 of 2 match; best is the first line\n",
        "<- wins: /private (8 bytes)",
        "<- runner-up: /private/press (14 bytes)",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
}

/// A decoded %0A must not forge a line, nor a decoded %1B command a terminal.
#[test]
fn decoded_texts_stay_on_their_line() {
    let robots = "User-agent: *\nDisallow: /%1B]0;owned%07%1B[2J\nDisallow: /a%0A  verdict  allow: x\n";
    let folder = Folder::with(&[("robots.txt", robots)]);
    for (url, shown) in [
        ("/%1B]0;owned%07%1B[2J", "/\\u{1b}]0;owned\\u{7}\\u{1b}[2J"),
        ("/a%0A%20%20verdict%20%20allow:%20x", "/a\\n  verdict  allow: x"),
    ] {
        let ran = folder.run(&format!("explain --agent X --dialect koster1996 --robots robots.txt {url}"));
        assert!(!ran.out.contains(|c: char| c.is_control() && c != '\n'), "{:?}", ran.out);
        assert_eq!(ran.out.matches("\n  verdict").count(), 1, "{}", ran.out);
        for text in [format!("target   {shown} ("), format!("<- wins: {shown} (")] {
            assert!(ran.out.contains(&text), "{text} in {}", ran.out);
        }
    }
}

/// N1b: the second line is two patterns.
#[test]
fn a_line_that_is_read_in_two_ways_is_one_rule() {
    let robots = "User-agent: *\nAllow: /a\nDisallow: /a*%2Fb\n";
    let folder = Folder::with(&[("robots.txt", robots)]);
    let ran = folder.run("explain --agent X --robots robots.txt /a%2Fb?x/b");
    let lines = "rules    2 of 2 match; best is most bytes of the normal form, allow over disallow
  dialect  rfc9309

  robots.txt:
        1 | User-agent: *
        2 | Allow: /a          <- runner-up: /a (2 bytes)
  >     3 | Disallow: /a*%2Fb  <- wins: /a*%2Fb (7 bytes)
";
    assert!(ran.out.contains(lines), "{}", ran.out);
    let ran = folder.run("explain --json --agent X --robots robots.txt /a%2Fb?x/b");
    let account: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&account["winner"]["line"], &account["runner_up"]["line"]), (&3.into(), &2.into()));
    assert_eq!(account["matching"].as_array().unwrap().len(), 2);
}

/// G5: the groups of both names apply.
#[test]
fn all_merged_names_are_the_group() {
    let robots = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: Googlebot-Image\nDisallow: /b\n\nUser-agent: googlebot\nAllow: /a/c\n";
    let folder = Folder::with(&[("robots.txt", robots)]);
    for (dialect, group) in [("google", "Googlebot,Googlebot-Image"), ("rfc9309", "Googlebot-Image")] {
        let ask = format!("--agent Googlebot-Image,Googlebot --dialect {dialect} --robots robots.txt /b");
        let text = folder.run(&format!("explain {ask}")).out;
        assert!(text.contains(&format!("\n  group    {group}: the file has a group for ")), "{text}");
        for command in ["check", "explain"] {
            let ran = folder.run(&format!("{command} --json {ask}"));
            assert!(ran.out.contains(&format!("\"group\":\"{group}\"")), "{}", ran.out);
        }
    }
}

/// Of many lines, those that show why the group applies are quoted, and the others are counted.
#[test]
fn the_line_that_names_the_crawler_is_quoted_among_many() {
    let names =
        |from: usize| -> String { (from..from + 60).map(|n| format!("User-agent: bot{n}\n")).collect() };
    let delays = "Crawl-delay: 1\n".repeat(14);
    let robots = format!("{}User-agent: X\n{delays}{}Disallow: /a\n", names(0), names(60));
    let folder = Folder::with(&[("robots.txt", robots.as_str())]);
    let ran = folder.run("explain --agent X --robots robots.txt /a");
    for text in [
        "       61 | User-agent: X\n",
        "      135 | User-agent: bot119\n",
        "  >   136 | Disallow: /a ",
        "          (109 more lines that open these groups)\n",
        "          (2 more lines that do not end the list of names)\n",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
    assert_eq!(ran.out.matches("| User-agent: ").count(), 12, "{}", ran.out);
    let ran = folder.run("explain --json --agent X --robots robots.txt /a");
    let account: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let lines: Vec<u64> =
        account["group_lines"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
    assert!(lines.len() == 100 && lines.contains(&61) && lines.contains(&135) && lines.is_sorted());
    assert_eq!(account["omitted"]["group_lines"], 21);
}

#[test]
fn fields_of_acap_and_what_they_overrule_are_quoted() {
    let robots =
        "User-agent: *\nDisallow: /a\nACAP-crawler: *\nACAP-allow-crawl: /a\nACAP-disallow-crawl: /\n";
    let folder = Folder::with(&[("robots.txt", robots)]);
    let ran = folder.run("explain --agent X --dialect acap --robots robots.txt /a/x");
    let expected = "\
/a/x
  verdict  allow: line 4 decides
  group    *: no group names X, and this one is for every other crawler
  target   /a/x (path and query in normal form)
  rules    1 of 1 match; best is most bytes of the normal form, allow over disallow
  dialect  acap

  robots.txt:
        1 | User-agent: *
        2 | Disallow: /a            <- overruled: acap-over-conventional (robots)
  >     4 | ACAP-allow-crawl: /a    <- decides
        5 | ACAP-disallow-crawl: /  <- overruled: narrowest-scope (acap)

";
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected));
    let ran = folder.run("explain --json --agent X --dialect acap --robots robots.txt /a/x");
    let account: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        account["conflicts"],
        serde_json::json!([
            {"rule": "narrowest-scope", "loser": {"vocabulary": "acap", "place": "robots-txt", "line": 5}},
            {"rule": "acap-over-conventional", "loser": {"vocabulary": "robots", "place": "robots-txt", "line": 2}},
        ])
    );
}

#[test]
fn what_acap_leaves_open_prohibits() {
    let robots = "ACAP-crawler: *\nACAP-allow-crawl: /b\nACAP-disallow-crawl: /b\n\
        ACAP-allow-crawl: /c time-limit=3-days\nACAP-crawler: X\nACAP-permissions-reference: /more\n";
    let folder = Folder::with(&[("robots.txt", robots)]);
    let ran = folder.run("explain --agent X --dialect acap --robots robots.txt /b /c");
    assert_eq!(ran.code, Some(1));
    for text in [
        "disallow: fields of ACAP contradict each other: line 3 prohibits (ACAP 1.0, 2.4.5)",
        "disallow: line 4 grants a permission that cannot be interpreted, so it prohibits",
        "  lacks    referenced=/more",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
}

#[test]
fn without_a_robots_txt_there_are_no_groups() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let ran = folder.run(
        "explain --agent X --dialect koster1996 --status 503 --now 2026-11-22 --robots robots.txt /private?x",
    );
    let expected = "\
/private?x
  verdict  defer: by the fetch of the robots.txt
  target   /private (the path alone, in normal form)
  dialect  koster1996
  standing deferred: at 2026-11-22T00:00:00Z the answer was 503: the robots.txt is unreachable, and the site is not to be visited, failing since 2026-11-22T00:00:00Z (Koster 1996, 3.1)
  until    the next fetch (fetch the robots.txt again at 2026-11-22T01:00:00Z)

";
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), expected));
    // The robots.txt itself is allowed, but its rules are not read either.
    let ran = folder.run("explain --agent X --status 503 --now 2026-11-22 --robots robots.txt /robots.txt");
    assert!(ran.out.contains("\n  verdict  allow: /robots.txt itself "), "{}", ran.out);
    for field in ["\n  group ", "\n  rules ", "User-agent"] {
        assert!(!ran.out.contains(field), "{}", ran.out);
    }
}

#[test]
fn the_standing_after_a_fetch_is_explained() {
    let folder = Folder::with(&[("robots.txt", ROBOTS), ("good.txt", "User-agent: *\nDisallow: /good\n")]);
    let ask = |options: &str, url: &str| {
        let line = format!(
            "explain --agent X --robots robots.txt --json --now 2026-11-22T12:00:00Z {options} {url}"
        );
        let ran = folder.run(&line);
        let account: serde_json::Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.err));
        let standing = &account["standing"];
        let text = |key: &str| standing[key].as_str().unwrap_or("none").to_owned();
        (format!("{} {}", account["verdict"].as_str().unwrap(), text("applies")), text("until"), text("why"))
    };
    let good = "--last-good good.txt --last-good-fetched 2026-11-01";

    // RFC 9309, 2.4: 24 hours.
    let (said, until, _) = ask("--fetched 2026-11-22", "/private");
    assert_eq!((said.as_str(), until.as_str()), ("disallow rules", "2026-11-23T00:00:00Z"));
    let (said, ..) = ask("--fetched 2026-11-20", "/private");
    assert_eq!(said, "unknown unknown");
    // 2.3.1.2: five redirects are followed. 2.3.1.1: a robots.txt that was found after more of them counts.
    assert_eq!(
        ["--redirects 5", "--redirects 6"].map(|fetch| ask(fetch, "/private").0),
        ["disallow rules"; 2]
    );
    let (said, _, why) = ask("--redirects 6 --status 404", "/private");
    assert_eq!(said, "allow unrestricted");
    assert!(why.contains("with 6 redirects: there are too many redirects"), "{why}");
    // A 304 is no redirect.
    let (said, _, why) = ask("--status 304", "/private");
    assert_eq!(said, "unknown unknown");
    assert!(why.contains("there is no copy to compare with") && !why.contains("redirect"), "{why}");
    let (said, until, _) = ask(&format!("--status 304 {good}"), "/good");
    assert_eq!((said.as_str(), until.as_str()), ("disallow last-good-copy", "2026-11-23T12:00:00Z"));
    let (said, _, why) = ask("--status 302", "/private");
    assert_eq!(said, "unknown unknown");
    assert!(why.contains("the redirect was not followed"), "{why}");
    // 2.3.1.4 and 2.4: both readings.
    assert_eq!(ask(&format!("--status 503 {good}"), "/x").0, "allow last-good-copy");
    assert_eq!(ask(&format!("--status 503 {good}"), "/good").0, "disallow last-good-copy");
    let (said, until, _) = ask(&format!("--status 503 --unreachable disallow {good}"), "/x");
    assert_eq!((said.as_str(), until.as_str()), ("disallow restricted", "2026-12-22T12:00:00Z"));
    for dialect in ["google", "koster1996"] {
        let options = format!("--dialect {dialect} --status 503 --unreachable disallow {good}");
        let ran = folder.run(&format!("explain --agent A --robots robots.txt {options} /x"));
        assert_eq!(ran.code, Some(2), "{dialect}: {}", ran.err);
        assert!(
            ran.err.contains(&format!("--unreachable: the dialect '{dialect}' says what applies")),
            "{}",
            ran.err
        );
    }
    assert_eq!(ask("--status network-failure", "/x").0, "disallow restricted");
    assert_eq!(ask("--status 503 --failing-since 2026-10-01", "/private").0, "allow unrestricted");
    for earlier in [
        "--failing-since 1970-01-01",
        "--failing-since 0",
        "--fetched 0900",
        "--last-good good.txt --last-good-fetched 1993-12-31",
    ] {
        let ran =
            folder.run(&format!("explain --agent X --robots robots.txt --status 503 {earlier} /private"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{earlier}");
        assert!(ran.err.contains("there was no robots.txt before 1994"), "{}", ran.err);
    }
    // Koster 3.4: seven days.
    let (said, until, why) = ask("--dialect koster1996 --fetched 2026-11-20", "/private");
    assert_eq!((said.as_str(), until.as_str()), ("disallow rules", "2026-11-27T00:00:00Z"));
    assert!(why.contains("Koster 1996"), "{why}");
    // The headers of the response.
    folder.write("headers", "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\n\r\n");
    let (_, until, _) = ask("--robots-headers headers", "/private");
    assert_eq!(until, "2026-11-22T13:00:00Z");
}

/// With the wrong year, the outage would be a year long, and everything would be allowed.
#[test]
fn a_fetch_more_than_a_day_after_now_is_an_error() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let run = |command: &str, times: &str| {
        let line = format!(
            "{command} --agent X --robots robots.txt --status 503 --now 2026-11-28T08:00:00Z {times} /private"
        );
        folder.run(&line)
    };
    let good = "--last-good robots.txt --last-good-fetched";
    for command in ["check", "explain", "permissions"] {
        for (times, option, found) in [
            ("--fetched 2027-11-28 --failing-since 2026-11-28", "--fetched", "2027-11-28T00:00:00Z"),
            ("--failing-since 2026-11-29T08:00:01Z", "--failing-since", "2026-11-29T08:00:01Z"),
            (&format!("{good} 2027-11-28"), "--last-good-fetched", "2027-11-28T00:00:00Z"),
        ] {
            let ran = run(command, times);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command} {times}");
            let error = format!(
                "{option}: expected a time up to a day after --now, 2026-11-28T08:00:00Z, found {found} (check both)"
            );
            assert!(ran.err.contains(&error), "{}", ran.err);
        }
        let good = format!("{good} 2026-11-29T08:00:00Z");
        for times in ["--fetched 2026-11-29T08:00:00Z", "--failing-since 2026-11-29", &good] {
            assert_ne!(run(command, times).code, Some(2), "{command} {times}");
        }
    }
}

#[test]
fn rules_of_the_last_good_copy_are_quoted_from_it() {
    let folder = Folder::with(&[("robots.txt", ROBOTS), ("good.txt", "User-agent: *\nDisallow: /good\n")]);
    let ran = folder.run(
        "explain --agent X --robots robots.txt --status 503 --last-good good.txt --last-good-fetched 2026-11-01 \
         --now 2026-11-22 /good",
    );
    assert!(ran.out.contains("\n  good.txt:\n"), "{}", ran.out);
    assert!(ran.out.contains("Disallow: /good"), "{}", ran.out);
    assert!(
        ran.out.contains("  standing last-good-copy: at 2026-11-22T00:00:00Z the answer was 503"),
        "{}",
        ran.out
    );
    let ran = folder.run("explain --agent X --robots robots.txt --last-good good.txt /good");
    assert_eq!(ran.code, Some(2));
    let ran = folder
        .run("explain --agent X --robots - --status 503 --last-good - --last-good-fetched 2026-11-01 /good");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("standard input can be one file only"), "{}", ran.err);
}

/// Its rules are in force, so it is judged as strictly as the file itself.
#[test]
fn the_last_good_copy_is_a_robots_txt_and_needs_a_failed_fetch() {
    let folder = Folder::with(&[
        ("robots.txt", ROBOTS),
        ("good.txt", "User-agent: *\nDisallow: /good\n"),
        ("page.html", "<html>Busy</html>\n"),
        ("empty.txt", ""),
    ]);
    for command in ["check", "explain", "permissions"] {
        let run = |options: &str| {
            folder.run(&format!("{command} --agent X --robots robots.txt --now 2026-11-22 {options} /good"))
        };
        let good = |file: &str| format!("--last-good {file} --last-good-fetched 2026-11-21");
        let ran = run(&format!("--status 503 {}", good("page.html")));
        assert!(ran.err.contains("page.html: expected a robots.txt, found an HTML page"), "{}", ran.err);
        let ran = run(&format!("--status 503 {}", good("empty.txt")));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
        assert!(ran.err.contains("--last-good needs the file of a fetch that succeeded"), "{}", ran.err);
        for options in [good("good.txt"), "--failing-since 2026-11-01".to_owned()] {
            let ran = run(&options);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command} {options}");
            assert!(ran.err.contains("describe a fetch that failed (add its --status)"), "{}", ran.err);
        }
    }
}

#[test]
fn the_status_line_of_the_headers_is_the_outcome_of_the_fetch() {
    let folder = Folder::with(&[
        ("page", "<html>Service Unavailable</html>\n"),
        (
            "failed",
            "HTTP/1.1 301 Moved\r\nLocation: /r\r\n\r\nHTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\n\r\n",
        ),
        ("no-status", "Cache-Control: max-age=60\r\n"),
        ("no-code", "HTTP/1.1 OK\r\nA: b\r\n"),
    ]);
    let check = |rest: &str| folder.run(&format!("check --agent X --robots page --robots-headers {rest} /a"));
    let ran = check("failed");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "disallow\t/a\n"));
    assert_eq!(check("failed --status 503").code, Some(1));
    for (rest, expected) in [
        ("failed --status 200", "--status differs from the status line"),
        ("failed --status network-failure", "--status differs from the status line"),
        ("no-status", "has no status line"),
        ("no-code", "no-code:1: expected a status line, such as 'HTTP/1.1 200 OK', found \"HTTP/1.1 OK\""),
    ] {
        let ran = check(rest);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{rest}");
        assert!(ran.err.contains(expected), "{rest}: {}", ran.err);
    }
    assert_eq!(check("no-status --status 404").code, Some(0));
}
