//! Which groups a crawler must obey (RFC 9309, section 2.2.1; `crates/DIALECTS.md`, G3 to G7).

use robomata_protocol::{Crawler, Dialect, ProductToken};
use robomata_syntax::{AgentName, agent_name};

use crate::policy::{Group, Policy, Rule};

/// The rules that one crawler must obey at one site: those of every group that is chosen for it, merged.
#[derive(Clone, Debug)]
pub struct RuleSet<'p> {
    policy: &'p Policy<'p>,
    choice: Choice<'p>,
    groups: Vec<&'p Group>,
}

/// Why a [`RuleSet`] is the one to obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'p> {
    /// Groups name the crawler; this is the name as the file first has it.
    Own(&'p [u8]),
    /// No group names the crawler, but there is one for every other crawler, `*`.
    Any,
    /// No group is for this crawler: no rule applies.
    None,
}

impl<'p> Policy<'p> {
    /// The rules that `crawler` must obey. Empty, too, when the fetch was no success.
    pub fn rules_for(&'p self, crawler: &Crawler) -> RuleSet<'p> {
        let tokens = || crawler.tokens().iter().map(|token| compared(token, self.dialect));
        match self.dialect {
            // The first token that has a group decides, alone (G5).
            Dialect::Rfc9309 | Dialect::Acap => tokens()
                // The empty name is nobody's.
                .filter(|token| !token.is_empty())
                .find_map(|token| self.own_groups(|value| self.own_name(value, token))),
            // Its API merges the groups of all of the caller's names (G5).
            Dialect::Google => {
                self.own_groups(|value| tokens().find_map(|token| self.own_name(value, token)))
            }
        }
        .unwrap_or_else(|| self.any_groups())
    }

    /// The groups with a value in which `own_name` finds the crawler's name.
    fn own_groups(&'p self, own_name: impl Fn(&'p [u8]) -> Option<&'p [u8]>) -> Option<RuleSet<'p>> {
        let mut first_name = None;
        let groups = self.groups_with(|value| {
            let name = own_name(value);
            first_name = first_name.or(name);
            name.is_some()
        });
        let choice = Choice::Own(first_name?);
        Some(RuleSet { policy: self, choice, groups })
    }

    fn any_groups(&'p self) -> RuleSet<'p> {
        let groups = self.groups_with(|value| {
            value.first() == Some(&b'*') && agent_name(value, self.dialect) == AgentName::Any
        });
        let choice = if groups.is_empty() { Choice::None } else { Choice::Any };
        RuleSet { policy: self, choice, groups }
    }

    /// The groups with a user-agent record whose value `is_wanted`.
    fn groups_with(&'p self, mut is_wanted: impl FnMut(&'p [u8]) -> bool) -> Vec<&'p Group> {
        let text = self.text();
        let mut has_wanted =
            |group: &&Group| self.names_of(group).iter().any(|name| is_wanted(name.value.of(text)));
        self.groups.iter().filter(|group| has_wanted(group)).collect()
    }

    /// The name in the value of a user-agent record, if it is `token` (G4).
    #[inline]
    fn own_name<'t>(&self, value: &'t [u8], token: &[u8]) -> Option<&'t [u8]> {
        // Names are cut only where they begin as they should: most do not.
        if !value.get(..token.len())?.eq_ignore_ascii_case(token) {
            return None;
        }
        match agent_name(value, self.dialect) {
            AgentName::Named(name) if name.len() == token.len() => Some(name),
            _ => None,
        }
    }
}

/// What of a crawler's product token is compared with names: under RFC 9309 it is cut as they are (G3).
fn compared(token: &ProductToken, dialect: Dialect) -> &[u8] {
    let token = token.as_str().as_bytes();
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => match agent_name(token, dialect) {
            AgentName::Named(cut) => cut,
            AgentName::Any => b"",
        },
        Dialect::Google => token,
    }
}

impl<'p> RuleSet<'p> {
    /// The policy that the rules are from.
    pub fn policy(&self) -> &'p Policy<'p> {
        self.policy
    }

    /// Why these groups were chosen.
    pub fn choice(&self) -> Choice<'p> {
        self.choice
    }

    /// The groups that are merged, in the order of the file.
    pub fn groups(&self) -> &[&'p Group] {
        &self.groups
    }

    /// The rules in the order of the file; their patterns are spans of the policy's text.
    pub fn rules(&self) -> impl Iterator<Item = &'p Rule> {
        let policy = self.policy;
        self.groups.iter().flat_map(move |&group| policy.rules_of(group))
    }
}

impl Choice<'_> {
    /// The group's name for people and programs: a product token, `*`, or nothing.
    pub fn name(&self) -> Option<String> {
        match self {
            Choice::Own(token) => Some(String::from_utf8_lossy(token).into_owned()),
            Choice::Any => Some("*".to_owned()),
            Choice::None => None,
        }
    }
}
