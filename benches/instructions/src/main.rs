//! Fixed work for counting instructions. Each part is a function of its own, which callgrind collects by name.
//! `instructions.sh` counts and compares.

use std::hint::black_box;

use robomata_engine::automaton::Compiler;
use robomata_engine::{Answer, Checker, Policy, UrlRef, Usage};
use robomata_instructions::Small;

fn main() {
    let small = Small::new();
    count_parse(&small);
    let policies = small.policies();
    count_compile(&policies);
    let store = small.store();
    let mut checker = store.checker(&Small::crawler()).expect("the store was built for this crawler");
    // Run once outside the count, so that buffers have grown.
    for url in &small.urls {
        black_box(checker.check(url.as_bytes()));
    }
    count_check(&mut checker, &small);
    let stores = [Usage::Crawl, Usage::Preserve].map(|usage| small.store_with_fields(usage));
    let checkers = stores.each_ref().map(|store| store.checker(&Small::crawler()));
    let mut checkers = checkers.map(|checker| checker.expect("the store was built for this crawler"));
    for checker in &mut checkers {
        for url in &small.urls {
            black_box(checker.check(url.as_bytes()));
        }
    }
    count_usage(&mut checkers, &small);
    let shuffled = Small::shuffled();
    let urls: Vec<UrlRef<'_>> = shuffled.urls.iter().map(|url| UrlRef::Text(url.as_bytes())).collect();
    let mut answers = vec![Answer::Unknown; urls.len()];
    let store = shuffled.store();
    let mut checker = store.checker(&Small::crawler()).expect("the store was built for this crawler");
    checker.check_block(&urls, &mut answers);
    count_random(&mut checker, &urls, &mut answers);
    let small = Small::groups();
    let store = small.store_for_all();
    let mut checker = store.checker_for(&Small::crawlers()).expect("the store is for every crawler");
    for url in &small.urls {
        black_box(checker.check_each(url.as_bytes()));
    }
    count_groups(&mut checker, &small);
}

/// Several crawlers, which obey different groups of one file.
#[inline(never)]
fn count_groups(checker: &mut Checker<'_>, small: &Small) {
    for url in &small.urls {
        black_box(checker.check_each(black_box(url.as_bytes())));
    }
}

#[inline(never)]
fn count_parse(small: &Small) {
    let config = Small::config();
    for body in &small.bodies {
        black_box(Policy::new(black_box(body), &config));
    }
}

#[inline(never)]
fn count_compile(policies: &[Policy<'_>]) {
    let crawler = Small::crawler();
    let mut compiler = Compiler::new();
    for policy in policies {
        black_box(compiler.compile(&black_box(policy).rules_for(&crawler)));
    }
}

/// Crawl by ACAP's fields and the rules together, and crawl with another usage.
#[inline(never)]
fn count_usage(checkers: &mut [Checker<'_>], small: &Small) {
    for checker in checkers {
        for url in &small.urls {
            black_box(checker.check(black_box(url.as_bytes())));
        }
    }
}

/// URLs of many sites in random order.
#[inline(never)]
fn count_random(checker: &mut Checker<'_>, urls: &[UrlRef<'_>], answers: &mut [Answer]) {
    checker.check_block(black_box(urls), black_box(answers));
}

#[inline(never)]
fn count_check(checker: &mut Checker<'_>, small: &Small) {
    for url in &small.urls {
        black_box(checker.check(black_box(url.as_bytes())));
    }
}
