//! Content-Usage headers, and TDMRep in headers and META tags (`crates/PERMISSIONS.md`, V3 and P13).

use std::collections::HashMap;

use robomata_policy::content_usage::parse_header;
use robomata_policy::{Address, Preference, Says, Statement, UsageItem};
use robomata_protocol::{
    PageFacts, PageHeader, PermissionReason, Place, Qualifier, Source, Usage, Vocabulary,
};

use crate::diagnostic::{PageDiagnostic, PageProblem};

/// The headers called `name`, each with its 1-based number among all headers.
pub(crate) fn named<'f>(facts: &'f PageFacts, name: &str) -> impl Iterator<Item = (u32, &'f PageHeader)> {
    (1..).zip(&facts.headers).filter(move |(_, header)| header.name.trim_ascii().eq_ignore_ascii_case(name))
}

/// Interprets the Content-Usage headers. Several headers form one list, as with every structured field (RFC 9651, 4.2).
pub(crate) fn content_usage(facts: &PageFacts, diagnostics: &mut Vec<PageDiagnostic>) -> Vec<Statement> {
    let headers: Vec<(u32, &str)> =
        named(facts, "content-usage").map(|(number, header)| (number, header.value.as_str())).collect();
    let Some(&(first, _)) = headers.first() else { return Vec::new() };
    let source = |line| Source { vocabulary: Vocabulary::ContentUsage, place: Place::Header, line };
    let whole = headers.iter().map(|&(_, value)| value).collect::<Vec<_>>().join(", ");
    let Some(items) = parse_header(whole.as_bytes()) else {
        diagnostics.push(PageDiagnostic::new(source(first), PageProblem::InvalidContentUsage, &whole));
        return Vec::new();
    };
    // The last value of a repeated label counts, so its source is the last header with that label.
    let mut lines: HashMap<String, u32> = HashMap::new();
    for &(number, value) in &headers {
        for item in parse_header(value.as_bytes()).unwrap_or_default() {
            lines.insert(item.label, number);
        }
    }
    let statement = |item: &UsageItem| {
        let says = match item.preference {
            Preference::Unknown => return None,
            Preference::Yes => Says::Permitted(Vec::new()),
            Preference::No => Says::Prohibited(PermissionReason::Explicit),
        };
        let source = source(lines.get(&item.label).copied().unwrap_or(first));
        Some(Statement { usage: item.usage()?, says, address: Address::Any, purpose: None, source })
    };
    items.iter().filter_map(statement).collect()
}

/// Interprets TDMRep. The headers count if one has a valid reservation; otherwise the META tags count. Each uses its
/// own policy.
pub(crate) fn tdm(facts: &PageFacts, diagnostics: &mut Vec<PageDiagnostic>) -> Option<Statement> {
    let headers = (1..).zip(&facts.headers).map(|(line, header)| {
        let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::Header, line };
        (header.name.as_str(), header.value.as_str(), source)
    });
    let metas = facts.metas.iter().map(|meta| {
        let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::Meta, line: meta.line };
        (meta.name.as_str(), meta.content.as_str(), source)
    });
    let of_headers = Reservation::read(headers, diagnostics);
    let of_metas = Reservation::read(metas, diagnostics);
    of_headers.statement().or_else(|| of_metas.statement())
}

/// The TDMRep values of the headers or of the META tags.
#[derive(Default)]
struct Reservation<'f> {
    /// Whether rights are reserved: the strictest value, and the first of equal ones.
    reserved: Option<(bool, Source)>,
    /// The first policy.
    policy: Option<&'f str>,
}

impl<'f> Reservation<'f> {
    fn read(
        fields: impl Iterator<Item = (&'f str, &'f str, Source)>,
        diagnostics: &mut Vec<PageDiagnostic>,
    ) -> Self {
        let mut found = Reservation::default();
        for (name, value, source) in fields {
            let (name, value) = (name.trim_ascii(), value.trim_ascii());
            let is_valid = if name.eq_ignore_ascii_case("tdm-reservation") {
                let reserved = [("0", false), ("1", true)].into_iter().find(|&(word, _)| word == value);
                if let Some((_, reserved)) = reserved
                    && found.reserved.is_none_or(|(earlier, _)| reserved && !earlier)
                {
                    found.reserved = Some((reserved, source));
                }
                reserved.is_some()
            } else if name.eq_ignore_ascii_case("tdm-policy") {
                let policy = Some(value).filter(|value| is_url(value));
                found.policy = found.policy.or(policy);
                policy.is_some()
            } else {
                continue;
            };
            if !is_valid {
                let text = format!("{name}: {value}");
                diagnostics.push(PageDiagnostic::new(source, PageProblem::InvalidTdm, &text));
            }
        }
        found
    }

    fn statement(&self) -> Option<Statement> {
        let (reserved, source) = self.reserved?;
        let says = match (reserved, self.policy) {
            (false, _) => Says::Permitted(Vec::new()),
            (true, Some(policy)) => Says::Permitted(vec![Qualifier::Terms(policy.to_owned())]),
            (true, None) => Says::Prohibited(PermissionReason::Explicit),
        };
        Some(Statement { usage: Usage::Tdm, says, address: Address::Any, purpose: None, source })
    }
}

/// Returns whether `text` is an absolute http or https URL.
fn is_url(text: &str) -> bool {
    let has_scheme = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            && text.len() > scheme.len()
    };
    (has_scheme("https://") || has_scheme("http://")) && !text.contains(|c: char| c.is_ascii_whitespace())
}
