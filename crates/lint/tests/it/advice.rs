//! Advice about rules changes no answer and closes no site when it is followed.

use robomata_automaton::{CompareOptions, Compiler, compare_programs};
use robomata_evaluator::SitePolicy;
use robomata_lint::{LintOptions, lint};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

use crate::{codes, found, linted};

/// A rule ends the list of names above it: without the only rule of a group, its crawlers obey the next group.
#[test]
fn the_only_rule_of_a_group_is_never_to_be_removed() {
    let help = |code: &str, dialect: Dialect, file: &str| -> Vec<String> {
        let findings = lint(file.as_bytes(), &LintOptions { dialect, ..LintOptions::default() }).findings;
        let of_code = findings.into_iter().filter(|finding| finding.code.name == code);
        of_code.map(|finding| format!("{}: {}", finding.line, finding.help.unwrap_or_default())).collect()
    };
    let replace = |line: u32, more: &str| {
        format!("{line}: replace the line by an empty 'Allow:', which ends the list of names{more}")
    };
    let twice = "User-agent: *\nDisallow: /\n\nUser-agent: *\nDisallow: /\n\nUser-agent: foo\nAllow: /\n";
    assert_eq!(help("duplicate-rule", Dialect::Rfc9309, twice), [replace(5, "")]);
    assert_eq!(help("duplicate-rule", Dialect::Yandex, twice), [replace(5, "")]);
    let file = "User-agent: foo\nDisallow: /robots.txt$\n\nUser-agent: *\nDisallow: /\n";
    assert_eq!(help("robots-txt-rule", Dialect::Rfc9309, file), [replace(2, "")]);
    let file = "User-agent: foo\nDisallow: www.example.com/\n\nUser-agent: *\nDisallow: /\n";
    let more = ": a robots.txt applies only to its own host";
    assert_eq!(help("host-pattern", Dialect::Rfc9309, file), [replace(2, more)]);
    let file = "User-agent: *\nDisallow: */ab\nAllow: /\n\nUser-agent: *\nDisallow: /ab\n";
    let more = ", or make its pattern longer than that one";
    assert_eq!(help("never-decides", Dialect::Rfc9309, file), [replace(6, more)]);
    let file = "User-agent: *\nDisallow: /a\n\nUser-agent: *\nAllow: /a\n";
    assert_eq!(
        help("contradicting-rule", Dialect::Rfc9309, file),
        ["2: replace the one that is not intended by an empty 'Allow:', which ends the list of names"]
    );
    let file = "User-agent: *\nDisallow: /a\nAllow: /b\nDisallow: /a\n";
    assert_eq!(help("duplicate-rule", Dialect::Rfc9309, file), ["4: remove the line"]);
}

/// The dialects in which no advice to remove a rule may change an answer.
const PROVED: [Dialect; 4] = [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex, Dialect::Koster1996];

/// The codes of findings whose advice must change no answer.
const PROVED_CODES: [&str; 5] =
    ["never-decides", "duplicate-rule", "encoded-duplicate", "idle-disallow", "host-pattern"];

/// The file after advice is followed: each alone, and all together.
fn as_advised(file: &str, dialect: Dialect) -> Vec<String> {
    let findings = lint(file.as_bytes(), &LintOptions { dialect, ..LintOptions::default() }).findings;
    let advice = findings.iter().filter(|finding| PROVED_CODES.contains(&finding.code.name));
    let advice: Vec<(usize, Option<&str>)> = advice
        .filter_map(|finding| {
            let help = finding.help.as_deref()?;
            let replaced = help.strip_prefix("replace the line by an empty '");
            let rule = replaced.and_then(|rest| rest.split_once('\'')).map(|(rule, _)| rule);
            (rule.is_some() || help.starts_with("remove the line")).then_some((finding.line as usize, rule))
        })
        .collect();
    let followed = |advice: &[(usize, Option<&str>)]| {
        let mut lines: Vec<Option<&str>> = file.lines().map(Some).collect();
        advice.iter().for_each(|&(line, rule)| lines[line - 1] = rule);
        lines.into_iter().flatten().map(|line| format!("{line}\n")).collect::<String>()
    };
    let alone = advice.iter().map(std::slice::from_ref);
    alone.chain([&advice[..]]).filter(|advice| !advice.is_empty()).map(followed).collect()
}

