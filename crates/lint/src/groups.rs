//! Findings about groups and their names.

use std::collections::{BTreeMap, HashSet};

use robomata_policy::{Extension, Group, JoinedField, Name, NamedRules, Policy, Rule, RuleSet, Value};
use robomata_protocol::semantics::{GroupsWithoutRules, NameBytes, RepeatedGroups};
use robomata_protocol::{Access, Crawler, Dialect, Semantics, Span};
use robomata_syntax::{AgentName, Key, Lines, agent_name, has_odd_bytes};

use crate::Findings;
use crate::closed::is_closed;
use crate::rules::effect;

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

/// Adds the findings about names and groups.
pub(crate) fn find(findings: &mut Findings<'_>) {
    let named = names(findings);
    look_alikes(&named, findings);
    repeated(&named, findings);
    empty_groups(&named, findings);
    joined_groups(findings);
    joined_over_blank(findings);
    hidden_delay(&named, findings);
    hidden_rules(findings);
    cut_elsewhere(&named, findings);
}

/// Names in lower case, as parsers compare them, with all groups that have them. The key of `*` is `*`.
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
        findings
            .add("look-alike-name", name.line, name.value, message)
            .help(format!("did you mean '{known}'?"));
    }
}

/// The well-known token that differs from `token` by one typing error. None if `token` is itself well-known.
fn look_alike(token: &str) -> Option<&'static str> {
    /// Shorter names resemble too many others.
    const SHORTEST: usize = 6;
    /// In shorter names one different letter makes a different crawler: Enabot is not Exabot.
    const LONG: usize = 9;
    /// Longer names are not compared, because no well-known name is longer.
    const LONGEST: usize = 24;
    if !(SHORTEST..=LONGEST).contains(&token.len())
        || WELL_KNOWN.iter().any(|known| known.eq_ignore_ascii_case(token))
    {
        return None;
    }
    let is_near = |known: &&str| {
        let known = known.to_ascii_lowercase();
        let is_near = may_be_near(token, &known) && strsim::osa_distance(token, &known) == 1;
        is_near
            && (token.len() >= LONG || !is_one_letter_changed(token, &known) && may_be_longer(token, &known))
    };
    WELL_KNOWN.into_iter().find(is_near)
}

/// In short names one additional letter also makes a different crawler: Crcbot is not CCBot.
fn may_be_longer(a: &str, b: &str) -> bool {
    a.len() == b.len() || a.len() > 6
}

/// Do two names that are one error apart differ in one letter? They may differ in the order of letters or in length
/// instead.
fn is_one_letter_changed(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).filter(|(a, b)| a != b).count() == 1
}

/// Do the two names agree in all but two bytes, counted from both ends? If not, they differ by more than one error.
/// This cheap test rejects most pairs of names.
fn may_be_near(a: &str, b: &str) -> bool {
    let same = |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let front = same(&mut a.bytes().zip(b.bytes()));
    let back = same(&mut a.bytes().rev().zip(b.bytes().rev()));
    front + back + 2 >= a.len().max(b.len())
}

fn repeated(names: &Names, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let has_rules = |&&(index, _): &&(usize, Name)| !policy.rules_of(&policy.groups()[index]).is_empty();
    for groups in names.values().filter(|groups| groups.len() > 1) {
        let (_, first) = groups[0];
        // Only the first record counts, and names without rules are not a record.
        let is_first = policy.dialect().semantics().repeated_groups == RepeatedGroups::First;
        let deciding = groups.iter().find(has_rules).filter(|_| is_first);
        for &(index, name) in &groups[1..] {
            let written = findings.quoted(name.value);
            let is_void = deciding.is_some_and(|&(first, _)| first < index)
                && !policy.rules_of(&policy.groups()[index]).is_empty();
            let (code, message, first, label) = match deciding {
                Some((_, first)) if is_void => {
                    let message = format!(
                        "these rules for {written} never count: its record is at line {}",
                        first.line
                    );
                    ("record-never-counts", message, first, "only the first record counts")
                }
                _ => {
                    let message = format!("{written} already has a group at line {}", first.line);
                    ("repeated-group", message, &first, "the first group")
                }
            };
            findings.add(code, name.line, name.value, message).related(first.line, first.value, label);
        }
    }
}

fn empty_groups(names: &Names, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let Semantics { groups_without_rules, reads_acap, .. } = *policy.dialect().semantics();
    // Where such names are no group, the rules for other crawlers apply. Fields of ACAP have records of their own.
    let has_acap = || policy.extensions().iter().any(|field| field.key == Key::Acap);
    if groups_without_rules == GroupsWithoutRules::NoGroups || reads_acap && has_acap() {
        return;
    }
    let mut has_fields = vec![false; policy.groups().len()];
    for group in policy.extensions().iter().filter_map(|extension| extension.group) {
        if let Some(has_field) = has_fields.get_mut(group) {
            *has_field = true;
        }
    }
    // Parsers merge the groups of one crawler, so another group may have its rules.
    let has_rules = |index: usize| !policy.rules_of(&policy.groups()[index]).is_empty();
    let mut open: BTreeMap<usize, Vec<Name>> = BTreeMap::new();
    for groups in names.values().filter(|groups| !groups.iter().any(|&(index, _)| has_rules(index))) {
        for &(index, name) in groups.iter().filter(|&&(index, _)| !has_fields[index]) {
            open.entry(index).or_default().push(name);
        }
    }
    for mut names in open.into_values() {
        names.sort_by_key(|name| name.line);
        let name = names[0];
        let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
        let message =
            format!("{}{more}: a group without rules allows everything", findings.quoted(name.value));
        findings
            .add("empty-group", name.line, name.value, message)
            .help("if that is intended, write 'Disallow:'");
    }
}

