//! Robots files: structured, damaged, or noise.

use super::{ATOMS, CUT_ESCAPES, IN_NO_URI, RESERVED, Rng};

/// Names as found in files; some of them violate the grammar.
const NAMES: &[&[u8]] = &[
    b"*",
    b"*",
    b"*",
    b"*",
    b"*",
    b"*",
    b"FooBot",
    b"FooBot",
    b"FooBot",
    b"FooBot",
    b"BarBot",
    b"*",
    b"*",
    b"*",
    b"FooBot",
    b"FooBot",
    b"foobot",
    b"Foo",
    b"BarBot",
    b"BarBot",
    b"MJ12bot",
    b"MJ",
    b"AI2Bot",
    b"Foo-Bot_x",
    b"FooBot/2.1",
    b"FooBot Images",
    b"foo.bot",
    b"FooBot*",
    b"FooBot, BarBot",
    b"* x",
    b"*/2",
    b"Foo+Bot!",
    b"Foo,Bot",
    b"*\tx",
    b"*x",
    b"**",
    b"",
    b"1",
    b"\xC3\xBCbot",
    b"a",
    b"A",
];

const USER_AGENT: &[&[u8]] = &[
    b"User-agent",
    b"User-agent",
    b"User-agent",
    b"User-Agent",
    b"user-agent",
    b"USER-AGENT",
    b"Useragent",
    b"user agent",
    b"User-agents",
    b"User_agent",
    b"\xEF\xBB\xBFUser-agent",
];

const RULE: &[&[u8]] = &[
    b"Disallow",
    b"Disallow",
    b"Disallow",
    b"Disallow",
    b"disallow",
    b"DISALLOW",
    b"Allow",
    b"Allow",
    b"Allow",
    b"Allow",
    b"allow",
    b"ALLOW",
    b"Dissallow",
    b"Dissalow",
    b"Disalow",
    b"Diasllow",
    b"Disallaw",
    b"Disallowed",
    b"Allowed",
    b"Alow",
    b"Dis allow",
    b"Disallow\xC2\xA0",
];

const SEPARATOR: &[&[u8]] = &[
    b": ", b": ", b": ", b": ", b": ", b": ", b":", b":", b" : ", b"\t:\t", b":  ", b" ", b"\t", b"::",
    b": \x0B", b"", b" :", b"=",
];

const OTHER: &[&[u8]] = &[
    b"Sitemap: http://h/s.xml",
    b"site-map: /s",
    b"Crawl-delay: 5",
    b"crawl delay 5",
    b"Request-rate: 1/5",
    b"Visit-time: 0600-0845",
    b"Host: h",
    b"Clean-param: a /b",
    b"Noindex: /a",
    b"Unknown: /a",
    b"no colon here",
    b":",
    b": /a",
    b"# comment",
    b"#",
    b"",
    b"",
    b"",
    b" ",
    b"\t",
    b"/a",
    b"<html>",
    b"\0",
    b"\x0C",
    b"Disallow",
    b"User-agent",
];

const TAIL: &[&[u8]] =
    &[b" ", b"\t ", b" # c", b"#c", b"\0", b"\0x", b"\x0B", b"\xC2\xA0", b" x", b"\xE2\x80\xA8", b"$"];

/// A robots.txt.
pub(super) fn robots(rng: &mut Rng) -> Vec<u8> {
    let file = match rng.below(100) {
        0..3 => noise(rng),
        3..10 => {
            let whole = structured(rng);
            mutated(rng, &whole)
        }
        _ => structured(rng),
    };
    match rng.below(100) {
        0..3 => [b"\xEF\xBB\xBF", file.as_slice()].concat(),
        3 => [b"\xEF\xBB", file.as_slice()].concat(),
        4 => [b"\xEF", file.as_slice()].concat(),
        5 => [b"\xEF\xBB\xBF\xEF\xBB\xBF", file.as_slice()].concat(),
        6..8 => utf16(rng, &file),
        _ => file,
    }
}

