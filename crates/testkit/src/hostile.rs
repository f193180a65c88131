//! Adversarial files, URLs that are likely to be expensive to match against them, and adversarial pages.
//!
//! Each family makes its expensive construct as large as the file size allows. [`urls`] makes candidates for the worst
//! URL, of 2 KB each.

/// Length of a URL's path in bytes.
pub const URL: usize = 2_000;

/// A kind of adversarial input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `/*a*b*N`: all patterns wait for the same segments.
    SharedStars,
    /// Rules of 16 KB of stars.
    StarRuns,
    /// One rule, `/` + thirty `*a` + `*b`: backtracking never finishes.
    ThirtyStars,
    /// `/*a…a*X` with a's of all lengths: in a URL of a's, a segment of every rule ends at every position.
    Nested,
    /// `/*a…a*a…a*…`, for each length repeatedly: at every position a segment of every rule ends, always too early.
    Again,
    /// `/*N*xy` with all pairs of bytes: the maximum number of patterns that wait at once.
    Pairs,
    /// Rules of 1,900 stars between a's and b's: every byte of the URL advances half of them.
    LongRules,
    /// Rules of 200 segments of one to eight a's and b's, all different: segments that are common, rare and nested.
    MixedWords,
    /// `/*q*w*e*r*t*X`: five random letters each, so that beginnings are shared and nearly every rule is at its last star.
    Letters,
    /// Literals with a common prefix.
    OneHead,
    /// All words of one length over two letters, unanchored: in the worst URL, one ends at every position.
    DeBruijn,
    /// Every rule ends in `$`.
    Ends,
    /// All rules differ in one byte.
    OneByteApart,
    /// 48 unanchored patterns of 32 bytes whose rarest byte fills the URL: searching for any one byte does not help.
    RareBytes,
    /// The same with that byte nearly everywhere in the patterns: searching for a pair of bytes does not help either.
    Tildes,
}

/// All families by name.
pub const FAMILIES: [(&str, Family); 15] = [
    ("shared-stars", Family::SharedStars),
    ("star-runs", Family::StarRuns),
    ("thirty-stars", Family::ThirtyStars),
    ("nested", Family::Nested),
    ("again", Family::Again),
    ("pairs", Family::Pairs),
    ("long-rules", Family::LongRules),
    ("mixed-words", Family::MixedWords),
    ("letters", Family::Letters),
    ("one-head", Family::OneHead),
    ("de-bruijn", Family::DeBruijn),
    ("ends", Family::Ends),
    ("one-byte-apart", Family::OneByteApart),
    ("rare-bytes", Family::RareBytes),
    ("tildes", Family::Tildes),
];

impl Family {
    /// As many of the family's patterns as fit into a file of `bytes` bytes.
    pub fn patterns(self, bytes: usize) -> Vec<String> {
        let mut room = bytes;
        let fits = |pattern: &String| {
            let bytes = pattern.len() + "Disallow: \n".len();
            let is_in = bytes <= room;
            room = room.saturating_sub(bytes);
            is_in
        };
        self.all(bytes).take_while(fits).collect()
    }

    /// All patterns of the family for a file of `bytes` bytes.
    fn all(self, bytes: usize) -> Box<dyn Iterator<Item = String>> {
        match self {
            Family::SharedStars => Box::new((0..).map(|n| format!("/*a*b*{n}"))),
            Family::StarRuns => Box::new((0..).map(|n| format!("/{}x{n}", "*".repeat(16_000)))),
            Family::ThirtyStars => Box::new(std::iter::once(format!("/{}*b", "*a".repeat(30)))),
            Family::Nested => Box::new((1..).map(|n| format!("/*{}*X", "a".repeat(n)))),
            Family::Again => Box::new((1..=URL).map(again)),
            Family::Pairs => Box::new(pairs()),
            Family::LongRules => Box::new(long_rules()),
            Family::MixedWords => Box::new(mixed_words()),
            Family::Letters => Box::new(letters()),
            Family::OneHead => Box::new((0..).map(|n| format!("/head/{n:05}"))),
            Family::DeBruijn => Box::new(words(bytes)),
            Family::Ends => Box::new((0..).map(|n| match n % 3 {
                0 => format!("/*a{n}$"),
                1 => format!("/a{n}$"),
                _ => format!("/*{n}*a$"),
            })),
            Family::OneByteApart => Box::new((0..17_000).map(one_byte_apart)),
            Family::RareBytes => Box::new(rare_bytes().into_iter()),
            Family::Tildes => Box::new(tildes()),
        }
    }
}

