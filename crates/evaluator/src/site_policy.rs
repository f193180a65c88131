//! One site's policy, compiled.

use robomata_automaton::{Compiler, PreparedProgram, Program, ProgramRef, Scratch};
use robomata_policy::Policy;
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome, Verdict};

use crate::target::{Target, TargetBuffer};

/// What a site says to one crawler, ready to judge targets.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every site has rules, and one lies in a checker at a time"
)]
pub(crate) enum Decider<'p> {
    /// No policy is known: the robots.txt redirects to where nobody looked.
    Unknown,
    /// Everything is allowed, because the robots.txt is unavailable.
    Unavailable,
    /// Everything is disallowed, because the robots.txt is unreachable.
    Unreachable,
    /// The rules decide.
    Rules(PreparedProgram<'p>),
}

impl Decider<'_> {
    /// The answer for `target`, a path and query in the normal form of `dialect`.
    #[inline]
    pub(crate) fn answer(&self, target: &[u8], dialect: Dialect, scratch: &mut Scratch) -> Answer {
        if matches!(self, Decider::Unknown) {
            return Answer::Unknown;
        }
        if dialect != Dialect::Google && target == b"/robots.txt" {
            return Answer::Verdict(Verdict::ROBOTS_TXT);
        }
        match self {
            Decider::Unknown => Answer::Unknown,
            Decider::Unavailable => Answer::Verdict(Verdict::UNAVAILABLE),
            Decider::Unreachable => Answer::Verdict(Verdict::UNREACHABLE),
            Decider::Rules(program) => Answer::Verdict(program.verdict(target, scratch)),
        }
    }
}

/// What a site says to one crawler, owning its program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OwnedDecider {
    Unknown,
    Unavailable,
    Unreachable,
    Rules(Program),
}

impl OwnedDecider {
    pub(crate) fn borrow(&self) -> Decider<'_> {
        match self {
            OwnedDecider::Unknown => Decider::Unknown,
            OwnedDecider::Unavailable => Decider::Unavailable,
            OwnedDecider::Unreachable => Decider::Unreachable,
            OwnedDecider::Rules(program) => Decider::Rules(program.as_ref().prepare()),
        }
    }
}

/// One site's policy for several crawlers, as [`PolicyCompiler`] makes it and [`StoreBuilder`](crate::StoreBuilder)
/// takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledPolicies {
    pub(crate) deciders: Vec<OwnedDecider>,
}

/// Compiles policies for a list of crawlers; each thread has its own.
#[derive(Debug)]
pub struct PolicyCompiler<'c> {
    crawlers: &'c [Crawler],
    compiler: Compiler,
}

impl<'c> PolicyCompiler<'c> {
    /// A compiler for `crawlers`.
    pub fn new(crawlers: &'c [Crawler]) -> Self {
        PolicyCompiler { crawlers, compiler: Compiler::new() }
    }

    /// Compiles what `policy` says to each of the crawlers.
    pub fn compile(&mut self, policy: &Policy<'_>) -> CompiledPolicies {
        let deciders =
            self.crawlers.iter().map(|crawler| decider(policy, crawler, &mut self.compiler)).collect();
        CompiledPolicies { deciders }
    }
}

fn decider(policy: &Policy<'_>, crawler: &Crawler, compiler: &mut Compiler) -> OwnedDecider {
    match policy.outcome() {
        FetchOutcome::Redirected => OwnedDecider::Unknown,
        FetchOutcome::Unavailable => OwnedDecider::Unavailable,
        FetchOutcome::Unreachable => OwnedDecider::Unreachable,
        FetchOutcome::Success => OwnedDecider::Rules(compiler.compile(&policy.rules_for(crawler)).to_owned()),
    }
}

/// One site's policy for one crawler. It judges URLs without looking at their site.
#[derive(Clone, Debug)]
pub struct SitePolicy {
    dialect: Dialect,
    decider: OwnedDecider,
    scratch: Scratch,
    buffer: TargetBuffer,
}

impl SitePolicy {
    /// Compiles what `policy` says to `crawler`.
    pub fn new(policy: &Policy<'_>, crawler: &Crawler) -> Self {
        SitePolicy {
            dialect: policy.dialect(),
            decider: decider(policy, crawler, &mut Compiler::new()),
            scratch: Scratch::new(),
            buffer: TargetBuffer::default(),
        }
    }

    /// The answer for `url`: an absolute URL or a path with a query; `invalid` for what the dialect takes for neither.
    pub fn check(&mut self, url: &[u8]) -> Answer {
        let Some(target) = Target::read(url, self.dialect) else { return Answer::Invalid };
        let normal = target.normal(self.dialect, &mut self.buffer);
        self.decider.borrow().answer(normal, self.dialect, &mut self.scratch)
    }

    /// The compiled rules; none when the fetch's outcome decides.
    pub fn program(&self) -> Option<ProgramRef<'_>> {
        match &self.decider {
            OwnedDecider::Rules(program) => Some(program.as_ref()),
            _ => None,
        }
    }
}
