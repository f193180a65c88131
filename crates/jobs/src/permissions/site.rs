//! Remarks that are the same for every URL of a site.

use robomata_engine::policy::acap::{Acap, ReferencedFile};
use robomata_engine::policy::content_usage::parse_header;
use robomata_engine::policy::{Preference, SignalValue};
use robomata_engine::{Crawler, PageFacts, Place, Policy, Vocabulary};
use robomata_pages::PageReading;

use super::PermissionsJob;
use super::report::{ForeignLabel, PageElementLine, SiteRemarks};

pub(super) fn remarks(
    job: &PermissionsJob<'_>,
    policy: &Policy<'_>,
    referenced: &[ReferencedFile<'_>],
    page: &PageReading,
) -> SiteRemarks {
    let crawler = &job.crawler;
    let acap = Acap::read(policy, referenced);
    let mut labels = foreign_labels(policy, crawler);
    labels.extend(foreign_labels_of_headers(&job.page));
    SiteRemarks {
        crawler: crawler.clone(),
        dialect: job.dialect,
        outcome: policy.outcome(),
        standing: None,
        acap_version: policy.acap_version(),
        references: acap.map_or_else(Vec::new, |acap| acap.references().to_vec()),
        licenses: policy.licenses().collect(),
        crawl_delay: policy.crawl_delay(crawler).map(|delay| delay.as_secs_f64()),
        request_rate: policy.request_rate(crawler),
        visit_time: policy.visit_time(crawler),
        sitemaps: policy.sitemaps().map(str::to_owned).collect(),
        host: policy.hosts().next().map(str::to_owned),
        labels,
        elements: elements(&job.page),
        page_diagnostics: page.diagnostics.iter().map(ToString::to_string).collect(),
    }
}

/// The labels of a robots.txt without a known usage. They are reported because the reader may know them.
fn foreign_labels(policy: &Policy<'_>, crawler: &Crawler) -> Vec<ForeignLabel> {
    let signal = policy.content_signal(crawler);
    let mut labels: Vec<ForeignLabel> = signal
        .items
        .iter()
        .filter(|item| item.usage().is_none())
        .map(|item| ForeignLabel {
            vocabulary: Vocabulary::ContentSignal,
            place: Place::RobotsTxt,
            label: item.name.to_owned(),
            value: if item.value == SignalValue::Yes { Preference::Yes } else { Preference::No },
            pattern: None,
            line: item.line,
        })
        .collect();
    for record in policy.content_usage(crawler) {
        let pattern = String::from_utf8_lossy(record.pattern);
        labels.extend(record.items.iter().filter(|item| item.usage().is_none()).map(|item| ForeignLabel {
            vocabulary: Vocabulary::ContentUsage,
            place: Place::RobotsTxt,
            label: item.label.clone(),
            value: item.preference,
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
        vocabulary: Vocabulary::ContentUsage,
        place: Place::Header,
        value: item.preference,
        label: item.label,
        pattern: None,
        line: 0,
    });
    labels.collect()
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