/// A kind of adversarial file that is more than a list of rules. But for the last kind, the names of groups overlap, so that
/// the rules of all crawlers together are much larger than the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFamily {
    /// One group with half of the file, for very many names, each of which also has a group of its own.
    LargeGroup,
    /// `Disallow: /a` in very many groups, each with a name of its own, after a smaller large group. `Odd` and `Even` are
    /// in every other group, and those of `Even` have another pattern: it must skip the rules of all groups.
    SamePattern,
    /// Prefixes of all lengths over one letter, each in many groups, which take turns in the same way.
    ManyPatterns,
    /// 64 names, each in a random half of the groups.
    ManyNames,
    /// One group of lines whose keys are known ones with one or two typing errors.
    UnknownKeys,
}

/// All families of groups by name.
pub const GROUP_FAMILIES: [(&str, GroupFamily); 5] = [
    ("large-group", GroupFamily::LargeGroup),
    ("same-pattern", GroupFamily::SamePattern),
    ("many-patterns", GroupFamily::ManyPatterns),
    ("many-names", GroupFamily::ManyNames),
    ("unknown-keys", GroupFamily::UnknownKeys),
];

impl GroupFamily {
    /// A robots.txt of at most `bytes` bytes.
    pub fn file(self, bytes: usize) -> Vec<u8> {
        let mut file = Vec::with_capacity(bytes);
        // In the large group: names, each with a group of its own later, and the bytes up to the group's end.
        let (names, end) = match self {
            GroupFamily::LargeGroup => (bytes / 120, bytes / 2),
            GroupFamily::SamePattern | GroupFamily::ManyPatterns => (20, bytes / 10),
            GroupFamily::ManyNames => (0, 0),
            GroupFamily::UnknownKeys => (1, 0),
        };
        (0..names).for_each(|n| file.extend_from_slice(format!("User-agent: {}\n", name(n)).as_bytes()));
        fill(&mut file, end, |n| format!("Disallow: /*a*b*{n}\n"));
        let mut random = fastrand::Rng::with_seed(64);
        fill(&mut file, bytes, |n| self.group(n, &mut random));
        file
    }

    fn group(self, number: usize, random: &mut fastrand::Rng) -> String {
        let own = name(number);
        let (turn, pattern) = if number.is_multiple_of(2) { ("Even", 'b') } else { ("Odd", 'a') };
        match self {
            GroupFamily::LargeGroup => format!("User-agent: {own}\nDisallow: /{own}\n"),
            GroupFamily::SamePattern => {
                format!("User-agent: {turn}\nUser-agent: {own}\nDisallow: /{pattern}\n")
            }
            GroupFamily::ManyPatterns => {
                let pattern = String::from(pattern).repeat(1 + number / 2 % 50);
                format!("User-agent: {turn}\nUser-agent: {own}\nDisallow: /{pattern}\n")
            }
            GroupFamily::ManyNames => {
                let names = (0..64).filter(|_| random.bool()).map(|n| format!("User-agent: {}\n", name(n)));
                format!("{}Disallow: /{own}\nDisallow: /a\n", names.collect::<String>())
            }
            GroupFamily::UnknownKeys => format!("{}: /{number:x}\n", misspelt(number, random)),
        }
    }

    /// Names that choose the most groups, or few, or none.
    pub fn crawlers(self) -> Vec<String> {
        let named = [name(0), name(1), name(63), "Even".to_owned(), "Odd".to_owned(), "Other".to_owned()];
        named.into()
    }

    /// Candidates for the worst path.
    pub fn paths(self) -> Vec<String> {
        let long = |text: &str| filled(text, text).1;
        let short = ["/a".to_owned(), "/b".to_owned(), format!("/{}", name(1))];
        short.into_iter().chain(["a", "b", "ab0123456789"].map(long)).collect()
    }
}

