//! The facts of pages.

use robomata_protocol::{MetaTag, PageElement, PageFacts, PageHeader, PageLink};

use super::{date, line};
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
    "time-limit 2-days",
    "name: \"googlebot-news\"",
    "location=http://h.example/",
    "location=/",
    "time-limit=",
    ", disallow-",
    "the-acap:allow-",
    "the-acap:disallow-",
    "the-acap:allow-(q)",
    "the-acap:allow-(c)",
    "the-acap:disallow-(q)",
    "the-acap:disallow-(c)",
    "the-acap:disallow-(none)",
    " disallow-(q)",
    " disallow-(c)",
    " disallow-(none)",
    " allow-(q)",
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
    "unavailable_after: 20071231",
    "unavailable_after: 2007/12/",
    "unavailable_after: dec",
    "unavailable_after: december",
    ":00:00 2007",
    " (utc)",
    "\\t(a, b)",
    "unavailable_after: monday, 2007",
    "unavailable_after: mon 2007",
    " dec 2007 0",
    "-dec-07 ",
    "t06:00",
    "t0600",
    ":60",
    ":00,5",
    ":00.5",
    "00,5",
    "24:00",
    "no index",
    "index follow",
    "noindex index",
    "index:follow",
    "index, follow",
    "index ,follow",
    "index\\tfollow",
    "no all",
    "max-snippet:20 index",
    "foobot: index ",
    "x-robots-tag",
    "foobot: no",
    "max-audio-preview:",
    "max-snippet:20:noindex",
    "unknown:unknown:no",
    "unknown: foobot:",
    "unknown:foobot:",
    "*: nofollow",
    ";max-snippet",
    "meta.json",
    "header.json",
    "\"content-usage\"",
    "\"content-signal\"",
    "\"robots-tag\"",
    "*;no",
    "foobot;no",
    "noai",
    "noimageai",
    "name: \"googlebot\"",
    "name: \"bingbot\"",
    "\"link\"",
    "rel=license",
    "pagelink",
    "tdm-reservation",
    "tdm-policy",
    "name: \"*\"",
    "name: \"foobot,",
    "name: \"robots, ",
    ",bingbot\"",
    "acap; ",
    "\\\"acap",
    "allow-index;",
    "; disallow-",
    "| allow-",
    "\\u{a0}disallow-",
    "\\u{2003}",
    "noindex/\"",
    "none/\"",
    "\\0",
    "\\r",
    "\\n",
    "max-snippet:20, unavailable_after",
    "max-image-preview:large, notranslate",
    "value: \"notranslate\"",
    "value: \"*;notranslate\"",
    "value: \"max-video-preview:7\"",
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
    "Googlebot",
    "googlebot",
    "Googlebot-News",
    "bingbot",
    "Bingbot",
    "description",
    "*",
    "* x",
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
    "noarchive",
    "nocache",
    "nocache",
    "noarchive, nocache",
    "noai",
    "noai",
    "NoAI, noimageai",
    "noimageai",
    "nosnippet",
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
    "noindex:nofollow",
    "noai:yes",
    "noindex :nofollow",
    "noindex: nofollow",
    ":noindex",
    "unknown:noindex",
    "unknown: noindex",
    "unknown :noindex",
    "max-snippet :20",
    "max-snippet : 20",
    "max-snippet:,noindex",
    "max-snippet: ,noindex",
    "max-snippet",
    "max-snippet:20:noindex",
    "max-snippet::20",
    "max-snippet:x:noindex",
    "max-image-preview:large:max-snippet:20",
    "unavailable_after: 2007-12-31T00:00:00Z:noindex",
    "unknown:unknown:noindex",
    "unknown: unknown: nofollow",
    "unknown :unknown :noindex",
    "unknown:,noindex",
    "unknown:: noindex",
    "unknown:noindex:nofollow",
    "unknown: noindex:nofollow",
    "unavailable_after",
    "unavailable_after :2007-12-31",
    "noarchive::nocache",
    "max-audio-preview:5",
    "max-audio-preview: 5, noindex",
    "BarBot: unknown",
    "BarBot:",
    "*: nofollow",
];

