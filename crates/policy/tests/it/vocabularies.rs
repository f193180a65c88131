//! The current vocabularies and Memento, by the rows of `crates/PERMISSIONS.md`.

use std::time::Duration;

use robomata_policy::content_usage::{self, parse_header};
use robomata_policy::{Archived, ArchivedPattern, Mementos, Noindex, Policy, Preference, SignalStatement};
use robomata_protocol::{Access, Crawler, Dialect, Usage};
use robomata_syntax::Config;

fn policy(file: &str, dialect: Dialect) -> Policy<'_> {
    Policy::with_diagnostics(file.as_bytes(), &Config::new(dialect))
}

/// The dialects that read these fields in the same way. Koster's draft does too, but it treats every other line as
/// unknown, and has no records without rules (`crates/DIALECTS.md`, D3).
const DIALECTS: [Dialect; 3] = [Dialect::Rfc9309, Dialect::Google, Dialect::Acap];

fn in_every_dialect(file: &str, check: impl Fn(&Policy<'_>)) {
    for dialect in DIALECTS {
        check(&policy(file, dialect));
    }
}

/// Lines and codes of the problems in `file`, which are the same in every dialect.
fn odd(file: &str) -> Vec<(u32, &'static str)> {
    let of = |dialect| -> Vec<_> {
        policy(file, dialect).diagnostics().iter().map(|found| (found.line, found.kind.code())).collect()
    };
    let first = of(DIALECTS[0]);
    assert!(DIALECTS.iter().all(|&dialect| of(dialect) == first), "dialects differ about {file:?}");
    first
}

fn signals(file: &str, crawler: &str) -> Vec<(String, String, u32)> {
    let policy = policy(file, Dialect::Rfc9309);
    let signal = policy.content_signal(&Crawler::new(crawler));
    signal.items.iter().map(|item| (item.name.to_owned(), item.value.to_string(), item.line)).collect()
}

fn preferences(value: &str) -> Option<Vec<(String, Preference)>> {
    let items = parse_header(value.as_bytes())?;
    Some(items.into_iter().map(|item| (item.label, item.preference)).collect())
}

fn gates(file: &str) -> Vec<(String, u32, Vec<u32>)> {
    let policy = policy(file, Dialect::Rfc9309);
    let gates = policy.time_gates();
    gates
        .iter()
        .map(|gate| {
            (gate.url.to_owned(), gate.line, gate.archived.iter().map(|archived| archived.line).collect())
        })
        .collect()
}

#[test]
fn m1_archived_lines_belong_to_the_timegate_before_them() {
    let file = "TimeGate: http://mementoarchive.cdlib.org/memento/timegate/\n\
        Archived: /\n\
        User-agent: *\n\
        Archived: http://www.a.example/*\n\
        Disallow: /x\n\
        TimeGate: /tg\n\
        Archived: *.gif$\n";
    in_every_dialect(file, |policy| {
        let gates = policy.time_gates();
        assert_eq!(gates[0].url, "http://mementoarchive.cdlib.org/memento/timegate/");
        let archived = |line, pattern| Archived { pattern, line };
        let uri = ArchivedPattern::Uri(b"http://www.a.example/*");
        assert_eq!(gates[0].archived, [archived(2, ArchivedPattern::Path(b"/")), archived(4, uri)]);
        assert_eq!((gates[1].url, gates[1].line), ("/tg", 6));
        assert_eq!(gates[1].archived, [archived(7, ArchivedPattern::Path(b"*.gif$"))]);
        assert_eq!(policy.rules_for(&Crawler::new("x")).rules().count(), 1, "nothing ends a group");
    });
    assert_eq!(odd(file), []);
    assert_eq!(gates("time-gate: /x\narchived: /"), [], "not known");
}

#[test]
fn m2_unpaired_records_have_no_effect() {
    let file = "archived: /1\ntimegate: /2\ntimegate: /3\narchived: /4\ntimegate: ftp://a/\narchived: /6\ntimegate: /7";
    assert_eq!(gates(file), [("/3".to_owned(), 3, vec![4])]);
    assert_eq!(
        odd(file),
        [
            (1, "archived-without-timegate"),
            (2, "timegate-without-archived"),
            (5, "malformed-value"),
            (6, "archived-without-timegate"),
            (7, "timegate-without-archived"),
        ]
    );
}

#[test]
fn m3_an_archived_value_is_a_path_or_has_a_scheme() {
    let file = "timegate: /\narchived: a.example/\narchived: ://a\narchived:\narchived: h*p://a\narchived: HTTPS://*.a.example";
    assert_eq!(gates(file), [("/".to_owned(), 1, vec![6])]);
    assert_eq!(odd(file), [2, 3, 4, 5].map(|line| (line, "malformed-value")));
}

#[test]
fn m5_mementos_are_what_the_groups_of_that_name_allow() {
    let file = "User-agent: memento\nAllow: /web/\nDisallow: /web/private\nAllow:\n\
        User-agent: *\nAllow: /\nUser-agent: Memento\nUser-agent: b\nAllow: /old*\n";
    in_every_dialect(file, |policy| {
        let mementos = policy.mementos().unwrap();
        let patterns: Vec<(&[u8], u32)> = mementos.patterns().collect();
        assert_eq!(patterns, [(&b"/web/"[..], 2), (&b"/old*"[..], 9)]);
        assert_eq!(mementos.rules().rules().count(), 4, "the disallow rule takes part in the decision");
    });
    assert!(Mementos::CONDITION.contains("Memento-Datetime"));
    for none in [
        "user-agent: *\nallow: /",
        "user-agent: memento\ndisallow: /\nallow:",
        "user-agent: mementos\nallow: /",
    ] {
        in_every_dialect(none, |policy| assert!(policy.mementos().is_none(), "{none}"));
    }
}

#[test]
fn v1_fields_of_groups_bind_the_names_above_them() {
    let file = "content-signal: search=no\nuser-agent: a\ncontent-signal: search=yes\nnoindex: /4\ncontent-usage: search=y\n\
        crawl-delay: 6\nuser-agent: b\ndisallow: /\nuser-agent: *\ncontent-usage: search=n\nuser-agent: c\nallow: /\n\
        user-agent: a\nnoindex: /14\n";
    in_every_dialect(file, |policy| {
        let a = Crawler::new("a");
        let signal = policy.content_signal(&a);
        assert_eq!(signal.about(Usage::Search).map(|item| item.line), Some(3));
        assert_eq!(policy.content_usage(&a)[0].line, 5);
        let delay = |name| policy.crawl_delay(&Crawler::new(name));
        assert_eq!(["a", "b"].map(delay), [Some(Duration::from_secs(6)), None]);
        let noindex = |name| policy.noindex(&Crawler::new(name));
        assert_eq!(
            noindex("a"),
            [Noindex { pattern: b"/4", line: 4 }, Noindex { pattern: b"/14", line: 14 }]
        );
        assert_eq!(noindex("b"), [], "it has the rules of the group, not what binds the names before it");
        let other = Crawler::new("x");
        assert_eq!(policy.content_signal(&other).items, []);
        assert_eq!(policy.content_usage(&other)[0].line, 10);
    });
    assert_eq!(odd(file), [(1, "record-before-group")]);
    let lonely = "crawl-delay: 1\nrequest-rate: 1/5\nvisit-time: 0600-0845\nnoindex: /\ncontent-usage: a=y\nhost: a\nlicense: http://a";
    assert_eq!(odd(lonely), [1, 2, 3, 4, 5].map(|line| (line, "record-before-group")));
    in_every_dialect(lonely, |policy| assert_eq!(policy.crawl_delay(&Crawler::new("a")), None));
}

#[test]
fn v1_a_schedule_binds_the_run_of_names_directly_above_it() {
    let file = "user-agent: a\nsitemap: http://s/\n\nuser-agent: b\ncrawl-delay: x\ncrawl-delay: 1\nvisit-time: 0100-0200\n\
        user-agent: c\nrequest-rate: 1/5\nuser-agent: b\nuser-agent: *\ncrawl-delay: 2\ndisallow: /\nvisit-time: 0300-0400\n\
        user-agent: c\ncrawl-delay: 3\nallow: /\n";
    for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Acap] {
        let policy = Policy::in_dialect(file.as_bytes(), dialect);
        let of = |name: &str| {
            let crawler = Crawler::new(name);
            let delay = policy.crawl_delay(&crawler).map(|delay| delay.as_secs());
            let hour = policy.visit_time(&crawler).map(|window| window.from / 60);
            (delay, policy.request_rate(&crawler).is_some(), hour)
        };
        assert_eq!(of("a"), (Some(1), false, Some(1)));
        assert_eq!(of("b"), (Some(1), false, Some(1)), "the first of two that bind counts");
        assert_eq!(of("c"), (Some(3), true, None), "its groups are merged, not what binds others in them");
        assert_eq!(of("x"), (Some(2), false, Some(3)));
        assert_eq!(policy.rules_for(&Crawler::new("a")).rules().count(), 1);
    }
    let google = Policy::in_dialect(file.as_bytes(), Dialect::Google);
    let delay = google.crawl_delay(&Crawler::new("c,a")).map(|delay| delay.as_secs());
    assert_eq!(delay, Some(1), "all of the caller's names are bound");
}

