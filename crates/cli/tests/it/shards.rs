//! `filter` and `score` with the shards of a bundle.

use std::fs;

use crate::support::{Folder, Ran};

const SHARDS: usize = 4;
const SITES: usize = 60;
const POLICIES: &str = "part-*-of-00004.bundle";

fn shard(number: usize) -> String {
    format!("part-{number:05}-of-00004.bundle")
}

fn captures(month: usize) -> String {
    let capture = |site: usize| {
        format!(
            "{{\"host\": \"h{site}.example\", \"time\": \"2024-0{month}-01\", \
             \"body\": \"User-agent: *\\nDisallow: /{}\\n\\nUser-agent: OtherBot\\nDisallow: /\"}}\n",
            site % 7 * month
        )
    };
    (0..SITES).map(capture).collect()
}

/// A folder with a bundle, its shards, URLs in random order and a log.
fn folder() -> Folder {
    let urls: String = (0..2000)
        .map(|n| format!("https://h{}.example/{}\n", n * 37 % (SITES + 5), n % 11))
        .chain(["nonsense\n".to_owned(), "http://H3.example:80/4\n".to_owned()])
        .collect();
    let line = |n: usize| {
        format!(
            "h{}.example 10.0.0.1 - - [0{}/Feb/2024:00:00:{:02} +0000] \"GET /{} HTTP/1.1\" 200 1 \"-\" \
             \"ExampleBot/1.0 (+http://bot.example/)\"\n",
            n * 37 % (SITES + 5),
            1 + n % 9,
            n % 60,
            n % 11
        )
    };
    let log: String = (0..500).map(line).collect();
    let folder = Folder::with(&[("urls", &urls), ("access.log", &log)]);
    folder.write("robots.jsonl", captures(1) + &captures(3));
    let ran = folder.run("compile robots.jsonl --all-agents --history -o policies.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.run(&format!("shard policies.bundle -n {SHARDS} -o part")).code, Some(0));
    folder
}

fn filter(policies: &str) -> String {
    format!("filter --agent ExampleBot --policies {policies} urls --output verdicts")
}

/// The fingerprint of all shards, as an error names it.
fn fingerprint(folder: &Folder) -> String {
    let refused = folder.run(&filter(&format!("{POLICIES}#{}", "0".repeat(32))));
    let (_, found) = refused.err.trim_end().rsplit_once("found ").expect("another fingerprint was expected");
    found.to_owned()
}

/// Both commands refuse `policies` with `error` and write nothing.
fn assert_refused(folder: &Folder, policies: &str, error: &str) {
    let before = folder.names();
    let outputs = ["", " --to out --stats stats.json", " --to out --resume"].map(|to| filter(policies) + to);
    let scores = ["", " --to out --requests requests.tsv --html page.html"]
        .map(|to| format!("score --policies {policies} access.log{to}"));
    for line in outputs.iter().chain(&scores) {
        let Ran { code, out, err } = folder.run(line);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.starts_with("error: ") && err.contains(error), "{line}: {err}");
        assert_eq!(folder.names(), before, "{line}");
    }
}

#[test]
fn shards_answer_as_the_whole_bundle_does() {
    let folder = folder();
    let fingerprint = fingerprint(&folder);
    for policies in [POLICIES.to_owned(), format!("{POLICIES}#{fingerprint}")] {
        for rest in ["--output verdicts urls", "urls", "--unknown drop urls", "--threads 1 urls"] {
            let whole = folder.run(&format!("filter --agent ExampleBot --policies policies.bundle {rest}"));
            let shards = folder.run(&format!("filter --agent ExampleBot --policies {policies} {rest}"));
            assert_eq!(whole.code, Some(0), "{}", whole.err);
            assert_eq!(whole, shards, "{rest}");
        }
        let several = "--agent ExampleBot --agent OtherBot --output verdicts --output-format csv urls";
        let whole = folder.run(&format!("filter --policies policies.bundle {several}"));
        assert_eq!(whole, folder.run(&format!("filter --policies {policies} {several}")));
        let whole = folder.run("score --json --policies policies.bundle access.log");
        assert_eq!(whole.code, Some(1), "{}", whole.err);
        assert_eq!(whole, folder.run(&format!("score --json --policies {policies} access.log")));
    }
    let sites = |policies: &str| {
        let ran = folder.run(&format!("{} --to out --stats -", filter(policies)));
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["sites"].clone()
    };
    assert_eq!(sites(POLICIES), 2 * SITES);
    assert_eq!(sites("policies.bundle"), sites(POLICIES));
}

