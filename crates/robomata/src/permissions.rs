//! What may be done with a resource: crawl it, index it, archive it, show it or train AI models on it.
//!
//! Sites state this in several vocabularies: Allow and Disallow, Noindex, DisallowAITraining, Content-Signal and
//! Content-Usage in any dialect, and ACAP in the dialect ACAP. [`Robots::permissions`] reads the statements of a robots.txt,
//! and [`PermissionsBuilder::tdmrep`] adds those of the site's tdmrep.json. With the feature `pages`, the methods `headers` and
//! `page` of the builder add those of a page and its headers. The most restrictive vocabulary wins. A permission can end on a date,
//! which is compared with the current time or with that of [`PermissionsBuilder::now`].
//!
//! What cannot be the whole file or page might lack a prohibition, so [`PermissionsBuilder::build`] refuses it.
//!
//! ```
//! use robomata::Robots;
//! use robomata::permissions::{Permission, Usage};
//!
//! let robots = Robots::parse("User-agent: *\nDisallow: /drafts\nContent-Signal: search=yes, ai-train=no");
//! let permissions = robots.permissions("ExampleBot")?;
//! let url = "https://example.com/news/1";
//! assert!(permissions.is_permitted(Usage::Search, url));
//! assert!(!permissions.is_permitted(Usage::AiTrain, url));
//!
//! let answer = permissions.check(Usage::AiTrain, url).expect("this text is a URL");
//! assert_eq!(answer.permission(), Permission::Prohibited);
//! assert_eq!(answer.source().map(|source| (source.vocabulary, source.line)), Some(("content-signal", Some(3))));
//! # Ok::<(), robomata::Error>(())
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use robomata_evaluator::{SitePermissions, path_or_url, require_text};
use robomata_policy::acap::ReferencedFile;
#[cfg(feature = "pages")]
use robomata_policy::{HeaderLine, ResponseHead};
use robomata_policy::{PageStatements, TdmRep};
use robomata_protocol as protocol;
use robomata_protocol::{Circumstances, Place};

use crate::{Agent, Error, Moment, Robots};

/// What one robots.txt states to one crawler about all usages. Threads can share it, but only one of them checks at a
/// time. See the [module](self).
#[derive(Clone)]
pub struct Permissions {
    site: Arc<Mutex<SitePermissions>>,
    agent: Agent,
    purpose: Option<String>,
    /// The time of the queries, if not that of the clock.
    now: Option<Moment>,
    /// What the page and its headers state.
    page: PageStatements,
    /// The lines of the headers.
    header_lines: Vec<u32>,
    /// What is not valid in the tdmrep.json.
    tdmrep_problems: Vec<String>,
}

impl Robots {
    /// What the file states to `agent` about all usages of its site's resources.
    ///
    /// # Errors
    /// When `agent` names no crawler.
    pub fn permissions(&self, agent: impl Into<Agent>) -> Result<Permissions, Error> {
        Permissions::builder(self, agent).build()
    }
}

