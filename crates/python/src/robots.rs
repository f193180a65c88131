//! One robots.txt.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};
use robomata_columns::PaceOptions;
use robomata_engine::lifecycle::{Attempt, GoodCopy, Header, Hop, Situation, Terms, Unreachable, standing};
use robomata_engine::policy::Pace;
use robomata_engine::policy::acap::ReferencedFile;
use robomata_engine::policy::lifecycle::LifeCycleRules;
use robomata_engine::{
    Access, Answer, Circumstances, Dialect, Explainer, FetchOutcome, FetchStatus, PageFacts, Policy,
    SitePermissions, SitePolicy, SiteScratch, TdmRep, Usage, Verdict, path_or_url,
};
use robomata_pages::{PageReader, PageReading};
use self_cell::self_cell;

use crate::build::{NOT_ROBOTS, is_not_robots};
use crate::pace;
use crate::records::{self, Record};
use crate::text::{
    Count, Headers, References, Status, Text, Time, config, dialect, require_text, value_error, warn,
};

self_cell!(
    /// A file and its policy.
    struct Parsed {
        owner: Vec<u8>,
        #[covariant]
        dependent: Policy,
    }
);

/// A parsed robots.txt, for any crawler. It is immutable and may be shared between threads.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct Robots {
    parsed: Parsed,
    dialect: Dialect,
    status: Status,
    max_robots_bytes: Option<Count>,
    compiled: Mutex<Compiled>,
}

