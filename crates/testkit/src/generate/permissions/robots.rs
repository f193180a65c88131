//! Whole robots files with permissions.

use super::line;
use crate::generate::Rng;

const NAMES: &[&str] = &[
    "*",
    "*",
    "*",
    "*",
    "FooBot",
    "FooBot",
    "FooBot",
    "FooBot",
    "foobot/1.0",
    "FooBot News",
    "FOOBOT news",
    "FooBot News/2",
    "Foo Bot",
    "BarBot",
    "BarBot",
    "memento",
    "* x",
    "*/1",
];

/// A robots.txt: conventional groups, definitions and records, mostly in the correct order.
pub(super) fn file(rng: &mut Rng) -> String {
    let mut lines = Lines { rng, text: String::new() };
    lines.version();
    if lines.rng.chance(60) {
        lines.groups();
    }
    lines.ignoring(6);
    for _ in 0..lines.rng.below(5) {
        let definition = line::definition(lines.rng);
        lines.push(&definition);
    }
    for _ in 0..lines.rng.below(4) {
        lines.record();
        lines.stray();
        if lines.rng.chance(20) {
            lines.groups();
        }
    }
    lines.ignoring(3);
    for _ in 0..lines.rng.small(4) {
        let other = line::of_the_file(lines.rng);
        lines.push(&other);
    }
    lines.text
}

struct Lines<'a> {
    rng: &'a mut Rng,
    text: String,
}

impl Lines<'_> {
    /// The line, sometimes without the colon of an ACAP field.
    fn push(&mut self, line: &str) {
        if self.rng.chance(5) && line.starts_with("ACAP-") {
            self.text.push_str(&line.replacen(':', self.rng.pick(&["", "", "", " ", "\t"]), 1));
        } else {
            self.text.push_str(line);
        }
        self.text.push_str(if self.rng.chance(95) { "\n" } else { "\r\n" });
    }

    fn version(&mut self) {
        if self.rng.chance(30) {
            let version = self.rng.pick(&[
                "##ACAP version=1.0",
                "##acap  VERSION = 1.1",
                "#ACAP version=1.0",
                "##ACAP",
            ]);
            self.push(version);
        }
    }

    fn ignoring(&mut self, percent: usize) {
        if self.rng.chance(percent) {
            let line = self.rng.pick(&[
                "ACAP-ignore-conventional-records",
                "ACAP-ignore-conventional-records",
                "ACAP-ignore-conventional-records:",
                "ACAP-ignore-conventional-records:",
                "ACAP-ignore-conventional-records yes",
            ]);
            self.push(line);
        }
    }

    /// A line about a resource, sometimes the resource of an earlier line, or a part of it.
    fn about(&mut self, line: &str) {
        let (pieces, written) = (line.split(' ').collect::<Vec<_>>(), self.text.as_str());
        let is_pattern = |word: &&str| word.starts_with('/') && word.len() < 16;
        let earlier: Vec<&str> = written.split_whitespace().filter(is_pattern).collect();
        if pieces.len() < 2 || !is_pattern(&pieces[1]) || earlier.is_empty() || self.rng.chance(75) {
            return self.push(line);
        }
        let pattern = earlier[self.rng.below(earlier.len())];
        let further = self.rng.pick(&["", "", "", "a", "/", "*", "$"]);
        let line = [&[pieces[0], &format!("{pattern}{further}")], &pieces[2..]].concat().join(" ");
        self.push(&line);
    }

    /// Conventional groups, sometimes with a line before the first.
    fn groups(&mut self) {
        if self.rng.chance(10) {
            self.rule();
        }
        for _ in 0..=self.rng.small(2) {
            for _ in 0..=self.rng.small(1) {
                let name = self.rng.pick(NAMES);
                self.push(&format!("User-agent: {name}"));
                if self.rng.chance(15) {
                    // It binds only the names above it, and ends no list of names.
                    self.statement();
                }
            }
            for _ in 0..self.rng.below(5) {
                self.rule();
            }
            self.stray();
        }
    }

    fn rule(&mut self) {
        let rule = line::rule(self.rng);
        self.about(&rule);
    }

    fn statement(&mut self) {
        let statement = line::statement(self.rng);
        self.about(&statement);
    }

    /// An ACAP record: a reference, or general fields and sub-records.
    fn record(&mut self) {
        for _ in 0..=self.rng.small(2) {
            // Without a name, the line begins a record of no crawler (A5).
            let name =
                if self.rng.chance(4) { self.rng.pick(&["", "/1", "# c"]) } else { self.rng.pick(NAMES) };
            self.push(&format!("ACAP-crawler: {name}"));
        }
        if self.rng.chance(20) {
            let locator = self.rng.pick(line::LOCATORS);
            self.push(&format!("ACAP-permissions-reference: {locator}"));
            if self.rng.chance(80) {
                return;
            }
        }
        self.fields();
        for _ in 0..self.rng.small(2) {
            self.purposes();
            self.fields();
        }
    }

    fn fields(&mut self) {
        if self.rng.chance(2) {
            for field in line::requiring_many(self.rng) {
                self.push(&field);
            }
        }
        for _ in 0..self.rng.below(5) {
            let field = match self.rng.below(14) {
                0 => format!("ACAP-request-take-down: {}", line::path(self.rng)),
                1 if self.rng.chance(50) => format!("ACAP-request-re-crawl: {}", line::path(self.rng)),
                _ => line::field(self.rng),
            };
            self.about(&field);
            self.stray();
        }
    }

    fn purposes(&mut self) {
        if self.rng.chance(2) {
            for number in 0..9 + self.rng.below(4) {
                self.push(&format!("ACAP-usage-purpose: p{number}"));
            }
        }
        for _ in 0..=self.rng.small(1) {
            let purpose = self.rng.pick(&["news", "news", "NEWS$", "*search", "http://n.example/*", "*", ""]);
            self.push(&format!("ACAP-usage-purpose: {purpose}"));
        }
    }

    /// Rarely, a misplaced line: it must not end anything, and has no effect.
    fn stray(&mut self) {
        if self.rng.chance(92) {
            return;
        }
        let line = match self.rng.below(5) {
            0 => line::definition(self.rng),
            1 => line::rule(self.rng),
            2 => line::field(self.rng),
            3 => format!("User-agent: {}", self.rng.pick(NAMES)),
            _ => line::of_the_file(self.rng),
        };
        self.push(&line);
    }
}