/// The rules for the crawlers with this name.
fn rules_of_name<'p>(name: &Name, policy: &'p Policy<'p>) -> RuleSet<'p> {
    match policy.agent_of(name) {
        AgentName::Any => policy.rules_for_others(),
        AgentName::Named(token) => policy.rules_for(&Crawler::new(&String::from_utf8_lossy(token))),
    }
}

/// Finds groups with another field of groups among their names. The names before that field seem to have a group of
/// their own, but they do not.
fn joined_groups(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let (mut last, mut left) = (None, MOST_NAMES);
    for JoinedField { field, group, own, next } in policy.joined_fields() {
        if last == Some(group) {
            continue;
        }
        let key = crate::parser::standard(field.key);
        let first = own[0];
        let who = match (policy.agent_of(&first), own.len()) {
            (AgentName::Any, _) => "every other crawler".to_owned(),
            (_, 1) => findings.quoted(first.value),
            (_, count) => format!("{} and {} more", findings.quoted(first.value), count - 1),
        };
        let rules = policy.rules_of(&policy.groups()[group]);
        let disallow = rules.iter().find(|rule| effect(rule, policy) == Some(Access::Disallow));
        let Some(rule) = disallow else {
            if !field.is_schedule() {
                last = Some(group);
                let message =
                    format!("{key} applies only to {who}, not to the names from line {} on", next.line);
                findings
                    .add("statement-for-some", field.line, field.written_key, message)
                    .help(format!(
                        "put a rule, for example an empty 'Disallow:', between the {key} and line {}, or repeat the {key} below the last name",
                        next.line
                    ))
                    .related(next.line, next.value, "the list of names continues");
            }
            continue;
        };
        last = Some(group);
        // The names may have other groups, too.
        let is_closed = |name: &Name| is_closed(&rules_of_name(name, policy), findings).is_some();
        let is_whole = own.len() <= left && own.iter().all(is_closed);
        left = left.saturating_sub(own.len());
        let consequence = if is_whole {
            format!("the whole site is closed to {who}")
        } else {
            format!("the rules from line {} on also apply to {who}", rules[0].line)
        };
        let message =
            format!("{consequence}: {key} does not end the list of names, only Allow and Disallow do");
        findings
            .add("joined-groups", field.line, field.written_key, message)
            .help(format!(
                "if that is not intended, put a rule, for example an empty 'Disallow:', between the {key} and line {}",
                next.line
            ))
            .related(next.line, next.value, "the list of names continues")
            .related(rule.line, rule.pattern, "applies to all of them");
    }
}

/// Finds blank lines among the names of a group that disallows something. RFC 9309 joins the names. In Koster's draft,
/// blank lines separate records, and the names above such a line have no rules.
fn joined_over_blank(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    for group in policy.groups() {
        let rules = policy.rules_of(group);
        let Some(first) = rules.first() else { continue };
        if !rules.iter().any(|rule| rule.access == Access::Disallow && !rule.pattern.is_empty()) {
            continue;
        }
        let names = policy.names_of(group);
        let is_parted = |from: &Name, to: Span| {
            is_blank_between(
                policy.text().get(Span::new(from.value.end, to.start).range()).unwrap_or_default(),
            )
        };
        // In a file with a blank line after every line, blank lines have no meaning.
        if names.last().is_none_or(|last| is_parted(last, first.pattern)) {
            continue;
        }
        let is_below = |name: &Name, below: &[Name]| {
            below.iter().any(|other| same_name(policy.agent_of(name), policy.agent_of(other)))
        };
        let at = (1..names.len()).map(|next| next - 1).find(|&at| {
            is_parted(&names[at], names[at + 1].value) && !is_below(&names[at], &names[at + 1..])
        });
        let Some(at) = at else { continue };
        let (above, below) = (&names[at], &names[at + 1]);
        let who = match policy.agent_of(above) {
            AgentName::Any => "'*'".to_owned(),
            AgentName::Named(_) => findings.quoted(above.value),
        };
        let message = format!(
            "the rules from line {} on also apply to {who}: a blank line does not end a group",
            first.line
        );
        findings
            .add("joined-over-blank", above.line, above.value, message)
            .help("parsers of the draft of 1996 read a record without rules here: remove the blank line, or put a rule before it, for example an empty 'Disallow:'")
            .related(below.line, below.value, "the list of names continues");
    }
}

