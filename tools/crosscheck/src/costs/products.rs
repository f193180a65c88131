//! Pairs of inputs of one command, whose sizes could multiply: many crawlers in a log and many rules, many redirects and a large
//! body. Strangers write both.

use std::fmt::Write as _;

use super::{AGENT, Commands, HOST, Input};

/// The name of a pair, the commands that read it, and its files: of about `bytes` in all, half for each side.
type Pair = (&'static str, &'static Commands, fn(usize) -> Files);
type Files = Vec<(&'static str, String)>;

const FILTER: (&str, &str) = ("filter", "filter --agent AGENT --robots robots.jsonl urls.txt");
const SCORE: (&str, &str) = ("score", "score --robots robots.jsonl access.log");
const COMPILE: (&str, &str) = ("compile", "compile robots.jsonl --all-agents --history -o all.bundle");
const LINT: (&str, &str) = ("lint", "lint --format json robots.jsonl");

const PAIRS: [Pair; 26] = [
    ("crawlers of a log x rules", &[SCORE], |bytes| {
        let log =
            numbered(bytes / 2, |n| request(HOST, n, &format!("/{n}"), &format!("{n}Bot/1.0 (crawler)")));
        vec![("robots.jsonl", capture(HOST, 0, &group(&rules(bytes / 2)))), ("access.log", log)]
    }),
    ("crawlers of a log x groups", &[SCORE], |bytes| {
        let groups = numbered(bytes / 2, |n| format!("User-agent: {n}Bot\nDisallow: /{n}\n"));
        let log =
            numbered(bytes / 2, |n| request(HOST, n, &format!("/{n}"), &format!("{n}Bot/1.0 (crawler)")));
        vec![("robots.jsonl", capture(HOST, 0, &groups)), ("access.log", log)]
    }),
    (
        "words of a User-Agent x names of crawlers",
        &[("score", "score --agents agents.txt --robots robots.jsonl access.log")],
        |bytes| {
            let log = numbered(bytes / 2, |line| {
                let words =
                    (0..100).fold(String::new(), |words, word| words + &format!("{word}bot-{line}/1 "));
                request(HOST, line, "/", &words)
            });
            let agents = numbered(bytes / 2, |n| format!("{n}bot\n"));
            vec![
                ("robots.jsonl", capture(HOST, 0, &group("Disallow: /\n"))),
                ("access.log", log),
                ("agents.txt", agents),
            ]
        },
    ),
    ("versions x requests", &[SCORE, COMPILE, LINT], |bytes| {
        let captures = numbered(bytes / 2, |n| capture(HOST, 60 * n, &group(&format!("Disallow: /{n}\n"))));
        let log = numbered(bytes / 2, |n| request(HOST, n * 7919 % 80_000, "/1", &format!("{AGENT}/1.0")));
        vec![("robots.jsonl", captures), ("access.log", log)]
    }),
    ("sites x requests for them in turn", &[SCORE, LINT], |bytes| {
        let captures = (0..8).fold(String::new(), |captures, site| {
            captures + &capture(&format!("{site}.example"), 0, &group(&rules(bytes / 16)))
        });
        let log = numbered(bytes / 2, |n| {
            request(&format!("{}.example", n % 8), n, &format!("/{n}"), &format!("{AGENT}/1.0"))
        });
        vec![("robots.jsonl", captures), ("access.log", log)]
    }),
    ("redirects x a body", &[FILTER, COMPILE, SCORE, LINT], |bytes| {
        let redirects = numbered(bytes / 2, |n| redirect(n, "target.example"));
        let body = capture("target.example", 0, &group(&rules(bytes / 2)));
        let log = numbered(bytes / 20, |n| request(&host(n), n, "/1", &format!("{AGENT}/1.0")));
        let urls = numbered(bytes / 20, |n| format!("https://{}/{n}\n", host(n)));
        vec![("robots.jsonl", body + &redirects), ("access.log", log), ("urls.txt", urls)]
    }),
    ("redirects that wait x bodies that come", &[FILTER], |bytes| {
        let redirects = numbered(bytes / 2, |n| redirect(n, &format!("t{n}.example")));
        let bodies = numbered(bytes / 2, |n| capture(&format!("t{n}.example"), 1, &group("Disallow: /1\n")));
        let urls = numbered(bytes / 20, |n| format!("https://{}/1\n", host(n)));
        vec![("robots.jsonl", redirects + &bodies), ("urls.txt", urls)]
    }),
    ("redirects to redirects", &[FILTER], |bytes| {
        let chain = numbered(bytes, |n| redirect(n, &host(n + 1)));
        vec![("robots.jsonl", chain), ("urls.txt", format!("https://{}/1\n", host(0)))]
    }),
    (
        "revisits x a body",
        &[
            ("filter", "filter --agent AGENT --robots robots.warc urls.txt"),
            ("lint", "lint --format json robots.warc"),
        ],
        |bytes| {
            let body = record(HOST, 0, "response", "", &group(&rules(bytes / 2)));
            let revisits = numbered(bytes / 2, |n| {
                let original = format!(
                    "WARC-Refers-To-Target-URI: https://{HOST}/robots.txt\r\nWARC-Refers-To-Date: {}\r\n",
                    instant(0)
                );
                record(&host(n), n, "revisit", &original, "")
            });
            let urls = numbered(bytes / 20, |n| format!("https://{}/1\n", host(n)));
            vec![("robots.warc", body + &revisits), ("urls.txt", urls)]
        },
    ),
    (
        "rules x URLs",
        &[
            (
                "filter, evidence",
                "filter --agent AGENT --robots robots.jsonl --evidence evidence.jsonl urls.txt",
            ),
            ("verify-evidence", "verify-evidence --robots robots.jsonl evidence.jsonl"),
            (
                "filter, cross-check",
                "filter --agent AGENT --robots robots.jsonl --cross-check 0.001 urls.txt",
            ),
            ("compare", "compare --agent AGENT --robots robots.jsonl urls.txt"),
            ("diff of URLs", "diff --agent AGENT robots.jsonl other.jsonl urls.txt"),
        ],
        |bytes| {
            let urls = numbered(bytes / 2, |n| format!("https://{HOST}/{n}\n"));
            let other = rules(bytes / 2).replace("3\n", "x\n");
            vec![
                ("robots.jsonl", capture(HOST, 0, &group(&rules(bytes / 2)))),
                ("other.jsonl", capture(HOST, 0, &group(&other))),
                ("urls.txt", urls),
            ]
        },
    ),
    (
        "names of crawlers x bodies with them",
        &[
            COMPILE,
            ("shard", "shard all.bundle --shards 16 -o shards"),
            ("inspect", "inspect all.bundle"),
            ("diff", "diff all.bundle robots.jsonl"),
            ("pace", "pace --agent AGENT --policies all.bundle"),
        ],
        |bytes| {
            let groups = numbered(bytes / 2 / 8, |n| format!("User-agent: {n}Bot\nDisallow: /{n}\n"));
            let captures = (0..16).fold(String::new(), |captures, site| {
                let own = format!("{groups}User-agent: {site}\nCrawl-delay: {site}\nDisallow: /{site}\n");
                captures + &capture(&format!("{site}.example"), 0, &own)
            });
            vec![("robots.jsonl", captures)]
        },
    ),
    ("expectations x rules", &[("lint", "lint --expect expectations.txt robots.txt")], |bytes| {
        let expectations = numbered(bytes / 2, |n| format!("{AGENT} may not fetch /{n}*\n"));
        vec![("robots.txt", group(&rules(bytes / 2))), ("expectations.txt", expectations)]
    }),
    (
        "locations of a tdmrep.json x rules",
        &[("permissions", "permissions --agent AGENT --robots robots.txt --tdmrep tdmrep.json /7 /8")],
        |bytes| {
            let locations = numbered(bytes / 2, |n| {
                format!("{{\"location\": \"/*{n}*\", \"tdm-reservation\": {}}},\n", n % 2)
            });
            let tdmrep = format!("[{}]", locations.trim_end().trim_end_matches(','));
            vec![("robots.txt", group(&rules(bytes / 2))), ("tdmrep.json", tdmrep)]
        },
    ),
    (
        "statements of a robots.txt x statements of a page",
        &[(
            "permissions",
            "permissions --agent AGENT --robots robots.txt --page page.html --headers headers /7 /8",
        )],
        |bytes| {
            let robots =
                numbered(bytes / 2, |n| format!("Content-Usage: /{n} train-ai={}\n", ["y", "n"][n % 2]));
            let metas =
                numbered(bytes / 4, |n| format!("<meta name=\"{n}bot\" content=\"noindex, nosnippet\">\n"));
            let headers =
                numbered(bytes / 4, |n| format!("X-Robots-Tag: {n}bot: noindex, max-snippet:{n}\n"));
            vec![
                ("robots.txt", group(&robots)),
                ("page.html", format!("<html><head>{metas}</head></html>")),
                ("headers", format!("HTTP/1.1 200 OK\n{headers}")),
            ]
        },
    ),
    (
        "fields x fields of a referenced file",
        &[("permissions", "permissions --agent AGENT --robots robots.txt --reference /more=more.txt /7 /8")],
        |bytes| {
            let fields =
                |usage: &str| numbered(bytes / 2, |n| format!("ACAP-disallow-{usage}: /{}\n", n % 1000));
            let group = |fields: &str| format!("ACAP-crawler: *\n{fields}");
            let robots = group(&format!("ACAP-permissions-reference: /more\n{}", fields("index")));
            vec![("robots.txt", robots), ("more.txt", group(&fields("preserve")))]
        },
    ),
    ("sites x other sites", &[("diff", "diff robots.jsonl other.jsonl"), LINT], |bytes| {
        let sites = |other: usize| {
            numbered(bytes / 2, |n| capture(&host(n), 0, &group(&format!("Disallow: /{}\n", n * other))))
        };
        vec![("robots.jsonl", sites(1)), ("other.jsonl", sites(2))]
    }),
    ("crawlers of a log x versions", &[SCORE], |bytes| {
        let captures = numbered(bytes / 2, |n| capture(HOST, 60 * n, &group(&format!("Disallow: /{n}\n"))));
        let log = numbered(bytes / 2, |n| request(HOST, n, "/1", &format!("{}Bot/1.0 (crawler)", n / 2)));
        vec![("robots.jsonl", captures), ("access.log", log)]
    }),
    ("names of a group x rules", &[SCORE, ("lint", "lint --all robots.txt")], |bytes| {
        let names = (0..20).map(|n| format!("User-agent: {n}{}\n", "x".repeat(bytes / 2 / 20)));
        let robots = format!("{}User-agent: {AGENT}\n{}", names.collect::<String>(), rules(bytes / 2));
        let log = numbered(4_000, |n| request(HOST, n, &format!("/{n}"), &format!("{AGENT}/1.0")));
        vec![("robots.jsonl", capture(HOST, 0, &robots)), ("robots.txt", robots), ("access.log", log)]
    }),
    ("a long line x groups with it", &[("diff", "diff robots.txt other.txt")], |bytes| {
        let robots = |rule: &str| {
            let names = numbered(bytes / 4, |n| format!("User-agent: {n}Bot\n"));
            let own = numbered(bytes / 4, |n| format!("User-agent: {n}Bot\nDisallow: /own{n}\n"));
            format!("{names}Disallow: /{rule} #{}\n{own}", "x".repeat(bytes / 2))
        };
        vec![("robots.txt", robots("a")), ("other.txt", robots("b"))]
    }),
    (
        "findings x the name of their file",
        &[
            ("lint, SARIF", "lint --format sarif robots.jsonl"),
            ("lint, JSON", "lint --format json robots.jsonl"),
        ],
        |bytes| {
            let wrong = "Disalow: /\n".repeat(bytes / 2 / 11);
            vec![("robots.jsonl", capture(&"x".repeat(bytes / 2), 0, &wrong))]
        },
    ),
    (
        "required resources x fields about them",
        &[
            ("permissions", "permissions --agent AGENT --robots robots.txt /x"),
            ("debug", "debug --dialect acap --agent AGENT --robots robots.txt"),
        ],
        |bytes| {
            let required = numbered(bytes / 2, |n| format!("ACAP-allow-present: / must-use-resource=/{n}\n"));
            let fields = numbered(bytes / 2, |n| format!("ACAP-allow-crawl: {}\n", ["/", "/*"][n % 2]));
            vec![("robots.txt", format!("ACAP-crawler: *\n{required}{fields}"))]
        },
    ),
    (
        "a set of resources x fields with it",
        &[
            ("permissions", "permissions --agent AGENT --robots robots.txt /x"),
            ("debug", "debug --dialect acap --agent AGENT --robots robots.txt"),
        ],
        |bytes| {
            let set = numbered(bytes / 2, |n| format!(" /{n}"));
            let fields = "ACAP-allow-crawl: the-acap:resource-set:s\n".repeat(bytes / 2 / 42);
            vec![("robots.txt", format!("ACAP-crawler: *\nACAP-resource-set: s{set}\n{fields}"))]
        },
    ),
    ("a set of resources x fields of all usages x purposes", OF_A_SET, |bytes| {
        let kinds = |usage: &str| {
            let field =
                |access: &str, rest: &str| format!("ACAP-{access}-{usage}: the-acap:resource-set:s{rest}\n");
            field("allow", "") + &field("allow", " unknown=1") + &field("disallow", "")
        };
        let fields: String = USAGES.into_iter().map(kinds).collect();
        vec![("robots.txt", of_a_set(bytes, &fields))]
    }),
    ("a set of resources x required resources x purposes", OF_A_SET, |bytes| {
        let required = |usage: &str| -> String {
            let all = LETTERS.repeat(3);
            (0..8).map(|n| format!("ACAP-allow-{usage}: / must-use-resource=/{all}{usage}{n}\n")).collect()
        };
        let fields: String = USAGES.into_iter().skip(1).map(required).collect();
        vec![("robots.txt", of_a_set(bytes, &(fields + "ACAP-allow-crawl: the-acap:resource-set:s\n")))]
    }),
    ("names of two files", &[("diff", "diff robots.txt other.txt")], |bytes| {
        let names =
            |rule: &str| numbered(bytes / 2, |n| format!("User-agent: {n}Bot\nDisallow: /{rule}{n}\n"));
        vec![("robots.txt", names("a")), ("other.txt", names("b"))]
    }),
    (
        "rules that match x long paths",
        &[
            ("explain", "explain --agent AGENT --robots robots.txt PATHS"),
            ("permissions", "permissions --agent AGENT --robots robots.txt PATHS"),
            ("check", "check --agent AGENT --robots robots.txt PATHS"),
        ],
        |bytes| {
            let rules = numbered(bytes, |n| format!("Disallow: /{}*{n}\n", "a".repeat(n % 50)));
            vec![("robots.txt", group(&rules))]
        },
    ),
];

/// Inputs of about `bytes`.
pub(super) fn inputs(bytes: usize) -> impl Iterator<Item = Input> {
    PAIRS.into_iter().map(move |(name, commands, files)| Input {
        family: name.to_owned(),
        files: files(bytes).into_iter().map(|(name, text)| (name, text.into_bytes())).collect(),
        agent: AGENT.to_owned(),
        paths: (0..20).map(|n| format!("/{}{n}", "a".repeat(1_000))).collect(),
        commands,
    })
}

/// Bytes of patterns that a path with all of them matches.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789()!,;=@_";

/// The usages of ACAP that fields can name.
const USAGES: [&str; 14] = [
    "crawl",
    "follow",
    "index",
    "preserve",
    "present",
    "present-original",
    "present-currentcopy",
    "present-oldcopy",
    "present-snippet",
    "present-thumbnail",
    "present-oldsnippet",
    "present-oldthumbnail",
    "present-link",
    "other",
];

/// About a path that all patterns of the set match, for more purposes than are checked.
const OF_A_SET: &Commands = &[(
    "permissions",
    "permissions --agent AGENT --robots robots.txt /abcdefghijklmnopqrstuvwxyz0123456789()!,;=@_abcdefghijklmnopqrstuvwxyz0123456789()!,;=@_abcdefghijklmnopqrstuvwxyz0123456789()!,;=@_",
)];

/// These fields for every crawler and for one, for any purpose and for each of nine, and the largest set that fits.
fn of_a_set(bytes: usize, fields: &str) -> String {
    let purposes: String =
        (0..9).map(|n| format!("ACAP-usage-purpose: p{n}\nACAP-disallow-follow: /p{n}\n")).collect();
    let record = |name: &str| format!("ACAP-crawler: {name}\n{fields}ACAP-usage-purpose: p*\n{fields}");
    let records = format!("{}{purposes}{}", record("*"), record(AGENT));
    let letter = |n: usize| char::from(LETTERS.as_bytes()[n % LETTERS.len()]);
    let pattern = |n: usize| {
        let [high, middle] = [n / LETTERS.len() / LETTERS.len(), n / LETTERS.len()];
        format!(" *{}*{}*{}", letter(high), letter(middle), letter(n))
    };
    let set = numbered(bytes.saturating_sub(records.len() + 30), pattern);
    format!("ACAP-resource-set: s{set}\n{records}")
}

/// As many items as fit into `bytes`, made of the numbers from 0 on.
fn numbered(bytes: usize, item: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes);
    for item in (0..).map(item) {
        if text.len() + item.len() > bytes {
            break;
        }
        text += &item;
    }
    text
}