#[test]
fn every_shard_must_be_the_one_of_the_manifest() {
    let folder = folder();
    let stale = "another bundle than was asked for: expected ";
    assert_refused(&folder, &format!("{POLICIES}#{}", "0".repeat(32)), stale);
    assert_refused(&folder, &format!("policies.bundle#{}", "0".repeat(32)), stale);
    assert_refused(
        &folder,
        "part-*-of-00005.bundle",
        "part-of-00005.shards: the manifest of the shards cannot be read",
    );
    for name in ["part-*.bundle", "part-of-00004.shards"] {
        assert_refused(&folder, name, "expected a shard name such as");
    }

    let last = shard(SHARDS - 1);
    let bytes = fs::read(folder.path(&last)).unwrap();
    fs::remove_file(folder.path(&last)).unwrap();
    assert_refused(&folder, POLICIES, &format!("{last}: cannot be read"));
    for at in [20, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        folder.write(&last, damaged);
        assert_refused(&folder, POLICIES, &format!("{last}: "));
    }
    folder.write(&last, &bytes[..bytes.len() / 2]);
    assert_refused(&folder, POLICIES, &format!("{last}: "));

    // A shard of another day.
    folder.write("other.jsonl", captures(2));
    folder.run("compile other.jsonl --all-agents --history -o other.bundle");
    assert_eq!(folder.run(&format!("shard other.bundle -n {SHARDS} -o other")).code, Some(0));
    fs::copy(folder.path("other-00003-of-00004.bundle"), folder.path(&last)).unwrap();
    assert_refused(&folder, POLICIES, &format!("{last}: {stale}"));

    folder.write(&last, &bytes);
    assert_eq!(folder.run(&filter(POLICIES)).code, Some(0));
    folder.write("part-of-00004.shards", "0");
    assert_refused(&folder, POLICIES, "part-of-00004.shards: expected a manifest");
}

#[test]
fn shards_open_only_with_their_manifest() {
    let folder = folder();
    let manifest = fs::read_to_string(folder.path("part-of-00004.shards")).unwrap();
    fs::remove_file(folder.path("part-of-00004.shards")).unwrap();
    assert_refused(&folder, POLICIES, "part-of-00004.shards: the manifest of the shards cannot be read");

    // A manifest that was put together from two.
    folder.run("compile robots.jsonl --agent ExampleBot -o other.bundle");
    folder.run(&format!("shard other.bundle -n {SHARDS} -o other"));
    fs::copy(folder.path("other-00002-of-00004.bundle"), folder.path(&shard(2))).unwrap();
    let other = fs::read_to_string(folder.path("other-of-00004.shards")).unwrap();
    let line = |text: &str, number: usize| text.lines().nth(number).unwrap().to_owned() + "\n";
    let mixed: String = (0..SHARDS).map(|n| line(if n == 2 { &other } else { &manifest }, n)).collect();
    folder.write("part-of-00004.shards", mixed);
    assert_refused(&folder, POLICIES, "expected the dialect, crawlers and usage of the other shards");
}

#[test]
fn an_output_replaces_no_shard() {
    let folder = folder();
    for output in [shard(1), "part-of-00004.shards".to_owned()] {
        for line in [filter(POLICIES), format!("score --policies {POLICIES} access.log")] {
            let ran = folder.run(&format!("{line} --to {output}"));
            assert_eq!(ran.code, Some(2));
            assert!(ran.err.contains("the output is the input"), "{}", ran.err);
        }
    }
}

