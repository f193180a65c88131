//! The tables of a statement program: 32-bit words, little-endian.
//!
//! ```text
//! usage       1 word    the usage that the program answers about besides crawl
//! counts      6 words   scopes, signals, rules, patterns of fields, resource sets, groups
//! scopes      1 word each, by position in their order: where its bytes end. None if the positions alone decide
//! signals     2 words each, what Content-Signal says about each usage: meaning, line
//! rules       3 words each, by number in the rule set: meaning, line, the position of its scope
//! patterns    5 words each, by number in the field set: the position of its scope, the lists of groups on it and of
//!                       resource sets that contain it (first index in the list section, and one past the last)
//! sets        2 words each: the list of groups on it
//! groups      3 words each: meaning, line, the day since 1970-01-01 at whose beginning a permission ends (0: it has
//!                       no end)
//! lists       the rest  numbers of groups and of sets
//! ```
//!
//! A meaning is a kind (of rules alone), whether it prohibits, names the crawler, is for the purpose and is silent, and a
//! usage. Rules of one vocabulary are numbered in ascending order: the matching rule with the largest number decides,
//! even if it is silent, which means that it says nothing.

use robomata_automaton::{Scope, ScopeRanking};
use robomata_protocol::Usage;

/// The kind of statement that a pattern of the rule set makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleKind {
    /// Allow or Disallow.
    Conventional = 0,
    Noindex = 1,
    /// DisallowAITraining or AllowAITraining.
    AiControl = 2,
    /// A rule of tdmrep.json.
    TdmRep = 3,
    /// A Content-Usage record.
    ContentUsage = 4,
}

/// What a statement says, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning(u32);

impl Meaning {
    const PROHIBITS: u32 = 1 << 8;
    const NAMED: u32 = 1 << 9;
    const PURPOSE: u32 = 1 << 10;
    const SILENT: u32 = 1 << 11;
    const USAGE: u32 = 16;

    pub(crate) const fn new(kind: RuleKind, usage: Usage, prohibits: bool) -> Self {
        Meaning(kind as u32 | (usage as u32) << Meaning::USAGE).with(Meaning::PROHIBITS, prohibits)
    }

    const fn with(self, bit: u32, is_set: bool) -> Self {
        if is_set { Meaning(self.0 | bit) } else { self }
    }

    /// The meaning of a statement that addresses the crawler by name, or not.
    pub(crate) const fn addressed(self, by_name: bool) -> Self {
        self.with(Meaning::NAMED, by_name)
    }

    /// The meaning of a statement for the purpose, or for any purpose.
    pub(crate) const fn for_purpose(self, purpose: bool) -> Self {
        self.with(Meaning::PURPOSE, purpose)
    }

    /// The meaning of a rule that says nothing about what it matches.
    pub(crate) const fn silent(self) -> Self {
        self.with(Meaning::SILENT, true)
    }

    fn is_valid(self) -> bool {
        self.0.to_le_bytes()[0] <= RuleKind::ContentUsage as u8 && usage(self.0 >> Meaning::USAGE).is_some()
    }

    #[inline]
    pub(crate) fn kind(self) -> RuleKind {
        match self.0.to_le_bytes()[0] {
            0 => RuleKind::Conventional,
            1 => RuleKind::Noindex,
            2 => RuleKind::AiControl,
            3 => RuleKind::TdmRep,
            _ => RuleKind::ContentUsage,
        }
    }

    #[inline]
    pub(crate) fn usage(self) -> Usage {
        usage(self.0 >> Meaning::USAGE).unwrap_or(Usage::Other)
    }

    #[inline]
    pub(crate) fn prohibits(self) -> bool {
        self.0 & Meaning::PROHIBITS != 0
    }

    #[inline]
    pub(crate) fn is_silent(self) -> bool {
        self.0 & Meaning::SILENT != 0
    }

    /// It addresses the crawler by name.
    #[inline]
    pub(crate) fn is_named(self) -> bool {
        self.0 & Meaning::NAMED != 0
    }