/// META tags, elements and headers, few of each.
pub(super) fn facts(rng: &mut Rng) -> PageFacts {
    let metas = (1..=count(rng, 4)).map(|line| meta(rng, line)).collect();
    let elements = (0..count(rng, 4)).map(|number| element(rng, number)).collect();
    let headers = (0..count(rng, 3)).map(|_| header(rng)).collect();
    let links = (20..20 + count(rng, 4).saturating_sub(2)).map(|line| page_link(rng, line)).collect();
    let mut facts = PageFacts { metas, elements, links, headers };
    if rng.chance(12) {
        present_in_several(rng, &mut facts);
    }
    for header in &mut facts.headers {
        if rng.chance(8) {
            let places: Vec<usize> =
                (0..=header.value.len()).filter(|&at| header.value.is_char_boundary(at)).collect();
            let at = places[rng.below(places.len())];
            header.value.insert_str(at, rng.pick(&["\0", "\0", "\0", "\r", "\n", "\r\n", " \0"]));
        }
    }
    facts
}

/// Directives about `present` and about usages derived from it.
const OF_PRESENT: &[&str] = &[
    "unavailable_after: 2007-12-31T00:00:00Z",
    "unavailable_after: 30 Dec 2007",
    "notranslate",
    "notranslate",
    "max-snippet:20",
    "max-snippet:-1",
    "max-snippet:0",
    "max-image-preview:large",
    "max-image-preview:standard",
    "max-image-preview:none",
    "max-video-preview:7",
    "max-video-preview:-1",
    "nosnippet",
    "noarchive",
];

/// Some of these in several META tags and headers.
fn present_in_several(rng: &mut Rng, facts: &mut PageFacts) {
    for line in 5..7 + count(rng, 2) {
        let directive = rng.pick(OF_PRESENT);
        let named = rng.pick(&["robots", "robots", "FooBot", "*", "BarBot"]);
        let header = |name: &str, value: String| PageHeader { name: name.to_owned(), value };
        match rng.below(4) {
            0 | 1 => {
                facts.metas.push(MetaTag { name: named.to_owned(), content: directive.to_owned(), line });
            }
            2 => facts.headers.push(header("X-Robots-Tag", directive.to_owned())),
            _ => {
                let value = match directive.split_once(':') {
                    Some((key, value)) if key.starts_with("max-") => format!("*;{key}={value}"),
                    Some((key, _)) => format!("*;{key}=@1198972800"),
                    None => format!("*;{directive}"),
                };
                facts.headers.push(header("Robots-Tag", value));
            }
        }
    }
}

fn count(rng: &mut Rng, most: usize) -> u32 {
    u32::try_from(rng.below(most + 1)).unwrap_or(0)
}

fn meta(rng: &mut Rng, line: u32) -> MetaTag {
    let (mut name, mut content) = match rng.below(22) {
        0..12 => (rng.pick(NAMES).to_owned(), acap(rng)),
        12..18 => (rng.pick(NAMES).to_owned(), directives(rng)),
        18 | 19 => ("tdm-reservation".to_owned(), rng.pick(&["1", "0", "2"]).to_owned()),
        _ => {
            let url = rng.pick(&["https://h.example/meta.json", "/meta.json"]);
            return MetaTag { name: "tdm-policy".to_owned(), content: url.to_owned(), line };
        }
    };
    if rng.chance(12) {
        for _ in 0..=rng.small(2) {
            name.push_str(rng.pick(&[",", ",", ", ", " ,", ",\t", ",,"]));
            name.push_str(rng.pick(NAMES));
        }
    }
    if rng.chance(6) {
        content.push_str(rng.pick(&["/", "/", "/", " /", "//", "/ "]));
    }
    MetaTag { name, content, line }
}

fn directives(rng: &mut Rng) -> String {
    let first = match rng.below(11) {
        0 | 1 => phrase(rng),
        10 => {
            let several: Vec<_> = (0..2 + rng.below(3)).map(|_| rng.pick(OF_PRESENT)).collect();
            several.join(rng.pick(&[", ", ", ", ",", "; "]))
        }
        2 | 3 => {
            const TAILS: &[&str] =
                &["", "", "", ", noindex", ",nofollow", ",5", ", 5", " noindex", ":noindex"];
            format!("unavailable_after: {}{}", date::text(rng), rng.pick(TAILS))
        }
        _ => rng.pick(DIRECTIVES).to_owned(),
    };
    if rng.chance(70) { first } else { format!("{first}, {}", rng.pick(DIRECTIVES)) }
}

