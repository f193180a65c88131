//! Robots META tags, X-Robots-Tag and Robots-Tag headers (`crates/PERMISSIONS.md`, U, P10 to P12, P16).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use robomata_policy::{Address, Says, Statement};
use robomata_protocol::{
    ImagePreview, LengthUnit, Modification, Moment, PermissionReason, Qualifier, Source, TimeLimit, Usage,
};

use crate::dates;
use crate::decimal::decimal;
use crate::diagnostic::{PageDiagnostic, PageProblem};
use crate::robots_tag::Value;

const COPIES: [Usage; 3] = [Usage::Preserve, Usage::PresentCurrentcopy, Usage::PresentOldcopy];
const SNIPPETS: [Usage; 2] = [Usage::PresentSnippet, Usage::PresentOldsnippet];
const SNIPPETS_AND_AI_INPUT: [Usage; 4] = [SNIPPETS[0], SNIPPETS[1], AI_INPUT[0], AI_INPUT[1]];
const THUMBNAILS: [Usage; 2] = [Usage::PresentThumbnail, Usage::PresentOldthumbnail];
const AI_INPUT: [Usage; 2] = [Usage::AiInput, Usage::AiInputInSearch];
const AI_TRAINING: [Usage; 3] = [Usage::AiTrain, Usage::AiTrainImages, Usage::AiTrainInSearch];

/// What is said about `present` holds for each derived usage, too, whatever else is said about that one (P12).
fn present() -> impl Iterator<Item = Usage> {
    Usage::ALL.into_iter().filter(|&usage| usage == Usage::Present || usage.is_derived_from_present())
}

/// What directives also mean to a crawler, because its operator documents it (P12).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    /// Bing (2023-09): `noarchive` and `nocache` are also about answers and training.
    of_bing: bool,
    /// Google (2025-03): limits of snippets are also about input to answers.
    of_google: bool,
}

impl Terms {
    /// The terms of the crawler with these names.
    pub(crate) fn of(names: &[&str]) -> Self {
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        Terms { of_bing: has("bingbot"), of_google: has("googlebot") }
    }
}

/// Whom directives address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Addressee {
    /// Any crawler.
    Any,
    /// The crawler, by one of its names.
    Named(usize),
}

impl From<Addressee> for Address {
    fn from(addressee: Addressee) -> Self {
        match addressee {
            Addressee::Any => Address::Any,
            Addressee::Named(_) => Address::Named,
        }
    }
}

/// Collects the directives of robots META tags, X-Robots-Tag and Robots-Tag headers for one crawler.
#[derive(Debug, Default)]
pub(crate) struct Directives {
    terms: Terms,
    /// The first `noarchive` by the terms of Bing. A `nocache`, which is milder, lifts it.
    noarchive: Option<(Addressee, Source)>,
    has_nocache: bool,
    prohibited: BTreeMap<Usage, (Addressee, Source)>,
    permitted: BTreeMap<Usage, (Addressee, Source, Vec<Qualifier>)>,
    /// The first `noindex` to each addressee. An `indexifembedded` to the same addressee lifts it.
    noindex: BTreeMap<Addressee, Source>,
    embedded: BTreeSet<Addressee>,
}

impl Directives {
    pub(crate) fn new(terms: Terms) -> Self {
        Directives { terms, ..Directives::default() }
    }

    /// Adds the directives in `words`, to this addressee.
    pub(crate) fn add(
        &mut self,
        word: &Word<'_>,
        addressee: Addressee,
        source: Source,
        diagnostics: &mut Vec<PageDiagnostic>,
    ) {
        let Err(problem) = self.directive(word, addressee, source) else { return };
        let text = word.value.map_or(word.name.to_owned(), |value| format!("{}: {value}", word.name));
        diagnostics.push(PageDiagnostic::new(source, problem, &text));
    }

    /// Adds a directive of a Robots-Tag.
    pub(crate) fn add_parameter(
        &mut self,
        (name, value): &(String, Value),
        addressee: Addressee,
        source: Source,
        diagnostics: &mut Vec<PageDiagnostic>,
    ) {
        let date;
        let value = match (Kind::of(name), value) {
            (_, Value::False) => return,
            (Kind::Date, &Value::Date(seconds)) => {
                return self.unavailable_after(Moment(seconds), addressee, source);
            }
            (Kind::Flag, _) | (_, Value::True | Value::Date(_) | Value::Other) => None,
            (Kind::Date, Value::Text(text)) => {
                date = usual_separators(text);
                Some(longest_date(&date))
            }
            (_, Value::Text(text)) => Some(text.as_str()),
        };
        self.add(&Word { name, value }, addressee, source, diagnostics);
    }