    /// It is for the purpose, not for any purpose.
    #[inline]
    pub(crate) fn is_for_purpose(self) -> bool {
        self.0 & Meaning::PURPOSE != 0
    }
}

#[inline]
fn usage(number: u32) -> Option<Usage> {
    Usage::ALL.get(number as usize).copied()
}

const SCOPE: usize = 1;
const SIGNAL: usize = 2;
const RULE: usize = 3;
const PATTERN: usize = 5;
const SET: usize = 2;
const GROUP: usize = 3;
/// The words before the scopes.
const FIXED: usize = 7;

/// The numbers of the sections.
const SCOPES: usize = 0;
const SIGNALS: usize = 1;
const RULES: usize = 2;
const PATTERNS: usize = 3;
const SETS: usize = 4;
const GROUPS: usize = 5;
const LISTS: usize = 6;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables<'p> {
    /// The bytes of the scopes.
    scopes: &'p [u8],
    words: &'p [[u8; 4]],
    /// Where the sections begin.
    at: [u32; 7],
}

/// A decoded rule of the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) meaning: Meaning,
    pub(crate) line: u32,
    /// The position of its scope.
    pub(crate) scope: u32,
}

/// A decoded pattern of fields of the tables.
pub(crate) struct FieldPattern<G, S> {
    /// The position of its scope.
    pub(crate) scope: u32,
    /// The numbers of the groups on it.
    pub(crate) groups: G,
    /// The numbers of the resource sets that contain it.
    pub(crate) sets: S,
}

/// A decoded group of fields of the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) meaning: Meaning,
    /// The line of the first field.
    pub(crate) line: u32,
    /// The day (since 1970-01-01, UTC) at whose beginning the permission ends; 0: it has no end.
    pub(crate) end: u32,
}

impl<'p> Tables<'p> {
    /// The tables in `words`, whose scopes are in `scopes`. `None` when the counts do not fit.
    pub(crate) fn find(scopes: &'p [u8], words: &'p [u8]) -> Option<Self> {
        let (words, rest) = words.as_chunks();
        let mut tables = Tables { scopes, words, at: [u32_of(FIXED); 7] };
        let mut end = FIXED;
        for (section, size) in [SCOPE, SIGNAL, RULE, PATTERN, SET, GROUP].into_iter().enumerate() {
            // No count is larger than the table, so the sum does not overflow.
            let count = tables.count(section);
            if count > words.len() {
                return None;
            }
            end += count * size;
            tables.at[section + 1] = u32::try_from(end).ok()?;
        }
        (rest.is_empty() && end <= words.len()).then_some(tables)
    }

    /// A word; 0 after the last one.
    #[inline]
    fn at(&self, index: usize) -> u32 {
        self.words.get(index).map_or(0, |word| u32::from_le_bytes(*word))
    }

    /// Several adjacent words; zeros if they are not all there.
    #[inline]
    fn words<const N: usize>(&self, index: usize) -> [u32; N] {
        let words = self.words.get(index..).and_then(|words| words.first_chunk());
        words.map_or([0; N], |words| words.map(u32::from_le_bytes))
    }

    fn count(&self, section: usize) -> usize {
        self.at(1 + section) as usize
    }

    /// The words of the entry with this number in a section.
    #[inline]
    fn entry<const N: usize>(&self, section: usize, number: usize) -> [u32; N] {
        self.words(self.at[section] as usize + number * N)
    }

    /// Whether the order of the scopes is enough to compare those that match a target.
    #[inline]
    pub(crate) fn is_chain(&self) -> bool {
        self.at[SIGNALS] == self.at[SCOPES]
    }