#[test]
fn v1_a_statement_binds_the_run_of_names_directly_above_it() {
    let file = "user-agent: a\n# c\n\nsitemap: http://s/\nuser-agent: b\ncontent-usage: train-ai=n\nuser-agent: c\nnoindex: /8\n\
        content-signal: search=no\ndisallowaitraining: /10\nuser-agent: *\ncontent-usage: /a train-ai=y\ndisallow: /\n\
        noindex: /14\nuser-agent: c\nnoindex: /16\nallow: /\n";
    for dialect in [Dialect::Rfc9309, Dialect::Acap] {
        let policy = Policy::in_dialect(file.as_bytes(), dialect);
        let of = |name: &str| {
            let crawler = Crawler::new(name);
            let usage = policy.content_usage(&crawler).into_iter().map(|record| record.line);
            let noindex = policy.noindex(&crawler).into_iter().map(|record| record.line);
            let signal = policy.content_signal(&crawler).items.into_iter().map(|item| item.line);
            let training = policy.ai_training(&crawler).into_iter().map(|rule| rule.line);
            (usage.chain(noindex).chain(signal).chain(training)).collect::<Vec<u32>>()
        };
        assert_eq!(of("a"), [6], "comments, blank lines and sitemaps end no run");
        assert_eq!(of("b"), [6]);
        assert_eq!(of("c"), [8, 16, 9, 10]);
        assert_eq!(of("x"), [12, 14]);
        let rules = |name: &str| policy.rules_for(&Crawler::new(name)).rules().count();
        assert_eq!(["a", "c", "x"].map(rules), [1, 2, 1], "the names share their rules");
    }
}

