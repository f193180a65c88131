//! Remarks that are the same for every URL of a site.

use robomata_engine::policy::acap::{Acap, ReferencedFile};
use robomata_engine::policy::content_usage::parse_header;
use robomata_engine::policy::{DayWindow, Preference, SignalValue};
use robomata_engine::{Crawler, FetchOutcome, PageFacts, Policy};
use robomata_pages::PageReading;

use super::PermissionsJob;
use super::report::{ForeignLabel, Hours, LicenseLine, ListedReference, PageElementLine, Rate, SiteRemarks};

pub(super) fn remarks(
    job: &PermissionsJob<'_>,
    policy: &Policy<'_>,
    referenced: &[ReferencedFile<'_>],
    page: &PageReading,
) -> SiteRemarks {
    let crawler = &job.crawler;
    let acap = Acap::read(policy, referenced);
    let references = acap.as_ref().map(references).unwrap_or_default();
    let mut labels = foreign_labels(policy, crawler);
    labels.extend(foreign_labels_of_headers(&job.page));
    SiteRemarks {
        crawler: crawler.to_string(),
        dialect: job.dialect.as_str(),
        fetched: fetched(policy.outcome()),
        standing: None,
        acap_version: policy.acap_version(),
        references,
        licenses: policy
            .licenses()
            .map(|license| LicenseLine { url: license.url.to_owned(), line: license.line })
            .collect(),
        crawl_delay: policy.crawl_delay(crawler).map(|delay| delay.as_secs_f64()),
        request_rate: policy.request_rate(crawler).map(|rate| Rate {
            requests: rate.requests,
            seconds: rate.per.as_secs(),
            hours: rate.window.map(hours),
        }),
        visit_time: policy.visit_time(crawler).map(hours),
        sitemaps: policy.sitemaps().map(str::to_owned).collect(),
        host: policy.hosts().next().map(str::to_owned),
        labels,
        elements: elements(&job.page),
        page_diagnostics: page.diagnostics.iter().map(ToString::to_string).collect(),
    }
}

const fn fetched(outcome: FetchOutcome) -> &'static str {
    match outcome {
        FetchOutcome::Success => "success",
        FetchOutcome::Redirected => "redirected",
        FetchOutcome::Unavailable => "unavailable",
        FetchOutcome::Unreachable => "unreachable",
        FetchOutcome::Restricted => "restricted",
        FetchOutcome::Deferred => "deferred",
    }
}

fn references(acap: &Acap) -> Vec<ListedReference> {
    let listed = acap.references().iter().map(|reference| ListedReference {
        locator: reference.locator.clone(),
        line: reference.line,
        supplied: reference.file.is_some(),
    });
    listed.collect()
}

const fn hours(window: DayWindow) -> Hours {
    Hours { from: window.from, to: window.to }
}

/// The labels of a robots.txt without a known usage. They are reported because the reader may know them.
fn foreign_labels(policy: &Policy<'_>, crawler: &Crawler) -> Vec<ForeignLabel> {
    let signal = policy.content_signal(crawler);
    let mut labels: Vec<ForeignLabel> = signal
        .items
        .iter()
        .filter(|item| item.usage().is_none())
        .map(|item| ForeignLabel {
            vocabulary: "content-signal",
            place: "robots-txt",
            label: item.name.to_owned(),
            value: if item.value == SignalValue::Yes { "yes" } else { "no" },
            pattern: None,
            line: item.line,
        })
        .collect();
    for record in policy.content_usage(crawler) {
        let pattern = String::from_utf8_lossy(record.pattern);
        labels.extend(record.items.iter().filter(|item| item.usage().is_none()).map(|item| ForeignLabel {
            vocabulary: "content-usage",
            place: "robots-txt",
            label: item.label.clone(),
            value: word(item.preference),
            pattern: (!pattern.is_empty()).then(|| pattern.clone().into_owned()),
            line: record.line,
        }));
    }
    labels
}

/// The labels of the Content-Usage headers, which form one list (P13).
fn foreign_labels_of_headers(page: &PageFacts) -> Vec<ForeignLabel> {
    let headers = page.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("content-usage"));
    let whole: Vec<&str> = headers.map(|header| header.value.as_str()).collect();
    let items = parse_header(whole.join(", ").as_bytes()).unwrap_or_default();
    let labels = items.into_iter().filter(|item| item.usage().is_none()).map(|item| ForeignLabel {
        vocabulary: "content-usage",
        place: "header",
        value: word(item.preference),
        label: item.label,
        pattern: None,
        line: 0,
    });
    labels.collect()
}

const fn word(preference: Preference) -> &'static str {
    match preference {
        Preference::Yes => "yes",
        Preference::No => "no",
        Preference::Unknown => "unknown",
    }
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
