//! Path patterns as literal segments (RFC 9309, section 2.2.3; `crates/DIALECTS.md`, P1 to P3, R1 and R3).
//!
//! `L0 * L1 * ... * Lk [$]`: a head that begins at the text's first octet, then floating segments, each anywhere behind
//! its predecessor; the end of the pattern may have to be the end of the text. Stars next to each other are one star, a
//! star at the end (also before `$`) adds nothing: the rank counts them, the matching does not need them.

use std::cmp::Ordering;

use robomata_policy::{Rule, RuleSet};
use robomata_protocol::{Access, Dialect};

use crate::int::u32_of;
use crate::normal::NormalForm;

/// Must the end of the pattern's last segment be the end of the text?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum End {
    /// No: the pattern is open.
    Open,
    /// Yes: the pattern ends in `$`.
    Anchored,
}

/// One rule's pattern, divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) access: Access,
    pub(crate) line: u32,
    /// Octets of the normal form, every `*` and the final `$` counted (R1).
    pub(crate) octets: u32,
    /// The head's octets behind its first one, as far as they fit into a number that sorts as they do: patterns are
    /// compared more often than anything else is done with them.
    head_start: u64,
    head: (u32, u32),
    floating: (u32, u32),
    pub(crate) end: End,
}

/// The patterns of a rule set; their octets and segments lie in two arrays.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    octets: Vec<u8>,
    segments: Vec<(u32, u32)>,
    patterns: Vec<Pattern>,
}

impl Patterns {
    /// Replaces what is here by the patterns of `rules`, in their order.
    pub(crate) fn fill(&mut self, rules: &RuleSet<'_>) {
        self.octets.clear();
        self.segments.clear();
        self.patterns.clear();
        let dialect = rules.policy().dialect();
        each_pattern(rules, |written, rule| self.push(written, rule.access, rule.line, dialect));
    }

    fn push(&mut self, written: &[u8], access: Access, line: u32, dialect: Dialect) {
        let form = NormalForm::of_patterns(dialect);
        let (written, mut end) = match written {
            [rest @ .., b'$'] => (rest, End::Anchored),
            _ => (written, End::Open),
        };
        let mut octets = u32::from(end == End::Anchored);
        let first_segment = u32_of(self.segments.len());
        let mut start = self.octets.len();
        let mut head = None;
        let mut at = 0;
        while at < written.len() {
            if written[at] == b'*' {
                octets += 1;
                at += 1;
                let ended = (u32_of(start), u32_of(self.octets.len()));
                start = self.octets.len();
                match head {
                    None => head = Some(ended),
                    Some(_) if ended.0 < ended.1 => self.segments.push(ended),
                    Some(_) => {}
                }
            } else {
                let before = self.octets.len();
                at += form.push(&written[at..], &mut self.octets);
                octets += u32_of(self.octets.len() - before);
            }
        }
        let last = (u32_of(start), u32_of(self.octets.len()));
        let head = match head {
            None => last,
            Some(head) if last.0 < last.1 => {
                self.segments.push(last);
                head
            }
            // A star stands last: where the text ends no longer matters.
            Some(head) => {
                end = End::Open;
                head
            }
        };
        let floating = (first_segment, u32_of(self.segments.len()));
        self.patterns.push(Pattern { access, line, octets, head_start: 0, head, floating, end });
        self.widen_head();
        self.note_head_start();
    }

    /// Every text begins with `/`, so `/*x` and `*x` match the same texts when x itself does not begin with `/`.
    fn widen_head(&mut self) {
        let Some(&pattern) = self.patterns.last() else { return };
        let behind_root = self.head(&pattern) == b"/"
            && self.floating(&pattern).next().is_some_and(|segment| segment[0] != b'/');
        if behind_root && let Some(last) = self.patterns.last_mut() {
            last.head = (pattern.head.0, pattern.head.0);
        }
    }

    fn note_head_start(&mut self) {
        let Some(pattern) = self.patterns.last() else { return };
        let head = self.head(pattern);
        // Two heads that agree in these octets may differ in length or in what follows: then they are compared whole. The
        // first octet alone (nothing or `/`) tells no two heads apart that anything else does not.
        let mut start = [0; 8];
        let behind = head.get(1..).unwrap_or_default();
        let length = behind.len().min(8);
        start[..length].copy_from_slice(&behind[..length]);
        if let Some(last) = self.patterns.last_mut() {
            last.head_start = u64::from_be_bytes(start);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.patterns.len()
    }

    pub(crate) fn get(&self, index: u32) -> &Pattern {
        &self.patterns[index as usize]
    }

    /// The octets between the text's first octet and the first `*`.
    pub(crate) fn head(&self, pattern: &Pattern) -> &[u8] {
        self.slice(pattern.head)
    }

    /// The segments behind the head; none is empty.
    pub(crate) fn floating(
        &self,
        pattern: &Pattern,
    ) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        let (start, end) = pattern.floating;
        self.segments[start as usize..end as usize].iter().map(|&segment| self.slice(segment))
    }

    fn slice(&self, (start, end): (u32, u32)) -> &[u8] {
        &self.octets[start as usize..end as usize]
    }

