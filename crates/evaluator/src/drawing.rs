//! The drawing of a policy's program.

use robomata_automaton::{Drawing, Program};
use robomata_policy::Policy;
use robomata_protocol::Crawler;

use crate::target::{Target, TargetBuffer};

/// Draws the program of the rules for `crawler`, with at most `most` nodes, and the way of `url`: an absolute URL, or a path
/// with a query. Without a URL, and for a text that is none, there is no way. The rules are drawn alone, without what else
/// decides.
pub fn drawing(policy: &Policy<'_>, crawler: &Crawler, url: Option<&[u8]>, most: usize) -> Drawing {
    let dialect = policy.dialect();
    let program = Program::compile(&policy.rules_for(crawler));
    let mut buffer = TargetBuffer::default();
    let target = url.and_then(|url| Target::read(url, dialect));
    let target = target.as_ref().map(|target| target.normal(dialect, &mut buffer));
    program.as_ref().drawing(target, most)
}