fn rules(bytes: usize) -> String {
    numbered(bytes, |n| format!("Disallow: /{n}\n"))
}

fn group(rules: &str) -> String {
    format!("User-agent: *\n{rules}")
}

fn host(number: usize) -> String {
    format!("h{number}.example")
}

const DAY: usize = 24 * 3600;

/// The instant so many seconds after the start of a day.
fn instant(second: usize) -> String {
    let day = 22 + second / DAY;
    let (hour, minute, second) = (second / 3600 % 24, second / 60 % 60, second % 60);
    format!("2026-11-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A capture as a line of JSON.
pub(super) fn capture(host: &str, second: usize, body: &str) -> String {
    format!("{}\n", serde_json::json!({ "host": host, "time": instant(second), "body": body }))
}

fn redirect(number: usize, target: &str) -> String {
    let location = format!("https://{target}/robots.txt");
    let from = format!("https://{}/robots.txt", host(number));
    format!(
        "{}\n",
        serde_json::json!({ "url": from, "time": instant(0), "status": 301, "location": location })
    )
}

fn record(host: &str, second: usize, kind: &str, fields: &str, body: &str) -> String {
    let response = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
    let mut record =
        format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: https://{host}/robots.txt\r\n{fields}");
    let _ = write!(
        record,
        "WARC-Date: {}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{:012}>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{response}\r\n\r\n",
        instant(second),
        second,
        response.len()
    );
    record
}

/// A line of an access log, a day after a capture of that second: sooner, an older copy could be in use, and nothing would be judged.
pub(super) fn request(host: &str, second: usize, path: &str, agent: &str) -> String {
    let instant = instant(DAY + second);
    let (day, time) = (&instant[8..10], &instant[11..19]);
    format!(
        "{host} 192.0.2.1 - - [{day}/Nov/2026:{time} +0000] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"{agent}\"\n"
    )
}
