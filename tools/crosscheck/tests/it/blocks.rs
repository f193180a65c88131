//! Blocks of URLs, for a few seeds.

use robomata_crosscheck::blocks;

#[test]
fn blocks_have_the_answers_of_the_reference_in_every_cell() {
    for seed in 1..4 {
        assert_eq!(blocks::run(seed, 20_000).divergence, None);
    }
}
