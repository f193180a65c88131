//! Findings about rules: how they are written, and how they interact in the groups that a crawler obeys.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use robomata_automaton::{Compiler, RankedRule, idle_rules, ranked_rules};
use robomata_policy::{Group, NamedRules, Policy, Rule, RuleSet};
use robomata_protocol::semantics::{EmptyPattern, RuleOrder};
use robomata_protocol::{Access, Crawler, Dialect, Span};

use crate::characters::look_alike_value;
use crate::{Findings, LintOptions};

/// The most different sets of groups that are compiled. The rules of further sets count as deciding.
pub const MOST_SETS: usize = 256;
/// The most rules that are compiled, over all sets.
pub const MOST_RULES: usize = 200_000;

/// The dialects in which crawlers read a file. A rule that one of them needs is not to be removed.
pub(crate) const CHECKED: [Dialect; 4] =
    [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex, Dialect::Koster1996];

/// What the rules of a file do.
pub(crate) struct Analysis {
    /// By line, for the crawlers that are checked: those of the options, or else all that the file names.
    said: BTreeMap<u32, Says>,
    /// The rules without an effect that crawlers of these dialects need.
    needed: BTreeMap<u32, Vec<Dialect>>,
}

impl Analysis {
    pub(crate) fn new(policy: &Policy<'_>, options: &LintOptions) -> Self {
        let rules = rules_by_line(policy);
        let mut said = said(&options.crawlers, policy);
        keep_fewest_stars(&mut said, policy);
        let written = |line: u32| rules.get(&line).map(|rule| rule.pattern.of(policy.text()));
        let idle = said.iter().filter_map(|(&line, says)| match *says {
            Says::Decides => None,
            Says::Same(kept) | Says::SameForm(kept) => {
                let is_kept = are_stars_after(written(kept)?, written(line)?);
                Some((line, Some(kept).filter(|_| is_kept)))
            }
            Says::Never(_) => Some((line, None)),
        });
        let is_void = |rule: &&&Rule| rule.pattern.is_empty() && effect(rule, policy).is_none();
        let void = rules.values().filter(is_void).map(|rule| (rule.line, None));
        let idle: BTreeMap<u32, Option<u32>> = idle.chain(void).collect();
        let mut needed: BTreeMap<u32, Vec<Dialect>> = BTreeMap::new();
        for dialect in CHECKED.into_iter().filter(|_| !idle.is_empty()) {
            for line in needed_lines(&Policy::new(policy.text(), &options.config(dialect)), &idle) {
                needed.entry(line).or_default().push(dialect);
            }
        }
        Analysis { said, needed }
    }

    /// Is it known that the rule on `line` never decides?
    pub(crate) fn is_idle(&self, line: u32) -> bool {
        self.said.get(&line).is_some_and(|says| *says != Says::Decides)
    }
}

/// Whether `pattern` is `kept` with more stars, or none, at its end: then it matches nothing else, also where a star is an
/// ordinary character.
fn are_stars_after(kept: &[u8], pattern: &[u8]) -> bool {
    pattern.strip_prefix(kept).is_some_and(|rest| rest.iter().all(|&byte| byte == b'*'))
}

/// Of rules of a group that differ only in stars at their ends, the one with the fewest is to stay: crawlers without wildcards
/// read it, too.
fn keep_fewest_stars(said: &mut BTreeMap<u32, Says>, policy: &Policy<'_>) {
    let mut rules: HashMap<u32, (usize, Option<Access>, &[u8])> = HashMap::new();
    for (index, group) in policy.groups().iter().enumerate() {
        let of_group = policy.rules_of(group).iter();
        rules.extend(
            of_group.map(|rule| (rule.line, (index, effect(rule, policy), rule.pattern.of(policy.text())))),
        );
    }
    let mut kept: BTreeMap<u32, u32> = BTreeMap::new();
    for (&line, says) in said.iter() {
        let (Says::Same(winner) | Says::SameForm(winner)) = *says else { continue };
        let shortest = kept.get(&winner).copied().unwrap_or(winner);
        let (Some(one), Some(other)) = (rules.get(&line), rules.get(&shortest)) else { continue };
        let is_alike = (one.0, one.1) == (other.0, other.1) && one.2.len() < other.2.len();
        if is_alike && are_stars_after(one.2, other.2) && said.get(&winner) == Some(&Says::Decides) {
            kept.insert(winner, line);
        }
    }
    for says in said.values_mut() {
        match says {
            Says::Same(winner) | Says::SameForm(winner) => {
                *winner = kept.get(winner).copied().unwrap_or(*winner);
            }
            Says::Decides | Says::Never(_) => {}
        }
    }
    for (winner, kept) in kept {
        said.insert(winner, Says::Same(kept));
        said.insert(kept, Says::Decides);
    }
}