fn same_name(one: AgentName<'_>, other: AgentName<'_>) -> bool {
    match (one, other) {
        (AgentName::Any, AgentName::Any) => true,
        (AgentName::Named(one), AgentName::Named(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    }
}

/// `text` reaches from the end of one line into another line. Are all lines between them blank or comments, and at
/// least one of them blank?
fn is_blank_between(text: &[u8]) -> bool {
    let between = Lines::new(text);
    let lines = (2..between.count()).filter_map(|number| between.bytes(number));
    let lines: Vec<&[u8]> = lines.map(<[u8]>::trim_ascii).collect();
    lines.iter().any(|line| line.is_empty()) && lines.iter().all(|line| line.is_empty() || line[0] == b'#')
}

/// Finds a Crawl-delay under `*` that does not apply to some crawlers because other groups name them.
fn hidden_delay(names: &Names, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let is_of_any = |field: &&Extension| {
        matches!(field.read(policy.text()), Value::CrawlDelay(_))
            && policy.bound_by(field).iter().any(|name| policy.agent_of(name) == AgentName::Any)
    };
    let Some(delay) = policy.extensions().iter().find(is_of_any) else { return };
    let hides = |token: &&str| {
        let crawler = Crawler::new(token);
        // Google's crawlers ignore Crawl-delay.
        !token.contains("google")
            && policy.crawl_delay(&crawler).is_none()
            && is_closed(&policy.rules_for(&crawler), findings).is_none()
    };
    let tokens =
        names.keys().filter_map(|token| std::str::from_utf8(token).ok()).filter(|&token| token != "*");
    let hidden: Vec<&str> = tokens.take(MOST_NAMES).filter(hides).collect();
    let Some(first) = hidden.first() else { return };
    let who = match hidden.len() {
        1 => format!("'{first}', which has a group of its own"),
        count => format!("'{first}' and {} more, which have groups of their own", count - 1),
    };
    let message = format!("this Crawl-delay does not apply to {who}");
    findings.add("hidden-crawl-delay", delay.line, delay.value, message);
}

/// At most this many names are compared with the fields under `*`.
const MOST_NAMES: usize = 256;

/// Finds named crawlers that may fetch everything while `*` disallows something.
fn hidden_rules(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let disallows = |rule: &&Rule| effect(rule, policy) == Some(Access::Disallow);
    let others = policy.rules_for_others();
    let Some(rule) = others.rules().find(disallows) else { return };
    let is_open = |NamedRules { names, rules }: &NamedRules<'_>| {
        names.iter().any(|name| !name.is_empty())
            && rules.rules().next().is_some()
            && !rules.rules().any(|rule| disallows(&rule))
    };
    let open: Vec<NamedRules<'_>> = policy.named_rules().into_iter().filter(is_open).collect();
    let Some(NamedRules { names, rules }) = open.first() else { return };
    let is_first = |name: &&Name| same_name(policy.agent_of(name), AgentName::Named(names[0]));
    let Some(name) = rules.groups().iter().find_map(|group| policy.names_of(group).iter().find(is_first))
    else {
        return;
    };
    let open = open.iter().flat_map(|named| named.rules.groups());
    let open: HashSet<*const Group> = open.map(|&group| std::ptr::from_ref(group)).collect();
    let message = format!("the crawlers of {} may fetch what '*' disallows", groups(open.len()));
    let span = Span::new(name.value.start, name.value.end);
    findings.add("hidden-star-rules", name.line, span, message).related(
        rule.line,
        rule.pattern,
        "for other crawlers only",
    );
}

fn groups(count: usize) -> String {
    if count == 1 { "a named group".to_owned() } else { format!("{count} named groups") }
}

/// Finds names that are shorter for parsers that accept only letters, '-' and '_'.
fn cut_elsewhere(names: &Names, findings: &mut Findings<'_>) {
    let name_bytes = findings.policy.dialect().semantics().name_bytes;
    if name_bytes == NameBytes::Letters {
        return;
    }
    let is_whole = name_bytes == NameBytes::All;
    for groups in names.values() {
        let (_, name) = groups[0];
        let AgentName::Named(token) = findings.policy.agent_of(&name) else { continue };
        if is_whole && has_odd_bytes(token) {
            let message = format!("{}: no crawler has a name with such characters", crate::quoted(token));
            findings.add("odd-name", name.line, name.value, message);
            continue;
        }
        let AgentName::Named(cut) = agent_name(token, Dialect::Google) else { continue };
        if cut.len() < token.len() {
            let cut = if cut.is_empty() { "an empty name".to_owned() } else { crate::quoted(cut) };
            let message =
                format!("parsers that end a name at a digit or a dot, such as Google's, read {cut}");
            findings.add("name-cut-elsewhere", name.line, name.value, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_found_and_a_known_name_is_not_one() {
        assert_eq!(look_alike("googelbot"), Some("Googlebot"));
        assert_eq!(look_alike("gptbots"), Some("GPTBot"));
        assert_eq!(look_alike("gtpbot"), Some("GPTBot"));
        for fine in ["crcbot", "enabot", "roverbot", "googlebot", "bing", "mybot", "yandexbot", "archive"] {
            assert_eq!(look_alike(fine), None, "{fine}");
        }
    }
}