impl Permissions {
    /// Options for what `robots` states to `agent`.
    pub fn builder<'r>(robots: &'r Robots, agent: impl Into<Agent>) -> PermissionsBuilder<'r> {
        PermissionsBuilder {
            robots,
            agent: agent.into(),
            purpose: None,
            references: Vec::new(),
            tdmrep: None,
            now: None,
            #[cfg(feature = "pages")]
            head: ResponseHead::default(),
            #[cfg(feature = "pages")]
            html: None,
        }
    }

    /// The answer about `usage` of `url`, an absolute URL or a path with a query. `None` if the text is neither.
    pub fn check(&self, usage: Usage, url: impl AsRef<[u8]>) -> Option<PermissionAnswer> {
        let url = path_or_url(url.as_ref())?;
        let answer = self.locked().answer_for(usage.inner(), url, &self.page, &self.circumstances())?;
        Some(PermissionAnswer::new(usage, &answer, &self.header_lines))
    }

    /// The answers about every usage of `url`, in the order of [`Usage::ALL`]. `None` if the text is not a URL.
    pub fn check_all(&self, url: impl AsRef<[u8]>) -> Option<Vec<PermissionAnswer>> {
        let answers = self.locked().answers(path_or_url(url.as_ref())?, &self.page, &self.circumstances())?;
        let usages = Usage::ALL.iter().copied().zip(&answers);
        let answer = |(usage, answer)| PermissionAnswer::new(usage, answer, &self.header_lines);
        Some(usages.map(answer).collect())
    }

    fn circumstances(&self) -> Circumstances {
        let now = self.now.or_else(Moment::now);
        Circumstances { purpose: self.purpose.clone(), now, ..Circumstances::default() }
    }

    fn locked(&self) -> MutexGuard<'_, SitePermissions> {
        self.site.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the site permits `usage` of `url` without conditions. False if the site does not say, if the permission
    /// has qualifiers or depends on unknown facts, and if the text is not a URL: see [`Permissions::check`].
    pub fn is_permitted(&self, usage: Usage, url: impl AsRef<[u8]>) -> bool {
        self.check(usage, url).is_some_and(|answer| {
            answer.permission == Permission::Permitted
                && answer.qualifiers.is_empty()
                && answer.missing.is_empty()
        })
    }

    /// The crawler.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// What is not valid in the site's tdmrep.json, in file order. Such a rule, or file, says nothing. If the file breaks off, or
    /// is another one, rights may be reserved that [`Permissions::check`] does not know of: fetch it again.
    ///
    /// ```
    /// use robomata::Robots;
    /// use robomata::permissions::{Permission, Permissions, Usage};
    ///
    /// let cut = r#"[{"location": "/", "tdm-reservation": 1}"#;
    /// let permissions = Permissions::builder(&Robots::parse(""), "ExampleBot").tdmrep(cut).build()?;
    /// assert!(permissions.tdmrep_problems()[0].starts_with("tdmrep.json: not JSON"));
    /// assert_eq!(permissions.check(Usage::Tdm, "/").unwrap().permission(), Permission::Unspecified);
    /// # Ok::<(), robomata::Error>(())
    /// ```
    pub fn tdmrep_problems(&self) -> &[String] {
        &self.tdmrep_problems
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permissions").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// Options of [`Permissions`].
///
/// ```
/// use robomata::permissions::{Permissions, Usage};
/// use robomata::{Dialect, Moment, Robots};
///
/// let body = "ACAP-crawler: *\nACAP-allow-preserve: / time-limit=until-2007-12-31";
/// let robots = Robots::builder().dialect(Dialect::Acap).parse(body);
/// let in_2026 = Moment::from_seconds(1_780_300_800);
/// let permissions = Permissions::builder(&robots, "ExampleBot").now(in_2026).build()?;
/// assert_eq!(permissions.check(Usage::Preserve, "/").unwrap().reason(), "expired");
/// # Ok::<(), robomata::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct PermissionsBuilder<'r> {
    robots: &'r Robots,
    agent: Agent,
    purpose: Option<String>,
    references: Vec<(String, Vec<u8>)>,
    tdmrep: Option<Vec<u8>>,
    now: Option<Moment>,
    /// That of all lines of headers, as if they were one text.
    #[cfg(feature = "pages")]
    head: ResponseHead,
    #[cfg(feature = "pages")]
    html: Option<String>,
}

