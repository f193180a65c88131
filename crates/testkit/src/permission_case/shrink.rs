//! Shrinks a failing permission case.

use robomata_protocol::{Crawler, FetchStatus, PageFacts, Part};

use super::PermissionCase;

/// The maximum number of candidates per shrinking.
const MAX_QUESTIONS: usize = 6_000;

/// Returns a small case like `case` that still fails. It removes lines of the files first, then META tags, elements, links,
/// headers, words, circumstances and bytes.
///
/// `fails` returns whether a candidate still shows the failure; it must be true for `case` itself. The expectation
/// stays: the caller must update it.
pub fn shrink_permissions(
    case: &PermissionCase,
    fails: impl FnMut(&PermissionCase) -> bool,
) -> PermissionCase {
    let mut shrinker = Shrinker { best: case.clone(), fails, questions: 0 };
    while shrinker.questions < MAX_QUESTIONS {
        let before = shrinker.best.clone();
        shrinker.drop_files();
        shrinker.drop_of_page();
        shrinker.drop_circumstances();
        shrinker.drop_lines();
        shrinker.drop_pieces();
        if shrinker.best == before {
            break;
        }
    }
    shrinker.best
}

struct Shrinker<F> {
    best: PermissionCase,
    fails: F,
    questions: usize,
}

impl<F: FnMut(&PermissionCase) -> bool> Shrinker<F> {
    /// Makes `candidate` the best if it still fails.
    fn offer(&mut self, candidate: PermissionCase) -> bool {
        if self.questions >= MAX_QUESTIONS || candidate == self.best {
            return false;
        }
        self.questions += 1;
        let failed = (self.fails)(&candidate);
        if failed {
            self.best = candidate;
        }
        failed
    }

    /// Offers the best after `change`.
    fn try_to(&mut self, change: impl FnOnce(&mut PermissionCase)) -> bool {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        self.offer(candidate)
    }

    fn drop_files(&mut self) {
        let mut at = 0;
        while at < self.best.referenced.len() {
            if !self.try_to(|case| drop(case.referenced.remove(at))) {
                at += 1;
            }
        }
    }

    /// Removes META tags, headers and elements. If an element encloses others, they move to its own parent.
    fn drop_of_page(&mut self) {
        self.try_to(|case| case.tdmrep = None);
        self.try_to(|case| case.page = None);
        let facts = |case: &PermissionCase| case.facts().cloned().unwrap_or_default();
        for at in (0..facts(&self.best).metas.len()).rev() {
            self.try_to(|case| change_facts(case, |facts| drop(facts.metas.remove(at))));
        }
        for at in (0..facts(&self.best).links.len()).rev() {
            self.try_to(|case| change_facts(case, |facts| drop(facts.links.remove(at))));
        }
        for at in (0..facts(&self.best).headers.len()).rev() {
            self.try_to(|case| change_facts(case, |facts| drop(facts.headers.remove(at))));
        }
        for at in (0..facts(&self.best).elements.len()).rev() {
            self.try_to(|case| drop_element(case, at));
            for word in
                (0..facts(&self.best).elements.get(at).map_or(0, |element| element.classes.len())).rev()
            {
                self.try_to(|case| {
                    change_facts(case, |facts| drop(facts.elements[at].classes.remove(word)));
                });
            }
        }
    }

    fn drop_circumstances(&mut self) {
        self.try_to(|case| case.status = None::<FetchStatus>);
        self.try_to(|case| case.circumstances.purpose = None);
        self.try_to(|case| case.circumstances.now = None);
        self.try_to(|case| case.circumstances.first_use = None);
        self.try_to(|case| case.circumstances.last_crawl = None);
        if self.best.circumstances.part != Part::Page
            && !self.try_to(|case| case.circumstances.part = Part::Page)
        {
            self.try_to(|case| case.circumstances.part = Part::Rest);
        }
        for at in (0..self.best.crawler.tokens().len()).rev() {
            self.try_to(|case| {
                let mut tokens = case.crawler.tokens().to_vec();
                if tokens.len() > 1 {
                    tokens.remove(at);
                }
                case.crawler = Crawler::must(tokens);
            });
        }
    }

    fn drop_lines(&mut self) {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        for text in 0..=self.best.referenced.len() {
            let lines: Vec<Vec<u8>> =
                text_of(&self.best, text).split_inclusive(is_end).map(<[u8]>::to_vec).collect();
            self.drop_runs(lines, |case, lines| *text_of_mut(case, text) = lines.concat());
        }
    }

