//! Robots META tags, X-Robots-Tag and Robots-Tag headers (P10 to P12, P16; table U).

use robomata_protocol::{
    Crawler, Dialect, ImagePreview, LengthUnit, Modification, Moment, PageFacts, PermissionReason, Place,
    Qualifier, Source, TimeLimit, Usage, Vocabulary,
};

use super::content;
use super::dates;
use super::header;
use super::page::{acap_words, addressee};
use super::qualifiers::number;
use super::robots_tag;
use super::statement::Says;
use super::voice::{Decision, Voice};
use crate::groups::{self, Name};
use crate::text::is_page_space;

/// A directive with its addressee.
#[derive(Clone, Debug)]
struct Directive {
    word: Word,
    addressee: Name,
    source: Source,
}

/// The directives that this engine knows, with their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    All,
    None,
    Index,
    Noindex,
    Follow,
    Nofollow,
    Noarchive,
    Nocache,
    Noai,
    Noimageai,
    Nosnippet,
    Notranslate,
    Noimageindex,
    Indexifembedded,
    /// `None`: no limit.
    MaxSnippet(Option<u32>),
    /// `None`: no preview.
    MaxImagePreview(Option<ImagePreview>),
    /// `None`: no limit.
    MaxVideoPreview(Option<u32>),
    UnavailableAfter(Moment),
}

/// The crawlers whose operators give directives a further meaning (P12; table U).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operators {
    bing: bool,
    google: bool,
}

impl Operators {
    /// None of them.
    pub(crate) const NONE: Operators = Operators { bing: false, google: false };

    /// "Only for a crawler with the token", compared as in P1.
    pub(crate) fn of(crawler: &Crawler) -> Operators {
        let tokens = groups::tokens(crawler);
        let has = |name: &[u8]| tokens.contains(&groups::name(name));
        Operators { bing: has(b"bingbot"), google: has(b"googlebot") }
    }
}

/// A piece of a content: a directive, or a name that addresses the directives after it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Directive(Word),
    Name(Name),
}

/// A statement.
struct MetaStatement {
    usage: Usage,
    says: Says,
    source: Source,
}

/// The combined statement of robots META tags, X-Robots-Tag and Robots-Tag about `usage`, for the crawler that
/// has these names (P1, P12).
pub(crate) fn voice(
    page: &PageFacts,
    dialect: Dialect,
    tokens: &[Name],
    operators: Operators,
    usage: Usage,
) -> Voice {
    let mut statements = statements(&directives(page, dialect, tokens), operators);
    statements.retain(|statement| is_about(statement, usage));
    let (permitted, prohibited): (Vec<_>, Vec<_>) =
        statements.into_iter().partition(|statement| statement.says.is_permission());
    let sources = |statements: &[MetaStatement]| {
        statements.iter().map(|statement| statement.source).collect::<Vec<_>>()
    };
    // R2: they are combined, so none of them conflicts with another.
    if !prohibited.is_empty() {
        return Voice::of(Decision::prohibited(sources(&prohibited), PermissionReason::Explicit));
    }
    if !permitted.is_empty() {
        let all = permitted.iter().flat_map(|statement| match &statement.says {
            Says::Permitted(qualifiers) => qualifiers.clone(),
            Says::Prohibited(_) => Vec::new(),
        });
        return Voice::of(Decision::permitted(sources(&permitted), most_restrictive(all.collect())));
    }
    Voice::SILENT
}

/// P12: "What is said about `present` holds for each derived usage, too, whatever else is said about that one."
fn is_about(statement: &MetaStatement, usage: Usage) -> bool {
    content::is_about(statement.usage, usage)
        || (statement.usage == Usage::Present && usage.is_derived_from_present())
}

/// P12: of two snippets the smaller, of previews the smaller, of dates the earlier; in the order of the enum.
fn most_restrictive(mut qualifiers: Vec<Qualifier>) -> Vec<Qualifier> {
    // The order of `Qualifier` puts the smaller of one kind first.
    qualifiers.sort();
    let mut kept: Vec<Qualifier> = Vec::new();
    for qualifier in qualifiers {
        let is_of_kind = |own: &Qualifier| std::mem::discriminant(own) == std::mem::discriminant(&qualifier);
        if !kept.iter().any(is_of_kind) {
            kept.push(qualifier);
        }
    }
    kept
}