/// The function that restores a pickled object, and its arguments: the file, the dialect, the status and the limit.
type Reduced<'py> = (Bound<'py, PyAny>, (Vec<u8>, &'static str, Status, Option<i64>));

/// The maximum number of user agents whose compiled rules are cached, and of the bytes of their programs.
const CACHED: (usize, usize) = (256, 64 << 20);

/// Compiled rules by user agent, as passed by the caller.
#[derive(Default)]
struct Compiled {
    policies: HashMap<Box<[u8]>, SitePolicy>,
    /// The bytes of the programs.
    bytes: usize,
    /// The scratch memory of every check.
    scratch: SiteScratch,
}

impl Compiled {
    /// Adds a policy of `bytes`, after removing all others if there is no room.
    fn insert(&mut self, name: &[u8], policy: SitePolicy, bytes: usize) {
        if self.policies.len() >= CACHED.0 || self.bytes + bytes > CACHED.1 {
            *self = Compiled::default();
        }
        self.bytes += bytes;
        self.policies.insert(name.into(), policy);
    }
}

#[pymethods]
impl Robots {
    /// Parses a robots.txt. Parsing text never fails: invalid lines are ignored. After a success, a body that is still
    /// compressed, a bundle or a WARC is a `ValueError`, and a `UserWarning` reports a text without a group, a rule or a known
    /// field. A `str` is encoded as UTF-8. `status` is the HTTP status of the response, `no-response` or `too-many-redirects`:
    /// with 404 everything is allowed and with 503 nothing is, regardless of the body. At most `max_robots_bytes` are read; of
    /// a longer file, the lines that are complete within them count.
    #[classmethod]
    #[pyo3(
        signature = (content, *, dialect = "rfc9309", status = Status(FetchStatus::Code(200)), max_robots_bytes = None),
        text_signature = "($cls, content, *, dialect='rfc9309', status=200, max_robots_bytes=None)"
    )]
    fn parse(
        class: &Bound<'_, PyType>,
        content: Text<'_>,
        dialect: &str,
        status: Status,
        max_robots_bytes: Option<Count>,
    ) -> PyResult<Self> {
        let dialect = crate::text::dialect(dialect)?;
        let robots = Robots::new(content.bytes()?.to_vec(), dialect, status, max_robots_bytes)?;
        let config = config(dialect, max_robots_bytes)?;
        if is_not_robots(robots.policy(), robots.parsed.borrow_owner(), &config) {
            warn(class.py(), &format!("content: {NOT_ROBOTS}"))?;
        }
        Ok(robots)
    }

    /// May `user_agent` fetch `url`? The arguments have the same order as in Protego. True only for the verdict
    /// `allow`. A URL is absolute, with a valid host, or a path that begins with a single slash. Blanks around it do not count. A text with control
    /// characters, such as a line end, is no URL, and neither is any other text, in every dialect.
    fn can_fetch(&self, url: Text<'_>, user_agent: Text<'_>) -> PyResult<bool> {
        let answer = self.answer(&url, &user_agent)?;
        Ok(matches!(answer, Answer::Verdict(Verdict { access: Access::Allow, .. })))
    }

    /// Returns the verdict on `url` for `user_agent`, with the line that decided.
    fn check<'py>(&self, py: Python<'py>, url: Text<'py>, user_agent: Text<'py>) -> Record<'py> {
        records::verdict(py, self.answer(&url, &user_agent)?)
    }

    /// Returns the number of bytes of the file and of the compiled rules that are cached.
    fn __sizeof__(&self) -> usize {
        self.parsed.borrow_owner().len() + self.compiled().bytes
    }

    /// Explains the verdict on `url` for `user_agent`.
    fn explain<'py>(&self, py: Python<'py>, url: Text<'py>, user_agent: Text<'py>) -> Record<'py> {
        let (url, crawler) = (url.bytes()?, user_agent.crawler(self.dialect)?);
        records::explanation(py, url, &Explainer::new(self.policy(), &crawler).explain_url(url))
    }

    /// Returns what applies to the site at `now` because of the fetch of this robots.txt (its `status`), until when,
    /// and why. Depending on the dialect, this follows RFC 9309 (2.3.1 and 2.4), Google's documentation, or Koster (3.1
    /// and 3.4). `unreachable` is what applies while a robots.txt is unreachable, in the dialects that leave a choice: all but
    /// google and koster1996.
    #[pyo3(signature = (
        *, now, fetched = None, redirects = Count(0), headers = None, last_good_fetched = None, failing_since = None,
        unreachable = "last-good"
    ), text_signature = "($self, *, now, fetched=None, redirects=0, headers=None, last_good_fetched=None, \
                         failing_since=None, unreachable='last-good')")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn standing<'py>(
        &self,
        py: Python<'py>,
        now: Time,
        fetched: Option<Time>,
        redirects: Count,
        headers: Option<Headers>,
        last_good_fetched: Option<Time>,
        failing_since: Option<Time>,
        unreachable: &str,
    ) -> Record<'py> {
        let named = Unreachable::ALL.into_iter().find(|choice| choice.as_str() == unreachable);
        let unreachable = named.ok_or_else(|| {
            value_error(&format!("unreachable: expected 'last-good' or 'disallow', found '{unreachable}'"))
        })?;
        let terms = Terms::from(self.dialect);
        if unreachable != Unreachable::default() && !LifeCycleRules::of(terms).leaves_choice() {
            let dialect = self.dialect;
            return Err(value_error(&format!(
                "unreachable: '{}' has no effect in the dialect '{dialect}', which leaves no choice (leave it out)",
                unreachable.as_str()
            )));
        }
        let Count(found) = redirects;
        let redirects = usize::try_from(found).ok().filter(|&redirects| redirects <= REDIRECTS);
        let redirects = redirects
            .ok_or_else(|| value_error(&format!("redirects: expected 0 to {REDIRECTS}, found {found}")))?;
        let headers = headers.map_or_else(Vec::new, |headers| headers.0);
        let mut headers: Vec<Header> =
            headers.into_iter().map(|(name, value)| Header::new(name, value)).collect();
        if headers.is_empty() {
            // A redirect has a target, even if the caller does not name it.
            headers.push(Header::new("Location", "https://elsewhere.invalid/robots.txt"));
        }
        let attempt = Attempt {
            // It is not known, so a relative Location leads to an unknown URL (F5).
            url: Vec::new(),
            hops: vec![Hop { status: 302, location: None }; redirects],
            end: self.status.0,
            headers,
            at: fetched.map_or(now.0, |fetched| fetched.0),
        };
        let situation = Situation {
            failing_since: failing_since.map(|since| since.0),
            good_copy: last_good_fetched.map(|at| GoodCopy { at: at.0, headers: Vec::new() }),
            unreachable,
            ..Situation::first(attempt)
        };
        records::standing(py, &standing(&situation, now.0, terms), now.0)
    }

    /// Returns the permission for each usage of `url` (crawl, index, preserve, ai-train, …). The statements come from
    /// the robots.txt, the files that it refers to (`references`, by locator), the site's tdmrep.json (`tdmrep`), and the
    /// `page` at the URL with the `headers` of its response: one pair for each field line, because a mapping has one value a
    /// name, and several lines joined are another statement (with requests: `response.raw.headers.items()`). They are evaluated for `purpose`, at `now`, by default the current
    /// time. ACAP fields count only in the dialect `acap`. What is not the whole page is a `ValueError`: one that is still
    /// compressed, begins with the head of its response, has no bytes, or (as `bytes`) fewer than Content-Length says. A tdmrep.json
    /// without bytes is one, too, and one with an error is a `UserWarning`.
    #[pyo3(signature = (
        url, user_agent, *, page = None, headers = None, purpose = None, references = None, tdmrep = None, now = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn permissions<'py>(
        &self,
        py: Python<'py>,
        url: Text<'py>,
        user_agent: Text<'py>,
        page: Option<Text<'py>>,
        headers: Option<Headers>,
        purpose: Option<String>,
        references: Option<References<'py>>,
        tdmrep: Option<Text<'py>>,
        now: Option<Time>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let crawler = user_agent.crawler(self.dialect)?;
        let mut referenced = Vec::new();
        for (locator, file) in references.iter().flat_map(|references| &references.0) {
            require_text("references", file.bytes()?)?;
            referenced.push(ReferencedFile { locator, bytes: file.bytes()? });
        }
        // A file is identified by its position, so the order must not vary.
        referenced.sort_unstable_by_key(|file| file.locator);
        let facts = page_facts(page.as_ref(), headers)?;
        let now = now.map_or_else(|| SystemTime::now().into(), |now| now.0);
        let circumstances =
            Circumstances { purpose: purpose.clone(), now: Some(now), ..Circumstances::default() };
        let tdmrep = tdmrep.as_ref().map(Text::bytes).transpose()?;
        tdmrep.map_or(Ok(()), |body| require_text("tdmrep", body))?;
        if tdmrep.is_some_and(<[u8]>::is_empty) {
            let advice = "if the site has none, leave it out";
            return Err(value_error(&format!("tdmrep: expected JSON, found no bytes ({advice})")));
        }
        let tdmrep = tdmrep.map(TdmRep::read);
        if let Some(problem) = tdmrep.iter().flat_map(|tdmrep| &tdmrep.problems).next() {
            warn(py, &problem.to_string())?;
        }
        let purpose = purpose.as_deref();
        let mut site = SitePermissions::new(self.policy(), &referenced, tdmrep.as_ref(), &crawler, purpose);
        let says = PageReading::new(&facts, &crawler, self.dialect).says;
        let answers = path_or_url(url.bytes()?).and_then(|url| site.answers(url, &says, &circumstances));
        let answers = answers.ok_or_else(|| value_error(&"expected an absolute URL, or a path"))?;
        let permissions = PyDict::new(py);
        for (usage, answer) in Usage::ALL.iter().zip(&answers) {
            permissions.set_item(usage.as_str(), records::permission(py, answer)?)?;
        }
        Ok(permissions)
    }

    /// Returns the crawl delay for `user_agent` in seconds, if the file has one.
    fn crawl_delay(&self, user_agent: Text<'_>) -> PyResult<Option<f64>> {
        Ok(self.policy().crawl_delay(&user_agent.crawler(self.dialect)?).map(|delay| delay.as_secs_f64()))
    }

    /// Returns how fast `user_agent` may fetch, and when. Without `at`, the delay is the longest one of the day. The
    /// limits are in seconds.
    #[pyo3(signature = (user_agent, *, at = None, min_delay = None, max_delay = None, default_delay = None))]
    fn pace<'py>(
        &self,
        py: Python<'py>,
        user_agent: Text<'py>,
        at: Option<Time>,
        min_delay: Option<f64>,
        max_delay: Option<f64>,
        default_delay: Option<f64>,
    ) -> Record<'py> {
        let PaceOptions { at, limits } = pace::options(at.as_ref(), min_delay, max_delay, default_delay)?;
        let schedule = self.policy().schedule(&user_agent.crawler(self.dialect)?);
        records::pace(py, &Pace::new(self.policy().outcome(), &schedule, at, &limits))
    }

    /// Returns the request rate for `user_agent`, if the file has one.
    fn request_rate<'py>(
        &self,
        py: Python<'py>,
        user_agent: Text<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rate = self.policy().request_rate(&user_agent.crawler(self.dialect)?);
        rate.map(|rate| records::request_rate(py, rate)).transpose()
    }

    /// Returns the hours at which `user_agent` may visit, if the file states them.
    fn visit_time<'py>(&self, py: Python<'py>, user_agent: Text<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let window = self.policy().visit_time(&user_agent.crawler(self.dialect)?);
        window.map(|window| records::visit_time(py, window)).transpose()
    }

    /// The sitemaps of the file, in file order.
    #[getter]
    fn sitemaps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.policy().sitemaps())?.try_iter()?.into_any())
    }

    /// The site's preferred host (`Host`, an extension of Yandex).
    #[getter]
    fn preferred_host(&self) -> Option<&str> {
        self.policy().hosts().next()
    }

    /// The name of the dialect.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.dialect.as_str()
    }

    /// The HTTP status of the response, or why there was none; 200 if none was given.
    #[getter]
    fn status(&self) -> Status {
        self.status
    }

    /// Supports pickling.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let robots = slf.get();
        let bytes = robots.parsed.borrow_owner().clone();
        Ok((
            slf.get_type().getattr("_restore")?,
            (
                bytes,
                robots.dialect.as_str(),
                robots.status,
                robots.max_robots_bytes.map(|Count(bytes)| bytes),
            ),
        ))
    }

    #[staticmethod]
    #[pyo3(signature = (content, dialect_name, status, max_robots_bytes = None))]
    fn _restore(
        content: Vec<u8>,
        dialect_name: &str,
        status: Status,
        max_robots_bytes: Option<Count>,
    ) -> PyResult<Self> {
        Robots::new(content, dialect(dialect_name)?, status, max_robots_bytes)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let bytes = self.parsed.borrow_owner().len();
        let dialect = PyString::new(py, self.dialect.as_str()).repr()?;
        Ok(format!("<robomata.Robots of {bytes} bytes, dialect {dialect}>"))
    }
}

