//! Crawl and another usage as one verdict, as a bulk filter gives it (R4).

use robomata_protocol::{
    Access, Permission, PermissionAnswer, PermissionReason, Place, Qualifier, Source, Verdict,
};

/// The verdict over `crawl` and `used`, the answers for crawl and for another usage. A prohibition of either disallows;
/// that of the usage takes precedence. Otherwise the line is the one about the usage, or the one about crawl.
///
/// Returns `None` if one of them depends on whether another resource may be crawled (A19): a bulk filter does not check
/// that.
pub fn in_bulk(crawl: &PermissionAnswer, used: &PermissionAnswer) -> Option<Verdict> {
    if [crawl, used].into_iter().any(looks_elsewhere) {
        return None;
    }
    let is_prohibited = |answer: &&PermissionAnswer| answer.permission == Permission::Prohibited;
    Some(match [used, crawl].into_iter().find(is_prohibited) {
        Some(answer) => verdict(Access::Disallow, answer.source.as_ref()),
        None => verdict(Access::Allow, used.source.as_ref().or(crawl.source.as_ref())),
    })
}

/// The rules of tdmrep.json have no lines.
fn verdict(access: Access, source: Option<&Source>) -> Verdict {
    match source {
        Some(Source { place: Place::TdmRepJson, .. }) => Verdict::by_tdmrep(access),
        Some(source) => Verdict::by_rule(access, source.line),
        None => Verdict::by_rule(access, 0),
    }
}

fn looks_elsewhere(answer: &PermissionAnswer) -> bool {
    let is_target = |qualifier: &Qualifier| {
        matches!(qualifier, Qualifier::MustUseResource(_) | Qualifier::MustIncludeResource(_))
    };
    answer.reason == PermissionReason::TargetNotCrawlable || answer.qualifiers.iter().any(is_target)
}