    /// The scope at this position, if the order is not enough.
    pub(crate) fn scope(&self, position: u32) -> Scope<'p> {
        let end_of = |number: usize| self.entry::<SCOPE>(SCOPES, number)[0] as usize;
        let number = (position as usize).min(self.count(SCOPES));
        let start = if number == 0 { 0 } else { end_of(number - 1) };
        let end = if number == self.count(SCOPES) { start } else { end_of(number) };
        Scope::from_bytes(self.scopes.get(start..end).unwrap_or_default())
    }

    /// The usage that the program answers about besides crawl.
    #[inline]
    pub(crate) fn usage(&self) -> Usage {
        usage(self.at(0)).unwrap_or(Usage::Crawl)
    }

    /// The Content-Signal statement about `asked`: whether it prohibits, and its line.
    pub(crate) fn signal(&self, asked: Usage) -> Option<(bool, u32)> {
        (0..self.count(SIGNALS)).find_map(|number| {
            let [meaning, line]: [u32; SIGNAL] = self.entry(SIGNALS, number);
            let meaning = Meaning(meaning);
            (meaning.usage() == asked).then_some((meaning.prohibits(), line))
        })
    }

    #[inline]
    pub(crate) fn rule(&self, number: u32) -> Rule {
        let [meaning, line, scope]: [u32; RULE] = self.entry(RULES, number as usize);
        Rule { meaning: Meaning(meaning), line, scope }
    }

    #[inline]
    pub(crate) fn pattern(
        &self,
        number: u32,
    ) -> FieldPattern<impl Iterator<Item = u32> + use<'p>, impl Iterator<Item = u32> + use<'p>> {
        let [scope, first, end, first_set, end_set]: [u32; PATTERN] = self.entry(PATTERNS, number as usize);
        FieldPattern { scope, groups: self.list([first, end]), sets: self.list([first_set, end_set]) }
    }

    /// The numbers of the groups on a resource set.
    #[inline]
    pub(crate) fn groups_on(&self, set: u32) -> impl Iterator<Item = u32> + use<'p> {
        self.list(self.entry(SETS, set as usize))
    }

    /// The items of the list with these bounds.
    #[inline]
    fn list(self, [first, end]: [u32; 2]) -> impl Iterator<Item = u32> + use<'p> {
        let base = self.at[LISTS] as usize;
        let end = (end as usize).min(self.words.len().saturating_sub(base));
        (first as usize..end).map(move |place| self.at(base + place))
    }

    #[inline]
    pub(crate) fn group(&self, number: u32) -> Group {
        let [meaning, line, end]: [u32; GROUP] = self.entry(GROUPS, number as usize);
        Group { meaning: Meaning(meaning), line, end }
    }

    /// Whether the tables have an entry for every pattern of the two sets, and every list and scope exists.
    pub(crate) fn is_valid(&self, rules: u32, patterns: u32) -> bool {
        let [scopes, signals, rule_count, pattern_count, sets, groups] =
            [SCOPES, SIGNALS, RULES, PATTERNS, SETS, GROUPS].map(|section| self.count(section));
        let has_scope = |scope: u32| self.is_chain() || (scope as usize) < scopes;
        let is_rule = |rule: Rule| rule.meaning.is_valid() && has_scope(rule.scope);
        let mut end = 0;
        let mut scope_follows = |number: usize| {
            let start = std::mem::replace(&mut end, self.entry::<SCOPE>(SCOPES, number)[0] as usize);
            start <= end && end <= self.scopes.len()
        };
        let mut lists = Lists { tables: *self, end: 0 };
        usage(self.at(0)).is_some()
            && (0..scopes).all(&mut scope_follows)
            && (0..signals).all(|number| Meaning(self.entry::<SIGNAL>(SIGNALS, number)[0]).is_valid())
            && rule_count == rules as usize
            && (0..rules).all(|number| is_rule(self.rule(number)))
            && pattern_count == patterns as usize
            && (0..pattern_count).all(|number| {
                let [scope, first, end, first_set, end_set]: [u32; PATTERN] = self.entry(PATTERNS, number);
                has_scope(scope)
                    && lists.next_is([first, end], groups)
                    && lists.next_is([first_set, end_set], sets)
            })
            && (0..sets).all(|number| lists.next_is(self.entry(SETS, number), groups))
            && (0..groups).all(|number| Meaning(self.entry::<GROUP>(GROUPS, number)[0]).is_valid())
            && lists.end as usize == self.words.len() - self.at[LISTS] as usize
    }
}

