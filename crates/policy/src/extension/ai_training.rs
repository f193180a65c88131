//! `DisallowAITraining` and `AllowAITraining`: rules about training (draft-canel-robots-ai-control-00;
//! `crates/PERMISSIONS.md`, V10).

use robomata_protocol::{Access, Crawler};
use robomata_syntax::Key;

use crate::policy::Policy;

/// A rule about training on what a pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AiTrainingRule<'t> {
    /// Whether training is allowed or disallowed.
    pub access: Access,
    /// The path pattern as written; never empty.
    pub pattern: &'t [u8],
    /// The 1-based line of the record.
    pub line: u32,
}

impl Policy<'_> {
    /// The rules about training that apply to `crawler`, except for empty ones, which have no effect.
    pub fn ai_training(&self, crawler: &Crawler) -> Vec<AiTrainingRule<'_>> {
        let rule = |extension: &crate::Extension| {
            let access = match extension.key {
                Key::DisallowAiTraining => Access::Disallow,
                Key::AllowAiTraining => Access::Allow,
                _ => return None,
            };
            let (pattern, line) = (extension.value.of(self.text()), extension.line);
            (!pattern.is_empty()).then_some(AiTrainingRule { access, pattern, line })
        };
        self.extensions_for(crawler).filter_map(rule).collect()
    }
}
