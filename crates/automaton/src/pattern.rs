//! Path patterns as literal segments (RFC 9309, section 2.2.3; Koster 1996, section 3.2.2; `crates/DIALECTS.md`, P1 to P3,
//! R1 and R3).
//!
//! `L0 * L1 * ... * Lk [$]`: a prefix that begins at the text's first byte, then unanchored segments, each anywhere
//! after the previous one; the end of the pattern may be anchored at the end of the text. Consecutive stars are one
//! star, and a star at the end (also before `$`) adds nothing: they count for the rank, but matching does not need
//! them.

use bumpalo::Bump;
use bumpalo::collections::Vec;
use robomata_policy::{Rule, RuleSet};
use robomata_protocol::semantics::{EmptyPattern, Normalization, PatternLength};
use robomata_protocol::{Access, Dialect, Semantics, Span};

use crate::block::{BLOCK, Block, for_each_block};
use crate::int::{leading_bytes, u32_of};
use crate::normal::{NormalForm, Part as UrlPart, odd_bytes, query_reading};
use crate::rank::Rank;
use crate::sort::{Part, Texts};

/// Whether the pattern's last segment must end at the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum End {
    /// No: the pattern is open.
    Open,
    /// Yes: the pattern ends in `$`.
    Anchored,
}

/// The special bytes of a dialect's patterns (P1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// `*` is any run of bytes, a final `$` is the end of the text.
    Wildcards,
    /// No byte is special: a pattern is a prefix.
    Prefixes,
}

impl Language {
    pub(crate) const fn of(dialect: Dialect) -> Self {
        if dialect.semantics().wildcards { Language::Wildcards } else { Language::Prefixes }
    }
}

/// One rule's pattern, split into segments. Its bytes are slices of the written text, or of the arena if normalization
/// changed them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern<'a> {
    /// The bytes between the text's first byte and the first `*`.
    pub(crate) prefix: &'a [u8],
    /// The segments after the prefix; none is empty.
    pub(crate) unanchored: &'a [&'a [u8]],
    /// The length that the dialect counts (R1, [`PatternLength`]). An empty pattern has none, all others have.
    pub(crate) bytes: u32,
    pub(crate) line: u32,
    /// Its rank, once that is known; 0 until then, and for a pattern that never decides.
    pub(crate) rank: Rank,
    pub(crate) access: Access,
    pub(crate) end: End,
}

/// A pattern as written, without the `$` at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternText<'a> {
    bytes: &'a [u8],
    end: End,
}

/// The patterns of `rules`, in the order of the rules.
pub(crate) fn patterns<'a>(rules: &RuleSet<'a>, arena: &'a Bump) -> &'a mut [Pattern<'a>] {
    let dialect = rules.policy().dialect();
    let mut divider = Divider::of(dialect, arena);
    let count: usize = rules.groups().iter().map(|group| rules.policy().rules_of(group).len()).sum();
    let mut patterns = Vec::with_capacity_in(count, arena);
    each_pattern(rules, arena, |written, rule| {
        let pattern = divider.divide(written, rule);
        patterns.push(pattern);
        !pattern.unanchored.is_empty()
    });
    patterns.into_bump_slice_mut()
}

/// The patterns of `written`, in order, in the normal form `form`. Their lines are their positions, starting at 1.
pub(crate) fn patterns_without_rules<'a>(
    written: &[&'a [u8]],
    form: NormalForm,
    arena: &'a Bump,
) -> &'a mut [Pattern<'a>] {
    let mut divider = Divider::new(form, Language::Wildcards, PatternLength::Bytes, arena);
    let mut patterns = Vec::with_capacity_in(written.len(), arena);
    for (line, &pattern) in (1..).zip(written) {
        let rule = Rule { access: Access::Disallow, line, pattern: Span::default() };
        patterns.push(divider.divide(PatternText::new(pattern, Language::Wildcards), &rule));
    }
    patterns.into_bump_slice_mut()
}

/// Splits patterns into segments in their normal form.
struct Divider<'a> {
    form: NormalForm,
    language: Language,
    length: PatternLength,
    /// Whether even a pattern without marks is normalized and counted byte by byte.
    is_always_marked: bool,
    arena: &'a Bump,
    /// The unanchored segments of the current pattern.
    segments: Vec<'a, &'a [u8]>,
    /// The normal form of the current segment.
    normal: std::vec::Vec<u8>,
}

impl<'a> Divider<'a> {
    fn of(dialect: Dialect, arena: &'a Bump) -> Self {
        let length = dialect.semantics().pattern_length;
        Divider::new(NormalForm::of_patterns(dialect), Language::of(dialect), length, arena)
    }

