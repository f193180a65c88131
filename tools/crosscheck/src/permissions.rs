//! What engine and reference say about the uses of resources.

use robomata::evaluator::{CleanParams, SiteMementos, SitePermissions};
use robomata::policy::acap::{Acap, Action, ReferencedFile};
use robomata::{Config, Policy, Site};
use robomata_pages::{self as pages, PageReading};
use robomata_testkit::permission_case::{Announcement, Outcome, PermissionCase, Told};

/// What the engine says to a case.
pub fn engine(case: &PermissionCase) -> Outcome {
    let policy = Policy::fetched(&case.robots, case.status, &Config::new(case.dialect));
    let referenced: Vec<ReferencedFile<'_>> = case
        .referenced
        .iter()
        .map(|file| ReferencedFile { locator: &file.locator, octets: &file.octets })
        .collect();
    let purpose = case.circumstances.purpose.as_deref();
    let mut site = SitePermissions::new(&policy, &referenced, &case.crawler, purpose);
    let origin = Site::of_url(case.origin.as_bytes()).ok().map(Site::into_owned);
    let mut mementos = SiteMementos::new(&policy, origin);
    let page = case.facts().map(|facts| PageReading::new(facts, &case.crawler).says).unwrap_or_default();
    let requests = site.requests(&case.url).into_iter().map(|(action, source)| Told {
        what: match action {
            Action::TakeDown => "take-down".to_owned(),
            Action::Recrawl => "re-crawl".to_owned(),
        },
        line: source.line,
    });
    let time_gates = mementos.time_gates(&case.url).into_iter();
    let time_gates = time_gates.map(|gate| Told { what: gate.url, line: gate.archived_line });
    Outcome {
        answers: site.answers(&case.url, &page, &case.circumstances).unwrap_or_default(),
        requests: Some(requests.collect()),
        time_gates: Some(time_gates.collect()),
        announces_mementos: Some(mementos.announces_any()),
        memento: Some(mementos.announces(&case.url).map_or(Announcement::None, Announcement::By)),
        licenses: Some(
            policy
                .licenses()
                .map(|license| Told { what: license.url.to_owned(), line: license.line })
                .collect(),
        ),
        canonical: Some(CleanParams::new(&policy).canonical(&case.url).into_owned()),
        version: Some(
            Acap::read(&policy, &[]).and_then(|acap| acap.version().map(str::to_owned)).unwrap_or_default(),
        ),
        facts: case.page.as_ref().and_then(|page| page.html.as_ref()).map(|html| pages::facts(html, &[])),
    }
}
