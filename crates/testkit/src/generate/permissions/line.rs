//! The lines of robots files, and their parts.

use crate::generate::Rng;

/// The locators in references; one or both files may be supplied.
pub(super) const LOCATORS: &[&str] = &["/more.txt", "http://other.example/acap.txt"];

/// Texts that must occur in files, in lower case: constructs of rows A, M and V.
#[cfg(test)]
pub(super) const CONSTRUCTS: &[&str] = &[
    "##acap version=1.0",
    "acap-ignore-conventional-records\n",
    "acap-ignore-conventional-records:",
    "acap-crawler: *",
    "acap-crawler: foobot\nacap-crawler: *",
    "acap-permissions-reference: /more.txt",
    "acap-permissions-reference: http://other",
    "acap-usage-purpose: news",
    "acap-usage-purpose: http://n.example/*",
    "acap-usage-purpose: p8\n",
    "acap-qualified-usage: q",
    "acap-composite-usage: c",
    "(q) ",
    "acap-resource-set: s",
    "the-acap:resource-set:s",
    "the-acap:resource-set:none",
    "acap-allow-(q):",
    "acap-allow-(c):",
    "acap-allow-(none):",
    "acap-disallow-(q):",
    "acap-disallow-(c):",
    "acap-disallow-(none):",
    "acap-allow-print:",
    "acap-request-take-down:",
    "acap-request-re-crawl:",
    "acap-unknown:",
    "time-limit=until-recrawled",
    "time-limit=until-recrawl",
    "time-limit=until-2007-12-31",
    "time-limit=until-2007-02-29",
    "time-limit=2-days",
    "time-limit=4294967296-days",
    "must-use-resource=/",
    "must-use-resource=http://other.example/",
    "must-use-resource=the-acap:extract:id:x",
    "must-include-resource=the-acap:credit:/",
    "must-include-resource=the-acap:link:class:x",
    "max-length=3-words",
    "max-length=20-chars",
    "prohibited-modification=any",
    "prohibited-modification=style",
    "prohibited-context=within-user-frame",
    "required-context=within-original-frame",
    "location=http",
    "colour=blue",
    " = ",
    "user-agent: *",
    "noindex:",
    "content-signal: ",
    "content-usage: /",
    "content-usage: train-ai",
    "content-usage: *",
    "*x=1",
    "ai-use=",
    "use=reference",
    "disallowaitraining: /",
    "allowaitraining: /",
    "schemamap:",
    "llm-policy:",
    "agentmap:",
    "tdm-reservation:",
    "tdm-policy:",
    "crawl-delay:",
    "license:",
    "clean-param:",
    "timegate: http",
    "timegate: /",
    "archived: /",
    "archived: http",
    "archived: *",
    "user-agent: memento",
    "sitemap:",
    "$\n",
    "%2a",
    "%61",
    "%28",
    "*%2b",
    "*%2f",
    "acap-crawler: foobot news",
    "acap-crawler: foobot news/2",
    "acap-crawler: */1",
    "[",
    "%5d",
    "{",
    "|",
    "%7b",
    "%20",
    "%22",
    "%5c",
    "%\n",
    "%2\n",
    "%*",
    "%2*",
    "acap-crawler: foo bot",
    "\nuser-agent: foobot news",
    "acap-crawler foobot\n",
    "acap-crawler foobot news\n",
    "acap-usage-purpose news\n",
    "acap-permissions-reference /more.txt",
    "acap-permissions-reference http://other",
    "acap-disallow-index /",
    "acap-disallow-(q) ",
    "-crawl the-acap:resource-set:",
    "-crawl *",
    "acap-request-take-down /",
    "acap-resource-set t ",
    "acap-ignore-conventional-records yes",
];

pub(super) const USAGES: &[&str] = &[
    "crawl",
    "crawl",
    "follow",
    "index",
    "index",
    "preserve",
    "present",
    "present",
    "present-original",
    "present-currentcopy",
    "present-oldcopy",
    "present-snippet",
    "present-snippet",
    "present-thumbnail",
    "present-oldsnippet",
    "present-oldthumbnail",
    "present-link",
    "other",
    "other",
];

