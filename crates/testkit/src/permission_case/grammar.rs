//! The one-line form of expectations: parser and writer.
//!
//! ```text
//! answer    = permission ["by" source] ["in" vocabulary] ["(" reason ")"] ["[" *qualifier "]"]
//!             ["lacks" list of lacks] ["over" ("nothing" / list of (source rule))]
//! source    = "nothing" / line / "meta" line / "header" number / "tdmrep" number / "link" line / "element" place
//!             / "referenced" place ":" line
//! at_line   = text "by" line
//! ```
//!
//! The parts come in this order, separated by white space. In lists, a comma follows each item but the last.

use std::fmt;

use robomata_protocol::{
    ConflictRule, License, Permission, PermissionAnswer, PermissionReason, Place, Source, Vocabulary,
};

use super::{Announcement, ExpectedAnswer, ExpectedSource, TextAtLine};

const PERMISSIONS: [Permission; 4] =
    [Permission::Permitted, Permission::Unspecified, Permission::Deferred, Permission::Prohibited];

const REASONS: [PermissionReason; 10] = [
    PermissionReason::Silence,
    PermissionReason::Explicit,
    PermissionReason::Undeterminable,
    PermissionReason::Uninterpretable,
    PermissionReason::Expired,
    PermissionReason::LocationMismatch,
    PermissionReason::TargetNotCrawlable,
    PermissionReason::ElementFallback,
    PermissionReason::RobotsTxt,
    PermissionReason::Fetch,
];

const VOCABULARIES: [Vocabulary; 8] = [
    Vocabulary::Robots,
    Vocabulary::Acap,
    Vocabulary::Noindex,
    Vocabulary::AiControl,
    Vocabulary::RobotsMeta,
    Vocabulary::ContentSignal,
    Vocabulary::ContentUsage,
    Vocabulary::TdmRep,
];

const RULES: [ConflictRule; 8] = [
    ConflictRule::ExplicitOverOther,
    ConflictRule::PurposeOverGeneral,
    ConflictRule::DerivedOverPresent,
    ConflictRule::NamedOverAny,
    ConflictRule::InnermostPlace,
    ConflictRule::NarrowestScope,
    ConflictRule::AcapOverConventional,
    ConflictRule::MostRestrictive,
];

/// The expected text, and the text found instead.
pub(super) struct Refused {
    pub(super) expected: String,
    pub(super) found: String,
}

fn refused(expected: impl Into<String>, found: &str) -> Refused {
    Refused { expected: expected.into(), found: format!("'{found}'") }
}

/// Parses the expectation in `text`.
pub(super) fn answer(text: &str) -> Result<ExpectedAnswer, Refused> {
    let mut words = Words { rest: text.split_whitespace().collect(), at: 0 };
    let permission = named("a permission", words.next(), &PERMISSIONS)?;
    let source = if words.take("by") { Some(words.source()?) } else { None };
    let vocabulary =
        if words.take("in") { Some(named("a vocabulary", words.next(), &VOCABULARIES)?) } else { None };
    let reason = words.reason()?;
    let qualifiers = words.qualifiers()?;
    let lacks = if words.take("lacks") { words.lacks()? } else { Vec::new() };
    let conflicts = if words.take("over") { Some(words.conflicts()?) } else { None };
    words.end()?;
    let is_decided = matches!(permission, Permission::Permitted | Permission::Prohibited);
    if is_decided && source.is_none() {
        return Err(refused("`by` and a source after 'permitted' and 'prohibited'", text));
    }
    Ok(ExpectedAnswer {
        permission,
        reason: reason.unwrap_or(match permission {
            Permission::Permitted | Permission::Prohibited => PermissionReason::Explicit,
            Permission::Unspecified => PermissionReason::Silence,
            Permission::Deferred => PermissionReason::Fetch,
        }),
        source: source.or(Some(ExpectedSource::Nothing)),
        vocabulary,
        qualifiers: qualifiers.or((permission != Permission::Prohibited).then(Vec::new)),
        lacks,
        conflicts,
    })
}

/// `text by line`.
pub(super) fn text_at_line(text: &str) -> Result<TextAtLine, Refused> {
    let found = text.rsplit_once(" by ").and_then(|(what, line)| Some((what, line.parse().ok()?)));
    match found {
        Some((what, line)) if !what.trim().is_empty() => {
            Ok(TextAtLine { what: what.trim().to_owned(), line })
        }
        _ => Err(refused("'… by line'", text)),
    }
}

/// `url by source`, or `url by source as type`.
pub(super) fn license(text: &str) -> Result<License, Refused> {
    const EXPECTED: &str = "'URL by source' or 'URL by source as type'";
    let error = || refused(EXPECTED, text);
    let (url, rest) = text.rsplit_once(" by ").ok_or_else(error)?;
    let (place, media_type) = match rest.split_once(" as ") {
        Some((place, media_type)) => (place, Some(media_type.to_owned())),
        None => (rest, None),
    };
    let mut words = Words { rest: place.split_whitespace().collect(), at: 0 };
    let source = words.source()?;
    words.end()?;
    match source {
        ExpectedSource::Line(place, line) if !url.is_empty() => {
            Ok(License { url: url.to_owned(), media_type, place, line })
        }
        _ => Err(error()),
    }
}

