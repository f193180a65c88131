//! The choice of the groups that a crawler must obey (RFC 9309, section 2.2.1; Koster 1996, 3.2.1;
//! `crates/DIALECTS.md`, G3 to G7, D3).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use robomata_protocol::semantics::{GroupsWithoutRules, QueryNames, RepeatedGroups, SeveralNames};
use robomata_protocol::{Crawler, Dialect, ProductToken, Semantics};
use robomata_syntax::{AgentName, agent_name};

use crate::policy::{Group, Name, Policy, Rule};

/// The rules that one crawler must obey at one site: the merged rules of all groups that are chosen for it. Koster 1996
/// chooses one group.
#[derive(Clone, Debug)]
pub struct RuleSet<'p> {
    policy: &'p Policy<'p>,
    choice: Choice<'p>,
    groups: Vec<&'p Group>,
}

/// Why a [`RuleSet`] applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'p> {
    /// Groups name the crawler. This is the first occurrence of the name in the file.
    Own(&'p [u8]),
    /// No group names the crawler, but a group applies to all other crawlers: `*`.
    Any,
    /// No group applies to this crawler: it has no rules.
    None,
}

/// Rules of a file, and the names of all crawlers that must obey exactly these.
#[derive(Clone, Debug)]
pub struct NamedRules<'p> {
    /// The names as they first occur, in file order, each once regardless of case.
    pub names: Vec<&'p [u8]>,
    /// The rules.
    pub rules: RuleSet<'p>,
}

impl<'p> Policy<'p> {
    /// The rules that `crawler` must obey. Also empty when the fetch was not a success.
    pub fn rules_for(&'p self, crawler: &Crawler) -> RuleSet<'p> {
        let tokens = || crawler.tokens().iter().map(|token| compared_token(token, self.dialect));
        let tokens = || tokens().filter(|token| can_be_named(token, self.dialect));
        match self.dialect.semantics().several_names {
            SeveralNames::FirstWithGroup => {
                tokens().find_map(|token| self.own_groups(|value| self.own_name(value, token)))
            }
            SeveralNames::Merged => {
                self.own_groups(|value| tokens().find_map(|token| self.own_name(value, token)))
            }
        }
        .unwrap_or_else(|| self.any_groups())
    }

    /// The rules of every name in the groups; a crawler with another name must obey [`Policy::rules_for_others`].
    /// Visits each name and group once, however many there are.
    pub fn named_rules(&'p self) -> Vec<NamedRules<'p>> {
        // By name: the indices of its groups.
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut choices: Vec<(&'p [u8], Vec<usize>)> = Vec::new();
        let repeated_groups = self.dialect.semantics().repeated_groups;
        for (number, group) in self.groups.iter().enumerate() {
            if !self.is_group(group) {
                continue;
            }
            for name in self.names_of(group) {
                let AgentName::Named(name) = self.agent_of(name) else { continue };
                let choice = *numbers.entry(name.to_ascii_lowercase()).or_insert(choices.len());
                if choice == choices.len() {
                    choices.push((name, Vec::new()));
                }
                let groups = &mut choices[choice].1;
                let is_decided = repeated_groups == RepeatedGroups::First && !groups.is_empty();
                if !is_decided && groups.last() != Some(&number) {
                    groups.push(number);
                }
            }
        }
        self.share_rules(choices)
    }

    /// Merges the names with the same groups.
    fn share_rules(&'p self, choices: Vec<(&'p [u8], Vec<usize>)>) -> Vec<NamedRules<'p>> {
        let mut places: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut shared: Vec<NamedRules<'p>> = Vec::new();
        for (name, numbers) in choices {
            match places.entry(numbers) {
                Entry::Occupied(place) => shared[*place.get()].names.push(name),
                Entry::Vacant(place) => {
                    let groups = place.key().iter().map(|&number| &self.groups[number]).collect();
                    let rules = RuleSet { policy: self, choice: Choice::Own(name), groups };
                    shared.push(NamedRules { names: vec![name], rules });
                    place.insert(shared.len() - 1);
                }
            }
        }
        shared
    }

    /// The rules for every crawler that no group names.
    pub fn rules_for_others(&'p self) -> RuleSet<'p> {
        self.any_groups()
    }

    /// The rules of these groups, which are in file order, regardless of the crawlers that they name.
    pub fn rules_in(&'p self, groups: Vec<&'p Group>) -> RuleSet<'p> {
        RuleSet { policy: self, choice: Choice::None, groups }
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
        let has_wanted =
            |group: &&Group| self.names_of(group).iter().any(|name| is_wanted(name.value.of(text)));
        let Semantics { repeated_groups, groups_without_rules, .. } = *self.dialect.semantics();
        let groups = self.groups.iter();
        match (repeated_groups, groups_without_rules) {
            (RepeatedGroups::Merged, GroupsWithoutRules::Groups) => groups.filter(has_wanted).collect(),
            (RepeatedGroups::Merged, GroupsWithoutRules::NoGroups) => {
                groups.filter(|group| self.is_group(group)).filter(has_wanted).collect()
            }
            (RepeatedGroups::First, _) => {
                groups.filter(|group| self.is_group(group)).find(has_wanted).into_iter().collect()
            }
        }
    }

    /// Whether the dialect counts `group`: it may ignore names without rules (D3).
    pub(crate) fn is_group(&self, group: &Group) -> bool {
        let are_groups = self.dialect.semantics().groups_without_rules == GroupsWithoutRules::Groups;
        are_groups || !self.rules_of(group).is_empty()
    }

    /// The name in the value of a user-agent record, if it is `token` (G4).
    #[inline]
    fn own_name<'t>(&self, value: &'t [u8], token: &[u8]) -> Option<&'t [u8]> {
        // Names are only cut if they begin with the token: most do not.
        if !value.get(..token.len())?.eq_ignore_ascii_case(token) {
            return None;
        }
        match agent_name(value, self.dialect) {
            AgentName::Named(name) if name.len() == token.len() => Some(name),
            _ => None,
        }
    }
}

