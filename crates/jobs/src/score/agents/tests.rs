use std::path::Path;

use super::*;
use crate::Silent;
use robomata_testkit::shared::{shared_folder, small_corpus};

fn agents(paths: &[PathBuf]) -> Agents {
    Agents::read(paths, Strictness::Strict, &mut Silent).unwrap().0
}

fn name(agents: &mut Agents, agent: &str) -> String {
    match agents.visitor(Some(agent.as_bytes())) {
        Visitor::Crawler(crawler) => crawler.to_string(),
        other => format!("{other:?}"),
    }
}

const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/108.0.0.0 Safari/537.36";

#[test]
fn programs_have_names_without_versions() {
    for (agent, name) in [
        ("curl/8.0", "curl"),
        ("Debian APT-HTTP/1.3 (0.8.16)", "Debian APT-HTTP"),
        ("Tiny Tiny RSS (unknown)", "Tiny Tiny RSS"),
        ("/odd", "odd"),
        ("///", "///"),
    ] {
        assert_eq!(program_name(agent.as_bytes()), name);
    }
}

#[test]
fn crawlers_that_say_so_need_no_directory() {
    let cases = [
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
        ("Googlebot-Image/1.0", "Googlebot-Image,Googlebot"),
        ("Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot,Yandex"),
        ("Mozilla/5.0 (compatible; heritrix/3.3.0 +http://archive.example)", "heritrix"),
        ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "bingbot,msnbot"),
        ("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"),
        ("Example-Spider", "Example-Spider"),
        // The product next to the address, and not the phone.
        (
            "Mozilla/5.0 (Linux; Android 13; SM-G991B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Mobile Safari/537.36 (compatible; Example-Fetcher/1.0; +https://fetcher.example/)",
            "Example-Fetcher",
        ),
        ("Example-Reader/1.0 (+https://reader.example/; 3 subscribers)", "Example-Reader"),
        ("Mozilla/5.0 (X11; Linux) Example-Reader/1.0 +https://reader.example/", "Example-Reader"),
        (CHROME, "Browser"),
        ("Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 (KHTML, like Gecko)", "Browser"),
        ("curl/7.88.1", "Program"),
        (" ", "WithoutUserAgent"),
        ("\u{e9}\u{e9}", "Program"),
    ];
    let mut agents = agents(&[]);
    for (agent, expected) in cases {
        assert_eq!(name(&mut agents, agent), expected, "{agent}");
    }
    assert_eq!(agents.visitor(None), Visitor::WithoutUserAgent);
}

#[test]
fn the_longest_find_names_the_crawler() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("patterns.json");
    let patterns = r#"[{"pattern": "curl"}, {"pattern": "yandex\\.com\\/bots"}, {"pattern": "Probe[A-Z]"}, {"pattern": "HeadlessChrome"}]"#;
    std::fs::write(&json, patterns).unwrap();
    let list = folder.path().join("tokens.txt");
    std::fs::write(&list, ",cnt\n*,5\nmozilla,3\nmozilla/5.0,3\nmsie 6.0,2\nexample,7\nexample-deep,2\n")
        .unwrap();
    let mut agents = agents(&[json, list]);
    let cases = [
        ("curl/7.88.1", "curl"),
        ("Mozilla/5.0 (compatible; EXAMPLE-Deep/1.0)", "EXAMPLE-Deep"),
        ("example 1", "example"),
        ("examples", "Program"),
        ("ProbeX/2", "ProbeX"),
        ("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/74.0 Safari/537.36", "HeadlessChrome"),
        ("probex/2", "Program"),
        // The match is in an address: the name comes from the product.
        ("Mozilla/5.0 (compatible; YaDirectFetcher/1.0; Dyatel; +http://yandex.com/bots)", "YaDirectFetcher"),
        (CHROME, "Browser"),
        ("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.2; SV1)", "Browser"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:10.0) Gecko/1 Firefox/1 (+http://a.test)", "Browser"),
    ];
    for (agent, expected) in cases {
        assert_eq!(name(&mut agents, agent), expected, "{agent}");
    }
}

#[test]
fn a_pattern_is_a_text_unless_it_says_more() {
    for (pattern, text) in
        [(r"Googlebot\/", "Googlebot/"), (r"a\.b\-c d_e", "a.b-c d_e"), ("\u{e9}", "\u{e9}")]
    {
        assert_eq!(read::text_of(pattern).as_deref(), Some(text));
    }
    for pattern in
        ["a.", "^a", "a$", "[aA]", "a|b", "(a)", "a?", "a*", "a+", "a{2}", r"\d", r"\ba", r"\<a", "\\"]
    {
        assert_eq!(read::text_of(pattern), None, "{pattern}");
    }
}

/// The match that one automaton of all patterns finds.
fn found_together(patterns: &[String], agent: &[u8]) -> Option<Found> {
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let all = build(&patterns, Regex::config())?;
    let mut set = PatternSet::new(all.pattern_len());
    all.which_overlapping_matches(&Input::new(agent), &mut set);
    let found = set.iter().filter_map(|id| {
        let span = build(&patterns[id.as_usize()..=id.as_usize()], Regex::config())?.find(agent)?;
        Some(Found { pattern: Some(id.as_usize()), start: span.start(), end: span.end() })
    });
    found.reduce(|best, found| if found.end - found.start > best.end - best.start { found } else { best })
}

