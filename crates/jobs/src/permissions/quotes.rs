//! Quotes the statements that decide.

use std::collections::BTreeMap;

use robomata_engine::policy::PageStatements;
use robomata_engine::policy::acap::ReferencedFile;
use robomata_engine::protocol::MetaTag;
use robomata_engine::syntax::Lines;
use robomata_engine::{
    Conflict, Crawler, MissingFact, PageFacts, PermissionAnswer, Place, Policy, Source, TdmRep, Usage,
    Vocabulary,
};
use robomata_pages::PageReading;

use super::report::{Quote, UsagePermission};
use crate::quotes::{MOST_BYTES_QUOTED, Omitted, cut, listed, quoted_line, shortened};

/// All texts with statements, by line.
pub(super) struct Quotes<'t> {
    robots: Lines<'t>,
    referenced: Vec<(&'t str, Lines<'t>)>,
    tdmrep: Option<&'t TdmRep>,
    page: &'t PageFacts,
    /// The META tags on each line. Where there are several: those that say something, with what each says by itself.
    metas: BTreeMap<u32, Vec<(&'t MetaTag, Option<PageStatements>)>>,
}

impl<'t> Quotes<'t> {
    pub(super) fn new(
        policy: &'t Policy<'_>,
        referenced: &[ReferencedFile<'t>],
        tdmrep: Option<&'t TdmRep>,
        page: &'t PageFacts,
        crawler: &'t Crawler,
    ) -> Self {
        let mut metas: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for meta in &page.metas {
            metas.entry(meta.line).or_default().push((meta, None));
        }
        for shared in metas.values_mut().filter(|shared| shared.len() > 1) {
            shared.retain_mut(|(meta, says)| {
                let facts = PageFacts { metas: vec![MetaTag::clone(meta)], ..PageFacts::default() };
                let said = PageReading::new(&facts, crawler, policy.dialect()).says;
                let is_silent = said == PageStatements::default();
                *says = Some(said);
                !is_silent
            });
        }
        let referenced = referenced.iter().map(|file| (file.locator, Lines::new(file.bytes))).collect();
        Quotes { robots: Lines::new(policy.text()), referenced, tdmrep, page, metas }
    }

    /// The quote for `source`, a statement about `usage` if that is known.
    pub(super) fn quote(&self, source: Source, usage: Option<Usage>) -> Quote {
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
                Place::Meta => self.meta(source, usage).map(|text| shortened(&text)),
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
        let conflict = |Conflict { loser, rule }| Conflict { loser: self.quote(loser, Some(usage)), rule };
        UsagePermission {
            usage,
            permission,
            reason,
            source: source.map(|source| self.quote(source, Some(usage))),
            qualifiers,
            lacks: listed(lacks, &mut omitted),
            conflicts: conflicts.into_iter().map(conflict).collect(),
            omitted,
        }
    }

    /// The META tag of a statement. Of several on its line, those that say something about the usage.
    fn meta(&self, source: Source, usage: Option<Usage>) -> Option<String> {
        let mut text = String::new();
        for (meta, says) in self.metas.get(&source.line)? {
            if says.as_ref().is_some_and(|says| !is_about(says, source.vocabulary, usage)) {
                continue;
            }
            let gap = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{gap}<meta name=\"{}\" content=\"{}\">", meta.name, meta.content));
            if text.len() > MOST_BYTES_QUOTED {
                break;
            }
        }
        Some(text).filter(|text| !text.is_empty())
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

/// Whether a META tag says something about the usage in this vocabulary.
fn is_about(says: &PageStatements, vocabulary: Vocabulary, usage: Option<Usage>) -> bool {
    let statements = match vocabulary {
        Vocabulary::RobotsMeta => &says.robots_meta,
        Vocabulary::TdmRep => return says.tdm.reserved.is_some(),
        // The robots.txt defines what local usages are.
        _ if !says.local.is_empty() => return true,
        _ => &says.acap,
    };
    let is_about = |usage: Usage, said: Usage| {
        said == usage || said == Usage::Other || said == Usage::Present && usage.is_derived_from_present()
    };
    statements.iter().any(|said| usage.is_none_or(|usage| is_about(usage, said.usage)))
}
