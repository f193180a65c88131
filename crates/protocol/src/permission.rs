//! What a site states about the usages of one resource: the types of the permission model (`crates/PERMISSIONS.md`).

use std::fmt;

use crate::lifecycle::Moment;
use crate::usage::Usage;

/// The answer for one usage of one URL. `S` describes statements: by default where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PermissionAnswer<S = Source> {
    /// The usage in question.
    pub usage: Usage,
    /// Whether it is permitted.
    pub permission: Permission,
    /// The reason for the decision.
    pub reason: PermissionReason,
    /// The statement that decided; `None` if there is no statement.
    pub source: Option<S>,
    /// The restrictions of a permission. All of them apply. A prohibition by TDMRep has its policy here
    /// ([`Qualifier::Terms`]).
    pub qualifiers: Vec<Qualifier>,
    /// The facts that the final answer depends on and that the query lacks.
    pub lacks: Vec<MissingFact>,
    /// The statements that were overruled, in the order in which that happened.
    pub conflicts: Vec<Conflict<S>>,
}

impl PermissionAnswer {
    /// The answer when there is no statement about `usage`.
    pub const fn unspecified(usage: Usage) -> Self {
        PermissionAnswer {
            usage,
            permission: Permission::Unspecified,
            reason: PermissionReason::Silence,
            source: None,
            qualifiers: Vec::new(),
            lacks: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    /// The same answer, with another description of the statements.
    pub fn map_sources<S>(self, mut describe: impl FnMut(Source) -> S) -> PermissionAnswer<S> {
        let PermissionAnswer { usage, permission, reason, source, qualifiers, lacks, conflicts } = self;
        let source = source.map(&mut describe);
        let conflict = |Conflict { rule, loser }| Conflict { rule, loser: describe(loser) };
        let conflicts = conflicts.into_iter().map(conflict).collect();
        PermissionAnswer { usage, permission, reason, source, qualifiers, lacks, conflicts }
    }
}

/// Whether a usage of a resource is permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Permission {
    /// Yes, under the answer's qualifiers.
    Permitted,
    /// There is no statement about it.
    Unspecified,
    /// Not now: the robots.txt could not be fetched (Koster's draft, 3.1), or it was not, because a redirect was not followed.
    Deferred,
    /// No.
    Prohibited,
}

impl Permission {
    /// `permitted`, `unspecified`, `deferred` or `prohibited`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Permission::Permitted => "permitted",
            Permission::Unspecified => "unspecified",
            Permission::Deferred => "deferred",
            Permission::Prohibited => "prohibited",
        }
    }
}

/// What led to a [`Permission`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PermissionReason {
    /// There is no statement about it.
    Silence,
    /// The source states it.
    Explicit,
    /// A conflict that cannot be resolved prohibits (ACAP part 1, 2.4.5; part 2, 2.2.8).
    Undeterminable,
    /// A permission that cannot be interpreted prohibits (rows A11 and P6).
    Uninterpretable,
    /// The permission's time limit has passed (ACAP part 1, 2.5.3.1).
    Expired,
    /// The resource is not where the permission holds (ACAP part 2, 2.2.9.1).
    LocationMismatch,
    /// A resource that the permission requires may not be crawled (ACAP part 1, 2.5.3.2).
    TargetNotCrawlable,
    /// An element field applies, and the crawler does not process pages by element (ACAP part 2, 2.2.6).
    ElementFallback,
    /// The URL is `/robots.txt`, which is implicitly allowed (RFC 9309, 2.2.2).
    RobotsTxt,
    /// The robots.txt could not be fetched: the outcome of the fetch decides (`crates/DIALECTS.md`, F1).
    Fetch,
}

impl PermissionReason {
    /// A short, stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            PermissionReason::Silence => "silence",
            PermissionReason::Explicit => "explicit",
            PermissionReason::Undeterminable => "undeterminable",
            PermissionReason::Uninterpretable => "uninterpretable",
            PermissionReason::Expired => "expired",
            PermissionReason::LocationMismatch => "location-mismatch",
            PermissionReason::TargetNotCrawlable => "target-not-crawlable",
            PermissionReason::ElementFallback => "element-fallback",
            PermissionReason::RobotsTxt => "robots-txt",
            PermissionReason::Fetch => "fetch",
        }
    }
}

