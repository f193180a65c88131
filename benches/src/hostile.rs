//! Files made to hurt, and URLs that may hurt most with them.
//!
//! Each family is a file of about 500 KB, in which everything that the family is about is as large as that allows, and
//! some candidates for its worst URL, of 2 KB each.

use std::str::FromStr;

use anyhow::{Context, Result, bail};

use crate::corpus::Corpus;
use crate::random::Random;

/// Octets of a file, and of a URL's path.
const FILE: usize = 500_000;
const URL: usize = 2_000;

/// A family, and how many octets its file may have.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    pub(crate) family: Family,
    octets: usize,
}

/// What hurts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `/*a*b*N`, 27,000 times: all wait for the same segments.
    SharedStars,
    /// 31 rules of 16 KB of stars.
    StarRuns,
    /// One rule, `/` + thirty `*a` + `*b`: what backtracks takes for ever.
    ThirtyStars,
    /// `/*a…a*X` with a's of all lengths, 984 times: all of them end in every place of a URL of a's.
    Nested,
    /// 27,000 literals with one head.
    OneHead,
    /// All words of one length over two letters, floating: every place of the right URL ends one.
    DeBruijn,
    /// Every rule ends in `$`.
    Ends,
    /// All rules one octet apart.
    OneOctetApart,
    /// 48 floating patterns of 32 octets whose rarest octet fills the URL: no octet to look for helps.
    RareOctets,
}

const NAMES: [(&str, Family); 9] = [
    ("shared-stars", Family::SharedStars),
    ("star-runs", Family::StarRuns),
    ("thirty-stars", Family::ThirtyStars),
    ("nested", Family::Nested),
    ("one-head", Family::OneHead),
    ("de-bruijn", Family::DeBruijn),
    ("ends", Family::Ends),
    ("one-octet-apart", Family::OneOctetApart),
    ("rare-octets", Family::RareOctets),
];

/// `hostile:FAMILY`, or `hostile:FAMILY:OCTETS` for a smaller file.
impl FromStr for Hostile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some(rest) = text.strip_prefix("hostile:") else { bail!("'{text}': expected hostile:FAMILY") };
        let (name, octets) = rest.split_once(':').unwrap_or((rest, ""));
        let family =
            NAMES.iter().find(|(known, _)| *known == name).with_context(|| format!("no family '{name}'"))?;
        let octets = if octets.is_empty() { FILE } else { octets.parse()? };
        Ok(Hostile { family: family.1, octets })
    }
}

impl Hostile {
    /// The file, and the candidates as URLs of its one site.
    pub(crate) fn corpus(&self) -> Corpus {
        let patterns = self.patterns();
        let mut file = b"User-agent: *\n".to_vec();
        for pattern in &patterns {
            file.extend_from_slice(b"Disallow: ");
            file.extend_from_slice(pattern.as_bytes());
            file.push(b'\n');
        }
        let url = |(_, path): (String, String)| format!("https://hostile.example{path}");
        Corpus::of_one_site(file, candidates(&patterns).into_iter().map(url).collect())
    }

    /// What the candidates are called, in their order.
    pub(crate) fn candidate_names(&self) -> Vec<String> {
        candidates(&self.patterns()).into_iter().map(|(name, _)| name).collect()
    }

    /// As many of the family's patterns as fit.
    fn patterns(&self) -> Vec<String> {
        let mut room = self.octets;
        let fits = |pattern: &String| {
            let octets = pattern.len() + "Disallow: \n".len();
            let is_in = octets <= room;
            room = room.saturating_sub(octets);
            is_in
        };
        family(self.family).take_while(fits).collect()
    }
}

/// The patterns of a family, as many as there are.
fn family(family: Family) -> Box<dyn Iterator<Item = String>> {
    match family {
        Family::SharedStars => Box::new((0..27_000).map(|n| format!("/*a*b*{n}"))),
        Family::StarRuns => Box::new((0..31).map(|n| format!("/{}x{n}", "*".repeat(16_000)))),
        Family::ThirtyStars => Box::new(std::iter::once(format!("/{}*b", "*a".repeat(30)))),
        Family::Nested => Box::new((1..=984).map(|n| format!("/*{}*X", "a".repeat(n)))),
        Family::OneHead => Box::new((0..27_000).map(|n| format!("/head/{n:05}"))),
        Family::DeBruijn => Box::new((0..1 << WORD).map(|n| format!("/*{}", word(n)))),
        Family::Ends => Box::new((0..27_000).map(|n| match n % 3 {
            0 => format!("/*a{n}$"),
            1 => format!("/a{n}$"),
            _ => format!("/*{n}*a$"),
        })),
        Family::OneOctetApart => Box::new((0..4_000).map(one_octet_apart)),
        Family::RareOctets => Box::new(rare_octets().into_iter()),
    }
}

