//! The smallest steps, with the allocations of each: `cargo bench -p robomata-benches --bench micro`.

use divan::{AllocProfiler, Bencher, black_box};
use robomata_engine::automaton::{Compiler, NormalForm, Program, Scratch};
use robomata_engine::evaluator::TargetBuffer;
use robomata_engine::{Config, Crawler, Dialect, Policy, Site, Target};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const FILE: &[u8] =
    b"User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nDisallow: /*.pdf$\nAllow: /private/press\n";

const URLS: [&str; 4] = [
    "https://www.example.com/",
    "https://www.example.com/private/press/2026/11/report.pdf?page=2#top",
    "https://www.example.com/search%3Fq/%7Euser/caf\u{E9}",
    "HTTPS://user@WWW.Example.com:443/x?session=1",
];

fn main() {
    divan::main();
}

/// Converts a target to its normal form.
#[divan::bench(args = ["/private/press/2026/11/report.pdf", "/search%3Fq/%7Euser/caf\u{E9}"])]
fn normalise(bencher: Bencher<'_, '_>, target: &str) {
    let mut buffer = Vec::with_capacity(256);
    bencher.bench_local(|| NormalForm::Rfc9309.of_target(black_box(target.as_bytes()), &mut buffer).len());
}

/// Splits a URL into site and target.
#[divan::bench(args = URLS)]
fn split(bencher: Bencher<'_, '_>, url: &str) {
    let mut buffer = TargetBuffer::default();
    bencher.bench_local(|| {
        let url = black_box(url.as_bytes());
        let site = Site::of_url(url).map(|site| site.as_bytes().len());
        let target = Target::new(url).map(|target| target.normal(Dialect::Rfc9309, &mut buffer).len());
        (site, target)
    });
}

/// Matches a target against a program.
#[divan::bench(args = ["/", "/private/press/2026", "/a/long/path/to/some/report.pdf", "/x?session=1"])]
fn walk(bencher: Bencher<'_, '_>, target: &str) {
    let policy = Policy::new(FILE, &Config::new(Dialect::Rfc9309));
    let program = Program::compile(&policy.rules_for(&Crawler::new("ExampleBot")));
    let mut scratch = Scratch::new();
    bencher.bench_local(|| program.as_ref().verdict(black_box(target.as_bytes()), &mut scratch));
}

/// Parses a file into a policy.
#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let config = Config::new(Dialect::Rfc9309);
    bencher.bench_local(|| Policy::new(black_box(FILE), &config));
}

/// Compiles a policy into a program, with a compiler that has been used before.
#[divan::bench]
fn compile(bencher: Bencher<'_, '_>) {
    let policy = Policy::new(FILE, &Config::new(Dialect::Rfc9309));
    let crawler = Crawler::new("ExampleBot");
    let mut compiler = Compiler::new();
    bencher.bench_local(|| compiler.compile(&black_box(&policy).rules_for(&crawler)).bytes().len());
}
