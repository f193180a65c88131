//! The keys of records and their spellings (`crates/DIALECTS.md`, K1 and K2).

use std::fmt;

use robomata_protocol::semantics::Spelling;

/// The kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// `User-agent` (RFC 9309, 2.2.1).
    UserAgent,
    /// `Allow` (RFC 9309, 2.2.2).
    Allow,
    /// `Disallow` (RFC 9309, 2.2.2).
    Disallow,
    /// `Sitemap` (sitemaps.org).
    Sitemap,
    /// `Crawl-delay`: seconds between requests.
    CrawlDelay,
    /// `Request-rate`: requests per span of time.
    RequestRate,
    /// `Visit-time`: hours of the day.
    VisitTime,
    /// `Host`: the site's preferred host name (Yandex).
    Host,
    /// `Clean-param`: parameters that do not change a page (Yandex).
    CleanParam,
    /// `Noindex`: a pattern of pages to leave out of an index.
    Noindex,
    /// `DisallowAITraining`: a pattern of resources not to train on (draft-canel-robots-ai-control-00).
    DisallowAiTraining,
    /// `AllowAITraining`: a pattern of resources to train on.
    AllowAiTraining,
    /// `Content-Signal`: usages, each with yes or no (contentsignals.org).
    ContentSignal,
    /// `Content-Usage`: usages, each with y or n, optionally limited to a path (IETF AIPREF).
    ContentUsage,
    /// `License`: the URL of licence terms (RSL 1.0).
    License,
    /// `TimeGate`: the URL for requests of old versions (Memento).
    TimeGate,
    /// `Archived`: the resources that a TimeGate has old versions of (Memento).
    Archived,
    /// `Schemamap`: kept as text, like the four that follow.
    Schemamap,
    /// `LLM-Policy`.
    LlmPolicy,
    /// `Agentmap`.
    Agentmap,
    /// `TDM-Reservation`.
    TdmReservation,
    /// `TDM-Policy`.
    TdmPolicy,
    /// `ACAP-...`: a field of ACAP; the rest of the key names the field. Only in dialects that read ACAP fields.
    Acap,
    /// Any other key; the record is kept as it is.
    Unknown,
}

