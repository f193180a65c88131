//! Findings about files that search engines cannot fetch: the whole site, style sheets and scripts, sitemaps.

use std::collections::BTreeMap;

use robomata_evaluator::SitePolicy;
use robomata_policy::{Policy, Rule, RuleSet, Value};
use robomata_protocol::{Access, Answer, Crawler, Span};

use crate::rules::{REMOVAL, effect};
use crate::{Finding, Findings, LintOptions};

/// The crawlers of the large search engines.
const LARGE: [&str; 2] = ["Googlebot", "bingbot"];

/// The crawlers of other search engines.
const OTHERS: [&str; 17] = [
    "Googlebot-Image",
    "Googlebot-News",
    "Googlebot-Video",
    "msnbot",
    "Slurp",
    "DuckDuckBot",
    "Baiduspider",
    "YandexBot",
    "Yandex",
    "Applebot",
    "SeznamBot",
    "Yeti",
    "Sogou",
    "PetalBot",
    "Qwantify",
    "360Spider",
    "MojeekBot",
];

/// Adds the findings about files that are disallowed for the large search engines, or for `crawlers` if there are any.
pub(crate) fn find(options: &LintOptions, findings: &mut Findings<'_>) {
    let (policy, crawlers) = (findings.policy, &options.crawlers);
    let checked: Vec<Crawler> =
        if crawlers.is_empty() { LARGE.into_iter().map(Crawler::new).collect() } else { crawlers.clone() };
    let (closed, open): (Vec<&Crawler>, Vec<&Crawler>) =
        checked.iter().partition(|crawler| is_closed(&policy.rules_for(crawler), findings).is_some());
    whole_site(&closed, &open, crawlers.is_empty(), findings);
    let mut engines: Vec<Engine<'_>> = open
        .into_iter()
        .map(|crawler| Engine { crawler, policy: SitePolicy::new(policy, crawler) })
        .collect();
    assets(&mut engines, findings);
    sitemaps(&mut engines, findings);
}

/// The rule that disallows the whole site, if no other rule allows a part of it, besides the robots.txt. A rule that never
/// decides allows nothing.
pub(crate) fn is_closed<'p>(rules: &RuleSet<'p>, findings: &Findings<'_>) -> Option<&'p Rule> {
    let policy = rules.policy();
    let pattern = |rule: &Rule| rule.pattern.of(policy.text());
    let is_wild = policy.dialect().semantics().wildcards;
    let are_stars = |pattern: &[u8]| is_wild && pattern.iter().all(|&byte| byte == b'*');
    let is_whole = |pattern: &[u8]| {
        pattern == b"/" || !pattern.is_empty() && are_stars(pattern.strip_prefix(b"/").unwrap_or(pattern))
    };
    let is_robots_txt = |pattern: &[u8]| pattern.strip_suffix(b"$").unwrap_or(pattern) == b"/robots.txt";
    let is_path = |pattern: &[u8]| matches!(pattern, [] | [b'/', ..]) || is_wild && pattern.starts_with(b"*");
    let allows = |rule: &Rule| {
        let pattern = pattern(rule);
        effect(rule, policy) == Some(Access::Allow)
            && is_path(pattern)
            && !is_robots_txt(pattern)
            && !findings.analysis.is_idle(rule.line)
    };
    if rules.rules().any(allows) {
        return None;
    }
    rules.rules().find(|rule| rule.access == Access::Disallow && is_whole(pattern(rule)))
}