/// Where a statement comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// The vocabulary of the statement.
    pub vocabulary: Vocabulary,
    /// The text that contains it.
    pub place: Place,
    /// The 1-based line of a file or page; the 1-based number of a header among the response's, or of a rule of
    /// tdmrep.json; 0 when unknown.
    pub line: u32,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Source {
    /// Names the place and counts elements from 1. A referenced file has no number: its locator identifies it.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = serializer.serialize_struct("Source", 4)?;
        fields.serialize_field("vocabulary", &self.vocabulary)?;
        fields.serialize_field("place", &self.place)?;
        match self.place {
            Place::Element(index) => fields.serialize_field("element", &(index + 1))?,
            _ => fields.skip_field("element")?,
        }
        fields.serialize_field("line", &self.line)?;
        fields.end()
    }
}

/// A text that can contain statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The site's robots.txt.
    RobotsTxt,
    /// A file that an `ACAP-permissions-reference` names: its index among the supplied files.
    Referenced(u32),
    /// The site's `/.well-known/tdmrep.json`.
    TdmRepJson,
    /// A META tag of the page.
    Meta,
    /// The class attribute of an element: its index in [`PageFacts::elements`].
    Element(u32),
    /// A link element of the page.
    Link,
    /// A header of the response.
    Header,
}

impl Place {
    /// `robots-txt`, `referenced`, `tdmrep-json`, `meta`, `element`, `link` or `header`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Place::RobotsTxt => "robots-txt",
            Place::Referenced(_) => "referenced",
            Place::TdmRepJson => "tdmrep-json",
            Place::Meta => "meta",
            Place::Element(_) => "element",
            Place::Link => "link",
            Place::Header => "header",
        }
    }
}

/// A vocabulary with its own specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vocabulary {
    /// Allow and Disallow (RFC 9309, or the dialect chosen).
    Robots,
    /// ACAP 1.0 and 1.1.
    Acap,
    /// `Noindex` in robots.txt.
    Noindex,
    /// `DisallowAITraining` and `AllowAITraining` in robots.txt (draft-canel-robots-ai-control-00).
    AiControl,
    /// Robots META tags, X-Robots-Tag and Robots-Tag.
    RobotsMeta,
    /// Content-Signal in robots.txt and in headers.
    ContentSignal,
    /// Content-Usage (IETF AIPREF).
    ContentUsage,
    /// TDMRep: tdmrep.json, headers and META tags.
    TdmRep,
}

impl Vocabulary {
    /// A short, stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Vocabulary::Robots => "robots",
            Vocabulary::Acap => "acap",
            Vocabulary::Noindex => "noindex",
            Vocabulary::AiControl => "ai-control",
            Vocabulary::RobotsMeta => "robots-meta",
            Vocabulary::ContentSignal => "content-signal",
            Vocabulary::ContentUsage => "content-usage",
            Vocabulary::TdmRep => "tdmrep",
        }
    }
}

/// A statement that did not decide, and the rule that overruled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Conflict<S = Source> {
    /// The rule.
    pub rule: ConflictRule,
    /// The overruled statement.
    pub loser: S,
}

/// The rules by which statements overrule each other (`crates/PERMISSIONS.md`, A14 and R1 to R3), the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConflictRule {
    /// A statement about the usage overrules one about `other` usages.
    ExplicitOverOther,
    /// A statement for the purpose overrules one for any purpose.
    PurposeOverGeneral,
    /// A statement about a derived usage overrules one about `present`.
    DerivedOverPresent,
    /// A statement for the crawler's name overrules one for any crawler.
    NamedOverAny,
    /// A page's statement overrules one of the site's robots.txt, and an element's overrules the page's.
    InnermostPlace,
    /// The narrowest scope decides.
    NarrowestScope,
    /// On the same pattern, an ACAP field overrules a conventional one.
    AcapOverConventional,
    /// The most restrictive of several vocabularies wins.
    MostRestrictive,
}

impl ConflictRule {
    /// A short, stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            ConflictRule::ExplicitOverOther => "explicit-over-other",
            ConflictRule::PurposeOverGeneral => "purpose-over-general",
            ConflictRule::DerivedOverPresent => "derived-over-present",
            ConflictRule::NamedOverAny => "named-over-any",
            ConflictRule::InnermostPlace => "innermost-place",
            ConflictRule::NarrowestScope => "narrowest-scope",
            ConflictRule::AcapOverConventional => "acap-over-conventional",
            ConflictRule::MostRestrictive => "most-restrictive",
        }
    }
}