    fn new(form: NormalForm, language: Language, length: PatternLength, arena: &'a Bump) -> Self {
        // The marks do not include letters.
        let is_always_marked = form == NormalForm::Folded || length == PatternLength::Literals;
        let (segments, normal) = (Vec::new_in(arena), std::vec::Vec::new());
        Divider { form, language, length, is_always_marked, arena, segments, normal }
    }

    /// The number of bytes that the end of a pattern counts. Where only literals count, each end counts the same, so that
    /// only an empty pattern has no length.
    fn end_bytes(&self, written: PatternText<'_>) -> usize {
        let is_empty = written.bytes.is_empty() && written.end == End::Open;
        let has_end = match self.length {
            PatternLength::Bytes => written.end == End::Anchored,
            PatternLength::Literals => !is_empty,
        };
        usize::from(has_end)
    }

    #[inline]
    fn divide(&mut self, written: PatternText<'a>, rule: &Rule) -> Pattern<'a> {
        let Rule { access, line, .. } = *rule;
        let PatternText { bytes: prefix, end } = written;
        let mut marks = Marks::of(prefix);
        marks.odd |= self.is_always_marked;
        if marks == Marks::NONE {
            let bytes = u32_of(prefix.len()) + u32::from(end == End::Anchored);
            return Pattern { prefix, unanchored: &[], bytes, line, rank: 0, access, end };
        }
        self.divide_marked(written, marks, rule)
    }

    /// Splits a pattern with stars or with bytes to normalize.
    fn divide_marked(&mut self, written: PatternText<'a>, marks: Marks, rule: &Rule) -> Pattern<'a> {
        let PatternText { bytes: mut rest, mut end } = written;
        let mut bytes = self.end_bytes(written);
        let mut part = UrlPart::Path;
        let mut prefix = None;
        let has_stars = marks.stars && self.language == Language::Wildcards;
        self.segments.clear();
        loop {
            let star = if has_stars { memchr::memchr(b'*', rest) } else { None };
            let (segment, counted) = self.normal(&rest[..star.unwrap_or(rest.len())], marks, &mut part);
            bytes += counted;
            if prefix.is_none() {
                prefix = Some(segment);
            } else if !segment.is_empty() {
                self.segments.push(segment);
            } else if star.is_none() {
                // A star comes last: the end of the text no longer matters.
                end = End::Open;
            }
            let Some(star) = star else { break };
            let following = &rest[star..];
            let stars = following.iter().take_while(|&&byte| byte == b'*').count();
            if self.length == PatternLength::Bytes {
                bytes += stars;
            }
            rest = &following[stars..];
        }
        let unanchored = &*self.arena.alloc_slice_copy(&self.segments);
        let prefix = match (prefix.unwrap_or_default(), unanchored) {
            // Every text begins with `/`, so `/*x` and `*x` match the same texts if x itself does not begin with it.
            (b"/", [first, ..]) if first[0] != b'/' => &[],
            (prefix, _) => prefix,
        };
        Pattern {
            prefix,
            unanchored,
            bytes: u32_of(bytes),
            line: rule.line,
            rank: 0,
            access: rule.access,
            end,
        }
    }

    /// The normal form of a segment, and its length for the order of rules.
    fn normal(&mut self, segment: &'a [u8], marks: Marks, part: &mut UrlPart) -> (&'a [u8], usize) {
        if !marks.odd {
            return (segment, segment.len());
        }
        self.normal.clear();
        let counted = self.form.push_all(segment, part, &mut self.normal);
        let counted = match self.length {
            PatternLength::Bytes => counted,
            PatternLength::Literals => self.normal.len(),
        };
        (self.arena.alloc_slice_copy(&self.normal), counted)
    }
}

/// The bytes of a pattern that require splitting or normalization.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Marks {
    stars: bool,
    /// A byte that some normal form changes, or one of a few others.
    odd: bool,
}

impl Marks {
    const NONE: Marks = Marks { stars: false, odd: false };

    /// The marks of `bytes`, found sixteen bytes at a time: patterns are too short for calls.
    #[inline]
    fn of(bytes: &[u8]) -> Self {
        let star = Block::splat(b'*');
        let (mut stars, mut odd) = (Block::splat(0), Block::splat(0));
        let mut look = |block: Block| {
            stars = stars.or(block.equals(star));
            odd = odd.or(odd_bytes(block));
        };
        if bytes.len() < BLOCK {
            look(short_block(bytes));
        } else {
            for_each_block(bytes, b'/', look);
        }
        Marks { stars: stars.any_high(), odd: odd.any_high() }
    }
}

/// Less than a block of bytes, and then slashes. A copy would be a call.
#[inline]
fn short_block(bytes: &[u8]) -> Block {
    const SLASHES: u128 = u128::from_ne_bytes([b'/'; BLOCK]);
    let (first, second) = (leading_bytes(bytes), leading_bytes(bytes.get(8..).unwrap_or_default()));
    let text = u128::from(first) << 64 | u128::from(second);
    Block::new(&(text | SLASHES >> (8 * bytes.len())).to_be_bytes())
}

impl Pattern<'_> {
    /// Whether the pattern can match any text. Every text begins with `/` (P2), and an empty pattern may have no effect
    /// (P3).
    pub(crate) fn can_match(&self, empty_pattern: EmptyPattern) -> bool {
        match self.prefix.first() {
            Some(&first) => first == b'/',
            None if self.bytes == 0 => empty_pattern == EmptyPattern::AllowsLast,
            // Only `$`: the end at the beginning. No text is empty.
            None => self.end == End::Open || !self.unanchored.is_empty(),
        }
    }
}