/// Checks lists that are consecutive, so that the check of all of them takes linear time.
struct Lists<'p> {
    tables: Tables<'p>,
    /// The end of the last list.
    end: u32,
}

impl Lists<'_> {
    /// Whether the list with these bounds is the next one, with all items below `limit`.
    fn next_is(&mut self, [start, end]: [u32; 2], limit: usize) -> bool {
        let room = (self.tables.words.len() - self.tables.at[LISTS] as usize) as u64;
        let follows = start == self.end && start <= end && u64::from(end) <= room;
        self.end = end;
        follows && self.tables.list([start, end]).all(|item| (item as usize) < limit)
    }
}

/// Builds tables.
#[derive(Debug, Default)]
pub(crate) struct TableBuilder {
    signals: Vec<[u32; SIGNAL]>,
    rules: Vec<[u32; RULE]>,
    patterns: Vec<[u32; PATTERN]>,
    sets: Vec<[u32; SET]>,
    groups: Vec<[u32; GROUP]>,
    lists: Vec<u32>,
    scopes: Vec<u8>,
    /// By position: where the scope's bytes end.
    scope_ends: Vec<[u32; SCOPE]>,
}

impl TableBuilder {
    pub(crate) fn push_signal(&mut self, meaning: Meaning, line: u32) {
        self.signals.push([meaning.0, line]);
    }

    pub(crate) fn push_rule(&mut self, Rule { meaning, line, scope }: Rule) {
        self.rules.push([meaning.0, line, scope]);
    }

    pub(crate) fn push_group(&mut self, Group { meaning, line, end }: Group) {
        self.groups.push([meaning.0, line, end]);
    }

    /// Adds a pattern of fields with the scope at this position, the groups on it and the sets that contain it.
    pub(crate) fn push_pattern(&mut self, scope: u32, groups: &[usize], sets: &[usize]) {
        let ([first, end], [first_set, end_set]) = (self.push_list(groups), self.push_list(sets));
        self.patterns.push([scope, first, end, first_set, end_set]);
    }

    /// Adds a resource set, with the groups on it.
    pub(crate) fn push_set(&mut self, groups: &[usize]) {
        let list = self.push_list(groups);
        self.sets.push(list);
    }

    /// Adds all scopes; returns their positions.
    pub(crate) fn push_scopes(&mut self, scopes: &[Scope<'_>]) -> Vec<u32> {
        let ScopeRanking { ranks, distinct, is_chain } = ScopeRanking::new(scopes);
        for &scope in distinct.iter().filter(|_| !is_chain) {
            self.scopes.extend_from_slice(scopes[scope].bytes());
            self.scope_ends.push([u32_of(self.scopes.len())]);
        }
        ranks
    }

    /// Adds a list; returns its bounds.
    fn push_list(&mut self, items: &[usize]) -> [u32; 2] {
        let start = self.lists.len();
        self.lists.extend(items.iter().copied().map(u32_of));
        [u32_of(start), u32_of(self.lists.len())]
    }

    /// The bytes of the scopes.
    pub(crate) fn scopes(&self) -> &[u8] {
        &self.scopes
    }

    pub(crate) fn words(&self, usage: Usage) -> Vec<u32> {
        let TableBuilder { signals, rules, patterns, sets, groups, lists, scope_ends, scopes: _ } = self;
        let counts = [scope_ends.len(), signals.len(), rules.len(), patterns.len(), sets.len(), groups.len()];
        let mut words = vec![usage as u32];
        words.extend(counts.map(u32_of));
        words.extend(scope_ends.iter().flatten());
        words.extend(signals.iter().flatten());
        words.extend(rules.iter().flatten());
        words.extend(patterns.iter().flatten());
        words.extend(sets.iter().flatten());
        words.extend(groups.iter().flatten());
        words.extend(lists);
        words
    }
}

/// A file has fewer lines, patterns and bytes than fit in 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
pub(crate) const fn u32_of(n: usize) -> u32 {
    debug_assert!(n <= u32::MAX as usize);
    n as u32
}
