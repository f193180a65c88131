//! ACAP in META tags and class attributes (P1 to P9; part 2, 2.2).

use robomata_protocol::{
    Crawler, MetaTag, PageFacts, Part, PermissionReason, Place, Source, Usage, Vocabulary,
};

use super::acap::{self, Definitions};
use super::qualifiers::{self, Setting};
use super::reading::purpose_of;
use super::statement::{Address, Purpose, Says, Statement};
use crate::groups::{self, Name};
use crate::text::{Word, after, is_page_space, joined_words, trim};

/// P1 and A5: the first of the crawler's tokens that is the name of a META tag of the page with ACAP content.
///
/// `ACAP-meta-tag-name = "robots" / crawler-name` (part 2, section 3), which may contain white space (part 1, section 3).
pub(crate) fn acap_name_on(page: &PageFacts, crawler: &Crawler) -> Option<Name> {
    let is_counted =
        |meta: &&MetaTag| acap_words(&meta.content).is_some() && acap_meta_name(meta) != Name::Everyone;
    let named: Vec<Name> = page.metas.iter().filter(is_counted).map(acap_meta_name).collect();
    groups::acap_tokens(crawler).into_iter().find(|token| named.contains(token))
}

/// P1: the page with a META tag for each name of a list of names.
pub(crate) fn with_one_name_each(page: &PageFacts) -> PageFacts {
    let of_each_name = |meta: &MetaTag| {
        let names = meta.name.split(',');
        names.map(|name| MetaTag { name: name.to_owned(), ..meta.clone() }).collect::<Vec<_>>()
    };
    PageFacts { metas: page.metas.iter().flat_map(of_each_name).collect(), ..page.clone() }
}

/// P1: the addressee of a robots META tag.
pub(crate) fn addressee(meta: &MetaTag) -> Name {
    let name = groups::name(trim(meta.name.as_bytes(), is_page_space));
    if name == groups::name(b"robots") { Name::Everyone } else { name }
}

/// P1: the address of an ACAP META tag, or `None` if it does not apply to the crawler that the page names `own`.
fn acap_address(meta: &MetaTag, own: Option<&Name>) -> Option<Address> {
    match acap_meta_name(meta) {
        Name::Everyone => Some(Address::Any),
        name => (Some(&name) == own).then_some(Address::Named),
    }
}

fn acap_meta_name(meta: &MetaTag) -> Name {
    let name = groups::acap_name(trim(meta.name.as_bytes(), is_page_space));
    if name == groups::acap_name(b"robots") { Name::Everyone } else { name }
}

/// P2: the words after `ACAP`, or `None` for other content.
pub(crate) fn acap_words(content: &str) -> Option<Vec<String>> {
    let mut words = words(content).into_iter();
    words.next().filter(|first| first.eq_ignore_ascii_case("acap"))?;
    Some(words.collect())
}

/// P2: words, separated by white space, by commas at their ends, and by commas before their first `=`. Marks at their ends
/// are spaces, too.
fn words(content: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for joined in joined_words(&with_spaces(content), is_page_space) {
        let joined = joined.trim_matches(',');
        let sign = joined.find('=').unwrap_or(joined.len());
        let mut pieces: Vec<String> = joined[..sign].split(',').map(str::to_owned).collect();
        if let Some(last) = pieces.last_mut() {
            last.push_str(&joined[sign..]);
        }
        // A comma before the first `=` makes ends of words.
        words.extend(pieces.iter().map(|piece| piece.trim_matches(MARKS).to_owned()));
    }
    words.retain(|word| !word.is_empty());
    words
}

const MARKS: [char; 4] = [';', '|', '"', '\''];

