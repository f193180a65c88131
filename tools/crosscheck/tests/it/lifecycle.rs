//! The life-cycle: the conformance cases, and situations generated around every boundary, engine against reference.

use std::collections::BTreeSet;
use std::path::Path;

use robomata_engine::lifecycle::{self as engine, Attempt, Moment, Situation, Standing, Terms};
use robomata_reference::lifecycle as reference;
use robomata_testkit::lifecycle::{Case, Failure, Question, Questions, load, run};

/// Number of generated situations. Each is evaluated on all terms, and again around the end of its standing.
const SITUATIONS: usize = 40_000;

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/conformance/lifecycle.toml");
    load(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_none(who: &str, failures: &[Failure]) {
    let messages: Vec<String> = failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{who}: {} failed\n{}", failures.len(), messages.join("\n"));
}

#[test]
fn engine_and_reference_answer_the_cases() {
    let cases = cases();
    assert!(cases.len() > 150, "only {} cases", cases.len());
    assert_none("reference", &run(&cases, reference::standing));
    assert_none("engine", &run(&cases, engine::standing));
}

#[test]
fn every_case_is_answered_alike_in_what_it_leaves_open() {
    for case in cases() {
        agree(&case.situation, case.now, case.terms);
    }
}

/// The standing, on which both agree.
fn agree(situation: &Situation, now: Moment, terms: Terms) -> Standing {
    let standing = engine::standing(situation, now, terms);
    let oracle = reference::standing(situation, now, terms);
    assert_eq!(
        standing, oracle,
        "engine and reference differ at {now} on the terms of {terms} in {situation:#?}"
    );
    standing
}

fn moment(seconds: i64) -> Moment {
    Moment::from_seconds(seconds)
}

/// The standing at `now` holds until the last second before its end, and not at its end. During failures, it holds on until an
/// attempt fails then (F15).
fn assert_holds_until_its_end(situation: &Situation, now: Moment, terms: Terms, standing: Standing) {
    let Some(until) = standing.until else {
        assert_eq!(
            agree(situation, moment(i64::MAX), terms),
            standing,
            "a standing without end changed: {situation:#?}"
        );
        return;
    };
    let now = now.max(situation.attempt.at);
    assert!(now < until, "{standing:?} ended before {now}: {situation:#?}");
    assert_eq!(agree(situation, moment(until.seconds() - 1), terms), standing, "{situation:#?}");
    let change = |standing: Standing| (standing.applies, standing.why.ground);
    let mut next = agree(situation, until, terms);
    if change(next) == change(standing) {
        assert_eq!(next.until, None, "{situation:#?}");
        let attempt = Attempt { at: until, ..situation.attempt.clone() };
        let since = situation.failing_since.unwrap_or(situation.attempt.at).min(situation.attempt.at);
        if since.of_fetch().is_err() {
            // F2: a start before 1994 counts as the attempt's time, so no failure is long.
            return;
        }
        next = agree(&Situation { attempt, failing_since: Some(since), ..situation.clone() }, until, terms);
    }
    assert_ne!(change(next), change(standing), "nothing changes at {until}: {situation:#?}");
}

#[test]
fn engine_and_reference_agree_on_generated_situations() {
    let mut questions = Questions::new(9309);
    let mut seen = BTreeSet::new();
    for _ in 0..SITUATIONS {
        let Question { situation, now } = questions.question();
        for terms in Terms::ALL {
            let standing = agree(&situation, now, terms);
            assert_holds_until_its_end(&situation, now, terms, standing);
            seen.insert((terms, standing.why.finding.as_str(), standing.why.ground.as_str()));
        }
    }
    // The number of all combinations. On each terms: a copy in force (5, under Koster 4) is fresh, due or expired. A
    // redirect that was not followed meets a fresh copy or none, and a 304 without a copy meets none. The failures (4,
    // under Koster 6, as too many redirects are among them) meet a fresh copy or a stage: 3 on the RFC's terms, 4 on
    // Google's, 1 on Koster's.
    let of = |terms| seen.iter().filter(|(whose, ..)| *whose == terms).count();
    let counts = Terms::ALL.map(of);
    assert_eq!(
        counts,
        [15 + 3 + 4 * 4, 15 + 3 + 4 * 5, 12 + 3 + 6 * 2, 15 + 3 + 4 * 4],
        "findings and grounds that were met: {seen:#?}"
    );
}

#[test]
fn long_fields_and_long_chains_are_read_in_one_pass() {
    let mut questions = Questions::new(1);
    let mut situation = questions.question().situation;
    let long = |piece: &str| engine::Header::new("Cache-Control", piece.repeat(1 << 18));
    situation.attempt.end = robomata_engine::FetchStatus::Code(200);
    situation.attempt.hops.clear();
    situation.attempt.headers = [",", "\"", "\\\"", "max-age=9,", "a=\"\\\\\",", " "].map(long).to_vec();
    for terms in Terms::ALL {
        agree(&situation, situation.attempt.at, terms);
    }
    situation.attempt.end = robomata_engine::FetchStatus::Code(302);
    for location in ["/a".repeat(1 << 18), "/..".repeat(1 << 18)] {
        situation.attempt.headers = vec![engine::Header::new("location", location)];
        engine::standing(&situation, situation.attempt.at, Terms::Rfc9309);
    }
}
