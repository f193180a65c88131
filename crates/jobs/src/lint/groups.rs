//! Groups and the names that they are for.

use std::collections::{BTreeMap, BTreeSet};

use robomata::policy::{Extension, Name, Value};
use robomata::protocol::Span;
use robomata::syntax::AgentName;

use super::Findings;

/// Product tokens that crawlers' operators document, in their spelling.
const WELL_KNOWN: [&str; 48] = [
    "Googlebot",
    "Googlebot-Image",
    "Googlebot-News",
    "Googlebot-Video",
    "Google-Extended",
    "GoogleOther",
    "AdsBot-Google",
    "Mediapartners-Google",
    "Storebot-Google",
    "bingbot",
    "msnbot",
    "Slurp",
    "DuckDuckBot",
    "Baiduspider",
    "YandexBot",
    "Yandex",
    "Applebot",
    "Applebot-Extended",
    "facebookexternalhit",
    "FacebookBot",
    "meta-externalagent",
    "Twitterbot",
    "LinkedInBot",
    "Pinterestbot",
    "GPTBot",
    "ChatGPT-User",
    "OAI-SearchBot",
    "ClaudeBot",
    "Claude-Web",
    "anthropic-ai",
    "CCBot",
    "PerplexityBot",
    "Bytespider",
    "Amazonbot",
    "AhrefsBot",
    "SemrushBot",
    "DataForSeoBot",
    "rogerbot",
    "DotBot",
    "BLEXBot",
    "PetalBot",
    "SeznamBot",
    "Sogou",
    "ia_archiver",
    "Diffbot",
    "cohere-ai",
    "YouBot",
    "Exabot",
];

/// Looks at names and groups.
pub(super) fn find(findings: &mut Findings<'_>) {
    let named = names(findings);
    look_alikes(&named, findings);
    repeated(&named, findings);
    empty_groups(findings);
    hidden(findings);
}

/// Names in lower case, as they are compared, with each group that has them; `*` is `*`.
type Names = BTreeMap<Vec<u8>, Vec<(usize, Name)>>;

fn names(findings: &Findings<'_>) -> Names {
    let policy = findings.policy;
    let mut names = Names::new();
    for (index, group) in policy.groups().iter().enumerate() {
        for name in policy.names_of(group) {
            let token = match policy.agent_of(name) {
                AgentName::Any => b"*".to_vec(),
                AgentName::Named(b"") => continue,
                AgentName::Named(token) => token.to_ascii_lowercase(),
            };
            let groups = names.entry(token).or_default();
            if groups.last().is_none_or(|&(last, _)| last != index) {
                groups.push((index, *name));
            }
        }
    }
    names
}

fn look_alikes(names: &Names, findings: &mut Findings<'_>) {
    for (token, groups) in names {
        let Some(known) = std::str::from_utf8(token).ok().and_then(look_alike) else { continue };
        let (_, name) = groups[0];
        let message = format!("{}: no well-known crawler has this name", findings.quoted(name.value));
        findings.add("look-alike-name", name.line, name.value, message).help(format!("is '{known}' meant?"));
    }
}

/// The well-known token that `token`, which is none, is a typing error away from.
fn look_alike(token: &str) -> Option<&'static str> {
    /// Shorter names resemble too many others.
    const SHORTEST: usize = 6;
    /// In shorter ones another letter makes another crawler: Enabot is not Exabot.
    const LONG: usize = 9;
    /// Names are no longer; only so much is compared.
    const LONGEST: usize = 24;
    if !(SHORTEST..=LONGEST).contains(&token.len())
        || WELL_KNOWN.iter().any(|known| known.eq_ignore_ascii_case(token))
    {
        return None;
    }
    let is_near = |known: &&str| {
        let known = known.to_ascii_lowercase();
        let is_near = may_be_near(token, &known) && strsim::osa_distance(token, &known) == 1;
        is_near && (token.len() >= LONG || !is_one_letter_changed(token, &known))
    };
    WELL_KNOWN.into_iter().find(is_near)
}

/// Do two names that are one error apart differ in one letter, rather than in its place, or in their lengths?
fn is_one_letter_changed(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).filter(|(a, b)| a != b).count() == 1
}