/// Every directive that addresses the crawler: META tags first, then headers. "The most restrictive of several wins; a tag
/// that names the crawler adds to the general one": any of its tokens is its name (P1).
fn directives(page: &PageFacts, dialect: Dialect, tokens: &[Name]) -> Vec<Directive> {
    let mut directives = Vec::new();
    // P2: "Where ACAP is not read, such content is conventional."
    let is_conventional = |content: &str| dialect != Dialect::Acap || acap_words(content).is_none();
    for meta in page.metas.iter().filter(|meta| is_conventional(&meta.content)) {
        let source = Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Meta, line: meta.line };
        // P10: a `/` at the end "belongs to the value, as HTML has it", and has no effect.
        let content = meta.content.strip_suffix('/').unwrap_or(&meta.content);
        for piece in pieces(content, Text::Meta) {
            if let Piece::Directive(word) = piece {
                directives.push(Directive { word, addressee: addressee(meta), source });
            }
        }
    }
    directives.extend(header_directives(page));
    directives
        .retain(|Directive { addressee, .. }| *addressee == Name::Everyone || tokens.contains(addressee));
    directives
}

/// The directives of X-Robots-Tag and Robots-Tag, in the order of the headers.
fn header_directives(page: &PageFacts) -> Vec<Directive> {
    let mut directives = Vec::new();
    let source = |line| Source { vocabulary: Vocabulary::RobotsMeta, place: Place::Header, line };
    for (number, value) in header::named(page, "x-robots-tag") {
        let mut addressee = Name::Everyone;
        for piece in pieces(&value, Text::Header) {
            match piece {
                Piece::Name(name) => addressee = name,
                Piece::Directive(word) => {
                    directives.push(Directive { word, addressee: addressee.clone(), source: source(number) });
                }
            }
        }
    }
    for member in robots_tag::members(page) {
        let source = source(member.header);
        directives.extend(member.words.into_iter().map(|word| Directive {
            word,
            addressee: member.name.clone(),
            source,
        }));
    }
    directives.sort_by_key(|directive| directive.source.line);
    directives
}

