//! Compares the engine with the reference on the uses of resources.
//!
//! * [`engine`], [`fn@reference`]: the full outcome of a case.
//! * [`divergence`]: the fields in which the two differ.
//! * [`generated`]: questions generated from a seed.
//! * [`corpus`]: real files and URLs, under today's vocabularies.

#[cfg(feature = "commands")]
pub mod corpus;
#[cfg(feature = "commands")]
pub mod generated;

use robomata_engine::TdmRep;
use robomata_engine::evaluator::{CleanParams, SiteMementos, SitePermissions};
use robomata_engine::policy::acap::{Action, ReferencedFile};
use robomata_engine::policy::{DayWindow, Delay, Schedule, Schedules};
use robomata_engine::protocol::{PageFacts, PermissionAnswer, Qualifier};
use robomata_engine::{
    Audience, Config, Crawler, Dialect, Moment, Policy, PolicyCompiler, PolicyStore, Site, StoreBuilder,
    StoreKind,
};
use robomata_pages::{self as pages, PageReading};
use robomata_reference::permissions as oracle;
use robomata_testkit::permission_case::{Announcement, Outcome, PermissionCase, TextAtLine};

/// The engine's outcome of a case.
pub fn engine(case: &PermissionCase) -> Outcome {
    let policy = Policy::fetched(&case.robots, case.status, &Config::new(case.dialect));
    let referenced: Vec<ReferencedFile<'_>> = case
        .referenced
        .iter()
        .map(|file| ReferencedFile { locator: &file.locator, bytes: &file.bytes })
        .collect();
    let purpose = case.circumstances.purpose.as_deref();
    let tdmrep = case.tdmrep.as_deref().map(TdmRep::read);
    let mut site = SitePermissions::new(&policy, &referenced, tdmrep.as_ref(), &case.crawler, purpose);
    let origin = Site::of_url(case.origin.as_bytes()).ok().map(Site::into_owned);
    let mut mementos = SiteMementos::new(&policy, origin);
    let reading = case.facts().map(|facts| PageReading::new(facts, &case.crawler, case.dialect));
    let (page, of_page) = reading.map(|page| (page.says, page.licenses)).unwrap_or_default();
    let requests = site.requests(&case.url).into_iter().map(|(action, source)| TextAtLine {
        what: match action {
            Action::TakeDown => "take-down".to_owned(),
            Action::Recrawl => "re-crawl".to_owned(),
        },
        line: source.line,
    });
    let time_gates = mementos.time_gates(&case.url).into_iter();
    let time_gates = time_gates.map(|gate| TextAtLine { what: gate.url, line: gate.archived_line });
    Outcome {
        answers: site.answers(&case.url, &page, &case.circumstances).unwrap_or_default(),
        requests: Some(requests.collect()),
        time_gates: Some(time_gates.collect()),
        announces_mementos: Some(mementos.announces_any()),
        memento: Some(mementos.announces(&case.url).map_or(Announcement::None, Announcement::By)),
        licenses: Some(policy.licenses().chain(of_page).collect()),
        asides: Some(asides(&policy, &case.crawler)),
        pace: Some(pace(&policy, &case.crawler, case.circumstances.now)),
        canonical: Some(CleanParams::new(&policy).canonical(&case.url).into_owned()),
        version: Some(policy.acap_version().unwrap_or_default()),
        facts: case.page.as_ref().and_then(|page| page.html.as_ref()).map(|html| pages::facts(html, &[])),
    }
}

/// The fields that say nothing about usages (V9, V11), evaluated and written as in the cases.
fn asides(policy: &Policy<'_>, crawler: &Crawler) -> Vec<String> {
    let window = |window: DayWindow| format!("{}-{}", window.from, window.to);
    let delay = policy.crawl_delay(crawler).map(|delay| format!("crawl-delay {}", delay.as_secs_f64()));
    let rate = policy.request_rate(crawler).map(|rate| {
        let hours = rate.window.map_or_else(String::new, |hours| format!(" {}", window(hours)));
        format!("request-rate {} in {}{hours}", rate.requests, rate.per.as_secs())
    });
    let visit = policy.visit_time(crawler).map(|hours| format!("visit-time {}", window(hours)));
    let sitemaps = policy.sitemaps().map(|url| format!("sitemap {url}"));
    let hosts = policy.hosts().map(|host| format!("host {host}"));
    let silent = policy.silent_records();
    let silent = silent.map(|(key, value, _)| format!("{key} {}", String::from_utf8_lossy(value)));
    [delay, rate, visit].into_iter().flatten().chain(sitemaps).chain(hosts).chain(silent).collect()
}

