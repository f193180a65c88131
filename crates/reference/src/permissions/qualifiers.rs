//! Qualifiers: which ones are valid with which usage, and their values (A9, A10; part 1, 2.5.3 to 2.5.5).

use robomata_protocol::{LengthUnit, Modification, Qualifier, TimeLimit, Usage};

use super::time;
use crate::text::{Word, after};

/// The location of a permission: `location` is a qualifier of pages only (part 2, 2.2.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    RobotsTxt,
    Page,
}

/// The ACAP usage with this full name, in any case (part 1, 2.5).
pub(crate) fn usage(name: &str) -> Option<Usage> {
    Usage::ALL.into_iter().find(|usage| usage.is_acap() && usage.as_str().eq_ignore_ascii_case(name))
}

/// A9: the qualifiers of a permission of `usage`, as written, without duplicates. `None`: one of them is unknown,
/// invalid, misplaced or repeated, or is not of the form `type=value`.
pub(crate) fn qualifiers(words: &[Word], usage: Usage, setting: Setting) -> Option<Vec<Qualifier>> {
    let mut read = Vec::new();
    let mut types: Vec<String> = Vec::new();
    for word in words {
        let Word::Pair(kind, value) = word else {
            return None;
        };
        let kind = kind.to_ascii_lowercase();
        if !is_valid_with(&kind, usage, setting) {
            return None;
        }
        // "Any individual qualifier may only occur once in a permission field" (2.5.5.2), except for one type.
        if types.contains(&kind) && kind != "prohibited-modification" {
            return None;
        }
        read.push(qualifier(&kind, value)?);
        types.push(kind);
    }
    // "May be repeated within a permission, except if the prohibited modification is `any`" (2.5.5.2.4).
    let has_any = read.contains(&Qualifier::ProhibitedModification(Modification::Any));
    if has_any && types.iter().filter(|&kind| kind == "prohibited-modification").count() > 1 {
        return None;
    }
    Some(without_duplicates(read))
}

/// The first of each, in order.
pub(crate) fn without_duplicates(qualifiers: Vec<Qualifier>) -> Vec<Qualifier> {
    let mut kept = Vec::new();
    for qualifier in qualifiers {
        if !kept.contains(&qualifier) {
            kept.push(qualifier);
        }
    }
    kept
}

/// A9: the table of part 1, 2.5.3 to 2.5.5, and of part 2, 2.2.9.
fn is_valid_with(kind: &str, usage: Usage, setting: Setting) -> bool {
    let is_presentation = usage == Usage::Present || usage.is_derived_from_present();
    let is_copy = matches!(usage, Usage::PresentOriginal | Usage::PresentCurrentcopy | Usage::PresentOldcopy);
    match kind {
        "time-limit" => matches!(usage, Usage::Index | Usage::Preserve) || is_presentation,
        "must-use-resource" => usage == Usage::Index || is_presentation,
        "must-include-resource" => is_presentation,
        "max-length" => matches!(usage, Usage::PresentSnippet | Usage::PresentOldsnippet),
        "prohibited-modification" => usage == Usage::Present || is_copy,
        "prohibited-context" | "required-context" => is_copy,
        "location" => setting == Setting::Page,
        _ => false,
    }
}

/// A10: the qualifier of this type with this value, if the value is valid for the type.
fn qualifier(kind: &str, value: &str) -> Option<Qualifier> {
    if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    match kind {
        "time-limit" => time_limit(value).map(Qualifier::TimeLimit),
        "must-use-resource" => is_used_resource(value).then(|| Qualifier::MustUseResource(value.to_owned())),
        "must-include-resource" => {
            is_included_resource(value).then(|| Qualifier::MustIncludeResource(value.to_owned()))
        }
        "max-length" => max_length(value),
        "prohibited-modification" => modification(value).map(Qualifier::ProhibitedModification),
        "prohibited-context" => {
            value.eq_ignore_ascii_case("within-user-frame").then_some(Qualifier::ProhibitedContext)
        }
        "required-context" => {
            value.eq_ignore_ascii_case("within-original-frame").then_some(Qualifier::RequiredContext)
        }
        "location" => (!value.is_empty()).then(|| Qualifier::Location(value.to_owned())),
        _ => None,
    }
}

