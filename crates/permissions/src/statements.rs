//! All statements of a site and a page about the usages of a URL, with the reasons for the answers.

use std::collections::HashSet;

use robomata_automaton::Scratch;
use robomata_policy::acap::{Acap, ReferencedFile};
use robomata_policy::{PageStatements, Policy, Says, Statement, TdmRep, TdmStatement};
use robomata_protocol::{
    Access, Answer, Circumstances, Conflict, ConflictRule, Crawler, MissingFact, Part, Permission,
    PermissionAnswer, PermissionReason, Place, Qualifier, Reason, Source, Usage, Verdict, Vocabulary,
};

use crate::answer::{Candidates, Matches, Matching};
use crate::compile::{Compiled, FieldGroup, RulesOf, TextOrder, compile_all, robots_txt};
use crate::conditions::{ConditionEffect, first_to_report, time_limit};
use crate::decide::Candidate;
use crate::page::{self, Fallback};
use crate::program::{StatementProgram, StatementProgramRef};
use crate::reasons::{Decision, Reasons};

/// What one robots.txt states about every usage, compiled for one crawler and one purpose or none, with the sources of
/// the statements.
#[derive(Debug)]
pub struct Statements {
    program: StatementProgram,
    pub(crate) groups: Vec<FieldGroup>,
    pub(crate) rules: Vec<(Source, TextOrder)>,
    tdmrep: Option<TdmRep>,
    acap: Option<Acap>,
    /// The dialect reads ACAP, in the robots.txt and in pages.
    reads_acap: bool,
    purpose: Option<String>,
    /// Files that a reference names but that were not supplied.
    missing: Vec<String>,
}

/// A URL, and the statements that match it.
#[derive(Debug)]
pub struct Matched<'q> {
    /// What the conventional rules alone say about crawl.
    crawl: Answer,
    matches: Matches,
    /// The elements of the page that enclose the part in question.
    enclosing: Vec<u32>,
    page: &'q PageStatements,
    circumstances: &'q Circumstances,
}

/// One vocabulary's answer, with its conditions checked.
struct VocabularyAnswer {
    says: Says<Vec<Qualifier>>,
    /// `None` if the outcome of the fetch decides.
    source: Option<Source>,
    lacks: Vec<MissingFact>,
}

