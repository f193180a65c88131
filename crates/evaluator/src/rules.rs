//! The text of the rules that decided. Programs do not store the text, so it is reconstructed from them.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use robomata_automaton::ProgramRule;

use crate::store::{CrawlerSlot, PolicyStore, ProgramAddress};

/// The limit for each of two generations of cached texts in bytes. Frontiers usually come grouped by site, and then a
/// few programs would be enough. For other inputs, the cache holds the rules of some hundred thousand sites.
const GENERATION: usize = 32 << 20;

/// The memory that a program takes besides its texts, and that a separate text takes.
const OVERHEAD: usize = 128;

/// A text with more bytes is kept separately, so that it is shared and not copied.
const SHORT: usize = 256;

/// A cache of the rules of programs. Each program is decompiled once, as long as there is room: crawlers that obey the
/// same program share its texts.
///
/// It holds two generations. When the younger one is full, it becomes the older one, whose programs are forgotten
/// unless they are used again. A program that takes more than a quarter of a generation evicts only the last such
/// program.
#[derive(Debug)]
pub struct RuleTexts<'s> {
    young: HashMap<ProgramAddress, ProgramTexts>,
    young_bytes: usize,
    old: HashMap<ProgramAddress, ProgramTexts>,
    large: Option<(ProgramAddress, ProgramTexts)>,
    /// The limit for each generation in bytes.
    limit: usize,
    decompiled: u64,
    /// The stores are borrowed, so an address is always that of the same program.
    stores: PhantomData<&'s PolicyStore>,
}

impl Default for RuleTexts<'_> {
    fn default() -> Self {
        RuleTexts::with_limit(GENERATION)
    }
}

impl<'s> RuleTexts<'s> {
    fn with_limit(limit: usize) -> Self {
        RuleTexts {
            young: HashMap::new(),
            young_bytes: 0,
            old: HashMap::new(),
            large: None,
            limit,
            decompiled: 0,
            stores: PhantomData,
        }
    }

    /// The number of programs that were decompiled. A program that was forgotten meanwhile counts again.
    pub fn decompiled(&self) -> u64 {
        self.decompiled
    }

    /// The rule on `line` of the program of `compiled_policy` for the crawler with this slot, as [`ProgramRule`]
    /// displays it. `None` when there is no such rule, and when more than rules decide.
    pub(crate) fn rule(
        &mut self,
        store: &'s PolicyStore,
        compiled_policy: u32,
        slot: &CrawlerSlot,
        line: u32,
    ) -> Option<Arc<str>> {
        let address = store.program_address(compiled_policy, slot)?;
        self.program(address, || store.rules(compiled_policy, slot).unwrap_or_default())?.rule(line)
    }

    fn program(
        &mut self,
        address: ProgramAddress,
        decompile: impl FnOnce() -> Vec<ProgramRule>,
    ) -> Option<&ProgramTexts> {
        if self.large.as_ref().is_some_and(|(known, _)| *known == address) {
            return self.large.as_ref().map(|(_, texts)| texts);
        }
        if !self.young.contains_key(&address) {
            let texts = match self.old.remove(&address) {
                Some(texts) => texts,
                None => {
                    self.decompiled += 1;
                    ProgramTexts::new(&decompile())
                }
            };
            if texts.bytes() > self.limit / 4 {
                return Some(&self.large.insert((address, texts)).1);
            }
            if self.young_bytes + texts.bytes() > self.limit {
                self.old = std::mem::take(&mut self.young);
                self.young_bytes = 0;
            }
            self.young_bytes += texts.bytes();
            self.young.insert(address, texts);
        }
        self.young.get(&address)
    }
}

/// The rules of a program by their lines.
#[derive(Debug)]
struct ProgramTexts {
    /// The short texts, consecutive.
    short: Box<str>,
    /// The lines in ascending order, each with the end of its text in `short`.
    lines: Box<[(u32, usize)]>,
    /// The other texts; their texts in `short` are empty.
    long: HashMap<u32, Arc<str>>,
}

impl ProgramTexts {
    /// By line. If a line has several rules, as the rule for an index page does, this is the highest-ranking one.
    fn new(rules: &[ProgramRule]) -> Self {
        let mut rules: Vec<&ProgramRule> = rules.iter().collect();
        // The highest-ranking rules come first, and a stable sort keeps them there.
        rules.sort_by_key(|rule| rule.line);
        rules.dedup_by_key(|rule| rule.line);
        let (mut short, mut long) = (String::new(), HashMap::new());
        let mut lines = Vec::with_capacity(rules.len());
        for rule in rules {
            let text = rule.to_string();
            if text.len() <= SHORT {
                short.push_str(&text);
            } else {
                long.insert(rule.line, Arc::from(text));
            }
            lines.push((rule.line, short.len()));
        }
        ProgramTexts { short: short.into(), lines: lines.into(), long }
    }

    fn bytes(&self) -> usize {
        let long: usize = self.long.values().map(|text| text.len() + OVERHEAD).sum();
        self.short.len() + size_of_val(&*self.lines) + long + OVERHEAD
    }

