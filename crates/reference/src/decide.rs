//! Which of the matching rules decides (decisions R1, R2; RFC 9309, 2.2.2; Koster 1996, 3.2.2).

use robomata_protocol::{Access, Dialect, Verdict};

use crate::matching::matches;
use crate::normal::Symbol;
use crate::rules::Rule;

/// The verdict of `rules`, in file order, about `target`.
pub(crate) fn verdict(rules: &[Rule], target: &[Symbol], dialect: Dialect) -> Verdict {
    let mut positions = Vec::new();
    let mut matching = rules.iter().filter(|rule| matches(&rule.pattern, target, &mut positions));
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex => rfc9309(matching),
        Dialect::Google => google(matching),
        // "In the order they occur in the record. The first match found is used" (Koster 1996, 3.2.2).
        Dialect::Koster1996 => {
            matching.next().map_or(Verdict::NO_RULE, |rule| Verdict::by_rule(rule.access, rule.line))
        }
    }
}

/// "The most specific match found MUST be used"; "if no match is found ... the URI is allowed" (2.2.2).
fn rfc9309<'a>(matching: impl Iterator<Item = &'a Rule>) -> Verdict {
    let mut best: Option<&Rule> = None;
    for rule in matching {
        if best.is_none_or(|best| is_preferred(rule, best)) {
            best = Some(rule);
        }
    }
    match best {
        Some(rule) => Verdict::by_rule(rule.access, rule.line),
        None => Verdict::NO_RULE,
    }
}

/// R1 and R2: more bytes win first, then allow over disallow; of equal rules the earlier one stays.
fn is_preferred(later: &Rule, earlier: &Rule) -> bool {
    if later.rank != earlier.rank {
        return later.rank > earlier.rank;
    }
    later.access == Access::Allow && earlier.access == Access::Disallow
}

/// `disallow()` and `matching_line()` of Google's matcher, over the rules that apply to the crawler.
fn google<'a>(matching: impl Iterator<Item = &'a Rule>) -> Verdict {
    let mut allow = Match::NONE;
    let mut disallow = Match::NONE;
    for rule in matching {
        match rule.access {
            Access::Allow => allow.offer(rule),
            Access::Disallow => disallow.offer(rule),
        }
    }
    // P3: a match of rank 0, an empty pattern, sets the line but decides nothing.
    let is_decided = allow.rank > Some(0) || disallow.rank > Some(0);
    let access = if is_decided && disallow.rank > allow.rank { Access::Disallow } else { Access::Allow };
    let line = if disallow.rank > allow.rank { disallow.line } else { allow.line };
    if line == 0 { Verdict::NO_RULE } else { Verdict::by_rule(access, line) }
}

/// The best match of one kind; `None` is Google's priority of -1, below every rank.
struct Match {
    rank: Option<usize>,
    line: u32,
}

impl Match {
    const NONE: Match = Match { rank: None, line: 0 };

    /// Only a strictly higher rank replaces, so of equal rules the first keeps its line.
    fn offer(&mut self, rule: &Rule) {
        if self.rank < Some(rule.rank) {
            *self = Match { rank: Some(rule.rank), line: rule.line };
        }
    }
}