impl PermissionsBuilder<'_> {
    /// Sets the purpose of the usage: a name or URI that the crawler knows (ACAP part 1, 2.3.3).
    pub fn purpose(self, purpose: impl Into<String>) -> Self {
        PermissionsBuilder { purpose: Some(purpose.into()), ..self }
    }

    /// Adds a file that the robots.txt refers to (`ACAP-permissions-reference`), with its locator as written there. A file
    /// that is needed but not given is named by [`PermissionAnswer::missing`].
    pub fn reference(mut self, locator: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        self.references.push((locator.into(), body.into()));
        self
    }

    /// Sets the site's `/.well-known/tdmrep.json`, which states whether text and data may be mined ([`Usage::Tdm`]). What is not
    /// valid says nothing: see [`Permissions::tdmrep_problems`]. If the site has no such file, leave it out.
    ///
    /// ```
    /// use robomata::Robots;
    /// use robomata::permissions::{Permission, Permissions, Usage};
    ///
    /// let file = r#"[{"location": "/open/", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]"#;
    /// let permissions = Permissions::builder(&Robots::parse(""), "ExampleBot").tdmrep(file).build()?;
    /// let answer = permissions.check(Usage::Tdm, "https://example.com/news").unwrap();
    /// assert_eq!(answer.permission(), Permission::Prohibited);
    /// assert_eq!(answer.source().unwrap().line, Some(2), "the second rule of the file");
    /// # Ok::<(), robomata::Error>(())
    /// ```
    pub fn tdmrep(self, body: impl AsRef<[u8]>) -> Self {
        PermissionsBuilder { tdmrep: Some(body.as_ref().to_vec()), ..self }
    }

    /// Adds headers of the response that has the page, as they were sent, one a line. They may begin with a status line. After an
    /// empty line, a status line begins another response, and the last one counts; other lines there are headers, too. The lines of
    /// several calls are numbered as those of one text ([`Source::line`]).
    ///
    /// ```
    /// use robomata::Robots;
    /// use robomata::permissions::{Permission, Permissions, Usage};
    ///
    /// let robots = Robots::parse("");
    /// let permissions = Permissions::builder(&robots, "ExampleBot")
    ///     .headers("HTTP/2 200\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\r\n")?
    ///     .page("<!doctype html>\n<meta name=robots content=nosnippet>")
    ///     .build()?;
    /// let index = permissions.check(Usage::Index, "/").unwrap();
    /// let source = index.source().unwrap();
    /// assert_eq!((index.permission(), source.place, source.line), (Permission::Prohibited, "header", Some(3)));
    /// let snippet = permissions.check(Usage::PresentSnippet, "/").unwrap();
    /// let source = snippet.source().unwrap();
    /// assert_eq!((snippet.permission(), source.place, source.line), (Permission::Prohibited, "meta", Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a line is not a header, and when the status line is not that of a whole page, 200 to 299 but not 206: a prohibition
    /// might be missing.
    #[cfg(feature = "pages")]
    pub fn headers(mut self, lines: impl AsRef<[u8]>) -> Result<Self, crate::HeaderLineError> {
        let head = crate::headers::read(lines.as_ref())?;
        let before = self.head.lines;
        let numbered = |header: HeaderLine| HeaderLine { line: before + header.line, ..header };
        self.head.headers.extend(head.headers.into_iter().map(numbered));
        self.head.lines += head.lines;
        self.head.status = head.status.or(self.head.status);
        Ok(self)
    }

    /// Sets the page at the URL: its HTML, decoded. What it and the headers say about its encoding does not matter. Elements with
    /// permissions of their own count only in queries about them, which the command `robomata permissions` has.
    ///
    /// Without a page, for example if the response is an image, leave it out. What is not the whole page is an error of
    /// [`PermissionsBuilder::build`]: the head of the response is before it, it is still compressed as its headers say, or it has no
    /// bytes, as after a fetch that failed. An empty page is one if the headers have a status line, and no `Content-Length` above 0.
    /// Whether a page that was decoded is shorter than its `Content-Length` is not known: compare its bytes.
    ///
    /// ```
    /// use robomata::Robots;
    /// use robomata::permissions::Permissions;
    ///
    /// let (robots, response) = (Robots::parse(""), "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n<p>Text</p>");
    /// let error = Permissions::builder(&robots, "ExampleBot").page(response).build().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "page: expected a page, found a response with its status line (pass the part after its empty line, and its headers as \
    ///      headers)"
    /// );
    /// let (headers, page) = response.split_once("\r\n\r\n").unwrap();
    /// let permissions = Permissions::builder(&robots, "ExampleBot").headers(headers)?.page(page).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "pages")]
    pub fn page(self, html: impl Into<String>) -> Self {
        PermissionsBuilder { html: Some(html.into()), ..self }
    }

    /// Sets the time of the queries, with which dates in permissions are compared. By default, each query has the time of the
    /// clock. On `wasm32-unknown-unknown`, which has none, set the time: without it, [`PermissionAnswer::missing`] names `now` when
    /// it would decide.
    pub fn now(self, now: impl Into<Moment>) -> Self {
        PermissionsBuilder { now: Some(now.into()), ..self }
    }

    /// The permissions.
    ///
    /// # Errors
    /// When the agent names no crawler. [`Error::Content`] when a prohibition might be missing: the tdmrep.json or a file that the
    /// robots.txt refers to is compressed, a tdmrep.json has no bytes, or a page is not the whole one, decoded. [`Error::Time`] when
    /// the time of the queries is before 1994, or in milliseconds: permissions that have ended could seem to last.
    pub fn build(self) -> Result<Permissions, Error> {
        let crawler = self.agent.crawler(self.robots.dialect())?;
        self.now.map_or(Ok(()), |now| Error::require_fetch_time("now", now, ""))?;
        for (locator, body) in &self.references {
            let content = |error| Error::content(format!("the referenced file '{locator}'"), error);
            require_text(body).map_err(content)?;
        }
        let files = self.references.iter();
        let referenced: Vec<_> = files.map(|(locator, bytes)| ReferencedFile { locator, bytes }).collect();
        let tdmrep = self.tdmrep.as_deref().map(read_tdmrep).transpose()?;
        let problems = tdmrep.iter().flat_map(|tdmrep| &tdmrep.problems);
        let tdmrep_problems = problems.map(ToString::to_string).collect();
        let (tdmrep, purpose) = (tdmrep.as_ref(), self.purpose.as_deref());
        let site = SitePermissions::new(self.robots.policy(), &referenced, tdmrep, &crawler, purpose);
        #[cfg(feature = "pages")]
        let (page, header_lines) = {
            let ResponseHead { headers: lines, status, .. } = &self.head;
            let headers: Vec<(&str, &str)> =
                lines.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect();
            if let Some(page) = &self.html {
                require_page(page, &headers, status.is_some())?;
            }
            let page = self.html.as_deref().unwrap_or_default();
            let facts = robomata_pages::facts_of_text(page, &headers);
            let lines = lines.iter().map(|header| header.line);
            let dialect = self.robots.policy().dialect();
            (robomata_pages::PageReading::new(&facts, &crawler, dialect).says, lines.collect())
        };
        #[cfg(not(feature = "pages"))]
        let (page, header_lines) = (PageStatements::default(), Vec::new());
        let site = Arc::new(Mutex::new(site));
        let PermissionsBuilder { agent, purpose, now, .. } = self;
        Ok(Permissions { site, agent, purpose, now, page, header_lines, tdmrep_problems })
    }
}