    fn directive(
        &mut self,
        word: &Word<'_>,
        addressee: Addressee,
        source: Source,
    ) -> Result<(), PageProblem> {
        let Terms { of_bing, of_google } = self.terms;
        let mut permit = |usages: &[Usage], qualifiers: &[Qualifier]| {
            usages.iter().for_each(|&usage| self.permit(usage, qualifiers, addressee, source));
        };
        let value = || word.value.ok_or(PageProblem::InvalidValue);
        let snippets = if of_google { &SNIPPETS_AND_AI_INPUT[..] } else { &SNIPPETS };
        match word.name.to_ascii_lowercase().as_str() {
            "index" => permit(&[Usage::Index], &[]),
            "follow" => permit(&[Usage::Follow], &[]),
            "all" => permit(&[Usage::Index, Usage::Follow], &[]),
            "notranslate" => {
                let qualifier = Qualifier::ProhibitedModification(Modification::Translation);
                present().for_each(|usage| permit(&[usage], std::slice::from_ref(&qualifier)));
            }
            "unavailable_after" => {
                let until = dates::moment(value()?).ok_or(PageProblem::InvalidDate)?;
                self.unavailable_after(until, addressee, source);
            }
            "max-snippet" => match limit(value()?)? {
                Some(0) => self.prohibit(snippets, addressee, source),
                Some(count) => permit(snippets, &[Qualifier::MaxLength(count, LengthUnit::Chars)]),
                None => permit(snippets, &[]),
            },
            "max-video-preview" => match limit(value()?)? {
                Some(seconds) => permit(&[Usage::PresentSnippet], &[Qualifier::MaxVideoPreview(seconds)]),
                None => permit(&[Usage::PresentSnippet], &[]),
            },
            "max-image-preview" => match value()?.to_ascii_lowercase().as_str() {
                "none" => self.prohibit(&THUMBNAILS, addressee, source),
                "standard" => permit(&THUMBNAILS, &[Qualifier::MaxImagePreview(ImagePreview::Standard)]),
                "large" => permit(&THUMBNAILS, &[Qualifier::MaxImagePreview(ImagePreview::Large)]),
                _ => return Err(PageProblem::InvalidValue),
            },
            "noindex" => self.noindex(addressee, source),
            "nofollow" => self.prohibit(&[Usage::Follow], addressee, source),
            "none" => {
                self.noindex(addressee, source);
                self.prohibit(&[Usage::Follow], addressee, source);
            }
            "noarchive" => {
                self.prohibit(&COPIES, addressee, source);
                if of_bing && self.noarchive.is_none_or(|(_, first)| is_before(source, first)) {
                    self.noarchive = Some((addressee, source));
                }
            }
            "nocache" => {
                if of_bing {
                    permit(&AI_INPUT, &[Qualifier::UrlTitleSnippet]);
                    permit(&AI_TRAINING, &[Qualifier::UrlTitleSnippet]);
                    self.has_nocache = true;
                }
                self.prohibit(&COPIES, addressee, source);
            }
            "nosnippet" => self.prohibit(snippets, addressee, source),
            "noai" => self.prohibit(&AI_TRAINING, addressee, source),
            "noimageai" => self.prohibit(&[Usage::AiTrainImages], addressee, source),
            "noimageindex" => self.prohibit(&[Usage::IndexImages], addressee, source),
            "indexifembedded" => {
                self.embedded.insert(addressee);
            }
            _ => return Err(PageProblem::UnknownDirective),
        }
        Ok(())
    }

    fn unavailable_after(&mut self, until: Moment, addressee: Addressee, source: Source) {
        let limit = Qualifier::TimeLimit(TimeLimit::Until(until));
        for usage in iter::once(Usage::Index).chain(present()) {
            self.permit(usage, std::slice::from_ref(&limit), addressee, source);
        }
    }

    fn noindex(&mut self, addressee: Addressee, source: Source) {
        self.noindex.entry(addressee).or_insert(source);
    }