    /// Removes words of META tags and headers, then bytes of files and URL.
    fn drop_pieces(&mut self) {
        let facts = self.best.facts().cloned().unwrap_or_default();
        for (at, meta) in facts.metas.iter().enumerate() {
            let words = words(&meta.content);
            self.drop_runs(words, |case, words| {
                change_facts(case, |facts| facts.metas[at].content = words.concat());
            });
        }
        for (at, header) in facts.headers.iter().enumerate() {
            let words = words(&header.value);
            self.drop_runs(words, |case, words| {
                change_facts(case, |facts| facts.headers[at].value = words.concat());
            });
        }
        for text in 0..=self.best.referenced.len() {
            let bytes = text_of(&self.best, text).clone();
            self.drop_runs(bytes, |case, bytes| *text_of_mut(case, text) = bytes.to_vec());
        }
        if let Some(tdmrep) = self.best.tdmrep.clone() {
            self.drop_runs(tdmrep, |case, bytes| case.tdmrep = Some(bytes.to_vec()));
        }
        let bytes = self.best.url.clone();
        self.drop_runs(bytes, |case, bytes| case.url = bytes.to_vec());
    }

    /// Removes runs of `parts`, half of them first, then shorter and shorter runs, while the case still fails. `put`
    /// stores the remaining parts in the case.
    fn drop_runs<T: Clone>(&mut self, mut parts: Vec<T>, put: impl Fn(&mut PermissionCase, &[T])) {
        let mut run = parts.len().div_ceil(2);
        while run > 0 {
            let mut at = 0;
            while at < parts.len() {
                let end = (at + run).min(parts.len());
                let kept = [&parts[..at], &parts[end..]].concat();
                if self.try_to(|case| put(case, &kept)) {
                    parts = kept;
                } else {
                    at = end;
                }
            }
            run /= 2;
        }
    }
}

/// The robots.txt, or a file that it references.
fn text_of(case: &PermissionCase, text: usize) -> &Vec<u8> {
    text.checked_sub(1).map_or(&case.robots, |at| &case.referenced[at].bytes)
}

fn text_of_mut(case: &mut PermissionCase, text: usize) -> &mut Vec<u8> {
    match text.checked_sub(1) {
        None => &mut case.robots,
        Some(at) => &mut case.referenced[at].bytes,
    }
}

fn change_facts(case: &mut PermissionCase, change: impl FnOnce(&mut PageFacts)) {
    if let Some(page) = &mut case.page {
        change(&mut page.facts);
    }
}

fn drop_element(case: &mut PermissionCase, at: usize) {
    let Ok(number) = u32::try_from(at) else { return };
    // The element that the question is about stays.
    let renumbered = |own: u32| if own > number { own - 1 } else { own };
    match case.circumstances.part {
        Part::Element(part) if part == number => return,
        Part::Element(part) => case.circumstances.part = Part::Element(renumbered(part)),
        Part::Page | Part::Rest => {}
    }
    change_facts(case, |facts| {
        let removed = facts.elements.remove(at);
        for element in &mut facts.elements {
            let parent = if element.parent == Some(number) { removed.parent } else { element.parent };
            element.parent = parent.map(renumbered);
        }
    });
}

/// Words with their separators.
fn words(text: &str) -> Vec<String> {
    text.split_inclusive([' ', ',']).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;

    #[test]
    fn only_what_the_predicate_needs_is_left() {
        let mut generator = Generator::new(5);
        let is_wanted = |case: &PermissionCase| {
            let has_meta = case
                .facts()
                .is_some_and(|facts| facts.metas.iter().any(|meta| meta.content.contains("allow-")));
            has_meta && case.robots.windows(5).any(|bytes| bytes == b"crawl")
        };
        let case = std::iter::from_fn(|| Some(generator.permission_question())).find(is_wanted).unwrap();
        let small = shrink_permissions(&case, is_wanted);
        assert_eq!(small.robots, b"crawl");
        assert!(small.url.is_empty() && small.referenced.is_empty());
        let facts = small.facts().unwrap();
        assert_eq!((facts.metas.len(), facts.elements.len(), facts.headers.len()), (1, 0, 0));
        assert_eq!(facts.metas[0].content.split(' ').filter(|word| !word.is_empty()).count(), 1);
        assert_eq!(small.circumstances, Default::default());
    }
}