#[test]
fn v2_of_signals_with_one_name_the_last_of_a_line_counts() {
    let file = "User-agent: *\nContent-Signal: search=yes, ai-input=no, ai-train=no\nAllow: /\n";
    let (yes, no) = ("yes", "no");
    let said = |name: &str, value: &str, line| (name.to_owned(), value.to_owned(), line);
    assert_eq!(
        signals(file, "x"),
        [said("search", yes, 2), said("ai-input", no, 2), said("ai-train", no, 2)]
    );
    assert_eq!(odd(file), []);

    let file = "user-agent: *\ncontent-signal: SEARCH = No ,use=yes, search=YES\ncontent-signal:\tai-train=no,Use=no";
    assert_eq!(signals(file, "x"), [said("use", yes, 2), said("search", yes, 2), said("ai-train", no, 3)]);
    in_every_dialect(file, |policy| {
        let signal = policy.content_signal(&Crawler::new("x"));
        assert_eq!(signal.about(Usage::AiTrain), Some(SignalStatement { prohibits: true, line: 3 }));
        assert_eq!(signal.about(Usage::AiInput), None);
        assert_eq!(signal.items[0].usage(), None, "kept, but no usage");
    });
}

#[test]
fn v2_of_signals_on_several_lines_the_most_restrictive_holds() {
    let said = |lines: &[&str]| -> Vec<String> {
        let lines: String = lines.iter().map(|line| format!("content-signal: {line}\n")).collect();
        let found = signals(&format!("user-agent: *\n{lines}"), "x").into_iter();
        found.map(|(name, value, line)| format!("{} {name}={value}", line - 1)).collect()
    };
    assert_eq!(said(&["ai-train=no", "AI-Train=yes"]), ["1 ai-train=no"]);
    assert_eq!(said(&["ai-train=yes", "ai-train=no", "ai-train=no"]), ["2 ai-train=no"]);
    assert_eq!(said(&["ai-train=no, ai-train=yes", "search=yes"]), ["1 ai-train=yes", "2 search=yes"]);
    assert_eq!(said(&["ai-train=no, ai-train=yes", "ai-train=no"]), ["2 ai-train=no"]);
    for lines in [
        ["use=immediate", "use=full"],
        ["use=immediate", "use=x"],
        ["use=reference, use=immediate", "use=no"],
    ] {
        assert_eq!(said(&lines), ["1 use=immediate"], "{lines:?}");
        assert_eq!(said(&[lines[1], lines[0]]), ["2 use=immediate"], "{lines:?}");
    }
    assert_eq!(said(&["use=full", "use=reference", "use=x, Use=reference"]), ["2 use=reference"]);
    assert_eq!(said(&["new=a, new=b", "new=c"]), ["1 new=b"]);
}

