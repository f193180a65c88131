//! `robomata debug`.

use crate::support::{Folder, ROBOTS};

#[test]
fn every_artefact_is_printed() {
    let robots = format!("{ROBOTS}Crawl-delay: 3\nDisalow: /x\nSitemap: https://a.example/map\n");
    let folder = Folder::with(&[("robots.txt", &robots)]);
    let ran = folder.run("debug --agent FooBot --robots robots.txt");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for text in [
        "robots.txt: ",
        "     5  user-agent   FooBot\n",
        "     8  misspelt-key           misspelt key: read as 'disallow' | Disalow\n",
        "group 2\n     5  user-agent   FooBot (means FooBot)\n     6  disallow     /foo\n",
        "the file names it as FooBot\ngroups merged: 2; rules: 2\n",
        "     7  crawl-delay  group 2   delay of 3s\n",
        "     9  sitemap      group 2   URL https://a.example/map\n",
        "     2       4  disallow      6  /foo\n",
        "# Program\nprogram of ",
        "# Drawing (Graphviz DOT)\ndigraph program {",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
}

#[test]
fn the_drawing_goes_where_it_is_wanted() {
    let folder = Folder::with(&[("robots.txt", ROBOTS)]);
    let alone = folder.run("debug --agent X --robots robots.txt --dot -");
    assert!(alone.out.starts_with("digraph program {") && alone.out.ends_with("}\n"), "{}", alone.out);
    let both = folder.run("debug --agent X --robots robots.txt --dot program.dot");
    assert_eq!(folder.read("program.dot"), alone.out);
    assert!(both.out.ends_with(&alone.out) && both.out.contains("# Records"));
}

#[test]
fn any_bytes_have_artefacts() {
    let folder = Folder::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    for dialect in ["rfc9309", "google"] {
        let line = format!("debug --agent X --robots - --dialect {dialect}");
        assert_eq!(folder.run_with_input(&line, &bytes).code, Some(0));
    }
}

#[test]
fn texts_of_a_site_stay_on_their_line() {
    let robots = "User-agent: *\nDisallow: /\u{1b}[2J\u{202e}b\nDisallow: /%1B%0A%E2%80%AEc\nCrawl-delay: \u{202e}\nHost: \u{7}\n";
    let folder = Folder::with(&[("robots.txt", robots)]);
    for dialect in ["rfc9309", "google", "koster1996", "acap", "yandex"] {
        let ran = folder.run(&format!("debug --agent X --robots robots.txt --dialect {dialect}"));
        let is_raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!ran.out.contains(is_raw), "{dialect}: {:?}", ran.out);
        // The second rule has one line in each of three sections.
        assert_eq!(ran.out.lines().filter(|line| line.ends_with('c')).count(), 3, "{dialect}: {}", ran.out);
    }
}

#[test]
fn acaps_fields_are_shown_as_they_are_read() {
    let folder = Folder::with(&[(
        "robots.txt",
        "ACAP-crawler: *\nACAP-allow-index: /news/ time-limit=3-days\nACAP-usage-purpose: ads\nACAP-disallow-crawl: /\n",
    )]);
    let ran = folder.run("debug --agent X --dialect acap --robots robots.txt");
    let fields = "resources, purposes, qualifiers; {n: a list} is {n} in later lines\n     \
                  2  index            permitted  any   /news/  {1: time-limit=3-days}\n     \
                  4  crawl            prohibited any   /  for {1: ads}\n";
    assert!(ran.out.contains(fields), "{}", ran.out);
    let ran = folder.run("debug --agent X --robots robots.txt");
    assert!(!ran.out.contains("# ACAP"), "{}", ran.out);
}

/// Resource sets, purposes and qualifiers can each be as long as the file, and be those of each field.
#[test]
fn lists_that_fields_of_acap_share_are_written_once() {
    let set = "ACAP-resource-set: s /a /b\nACAP-qualified-usage: q present must-use-resource=/c\n";
    let fields = "ACAP-allow-(q): the-acap:resource-set:s\n".repeat(3);
    let folder =
        Folder::with(&[("robots.txt", &format!("{set}ACAP-crawler: *\nACAP-usage-purpose: p\n{fields}"))]);
    let ran = folder.run("debug --agent X --dialect acap --robots robots.txt");
    let fields = "     \
                  5  present          permitted  any   {1: /a /b}  for {1: p}  {1: must-use-resource=/c}\n     \
                  6  present          permitted  any   {1}  for {1}  {1}\n     \
                  7  present          permitted  any   {1}  for {1}  {1}\n";
    assert!(ran.out.contains(fields), "{}", ran.out);
}
