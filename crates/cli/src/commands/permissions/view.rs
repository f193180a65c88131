//! Permissions as text.

use robomata_engine::{PermissionReason, Place, Usage};
use robomata_formats::FileName;
use robomata_jobs::permissions::{Quote, SiteRemarks, UrlPermissions, UsagePermission};

use crate::commands::check::EXPECTED_URL;
use crate::commands::explain::{list, list_with, until};
use crate::style::{Styles, paint, visible};

/// The number of overruled statements that are shown.
const OVERRULED: usize = 5;

/// The number of characters of a line that are quoted.
const QUOTED: usize = 120;

/// The width of the permission column.
const PERMISSION: usize = 11;

/// The number of usages that are forms of `present`: itself and the eight that are derived from it.
const FORMS_OF_PRESENT: usize = 9;

/// Formats permissions as text.
pub(super) struct View<'r> {
    pub(super) styles: Styles,
    pub(super) file: &'r FileName,
}

impl View<'_> {
    /// Formats the permissions of one URL.
    pub(super) fn url(&self, permissions: &UrlPermissions<'_>) -> String {
        let mut text = format!("{}\n", paint(self.styles.heading, visible(&permissions.url)));
        if !permissions.valid {
            let invalid = paint(self.styles.invalid, "invalid");
            text.push_str(&format!("  {invalid}: {EXPECTED_URL}\n\n"));
            return text;
        }
        let (stated, silent): (Vec<_>, Vec<_>) = permissions
            .usages
            .iter()
            .partition(|answer| answer.reason != PermissionReason::Silence || !answer.lacks.is_empty());
        let width = stated.iter().map(|answer| answer.usage.as_str().len()).max().unwrap_or(0);
        for (index, answer) in stated.iter().enumerate() {
            let alike = stated[..index].iter().find(|earlier| is_alike(earlier, answer));
            self.usage(&mut text, answer, alike.map(|alike| alike.usage), width);
        }
        if !silent.is_empty() {
            let line = format!("nothing is said about: {}", names(&silent));
            text.push_str(&format!("  {}\n", paint(self.styles.faint, line)));
        }
        self.remarks(&mut text, permissions);
        text.push('\n');
        text
    }

    /// Formats the remarks that apply to every URL; empty if there are none.
    pub(super) fn site(&self, site: &SiteRemarks) -> String {
        let mut rows: Vec<(&str, String)> = Vec::new();
        let more = |name, list| site.omitted.get(list).map(|more| (name, format!("{more} more")));
        if let Some(report) = &site.standing {
            rows.push(("standing", format!("{}: {}", report.standing.applies, report.standing.why)));
            rows.push(("until", until(report)));
        }
        rows.extend(site.acap_version.iter().map(|version| ("acap", format!("version {version}"))));
        rows.extend(site.references.iter().map(|reference| {
            let found =
                if reference.file.is_some() { "" } else { ": not given, so its statements are missing here" };
            ("reference", format!("{}{found}", reference.locator))
        }));
        rows.extend(site.licenses.iter().map(|license| ("licence", license.url.clone())));
        rows.extend(more("licence", "licenses"));
        rows.extend(
            site.crawl_delay.iter().map(|seconds| ("delay", format!("{seconds} s between requests"))),
        );
        rows.extend(site.request_rate.iter().map(|rate| {
            let hours = rate.window.map_or_else(String::new, |hours| format!(", {hours} UTC"));
            ("rate", format!("{} requests in {} s{hours}", rate.requests, rate.per.as_secs()))
        }));
        rows.extend(site.visit_time.iter().map(|hours| ("visits", format!("{hours} UTC"))));
        rows.extend(site.sitemaps.iter().map(|sitemap| ("sitemap", sitemap.clone())));
        rows.extend(site.host.iter().map(|host| ("host", host.clone())));
        rows.extend(site.labels.iter().map(|label| {
            let about =
                label.pattern.as_deref().map_or_else(String::new, |pattern| format!(" for {pattern}"));
            let place = if label.place == Place::Header {
                "header".to_owned()
            } else {
                format!("{}:{}", self.file, label.line)
            };
            ("label", format!("{} {}={}{about} ({place})", label.vocabulary, label.label, label.value))
        }));
        rows.extend(more("label", "labels"));
        rows.extend(site.elements.iter().map(|element| {
            let id = element.id.as_deref().map_or_else(String::new, |id| format!(" id={id}"));
            let tag = format!("<{}{id} class=\"{}\">", element.tag, element.classes.join(" "));
            ("element", format!("{}: {tag} (page:{})", element.element, element.line))
        }));
        rows.extend(more("element", "elements"));
        let diagnostics =
            site.robots_diagnostics.iter().chain(&site.tdmrep_diagnostics).chain(&site.page_diagnostics);
        rows.extend(diagnostics.map(|oddity| ("odd", oddity.clone())));
        let omitted = ["robots_diagnostics", "tdmrep_diagnostics", "page_diagnostics"]
            .iter()
            .filter_map(|list| site.omitted.get(list));
        let omitted: usize = omitted.sum();
        rows.extend((omitted > 0).then(|| ("odd", format!("{omitted} more"))));
        if rows.is_empty() {
            return String::new();
        }
        let mut text = format!("{}\n", paint(self.styles.heading, "for every URL"));
        for (name, value) in rows {
            self.field(&mut text, name, &value);
        }
        text
    }

    /// Adds the answer for one usage with its details.
    fn usage(&self, text: &mut String, answer: &UsagePermission, alike: Option<Usage>, width: usize) {
        let permission = answer.permission;
        let word = paint(self.styles.of_permission(permission), format_args!("{permission:<PERMISSION$}"));
        let usage = answer.usage;
        let why = match alike {
            Some(other) => format!("as {other}"),
            None => self.why(answer),
        };
        text.push_str(&format!("  {usage:<width$}  {word} {}\n", visible(&why)));
        if alike.is_some() {
            return;
        }
        let mut row = |name: &str, value: &str| {
            let field = self.styles.field(format_args!("{name:<9}"), value);
            text.push_str(&format!("  {:<width$}    {field}", ""));
        };
        if !answer.qualifiers.is_empty() {
            row("with", &list(&answer.qualifiers));
        }
        if !answer.lacks.is_empty() {
            row("lacks", &list_with(&answer.lacks, answer.omitted.get("lacks")));
        }
        for conflict in answer.conflicts.iter().take(OVERRULED) {
            row("over", &self.quote(&conflict.loser, &format!(" by {}", conflict.rule)));
        }
        let omitted = answer.omitted.get("conflicts").copied().unwrap_or_default();
        let more = (answer.conflicts.len() + omitted).saturating_sub(OVERRULED);
        if more > 0 {
            row("over", &format!("{more} more"));
        }
    }

    /// Formats the statement that decided, with the reason unless it is an ordinary statement.
    fn why(&self, answer: &UsagePermission) -> String {
        let reason = match answer.reason {
            PermissionReason::Explicit => "",
            PermissionReason::Silence => {
                return "nothing is said, unless the missing fact changes that".to_owned();
            }
            PermissionReason::Undeterminable => "a conflict that cannot be resolved, ",
            PermissionReason::Uninterpretable => "a permission that cannot be interpreted, ",
            PermissionReason::Expired => "its time has passed, ",
            PermissionReason::LocationMismatch => "its location differs, ",
            PermissionReason::TargetNotCrawlable => "a required resource may not be crawled, ",
            PermissionReason::ElementFallback => "an element mentions it, ",
            PermissionReason::RobotsTxt => return "/robots.txt itself is always allowed".to_owned(),
            PermissionReason::Fetch => return "by the outcome of the fetch of the robots.txt".to_owned(),
        };
        let quote = answer.source.as_ref().map_or_else(String::new, |source| self.quote(source, ""));
        format!("{reason}{quote}")
    }

    /// Formats a statement's place and its text.
    fn quote(&self, quote: &Quote, remark: &str) -> String {
        let line = quote.source.line;
        let place = match (quote.source.place, &quote.locator) {
            (Place::RobotsTxt, _) => format!("{}:{line}", self.file),
            (_, Some(locator)) => format!("{locator}:{line}"),
            (Place::Element(index), _) => format!("page:{line}, element {}", index + 1),
            (Place::Header, _) => format!("header {line}"),
            (Place::TdmRepJson, _) => format!("tdmrep.json, rule {line}"),
            (Place::Referenced(_) | Place::Meta | Place::Link, _) => format!("page:{line}"),
        };
        match &quote.text {
            Some(text) => format!("{place}{remark}: {}", cut(&visible(text))),
            None => format!("{place}{remark}"),
        }
    }

    /// Adds the remarks about the URL that are not about a usage.
    fn remarks(&self, text: &mut String, permissions: &UrlPermissions<'_>) {
        for request in &permissions.requests {
            let quote = self.quote(&request.source, "");
            self.field(text, "request", &format!("{}, {quote}", request.action));
        }
        self.more(text, "request", permissions.omitted.get("requests"));
        for gate in &permissions.time_gates {
            let place = format!("{}:{}", self.file, gate.archived_line);
            self.field(text, "timegate", &format!("{} ({place})", gate.url));
        }
        self.more(text, "timegate", permissions.omitted.get("time_gates"));
        if let Some(memento) = &permissions.memento {
            self.field(text, "memento", &format!("{}:{}, {}", self.file, memento.line, memento.condition));
        }
        if let Some(canonical) = &permissions.canonical {
            self.field(text, "canonical", canonical);
        }
    }

    /// Adds the number of entries that are left out, if there are any.
    fn more(&self, text: &mut String, name: &str, more: Option<&usize>) {
        if let Some(more) = more {
            self.field(text, name, &format!("{more} more"));
        }
    }

    fn field(&self, text: &mut String, name: &str, value: &str) {
        text.push_str(&format!("  {}", self.styles.field(format_args!("{name:<10}"), value)));
    }
}

/// Lists the names of usages. If all forms of `present` are among them, they are one name.
fn names(usages: &[&UsagePermission]) -> String {
    let is_of_present = |name: &&str| name.starts_with("present");
    let mut names: Vec<&str> = usages.iter().map(|answer| answer.usage.as_str()).collect();
    if names.iter().filter(|name| is_of_present(name)).count() == FORMS_OF_PRESENT {
        names.retain(|name| !is_of_present(name) || *name == "present");
        names.iter_mut().filter(|name| is_of_present(name)).for_each(|name| *name = "present (in any form)");
    }
    names.join(", ")
}

/// Do both usages have the same answer for the same reason?
fn is_alike(one: &UsagePermission, other: &UsagePermission) -> bool {
    UsagePermission { usage: other.usage, ..one.clone() } == *other
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