fn whole_site(closed: &[&Crawler], open: &[&Crawler], is_of_all: bool, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let others = is_closed(&policy.rules_for_others(), findings);
    let help = format!("if search engines should find the site, {REMOVAL}");
    if let (Some(rule), true) = (others, is_of_all) {
        if open.is_empty() {
            let is_open = |name: &str| is_closed(&policy.rules_for(&Crawler::new(name)), findings).is_none();
            let large = if OTHERS.into_iter().any(is_open) { "the large " } else { "" };
            let message = format!("the whole site is closed to {large}search engines");
            findings.add("site-closed", rule.line, rule.pattern, message).help(help);
            return;
        }
        let message = "the whole site is closed to every crawler that has no group of its own";
        findings.add("closed-to-some", rule.line, rule.pattern, message);
    }
    let mut lines: Vec<(u32, Span, Vec<String>)> = Vec::new();
    for crawler in closed {
        let Some(rule) = is_closed(&policy.rules_for(crawler), findings) else { continue };
        match lines.iter_mut().find(|(line, ..)| *line == rule.line) {
            Some((.., names)) => names.push(crawler.to_string()),
            None => lines.push((rule.line, rule.pattern, vec![crawler.to_string()])),
        }
    }
    for (line, span, names) in lines {
        let message = format!("the whole site is closed to {}", names.join(" and "));
        findings.add("search-engine-closed", line, span, message).help(&help);
    }
    if !is_of_all || others.is_some() {
        return;
    }
    for name in OTHERS {
        if let Some(rule) = is_closed(&policy.rules_for(&Crawler::new(name)), findings) {
            let message = format!("the whole site is closed to {name}");
            findings.add("closed-to-some", rule.line, rule.pattern, message);
        }
    }
}

/// A search engine's crawler and its rules.
struct Engine<'c> {
    crawler: &'c Crawler,
    policy: SitePolicy,
}

impl Engine<'_> {
    /// The line that disallows `url` for this crawler.
    fn closed_by(&mut self, url: &[u8]) -> Option<u32> {
        match self.policy.check(url) {
            Answer::Verdict(verdict) if verdict.access == Access::Disallow => Some(verdict.line),
            _ => None,
        }
    }
}

/// The lines that disallow `url`, with the names of the crawlers for which they do.
fn closed_by(url: &[u8], engines: &mut [Engine<'_>]) -> BTreeMap<u32, Vec<String>> {
    let mut names: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for engine in engines {
        if let Some(line) = engine.closed_by(url) {
            names.entry(line).or_default().push(engine.crawler.to_string());
        }
    }
    names
}

/// Finds rules that disallow style sheets or scripts, which search engines need to see a page as people do.
fn assets(engines: &mut [Engine<'_>], findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let rules = policy.groups().iter().flat_map(|group| policy.rules_of(group));
    for rule in rules.filter(|rule| rule.access == Access::Disallow) {
        let Some(probe) = asset_of(rule.pattern.of(policy.text())) else { continue };
        if let Some(names) = closed_by(probe.as_bytes(), engines).get(&rule.line) {
            let message =
                format!("disallows CSS or JavaScript for {}, for example '{probe}'", names.join(" and "));
            findings
                .add("assets-closed", rule.line, rule.pattern, message)
                .help("allow the files that are needed to render pages, for example with longer Allow rules");
        }
    }
}

/// An example of a style sheet or script that a pattern matches, by its extension or by the name of its directory.
fn asset_of(pattern: &[u8]) -> Option<String> {
    const DIRECTORIES: [(&str, &str); 10] = [
        ("/css", "x.css"),
        ("/js", "x.js"),
        ("/javascript", "x.js"),
        ("/javascripts", "x.js"),
        ("/stylesheet", "x.css"),
        ("/stylesheets", "x.css"),
        ("/wp-includes", "js/jquery/jquery.min.js"),
        ("/wp-content", "themes/x/style.css"),
        ("/wp-content/themes", "x/style.css"),
        ("/wp-content/plugins", "x/style.css"),
    ];
    let pattern = std::str::from_utf8(pattern).ok()?;
    // Pages do not request paths that begin with two slashes: such a reference names another host.
    let text = pattern.strip_suffix('$').unwrap_or(pattern);
    if text.starts_with("//") {
        return None;
    }
    let filled = |text: &str| {
        let filled = text.replace('*', "x");
        if filled.starts_with('/') { filled } else { format!("/{filled}") }
    };
    let (before, file) = text.rsplit_once('/').unwrap_or(("", text));
    let is_whole_kind = ["*.css", "*.js"].into_iter().any(|ending| {
        file.to_ascii_lowercase().strip_prefix(ending).is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        })
    });
    if is_whole_kind {
        return Some(filled(text));
    }
    // The pattern names a directory. Without a slash at its end it must be long enough and contain no '*' or '$'.
    let directory = if file.trim_end_matches('*').is_empty() { before } else { text };
    if directory == text && (file.len() <= 3 || pattern.contains(['*', '$'])) {
        return None;
    }
    let name = directory.to_ascii_lowercase();
    let (_, within) = DIRECTORIES.into_iter().find(|&(known, _)| name.ends_with(known))?;
    Some(filled(&format!("{directory}/{within}")))
}