#[track_caller]
fn assert_alike(before: &str, after: &str) {
    for dialect in PROVED {
        let [before_policy, after_policy] =
            [before, after].map(|file| Policy::new(file.as_bytes(), &Config::new(dialect)));
        let names = ["Googlebot", "bingbot", "BadBot", "foo", "A", "B", "GPTBot", "zz"];
        let named = names.into_iter().filter(|name| *name == "zz" || before.contains(name));
        for crawler in named.map(Crawler::new) {
            let (mut one, mut other) = (Compiler::new(), Compiler::new());
            let programs = (
                one.compile(&before_policy.rules_for(&crawler)),
                other.compile(&after_policy.rules_for(&crawler)),
            );
            let found =
                compare_programs(programs.0, programs.1, dialect, &CompareOptions::default()).unwrap();
            let is_proved = found.is_exhaustive && found.witnesses.is_empty();
            assert!(is_proved, "{dialect} {crawler}: {found:?}\n{before}---\n{after}");
        }
    }
}

/// Advice to remove rules changes no answer in any dialect, alone or all of it together.
#[test]
fn removals_change_no_answer() {
    let files = [
        "User-agent: *\nDisallow: /wiki/Special:\nDisallow: /wiki/Special%3A\n",
        "User-agent: *\nDisallow: /~joe\nDisallow: /%7Ejoe\nDisallow: /%7ejoe\n",
        "User-agent: *\nDisallow: /a b\nDisallow: /a%20b\nDisallow: /a\n",
        "User-agent: *\nDisallow: /\nAllow: /index.html$\nAllow: /$\n",
        "User-agent: *\nDisallow: /c\nAllow: /*\nDisallow: /c/d\n",
        "User-agent: Googlebot\nDisallow: /x\nDisallow: /y\n\nUser-agent: Googlebot\nDisallow: /x\nDisallow: /y\n\nUser-agent: BadBot\nDisallow: /\n",
        "User-agent: A\nDisallow: /%41\nDisallow: /A\n\nUser-agent: B\nDisallow: /A\nDisallow: /%41\n",
        // An empty Disallow allows everything for Yandex.
        "User-agent: *\nDisallow: /\n\nUser-agent: *\nDisallow: /\n\nUser-agent: foo\nAllow: /\n",
        "User-agent: *\nDisallow: /\nDisallow:\n",
        "User-agent: *\nDisallow: /x\nDisallow:\n",
        // A star is a byte for Koster, and counts for nothing for Yandex.
        "User-agent: *\nDisallow: /login.php\nDisallow: /login.php*\n",
        "User-agent: *\nDisallow: /a*\nDisallow: /b**\nDisallow: /a\nDisallow: /b*\nDisallow: /a\n",
        "User-agent: *\nDisallow: /page\nDisallow: /page*\nAllow: /*age\n",
        "User-agent: *\nDisallow: /a\nAllow: /*\nDisallow: *\n",
        "User-agent: *\nDisalow: /x\nDisallow: /y\nUser-agent: A\nDisallow: /z\n\nUser-agent: *\nDisallow: /y\n",
    ];
    for file in files {
        for dialect in PROVED {
            as_advised(file, dialect).iter().for_each(|advised| assert_alike(file, advised));
        }
    }
    let changed = files.iter().filter(|file| !as_advised(file, Dialect::Rfc9309).is_empty()).count();
    assert!(changed >= 3, "{changed}");
    let help = |file: &str, dialect| {
        let findings = lint(file.as_bytes(), &LintOptions { dialect, ..LintOptions::default() }).findings;
        let shown = findings.into_iter().map(|finding| {
            format!("{} {}: {}", finding.line, finding.code.name, finding.help.unwrap_or_default())
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(
        help(files[0], Dialect::Rfc9309),
        ["3 encoded-duplicate: keep the line: it decides in the dialect 'google'"]
    );
    assert_eq!(
        help(files[3], Dialect::Google),
        ["4 duplicate-rule: keep the line: it decides in the dialects 'rfc9309' and 'yandex'"]
    );
    assert_eq!(
        help(files[5], Dialect::Rfc9309)
            .into_iter()
            .filter(|finding| finding.contains("duplicate"))
            .collect::<Vec<_>>(),
        [
            "6 duplicate-rule: remove the line",
            "7 duplicate-rule: replace the line by an empty 'Allow:', which ends the list of names"
        ]
    );
    let file =
        "User-agent: *\nDisallow: /a*\nDisallow: /a\nDisallow: /page\nDisallow: /page*\nAllow: /*age\n";
    let starred: Vec<String> = help(file, Dialect::Rfc9309);
    assert_eq!(
        starred.iter().filter(|finding| finding.contains("duplicate")).collect::<Vec<_>>(),
        [
            "2 duplicate-rule: remove the line",
            "5 duplicate-rule: keep the line: it decides in the dialects 'rfc9309' and 'google'"
        ],
        "the rule without a star stays"
    );
    let two = "User-agent: A\nUser-agent: B\nDisallow: /a\nUser-agent: A\nAllow: /*\n";
    let for_a = LintOptions { crawlers: vec![Crawler::new("A")], ..LintOptions::default() };
    assert!(found("never-decides", two, &for_a)[0].contains("keep the line"), "B needs it");
    let closed = "User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /\n";
    assert_eq!(
        help(closed, Dialect::Rfc9309)[0],
        "2 site-closed: if search engines should find the site, replace the line by an empty 'Allow:', which ends the list of names"
    );
}

/// The same for shapes of real files and for the small corpus.
#[test]
fn removals_change_no_answer_of_real_files() {
    let mut files: Vec<String> = include_str!("shapes.toml")
        .split("robots = \"\"\"\n")
        .skip(1)
        .filter_map(|shape| Some(shape.split_once("\"\"\"")?.0.to_owned()))
        .collect();
    let sites = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpora/small/sites");
    files.extend(
        std::fs::read_dir(sites)
            .unwrap()
            .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok()),
    );
    assert!(files.len() > 50, "{}", files.len());
    for file in files {
        for dialect in PROVED {
            as_advised(&file, dialect).iter().for_each(|advised| assert_alike(&file, advised));
        }
    }
}

/// A rule that matches nothing, or never decides, opens nothing.
#[test]
fn a_site_is_closed_whatever_allows_nothing() {
    for (file, dialect) in [
        ("User-agent: *\nDisallow: /*\nAllow: /\n", Dialect::Rfc9309),
        ("User-agent: *\nDisallow: /\nAllow: sitemap.xml\n", Dialect::Rfc9309),
        ("User-agent: *\nDisallow: /**\n", Dialect::Rfc9309),
        ("User-agent: *\nDisallow: /\nAllow: /\n", Dialect::Koster1996),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\nDisallow: /*\n", Dialect::Rfc9309),
    ] {
        let findings = lint(file.as_bytes(), &LintOptions { dialect, ..LintOptions::default() }).findings;
        let names: Vec<&str> = findings.iter().map(|finding| finding.code.name).collect();
        assert!(names.contains(&"site-closed") && !names.contains(&"closed-to-some"), "{file}: {names:?}");
        let policy = Policy::new(file.as_bytes(), &Config::new(dialect));
        let answer =
            SitePolicy::new(&policy, &Crawler::new("Googlebot")).check(b"https://a.example/sitemap.xml");
        assert_eq!(answer.as_str(), "disallow", "{file}");
    }
    for file in ["User-agent: *\nDisallow: /\nAllow: /$\n", "User-agent: *\nDisallow: /\nAllow: *\n"] {
        assert!(!codes(file).iter().any(|code| code.ends_with("site-closed")), "{file}");
    }
}

/// Help is followed by people who do not know the syntax.
#[test]
fn help_for_a_pattern_is_a_path_and_never_the_whole_site() {
    for (pattern, expected) in [
        ("embargo.example.org/*", "remove the line: a robots.txt applies only to its own host"),
        ("embargo.example.org/*/a", "if you mean a path on this host, write '/*/a'"),
        ("https://buy.example.com/", "remove the line: a robots.txt applies only to its own host"),
        ("https://buy.example.com", "remove the line: a robots.txt applies only to its own host"),
        ("https://buy.example.com/a/", "if you mean a path on this host, write '/a/'"),
        ("\"/x\"", "write '/x'"),
        ("\\admin\\", "write '/admin/'"),
        ("./y/", "write '/y/'"),
        ("../z", "write the path from its first '/' on, as it is in URLs"),
        ("^/w", "write the path from its first '/' on, as it is in URLs"),
        ("?q=", "write '/*?q='"),
        (".pdf", "write '/*.pdf'"),
        ("Thumbs.db", "write '/Thumbs.db'"),
        ("private", "write '/private'"),
    ] {
        let report = linted(format!("User-agent: *\nDisallow: /p\nDisallow: {pattern}\n"));
        let help: Vec<_> = report.findings.iter().filter_map(|finding| finding.help.as_deref()).collect();
        assert_eq!(help, [expected], "{pattern}");
    }
    let report = linted("User-agent: *\nDisallow: /list?a=1&amp;b=2\n");
    assert_eq!(report.findings[0].help.as_deref(), Some("write '&'"));
}

/// The replacement that the help suggests changes no answer.
#[test]
fn an_empty_rule_in_place_of_a_duplicate_changes_no_answer() {
    let twice = |by: &str| {
        format!("User-agent: *\nDisallow: /\n\nUser-agent: *\n{by}\n\nUser-agent: foo\nAllow: /\n")
    };
    for dialect in PROVED {
        for name in ["foo", "zz"] {
            let [before, after] = [twice("Disallow: /"), twice("Allow:")].map(|file| {
                let policy = Policy::new(file.as_bytes(), &Config::new(dialect));
                SitePolicy::new(&policy, &Crawler::new(name)).check(b"http://e.example/q").as_str()
            });
            assert_eq!(before, after, "{dialect} {name}");
        }
    }
}
