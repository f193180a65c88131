//! The rules that decided, as text: read back out of the programs, which keep no text.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_automaton::ProgramRule;

use crate::store::{CrawlerSlot, PolicyStore};

/// Bytes of rules that are kept. A frontier comes grouped by site, mostly, and then a few programs would do; where it
/// does not this holds those of some hundred thousand sites.
const KEPT: usize = 64 << 20;

/// What a rule costs besides its text.
const OVERHEAD: usize = 64;

/// The rules of a program by their lines.
type RulesByLine = Box<[(u32, Arc<str>)]>;

/// The rules of programs that were asked about, so that each program is read back once, as long as there is room.
#[derive(Debug, Default)]
pub(crate) struct RuleTexts {
    /// By decider, and by crawler where a decider has other rules for the next one.
    by_program: HashMap<(u32, usize), RulesByLine>,
    bytes: usize,
}

impl RuleTexts {
    /// The rule on `line` of the program that `compiled_policy` names for the crawler with this number and seat, as
    /// [`ProgramRule`] is displayed; none when there is none, and when more than rules decide.
    pub(crate) fn rule(
        &mut self,
        store: &PolicyStore,
        compiled_policy: u32,
        (crawler, slot_of_crawler): (usize, &CrawlerSlot),
        line: u32,
    ) -> Option<Arc<str>> {
        let key = (compiled_policy, if store.tells_crawlers_apart() { crawler } else { 0 });
        if !self.by_program.contains_key(&key) {
            let rules = texts(store.rules(compiled_policy, slot_of_crawler)?);
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

/// By line; of several rules on a line, as the rule for an index page makes them, the one that ranks above the others.
fn texts(rules: Vec<ProgramRule>) -> RulesByLine {
    let mut texts: Vec<(u32, Arc<str>)> =
        rules.into_iter().map(|rule| (rule.line, Arc::from(rule.to_string()))).collect();
    // The best come first, and a stable order leaves them so.
    texts.sort_by_key(|&(line, _)| line);
    texts.dedup_by_key(|&mut (line, _)| line);
    texts.into_boxed_slice()
}