/// Patterns sort by shape: those with the same shape match the same texts. Those with the same prefix are adjacent, and
/// prefixes ascend.
impl Texts for [Pattern<'_>] {
    #[inline]
    fn part(&self, text: u32, number: usize) -> Part<'_> {
        let Pattern { prefix, unanchored, end, .. } = &self[text as usize];
        match number.checked_sub(1) {
            // After the first byte, which is `/` in all of them.
            None => prefix.get(1..).map_or(Part::Nothing, Part::Bytes),
            Some(number) => match (unanchored.get(number), end) {
                (Some(segment), _) => Part::Bytes(segment),
                (None, End::Open) => Part::Nothing,
                (None, End::Anchored) => Part::Anchor,
            },
        }
    }
}

/// Calls `each` with every pattern of `rules`, as written, in the order of the rules. `each` returns whether the
/// pattern has segments after a star: only then can it have a second reading (N1).
pub(crate) fn each_pattern<'a>(
    rules: &RuleSet<'a>,
    arena: &'a Bump,
    mut each: impl FnMut(PatternText<'a>, &'a Rule) -> bool,
) {
    let policy = rules.policy();
    let language = Language::of(policy.dialect());
    let Semantics { index_pages, normalization, empty_pattern, .. } = *policy.dialect().semantics();
    let has_readings = normalization == Normalization::WhereNoDelimiter;
    let opens_all = empty_pattern == EmptyPattern::DisallowIsAllow;
    for rule in rules.groups().iter().flat_map(|&group| policy.rules_of(group)) {
        let written = rule.pattern.of(policy.text());
        if opens_all && written.is_empty() && rule.access == Access::Disallow {
            each(PatternText::new(b"/", language), arena.alloc(Rule { access: Access::Allow, ..*rule }));
            continue;
        }
        let has_segments = each(PatternText::new(written, language), rule);
        if has_segments
            && has_readings
            && let Some(reading) = query_reading(written)
        {
            each(PatternText::new(arena.alloc_slice_copy(&reading), language), rule);
        }
        if index_pages
            && rule.access == Access::Allow
            && let Some(directory) = directory_of_index_page(written)
        {
            each(directory, rule);
        }
    }
}

impl<'a> PatternText<'a> {
    fn new(pattern: &'a [u8], language: Language) -> Self {
        match pattern {
            [bytes @ .., b'$'] if language == Language::Wildcards => {
                PatternText { bytes, end: End::Anchored }
            }
            bytes => PatternText { bytes, end: End::Open },
        }
    }
}

