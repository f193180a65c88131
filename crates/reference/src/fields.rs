//! Parses lines of a robots.txt into fields, with every key that some vocabulary defines (L7, L8, K1, K2, A1).

use robomata_protocol::{Access, Dialect};

use crate::lines;
use crate::text::{first_word, is_ascii_space, is_ws, trim};

/// The key of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    UserAgent,
    Rule(Access),
    Noindex,
    /// `AllowAITraining` or `DisallowAITraining` (V10).
    AiTraining(Access),
    ContentSignal,
    ContentUsage,
    /// A group field that says nothing about permissions, like the next two.
    CrawlDelay,
    RequestRate,
    VisitTime,
    /// A file field that says nothing about permissions, like the next one.
    Sitemap,
    Host,
    CleanParam,
    License,
    TimeGate,
    Archived,
    /// A file field that is kept and decides nothing (V11): its key in lower case.
    Silent(&'static str),
    /// The part after `ACAP-`, in lower case (A1).
    Acap(Vec<u8>),
    /// No key: a blank line, which ends a record under `koster1996`. Other dialects do not report it.
    BlankLine,
}

impl Key {
    /// Returns whether the field belongs to a group (V1, A4).
    pub(crate) fn is_of_groups(&self) -> bool {
        matches!(
            self,
            Key::UserAgent
                | Key::Rule(_)
                | Key::Noindex
                | Key::AiTraining(_)
                | Key::ContentSignal
                | Key::ContentUsage
                | Key::CrawlDelay
                | Key::RequestRate
                | Key::VisitTime
        )
    }

    /// Returns whether the key is `ACAP-` followed by `name`.
    pub(crate) fn is_acap(&self, name: &str) -> bool {
        matches!(self, Key::Acap(own) if own == name.as_bytes())
    }
}

/// A line with a known key.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) key: Key,
    pub(crate) value: Vec<u8>,
    /// The 1-based number of the line.
    pub(crate) line: u32,
}

/// The fields of `robots`, in file order, up to the default parsing limit (L1).
pub(crate) fn fields(robots: &[u8], dialect: Dialect) -> Vec<Field> {
    fields_within(robots, dialect, lines::default_limit(dialect))
}

/// Like [`fields`], with another parsing limit.
pub(crate) fn fields_within(robots: &[u8], dialect: Dialect, parsing_limit: usize) -> Vec<Field> {
    let text = lines::text_of(robots, dialect, parsing_limit);
    let mut fields = Vec::new();
    for (line, bytes) in (1_u32..).zip(lines::lines(&text)) {
        let content = lines::content(bytes, dialect);
        let found = match dialect {
            Dialect::Google => google_field(content),
            Dialect::Acap => acap_field(content).or_else(|| rfc9309_field(content)),
            Dialect::Rfc9309 => rfc9309_field(content),
            Dialect::Koster1996 if lines::is_blank(bytes) => Some((Key::BlankLine, &bytes[..0])),
            Dialect::Koster1996 | Dialect::Yandex => first_spelling_field(content),
        };
        if let Some((key, value)) = found {
            fields.push(Field { key, value: value.to_vec(), line });
        }
    }
    fields
}

/// K1 and K2: spellings of the keys, in lower case.
const SPELLINGS: [(&[u8], Key); 36] = [
    (b"user-agent", Key::UserAgent),
    (b"useragent", Key::UserAgent),
    (b"user agent", Key::UserAgent),
    (b"allow", Key::Rule(Access::Allow)),
    (b"disallow", Key::Rule(Access::Disallow)),
    (b"dissallow", Key::Rule(Access::Disallow)),
    (b"dissalow", Key::Rule(Access::Disallow)),
    (b"disalow", Key::Rule(Access::Disallow)),
    (b"diasllow", Key::Rule(Access::Disallow)),
    (b"disallaw", Key::Rule(Access::Disallow)),
    (b"sitemap", Key::Sitemap),
    (b"site-map", Key::Sitemap),
    (b"site map", Key::Sitemap),
    (b"crawl-delay", Key::CrawlDelay),
    (b"crawl delay", Key::CrawlDelay),
    (b"crawldelay", Key::CrawlDelay),
    (b"request-rate", Key::RequestRate),
    (b"request rate", Key::RequestRate),
    (b"visit-time", Key::VisitTime),
    (b"visit time", Key::VisitTime),
    (b"host", Key::Host),
    (b"clean-param", Key::CleanParam),
    (b"clean param", Key::CleanParam),
    (b"noindex", Key::Noindex),
    (b"allowaitraining", Key::AiTraining(Access::Allow)),
    (b"disallowaitraining", Key::AiTraining(Access::Disallow)),
    (b"content-signal", Key::ContentSignal),
    (b"content-usage", Key::ContentUsage),
    (b"license", Key::License),
    (b"timegate", Key::TimeGate),
    (b"archived", Key::Archived),
    (b"schemamap", Key::Silent("schemamap")),
    (b"llm-policy", Key::Silent("llm-policy")),
    (b"agentmap", Key::Silent("agentmap")),
    (b"tdm-reservation", Key::Silent("tdm-reservation")),
    (b"tdm-policy", Key::Silent("tdm-policy")),
];

