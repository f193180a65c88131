//! Rule sets compiled into automata that carry priority.
//!
//! A [`Program`] answers, for one crawler at one site, which rule decides about a URL's path and query. It is built once
//! and walked for every URL:
//!
//! 1. **Normalise**: patterns and targets are brought into one [`NormalForm`].
//! 2. **Divide** each pattern at its stars: a head, anchored at the first byte, and floating segments.
//! 3. **Rank**: the rules are ordered once, by specificity and then allow over disallow; a rank is a small integer. Of
//!    rules that match the same texts one is kept: patterns are sorted by shape, seven bytes at a time.
//! 4. **Compile**: heads into a path-compressed trie. Floating segments, where patterns are few, into a list behind a
//!    test on rare bytes; else into an Aho-Corasick automaton with scratch variables for patterns of several segments.
//!    The best rank of everything that a state implies lies in the state.
//! 5. **Walk**: one pass over the target, taking a maximum of ranks.
//!
//! Where patterns are in no order among themselves, or in a partial one only, a [`PatternSet`] gives all that match, in one
//! walk, and whoever asked decides; [`Scope`]s and [`Specificity`] are compared here.
//!
//! Every rule set compiles, in time and size linear in its patterns' bytes: no subset construction, so nothing a site
//! writes can blow up. A walk takes a few steps a byte of the target, and of the rules' segments and the places where
//! patterns wait each at most a few more: the modules `pattern_list`, `unanchored` and `heavy_path` state the bounds.
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
mod compare;
mod construct;
mod debug;
mod decompile;
mod heavy_path;
mod idle;
mod int;
mod normal;
mod pattern;
mod pattern_list;
mod prefix;
mod product;
mod program;
mod rank;
mod search;
mod set;
mod sort;
mod unanchored;
mod validate;

pub use block::begins_with;
pub use compare::{
    CompareOptions, Comparison, Difference, Witness, compare, compare_programs, instances_of, path_of,
};
pub use debug::Dot;
pub use decompile::ProgramRule;
pub use idle::{IdleRule, idle_rules};
pub use normal::{NormalForm, query_reading};
pub use program::{Compiler, PreparedProgram, Program, ProgramRef};
pub use rank::{RankedRule, Scope, ScopeOrder, Specificity, Step, order_name, ranked_rules};
pub use search::Scratch;
pub use set::{PatternSet, PatternSetRef};
pub use validate::{LoadError, Validator};