#[test]
fn v2_use_is_a_ceiling() {
    let prohibited = |line: &str| -> Vec<&'static str> {
        let file = format!("user-agent: *\ncontent-signal: {line}");
        assert_eq!(odd(&file), [], "{line}");
        let policy = policy(&file, Dialect::Rfc9309);
        let signal = policy.content_signal(&Crawler::new("x"));
        let is_prohibited = |usage: &Usage| signal.about(*usage).is_some_and(|said| said.prohibits);
        Usage::ALL.into_iter().filter(is_prohibited).map(Usage::as_str).collect()
    };
    let training = ["ai-train", "ai-train-images", "ai-train-in-search"];
    let copies = ["preserve", "present-currentcopy", "present-oldcopy"];
    assert_eq!(prohibited("use=reference"), [&copies[..], &training].concat());
    assert_eq!(prohibited("search=yes, ai-train=yes, use=Reference"), [&copies[..], &training].concat());
    let immediate = prohibited("use=immediate, ai-input=yes");
    for usage in Usage::ALL {
        use Usage::{AiInput, AiInputInSearch, Crawl, Follow, Other, Present, PresentOriginal, Tdm};
        let is_free =
            [AiInput, AiInputInSearch, Crawl, Follow, Other, Present, PresentOriginal, Tdm].contains(&usage);
        assert_eq!(immediate.contains(&usage.as_str()), !is_free, "{usage}");
    }
    for none in ["use=full", "use=best", "use=yes", "USE=reference, use=best", "x=reference"] {
        assert_eq!(prohibited(none), [""; 0], "{none}");
    }
    assert_eq!(prohibited("use=best, use=reference, ai-input=no").len(), 8, "the last use, and a no");
    let file = "user-agent: *\ncontent-signal: use=reference\ncontent-signal: ai-train=no, search=yes";
    in_every_dialect(file, |policy| {
        let signal = policy.content_signal(&Crawler::new("x"));
        let line = |usage| signal.about(usage).map(|said| (said.prohibits, said.line));
        assert_eq!(line(Usage::AiTrain), Some((true, 3)), "its own no comes before the ceiling");
        assert_eq!(line(Usage::Preserve), Some((true, 2)));
        assert_eq!(line(Usage::Search), Some((false, 3)));
    });
}

#[test]
fn v2_items_with_other_values_are_void() {
    let file = "user-agent: *\ncontent-signal: search=yes, search=maybe, =no, a b=no, x, ai-train=no=no,\ncontent-signal:\ncontent-signal: yes";
    assert_eq!(signals(file, "x"), [("search".to_owned(), "yes".to_owned(), 2)]);
    let mut expected = vec![(2, "malformed-item"); 6];
    expected.extend([(3, "malformed-value"), (4, "malformed-value")]);
    assert_eq!(odd(file), expected);
    let policy = policy(file, Dialect::Rfc9309);
    let spans: Vec<&[u8]> = policy.diagnostics().iter().map(|found| found.span.of(policy.text())).collect();
    assert_eq!(spans[..5], [&b"search=maybe"[..], b"=no", b"a b=no", b"x", b"ai-train=no=no"]);
}

