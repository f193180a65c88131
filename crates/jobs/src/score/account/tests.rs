use std::time::Duration;

use super::*;
use crate::score::judge::Decider;

const LIMITS: Limits = Limits {
    crawlers: 4,
    days: 5,
    statuses: 3,
    sites: 6,
    cells: 20,
    rules: 2,
    examples: 1 << 10,
    paths: (4, 2),
    programs: (2, 1),
};

/// Requests with more of everything than [`LIMITS`] allow.
fn requests() -> impl Iterator<Item = Request> {
    let mut rng = fastrand::Rng::with_seed(1);
    (0..2_000_i64).map(move |number| {
        let line = rng.u32(1..=5);
        let decider = Decider { version: None, line };
        let judgement = *rng
            .choice(&[
                Some(Judgement::Disallowed { decider, evidence: Evidence::Undated }),
                Some(Judgement::Allowed(decider)),
                Some(Judgement::SiteUnknown),
                Some(Judgement::RobotsTxt),
                None,
            ])
            .expect("it is not empty");
        let is_violation = matches!(judgement, Some(Judgement::Disallowed { .. }));
        // One crawler has many requests, so it is never among the rarest.
        let crawler = if number % 2 == 0 { "Often".to_owned() } else { format!("Rare{}", rng.u8(..12)) };
        let time = (number / 100 * 86_400 + number % 100) * 1_000;
        Request {
            crawler: crawler.as_str().into(),
            spelling: crawler.into(),
            site: (number % 17 != 0).then(|| format!("https://{}.example", rng.u8(..20)).into()),
            time: Timestamp::from_milliseconds(time).expect("it is a year that exists"),
            precision: Precision::Seconds,
            status: Some(rng.i32(200..220)),
            path: format!("/{}", rng.u8(..40)).into(),
            judgement,
            rule: is_violation.then(|| format!("Disallow: /{line}").into()),
            url: is_violation.then(|| format!("https://a.example/{number}").into()),
            delay: Delay::Asked(Duration::from_secs(2)),
            refused: number % 13 == 0,
            file: 0,
            is_in_order: true,
        }
    })
}

fn report(limits: Limits) -> ScoreReport {
    let mut account = Account::new(limits);
    account.take(&mut Found { requests: requests().collect(), ..Found::default() });
    let mut report = ScoreReport::default();
    account.close(usize::MAX, &mut report);
    report
}

#[test]
fn sums_are_exact_however_much_is_counted_together() {
    let [few, all] = [LIMITS, Limits::DEFAULT].map(report);
    assert_eq!(few.counts(), all.counts());
    assert_eq!(few.refusals, all.refusals);
    for report in [&few, &all] {
        let cells: u64 = report.cells.iter().map(|cell| cell.requests).sum();
        assert_eq!(cells, 2_000);
        for score in &report.crawlers {
            let sites = score.sites.iter().fold(Counts::default(), |sum, site| sum.plus(&site.counts));
            assert_eq!(sites, score.counts, "{}", score.crawler);
            for site in &score.sites {
                let broken: u64 = site.broken.iter().map(|rule| rule.requests).sum();
                assert_eq!(broken, site.counts.disallowed, "{}, {}", score.crawler, site.site);
            }
        }
    }
    let often = |report: &ScoreReport| {
        let mut scores = report.crawlers.iter().filter(|score| score.crawler == "Often");
        scores.next().expect("it is listed").counts
    };
    assert_eq!(often(&few), often(&all));
    assert_eq!((all.crawlers.len(), all.joined.is_some()), (13, false));
}

#[test]
fn each_limit_bounds_what_is_counted_separately() {
    let few = report(LIMITS);
    let names: Vec<&str> = few.crawlers.iter().map(|score| &*score.crawler).collect();
    assert!(
        names.len() <= LIMITS.crawlers && names.contains(&"Often") && names.contains(&OTHERS),
        "{names:?}"
    );
    assert!(few.joined.is_some());
    let sum = |of: fn(&CrawlerScore) -> usize| few.crawlers.iter().map(of).sum::<usize>();
    // A crawler may have the common site besides.
    assert!(sum(|score| score.sites.len()) <= LIMITS.sites + names.len());
    assert!(few.crawlers.iter().any(|score| score.sites.iter().any(|site| site.site == OTHERS)));
    assert!(sum(|score| score.days.len()) <= LIMITS.days);
    for score in &few.crawlers {
        assert!(score.statuses.len() <= LIMITS.statuses + 1, "{}", score.crawler);
        for site in &score.sites {
            assert!(site.broken.len() <= LIMITS.rules + 1, "{}, {}", score.crawler, site.site);
            assert!(site.broken.iter().all(|rule| rule.examples.len() <= EXAMPLES));
        }
    }
    // Beyond both limits, a crawler has one count for each verdict.
    assert!(few.cells.len() <= 2 * LIMITS.cells + 6 * names.len(), "{}", few.cells.len());
    let is_without_a_site = |cell: &Cell| *cell.site == *OTHERS && cell.line == 0 && cell.rule.is_none();
    assert!(few.cells.iter().any(|cell| cell.day.is_some() && is_without_a_site(cell)));
    assert!(few.cells.iter().any(|cell| cell.day.is_none()));
    assert!(few.cells.iter().all(|cell| cell.day.is_some() || is_without_a_site(cell)));
    assert_eq!((few.paths.listed.len(), few.paths.forgotten > 0), (LIMITS.paths.1, true));
}