/// A fact that the answer depends on and that the query does not give.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MissingFact {
    /// The time of the query.
    Now,
    /// When the resource was first used in this way.
    FirstUse,
    /// When the resource was last crawled.
    LastCrawl,
    /// The URL of the page, which a `location` is compared with.
    PageUrl,
    /// The file that an `ACAP-permissions-reference` names: its locator as written.
    Referenced(String),
    /// Whether this resource may be crawled: one of another site, or one of the same site beyond the number that
    /// is checked.
    CrawlOf(String),
    /// The purpose: the usage is prohibited for the purposes that this pattern of the site or page matches.
    Purpose(String),
}

impl fmt::Display for MissingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingFact::Now => f.write_str("now"),
            MissingFact::FirstUse => f.write_str("first-use"),
            MissingFact::LastCrawl => f.write_str("last-crawl"),
            MissingFact::PageUrl => f.write_str("page-url"),
            MissingFact::Referenced(locator) => write!(f, "referenced={locator}"),
            MissingFact::CrawlOf(url) => write!(f, "crawl-of={url}"),
            MissingFact::Purpose(pattern) => write!(f, "purpose={pattern}"),
        }
    }
}

/// A restriction of a permission. `Display` writes it as ACAP does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Qualifier {
    /// For how long (ACAP part 1, 2.5.3.1; `unavailable_after`).
    TimeLimit(TimeLimit),
    /// Use this resource instead (2.5.3.2, 2.5.5.2.2): a URI as written, or `the-acap:extract:...`.
    MustUseResource(String),
    /// Show this resource as well (2.5.5.2.5): a URI as written, or `the-acap:credit:...`, `the-acap:link:...`.
    MustIncludeResource(String),
    /// At most this much of it (2.5.5.2.3; `max-snippet`).
    MaxLength(u32, LengthUnit),
    /// Do not change it in this way (2.5.5.2.4; `notranslate`).
    ProhibitedModification(Modification),
    /// `within-user-frame` (2.5.5.2.6).
    ProhibitedContext,
    /// `within-original-frame` (2.5.5.2.7).
    RequiredContext,
    /// Only if the resource has this URI (ACAP part 2, 2.2.9.1), as written.
    Location(String),
    /// Thumbnails at most of this size (`max-image-preview`).
    MaxImagePreview(ImagePreview),
    /// At most this many seconds of video (`max-video-preview`).
    MaxVideoPreview(u32),
    /// Only where it is embedded in another page (`indexifembedded`).
    WhenEmbedded,
    /// The policy of a TDMRep reservation, a URL as written: it says how an authorization can be acquired.
    Terms(String),
    /// No more of it than its URL, its title and a snippet (`nocache` for bingbot).
    UrlTitleSnippet,
}

impl fmt::Display for Qualifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Qualifier::TimeLimit(limit) => write!(f, "time-limit={limit}"),
            Qualifier::MustUseResource(uri) => write!(f, "must-use-resource={uri}"),
            Qualifier::MustIncludeResource(uri) => write!(f, "must-include-resource={uri}"),
            Qualifier::MaxLength(count, LengthUnit::Chars) => write!(f, "max-length={count}-chars"),
            Qualifier::MaxLength(count, LengthUnit::Words) => write!(f, "max-length={count}-words"),
            Qualifier::ProhibitedModification(kind) => write!(f, "prohibited-modification={kind}"),
            Qualifier::ProhibitedContext => f.write_str("prohibited-context=within-user-frame"),
            Qualifier::RequiredContext => f.write_str("required-context=within-original-frame"),
            Qualifier::Location(uri) => write!(f, "location={uri}"),
            Qualifier::MaxImagePreview(ImagePreview::Standard) => f.write_str("max-image-preview=standard"),
            Qualifier::MaxImagePreview(ImagePreview::Large) => f.write_str("max-image-preview=large"),
            Qualifier::MaxVideoPreview(seconds) => write!(f, "max-video-preview={seconds}"),
            Qualifier::WhenEmbedded => f.write_str("when-embedded"),
            Qualifier::Terms(url) => write!(f, "terms={url}"),
            Qualifier::UrlTitleSnippet => f.write_str("only=url,title,snippet"),
        }
    }
}

/// How long a permission holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeLimit {
    /// Until the resource has been crawled again.
    UntilRecrawled,
    /// Until this day is over, in UTC.
    UntilDate(Date),
    /// This many days from the first use.
    Days(u32),
    /// Until this moment (`unavailable_after`).
    Until(Moment),
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeLimit::UntilRecrawled => f.write_str("until-recrawled"),
            TimeLimit::UntilDate(Date { year, month, day }) => {
                write!(f, "until-{year:04}-{month:02}-{day:02}")
            }
            TimeLimit::Days(days) => write!(f, "{days}-days"),
            TimeLimit::Until(Moment(seconds)) => write!(f, "until-@{seconds}"),
        }
    }
}

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