#[test]
fn v3_a_content_usage_may_have_a_path() {
    let file = "user-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\ncontent-usage: /*.gif$\t search=n;p=1 , b\n\
        content-usage: /none\nallow: /";
    in_every_dialect(file, |policy| {
        let found = policy.content_usage(&Crawler::new("x"));
        let patterns: Vec<&[u8]> = found.iter().map(|usage| usage.pattern).collect();
        assert_eq!(patterns, [&b""[..], b"/open/", b"/*.gif$", b"/none"]);
        let item = &found[0].items[0];
        assert_eq!(
            (item.label.as_str(), item.preference, item.usage()),
            ("train-ai", Preference::No, Some(Usage::AiTrain))
        );
        assert_eq!((found[1].items[0].preference, found[1].line), (Preference::Yes, 3));
        assert_eq!(found[2].items[0].usage(), Some(Usage::Search));
        assert_eq!((found[2].items[1].preference, found[2].items[1].usage()), (Preference::Unknown, None));
        assert_eq!(found[3].items, [], "an empty dictionary is one");
    });
    assert_eq!(odd(file), []);
    let faulty = "user-agent: *\ncontent-usage: Train-AI=n\ncontent-usage: /a /b a=y\ncontent-usage: a=y,\ncontent-usage: a=\u{e9}";
    in_every_dialect(faulty, |policy| assert_eq!(policy.content_usage(&Crawler::new("x")), []));
    assert_eq!(odd(faulty), [2, 3, 4, 5].map(|line| (line, "malformed-value")));
    let stars = "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: *.pdf train-ai=y\ncontent-usage: *x=1, train-ai=n";
    in_every_dialect(stars, |policy| {
        let found = policy.content_usage(&Crawler::new("x"));
        let read: Vec<_> = found.iter().map(|usage| (usage.line, usage.pattern, usage.items.len())).collect();
        assert_eq!(read, [(2, &b""[..], 1), (4, b"", 2)], "a pattern begins with a slash");
    });
    assert_eq!(odd(stars), [(3, "malformed-value")]);
    let blanks = "user-agent: *\ncontent-usage: train-ai=n search=y\ncontent-usage: /a\ta=y \t b=n,c=y\ncontent-usage: a =y";
    in_every_dialect(blanks, |policy| assert_eq!(policy.content_usage(&Crawler::new("x")), []));
    let comma = "missing-comma";
    assert_eq!(odd(blanks), [(2, comma), (3, comma), (4, "malformed-value")]);
}

#[test]
fn v3_search_decides_inside_search() {
    let about = |value: &str, usage| {
        let items = parse_header(value.as_bytes()).unwrap();
        content_usage::about(&items, usage).map(|said| (said.preference, said.label.to_owned()))
    };
    let (yes, no) = (Preference::Yes, Preference::No);
    let said = |preference, label: &str| Some((preference, label.to_owned()));
    let value = "search=y, train-ai=n, ai-use=n";
    assert_eq!(about(value, Usage::AiTrain), said(no, "train-ai"));
    assert_eq!(about(value, Usage::AiTrainImages), said(no, "train-ai"));
    assert_eq!(about(value, Usage::AiInput), said(no, "ai-use"));
    for usage in [Usage::Search, Usage::AiTrainInSearch, Usage::AiInputInSearch] {
        assert_eq!(about(value, usage), said(yes, "search"));
    }
    assert_eq!(about("search=?1, train-ai=n", Usage::AiTrainInSearch), said(no, "train-ai"));
    assert_eq!(about("search=n", Usage::AiTrain), None);
    assert_eq!(about("ai-use=y, ai-use", Usage::AiInput), None);
}

#[test]
fn v10_rules_about_training_belong_to_groups() {
    let file = "AllowAITraining: /\nuser-agent: a\nDisallowAITraining: /x\nuser-agent: b\nallowaitraining: /x/y\nDISALLOWAITRAINING:\n\
        disallow: /z\nuser-agent: c\ndisallowaitraining: z\n";
    for dialect in [Dialect::Rfc9309, Dialect::Acap] {
        let policy = policy(file, dialect);
        let rules = |name: &str| {
            let rules = policy.ai_training(&Crawler::new(name)).into_iter();
            rules.map(|rule| (rule.access, rule.pattern.to_vec(), rule.line)).collect::<Vec<_>>()
        };
        assert_eq!(rules("a"), [(Access::Disallow, b"/x".to_vec(), 3)]);
        assert_eq!(rules("b"), [(Access::Allow, b"/x/y".to_vec(), 5)]);
        assert_eq!(rules("d"), []);
        let odd: Vec<_> = policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
        assert_eq!(odd, [(1, "record-before-group"), (9, "pattern-without-slash")]);
    }
    let google = policy(file, Dialect::Google);
    assert_eq!(google.ai_training(&Crawler::new("a")), []);
    assert_eq!(google.rules_for(&Crawler::new("a")).rules().count(), 1, "keys are prefixes there");
}

