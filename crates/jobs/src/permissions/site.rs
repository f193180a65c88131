//! Remarks that are the same for every URL of a site.

use robomata_engine::policy::SignalItem;
use robomata_engine::policy::acap::{Acap, ReferencedFile};
use robomata_engine::policy::content_usage::parse_header;
use robomata_engine::syntax::{Diagnostic, DiagnosticKind, Key, Lines};
use robomata_engine::{ContentSignal, Crawler, License, PageFacts, Place, Policy, TdmRep, Vocabulary};
use robomata_pages::{PageReading, named_headers};

use super::PermissionsJob;
use super::report::{ForeignLabel, PageElementLine, SiteRemarks};
use crate::quotes::{Omitted, cut, quoted_line};

pub(super) fn remarks(
    job: &PermissionsJob<'_>,
    policy: &Policy<'_>,
    referenced: &[ReferencedFile<'_>],
    tdmrep: Option<&TdmRep>,
    page: &PageReading,
) -> SiteRemarks {
    let crawler = &job.crawler;
    let acap = Acap::read(policy, referenced);
    let mut labels = foreign_labels(policy, crawler);
    labels.extend(foreign_labels_of_headers(&job.page));
    let problems = tdmrep.into_iter().flat_map(|tdmrep| &tdmrep.problems);
    let mut omitted = Omitted::new();
    let mut licenses: Vec<License> = policy.licenses().chain(page.licenses.iter().cloned()).collect();
    cut(&mut licenses, "licenses", &mut omitted);
    cut(&mut labels, "labels", &mut omitted);
    let mut elements = elements(&job.page);
    cut(&mut elements, "elements", &mut omitted);
    let mut robots_diagnostics = robots_diagnostics(job, policy);
    cut(&mut robots_diagnostics, "robots_diagnostics", &mut omitted);
    let mut tdmrep_diagnostics: Vec<String> = problems.map(ToString::to_string).collect();
    cut(&mut tdmrep_diagnostics, "tdmrep_diagnostics", &mut omitted);
    let mut page_diagnostics: Vec<String> = page.diagnostics.iter().map(ToString::to_string).collect();
    cut(&mut page_diagnostics, "page_diagnostics", &mut omitted);
    SiteRemarks {
        crawler: crawler.clone(),
        dialect: job.config.dialect(),
        outcome: policy.outcome(),
        standing: None,
        acap_version: policy.acap_version(),
        references: acap.map_or_else(Vec::new, |acap| acap.references().to_vec()),
        licenses,
        crawl_delay: policy.crawl_delay(crawler).map(|delay| delay.as_secs_f64()),
        request_rate: policy.request_rate(crawler),
        visit_time: policy.visit_time(crawler),
        sitemaps: policy.sitemaps().map(str::to_owned).collect(),
        host: policy.hosts().next().map(str::to_owned),
        labels,
        elements,
        robots_diagnostics,
        tdmrep_diagnostics,
        page_diagnostics,
        omitted,
    }
}

/// The problems in the fields of the robots.txt that are about usages.
fn robots_diagnostics(job: &PermissionsJob<'_>, policy: &Policy<'_>) -> Vec<String> {
    let is_of_usages = |key| {
        matches!(
            key,
            Key::Noindex
                | Key::DisallowAiTraining
                | Key::AllowAiTraining
                | Key::ContentSignal
                | Key::ContentUsage
                | Key::License
        )
    };
    let found = policy.diagnose(&job.config).into_iter().filter(|found| match found.kind {
        DiagnosticKind::Acap(_) => true,
        DiagnosticKind::MalformedValue(key)
        | DiagnosticKind::MalformedItem(key)
        | DiagnosticKind::UnknownPreference(key)
        | DiagnosticKind::LabelOfOtherKey(key)
        | DiagnosticKind::MissingComma(key)
        | DiagnosticKind::RecordBeforeGroup(key)
        | DiagnosticKind::NearMiss(key) => is_of_usages(key),
        _ => false,
    });
    let lines = Lines::new(policy.text());
    let quoted = |Diagnostic { line, kind, .. }| {
        let text = quoted_line(&lines, line).unwrap_or_default();
        format!("robots.txt, line {line}: '{text}': {kind}")
    };
    found.map(quoted).collect()
}

/// The labels of a robots.txt without a known usage. They are reported because the reader may know them.
fn foreign_labels(policy: &Policy<'_>, crawler: &Crawler) -> Vec<ForeignLabel> {
    let signal = policy.content_signal(crawler);
    let mut labels: Vec<ForeignLabel> = foreign_signals(&signal, Place::RobotsTxt).collect();
    for record in policy.content_usage(crawler) {
        let pattern = String::from_utf8_lossy(record.pattern);
        labels.extend(record.items.iter().filter(|item| item.usage().is_none()).map(|item| ForeignLabel {
            vocabulary: Vocabulary::ContentUsage,
            place: Place::RobotsTxt,
            label: item.label.clone(),
            value: item.preference.to_string(),
            pattern: (!pattern.is_empty()).then(|| pattern.clone().into_owned()),
            line: record.line,
        }));
    }
    labels
}

fn foreign_signals(signal: &ContentSignal<'_>, place: Place) -> impl Iterator<Item = ForeignLabel> {
    let label = move |item: &SignalItem<'_>| ForeignLabel {
        vocabulary: Vocabulary::ContentSignal,
        place,
        label: item.name.to_owned(),
        value: item.value.to_string(),
        pattern: None,
        line: item.line,
    };
    signal.items.iter().filter(|item| item.usage().is_none()).map(label)
}

/// The labels of the Content-Signal headers, and of the Content-Usage headers, which form one list (P13).
fn foreign_labels_of_headers(page: &PageFacts) -> Vec<ForeignLabel> {
    let signals: Vec<_> = named_headers(page, "content-signal").collect();
    let signals: Vec<(u32, &str)> = signals.iter().map(|(line, value)| (*line, &**value)).collect();
    let (signal, _) = ContentSignal::of_headers(&signals);
    let whole: Vec<_> = named_headers(page, "content-usage").map(|(_, value)| value).collect();
    let items = parse_header(whole.join(", ").as_bytes()).unwrap_or_default();
    let labels = items.into_iter().filter(|item| item.usage().is_none()).map(|item| ForeignLabel {
        vocabulary: Vocabulary::ContentUsage,
        place: Place::Header,
        value: item.preference.to_string(),
        label: item.label,
        pattern: None,
        line: 0,
    });
    foreign_signals(&signal, Place::Header).chain(labels).collect()
}

fn elements(page: &PageFacts) -> Vec<PageElementLine> {
    let elements = (1..).zip(&page.elements).map(|(number, element)| PageElementLine {
        element: number,
        tag: element.tag.clone(),
        id: element.id.clone(),
        classes: element.classes.clone(),
        line: element.line,
        parent: element.parent.map(|parent| parent + 1),
    });
    elements.collect()
}