/// A1: a key that begins with `ACAP-`, before a colon, or a known one without it (L8); one of the keys needs no value
/// (2.9.1).
fn acap_field(content: &[u8]) -> Option<(Key, &[u8])> {
    const ALONE: &[u8] = b"acap-ignore-conventional-records";
    let line = trim(content, is_ws);
    if line.eq_ignore_ascii_case(ALONE) {
        return Some((Key::Acap(b"ignore-conventional-records".to_vec()), &[]));
    }
    let field = |written: &[u8], value| {
        let name = trim(written, is_ws).to_ascii_lowercase().strip_prefix(b"acap-")?.to_vec();
        Some((name, trim(value, is_ws)))
    };
    // "`Disallow /a:b` keeps its rule": a word that is a known key is one, whatever follows the first colon.
    let (first, rest) = first_word(line);
    if !first.contains(&b':')
        && !rest.is_empty()
        && !rest.iter().any(|&byte| is_ws(byte))
        && !rest.starts_with(b":")
        && let Some((name, value)) = field(first, rest)
        && is_acap_key(&name)
    {
        return Some((Key::Acap(name), value));
    }
    let (written, value) = split_at_colon(line)?;
    field(written, value).map(|(name, value)| (Key::Acap(name), value))
}

/// The keys of ACAP's fields after `ACAP-`, in lower case, and any that is open (A1).
fn is_acap_key(name: &[u8]) -> bool {
    const KEYS: [&[u8]; 7] = [
        b"crawler",
        b"usage-purpose",
        b"permissions-reference",
        b"qualified-usage",
        b"composite-usage",
        b"resource-set",
        b"ignore-conventional-records",
    ];
    const OPEN: [&[u8]; 3] = [b"allow-", b"disallow-", b"request-"];
    KEYS.contains(&name) || OPEN.iter().any(|prefix| name.starts_with(prefix))
}

/// L8 under `rfc9309`: a known key before the first colon; otherwise a known key, white space and one run.
fn rfc9309_field(content: &[u8]) -> Option<(Key, &[u8])> {
    let line = trim(content, is_ws);
    if let Some((written, value)) = split_at_colon(line)
        && let Some((_, key)) =
            SPELLINGS.into_iter().find(|(name, _)| trim(written, is_ws).eq_ignore_ascii_case(name))
    {
        return Some((key, trim(value, is_ws)));
    }
    for (name, key) in SPELLINGS {
        if !starts_with(line, name) || !line.get(name.len()).is_some_and(|&byte| is_ws(byte)) {
            continue;
        }
        let value = trim(&line[name.len()..], is_ws);
        if !value.is_empty() && !value.iter().any(|&byte| is_ws(byte)) {
            return Some((key, value));
        }
    }
    None
}

/// L8, K1 and K2 under `koster1996` and `yandex`: the first colon, and every key in its first spelling only.
fn first_spelling_field(content: &[u8]) -> Option<(Key, &[u8])> {
    let (written, value) = split_at_colon(content)?;
    let key = match trim(written, is_ws).to_ascii_lowercase().as_slice() {
        b"user-agent" => Key::UserAgent,
        b"allow" => Key::Rule(Access::Allow),
        b"disallow" => Key::Rule(Access::Disallow),
        b"noindex" => Key::Noindex,
        b"allowaitraining" => Key::AiTraining(Access::Allow),
        b"disallowaitraining" => Key::AiTraining(Access::Disallow),
        b"content-signal" => Key::ContentSignal,
        b"content-usage" => Key::ContentUsage,
        b"crawl-delay" => Key::CrawlDelay,
        b"request-rate" => Key::RequestRate,
        b"visit-time" => Key::VisitTime,
        b"sitemap" => Key::Sitemap,
        b"host" => Key::Host,
        b"clean-param" => Key::CleanParam,
        b"license" => Key::License,
        b"timegate" => Key::TimeGate,
        b"archived" => Key::Archived,
        b"schemamap" => Key::Silent("schemamap"),
        b"llm-policy" => Key::Silent("llm-policy"),
        b"agentmap" => Key::Silent("agentmap"),
        b"tdm-reservation" => Key::Silent("tdm-reservation"),
        b"tdm-policy" => Key::Silent("tdm-policy"),
        _ => return None,
    };
    Some((key, trim(value, is_ws)))
}

/// L8, K1 and K2 under `google`: the first colon, or two runs. For the keys that the library knows, a spelling need
/// only be a prefix of the written key.
fn google_field(content: &[u8]) -> Option<(Key, &[u8])> {
    let line = trim(content, is_ascii_space);
    let (written, value) = match split_at_colon(line) {
        Some(parts) => parts,
        None => {
            let at = line.iter().position(|&byte| is_ws(byte))?;
            let value = trim(&line[at..], is_ws);
            if value.iter().any(|&byte| is_ws(byte)) {
                return None;
            }
            (&line[..at], value)
        }
    };
    let written = trim(written, is_ascii_space);
    let is_spelt = |(name, key): &(&[u8], Key)| match key {
        Key::UserAgent | Key::Rule(_) => starts_with(written, name),
        _ => written.eq_ignore_ascii_case(name),
    };
    let (_, key) = SPELLINGS.into_iter().find(is_spelt)?;
    Some((key, trim(value, is_ascii_space)))
}

fn split_at_colon(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == b':')?;
    Some((&line[..at], &line[at + 1..]))
}

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}