/// Words with commas, colons, or only white space between them.
fn phrase(rng: &mut Rng) -> String {
    const WORDS: &[&str] = &[
        "index",
        "index",
        "index",
        "follow",
        "follow",
        "follow",
        "all",
        "all",
        "Index",
        "noindex",
        "nofollow",
        "none",
        "no",
        "unknown",
        "unknown:5",
        "max-snippet:20",
        "FooBot: index",
        "noarchive",
    ];
    const BETWEEN: &[&str] =
        &[" ", " ", " ", ", ", ", ", ",", " ,", "\t", "\n", "  ", ":", ": ", " :", " , "];
    let mut phrase = rng.pick(&["", "", "", "", " ", "no ", ":"]).to_owned();
    phrase.push_str(rng.pick(WORDS));
    for _ in 0..=rng.small(3) {
        phrase.push_str(rng.pick(BETWEEN));
        phrase.push_str(rng.pick(WORDS));
    }
    phrase
}

fn acap(rng: &mut Rng) -> String {
    let content = plain_acap(rng);
    if rng.chance(85) {
        return content;
    }
    // Marks and other white space around the words.
    const MARKS: &[&str] = &["", "", "", "", "\"", "\"", "'", ";", "|"];
    const SPACES: &[&str] =
        &[" ", " ", " ", " ", "\u{a0}", "\u{2003}", "; ", " | ", ";, ", ", ;", ";", " ; "];
    let mut marked = rng.pick(MARKS).to_owned();
    for (number, word) in content.split(' ').enumerate() {
        if number > 0 {
            marked.push_str(rng.pick(SPACES));
        }
        let mark = if rng.chance(70) { "" } else { rng.pick(MARKS) };
        marked.push_str(&format!("{mark}{word}{}", if rng.chance(10) { rng.pick(MARKS) } else { mark }));
    }
    marked.push_str(rng.pick(MARKS));
    marked
}