/// The lines of `idle` whose rules a crawler of the policy's dialect needs. A line of `idle` comes with that of a rule that matches
/// the same URLs and stays, if there is one.
///
/// A rule is not needed if it never decides, or if no rule with the opposite effect ranks between it and the rule that
/// stays; without any rule, everything is allowed. So any selection of the other lines can be removed: the rule that wins over
/// one of them wins itself, or gives way to rules with the same effect.
fn needed_lines(policy: &Policy<'_>, idle: &BTreeMap<u32, Option<u32>>) -> BTreeSet<u32> {
    let (sets, beyond) = rule_sets(&[], policy);
    let beyond = policy.groups().iter().filter(|&group| beyond.contains(&std::ptr::from_ref(group)));
    let beyond = beyond.flat_map(|group| policy.rules_of(group)).map(|rule| rule.line);
    let mut needed: BTreeSet<u32> = beyond.filter(|line| idle.contains_key(line)).collect();
    let mut compiler = Compiler::new();
    for set in sets.iter().filter(|set| set.rules().any(|rule| idle.contains_key(&rule.line))) {
        let decides = of_set(set, &mut compiler).into_iter().filter(|(_, says)| *says == Says::Decides);
        let decides: Vec<u32> =
            decides.map(|(line, _)| line).filter(|line| idle.contains_key(line)).collect();
        if !decides.is_empty() {
            let order = Order::new(set);
            needed.extend(decides.into_iter().filter(|line| !order.can_spare(*line, idle[line])));
        }
    }
    needed
}

/// The rules of a set in the order in which they decide.
struct Order {
    /// By line: the first and the last place of its patterns, and whether it allows.
    places: HashMap<u32, (usize, usize, bool)>,
    /// By place: the first place after it with the opposite effect.
    opposite: Vec<usize>,
}

impl Order {
    fn new(set: &RuleSet<'_>) -> Self {
        let mut ranked = ranked_rules(set);
        ranked.retain(|rule| rule.rank > 0 && !rule.pattern.is_empty());
        let (mut places, mut opposite) = (HashMap::new(), vec![usize::MAX; ranked.len()]);
        let (mut next_allow, mut next_disallow) = (usize::MAX, usize::MAX);
        for (at, rule) in ranked.iter().enumerate().rev() {
            let allows = rule.access == Access::Allow;
            let (same, other) =
                if allows { (&mut next_allow, next_disallow) } else { (&mut next_disallow, next_allow) };
            (*same, opposite[at]) = (at, other);
            places.entry(rule.line).or_insert((at, at, allows)).0 = at;
        }
        Order { places, opposite }
    }

    /// Whether the answers are the same without the rule on `line`, because of the rule on the line `kept` after it, or because
    /// everything is allowed without a rule.
    fn can_spare(&self, line: u32, kept: Option<u32>) -> bool {
        let Some(&(first, _, allows)) = self.places.get(&line) else { return false };
        match kept {
            Some(kept) => self.places.get(&kept).is_some_and(|&(_, last, _)| last < self.opposite[first]),
            None => allows && self.opposite[first] == usize::MAX,
        }
    }
}

fn rules_by_line<'p>(policy: &'p Policy<'p>) -> HashMap<u32, &'p Rule> {
    let rules = policy.groups().iter().flat_map(|group| policy.rules_of(group));
    rules.map(|rule| (rule.line, rule)).collect()
}

/// Adds the findings about rules.
pub(crate) fn find(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    for group in policy.groups() {
        for name in policy.names_of(group) {
            look_alike_value(name.line, name.value, findings);
        }
        let rules = policy.rules_of(group);
        let has_others = rules.iter().any(|rule| !rule.pattern.is_empty());
        for rule in rules {
            look_at(rule, has_others, findings);
            look_alike_value(rule.line, rule.pattern, findings);
        }
    }
    let rules = rules_by_line(policy);
    for (line, says) in findings.analysis.said.clone() {
        if let Some(rule) = rules.get(&line) {
            report(rule, says, &rules, findings);
        }
    }
}

