//! Counts that add up over runs.

use std::time::Duration;

use robomata_crosscheck::night::results::{Counts, Kind, Results};
use robomata_crosscheck::night::{Divergence, Limits, Unit, compare, run};
use robomata_engine::Dialect;

fn unit(answers: u64) -> Unit {
    Unit {
        counts: vec![(Dialect::Google, Counts { questions: 1, answers, divergences: 0 })],
        divergence: None,
    }
}

#[test]
fn counts_add_up_over_runs_and_no_seed_runs_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let mut results = Results::open(&path).unwrap();
    for seed in 0..10 {
        results.add(Kind::Generated, &unit(seed));
    }
    results.write().unwrap();
    // What is not written is lost with its seeds, as in a run that is killed.
    results.add(Kind::Generated, &unit(1_000));
    results.add(Kind::Blocks, &unit(1_000));
    drop(results);
    let mut results = Results::open(&path).unwrap();
    assert_eq!((results.next_seed(Kind::Generated), results.next_seed(Kind::Blocks)), (10, 0));
    for seed in 10..20 {
        results.add(Kind::Generated, &unit(seed));
    }
    results.write().unwrap();
    drop(results);
    let results = Results::open(&path).unwrap();
    assert_eq!(results.total(), Counts { questions: 20, answers: (0..20).sum(), divergences: 0 });
    assert_eq!(results.to_string(), std::fs::read_to_string(&path).unwrap());
}

#[test]
fn two_runs_on_one_file_exclude_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let first = Results::open(&path).unwrap();
    let refused = Results::open(&path).unwrap_err().to_string();
    assert!(refused.contains("in use by another run"), "{refused}");
    first.write().unwrap();
    // The lock is not that of the file that was replaced.
    assert!(Results::open(&path).is_err());
    drop(first);
    Results::open(&path).unwrap();
}

#[test]
fn files_that_are_no_results_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let rows = |rows: &str| format!("kind\tdialect\tseeds\tquestions\tanswers\tdivergences\n{rows}");
    for text in [
        "important\n".to_owned(),
        rows("generated\tgoogle\t1\t1\t1\n"),
        rows("generated\tgoogle\t1\t1\t1\t-1\n"),
        rows("generated\tgoogle\t1\t1\t1\t0\ngenerated\tacap\t2\t1\t1\t0\n"),
        rows("generated\tgoogle\t1\t1\t1\t0\ngenerated\tgoogle\t1\t1\t1\t0\n"),
        rows("other\tgoogle\t1\t1\t1\t0\n"),
    ] {
        std::fs::write(&path, &text).unwrap();
        assert!(Results::open(&path).is_err(), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_divergence_ends_the_run_and_is_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let planted = |seed| match seed {
        5 => Unit {
            counts: vec![(Dialect::Google, Counts { questions: 1, answers: 1, divergences: 1 })],
            divergence: Some(Divergence::Other("planted".to_owned())),
        },
        _ => unit(1),
    };
    let run_for_long = Limits { time: Duration::from_secs(3_600), threads: 2 };
    let (results, found) = run(&path, &[Kind::Blocks], run_for_long, |_, seed| planted(seed)).unwrap();
    let Some((Kind::Blocks, 5, Divergence::Other(text))) = found else { panic!("{found:?}") };
    assert_eq!(text, "planted");
    let total = results.total();
    assert_eq!((total.divergences, total.answers), (1, results.next_seed(Kind::Blocks)));
    drop(results);
    assert_eq!(Results::open(&path).unwrap().total(), total);
}

#[test]
fn a_panic_is_a_divergence_with_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { time: Duration::from_secs(3_600), threads: 1 };
    let compare = |_, seed| if seed == 7 { panic!("planted in {seed}") } else { unit(1) };
    let (results, found) = run(&folder.path().join("results.tsv"), &[Kind::Usages], limits, compare).unwrap();
    let Some((Kind::Usages, 7, Divergence::Other(text))) = found else { panic!("{found:?}") };
    assert_eq!(text, "a panic: planted in 7");
    assert_eq!(results.total().divergences, 1);
}

#[test]
fn every_kind_without_a_corpus_compares_in_its_dialects() {
    for kind in [Kind::Generated, Kind::Blocks, Kind::Usages, Kind::Lifecycle] {
        for seed in 0..3 {
            let Unit { counts, divergence } = compare(kind, seed, None);
            assert!(divergence.is_none(), "seed {seed}: {divergence:?}");
            assert!(counts.iter().all(|(_, counts)| counts.questions > 0 && counts.divergences == 0));
            let dialects = Dialect::ALL.iter().filter(|&&all| counts.iter().any(|&(one, _)| one == all));
            match kind {
                Kind::Generated => {
                    assert_eq!(dialects.count(), 5);
                    // Several cells answer each question.
                    assert!(counts.iter().all(|(_, counts)| counts.answers > 2 * counts.questions));
                }
                Kind::Lifecycle => assert_eq!(dialects.count(), 4),
                _ => assert!(dialects.count() > 0),
            }
        }
    }
    assert!(compare(Kind::Real, 1, None).counts.is_empty());
}
