//! The statements of a page as candidates, in addition to those of its site's robots.txt (ACAP 1.1 part 2;
//! `crates/PERMISSIONS.md`, P).

use robomata_automaton::Level;
use robomata_policy::{Address, PageStatements, Says, Statement};
use robomata_protocol::{Conflict, ConflictRule, Part, Place, Source, Usage};

use crate::acap::relation;
use crate::answer::Candidates;
use crate::compile::TextOrder;
use crate::decide::{Candidate, PAGE, StatementId};
use crate::purpose::is_purpose_of;

/// Finds the statements about `usage` among a page's ACAP statements: META tags, and the elements that are
/// [`enclosing`] the part in question.
pub(crate) fn find(
    page: &PageStatements,
    enclosing: &[u32],
    purpose: Option<&str>,
    usage: Usage,
    candidates: &mut Candidates,
) {
    for (number, statement) in (0..).zip(&page.acap) {
        let Some(depth) = depth_of(statement.source.place, enclosing) else { continue };
        let Some((is_explicit, is_exact)) = relation(statement.usage, usage) else { continue };
        let for_purpose = match (&statement.purpose, purpose) {
            (None, _) => false,
            (Some(pattern), Some(purpose)) if is_purpose_of(pattern.as_bytes(), purpose) => true,
            _ => continue,
        };
        candidates.push(Candidate {
            level: Level::ON_PAGE
                .with(Level::EXPLICIT, is_explicit)
                .with(Level::FOR_PURPOSE, for_purpose)
                .with(Level::NAMED, statement.address == Address::Named)
                .with(Level::at_depth(depth), true),
            scope: PAGE,
            statement: StatementId::Page(number),
            line: statement.source.line,
            prohibits: matches!(statement.says, Says::Prohibited(_)),
            is_exact,
            has_ended: false,
            is_wider: false,
        });
    }
}

/// The position of a statement of a page in the order of the texts.
pub(crate) fn order(source: Source) -> TextOrder {
    match source.place {
        Place::Element(element) => (u32::MAX, element),
        _ => (u32::MAX - 1, source.line),
    }
}

/// The elements that enclose a part of a page, including the part itself if it is an element, the outermost first. A
/// parent has a smaller index than its children, so the indices ascend.
pub(crate) fn enclosing(page: &PageStatements, part: Part) -> Vec<u32> {
    let Part::Element(element) = part else { return Vec::new() };
    let parent = |&of: &u32| page.parents.get(of as usize).copied().flatten().filter(|&parent| parent < of);
    let mut elements: Vec<u32> = std::iter::successors(Some(element), parent).collect();
    elements.reverse();
    elements
}

/// The depth of `place`, if it encloses the part in question (A14, 5): 0 for a META tag, more for an element.
fn depth_of(place: Place, enclosing: &[u32]) -> Option<u32> {
    match place {
        Place::Element(element) => {
            let depth = enclosing.binary_search(&element).ok()?;
            Some(u32::try_from(depth).unwrap_or(u32::MAX - 1) + 1)
        }
        _ => Some(0),
    }
}

/// What prohibits a usage for a page as a whole, for a crawler that does not process pages by element (P9).
#[derive(Debug)]
pub(crate) struct Fallback {
    /// The first element statement that prohibits it.
    pub(crate) source: Source,
    /// The rule by which statements about `other` lose to it.
    pub(crate) over_other: ConflictRule,
    /// Elements with a statement about `other` that lose to one about the usage.
    pub(crate) overruled: Vec<Conflict>,
}

/// The fallback for `usage`, if an element statement names it. A statement about `other` counts if nothing else on the
/// page covers the usage.
pub(crate) fn fallback(page: &PageStatements, purpose: Option<&str>, usage: Usage) -> Option<Fallback> {
    let explicitly = |statement: &&Statement| relation(statement.usage, usage).map(|(explicit, _)| explicit);
    let of_elements = || page.acap.iter().filter(|said| matches!(said.source.place, Place::Element(_)));
    let others = || of_elements().filter(|said| explicitly(said) == Some(false)).map(|said| said.source);
    if let Some(named) = of_elements().find(|said| explicitly(said) == Some(true)) {
        let rule = ConflictRule::ExplicitOverOther;
        let overruled = others().map(|loser| Conflict { loser, rule }).collect();
        return Some(Fallback { source: named.source, over_other: rule, overruled });
    }
    let source = others().next()?;
    let is_for_purpose = |said: &Statement| match (&said.purpose, purpose) {
        (None, _) => true,
        (Some(pattern), Some(purpose)) => is_purpose_of(pattern.as_bytes(), purpose),
        (Some(_), None) => false,
    };
    let others = [&page.robots_meta[..], &page.content_signal, &page.content_usage].concat();
    let is_said = page.acap.iter().any(|said| is_for_purpose(said) && explicitly(&said) == Some(true))
        || others.iter().any(|said| explicitly(&said) == Some(true))
        || (usage == Usage::Tdm && page.tdm.reserved.is_some());
    let over_other = ConflictRule::InnermostPlace;
    (!is_said).then_some(Fallback { source, over_other, overruled: Vec::new() })
}