/// Any bytes; those common in robots files are more frequent.
fn noise(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..rng.small(120) {
        match rng.below(6) {
            0 => bytes.push(rng.byte()),
            1 => bytes.extend_from_slice(rng.pick(ATOMS)),
            2 => bytes.extend_from_slice(rng.pick(RULE)),
            3 => bytes.extend_from_slice(rng.pick(&[b"\n".as_slice(), b"\r", b"\r\n", b"\0", b" ", b"\t"])),
            4 => bytes.extend_from_slice(rng.pick(SEPARATOR)),
            _ => bytes.extend_from_slice(rng.pick(USER_AGENT)),
        }
    }
    bytes
}

/// The file in UTF-16 with a byte order mark, sometimes with half a character at the end.
fn utf16(rng: &mut Rng, file: &[u8]) -> Vec<u8> {
    let big = rng.chance(50);
    let mut bytes = if big { vec![0xFE, 0xFF] } else { vec![0xFF, 0xFE] };
    for unit in String::from_utf8_lossy(file).encode_utf16() {
        bytes.extend(if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
    }
    if rng.chance(20) {
        bytes.push(rng.byte());
    }
    bytes
}

/// The line ends of a file.
#[derive(Clone, Copy)]
enum Ends {
    Same(&'static [u8]),
    Mixed,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    ends: Ends,
    file: Vec<u8>,
}

fn structured(rng: &mut Rng) -> Vec<u8> {
    let ends = match rng.below(20) {
        0..13 => Ends::Same(b"\n"),
        13..16 => Ends::Same(b"\r\n"),
        16 => Ends::Same(b"\r"),
        _ => Ends::Mixed,
    };
    let mut writer = Writer { rng, ends, file: Vec::new() };
    writer.groups();
    writer.file
}

/// Groups that share names, so that the rules of all crawlers together are several times as large as the file; as text
/// of any encoding.
pub(super) fn tangled(rng: &mut Rng) -> Vec<u8> {
    let mut writer = Writer { rng, ends: Ends::Same(b"\n"), file: Vec::new() };
    writer.tangled_groups();
    let file = writer.file;
    if rng.chance(10) { utf16(rng, &file) } else { file }
}

/// A group whose rules are about as long as the line limit of one dialect.
pub(super) fn long_lined(rng: &mut Rng) -> Vec<u8> {
    let mut writer = Writer { rng, ends: Ends::Same(b"\n"), file: Vec::new() };
    writer.agent_called(b"*");
    for _ in 0..=writer.rng.below(2) {
        let mut pattern = b"/".to_vec();
        lengthen(writer.rng, &mut pattern);
        let line = writer.record(RULE, &pattern);
        writer.line(line);
    }
    writer.file
}

/// One or two groups with many patterns that have stars.
pub(super) fn crowded(rng: &mut Rng) -> Vec<u8> {
    let mut writer = Writer { rng, ends: Ends::Same(b"\n"), file: Vec::new() };
    writer.crowded_groups();
    writer.file
}

impl Writer<'_> {
    fn crowded_groups(&mut self) {
        for _ in 0..=self.rng.below(2) {
            self.agent();
            for _ in 0..100 + self.rng.below(100) {
                let mut pattern = pattern(self.rng);
                if pattern.len() > 1 && self.rng.chance(80) {
                    let place = 1 + self.rng.below(pattern.len() - 1);
                    pattern.insert(place, b'*');
                }
                let line = self.record(RULE, &pattern);
                self.line(line);
            }
        }
    }

    /// A large group of many names, each of which has more groups.
    fn tangled_groups(&mut self) {
        const LARGE: usize = 1_200;
        let names: Vec<String> =
            ('a'..='z').take(12 + self.rng.below(5)).map(|c| format!("Bot-{c}")).collect();
        let large = self.rng.below(2 * names.len());
        for place in 0..2 * names.len() {
            if place == large {
                names.iter().for_each(|name| self.agent_called(name.as_bytes()));
                let end = self.file.len() + LARGE;
                while self.file.len() < end {
                    self.rule();
                }
                self.blank_line(50);
            }
            self.agent_called(names[place % names.len()].as_bytes());
            if self.rng.chance(30) {
                let other = self.rng.below(names.len());
                self.agent_called(names[other].as_bytes());
            }
            if self.rng.chance(5) {
                self.agent_called(b"*");
            }
            for _ in 0..self.rng.below(3) {
                self.rule();
            }
            self.blank_line(50);
        }
    }

    fn groups(&mut self) {
        let (groups, rules) = if self.rng.chance(3) { (9, 40) } else { (2, 4) };
        if self.rng.chance(10) {
            self.rule();
        }
        for _ in 0..=self.rng.small(groups) {
            for _ in 0..=self.rng.small(2) {
                self.agent();
                self.interlude(8);
                self.blank_line(2);
            }
            for _ in 0..self.rng.below(rules + 1) {
                self.rule();
                self.interlude(8);
                self.blank_line(4);
            }
            self.interlude(30);
            self.blank_line(50);
        }
        if self.rng.chance(15) {
            self.drop_last_end();
        }
    }

    /// With `percent` probability, a line that is neither a rule nor a user-agent line.
    fn interlude(&mut self, percent: usize) {
        if self.rng.chance(percent) {
            let line = self.rng.pick(OTHER).to_vec();
            self.line(line);
        }
    }

    /// With `percent` probability, a line that some dialects read as the end of a group.
    fn blank_line(&mut self, percent: usize) {
        if self.rng.chance(percent) {
            let line = self.rng.pick(&[b"".as_slice(), b"", b"", b"", b" ", b"\t ", b" #", b"\x0B"]).to_vec();
            self.line(line);
        }
    }

    fn agent(&mut self) {
        let name = self.rng.pick(NAMES);
        self.agent_called(name);
    }

    fn agent_called(&mut self, name: &[u8]) {
        let line = self.record(USER_AGENT, name);
        self.line(line);
    }

    fn rule(&mut self) {
        let pattern = pattern(self.rng);
        let line = self.record(RULE, &pattern);
        self.line(line);
    }

    /// Key, separator and value. The first keys and separators of the lists are correct, and more likely.
    fn record(&mut self, keys: &[&[u8]], value: &[u8]) -> Vec<u8> {
        let odd = self.rng.chance(20);
        let (keys, separators) =
            if odd { (keys, SEPARATOR) } else { (&keys[..keys.len() / 2], &SEPARATOR[..7]) };
        let mut line = if self.rng.chance(5) { b" \t".to_vec() } else { Vec::new() };
        let mut key = self.rng.pick(keys).to_vec();
        if self.rng.chance(4) {
            self.rng.flip_case(&mut key);
        }
        line.extend(key);
        line.extend_from_slice(self.rng.pick(separators));
        line.extend_from_slice(value);
        if self.rng.chance(8) {
            line.extend_from_slice(self.rng.pick(TAIL));
        }
        line
    }

    fn line(&mut self, line: Vec<u8>) {
        self.file.extend(line);
        let end = match self.ends {
            Ends::Same(end) => end,
            Ends::Mixed => self.rng.pick(&[b"\n".as_slice(), b"\r", b"\r\n", b"\n\r", b"\n\n"]),
        };
        self.file.extend_from_slice(end);
    }

    fn drop_last_end(&mut self) {
        while matches!(self.file.last(), Some(b'\n' | b'\r')) {
            self.file.pop();
        }
    }
}

/// A path pattern, mostly of a few atoms.
fn pattern(rng: &mut Rng) -> Vec<u8> {
    let mut pattern = match rng.below(100) {
        0..6 => return Vec::new(),
        6..9 => {
            return rng
                .pick(&[b"/".as_slice(), b"*", b"/*", b"$", b"/$", b"*$", b"/robots.txt", b"/*/"])
                .to_vec();
        }
        9..21 => b"*".to_vec(),
        21..27 => Vec::new(),
        _ => b"/".to_vec(),
    };
    for _ in 0..rng.small(7) {
        match rng.below(8) {
            0 => pattern.extend_from_slice(rng.pick(&[b"*".as_slice(), b"*", b"*", b"**", b"$", b"*a*"])),
            1..4 => pattern.extend_from_slice(rng.pick(&ATOMS[..9])),
            4 if rng.chance(30) => pattern.extend_from_slice(rng.pick(IN_NO_URI)),
            4 => pattern.extend_from_slice(rng.pick(RESERVED)),
            _ => pattern.extend_from_slice(rng.pick(ATOMS)),
        }
    }
    if rng.chance(8) {
        pattern.extend_from_slice(rng.pick(CUT_ESCAPES));
    }
    if rng.chance(1) && rng.chance(15) {
        lengthen(rng, &mut pattern);
    }
    if rng.chance(18) {
        pattern.push(b'$');
    }
    pattern
}

/// Makes a pattern longer than the line limit of one dialect, so that the cut falls into the pattern.
fn lengthen(rng: &mut Rng, pattern: &mut Vec<u8>) {
    let unit = rng.pick(&[b"a".as_slice(), b"ab", b"%41", b"*a", b"/"]);
    pattern.extend(unit.repeat((16_600 + rng.below(100)) / unit.len()));
}

/// `real` with one to four small changes.
pub(super) fn mutated(rng: &mut Rng, real: &[u8]) -> Vec<u8> {
    let mut bytes = real.to_vec();
    for _ in 0..=rng.below(4) {
        match rng.below(9) {
            0 => flip(rng, &mut bytes),
            1 => drop(bytes.drain(rng.range(bytes.len(), 8))),
            2 => insert(rng, &mut bytes),
            3 => move_line(rng, &mut bytes, Keep::Both),
            4 => move_line(rng, &mut bytes, Keep::Moved),
            5 => insert_line(rng, &mut bytes),
            6 => change_end(rng, &mut bytes),
            7 => change_special(rng, &mut bytes),
            _ if rng.chance(20) => bytes.truncate(rng.below(bytes.len() + 1)),
            _ => flip(rng, &mut bytes),
        }
    }
    bytes
}

/// Runs of lines of both files, in turn. Lines may repeat and are in any order.
pub(super) fn crossed(rng: &mut Rng, one: &[u8], other: &[u8]) -> Vec<u8> {
    let lines = |file: &[u8]| -> Vec<Vec<u8>> {
        file.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let files = [lines(one), lines(other)];
    let mut bred = Vec::new();
    for turn in 0..2 + rng.below(4) {
        let file = &files[turn % 2];
        let most = file.len() / 2 + 1;
        let run = &file[rng.range(file.len(), most)];
        bred.extend(run.iter().flatten());
        if bred.last().is_some_and(|&byte| byte != b'\n') {
            bred.push(b'\n');
        }
    }
    bred
}

fn flip(rng: &mut Rng, bytes: &mut [u8]) {
    if !bytes.is_empty() {
        let at = rng.below(bytes.len());
        bytes[at] = if rng.chance(50) { rng.byte() } else { bytes[at] ^ 0x20 };
    }
}

fn insert(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let atom = rng.pick(ATOMS);
    let at = rng.below(bytes.len() + 1);
    bytes.splice(at..at, atom.iter().copied());
}

/// What happens to a line that is copied elsewhere.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    Both,
    Moved,
}

fn move_line(rng: &mut Rng, bytes: &mut Vec<u8>, keep: Keep) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let from = rng.below(lines.len());
    let line = if keep == Keep::Both { lines[from].clone() } else { lines.remove(from) };
    lines.insert(rng.below(lines.len() + 1), line);
    *bytes = lines.concat();
}

fn insert_line(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let starts: Vec<_> = (0..=bytes.len()).filter(|at| *at == 0 || bytes[at - 1] == b'\n').collect();
    let at = rng.pick(&starts);
    let mut writer = Writer { rng, ends: Ends::Same(b"\n"), file: Vec::new() };
    match writer.rng.below(3) {
        0 => writer.agent(),
        1 => writer.rule(),
        _ => writer.interlude(100),
    }
    let line = writer.file;
    bytes.splice(at..at, line);
}

fn change_end(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let ends: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    if !ends.is_empty() {
        let at = rng.pick(&ends);
        let end = rng.pick(&[b"\r".as_slice(), b"\r\n", b"", b"\n\r", b"\x0B", b"\0\n", b"\xC2\x85"]);
        bytes.splice(at..=at, end.iter().copied());
    }
}

/// Turns a special byte into another, because dialects differ there.
fn change_special(rng: &mut Rng, bytes: &mut [u8]) {
    let special: Vec<_> = (0..bytes.len()).filter(|at| b"*$%/?:# ".contains(&bytes[*at])).collect();
    if !special.is_empty() {
        bytes[rng.pick(&special)] = rng.pick(b"*$%/?:#a ");
    }
}
