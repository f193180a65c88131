//! `robomata compile`, and `robomata filter --policies`.

use crate::support::{Folder, SOURCE, URLS};
use robomata_testkit::shared;

#[test]
fn a_bundle_answers_as_its_sources_do() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)]);
    let ran = folder.run("compile robots.jsonl --agent A --agent B,A -o policies.bundle");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    let bytes = std::fs::metadata(folder.path("policies.bundle")).unwrap().len();
    assert_eq!(
        ran.err.replace(',', ""),
        format!("policies.bundle: 4 sites 2 programs {bytes} bytes; 3 captures 0 inputs skipped\n")
    );
    for rest in
        ["--agent A urls", "--agent B,A --agent A --output verdicts urls", "--agent A --dialect rfc9309 urls"]
    {
        let direct = folder.run(&format!("filter --robots robots.jsonl {rest}"));
        let mapped = folder.run(&format!("filter --policies policies.bundle {rest}"));
        assert_eq!(direct, mapped, "{rest}");
    }
}

/// What is spilled, and when, must not show: neither in the policies nor in the bodies that the bundle knows. Here, the
/// older capture of each site has a body that is the newer one of another site, or differs from it only in a comment.
#[test]
fn a_bundle_is_the_same_with_any_memory() {
    let folder = Folder::with(&[]);
    let captures = (0..3_000_u32).flat_map(|number| {
        let body = |of: u32, comment| {
            let rules: String = (0..40).map(|rule| format!("Disallow: /{}/{rule}\\n", of % 700)).collect();
            format!("User-agent: *\\n{rules}#{comment}")
        };
        [("2026-01-01", body(number, "old")), ("2026-01-02", body(number + 1, ["new", "newer", "newest"][number as usize % 3]))].map(|(day, body)| {
            format!("{{\"host\": \"h{number}.example\", \"fetched\": \"{day}T00:00:00Z\", \"body\": \"{body}\"}}\n")
        })
    });
    folder.write("robots.jsonl", captures.collect::<String>());
    let mut sources = vec!["robots.jsonl".to_owned()];
    sources.extend(shared::captures().iter().map(|source| source.display().to_string()));
    for source in sources {
        for kind in ["", " --history"] {
            let compile = |memory: &str| {
                let ran = folder.run(&format!("compile {source} -q --agent A -o out.bundle{kind}{memory}"));
                assert_eq!(ran.code, Some(0), "{}", ran.err);
                std::fs::read(folder.path("out.bundle")).unwrap()
            };
            let whole = compile("");
            let memories: &[&str] = if source == "robots.jsonl" { &["1", "2", "3"] } else { &["1"] };
            for memory in memories {
                assert!(compile(&format!(" --memory {memory}")) == whole, "{source}{kind} --memory {memory}");
            }
        }
    }
}

#[test]
fn missing_contents_of_a_bundle_are_reported() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)]);
    folder.run("compile robots.jsonl --agent A --agent B,A --dialect google -o policies.bundle");
    let ran = folder.run("filter --policies policies.bundle --agent C urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert_eq!(ran.err, "error: the policies hold no crawler 'C': they were compiled for 'A', 'B,A'\n");
    let ran = folder.run("filter --policies policies.bundle --agent A --dialect rfc9309 urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert_eq!(ran.err, "error: the policies are not of dialect 'rfc9309': they were compiled in 'google'\n");
    // Without --dialect, the bundle's dialect is used.
    let ran = folder.run("filter --policies policies.bundle --agent A urls -o out --stats -");
    assert!(ran.out.contains("\"dialect\":\"google\""), "{}", ran.out);
}

#[test]
fn a_damaged_bundle_is_refused() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)]);
    folder.run("compile robots.jsonl --agent A -o policies.bundle");
    let mut bytes = std::fs::read(folder.path("policies.bundle")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("policies.bundle", bytes);
    let ran = folder.run("filter --policies policies.bundle --agent A urls");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: policies.bundle: not a valid policy bundle"), "{}", ran.err);
    assert_eq!(ran.out, "", "nothing is written by damaged policies");
}