/// Letters of a word of the de Bruijn family.
const WORD: u32 = 14;

fn word(number: u32) -> String {
    (0..WORD).rev().map(|bit| if number >> bit & 1 == 0 { 'a' } else { 'b' }).collect()
}

/// 200 a's, one of them another letter.
fn one_octet_apart(number: usize) -> String {
    let mut octets = [b'a'; 200];
    let letter = u8::try_from(number / octets.len() % 20).expect("twenty letters");
    octets[number % octets.len()] = b'b' + letter;
    format!("/{}", octets.map(char::from).iter().collect::<String>())
}

/// Words of common letters with one `~`, at another place each.
fn rare_octets() -> Vec<String> {
    let mut random = Random::new(48);
    let mut word = |place: usize| -> String {
        let letter = |at| if at == place { '~' } else { char::from(b"etaoinsr/-"[random.below(10)]) };
        (0..32).map(letter).collect()
    };
    (0..48).map(|n| format!("/*{}", word(n % 32))).collect()
}

/// Candidates for the worst URL, each with its name: octets that the family's patterns are made of, in many orders.
fn candidates(patterns: &[String]) -> Vec<(String, String)> {
    let mut candidates: Vec<(String, String)> =
        ["a", "b", "ab", "aab", "aX", "~", "0123456789", "/", "*"].map(|text| filled(text, text)).into();
    candidates.push(filled("all words of a and b", &de_bruijn(11)));
    let middle = patterns.len() / 2;
    for (which, pattern) in [("first", 0), ("middle", middle), ("last", patterns.len() - 1)] {
        let literal = patterns[pattern].replace(['*', '$'], "");
        candidates.push(filled(&format!("the {which} pattern"), &literal));
        let almost = &literal[..literal.len() - 1];
        candidates.push(filled(&format!("the {which} pattern but for its last octet"), almost));
    }
    let numbers: String = (0..600).map(|n| format!("a{n}b")).collect();
    candidates.push(filled("numbers among letters", &numbers));
    candidates
}

/// A path that is `text` again and again.
fn filled(name: &str, text: &str) -> (String, String) {
    let text = if text.is_empty() { "a" } else { text };
    let path: String = std::iter::once('/').chain(text.chars().cycle()).take(URL).collect();
    (name.to_owned(), path)
}

/// A text of a's and b's that holds every word of `length` letters once: each bit is the sum of two earlier ones, in a
/// register that goes through all its states (x^11 + x^2 + 1).
fn de_bruijn(length: u32) -> String {
    let mut register = 1u32;
    let bits = (0..(1u32 << length) - 1).map(|_| {
        let bit = (register ^ register >> 2) & 1;
        register = register >> 1 | bit << (length - 1);
        if bit == 0 { 'a' } else { 'b' }
    });
    bits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_as_large_as_they_may_be() {
        for (name, family) in NAMES {
            let hostile: Hostile = format!("hostile:{name}").parse().unwrap();
            let corpus = hostile.corpus();
            let octets = corpus.body_octets();
            assert!(octets <= FILE + 20, "{name}: {octets}");
            let is_small = matches!(family, Family::ThirtyStars | Family::RareOctets);
            assert!(is_small || octets > 400_000, "{name}: {octets}");
            assert_eq!(corpus.questions.len(), hostile.candidate_names().len(), "{name}");
        }
        let smaller: Hostile = "hostile:nested:9000".parse().unwrap();
        assert!(smaller.corpus().body_octets() < 9_100);
    }

    #[test]
    fn every_word_occurs() {
        let text = de_bruijn(11);
        let words: std::collections::HashSet<&str> =
            (0..=text.len() - 11).map(|at| &text[at..at + 11]).collect();
        assert_eq!(words.len(), text.len() - 10);
    }
}
