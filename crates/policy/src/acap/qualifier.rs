//! Parses usages and qualifiers (ACAP part 1, sections 2.4.1.2 and 2.5; `crates/PERMISSIONS.md`, rows A9, A10 and P7).

use std::fmt;

use robomata_protocol::{Date, LengthUnit, Modification, Qualifier, TimeLimit, Usage};

/// Where a permission is, which decides the qualifiers it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Valid {
    /// In a robots.txt or a file that it refers to.
    InRobotsTxt,
    /// In a page, where `location` is valid with every usage (part 2, 2.2.9.1).
    InPage,
}

/// Why words are not a list of qualifiers for a usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualifierError {
    /// The kind of error.
    pub fault: QualifierFault,
    /// The qualifier's type as written, or the word that is not a qualifier.
    pub word: String,
}

/// The kinds of errors in qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QualifierFault {
    /// No qualifier of ACAP 1.0 or 1.1 has this type.
    UnknownType,
    /// The word is not of the form `type=value`.
    NoQualifier,
    /// The type has no such value.
    InvalidValue,
    /// The type is not valid with the usage, or not valid here.
    NotForUsage,
    /// The type occurs twice, or `any` occurs together with another modification.
    Repeated,
}

/// The usage with this ACAP name (section 2.5); names are case-insensitive.
pub fn usage(name: &str) -> Option<Usage> {
    let is_named = |usage: &Usage| usage.is_acap() && usage.as_str().eq_ignore_ascii_case(name);
    Usage::ALL.into_iter().find(is_named)
}

/// Parses the qualifiers of a permission of `usage` from the words of a text: its runs of characters other than white
/// space, in order.
///
/// White space around `=` is allowed (section 3), so three words can be one qualifier. A modification that is
/// prohibited twice is returned once.
///
/// # Errors
/// The first error.
pub fn qualifiers<'w>(
    words: impl IntoIterator<Item = &'w str>,
    usage: Usage,
    valid: Valid,
) -> Result<Vec<Qualifier>, QualifierError> {
    let mut found: Vec<Qualifier> = Vec::new();
    for written in QualifierText::all(words.into_iter()) {
        let qualifier = written.qualifier(usage, valid).map_err(|fault| written.error(fault))?;
        if is_repeated(&found, &qualifier) {
            return Err(written.error(QualifierFault::Repeated));
        }
        if !found.contains(&qualifier) {
            found.push(qualifier);
        }
    }
    Ok(found)
}

/// The words of a qualifier.
struct QualifierText<'w> {
    kind: &'w str,
    /// `None` when there is no `=`.
    value: Option<&'w str>,
}

impl<'w> QualifierText<'w> {
    /// Joins words that are separated by white space around `=`.
    fn all(words: impl Iterator<Item = &'w str>) -> impl Iterator<Item = QualifierText<'w>> {
        let mut words = words.peekable();
        std::iter::from_fn(move || {
            let word = words.next()?;
            let (kind, mut value) = match word.split_once('=') {
                Some((kind, value)) => (kind, Some(value)),
                None => (word, words.next_if(|next| next.starts_with('=')).map(|next| &next[1..])),
            };
            if value == Some("") {
                value = Some(words.next().unwrap_or_default());
            }
            Some(QualifierText { kind, value })
        })
    }

    fn qualifier(&self, usage: Usage, valid: Valid) -> Result<Qualifier, QualifierFault> {
        let value = self.value.filter(|_| !self.kind.is_empty()).ok_or(QualifierFault::NoQualifier)?;
        let kind = Kind::named(self.kind).ok_or(QualifierFault::UnknownType)?;
        if !kind.is_for(usage, valid) {
            return Err(QualifierFault::NotForUsage);
        }
        // Other bytes are percent-encoded in values (section 3).
        let value = Some(value).filter(|value| value.bytes().all(|byte| byte.is_ascii_graphic()));
        value.and_then(|value| kind.with(value)).ok_or(QualifierFault::InvalidValue)
    }

    fn error(&self, fault: QualifierFault) -> QualifierError {
        QualifierError { fault, word: self.kind.to_owned() }
    }
}

/// The types of qualifiers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    TimeLimit,
    MustUseResource,
    MustIncludeResource,
    MaxLength,
    ProhibitedModification,
    ProhibitedContext,
    RequiredContext,
    Location,
}