/// P2: "A `;`, `|`, `"` or `'` at the start or the end of the content or of a word counts as a space, and so does each
/// character of Unicode's White_Space." Commas at the ends of words are not in them.
fn with_spaces(content: &str) -> String {
    let spaced = content.replace(char::is_whitespace, " ");
    let runs = spaced.split(' ').map(|run| {
        let is_of_end = |c: char| c == ',' || MARKS.contains(&c);
        let word = run.trim_matches(is_of_end);
        let start = run.len() - run.trim_start_matches(is_of_end).len();
        let (before, after) =
            if word.is_empty() { (run, "") } else { (&run[..start], &run[start + word.len()..]) };
        format!("{}{word}{}", before.replace(MARKS, " "), after.replace(MARKS, " "))
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// How a page's version affects unknown features (P3; 2.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// 1.0 or 1.1: an unknown usage is from a later version, and void.
    Known,
    /// 1.n, n above 1: an unknown usage may belong to this version, and cannot be interpreted.
    Later,
    /// Of another major version: nothing can be interpreted.
    Incompatible,
}

/// P3: the first version tag, regardless of the addressee.
fn version(page: &PageFacts) -> Version {
    let written = page.metas.iter().filter_map(|meta| acap_words(&meta.content)).find_map(|words| {
        let [first, version, ..] = &words[..] else {
            return None;
        };
        first.eq_ignore_ascii_case("version").then(|| numbers(version)).flatten()
    });
    match written {
        None | Some((1, 0 | 1)) => Version::Known,
        Some((1, _)) => Version::Later,
        Some(_) => Version::Incompatible,
    }
}

/// "A string comprising integers separated by dots": the major and the minor number.
fn numbers(version: &str) -> Option<(u64, u64)> {
    let mut numbers = Vec::new();
    for part in version.split('.') {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        numbers.push(part.parse().unwrap_or(u64::MAX));
    }
    Some((*numbers.first()?, numbers.get(1).copied().unwrap_or(0)))
}

/// The ACAP statements of META tags to the crawler that the page names `own`, for the purpose in question.
pub(crate) fn meta_statements(
    page: &PageFacts,
    own: Option<&Name>,
    purpose: Option<&str>,
    definitions: &Definitions,
) -> Vec<Statement> {
    let version = version(page);
    let mut statements = Vec::new();
    for meta in &page.metas {
        let address = acap_address(meta, own);
        let (Some(address), Some(words)) = (address, acap_words(&meta.content)) else {
            continue;
        };
        let (pattern, contents) = content(&words);
        let patterns = pattern.map(|pattern| vec![pattern.as_bytes().to_vec()]);
        let Some(purpose) = purpose_of(patterns.as_deref(), purpose) else {
            continue;
        };
        let source = Source { vocabulary: Vocabulary::Acap, place: Place::Meta, line: meta.line };
        for written in contents {
            for (usage, says) in interpreted(&written, version, definitions) {
                statements.push(Statement { usage, says, address, purpose, depth: 1, scope: None, source });
            }
        }
    }
    statements
}

/// A permission or prohibition as written.
#[derive(Clone, Debug)]
enum ContentItem {
    Allow(String, Vec<Word>),
    Disallow(String),
}

/// P2: the purpose pattern, and the statements.
fn content(words: &[String]) -> (Option<&str>, Vec<ContentItem>) {
    let is_said = |word: &str| after(word, "allow-").is_some() || after(word, "disallow-").is_some();
    let mut words = words;
    let mut purpose = None;
    if let [first, rest @ ..] = words
        && !is_said(first)
    {
        if first.eq_ignore_ascii_case("version") {
            words = rest.get(1..).unwrap_or_default();
        } else {
            purpose = Some(first.as_str());
            words = rest;
        }
    }
    let mut contents = Vec::new();
    for word in words {
        if let Some(usage) = after(word, "allow-") {
            contents.push(ContentItem::Allow(usage.to_owned(), Vec::new()));
        } else if let Some(usage) = after(word, "disallow-") {
            contents.push(ContentItem::Disallow(usage.to_owned()));
        } else if let Some(ContentItem::Allow(_, qualifiers)) = contents.last_mut() {
            // "1*(1*WSP qualifier-specification)": any other word is a qualifier that cannot be interpreted.
            qualifiers.push(Word::of(word));
        }
    }
    (purpose, contents)
}

/// P3, P6 and P8: the meaning of a statement for each usage, under the page's version.
fn interpreted(written: &ContentItem, version: Version, definitions: &Definitions) -> Vec<(Usage, Says)> {
    let uninterpretable = Says::Prohibited(PermissionReason::Uninterpretable);
    match written {
        ContentItem::Disallow(usage) => definitions.prohibited(usage),
        ContentItem::Allow(usage, words) => {
            let Some(usage) = qualifiers::usage(usage) else {
                return if version == Version::Known { Vec::new() } else { uninterpretable_usages() };
            };
            if version == Version::Incompatible {
                return vec![(usage, uninterpretable)];
            }
            match qualifiers::qualifiers(words, usage, Setting::Page) {
                Some(qualifiers) => vec![(usage, Says::Permitted(qualifiers))],
                None => vec![(usage, uninterpretable)],
            }
        }
    }
}

/// P6: if even the usage is unknown, every ACAP usage except crawl and follow is prohibited.
///
/// `other` is also excepted, because it would in turn prohibit crawl and follow.
fn uninterpretable_usages() -> Vec<(Usage, Says)> {
    let concerned =
        |usage: &Usage| usage.is_acap() && !matches!(usage, Usage::Crawl | Usage::Follow | Usage::Other);
    Usage::ALL
        .into_iter()
        .filter(concerned)
        .map(|usage| (usage, Says::Prohibited(PermissionReason::Uninterpretable)))
        .collect()
}

/// P8: the statements of the element in question, and of those that enclose it.
pub(crate) fn element_statements(page: &PageFacts, part: Part, definitions: &Definitions) -> Vec<Statement> {
    let Part::Element(innermost) = part else {
        return Vec::new();
    };
    let mut chain = Vec::new();
    let mut next = Some(innermost);
    // At most as many steps as the page has elements, so that an element that is its own parent causes no endless loop.
    while let Some(at) = next
        && let Some(element) = page.elements.get(index(at))
        && chain.len() < page.elements.len()
    {
        chain.push(at);
        next = element.parent;
    }
    let mut statements = Vec::new();
    for (depth, &at) in (2..).zip(chain.iter().rev()) {
        statements.extend(statements_of(page, at, depth, definitions));
    }
    statements
}

/// P9: the statements of every element, in page order, for crawlers that do not work by element.
pub(crate) fn all_element_statements(page: &PageFacts, definitions: &Definitions) -> Vec<Statement> {
    let mut statements = Vec::new();
    for (at, _) in (0_u32..).zip(&page.elements) {
        statements.extend(statements_of(page, at, 2, definitions));
    }
    statements
}

fn statements_of(page: &PageFacts, at: u32, depth: usize, definitions: &Definitions) -> Vec<Statement> {
    let element = &page.elements[index(at)];
    let version = version(page);
    let source = Source { vocabulary: Vocabulary::Acap, place: Place::Element(at), line: element.line };
    let mut statements = Vec::new();
    for class in &element.classes {
        for (usage, says) in class_says(class, version, definitions) {
            statements.push(Statement {
                usage,
                says,
                address: Address::Any,
                purpose: Purpose::General,
                depth,
                scope: None,
                source,
            });
        }
    }
    statements
}

/// P8: the meaning of a word of a class: `"the-acap:allow-" (ACAP-usage-name / local-usage-name)` or
/// `"the-acap:disallow-" ACAP-usage-name` (part 2, section 3). A local usage is one that the robots.txt defines. A
/// prohibition of it is read as the field that it is "semantically equivalent" to (2.2.8).
fn class_says(class: &str, version: Version, definitions: &Definitions) -> Vec<(Usage, Says)> {
    if let Some(usage) = after(class, "the-acap:disallow-") {
        return definitions.prohibited(usage);
    }
    let Some(written) = after(class, "the-acap:allow-") else {
        return Vec::new();
    };
    let usages = match acap::local_name(written.as_bytes()) {
        Some(local) => definitions.usage(local),
        None => {
            let usage = qualifiers::usage(written).into_iter();
            usage.map(|usage| (usage, Says::Permitted(Vec::new()))).collect()
        }
    };
    match version {
        _ if usages.is_empty() => uninterpretable_usages(),
        // P3: the version is that of the whole page.
        Version::Incompatible => usages.into_iter().map(acap::uninterpretable).collect(),
        Version::Known | Version::Later => usages,
    }
}

fn index(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_words_without_an_equals_sign() {
        assert_eq!(words("ACAP allow-index, disallow-follow"), ["ACAP", "allow-index", "disallow-follow"]);
        assert_eq!(words("a,b"), ["a", "b"]);
        assert_eq!(words("location = http://a/x,y, b ,"), ["location=http://a/x,y", "b"]);
        assert_eq!(words("a,b,c=1,d"), ["a", "b", "c=1,d"]);
        assert_eq!(acap_words("acap x"), Some(vec!["x".to_owned()]));
        assert_eq!(acap_words("acapella x"), None);
    }

    /// Part 2, 2.2.7.
    #[test]
    fn versions_are_numbers_separated_by_dots() {
        assert_eq!(numbers("1.1"), Some((1, 1)));
        assert_eq!(numbers("2"), Some((2, 0)));
        assert_eq!(numbers("1.x"), None);
    }
}