/// The part of a crawler's product token that is compared with names (G3). Most dialects cut it in the same way as
/// names.
pub fn compared_token(token: &ProductToken, dialect: Dialect) -> &[u8] {
    let token = token.as_str().as_bytes();
    match dialect.semantics().query_names {
        QueryNames::Cut => match agent_name(token, dialect) {
            AgentName::Named(cut) => cut,
            AgentName::Any => b"",
        },
        QueryNames::Whole => token,
    }
}

/// Whether a group can name a crawler with this [`compared_token`]. Only dialects that compare whole tokens compare the
/// empty one, too (G3).
pub fn can_be_named(token: &[u8], dialect: Dialect) -> bool {
    !token.is_empty() || dialect.semantics().query_names == QueryNames::Whole
}

impl<'p> RuleSet<'p> {
    /// The policy that the rules belong to.
    pub fn policy(&self) -> &'p Policy<'p> {
        self.policy
    }

    /// Why these groups were chosen.
    pub fn choice(&self) -> Choice<'p> {
        self.choice
    }

    /// The groups that are merged, in file order.
    pub fn groups(&self) -> &[&'p Group] {
        &self.groups
    }

    /// The name of the groups for people and programs: the product token of `crawler` as the file first spells it, or `*`.
    /// Several names whose groups are merged, each once, are separated by commas. `None` if no group applies.
    pub fn name(&self, crawler: &Crawler) -> Option<String> {
        let mut tokens: Vec<&[u8]> = Vec::new();
        match self.choice {
            Choice::None => return None,
            Choice::Any => return Some("*".to_owned()),
            Choice::Own(_) => {}
        }
        for name in self.groups.iter().flat_map(|group| self.policy.names_of(group)) {
            if self.is_named_by(name, crawler)
                && let AgentName::Named(token) = self.policy.agent_of(name)
                && !tokens.iter().any(|known| known.eq_ignore_ascii_case(token))
            {
                tokens.push(token);
            }
        }
        Some(String::from_utf8_lossy(&tokens.join(&b',')).into_owned())
    }

    /// Whether a name of these groups is one that chose them for `crawler`.
    pub fn is_named_by(&self, name: &Name, crawler: &Crawler) -> bool {
        let policy = self.policy;
        let value = name.value.of(policy.text());
        match (self.choice, policy.dialect.semantics().several_names) {
            (Choice::None, _) => false,
            (Choice::Any, _) => policy.agent_of(name) == AgentName::Any,
            (Choice::Own(_), SeveralNames::Merged) => crawler
                .tokens()
                .iter()
                .any(|token| policy.own_name(value, token.as_str().as_bytes()).is_some()),
            (Choice::Own(own), SeveralNames::FirstWithGroup) => policy.own_name(value, own).is_some(),
        }
    }

    /// The rules in file order; their patterns are spans of the policy's text.
    pub fn rules(&self) -> impl Iterator<Item = &'p Rule> {
        let policy = self.policy;
        self.groups.iter().flat_map(move |&group| policy.rules_of(group))
    }
}