    /// Can the pattern match a text at all? Every text begins with `/` (P2), and under RFC 9309 an empty pattern has no
    /// effect (P3).
    pub(crate) fn can_match(&self, pattern: &Pattern, dialect: Dialect) -> bool {
        match self.head(pattern).first() {
            Some(&first) => first == b'/',
            None if pattern.octets == 0 => dialect == Dialect::Google,
            // `$` alone: the end where the begin is. No text is empty.
            None => pattern.end == End::Open || pattern.floating.0 < pattern.floating.1,
        }
    }

    /// Orders patterns so that those with the same shape, which match the same texts, stand together and heads ascend.
    pub(crate) fn compare_shapes(&self, a: &Pattern, b: &Pattern) -> Ordering {
        a.head_start
            .cmp(&b.head_start)
            .then_with(|| self.head(a).cmp(self.head(b)))
            .then_with(|| self.floating(a).cmp(self.floating(b)))
            .then_with(|| a.end.cmp(&b.end))
    }
}

/// Calls `each` with every pattern that `rules` stand for, as written, in the order of the rules.
pub(crate) fn each_pattern<'p>(rules: &RuleSet<'p>, mut each: impl FnMut(&[u8], &'p Rule)) {
    let policy = rules.policy();
    let mut index_page = Vec::new();
    for rule in rules.rules() {
        let written = rule.pattern.of(policy.text());
        each(written, rule);
        if policy.dialect() == Dialect::Google
            && rule.access == Access::Allow
            && directory_of_index_page(written, &mut index_page)
        {
            each(&index_page, rule);
        }
    }
}

/// The normal form of a pattern for people, as long as its rank says but for literal `*` and `$`, which are
/// percent-encoded so that it reads as the pattern that it is.
pub(crate) fn display(written: &[u8], dialect: Dialect) -> String {
    let form = NormalForm::of_patterns(dialect);
    let (mut out, mut literal) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < written.len() {
        if written[at] == b'*' || written[at] == b'$' && at + 1 == written.len() {
            out.push(written[at]);
            at += 1;
            continue;
        }
        literal.clear();
        at += form.push(&written[at..], &mut literal);
        match literal[..] {
            [b'*'] => out.extend_from_slice(b"%2A"),
            [b'$'] => out.extend_from_slice(b"%24"),
            _ => out.extend_from_slice(&literal),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Google's index pages: for `/d/index.htm...` writes `/d/$` (R3; robots.cc 639-665).
fn directory_of_index_page(written: &[u8], directory: &mut Vec<u8>) -> bool {
    let Some(slash) = memchr::memrchr(b'/', written) else { return false };
    if !written[slash + 1..].starts_with(b"index.htm") {
        return false;
    }
    directory.clear();
    directory.extend_from_slice(&written[..=slash]);
    directory.push(b'$');
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divide(written: &str, dialect: Dialect) -> (String, Vec<String>, End, u32) {
        let mut patterns = Patterns::default();
        patterns.push(written.as_bytes(), Access::Disallow, 1, dialect);
        let pattern = *patterns.get(0);
        let text = |octets: &[u8]| String::from_utf8(octets.to_vec()).unwrap();
        let floating = patterns.floating(&pattern).map(text).collect();
        (text(patterns.head(&pattern)), floating, pattern.end, pattern.octets)
    }

    #[test]
    fn stars_divide_and_every_one_counts() {
        let cases: [(&str, &str, &[&str], End, u32); 12] = [
            ("/a", "/a", &[], End::Open, 2),
            ("/a$", "/a", &[], End::Anchored, 3),
            ("/a*", "/a", &[], End::Open, 3),
            ("/a*$", "/a", &[], End::Open, 4),
            ("/a***b*$", "/a", &["b"], End::Open, 8),
            ("*.gif$", "", &[".gif"], End::Anchored, 6),
            ("/*x", "", &["x"], End::Open, 3),
            ("/*/x", "/", &["/x"], End::Open, 4),
            ("/a$b", "/a$b", &[], End::Open, 4),
            ("/%2A*%24$", "/*", &["$"], End::Anchored, 5),
            ("*", "", &[], End::Open, 1),
            ("$", "", &[], End::Anchored, 1),
        ];
        for (written, head, floating, end, octets) in cases {
            let floating = floating.iter().map(ToString::to_string).collect();
            let expected = (head.to_string(), floating, end, octets);
            assert_eq!(divide(written, Dialect::Rfc9309), expected, "{written}");
        }
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
            assert_eq!(display(written.as_bytes(), Dialect::Rfc9309), expected);
        }
    }

    #[test]
    fn index_pages_have_a_directory() {
        let directory = |written: &str| {
            let mut out = Vec::new();
            directory_of_index_page(written.as_bytes(), &mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(directory("/d/index.html"), Some("/d/$".to_owned()));
        assert_eq!(directory("/*/index.htm?x"), Some("/*/$".to_owned()));
        assert_eq!(directory("/index.htm/x"), None);
        assert_eq!(directory("/d/Index.html"), None);
    }
}