const QUALIFIERS: &[&str] = &[
    "time-limit=until-recrawled",
    "time-limit=until-recrawl",
    "time-limit=until-2007-12-31",
    "time-limit=2-days",
    "TIME-LIMIT = 2-DAYS",
    "time-limit=0-days",
    "must-use-resource=/a",
    "must-use-resource=b",
    "must-use-resource=http://h.example/ab",
    "must-use-resource=http://other.example/a",
    "must-use-resource=the-acap:extract:id:x",
    "must-use-resource=the-acap:extract:class:x",
    "must-use-resource=the-acap:extract:meta:x",
    "must-include-resource=/a",
    "must-include-resource=the-acap:credit:/b",
    "must-include-resource=the-acap:link:class:x",
    "max-length=3-words",
    "max-length=20-chars",
    "prohibited-modification=any",
    "prohibited-modification=style",
    "prohibited-modification=translation",
    "prohibited-modification=format",
    "prohibited-modification=annotation",
    "prohibited-context=within-user-frame",
    "required-context=within-original-frame",
];

/// Never valid in a robots.txt.
const BAD_QUALIFIERS: &[&str] = &[
    "time-limit=until-2007-02-29",
    "time-limit=4294967296-days",
    "time-limit=-1-days",
    "time-limit=",
    "max-length=3",
    "must-use-resource=the-acap:extract:x",
    "must-include-resource=the-acap:extract:id:x",
    "prohibited-modification=colour",
    "location=http://h.example/a",
    "colour=blue",
    "word",
    "=x",
];

/// The qualifiers of a usage, mostly valid ones.
pub(super) fn qualifiers(rng: &mut Rng, usage: &str) -> String {
    let mut text = String::new();
    let count = if rng.chance(65) { 0 } else { 1 + rng.small(2) };
    for _ in 0..count {
        text.push(' ');
        text.push_str(qualifier(rng, usage));
    }
    text
}

fn qualifier(rng: &mut Rng, usage: &str) -> &'static str {
    if rng.chance(12) {
        return rng.pick(BAD_QUALIFIERS);
    }
    if rng.chance(15) {
        return rng.pick(QUALIFIERS);
    }
    let fitting: &[&str] = match usage {
        "preserve" => &QUALIFIERS[..6],
        "index" => &QUALIFIERS[..13],
        "present-snippet" | "present-oldsnippet" => &QUALIFIERS[..18],
        "present" => &QUALIFIERS[..16],
        "present-original" | "present-currentcopy" | "present-oldcopy" => &QUALIFIERS[18..],
        _ => &QUALIFIERS[..16],
    };
    rng.pick(fitting)
}

/// Permissions of one usage that require more resources than are checked for an answer.
pub(super) fn requiring_many(rng: &mut Rng) -> Vec<String> {
    let (usage, resource) = (rng.pick(&["present", "present-snippet", "other"]), resource(rng));
    let qualifier = |rng: &mut Rng, number| {
        let kind = rng.pick(&[
            "must-use-resource=",
            "must-use-resource=",
            "must-use-resource=",
            "must-include-resource=",
            "must-include-resource=the-acap:credit:",
            "must-use-resource=http://h.example",
            "must-use-resource=http://other.example",
        ]);
        format!("{kind}{}{number}", path(rng))
    };
    (0..9 + rng.below(5))
        .map(|number| format!("ACAP-allow-{usage}: {resource} {}", qualifier(rng, number)))
        .collect()
}

/// Reserved bytes and their escapes.
const RESERVED: &[&str] = &[
    "(", "%28", ":", "%3a", "&", "%26", "+", "%2B", "=", "%3D", "%2F", "?", "%3F", "%2f", "%5b", "[", "%5D",
    "%24",
];