impl Key {
    /// The key's standard spelling in lower case; `unknown` for [`Key::Unknown`].
    pub const fn as_str(self) -> &'static str {
        match self {
            Key::UserAgent => "user-agent",
            Key::Allow => "allow",
            Key::Disallow => "disallow",
            Key::Sitemap => "sitemap",
            Key::CrawlDelay => "crawl-delay",
            Key::RequestRate => "request-rate",
            Key::VisitTime => "visit-time",
            Key::Host => "host",
            Key::CleanParam => "clean-param",
            Key::Noindex => "noindex",
            Key::DisallowAiTraining => "disallowaitraining",
            Key::AllowAiTraining => "allowaitraining",
            Key::ContentSignal => "content-signal",
            Key::ContentUsage => "content-usage",
            Key::License => "license",
            Key::TimeGate => "timegate",
            Key::Archived => "archived",
            Key::Schemamap => "schemamap",
            Key::LlmPolicy => "llm-policy",
            Key::Agentmap => "agentmap",
            Key::TdmReservation => "tdm-reservation",
            Key::TdmPolicy => "tdm-policy",
            Key::Acap => "acap",
            Key::Unknown => "unknown",
        }
    }

    /// Whether the key is known, but any value is only kept as text (`crates/PERMISSIONS.md`, V11).
    pub const fn is_silent(self) -> bool {
        matches!(self, Key::Schemamap | Key::LlmPolicy | Key::Agentmap | Key::TdmReservation | Key::TdmPolicy)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Spellings, the standard one of each key first. The order matters for prefix matching: it is that of google/robotstxt
/// (robots.cc 217-260), which tries `allow...` before `disallow...`.
const SPELLINGS: [(&str, Key); 36] = [
    ("user-agent", Key::UserAgent),
    ("useragent", Key::UserAgent),
    ("user agent", Key::UserAgent),
    ("allow", Key::Allow),
    ("disallow", Key::Disallow),
    ("dissallow", Key::Disallow),
    ("dissalow", Key::Disallow),
    ("disalow", Key::Disallow),
    ("diasllow", Key::Disallow),
    ("disallaw", Key::Disallow),
    ("sitemap", Key::Sitemap),
    ("site-map", Key::Sitemap),
    ("site map", Key::Sitemap),
    ("crawl-delay", Key::CrawlDelay),
    ("crawl delay", Key::CrawlDelay),
    ("crawldelay", Key::CrawlDelay),
    ("request-rate", Key::RequestRate),
    ("request rate", Key::RequestRate),
    ("visit-time", Key::VisitTime),
    ("visit time", Key::VisitTime),
    ("host", Key::Host),
    ("clean-param", Key::CleanParam),
    ("clean param", Key::CleanParam),
    ("noindex", Key::Noindex),
    ("disallowaitraining", Key::DisallowAiTraining),
    ("allowaitraining", Key::AllowAiTraining),
    ("content-signal", Key::ContentSignal),
    ("content-usage", Key::ContentUsage),
    ("license", Key::License),
    ("timegate", Key::TimeGate),
    ("archived", Key::Archived),
    ("schemamap", Key::Schemamap),
    ("llm-policy", Key::LlmPolicy),
    ("agentmap", Key::Agentmap),
    ("tdm-reservation", Key::TdmReservation),
    ("tdm-policy", Key::TdmPolicy),
];

/// The known key that `written` spells; `None` if there is none.
pub(crate) fn known_key(written: &[u8], spelling: Spelling) -> Option<Key> {
    // Nine of ten keys in real files are one of these two, in the standard spelling.
    match written.len() {
        8 if written.eq_ignore_ascii_case(b"disallow") => return Some(Key::Disallow),
        5 if written.eq_ignore_ascii_case(b"allow") => return Some(Key::Allow),
        _ => {}
    }
    SPELLINGS.iter().find(|&&(name, key)| spells(written, name, key, spelling)).map(|&(_, key)| key)
}

/// A known key at the start of `line`, followed by white space; also returns the start of the rest of the line. For
/// lines without a colon (L8).
pub(crate) fn leading_key(line: &[u8], is_white: impl Fn(u8) -> bool) -> Option<(Key, usize)> {
    SPELLINGS
        .iter()
        .filter(|(name, _)| starts_with(line, name) && line.get(name.len()).is_some_and(|&o| is_white(o)))
        .map(|&(name, key)| (key, name.len()))
        .max_by_key(|&(_, len)| len)
}

/// The key of an ACAP field at the start of `line`, followed by white space, like [`leading_key`] (`crates/PERMISSIONS.md`,
/// A1).
pub(crate) fn leading_acap_key(line: &[u8], is_white: impl Fn(u8) -> bool) -> Option<(Key, usize)> {
    let end = line.iter().position(|&byte| is_white(byte) || byte == b':')?;
    (is_white(line[end]) && is_acap(&line[..end])).then_some((Key::Acap, end))
}

/// The one line of ACAP without a colon (ACAP 1.0 part 1, 2.9.1).
const ACAP_IGNORE: &[u8] = b"ACAP-ignore-conventional-records";

/// Whether it is the key of an ACAP field.
pub(crate) fn is_acap(written: &[u8]) -> bool {
    starts_with(written, "acap-")
}

/// Whether the whole line is the ACAP field that needs no colon.
pub(crate) fn is_acap_ignore(line: &[u8]) -> bool {
    line.eq_ignore_ascii_case(ACAP_IGNORE)
}

/// Whether `written` is not the standard spelling of its key.
pub(crate) fn is_misspelt(written: &[u8], key: Key) -> bool {
    !written.eq_ignore_ascii_case(key.as_str().as_bytes())
}

/// The known key that an unknown one resembles: at most two typing errors away, or with an additional ending.
pub(crate) fn near_miss(written: &[u8]) -> Option<Key> {
    const LONGEST_WORTH_COMPARING: usize = 16;
    if written.len() > LONGEST_WORTH_COMPARING {
        return None;
    }
    let written = std::str::from_utf8(written).ok()?.to_ascii_lowercase();
    let letters = written.chars().fold(0, |set, letter| set | bit(u32::from(letter)));
    SPELLINGS
        .iter()
        .zip(&LETTERS)
        .filter(|&(&(name, _), &of_name)| may_resemble(letters, of_name) || written.starts_with(name))
        .map(|(&(name, key), _)| (resemblance(&written, name), key))
        .filter(|&(distance, _)| distance <= MOST_ERRORS)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, key)| key)
}

/// The most typing errors in a key that is named as a near miss.
const MOST_ERRORS: usize = 2;

/// The letters of each spelling, each as its [`bit`].
const LETTERS: [u64; SPELLINGS.len()] = {
    let mut sets = [0; SPELLINGS.len()];
    let mut at = 0;
    while at < sets.len() {
        let mut name = SPELLINGS[at].0.as_bytes();
        while let [letter, rest @ ..] = name {
            sets[at] |= bit(*letter as u32);
            name = rest;
        }
        at += 1;
    }
    sets
};

/// The letter in a set of letters. Some letters share a bit.
const fn bit(letter: u32) -> u64 {
    1 << (letter % 64)
}

/// May two texts with these letters be [`MOST_ERRORS`] apart? Each error adds at most one letter that the other text does not
/// have. This cheap test rejects most pairs, because a hostile file has tens of thousands of unknown keys.
const fn may_resemble(a: u64, b: u64) -> bool {
    (a & !b).count_ones() as usize <= MOST_ERRORS && (b & !a).count_ones() as usize <= MOST_ERRORS
}

fn resemblance(written: &str, name: &str) -> usize {
    if written.starts_with(name) {
        return MOST_ERRORS;
    }
    // Short names resemble everything: `host` is two letters away from `cost` and `hour`.
    let distance = strsim::osa_distance(written, name);
    if name.len() < 6 { distance * 2 } else { distance }
}

