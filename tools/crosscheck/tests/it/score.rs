//! Scores compared with the reference: with time travel nothing differs, and without it the comparison fails.

use std::path::{Path, PathBuf};

use fastrand::Rng;
use robomata_crosscheck::score::history::{Capture, History, HostHistory, Reach};
use robomata_crosscheck::score::requests::{Request, Sources, Traffic};
use robomata_crosscheck::score::{self, Outcome, Questions};
use robomata_engine::{Dialect, FetchStatus};
use robomata_jobs::score::TimeTravel;
use robomata_testkit::Generator;
use robomata_testkit::shared::{shared_folder, small_corpus};

const DIALECTS: [Dialect; 4] = [Dialect::Rfc9309, Dialect::Google, Dialect::Koster1996, Dialect::Yandex];

/// Hosts with generated files, each captured a few times within two years.
fn generated_history(hosts: usize, random: &mut Rng) -> History {
    let mut generator = Generator::new(random.u64(..));
    let mut capture = |time| {
        let body = generator.robots().into();
        Capture { time, status: FetchStatus::Success, body, is_generated: false }
    };
    let hosts: Vec<(String, HostHistory)> = (0..hosts)
        .map(|number| {
            let times = (0..random.i64(1..6)).map(|_| 1_650_000_000 + random.i64(0..63_000_000));
            let history = HostHistory { reach: Reach::Both, captures: times.map(&mut capture).collect() };
            (format!("host-{number}.example"), history)
        })
        .collect();
    let mut history = History::new(hosts);
    history.add_generated(random);
    history
}

fn found(
    history: &History,
    traffic: &Traffic,
    agents: &[PathBuf],
    dialect: Dialect,
    travel: TimeTravel,
) -> Outcome {
    score::run(&Questions { history, traffic, agents, dialect, travel }).unwrap()
}

fn assert_agree(found: &Outcome) {
    let shown = found.divergences.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(found.divergences.is_empty(), "{} divergences\n{shown}", found.divergences.len());
}

/// Asserts that every kind of verdict of the dialect occurred.
fn assert_met_all(found: &Outcome, dialect: Dialect) {
    let mut kinds = vec![
        "allowed",
        "before-first-capture",
        "disallowed",
        "excused",
        "no-policy",
        "robots-txt",
        "site-unknown",
    ];
    if dialect == Dialect::Koster1996 {
        kinds.insert(2, "deferred");
    }
    // Few corpora have URLs with control characters.
    let met: Vec<_> = found.verdicts.keys().copied().filter(|kind| *kind != "invalid").collect();
    assert_eq!(met, kinds, "{dialect}");
}

fn question(dialect: Dialect) -> (History, Traffic) {
    let mut random = Rng::with_seed(9309);
    let history = generated_history(60, &mut random);
    let names = ["FooBot", "BarBot", "Googlebot-Image", "Googlebot", "ExampleBot", "bingbot"];
    let sources = Sources { names: names.map(str::to_owned).to_vec(), targets: Vec::new() };
    let traffic = Traffic::generated(&history, &sources.of(dialect), 1, 7_000);
    (history, traffic)
}

#[test]
fn generated_histories_score_like_the_reference() {
    for dialect in DIALECTS {
        let (history, traffic) = question(dialect);
        let found = found(&history, &traffic, &[], dialect, TimeTravel::InForce);
        assert_agree(&found);
        assert_met_all(&found, dialect);
        assert!(found.requests > 5_000 && found.comparisons > 2_000, "{found}");
    }
}

#[test]
fn requests_come_just_before_and_after_the_end_of_each_limit() {
    let (history, traffic) = question(Dialect::Koster1996);
    for limit in [1, 7].map(|days| days * 86_400) {
        for offset in [-1, 0, 1] {
            let is_there = |request: &&Request| {
                let captures = history.captures(&request.host).into_iter().flat_map(|host| &host.captures);
                captures.into_iter().any(|capture| request.time - capture.time == limit + offset)
            };
            let requests = traffic.of_crawlers().filter(is_there).count();
            assert!(requests > 80, "{requests} requests at {limit} seconds and {offset}");
        }
    }
}

#[test]
fn without_time_travel_the_comparison_fails() {
    for dialect in DIALECTS {
        let (history, traffic) = question(dialect);
        let found = found(&history, &traffic, &[], dialect, TimeTravel::Latest);
        assert!(found.divergences.len() > 500, "{dialect}: {} divergences", found.divergences.len());
        // Not only because requests before the first capture are evaluated: allowed and disallowed also swap.
        let changed = found.divergences.iter().filter(|message| message.contains("\"disallowed\"")).count();
        assert!(changed > 100, "{dialect}: {changed}");
    }
}

/// Compares the scores of generated requests to at most 300 hosts in `folder`. Without time travel, more than
/// `outdated` of them must differ.
fn compare_histories(folder: &Path, outdated: usize) {
    let mut random = Rng::with_seed(1);
    let mut history = History::load(folder).unwrap().sample(300, &mut random);
    history.add_generated(&mut random);
    let sources = Sources::load(folder, &history, &mut random).unwrap();
    let traffic = Traffic::generated(&history, &sources, 1, 8_000);
    let agents =
        ["crawler-user-agents.json", "ai-robots-txt.json"].map(|name| folder.join("agents").join(name));
    let of = |travel| found(&history, &traffic, &agents, Dialect::Rfc9309, travel);
    let in_force = of(TimeTravel::InForce);
    assert_agree(&in_force);
    assert_met_all(&in_force, Dialect::Rfc9309);
    let divergences = of(TimeTravel::Latest).divergences.len();
    assert!(divergences > outdated, "{}: {divergences}", folder.display());
}

#[test]
fn histories_of_hosts_score_like_the_reference() {
    compare_histories(&small_corpus(), 500);
    if let Some(folder) = shared_folder("corpora") {
        compare_histories(&folder, 500);
    }
}

#[test]
fn our_history_has_every_kind_of_event() {
    let history = History::load(&small_corpus()).unwrap();
    // Deleted files and failed fetches have no rules.
    assert_eq!((history.counts(), history.left_out), ([12, 49, 7, 0], 0));
}
