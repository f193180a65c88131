//! Quotes the statements that decide.

use std::collections::BTreeMap;

use robomata_engine::policy::acap::ReferencedFile;
use robomata_engine::syntax::Lines;
use robomata_engine::{Conflict, MissingFact, PageFacts, PermissionAnswer, Place, Policy, Source, TdmRep};

use super::report::{Quote, UsagePermission};
use crate::quotes::{Omitted, cut, listed, quoted_line, shortened};

/// All texts with statements, by line.
pub(super) struct Quotes<'t> {
    robots: Lines<'t>,
    referenced: Vec<(&'t str, Lines<'t>)>,
    tdmrep: Option<&'t TdmRep>,
    page: &'t PageFacts,
    /// The index of the META tag on a line; none if there are several.
    metas: BTreeMap<u32, Option<usize>>,
}

impl<'t> Quotes<'t> {
    pub(super) fn new(
        policy: &'t Policy<'_>,
        referenced: &[ReferencedFile<'t>],
        tdmrep: Option<&'t TdmRep>,
        page: &'t PageFacts,
    ) -> Self {
        let mut metas = BTreeMap::new();
        for (place, meta) in page.metas.iter().enumerate() {
            metas.entry(meta.line).and_modify(|found| *found = None).or_insert(Some(place));
        }
        let referenced = referenced.iter().map(|file| (file.locator, Lines::new(file.bytes))).collect();
        Quotes { robots: Lines::new(policy.text()), referenced, tdmrep, page, metas }
    }

    /// The quote for `source`.
    pub(super) fn quote(&self, source: Source) -> Quote {
        let Source { place, line, .. } = source;
        let referenced = match place {
            Place::Referenced(file) => self.referenced.get(file as usize),
            _ => None,
        };
        Quote {
            source,
            locator: referenced.map(|&(locator, _)| shortened(locator)),
            text: match place {
                Place::RobotsTxt => quoted_line(&self.robots, line),
                Place::Referenced(_) => referenced.and_then(|(_, lines)| quoted_line(lines, line)),
                Place::Meta => self.meta(line).map(|text| shortened(&text)),
                Place::Element(element) => self.element(element).map(|text| shortened(&text)),
                Place::Header => self.header(line).map(|text| shortened(&text)),
                Place::TdmRepJson => {
                    self.tdmrep.and_then(|tdmrep| tdmrep.rule(line)).map(|rule| shortened(&rule.text))
                }
                // Links state licences, not usages.
                Place::Link => None,
            },
        }
    }

    /// The answer with quotes, and what else it lacks.
    pub(super) fn quoted(&self, answer: PermissionAnswer, lacking: Vec<MissingFact>) -> UsagePermission {
        let PermissionAnswer { usage, permission, reason, source, qualifiers, mut lacks, mut conflicts } =
            answer;
        let mut omitted = Omitted::new();
        lacks.extend(lacking);
        cut(&mut conflicts, "conflicts", &mut omitted);
        let conflict = |Conflict { loser, rule }| Conflict { loser: self.quote(loser), rule };
        UsagePermission {
            usage,
            permission,
            reason,
            source: source.map(|source| self.quote(source)),
            qualifiers,
            lacks: listed(lacks, &mut omitted),
            conflicts: conflicts.into_iter().map(conflict).collect(),
            omitted,
        }
    }

    fn meta(&self, line: u32) -> Option<String> {
        let place = (*self.metas.get(&line)?)?;
        let meta = &self.page.metas[place];
        Some(format!("<meta name=\"{}\" content=\"{}\">", meta.name, meta.content))
    }

    fn element(&self, element: u32) -> Option<String> {
        let element = self.page.elements.get(element as usize)?;
        Some(format!("<{} class=\"{}\">", element.tag, element.classes.join(" ")))
    }

    fn header(&self, number: u32) -> Option<String> {
        let header = self.page.headers.get((number as usize).checked_sub(1)?)?;
        Some(format!("{}: {}", header.name, header.value))
    }
}
