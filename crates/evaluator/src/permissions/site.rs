//! What one site states about the usages of its resources, for one crawler.

use std::collections::HashSet;

use robomata_automaton::{NormalForm, Scratch};
use robomata_policy::acap::{Acap, Action, ReferencedFile};
use robomata_policy::{PageStatements, Policy, Says, Statement};
use robomata_protocol::{
    Access, Answer, Circumstances, Conflict, ConflictRule, Crawler, Dialect, MissingFact, Part, Permission,
    PermissionAnswer, PermissionReason, Place, Qualifier, Reason, Source, Usage, Verdict, Vocabulary,
};

use super::acap::AcapFields;
use super::conditions::{self, ConditionEffect, Required};
use super::decide::{Candidate, Decision, decide, lost};
use super::page::{self, Fallback};
use super::vocabularies::{Matching, RulesOf, Vocabularies};
use crate::site_policy::SitePolicy;
use crate::target::{Target, TargetBuffer};

/// A site's robots.txt, compiled for queries about all usages of one crawler, for one purpose or none.
///
/// It evaluates robots.txt and pages together: see [`SitePermissions::answers`]. For queries about one usage of many
/// sites' URLs, compile that usage into a store instead.
#[derive(Debug)]
pub struct SitePermissions {
    dialect: Dialect,
    purpose: Option<String>,
    /// Decides crawl when ACAP makes no statement.
    crawl: SitePolicy,
    vocabularies: Vocabularies,
    acap: Option<AcapFields>,
    /// The resources with requested actions, in folded normal form (A13).
    requests: Vec<(Vec<u8>, Action, Source)>,
    /// Files that a reference names but that were not supplied.
    missing: Vec<String>,
    scratch: Scratch,
}

/// A URL, and the parts of the site's robots.txt that match it.
struct Matched<'q> {
    url: &'q [u8],
    crawl: Answer,
    vocabularies: Matching,
    acap: Vec<u32>,
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
    conflicts: Vec<Conflict>,
}

/// The decisions of ACAP together with the conventional rules for a usage.
struct AcapDecisions {
    /// About the usage itself.
    explicit: Option<Decision>,
    /// About the usage as one of the others (A18).
    others: Option<Decision>,
    /// What loses to any statement about the usage itself.
    overruled: Vec<Conflict>,
}