/// The maximum value of `redirects`: far more than any terms follow.
const REDIRECTS: usize = 1_000;

/// Reads a page and the headers of its response. A `str` is UTF-8, regardless of the encoding that the page declares.
fn page_facts(page: Option<&Text<'_>>, headers: Option<Headers>) -> PyResult<PageFacts> {
    let headers = headers.map_or_else(Vec::new, |headers| headers.0);
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut reader = PageReader::new(&headers);
    if let Some(page) = page {
        let is_str = matches!(page, Text::Str(_));
        require_page(page.bytes()?, is_str, &headers)?;
        if is_str {
            reader.write("\u{feff}".as_bytes());
        }
        reader.write(page.bytes()?);
    }
    Ok(reader.finish())
}

/// Fails if `page` is not the whole page: a prohibition might be missing. The length of a `str` says nothing, because the page may
/// have had another encoding and other line ends.
fn require_page(page: &[u8], is_str: bool, headers: &[(&str, &str)]) -> PyResult<()> {
    require_text("page", page)?;
    let length = if is_str { u64::MAX } else { page.len() as u64 };
    robomata_pages::require_page(page, headers)
        .and_then(|()| robomata_pages::require_whole(length, headers))
        .map_err(|error| value_error(&format!("page: {error} ({})", error.advice())))
}