/// The normal form of a pattern for display. Its length agrees with its rank, except for literal `*` and `$`, which are
/// percent-encoded so that the text reads as the same pattern. In dialects without special bytes, they stay unchanged.
pub(crate) fn display(pattern: PatternText<'_>, dialect: Dialect) -> String {
    let PatternText { bytes: written, end } = pattern;
    let form = NormalForm::of_patterns(dialect);
    let is_wild = Language::of(dialect) == Language::Wildcards;
    let (mut out, mut literal) = (vec![], vec![]);
    let mut part = UrlPart::Path;
    let mut at = 0;
    while at < written.len() {
        if is_wild && written[at] == b'*' {
            out.push(b'*');
            at += 1;
            continue;
        }
        literal.clear();
        at += form.push(&written[at..], &mut part, &mut literal);
        match literal[..] {
            [b'*'] if is_wild => out.extend_from_slice(b"%2A"),
            [b'$'] if is_wild => out.extend_from_slice(b"%24"),
            _ => out.extend_from_slice(&literal),
        }
    }
    if end == End::Anchored {
        out.push(b'$');
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Google's index pages: `/d/index.htm...` also means `/d/$` (R3; robots.cc 639-665).
fn directory_of_index_page(written: &[u8]) -> Option<PatternText<'_>> {
    let slash = memchr::memrchr(b'/', written)?;
    let (directory, page) = written.split_at(slash + 1);
    page.starts_with(b"index.htm").then_some(PatternText { bytes: directory, end: End::Anchored })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::is_odd;

    fn divide(written: &str, dialect: Dialect) -> (String, std::vec::Vec<String>, End, u32) {
        let arena = Bump::new();
        let mut divider = Divider::of(dialect, &arena);
        let rule = Rule { access: Access::Disallow, line: 1, pattern: Span::new(0, 0) };
        let pattern = divider.divide(PatternText::new(written.as_bytes(), Language::of(dialect)), &rule);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let unanchored = pattern.unanchored.iter().map(|segment| text(segment)).collect();
        (text(pattern.prefix), unanchored, pattern.end, pattern.bytes)
    }

    #[test]
    fn stars_divide_and_every_one_counts() {
        let cases: [(&str, &str, &[&str], End, u32); 13] = [
            ("/a", "/a", &[], End::Open, 2),
            ("/a$", "/a", &[], End::Anchored, 3),
            ("/a*", "/a", &[], End::Open, 3),
            ("/a*$", "/a", &[], End::Open, 4),
            ("/a***b*$", "/a", &["b"], End::Open, 8),
            ("*.gif$", "", &[".gif"], End::Anchored, 6),
            ("/*x", "", &["x"], End::Open, 3),
            ("/*/x", "/", &["/x"], End::Open, 4),
            ("/a$b", "/a$b", &[], End::Open, 4),
            ("/%2A*%24$", "/*", &["$"], End::Anchored, 9),
            ("/a b*\t|", "/a%20b", &["%09%7C"], End::Open, 13),
            ("*", "", &[], End::Open, 1),
            ("$", "", &[], End::Anchored, 1),
        ];
        for (written, prefix, unanchored, end, bytes) in cases {
            let unanchored = unanchored.iter().map(ToString::to_string).collect();
            let expected = (prefix.to_string(), unanchored, end, bytes);
            assert_eq!(divide(written, Dialect::Rfc9309), expected, "{written}");
        }
    }

    #[test]
    fn marks_are_found_wherever_two_of_them_are() {
        const SPECIAL: [u8; 10] = [b'*', b'%', 0x80, 0xFF, b'*' + 0x80, b'+', b'&', b' ', b'|', b'/'];
        for length in 1..3 * BLOCK {
            for (one, other) in (0..length).flat_map(|one| (0..=one).map(move |other| (one, other))) {
                for (a, b) in SPECIAL.into_iter().flat_map(|a| SPECIAL.map(|b| (a, b))) {
                    let mut bytes = std::vec![b'a'; length];
                    bytes[one] = a;
                    bytes[other] = b;
                    let (stars, odd) = (bytes.contains(&b'*'), bytes.iter().any(|&byte| is_odd(byte)));
                    assert!(Marks::of(&bytes) == Marks { stars, odd }, "{}", bytes.escape_ascii());
                }
            }
        }
        assert!(Marks::of(b"") == Marks::NONE);
    }

    #[test]
    fn people_read_the_whole_normal_form() {
        for (written, expected) in [
            ("/*.gif$", "/*.gif$"),
            ("/a**", "/a**"),
            ("/%2a%7e%e9$", "/%2A~%E9$"),
            ("/a$b", "/a%24b"),
            ("", ""),
        ] {
            let written = PatternText::new(written.as_bytes(), Language::Wildcards);
            assert_eq!(display(written, Dialect::Rfc9309), expected);
        }
    }

    #[test]
    fn the_draft_s_paths_are_prefixes() {
        let cases: [(&str, &str); 7] = [
            ("/a*b$", "/a*b$"),
            ("*", "*"),
            ("$", "$"),
            ("/%2A%24", "/*$"),
            ("/%2f%", "/%2F%25"),
            ("", ""),
            ("/*%zz", "/*%25zz"),
        ];
        for (written, expected) in cases {
            let divided = divide(written, Dialect::Koster1996);
            let bytes = u32::try_from(expected.len()).unwrap();
            assert_eq!(divided, (expected.to_owned(), vec![], End::Open, bytes), "{written}");
            let written = PatternText::new(written.as_bytes(), Language::Prefixes);
            assert_eq!(display(written, Dialect::Koster1996), expected);
        }
    }

    #[test]
    fn index_pages_have_a_directory() {
        let directory = |written: &str| {
            directory_of_index_page(written.as_bytes()).map(|written| display(written, Dialect::Google))
        };
        assert_eq!(directory("/d/index.html"), Some("/d/$".to_owned()));
        assert_eq!(directory("/*/index.htm?x"), Some("/*/$".to_owned()));
        assert_eq!(directory("/index.htm/x"), None);
        assert_eq!(directory("/d/Index.html"), None);
    }
}