impl SitePermissions {
    /// Compiles the statements of `policy`, and of the files it refers to, for `crawler`.
    pub fn new(
        policy: &Policy<'_>,
        referenced: &[ReferencedFile<'_>],
        crawler: &Crawler,
        purpose: Option<&str>,
    ) -> Self {
        let acap = Acap::read(policy, referenced);
        let files = acap
            .as_ref()
            .map(|acap| conventional_files(acap, policy.dialect(), referenced, crawler))
            .unwrap_or_default();
        // The ACAP statements of a page are also compared with the rules (A17).
        let mut rules = Vec::new();
        if policy.dialect().semantics().reads_acap {
            rules.push(RulesOf { policy, file: None });
            let numbered = (0..).zip(&files);
            rules.extend(
                numbered.map(|(number, (file, policy))| RulesOf { policy, file: Some((*file, number)) }),
            );
        }
        let missing = acap.as_ref().map(|acap| acap.missing_references(crawler)).unwrap_or_default();
        let requests = acap.as_ref().map(|acap| requests(acap, crawler)).unwrap_or_default();
        SitePermissions {
            dialect: policy.dialect(),
            requests,
            purpose: purpose.map(str::to_owned),
            crawl: SitePolicy::conventional(policy, crawler),
            vocabularies: Vocabularies::new(policy, crawler, &rules),
            missing: missing.into_iter().map(str::to_owned).collect(),
            acap: acap.map(|acap| AcapFields::new(&acap, &acap.fields_for(crawler), purpose)),
            scratch: Scratch::new(),
        }
    }

    /// The answers for every usage of `url`, in the order of [`Usage::ALL`]; `None` when the text is not a URL in the
    /// dialect. The purpose is the one that was compiled; that of `circumstances` is ignored.
    pub fn answers(
        &mut self,
        url: &[u8],
        page: &PageStatements,
        circumstances: &Circumstances,
    ) -> Option<Vec<PermissionAnswer>> {
        let page = page.resolved(self.definitions());
        let matched = self.matched(url, &page, circumstances)?;
        let crawl = self.answer(&matched, Usage::Crawl, None);
        let answers = Usage::ALL.into_iter().map(|usage| match usage {
            Usage::Crawl => crawl.clone(),
            usage => self.answer(&matched, usage, Some(crawl.permission)),
        });
        Some(answers.collect())
    }

    /// The answer for one usage of `url`.
    pub fn answer_for(
        &mut self,
        usage: Usage,
        url: &[u8],
        page: &PageStatements,
        circumstances: &Circumstances,
    ) -> Option<PermissionAnswer> {
        let page = page.resolved(self.definitions());
        let matched = self.matched(url, &page, circumstances)?;
        let crawl = self.answer(&matched, Usage::Crawl, None);
        Some(if usage == Usage::Crawl { crawl } else { self.answer(&matched, usage, Some(crawl.permission)) })
    }

    /// The actions that the site requests for `url`, and the sources of the requests (A13).
    pub fn requests(&self, url: &[u8]) -> Vec<(Action, Source)> {
        let Some(target) = Target::new(url) else { return Vec::new() };
        let mut buffer = TargetBuffer::default();
        let text = target.in_form(NormalForm::Folded, &mut buffer);
        let of_url = self.requests.iter().filter(|(path, ..)| path == text);
        of_url.map(|&(_, action, source)| (action, source)).collect()
    }

    /// The ACAP statements of the robots.txt, with its definitions.
    fn definitions(&self) -> Option<&Acap> {
        self.acap.as_ref().map(AcapFields::acap)
    }

    fn matched<'q>(
        &mut self,
        url: &'q [u8],
        page: &'q PageStatements,
        circumstances: &'q Circumstances,
    ) -> Option<Matched<'q>> {
        let crawl = self.crawl.check(url);
        if crawl == Answer::Invalid {
            return None;
        }
        // If the dialect finds a path in any text, the other vocabularies use the same path.
        let target = Target::new(url).or_else(|| Target::read(url, self.dialect))?;
        let mut buffer = TargetBuffer::default();
        let text = target.in_form(NormalForm::Rfc9309, &mut buffer);
        let vocabularies = self.vocabularies.matching(text, &mut self.scratch);
        let acap = match &self.acap {
            Some(fields) => {
                let mut buffer = TargetBuffer::default();
                fields.matching(target.in_form(NormalForm::Folded, &mut buffer), &mut self.scratch)
            }
            None => Vec::new(),
        };
        let enclosing = page::enclosing(page, circumstances.part);
        Some(Matched { url, crawl, vocabularies, acap, enclosing, page, circumstances })
    }

    /// The answer for one usage; `crawl` is the answer for crawl, unless `usage` is crawl.
    fn answer(&mut self, matched: &Matched<'_>, usage: Usage, crawl: Option<Permission>) -> PermissionAnswer {
        let fetch = if usage == Usage::Crawl { by_fetch(&matched.crawl) } else { None };
        if fetch.is_some_and(|(_, reason)| reason == PermissionReason::RobotsTxt) {
            return answer_by_fetch(fetch);
        }
        let AcapDecisions { explicit, others, overruled } = self.acap(matched, usage);
        let mut answers: Vec<VocabularyAnswer> = Vec::new();
        answers.extend(prohibition_by_fetch(fetch));
        answers.extend(explicit.map(|decision| self.conditioned(decision, matched)));
        for (says, source) in self.by_vocabulary(matched, usage, crawl) {
            let decision = Decision { says, source, conflicts: Vec::new() };
            answers.push(self.conditioned(decision, matched));
        }
        let mut answer = if answers.is_empty() {
            // Statements about other usages count only if there is none about this usage (A18).
            match others {
                Some(decision) => combined(usage, vec![self.conditioned(decision, matched)]),
                None if usage == Usage::Crawl => answer_by_fetch(fetch),
                None => PermissionAnswer::unspecified(usage),
            }
        } else {
            let mut answer = combined(usage, answers);
            answer.conflicts.extend(overruled);
            answer
        };
        answer.conflicts.retain(|conflict| Some(conflict.loser) != answer.source);
        answer.conflicts.sort_unstable_by_key(|conflict| (conflict.rule, conflict.loser));
        answer.conflicts.dedup();
        answer.lacks.extend(self.missing.iter().cloned().map(MissingFact::Referenced));
        answer.lacks.sort_unstable();
        answer.lacks.dedup();
        answer
    }

    /// The decisions of ACAP together with the conventional rules for `usage`.
    fn acap(&self, matched: &Matched<'_>, usage: Usage) -> AcapDecisions {
        let mut candidates = Vec::new();
        if let Some(fields) = &self.acap {
            fields.candidates(&matched.acap, usage, &mut candidates);
        }
        if self.dialect.semantics().reads_acap {
            let purpose = self.purpose.as_deref();
            page::candidates(matched.page, &matched.enclosing, purpose, usage, &mut candidates);
        }
        let (mut explicit, others): (Vec<Candidate<'_>>, Vec<Candidate<'_>>) =
            candidates.into_iter().partition(|candidate| candidate.level.explicit);
        let mut contradicted = Vec::new();
        if usage == Usage::Crawl && !explicit.is_empty() {
            let rules = self.vocabularies.candidates(&matched.vocabularies);
            let (lost, left): (Vec<_>, Vec<_>) = rules.partition(|rule| is_contradicted(rule, &explicit));
            explicit.extend(left);
            contradicted = lost;
        }
        let by_rule = if usage == Usage::Crawl && explicit.is_empty() { self.by_rule(matched) } else { None };
        if let Some(fallback) = self.fallback(matched, usage) {
            let mut conflicts = lost(explicit.iter().chain(&contradicted), ConflictRule::InnermostPlace);
            let by_rule = by_rule.map(|decision| decision.source);
            conflicts.extend(by_rule.map(|loser| Conflict { loser, rule: ConflictRule::InnermostPlace }));
            let mut overruled = lost(&others, fallback.over_other);
            overruled.extend(fallback.overruled);
            let says = Says::Prohibited(PermissionReason::ElementFallback);
            let explicit = Some(Decision { says, source: fallback.source, conflicts });
            return AcapDecisions { explicit, others: None, overruled };
        }
        let mut explicit = by_rule.or_else(|| decide(explicit));
        if let Some(decision) = &mut explicit {
            decision.conflicts.extend(lost(&contradicted, ConflictRule::AcapOverConventional));
        }
        AcapDecisions {
            explicit,
            overruled: lost(&others, ConflictRule::ExplicitOverOther),
            others: decide(others),
        }
    }

    /// The decision of the conventional rules alone for crawl.
    fn by_rule(&self, matched: &Matched<'_>) -> Option<Decision> {
        if !self.dialect.semantics().reads_acap {
            return by_rule(&matched.crawl);
        }
        let (access, source) = self.vocabularies.deciding_rule(&matched.vocabularies)?;
        Some(Decision { says: says_of(access), source, conflicts: Vec::new() })
    }

    /// The element statement that prohibits a usage for a page, for a crawler that does not process pages by element.
    fn fallback(&self, matched: &Matched<'_>, usage: Usage) -> Option<Fallback> {
        let falls_back = self.dialect.semantics().reads_acap && matched.circumstances.part == Part::Page;
        falls_back.then(|| page::fallback(matched.page, self.purpose.as_deref(), usage)).flatten()
    }

    /// The answers of the vocabularies other than ACAP for `usage`, in the order of [`Vocabulary`].
    fn by_vocabulary(
        &self,
        matched: &Matched<'_>,
        usage: Usage,
        crawl: Option<Permission>,
    ) -> Vec<(Says<Vec<Qualifier>>, Source)> {
        let page = matched.page;
        let robots = self.vocabularies.about(&matched.vocabularies, usage);
        let of_page = [&page.content_usage[..], page.tdm.as_slice()].into_iter().flatten();
        let of_page = of_page.filter(|statement| statement.usage == usage).chain(robots_meta(page, usage));
        let mut said: Vec<_> = robots
            .into_iter()
            .chain(of_page.map(|statement| (statement.says.clone(), statement.source)))
            .collect();
        if crawl == Some(Permission::Prohibited) {
            // It applies only to what may be crawled (V4).
            said.retain(|(_, source)| source.vocabulary != Vocabulary::ContentUsage);
        }
        said.sort_by_key(|(_, source)| source.vocabulary);
        // Content-Usage can occur in the robots.txt and in a header: the most restrictive statement wins (V5).
        said.dedup_by(|(next, source), (kept, first)| {
            let is_same = source.vocabulary == first.vocabulary;
            if is_same && matches!((&*kept, &*next), (Says::Permitted(_), Says::Prohibited(_))) {
                std::mem::swap(kept, next);
                std::mem::swap(first, source);
            }
            is_same
        });
        said
    }

    /// Checks the conditions of a permission.
    fn conditioned(&mut self, decision: Decision, matched: &Matched<'_>) -> VocabularyAnswer {
        let Decision { mut says, source, conflicts } = decision;
        let mut lacks = Vec::new();
        let mut ended: Option<PermissionReason> = None;
        if let Says::Permitted(qualifiers) = &says {
            for qualifier in qualifiers {
                match self.held(qualifier, matched) {
                    ConditionEffect::Yes(more) => lacks.extend(more),
                    ConditionEffect::No(reason) => ended = conditions::first_to_report(ended, reason),
                }
            }
        }
        if let Some(reason) = ended {
            says = Says::Prohibited(reason);
            lacks.clear();
        }
        VocabularyAnswer { says, source: Some(source), lacks, conflicts }
    }

    fn held(&mut self, qualifier: &Qualifier, matched: &Matched<'_>) -> ConditionEffect {
        match qualifier {
            Qualifier::TimeLimit(limit) => conditions::time_limit(limit, matched.circumstances),
            Qualifier::Location(uri) => conditions::location(uri, matched.url),
            _ => match conditions::required(qualifier, matched.url) {
                Required::Inside => ConditionEffect::Yes(Vec::new()),
                Required::Elsewhere(uri) => ConditionEffect::Yes(vec![MissingFact::CrawlOf(uri)]),
                Required::Here(url) => self.crawlable(&url),
            },
        }
    }

    /// Whether `url`, of the same site, may be crawled. Its own page is not known.
    fn crawlable(&mut self, url: &[u8]) -> ConditionEffect {
        let (page, circumstances) = (PageStatements::default(), Circumstances::default());
        let Some(matched) = self.matched(url, &page, &circumstances) else {
            return ConditionEffect::Yes(Vec::new());
        };
        match self.answer(&matched, Usage::Crawl, None).permission {
            Permission::Prohibited => ConditionEffect::No(PermissionReason::TargetNotCrawlable),
            _ => ConditionEffect::Yes(Vec::new()),
        }
    }
}

