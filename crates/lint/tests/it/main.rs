//! Findings, code by code.

mod advice;
mod expectations;

use std::collections::BTreeSet;

use robomata_lint::{CODES, Code, LintOptions, LintReport, MOST_SETS, lint};
use robomata_protocol::{Crawler, Dialect};

fn linted(file: impl AsRef<[u8]>) -> LintReport {
    lint(file.as_ref(), &LintOptions::default())
}

/// `line code`, in the order of the findings.
fn codes(file: impl AsRef<[u8]>) -> Vec<String> {
    linted(file).findings.iter().map(|finding| format!("{} {}", finding.line, finding.code.name)).collect()
}

#[test]
fn a_fine_file_has_no_findings() {
    let file = "# ours\nUser-agent: *\nDisallow: /private\nAllow: /private/press\nCrawl-delay: 5\n\nSitemap: https://example.com/s.xml\n";
    assert_eq!(codes(file), Vec::<String>::new());
    assert_eq!(codes("User-agent: *\nDisallow:\n"), Vec::<String>::new());
    assert_eq!(codes(""), Vec::<String>::new());
    assert_eq!(codes("# nothing yet\n"), Vec::<String>::new());
}

#[test]
fn each_kind_of_finding_has_its_code() {
    let group = |lines: &str| format!("User-agent: *\nDisallow: /p\n{lines}");
    let long = format!("User-agent: *\n#{}\nDisallow: /last", "x".repeat(500 * 1024));
    let cases: Vec<(String, &[&str])> = vec![
        ("Disallow: /a\nUser-agent: *\nDisallow: /b".to_owned(), &["1 rule-before-group"]),
        (group("Disalow: /a"), &["3 misspelt-key"]),
        (group("Disallwo: /a"), &["3 near-miss"]),
        (group("Feed: /a"), &["3 unknown-key"]),
        (group("Disallow /a"), &["3 missing-colon"]),
        (group("some words"), &["3 no-record"]),
        (group("Disallow: a"), &["3 pattern-without-slash"]),
        (group("Disallow: https://x.example/a"), &["3 absolute-url-pattern"]),
        (group("Disallow: $"), &["3 pattern-without-slash"]),
        (group("Disallow: /a$b"), &["3 dollar-inside"]),
        (group("Disallow: /a*"), &["3 trailing-star"]),
        (group("Disallow: /\u{e9}"), &["3 unescaped-bytes"]),
        (group("Disallow:"), &["3 idle-disallow"]),
        (group("Disallow: /p"), &["3 duplicate-rule"]),
        (group("Allow: /p"), &["2 contradicting-rule"]),
        (group("Allow: /*"), &["2 never-decides"]),
        (group("Disallow: /robots.txt$"), &["3 robots-txt-rule"]),
        (group("Crawl-delay: 86401"), &["3 crawl-delay-too-long"]),
        (group("Host: https://a.example/"), &["3 malformed-host"]),
        (group("User-agent: Foo/1.0\nDisallow: /x"), &["3 name-with-version"]),
        (group("User-agent: Mozilla/5.0 (compatible; A, B)\nDisallow: /x"), &["3 user-agent-text"]),
        (group("Disallow: www.a.example/x"), &["3 pattern-without-slash"]),
        (group("Disallow: www.example.com/x"), &["3 host-pattern"]),
        (group("Disallow: /a /b"), &["3 several-paths"]),
        (group("Disallow: /a b"), &["3 space-in-pattern"]),
        (group("Disallow: /a/#b"), &["3 fragment-in-pattern"]),
        (group("Disallow: /#!/private"), &["3 site-closed", "3 fragment-in-pattern"]),
        (group("Disallow: /a #b\nDisallow: /b# c\nDisallow: #d"), &["5 idle-disallow"]),
        (group("Disallow: /%c3%A9\nDisallow: /%C3%A9"), &["4 encoded-duplicate"]),
        (group("User-agent: MJ12bot\nDisallow: /x"), &["3 name-cut-elsewhere"]),
        (group("Disallow: /xDisallow: /y"), &["3 glued-lines"]),
        (group("# textDisallow: /y"), &["3 glued-comment"]),
        (group("Disallow: /a<br>"), &["3 markup"]),
        (group("Disallow: /a\u{200b}"), &["3 invisible-character"]),
        (group("D\u{456}sallow: /a"), &["3 look-alike-character"]),
        (group("Disallow: /\u{c3}\u{a1}"), &["3 double-encoded"]),
        (group("Disallow: /*.css$"), &["3 assets-closed"]),
        (group("Sitemap: https://a.example/p/s.xml"), &["3 sitemap-closed"]),
        (group("User-agent: Googlebot\nDisallow: /"), &["4 search-engine-closed"]),
        (group("User-agent: Slurp\nDisallow: /"), &["4 closed-to-some"]),
        ("User-agent: *\nDisallow: /".to_owned(), &["2 site-closed"]),
        ("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /".to_owned(), &["2 joined-groups"]),
        (
            "User-agent: a\nContent-Usage: search=n\n\nUser-agent: *\nContent-Usage: search=y\nAllow: /".to_owned(),
            &["2 statement-for-some"],
        ),
        ("User-agent: a\nCrawl-delay: 1\nUser-agent: *\nAllow: /".to_owned(), &[]),
        // Each statement binds other names, so the two do not contradict each other.
        (
            "User-agent: a\nContent-Signal: search=no\nUser-agent: b\nContent-Usage: search=y\nAllow: /".to_owned(),
            &["2 statement-for-some"],
        ),
        (
            "User-agent: a\nNoindex: /x\nUser-agent: b\nContent-Signal: search=no\nContent-Usage: search=y\nAllow: /"
                .to_owned(),
            &["2 noindex-unsupported", "2 statement-for-some", "5 vocabulary-conflict"],
        ),
        ("Disallow: /".to_owned(), &["1 rule-before-group"]),
        (group("Sitemap: /s.xml"), &["3 sitemap-not-absolute"]),
        (group("Crawl-delay: soon"), &["3 crawl-delay-no-number"]),
        (group("Noindex: /a"), &["3 noindex-unsupported"]),
        (group("Content-Signal: search=no\nContent-Usage: search=y"), &["4 vocabulary-conflict"]),
        (group("Content-Signal: search=yes\nContent-Usage: search=y"), &[]),
        (group("Content-Usage: train-ai=no"), &["3 unknown-preference"]),
        (group("Content-Usage: /a search, train-ai=n"), &["3 unknown-preference"]),
        (group("Content-Usage: ai-train=n, games=x"), &["3 label-of-other-field"]),
        (group("Content-Signal: Train-AI=no, games=x, use=full"), &["3 label-of-other-field"]),
        (group("Content-Signal: ai_train=no"), &["3 unknown-label"]),
        (group("Content-Signal: AI-training=no, use=full"), &["3 unknown-label"]),
        (group("Content-Signal: train=no, serach=yes"), &["3 unknown-label", "3 unknown-label"]),
        (group("Content-Usage: train_ai=n, trains-ai=n"), &["3 unknown-label", "3 unknown-label"]),
        (group("Content-Signal: use=full, games=no, ai-train=no"), &[]),
        (group("User-agent: Googelbot\nDisallow: /x"), &["3 look-alike-name"]),
        (group("User-agent: Foo Bot/1.0\nDisallow: /x"), &["3 name-cut"]),
        (group("User-agent: A, B\nDisallow: /x"), &["3 several-names"]),
        (group("User-agent: *bot\nDisallow: /x"), &["3 no-name"]),
        (group("User-agent: A\nDisallow: /x\nUser-agent: a\nDisallow: /y"), &["5 repeated-group"]),
        (group("User-agent: A\n"), &["3 empty-group"]),
        (group("Crawl-delay: 2\nUser-agent: A\nDisallow: /x"), &["3 hidden-crawl-delay"]),
        (group("User-agent: A\nAllow: /x"), &["3 hidden-star-rules"]),
        ("<html><body>x</body></html>".to_owned(), &["1 html"]),
        ("{\"error\": 1}".to_owned(), &["1 not-robots", "1 unknown-key"]),
        (long, &["3 over-500-kib"]),
    ];
    for (file, expected) in cases {
        assert_eq!(codes(&file), expected, "{}", &file[..file.len().min(200)]);
    }
    assert_eq!(codes(b"\xEF\xBB\xBFUser-agent: *\nDisallow: /a"), ["1 byte-order-mark"]);
}