    fn prohibit(&mut self, usages: &[Usage], addressee: Addressee, source: Source) {
        for &usage in usages {
            let first = self.prohibited.entry(usage).or_insert((addressee, source));
            if is_before(source, first.1) {
                *first = (addressee, source);
            }
        }
    }

    fn permit(&mut self, usage: Usage, qualifiers: &[Qualifier], addressee: Addressee, source: Source) {
        let first = self.permitted.entry(usage).or_insert((addressee, source, Vec::new()));
        if is_before(source, first.1) {
            (first.0, first.1) = (addressee, source);
        }
        let (.., held) = first;
        qualifiers.iter().for_each(|qualifier| hold(held, qualifier));
    }

    /// Returns one statement for each usage with a directive: the most restrictive one (row P12).
    pub(crate) fn into_statements(mut self) -> Vec<Statement> {
        if let Some((addressee, source)) = self.noarchive.filter(|_| !self.has_nocache) {
            self.prohibit(&AI_INPUT, addressee, source);
            self.prohibit(&AI_TRAINING, addressee, source);
        }
        for (addressee, source) in std::mem::take(&mut self.noindex) {
            if self.embedded.contains(&addressee) {
                self.permit(Usage::Index, &[Qualifier::WhenEmbedded], addressee, source);
            } else {
                self.prohibit(&[Usage::Index], addressee, source);
            }
        }
        let statement = |usage| {
            let (addressee, source, says) = match self.prohibited.get(&usage) {
                Some(&(addressee, source)) => {
                    (addressee, source, Says::Prohibited(PermissionReason::Explicit))
                }
                None => {
                    let (addressee, source, qualifiers) = self.permitted.remove(&usage)?;
                    (addressee, source, Says::Permitted(qualifiers))
                }
            };
            Some(Statement { usage, says, address: addressee.into(), purpose: None, source })
        };
        Usage::ALL.into_iter().filter_map(statement).collect()
    }
}

/// Of equal statements the first is reported: META tags first, then headers. Deferred statements may be out of order.
fn is_before(one: Source, other: Source) -> bool {
    (one.place, one.line) < (other.place, other.line)
}

/// Adds a qualifier. Of two limits of the same kind, keeps the stricter one.
fn hold(held: &mut Vec<Qualifier>, added: &Qualifier) {
    let stricter = held.iter_mut().find_map(|earlier| match (&mut *earlier, added) {
        (Qualifier::MaxLength(count, _), Qualifier::MaxLength(other, _)) => {
            *count = (*count).min(*other);
            Some(())
        }
        (Qualifier::MaxVideoPreview(seconds), Qualifier::MaxVideoPreview(other)) => {
            *seconds = (*seconds).min(*other);
            Some(())
        }
        (Qualifier::MaxImagePreview(size), Qualifier::MaxImagePreview(other)) => {
            *size = (*size).min(*other);
            Some(())
        }
        (Qualifier::TimeLimit(limit), Qualifier::TimeLimit(other)) => {
            *limit = (*limit).min(*other);
            Some(())
        }
        (earlier, added) => (earlier == added).then_some(()),
    });
    if stricter.is_none() {
        held.push(added.clone());
    }
}

/// Parses a limit; none for -1.
fn limit(value: &str) -> Result<Option<u32>, PageProblem> {
    if value == "-1" {
        return Ok(None);
    }
    Some(value).filter(|value| !value.is_empty()).and_then(decimal).map(Some).ok_or(PageProblem::InvalidValue)
}

/// A part of a META tag's content or of a header's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// A directive or an unknown word.
    Word(Word<'t>),
    /// The address of the words that follow, the first of which is a known directive. Occurs in headers only.
    Address(&'t str),
}

/// A directive as written, with the value after its `:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) name: &'t str,
    pub(crate) value: Option<&'t str>,
}

/// The kind of source that contains the directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum In {
    Meta,
    Header,
}

/// Replaces the other separators of a content or a value by the usual ones, before it is split into [`Pieces`] (row P10).
pub(crate) fn usual_separators(text: &str) -> Cow<'_, str> {
    let usual = |c: char| match c {
        '=' => ':',
        ';' | '|' | '"' | '\'' => ' ',
        c if c.is_whitespace() => ' ',
        c => c,
    };
    match text.chars().all(|c| c == usual(c)) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().map(usual).collect()),
    }
}

