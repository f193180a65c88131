//! Permissions as text.

use robomata_formats::FileName;
use robomata_jobs::permissions::{Quote, SiteRemarks, UrlPermissions, UsagePermission};

use crate::commands::explain::until;
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
            text.push_str(&format!(
                "  {invalid}: expected an absolute URL, or a path that begins with '/'\n\n"
            ));
            return text;
        }
        let (stated, silent): (Vec<_>, Vec<_>) = permissions
            .usages
            .iter()
            .partition(|answer| answer.reason != "silence" || !answer.lacks.is_empty());
        let width = stated.iter().map(|answer| answer.usage.len()).max().unwrap_or(0);
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
        if let Some(standing) = &site.standing {
            rows.push(("standing", format!("{}: {}", standing.applies, standing.why)));
            rows.push(("until", until(standing)));
        }
        rows.extend(
            site.acap_version.iter().map(|version| ("acap", format!("version {}", visible(version)))),
        );
        rows.extend(site.references.iter().map(|reference| {
            let found =
                if reference.supplied { "" } else { ": not given, so its statements are missing here" };
            ("reference", format!("{}{found}", visible(&reference.locator)))
        }));
        rows.extend(site.licenses.iter().map(|license| ("licence", visible(&license.url))));
        rows.extend(
            site.crawl_delay.iter().map(|seconds| ("delay", format!("{seconds} s between requests"))),
        );
        rows.extend(site.request_rate.iter().map(|rate| {
            let hours = rate.hours.map_or_else(String::new, |hours| format!(", {hours} UTC"));
            ("rate", format!("{} requests in {} s{hours}", rate.requests, rate.seconds))
        }));
        rows.extend(site.visit_time.iter().map(|hours| ("visits", format!("{hours} UTC"))));
        rows.extend(site.sitemaps.iter().map(|sitemap| ("sitemap", visible(sitemap))));
        rows.extend(site.host.iter().map(|host| ("host", visible(host))));
        rows.extend(site.labels.iter().map(|label| {
            let about = label
                .pattern
                .as_deref()
                .map_or_else(String::new, |pattern| format!(" for {}", visible(pattern)));
            let place = if label.place == "header" {
                "header".to_owned()
            } else {
                format!("{}:{}", self.file, label.line)
            };
            (
                "label",
                format!("{} {}={}{about} ({place})", label.vocabulary, visible(&label.label), label.value),
            )
        }));
        rows.extend(site.elements.iter().map(|element| {
            let id = element.id.as_deref().map_or_else(String::new, |id| format!(" id={}", visible(id)));
            let tag =
                format!("<{}{id} class=\"{}\">", visible(&element.tag), visible(&element.classes.join(" ")));
            ("element", format!("{}: {tag} (page:{})", element.element, element.line))
        }));
        rows.extend(site.page_diagnostics.iter().map(|oddity| ("odd", visible(oddity))));
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
    fn usage(&self, text: &mut String, answer: &UsagePermission, alike: Option<&str>, width: usize) {
        let permission = answer.permission;
        let word = paint(self.styles.of_permission(permission), format_args!("{permission:<PERMISSION$}"));
        let usage = answer.usage;
        let why = match alike {
            Some(other) => format!("as {other}"),
            None => self.why(answer),
        };
        text.push_str(&format!("  {usage:<width$}  {word} {why}\n"));
        if alike.is_some() {
            return;
        }
        let mut row = |name: &str, value: &str| {
            let name = paint(self.styles.faint, format_args!("{name:<9}"));
            text.push_str(&format!("  {:<width$}    {name} {value}\n", ""));
        };
        if !answer.qualifiers.is_empty() {
            row("with", &visible(&answer.qualifiers.join(", ")));
        }
        if !answer.lacks.is_empty() {
            row("lacks", &visible(&answer.lacks.join(", ")));
        }
        for conflict in answer.conflicts.iter().take(OVERRULED) {
            row("over", &self.quote(&conflict.loser, &format!(" by {}", conflict.rule)));
        }
        let more = answer.conflicts.len().saturating_sub(OVERRULED);
        if more > 0 {
            row("over", &format!("{more} more"));
        }
    }

    /// Formats the statement that decided, with the reason unless it is an ordinary statement.
    fn why(&self, answer: &UsagePermission) -> String {
        let reason = match answer.reason {
            "explicit" => "",
            "silence" => return "nothing is said, unless the missing fact changes that".to_owned(),
            "undeterminable" => "a conflict that cannot be resolved, ",
            "uninterpretable" => "a permission that cannot be interpreted, ",
            "expired" => "its time has passed, ",
            "location-mismatch" => "its location differs, ",
            "target-not-crawlable" => "a required resource may not be crawled, ",
            "element-fallback" => "an element mentions it, ",
            "robots-txt" => return "/robots.txt itself is always allowed".to_owned(),
            _ => return "by the outcome of the fetch of the robots.txt".to_owned(),
        };
        let quote = answer.source.as_ref().map_or_else(String::new, |source| self.quote(source, ""));
        format!("{reason}{quote}")
    }

    /// Formats a statement's place and its text.
    fn quote(&self, quote: &Quote, remark: &str) -> String {
        let line = quote.line;
        let place = match (quote.place, &quote.locator, quote.element) {
            ("robots-txt", ..) => format!("{}:{line}", self.file),
            (_, Some(locator), _) => format!("{}:{line}", visible(locator)),
            (_, _, Some(element)) => format!("page:{line}, element {element}"),
            ("header", ..) => format!("header {line}"),
            _ => format!("page:{line}"),
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
        for gate in &permissions.time_gates {
            let url = visible(&gate.url);
            self.field(text, "timegate", &format!("{url} ({}:{})", self.file, gate.archived_line));
        }
        if let Some(memento) = &permissions.memento {
            self.field(text, "memento", &format!("{}:{}, {}", self.file, memento.line, memento.condition));
        }
        if let Some(canonical) = &permissions.canonical {
            self.field(text, "canonical", &visible(canonical));
        }
    }

    fn field(&self, text: &mut String, name: &str, value: &str) {
        let name = paint(self.styles.faint, format_args!("{name:<10}"));
        text.push_str(&format!("  {name} {value}\n"));
    }
}

/// Lists the names of usages. If all forms of `present` are among them, they are one name.
fn names(usages: &[&UsagePermission]) -> String {
    let is_of_present = |name: &&str| name.starts_with("present");
    let mut names: Vec<&str> = usages.iter().map(|answer| answer.usage).collect();
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