fn requests(acap: &Acap, crawler: &Crawler) -> Vec<(Vec<u8>, Action, Source)> {
    let mut buffer = TargetBuffer::default();
    let requests = acap.requests_for(crawler).into_iter().filter_map(|request| {
        let path = Target::new(request.path)?.in_form(NormalForm::Folded, &mut buffer).to_vec();
        Some((path, request.action, request.source))
    });
    requests.collect()
}

/// The source of the robots.txt's rules.
const fn robots(line: u32) -> Source {
    Source { vocabulary: Vocabulary::Robots, place: Place::RobotsTxt, line }
}

/// The permission for crawl if something other than the rules decides (R3, A21).
fn by_fetch(answer: &Answer) -> Option<(Permission, PermissionReason)> {
    use PermissionReason::{Fetch, RobotsTxt};
    Some(match answer {
        Answer::Verdict(Verdict { reason: Reason::RobotsTxt, .. }) => (Permission::Permitted, RobotsTxt),
        Answer::Verdict(Verdict { reason: Reason::Unavailable, .. }) | Answer::Unknown => {
            (Permission::Unspecified, Fetch)
        }
        Answer::Verdict(Verdict { reason: Reason::Unreachable | Reason::Restricted, .. }) => {
            (Permission::Prohibited, Fetch)
        }
        Answer::Defer => (Permission::Deferred, Fetch),
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
        Some((Permission::Prohibited, reason)) => Some(VocabularyAnswer {
            says: Says::Prohibited(reason),
            source: None,
            lacks: Vec::new(),
            conflicts: Vec::new(),
        }),
        _ => None,
    }
}

/// The decision of the conventional rules alone for crawl.
fn by_rule(answer: &Answer) -> Option<Decision> {
    let Answer::Verdict(verdict) = answer else { return None };
    let is_rule = verdict.reason == Reason::Rule;
    let says = says_of(verdict.access);
    is_rule.then(|| Decision { says, source: robots(verdict.line), conflicts: Vec::new() })
}

fn says_of(access: Access) -> Says<Vec<Qualifier>> {
    match access {
        Access::Allow => Says::Permitted(Vec::new()),
        Access::Disallow => Says::Prohibited(PermissionReason::Explicit),
    }
}

/// Whether a field of a file contradicts a conventional rule on exactly the same scope (A17).
fn is_contradicted(rule: &Candidate<'_>, fields: &[Candidate<'_>]) -> bool {
    let permits = |candidate: &Candidate<'_>| matches!(candidate.says, Says::Permitted(()));
    fields.iter().any(|field| field.scope == rule.scope && permits(field) != permits(rule))
}

