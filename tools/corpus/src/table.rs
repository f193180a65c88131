//! Prints descriptions of collections as a table, one column per collection.

use std::fmt::Write as _;

use robomata_engine::syntax::Key;

use crate::describe::{Collection, Count, Distribution, Feature, RuleKind};

const QUANTILES: [f64; 6] = [0.1, 0.5, 0.9, 0.99, 0.999, 1.0];

/// The table of these collections, by name.
pub fn table(collections: &[(String, Collection)]) -> String {
    let mut table = Table { collections, text: String::new() };
    table.row("", |_, name| name.to_owned());
    table.row("files", |collection, _| collection.len(Count::Files).to_string());
    table.row("different bodies", |collection, _| collection.len(Count::Bodies).to_string());
    table.row("distinct rule sets", |collection, _| collection.rule_sets().to_string());
    table.row("files of the first bodies", |collection, _| {
        collection.heads(4).iter().map(|&share| percent(share)).collect::<Vec<_>>().join(" ")
    });
    for (count, of) in [(Count::Files, "every file"), (Count::Bodies, "each body once")] {
        table.heading(of);
        table.distributions(count);
        table.shares(count);
    }
    table.text
}

struct Table<'c> {
    collections: &'c [(String, Collection)],
    text: String,
}

impl Table<'_> {
    fn heading(&mut self, of: &str) {
        writeln!(self.text, "\n{of}: p10 p50 p90 p99 p99.9 max, mean").expect("text");
    }

    fn row(&mut self, label: &str, cell: impl Fn(&Collection, &str) -> String) {
        write!(self.text, "{label:<26}").expect("text");
        for (name, collection) in self.collections {
            write!(self.text, " {:>44}", cell(collection, name)).expect("text");
        }
        self.text.push('\n');
    }

    fn distributions(&mut self, count: Count) {
        self.row("bytes", |collection, _| quantiles(&collection.bytes(count)));
        self.row("groups", |collection, _| quantiles(&collection.groups(count)));
        self.row("rules", |collection, _| quantiles(&collection.rules(count)));
        self.row("bytes of patterns", |collection, _| quantiles(&collection.patterns(count)));
    }

    fn shares(&mut self, count: Count) {
        for kind in RuleKind::ALL {
            let label = format!("rules: {}", of_rule(kind));
            self.row(&label, |collection, _| percent(collection.share_of_rules(count, kind)));
        }
        for feature in FEATURES {
            let label = format!("files: {}", of_file(feature));
            self.row(&label, |collection, _| percent(collection.share_of_files(count, feature)));
        }
    }
}

const FEATURES: [Feature; 18] = [
    Feature::Record(Key::Sitemap),
    Feature::Record(Key::CrawlDelay),
    Feature::Record(Key::Host),
    Feature::Record(Key::RequestRate),
    Feature::Record(Key::VisitTime),
    Feature::Record(Key::CleanParam),
    Feature::Record(Key::Noindex),
    Feature::Record(Key::ContentSignal),
    Feature::Record(Key::ContentUsage),
    Feature::Record(Key::License),
    Feature::Record(Key::TimeGate),
    Feature::Record(Key::Archived),
    Feature::Record(Key::Unknown),
    Feature::Closed,
    Feature::Comment,
    Feature::CrLf,
    Feature::ByteOrderMark,
    Feature::NotUtf8,
];

fn of_rule(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Allow => "allow",
        RuleKind::Star => "with *",
        RuleKind::TwoStars => "2 or more *",
        RuleKind::ThreeStars => "3 or more *",
        RuleKind::End => "ending in $",
        RuleKind::Slash => "exactly /",
        RuleKind::Percent => "with %",
        RuleKind::NonAscii => "not ASCII",
    }
}

fn of_file(feature: Feature) -> &'static str {
    match feature {
        Feature::Record(key) => key.as_str(),
        Feature::ByteOrderMark => "byte order mark",
        Feature::CrLf => "CR LF",
        Feature::Comment => "comment",
        Feature::Closed => "closed",
        Feature::NotUtf8 => "not UTF-8",
    }
}

fn quantiles(distribution: &Distribution) -> String {
    let values = QUANTILES.map(|share| distribution.quantile(share).to_string());
    format!("{}, {:.1}", values.join(" "), distribution.mean())
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}
