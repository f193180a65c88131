//! Prohibitions for purposes, when the query names no purpose: the answer then depends on them (A6).

use std::collections::BTreeSet;

use robomata_engine::policy::acap::{Acap, ReferencedFile};
use robomata_engine::policy::{PageStatements, Says};
use robomata_engine::{
    Circumstances, Crawler, MissingFact, Permission, PermissionAnswer, Policy, SitePermissions, TdmRep,
};

/// The most purposes that are checked. Each costs as much as the query itself, which is most of a second for the most
/// expensive robots.txt of 500 KiB.
const MOST: usize = 8;

/// The purposes for which something is prohibited, each with its answers.
pub(super) struct Purposes {
    purposes: Vec<Purpose>,
    /// Are there more purposes than are checked?
    has_more: bool,
}

struct Purpose {
    /// The pattern as the site or page writes it.
    pattern: String,
    site: SitePermissions,
}

impl Purposes {
    pub(super) fn new(
        policy: &Policy<'_>,
        referenced: &[ReferencedFile<'_>],
        tdmrep: Option<&TdmRep>,
        page: &PageStatements,
        crawler: &Crawler,
    ) -> Self {
        let mut patterns: BTreeSet<String> = BTreeSet::new();
        let acap = Acap::read(policy, referenced);
        if let Some(acap) = &acap {
            let fields = acap.fields_for(crawler);
            let prohibitions = fields.iter().filter(|said| matches!(said.field.says, Says::Prohibited(_)));
            let purposes: BTreeSet<_> = prohibitions.filter_map(|said| said.field.purposes).collect();
            let written = purposes.into_iter().flat_map(|purposes| acap.purpose_patterns(purposes));
            patterns.extend(written.map(|pattern| String::from_utf8_lossy(pattern).into_owned()));
        }
        let page = page.resolved(acap.as_ref());
        let prohibitions = page.acap.iter().filter(|said| matches!(said.says, Says::Prohibited(_)));
        patterns.extend(prohibitions.filter_map(|said| Some(said.purpose.as_ref()?.to_string())));
        let has_more = patterns.len() > MOST;
        let purpose = |pattern: String| {
            // The pattern without its wildcards is one of the purposes that it matches.
            let purpose = pattern.strip_suffix('$').unwrap_or(&pattern).replace('*', "");
            Purpose {
                site: SitePermissions::new(policy, referenced, tdmrep, crawler, Some(&purpose)),
                pattern,
            }
        };
        Purposes { purposes: patterns.into_iter().take(MOST).map(purpose).collect(), has_more }
    }

    /// For each of `answers` (to a query without a purpose), the purposes for which the usage is prohibited.
    pub(super) fn lacking(
        &mut self,
        url: &[u8],
        page: &PageStatements,
        circumstances: &Circumstances,
        answers: &[PermissionAnswer],
    ) -> Vec<Vec<MissingFact>> {
        let mut lacks = vec![Vec::new(); answers.len()];
        for Purpose { pattern, site } in &mut self.purposes {
            let for_purpose = site.answers(url, page, circumstances).unwrap_or_default();
            for ((answer, other), lacks) in answers.iter().zip(&for_purpose).zip(&mut lacks) {
                if other.permission == Permission::Prohibited && answer.permission != Permission::Prohibited {
                    lacks.push(MissingFact::Purpose(pattern.clone()));
                }
            }
        }
        if self.has_more {
            lacks.iter_mut().for_each(|lacks| lacks.push(MissingFact::Purpose("…".to_owned())));
        }
        lacks
    }
}