#[test]
fn skipped_inputs_are_named_and_counted() {
    let folder = Folder::new();
    folder.write("robots.jsonl", "{}\n{\"host\": \"a.example\", \"body\": \"User-agent: *\"}\n");
    let ran = folder.run("compile robots.jsonl --agent A -o policies.bundle");
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.starts_with("warning: robots.jsonl:1: expected a key "), "{}", ran.err);
    let summary = ran.err.lines().last().unwrap();
    assert!(summary.starts_with("policies.bundle: 2 sites, 1 program, "), "{summary}");
    assert!(summary.ends_with("; 1 capture, 1 input skipped"), "{summary}");
}

const HISTORY: &str = r#"{"host": "a.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /a\n\nUser-agent: B\nDisallow: /"}
{"host": "a.example", "time": "2024-02-01", "body": "User-agent: *\nDisallow: /a\n\nUser-agent: B\nDisallow: /"}
{"host": "a.example", "time": "2024-03-01", "body": "User-agent: *\nDisallow: /b"}
{"url": "https://b.example/robots.txt", "time": "2024-02-02", "status": 404}
"#;

#[test]
fn a_bundle_for_everyone_answers_anybody() {
    let folder =
        Folder::with(&[("robots.jsonl", HISTORY), ("urls", "https://a.example/a\nhttps://a.example/b\n")]);
    let ran = folder.run("compile robots.jsonl --all-agents -o policies.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for agent in ["A", "B", "Whoever,B"] {
        let direct = folder.run(&format!("filter --robots robots.jsonl --agent {agent} urls"));
        let mapped = folder.run(&format!("filter --policies policies.bundle --agent {agent} urls"));
        assert_eq!(direct, mapped, "{agent}");
        assert_eq!(mapped.out, "https://a.example/a\n");
    }
    let ran = folder.run("compile robots.jsonl --all-agents --usage ai-train -o policies.bundle");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--purpose require --agent"), "{}", ran.err);
    let ran = folder.run("compile robots.jsonl -o policies.bundle");
    assert_eq!(ran.code, Some(2));
}

#[test]
fn a_bundle_is_inspected() {
    let folder = Folder::with(&[("robots.jsonl", HISTORY)]);
    folder.run("compile robots.jsonl --all-agents --history -o history.bundle");
    let all = folder.run(&format!("inspect history.bundle --top {}", usize::MAX));
    assert_eq!((all.code, all.err.as_str()), (Some(0), ""));
    let ran = folder.run("inspect history.bundle --top 1");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let bytes = std::fs::metadata(folder.path("history.bundle")).unwrap().len();
    for line in [
        "  for          every crawler, rfc9309, crawl\n".to_owned(),
        format!("  bytes        {bytes}, checksum and programs verified\n"),
        "  sites        3: rules 2, unavailable 1, disallowed 0, deferred 0, redirected 0\n".to_owned(),
        "  versions     5, at most 2 (http://a.example)\n".to_owned(),
        "  captured     2024-01-01T00:00:00Z to 2024-03-01T00:00:00Z\n".to_owned(),
        "  programs     2, used 2 times\n".to_owned(),
        "  bodies       2 known\n".to_owned(),
        "used 2 times: http://a.example\n".to_owned(),
    ] {
        assert!(ran.out.contains(&line), "{line:?} in {}", ran.out);
    }
    let ran_as_text = ran.out;
    let ran = folder.run("inspect history.bundle --json");
    let sections = ["header", "slots", "sites", "index", "programs", "schedules", "tdmreps", "bodies"];
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let sum: u64 = sections.iter().map(|section| json["sections"][section].as_u64().unwrap()).sum();
    assert_eq!((Some(bytes), sum), (json["bytes"].as_u64(), bytes));
    let fingerprint = json["fingerprint"].as_str().unwrap();
    assert!(ran_as_text.contains(&format!("  fingerprint  {fingerprint}\n")), "{ran_as_text}");
    assert_eq!(folder.run(&format!("inspect history.bundle#{fingerprint} --json")), ran);

    let ran = folder.run("inspect history.bundle --site https://A.example/x");
    assert_eq!(
        ran.out,
        "https://a.example\n  2024-01-01T00:00:00Z to 2024-02-01T00:00:00Z  rules\n  2024-03-01T00:00:00Z  rules\n"
    );
    let ran = folder.run("inspect history.bundle --site https://c.example/");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "https://c.example/: unknown\n"));
    let ran = folder.run("inspect history.bundle --site c.example");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("expected an absolute URL, found \"c.example\""), "{}", ran.err);
}

