//! ACAP in META tags and class attributes (part 2; `crates/PERMISSIONS.md`, P2, P3, P6 and P8).

use std::sync::Arc;

use robomata_policy::acap::{self, Valid};
use robomata_policy::{Address, LocalStatement, Says, Statement, unknown_usages};
use robomata_protocol::{PageElement, PermissionReason, Place, Qualifier, Source, Usage, Vocabulary};

use crate::decimal::decimal;
use crate::diagnostic::{PageDiagnostic, PageProblem};
use crate::reading::AcapVersion;

/// The words after `ACAP` in an ACAP content; none if the content is not ACAP.
pub(crate) fn words(content: &str) -> Option<Vec<String>> {
    let mut words = separated(content).into_iter();
    words.next().filter(|word| word.eq_ignore_ascii_case("ACAP"))?;
    Some(words.collect())
}

/// Splits a content into words. White space separates words, and so do commas at their ends and before a `=`. White
/// space around `=` is ignored. Other separators at the ends of words count as spaces.
fn separated(content: &str) -> Vec<String> {
    const SPACES: [char; 4] = [';', '|', '"', '\''];
    const SEPARATORS: [char; 5] = [',', SPACES[0], SPACES[1], SPACES[2], SPACES[3]];
    let mut words: Vec<String> = Vec::new();
    let mut is_parted = true;
    for written in content.split_whitespace().map(|written| written.trim_start_matches(SPACES)) {
        if written.is_empty() {
            continue;
        }
        let value = written.trim_end_matches(SEPARATORS);
        let goes_on = !std::mem::replace(&mut is_parted, written[value.len()..].contains(','));
        let run = value.trim_start_matches(SEPARATORS);
        match words.last_mut() {
            // `type =value`, `type= value`: an `=` after the first one of a word belongs to the value.
            Some(last) if goes_on && value.starts_with('=') && !last.contains('=') => last.push_str(value),
            Some(last) if goes_on && last.find('=') == Some(last.len() - 1) => last.push_str(value),
            _ => {
                // A value may contain commas, so they separate only before it.
                let names = &run[..run.find('=').unwrap_or(run.len())];
                let begin = names.rfind(',').map_or(0, |comma| comma + 1);
                let earlier = run[..begin].split(',').chain([&run[begin..]]);
                let earlier = earlier.map(|word| word.trim_matches(SPACES));
                words.extend(earlier.filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }
    words
}

/// The version in the page's META tags, of which these are the words after `ACAP`: the first valid one, regardless of its
/// address (row P3).
pub(crate) fn version<'w>(mut tags: impl Iterator<Item = &'w Vec<String>>) -> AcapVersion {
    let version_of = |words: &Vec<String>| {
        words.first().filter(|word| word.eq_ignore_ascii_case("version"))?;
        words.get(1).and_then(|number| parse_version(number))
    };
    tags.find_map(version_of).unwrap_or_default()
}

fn parse_version(text: &str) -> Option<AcapVersion> {
    let numbers: Vec<u32> = text
        .split('.')
        .map(|digits| Some(digits).filter(|digits| !digits.is_empty()).and_then(decimal))
        .collect::<Option<_>>()?;
    Some(AcapVersion { major: numbers[0], minor: numbers.get(1).copied().unwrap_or(0) })
}

/// Interprets the ACAP statements of a page for one crawler.
pub(crate) struct Reader<'d> {
    pub(crate) version: AcapVersion,
    pub(crate) statements: Vec<Statement>,
    /// Prohibitions of local usages, and permissions of them in elements.
    pub(crate) local: Vec<LocalStatement>,
    pub(crate) diagnostics: &'d mut Vec<PageDiagnostic>,
}

/// The verb of a statement, such as `allow-index`: allow or disallow, and a usage.
#[derive(Clone, Copy)]
struct Verb<'t> {
    permits: bool,
    usage: &'t str,
}

impl<'t> Verb<'t> {
    /// The name of a local usage.
    fn local(self) -> Option<&'t str> {
        self.usage.strip_prefix('(')?.strip_suffix(')')
    }
}

/// The address, the purposes and the position of a statement.
#[derive(Clone, Copy)]
struct Context<'t> {
    address: Address,
    purpose: Option<&'t Arc<str>>,
    source: Source,
}

