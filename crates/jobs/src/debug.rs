//! Writes every intermediate result for one robots.txt as text.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;
use std::io::{self, Write};
use std::ptr;

use robomata_engine::automaton::{Program, order_name, ranked_rules};
use robomata_engine::policy::acap::{Acap, AddressedField, Resources};
use robomata_engine::policy::{
    Address, ArchivedPattern, ContentUsage, Extension, Group, Preference, RuleSet, Says, Value,
};
use robomata_engine::syntax::{AgentName, Document};
use robomata_engine::{Choice, Config, Crawler, PermissionReason, Policy, Qualifier};

use crate::robots_file::RobotsFile;

/// Writes the records, diagnostics, groups, extensions and ranked rules, and the program as text and as a drawing.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(out: &mut dyn Write, robots: &RobotsFile, crawler: &Crawler, config: &Config) -> io::Result<()> {
    let policy = Policy::with_diagnostics(robots.bytes(), config);
    let rules = policy.rules_for(crawler);
    let program = Program::compile(&rules);
    let bytes = robots.bytes().len();
    let dialect = config.dialect();
    writeln!(out, "{}: {bytes} bytes, dialect {dialect}, crawler {crawler}", robots.name())?;
    write_records(out, &Document::parse(robots.bytes(), config))?;
    write_diagnostics(out, &policy)?;
    write_groups(out, &policy)?;
    write_choice(out, &rules, crawler)?;
    write_extensions(out, &policy)?;
    if let Some(acap) = Acap::read(&policy, &[]) {
        write_acap(out, &acap, crawler)?;
    }
    write_ranks(out, &rules)?;
    write!(out, "\n# Program\n{program:?}")?;
    write!(out, "\n# Drawing (Graphviz DOT)\n{}", program.as_ref().drawing(None, usize::MAX))
}

/// Writes only the drawing of the program, in Graphviz' DOT format.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_dot(
    out: &mut dyn Write,
    robots: &RobotsFile,
    crawler: &Crawler,
    config: &Config,
) -> io::Result<()> {
    let policy = Policy::new(robots.bytes(), config);
    let program = Program::compile(&policy.rules_for(crawler));
    write!(out, "{}", program.as_ref().drawing(None, usize::MAX))
}

fn write_records(out: &mut dyn Write, document: &Document<'_>) -> io::Result<()> {
    writeln!(out, "\n# Records: line, key, value")?;
    for record in document.records() {
        let value = visible(record.value.of(document.text()));
        writeln!(out, "{:>6}  {:<12} {value}", record.line, record.key)?;
    }
    Ok(())
}

fn write_diagnostics(out: &mut dyn Write, policy: &Policy<'_>) -> io::Result<()> {
    writeln!(out, "\n# Diagnostics: line, code, meaning, quoted bytes")?;
    for diagnostic in policy.diagnostics() {
        let quoted = visible(diagnostic.span.of(policy.text()));
        let (line, code, kind) = (diagnostic.line, diagnostic.kind.code(), diagnostic.kind);
        writeln!(out, "{line:>6}  {code:<22} {kind} | {quoted}")?;
    }
    Ok(())
}

fn write_groups(out: &mut dyn Write, policy: &Policy<'_>) -> io::Result<()> {
    writeln!(out, "\n# Groups: their names, then their rules")?;
    for (index, group) in policy.groups().iter().enumerate() {
        writeln!(out, "group {}", index + 1)?;
        for name in policy.names_of(group) {
            let agent = match policy.agent_of(name) {
                AgentName::Any => "every other crawler".to_owned(),
                AgentName::Named(b"") => "no crawler".to_owned(),
                AgentName::Named(token) => visible(token),
            };
            writeln!(
                out,
                "{:>6}  user-agent   {} (means {agent})",
                name.line,
                visible(name.value.of(policy.text()))
            )?;
        }
        for rule in policy.rules_of(group) {
            writeln!(
                out,
                "{:>6}  {:<12} {}",
                rule.line,
                rule.access,
                visible(rule.pattern.of(policy.text()))
            )?;
        }
    }
    Ok(())
}