/// Bytes that no URI has, and their escapes. A pattern is written into JSON as it is, so `"` and `\` are only escaped.
const IN_NO_URI: &[&str] = &[
    "{", "%7B", "%7b", "}", "%7D", "|", "%7C", "^", "%5e", "`", "%60", "<", "%3c", ">", "%3E", "%20", "%22",
    "%5C", "%7F", "%01", "%09",
];

/// Beginnings of escapes, at the end of a pattern or before a star.
const CUT_ESCAPES: &[&str] = &["%", "%", "%2", "%5", "%7", "%*", "%2*", "%*a"];

/// A path of few pieces.
pub(super) fn path(rng: &mut Rng) -> String {
    let mut path = "/".to_owned();
    for _ in 0..rng.small(4) {
        path.push_str(match rng.below(5) {
            0 if rng.chance(30) => rng.pick(IN_NO_URI),
            0 => rng.pick(RESERVED),
            _ => rng.pick(&["a", "a", "b", "ab", "/", "A", "%61", "%2A", "a?b", "%C3%A9", "é"]),
        });
    }
    path
}

/// A path pattern of few pieces.
pub(super) fn pattern(rng: &mut Rng) -> String {
    let mut pattern = rng.pick(&["/", "/", "/", "/", "*", "/*", "/*a", "a"]).to_owned();
    for _ in 0..rng.small(4) {
        pattern.push_str(match rng.below(6) {
            0 if rng.chance(30) => rng.pick(IN_NO_URI),
            0 => rng.pick(RESERVED),
            _ => rng.pick(&["a", "a", "b", "ab", "/", "*", "*", "A", "%61", "%2A", "$"]),
        });
    }
    if rng.chance(6) {
        pattern.push_str(rng.pick(CUT_ESCAPES));
    }
    if rng.chance(15) {
        pattern.push('$');
    }
    pattern
}

/// A resource specification: mostly a pattern.
pub(super) fn resource(rng: &mut Rng) -> String {
    match rng.below(20) {
        0 | 1 => "the-acap:resource-set:s".to_owned(),
        2 => "the-acap:resource-set:T".to_owned(),
        3 if rng.chance(50) => "the-acap:resource-set:none".to_owned(),
        _ => pattern(rng),
    }
}

/// A permission or prohibition.
pub(super) fn field(rng: &mut Rng) -> String {
    let (usage, resource) = (rng.pick(USAGES), resource(rng));
    const LOCAL: &[&str] = &["q", "Q", "q2", "c", "c", "none"];
    match rng.below(21) {
        0..9 => format!("ACAP-allow-{usage}: {resource}{}", qualifiers(rng, usage)),
        9..15 => format!("ACAP-disallow-{usage}: {resource}"),
        15..17 => format!("ACAP-allow-({}): {resource}", rng.pick(LOCAL)),
        20 => format!("ACAP-disallow-({}): {resource}{}", rng.pick(LOCAL), qualifiers(rng, "index")),
        17 => format!("ACAP-allow-(c): {resource}{}", qualifiers(rng, "index")),
        18 => format!("ACAP-disallow-{usage}: {resource} {}", rng.pick(QUALIFIERS)),
        _ => odd_field(rng, &resource),
    }
}

fn odd_field(rng: &mut Rng, resource: &str) -> String {
    match rng.below(5) {
        0 => format!("ACAP-disallow-print: {resource}"),
        1 => format!("ACAP-allow-print: {resource}"),
        2 => "ACAP-allow-index:".to_owned(),
        3 => format!("acap-ALLOW-Index : {resource} # comment"),
        _ => format!("ACAP-unknown: {resource}"),
    }
}