impl Statements {
    /// Compiles the statements of `policy`, of the files it refers to, and of the site's tdmrep.json, for `crawler`.
    pub fn new(
        policy: &Policy<'_>,
        referenced: &[ReferencedFile<'_>],
        tdmrep: Option<&TdmRep>,
        crawler: &Crawler,
        purpose: Option<&str>,
    ) -> Self {
        let reads_acap = policy.dialect().semantics().reads_acap;
        let acap = Acap::read(policy, referenced);
        let files = acap.as_ref().map(|acap| conventional_files(acap, policy, referenced, crawler));
        let files = files.unwrap_or_default();
        // The ACAP statements of a page are also compared with the rules (A17).
        let own = reads_acap.then_some(RulesOf { policy, place: Place::RobotsTxt });
        let of_files = files.iter().map(|(file, policy)| RulesOf { policy, place: Place::Referenced(*file) });
        let rules: Vec<RulesOf<'_>> = own.into_iter().chain(of_files).collect();
        let Compiled { program, groups, rules } =
            compile_all(policy, acap.as_ref(), &rules, tdmrep, crawler, purpose);
        let missing = acap.as_ref().map(|acap| acap.missing_references(crawler)).unwrap_or_default();
        let missing = missing.into_iter().map(str::to_owned).collect();
        let (tdmrep, purpose) = (tdmrep.cloned(), purpose.map(str::to_owned));
        Statements { program, groups, rules, tdmrep, missing, acap, reads_acap, purpose }
    }

    /// The ACAP statements of the robots.txt, with its definitions.
    pub fn acap(&self) -> Option<&Acap> {
        self.acap.as_ref()
    }

    /// Finds the statements that match a URL: `target` is its path and query in the normal form of RFC 9309, and
    /// `crawl` what the conventional rules alone say about it. The purpose of `circumstances` is ignored.
    pub fn matched<'q>(
        &self,
        target: &[u8],
        crawl: Answer,
        page: &'q PageStatements,
        circumstances: &'q Circumstances,
        scratch: &mut Scratch,
    ) -> Matched<'q> {
        let mut matches = Matches::default();
        self.program().find_matches(target, scratch, &mut matches);
        Matched { crawl, matches, enclosing: page::enclosing(page, circumstances.part), page, circumstances }
    }

    fn program(&self) -> StatementProgramRef<'_> {
        match StatementProgramRef::from_raw(self.program.bytes()) {
            Some(program) => program,
            None => unreachable!("a program is laid out when it is compiled"),
        }
    }

    /// The answer for one usage; `crawl` is the answer for crawl, unless `usage` is crawl. `condition` evaluates the
    /// qualifiers that depend on URLs.
    pub fn answer(
        &self,
        matched: &Matched<'_>,
        usage: Usage,
        crawl: Option<Permission>,
        condition: &mut dyn FnMut(&Qualifier) -> ConditionEffect,
    ) -> PermissionAnswer {
        let fetch = if usage == Usage::Crawl { by_fetch(&matched.crawl) } else { None };
        if fetch.is_some_and(|(_, reason)| reason == PermissionReason::RobotsTxt) {
            return answer_by_fetch(fetch);
        }
        let matching = Matching { tables: self.program().tables(), matches: &matched.matches, now: None };
        let mut found = Candidates::default();
        matching.find(&[usage], std::slice::from_mut(&mut found));
        if self.reads_acap {
            page::find(matched.page, &matched.enclosing, self.purpose.as_deref(), usage, &mut found);
        }
        let mut reasons = Reasons::new(self, matched.page);
        let fallback = self.fallback(matched, usage);
        let explicit = match &fallback {
            Some(fallback) => {
                Some(self.by_fallback(fallback, &matching, matched, usage, &found.explicit, &mut reasons))
            }
            None => self.explicit(&matching, matched, usage, &mut found, &mut reasons),
        };
        let is_mining = usage == Usage::Tdm;
        let tdm = if is_mining { self.tdm(&matching, matched.page) } else { TdmStatement::default() };
        let mut conditioned = |decision| conditioned(decision, matched.circumstances, condition);
        let mut answers: Vec<VocabularyAnswer> = Vec::new();
        answers.extend(prohibition_by_fetch(fetch));
        answers.extend(explicit.map(&mut conditioned));
        let of_vocabularies = self.by_vocabulary(&matching, matched, usage, crawl, &tdm);
        answers.extend(of_vocabularies.into_iter().map(&mut conditioned));
        let mut answer = if answers.is_empty() {
            // Statements about other usages count only if there is none about this usage (A18).
            match matching.decide(&mut found.others, &mut reasons) {
                Some(decision) => {
                    reasons.decided(Some(decision.source));
                    combined(usage, vec![conditioned(decision)])
                }
                None if usage == Usage::Crawl => answer_by_fetch(fetch),
                None => PermissionAnswer::unspecified(usage),
            }
        } else {
            let rule =
                fallback.as_ref().map_or(ConflictRule::ExplicitOverOther, |fallback| fallback.over_other);
            reasons.all_lost(&found.others, rule);
            combined(usage, answers)
        };
        if answer.permission == Permission::Prohibited
            && let TdmStatement { reserved: Some((true, source)), policy: Some(policy) } = tdm
            && answer.source == Some(source)
        {
            answer.qualifiers.push(Qualifier::Terms(policy));
        }
        answer.conflicts.extend(reasons.into_conflicts());
        answer.conflicts.extend(fallback.into_iter().flat_map(|fallback| fallback.overruled));
        answer.conflicts.retain(|conflict| Some(conflict.loser) != answer.source);
        answer.conflicts.sort_unstable_by_key(|conflict| (conflict.rule, conflict.loser));
        answer.conflicts.dedup();
        answer.lacks.extend(self.missing.iter().cloned().map(MissingFact::Referenced));
        answer.lacks.sort_unstable();
        answer.lacks.dedup();
        answer
    }

    /// Whether crawl is prohibited by the files alone, without the reasons. A permission of crawl in a file has no
    /// conditions (A9).
    pub fn prohibits_crawl(&self, matched: &Matched<'_>) -> bool {
        match by_fetch(&matched.crawl) {
            Some((_, PermissionReason::RobotsTxt)) => return false,
            Some((Permission::Prohibited, _)) => return true,
            _ if !self.reads_acap => {
                return matches!(&matched.crawl, Answer::Verdict(said) if said.access == Access::Disallow);
            }
            _ => {}
        }
        let matching = Matching { tables: self.program().tables(), matches: &matched.matches, now: None };
        let mut found = Candidates::default();
        matching.find(&[Usage::Crawl], std::slice::from_mut(&mut found));
        matching.prohibits_crawl(&mut found)
    }

    /// What ACAP decides about the usage itself, together with the conventional rules.
    fn explicit(
        &self,
        matching: &Matching<'_, '_>,
        matched: &Matched<'_>,
        usage: Usage,
        found: &mut Candidates,
        reasons: &mut Reasons<'_>,
    ) -> Option<Decision> {
        if usage == Usage::Crawl {
            if found.explicit.is_empty() {
                return self.by_rule(matching, matched);
            }
            matching.find_rules(found, reasons);
        }
        let decision = matching.decide(&mut found.explicit, reasons)?;
        reasons.decided(Some(decision.source));
        Some(decision)
    }

    /// An element statement prohibits a usage for a page: everything else that ACAP and the rules say loses.
    fn by_fallback(
        &self,
        fallback: &Fallback,
        matching: &Matching<'_, '_>,
        matched: &Matched<'_>,
        usage: Usage,
        explicit: &[Candidate],
        reasons: &mut Reasons<'_>,
    ) -> Decision {
        let rule = ConflictRule::InnermostPlace;
        reasons.all_lost(explicit, rule);
        if usage == Usage::Crawl {
            match explicit.is_empty() {
                true => reasons.add(self.by_rule(matching, matched).map(|decision| decision.source), rule),
                false => reasons.all_lost(&matching.rules().collect::<Vec<_>>(), rule),
            }
        }
        Decision { says: Says::Prohibited(PermissionReason::ElementFallback), source: fallback.source }
    }

    /// The decision of the conventional rules alone for crawl.
    fn by_rule(&self, matching: &Matching<'_, '_>, matched: &Matched<'_>) -> Option<Decision> {
        let (prohibits, source) = if self.reads_acap {
            let (number, rule) = matching.deciding_rule()?;
            (rule.meaning.prohibits(), self.rules[number as usize].0)
        } else {
            let Answer::Verdict(Verdict { access, line, reason: Reason::Rule }) = matched.crawl else {
                return None;
            };
            (access == Access::Disallow, robots_txt(Vocabulary::Robots, line))
        };
        Some(Decision { says: says(prohibits), source })
    }

    /// The element statement that prohibits a usage for a page, for a crawler that does not process pages by element.
    fn fallback(&self, matched: &Matched<'_>, usage: Usage) -> Option<Fallback> {
        let falls_back = self.reads_acap && matched.circumstances.part == Part::Page;
        falls_back.then(|| page::fallback(matched.page, self.purpose.as_deref(), usage)).flatten()
    }

    /// What TDMRep says: each value of the page replaces that of the site's tdmrep.json (T4).
    fn tdm(&self, matching: &Matching<'_, '_>, page: &PageStatements) -> TdmStatement {
        let rule = self.tdmrep.as_ref().and_then(|tdmrep| tdmrep.rule(matching.tdm_rule()?));
        page.tdm.clone().or(rule.map_or(&TdmStatement::default(), |rule| &rule.says))
    }

    /// The answers of the vocabularies other than ACAP for `usage`, in the order of [`Vocabulary`].
    fn by_vocabulary(
        &self,
        matching: &Matching<'_, '_>,
        matched: &Matched<'_>,
        usage: Usage,
        crawl: Option<Permission>,
        tdm: &TdmStatement,
    ) -> Vec<Decision> {
        let page = matched.page;
        let may_crawl = crawl != Some(Permission::Prohibited);
        let of_file = matching.vocabularies(usage, may_crawl).into_iter().flatten();
        let of_file = of_file.map(|(vocabulary, prohibits, line)| Decision {
            says: says(prohibits),
            source: robots_txt(vocabulary, line),
        });
        let of_page =
            [&page.content_signal[..], &page.content_usage, &page.robots_meta].into_iter().flatten();
        let of_page = of_page.filter(|statement| statement.usage == usage);
        let of_page =
            of_page.map(|Statement { says, source, .. }| Decision { says: says.clone(), source: *source });
        let of_tdm = tdm.reserved.map(|(is_reserved, source)| Decision { says: says(is_reserved), source });
        let mut said: Vec<Decision> = of_file.chain(of_page).chain(of_tdm).collect();
        said.sort_by_key(|decision| decision.source.vocabulary);
        // Content-Signal and Content-Usage can occur in the robots.txt and in a header: the most restrictive statement
        // wins (V2, V5).
        said.dedup_by(|next, kept| {
            let is_same = next.source.vocabulary == kept.source.vocabulary;
            if is_same && matches!((&kept.says, &next.says), (Says::Permitted(_), Says::Prohibited(_))) {
                std::mem::swap(kept, next);
            }
            is_same
        });
        said
    }
}