/// Table U.
fn statements(directives: &[Directive], operators: Operators) -> Vec<MetaStatement> {
    let mut statements = Vec::new();
    let is_nocache = directives.iter().any(|directive| directive.word == Word::Nocache);
    for Directive { word, addressee, source } in directives {
        let mut say = |usages: &[Usage], says: &Says| {
            for &usage in usages {
                statements.push(MetaStatement { usage, says: says.clone(), source: *source });
            }
        };
        let prohibited = Says::Prohibited(PermissionReason::Explicit);
        let permitted = Says::Permitted(Vec::new());
        let under = |qualifier: Qualifier| Says::Permitted(vec![qualifier]);
        let is_embedding = || {
            directives
                .iter()
                .any(|other| other.word == Word::Indexifembedded && other.addressee == *addressee)
        };
        // "nosnippet and max-snippet also limit direct input to AI answers."
        let snippets = [Usage::PresentSnippet, Usage::PresentOldsnippet, Usage::AiInput];
        let snippets = if operators.google { &snippets[..] } else { &snippets[..2] };
        let copies = [Usage::Preserve, Usage::PresentCurrentcopy, Usage::PresentOldcopy];
        let ai = [Usage::AiInput, Usage::AiTrain];
        let thumbnails = [Usage::PresentThumbnail, Usage::PresentOldthumbnail];
        match word {
            Word::All => say(&[Usage::Index, Usage::Follow], &permitted),
            Word::Index => say(&[Usage::Index], &permitted),
            Word::Follow => say(&[Usage::Follow], &permitted),
            Word::Noindex | Word::None => {
                if is_embedding() {
                    say(&[Usage::Index], &under(Qualifier::WhenEmbedded));
                } else {
                    say(&[Usage::Index], &prohibited);
                }
                if *word == Word::None {
                    say(&[Usage::Follow], &prohibited);
                }
            }
            Word::Nofollow => say(&[Usage::Follow], &prohibited),
            Word::Noarchive => {
                say(&copies, &prohibited);
                // "Both together count as nocache, the milder one."
                if operators.bing && !is_nocache {
                    say(&ai, &prohibited);
                }
            }
            Word::Nocache => {
                say(&copies, &prohibited);
                if operators.bing {
                    say(&ai, &under(Qualifier::UrlTitleSnippet));
                }
            }
            Word::Noai => say(&[Usage::AiTrain], &prohibited),
            Word::Noimageai => say(&[Usage::AiTrainImages], &prohibited),
            Word::Nosnippet | Word::MaxSnippet(Some(0)) => say(snippets, &prohibited),
            Word::MaxSnippet(None) => say(snippets, &permitted),
            Word::MaxSnippet(Some(length)) => {
                say(snippets, &under(Qualifier::MaxLength(*length, LengthUnit::Chars)));
            }
            Word::MaxImagePreview(None) => say(&thumbnails, &prohibited),
            Word::MaxImagePreview(Some(size)) => {
                say(&thumbnails, &under(Qualifier::MaxImagePreview(*size)));
            }
            Word::MaxVideoPreview(None) => say(&[Usage::PresentSnippet], &permitted),
            Word::MaxVideoPreview(Some(seconds)) => {
                say(&[Usage::PresentSnippet], &under(Qualifier::MaxVideoPreview(*seconds)));
            }
            Word::Notranslate => {
                let translation = Qualifier::ProhibitedModification(Modification::Translation);
                say(&[Usage::Present], &under(translation));
            }
            Word::Noimageindex => say(&[Usage::IndexImages], &prohibited),
            // Alone it has no effect.
            Word::Indexifembedded => {}
            Word::UnavailableAfter(moment) => {
                let limit = Qualifier::TimeLimit(TimeLimit::Until(*moment));
                say(&[Usage::Index, Usage::Present], &under(limit));
            }
        }
    }
    statements
}

/// The location of a content: only headers contain names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Meta,
    Header,
}

pub(crate) const DATED: &str = "unavailable_after";

/// P10: "Before anything else is read, each `;`, `|`, `"`, `'` and each character of Unicode's White_Space counts as a space,
/// and each `=` as a `:`."
pub(super) fn separated(content: &str) -> String {
    let separator = |c: char| match c {
        ';' | '|' | '"' | '\'' => ' ',
        '=' => ':',
        _ if c.is_whitespace() => ' ',
        _ => c,
    };
    content.chars().map(separator).collect()
}