/// A name of letters, different for each number.
fn name(number: usize) -> String {
    let digits = format!("{number:x}");
    digits.bytes().map(|digit| char::from(digit + if digit < b'a' { b'g' - b'0' } else { 0 })).collect()
}

/// A known key with one or two other letters, so that it resembles several.
fn misspelt(number: usize, random: &mut fastrand::Rng) -> String {
    const KEYS: [&str; 6] =
        ["visit-time", "crawl-delay", "archived", "user-agent", "disallow", "content-usage"];
    let mut key: Vec<char> = KEYS[number % KEYS.len()].chars().collect();
    for _ in 0..=number % 2 {
        let at = random.usize(..key.len());
        key[at] = random.lowercase();
    }
    key.into_iter().collect()
}

/// Appends a text for each number, as long as `file` then has at most `bytes` bytes.
fn fill(file: &mut Vec<u8>, bytes: usize, text: impl FnMut(usize) -> String) {
    for text in (0..).map(text) {
        if file.len() + text.len() > bytes {
            break;
        }
        file.extend_from_slice(text.as_bytes());
    }
}

/// Files of ACAP of about `bytes` bytes whose fields refer to much, or that have many fields, by name. Names of records
/// besides `*` are those of [`GroupFamily::crawlers`].
pub fn acap_files(bytes: usize) -> Vec<(&'static str, Vec<u8>)> {
    let some = |bytes: usize, line: &dyn Fn(usize) -> String| {
        let mut lines = Vec::with_capacity(bytes);
        fill(&mut lines, bytes, line);
        lines
    };
    let access = |n: usize| if n.is_multiple_of(2) { "allow" } else { "disallow" };
    let half = bytes / 2;
    let star = b"ACAP-crawler: *\n";
    let one_set = [b"ACAP-resource-set: s", &some(half, &|n| format!(" /{n:x}"))[..], b"\n"].concat();
    let parts = bytes / 150;
    let qualified = |n| format!("ACAP-qualified-usage: q{n} index time-limit={n}-days\n");
    let of_all = (0..parts).map(|n| format!(" q{n}")).collect::<String>();
    let composite =
        (0..parts).map(qualified).collect::<String>() + "ACAP-composite-usage: c" + &of_all + "\n";
    let usages = ["index", "crawl", "present", "follow", "preserve", "present-snippet", "present-link"];
    let usage = |n: usize| usages[n % usages.len()];
    let purpose = |n| {
        let name = name(n);
        format!("ACAP-crawler: {name}\nACAP-usage-purpose: {name}\nACAP-allow-index: /{name}\n")
    };
    vec![
        (
            "one set in all fields",
            [
                star,
                &one_set[..],
                &some(half, &|n| format!("ACAP-{}-index: the-acap:resource-set:s\n", access(n))),
            ]
            .concat(),
        ),
        (
            "a set for each field",
            [
                &some(half, &|n| format!("ACAP-resource-set: s{n} /a{n}*b /*b{n}*a\n"))[..],
                star,
                &some(half, &|n| format!("ACAP-{}-index: the-acap:resource-set:s{n}\n", access(n))),
            ]
            .concat(),
        ),
        (
            "one usage of all usages",
            [composite.as_bytes(), star, &some(half, &|n| format!("ACAP-allow-(c): /*a*b{n}\n"))].concat(),
        ),
        ("a purpose for each record", some(bytes, &purpose)),
        (
            "fields of all usages",
            [star, &some(bytes, &|n| format!("ACAP-{}-{}: /*a*b{n}\n", access(n / 7), usage(n)))[..]]
                .concat(),
        ),
        (
            "qualified fields",
            [star, &some(bytes, &|n| format!("ACAP-allow-preserve: /*a*b{n} time-limit={n}-days\n"))[..]]
                .concat(),
        ),
    ]
}