/// A definition, valid or invalid.
pub(super) fn definition(rng: &mut Rng) -> String {
    let usage = rng.pick(USAGES);
    match rng.below(12) {
        0..3 => format!("ACAP-qualified-usage: q {usage}{}", qualifiers(rng, usage)),
        3 => format!("ACAP-qualified-usage: q2 {usage} {}", qualifier(rng, usage)),
        4 | 5 => format!("ACAP-composite-usage: c (q) {usage}"),
        6 => format!("ACAP-composite-usage: C {usage} {} (q2)", rng.pick(USAGES)),
        7..9 => format!("ACAP-resource-set: s {} {}", pattern(rng), pattern(rng)),
        9 => format!("ACAP-resource-set: t {}", pattern(rng)),
        10 => format!("ACAP-composite-usage: q {usage}"),
        _ => rng
            .pick(&[
                "ACAP-qualified-usage: q print time-limit=2-days",
                "ACAP-qualified-usage: 1q index time-limit=2-days",
                "ACAP-qualified-usage: q",
                "ACAP-composite-usage: c (none) index",
                "ACAP-composite-usage: c (c) q",
                "ACAP-composite-usage: c",
                "ACAP-resource-set: s",
                "ACAP-resource-set: 2s /a",
            ])
            .to_owned(),
    }
}

/// A line of a conventional group other than a user-agent line.
pub(super) fn rule(rng: &mut Rng) -> String {
    match rng.below(17) {
        0..4 => format!("Allow: {}", pattern(rng)),
        4..8 => format!("Disallow: {}", pattern(rng)),
        _ => statement(rng),
    }
}

/// A line of a conventional group that says nothing about access.
pub(super) fn statement(rng: &mut Rng) -> String {
    let pattern = pattern(rng);
    match rng.below(9) {
        0 | 1 => format!("Noindex: {pattern}"),
        2 | 3 => format!("Content-Signal: {}", signal(rng)),
        4 => format!("Content-Usage: {}", usage_preference(rng)),
        5 => pace(rng),
        6 | 7 => {
            let key = rng.pick(&[
                "DisallowAITraining",
                "DisallowAITraining",
                "AllowAITraining",
                "disallowaitraining",
            ]);
            format!("{key}: {pattern}")
        }
        _ => format!("Content-Usage: {pattern} {}", usage_preference(rng)),
    }
}

/// A visit rate or time, well formed or nearly so.
fn pace(rng: &mut Rng) -> String {
    let window = rng.pick(&[
        "0800-1300",
        "2300 0430",
        "00:00-24:00",
        "2400-0100",
        "0860-0900",
        "9:00-10:00",
        "0900-1730 UTC",
        "09:00\t17:30GMT",
        "0900",
        "0900-1000-1100",
        "0000-0000",
        "0001-0000",
        "0600 - 0559",
    ]);
    match rng.below(3) {
        0 => {
            let delay = rng.pick(&[
                "1", "2.5", ".5", "5.", "007.50", "", ".", "-1", "1e3", "86400", "86400.5", "1.2.3", "0",
                "600.0001", "0.0015",
            ]);
            format!("Crawl-delay: {delay}")
        }
        1 => {
            let rate = rng.pick(&[
                "1/5s", "1/10m", "3/H", "10/60", "0/5", "1/0", "1", "/5", "1/m", "1/5x", "+1/5", "7/10",
                "1/25h", "2/48h", "1000/1",
            ]);
            format!("Request-rate: {rate} {}", if rng.chance(50) { window } else { "" })
        }
        _ => format!("Visit-time: {window}"),
    }
}

/// A value of Content-Signal, sometimes with items that are none.
pub(super) fn signal(rng: &mut Rng) -> String {
    const ITEMS: &[&str] = &[
        "search=yes",
        "search=no",
        "Search = YES",
        "ai-input=yes",
        "ai-input=no",
        "ai-train=yes",
        "ai-train=no",
        "ai-train=maybe",
        "use=reference",
        "use=reference",
        "use=immediate",
        "USE = Full",
        "use=half",
        "use=yes",
        "search=reference",
        "other-label=no",
        "tdm=no",
        "=",
        "x",
        "",
    ];
    let items: Vec<_> = (0..=rng.small(4)).map(|_| rng.pick(ITEMS)).collect();
    items.join(rng.pick(&[", ", ",", ", ", " , ", " "]))
}

