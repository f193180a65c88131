//! The facts of pages.

use robomata_protocol::{MetaTag, PageElement, PageFacts, PageHeader};

use super::line;
use crate::generate::Rng;

/// Texts that must occur in pages, in lower case: constructs of rows P.
#[cfg(test)]
pub(super) const CONSTRUCTS: &[&str] = &[
    "\"acap allow-index\"",
    "acap disallow-",
    "acap news allow-",
    "acap version 1.1",
    "acap version 2.0",
    "acap version 1.2",
    "allow-print",
    "colour=blue",
    "location=http://h.example/",
    "location=/",
    "time-limit=",
    ", disallow-",
    "the-acap:allow-",
    "the-acap:disallow-",
    "the-acap:allow-(q)",
    "the-acap:allow-(c)",
    "the-acap:disallow-(q)",
    "name: \"foobot news\"",
    "parent: some(",
    "name: \"foobot\"",
    "noindex, nofollow",
    "indexifembedded",
    "noarchive",
    "nosnippet",
    "max-snippet:",
    "max-image-preview:",
    "max-video-preview:",
    "notranslate",
    "noimageindex",
    "unavailable_after: 2007-12-31",
    "unavailable_after: mon, 31 dec 2007",
    "unavailable_after: monday, 31-dec-07",
    "unavailable_after: soon",
    "x-robots-tag",
    "foobot: no",
    "content-usage",
    "tdm-reservation",
    "tdm-policy",
];

const NAMES: &[&str] = &[
    "robots",
    "robots",
    "robots",
    "ROBOTS",
    "robots",
    "FooBot",
    "foobot",
    "FooBot",
    "FooBot News",
    "foobot/1.0",
    "BarBot",
    "description",
];

const DIRECTIVES: &[&str] = &[
    "noindex",
    "nofollow",
    "none",
    "index",
    "follow",
    "all",
    "noindex, nofollow",
    "noindex indexifembedded",
    "indexifembedded",
    "noarchive",
    "nocache",
    "nosnippet",
    "max-snippet:20",
    "max-snippet: 0",
    "max-snippet:-1",
    "max-snippet:x",
    "max-image-preview:none",
    "max-image-preview:standard",
    "max-image-preview:LARGE",
    "max-video-preview:7",
    "max-video-preview:-1",
    "notranslate",
    "noimageindex",
    "unavailable_after: 2007-12-31T00:00:00Z",
    "unavailable_after: Mon, 31 Dec 2007 00:00:00 GMT",
    "unavailable_after: Monday, 31-Dec-07 00:00:00 GMT",
    "unavailable_after: soon",
    "NoIndex,unknown",
];

/// META tags, elements and headers, few of each.
pub(super) fn facts(rng: &mut Rng) -> PageFacts {
    let metas = (1..=count(rng, 4)).map(|line| meta(rng, line)).collect();
    let elements = (0..count(rng, 4)).map(|number| element(rng, number)).collect();
    let headers = (0..count(rng, 2)).map(|_| header(rng)).collect();
    PageFacts { metas, elements, links: Vec::new(), headers }
}

fn count(rng: &mut Rng, most: usize) -> u32 {
    u32::try_from(rng.below(most + 1)).unwrap_or(0)
}

fn meta(rng: &mut Rng, line: u32) -> MetaTag {
    let (name, content) = match rng.below(20) {
        0..12 => (rng.pick(NAMES), acap(rng)),
        12..18 => (rng.pick(NAMES), directives(rng)),
        18 => ("tdm-reservation", rng.pick(&["1", "0", "2"]).to_owned()),
        _ => ("tdm-policy", "https://h.example/tdm.json".to_owned()),
    };
    MetaTag { name: name.to_owned(), content, line }
}

fn directives(rng: &mut Rng) -> String {
    let first = rng.pick(DIRECTIVES);
    if rng.chance(70) { first.to_owned() } else { format!("{first}, {}", rng.pick(DIRECTIVES)) }
}

fn acap(rng: &mut Rng) -> String {
    let statement = statement(rng);
    match rng.below(20) {
        0 => format!("ACAP version {}", rng.pick(&["1.0", "1.1", "1.2", "2.0", "x"])),
        1 => format!("ACAP Version {}", rng.pick(&["1.1", "2.0"])),
        2 | 3 => format!("ACAP {} {statement}", rng.pick(&["news", "News*", "http://n.example/*"])),
        4 => format!("ACAP {statement}, {}", self::statement(rng)),
        5 => format!("acap nonsense {statement} word"),
        6 => "ACAP".to_owned(),
        _ => format!("ACAP {statement}"),
    }
}

fn statement(rng: &mut Rng) -> String {
    let usage = rng.pick(line::USAGES);
    match rng.below(20) {
        0..9 => format!("allow-{usage}{}", line::qualifiers(rng, usage)),
        9..15 => format!("disallow-{usage}"),
        15 | 16 => format!("allow-{usage} location={}", location(rng)),
        17 => format!("allow-{usage} colour=blue"),
        18 => rng.pick(&["allow-print", "disallow-print"]).to_owned(),
        _ => "Allow-Index".to_owned(),
    }
}

fn location(rng: &mut Rng) -> String {
    let site = rng.pick(&["http://h.example", "HTTP://H.EXAMPLE:80", "http://other.example", ""]);
    format!("{site}{}", line::path(rng))
}

fn element(rng: &mut Rng, number: u32) -> PageElement {
    let usage = rng.pick(line::USAGES);
    let class = match rng.below(12) {
        0..4 => format!("the-acap:allow-{usage}"),
        4..8 => format!("the-acap:disallow-{usage}"),
        8 => format!("THE-ACAP:Disallow-{usage}"),
        9 | 10 => format!("the-acap:allow-({})", rng.pick(&["q", "Q", "q2", "c", "none", "s"])),
        _ => rng
            .pick(&[
                "the-acap:allow-()",
                "the-acap:allow-(q",
                "the-acap:disallow-(q)",
                "the-acap:allow-print",
                "the-acap:nothing",
            ])
            .to_owned(),
    };
    let other =
        if rng.chance(20) { vec!["x".to_owned(), "the-acap:allow-index".to_owned()] } else { Vec::new() };
    PageElement {
        tag: "div".to_owned(),
        id: rng.chance(20).then(|| "x".to_owned()),
        classes: [vec![class], other].concat(),
        line: 10 + number,
        parent: (number > 0 && rng.chance(60)).then(|| count(rng, number as usize - 1)),
    }
}

fn header(rng: &mut Rng) -> PageHeader {
    let (name, value) = match rng.below(10) {
        0..3 => ("X-Robots-Tag", directives(rng)),
        3..5 => {
            ("x-robots-tag", format!("{}: {}", rng.pick(&["FooBot", "foobot", "BarBot"]), directives(rng)))
        }
        5..8 => ("Content-Usage", line::usage_preference(rng).to_owned()),
        8 => ("tdm-reservation", rng.pick(&["1", "0"]).to_owned()),
        _ => ("TDM-Policy", "https://h.example/tdm.json".to_owned()),
    };
    PageHeader { name: name.to_owned(), value }
}