/// Pages of at most `bytes` bytes that are expensive for HTML's tokenizer or tree builder, by name. Some of
/// them end within a tag.
pub fn pages(bytes: usize) -> Vec<(&'static str, String)> {
    let formatting: String = (0..300).map(|i| format!("<b x={i}>")).collect();
    let marked = formatting.replace(" x", " class=the-acap:x id");
    let attributes = "<meta name=robots content=noindex><div class=the-acap:allow-index";
    let page = |start: &str, unit: &dyn Fn(usize) -> String| {
        let mut html = start.as_bytes().to_vec();
        fill(&mut html, bytes, unit);
        String::from_utf8(html).expect("texts are UTF-8")
    };
    let same = |text: &'static str| move |_| text.to_owned();
    let attribute = |i| format!(" a{i}");
    vec![
        ("nested", page("", &same("<div>"))),
        ("elements in nested elements", {
            // The tree builder may take a number of steps for each byte, so text makes room for deep nesting.
            let start = "x".repeat(bytes / 3) + &"<div>".repeat((bytes * 20).isqrt());
            page(&start, &same("<p class=the-acap:x>"))
        }),
        ("nested tables", page("", &same("<table><td>"))),
        ("nested formatting", page("", &|i| format!("<b x={i}>"))),
        ("formatting again and again", page(&formatting, &same("<p>x"))),
        ("formatting opened and closed", page(&formatting, &|i| format!("<b x={i}></b>"))),
        ("marked formatting", page(&marked, &same("<p>x"))),
        ("links", page("", &same("<a><div>"))),
        ("end tags", page(&"<div>".repeat(1000), &same("</p>"))),
        ("less-than signs", page("", &same("<"))),
        ("references", page("", &same("&amp;&am&#x"))),
        ("foreign", page("", &same("<svg><a>"))),
        ("attributes", page(attributes, &attribute)),
        ("attributes with less-than signs", page(attributes, &|i| format!(" <{i}"))),
        ("attributes of an end tag", page("</div", &attribute)),
    ]
}

/// A robots.txt that disallows all of `patterns`.
pub fn file<P: AsRef<[u8]>>(patterns: &[P]) -> Vec<u8> {
    let mut file = b"User-agent: *\n".to_vec();
    for pattern in patterns {
        file.extend_from_slice(b"Disallow: ");
        file.extend_from_slice(pattern.as_ref());
        file.push(b'\n');
    }
    file
}

/// A run of a's, repeated as often as fits into a URL.
fn again(length: usize) -> String {
    format!("/{}", format!("*{}", "a".repeat(length)).repeat(URL / length))
}

/// Visible bytes without a special meaning in a pattern.
fn plain_bytes() -> impl Iterator<Item = char> + Clone {
    ('!'..='~').filter(|byte| !"#%*$/".contains(*byte))
}

fn pairs() -> impl Iterator<Item = String> {
    let pairs = plain_bytes().flat_map(|a| plain_bytes().map(move |b| (a, b)));
    (0..).flat_map(move |n| pairs.clone().map(move |(a, b)| format!("/*{n}*{a}{b}")))
}

fn long_rules() -> impl Iterator<Item = String> {
    let mut random = fastrand::Rng::with_seed(120);
    (0..).map(move |_| {
        let segments: String = (0..1_900).map(|_| if random.bool() { "*a" } else { "*b" }).collect();
        format!("/{segments}*X")
    })
}

fn mixed_words() -> impl Iterator<Item = String> {
    let mut random = fastrand::Rng::with_seed(8);
    let mut segment = move || -> String {
        let letters = random.usize(1..=8);
        std::iter::once('*').chain((0..letters).map(|_| if random.bool() { 'a' } else { 'b' })).collect()
    };
    (0..).map(move |_| format!("/{}*X", (0..200).map(|_| segment()).collect::<String>()))
}

fn letters() -> impl Iterator<Item = String> {
    let mut random = fastrand::Rng::with_seed(5);
    (0..).map(move |_| {
        format!("/{}*X", (0..5).map(|_| format!("*{}", random.lowercase())).collect::<String>())
    })
}

/// All words of as many letters as a file of `bytes` bytes has room for.
fn words(bytes: usize) -> impl Iterator<Item = String> {
    let rules = |letters: u32| ("Disallow: /*\n".len() + letters as usize) << letters;
    let letters = (1..32).take_while(|&letters| rules(letters) <= bytes).last().unwrap_or(1);
    let word = move |number: u32| {
        (0..letters).rev().map(move |bit| if number >> bit & 1 == 0 { 'a' } else { 'b' }).collect::<String>()
    };
    (0..1 << letters).map(move |number| format!("/*{}", word(number)))
}