/// The referenced files whose conventional rules `crawler` must also obey, with their indices among the supplied files,
/// in reading order (A7).
fn conventional_files<'r>(
    acap: &Acap,
    dialect: Dialect,
    referenced: &[ReferencedFile<'r>],
    crawler: &Crawler,
) -> Vec<(u32, Policy<'r>)> {
    if acap.ignores_conventional() {
        return Vec::new();
    }
    let files = acap.files_for(crawler).into_iter();
    files.map(|file| (file, Policy::in_dialect(referenced[file as usize].bytes, dialect))).collect()
}

/// The robots META statements about `usage`. A statement about `present` applies to a derived usage without a
/// statement.
fn robots_meta(page: &PageStatements, usage: Usage) -> impl Iterator<Item = &Statement> {
    let of = move |usage: Usage| page.robots_meta.iter().filter(move |statement| statement.usage == usage);
    let is_silent = of(usage).next().is_none();
    let general = (is_silent && usage.is_derived_from_present()).then(|| of(Usage::Present));
    of(usage).chain(general.into_iter().flatten())
}

/// One answer from several vocabularies: the most restrictive (R2). There is at least one.
fn combined(usage: Usage, answers: Vec<VocabularyAnswer>) -> PermissionAnswer {
    let prohibition = answers.iter().position(|answer| matches!(answer.says, Says::Prohibited(_)));
    let decides = prohibition.unwrap_or(0);
    let mut answer = PermissionAnswer::unspecified(usage);
    let mut seen = HashSet::new();
    for (index, VocabularyAnswer { says, source, lacks, conflicts }) in answers.into_iter().enumerate() {
        answer.conflicts.extend(conflicts);
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