#[test]
fn a_long_name_takes_the_place_of_several_sites() {
    let sites = |length: usize| {
        let mut account = Account::new(Limits { sites: 6, ..Limits::DEFAULT });
        let to_site = |(number, request)| {
            let site = format!("https://{number}{}.example", "a".repeat(length));
            Request { crawler: "Often".into(), site: Some(site.into()), ..request }
        };
        let requests = requests().take(8).enumerate().map(to_site).collect();
        account.take(&mut Found { requests, ..Found::default() });
        let mut report = ScoreReport::default();
        account.close(usize::MAX, &mut report);
        report.crawlers[0].sites.len()
    };
    // One is that of the others.
    assert_eq!([1, 100, 200].map(sites), [7, 4, 3]);
}

/// The gaps between these requests of one crawler to one site, which asks for `delay`.
fn gaps(requests: impl Iterator<Item = Request>, delay: Duration) -> DelayScore {
    let to_site = |request| Request {
        crawler: "Often".into(),
        site: Some("https://a.example".into()),
        judgement: Some(Judgement::SiteUnknown),
        delay: Delay::Asked(delay),
        refused: false,
        ..request
    };
    let mut account = Account::new(Limits::DEFAULT);
    account.take(&mut Found { requests: requests.map(to_site).collect(), ..Found::default() });
    let mut report = ScoreReport::default();
    account.close(usize::MAX, &mut report);
    report.crawlers.remove(0).delay
}

/// A shell lists `access.log` before `access.log.1`, which is older.
#[test]
fn gaps_do_not_depend_on_the_order_of_logs() {
    let log = |start: i64| (start..start + 30).map(|second| second * 1_000);
    let delay_of_logs = |logs: &[Vec<i64>]| {
        let times =
            logs.iter().enumerate().flat_map(|(file, times)| times.iter().map(move |&time| (file, time)));
        let requests = times.zip(requests()).map(|((file, time), request)| Request {
            time: Timestamp::from_milliseconds(time).unwrap(),
            file,
            ..request
        });
        let DelayScore { asked, broken, out_of_order, .. } = gaps(requests, Duration::from_secs(5));
        (asked, broken, out_of_order)
    };
    let delay = |times: Vec<i64>| delay_of_logs(&[times]);
    let (older, newer) = (log(0), log(3_600));
    assert_eq!(delay(older.clone().chain(newer.clone()).collect()), (59, 58, 0));
    // The time between the two logs alone is not known.
    assert_eq!(delay(newer.chain(older).collect()), (58, 58, 1));
    // Several processes write one log.
    assert_eq!(delay(vec![10_000, 9_000, 20_000, 21_000]), (2, 1, 1));
    // The older log ends a second before the newer one begins.
    let logs = [log(0).collect::<Vec<_>>(), log(30).collect()];
    assert_eq!(delay_of_logs(&logs), (59, 59, 0));
    let [older, newer] = logs;
    assert_eq!(delay_of_logs(&[newer, older]), (58, 58, 1));
}

/// A log in seconds cuts the times: five requests of one second are less than a second apart.
#[test]
fn requests_of_one_second_are_closer_than_a_delay_of_one_second() {
    let broken = |precision, between: [i64; 3]| {
        let times = between.into_iter().scan(0, |time, gap| {
            *time += gap;
            Some(*time)
        });
        let requests = times.zip(requests()).map(|(time, request)| Request {
            time: Timestamp::from_milliseconds(time).unwrap(),
            precision,
            ..request
        });
        let DelayScore { asked, broken, .. } = gaps(requests, Duration::from_secs(1));
        (asked, broken)
    };
    assert_eq!(broken(Precision::Seconds, [0, 0, 1_000]), (2, 1));
    assert_eq!(broken(Precision::Milliseconds, [0, 999, 1_000]), (2, 1));
}

#[test]
fn the_bytes_of_all_examples_are_bounded() {
    let examples = |bytes: usize| {
        let report = report(Limits { examples: bytes, ..Limits::DEFAULT });
        let sites = report.crawlers.into_iter().flat_map(|score| score.sites);
        let rules = sites.flat_map(|site| site.broken);
        rules.flat_map(|rule| rule.examples).map(|url| url.len()).sum::<usize>()
    };
    assert!(examples(Limits::DEFAULT.examples) > 1 << 10);
    assert!(((1 << 10) - 30..=1 << 10).contains(&examples(1 << 10)));
    assert_eq!(examples(0), 0);
}
