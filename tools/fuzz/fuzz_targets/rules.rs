//! Two lists of rules, made of few pieces, and URLs that nearly match: the engine against the reference, and what is
//! proved about a change against both.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use robomata_crosscheck::engines::divergence;
use robomata_engine::automaton::Difference;
use robomata_engine::{Crawler, Dialect, Policy, SitePolicy, differences};
use robomata_testkit::Case;
use robomata_testkit::case::{Expect, to_toml};

#[derive(Arbitrary, Debug)]
struct Input {
    dialect: u8,
    old: Vec<Rule>,
    new: Vec<Change>,
    urls: Vec<Vec<Piece>>,
}

#[derive(Arbitrary, Clone, Debug)]
struct Rule {
    is_allowed: bool,
    pieces: Vec<Piece>,
}

#[derive(Arbitrary, Debug)]
enum Change {
    Keep,
    Remove,
    Flip,
    Insert(Rule),
    Append(Piece),
}

/// Pieces of patterns and of URLs. Few letters, so that URLs often match.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Piece {
    A,
    B,
    C,
    Slash,
    Star,
    End,
    Query,
    Escaped,
    EscapedSlash,
    EscapedStar,
    Accent,
    Index,
    Byte(u8),
    Repeated(u8),
}

impl Piece {
    fn write(self, out: &mut Vec<u8>) {
        match self {
            Piece::A => out.push(b'a'),
            Piece::B => out.push(b'b'),
            Piece::C => out.extend(b"ab"),
            Piece::Slash => out.push(b'/'),
            Piece::Star => out.push(b'*'),
            Piece::End => out.push(b'$'),
            Piece::Query => out.push(b'?'),
            Piece::Escaped => out.extend(b"%61"),
            Piece::EscapedSlash => out.extend(b"%2f"),
            Piece::EscapedStar => out.extend(b"%2A"),
            Piece::Accent => out.extend("é".as_bytes()),
            Piece::Index => out.extend(b"index.html"),
            Piece::Byte(byte) => out.push(byte),
            Piece::Repeated(count) => out.extend(std::iter::repeat_n(b'a', usize::from(count) % 80)),
        }
    }
}

fn text(pieces: &[Piece]) -> Vec<u8> {
    let mut text = vec![b'/'];
    pieces.iter().take(24).for_each(|piece| piece.write(&mut text));
    text
}

fn file(rules: &[Rule]) -> Vec<u8> {
    let mut file = b"User-agent: *\n".to_vec();
    for rule in rules {
        file.extend(if rule.is_allowed { &b"Allow: "[..] } else { b"Disallow: " });
        file.extend(text(&rule.pieces));
        file.push(b'\n');
    }
    file
}

fn changed(old: &[Rule], changes: &[Change]) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut old = old.iter().cloned();
    for change in changes {
        match change {
            Change::Insert(rule) => rules.push(rule.clone()),
            Change::Keep => rules.extend(old.next()),
            Change::Remove => drop(old.next()),
            Change::Flip => {
                rules.extend(old.next().map(|rule| Rule { is_allowed: !rule.is_allowed, ..rule }))
            }
            Change::Append(piece) => rules.extend(old.next().map(|mut rule| {
                rule.pieces.push(*piece);
                rule
            })),
        }
    }
    rules.extend(old);
    rules
}

fuzz_target!(|input: Input| {
    let old = &input.old[..input.old.len().min(40)];
    let new = changed(old, &input.new);
    let dialect = Dialect::ALL[usize::from(input.dialect) % Dialect::ALL.len()];
    let files = [file(old), file(&new)];
    let crawler = Crawler::new("FooBot");
    let mut policies =
        files.each_ref().map(|file| SitePolicy::new(&Policy::in_dialect(file, dialect), &crawler));
    let [old_policy, new_policy] = &mut policies;
    let found = differences(old_policy, new_policy, Difference::Verdict, 50_000);
    for change in &found.changes {
        assert_ne!(change.old.as_str(), change.new.as_str(), "a change that changes something");
    }
    let is_proved_equal = found.is_exhaustive && found.changes.is_empty();
    let mut texts: Vec<Vec<u8>> = input.urls.iter().take(6).map(|pieces| text(pieces)).collect();
    // A URL for each rule: its pattern as it is written, and a change of its end.
    texts.extend(new.iter().take(6).map(|rule| text(&rule.pieces)));
    for path in texts {
        let mut case = Case {
            id: "fuzz/rules".to_owned(),
            section: String::new(),
            title: "found by fuzzing".to_owned(),
            dialect,
            robots: files[0].clone(),
            status: None,
            crawler: crawler.clone(),
            url: [b"http://example.com", path.as_slice()].concat(),
            expect: Expect { word: robomata_testkit::Word::Invalid, line: None },
            note: String::new(),
        };
        if let Some((configuration, engine, reference)) = divergence(&case) {
            case.expect = Expect::of(reference);
            panic!("{configuration}: {engine:?}, but the reference says {reference:?}\n{}", to_toml(&case));
        }
        let answers = [old_policy.check(&case.url), new_policy.check(&case.url)];
        assert!(
            !is_proved_equal || answers[0].as_str() == answers[1].as_str(),
            "proved to be equal, but {answers:?} for {} in {dialect}\n{}\n{}",
            case.url.escape_ascii(),
            files[0].escape_ascii(),
            files[1].escape_ascii()
        );
    }
});