/// What a rule does as its dialect reads it: an empty pattern may allow everything (P3). `None` if it does nothing, or only
/// where no other rule matches.
pub(crate) fn effect(rule: &Rule, policy: &Policy<'_>) -> Option<Access> {
    let opens_all = policy.dialect().semantics().empty_pattern == EmptyPattern::DisallowIsAllow;
    match rule.access {
        access if !rule.pattern.is_empty() => Some(access),
        Access::Disallow if opens_all => Some(Access::Allow),
        _ => None,
    }
}

/// How to get rid of a rule, and of one of two rules. `lib` keeps a rule of each group.
pub(crate) const REMOVAL: &str = "remove the line";
pub(crate) const REMOVAL_OF_ONE: &str = "remove the one that is not intended";

/// What to do about a rule without an effect: crawlers of other dialects may need it.
fn advice(line: u32, findings: &Findings<'_>) -> String {
    match findings.analysis.needed.get(&line).map(Vec::as_slice) {
        None | Some([]) => REMOVAL.to_owned(),
        Some([dialect]) => format!("keep the line: it decides in the dialect '{dialect}'"),
        Some([others @ .., last]) => {
            let others: Vec<String> = others.iter().map(|dialect| format!("'{dialect}'")).collect();
            format!("keep the line: it decides in the dialects {} and '{last}'", others.join(", "))
        }
    }
}

/// Adds the findings about a rule by itself.
fn look_at(rule: &Rule, has_others: bool, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let pattern = rule.pattern.of(policy.text());
    let is_wild = policy.dialect().semantics().wildcards;
    let at = |index: usize| {
        let start = rule.pattern.start + u32::try_from(index).unwrap_or(0);
        Span::new(start, start + 1)
    };
    if pattern.is_empty() && rule.access == Access::Disallow && has_others && effect(rule, policy).is_none() {
        let message = "an empty Disallow has no effect among other rules";
        let help = advice(rule.line, findings);
        findings.add("idle-disallow", rule.line, rule.pattern, message).help(help);
    }
    let without_end = pattern.strip_suffix(b"$").unwrap_or(pattern);
    if let Some(index) = without_end.iter().position(|&byte| byte == b'$').filter(|_| is_wild) {
        let message =
            "'$' means the end of the URL only at the end of a pattern: here it is an ordinary character";
        findings.add("dollar-inside", rule.line, at(index), message).help(
            "if the character is meant, leave it: for crawlers such as Google's, '%24' is another pattern",
        );
    }
    let has_star = is_wild && pattern.len() > 1 && pattern.ends_with(b"*") && pattern != b"/*";
    if has_star {
        let message = "a star at the end of a pattern does not make it match more";
        findings.add("trailing-star", rule.line, at(pattern.len() - 1), message);
    }
    spaces(rule, pattern, findings);
    let end = rule.pattern.range().end;
    if let [b'#', next, ..] = policy.text()[end..]
        && !pattern.is_empty()
        && !next.is_ascii_whitespace()
        && next != b'#'
    {
        let message = format!("a comment begins at '#': the rule is {}", findings.quoted(rule.pattern));
        let mark = Span::new(rule.pattern.end, rule.pattern.end + 1);
        findings.add("fragment-in-pattern", rule.line, mark, message).help(
            "crawlers send no fragments: leave out what follows, or write '%23' for the character itself",
        );
    }
    if !pattern.is_ascii() {
        let finding = findings.add(
            "unescaped-bytes",
            rule.line,
            rule.pattern,
            "non-ASCII bytes: URLs contain them percent-encoded",
        );
        finding.help("write them as %xx").fix(rule.pattern, encoded(pattern));
    }
}