/// Reads a tdmrep.json. Fails if it cannot be one.
fn read_tdmrep(body: &[u8]) -> Result<TdmRep, Error> {
    require_text(body).map_err(|error| Error::content("tdmrep", error))?;
    if body.is_empty() {
        let reason = "expected JSON, found no bytes (if the site has none, leave it out)";
        return Err(Error::content("tdmrep", reason));
    }
    Ok(TdmRep::read(body))
}

/// Fails if `html` is not the whole page. Its length says nothing unless it is 0, because the page may have had another encoding.
#[cfg(feature = "pages")]
fn require_page(html: &str, headers: &[(&str, &str)], has_status: bool) -> Result<(), Error> {
    let length = if html.is_empty() { 0 } else { u64::MAX };
    let is_known_empty = html.is_empty() && has_status;
    let is_page = if is_known_empty { Ok(()) } else { robomata_pages::require_page_text(html, headers) };
    is_page
        .and_then(|()| robomata_pages::require_whole(length, headers))
        .map_err(|error| Error::content("page", format!("{error} ({})", error.advice())))?;
    require_text(html.as_bytes()).map_err(|error| Error::content("page", error))
}

/// The answer about one usage of one URL. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct PermissionAnswer {
    usage: Usage,
    permission: Permission,
    reason: &'static str,
    source: Option<Source>,
    qualifiers: Vec<String>,
    missing: Vec<String>,
}

impl PermissionAnswer {
    fn new(usage: Usage, answer: &protocol::PermissionAnswer, header_lines: &[u32]) -> Self {
        PermissionAnswer {
            usage,
            permission: Permission::of(answer.permission),
            reason: answer.reason.as_str(),
            source: answer.source.map(|source| Source::new(source, header_lines)),
            qualifiers: answer.qualifiers.iter().map(ToString::to_string).collect(),
            missing: answer.lacks.iter().map(ToString::to_string).collect(),
        }
    }

    /// The usage.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Whether it is permitted.
    pub fn permission(&self) -> Permission {
        self.permission
    }

    /// What led to the answer, as a short, stable name such as `explicit`, `silence` or `expired`.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// The statement that decided; `None` if there is none.
    pub fn source(&self) -> Option<Source> {
        self.source
    }

    /// The restrictions of a permission, as ACAP writes them: `time-limit=3-days`. All of them apply. A prohibition by
    /// TDMRep has its policy here: `terms=https://example.com/policy.json`.
    pub fn qualifiers(&self) -> &[String] {
        &self.qualifiers
    }

    /// The facts that the final answer depends on and that the query lacks, such as `first-use`.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }
}

/// Where a statement comes from. See [`PermissionAnswer::source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Source {
    /// The vocabulary: `robots`, `acap`, `noindex`, `ai-control`, `robots-meta`, `content-signal`, `content-usage` or
    /// `tdmrep`.
    pub vocabulary: &'static str,
    /// The text that contains the statement: `robots-txt`, `referenced`, `tdmrep-json`, `meta`, `element` or `header`.
    pub place: &'static str,
    /// Whether the statement is in a file that the robots.txt refers to.
    pub is_referenced: bool,
    /// The 1-based line of the file, the page or the headers; in a tdmrep.json, the 1-based number of the rule. `None` if
    /// it is not known.
    pub line: Option<u32>,
}

