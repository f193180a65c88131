//! `robomata pace`.

use crate::support::{Folder, Ran};

const ROBOTS: &str = "User-agent: ExampleBot\nCrawl-delay: 2.5\nUser-agent: OtherBot\nDisallow: /x\n\nUser-agent: *\n\
                      Request-rate: 1/10m\nRequest-rate: 1/5 0700-0759\nVisit-time: 0600-0845\n";

fn capture(host: &str, status: u16, body: &str) -> String {
    format!("{{\"url\": \"https://{host}\", \"status\": {status}, \"body\": {body:?}}}\n")
}

fn folder() -> Folder {
    let captures = [
        capture("a.example", 200, ROBOTS),
        capture("b.example", 200, "User-agent: *\nDisallow: /x\n"),
        capture("c.example", 500, "User-agent: *\nCrawl-delay: 9\n"),
        capture("d.example", 200, "<!DOCTYPE html><p>Crawl-delay: 9"),
    ];
    Folder::with(&[("robots.jsonl", &captures.concat()), ("robots.txt", ROBOTS)])
}

#[test]
fn the_format_follows_the_name_or_the_option() {
    let folder = folder();
    let line = "pace --agent OtherAgent --robots robots.jsonl --at 2026-11-23T05:59:59Z";
    let Ran { code, out, err } = folder.run(&format!("{line} --output-format jsonl"));
    assert_eq!(
        out,
        "{\"site\":\"https://a.example\",\"agent\":\"OtherAgent\",\"delay\":600,\"source\":\"request-rate\",\"line\":7,\
         \"hours\":null,\"asked\":600,\"limit\":null,\"visit_time\":\"06:00-08:45\",\"opens_in\":1}\n"
    );
    assert_eq!(code, Some(0));
    let last = "4 sites: 1 with a delay, 1 with hours of visits, 1 without a robots.txt to obey; not a robots.txt: 1 html\n";
    assert!(err.ends_with(last), "{err}");
    for (name, option) in [("t.jsonl", "jsonl"), ("t.tsv", "tsv"), ("t", "tsv")] {
        let printed = folder.run(&format!("{line} --output-format {option}"));
        assert_eq!(folder.run(&format!("{line} --to {name}")).code, Some(0));
        assert_eq!(folder.read(name), printed.out, "{name}");
    }
}

#[test]
fn a_name_that_promises_another_format_is_refused() {
    let folder = folder();
    let line = "pace --agent OtherAgent --robots robots.jsonl";
    for (name, promised) in
        [("x.csv", "csv"), ("x.CSV.gz", "csv"), ("x.json", "json"), ("x.json.zst", "json")]
    {
        let ran = folder.run(&format!("{line} --to {name}"));
        assert_eq!(ran.code, Some(2), "{name}");
        let expected = format!("{name}: a table is tsv, jsonl or parquet, not {promised}");
        assert!(ran.err.contains(&expected), "{}", ran.err);
        assert!(!folder.path(name).exists());
        assert_eq!(folder.run(&format!("{line} --to {name} --output-format tsv")).code, Some(0), "{name}");
    }
    assert_eq!(folder.run("compile robots.jsonl --all-agents --history -o h.bundle").code, Some(0));
    for output in ["--to p.csv", "--to p.tsv --holds h.json"] {
        let ran = folder.run(&format!("plan --policies h.bundle --now 2026-11-23 {output}"));
        assert!(ran.code == Some(2) && ran.err.contains("a table is tsv, jsonl or parquet"), "{}", ran.err);
    }
}

