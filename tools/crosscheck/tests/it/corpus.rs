//! The small corpus: every answer of the engine is that of the reference.

use robomata_crosscheck::corpus::{self, Corpus};
use robomata_crosscheck::permissions;
use robomata_testkit::shared::small_corpus;

#[test]
fn the_small_corpus_has_no_divergences() {
    let corpus = Corpus::load(&small_corpus()).unwrap();
    assert_eq!((corpus.captures, corpus.url_count()), (53, 648));
    let found = corpus::run(&corpus);
    assert!(found.divergences.is_empty(), "{:?}", found.divergences);
    // Five dialects, three crawlers, and stores for many names.
    assert!(found.comparisons > 5 * 3 * 648, "{}", found.comparisons);
}

#[test]
fn the_small_corpus_has_no_divergences_about_usages() {
    let found = permissions::corpus::run(&Corpus::load(&small_corpus()).unwrap());
    assert!(found.questions > 1_000, "{}", found.questions);
    assert!(found.divergences.is_empty(), "{:?}", found.divergences);
}