/// Finds white space or commas that seem to separate the parts of a rule. A pattern has no parts.
fn spaces(rule: &Rule, pattern: &[u8], findings: &mut Findings<'_>) {
    let is_path = |part: &&[u8]| part.len() > 1 && part.starts_with(b"/");
    let words: Vec<&[u8]> =
        pattern.split(|byte| matches!(byte, b' ' | b'\t' | b',')).filter(|part| !part.is_empty()).collect();
    let written = findings.quoted(rule.pattern);
    if words.len() > 1 && words.iter().all(is_path) {
        let message = format!("several paths in one rule: {written} is read as one pattern");
        findings.add("several-paths", rule.line, rule.pattern, message).help("write a line for each");
    } else if let Some(at) = pattern.iter().position(|byte| matches!(byte, b' ' | b'\t')) {
        let start = rule.pattern.start + u32::try_from(at).unwrap_or(0);
        let message = "a raw space in a pattern: not every crawler reads it as '%20'";
        findings
            .add("space-in-pattern", rule.line, Span::new(start, start + 1), message)
            .help("write '%20', or put '#' before a comment");
    }
}

fn encoded(pattern: &[u8]) -> String {
    let mut text = String::with_capacity(3 * pattern.len());
    for &byte in pattern {
        if byte.is_ascii() {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The different sets of groups that crawlers obey, up to the limits, and the groups of the further sets.
fn rule_sets<'p>(crawlers: &[Crawler], policy: &'p Policy<'p>) -> (Vec<RuleSet<'p>>, HashSet<*const Group>) {
    let all: Vec<RuleSet<'p>> = if crawlers.is_empty() {
        let can_be_named = |named: &NamedRules<'_>| named.names.iter().any(|name| !name.is_empty());
        let named = policy.named_rules().into_iter().filter(can_be_named);
        std::iter::once(policy.rules_for_others()).chain(named.map(|named| named.rules)).collect()
    } else {
        crawlers.iter().map(|crawler| policy.rules_for(crawler)).collect()
    };
    let (mut seen, mut sets, mut rules, mut beyond) = (HashSet::new(), Vec::new(), 0, HashSet::new());
    for set in all {
        let groups: Vec<*const Group> = set.groups().iter().map(|&group| std::ptr::from_ref(group)).collect();
        if seen.contains(&groups) {
            continue;
        }
        if sets.len() == MOST_SETS || rules > MOST_RULES {
            beyond.extend(groups);
            continue;
        }
        rules += set.rules().count();
        if rules > MOST_RULES {
            beyond.extend(groups);
            continue;
        }
        seen.insert(groups);
        sets.push(set);
    }
    (sets, beyond)
}

/// The status of one rule in a set of groups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// The rule decides about some URL, or it is unknown whether it does.
    Decides,
    /// The rule never decides: the rules on these lines, one or two, always win over it. 0 is no line; both are 0 if no
    /// such rule is needed.
    Never([u32; 2]),
    /// A rule on this line matches the same URLs and decides.
    Same(u32),
    /// Like `Same`, and both rules have the same normal form.
    SameForm(u32),
}

/// The status of each rule, by line. It is unknown what the rules of groups beyond the limits decide.
fn said(crawlers: &[Crawler], policy: &Policy<'_>) -> BTreeMap<u32, Says> {
    let (sets, beyond) = rule_sets(crawlers, policy);
    let mut said: BTreeMap<u32, Says> = BTreeMap::new();
    let mut compiler = Compiler::new();
    for set in &sets {
        for (line, says) in of_set(set, &mut compiler) {
            said.entry(line).and_modify(|before| *before = both(*before, says)).or_insert(says);
        }
    }
    let unknown = policy.groups().iter().filter(|&group| beyond.contains(&std::ptr::from_ref(group)));
    said.extend(unknown.flat_map(|group| policy.rules_of(group)).map(|rule| (rule.line, Says::Decides)));
    said
}

fn both(before: Says, says: Says) -> Says {
    if says == Says::Decides { says } else { before }
}

/// The status of each rule of a set, by line. A rule may have two patterns; it decides when one of them does.
fn of_set(set: &RuleSet<'_>, compiler: &mut Compiler) -> BTreeMap<u32, Says> {
    let dialect = set.policy().dialect();
    let program = compiler.compile(set);
    // The program was just compiled, so it is valid.
    let Ok(listed) = program.rules(dialect) else { return BTreeMap::new() };
    let mut never: HashMap<u32, [u32; 2]> = HashMap::new();
    for idle in idle_rules(program, &listed, dialect) {
        let winner = |number: usize| idle.winners.get(number).map_or(0, |&winner| listed[winner].line);
        never.insert(listed[idle.rule].rank, [winner(0), winner(1)]);
    }
    let mut lines = BTreeMap::new();
    let mut winner_of: HashMap<u32, (u32, String)> = HashMap::new();
    for RankedRule { rank, line, pattern, .. } in ranked_rules(set) {
        let is_first = rank > 0 && !winner_of.contains_key(&rank);
        let (winner, form) = winner_of.entry(rank).or_insert_with(|| (line, pattern.clone()));
        let says = match never.get(&rank) {
            // An empty pattern, or one that matches nothing, which the parser reports.
            _ if pattern.is_empty() || rank == 0 => continue,
            Some(&winners) if is_first => Says::Never(winners),
            None if is_first => Says::Decides,
            _ if *form == pattern => Says::SameForm(*winner),
            _ => Says::Same(*winner),
        };
        lines.entry(line).and_modify(|before| *before = both(*before, says)).or_insert(says);
    }
    lines
}