/// Shapes of real files, reviewed by hand: `tests/it/shapes.toml`.
#[test]
fn shapes_of_real_files_have_the_findings_that_a_reader_expects() {
    #[derive(serde::Deserialize)]
    struct Shapes {
        shape: Vec<Shape>,
    }
    #[derive(serde::Deserialize)]
    struct Shape {
        title: String,
        robots: String,
        findings: Vec<String>,
    }
    let shapes: Shapes = toml::from_str(include_str!("shapes.toml")).unwrap();
    assert!(shapes.shape.len() >= 40);
    for Shape { title, robots, findings } in shapes.shape {
        let found: Vec<String> = linted(&robots)
            .findings
            .iter()
            .map(|finding| {
                let (line, code) = (finding.line, finding.code);
                format!("{line} {} {}: {}", code.severity, code.name, finding.message)
            })
            .collect();
        assert_eq!(found, findings, "{title}");
    }
}

#[test]
fn a_second_record_of_one_crawler_never_counts_in_the_draft_of_1996() {
    let options = LintOptions { dialect: Dialect::Koster1996, ..LintOptions::default() };
    let file = "User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: A/2\nDisallow: /y\n\nUser-agent: c\n\nUser-agent: c\nDisallow: /z\n";
    assert_eq!(
        found("record-never-counts", file, &options),
        ["5: these rules for 'A/2' never count: its record is at line 1 ()"]
    );
    assert_eq!(found("record-never-counts", file, &LintOptions::default()), Vec::<String>::new());
}

