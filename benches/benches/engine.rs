//! Criterion benchmarks of robomata's own parts: `cargo bench -p robomata-benches --bench engine`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robomata_engine::automaton::Compiler;
use robomata_engine::{Crawler, Policy, PolicyStore};
use robomata_instructions::Small;

fn parse(criterion: &mut Criterion) {
    let small = Small::new();
    let config = Small::config();
    let mut group = criterion.benchmark_group("parse");
    group.throughput(Throughput::Bytes(small.bodies.iter().map(|body| body.len() as u64).sum()));
    group.bench_function("files", |bencher| {
        bencher.iter(|| {
            for body in &small.bodies {
                black_box(Policy::new(black_box(body), &config));
            }
        });
    });
    group.bench_function("files, with diagnostics", |bencher| {
        bencher.iter(|| {
            for body in &small.bodies {
                black_box(Policy::with_diagnostics(black_box(body), &config));
            }
        });
    });
    group.finish();
}

fn compile(criterion: &mut Criterion) {
    let small = Small::new();
    let (policies, crawler) = (small.policies(), Small::crawler());
    let mut group = criterion.benchmark_group("compile");
    group.throughput(Throughput::Elements(policies.len() as u64));
    group.bench_function("programs", |bencher| {
        let mut compiler = Compiler::new();
        bencher.iter(|| {
            for policy in &policies {
                black_box(compiler.compile(&policy.rules_for(&crawler)));
            }
        });
    });
    group.bench_function("a store", |bencher| bencher.iter(|| black_box(small.store())));
    let bytes = small.store().bytes().to_vec();
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("a store, validated", |bencher| {
        bencher.iter(|| black_box(PolicyStore::from_bytes(bytes.clone())));
    });
    group.finish();
}

fn check(criterion: &mut Criterion) {
    let small = Small::new();
    let (store, crawler) = (small.store(), Small::crawler());
    let mut group = criterion.benchmark_group("check");
    group.throughput(Throughput::Elements(small.urls.len() as u64));
    group.bench_function("site after site", |bencher| {
        let mut checker = store.checker(&crawler).expect("the store was built for this crawler");
        bencher.iter(|| {
            for url in &small.urls {
                black_box(checker.check(black_box(url.as_bytes())));
            }
        });
    });
    group.bench_function("a batch on all cores", |bencher| {
        bencher.iter(|| black_box(store.check_batch(&crawler, &small.urls)));
    });
    group.finish();
}

/// The cost of answers for several crawlers, as scoring logs and splitting frontiers need them.
fn crowd(criterion: &mut Criterion) {
    let small = Small::new();
    let crawlers = ["Googlebot", "GPTBot", "CCBot", "bingbot", "ExampleBot"].map(Crawler::new);
    let store = small.store_for(&crawlers);
    let mut group = criterion.benchmark_group("five crawlers");
    group.throughput(Throughput::Elements(small.urls.len() as u64));
    group.bench_function("each by itself", |bencher| {
        let mut checkers = crawlers
            .each_ref()
            .map(|crawler| store.checker(crawler).expect("the store was built for these crawlers"));
        bencher.iter(|| {
            for url in &small.urls {
                for checker in &mut checkers {
                    black_box(checker.check(black_box(url.as_bytes())));
                }
            }
        });
    });
    group.bench_function("at once", |bencher| {
        let mut checker = store.checker_for(&crawlers).expect("the store was built for these crawlers");
        bencher.iter(|| {
            for url in &small.urls {
                black_box(checker.check(black_box(url.as_bytes())));
            }
        });
    });
    group.finish();
}

criterion_group!(engine, parse, compile, check, crowd);
criterion_main!(engine);