    fn rule(&self, line: u32) -> Option<Arc<str>> {
        let place = self.lines.binary_search_by_key(&line, |&(line, _)| line).ok()?;
        if let Some(long) = self.long.get(&line) {
            return Some(Arc::clone(long));
        }
        let start = place.checked_sub(1).map_or(0, |before| self.lines[before].1);
        Some(Arc::from(&self.short[start..self.lines[place].1]))
    }
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::{Crawler, Dialect};
    use robomata_syntax::Config;

    use super::*;
    use crate::{PolicyCompiler, Site, StoreBuilder, StoreKind};

    /// A store of sites with `rules` rules each, and the compiled policies of the sites.
    fn store(rules: &[usize]) -> (PolicyStore, Vec<u32>) {
        let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("a")]);
        let mut builder = StoreBuilder::new(kind.clone());
        let site = |index: usize| format!("https://{index}.example/");
        for (index, &rules) in rules.iter().enumerate() {
            let lines: String = (0..rules).map(|rule| format!("Disallow: /{index}/{rule:04}\n")).collect();
            let text = format!("User-agent: *\n{lines}");
            let policy = Policy::new(text.as_bytes(), &Config::new(Dialect::Rfc9309));
            let policies = PolicyCompiler::new(&kind).compile(&policy);
            builder.insert(&Site::of_url(site(index).as_bytes()).unwrap(), &policies, None);
        }
        let store = builder.build();
        let number = |index| {
            let url = site(index);
            let found = store.find(Site::of_url(url.as_bytes()).unwrap().as_bytes()).unwrap();
            store.image().compiled_policy(found, 0).unwrap()
        };
        let numbers = (0..rules.len()).map(number).collect();
        (store, numbers)
    }

    fn bytes_of(store: &PolicyStore, number: u32, slot: &CrawlerSlot) -> usize {
        ProgramTexts::new(&store.rules(number, slot).unwrap()).bytes()
    }

    /// Forgetting everything at the limit would decompile a program for each look-up.
    #[test]
    fn a_program_that_is_too_large_or_too_much_does_not_evict_all_others() {
        let (store, numbers) = store(&[10, 10, 10, 10, 10, 10, 10, 10, 900]);
        let slot = store.slot_of(&Crawler::new("a")).unwrap();
        let small = bytes_of(&store, numbers[0], &slot);
        let (large, numbers) = numbers.split_last().unwrap();
        let mut texts = RuleTexts::with_limit(4 * small);
        let mut rule = |number: u32, line| texts.rule(&store, number, &slot, line);
        for line in 2..10 {
            for &number in &numbers[..4] {
                assert!(rule(number, line).is_some());
            }
            assert!(rule(*large, line).is_some());
        }
        assert_eq!(texts.decompiled(), 5, "each of them once, although they are larger than the limit");

        // Programs that are used again stay, however many others come once.
        let mut texts = RuleTexts::with_limit(4 * small);
        for &number in &numbers[1..] {
            for number in [numbers[0], number] {
                texts.rule(&store, number, &slot, 3).unwrap();
            }
        }
        assert_eq!(texts.decompiled(), 8);
        let held = |held: &HashMap<_, ProgramTexts>| held.values().map(ProgramTexts::bytes).sum::<usize>();
        assert!(texts.young_bytes == held(&texts.young) && texts.young_bytes <= 4 * small);
        assert!(held(&texts.old) <= 4 * small);
    }

    #[test]
    fn texts_take_few_bytes_besides_the_rules() {
        let (store, numbers) = store(&[1000]);
        let slot = store.slot_of(&Crawler::new("a")).unwrap();
        let bytes = bytes_of(&store, numbers[0], &slot);
        assert!(bytes <= 1000 * ("Disallow: /0/0000".len() + 16) + OVERHEAD, "{bytes}");
    }

    #[test]
    fn long_texts_are_shared() {
        let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("a")]);
        let mut builder = StoreBuilder::new(kind.clone());
        let long = "x".repeat(SHORT);
        let text = format!("User-agent: *\nDisallow: /a\nDisallow: /{long}\nDisallow: /b\n");
        let policy = Policy::new(text.as_bytes(), &Config::new(Dialect::Rfc9309));
        let site = Site::of_url(b"https://a.example/").unwrap();
        builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
        let store = builder.build();
        let slot = store.slot_of(&Crawler::new("a")).unwrap();
        let number = store.image().compiled_policy(store.find(site.as_bytes()).unwrap(), 0).unwrap();
        let mut texts = RuleTexts::default();
        let mut rule = |line| texts.rule(&store, number, &slot, line);
        let [a, x, b] = [2, 3, 4].map(|line| rule(line).unwrap());
        assert_eq!([&*a, &*x, &*b], ["Disallow: /a", &format!("Disallow: /{long}"), "Disallow: /b"]);
        assert!(Arc::ptr_eq(&x, &rule(3).unwrap()));
        assert_eq!([rule(1), rule(5)], [None, None]);
    }
}
