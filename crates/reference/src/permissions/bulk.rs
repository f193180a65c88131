//! Crawl and another usage as one verdict, as a bulk filter gives it (R4).

use robomata_protocol::{Access, Permission, PermissionAnswer, PermissionReason, Qualifier, Source, Verdict};

/// The verdict over `crawl` and `used`, the answers for crawl and for another usage: a prohibition of either disallows, that
/// of the usage first; else the line is the one that speaks of the usage, or of crawl.
///
/// None where one of them depends on whether another resource may be crawled (A19): in bulk nobody looks there.
pub fn in_bulk(crawl: &PermissionAnswer, used: &PermissionAnswer) -> Option<Verdict> {
    if [crawl, used].into_iter().any(looks_elsewhere) {
        return None;
    }
    let line = |source: &Source| source.line;
    let is_prohibited = |answer: &&PermissionAnswer| answer.permission == Permission::Prohibited;
    Some(match [used, crawl].into_iter().find(is_prohibited) {
        Some(answer) => Verdict::by_rule(Access::Disallow, answer.source.as_ref().map_or(0, line)),
        None => {
            let source = used.source.as_ref().or(crawl.source.as_ref());
            Verdict::by_rule(Access::Allow, source.map_or(0, line))
        }
    })
}

fn looks_elsewhere(answer: &PermissionAnswer) -> bool {
    let is_target = |qualifier: &Qualifier| {
        matches!(qualifier, Qualifier::MustUseResource(_) | Qualifier::MustIncludeResource(_))
    };
    answer.reason == PermissionReason::TargetNotCrawlable || answer.qualifiers.iter().any(is_target)
}
