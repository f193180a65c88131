//! The text of the rules that decided. Programs do not store the text, so it is reconstructed from them.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_automaton::ProgramRule;

use crate::store::{CrawlerSlot, PolicyStore};

/// The limit for cached rules in bytes. Frontiers usually come grouped by site, and then a few programs would be
/// enough. For other inputs, the cache holds the rules of some hundred thousand sites.
const KEPT: usize = 64 << 20;

/// The memory that a rule takes besides its text.
const OVERHEAD: usize = 64;

/// The rules of a program by their lines.
type RulesByLine = Box<[(u32, Arc<str>)]>;

/// A cache of the rules of programs. Each program is decompiled once, as long as there is room.
#[derive(Debug, Default)]
pub(crate) struct RuleTexts {
    /// By store (its address), compiled policy, and by crawler if a compiled policy has different rules for different crawlers.
    by_program: HashMap<(usize, u32, usize), RulesByLine>,
    bytes: usize,
}

impl RuleTexts {
    /// The rule on `line` of the program of `compiled_policy` for the crawler with this number and slot, as
    /// [`ProgramRule`] displays it. `None` when there is no such rule, and when more than rules decide.
    pub(crate) fn rule(
        &mut self,
        store: &PolicyStore,
        compiled_policy: u32,
        (crawler, slot): (usize, &CrawlerSlot),
        line: u32,
    ) -> Option<Arc<str>> {
        let crawler = if store.distinguishes_crawlers() { crawler } else { 0 };
        let key = (std::ptr::from_ref(store).addr(), compiled_policy, crawler);
        if !self.by_program.contains_key(&key) {
            let rules = texts(store.rules(compiled_policy, slot)?);
            let bytes = rules.iter().map(|(_, rule)| rule.len() + OVERHEAD).sum::<usize>() + OVERHEAD;
            if self.bytes + bytes > KEPT {
                self.by_program.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            self.by_program.insert(key, rules);
        }
        let rules = self.by_program.get(&key)?;
        let place = rules.binary_search_by_key(&line, |&(line, _)| line).ok()?;
        Some(rules[place].1.clone())
    }
}

/// By line. If a line has several rules, as the rule for an index page does, this is the highest-ranking one.
fn texts(rules: Vec<ProgramRule>) -> RulesByLine {
    let mut texts: Vec<(u32, Arc<str>)> =
        rules.into_iter().map(|rule| (rule.line, Arc::from(rule.to_string()))).collect();
    // The highest-ranking rules come first, and a stable sort keeps them there.
    texts.sort_by_key(|&(line, _)| line);
    texts.dedup_by_key(|&mut (line, _)| line);
    texts.into_boxed_slice()
}
