//! The commands that run under faults.

/// A command that reads and writes files.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The arguments. `{A}` is replaced by the crawler.
    line: &'static str,
    /// The files that it writes. Others are not allowed to be there after a complete run.
    pub(crate) outputs: &'static [&'static str],
}

impl Case {
    pub(crate) fn line(&self) -> String {
        self.line.replace("{A}", crate::inputs::AGENT)
    }

    /// May a failed run keep its progress?
    pub(crate) fn resumes(&self) -> bool {
        self.line.contains("--resume")
    }

    /// Does it read the files of a frontier line by line, so that a changed file can be seen in the output?
    pub(crate) fn reads(&self, input: &str) -> bool {
        self.line.split(' ').any(|word| word == input)
    }
}

const fn case(name: &'static str, line: &'static str, outputs: &'static [&'static str]) -> Case {
    Case { name, line, outputs }
}

/// Most runs use one thread where the number of threads is an option, so that calls have the same order in each run.
pub(crate) const CASES: [Case; 31] = [
    case(
        "filter",
        "filter -q --threads 1 --agent {A} --robots robots.jsonl urls.txt --to out.txt",
        &["out.txt"],
    ),
    // All cores: the order of calls varies.
    case(
        "filter-threads",
        "filter -q --agent {A} --robots robots.jsonl long.tsv --output verdicts --to out.tsv",
        &["out.tsv"],
    ),
    case(
        "filter-gzip",
        "filter -q --threads 1 --agent {A} --robots robots.jsonl.gz urls.txt.gz --output verdicts --to out.tsv.gz",
        &["out.tsv.gz"],
    ),
    case(
        "filter-zstd",
        "filter -q --threads 1 --agent {A} --robots robots.jsonl.zst urls.txt --output verdicts --to out.jsonl.zst",
        &["out.jsonl.zst"],
    ),
    case(
        "filter-stdout",
        "filter -q --threads 1 --agent {A} --policies p.bundle urls.txt --output verdicts",
        &[],
    ),
    case(
        "filter-parquet",
        "filter -q --threads 1 --agent {A} --policies p.bundle urls.parquet --output verdicts --to out.parquet",
        &["out.parquet"],
    ),
    case(
        "filter-sites",
        "filter -q --threads 1 --agent {A} --robots sites --robots robots.warc.gz urls.txt --output verdicts --to out.txt",
        &["out.txt"],
    ),
    case(
        "filter-shards",
        "filter -q --threads 1 --agent {A} --policies given-*-of-00002.bundle urls.txt --to out.txt",
        &["out.txt"],
    ),
    case(
        "filter-evidence",
        "filter -q --threads 1 --agent {A} --robots robots.jsonl urls.txt --evidence e.jsonl --to out.txt",
        &["e.jsonl", "out.txt"],
    ),
    case(
        "filter-resume",
        "filter -q --threads 1 --agent {A} --policies p.bundle long.tsv --output verdicts --resume --checkpoint-every 0 \
         --to out.tsv",
        &["out.tsv"],
    ),
    case(
        "filter-resume-gzip",
        "filter -q --threads 1 --agent {A} --policies p.bundle long.tsv urls.txt.gz --output verdicts --resume \
         --checkpoint-every 0 --to out.tsv.gz",
        &["out.tsv.gz"],
    ),
    case("compile", "compile -q --threads 1 robots.jsonl --agent {A} -o out.bundle", &["out.bundle"]),
    case(
        "compile-parts",
        "compile -q --threads 1 robots.warc.gz new.jsonl --all-agents --memory 0 -o out.bundle",
        &["out.bundle"],
    ),
    case(
        "compile-history",
        "compile -q --threads 1 robots.jsonl new.jsonl --all-agents --history -o out.bundle",
        &["out.bundle"],
    ),
    case("compile-onto", "compile -q --threads 1 new.jsonl --onto p.bundle -o p.bundle", &["p.bundle"]),
    case(
        "compile-merge",
        "compile -q --threads 1 given-00000-of-00002.bundle given-00001-of-00002.bundle --all-agents -o out.bundle",
        &["out.bundle"],
    ),
    case(
        "shard",
        "shard p.bundle -n 2 -o out",
        &["out-00000-of-00002.bundle", "out-00001-of-00002.bundle", "out-of-00002.shards"],
    ),
    case(
        "score",
        "score -q --threads 1 --policies history.bundle access.log --json --to out.json --html out.html --requests out.tsv",
        &["out.html", "out.json", "out.tsv"],
    ),
    case("score-stdout", "score -q --threads 1 --robots robots.jsonl access.log", &[]),
    case(
        "score-parquet",
        "score -q --threads 1 --robots robots.jsonl access.log --to out.txt --parquet out.parquet",
        &["out.parquet", "out.txt"],
    ),
    case(
        "diff",
        "diff -q --threads 1 --agent {A} robots.jsonl new.jsonl urls.txt --json --to out.json",
        &["out.json"],
    ),
    case(
        "compare",
        "compare -q --threads 1 --agent {A} --robots robots.jsonl urls.txt --json --to out.json",
        &["out.json"],
    ),
    case(
        "pace",
        "pace -q --threads 1 --agent {A} --policies p.bundle --default-delay 2 --to out.tsv",
        &["out.tsv"],
    ),
    case(
        "plan",
        "plan -q --threads 1 --policies history.bundle --now 2026-02-06 --frontier urls.txt --to out.jsonl --holds holds.tsv",
        &["holds.tsv", "out.jsonl"],
    ),
    case(
        "permissions",
        "permissions --agent {A} --robots robots.txt --page page.html --headers headers --now 2026-01-01 --json \
         https://www.example.com/private",
        &[],
    ),
    case(
        "check",
        "check --agent {A} --robots robots.txt --robots-headers headers --now 2026-01-01 --json https://www.example.com/private",
        &[],
    ),
    case("explain", "explain --agent {A} --robots robots.txt https://www.example.com/private", &[]),
    case("debug", "debug --agent {A} --robots robots.txt --dot out.dot", &["out.dot"]),
    case("lint", "lint robots.txt --format sarif --to out.sarif", &["out.sarif"]),
    case("inspect", "inspect p.bundle --json", &[]),
    case("verify-evidence", "verify-evidence evidence.jsonl --robots robots.jsonl", &[]),
];