/// P10 and P11: words separated by commas or white space, with values after `:`. A value that is no date ends before a
/// further `:`.
fn pieces(content: &str, text: Text) -> Vec<Piece> {
    let content = separated(content);
    let bytes = content.as_bytes();
    let is_separator = |byte: u8| byte == b',' || is_page_space(byte);
    let skip = |mut at: usize, is_skipped: &dyn Fn(u8) -> bool| {
        while at < bytes.len() && is_skipped(bytes[at]) {
            at += 1;
        }
        at
    };
    // "A colon after a known word that takes no value separates words, as a comma does. So does one without a word before
    // it, and one after a value that is no date."
    let is_between = |byte: u8| is_separator(byte) || byte == b':';
    let is_next =
        |from: usize, to: usize| bytes[from..to].iter().all(|&byte| is_page_space(byte) || byte == b':');
    let mut pieces = Vec::new();
    // The ends of the last unknown word, or of its value, and of the last permission.
    let (mut unknown_end, mut permission_end) = (None, None);
    let mut at = skip(0, &is_between);
    while at < bytes.len() {
        let word_end = skip(at, &|byte| !is_between(byte));
        let word = content[at..word_end].to_ascii_lowercase();
        // White space may precede the colon.
        let colon = skip(word_end, &is_page_space);
        let after = (bytes.get(colon) == Some(&b':')).then_some(colon + 1);
        let mut end = word_end;
        if !is_known(&word) {
            // "all, index and follow have no effect next to an unknown word, or the value of one, without a comma between
            // them."
            if permission_end.is_some_and(|end| is_next(end, at)) {
                pieces.pop();
            }
            unknown_end = Some(word_end);
        }
        if let Some(word) = plain(&word) {
            let permits = matches!(word, Word::All | Word::Index | Word::Follow);
            if !(permits && unknown_end.is_some_and(|end| is_next(end, at))) {
                pieces.push(Piece::Directive(word));
                permission_end = if permits { Some(word_end) } else { None };
            }
        } else if let Some(after) = after {
            let value = skip(after, &is_page_space);
            if word == DATED {
                let (date, length) = dates::leading(&content[after..]);
                pieces.extend(date.map(|moment| Piece::Directive(Word::UnavailableAfter(moment))));
                end = after + length;
            } else if is_valued(&word) {
                let value_end = skip(value, &|byte| !is_between(byte));
                let written = content[value..value_end].to_ascii_lowercase();
                let directive = valued(&word, &written);
                // "A known word that is no valid value of a known directive before it is not its value."
                end = if directive.is_none() && is_known(&written) { after } else { value_end };
                pieces.extend(directive.map(Piece::Directive));
            } else if text == Text::Header && is_known(first_word(&content[value..])) {
                pieces.push(Piece::Name(name_of(&word)));
                end = after;
                // It is a name, and no unknown word.
                unknown_end = None;
            } else if value > after && is_known(first_word(&content[value..])) {
                // White space parts the directive from the colon, so it is not joined to the unknown word.
                end = after;
            } else {
                // An unknown word has no effect, nor has its value.
                end = skip(value, &|byte| !is_between(byte));
                unknown_end = Some(end);
            }
        }
        at = skip(end, &is_between);
    }
    pieces
}

/// The word at the beginning of this text.
pub(crate) fn first_word(text: &str) -> &str {
    let is_end = |c: char| matches!(c, ',' | ':') || (c.is_ascii() && is_page_space(c as u8));
    &text[..text.find(is_end).unwrap_or(text.len())]
}

/// P11: whether this is a known directive.
pub(crate) fn is_known(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    plain(&word).is_some() || is_valued(&word) || word == DATED
}

/// P1, P11, P16: `*`, and a name that is cut to `robots`, mean any crawler.
fn name_of(word: &str) -> Name {
    let name = groups::name(word.as_bytes());
    if name == groups::name(b"robots") { Name::Everyone } else { name }
}

pub(crate) fn plain(word: &str) -> Option<Word> {
    Some(match word {
        "all" => Word::All,
        "none" => Word::None,
        "index" => Word::Index,
        "noindex" => Word::Noindex,
        "follow" => Word::Follow,
        "nofollow" => Word::Nofollow,
        "noarchive" => Word::Noarchive,
        "nocache" => Word::Nocache,
        "noai" => Word::Noai,
        "noimageai" => Word::Noimageai,
        "nosnippet" => Word::Nosnippet,
        "notranslate" => Word::Notranslate,
        "noimageindex" => Word::Noimageindex,
        "indexifembedded" => Word::Indexifembedded,
        _ => return None,
    })
}

fn is_valued(word: &str) -> bool {
    matches!(word, "max-snippet" | "max-image-preview" | "max-video-preview")
}

pub(crate) fn valued(word: &str, value: &str) -> Option<Word> {
    let count = || if value == "-1" { Some(None) } else { number(value).map(Some) };
    match word {
        "max-snippet" => count().map(Word::MaxSnippet),
        "max-video-preview" => count().map(Word::MaxVideoPreview),
        "max-image-preview" => match value {
            "none" => Some(Word::MaxImagePreview(None)),
            "standard" => Some(Word::MaxImagePreview(Some(ImagePreview::Standard))),
            "large" => Some(Word::MaxImagePreview(Some(ImagePreview::Large))),
            _ => None,
        },
        _ => None,
    }
}