#[test]
fn a_run_is_resumed_only_with_the_same_shards() {
    let folder = folder();
    folder.write_compressed("urls.gz", folder.read("urls"));
    let whole = fs::read(folder.path("urls.gz")).unwrap();
    folder.write("urls.gz", &whole[..whole.len() - 9]);
    let line = format!(
        "{} --resume --checkpoint-every 0 --to out",
        filter(POLICIES).replace("urls", "urls urls.gz")
    );
    let ran = folder.run(&line);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(folder.path("out.partial").exists() && folder.path("out.checkpoint.json").exists());
    folder.write("urls.gz", whole);

    let ran = folder.run(&line.replace(POLICIES, "policies.bundle"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("fingerprint 1 of the policies was "), "{}", ran.err);
    folder.write("other.jsonl", captures(1) + &captures(2));
    folder.run("compile other.jsonl --all-agents --history -o other.bundle");
    folder.run(&format!("shard other.bundle -n {SHARDS} -o other"));
    let ran = folder.run(&line.replace("part-", "other-"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("fingerprint 1 of the policies was "), "{}", ran.err);

    assert_eq!(folder.run(&line).code, Some(0));
    let whole = folder.run(&filter("policies.bundle").replace("urls", "urls urls"));
    assert!(folder.read("out") == whole.out);
}

#[test]
fn one_shard_does_not_open_on_its_own() {
    let folder = folder();
    let refusal = "part-00001-of-00004.bundle: is one shard of a bundle, and the sites of the other shards would pass as \
                   unknown (open all shards, 'part-*-of-00004.bundle'";
    let opens = [
        filter(&shard(1)),
        format!("score access.log --policies {}", shard(1)),
        format!("pace --agent A --policies {}", shard(1)),
        format!("plan --now 2024-04-01 --policies {}", shard(1)),
        format!("compile robots.jsonl --onto {} -o out.bundle", shard(1)),
        format!("compile {} --all-agents --history -o out.bundle", shard(1)),
        format!("shard {} -n 2 -o again", shard(1)),
        format!("compile {0} {1} {2} --all-agents --history -o out.bundle", shard(0), shard(1), shard(3)),
    ];
    for command in &opens[..7] {
        let ran = folder.run(command);
        assert!(ran.code == Some(2) && ran.err.contains(refusal), "{command}: {}", ran.err);
    }
    assert_eq!(folder.run(&opens[7]).code, Some(2), "a shard is missing");
    assert!(!folder.names().contains(&"out.bundle".to_owned()));
    let all: Vec<String> = (0..SHARDS).map(shard).collect();
    for command in [
        format!("inspect {}", shard(1)),
        format!("diff {0} {0} --agent A", shard(1)),
        format!("compile {} --all-agents --history -o whole.bundle", all.join(" ")),
    ] {
        let ran = folder.run(&command);
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
    }
    let verdicts = |name: &str| folder.run(&filter(name)).out;
    assert_eq!(verdicts("whole.bundle"), verdicts("policies.bundle"));
    for other in [shard(2), "policies.bundle".to_owned()] {
        let ran = folder.run(&format!("diff {} {other} --agent A", shard(1)));
        let error = "the sites of other shards would pass as unknown: the old bundle is shard 1 of 4";
        assert!(ran.code == Some(2) && ran.err.contains(error), "{}", ran.err);
    }
}

/// Whatever the name of its file is, a shard does not pass as a whole bundle or as another shard.
#[test]
fn a_shard_does_not_open_under_another_name() {
    let folder = folder();
    let refusal = "is shard 1 of 4 of a bundle, and the sites of the other shards would pass as unknown";
    fs::copy(folder.path(&shard(1)), folder.path("copy.bundle")).unwrap();
    let mut names = vec!["copy.bundle".to_owned()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(shard(1), folder.path("link.bundle")).unwrap();
        names.push("link.bundle".to_owned());
    }
    for name in names {
        for command in [
            filter(&name),
            format!("score access.log --policies {name}"),
            format!("pace --agent A --policies {name}"),
            format!("plan --now 2024-04-01 --policies {name}"),
            format!("compile robots.jsonl --onto {name} -o out.bundle"),
            format!("compile {name} --all-agents --history -o out.bundle"),
            format!("shard {name} -n 2 -o again"),
            format!("inspect {name}"),
            format!("diff {name} policies.bundle --agent A"),
        ] {
            let ran = folder.run(&command);
            assert!(ran.code == Some(2) && ran.err.contains(refusal), "{command}: {}", ran.err);
        }
    }
    // A set of shards, with a manifest, in which one shard has the names of two.
    let line = |number: usize| format!("{} {number}\n", manifest_line(&folder, 1));
    for number in [0, 1] {
        fs::copy(folder.path(&shard(1)), folder.path(&format!("two-{number:05}-of-00002.bundle"))).unwrap();
    }
    folder.write("two-of-00002.shards", line(0) + &line(1));
    let ran = folder.run(&filter("two-*-of-00002.bundle"));
    assert!(ran.code == Some(2) && ran.err.contains("expected the shard that its name says"), "{}", ran.err);
}

/// The fingerprint of a shard in the manifest.
fn manifest_line(folder: &Folder, number: usize) -> String {
    let manifest = folder.read("part-of-00004.shards");
    manifest.lines().nth(number).and_then(|line| line.split_once(' ')).unwrap().0.to_owned()
}

#[test]
fn an_undivided_bundle_is_a_shard_only_of_one() {
    let folder = folder();
    let fingerprint = robomata_engine::Fingerprint::of_file(&folder.path("policies.bundle")).unwrap();
    for number in [0, 1] {
        fs::copy(folder.path("policies.bundle"), folder.path(&format!("old-{number:05}-of-00002.bundle")))
            .unwrap();
    }
    folder.write("old-of-00002.shards", format!("{fingerprint} 0\n{fingerprint} 1\n"));
    let ran = folder.run(&filter("old-*-of-00002.bundle"));
    assert!(ran.code == Some(2) && ran.err.contains("expected the shard that its name says"), "{}", ran.err);
    fs::copy(folder.path("policies.bundle"), folder.path("old-00000-of-00001.bundle")).unwrap();
    folder.write("old-of-00001.shards", format!("{fingerprint} 0\n"));
    assert_eq!(folder.run(&filter("old-*-of-00001.bundle")), folder.run(&filter("policies.bundle")));
    assert_eq!(folder.run(&filter("old-00000-of-00001.bundle")).code, Some(2));
}

#[cfg(unix)]
#[test]
fn folders_of_shards_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder();
    let other = folder.path("").join(std::ffi::OsStr::from_bytes(b"\xFF"));
    fs::create_dir(&other).unwrap();
    for name in [shard(0), shard(1), shard(2), shard(3), "part-of-00004.shards".to_owned()] {
        fs::copy(folder.path(&name), other.join(name)).unwrap();
    }
    let open = |name: &str| robomata_engine::PolicySet::open(other.join(name));
    assert_eq!(open(POLICIES).unwrap().open_all().unwrap().site_count(), 2 * SITES);
    assert!(matches!(open(&shard(1)), Err(robomata_engine::PolicySetError::Shard { .. })));
}

#[test]
fn shards_are_merged_only_with_their_manifest() {
    let folder = folder();
    let sources: Vec<String> = (0..SHARDS).map(shard).collect();
    let compile = format!("compile {} --all-agents --history -o whole.bundle", sources.join(" "));
    let assert_refused = |error: &str| {
        let ran = folder.run(&compile);
        assert!(ran.code == Some(2) && ran.err.contains(error), "{error}: {}", ran.err);
        assert!(!folder.path("whole.bundle").exists());
    };
    let [first, last] = [0, SHARDS - 1].map(|number| fs::read(folder.path(&shard(number))).unwrap());

    // A shard of another day, and one shard under the names of two.
    folder.write("other.jsonl", captures(2));
    folder.run("compile other.jsonl --all-agents --history -o other.bundle");
    assert_eq!(folder.run(&format!("shard other.bundle -n {SHARDS} -o other")).code, Some(0));
    fs::copy(folder.path("other-00000-of-00004.bundle"), folder.path(&shard(0))).unwrap();
    assert_refused("part-00000-of-00004.bundle: another bundle than was asked for: expected ");
    folder.write(&shard(0), &first);
    folder.write(&shard(SHARDS - 1), &first);
    assert_refused(
        "part-00003-of-00004.bundle: not a valid policy bundle: expected the shard that its name says",
    );
    folder.write(&shard(SHARDS - 1), &last);

    let manifest = folder.read("part-of-00004.shards");
    fs::remove_file(folder.path("part-of-00004.shards")).unwrap();
    assert_refused("part-of-00004.shards: the manifest of the shards cannot be read");
    folder.write("part-of-00004.shards", manifest);
    assert_eq!(folder.run(&compile).code, Some(0));
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("whole.bundle") == bytes("policies.bundle"));
}
