//! Changes to rules and URLs, built from the patterns that are expensive to match: segments, stars, ladders, periods,
//! prefixes.

use fastrand::Rng;
use robomata_testkit::hostile::URL;

use super::Specimen;

/// The letters of most specimens: few of them, so that much matches.
const LETTERS: &[u8] = b"aaaabbbc~eX0";

/// A way to change a specimen, with its name.
type Change = (&'static str, fn(&mut Specimen, &Specimen, usize, &mut Rng));

const CHANGES: [Change; 20] = [
    ("remove rules", remove_rules),
    ("double rules", double_rules),
    ("cross rules", cross_rules),
    ("edit a rule", edit_rule),
    ("ladder", ladder),
    ("numbers appended", numbers),
    ("letters appended", letters),
    ("segment after all", append_segment),
    ("segment before all", segment_before),
    ("end all", end_all),
    ("anchor all", anchor_all),
    ("prefixes of the URL", prefixes),
    ("period", period),
    ("pieces of the URL", pieces),
    ("all words", words),
    ("stars between", stars_between),
    ("random stars", random_stars),
    ("few", few),
    ("URL of pieces", url_of_pieces),
    ("edit the URL", edit_url),
];

/// Applies one random change to `specimen`; `other` may contribute material.
pub(super) fn change(specimen: &mut Specimen, other: &Specimen, file: usize, random: &mut Rng) {
    let (name, change) = CHANGES[random.usize(..CHANGES.len())];
    change(specimen, other, file, random);
    specimen.name = name.to_owned();
}

/// Trims `specimen` to the size limit, and makes every pattern able to match and the URL a path.
pub(super) fn fit(specimen: &mut Specimen, file: usize) {
    let mut room = file;
    specimen.patterns.retain_mut(|pattern| {
        pattern.retain(|byte| !b"\n\r#% \t".contains(byte));
        if !matches!(pattern.first(), Some(b'/' | b'*')) {
            pattern.insert(0, b'*');
        }
        pattern.truncate(file / 4);
        let bytes = pattern.len() + "Disallow: \n".len();
        let is_in = bytes <= room;
        room -= if is_in { bytes } else { 0 };
        is_in
    });
    specimen.url.retain(|byte| byte.is_ascii_graphic() && !b"#%".contains(byte));
    if specimen.url.first() != Some(&b'/') {
        specimen.url.insert(0, b'/');
    }
    specimen.url.truncate(URL);
}

fn letter(random: &mut Rng) -> u8 {
    LETTERS[random.usize(..LETTERS.len())]
}

/// A short random word of the usual letters, or of one letter repeated.
fn word(random: &mut Rng) -> Vec<u8> {
    let most = 1 << random.usize(1..6);
    let length = 1 + random.usize(..most);
    if random.bool() { vec![letter(random); length] } else { (0..length).map(|_| letter(random)).collect() }
}

/// A random contiguous range of items; empty if `length` is 0.
fn range(length: usize, random: &mut Rng) -> std::ops::Range<usize> {
    if length == 0 {
        return 0..0;
    }
    let start = random.usize(..length);
    start..start + 1 + random.usize(..length - start)
}

fn any_pattern(specimen: &Specimen, random: &mut Rng) -> Vec<u8> {
    match specimen.patterns.len() {
        0 => b"*a".to_vec(),
        count => specimen.patterns[random.usize(..count)].clone(),
    }
}

fn remove_rules(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let range = range(specimen.patterns.len(), random);
    if range.len() < specimen.patterns.len() {
        specimen.patterns.drain(range);
    }
}

fn double_rules(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let tail = word(random);
    let copies: Vec<Vec<u8>> = specimen.patterns[range(specimen.patterns.len(), random)]
        .iter()
        .map(|p| [&p[..], &tail].concat())
        .collect();
    specimen.patterns.extend(copies);
}

fn cross_rules(specimen: &mut Specimen, other: &Specimen, _: usize, random: &mut Rng) {
    specimen.patterns.truncate(specimen.patterns.len() / 2 + 1);
    specimen.patterns.extend_from_slice(&other.patterns[range(other.patterns.len(), random)]);
    if random.bool() {
        specimen.url.truncate(URL / 2);
        specimen.url.extend_from_slice(&other.url[range(other.url.len(), random)]);
    }
}

fn edit_rule(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let count = specimen.patterns.len();
    for _ in 0..random.usize(1..8).min(count) {
        let pattern = &mut specimen.patterns[random.usize(..count)];
        let range = range(pattern.len(), random);
        let piece = if random.bool() { word(random) } else { [b"*", &word(random)[..]].concat() };
        pattern.splice(range.start..range.end.min(range.start + random.usize(..4)), piece);
    }
}

/// One pattern with its last segment in all lengths.
fn ladder(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let pattern = any_pattern(specimen, random);
    let tail = if random.bool() { Vec::new() } else { [b"*", &word(random)[..]].concat() };
    let piece = word(random);
    let mut rung = pattern[..pattern.len().min(64)].to_vec();
    let mut bytes = 0;
    let most = file >> random.usize(..4);
    let mut ladder = Vec::new();
    while bytes < most && rung.len() < URL {
        rung.extend_from_slice(&piece);
        bytes += rung.len() + tail.len() + 11;
        ladder.push([&rung[..], &tail].concat());
    }
    replace(specimen, ladder, random);
}

/// Adds new rules after or before the old ones, or replaces them.
fn replace(specimen: &mut Specimen, mut rules: Vec<Vec<u8>>, random: &mut Rng) {
    match random.u8(..4) {
        0 => specimen.patterns.extend(rules),
        1 => {
            rules.append(&mut specimen.patterns);
            specimen.patterns = rules;
        }
        _ => specimen.patterns = rules,
    }
}

fn numbers(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let pattern = any_pattern(specimen, random);
    let count = file / (pattern.len() + 15) + 1;
    let rules = (0..count).map(|n| [&pattern[..], n.to_string().as_bytes()].concat()).collect();
    replace(specimen, rules, random);
}

/// One pattern followed by every pair of visible bytes.
fn letters(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let mut pattern = any_pattern(specimen, random);
    pattern.truncate(random.usize(1..40));
    let count = (file / (pattern.len() + 14)).min(90 * 90);
    let byte = |n: usize| b'!' + u8::try_from(n % 90).unwrap_or(0);
    let rules = (0..count).map(|n| [&pattern[..], b"*", &[byte(n), byte(n / 90)]].concat()).collect();
    replace(specimen, rules, random);
}

fn append_segment(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let tail = word(random);
    for pattern in &mut specimen.patterns {
        pattern.push(b'*');
        pattern.extend_from_slice(&tail);
    }
}

fn segment_before(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let head = word(random);
    for pattern in &mut specimen.patterns {
        pattern.splice(..0, [b"*", &head[..], b"*"].concat());
    }
}

fn end_all(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let every = random.usize(1..4);
    specimen.patterns.iter_mut().step_by(every).for_each(|pattern| pattern.push(b'$'));
}

fn anchor_all(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let head = &specimen.url[..1 + random.usize(..specimen.url.len().min(40))];
    for pattern in &mut specimen.patterns {
        pattern.splice(..0, [head, b"*"].concat());
    }
}

/// Prefixes of the URL of all lengths, each followed by an unanchored segment.
fn prefixes(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let tail = [b"*", &word(random)[..]].concat();
    let most = specimen.url.len().min((2 * file).isqrt());
    let rules = (1..=most).map(|length| [&specimen.url[..length], &tail].concat()).collect();
    replace(specimen, rules, random);
}

/// For words of all lengths: the word with a star, repeated.
fn period(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let piece = word(random);
    let most = 1 << random.usize(3..12);
    let mut bytes = 0;
    let mut rules = Vec::new();
    let mut word = Vec::new();
    while bytes < file {
        word.extend_from_slice(&piece);
        let times = (most / (word.len() + 1)).max(1);
        rules.push([&b"*"[..], &word].concat().repeat(times));
        bytes += times * (word.len() + 1) + 11;
    }
    replace(specimen, rules, random);
}

/// Pieces of the URL as segments.
fn pieces(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let longest = 1 << random.usize(1..8);
    let stars = random.usize(1..4);
    let (mut bytes, mut rules) = (0, Vec::new());
    while bytes < file {
        let mut pattern = Vec::new();
        for _ in 0..stars {
            let start = random.usize(..specimen.url.len());
            let end = (start + 1 + random.usize(..longest)).min(specimen.url.len());
            pattern.push(b'*');
            pattern.extend_from_slice(&specimen.url[start..end]);
        }
        bytes += pattern.len() + 11;
        rules.push(pattern);
    }
    replace(specimen, rules, random);
}

/// All words of one length over two letters, with text before and after.
fn words(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let length = random.u32(2..15);
    let (a, b) = (letter(random), letter(random));
    let mut before = any_pattern(specimen, random);
    before.truncate(random.usize(..8));
    let after = if random.bool() { b"*".to_vec() } else { Vec::new() };
    let count = (1usize << length).min(file / (length as usize + 12));
    let bytes = |n: usize| (0..length).map(move |bit| if n >> bit & 1 == 0 { a } else { b });
    let rules = (0..count)
        .map(|n| before.iter().copied().chain(*b"*").chain(bytes(n)).chain(after.iter().copied()).collect())
        .map(|pattern: Vec<u8>| if after.is_empty() { pattern } else { [&pattern[..], b"X"].concat() })
        .collect();
    replace(specimen, rules, random);
}

fn stars_between(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let every = random.usize(1..5);
    for pattern in &mut specimen.patterns {
        let starred: Vec<u8> = pattern.chunks(every).flat_map(|piece| [b"*", piece].concat()).collect();
        *pattern = starred;
    }
}

/// Rules of very many short segments.
fn random_stars(specimen: &mut Specimen, _: &Specimen, file: usize, random: &mut Rng) {
    let length = 1 << random.usize(4..12);
    let two = [letter(random), letter(random)];
    let count = (file / (2 * length + 11)).clamp(1, 1000);
    let rules = (0..count)
        .map(|_| (0..length).flat_map(|_| [b'*', two[random.usize(..2)]]).chain(*b"*X").collect())
        .collect();
    replace(specimen, rules, random);
}

/// As many patterns, and as large, as a pattern list takes.
fn few(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let two = [letter(random), letter(random)];
    let often = random.usize(2..12);
    let segments = random.usize(1..9);
    specimen.patterns.clear();
    for _ in 0..48 {
        let mut pattern = Vec::new();
        for _ in 0..segments {
            pattern.push(b'*');
            pattern.extend((0..32).map(|_| two[usize::from(random.usize(..often) == 0)]));
        }
        specimen.patterns.push(pattern);
    }
}

/// The URL filled with words, or with pieces of the patterns.
fn url_of_pieces(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    let mut period = Vec::new();
    let count = 1 << random.usize(..5);
    for _ in 0..count {
        if random.bool() {
            period.extend(word(random));
        } else {
            let pattern = any_pattern(specimen, random);
            let pieces: Vec<&[u8]> = pattern.split(|byte| b"*$".contains(byte)).collect();
            period.extend_from_slice(pieces[random.usize(..pieces.len())]);
        }
    }
    let kept = if random.bool() { random.usize(..specimen.url.len()) } else { 1 };
    specimen.url.truncate(kept);
    specimen.url.extend(period.into_iter().cycle().take(URL));
}

fn edit_url(specimen: &mut Specimen, _: &Specimen, _: usize, random: &mut Rng) {
    for _ in 0..random.usize(1..8) {
        let range = range(specimen.url.len(), random);
        match random.u8(..3) {
            0 => specimen.url[range.start] = letter(random),
            1 => {
                let copied = specimen.url[range.clone()].to_vec();
                specimen.url.splice(range.end..range.end, copied);
            }
            _ => {
                let end = range.end.min(range.start + random.usize(..20));
                specimen.url.splice(range.start..end, word(random));
            }
        }
        specimen.url.truncate(URL);
    }
}
