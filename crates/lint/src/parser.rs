//! Findings from the parser's diagnostics.

use std::collections::HashMap;

use robomata_policy::{Name, crawler_of_user_agent};
use robomata_syntax::{AgentName, Diagnostic, DiagnosticKind, Key};

use crate::rules::REMOVAL;
use crate::{Findings, codes};

/// Turns every diagnostic into a finding.
pub(crate) fn find(findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let names: HashMap<u32, &Name> = policy
        .groups()
        .iter()
        .flat_map(|group| policy.names_of(group))
        .map(|name| (name.line, name))
        .collect();
    for diagnostic in policy.diagnostics() {
        let Diagnostic { line, span, kind } = *diagnostic;
        // An HTML comment before records does not make the file a page. `characters` reports it as markup.
        let is_comment = policy.text()[span.start as usize..].starts_with(b"<!--");
        if kind == DiagnosticKind::Html && is_comment && !policy.groups().is_empty() {
            continue;
        }
        let written = findings.quoted(span);
        let finding = findings.add(code_of(kind), line, span, kind.to_string());
        match kind {
            DiagnosticKind::MisspeltKey(key) | DiagnosticKind::NearMiss(key) => {
                let name = standard(key);
                finding.message = format!("{written}: {}", finding.message);
                finding.help(format!("write '{name}'"));
                // A fix for a near miss would give an effect to a line that has none. That is the author's decision.
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
                let pattern = span.of(policy.text());
                let is_within = matches!(pattern, [b'?' | b'.' | b'*', ..]);
                if let Some(path) = behind_host(pattern) {
                    finding.code = codes::code("host-pattern");
                    finding.message = format!(
                        "{written} begins with a host name: patterns are paths, so it matches nothing"
                    );
                    finding.help(path_help(&path));
                } else if is_within && !policy.dialect().semantics().wildcards {
                    finding.help("write the path from its first '/' on: a pattern is its beginning");
                } else {
                    let path = path_in(&String::from_utf8_lossy(pattern), is_within);
                    finding.help(match path {
                        Some(path) => format!("write {}", crate::quoted(path.as_bytes())),
                        None => "write the path from its first '/' on, as it is in URLs".to_owned(),
                    });
                }
            }
            DiagnosticKind::AbsoluteUrlPattern => {
                let url = String::from_utf8_lossy(span.of(policy.text()));
                let (_, rest) = url.split_once("://").unwrap_or(("", &url));
                let (_, path) = rest.split_once('/').unwrap_or((rest, ""));
                finding.help(path_help(path));
            }
            DiagnosticKind::MalformedValue(Key::Sitemap) if span.is_empty() => {
                finding.message = "a Sitemap without a URL: ignored".to_owned();
            }
            DiagnosticKind::MalformedValue(Key::Sitemap) => {
                finding.message = format!("{written} is not an absolute URL: ignored");
            }
            DiagnosticKind::MalformedValue(Key::Host) => {
                finding.code = codes::code("malformed-host");
                finding.message = format!("{written} is not just a host: ignored");
            }
            DiagnosticKind::NoRecord => finding.message = format!("{written}: {}", finding.message),
            DiagnosticKind::MalformedValue(Key::CrawlDelay) => {
                let is_long = is_number(span.of(policy.text()));
                if is_long {
                    finding.code = codes::code("crawl-delay-too-long");
                }
                finding.message = match is_long {
                    true => format!("{written} seconds are more than a day: ignored"),
                    false => format!("{written} is not a number of seconds: ignored"),
                };
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

/// What to write instead of a URL with this path, without its slash. A single '/' or star would disallow the whole site.
fn path_help(path: &str) -> String {
    match path.trim_matches(['/', '*', '$']) {
        "" => format!("{REMOVAL}: a robots.txt applies only to its own host"),
        _ => {
            format!("if you mean a path on this host, write {}", crate::quoted(format!("/{path}").as_bytes()))
        }
    }
}

/// Explains which crawlers a name that is cut off applies to.
fn explain_cut(name: &Name, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let AgentName::Named(token) = policy.agent_of(name) else { return };
    let value = name.value.of(policy.text());
    let crawler = crawler_of_user_agent(&String::from_utf8_lossy(value)).to_string();
    let is_user_agent = token.eq_ignore_ascii_case(b"mozilla") && value.get(token.len()) == Some(&b'/');
    let is_version = matches!(&value[token.len()..], [b'/', b'0'..=b'9', rest @ ..]
        if rest.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')));
    let is_other = !["", "mozilla", "msie"].contains(&crawler.to_ascii_lowercase().as_str());
    let (token, written) = (crate::quoted(token), findings.quoted(name.value));
    if let Some(finding) = findings.found.last_mut() {
        finding.span = name.value;
        if is_user_agent {
            finding.code = codes::code("user-agent-text");
            finding.message = format!("a whole User-Agent header is read as {token}");
            finding.help(match is_other {
                true => format!("write the crawler's product token alone: '{crawler}'"),
                false => "write the product token that the crawler's documentation gives".to_owned(),
            });
            return;
        }
        if is_version {
            finding.code = codes::code("name-with-version");
            finding.message = format!("{written} is read as {token}: the version is not part of the name");
            return;
        }
        finding.message =
            format!("{written} is read as {token}: the group applies to every crawler with that name");
    }
}

/// The path that somebody means who writes this pattern without a slash, with quotation marks, as a path of another system or
/// relative to a directory. `None` if it is a regular expression, or would be the whole site.
fn path_in(pattern: &str, is_within: bool) -> Option<String> {
    let path = pattern.trim_matches(['"', '\'', '`']).replace('\\', "/");
    let is_regular_expression = path.starts_with('^') || path.starts_with("../");
    let (path, is_within) = match path.strip_prefix("./") {
        Some(path) => (path.to_owned(), false),
        None => (path, is_within),
    };
    let start = if is_within { "/*" } else { "/" };
    let rest = path.trim_start_matches('/');
    let is_whole = rest.trim_matches(['*', '$']).is_empty();
    (!is_regular_expression && !is_whole).then(|| format!("{start}{rest}"))
}

/// The text after the host name at the beginning of a pattern. A host name consists of labels with dots between them,
/// and the last label is a top-level domain rather than a file extension.
fn behind_host(pattern: &[u8]) -> Option<String> {
    /// Common top-level domains of more than two letters. Those of two letters are countries; some are file extensions,
    /// too.
    const DOMAINS: [&str; 14] = [
        "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "museum", "travel", "asia",
        "shop",
    ];
    const EXTENSIONS: [&str; 20] = [
        "js", "pl", "py", "sh", "cc", "md", "rb", "ps", "gz", "ai", "so", "do", "ph", "mo", "db", "ts", "cs",
        "xz", "vb", "go",
    ];
    let text = std::str::from_utf8(pattern).ok()?;
    let (host, path) = text.split_once('/').unwrap_or((text, ""));
    let host = host.split_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase();
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let (first, last) = (host.split('.').next()?, host.rsplit('.').next()?);
    let is_country = last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_domain = DOMAINS.contains(&last) || is_country && (first == "www" || !EXTENSIONS.contains(&last));
    (host.contains('.') && host.split('.').all(is_label) && is_domain).then(|| path.to_owned())
}

fn is_number(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        && value.first().is_some_and(u8::is_ascii_digit)
        && value.iter().filter(|&&byte| byte == b'.').count() < 2
}

/// The name of the code for a diagnostic's kind.
fn code_of(kind: DiagnosticKind) -> &'static str {
    match kind {
        DiagnosticKind::MalformedValue(Key::Sitemap) => "sitemap-not-absolute",
        DiagnosticKind::MalformedValue(Key::CrawlDelay) => "crawl-delay-no-number",
        DiagnosticKind::Acap(_) => "acap-oddity",
        kind => codes::code(kind.code()).name,
    }
}

/// The key in its usual spelling, with an initial capital.
pub(crate) fn standard(key: Key) -> String {
    let mut name = key.as_str().to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_distinguished_from_files() {
        for (pattern, path) in [
            ("pages.www.example.com/", ""),
            ("www.example.pl", ""),
            ("example.org/a/b", "a/b"),
            ("example.co.uk:80/x", "x"),
        ] {
            assert_eq!(behind_host(pattern.as_bytes()).as_deref(), Some(path), "{pattern}");
        }
        for file in
            ["index.php", "a.js", "b.pl", "cgi-bin/", "style.css/", "a..com", "x", "", "*.com", "?x=a.com"]
        {
            assert_eq!(behind_host(file.as_bytes()), None, "{file}");
        }
    }
}
