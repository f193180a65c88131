//! The tables of a statement program: 32-bit words, little-endian.
//!
//! ```text
//! query       1 word    the usage besides crawl: see `QueriedUsage`
//! signal      2 words   the Content-Signal statement about the usage (0 none, 1 yes, 2 no), its line
//! counts      4 words   rules, patterns of fields, resource sets, groups
//! rules       4 words each, by number in the rule set: kind, line, where its scope begins and ends
//! patterns    6 words each, by number in the field set: where its scope begins and ends, the lists of groups on it and
//!                       of resource sets that contain it (first index in the list section, and one past the last)
//! sets        2 words each: the list of groups on it
//! groups      3 words each: levels and meaning, line, the instant at which a permission ends, divided by the
//!                       seconds of a day (0: it has no end)
//! lists       the rest  numbers of groups and of sets
//! ```
//!
//! Rules of one vocabulary are numbered in ascending order: the matching rule with the largest number decides.

/// The usage that a statement program answers about besides crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueriedUsage {
    Crawl = 0,
    /// Another usage.
    Other = 1,
}

/// The kind of statement that a pattern of the rule set makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    Allow = 0,
    Disallow = 1,
    /// A noindex record, for queries about index.
    Noindex = 2,
    /// A Content-Usage record about the usage, or only about others.
    UsageYes = 3,
    UsageNo = 4,
    UsageSilent = 5,
}

/// The rule is from one of the crawler's own groups.
pub(crate) const NAMED: u32 = 1 << 8;

impl RuleKind {
    fn of(word: u32) -> Option<Self> {
        const KINDS: [RuleKind; 6] = [
            RuleKind::Allow,
            RuleKind::Disallow,
            RuleKind::Noindex,
            RuleKind::UsageYes,
            RuleKind::UsageNo,
            RuleKind::UsageSilent,
        ];
        KINDS.get((word & 0xFF) as usize).copied()
    }
}

/// A group's word: its level for crawl, its level for the usage (0 for none), and whether it prohibits.
pub(crate) const USAGE_SHIFT: u32 = 8;
pub(crate) const PROHIBITS: u32 = 1 << 16;

/// A level as a number: the larger one decides, except that [`EXACT`] comes after the scopes. 0 is none.
pub(crate) const EXPLICIT: u8 = 1 << 4;
pub(crate) const PURPOSE: u8 = 1 << 3;
pub(crate) const FOR_NAMED: u8 = 1 << 2;
pub(crate) const ANY: u8 = 1 << 1;
pub(crate) const EXACT: u8 = 1;

const RULE: usize = 4;
const PATTERN: usize = 6;
const SET: usize = 2;
const GROUP: usize = 3;
const FIXED: usize = 7;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables<'p> {
    pub(crate) scopes: &'p [u8],
    pub(crate) words: &'p [u8],
}

/// A decoded rule of the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule<'p> {
    pub(crate) kind: RuleKind,
    pub(crate) named: bool,
    pub(crate) line: u32,
    pub(crate) scope: &'p [u8],
}

/// A decoded group of fields of the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Levels for crawl and for the usage.
    pub(crate) levels: [u8; 2],
    pub(crate) prohibits: bool,
    pub(crate) line: u32,
    /// The day (since 1970-01-01, UTC) at whose beginning the permission ends; 0: it has no end.
    pub(crate) end: u32,
}

/// The number of four bytes.
pub(crate) fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

impl<'p> Tables<'p> {
    /// A word; 0 after the last one.
    fn at(&self, index: usize) -> u32 {
        self.words.get(index * 4..).map_or(0, word)
    }

    fn count(&self, which: usize) -> usize {
        self.at(3 + which) as usize
    }

    pub(crate) fn is_crawl_alone(&self) -> bool {
        self.at(0) == QueriedUsage::Crawl as u32
    }

    /// The Content-Signal statement about the usage, and its line.
    pub(crate) fn signal(&self) -> Option<(bool, u32)> {
        match self.at(1) {
            0 => None,
            says => Some((says == 1, self.at(2))),
        }
    }

    fn patterns_at(&self) -> usize {
        FIXED + self.count(0) * RULE
    }

    fn sets_at(&self) -> usize {
        self.patterns_at() + self.count(1) * PATTERN
    }

    fn groups_at(&self) -> usize {
        self.sets_at() + self.count(2) * SET
    }

    fn lists_at(&self) -> usize {
        self.groups_at() + self.count(3) * GROUP
    }