impl Robots {
    fn new(
        bytes: Vec<u8>,
        dialect: Dialect,
        status: Status,
        max_robots_bytes: Option<Count>,
    ) -> PyResult<Self> {
        let config = config(dialect, max_robots_bytes)?;
        let parsed = Parsed::new(bytes, |bytes| Policy::fetched(bytes, Some(status.0), &config));
        if parsed.borrow_dependent().outcome() == FetchOutcome::Success {
            require_text("content", parsed.borrow_owner())?;
        }
        Ok(Robots { parsed, dialect, status, max_robots_bytes, compiled: Mutex::default() })
    }

    fn policy(&self) -> &Policy<'_> {
        self.parsed.borrow_dependent()
    }

    fn answer(&self, url: &Text<'_>, user_agent: &Text<'_>) -> PyResult<Answer> {
        let (url, name) = (url.bytes()?, user_agent.bytes()?);
        let mut compiled = self.compiled();
        let Compiled { policies, scratch, .. } = &mut *compiled;
        if let Some(policy) = policies.get(name) {
            return Ok(policy.check_url_with(url, scratch));
        }
        let policy = SitePolicy::new(self.policy(), &user_agent.crawler(self.dialect)?);
        let answer = policy.check_url_with(url, scratch);
        // Where more than rules decide, the file's size stands for that of the program.
        let file = self.parsed.borrow_owner().len();
        let bytes = policy.program().map_or(file, |program| program.bytes().len());
        compiled.insert(name, policy, bytes);
        Ok(answer)
    }

    /// Locks the cache. A panic while it is locked does not leave it inconsistent, so poisoning is ignored.
    fn compiled(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
