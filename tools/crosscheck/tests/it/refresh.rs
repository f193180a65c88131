//! Simulated crawlers that fetch robots.txt files again.

use std::collections::HashMap;
use std::path::Path;

use fastrand::Rng;
use robomata_crosscheck::refresh::{Outcome, Strategy, World};
use robomata_crosscheck::score::history::Capture;
use robomata_engine::FetchStatus;
use robomata_testkit::shared::{shared_folder, small_corpus};

const DAY: i64 = 86_400;
/// 8 January 2008. Times before 1994 are no times of fetches (F2).
const START: i64 = 13_886 * DAY;
const HOSTS: usize = 60;

/// Hosts for a year. One in ten changes every ten days, one in ten cannot be reached, and the others change once.
fn world(seed: u64) -> World {
    let mut random = Rng::with_seed(seed);
    let mut histories = Vec::new();
    let mut urls = HashMap::new();
    for number in 0..HOSTS {
        let name = format!("h{number}.example");
        let apart = if number % 10 == 0 { 10 } else { random.i64(100..300) };
        let capture = |time: i64| {
            let is_failure = number % 10 == 1 && time > START + 22 * DAY;
            let status = if is_failure { FetchStatus::NetworkFailure } else { FetchStatus::Success };
            let body = format!("User-agent: *\nDisallow: /{}", (time - START + 8 * DAY) / (apart * DAY) % 2);
            Capture { time, status, body: body.into_bytes().into(), is_generated: true }
        };
        let captures: Vec<Capture> = (0..365).step_by(5).map(|day| capture(START + day * DAY)).collect();
        let of_host = (0..10).map(|url| format!("https://{name}/{}", url % 4).into_bytes()).collect();
        urls.insert(name.clone(), of_host);
        histories.push((name, captures));
    }
    let hosts: Vec<(&str, &[Capture])> =
        histories.iter().map(|(name, captures)| (name.as_str(), captures.as_slice())).collect();
    World::new(&hosts, &urls, seed).unwrap()
}

#[test]
fn with_as_many_fetches_a_plan_has_fewer_outdated_verdicts_than_a_cache() {
    let world = world(1);
    let run = |strategy| world.run(strategy);
    let daily = run(Strategy::Cache(1));
    let mut before: Option<Outcome> = None;
    for (days, share) in [(2, 0.5), (4, 0.25)] {
        let (cache, plan) = (run(Strategy::Cache(days)), run(Strategy::Plan(share)));
        let fetches = plan.fetches as f64 / cache.fetches as f64;
        assert!((0.8..1.2).contains(&fetches), "{cache:?} {plan:?}");
        assert!(plan.stale_share() < 0.7 * cache.stale_share(), "{cache:?} {plan:?}");
        assert!(cache.stale_share() > 1.5 * daily.stale_share(), "{daily:?} {cache:?}");
        assert_eq!(cache.verdicts, daily.verdicts);
        assert!(before.is_none_or(|before| before.stale_share() < plan.stale_share()));
        before = Some(plan);
    }
    assert!(daily.stale > 0.0);
    assert_eq!(run(Strategy::Plan(0.1)), run(Strategy::Plan(0.1)));
}

#[test]
fn a_share_of_all_hosts_is_a_daily_cache() {
    let world = world(2);
    let (cache, plan) = (world.run(Strategy::Cache(1)), world.run(Strategy::Plan(1.0)));
    // Between the attempts of an outage, a plan waits for up to a day.
    assert_eq!((cache.stale, cache.verdicts), (plan.stale, plan.verdicts));
    assert!(plan.fetches <= cache.fetches && plan.fetches * 11 > cache.fetches * 10, "{cache:?} {plan:?}");
}

#[test]
fn hosts_with_histories_and_urls_are_simulated() {
    let load = |folder: &Path| World::load(folder, 1).unwrap();
    let ours = load(&small_corpus());
    assert_eq!(
        ours.to_string(),
        "12 hosts, 69 URLs, 37 changes, from 2023-01-02T08:00:00Z to 2025-03-03T08:00:00Z"
    );
    let (daily, monthly) = (ours.run(Strategy::Cache(1)), ours.run(Strategy::Cache(30)));
    assert!(daily.stale > 0.0 && monthly.stale_share() > 5.0 * daily.stale_share(), "{daily:?} {monthly:?}");
    assert!(monthly.fetches * 20 < daily.fetches, "{daily:?} {monthly:?}");
    if let Some(folder) = shared_folder("corpora") {
        let real = load(&folder);
        assert!(real.to_string().starts_with("2094 hosts, "), "{real}");
    }
}
