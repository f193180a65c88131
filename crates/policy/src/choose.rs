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
        match self.dialect {
            // The first token that has a group decides, alone (G5).
            Dialect::Rfc9309 => crawler
                .tokens()
                .iter()
                .find_map(|token| self.own_groups(|name| is_cut_of(name, token)))
                .unwrap_or_else(|| self.any_groups()),
            // Its API merges the groups of all of the caller's names, and takes them uncut (G3, G5).
            Dialect::Google => {
                let is_one = |name: &[u8]| {
                    crawler.tokens().iter().any(|token| name.eq_ignore_ascii_case(token.as_str().as_bytes()))
                };
                self.own_groups(is_one).unwrap_or_else(|| self.any_groups())
            }
        }
    }

    fn own_groups(&'p self, is_own: impl Fn(&[u8]) -> bool) -> Option<RuleSet<'p>> {
        let mut first_name = None;
        let groups: Vec<_> = self
            .groups
            .iter()
            .filter(|group| {
                let own = self.names_of(group).iter().find_map(|name| match self.agent_of(name) {
                    AgentName::Named(token) if is_own(token) => Some(token),
                    _ => None,
                });
                first_name = first_name.or(own);
                own.is_some()
            })
            .collect();
        let choice = Choice::Own(first_name?);
        Some(RuleSet { policy: self, choice, groups })
    }

    fn any_groups(&'p self) -> RuleSet<'p> {
        let names_all =
            |group: &&Group| self.names_of(group).iter().any(|name| self.agent_of(name) == AgentName::Any);
        let groups: Vec<_> = self.groups.iter().filter(names_all).collect();
        let choice = if groups.is_empty() { Choice::None } else { Choice::Any };
        RuleSet { policy: self, choice, groups }
    }
}

/// Is `name`, cut by the file's side, the caller's token after the same cut (G3, G4)? The empty name is nobody's.
fn is_cut_of(name: &[u8], token: &ProductToken) -> bool {
    match agent_name(token.as_str().as_bytes(), Dialect::Rfc9309) {
        AgentName::Named(cut) => !cut.is_empty() && name.eq_ignore_ascii_case(cut),
        AgentName::Any => false,
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