#[test]
fn bundles_say_what_their_captures_say() {
    let folder = folder();
    let line = "pace --agent ExampleBot --default-delay 1 --max-delay 2";
    let captures = folder.run(&format!("{line} --robots robots.jsonl"));
    assert_eq!(captures.code, Some(0), "{}", captures.err);
    // A bundle has no captures.
    let captures = Ran { err: captures.err.replace("; not a robots.txt: 1 html", ""), ..captures };
    for (name, audience) in [("one", "--agent ExampleBot"), ("all", "--all-agents --history")] {
        assert_eq!(folder.run(&format!("compile robots.jsonl {audience} -o {name}.bundle")).code, Some(0));
        assert_eq!(folder.run(&format!("{line} --policies {name}.bundle")), captures, "{name}");
    }
    assert_eq!(folder.run("shard all.bundle -n 3 -o s").code, Some(0));
    let sorted = |ran: &Ran| {
        let mut rows: Vec<String> = ran.out.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    let shards = folder.run(&format!("{line} --policies s-*-of-00003.bundle"));
    assert_eq!((shards.code, sorted(&shards)), (Some(0), sorted(&captures)));
}

#[test]
fn a_delay_applies_to_the_names_directly_above_it() {
    let folder = folder();
    for (agent, delay) in [
        ("ExampleBot", Some("2.5\tcrawl-delay\t2")),
        ("OtherBot", None),
        ("Else", Some("600\trequest-rate\t7")),
    ] {
        let ran = folder.run(&format!("pace --agent {agent} --host example.com --robots robots.txt"));
        let rows: Vec<&str> = ran.out.lines().skip(1).collect();
        let has = |row: &&str| delay.is_some_and(|delay| row.contains(&format!("\t{delay}\t")));
        assert_eq!(
            (rows.len(), rows.iter().all(has)),
            (if delay.is_some() { 2 } else { 0 }, true),
            "{agent}: {rows:?}"
        );
    }
}

#[test]
fn several_crawlers_have_rows_one_after_the_other() {
    let folder = folder();
    let ran = folder.run("pace --agent Else --agent ExampleBot --robots robots.jsonl");
    let agents: Vec<&str> = ran.out.lines().skip(1).map(|row| row.split('\t').nth(1).unwrap()).collect();
    assert_eq!(agents, ["Else", "ExampleBot"]);
    assert!(ran.err.contains("4 sites for 2 crawlers: 2 with a delay"), "{}", ran.err);
}

#[test]
fn mistakes_end_with_code_2_and_nothing_is_written() {
    let folder = folder();
    assert_eq!(folder.run("compile robots.jsonl --agent A -o a.bundle").code, Some(0));
    for (rest, expected) in [
        (
            "--robots robots.jsonl --min-delay 5 --max-delay 4",
            "expected --min-delay <= --default-delay <= --max-delay",
        ),
        ("--robots robots.jsonl --min-delay 5 --default-delay 4", "expected --min-delay <= --default-delay"),
        ("--robots robots.jsonl --max-delay 1e9", "expected seconds, such as 30 or 0.25"),
        ("--robots robots.jsonl --max-delay -1", "unexpected argument"),
        ("--robots robots.jsonl --max-delay inf", "expected seconds"),
        ("--robots robots.jsonl --default-delay 0.0001", "expected seconds"),
        ("--robots robots.jsonl --at noon", "--at"),
        ("--robots robots.jsonl --policies a.bundle", "--policies"),
        ("--policies a.bundle", "the policies hold no crawler 'ExampleBot'"),
        ("--policies robots.jsonl", "not a valid policy bundle"),
        ("--robots none.jsonl", "none.jsonl"),
    ] {
        let before = folder.names();
        let ran = folder.run(&format!("pace --agent ExampleBot {rest} --to table.tsv"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{rest}: {}", ran.err);
        assert!(ran.err.contains(expected), "{rest}: {}", ran.err);
        assert_eq!(folder.names(), before, "{rest}");
    }
    let ran = folder.run("pace --agent A --policies a.bundle --to table.parquet.gz");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("remove .gz or .zst from the name in --to"), "{}", ran.err);
    assert!(!folder.path("table.parquet.gz").exists());
}

#[test]
fn incomplete_captures_need_partial() {
    let folder = folder();
    // The last capture is cut, and so a failed fetch.
    let captures = ["a.example", "b.example"].map(|host| capture(host, 200, ROBOTS).repeat(1000));
    folder.write_compressed("robots.jsonl.gz", captures.concat());
    let whole = std::fs::read(folder.path("robots.jsonl.gz")).unwrap();
    folder.write("cut.jsonl.gz", &whole[..whole.len() - 20]);
    let line = "pace --agent ExampleBot --robots cut.jsonl.gz --to table.tsv";
    let ran = folder.run(line);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(!folder.path("table.tsv").exists());
    let ran = folder.run(&format!("{line} --partial"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(folder.read("table.tsv").contains("crawl-delay"));
}