#[test]
fn v11_some_keys_are_known_and_silent() {
    let file = "Schemamap: https://a/s\nuser-agent: a\nLLM-Policy:\nagentmap: \u{fc}\nTDM-Reservation: 1\nuser-agent: b\nTdm-Policy: x\n\
        disallow: /\n";
    in_every_dialect(file, |policy| {
        let found: Vec<_> =
            policy.silent_records().map(|(key, value, line)| (key.as_str(), value.len(), line)).collect();
        let expected = [("schemamap", 11, 1), ("llm-policy", 0, 3), ("agentmap", 2, 4)];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3..], [("tdm-reservation", 1, 5), ("tdm-policy", 1, 7)]);
        assert_eq!(policy.rules_for(&Crawler::new("a")).rules().count(), 1, "they end nothing");
    });
    assert_eq!(odd(file), []);
}

#[test]
fn v3_only_the_bare_tokens_y_and_n_say_something() {
    let said = |label: &str, preference| (label.to_owned(), preference);
    let (yes, no, unknown) = (Preference::Yes, Preference::No, Preference::Unknown);
    assert_eq!(preferences("a=y, b=n;x=\"y\";z").unwrap(), [said("a", yes), said("b", no)]);
    for other in [
        "a",
        "a=?1",
        "a=\"y\"",
        "a=1",
        "a=Y",
        "a=yes",
        "a=(y)",
        "a=(n n);y",
        "a=:eQ==:",
        "a;y",
        "a=@1",
        "a=%\"y\"",
    ] {
        assert_eq!(preferences(other).unwrap(), [said("a", unknown)], "{other}");
    }
    assert_eq!(
        preferences("a=y, b=n, a=n").unwrap(),
        [said("a", no), said("b", no)],
        "the last of a key counts"
    );
    assert_eq!(preferences("a=y, a").unwrap(), [said("a", unknown)]);
    assert_eq!(preferences("a=y, a=(n)").unwrap(), [said("a", unknown)]);
    assert_eq!(preferences("").unwrap(), []);
    for faulty in ["a=y b=n", "a=y,,b=n", "A=y", "a=y;", "=y", "a=(y", "/x a=y", "a = y"] {
        assert_eq!(preferences(faulty), None, "{faulty}");
    }
    assert!(no > yes && yes > unknown, "the more restrictive is the greater");
}

#[test]
fn v6_licences_are_absolute_urls() {
    let file = "License: https://a.example/license.xml\nuser-agent: a\nlicense: /license.xml\nlicense: http://b.example\ndisallow: /5";
    in_every_dialect(file, |policy| {
        let found: Vec<(String, u32)> =
            policy.licenses().map(|license| (license.url, license.line)).collect();
        let expected = [("https://a.example/license.xml", 1), ("http://b.example", 4)];
        assert_eq!(found, expected.map(|(url, line)| (url.to_owned(), line)));
    });
    assert_eq!(odd(file), [(3, "malformed-value")]);
}

#[test]
fn v7_clean_params_belong_to_the_file() {
    let long = format!("clean-param: {}", "a".repeat(501));
    let file = format!(
        "Clean-param: s&t /forum/\nuser-agent: a\nclean-param: u\n{long}\nclean-param: v w x\nclean-param: z path"
    );
    in_every_dialect(&file, |policy| {
        let found: Vec<(usize, Option<&[u8]>, u32)> =
            policy.clean_params().map(|params| (params.parameters.len(), params.path, params.line)).collect();
        assert_eq!(found, [(2, Some(&b"/forum/"[..]), 1), (1, None, 3), (1, Some(&b"path"[..]), 6)]);
    });
    assert_eq!(odd(&file), [(4, "malformed-value"), (5, "malformed-value"), (6, "pattern-without-slash")]);
}