#[test]
fn every_flipped_byte_of_a_bundle_is_found() {
    let folder = Folder::with(&[("robots.jsonl", HISTORY)]);
    folder.run("compile robots.jsonl --all-agents --history -o history.bundle");
    let whole = std::fs::read(folder.path("history.bundle")).unwrap();
    // The library's test damages every byte; this test damages one byte in each section and both ends.
    let places = [0, 9, 45, 150, 200, 260, 330, 400, whole.len() - 9, whole.len() - 1];
    for at in places {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        folder.write("damaged.bundle", bytes);
        let ran = folder.run("inspect damaged.bundle");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "byte {at}");
        let expected = "error: damaged.bundle: not a valid policy bundle: expected ";
        assert!(ran.err.starts_with(expected) || ran.err.contains("not a valid program"), "{}", ran.err);
        let ran = folder.run("compile robots.jsonl --onto damaged.bundle -o damaged.bundle");
        assert_eq!(ran.code, Some(2), "byte {at}");
        assert_eq!(std::fs::read(folder.path("damaged.bundle")).unwrap().len(), whole.len());
    }
    folder.write("damaged.bundle", &whole[..whole.len() - 1]);
    assert_eq!(folder.run("inspect damaged.bundle").code, Some(2));
}

#[test]
fn a_day_is_put_onto_a_bundle() {
    let lines: Vec<&str> = HISTORY.split_inclusive('\n').collect();
    let folder = Folder::with(&[
        ("robots.jsonl", HISTORY),
        ("0.jsonl", lines[0]),
        ("rest.jsonl", &lines[1..].concat()),
    ]);
    folder.run("compile robots.jsonl --all-agents --history -o at-once.bundle");
    folder.run("compile 0.jsonl --all-agents --history -o daily.bundle");
    let ran = folder.run("compile rest.jsonl --onto daily.bundle -o daily.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("at-once.bundle") == read("daily.bundle"));
    let names = folder.names();
    assert_eq!(names, ["0.jsonl", "at-once.bundle", "daily.bundle", "rest.jsonl", "robots.jsonl"]);
}

#[test]
fn a_bundle_is_divided_by_host() {
    let sites: String = (0..40)
        .map(|n| format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nDisallow: /{n}\"}}\n"))
        .collect();
    let urls: String =
        (0..40).map(|n| format!("http://h{n}.example/{n}\nhttps://h{n}.example/x\n")).collect();
    let folder = Folder::with(&[("robots.jsonl", &sites), ("urls", &urls)]);
    folder.run("compile robots.jsonl --agent A -o policies.bundle");
    let ran = folder.run("shard policies.bundle --by host -n 3 -o part");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 3);
    let filter = |policies: &str| folder.run(&format!("filter --policies {policies} --agent A urls")).out;
    assert_eq!(filter("part-*-of-00003.bundle"), filter("policies.bundle"));
    let manifest: robomata_engine::ShardManifest = folder.read("part-of-00003.shards").parse().unwrap();
    let shards = (0..3).map(|shard| folder.path(&format!("part-0000{shard}-of-00003.bundle")));
    let shards = shards.map(|path| robomata_engine::Fingerprint::of_file(&path).unwrap());
    assert_eq!(manifest.0, shards.collect::<Vec<_>>());
    let sites = (0..3).map(|shard| {
        let ran = folder.run(&format!("inspect part-0000{shard}-of-00003.bundle --json"));
        let inspected: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(inspected["shard"]["number"], shard);
        inspected["sites"].as_u64().unwrap()
    });
    assert_eq!(sites.sum::<u64>(), 80);
    assert_eq!(folder.run("shard policies.bundle -n 0 -o part").code, Some(2));
    let ran = folder.run("shard policies.bundle -n 100000 -o part");
    assert_eq!((ran.code, ran.err.contains("expected at most 99999 shards")), (Some(2), true), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_filter_remembers_which_bundle_it_has_verified() {
    let line = |n: u32| {
        let rules: String = (0..20).map(|rule| format!("Disallow: /{n}/{rule}/\\n")).collect();
        format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\n{rules}\"}}\n")
    };
    let folder = Folder::with(&[("urls.txt", "https://h1.example/1/2/3\n")]);
    folder.write("robots.jsonl", (0..6000).map(line).collect::<String>());
    assert_eq!(folder.run("compile robots.jsonl --agent A -o p.bundle").code, Some(0));
    let filter = |more: &str| {
        let line = format!(
            "XDG_CACHE_HOME=$PWD/cache robomata filter --agent A --policies p.bundle {more} urls.txt"
        );
        folder.bash(&line)
    };
    let records = || std::fs::read_dir(folder.path("cache/robomata/verified")).map_or(0, Iterator::count);
    // A later change of a new file could have the same time.
    assert_eq!((filter("").code, records()), (Some(0), 0));
    std::thread::sleep(std::time::Duration::from_millis(3100));
    assert_eq!((filter("--verify").code, records()), (Some(0), 0));
    assert_eq!((filter("").code, records()), (Some(0), 1));
    let ran = filter("");
    assert_eq!((ran.code, ran.out.as_str(), records()), (Some(0), "", 1), "{}", ran.err);
    let mut bytes = std::fs::read(folder.path("p.bundle")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("p.bundle", bytes);
    let ran = filter("");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
}

/// A robots.txt of which `limit` bytes end within a line, after which other rules follow.
fn longer_than(limit: usize) -> String {
    let mut body = "User-agent: *\nDisallow: /early\n".to_owned();
    while body.len() < limit - 40 {
        body.push_str("# a comment\n");
    }
    let line = "Disallow: /";
    body.push_str(&" ".repeat(limit - body.len() - line.len()));
    body + line + "on-the-limit\nDisallow: /late\n"
}

#[test]
fn a_limit_of_bytes_is_one_of_whole_lines_in_filters_and_bundles() {
    let line = |host: &str| {
        let body = serde_json::to_string(&longer_than(512_000)).unwrap();
        format!("{{\"host\": \"{host}\", \"body\": {body}}}\n")
    };
    let urls: String = ["a.example", "b.example"]
        .iter()
        .flat_map(|host| {
            ["early", "on-the-limit", "late", "x"].map(|path| format!("https://{host}/{path}\n"))
        })
        .collect();
    let folder =
        Folder::with(&[("a.jsonl", &line("a.example")), ("b.jsonl", &line("b.example")), ("urls", &urls)]);
    let verdicts = |line: &str| {
        let ran = folder.run(&format!("{line} --agent A --output verdicts urls"));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        let of = |line: &str| line.split('\t').next().map(str::to_owned);
        let verdicts = ran.out.lines().filter_map(of).collect::<Vec<_>>();
        (verdicts[..4].join(" "), verdicts[4..].join(" "), ran.err)
    };
    let whole = "disallow disallow disallow allow";
    let cut = "disallow allow allow allow";
    let both = "--robots a.jsonl --robots b.jsonl";
    for dialect in ["rfc9309", "google"] {
        let filter = format!("filter --dialect {dialect} {both}");
        let (a, b, err) = verdicts(&filter);
        assert_eq!((&*a, &*b), (whole, whole), "{dialect}");
        assert!(!err.contains("longer"), "{err}");
        let (a, b, err) = verdicts(&format!("{filter} --max-robots-bytes 512000"));
        assert_eq!((&*a, &*b), (cut, cut), "{dialect}");
        assert!(err.trim_end().ends_with("; 2 robots.txt files longer than the parsing limit"), "{err}");

        // The same body under another limit has other programs.
        let compile = "compile -o policies.bundle";
        let limited = "--max-robots-bytes 512000";
        for (first, then, expected) in [("", limited, (whole, cut)), (limited, "", (cut, whole))] {
            let ran = folder.run(&format!("{compile} a.jsonl --agent A --dialect {dialect} {first}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let ending = "; 1 robots.txt file longer than the parsing limit\n";
            assert_eq!(ran.err.ends_with(ending), first == limited, "{}", ran.err);
            let ran = folder.run(&format!("{compile} b.jsonl --onto policies.bundle {then}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert_eq!(ran.err.ends_with(ending), then == limited, "{}", ran.err);
            let (a, b, _) = verdicts("filter --policies policies.bundle");
            assert_eq!((&*a, &*b), expected, "{dialect}: {first}, {then}");
        }
    }
    let ran = folder.run("filter --agent A --robots a.jsonl --max-robots-bytes 511999 urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("--max-robots-bytes"), "{}", ran.err);
}

/// Of captures that say the same, a bundle knows the first and the last time.
#[test]
fn captures_within_a_version_of_the_base_are_counted() {
    let capture = |day: u32, rule: &str| {
        format!(
            "{{\"url\": \"https://a.example\", \"time\": \"2026-01-{day:02}\", \"body\": \"User-agent: *\\n{rule}\"}}\n"
        )
    };
    let daily: String = (1..=30).map(|day| capture(day, "Disallow: /")).collect();
    let folder = Folder::with(&[("daily.jsonl", &daily), ("late.jsonl", &capture(15, "Allow: /"))]);
    folder.write("same.jsonl", capture(15, "Disallow: /"));
    folder.write("after.jsonl", capture(31, "Allow: /"));
    let compile = |line: &str| {
        let ran = folder.run(&format!("compile {line}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.err
    };
    assert!(!compile("daily.jsonl late.jsonl --all-agents --history -o whole.bundle").contains("warning"));
    compile("daily.jsonl --all-agents --history -o base.bundle");
    for source in ["same.jsonl", "after.jsonl"] {
        assert!(
            !compile(&format!("{source} --onto base.bundle -o out.bundle")).contains("warning"),
            "{source}"
        );
    }
    let warning = "warning: 1 capture inside versions of another bundle, with other content";
    assert!(compile("late.jsonl --onto base.bundle -o out.bundle --quiet").contains(warning));
    compile("late.jsonl --all-agents --history -o late.bundle");
    assert!(compile("base.bundle late.bundle --all-agents --history -o out.bundle").contains(warning));
}

/// A name that is pinned to a fingerprint opens this bundle alone, in every command.
#[test]
fn every_command_knows_pins() {
    let folder = Folder::with(&[("robots.jsonl", HISTORY), ("urls", "https://a.example/\n")]);
    assert_eq!(folder.run("compile robots.jsonl --agent A -o p.bundle").code, Some(0));
    let fingerprint = robomata_engine::Fingerprint::of_file(&folder.path("p.bundle")).unwrap().to_string();
    for (command, code) in [
        ("filter --agent A --policies PIN urls", 0),
        ("inspect PIN", 0),
        ("inspect PIN --site https://a.example/", 0),
        ("diff PIN p.bundle", 0),
        ("diff p.bundle PIN", 0),
        ("shard PIN -n 2 -o s", 0),
        ("compile robots.jsonl --onto PIN -o out.bundle", 0),
        ("compile PIN --agent A -o out.bundle", 0),
        ("compile PIN --agent A -o p.bundle", 2),
        ("diff PIN p.bundle --to p.bundle", 2),
    ] {
        let with = |pin: &str| folder.run(&command.replace("PIN", &format!("p.bundle#{pin}")));
        let ran = with(&fingerprint);
        assert_eq!(ran.code, Some(code), "{command}: {}", ran.err);
        let ran = with(&"0".repeat(32));
        let error =
            if code == 0 { "p.bundle: another bundle than was asked for" } else { "would replace it" };
        assert!(ran.code == Some(2) && ran.err.contains(error), "{command}: {}", ran.err);
    }
}

#[test]
fn bundles_for_crawlers_in_another_order_are_not_merged() {
    let folder = Folder::with(&[("robots.jsonl", HISTORY)]);
    for (agents, name) in
        [("--agent A --agent B", "one"), ("--agent B --agent A", "two"), ("--agent C --agent A", "three")]
    {
        assert_eq!(folder.run(&format!("compile robots.jsonl {agents} -o {name}.bundle")).code, Some(0));
    }
    let hint = "(compile one of them again with the crawlers in the order of the other)";
    for (other, has_hint) in [("two", true), ("three", false)] {
        let ran = folder.run(&format!("compile {other}.bundle --onto one.bundle -o out.bundle"));
        assert_eq!((ran.code, ran.err.contains(hint)), (Some(2), has_hint), "{}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn a_bundle_is_not_read_from_a_pipe() {
    let folder = Folder::with(&[("robots.jsonl", HISTORY), ("urls", "https://a.example/\n")]);
    assert_eq!(folder.run("compile robots.jsonl --agent A -o p.bundle").code, Some(0));
    let ran = folder.bash("robomata filter --agent A --policies <(cat p.bundle) urls");
    let error = "a bundle is read from a file, not from a pipe or a device (write it to a file first)";
    assert!(ran.code == Some(2) && ran.err.contains(error), "{}", ran.err);
}