/// A value of Content-Usage: a structured-field dictionary, or nearly one.
pub(super) fn usage_preference(rng: &mut Rng) -> String {
    const MEMBERS: &[&str] = &[
        "train-ai=n",
        "train-ai=n",
        "train-ai=y",
        "ai-use=n",
        "ai-use=y",
        "search=y",
        "search=n",
        "search",
        "train-ai",
        "train-ai=y;p=1",
        "train-ai;p=(1)",
        "ai-use=n;q=\"a,b\"",
        "bots=n",
        "search=\"y\"",
        "train-ai=(y n)",
        "train-ai=?1",
        "search=n;",
        "*x=1",
        "*",
        "Train-AI=n",
        "ai-use=yes",
        "search=:eQ==:",
        "train-ai=@1",
        "train-ai=1.5",
        "ai-use=%\"n\"",
        "",
    ];
    let members: Vec<_> = (0..=rng.small(3)).map(|_| rng.pick(MEMBERS)).collect();
    members.join(rng.pick(&[", ", ", ", ",", " ,\t", ", ", " ", ";"]))
}

/// A line that belongs to the file.
pub(super) fn of_the_file(rng: &mut Rng) -> String {
    match rng.below(14) {
        0..3 => format!(
            "TimeGate: {}",
            rng.pick(&["http://g.example/1/", "/gate/", "g.example/", "ftp://g.example/"])
        ),
        3..6 => format!("Archived: {}", archived(rng)),
        6 | 7 => format!("Clean-param: {}", clean_param(rng)),
        8 => format!("License: {}", license(rng)),
        9 | 10 => rng.pick(SILENT).to_owned(),
        11 => {
            let url = rng.pick(&[
                "http://h.example/s.xml",
                "HTTPS://h",
                "/s.xml",
                "ftp://h/s",
                "http:///s",
                "http://a b",
            ]);
            format!("Sitemap: {url}")
        }
        12 => {
            let host = rng.pick(&[
                "h.example",
                "https://h.example:8443",
                "h.example/",
                "h.example:99999",
                "[::1]:80",
                "[::1",
                "h:",
                "a b",
                "://h",
                "..",
            ]);
            format!("Host: {host}")
        }
        _ => rng.pick(&["Time-gate: /gate/", "unknown: x", "", "# c", "Crawl-delay: 1"]).to_owned(),
    }
}

/// Records that are recognised and have no effect.
const SILENT: &[&str] = &[
    "Schemamap: https://h.example/schema.xml",
    "schemamap: /",
    "LLM-Policy: https://h.example/llm",
    "Agentmap: /a",
    "TDM-Reservation: 1",
    "TDM-Policy: https://h.example/tdm.json",
    "tdm-reservation:",
];

/// A value of License: one URL or several, well formed or nearly so.
fn license(rng: &mut Rng) -> String {
    const URLS: &[&str] = &[
        "https://h.example/l.xml",
        "https://h.example/l.xml",
        "HTTP://h.example",
        "https://other.example/a?b=c,d",
        "/l.xml",
        "l",
        "https://",
        "",
    ];
    let urls: Vec<_> = (0..=rng.small(2)).map(|_| rng.pick(URLS)).collect();
    urls.join(rng.pick(&[" ", " ", ", ", ",", "\t"]))
}

fn archived(rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => format!(
            "{}{}",
            rng.pick(&["http://h.example", "HTTP://U@H.example:80", "http://h.exa*", "http://*.example"]),
            path(rng)
        ),
        1 => rng
            .pick(&[
                "http://h.example",
                "http://other.example*",
                "h.example/",
                "https://h.example/$",
                "http://*.",
                "http://*.example",
                "http://*ple$",
            ])
            .to_owned(),
        _ => pattern(rng),
    }
}

fn clean_param(rng: &mut Rng) -> String {
    let names = rng.pick(&["sid", "sid&ref", "a", "ref&", "&", "Ref"]);
    if rng.chance(50) { names.to_owned() } else { format!("{names} {}", pattern(rng)) }
}