fn write_choice(out: &mut dyn Write, rules: &RuleSet<'_>, crawler: &Crawler) -> io::Result<()> {
    writeln!(out, "\n# Choice for {crawler}")?;
    match rules.choice() {
        Choice::Own(token) => writeln!(out, "the file names it as {}", visible(token))?,
        Choice::Any => writeln!(out, "no group names it, so the group for * applies")?,
        Choice::None => writeln!(out, "no group applies to it, so no rule does")?,
    }
    let chosen: HashSet<*const Group> = rules.groups().iter().map(|&group| ptr::from_ref(group)).collect();
    let all = (1..).zip(rules.policy().groups());
    let numbers = all.filter(|&(_, group)| chosen.contains(&ptr::from_ref(group)));
    let numbers: Vec<String> = numbers.map(|(number, _): (usize, _)| number.to_string()).collect();
    if !numbers.is_empty() {
        let count = rules.rules().count();
        writeln!(out, "groups merged: {}; rules: {count}", numbers.join(", "))?;
    }
    Ok(())
}

fn write_extensions(out: &mut dyn Write, policy: &Policy<'_>) -> io::Result<()> {
    writeln!(out, "\n# Extensions: line, key, group, value")?;
    for extension in policy.extensions() {
        let Extension { line, key, group, .. } = extension;
        let group = group.map_or_else(|| "no group".to_owned(), |index| format!("group {}", index + 1));
        let key = match key.as_str() {
            "unknown" | "acap" => visible(extension.written_key.of(policy.text())),
            known => known.to_owned(),
        };
        writeln!(out, "{line:>6}  {key:<12} {group:<9} {}", typed(&extension.read(policy.text())))?;
    }
    Ok(())
}

/// Lists that several fields share, each with a number.
struct Lists<K>(HashMap<K, usize>);

impl<K: Eq + Hash> Lists<K> {
    /// The list with its number, and after that its number alone: each field can have a list as long as the file.
    fn text<I: Iterator<Item = String>>(&mut self, key: K, items: impl FnOnce() -> I) -> String {
        let next = self.0.len() + 1;
        match self.0.entry(key) {
            Entry::Occupied(known) => format!("{{{}}}", known.get()),
            Entry::Vacant(new) => {
                let items: Vec<String> = items().collect();
                format!("{{{}: {}}}", new.insert(next), items.join(" "))
            }
        }
    }
}

/// Writes ACAP's fields as parsed (`crates/PERMISSIONS.md`, A1 to A13): one line for each usage of a field.
fn write_acap(out: &mut dyn Write, acap: &Acap, crawler: &Crawler) -> io::Result<()> {
    writeln!(
        out,
        "\n# ACAP for {crawler}: line, usage, permission, addressee, resources, purposes, qualifiers; {{n: a list}} is {{n}} \
         in later lines"
    )?;
    if let Some(version) = acap.version() {
        writeln!(out, "version {}", visible(version.as_bytes()))?;
    }
    if acap.ignores_conventional() {
        writeln!(out, "conventional records are ignored (2.9.1)")?;
    }
    let (mut sets, mut all_purposes) = (Lists(HashMap::new()), Lists(HashMap::new()));
    let mut all_qualifiers = Lists(HashMap::new());
    for AddressedField { address, field } in &acap.fields_for(crawler) {
        let (says, qualifiers) = match field.says {
            Says::Permitted(id) if acap.qualifiers(id).next().is_none() => ("permitted", String::new()),
            Says::Permitted(id) => {
                let written = |qualifier: &Qualifier| visible(qualifier.to_string().as_bytes());
                ("permitted", all_qualifiers.text(id, || acap.qualifiers(id).map(written)))
            }
            Says::Prohibited(PermissionReason::Explicit) => ("prohibited", String::new()),
            Says::Prohibited(reason) => ("prohibited", format!("({})", reason.as_str())),
        };
        let patterns = match field.resources {
            Resources::Pattern(pattern) => visible(acap.pattern(pattern)),
            Resources::Set(set) => {
                let of_set = || acap.set(set).iter().map(|&pattern| visible(acap.pattern(pattern)));
                sets.text(set, of_set)
            }
        };
        let purposes = field.purposes.map_or_else(String::new, |id| {
            format!("  for {}", all_purposes.text(id, || acap.purpose_patterns(id).map(visible)))
        });
        let address = if *address == Address::Named { "named" } else { "any" };
        let row = format!(
            "{:>6}  {:<16} {says:<10} {address:<5} {patterns}{purposes}  {qualifiers}",
            field.source.line,
            field.usage.as_str(),
        );
        writeln!(out, "{}", row.trim_end())?;
    }
    for request in acap.requests_for(crawler) {
        writeln!(
            out,
            "{:>6}  {:<16} {}",
            request.source.line,
            request.action.as_str(),
            visible(request.path)
        )?;
    }
    for reference in acap.references() {
        writeln!(
            out,
            "{:>6}  {:<16} {}",
            reference.line,
            "reference",
            visible(reference.locator.as_bytes())
        )?;
    }
    Ok(())
}

