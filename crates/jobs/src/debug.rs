//! Writes every intermediate result for one robots.txt as text.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display};
use std::hash::Hash;
use std::io::{self, Write};
use std::ptr;

use robomata_engine::automaton::{Program, order_name, ranked_rules};
use robomata_engine::policy::acap::{Acap, AddressedField, Resources};
use robomata_engine::policy::{
    Address, ArchivedPattern, ContentUsage, Extension, Group, Preference, RuleSet, Says, Value,
};
use robomata_engine::protocol::visible;
use robomata_engine::syntax::{AgentName, Document};
use robomata_engine::{Choice, Config, Crawler, PermissionReason, Policy, Qualifier};

use crate::robots_file::RobotsFile;

/// The output. All text of a site goes through it.
struct Listing<'o>(&'o mut dyn Write);

impl Listing<'_> {
    /// Begins a section.
    fn heading(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.0, "\n# {}", visible(&text.to_string()))
    }

    /// Writes a line, for `writeln!`. It is escaped, so a site's text in it is neither more lines nor a command to a
    /// terminal.
    fn write_fmt(&mut self, line: fmt::Arguments<'_>) -> io::Result<()> {
        let line = line.to_string();
        writeln!(self.0, "{}", visible(line.strip_suffix('\n').unwrap_or(&line)))
    }
}

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
    let listing = &mut Listing(out);
    writeln!(listing, "{}: {bytes} bytes, dialect {dialect}, crawler {crawler}", robots.name())?;
    write_records(listing, &Document::parse(robots.bytes(), config))?;
    write_diagnostics(listing, &policy)?;
    write_groups(listing, &policy)?;
    write_choice(listing, &rules, crawler)?;
    write_extensions(listing, &policy)?;
    if let Some(acap) = Acap::read(&policy, &[]) {
        write_acap(listing, &acap, crawler)?;
    }
    write_ranks(listing, &rules)?;
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

fn write_records(out: &mut Listing<'_>, document: &Document<'_>) -> io::Result<()> {
    out.heading("Records: line, key, value")?;
    for record in document.records() {
        let value = text_of(record.value.of(document.text()));
        writeln!(out, "{:>6}  {:<12} {value}", record.line, record.key)?;
    }
    Ok(())
}

fn write_diagnostics(out: &mut Listing<'_>, policy: &Policy<'_>) -> io::Result<()> {
    out.heading("Diagnostics: line, code, meaning, quoted bytes")?;
    for diagnostic in policy.diagnostics() {
        let quoted = text_of(diagnostic.span.of(policy.text()));
        let (line, code, kind) = (diagnostic.line, diagnostic.kind.code(), diagnostic.kind);
        writeln!(out, "{line:>6}  {code:<22} {kind} | {quoted}")?;
    }
    Ok(())
}

fn write_groups(out: &mut Listing<'_>, policy: &Policy<'_>) -> io::Result<()> {
    out.heading("Groups: their names, then their rules")?;
    for (index, group) in policy.groups().iter().enumerate() {
        writeln!(out, "group {}", index + 1)?;
        for name in policy.names_of(group) {
            let agent = match policy.agent_of(name) {
                AgentName::Any => "every other crawler".to_owned(),
                AgentName::Named(b"") => "no crawler".to_owned(),
                AgentName::Named(token) => text_of(token),
            };
            writeln!(
                out,
                "{:>6}  user-agent   {} (means {agent})",
                name.line,
                text_of(name.value.of(policy.text()))
            )?;
        }
        for rule in policy.rules_of(group) {
            writeln!(
                out,
                "{:>6}  {:<12} {}",
                rule.line,
                rule.access,
                text_of(rule.pattern.of(policy.text()))
            )?;
        }
    }
    Ok(())
}

fn write_choice(out: &mut Listing<'_>, rules: &RuleSet<'_>, crawler: &Crawler) -> io::Result<()> {
    out.heading(format_args!("Choice for {crawler}"))?;
    match rules.choice() {
        Choice::Own(_) => writeln!(out, "the file names it as {}", rules.name(crawler).unwrap_or_default())?,
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

fn write_extensions(out: &mut Listing<'_>, policy: &Policy<'_>) -> io::Result<()> {
    out.heading("Extensions: line, key, group, value")?;
    for extension in policy.extensions() {
        let Extension { line, key, group, .. } = extension;
        let group = group.map_or_else(|| "no group".to_owned(), |index| format!("group {}", index + 1));
        let key = match key.as_str() {
            "unknown" | "acap" => text_of(extension.written_key.of(policy.text())),
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
fn write_acap(out: &mut Listing<'_>, acap: &Acap, crawler: &Crawler) -> io::Result<()> {
    out.heading(format_args!(
        "ACAP for {crawler}: line, usage, permission, addressee, resources, purposes, qualifiers; {{n: a list}} is {{n}} \
         in later lines"
    ))?;
    if let Some(version) = acap.version() {
        writeln!(out, "version {version}")?;
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
                let written = |qualifier: &Qualifier| qualifier.to_string();
                ("permitted", all_qualifiers.text(id, || acap.qualifiers(id).map(written)))
            }
            Says::Prohibited(PermissionReason::Explicit) => ("prohibited", String::new()),
            Says::Prohibited(reason) => ("prohibited", format!("({})", reason.as_str())),
        };
        let patterns = match field.resources {
            Resources::Pattern(pattern) => text_of(acap.pattern(pattern)),
            Resources::Set(set) => {
                let of_set = || acap.set(set).iter().map(|&pattern| text_of(acap.pattern(pattern)));
                sets.text(set, of_set)
            }
        };
        let purposes = field.purposes.map_or_else(String::new, |id| {
            format!("  for {}", all_purposes.text(id, || acap.purpose_patterns(id).map(text_of)))
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
            text_of(request.path)
        )?;
    }
    for reference in acap.references() {
        writeln!(out, "{:>6}  {:<16} {}", reference.line, "reference", reference.locator)?;
    }
    Ok(())
}

fn write_ranks(out: &mut Listing<'_>, rules: &RuleSet<'_>) -> io::Result<()> {
    let order = order_name(rules.policy().dialect());
    out.heading(format_args!("Rules by rank, best first ({order}): rank, bytes, access, line, pattern"))?;
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
            let path = clean.path.map_or_else(String::new, |path| format!(" of paths {}", text_of(path)));
            let names: Vec<String> = clean.parameters.iter().map(|name| text_of(name)).collect();
            format!("parameters {}{path}", names.join(", "))
        }
        Value::Pattern(pattern) => format!("pattern {}", text_of(pattern)),
        Value::ContentSignal(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{}: {}", item.name, item.value)).collect();
            format!("signals {}", items.join(", "))
        }
        Value::ContentUsage(usage) => content_usage(usage),
        Value::Licenses(urls) => format!("URL {}", urls.join(", ")),
        Value::TimeGate(url) => format!("URL {url}"),
        Value::Archived(ArchivedPattern::Path(pattern)) => format!("pattern {}", text_of(pattern)),
        Value::Archived(ArchivedPattern::Uri(pattern)) => format!("pattern of URLs {}", text_of(pattern)),
        Value::Text(text) => format!("text {}", text_of(text)),
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
    let place = if usage.pattern.is_empty() { "everything".to_owned() } else { text_of(usage.pattern) };
    format!("preferences {} about {place}", items.join(", "))
}

/// Bytes as text; those that are not UTF-8 are replaced.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