#[test]
fn v8_noindex_patterns_have_lines() {
    let file = "user-agent: *\nnoindex: /a\nnoindex:\nnoindex: b\nnoindex: http://a/\nnoindex: *.pdf$";
    in_every_dialect(file, |policy| {
        let lines: Vec<u32> = policy.noindex(&Crawler::new("x")).iter().map(|noindex| noindex.line).collect();
        assert_eq!(lines, [2, 4, 5, 6]);
    });
    assert_eq!(odd(file), [(4, "pattern-without-slash"), (5, "absolute-url-pattern")]);
}

#[test]
fn v9_malformed_schedules_and_addresses_have_no_effect() {
    let file = "user-agent: *\ncrawl-delay: -1\ncrawl-delay:\ncrawl-delay: 86401\ncrawl-delay: 1.5\n\
        request-rate: 1/0\nrequest-rate: 1/10m 0800-1300\nvisit-time: 6-8\nvisit-time: 2300 0100\n\
        sitemap: /sitemap.xml\nsite-map: https://a.example/s.xml\nsitemap: ftp://a.example/\nhost: a b\nhost: https://a.example:81\n";
    in_every_dialect(file, |policy| {
        let x = Crawler::new("x");
        assert_eq!(policy.crawl_delay(&x), Some(Duration::from_millis(1500)));
        let rate = policy.request_rate(&x).unwrap();
        assert_eq!((rate.requests, rate.per, rate.window.unwrap().from), (1, Duration::from_secs(600), 480));
        let window = policy.visit_time(&x).unwrap();
        assert_eq!((window.from, window.to), (1380, 60));
        assert_eq!(policy.sitemaps().collect::<Vec<_>>(), ["https://a.example/s.xml"]);
        assert_eq!(policy.hosts().collect::<Vec<_>>(), ["https://a.example:81"]);
    });
    let mut expected = [2, 3, 4, 6, 8, 10, 11, 12, 13].map(|line| (line, "malformed-value"));
    expected[6].1 = "misspelt-key";
    assert_eq!(odd(file), expected);
}

#[test]
fn any_bytes_are_read() {
    let pieces: [&[u8]; 34] = [
        b"content-signal:",
        b"content-usage:",
        b"license:",
        b"timegate:",
        b"archived:",
        b"crawl-delay:",
        b"visit-time:",
        b"request-rate:",
        b"host:",
        b"clean-param:",
        b"noindex:",
        b"sitemap:",
        b"user-agent: *\n",
        b"allow: /\n",
        b"\n",
        b"=",
        b",",
        b"yes",
        b"n",
        b" ",
        b"\t",
        b"/",
        b"*",
        b"://",
        b"a",
        b"\xC3\xA9",
        b"\xFF",
        b"0800",
        b"-",
        b"&",
        b"(",
        b"\"",
        b";",
        b"\0",
    ];
    let mut state = 3u32;
    let mut next = move |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % bound
    };
    let crawler = Crawler::new("x");
    let mut said = 0;
    for _ in 0..20_000 {
        let file: Vec<u8> = (0..next(30)).flat_map(|_| pieces[next(pieces.len())]).copied().collect();
        for dialect in Dialect::ALL {
            let policy = Policy::with_diagnostics(&file, &Config::new(dialect));
            for found in policy.diagnostics() {
                assert!(found.span.range().end <= policy.text().len(), "{file:?}");
            }
            for extension in policy.extensions() {
                said += format!("{:?}", extension.read(policy.text())).len();
            }
            said += policy.content_signal(&crawler).items.len() + policy.content_usage(&crawler).len();
            said += policy.time_gates().len() + policy.noindex(&crawler).len() + policy.licenses().count();
            said += policy.mementos().map_or(0, |mementos| mementos.patterns().count());
        }
    }
    assert!(said > 0);
}

#[test]
fn koster_s_draft_has_records_with_rules_only_and_reads_the_same_fields_in_them() {
    let file = "User-agent: *\nDisallow: /x\nContent-Signal: ai-train=no\nCrawl-delay: 2\n\nUser-agent: FooBot\nCrawl-delay: 3\n\n\
                TimeGate: /tg\nArchived: /\n";
    let policy = policy(file, Dialect::Koster1996);
    let crawler = Crawler::new("FooBot");
    assert_eq!(policy.content_signal(&crawler).items.len(), 1);
    assert_eq!(policy.crawl_delay(&crawler), Some(std::time::Duration::from_secs(2)));
    assert_eq!(policy.time_gates().len(), 1);
}