/// Checks the conditions of a permission.
fn conditioned(
    Decision { mut says, source }: Decision,
    circumstances: &Circumstances,
    condition: &mut dyn FnMut(&Qualifier) -> ConditionEffect,
) -> VocabularyAnswer {
    let mut lacks = Vec::new();
    let mut ended: Option<PermissionReason> = None;
    if let Says::Permitted(qualifiers) = &says {
        for qualifier in qualifiers {
            let effect = match qualifier {
                Qualifier::TimeLimit(limit) => time_limit(limit, circumstances),
                qualifier => condition(qualifier),
            };
            match effect {
                ConditionEffect::Yes(more) => lacks.extend(more),
                ConditionEffect::No(reason) => ended = first_to_report(ended, reason),
            }
        }
    }
    if let Some(reason) = ended {
        says = Says::Prohibited(reason);
        lacks.clear();
    }
    VocabularyAnswer { says, source: Some(source), lacks }
}

fn says(prohibits: bool) -> Says<Vec<Qualifier>> {
    if prohibits { Says::Prohibited(PermissionReason::Explicit) } else { Says::Permitted(Vec::new()) }
}

/// The permission for crawl if something other than the rules decides (R3, A21).
fn by_fetch(answer: &Answer) -> Option<(Permission, PermissionReason)> {
    use PermissionReason::{Fetch, RobotsTxt};
    Some(match answer {
        Answer::Verdict(Verdict { reason: Reason::RobotsTxt, .. }) => (Permission::Permitted, RobotsTxt),
        Answer::Verdict(Verdict { reason: Reason::Unavailable, .. }) => (Permission::Unspecified, Fetch),
        Answer::Verdict(Verdict { reason: Reason::Unreachable | Reason::Restricted, .. }) => {
            (Permission::Prohibited, Fetch)
        }
        Answer::Defer | Answer::Unknown => (Permission::Deferred, Fetch),
        Answer::Verdict(_) | Answer::Invalid => return None,
    })
}

