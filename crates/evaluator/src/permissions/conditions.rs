//! Whether the restrictions of a permission that depend on URLs still leave a permission (`crates/PERMISSIONS.md`, A19,
//! P7).

use std::borrow::Cow;

use robomata_automaton::NormalForm;
use robomata_permissions::ConditionEffect;
use robomata_protocol::{MissingFact, PermissionReason, Qualifier};

use crate::site::Site;
use crate::target::{Target, TargetBuffer};

const HELD: ConditionEffect = ConditionEffect::Yes(Vec::new());

/// Whether the page is at the location of the permission (P7). `url` is that of the page, as given in the query.
pub(crate) fn location(uri: &str, url: &[u8]) -> ConditionEffect {
    let (Some(expected), Some(actual)) = (Target::new(uri.as_bytes()), Target::new(url)) else {
        return ConditionEffect::No(PermissionReason::LocationMismatch);
    };
    if !same_path(&expected, &actual) {
        return ConditionEffect::No(PermissionReason::LocationMismatch);
    }
    if expected.scheme.is_none() {
        return HELD;
    }
    if actual.scheme.is_none() {
        return ConditionEffect::Yes(vec![MissingFact::PageUrl]);
    }
    match (Site::of_url(uri.as_bytes()), Site::of_url(url)) {
        (Ok(expected), Ok(actual)) if expected == actual => HELD,
        _ => ConditionEffect::No(PermissionReason::LocationMismatch),
    }
}

fn same_path(one: &Target<'_>, other: &Target<'_>) -> bool {
    let (mut a, mut b) = (TargetBuffer::default(), TargetBuffer::default());
    one.in_form(NormalForm::Rfc9309, &mut a) == other.in_form(NormalForm::Rfc9309, &mut b)
}

/// The location of a resource that a permission requires (A19), relative to `url`.
pub(crate) enum Required<'q> {
    /// Within the page itself, or a resource that does not have to be crawled.
    Inside,
    /// At this URI of the same site: see [`resolved`].
    Here(&'q str),
    /// At this URL of another site.
    Elsewhere(&'q str),
}

/// Finds the resource that a qualifier requires to be crawlable.
pub(crate) fn required<'q>(qualifier: &'q Qualifier, url: &[u8]) -> Required<'q> {
    let (Qualifier::MustUseResource(uri) | Qualifier::MustIncludeResource(uri)) = qualifier else {
        return Required::Inside;
    };
    let Some(uri) = locator(uri) else { return Required::Inside };
    let is_here = match Target::new(uri.as_bytes()) {
        Some(target) if target.scheme.is_none() => true,
        Some(_) => match (Site::of_url(uri.as_bytes()), Site::of_url(url)) {
            (Ok(required), Ok(own)) => required == own,
            _ => false,
        },
        None => !has_scheme(uri),
    };
    if is_here { Required::Here(uri) } else { Required::Elsewhere(uri) }
}

/// The URI of a resource of the same site as a path or URL, relative to `url`.
pub(crate) fn resolved<'q>(uri: &'q str, url: &[u8]) -> Cow<'q, [u8]> {
    if Target::new(uri.as_bytes()).is_some() { uri.as_bytes().into() } else { resolve_path(url, uri).into() }
}

/// The URI in the value of a qualifier; `None` if the resource is within the page.
fn locator(value: &str) -> Option<&str> {
    let after = |text: &'_ str, prefix: &str| {
        let head = text.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| text.len() - prefix.len())
    };
    let rest = |text: &'static str| after(value, text).map(|length| &value[value.len() - length..]);
    if rest("the-acap:extract:").is_some() {
        return None;
    }
    let value = rest("the-acap:credit:").or_else(|| rest("the-acap:link:")).unwrap_or(value);
    let is_within = ["id:", "class:", "meta:"].iter().any(|prefix| after(value, prefix).is_some());
    (!is_within).then_some(value)
}

fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// The path of a relative reference: in the directory of `url`.
fn resolve_path(url: &[u8], uri: &str) -> Vec<u8> {
    let mut buffer = TargetBuffer::default();
    let path = Target::new(url).map(|target| target.in_form(NormalForm::Verbatim, &mut buffer).to_vec());
    let mut path = path.unwrap_or_else(|| b"/".to_vec());
    path.truncate(path.iter().position(|&byte| byte == b'?').unwrap_or(path.len()));
    path.truncate(path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1));
    path.extend_from_slice(uri.as_bytes());
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_resources_are_found_from_the_page() {
        let url = b"https://a.example/x/y?z=/q";
        let required_by = |value: &str| Qualifier::MustIncludeResource(value.to_owned());
        let path = |value: &str| match required(&required_by(value), url) {
            Required::Inside => "inside".to_owned(),
            Required::Here(uri) => String::from_utf8(resolved(uri, url).into_owned()).unwrap(),
            Required::Elsewhere(uri) => format!("elsewhere {uri}"),
        };
        assert_eq!(path("/c.jpg"), "/c.jpg");
        assert_eq!(path("c.jpg"), "/x/c.jpg");
        assert_eq!(path("the-acap:credit:c.jpg"), "/x/c.jpg");
        assert_eq!(path("the-acap:credit:id:c"), "inside");
        assert_eq!(path("the-acap:extract:class:c"), "inside");
        assert_eq!(path("HTTPS://A.example:443/c"), "HTTPS://A.example:443/c");
        assert_eq!(path("http://a.example/c"), "elsewhere http://a.example/c");
        assert_eq!(path("urn:isbn:1"), "elsewhere urn:isbn:1");
    }
}