impl Reader<'_> {
    /// Reads the words after `ACAP` in a META tag.
    pub(crate) fn meta(&mut self, words: &[String], address: Address, line: u32) {
        let source = Source { vocabulary: Vocabulary::Acap, place: Place::Meta, line };
        let (words, purpose) = match words {
            [version, rest @ ..] if version.eq_ignore_ascii_case("version") => {
                (self.skip_version(rest, source), None)
            }
            [first, rest @ ..] if verb(first).is_none() => (rest, Some(first.as_str())),
            all => (all, None),
        };
        if let Some(purpose) = purpose.filter(|_| words.is_empty()) {
            self.diagnose(source, PageProblem::UnknownWord, purpose);
        }
        let purpose = purpose.map(Arc::from);
        let context = Context { address, purpose: purpose.as_ref(), source };
        let mut rest = words;
        while let [first, after @ ..] = rest {
            let Some(verb) = verb(first) else {
                self.diagnose(source, PageProblem::UnknownWord, first);
                rest = after;
                continue;
            };
            let end = after.iter().position(|word| self::verb(word).is_some()).unwrap_or(after.len());
            self.statement(first, verb, &after[..end], context);
            rest = &after[end..];
        }
    }

    /// Reads the classes of an element; `place` is its index.
    pub(crate) fn element(&mut self, place: u32, element: &PageElement) {
        let source =
            Source { vocabulary: Vocabulary::Acap, place: Place::Element(place), line: element.line };
        let context = Context { address: Address::Any, purpose: None, source };
        let scheme = "the-acap:";
        for class in &element.classes {
            let is_acap = class.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
            match verb(class.get(scheme.len()..).unwrap_or_default()).filter(|_| is_acap) {
                Some(verb) => self.statement(class, verb, &[], context),
                None if is_acap => self.diagnose(source, PageProblem::UnknownWord, class),
                None => {}
            }
        }
    }

    /// Skips a leading `version x` and returns the rest.
    fn skip_version<'w>(&mut self, words: &'w [String], source: Source) -> &'w [String] {
        let number = words.first().filter(|word| verb(word).is_none());
        if number.and_then(|number| parse_version(number)).is_none() {
            self.diagnose(source, PageProblem::InvalidVersion, number.map_or("", String::as_str));
        }
        &words[usize::from(number.is_some())..]
    }

    /// Reads one statement and the words after it. A word that is no qualifier is void after a prohibition, but may be a
    /// restriction of a permission.
    fn statement(&mut self, written: &str, verb: Verb<'_>, words: &[String], context: Context<'_>) {
        for word in words.iter().filter(|word| !is_qualifier(word)) {
            self.diagnose(context.source, PageProblem::UnknownWord, word);
        }
        if verb.permits {
            self.permission(written, verb, words, context);
        } else {
            self.prohibition(written, verb, words, context);
        }
    }

    fn prohibition(&mut self, written: &str, verb: Verb<'_>, words: &[String], context: Context<'_>) {
        match (acap::usage(verb.usage), verb.local()) {
            (Some(usage), _) => self.say(usage, Says::Prohibited(PermissionReason::Explicit), context),
            (None, Some(name)) => {
                self.diagnose(context.source, PageProblem::LocalProhibition, written);
                self.say_local(name, Some(PermissionReason::Explicit), context);
            }
            (None, None) => return self.diagnose(context.source, PageProblem::VoidProhibition, written),
        }
        for qualifier in words.iter().filter(|word| is_qualifier(word)) {
            self.diagnose(context.source, PageProblem::QualifiedProhibition, qualifier);
        }
    }

    /// A permission that cannot be read prohibits, unless its usage may be one of a version that this page does not use.
    fn permission(&mut self, written: &str, verb: Verb<'_>, words: &[String], context: Context<'_>) {
        let is_meta = context.source.place == Place::Meta;
        if let (Some(name), false) = (verb.local(), is_meta) {
            let prohibited = (self.version.major != 1).then_some(PermissionReason::Uninterpretable);
            return self.say_local(name, prohibited, context);
        }
        // META tags permit no local usages (section 3), so a local usage is unknown.
        let usage = acap::usage(verb.usage);
        let qualifiers = usage
            .filter(|_| words.iter().all(|word| is_qualifier(word)))
            .and_then(|usage| acap::qualifiers(words.iter().map(String::as_str), usage, Valid::InPage).ok());
        match qualifiers {
            Some(found) if self.version.major == 1 => {
                self.say_all(usage, &Says::Permitted(found), context);
            }
            None if usage.is_none() && is_meta && self.knows_all_of_its_version() => {
                self.diagnose(context.source, PageProblem::LaterFeature, &phrase(written, words));
            }
            _ => {
                self.diagnose(context.source, PageProblem::Uninterpretable, &phrase(written, words));
                self.say_all(usage, &Says::Prohibited(PermissionReason::Uninterpretable), context);
            }
        }
    }

    /// Returns whether this implementation knows every feature of the page's version.
    fn knows_all_of_its_version(&self) -> bool {
        matches!(self.version, AcapVersion { major: 1, minor: 0 | 1 })
    }

    /// Adds a statement for the usage. If the usage is unknown, adds one for each usage in P6.
    fn say_all(&mut self, usage: Option<Usage>, says: &Says<Vec<Qualifier>>, context: Context<'_>) {
        let all = usage.is_none().then(unknown_usages);
        for usage in usage.into_iter().chain(all.into_iter().flatten()) {
            self.say(usage, says.clone(), context);
        }
    }

    fn say(&mut self, usage: Usage, says: Says<Vec<Qualifier>>, context: Context<'_>) {
        let Context { address, purpose, source } = context;
        self.statements.push(Statement { usage, says, address, purpose: purpose.cloned(), source });
    }

    /// Adds a statement about a local usage. The robots.txt may define it, and is not available here.
    fn say_local(&mut self, name: &str, prohibited: Option<PermissionReason>, context: Context<'_>) {
        let Context { address, purpose, source } = context;
        let (name, purpose) = (name.to_owned(), purpose.cloned());
        let after = self.statements.len();
        self.local.push(LocalStatement { name, prohibited, address, purpose, source, after });
    }

    fn diagnose(&mut self, source: Source, problem: PageProblem, text: &str) {
        self.diagnostics.push(PageDiagnostic::new(source, problem, text));
    }
}

/// Parses `allow-usage` or `disallow-usage`, ignoring case.
fn verb(word: &str) -> Option<Verb<'_>> {
    [("allow-", true), ("disallow-", false)].into_iter().find_map(|(start, permits)| {
        begins(word, start).then(|| Verb { permits, usage: &word[start.len()..] })
    })
}

/// Whether a word begins with `start`, ignoring case.
pub(crate) fn begins(word: &str, start: &str) -> bool {
    word.as_bytes().get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
}

/// Whether a word is of the form `type=value`. The type and the value may be unknown.
fn is_qualifier(word: &str) -> bool {
    word.contains('=')
}

/// The text of a statement in a diagnostic.
fn phrase(written: &str, words: &[String]) -> String {
    std::iter::once(written).chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}