/// Dialects that read a whole value as a name accept what others cut off or refuse.
#[test]
fn a_name_that_no_crawler_has_is_found_where_it_is_read_whole() {
    let yandex = LintOptions { dialect: Dialect::Yandex, ..LintOptions::default() };
    let file = "User-agent: \"Foo:Bot\"\nDisallow: /x\n\nUser-agent: Foo Bot\nDisallow: /x\n";
    assert_eq!(
        found("odd-name", file, &yandex),
        ["1: '\"Foo:Bot\"': no crawler has a name with such characters ()"]
    );
    assert_eq!(found("odd-name", file, &LintOptions::default()), Vec::<String>::new());
    let acap = LintOptions { dialect: Dialect::Acap, ..LintOptions::default() };
    let file = "ACAP-crawler: Foo Bot\nACAP-crawler: Foo: Bot\nACAP-disallow-crawl: /x\n";
    assert_eq!(
        found("acap-oddity", file, &acap),
        ["2: a crawler's name with quotation marks, colons or the like: read as part of it ()"]
    );
}

#[test]
fn rules_do_not_apply_to_a_sitemap_on_another_host() {
    let file = "User-agent: *\nDisallow: /s/\nSitemap: https://cdn.example/s/1.xml\nSitemap: https://www.a.example:443/s/2.xml\n";
    let on = |host: Option<&str>| {
        let options = LintOptions { host: host.map(str::to_owned), ..LintOptions::default() };
        found("sitemap-closed", file, &options)
            .iter()
            .map(|finding| finding.split(':').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(on(Some("http://a.example")), ["4"]);
    assert_eq!(on(Some("cdn.example")), ["3"]);
    assert_eq!(
        on(None),
        Vec::<String>::new(),
        "one of the two is on another host, and it is not known which"
    );
}

#[test]
fn the_rule_that_always_wins_is_named_with_its_line() {
    let report = linted("User-agent: *\nDisallow: /a\nAllow: /*\nDisallow: /abc\n");
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!(finding.message, "never decides: line 3 (allow '/*') always wins over it");
    assert_eq!((finding.related[0].line, finding.span.of(&report.text)), (3, b"/a".as_slice()));
}

#[test]
fn a_rule_that_decides_for_one_crawler_is_not_reported() {
    // For A the groups of lines 1 and 4 are merged; for B only the first one applies.
    let file = "User-agent: A\nUser-agent: B\nDisallow: /a\nUser-agent: A\nAllow: /*\n";
    assert_eq!(codes(file), ["4 repeated-group"]);
    let options = LintOptions { crawlers: vec![Crawler::new("A")], ..LintOptions::default() };
    let found = lint(file.as_bytes(), &options).findings;
    assert!(
        found.iter().any(|finding| finding.code.name == "never-decides" && finding.line == 3),
        "{found:?}"
    );
}

/// What the rule decides for a crawler whose groups are not compiled is not known.
#[test]
fn a_rule_of_more_groups_than_are_compiled_never_counts_as_idle() {
    let file = |crawlers: usize| {
        let names: String = (1..=crawlers).map(|n| format!("User-agent: a{n}\n")).collect();
        let own = (1..crawlers).map(|n| format!("User-agent: a{n}\nDisallow: */x\n"));
        format!("{names}Disallow: /x\n\n{}User-agent: *\nDisallow: /y\n", own.collect::<String>())
    };
    let alone =
        |n: usize| LintOptions { crawlers: vec![Crawler::new(&format!("a{n}"))], ..LintOptions::default() };
    // In the second file, the rules of the last crawler are not compiled.
    for crawlers in [20, MOST_SETS + 9] {
        let found = |options: &LintOptions| found("never-decides", &file(crawlers), options).len();
        assert_eq!(found(&alone(1)), 1, "{crawlers}");
        assert_eq!(found(&alone(crawlers)), 0, "{crawlers}");
        assert_eq!(found(&LintOptions::default()), 0, "{crawlers}");
    }
}

#[test]
fn an_empty_disallow_that_allows_everything_is_reported_as_such() {
    let yandex = LintOptions { dialect: Dialect::Yandex, ..LintOptions::default() };
    let all = |file: &str| -> Vec<String> {
        let findings = lint(file.as_bytes(), &yandex).findings;
        findings
            .iter()
            .map(|finding| format!("{} {}: {}", finding.line, finding.code.name, finding.message))
            .collect()
    };
    assert_eq!(
        all("User-agent: *\nDisallow: /\nDisallow:\n"),
        ["2 contradicting-rule: line 3 has the opposite effect on the same URLs, and wins: allow"]
    );
    assert_eq!(
        all("User-agent: *\nDisallow:\nAllow: /\n"),
        ["3 duplicate-rule: has the same effect as line 2"]
    );
    assert_eq!(
        all("User-agent: *\nDisallow: */\nDisallow:\n"),
        ["2 never-decides: never decides: line 3 (allow everything) always wins over it"]
    );
    // The group allows everything.
    let file = "User-agent: foo\nCrawl-delay: 3\nUser-agent: *\nDisallow: /\nDisallow:\n";
    assert!(!all(file).iter().any(|finding| finding.contains("the whole site is closed")), "{:?}", all(file));
}

#[test]
fn both_rules_that_win_together_are_named() {
    let file = "User-agent: *\nDisallow: */a\nAllow: /*/a\nAllow: /a**\n";
    assert_eq!(
        found("never-decides", file, &LintOptions::default()),
        ["2: never decides: line 3 (allow '/*/a') or line 4 (allow '/a**') always wins over it \
          (remove the line, or make its pattern longer than those)"]
    );
}

#[test]
fn where_the_first_line_decides_the_help_is_about_lines() {
    let koster = LintOptions { dialect: Dialect::Koster1996, ..LintOptions::default() };
    assert_eq!(
        found("never-decides", "User-agent: *\nDisallow: /a\nAllow: /ab\n", &koster),
        [
            "3: never decides: line 2 (disallow '/a') always wins over it (move it above that one, or keep the line: \
             it decides in the dialects 'rfc9309', 'google' and 'yandex')"
        ]
    );
    let file = "User-agent: *\nDisallow: .html\nDisallow: *.pdf\nDisallow: a\n";
    let help: Vec<_> = found("pattern-without-slash", file, &koster);
    assert_eq!(help.len(), 3);
    assert!(
        help[..2].iter().all(|text| text.contains("from its first '/' on") && !text.contains("/*")),
        "{help:?}"
    );
    assert!(help[2].contains("(write '/a')"), "{help:?}");
}

#[test]
fn a_large_search_engine_that_is_closed_out_is_reported_beside_an_open_one() {
    let all = |file: &str| -> Vec<String> {
        let findings = linted(file).findings;
        findings
            .iter()
            .map(|finding| format!("{} {}: {}", finding.line, finding.code.name, finding.message))
            .collect()
    };
    assert_eq!(
        all("User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /\n"),
        [
            "1 hidden-star-rules: the crawlers of a named group may fetch what '*' disallows",
            "5 closed-to-some: the whole site is closed to every crawler that has no group of its own",
            "5 search-engine-closed: the whole site is closed to bingbot",
        ]
    );
    let open = all("User-agent: YandexBot\nDisallow:\n\nUser-agent: *\nDisallow: /\n");
    assert!(
        open.contains(&"5 site-closed: the whole site is closed to the large search engines".to_owned()),
        "{open:?}"
    );
    for allow in ["/robots.txt", "/robots.txt$"] {
        let found = codes(format!("User-agent: *\nDisallow: /\nAllow: {allow}\n"));
        assert!(found.contains(&"2 site-closed".to_owned()), "{found:?}");
    }
    assert_eq!(codes("User-agent: *\nDisallow: /\nAllow: /robots\n"), Vec::<String>::new());
}

#[test]
fn a_crawler_with_several_groups_is_judged_by_all_of_them() {
    let hidden = |dialect: Dialect, file: &str| {
        found("hidden-star-rules", file, &LintOptions { dialect, ..LintOptions::default() }).len()
    };
    let any = "User-agent: *\nDisallow: /x\n\n";
    let rfc = Dialect::Rfc9309;
    assert_eq!(hidden(rfc, &format!("{any}User-agent: foo\nAllow: /y\n")), 1);
    assert_eq!(
        hidden(rfc, &format!("{any}User-agent: foo\nDisallow: /x\n\nUser-agent: foo\nAllow: /y\n")),
        0
    );
    let file = "User-agent: *\nUser-agent: foo\nDisallow: /x\n\nUser-agent: foo\nAllow: /y\n";
    assert_eq!(hidden(rfc, file), 0);
    // The second record never counts.
    assert_eq!(hidden(Dialect::Koster1996, file), 0);
}

#[test]
fn joined_groups_close_a_crawler_only_if_its_other_groups_do() {
    let joined = |more: &str| {
        let file = format!("User-agent: Foo\nCrawl-delay: 1\nUser-agent: *\nDisallow: /\n{more}");
        found("joined-groups", &file, &LintOptions::default()).join("")
    };
    assert!(joined("").starts_with("2: the whole site is closed to 'Foo'"), "{}", joined(""));
    let other = joined("\nUser-agent: Foo\nAllow: /\n");
    assert!(other.starts_with("2: the rules from line 4 on also apply to 'Foo'"), "{other}");
}

#[test]
fn a_group_without_rules_is_reported_where_it_allows_everything() {
    let empty = |dialect: Dialect, file: &str| {
        found("empty-group", file, &LintOptions { dialect, ..LintOptions::default() }).len()
    };
    let file = "User-agent: *\nDisallow: /x\n\nUser-agent: foo\n";
    assert_eq!(
        Dialect::ALL.map(|dialect| (dialect.as_str(), empty(dialect, file))),
        [("rfc9309", 1), ("google", 1), ("koster1996", 0), ("acap", 1), ("yandex", 1),]
    );
    let file = "ACAP-crawler: foo\nACAP-disallow-crawl: /\n\nUser-agent: foo\n";
    assert_eq!((empty(Dialect::Rfc9309, file), empty(Dialect::Acap, file)), (1, 0));
}

#[test]
fn a_sitemap_is_closed_by_the_line_of_each_crawler() {
    let file = "User-agent: Googlebot\nDisallow: /s\n\nUser-agent: bingbot\nDisallow: /\nAllow: /a\n\n\
                Sitemap: https://e.example/s.xml\n";
    assert_eq!(
        found("sitemap-closed", file, &LintOptions::default()),
        [
            "8: line 2 disallows this sitemap for Googlebot, line 5 for bingbot (allow it, or give it another path)"
        ]
    );
}

#[test]
fn a_blank_line_among_names_is_found_with_every_line_end() {
    for end in ["\n", "\r", "\r\n"] {
        let file = "User-agent: foo\n\nUser-agent: *\nDisallow: /x\n".replace('\n', end);
        assert_eq!(codes(&file), ["1 joined-over-blank"], "{end:?}");
    }
}

#[test]
fn rules_for_other_crawlers_are_compared_in_a_file_that_names_no() {
    let file = "User-agent: no\nDisallow: /n\n\nUser-agent: *\nDisallow: /a\nAllow: /*\n";
    assert_eq!(found("never-decides", file, &LintOptions::default()).len(), 1);
    let file = format!("{file}\nACAP-crawler: *\nACAP-disallow-crawl: /b\n");
    let conflicts = found("acap-conflict", &file, &LintOptions::default());
    assert!(conflicts.iter().any(|text| text.contains("for a crawler that is not named")), "{conflicts:?}");
}

#[test]
fn a_rule_that_two_dialects_read_differently_is_a_rule_in_both() {
    assert_eq!(
        found("dialects-disagree", "User-agent: *\nDisallow: /a\u{c}\n", &LintOptions::default()),
        ["2: rfc9309 and google read different rules here (write the line in the form of RFC 9309)"]
    );
    assert_eq!(
        found("dialects-disagree", "User-agent: *\nDisallow: /a\nDisallowed: /b\n", &LintOptions::default()),
        ["3: google reads a disallow rule here, rfc9309 does not (write the line in the form of RFC 9309)"]
    );
}

/// The positions of a fix are in the bytes of the file.
#[test]
fn findings_in_a_decoded_file_have_no_fix() {
    let text = "User-agent: *\nDisalow: /a\n";
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let fixes = |file: &[u8]| {
        let findings = linted(file).findings;
        let misspelt = findings.iter().filter(|finding| finding.code.name == "misspelt-key");
        misspelt.map(|finding| finding.fix.is_some()).collect::<Vec<_>>()
    };
    assert_eq!((fixes(text.as_bytes()), fixes(&utf16)), (vec![true], vec![false]));
}

/// Findings of `code`, as `line: message (help)`.
fn found(code: &str, file: &str, options: &LintOptions) -> Vec<String> {
    let findings = lint(file.as_bytes(), options).findings;
    let of_code = findings.iter().filter(|finding| finding.code.name == code);
    of_code
        .map(|finding| {
            format!("{}: {} ({})", finding.line, finding.message, finding.help.as_deref().unwrap_or_default())
        })
        .collect()
}

#[test]
fn a_noindex_whose_urls_are_all_disallowed_is_reported() {
    let conflicts = |file: &str| found("noindex-disallowed", file, &LintOptions::default());
    let file = "User-agent: *\nDisallow: /private\nAllow: /private/press\nDisallow: /*?sort=\n\
                Noindex: /private/old\nNoindex: /private\nNoindex: /x*?sort=a\nNoindex: /\nNoindex: /y$\n";
    assert_eq!(
        conflicts(file),
        [
            "5: every URL that it matches is disallowed ('/private/old' by line 2), so crawlers cannot see a noindex in \
             the pages (let crawlers fetch the pages and put noindex there, or remove the line)",
            "7: every URL that it matches is disallowed ('/x?sort=a' by line 4), so crawlers cannot see a noindex in \
             the pages (let crawlers fetch the pages and put noindex there, or remove the line)",
        ]
    );
    // Only the rules of the group count. Several rules together may cover a Noindex.
    let file = "User-agent: A\nDisallow: /\n\nUser-agent: *\nDisallow: /a\nDisallow: /*b\nNoindex: /c\nNoindex: /*ab\n";
    assert_eq!(conflicts(file).len(), 1);
    assert!(conflicts(file)[0].starts_with("8: "), "{:?}", conflicts(file));
    // It must apply to every crawler of the group: `b` may crawl /x/1 by its other group.
    let file = "User-agent: a\nUser-agent: b\nDisallow: /x\nNoindex: /x\n\nUser-agent: b\nAllow: /x/\n";
    assert_eq!(conflicts(file), Vec::<String>::new());
    let for_one = |name| {
        let options = LintOptions { crawlers: vec![Crawler::new(name)], ..LintOptions::default() };
        found("noindex-disallowed", file, &options).len()
    };
    assert_eq!(["a", "b", "c"].map(for_one), [1, 0, 0]);
}

#[test]
fn acap_is_compared_with_the_rules_on_urls_that_both_decide() {
    let conflicts = |file: &str| found("acap-conflict", file, &LintOptions::default());
    let agree = "User-agent: *\nDisallow: /private\n\nACAP-crawler: *\nACAP-disallow-crawl: /private\nACAP-allow-index: /\n";
    assert_eq!(conflicts(agree), Vec::<String>::new());
    let file =
        "User-agent: *\nDisallow: /private\nAllow: /press\n\nACAP-crawler: *\nACAP-disallow-crawl: /press\n";
    assert_eq!(
        conflicts(file),
        [
            "6: disallow of '/press' for a crawler that is not named, but allow by line 3 if the crawler does not read ACAP \
             (say the same in both)"
        ]
    );
    // Rules within ACAP's records are void for parsers of ACAP, until the next user-agent line.
    let rules = |separator: &str| {
        format!(
            "User-agent: *\nDisallow: /b\n\nACAP-crawler: *\nACAP-allow-crawl: /\n{separator}Disallow: /private\n"
        )
    };
    assert!(
        conflicts(&rules(""))[0].starts_with("5: allow of '/private' for a crawler that is not named, but ")
    );
    assert_eq!(conflicts(&rules("User-agent: *\n")), Vec::<String>::new());
    for silent in ["", "User-agent: *\nDisallow: /b\n\n"] {
        let file = format!("{silent}ACAP-crawler: *\nACAP-disallow-crawl: /a\n");
        assert_eq!(conflicts(&file), Vec::<String>::new());
    }
    let open = conflicts("User-agent: *\nDisallow:\n\nACAP-crawler: *\nACAP-disallow-crawl: /a\n");
    assert!(
        open[0].contains("disallow of '/a' for a crawler that is not named, but allow by line 2"),
        "{open:?}"
    );
}

#[test]
fn a_crawler_that_only_one_vocabulary_names_is_reported() {
    let file = "User-agent: Foo\nDisallow: /\n\nUser-agent: *\nAllow: /\n\nACAP-crawler: *\nACAP-allow-crawl: /\n\
                ACAP-crawler: Bar\nACAP-disallow-crawl: /\n";
    let conflicts = |options: &LintOptions| found("acap-conflict", file, options);
    let ours = [
        "8: allow of '/' for 'foo', but disallow by line 2 if the crawler does not read ACAP (only a User-agent line \
         names it, no ACAP-crawler line does: name it in both, or say the same in both)",
        "10: disallow of '/' for 'bar', but allow by line 5 if the crawler does not read ACAP (only an ACAP-crawler line \
         names it, no User-agent line does: name it in both, or say the same in both)",
    ];
    assert_eq!(conflicts(&LintOptions::default()), ours);
    let of = |name: &str| LintOptions { crawlers: vec![Crawler::new(name)], ..LintOptions::default() };
    assert_eq!(conflicts(&of("Baz")), Vec::<String>::new());
    assert_eq!(conflicts(&LintOptions { dialect: Dialect::Acap, ..LintOptions::default() }), ours);
}

#[test]
fn fixes_remove_their_findings() {
    let file = "\u{feff}User-agent: * all\nDisalow: /a\nDisallow /b\nDisallow: /\u{e9}\n";
    let report = linted(file);
    let mut text = report.text.clone();
    let mut fixes: Vec<_> = report.findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| std::cmp::Reverse(fix.span.start));
    for fix in fixes {
        text.splice(fix.span.range(), fix.text.bytes());
    }
    let after = codes(&text);
    assert_eq!(after, Vec::<String>::new(), "{}", String::from_utf8_lossy(&text));
}

#[test]
fn codes_are_documented_and_each_is_there_once() {
    let names: BTreeSet<&str> = CODES.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), CODES.len());
    for code in CODES {
        let is_kebab =
            code.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        assert!(is_kebab && code.text().len() > 30 && code.summary().len() > 5, "{}", code.name);
    }
    assert_eq!(Code::find("never-decides").map(|code| code.name), Some("never-decides"));
    assert_eq!(Code::find("nonsense"), None);
}

#[test]
fn any_bytes_can_be_linted() {
    let pieces: [&[u8]; 12] = [
        b"User-agent: ",
        b"*",
        b"\n",
        b"Disallow: ",
        b"/a",
        b"$",
        b"\xFF\xFE",
        b"\0",
        b"\r",
        b"Sitemap:",
        b"\xC3",
        b": ",
    ];
    let mut state = 7_u32;
    for _ in 0..2_000 {
        let mut file = Vec::new();
        for _ in 0..20 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            file.extend_from_slice(pieces[(state >> 16) as usize % pieces.len()]);
        }
        for dialect in Dialect::ALL {
            let report = lint(&file, &LintOptions { dialect, ..LintOptions::default() });
            for finding in &report.findings {
                assert!(finding.span.range().end <= report.text.len(), "{finding:?} in {file:?}");
                assert_ne!(finding.code.name, "oddity", "{finding:?}");
            }
        }
    }
}