/// `announced by line` or `not announced`.
pub(super) fn announcement(text: &str) -> Result<Announcement, Refused> {
    match text_at_line(text) {
        Ok(TextAtLine { what, line }) if what == "announced" => Ok(Announcement::By(line)),
        _ if text == "not announced" => Ok(Announcement::None),
        _ => Err(refused("'announced by line' or 'not announced'", text)),
    }
}

struct Words<'a> {
    rest: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> &'a str {
        let word = self.peek().unwrap_or_default();
        self.at += 1;
        word
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn end(&self) -> Result<(), Refused> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(refused("an end, or the parts of an answer in their order", word)),
        }
    }

    fn source(&mut self) -> Result<ExpectedSource, Refused> {
        source(self.next(), || self.rest.get(self.at).copied().unwrap_or_default()).map(|(source, more)| {
            self.at += more;
            source
        })
    }

    fn reason(&mut self) -> Result<Option<PermissionReason>, Refused> {
        let Some(word) = self.peek().filter(|word| word.starts_with('(')) else { return Ok(None) };
        self.at += 1;
        let inner = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
        named("a reason", inner, &REASONS).map(Some)
    }

    fn qualifiers(&mut self) -> Result<Option<Vec<String>>, Refused> {
        let Some(first) = self.peek().and_then(|word| word.strip_prefix('[')) else { return Ok(None) };
        self.at += 1;
        let (mut all, mut word) = (Vec::new(), first);
        loop {
            let inner = word.strip_suffix(']');
            all.extend(Some(inner.unwrap_or(word)).filter(|inner| !inner.is_empty()).map(str::to_owned));
            if inner.is_some() {
                all.sort();
                return Ok(Some(all));
            }
            word = self.peek().ok_or_else(|| refused("a ']' after the qualifiers", word))?;
            self.at += 1;
        }
    }

    fn lacks(&mut self) -> Result<Vec<String>, Refused> {
        const EXPECTED: &str = "now, first-use, last-crawl, page-url, referenced=… or crawl-of=…";
        let mut all = Vec::new();
        loop {
            let word = self.next();
            let missing_fact = word.strip_suffix(',').unwrap_or(word);
            let is_plain = matches!(missing_fact, "now" | "first-use" | "last-crawl" | "page-url");
            if !is_plain && !missing_fact.starts_with("referenced=") && !missing_fact.starts_with("crawl-of=")
            {
                return Err(refused(EXPECTED, missing_fact));
            }
            all.push(missing_fact.to_owned());
            if !word.ends_with(',') {
                all.sort();
                return Ok(all);
            }
        }
    }

    fn conflicts(&mut self) -> Result<Vec<(ExpectedSource, ConflictRule)>, Refused> {
        let mut all = Vec::new();
        if self.take("nothing") {
            return Ok(all);
        }
        loop {
            let loser = self.source()?;
            let word = self.next();
            all.push((loser, named("a rule", word.strip_suffix(',').unwrap_or(word), &RULES)?));
            if !word.ends_with(',') {
                return Ok(all);
            }
        }
    }
}

/// The source that begins with `word`, and the number of further words that belong to it.
fn source<'a>(word: &str, next: impl Fn() -> &'a str) -> Result<(ExpectedSource, usize), Refused> {
    const EXPECTED: &str =
        "'nothing', a line, 'meta N', 'header N', 'tdmrep N', 'link N', 'element N' or 'referenced N:N'";
    let number = |text: &str| text.parse::<u32>().map_err(|_| refused(EXPECTED, text));
    match word {
        "nothing" => Ok((ExpectedSource::Nothing, 0)),
        "meta" => Ok((ExpectedSource::Line(Place::Meta, number(next())?), 1)),
        "header" => Ok((ExpectedSource::Line(Place::Header, number(next())?), 1)),
        "tdmrep" => Ok((ExpectedSource::Line(Place::TdmRepJson, number(next())?), 1)),
        "link" => Ok((ExpectedSource::Line(Place::Link, number(next())?), 1)),
        "element" => Ok((ExpectedSource::Element(number(next())?), 1)),
        "referenced" => {
            let (place, line) = next().split_once(':').ok_or_else(|| refused(EXPECTED, next()))?;
            Ok((ExpectedSource::Line(Place::Referenced(number(place)?), number(line)?), 1))
        }
        line => Ok((ExpectedSource::Line(Place::RobotsTxt, number(line)?), 0)),
    }
}

/// The element of `all` whose name is `word`.
fn named<T: Copy + fmt::Display>(what: &str, word: &str, all: &[T]) -> Result<T, Refused> {
    all.iter().copied().find(|value| value.to_string() == word).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(ToString::to_string).collect();
        refused(format!("{what} ({})", names.join(", ")), word)
    })
}

