//! The rules of a file as literal segments, for the engines that are built here from stock parts.

use robomata_engine::automaton::{NormalForm, readings};
use robomata_engine::{Access, Config, Crawler, Dialect, Policy};

/// One rule: `L0 * L1 * … * Lk [$]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) access: Access,
    /// The text before the first `*`, in normal form.
    pub(super) head: Vec<u8>,
    /// The texts after each `*`, none empty, in normal form.
    pub(super) floating: Vec<Vec<u8>>,
    /// Whether the text must end after the last segment.
    pub(super) is_anchored: bool,
    bytes: usize,
}

/// The patterns of the rules for `crawler` that can match something. Later ones win over earlier ones.
pub(super) fn ranked(body: &[u8], crawler: &Crawler, config: &Config) -> Vec<Pattern> {
    let policy = Policy::new(body, config);
    let rules = policy.rules_for(crawler);
    let patterns = rules.rules().flat_map(|rule| {
        readings(rule.pattern.of(policy.text())).map(|reading| divide(&reading, rule.access))
    });
    let mut patterns: Vec<Pattern> = patterns.collect();
    patterns.retain(Pattern::can_match);
    patterns.sort_by_key(|pattern| (pattern.bytes, pattern.access));
    patterns
}

/// `*` and `$` are recognised as written. Then each piece is normalised by itself (N2); pieces after the first `?` are
/// normalised as part of a query. No `%xx` contains a star, so no escape is split. An encoded `%2A` or `%24` counts
/// three.
fn divide(written: &[u8], access: Access) -> Pattern {
    let (open, mut is_anchored) = match written {
        [open @ .., b'$'] => (open, true),
        _ => (written, false),
    };
    let form = NormalForm::of_patterns(Dialect::Rfc9309);
    let mut buffer = Vec::new();
    let mut in_query = false;
    let mut marks = 0;
    let mut segments: Vec<Vec<u8>> = Vec::new();
    for piece in open.split(|&byte| byte == b'*') {
        let text = [if in_query { b"?".as_slice() } else { b"" }, piece].concat();
        let normal = form.of_target(&text, &mut buffer)[usize::from(in_query)..].to_vec();
        let count = |text: &[u8]| text.iter().filter(|byte| matches!(byte, b'*' | b'$')).count();
        marks += count(&normal) - count(piece);
        in_query |= piece.contains(&b'?');
        segments.push(normal);
    }
    let stars = segments.len() - 1;
    let bytes = segments.iter().map(Vec::len).sum::<usize>() + 2 * marks + stars + usize::from(is_anchored);
    // A star at the end matches any rest.
    is_anchored &= stars == 0 || segments.last().is_some_and(|last| !last.is_empty());
    let head = segments.remove(0);
    segments.retain(|segment| !segment.is_empty());
    Pattern { access, head, floating: segments, is_anchored, bytes }
}

impl Pattern {
    /// Every target begins with `/`, and an empty pattern has no effect.
    fn can_match(&self) -> bool {
        match self.head.first() {
            Some(&first) => first == b'/',
            None => self.bytes > 0 && (!self.is_anchored || !self.floating.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_split_the_pattern_and_each_counts() {
        let cases: [(&str, &str, &[&str], bool, usize); 8] = [
            ("/a", "/a", &[], false, 2),
            ("/a*$", "/a", &[], false, 4),
            ("/a***b*$", "/a", &["b"], false, 8),
            ("/a*b$", "/a", &["b"], true, 5),
            ("*.gif$", "", &[".gif"], true, 6),
            ("/%2A*%24$", "/*", &["$"], true, 9),
            ("*", "", &[], false, 1),
            ("/%7e%e9", "/~%E9", &[], false, 5),
        ];
        for (written, head, floating, is_anchored, bytes) in cases {
            let pattern = divide(written.as_bytes(), Access::Allow);
            assert_eq!(pattern.head, head.as_bytes(), "{written}");
            assert_eq!(pattern.floating, floating.iter().map(|s| s.as_bytes()).collect::<Vec<_>>());
            assert_eq!((pattern.is_anchored, pattern.bytes), (is_anchored, bytes), "{written}");
        }
    }
}