/// How fast to fetch (`crates/DIALECTS.md`, rows W), written as in the cases.
fn pace(policy: &Policy<'_>, crawler: &Crawler, now: Option<Moment>) -> Vec<String> {
    let schedule = policy.schedule(crawler);
    let delay = match now {
        Some(now) => schedule.delay_at(now),
        None => schedule.longest_delay(),
    };
    let delay = delay.map(|Delay { duration, source, line, hours }| {
        let hours = hours.map_or_else(String::new, |hours| format!(" {}-{}", hours.from, hours.to));
        format!("delay {} by {} on {line}{hours}", duration.as_secs_f64(), source.as_str())
    });
    let opens = now.and_then(|now| schedule.opens_in(now)).map(|wait| format!("opens in {}", wait.as_secs()));
    delay.into_iter().chain(opens).collect()
}

/// What bundles hold about how fast to fetch, if that is not what the robots.txt says: a bundle for the crawler, and one
/// for every crawler.
fn wrong_bundle(case: &PermissionCase) -> Option<String> {
    let policy = Policy::fetched(&case.robots, case.status, &Config::new(case.dialect));
    let expected = policy.schedule(&case.crawler);
    if policy.schedules() == Schedules::default() {
        return (expected != Schedule::default())
            .then(|| "a schedule for one crawler, none for all".to_owned());
    }
    let site = Site::of_url(case.origin.as_bytes()).ok()?;
    let audiences = [Audience::Crawlers(vec![case.crawler.clone()]), Audience::Everyone];
    audiences.into_iter().find_map(|audience| {
        let kind = StoreKind::new(case.dialect, audience.clone());
        let is_queried = kind.is_possible()
            && (audience != Audience::Everyone
                || case.crawler.tokens().len() == 1
                || case.dialect != Dialect::Google);
        if !is_queried {
            return None;
        }
        let mut builder = StoreBuilder::new(kind.clone());
        builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
        let store = PolicyStore::from_bytes(builder.build().bytes().to_vec()).ok()?;
        let view = store.view(&case.crawler).ok()?;
        let held = view.schedule(view.compiled_policy_of(&site)?);
        (held != expected).then(|| format!("a bundle for {audience}: {held:?}, not {expected:?}"))
    })
}

/// The reference's outcome of a case. The reference reads no HTML: it takes a page's facts from the case.
pub fn reference(case: &PermissionCase) -> Outcome {
    let referenced: Vec<(&str, &[u8])> =
        case.referenced.iter().map(|file| (file.locator.as_str(), file.bytes.as_slice())).collect();
    let site = oracle::Site {
        robots: &case.robots,
        status: case.status,
        dialect: case.dialect,
        referenced: &referenced,
        tdmrep: case.tdmrep.as_deref(),
        tdmrep_status: None,
        // A query about a path alone does not name the site of the path (P7).
        origin: None,
    };
    let at_home = oracle::Site { origin: Some(case.origin.as_bytes()), ..site };
    let none = PageFacts::default();
    let facts = case.facts().unwrap_or(&none);
    let answers = oracle::permissions(&site, facts, &case.crawler, &case.url, &case.circumstances);
    let requests = oracle::requests(&site, &case.crawler, &case.url).into_iter();
    let time_gates = oracle::time_gates(&at_home, &case.url).into_iter();
    let statement = |what: &str, line| TextAtLine { what: what.to_owned(), line };
    Outcome {
        answers: answers.unwrap_or_default(),
        requests: Some(requests.map(|(action, source)| statement(action, source.line)).collect()),
        time_gates: Some(time_gates.map(|(url, _, archived)| statement(&url, archived)).collect()),
        announces_mementos: Some(oracle::announces_mementos(&site)),
        memento: Some(oracle::announced_by(&site, &case.url).map_or(Announcement::None, Announcement::By)),
        licenses: Some(oracle::licenses(&site, facts)),
        asides: Some(oracle::asides(&site, &case.crawler)),
        pace: Some(oracle::pace(&site, &case.crawler, case.circumstances.now)),
        canonical: Some(oracle::canonical(&site, &case.url)),
        version: Some(oracle::version(&site).unwrap_or_default()),
        facts: case.facts().cloned(),
    }
}