/// 200 a's with one other letter among them.
fn one_byte_apart(number: usize) -> String {
    let mut bytes = ['a'; 200];
    let letters: Vec<char> =
        ('b'..='u').chain(plain_bytes().filter(|byte| !('a'..='u').contains(byte))).collect();
    bytes[number % bytes.len()] = letters[number / bytes.len() % letters.len()];
    format!("/{}", bytes.iter().collect::<String>())
}

/// Words of common letters with one `~` each, at different positions.
fn rare_bytes() -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(48);
    let mut word = |place: usize| -> String {
        let mut letter = |at| if at == place { '~' } else { char::from(b"etaoinsr/-"[random.usize(..10)]) };
        (0..32).map(&mut letter).collect()
    };
    (0..48).map(|n| format!("/*{}", word(n % 32))).collect()
}

/// The text between many `~`, so that every pair of bytes of [`tildes`] occurs.
const BETWEEN_TILDES: &str = "~~~~~~~~~~~~~~~~~~~~~~~e~ee~";

/// Words of `~` and a few e's.
fn tildes() -> impl Iterator<Item = String> {
    let mut random = fastrand::Rng::with_seed(31);
    (0..48).map(move |_| {
        let inner: String = (0..30).map(|_| if random.usize(..9) == 0 { 'e' } else { '~' }).collect();
        format!("/*~{inner}e")
    })
}

/// Candidates for the path of the worst URL, each with its name: the bytes of the patterns, in many orders.
pub fn urls(patterns: &[String]) -> Vec<(String, String)> {
    let mut urls: Vec<(String, String)> =
        ["a", "b", "ab", "aab", "aX", "~", BETWEEN_TILDES, "0123456789", "/", "*"]
            .map(|text| filled(text, text))
            .into();
    urls.push(filled("all words of a and b", &de_bruijn(11)));
    let middle = patterns.len() / 2;
    for (which, pattern) in [("first", 0), ("middle", middle), ("last", patterns.len() - 1)] {
        let literal = patterns[pattern].replace(['*', '$'], "");
        urls.push(filled(&format!("the {which} pattern"), &literal));
        let almost = &literal[..literal.len() - 1];
        urls.push(filled(&format!("the {which} pattern but for its last byte"), almost));
    }
    let numbers: String = (0..600).map(|n| format!("a{n}b")).collect();
    urls.push(filled("numbers among letters", &numbers));
    urls
}

/// A path that repeats `text`.
fn filled(name: &str, text: &str) -> (String, String) {
    let text = if text.is_empty() { "a" } else { text };
    let path: String = std::iter::once('/').chain(text.chars().cycle()).take(URL).collect();
    (name.to_owned(), path)
}

/// A text of a's and b's that contains every word of `length` letters once. Each bit is the sum of two earlier ones, in
/// a shift register that goes through all its states (x^11 + x^2 + 1).
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
        for (least, most) in [(400_000, 500_000), (3_300_000, 4 << 20)] {
            for (name, family) in FAMILIES {
                let bytes = file(&family.patterns(most)).len();
                assert!(bytes <= most + 20, "{name}: {bytes}");
                let is_small = matches!(family, Family::ThirtyStars | Family::RareBytes | Family::Tildes);
                assert!(is_small || bytes > least, "{name}: {bytes}");
            }
        }
        assert!(file(&Family::Nested.patterns(9_000)).len() < 9_100);
    }

    #[test]
    fn groups_fill_their_files() {
        for (family_name, family) in GROUP_FAMILIES {
            let file = family.file(500_000);
            assert!((490_000..=500_000).contains(&file.len()), "{family_name}: {}", file.len());
        }
        let names: std::collections::HashSet<String> = (0..10_000).map(name).collect();
        assert_eq!(names.len(), 10_000);
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn every_word_occurs() {
        let text = de_bruijn(11);
        let words: std::collections::HashSet<&str> =
            (0..=text.len() - 11).map(|at| &text[at..at + 11]).collect();
        assert_eq!(words.len(), text.len() - 10);
    }
}