fn plain_acap(rng: &mut Rng) -> String {
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

/// Names of local usages; one is a resource set, and one is not defined.
const LOCAL: &[&str] = &["q", "Q", "q2", "c", "none", "s"];

fn statement(rng: &mut Rng) -> String {
    let usage = rng.pick(line::USAGES);
    match rng.below(22) {
        20 => format!("disallow-({}){}", rng.pick(LOCAL), line::qualifiers(rng, usage)),
        21 => format!("{}allow-({})", rng.pick(&["dis", ""]), rng.pick(LOCAL)),
        0..9 => format!("allow-{usage}{}", line::qualifiers(rng, usage)),
        9..15 => format!("disallow-{usage}"),
        15 | 16 => format!("allow-{usage} location={}", location(rng)),
        17 if rng.chance(50) => format!("allow-{usage} colour=blue"),
        17 => format!("{}allow-{usage} {}", rng.pick(&["", "", "dis"]), rng.pick(WORDS)),
        18 => rng.pick(&["allow-print", "disallow-print"]).to_owned(),
        _ => "Allow-Index".to_owned(),
    }
}

/// Words that are no qualifiers, some of them restrictions without their `=`.
const WORDS: &[&str] =
    &["time-limit 2-days", "time-limit 2-days max-length=3-words", "until-recrawled", "word", "no", "(q)"];

fn location(rng: &mut Rng) -> String {
    let site = rng.pick(&["http://h.example", "HTTP://H.EXAMPLE:80", "http://other.example", ""]);
    format!("{site}{}", line::path(rng))
}

fn element(rng: &mut Rng, number: u32) -> PageElement {
    let usage = rng.pick(line::USAGES);
    let class = match rng.below(14) {
        0..4 => format!("the-acap:allow-{usage}"),
        4..8 => format!("the-acap:disallow-{usage}"),
        8 => format!("THE-ACAP:Disallow-{usage}"),
        9 | 10 => format!("the-acap:allow-({})", rng.pick(LOCAL)),
        11 | 12 => format!("the-acap:disallow-({})", rng.pick(LOCAL)),
        _ => rng
            .pick(&[
                "the-acap:allow-()",
                "the-acap:allow-(q",
                "the-acap:disallow-()",
                "the-acap:disallow-(q",
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

fn page_link(rng: &mut Rng, line: u32) -> PageLink {
    PageLink {
        href: rng.pick(&["https://h.example/l.xml", "/l.xml", "l"]).to_owned(),
        media_type: rng.chance(50).then(|| "application/rsl+xml".to_owned()),
        line,
    }
}

fn header(rng: &mut Rng) -> PageHeader {
    let (name, value) = match rng.below(18) {
        0..3 => ("X-Robots-Tag", directives(rng)),
        16 | 17 => ("X-Robots-Tag", colons(rng)),
        3..5 => (
            "x-robots-tag",
            format!(
                "{}: {}",
                rng.pick(&["FooBot", "foobot", "BarBot", "Googlebot", "bingbot"]),
                directives(rng)
            ),
        ),
        5..8 => ("Robots-Tag", robots_tag(rng)),
        8 | 9 => ("Content-Usage", line::usage_preference(rng)),
        10 | 11 => ("Content-Signal", line::signal(rng)),
        12 => ("Link", link(rng)),
        13 | 14 => ("tdm-reservation", rng.pick(&["1", "0", "x"]).to_owned()),
        _ => ("TDM-Policy", rng.pick(&["https://h.example/header.json", "/header.json"]).to_owned()),
    };
    PageHeader { name: name.to_owned(), value }
}

/// A value of X-Robots-Tag with several colons.
fn colons(rng: &mut Rng) -> String {
    let mut value = rng.pick(&["unknown", "unknown", "FooBot", "max-snippet", "noindex", ""]).to_owned();
    for _ in 0..=rng.below(2) {
        value.push_str(rng.pick(&[":", ":", ": ", " :", ","]));
        value.push_str(rng.pick(&["FooBot", "unknown", "*", "20", "noindex", ""]));
    }
    format!("{value}{}{}", rng.pick(&[":", ": "]), rng.pick(&["noindex", "nofollow", "max-snippet:0"]))
}

/// A value of Robots-Tag: a structured-field list, or nearly one, sometimes longer than a reader needs to read.
fn robots_tag(rng: &mut Rng) -> String {
    const NAMES: &[&str] = &[
        "*",
        "*",
        "*",
        "FooBot",
        "FooBot",
        "foobot",
        "BarBot",
        "Googlebot",
        "bingbot",
        "robots",
        "\"FooBot\"",
        "\"FooBot News\"",
        "FooBot/1.0",
        "(FooBot)",
        "?1",
        "1",
        "",
    ];
    const RULES: &[&str] = &[
        ";noindex",
        ";nosnippet",
        "; nofollow",
        ";noarchive",
        ";nocache",
        ";none",
        ";noai",
        ";noimageai",
        ";index",
        ";noindex;indexifembedded",
        ";noindex=?0",
        ";nosnippet=?1",
        ";noindex=y",
        ";max-snippet=20",
        ";max-snippet=0",
        ";max-snippet=-1",
        ";max-snippet=\"20\"",
        ";max-snippet=1.5",
        ";max-snippet=20;max-snippet=5",
        ";max-image-preview=standard",
        ";max-image-preview=\"none\"",
        ";max-video-preview=7",
        ";unavailable_after=@1199059200",
        ";unavailable_after=\"Mon, 31 Dec 2007 00:00:00 GMT\"",
        ";unavailable_after=2007",
        ";NoIndex",
        "; MAX-SNIPPET=20",
        ";noindex;NOINDEX=?0",
        ";x=\"a;B\";Y",
        ";x=\"a,\\\",b\"",
        ";x=%\"a,\\\"",
        ";unknown=(1)",
        ";",
        "",
        "=1",
    ];
    let mut value = String::new();
    if rng.chance(3) {
        value.push_str(&format!("x;x=\"{}\", ", "x".repeat(8_150 + rng.below(40))));
    }
    for number in 0..=rng.small(3) {
        if number > 0 {
            value.push_str(rng.pick(&[", ", ", ", ",", "\t,", " "]));
        }
        value.push_str(rng.pick(NAMES));
        for _ in 0..rng.small(3) {
            if rng.chance(8) {
                value.push_str(&format!(";unavailable_after=\"{}\"", date::text(rng)));
            } else {
                value.push_str(rng.pick(RULES));
            }
        }
    }
    if rng.chance(10) {
        value.push_str(rng.pick(&[",", ";", "\"", ", FooBot;max-snippet=", ", \"Foo", " "]));
    }
    value
}

/// A value of Link, with licences and other links.
fn link(rng: &mut Rng) -> String {
    const LINKS: &[&str] = &[
        "<https://h.example/l.xml>;rel=license",
        "<https://h.example/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"",
        "</l.xml>; REL = \"next License\"",
        "<https://h.example/l,m>;rel=license;rel=next",
        "<https://h.example/a>;rel=next;rel=license",
        "<https://h.example/a>;rel=licenses",
        "<https://h.example/a>",
        "<>;rel=license",
        "<l.xml>;title=\"a, <b>\\\"\";rel=license",
        "<https://h.example/a;rel=license",
        "https://h.example/a;rel=license",
        "",
    ];
    let links: Vec<_> = (0..=rng.small(2)).map(|_| rng.pick(LINKS)).collect();
    links.join(rng.pick(&[", ", ",", ", ", " "]))
}