fn write_ranks(out: &mut dyn Write, rules: &RuleSet<'_>) -> io::Result<()> {
    let order = order_name(rules.policy().dialect());
    writeln!(out, "\n# Rules by rank, best first ({order}): rank, bytes, access, line, pattern")?;
    for rule in ranked_rules(rules) {
        let rank: &dyn Display = if rule.rank == 0 { &"never" } else { &rule.rank };
        writeln!(out, "{rank:>6} {:>7}  {:<8} {:>6}  {}", rule.length, rule.access, rule.line, rule.pattern)?;
    }
    Ok(())
}

/// A value and its type as text.
fn typed(value: &Value<'_>) -> String {
    match value {
        Value::CrawlDelay(delay) => format!("delay of {delay:?}"),
        Value::RequestRate(rate) => {
            let window = rate.window.map_or_else(String::new, |window| format!(", {window} UTC"));
            format!("{} requests in {:?}{window}", rate.requests, rate.per)
        }
        Value::VisitTime(window) => format!("{window} UTC"),
        Value::Sitemap(url) => format!("URL {url}"),
        Value::Host(host) => format!("host {host}"),
        Value::CleanParam(clean) => {
            let path = clean.path.map_or_else(String::new, |path| format!(" of paths {}", visible(path)));
            let names: Vec<String> = clean.parameters.iter().map(|name| visible(name)).collect();
            format!("parameters {}{path}", names.join(", "))
        }
        Value::Pattern(pattern) => format!("pattern {}", visible(pattern)),
        Value::ContentSignal(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{}: {}", item.name, item.value)).collect();
            format!("signals {}", items.join(", "))
        }
        Value::ContentUsage(usage) => content_usage(usage),
        Value::Licenses(urls) => format!("URL {}", urls.join(", ")),
        Value::TimeGate(url) => format!("URL {url}"),
        Value::Archived(ArchivedPattern::Path(pattern)) => format!("pattern {}", visible(pattern)),
        Value::Archived(ArchivedPattern::Uri(pattern)) => format!("pattern of URLs {}", visible(pattern)),
        Value::Text(text) => format!("text {}", visible(text)),
    }
}

fn content_usage(usage: &ContentUsage<'_>) -> String {
    let word = |preference| match preference {
        Preference::Yes => "y",
        Preference::No => "n",
        Preference::Unknown => "unknown",
    };
    let items: Vec<String> =
        usage.items.iter().map(|item| format!("{}: {}", item.label, word(item.preference))).collect();
    let place = if usage.pattern.is_empty() { "everything".to_owned() } else { visible(usage.pattern) };
    format!("preferences {} about {place}", items.join(", "))
}

/// Bytes as text on one line: control characters are escaped, bytes that are not UTF-8 are replaced.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for character in String::from_utf8_lossy(bytes).chars() {
        if character.is_control() { text.extend(character.escape_default()) } else { text.push(character) }
    }
    text
}