    fn scope(&self, at: usize) -> &'p [u8] {
        self.scopes.get(self.at(at) as usize..self.at(at + 1) as usize).unwrap_or_default()
    }

    pub(crate) fn rule(&self, number: u32) -> Rule<'p> {
        let at = FIXED + number as usize * RULE;
        let kind = self.at(at);
        Rule {
            kind: RuleKind::of(kind).unwrap_or(RuleKind::UsageSilent),
            named: kind & NAMED != 0,
            line: self.at(at + 1),
            scope: self.scope(at + 2),
        }
    }

    /// The scope of a pattern of fields, and the groups that apply to it.
    pub(crate) fn pattern(&self, number: u32) -> (&'p [u8], impl Iterator<Item = Group>) {
        let tables = *self;
        let at = self.patterns_at() + number as usize * PATTERN;
        let own = tables.list(at + 2);
        let of_sets = tables.list(at + 4).flat_map(move |set| {
            let in_table = (set as usize) < tables.count(2);
            tables.list(if in_table { tables.sets_at() + set as usize * SET } else { usize::MAX / 8 })
        });
        (self.scope(at), own.chain(of_sets).map(move |group| tables.group(group)))
    }

    /// The list whose first and last index are at `at`.
    fn list(self, at: usize) -> impl Iterator<Item = u32> + use<'p> {
        let base = self.lists_at();
        let (first, end) = (self.at(at) as usize, self.at(at + 1) as usize);
        let end = end.min((self.words.len() / 4).saturating_sub(base));
        (first..end).map(move |place| self.at(base + place))
    }

    fn group(&self, number: u32) -> Group {
        let at = self.groups_at() + number as usize * GROUP;
        let [crawl, usage, ..] = self.at(at).to_le_bytes();
        Group {
            levels: [crawl, usage],
            prohibits: self.at(at) & PROHIBITS != 0,
            line: self.at(at + 1),
            end: self.at(at + 2),
        }
    }

    /// Whether the tables have an entry for every pattern of the two sets, and every list and scope exists.
    pub(crate) fn is_valid(&self, rules: u32, patterns: u32) -> bool {
        let words = self.words.len() / 4;
        let counts = [self.count(0), self.count(1), self.count(2), self.count(3)];
        // No count is larger than the table, so none of the sums overflows.
        if words < FIXED || counts.iter().any(|&count| count > words) || self.lists_at() > words {
            return false;
        }
        let has_scope =
            |at: usize| self.at(at) <= self.at(at + 1) && self.at(at + 1) as usize <= self.scopes.len();
        let is_rule = |number: usize| {
            let at = FIXED + number * RULE;
            RuleKind::of(self.at(at)).is_some() && has_scope(at + 2)
        };
        let mut lists = Lists { tables: *self, end: 0 };
        let (patterns_at, sets_at) = (self.patterns_at(), self.sets_at());
        counts[0] == rules as usize
            && counts[1] == patterns as usize
            && (0..counts[0]).all(is_rule)
            && (0..counts[1]).all(|number| {
                let at = patterns_at + number * PATTERN;
                has_scope(at) && lists.next_is(at + 2, counts[3]) && lists.next_is(at + 4, counts[2])
            })
            && (0..counts[2]).all(|number| lists.next_is(sets_at + number * SET, counts[3]))
            && lists.end as usize == words - self.lists_at()
    }
}

/// Checks lists that are consecutive, so that the check of all of them takes linear time.
struct Lists<'p> {
    tables: Tables<'p>,
    /// The end of the last list.
    end: u32,
}

impl Lists<'_> {
    /// Whether the list whose bounds are at `at` is the next one, with all items below `limit`.
    fn next_is(&mut self, at: usize, limit: usize) -> bool {
        let (start, end) = (self.tables.at(at), self.tables.at(at + 1));
        let room = (self.tables.words.len() / 4 - self.tables.lists_at()) as u64;
        let follows = start == self.end && start <= end && u64::from(end) <= room;
        self.end = end;
        follows && self.tables.list(at).all(|item| (item as usize) < limit)
    }
}

/// Builds tables.
#[derive(Debug, Default)]
pub(crate) struct TableBuilder {
    pub(crate) asked: u32,
    pub(crate) signal: [u32; 2],
    pub(crate) rules: Vec<[u32; RULE]>,
    pub(crate) patterns: Vec<[u32; PATTERN]>,
    pub(crate) sets: Vec<[u32; SET]>,
    pub(crate) groups: Vec<[u32; GROUP]>,
    pub(crate) lists: Vec<u32>,
    pub(crate) scopes: Vec<u8>,
}

impl TableBuilder {
    /// Adds a scope; returns its bounds.
    pub(crate) fn scope(&mut self, scope: &[u8]) -> [u32; 2] {
        let start = self.scopes.len();
        self.scopes.extend_from_slice(scope);
        [u32_of(start), u32_of(self.scopes.len())]
    }

    /// Adds a list; returns its bounds.
    pub(crate) fn list(&mut self, items: impl IntoIterator<Item = usize>) -> [u32; 2] {
        let start = self.lists.len();
        self.lists.extend(items.into_iter().map(u32_of));
        [u32_of(start), u32_of(self.lists.len())]
    }

    pub(crate) fn words(&self) -> Vec<u32> {
        let mut words = vec![self.asked, self.signal[0], self.signal[1]];
        let counts = [self.rules.len(), self.patterns.len(), self.sets.len(), self.groups.len()];
        words.extend(counts.map(u32_of));
        words.extend(self.rules.iter().flatten());
        words.extend(self.patterns.iter().flatten());
        words.extend(self.sets.iter().flatten());
        words.extend(self.groups.iter().flatten());
        words.extend(&self.lists);
        words
    }
}

/// A file has fewer lines, patterns and bytes than fit in 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
pub(crate) const fn u32_of(n: usize) -> u32 {
    debug_assert!(n <= u32::MAX as usize);
    n as u32
}