impl Kind {
    const NAMES: [(&'static str, Kind); 8] = [
        ("time-limit", Kind::TimeLimit),
        ("must-use-resource", Kind::MustUseResource),
        ("must-include-resource", Kind::MustIncludeResource),
        ("max-length", Kind::MaxLength),
        ("prohibited-modification", Kind::ProhibitedModification),
        ("prohibited-context", Kind::ProhibitedContext),
        ("required-context", Kind::RequiredContext),
        ("location", Kind::Location),
    ];

    fn named(name: &str) -> Option<Kind> {
        Kind::NAMES.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, kind)| kind)
    }

    /// Whether it is valid with `usage` (row A9).
    fn is_for(self, usage: Usage, valid: Valid) -> bool {
        let presents = usage == Usage::Present || usage.is_derived_from_present();
        let presents_whole =
            matches!(usage, Usage::PresentOriginal | Usage::PresentCurrentcopy | Usage::PresentOldcopy);
        match self {
            Kind::TimeLimit => presents || matches!(usage, Usage::Index | Usage::Preserve),
            Kind::MustUseResource => presents || usage == Usage::Index,
            Kind::MustIncludeResource => presents,
            Kind::MaxLength => matches!(usage, Usage::PresentSnippet | Usage::PresentOldsnippet),
            Kind::ProhibitedModification => presents_whole || usage == Usage::Present,
            Kind::ProhibitedContext | Kind::RequiredContext => presents_whole,
            Kind::Location => valid == Valid::InPage,
        }
    }

    /// The qualifier with this value, if the value is valid (row A10).
    fn with(self, value: &str) -> Option<Qualifier> {
        match self {
            Kind::TimeLimit => time_limit(value).map(Qualifier::TimeLimit),
            Kind::MustUseResource => is_resource(value, &["extract:"], Whole::No)
                .then(|| Qualifier::MustUseResource(value.to_owned())),
            Kind::MustIncludeResource => is_resource(value, &["credit:", "link:"], Whole::Yes)
                .then(|| Qualifier::MustIncludeResource(value.to_owned())),
            Kind::MaxLength => max_length(value),
            Kind::ProhibitedModification => modification(value).map(Qualifier::ProhibitedModification),
            Kind::ProhibitedContext => {
                value.eq_ignore_ascii_case("within-user-frame").then_some(Qualifier::ProhibitedContext)
            }
            Kind::RequiredContext => {
                value.eq_ignore_ascii_case("within-original-frame").then_some(Qualifier::RequiredContext)
            }
            Kind::Location => is_uri(value).then(|| Qualifier::Location(value.to_owned())),
        }
    }
}

/// Every type may occur once, except for modifications other than `any` (2.5.5.2, 2.5.5.2.4).
fn is_repeated(found: &[Qualifier], next: &Qualifier) -> bool {
    use Qualifier::ProhibitedModification;
    found.iter().any(|earlier| match (earlier, next) {
        (ProhibitedModification(earlier), ProhibitedModification(next)) => {
            [earlier, next].contains(&&Modification::Any)
        }
        _ => std::mem::discriminant(earlier) == std::mem::discriminant(next),
    })
}

/// `until-recrawled`, `until-yyyy-mm-dd`, `n-days` (2.5.3.1); 2.4.1.2 writes `until-recrawl`.
fn time_limit(value: &str) -> Option<TimeLimit> {
    if let Some(until) = strip_prefix(value, "until-") {
        let recrawled = ["recrawled", "recrawl"].iter().any(|word| until.eq_ignore_ascii_case(word));
        return if recrawled {
            Some(TimeLimit::UntilRecrawled)
        } else {
            date(until).map(TimeLimit::UntilDate)
        };
    }
    counted(value, "-days").map(TimeLimit::Days)
}

/// `yyyy-mm-dd`, an existing day.
fn date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let mut number = |digits: usize| parts.next().filter(|part| part.len() == digits).and_then(decimal);
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    let exists = parts.next().is_none() && (1..=last).contains(&day);
    exists.then_some(Date {
        year: u16::try_from(year).ok()?,
        month: u8::try_from(month).ok()?,
        day: u8::try_from(day).ok()?,
    })
}

/// `n-chars`, `n-words` (2.5.5.2.3).
fn max_length(value: &str) -> Option<Qualifier> {
    let chars = counted(value, "-chars").map(|count| (count, LengthUnit::Chars));
    let words = || counted(value, "-words").map(|count| (count, LengthUnit::Words));
    chars.or_else(words).map(|(count, unit)| Qualifier::MaxLength(count, unit))
}

fn modification(value: &str) -> Option<Modification> {
    use Modification::{Annotation, Any, Format, Style, Translation};
    let named = |kind: &Modification| kind.as_str().eq_ignore_ascii_case(value);
    [Any, Format, Style, Translation, Annotation].into_iter().find(named)
}

/// Whether a role of the scheme `the-acap:` can precede any URI, or only a part of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

/// Whether it is a URI, or `the-acap:` with one of the roles and its argument (2.5.3.2, 2.5.5.2.5).
fn is_resource(value: &str, roles: &[&str], whole: Whole) -> bool {
    let Some(role) = strip_prefix(value, "the-acap:") else {
        return !value.is_empty();
    };
    let Some(named) = roles.iter().find_map(|own| strip_prefix(role, own)) else {
        return false;
    };
    match ["id:", "class:", "meta:"].iter().find_map(|part| strip_prefix(named, part)) {
        Some(name) => !name.is_empty(),
        None => whole == Whole::Yes && is_uri(named),
    }
}

/// Any text is, except one that only looks like ACAP's own scheme.
fn is_uri(value: &str) -> bool {
    !value.is_empty() && strip_prefix(value, "the-acap:").is_none()
}

/// The number before `unit`.
fn counted(value: &str, unit: &str) -> Option<u32> {
    let at = value.len().checked_sub(unit.len()).filter(|&at| value.is_char_boundary(at))?;
    let (digits, end) = value.split_at(at);
    end.eq_ignore_ascii_case(unit).then(|| decimal(digits))?
}

/// Only digits: `parse` also accepts a sign.
fn decimal(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// The text after `prefix`, which is case-insensitive.
fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

impl QualifierFault {
    /// A short, stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            QualifierFault::UnknownType => "unknown-qualifier",
            QualifierFault::NoQualifier => "no-qualifier",
            QualifierFault::InvalidValue => "invalid-qualifier-value",
            QualifierFault::NotForUsage => "qualifier-not-for-usage",
            QualifierFault::Repeated => "repeated-qualifier",
        }
    }
}

impl fmt::Display for QualifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.word, self.fault.as_str())
    }
}

impl std::error::Error for QualifierError {}