/// The code of findings about the sitemaps of a host.
const SITEMAP: &str = "sitemap-closed";

/// Finds sitemaps that a rule disallows, on any host: see [`is_on`].
fn sitemaps(engines: &mut [Engine<'_>], findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let rules: Vec<&Rule> = policy.groups().iter().flat_map(|group| policy.rules_of(group)).collect();
    for field in policy.extensions() {
        let Value::Sitemap(url) = field.read(policy.text()) else { continue };
        // Rules are in the order of their lines.
        let rule_on = |line: u32| rules.binary_search_by_key(&line, |rule| rule.line).ok();
        let closed = closed_by(url.as_bytes(), engines);
        let closed: Vec<(&Rule, String)> = closed
            .into_iter()
            .filter_map(|(line, names)| Some((rules[rule_on(line)?], names.join(" and "))))
            .collect();
        let Some(((first, names), others)) = closed.split_first() else { continue };
        let mut message = format!("line {} disallows this sitemap for {names}", first.line);
        for (rule, names) in others {
            message.push_str(&format!(", line {} for {names}", rule.line));
        }
        let finding = findings.add(SITEMAP, field.line, field.value, message);
        finding.help("allow it, or give it another path");
        for (rule, _) in &closed {
            finding.related(rule.line, rule.pattern, "disallows it");
        }
    }
}

/// The host whose sitemaps are those of the robots.txt, if `host` is unknown: the host of all sitemaps.
pub(crate) fn only_host(policy: &Policy<'_>) -> Option<String> {
    let first = policy.sitemaps().next().map(host_of)?;
    policy.sitemaps().all(|url| host_of(url) == first).then_some(first)
}

/// Whether a finding in `text` is about a robots.txt on `host`. The rules apply to one host, so a sitemap on another one
/// is not closed. If no host is known, nothing is reported about sitemaps.
pub(crate) fn is_on(host: Option<&str>, finding: &Finding, text: &[u8]) -> bool {
    finding.code.name != SITEMAP
        || host.is_some_and(|host| host_of(&String::from_utf8_lossy(finding.span.of(text))) == host)
}

/// The host of a URL or of a site's name, without a leading `www.` and without a port.
pub(crate) fn host_of(site: &str) -> String {
    let authority = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = authority.split(['/', '?', '#', ':']).next().unwrap_or(authority).to_ascii_lowercase();
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_style_sheets_and_scripts_are_recognised() {
        for (pattern, expected) in [
            ("/*.css$", Some("/x.css")),
            ("*.js", Some("/x.js")),
            ("/lib/*.js?*", Some("/lib/x.js?x")),
            ("/css/", Some("/css/x.css")),
            ("/a/JS/*", Some("/a/JS/x.js")),
            ("/wp-includes", Some("/wp-includes/js/jquery/jquery.min.js")),
            ("/wp-content/themes/", Some("/wp-content/themes/x/style.css")),
            ("/*.json$", None),
            ("/*.js.map", None),
            ("/js", None),
            ("//wp-content/", None),
            ("/one.js", None),
            ("/", None),
            ("", None),
            ("/*", None),
        ] {
            assert_eq!(asset_of(pattern.as_bytes()).as_deref(), expected, "{pattern}");
        }
    }
}