/// 2.5.3.1.
fn time_limit(value: &str) -> Option<TimeLimit> {
    let value = value.to_ascii_lowercase();
    match value.as_str() {
        "until-recrawled" | "until-recrawl" => Some(TimeLimit::UntilRecrawled),
        _ => match value.strip_prefix("until-") {
            Some(date) => time::date(date).map(TimeLimit::UntilDate),
            None => number(value.strip_suffix("-days")?).map(TimeLimit::Days),
        },
    }
}

/// 2.5.5.2.3.
fn max_length(value: &str) -> Option<Qualifier> {
    let value = value.to_ascii_lowercase();
    if let Some(count) = value.strip_suffix("-chars") {
        return number(count).map(|count| Qualifier::MaxLength(count, LengthUnit::Chars));
    }
    number(value.strip_suffix("-words")?).map(|count| Qualifier::MaxLength(count, LengthUnit::Words))
}

/// 2.5.5.2.4.
fn modification(value: &str) -> Option<Modification> {
    use Modification::{Annotation, Any, Format, Style, Translation};
    [Any, Format, Style, Translation, Annotation]
        .into_iter()
        .find(|modification| modification.as_str().eq_ignore_ascii_case(value))
}

/// A10: decimal digits, at most 4,294,967,295.
pub(crate) fn number(digits: &str) -> Option<u32> {
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { digits.parse().ok() } else { None }
}

/// 2.5.3.2: a URI, or an element of the page.
fn is_used_resource(value: &str) -> bool {
    match after(value, "the-acap:") {
        Some(own) => after(own, "extract:").is_some_and(|locator| is_within(locator) == Some(true)),
        None => !value.is_empty(),
    }
}

/// 2.5.5.2.5: a URI, alone or with a role, or an element of the page with a role.
fn is_included_resource(value: &str) -> bool {
    match after(value, "the-acap:") {
        Some(own) => match after(own, "credit:").or_else(|| after(own, "link:")) {
            Some(locator) => is_within(locator)
                .unwrap_or_else(|| !locator.is_empty() && after(locator, "the-acap:").is_none()),
            None => false,
        },
        None => !value.is_empty(),
    }
}

/// Whether the name of an element of the page is not empty, or `None` if the text names no element of the page.
fn is_within(locator: &str) -> Option<bool> {
    ["id:", "class:", "meta:"].into_iter().find_map(|kind| after(locator, kind)).map(|name| !name.is_empty())
}