/// Splits a content or a value with the usual separators into pieces (rows P10 and P11).
pub(crate) struct Pieces<'t> {
    rest: &'t str,
    place: In,
    /// Whether an unknown word, or its value, ends where the rest begins.
    is_after_unknown: bool,
}

impl<'t> Pieces<'t> {
    pub(crate) fn new(text: &'t str, place: In) -> Self {
        Pieces { rest: text, place, is_after_unknown: false }
    }

    fn cut(&mut self, end: usize) -> &'t str {
        let (cut, rest) = self.rest.split_at(end);
        self.rest = rest;
        cut
    }

    /// Takes what is before the next separator or colon.
    fn word(&mut self) -> &'t str {
        self.cut(word_end(self.rest))
    }

    /// Takes the value of a directive with this name. A known word that is not a value of it is the next word.
    fn value(&mut self, name: &str, kind: Kind) -> Option<&'t str> {
        self.rest = self.rest.trim_ascii_start();
        let word = &self.rest[..word_end(self.rest)];
        let is_value = name.eq_ignore_ascii_case("max-image-preview") && word.eq_ignore_ascii_case("none");
        if is_directive(word) && !is_value {
            return None;
        }
        Some(if kind == Kind::Date {
            self.cut(longest_date(self.rest).len()).trim_ascii()
        } else {
            self.word()
        })
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = loop {
            let start = self.rest.find(|c| !is_separator(c) && c != ':')?;
            let is_after_unknown = !self.cut(start).contains(',') && self.is_after_unknown;
            let name = self.word();
            self.is_after_unknown = false;
            let next = self.rest.trim_start_matches(|c: char| c == ':' || c.is_ascii_whitespace());
            let is_before_unknown =
                !next.is_empty() && !next.starts_with(',') && !begins_with_directive(next);
            if !is_permission(name) || !is_after_unknown && !is_before_unknown {
                break name;
            }
        };
        let kind = Kind::of(name);
        let after = self.rest.trim_ascii_start().strip_prefix(':');
        let value = match (kind, after) {
            (Kind::Flag, _) | (_, None) => None,
            (Kind::Number | Kind::Date, Some(after)) => {
                self.rest = after;
                self.value(name, kind)
            }
            (Kind::Unknown, Some(after)) if self.place == In::Header && begins_with_directive(after) => {
                self.rest = after;
                return Some(Piece::Address(name));
            }
            // The next word is the value. A directive is one only without white space before it.
            (Kind::Unknown, Some(after)) => {
                self.rest = if begins_with_directive(after) { after } else { after.trim_ascii_start() };
                Some(self.word())
            }
        };
        self.is_after_unknown = kind == Kind::Unknown;
        Some(Piece::Word(Word { name, value }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Number,
    Date,
    Unknown,
}

impl Kind {
    fn of(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "all" | "index" | "follow" | "none" | "noindex" | "nofollow" | "noarchive" | "nocache"
            | "nosnippet" | "notranslate" | "noimageindex" | "indexifembedded" | "noai" | "noimageai" => {
                Kind::Flag
            }
            "max-snippet" | "max-image-preview" | "max-video-preview" => Kind::Number,
            "unavailable_after" => Kind::Date,
            _ => Kind::Unknown,
        }
    }
}

/// Whether a word only permits. `no index` permits nothing (P10).
fn is_permission(word: &str) -> bool {
    ["all", "index", "follow"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// Whether the first word of `text` is a known directive.
pub(crate) fn begins_with_directive(text: &str) -> bool {
    let text = text.trim_ascii_start();
    is_directive(&text[..word_end(text)])
}

fn is_directive(word: &str) -> bool {
    Kind::of(word) != Kind::Unknown
}

/// The date at the beginning of `text` (row P10).
fn longest_date(text: &str) -> &str {
    let ends = text.match_indices(is_separator).filter_map(|(at, separator)| {
        let next = at + separator.len();
        let is_end = separator == ","
            || !text[next..].starts_with(|c: char| c.is_ascii_whitespace())
                && begins_with_directive(&text[next..]);
        is_end.then_some(at)
    });
    dates::longest(text, ends.chain([text.len()]))
}

/// The position of the first separator or colon, or the end of the text.
fn word_end(text: &str) -> usize {
    text.find(|c| is_separator(c) || c == ':').unwrap_or(text.len())
}

fn is_separator(c: char) -> bool {
    c == ',' || c.is_ascii_whitespace()
}