fn spells(written: &[u8], name: &str, key: Key, spelling: Spelling) -> bool {
    match (spelling, key) {
        (Spelling::Standard, _) => name == key.as_str() && written.eq_ignore_ascii_case(name.as_bytes()),
        // google/robotstxt knows only these keys; the other keys have the same spellings in every dialect.
        (Spelling::PrefixOfKey, Key::UserAgent | Key::Allow | Key::Disallow | Key::Sitemap) => {
            starts_with(written, name)
        }
        _ => written.eq_ignore_ascii_case(name.as_bytes()),
    }
}

fn starts_with(written: &[u8], name: &str) -> bool {
    written.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_keys_and_prefixes() {
        let whole = |written: &str| known_key(written.as_bytes(), Spelling::WholeKey);
        let prefix = |written: &str| known_key(written.as_bytes(), Spelling::PrefixOfKey);
        assert_eq!(whole("DISALLOW"), Some(Key::Disallow));
        assert_eq!(whole("disallowed"), None);
        assert_eq!(prefix("disallowed"), Some(Key::Disallow));
        assert_eq!(prefix("allowance"), Some(Key::Allow));
        assert_eq!(prefix("sitemaps"), Some(Key::Sitemap));
        assert_eq!(whole("Site map"), Some(Key::Sitemap));
        assert_eq!(whole(""), None);
        let standard = |written: &str| known_key(written.as_bytes(), Spelling::Standard);
        assert_eq!(standard("USER-AGENT"), Some(Key::UserAgent));
        assert_eq!(standard("useragent"), None);
        assert_eq!(standard("disalow"), None);
        assert_eq!(standard("crawl-delay"), Some(Key::CrawlDelay));
    }

    #[test]
    fn keys_beyond_googles_are_whole_in_every_dialect() {
        for spelling in [Spelling::WholeKey, Spelling::PrefixOfKey] {
            let key = |written: &str| known_key(written.as_bytes(), spelling);
            assert_eq!(key("Content-Signal"), Some(Key::ContentSignal));
            assert_eq!(key("CONTENT-USAGE"), Some(Key::ContentUsage));
            assert_eq!(key("License"), Some(Key::License));
            assert_eq!(key("TimeGate"), Some(Key::TimeGate));
            assert_eq!(key("Archived"), Some(Key::Archived));
            for other in ["time-gate", "licensed", "noindexes", "hostname", "content-signals", "archive"] {
                assert_eq!(key(other), None, "{other}");
            }
        }
    }

    #[test]
    fn keys_about_training_are_rules_where_rules_are_prefixes() {
        let whole = |written: &str| known_key(written.as_bytes(), Spelling::WholeKey);
        let prefix = |written: &str| known_key(written.as_bytes(), Spelling::PrefixOfKey);
        assert_eq!(whole("DisallowAITraining"), Some(Key::DisallowAiTraining));
        assert_eq!(whole("AllowAITraining"), Some(Key::AllowAiTraining));
        assert_eq!(prefix("DisallowAITraining"), Some(Key::Disallow));
        assert_eq!(prefix("AllowAITraining"), Some(Key::Allow));
    }

    #[test]
    fn near_misses_are_named_and_other_keys_are_not() {
        assert_eq!(near_miss(b"Disallowed"), Some(Key::Disallow));
        assert_eq!(near_miss(b"user-agnet"), Some(Key::UserAgent));
        assert_eq!(near_miss(b"alow"), Some(Key::Allow));
        assert_eq!(near_miss(b"time-gate"), Some(Key::TimeGate));
        assert_eq!(near_miss(b"archive"), Some(Key::Archived));
        assert_eq!(near_miss(b"feed"), None);
        assert_eq!(near_miss(b"http"), None);
        assert_eq!(near_miss(b"content-language"), None);
    }

    #[test]
    fn letters_reject_no_key_that_is_near() {
        let resembling = |written: &str| {
            let near = SPELLINGS.iter().map(|&(name, key)| (resemblance(written, name), key));
            near.filter(|&(errors, _)| errors <= MOST_ERRORS)
                .min_by_key(|&(errors, _)| errors)
                .map(|(_, key)| key)
        };
        for (name, _) in SPELLINGS {
            let letters: Vec<char> = name.chars().collect();
            for at in 0..letters.len() {
                for other in ['e', 'z', '-', 'é', '中'] {
                    let (mut replaced, mut added) = (letters.clone(), letters.clone());
                    replaced[at] = other;
                    added.insert(at, other);
                    added.insert(letters.len(), other);
                    let without: Vec<char> = [&letters[..at], &replaced[at + 1..]].concat();
                    for written in [replaced, added, without].map(String::from_iter) {
                        let nearest = resembling(&written).filter(|_| written.len() <= 16);
                        assert_eq!(near_miss(written.as_bytes()), nearest, "{written}");
                    }
                }
            }
        }
    }
}
