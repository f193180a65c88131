//! One site's compiled policy.

use std::borrow::Cow;
use std::sync::Arc;

use robomata_automaton::{
    Compiler, PreparedProgram, Program, ProgramRef, ProgramRule, Scratch, SelectedRules, UnionScratch,
    instances_of,
};
use robomata_permissions::{
    StatementProgram, StatementProgramRef, StatementScratch, UsageQuery, is_statement_program,
};
use robomata_policy::{Policy, TdmRep};
use robomata_protocol::{
    Access, Answer, Crawler, Dialect, FetchOutcome, Moment, Usage, Verdict, requestable,
};
use self_cell::self_cell;

use crate::site::Site;
use crate::store::{Audience, Digest, StoreKind, StoredPolicy, outcome_of};
use crate::target::{Target, TargetBuffer};
use crate::{group_table, schedules};

/// A site's policy for one crawler, ready to evaluate targets.
#[derive(Clone, Debug)]
pub(crate) enum CompiledPolicy<'p> {
    /// The outcome of the fetch decides.
    WithoutRules(FetchOutcome),
    /// The rules decide.
    Rules(PreparedProgram<'p>),
    /// The rules decide; they are some of the rules of a union.
    Selected(SelectedRules<'p>),
    /// The statements about usages decide, together with the rules.
    Usages(StatementProgramRef<'p>),
    /// The site's tdmrep.json decides, together with the robots.txt.
    WithTdmRep(WithTdmRep<'p>),
}

/// A site's robots.txt and its tdmrep.json (`crates/PERMISSIONS.md`, R4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithTdmRep<'p> {
    robots: StoredPolicy<'p>,
    /// `None` while the tdmrep.json cannot be had: mining is prohibited.
    rules: Option<StatementProgramRef<'p>>,
}

impl<'p> WithTdmRep<'p> {
    /// `None` when the tdmrep.json says nothing, so that the robots.txt decides alone.
    pub(crate) fn new(robots: StoredPolicy<'p>, tdmrep: StoredPolicy<'p>) -> Option<Self> {
        let rules = match CompiledPolicy::of_stored(tdmrep) {
            CompiledPolicy::Usages(rules) => Some(rules),
            CompiledPolicy::WithoutRules(
                FetchOutcome::Unreachable | FetchOutcome::Restricted | FetchOutcome::Deferred,
            ) => None,
            _ => return None,
        };
        Some(WithTdmRep { robots, rules })
    }

    fn answer(&self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Answer {
        let CheckScratch { scratch, usage, .. } = workspace;
        let said = self.rules.map_or(Some(Access::Disallow), |rules| rules.tdmrep(target, scratch, usage));
        let robots = CompiledPolicy::of_stored(self.robots);
        workspace.usage.tdmrep = said;
        let answer = robots.answer(target, dialect, workspace);
        workspace.usage.tdmrep = None;
        match (said, &robots, answer) {
            // The program of the robots.txt has weighed what the file says.
            (_, CompiledPolicy::Usages(_), answer) => answer,
            (Some(Access::Disallow), ..) => Answer::Verdict(Verdict::by_tdmrep(Access::Disallow)),
            (Some(Access::Allow), _, Answer::Verdict(Verdict { access: Access::Allow, .. })) => {
                Answer::Verdict(Verdict::by_tdmrep(Access::Allow))
            }
            (_, _, answer) => answer,
        }
    }
}

/// The scratch memory of an evaluating thread.
#[derive(Clone, Debug, Default)]
pub struct CheckScratch {
    scratch: Scratch,
    union: UnionScratch,
    usage: StatementScratch,
}

impl CheckScratch {
    /// Dates in permissions are compared with `now`.
    pub(crate) fn set_now(&mut self, now: Moment) {
        self.usage.now = Some(now);
    }

    /// The time with which dates are compared.
    pub(crate) fn now(&self) -> Option<Moment> {
        self.usage.now
    }
}

/// The scratch memory of a thread that checks URLs with [`SitePolicy::check_with`].
#[derive(Clone, Debug, Default)]
pub struct SiteScratch {
    check: CheckScratch,
    buffer: TargetBuffer,
}

impl<'p> CompiledPolicy<'p> {
    /// No policy is known.
    pub(crate) const UNKNOWN: Self = CompiledPolicy::WithoutRules(FetchOutcome::Redirected);

    /// A policy for one crawler, as it is stored.
    pub(crate) fn of_stored(stored: StoredPolicy<'p>) -> Self {
        let program = stored.program();
        if let Some(program) = PreparedProgram::find(program) {
            return CompiledPolicy::Rules(program);
        }
        if is_statement_program(program) {
            return StatementProgramRef::from_raw(program)
                .map_or(CompiledPolicy::UNKNOWN, CompiledPolicy::Usages);
        }
        CompiledPolicy::WithoutRules(outcome_of(stored.number))
    }

    /// The rules, if they are some of the rules of a union.
    #[inline]
    pub(crate) fn selected(&self) -> Option<&SelectedRules<'p>> {
        match self {
            CompiledPolicy::Selected(rules) => Some(rules),
            _ => None,
        }
    }

    /// The answer for `target`, which is in the normal form of `dialect`.
    #[inline]
    pub(crate) fn answer(&self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Answer {
        // Nearly every site has rules.
        let CompiledPolicy::Rules(program) = self else {
            return self.other_answer(target, dialect, workspace);
        };
        verdict_of_rules(program, target, dialect, workspace)
    }

    /// Whether two compiled policies with the same number in a store decide by the same program. In a store for every
    /// crawler, one number has a program for each crawler.
    pub(crate) fn is_at(&self, other: &CompiledPolicy<'_>) -> bool {
        match (self, other) {
            (CompiledPolicy::Rules(program), CompiledPolicy::Rules(other)) => program.is_at(other),
            (CompiledPolicy::Selected(rules), CompiledPolicy::Selected(other)) => rules.is_at(other),
            (CompiledPolicy::WithoutRules(outcome), CompiledPolicy::WithoutRules(other)) => outcome == other,
            // All the others have the same answers for every crawler.
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    fn other_answer(&self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Answer {
        let CheckScratch { scratch, usage, .. } = workspace;
        match self {
            CompiledPolicy::Usages(program) => Answer::Verdict(program.verdict(target, scratch, usage)),
            CompiledPolicy::WithTdmRep(both) => both.answer(target, dialect, workspace),
            CompiledPolicy::WithoutRules(outcome) => answer_without_rules(*outcome, target, dialect),
            _ if is_always_allowed(target, dialect) => Answer::Verdict(Verdict::ROBOTS_TXT),
            CompiledPolicy::Rules(program) => Answer::Verdict(program.verdict(target, scratch)),
            CompiledPolicy::Selected(rules) => Answer::Verdict(rules.verdict(target, scratch)),
        }
    }
}

/// Appends the answers for `target` by each of a site's policies, if all of them select rules of one union: one walk
/// decides for all. Returns false otherwise.
#[inline(never)]
pub(crate) fn push_selected<N>(
    policies: &[(N, CompiledPolicy<'_>)],
    target: &[u8],
    dialect: Dialect,
    workspace: &mut CheckScratch,
    answers: &mut Vec<Answer>,
) -> bool {
    let selected = policies.iter().filter_map(|(_, policy)| policy.selected());
    let is_of_one = selected.clone().zip(selected.clone().skip(1)).all(|(one, other)| one.is_of(other));
    if !is_of_one || selected.clone().count() < policies.len() || is_always_allowed(target, dialect) {
        return false;
    }
    let CheckScratch { scratch, union, .. } = workspace;
    let selection = |index: usize| policies.get(index)?.1.selected();
    answers.extend(SelectedRules::verdicts(&selection, target, scratch, union).map(Answer::Verdict));
    true
}

/// Whether `target` is the robots.txt itself, which is always allowed (U3).
#[inline]
fn is_always_allowed(target: &[u8], dialect: Dialect) -> bool {
    is_robots_txt(target) && dialect.semantics().allows_robots_txt
}

/// Whether a target in normal form is the robots.txt itself (U3).
#[inline]
pub(crate) fn is_robots_txt(target: &[u8]) -> bool {
    target == b"/robots.txt"
}

/// The answer of a program of rules.
#[inline]
fn verdict_of_rules(
    program: &PreparedProgram<'_>,
    target: &[u8],
    dialect: Dialect,
    workspace: &mut CheckScratch,
) -> Answer {
    Answer::Verdict(match is_always_allowed(target, dialect) {
        true => Verdict::ROBOTS_TXT,
        false => program.verdict(target, &mut workspace.scratch),
    })
}

/// The answer when the outcome of the fetch decides.
fn answer_without_rules(outcome: FetchOutcome, target: &[u8], dialect: Dialect) -> Answer {
    match outcome {
        FetchOutcome::Redirected | FetchOutcome::Success => Answer::Unknown,
        _ if is_always_allowed(target, dialect) => Answer::Verdict(Verdict::ROBOTS_TXT),
        FetchOutcome::Unavailable => Answer::Verdict(Verdict::UNAVAILABLE),
        FetchOutcome::Unreachable => Answer::Verdict(Verdict::UNREACHABLE),
        FetchOutcome::Restricted => Answer::Verdict(Verdict::RESTRICTED),
        FetchOutcome::Deferred => Answer::Defer,
    }
}

/// A site's policy for one crawler, which owns its program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OwnedCompiledPolicy {
    WithoutRules(FetchOutcome),
    Rules(Program),
    Usages(StatementProgram),
    /// For every crawler; only stores hold these.
    GroupTable(Box<[u8]>),
    /// The robots.txt, and the tdmrep.json.
    WithTdmRep(Box<[OwnedCompiledPolicy; 2]>),
}

impl OwnedCompiledPolicy {
    /// The answer if more than rules decide, or less.
    fn other_answer(&self, target: &[u8], dialect: Dialect, check: &mut CheckScratch) -> Answer {
        match self {
            OwnedCompiledPolicy::WithoutRules(outcome) => answer_without_rules(*outcome, target, dialect),
            // A constant, so that a build without programs does not contain what borrowed policies need.
            _ if cfg!(feature = "permissions") => self.borrow().answer(target, dialect, check),
            _ => Answer::Unknown,
        }
    }

    pub(crate) fn borrow(&self) -> CompiledPolicy<'_> {
        match self {
            OwnedCompiledPolicy::WithoutRules(outcome) => CompiledPolicy::WithoutRules(*outcome),
            OwnedCompiledPolicy::Rules(program) => CompiledPolicy::Rules(program.as_ref().prepare()),
            OwnedCompiledPolicy::Usages(_) => CompiledPolicy::of_stored(self.stored()),
            OwnedCompiledPolicy::WithTdmRep(both) => {
                let [robots, tdmrep] = both.each_ref().map(OwnedCompiledPolicy::stored);
                WithTdmRep::new(robots, tdmrep)
                    .map_or_else(|| CompiledPolicy::of_stored(robots), CompiledPolicy::WithTdmRep)
            }
            OwnedCompiledPolicy::GroupTable(_) => {
                unreachable!("a policy for one crawler is not a group table")
            }
        }
    }

    /// The outcome of the fetch, or the program, in the form of a store.
    fn stored(&self) -> StoredPolicy<'_> {
        match self {
            OwnedCompiledPolicy::Rules(program) => StoredPolicy::of_program(program.as_ref().bytes()),
            OwnedCompiledPolicy::Usages(program) => StoredPolicy::of_program(program.bytes()),
            OwnedCompiledPolicy::GroupTable(bytes) => StoredPolicy::of_program(bytes),
            OwnedCompiledPolicy::WithTdmRep(both) => both[0].stored(),
            OwnedCompiledPolicy::WithoutRules(outcome) => StoredPolicy::of_outcome(*outcome),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            OwnedCompiledPolicy::WithoutRules(_) => 0,
            OwnedCompiledPolicy::Rules(program) => program.as_ref().bytes().len(),
            OwnedCompiledPolicy::Usages(program) => program.bytes().len(),
            OwnedCompiledPolicy::GroupTable(bytes) => bytes.len(),
            OwnedCompiledPolicy::WithTdmRep(both) => both.iter().map(OwnedCompiledPolicy::bytes).sum(),
        }
    }

    /// The outcome of the fetch of the robots.txt.
    fn outcome(&self) -> FetchOutcome {
        match self {
            OwnedCompiledPolicy::WithoutRules(outcome) => *outcome,
            OwnedCompiledPolicy::Rules(_)
            | OwnedCompiledPolicy::Usages(_)
            | OwnedCompiledPolicy::GroupTable(_) => FetchOutcome::Success,
            OwnedCompiledPolicy::WithTdmRep(both) => both[0].outcome(),
        }
    }

    /// The shapes of its patterns.
    fn shapes(&self, dialect: Dialect) -> Vec<ProgramRule> {
        match self {
            OwnedCompiledPolicy::Rules(program) => program.as_ref().rules(dialect).unwrap_or_default(),
            OwnedCompiledPolicy::Usages(program) => StatementProgramRef::from_raw(program.bytes())
                .map_or_else(Vec::new, |program| program.shapes(dialect)),
            OwnedCompiledPolicy::WithTdmRep(both) => {
                both.iter().flat_map(|policy| policy.shapes(dialect)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The compared text of a URL, which is `plain` unless it is in an unusual spelling. `None` if it is none, or if `accepts`
/// refuses it.
#[inline]
fn target_of<'t>(
    text: &'t [u8],
    plain: Option<&'t [u8]>,
    dialect: Dialect,
    buffer: &'t mut TargetBuffer,
    accepts: impl FnOnce(&[u8]) -> bool,
) -> Option<&'t [u8]> {
    if plain.is_some() {
        return plain;
    }
    let target = Target::read(text, dialect).filter(|_| accepts(text))?;
    Some(target.normal(dialect, buffer))
}

/// The path or URL that `text` is, without blanks around it: a path, or an absolute URL with a valid host. `None` for any
/// other text, and if it contains control characters ([`requestable`]). `//a.example/x` is neither: it names a host (RFC
/// 3986, 4.2), of the scheme of the page that has it. All dialects agree about this, unlike about the form of a path.
pub fn path_or_url(text: &[u8]) -> Option<&[u8]> {
    requestable(text).filter(|text| is_path_or_url(text))
}

/// A text that [`path_or_url`] accepts, and whose path is `path`: the path itself, unless it would name a host. For reports of
/// paths that were found in rules.
pub fn url_of_path(path: &[u8]) -> Cow<'_, [u8]> {
    if path.starts_with(b"//") { [b"https://example.com", path].concat().into() } else { path.into() }
}

fn is_path_or_url(text: &[u8]) -> bool {
    (text.starts_with(b"/") && !text.starts_with(b"//")) || Site::of_url(text).is_ok()
}

/// A site's tdmrep.json, compiled: the input of [`StoreBuilder`](crate::StoreBuilder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledTdmRep(pub(crate) OwnedCompiledPolicy);

impl CompiledTdmRep {
    /// Compiles the tdmrep.json whose fetch had this outcome. `tdmrep` counts only after a success
    /// (`crates/PERMISSIONS.md`, T6).
    pub fn new(outcome: FetchOutcome, tdmrep: &TdmRep) -> Self {
        CompiledTdmRep(match outcome {
            FetchOutcome::Success => StatementProgram::of_tdmrep(tdmrep).map_or(
                OwnedCompiledPolicy::WithoutRules(FetchOutcome::Unavailable),
                OwnedCompiledPolicy::Usages,
            ),
            outcome => OwnedCompiledPolicy::WithoutRules(outcome),
        })
    }
}

/// One site's policy for several crawlers: the output of [`PolicyCompiler`] and the input of
/// [`StoreBuilder`](crate::StoreBuilder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledPolicies {
    /// Crawlers with equal policies share them.
    pub(crate) compiled_policies: Vec<Arc<OwnedCompiledPolicy>>,
    /// For each compiled policy, what the site says about how often and when to visit, in bytes (`schedules`).
    pub(crate) schedules: Vec<Box<[u8]>>,
    pub(crate) digest: Option<Digest>,
}

impl CompiledPolicies {
    /// The policies with the digest of the body that they were compiled from: a store remembers it
    /// ([`KnownBodies`](crate::KnownBodies)). A digest is cryptographic and has a fixed length: see
    /// [`DIGEST`](crate::DIGEST).
    #[must_use]
    pub fn known_by(self, digest: Digest) -> Self {
        CompiledPolicies { digest: Some(digest), ..self }
    }

    /// The memory that they take, in bytes. Equal policies count once.
    pub fn bytes(&self) -> usize {
        let is_first = |index: &usize| {
            let known = &self.compiled_policies[..*index];
            !known.iter().any(|known| Arc::ptr_eq(known, &self.compiled_policies[*index]))
        };
        let distinct = (0..self.compiled_policies.len()).filter(is_first);
        let programs: usize = distinct.map(|index| self.compiled_policies[index].bytes()).sum();
        programs + self.schedules.iter().map(|schedule| schedule.len()).sum::<usize>()
    }
}

/// Compiles policies for a list of crawlers. Each thread has its own compiler.
#[derive(Debug)]
pub struct PolicyCompiler<'c> {
    kind: &'c StoreKind,
    compiler: Compiler,
}

impl<'c> PolicyCompiler<'c> {
    /// A compiler of policies for stores of this kind.
    pub fn new(kind: &'c StoreKind) -> Self {
        PolicyCompiler { kind, compiler: Compiler::new() }
    }

    /// Compiles `policy` for the crawlers.
    pub fn compile(&mut self, policy: &Policy<'_>) -> CompiledPolicies {
        let PolicyCompiler { kind, compiler } = self;
        let (compiled_policies, schedules) = match &kind.audience {
            Audience::Crawlers(crawlers) => {
                let mut compiled_policies: Vec<Arc<OwnedCompiledPolicy>> = Vec::with_capacity(crawlers.len());
                for crawler in crawlers {
                    let compiled = compiled_policy(policy, crawler, &kind.usage_query, compiler);
                    // Most crawlers obey the same group.
                    let known = compiled_policies.iter().find(|known| ***known == compiled).map(Arc::clone);
                    compiled_policies.push(known.unwrap_or_else(|| Arc::new(compiled)));
                }
                let schedule = |crawler| schedules::for_one(policy.schedule(crawler));
                (compiled_policies, crawlers.iter().map(schedule).collect())
            }
            Audience::Everyone => {
                let compiled = Arc::new(for_everyone(policy, compiler));
                (vec![compiled], vec![schedules::for_everyone(&policy.schedules())])
            }
        };
        CompiledPolicies { compiled_policies, schedules, digest: None }
    }
}

fn for_everyone(policy: &Policy<'_>, compiler: &mut Compiler) -> OwnedCompiledPolicy {
    by_outcome(policy, || {
        let bytes = group_table::compile(policy, compiler);
        if group_table::is_group_table(&bytes) {
            return OwnedCompiledPolicy::GroupTable(bytes);
        }
        OwnedCompiledPolicy::Rules(ProgramRef::from_raw(&bytes).to_owned())
    })
}

fn compiled_policy(
    policy: &Policy<'_>,
    crawler: &Crawler,
    usage_query: &UsageQuery,
    compiler: &mut Compiler,
) -> OwnedCompiledPolicy {
    // Under other dialects, ACAP fields have no effect, so rules are enough for queries about crawl.
    let may_have_usages = policy.dialect().semantics().reads_acap || usage_query.usage != Usage::Crawl;
    if may_have_usages
        && policy.outcome() == FetchOutcome::Success
        && let Some(program) = StatementProgram::compile(policy, crawler, usage_query)
    {
        return OwnedCompiledPolicy::Usages(program);
    }
    conventional(policy, crawler, compiler)
}

fn conventional(policy: &Policy<'_>, crawler: &Crawler, compiler: &mut Compiler) -> OwnedCompiledPolicy {
    by_outcome(policy, || OwnedCompiledPolicy::Rules(compiler.compile(&policy.rules_for(crawler)).to_owned()))
}

/// The policy that follows from the outcome of the fetch, or the rules.
fn by_outcome(policy: &Policy<'_>, rules: impl FnOnce() -> OwnedCompiledPolicy) -> OwnedCompiledPolicy {
    match policy.outcome() {
        FetchOutcome::Success => rules(),
        outcome => OwnedCompiledPolicy::WithoutRules(outcome),
    }
}

/// The program of a policy with its parts located, if rules alone decide.
type RulesOfSite<'p> = Option<PreparedProgram<'p>>;

self_cell!(
    /// A policy whose program is prepared once, because a check of one URL takes less time than preparing it.
    struct PreparedPolicy {
        owner: OwnedCompiledPolicy,
        #[covariant]
        dependent: RulesOfSite,
    }

    impl {Debug}
);

impl PreparedPolicy {
    fn of(policy: OwnedCompiledPolicy) -> Self {
        PreparedPolicy::new(policy, |policy| match policy {
            OwnedCompiledPolicy::Rules(program) => Some(program.as_ref().prepare()),
            _ => None,
        })
    }

    /// The answer for `text`; `invalid` if `accepts` refuses it.
    #[inline]
    fn check(
        &self,
        text: &[u8],
        dialect: Dialect,
        scratch: &mut SiteScratch,
        accepts: impl FnOnce(&[u8]) -> bool,
    ) -> Answer {
        let SiteScratch { check, buffer } = scratch;
        match target_of(text, Target::plain(text, dialect), dialect, buffer, accepts) {
            Some(target) => self.answer(target, dialect, check),
            None => Answer::Invalid,
        }
    }

    /// See [`SitePolicy::check_urls_with`].
    fn check_urls(
        &self,
        urls: &mut dyn Iterator<Item = &[u8]>,
        dialect: Dialect,
        scratch: &mut SiteScratch,
        each: &mut dyn FnMut(Answer),
    ) {
        let SiteScratch { check, buffer } = scratch;
        let mut site = None;
        for url in urls {
            let target = requestable(url).and_then(|url| {
                let plain = Target::plain_after(url, dialect, &mut site);
                target_of(url, plain, dialect, buffer, is_path_or_url)
            });
            each(target.map_or(Answer::Invalid, |target| self.answer(target, dialect, check)));
        }
    }

    #[inline]
    fn answer(&self, target: &[u8], dialect: Dialect, check: &mut CheckScratch) -> Answer {
        match self.borrow_dependent() {
            Some(program) => verdict_of_rules(program, target, dialect, check),
            None => self.borrow_owner().other_answer(target, dialect, check),
        }
    }
}

impl Clone for PreparedPolicy {
    fn clone(&self) -> Self {
        PreparedPolicy::of(self.borrow_owner().clone())
    }
}

/// One site's policy for one crawler. It evaluates URLs without looking at their site.
#[derive(Clone, Debug)]
pub struct SitePolicy {
    dialect: Dialect,
    policy: PreparedPolicy,
    scratch: SiteScratch,
}

impl SitePolicy {
    /// Compiles `policy` for `crawler`.
    pub fn new(policy: &Policy<'_>, crawler: &Crawler) -> Self {
        let compiled_policy = compiled_policy(policy, crawler, &UsageQuery::default(), &mut Compiler::new());
        SitePolicy::of_compiled_policy(compiled_policy, policy.dialect())
    }

    /// Compiles the conventional rules alone, without the ACAP fields of `policy`.
    pub(crate) fn conventional(policy: &Policy<'_>, crawler: &Crawler) -> Self {
        SitePolicy::of_compiled_policy(conventional(policy, crawler, &mut Compiler::new()), policy.dialect())
    }

    pub(crate) fn of_compiled_policy(compiled_policy: OwnedCompiledPolicy, dialect: Dialect) -> Self {
        SitePolicy { dialect, policy: PreparedPolicy::of(compiled_policy), scratch: SiteScratch::default() }
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The answer for `url`: an absolute URL or a path with a query. It is `invalid` if the dialect accepts it as
    /// neither.
    pub fn check(&mut self, url: &[u8]) -> Answer {
        let SitePolicy { dialect, policy, scratch } = self;
        policy.check(url, *dialect, scratch, |_| true)
    }

    /// Like [`SitePolicy::check`], for threads that share the policy: each has its own scratch memory.
    pub fn check_with(&self, url: &[u8], scratch: &mut SiteScratch) -> Answer {
        self.policy.check(url, self.dialect, scratch, |_| true)
    }

    /// Like [`SitePolicy::check_with`], for [`path_or_url`]: `invalid` if `url` is neither.
    pub fn check_url_with(&self, url: &[u8], scratch: &mut SiteScratch) -> Answer {
        // It looks at the host only if this is in an unusual spelling.
        let check = |url| self.policy.check(url, self.dialect, scratch, is_path_or_url);
        requestable(url).map_or(Answer::Invalid, check)
    }

    /// Calls `each` with the answer of [`SitePolicy::check_url_with`] for each of many URLs. It is faster, above all if they
    /// are of one site. It is not generic, so that only this crate compiles it.
    pub fn check_urls_with(
        &self,
        urls: &mut dyn Iterator<Item = &[u8]>,
        scratch: &mut SiteScratch,
        each: &mut dyn FnMut(Answer),
    ) {
        self.policy.check_urls(urls, self.dialect, scratch, each);
    }

    /// The compiled rules; `None` when the outcome of the fetch decides, or more than rules.
    pub fn program(&self) -> Option<ProgramRef<'_>> {
        match self.policy.borrow_owner() {
            OwnedCompiledPolicy::Rules(program) => Some(program.as_ref()),
            _ => None,
        }
    }

    /// Texts that match its patterns, a few for each pattern ([`instances_of`]), regardless of the decision for them.
    pub fn instances(&self) -> Vec<Vec<u8>> {
        instances_of(&self.policy.borrow_owner().shapes(self.dialect), self.dialect)
    }

    /// The outcome of the fetch. The rules apply only after a success.
    pub fn outcome(&self) -> FetchOutcome {
        self.policy.borrow_owner().outcome()
    }

    /// Whether the site's tdmrep.json decides, too.
    pub(crate) fn has_tdmrep(&self) -> bool {
        matches!(self.policy.borrow_owner(), OwnedCompiledPolicy::WithTdmRep(_))
    }

    /// The rule on `line`, as `Disallow: /private` with the pattern in its normal form. `None` when there is no such
    /// rule, and when more than rules decide.
    pub fn rule(&self, line: u32) -> Option<String> {
        // The highest-ranking rules come first, if a line has several.
        let rules = self.program()?.rules(self.dialect).ok()?;
        rules.iter().find(|rule| rule.line == line).map(ToString::to_string)
    }

    /// Whether both policies are equal, byte for byte.
    pub fn is_same(&self, other: &Self) -> bool {
        self.dialect == other.dialect && self.policy.borrow_owner() == other.policy.borrow_owner()
    }
}
