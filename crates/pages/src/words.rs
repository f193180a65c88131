//! The words of ACAP that pages share with robots.txt (`crates/PERMISSIONS.md`, A9 to A11).

use robomata_protocol::{Date, LengthUnit, Modification, Qualifier, TimeLimit, Usage};

/// The usage of ACAP with this name, in any case (part 1, 2.5).
pub(crate) fn usage(name: &str) -> Option<Usage> {
    Usage::ALL
        .into_iter()
        .filter(|usage| usage.is_acap())
        .find(|usage| usage.as_str().eq_ignore_ascii_case(name))
}

/// Where a permission stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Valid {
    /// In a page: `location` is valid with every usage.
    InPage,
}

/// Why qualifiers cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QualifierError {
    pub(crate) fault: QualifierFault,
}

/// What can be wrong with a qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QualifierFault {
    /// No version that is known has a qualifier of this type.
    UnknownType,
    /// It is not valid with the usage, has no valid value, or stands twice.
    Invalid,
}

/// The qualifiers of a permission of `usage`: words `type=value`. If any type is unknown, that is told.
pub(crate) fn qualifiers<'w>(
    words: impl IntoIterator<Item = &'w str>,
    usage: Usage,
    Valid::InPage: Valid,
) -> Result<Vec<Qualifier>, QualifierError> {
    const INVALID: QualifierError = QualifierError { fault: QualifierFault::Invalid };
    let mut found = Vec::new();
    let mut result = Ok(());
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let kind = Kind::named(name).ok_or(QualifierError { fault: QualifierFault::UnknownType })?;
        match kind.qualifier(value).filter(|_| kind.is_valid_with(usage)) {
            Some(qualifier) if !is_repeated(&found, kind, &qualifier) => found.push((kind, qualifier)),
            _ => result = Err(INVALID),
        }
    }
    result.map(|()| found.into_iter().map(|(_, qualifier)| qualifier).collect())
}

/// Each type may stand once, modifications any number of times unless one is `any` (row A9).
fn is_repeated(found: &[(Kind, Qualifier)], kind: Kind, added: &Qualifier) -> bool {
    let any = Qualifier::ProhibitedModification(Modification::Any);
    let mut same = found.iter().filter(|(earlier, _)| *earlier == kind);
    match kind {
        Kind::ProhibitedModification => same.any(|(_, earlier)| *earlier == any || *added == any),
        _ => same.next().is_some(),
    }
}

/// The types of qualifiers of ACAP 1.0 and 1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "time-limit" => Kind::TimeLimit,
            "must-use-resource" => Kind::MustUseResource,
            "must-include-resource" => Kind::MustIncludeResource,
            "max-length" => Kind::MaxLength,
            "prohibited-modification" => Kind::ProhibitedModification,
            "prohibited-context" => Kind::ProhibitedContext,
            "required-context" => Kind::RequiredContext,
            "location" => Kind::Location,
            _ => return None,
        })
    }

    /// Row A9.
    fn is_valid_with(self, usage: Usage) -> bool {
        let is_present = usage == Usage::Present || usage.is_derived_from_present();
        let is_copy =
            matches!(usage, Usage::PresentOriginal | Usage::PresentCurrentcopy | Usage::PresentOldcopy);
        match self {
            Kind::TimeLimit => is_present || matches!(usage, Usage::Index | Usage::Preserve),
            Kind::MustUseResource => is_present || usage == Usage::Index,
            Kind::MustIncludeResource => is_present,
            Kind::MaxLength => matches!(usage, Usage::PresentSnippet | Usage::PresentOldsnippet),
            Kind::ProhibitedModification => is_copy || usage == Usage::Present,
            Kind::ProhibitedContext | Kind::RequiredContext => is_copy,
            Kind::Location => true,
        }
    }

    /// Row A10.
    fn qualifier(self, value: &str) -> Option<Qualifier> {
        // Other octets are percent-encoded in values (part 1, section 3).
        if !value.bytes().all(|octet| octet.is_ascii_graphic()) {
            return None;
        }
        let lower = value.to_ascii_lowercase();
        match self {
            Kind::TimeLimit => time_limit(&lower).map(Qualifier::TimeLimit),
            Kind::MustUseResource => resource(value, &["extract"], In::Page).map(Qualifier::MustUseResource),
            Kind::MustIncludeResource => {
                resource(value, &["credit", "link"], In::PageOrElsewhere).map(Qualifier::MustIncludeResource)
            }
            Kind::MaxLength => max_length(&lower),
            Kind::ProhibitedModification => modification(&lower).map(Qualifier::ProhibitedModification),
            Kind::ProhibitedContext => (lower == "within-user-frame").then_some(Qualifier::ProhibitedContext),
            Kind::RequiredContext => (lower == "within-original-frame").then_some(Qualifier::RequiredContext),
            Kind::Location => (!value.is_empty()).then(|| Qualifier::Location(value.to_owned())),
        }
    }
}

fn time_limit(value: &str) -> Option<TimeLimit> {
    if let Some(days) = value.strip_suffix("-days") {
        return number(days).map(TimeLimit::Days);
    }
    match value.strip_prefix("until-")? {
        "recrawled" | "recrawl" => Some(TimeLimit::UntilRecrawled),
        date => day(date).map(TimeLimit::UntilDate),
    }
}

/// A day that exists, `yyyy-mm-dd`.
fn day(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let mut part = |width: usize| {
        let digits = parts.next().filter(|digits| digits.len() == width)?;
        number(digits)
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let date = jiff::civil::Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    date.ok().filter(|_| parts.next().is_none()).map(|_| Date {
        year: u16::try_from(year).unwrap_or_default(),
        month: u8::try_from(month).unwrap_or_default(),
        day: u8::try_from(day).unwrap_or_default(),
    })
}

fn max_length(value: &str) -> Option<Qualifier> {
    let (count, unit) = value.split_once('-')?;
    let unit = match unit {
        "chars" => LengthUnit::Chars,
        "words" => LengthUnit::Words,
        _ => return None,
    };
    Some(Qualifier::MaxLength(number(count)?, unit))
}

fn modification(value: &str) -> Option<Modification> {
    use Modification::{Annotation, Any, Format, Style, Translation};
    [Any, Format, Style, Translation, Annotation].into_iter().find(|kind| kind.as_str() == value)
}

/// Where what a `the-acap:` URI names may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Page,
    PageOrElsewhere,
}

/// A URI as written, unless it is one of the `the-acap:` scheme that is not valid here.
fn resource(value: &str, roles: &[&str], of: In) -> Option<String> {
    let strip = |text: &str, word: &str| {
        text.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(str::len)
    };
    let is_valid = match strip(value, "the-acap:") {
        None => !value.is_empty(),
        Some(scheme) => value[scheme..].split_once(':').is_some_and(|(role, locator)| {
            let in_page = ["id:", "class:", "meta:"].iter().find_map(|part| strip(locator, part));
            roles.iter().any(|known| known.eq_ignore_ascii_case(role))
                && match in_page {
                    Some(part) => locator.len() > part,
                    None => {
                        of == In::PageOrElsewhere
                            && !locator.is_empty()
                            && strip(locator, "the-acap:").is_none()
                    }
                }
        }),
    };
    is_valid.then(|| value.to_owned())
}

/// Decimal digits, at most 4,294,967,295.
pub(crate) fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|octet| octet.is_ascii_digit()).then(|| digits.parse().ok())?
}