/// A pattern with the bytes that are percent-encoded in it.
fn decoded(pattern: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (mut bytes, mut rest) = (Vec::with_capacity(pattern.len()), pattern);
    while let [first, others @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => digit(*high).zip(digit(*low)),
            _ => None,
        };
        bytes.push(escaped.map_or(*first, |(high, low)| high << 4 | low));
        rest = if escaped.is_some() { &rest[3..] } else { others };
    }
    bytes
}

fn report(rule: &Rule, says: Says, rules: &HashMap<u32, &Rule>, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let related = |line: u32| rules.get(&line).copied();
    match says {
        Says::Decides => {}
        Says::Never([0, _]) => {
            let message = "crawlers may always fetch /robots.txt: the rule decides about no URL";
            findings.add("robots-txt-rule", rule.line, rule.pattern, message).help(REMOVAL);
        }
        Says::Never(lines) => {
            let mut winners: Vec<&Rule> = lines.into_iter().filter_map(related).collect();
            winners.dedup_by_key(|winner| winner.line);
            let named = |winner: &&Rule| match effect(winner, policy) {
                Some(access) if !winner.pattern.is_empty() => {
                    format!("line {} ({access} {})", winner.line, findings.quoted(winner.pattern))
                }
                _ => format!("line {} (allow everything)", winner.line),
            };
            let named: String = winners.iter().map(named).collect::<Vec<_>>().join(" or ");
            let (advice, is_needed) =
                (advice(rule.line, findings), findings.analysis.needed.contains_key(&rule.line));
            let change = match policy.dialect().semantics().order {
                RuleOrder::FirstLine => "move it above that one",
                RuleOrder::MostBytes if winners.len() > 1 => "make its pattern longer than those",
                RuleOrder::MostBytes => "make its pattern longer than that one",
            };
            let message = format!("never decides: {named} always wins over it");
            let finding = findings.add("never-decides", rule.line, rule.pattern, message);
            finding.help(match is_needed {
                true => format!("{change}, or {advice}"),
                false => format!("{advice}, or {change}"),
            });
            for winner in winners {
                finding.related(winner.line, winner.pattern, "always wins");
            }
        }
        Says::Same(winner) | Says::SameForm(winner) => {
            let Some(winner) = related(winner).filter(|winner| winner.line != rule.line) else { return };
            let (line, text) = (winner.line, policy.text());
            let is_encoding = matches!(says, Says::SameForm(_))
                && ![rule, winner].iter().any(|rule| rule.pattern.is_empty())
                && rule.pattern.of(text) != winner.pattern.of(text)
                && decoded(rule.pattern.of(text)) == decoded(winner.pattern.of(text));
            let access = effect(winner, policy).unwrap_or(Access::Allow);
            let advice = advice(rule.line, findings);
            let (code, message, help) = match effect(rule, policy) == Some(access) {
                true if is_encoding => (
                    "encoded-duplicate",
                    format!("differs from line {line} only in percent-encoding"),
                    advice,
                ),
                true => ("duplicate-rule", format!("has the same effect as line {line}"), advice),
                false => {
                    let how = if is_encoding { ", percent-encoded differently," } else { "" };
                    (
                        "contradicting-rule",
                        format!(
                            "line {line}{how} has the opposite effect on the same URLs, and wins: {access}"
                        ),
                        REMOVAL_OF_ONE.to_owned(),
                    )
                }
            };
            let label = if code == "contradicting-rule" { "decides" } else { "has the same effect" };
            let finding = findings.add(code, rule.line, rule.pattern, message);
            finding.help(help).related(line, winner.pattern, label);
        }
    }
}