#[test]
fn texts_are_found_as_if_they_were_expressions() {
    let patterns = ["bot", "xbot", "axbot\\/1", "abo", "^b", "ot x", "[ab]ot", "b[\\s\\S]*x", "bot\\/"]
        .map(str::to_owned);
    let directory = read::Directory { patterns: patterns.to_vec(), tokens: Vec::new() };
    let separate = Patterns::new(directory);
    assert_eq!((separate.text_numbers.len(), separate.alone.len()), (6, 3));
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..2000 {
        let agent: Vec<u8> = (0..rng.usize(..12)).map(|_| b"aboxt /1"[rng.usize(..8)]).collect();
        let shown = String::from_utf8_lossy(&agent);
        assert_eq!(separate.found(&agent), found_together(&patterns, &agent), "{shown:?}");
    }
}

/// Clients choose their User-Agents, and an automaton grows with each state that they lead to.
#[test]
fn the_memory_of_a_search_hardly_depends_on_the_number_of_patterns() {
    let texts = (0..1500).map(|number| format!("Bot{number}\\/"));
    let patterns = texts.chain(["^curl", "[wW]get", "Spider[\\s\\S]*end"].map(str::to_owned)).collect();
    let patterns = Patterns::new(read::Directory { patterns, tokens: Vec::new() });
    let all = patterns.all.as_ref().unwrap();
    let mut cache = all.create_cache();
    for number in 0..300 {
        let agent = format!("x Bot{number}/1.0 {}", "Bot1 Spider".repeat(9));
        let mut set = PatternSet::new(all.pattern_len());
        all.which_overlapping_matches_with(&mut cache, &Input::new(&agent), &mut set);
        assert_eq!(patterns.found(agent.as_bytes()).unwrap().pattern, Some(number));
    }
    assert!(cache.memory_usage() < 1 << 20, "{}", cache.memory_usage());
}

#[test]
fn only_the_beginning_of_a_long_user_agent_counts() {
    let mut agents = agents(&[]);
    let spaces = |count| " ".repeat(count);
    assert_eq!(name(&mut agents, &format!("curl/1{}bot9", spaces(990))), "bot9");
    assert_eq!(name(&mut agents, &format!("curl/1{}bot9", spaces(1000))), "Program");
}

#[test]
fn a_directory_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["[1]", "{1}", r#"[{"pattern": "("}]"#, "<html><p>404", "\0\0\0\u{1}"] {
        let path = folder.path().join("agents");
        std::fs::write(&path, text).unwrap();
        let error = Agents::read(&[path], Strictness::Strict, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("expected"), "{error}");
    }
}

/// With a list that names no crawler, crawlers would pass as other programs.
#[test]
fn a_directory_without_crawlers_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agents");
    for text in
        ["", "# none\n", "[]", "{}", "[1]", "{1}", r#"[{"pattern": "("}]"#, "<html><p>404", "chrome\n"]
    {
        std::fs::write(&path, text).unwrap();
        let error = Agents::read(std::slice::from_ref(&path), Strictness::Lenient, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("agents: expected"), "{text}: {error}");
    }
    std::fs::write(&path, r#"[{"pattern": "("}, {"pattern": "x"}]"#).unwrap();
    let (_, errors) = Agents::read(&[path], Strictness::Lenient, &mut Silent).unwrap();
    assert_eq!(errors.bad_agents, 1);
}

#[test]
fn a_robots_txt_names_crawlers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.txt");
    let text = "# of a list\nUser-agent: Example # ours\nuser-agent: *\nDisallow: /probe\nNoindex: /probe\nHost: probe\n\"Quoted, Name\",5\nplain\t7\n";
    std::fs::write(&path, text).unwrap();
    let mut agents = agents(&[path]);
    for (agent, expected) in [
        ("example/1", "example"),
        ("probe/1", "Program"),
        ("disallow/1", "Program"),
        ("quoted/1", "Program"),
        ("Plain/1", "Plain"),
    ] {
        assert_eq!(name(&mut agents, agent), expected, "{agent}");
    }
}

/// An entry of a directory.
#[derive(serde::Deserialize)]
struct Listed {
    instances: Vec<String>,
}

/// The numbers of instances, of those that their own pattern names, and of those that are crawlers.
fn instances(corpora: &Path) -> [usize; 3] {
    let path = corpora.join("agents/crawler-user-agents.json");
    let entries: Vec<Listed> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let mut agents = agents(&[path]);
    let (mut instances, mut own, mut crawlers) = (0, 0, 0);
    for (number, entry) in entries.iter().enumerate() {
        for instance in &entry.instances {
            instances += 1;
            let found = agents.patterns.found(instance.as_bytes());
            own += usize::from(found.is_some_and(|found| found.pattern == Some(number)));
            let visitor = agents.visitor(Some(instance.as_bytes()));
            crawlers += usize::from(matches!(visitor, Visitor::Crawler(_)));
        }
    }
    [instances, own, crawlers]
}

#[test]
fn a_directory_names_its_own_instances() {
    // The pattern of LanternBot is listed before that of LanternBot-News, and finds its two instances.
    assert_eq!(instances(&small_corpus()), [22, 20, 22]);
    if let Some(corpora) = shared_folder("corpora") {
        assert_eq!(instances(&corpora), [2116, 2106, 2116]);
    }
}