impl fmt::Display for ExpectedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedSource::Nothing => f.write_str("nothing"),
            ExpectedSource::Line(Place::RobotsTxt, line) => write!(f, "{line}"),
            ExpectedSource::Line(Place::Meta, line) => write!(f, "meta {line}"),
            ExpectedSource::Line(Place::Header, number) => write!(f, "header {number}"),
            ExpectedSource::Line(Place::TdmRepJson, number) => write!(f, "tdmrep {number}"),
            ExpectedSource::Line(Place::Link, line) => write!(f, "link {line}"),
            ExpectedSource::Line(Place::Referenced(file), line) => write!(f, "referenced {file}:{line}"),
            ExpectedSource::Line(Place::Element(number), _) | ExpectedSource::Element(number) => {
                write!(f, "element {number}")
            }
        }
    }
}

impl From<Source> for ExpectedSource {
    fn from(source: Source) -> Self {
        ExpectedSource::Line(source.place, source.line)
    }
}

impl fmt::Display for ExpectedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.permission)?;
        if let Some(source) = self.source {
            write!(f, " by {source}")?;
        }
        if let Some(vocabulary) = self.vocabulary {
            write!(f, " in {vocabulary}")?;
        }
        write!(f, " ({})", self.reason)?;
        if let Some(qualifiers) = &self.qualifiers {
            write!(f, " [{}]", qualifiers.join(" "))?;
        }
        if !self.lacks.is_empty() {
            write!(f, " lacks {}", self.lacks.join(", "))?;
        }
        match self.conflicts.as_deref() {
            None => Ok(()),
            Some([]) => f.write_str(" over nothing"),
            Some(all) => {
                let all: Vec<_> = all.iter().map(|(loser, rule)| format!("{loser} {rule}")).collect();
                write!(f, " over {}", all.join(", "))
            }
        }
    }
}

impl ExpectedAnswer {
    /// The full expectation of `answer`.
    pub fn of(answer: &PermissionAnswer) -> Self {
        ExpectedAnswer {
            permission: answer.permission,
            reason: answer.reason,
            source: Some(answer.source.map_or(ExpectedSource::Nothing, ExpectedSource::from)),
            vocabulary: answer.source.map(|source| source.vocabulary),
            qualifiers: Some(super::sorted(&answer.qualifiers)),
            lacks: super::sorted(&answer.lacks),
            conflicts: Some(
                answer.conflicts.iter().map(|conflict| (conflict.loser.into(), conflict.rule)).collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_answer_is_read_and_written() {
        let text = "permitted by referenced 0:4 in acap (explicit) [max-length=3-words time-limit=3-days] \
                    lacks first-use, now over 7 narrowest-scope, meta 2 most-restrictive, element 1 named-over-any";
        let read = answer(text).ok().unwrap();
        assert_eq!(read.to_string(), text);
        assert_eq!(read.source, Some(ExpectedSource::Line(Place::Referenced(0), 4)));
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let of = |text| answer(text).ok().unwrap().to_string();
        assert_eq!(of("permitted by 4"), "permitted by 4 (explicit) []");
        assert_eq!(of("prohibited by meta 4 over nothing"), "prohibited by meta 4 (explicit) over nothing");
        assert_eq!(of("unspecified"), "unspecified by nothing (silence) []");
        assert_eq!(of("deferred"), "deferred by nothing (fetch) []");
    }

    #[test]
    fn licenses_are_read_and_written() {
        for text in ["https://a.example/ by 1", "l by header 2", "/a b by link 3 as application/rsl+xml"] {
            assert_eq!(super::super::license(&license(text).ok().unwrap()), text);
        }
    }

    #[test]
    fn slips_are_refused() {
        for (text, expected) in [
            ("", "a permission (permitted, unspecified, deferred, prohibited)"),
            ("permitted", "`by` and a source after 'permitted' and 'prohibited'"),
            ("permitted by", "'nothing', a line"),
            ("permitted by meta", "'nothing', a line"),
            ("permitted by referenced 4", "'nothing', a line"),
            ("permitted by 4 because", "an end"),
            ("permitted by 4 in klingon", "a vocabulary (robots,"),
            ("permitted by 4 (so)", "a reason (silence,"),
            ("permitted by 4 [a=b", "a ']'"),
            ("permitted by 4 lacks sleep", "now, first-use"),
            ("permitted by 4 over 3", "a rule (explicit-over-other,"),
            ("permitted by 4 over 3 narrowest-scope, ", "'nothing', a line"),
            ("permitted by 4 lacks now [a=b]", "an end"),
        ] {
            let error = answer(text).err().map(|refused| refused.expected).unwrap_or_default();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        assert!(
            text_at_line("take-down").is_err()
                && text_at_line(" by 4").is_err()
                && text_at_line("x by y").is_err()
        );
        assert!(announcement("announced").is_err());
        for text in ["https://a.example/", "a by x", "a by nothing", "a by 1 2", " by 1"] {
            assert!(license(text).is_err(), "{text}");
        }
    }
}