/// Do the two have all but two octets in common from both ends? Else more than one error lies between them; most pairs of
/// names are told apart by this alone.
fn may_be_near(a: &str, b: &str) -> bool {
    let same = |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let front = same(&mut a.bytes().zip(b.bytes()));
    let back = same(&mut a.bytes().rev().zip(b.bytes().rev()));
    front + back + 2 >= a.len().max(b.len())
}

fn repeated(names: &Names, findings: &mut Findings<'_>) {
    for groups in names.values().filter(|groups| groups.len() > 1) {
        let (_, first) = groups[0];
        for &(_, name) in &groups[1..] {
            let message =
                format!("{} has a group already, at line {}", findings.quoted(name.value), first.line);
            findings.add("repeated-group", name.line, name.value, message).related(
                first.line,
                first.value,
                "the first group",
            );
        }
    }
}

fn empty_groups(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let mut has_fields = vec![false; policy.groups().len()];
    for group in policy.extensions().iter().filter_map(|extension| extension.group) {
        if let Some(has_field) = has_fields.get_mut(group) {
            *has_field = true;
        }
    }
    for (group, has_field) in policy.groups().iter().zip(has_fields) {
        let names = policy.names_of(group);
        if let Some(name) = names.first().filter(|_| policy.rules_of(group).is_empty() && !has_field) {
            let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
            let message =
                format!("{}{more}: a group without rules allows everything", findings.quoted(name.value));
            findings
                .add("empty-group", name.line, name.value, message)
                .help("write 'Disallow:' if that is meant");
        }
    }
}

/// What stands under `*` alone, where other groups have names.
fn hidden(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let is_any = |index: usize| {
        let names = policy.names_of(&policy.groups()[index]);
        names.iter().any(|name| policy.agent_of(name) == AgentName::Any)
    };
    let (any, named): (Vec<usize>, Vec<usize>) = (0..policy.groups().len()).partition(|&index| is_any(index));
    if named.is_empty() {
        return;
    }
    let is_delay = |field: &&Extension| matches!(field.read(policy.text()), Value::CrawlDelay(_));
    let delays: Vec<&Extension> = policy.extensions().iter().filter(is_delay).collect();
    let delayed: BTreeSet<usize> = delays.iter().filter_map(|delay| delay.group).collect();
    let without_delay = named.iter().filter(|index| !delayed.contains(index)).count();
    let of_any = delays.iter().find(|delay| delay.group.is_some_and(|group| any.contains(&group)));
    if let Some(delay) = of_any.filter(|_| without_delay > 0) {
        let message =
            format!("Crawl-delay of '*' does not hold for the crawlers of {}", groups(without_delay));
        findings.add("hidden-crawl-delay", delay.line, delay.value, message);
    }
    let disallows = |index: usize| {
        let rules = policy.rules_of(&policy.groups()[index]);
        rules.iter().find(|rule| rule.access == robomata::Access::Disallow && !rule.pattern.is_empty())
    };
    let open: Vec<usize> = named
        .into_iter()
        .filter(|&index| disallows(index).is_none() && !policy.rules_of(&policy.groups()[index]).is_empty())
        .collect();
    let (Some(&first), Some(rule)) = (open.first(), any.iter().find_map(|&index| disallows(index))) else {
        return;
    };
    let Some(name) = policy.names_of(&policy.groups()[first]).first().copied() else { return };
    let message = format!("what '*' disallows is allowed to the crawlers of {}", groups(open.len()));
    let span = Span::new(name.value.start, name.value.end);
    findings.add("hidden-star-rules", name.line, span, message).related(
        rule.line,
        rule.pattern,
        "for other crawlers only",
    );
}

fn groups(count: usize) -> String {
    if count == 1 { "a group with names".to_owned() } else { format!("{count} groups with names") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_seen_and_a_known_name_is_none() {
        assert_eq!(look_alike("googelbot"), Some("Googlebot"));
        assert_eq!(look_alike("gptbots"), Some("GPTBot"));
        assert_eq!(look_alike("gtpbot"), Some("GPTBot"));
        for fine in ["enabot", "roverbot", "googlebot", "bing", "mybot", "yandexbot", "archive"] {
            assert_eq!(look_alike(fine), None, "{fine}");
        }
    }
}