impl Source {
    fn new(source: protocol::Source, header_lines: &[u32]) -> Self {
        let line = match source.place {
            Place::Header => (source.line as usize).checked_sub(1).and_then(|index| header_lines.get(index)),
            _ => Some(&source.line),
        };
        Source {
            vocabulary: source.vocabulary.as_str(),
            place: source.place.as_str(),
            is_referenced: matches!(source.place, Place::Referenced(_)),
            line: line.copied().filter(|&line| line > 0),
        }
    }
}

/// Whether a usage is permitted. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(into = "&'static str"))]
#[non_exhaustive]
pub enum Permission {
    /// Yes, under the qualifiers of the answer.
    Permitted,
    /// There is no statement about it.
    Unspecified,
    /// Not now: the robots.txt could not be fetched, or it is not known, such as with status 301 or 304.
    Deferred,
    /// No.
    Prohibited,
}

impl Permission {
    fn of(permission: protocol::Permission) -> Self {
        match permission {
            protocol::Permission::Permitted => Permission::Permitted,
            protocol::Permission::Unspecified => Permission::Unspecified,
            protocol::Permission::Deferred => Permission::Deferred,
            protocol::Permission::Prohibited => Permission::Prohibited,
        }
    }

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

impl From<Permission> for &'static str {
    fn from(permission: Permission) -> Self {
        permission.as_str()
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Defines [`Usage`] with the usages that the engine knows.
macro_rules! usages {
    ($($(#[$doc:meta])* $usage:ident,)*) => {
        /// What a crawler may do with a resource. See the [module](self).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "String", into = "&'static str"))]
        #[non_exhaustive]
        pub enum Usage {
            $($(#[$doc])* $usage,)*
        }

        impl Usage {
            /// Every usage.
            pub const ALL: &[Usage] = &[$(Usage::$usage,)*];

            const fn inner(self) -> protocol::Usage {
                match self {
                    $(Usage::$usage => protocol::Usage::$usage,)*
                }
            }

            fn of(usage: protocol::Usage) -> Self {
                match usage {
                    $(protocol::Usage::$usage => Usage::$usage,)*
                }
            }
        }
    };
}

usages! {
    /// To fetch it.
    Crawl,
    /// To follow the links found in it.
    Follow,
    /// To make index entries for it.
    Index,
    /// To keep a copy of it.
    Preserve,
    /// To show it in any way.
    Present,
    /// To show the original, fetched when it is shown.
    PresentOriginal,
    /// To show a copy of the version that was crawled last.
    PresentCurrentcopy,
    /// To show a copy of an older version.
    PresentOldcopy,
    /// To show a snippet of the version that was crawled last.
    PresentSnippet,
    /// To show a thumbnail of the version that was crawled last.
    PresentThumbnail,
    /// To show a snippet of an older version.
    PresentOldsnippet,
    /// To show a thumbnail of an older version.
    PresentOldthumbnail,
    /// To show a link to it.
    PresentLink,
    /// To index the images on it.
    IndexImages,
    /// To build a search index, and give results with links and short excerpts.
    Search,
    /// To feed it to a model that answers questions, without training the model.
    AiInput,
    /// The same inside a search application.
    AiInputInSearch,
    /// To train or tune a model on it.
    AiTrain,
    /// To train or tune a model on the images in it.
    AiTrainImages,
    /// To train or tune a model of a search application on it.
    AiTrainInSearch,
    /// To mine text and data.
    Tdm,
    /// Every usage without a statement of its own.
    Other,
}

impl Usage {
    /// The usage's name: `crawl`, `ai-train`, `present-snippet` and so on.
    pub const fn as_str(self) -> &'static str {
        self.inner().as_str()
    }
}

impl From<Usage> for &'static str {
    fn from(usage: Usage) -> Self {
        usage.as_str()
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Usage {
    type Err = ParseUsageError;

    /// The usage with this name, in any case. `present-` may be left out.
    fn from_str(name: &str) -> Result<Self, ParseUsageError> {
        name.parse().map(Usage::of).map_err(|error: protocol::UnknownUsage| ParseUsageError {
            name: name.to_owned(),
            message: error.to_string(),
        })
    }
}

impl TryFrom<String> for Usage {
    type Error = ParseUsageError;

    fn try_from(name: String) -> Result<Self, ParseUsageError> {
        name.parse()
    }
}

/// No usage has this name.
///
/// ```
/// let error = "print".parse::<robomata::permissions::Usage>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown usage 'print': expected one of crawl follow"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseUsageError {
    name: String,
    message: String,
}

impl ParseUsageError {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for ParseUsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseUsageError {}
