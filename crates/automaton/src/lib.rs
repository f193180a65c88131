//! Compiles rule sets into automata with priorities.
//!
//! A [`Program`] decides, for one crawler at one site, which rule applies to a URL's path and query. It is built once
//! and walked for every URL:
//!
//! 1. **Normalize**: convert patterns and targets to one [`NormalForm`].
//! 2. **Split** each pattern at its stars: a prefix, anchored at the first byte, and unanchored segments.
//! 3. **Rank**: order the rules once, by specificity and then allow over disallow; a rank is a small integer. Of rules
//!    that match the same texts, one is kept: patterns are sorted by shape, seven bytes at a time.
//! 4. **Compile**: prefixes into a radix trie. If there are only a few patterns with unanchored segments, they form a
//!    list with a prefilter for rare bytes. Otherwise, their segments form an Aho-Corasick automaton, with scratch
//!    variables for patterns of several segments. A state stores the best rank of everything that it implies. If
//!    patterns of very many segments would need thousands of such variables, each is a chain, followed on its own.
//! 5. **Walk**: one pass over the target, which takes a maximum of ranks.
//!
//! For patterns without an order, or with only a partial order, a [`PatternSet`] returns all that match in one walk,
//! and the caller decides. This crate compares their [`Scope`]s and [`Specificity`].
//!
//! A [`UnionProgram`] holds the rules of many groups, and decides for any choice of groups.
//!
//! Every rule set compiles, in time and size linear in its patterns' bytes: there is no subset construction, so a site
//! cannot make the program explode. A walk takes a few steps for each byte of the target, and at most a few for each of
//! the rules' segments and for each position where a pattern waits. The modules `pattern_list`, `unanchored`,
//! `chains` and `heavy_path` state the bounds.
//!
//! ```
//! use robomata_automaton::{Program, Scratch};
//! use robomata_policy::Policy;
//! use robomata_protocol::{Access, Crawler, Dialect};
//! use robomata_syntax::Config;
//!
//! let policy = Policy::new(b"User-agent: *\nDisallow: /*.gif$\nAllow: /logo", &Config::new(Dialect::Rfc9309));
//! let program = Program::compile(&policy.rules_for(&Crawler::new("FooBot")));
//! let mut scratch = Scratch::new();
//! let verdict = program.as_ref().verdict(b"/images/a.gif", &mut scratch);
//! assert_eq!((verdict.access, verdict.line), (Access::Disallow, 2));
//! ```

mod block;
mod chains;
mod compare;
mod construct;
mod debug;
mod decompile;
mod drawing;
mod heavy_path;
mod idle;
mod int;
mod normal;
mod pattern;
mod pattern_list;
mod prefix;
mod product;
mod program;
mod prove;
mod rank;
mod search;
mod set;
mod sort;
mod unanchored;
mod union;
mod validate;

pub use block::{begins_with, position, prefetch};
pub use compare::{
    CompareOptions, Comparison, Difference, Witness, compare, compare_programs, instances_of, path_of,
};
pub use decompile::ProgramRule;
pub use drawing::{Drawing, DrawnEdge, DrawnNode, DrawnRule, EdgeKind, NodeKind, VisitedNode};
pub use idle::{IdleRule, idle_rules};
pub use normal::{NormalForm, readings};
pub use program::{Compiler, PreparedProgram, Program, ProgramRef};
pub use prove::{PatternProof, PatternProver, instances_of_pattern, url_of_pattern};
pub use rank::{
    Level, Precedence, RankedRule, Scope, ScopeOrder, ScopeRanking, Specificity, narrowest, order_name,
    ranked_rules,
};
pub use search::Scratch;
pub use set::{PatternSet, PatternSetRef};
pub use union::{SelectedRules, UnionProgram, UnionScratch};
pub use validate::{LoadError, Validator};