/// The unit of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LengthUnit {
    /// Characters.
    Chars,
    /// Words.
    Words,
}

/// A change to what is presented (ACAP part 1, 2.5.5.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Modification {
    /// Any change.
    Any,
    /// Of the format, e.g. from PDF to HTML.
    Format,
    /// Of typography or layout.
    Style,
    /// Into another language.
    Translation,
    /// By ratings, tags and the like.
    Annotation,
}

impl Modification {
    /// The modification's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Modification::Any => "any",
            Modification::Format => "format",
            Modification::Style => "style",
            Modification::Translation => "translation",
            Modification::Annotation => "annotation",
        }
    }
}

/// The size of a preview image that a page permits (`max-image-preview`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImagePreview {
    /// The default one.
    Standard,
    /// Up to the width of the viewport.
    Large,
}

/// The facts of a permission query besides the URL. Unknown facts are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The purpose of the usage: a name or URI that the crawler knows (ACAP part 1, 2.3.3).
    pub purpose: Option<String>,
    /// The part of the page in question.
    pub part: Part,
    /// The time of the query.
    pub now: Option<Moment>,
    /// When the resource was first used in this way.
    pub first_use: Option<Moment>,
    /// When the resource was last crawled.
    pub last_crawl: Option<Moment>,
}

/// A part of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The page as a whole, for a crawler that does not process pages by element (ACAP part 2, 2.2.6).
    #[default]
    Page,
    /// The part of the page without element fields, for a crawler that processes pages by element.
    Rest,
    /// An element: its index in [`PageFacts::elements`].
    Element(u32),
}

/// Everything in a page and its response headers that can state permissions, as written and uninterpreted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// The META tags that have a name and a content, in the order of the page.
    pub metas: Vec<MetaTag>,
    /// The elements with a class that begins with `the-acap:`, in the order of the page.
    pub elements: Vec<PageElement>,
    /// The links to licences, in the order of the page.
    pub links: Vec<PageLink>,
    /// The response's headers, in order.
    pub headers: Vec<PageHeader>,
}

/// `<meta name=… content=…>`, with character references resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaTag {
    /// The value of `name`.
    pub name: String,
    /// The value of `content`.
    pub content: String,
    /// The 1-based line on which the tag begins.
    pub line: u32,
}

/// An element of a page that carries an ACAP class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageElement {
    /// The tag's name in lower case.
    pub tag: String,
    /// The value of `id`.
    pub id: Option<String>,
    /// The words of `class`, in order.
    pub classes: Vec<String>,
    /// The 1-based line on which the tag begins.
    pub line: u32,
    /// The index of the innermost of these elements that encloses it.
    pub parent: Option<u32>,
}

/// `<link rel=license href=… type=…>` (RSL 1.0), with character references resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLink {
    /// The value of `href`; not empty.
    pub href: String,
    /// The value of `type`.
    pub media_type: Option<String>,
    /// The 1-based line on which the tag begins.
    pub line: u32,
}

/// Where licence terms are (RSL 1.0; `crates/PERMISSIONS.md`, V6).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct License {
    /// Their URL as written. It is absolute in robots.txt, and may be relative to the page in links and headers.
    pub url: String,
    /// The media type of what is there, as written.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub media_type: Option<String>,
    /// The text that names them: [`Place::RobotsTxt`], [`Place::Header`] or [`Place::Link`].
    pub place: Place,
    /// The 1-based line of a file or page; the 1-based number of a header.
    pub line: u32,
}

/// A header of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// The field's name.
    pub name: String,
    /// The field's value.
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_are_written_as_acap_writes_them() {
        let date = Date { year: 2007, month: 12, day: 31 };
        let written = [
            (Qualifier::TimeLimit(TimeLimit::UntilDate(date)), "time-limit=until-2007-12-31"),
            (Qualifier::TimeLimit(TimeLimit::Days(3)), "time-limit=3-days"),
            (Qualifier::MaxLength(250, LengthUnit::Chars), "max-length=250-chars"),
            (Qualifier::ProhibitedModification(Modification::Style), "prohibited-modification=style"),
            (Qualifier::RequiredContext, "required-context=within-original-frame"),
        ];
        for (qualifier, expected) in written {
            assert_eq!(qualifier.to_string(), expected);
        }
    }
}
