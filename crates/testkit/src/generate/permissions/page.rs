//! What pages say.

use robomata_protocol::{MetaTag, PageElement, PageFacts, PageHeader};

use super::line;
use crate::generate::Dice;

/// Texts that have to come up in pages, in lower case: constructs of rows P.
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
pub(super) fn facts(dice: &mut Dice) -> PageFacts {
    let metas = (1..=count(dice, 4)).map(|line| meta(dice, line)).collect();
    let elements = (0..count(dice, 4)).map(|number| element(dice, number)).collect();
    let headers = (0..count(dice, 2)).map(|_| header(dice)).collect();
    PageFacts { metas, elements, headers }
}

fn count(dice: &mut Dice, most: usize) -> u32 {
    u32::try_from(dice.below(most + 1)).unwrap_or(0)
}

fn meta(dice: &mut Dice, line: u32) -> MetaTag {
    let (name, content) = match dice.below(20) {
        0..12 => (dice.pick(NAMES), acap(dice)),
        12..18 => (dice.pick(NAMES), directives(dice)),
        18 => ("tdm-reservation", dice.pick(&["1", "0", "2"]).to_owned()),
        _ => ("tdm-policy", "https://h.example/tdm.json".to_owned()),
    };
    MetaTag { name: name.to_owned(), content, line }
}

fn directives(dice: &mut Dice) -> String {
    let first = dice.pick(DIRECTIVES);
    if dice.chance(70) { first.to_owned() } else { format!("{first}, {}", dice.pick(DIRECTIVES)) }
}

fn acap(dice: &mut Dice) -> String {
    let statement = statement(dice);
    match dice.below(20) {
        0 => format!("ACAP version {}", dice.pick(&["1.0", "1.1", "1.2", "2.0", "x"])),
        1 => format!("ACAP Version {}", dice.pick(&["1.1", "2.0"])),
        2 | 3 => format!("ACAP {} {statement}", dice.pick(&["news", "News*", "http://n.example/*"])),
        4 => format!("ACAP {statement}, {}", self::statement(dice)),
        5 => format!("acap nonsense {statement} word"),
        6 => "ACAP".to_owned(),
        _ => format!("ACAP {statement}"),
    }
}

fn statement(dice: &mut Dice) -> String {
    let usage = dice.pick(line::USAGES);
    match dice.below(20) {
        0..9 => format!("allow-{usage}{}", line::qualifiers(dice, usage)),
        9..15 => format!("disallow-{usage}"),
        15 | 16 => format!("allow-{usage} location={}", location(dice)),
        17 => format!("allow-{usage} colour=blue"),
        18 => dice.pick(&["allow-print", "disallow-print"]).to_owned(),
        _ => "Allow-Index".to_owned(),
    }
}

fn location(dice: &mut Dice) -> String {
    let site = dice.pick(&["http://h.example", "HTTP://H.EXAMPLE:80", "http://other.example", ""]);
    format!("{site}{}", line::path(dice))
}

fn element(dice: &mut Dice, number: u32) -> PageElement {
    let usage = dice.pick(line::USAGES);
    let class = match dice.below(12) {
        0..4 => format!("the-acap:allow-{usage}"),
        4..8 => format!("the-acap:disallow-{usage}"),
        8 => format!("THE-ACAP:Disallow-{usage}"),
        9 | 10 => format!("the-acap:allow-({})", dice.pick(&["q", "Q", "q2", "c", "none", "s"])),
        _ => dice
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
        if dice.chance(20) { vec!["x".to_owned(), "the-acap:allow-index".to_owned()] } else { Vec::new() };
    PageElement {
        tag: "div".to_owned(),
        id: dice.chance(20).then(|| "x".to_owned()),
        classes: [vec![class], other].concat(),
        line: 10 + number,
        parent: (number > 0 && dice.chance(60)).then(|| count(dice, number as usize - 1)),
    }
}

fn header(dice: &mut Dice) -> PageHeader {
    let (name, value) = match dice.below(10) {
        0..3 => ("X-Robots-Tag", directives(dice)),
        3..5 => {
            ("x-robots-tag", format!("{}: {}", dice.pick(&["FooBot", "foobot", "BarBot"]), directives(dice)))
        }
        5..8 => ("Content-Usage", line::usage_preference(dice).to_owned()),
        8 => ("tdm-reservation", dice.pick(&["1", "0"]).to_owned()),
        _ => ("TDM-Policy", "https://h.example/tdm.json".to_owned()),
    };
    PageHeader { name: name.to_owned(), value }
}