/// The URI of another resource that the qualifier names, if any (A19).
pub(crate) fn target(qualifier: &Qualifier) -> Option<&str> {
    match qualifier {
        Qualifier::MustUseResource(uri) => after(uri, "the-acap:").is_none().then_some(uri),
        Qualifier::MustIncludeResource(uri) => match after(uri, "the-acap:") {
            Some(own) => after(own, "credit:")
                .or_else(|| after(own, "link:"))
                .filter(|locator| is_within(locator).is_none()),
            None => Some(uri),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{is_ws, joined_words};

    fn read(usage: Usage, written: &str) -> Option<Vec<String>> {
        let words: Vec<Word> = joined_words(written, is_ws).iter().map(|word| Word::of(word)).collect();
        qualifiers(&words, usage, Setting::RobotsTxt)
            .map(|read| read.iter().map(ToString::to_string).collect())
    }

    fn is_valid(usage: Usage, written: &str) -> bool {
        read(usage, written).is_some()
    }

    /// Every qualifier in the examples of part 1, 2.5.3 to 2.5.5.
    #[test]
    fn the_examples_are_read() {
        let examples = [
            (Usage::Index, "time-limit=until-recrawled"),
            (Usage::Index, "time-limit=until-2007-12-31"),
            (Usage::Preserve, "time-limit=3-days"),
            (Usage::Index, "must-use-resource=/page-image-index.txt"),
            (Usage::Index, "must-use-resource=the-acap:extract:class:abstract"),
            (Usage::PresentThumbnail, "must-use-resource=/book/cover.jpg"),
            (Usage::PresentSnippet, "max-length=250-chars"),
            (Usage::PresentSnippet, "max-length=30-words"),
            (Usage::Present, "prohibited-modification=annotation"),
            (Usage::PresentCurrentcopy, "prohibited-context=within-user-frame"),
            (Usage::PresentOriginal, "required-context=within-original-frame"),
        ];
        for (usage, written) in examples {
            assert_eq!(read(usage, written), Some(vec![written.to_owned()]), "{written}");
        }
        let twice = "prohibited-modification=format prohibited-modification=translation";
        assert_eq!(read(Usage::PresentCurrentcopy, twice).map(|read| read.len()), Some(2));
        // 2.4.1.2 writes it in this way.
        assert_eq!(
            read(Usage::Preserve, "TIME-LIMIT = Until-Recrawl"),
            Some(vec!["time-limit=until-recrawled".to_owned()])
        );
    }

    /// A9 and A10.
    #[test]
    fn what_is_invalid_misplaced_or_repeated() {
        assert!(!is_valid(Usage::Crawl, "time-limit=3-days"));
        assert!(!is_valid(Usage::Preserve, "must-use-resource=/x"));
        assert!(!is_valid(Usage::Present, "max-length=3-chars"));
        assert!(!is_valid(Usage::PresentSnippet, "prohibited-modification=any"));
        assert!(!is_valid(Usage::Index, "location=/x"));
        assert!(!is_valid(Usage::Index, "time-limit=3-days time-limit=3-days"));
        assert!(!is_valid(Usage::Present, "prohibited-modification=any prohibited-modification=style"));
        assert!(is_valid(Usage::Present, "prohibited-modification=any"));
        assert!(!is_valid(Usage::Index, "time-limit=until-2007-02-29"));
        assert!(!is_valid(Usage::Index, "time-limit=4294967296-days"));
        assert!(is_valid(Usage::Index, "time-limit=4294967295-days"));
        assert!(!is_valid(Usage::Index, "time-limit=+3-days"));
        assert!(!is_valid(Usage::Index, "must-use-resource=the-acap:extract:"));
        assert!(!is_valid(Usage::Index, "must-use-resource=the-acap:extract:id:"));
        assert!(!is_valid(Usage::Index, "must-use-resource=the-acap:credit:/x"));
        assert!(is_valid(Usage::Present, "must-include-resource=the-acap:credit:/x"));
        assert!(is_valid(Usage::Present, "must-include-resource=the-acap:link:meta:terms"));
        assert!(!is_valid(Usage::Present, "must-include-resource=the-acap:extract:id:x"));
        assert!(!is_valid(Usage::Index, "soon"));
        assert!(!is_valid(Usage::Index, "price=1"));
        assert!(!is_valid(Usage::Index, "time-limit=3-days =x"));
    }

    /// A19.
    #[test]
    fn targets_are_resources_outside_of_the_page() {
        let included = |uri: &str| target(&Qualifier::MustIncludeResource(uri.into())).map(str::to_owned);
        assert_eq!(included("the-acap:credit:/c.gif"), Some("/c.gif".into()));
        assert_eq!(included("the-acap:credit:id:x"), None);
        assert_eq!(included("http://a.example/"), Some("http://a.example/".into()));
        assert_eq!(target(&Qualifier::MustUseResource("the-acap:extract:id:x".into())), None);
    }
}