/// The answer for crawl without statements; the outcome of the fetch may still decide.
fn answer_by_fetch(fetch: Option<(Permission, PermissionReason)>) -> PermissionAnswer {
    let unspecified = PermissionAnswer::unspecified(Usage::Crawl);
    match fetch {
        Some((permission, reason)) => PermissionAnswer { permission, reason, ..unspecified },
        None => unspecified,
    }
}

/// A prohibition by the outcome of the fetch; statements of a page apply in addition to it (R3).
fn prohibition_by_fetch(fetch: Option<(Permission, PermissionReason)>) -> Option<VocabularyAnswer> {
    match fetch {
        Some((Permission::Prohibited, reason)) => {
            Some(VocabularyAnswer { says: Says::Prohibited(reason), source: None, lacks: Vec::new() })
        }
        _ => None,
    }
}

/// The referenced files whose conventional rules `crawler` must also obey, with their indices among the supplied files,
/// in reading order (A7).
fn conventional_files<'r>(
    acap: &Acap,
    policy: &Policy<'_>,
    referenced: &[ReferencedFile<'r>],
    crawler: &Crawler,
) -> Vec<(u32, Policy<'r>)> {
    if acap.ignores_conventional() {
        return Vec::new();
    }
    let files = acap.files_for(crawler).into_iter();
    files.map(|file| (file, Policy::in_dialect(referenced[file as usize].bytes, policy.dialect()))).collect()
}

/// One answer from several vocabularies: the most restrictive (R2). There is at least one.
fn combined(usage: Usage, answers: Vec<VocabularyAnswer>) -> PermissionAnswer {
    let prohibition = answers.iter().position(|answer| matches!(answer.says, Says::Prohibited(_)));
    let decides = prohibition.unwrap_or(0);
    let mut answer = PermissionAnswer::unspecified(usage);
    let mut seen = HashSet::new();
    for (index, VocabularyAnswer { says, source, lacks }) in answers.into_iter().enumerate() {
        if index != decides && prohibition.is_some() {
            let rule = ConflictRule::MostRestrictive;
            answer.conflicts.extend(source.map(|loser| Conflict { loser, rule }));
            continue;
        }
        if index == decides {
            answer.source = source;
        }
        match says {
            Says::Prohibited(reason) => (answer.permission, answer.reason) = (Permission::Prohibited, reason),
            Says::Permitted(qualifiers) => {
                (answer.permission, answer.reason) = (Permission::Permitted, PermissionReason::Explicit);
                let is_new = |qualifier: &Qualifier| seen.insert(qualifier.clone());
                answer.qualifiers.extend(qualifiers.into_iter().filter(is_new));
                answer.lacks.extend(lacks);
            }
        }
    }
    answer
}

#[cfg(test)]
mod tests;
