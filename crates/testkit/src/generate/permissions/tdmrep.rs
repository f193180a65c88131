//! Files of TDMRep, mostly well formed.

use super::line;
use crate::generate::Rng;

/// Texts that must occur in files: constructs of rows T.
#[cfg(test)]
pub(super) const CONSTRUCTS: &[&str] = &[
    "[]",
    "{\"location\":\"/",
    "\"location\": \"*",
    "\"location\": null",
    "\"tdm-reservation\":1",
    "\"tdm-reservation\": 0",
    "\"tdm-reservation\":\"1\"",
    "\"tdm-reservation\":1.0",
    "\"tdm-reservation\":1e0",
    "\"tdm-reservation\": 0.0",
    "\"tdm-reservation\":10e-1",
    "\"location\":\"a",
    "\"location\":\"$",
    "\"location\":\"http://",
    "\"tdm-reservation\":true",
    "\"tdm-reservation\":null",
    "\"tdm-reservation\":2",
    "\"tdm-policy\":\"https://",
    "\"tdm-policy\": \"/",
    "\\u002F",
    "\\ud83d\"",
    "1e999",
    "\u{feff}[",
    "\"x\":[[",
    "},\n{",
];

/// A file about paths near those of `robots`.
pub(super) fn file(rng: &mut Rng, robots: &[u8]) -> Vec<u8> {
    let separator = rng.pick(&[",", ",", ",\n", ",\n", ", ", ",,", " "]);
    let rules: Vec<String> = (0..rng.small(4)).map(|_| rule(rng, robots)).collect();
    let text = rules.join(separator);
    match rng.below(30) {
        0 => text.into_bytes(),
        1 => format!("\u{feff}[{text}]").into_bytes(),
        2 => format!("[{text}").into_bytes(),
        3 => format!("{{\"rules\":[{text}]}}").into_bytes(),
        4 => [b"[", text.as_bytes(), b"]\xff"].concat(),
        5 => format!("[{text}] x").into_bytes(),
        6 => {
            let depth = 120 + rng.below(10);
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            format!("[{{\"x\":{open}{close}}},{text}]").into_bytes()
        }
        _ => format!("[{text}]").into_bytes(),
    }
}

fn rule(rng: &mut Rng, robots: &[u8]) -> String {
    if rng.chance(5) {
        return rng.pick(&["1", "null", "\"/\"", "[]", "{}", "[[1],{\"a\":2}]"]).to_owned();
    }
    let colon = rng.pick(&[":", ": "]);
    let mut members = Vec::new();
    for _ in 0..=usize::from(rng.chance(5)) {
        if rng.chance(97) {
            members.push(format!("\"location\"{colon}{}", location(rng, robots)));
        }
    }
    for _ in 0..=usize::from(rng.chance(5)) {
        if rng.chance(97) {
            let reservation = rng.pick(&[
                "1", "1", "1", "1", "1", "1", "0", "0", "0", "0", "2", "\"1\"", "true", "1.0", "1e0",
                "10e-1", "0.0", "-0", "0E7", "1.5", "1e1", "1e999", "null",
            ]);
            members.push(format!("\"tdm-reservation\"{colon}{reservation}"));
        }
    }
    if rng.chance(40) {
        let policy = rng.pick(&[
            "\"https://h.example/tdm.json\"",
            "\"https://h.example/file.json\"",
            "\"HTTP:\\/\\/h.example\\u002Fp\"",
            "\"/tdm.json\"",
            "\"\"",
            "1",
            "[\"https://h.example/\"]",
        ]);
        members.push(format!("\"tdm-policy\"{colon}{policy}"));
    }
    if rng.chance(10) {
        members.push(
            rng.pick(&["\"x\":[[1],{}]", "\"Location\":\"/\"", "\"x\":\"\\ud83d\"", "\"\":null"]).to_owned(),
        );
    }
    if rng.chance(30) {
        members.reverse();
    }
    format!("{{{}}}", members.join(","))
}

/// A pattern, often one of the robots.txt, as JSON.
fn location(rng: &mut Rng, robots: &[u8]) -> String {
    if rng.chance(10) {
        return rng
            .pick(&[
                "1",
                "null",
                "null",
                "\"\"",
                "[\"/\"]",
                "\"\\u002F\"",
                "\"\\/a\"",
                "\"a\"",
                "\"a*\"",
                "\" /\"",
                "\"$\"",
                "\"%2Fa\"",
                "\"http://h.example/\"",
            ])
            .to_owned();
    }
    let words: Vec<&str> = robots
        .split(u8::is_ascii_whitespace)
        .filter(|word| word.starts_with(b"/") || word.starts_with(b"*"))
        .filter_map(|word| std::str::from_utf8(word).ok())
        .filter(|word| !word.contains(['"', '\\']) && !word.contains(char::is_control))
        .collect();
    let pattern = match words.len() {
        count if count > 0 && rng.chance(60) => words[rng.below(count)].to_owned(),
        _ => line::pattern(rng),
    };
    format!("\"{pattern}\"")
}