/// One line for each field in which the two differ: the engine's value, then the reference's.
pub fn divergence(case: &PermissionCase) -> Vec<String> {
    let (engine, reference) = (engine(case), reference(case));
    let mut found = Vec::new();
    if engine.answers.len() != reference.answers.len() {
        found.push(format!(
            "engine: {} answers, reference: {}",
            engine.answers.len(),
            reference.answers.len()
        ));
    }
    for (actual, expected) in engine.answers.iter().zip(&reference.answers) {
        compare_answers(actual, expected, &mut found);
    }
    let mut compare = |what: &str, actual: String, expected: String| {
        if actual != expected {
            found.push(format!("{what}\n    engine    {actual}\n    reference {expected}"));
        }
    };
    compare("requests", format!("{:?}", engine.requests), format!("{:?}", reference.requests));
    compare("time gates", format!("{:?}", engine.time_gates), format!("{:?}", reference.time_gates));
    compare(
        "mementos",
        format!("{:?} {:?}", engine.announces_mementos, engine.memento),
        format!("{:?} {:?}", reference.announces_mementos, reference.memento),
    );
    compare("asides", format!("{:?}", engine.asides), format!("{:?}", reference.asides));
    compare("pace", format!("{:?}", engine.pace), format!("{:?}", reference.pace));
    compare("pace of bundles", wrong_bundle(case).unwrap_or_default(), String::new());
    compare("licenses", format!("{:?}", engine.licenses), format!("{:?}", reference.licenses));
    let url = |canonical: Option<Vec<u8>>| canonical.unwrap_or_default().escape_ascii().to_string();
    compare("canonical", url(engine.canonical), url(reference.canonical));
    compare("version", engine.version.unwrap_or_default(), reference.version.unwrap_or_default());
    found
}

/// Compares two answers, field by field. The order of qualifiers does not matter.
fn compare_answers(actual: &PermissionAnswer, expected: &PermissionAnswer, found: &mut Vec<String>) {
    let sorted = |qualifiers: &[Qualifier]| {
        let mut texts: Vec<String> = qualifiers.iter().map(ToString::to_string).collect();
        texts.sort_unstable();
        texts
    };
    let is_same = (actual.usage, actual.permission, actual.reason, actual.source)
        == (expected.usage, expected.permission, expected.reason, expected.source)
        && sorted(&actual.qualifiers) == sorted(&expected.qualifiers)
        && actual.lacks == expected.lacks
        && actual.conflicts == expected.conflicts;
    if !is_same {
        found.push(format!(
            "{}\n    engine    {}\n    reference {}",
            actual.usage,
            text_of(actual),
            text_of(expected)
        ));
    }
}

fn text_of(answer: &PermissionAnswer) -> String {
    let PermissionAnswer { permission, reason, source, qualifiers, lacks, conflicts, .. } = answer;
    let place = |source: &robomata_engine::protocol::Source| {
        format!("{:?} {} ({})", source.place, source.line, source.vocabulary)
    };
    let qualifiers: Vec<String> = qualifiers.iter().map(ToString::to_string).collect();
    let lacks: Vec<String> = lacks.iter().map(ToString::to_string).collect();
    let conflicts: Vec<String> =
        conflicts.iter().map(|conflict| format!("{} {}", place(&conflict.loser), conflict.rule)).collect();
    let source = source.as_ref().map_or("nothing".to_owned(), place);
    format!(
        "{permission} ({reason}) by {source} [{}] lacks [{}] over [{}]",
        qualifiers.join(" "),
        lacks.join(", "),
        conflicts.join(", ")
    )
}
