//! What the parser noticed, as findings.

use std::collections::HashMap;

use robomata::Diagnostic;
use robomata::policy::Name;
use robomata::syntax::{AgentName, DiagnosticKind, Key};

use super::{Findings, codes};

/// Turns every diagnostic into a finding.
pub(super) fn find(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let names: HashMap<u32, &Name> = policy
        .groups()
        .iter()
        .flat_map(|group| policy.names_of(group))
        .map(|name| (name.line, name))
        .collect();
    for diagnostic in policy.diagnostics() {
        let Diagnostic { line, span, kind } = *diagnostic;
        // A message begins with a capital nowhere; the octets say the rest.
        let written = findings.quoted(span);
        let finding = findings.add(code_of(kind), line, span, kind.to_string());
        match kind {
            DiagnosticKind::MisspeltKey(key) | DiagnosticKind::NearMiss(key) => {
                let name = standard(key);
                finding.message = format!("{written}: {}", finding.message);
                finding.help(format!("write '{name}'"));
                // What has no effect today would have one: that is for its author to decide.
                if matches!(kind, DiagnosticKind::MisspeltKey(_)) {
                    finding.fix(span, name);
                }
            }
            DiagnosticKind::UnknownKey => finding.message = format!("{written}: {}", finding.message),
            DiagnosticKind::MissingColon => {
                finding.help("put ': ' between key and value").fix(span, ": ");
            }
            DiagnosticKind::TextAfterStar => {
                finding.help("write '*' alone").fix(span, "");
            }
            DiagnosticKind::PatternWithoutSlash => {
                finding.help(format!("write '/{}'", written.trim_matches('\'')));
            }
            DiagnosticKind::MalformedValue(Key::Sitemap) => {
                finding.message = format!("{written} is no absolute URL: ignored");
            }
            DiagnosticKind::MalformedValue(Key::CrawlDelay) => {
                finding.message = format!("{written} is no number of seconds: ignored");
            }
            DiagnosticKind::ByteOrderMark | DiagnosticKind::PartialByteOrderMark => {
                finding.help("save the file without it").fix(span, "");
            }
            _ => {}
        }
        if let (DiagnosticKind::NameCut, Some(name)) = (kind, names.get(&line)) {
            explain_cut(name, findings);
        }
    }
}

/// Says of a name that is cut whom it means now.
fn explain_cut(name: &Name, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let AgentName::Named(token) = policy.agent_of(name) else { return };
    let (token, written) = (super::quoted(token), findings.quoted(name.value));
    if let Some(finding) = findings.found.last_mut() {
        finding.span = name.value;
        finding.message =
            format!("{written} is read as {token}: the group is for every crawler of that name");
    }
}

/// The stable name of a diagnostic's kind among our codes.
fn code_of(kind: DiagnosticKind) -> &'static str {
    match kind {
        DiagnosticKind::MalformedValue(Key::Sitemap) => "sitemap-not-absolute",
        DiagnosticKind::MalformedValue(Key::CrawlDelay) => "crawl-delay-no-number",
        DiagnosticKind::Acap(_) => "acap-oddity",
        kind => codes::code(kind.code()).name,
    }
}

/// The key as people write it.
pub(super) fn standard(key: Key) -> String {
    let mut name = key.as_str().to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}
