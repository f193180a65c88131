//! One robots.txt.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};
use robomata::lifecycle::{Attempt, GoodCopy, Header, Hop, Situation, Terms, Unreachable, standing};
use robomata::policy::acap::ReferencedFile;
use robomata::{
    Access, Answer, Circumstances, Config, Dialect, FetchStatus, PageFacts, Policy, SitePermissions,
    SitePolicy, Usage, Verdict,
};
use robomata_pages::{PageReader, PageReading};
use self_cell::self_cell;

use crate::records::{self, Record};
use crate::text::{Headers, Text, Time, dialect, http_status, value_error};

self_cell!(
    /// A file and what it says.
    struct Parsed {
        owner: Vec<u8>,
        #[covariant]
        dependent: Policy,
    }
);

/// What one robots.txt says, to whoever asks. It does not change, and may be shared between threads.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct Robots {
    parsed: Parsed,
    dialect: Dialect,
    status: Option<u16>,
    /// By user agent as it is asked with: its compiled rules.
    judges: Mutex<HashMap<Box<[u8]>, SitePolicy>>,
}

/// What makes a pickled one anew, and the file and how it is read.
type Reduced<'py> = (Bound<'py, PyAny>, (Vec<u8>, &'static str, Option<u16>));

/// Crawlers whose rules are kept compiled: who asks for more names than that pays for compiling.
const JUDGES: usize = 256;

#[pymethods]
impl Robots {
    /// Parses a robots.txt, which never fails: what is no record is ignored. A `str` is taken as UTF-8. `status` is the
    /// HTTP status with which it came: 404 allows everything, 503 nothing, whatever the body says.
    #[classmethod]
    #[pyo3(signature = (content, *, dialect = "rfc9309", status = None))]
    fn parse(
        _class: &Bound<'_, PyType>,
        content: Text<'_>,
        dialect: &str,
        status: Option<i64>,
    ) -> PyResult<Self> {
        Ok(Robots::new(content.bytes()?.to_vec(), crate::text::dialect(dialect)?, http_status(status)?))
    }

    /// May `user_agent` fetch `url`? Argument order as in Protego. True only for the verdict `allow`.
    fn can_fetch(&self, url: Text<'_>, user_agent: Text<'_>) -> PyResult<bool> {
        let answer = self.answer(&url, &user_agent)?;
        Ok(matches!(answer, Answer::Verdict(Verdict { access: Access::Allow, .. })))
    }

    /// The verdict on `url` for `user_agent`, with the line that decided.
    fn check<'py>(&self, py: Python<'py>, url: Text<'py>, user_agent: Text<'py>) -> Record<'py> {
        records::verdict(py, self.answer(&url, &user_agent)?)
    }

    /// Everything that led to the verdict on `url`.
    fn explain<'py>(&self, py: Python<'py>, url: Text<'py>, user_agent: Text<'py>) -> Record<'py> {
        let (url, crawler) = (url.bytes()?, user_agent.crawler(self.dialect)?);
        records::explanation(py, url, &robomata::explain(self.policy(), &crawler, url))
    }

    /// What applies to the site at `now` by how this robots.txt was fetched (its `status`), until when, and why: the
    /// life-cycle of RFC 9309, 2.3.1 and 2.4, of Google's documentation, or of Koster, 3.1 and 3.4, by the dialect.
    #[pyo3(signature = (
        *, now, fetched = None, redirects = 0, headers = None, last_good_fetched = None, failing_since = None,
        unreachable = "last-good"
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn standing<'py>(
        &self,
        py: Python<'py>,
        now: Time,
        fetched: Option<Time>,
        redirects: usize,
        headers: Option<Headers>,
        last_good_fetched: Option<Time>,
        failing_since: Option<Time>,
        unreachable: &str,
    ) -> Record<'py> {
        let named = Unreachable::ALL.into_iter().find(|choice| choice.as_str() == unreachable);
        let unreachable = named.ok_or_else(|| {
            value_error(&format!("unreachable: expected 'last-good' or 'disallow', found '{unreachable}'"))
        })?;
        if redirects > REDIRECTS {
            return Err(value_error(&format!("redirects: expected at most {REDIRECTS}, found {redirects}")));
        }
        let headers = headers.map_or_else(Vec::new, |headers| headers.0);
        let mut headers: Vec<Header> =
            headers.into_iter().map(|(name, value)| Header::new(name, value)).collect();
        if headers.is_empty() {
            // A redirect led somewhere, even if nobody says where.
            headers.push(Header::new("Location", "https://elsewhere.invalid/robots.txt"));
        }
        let attempt = Attempt {
            url: b"https://here.invalid/robots.txt".to_vec(),
            hops: vec![Hop { status: 302, location: None }; redirects],
            end: self.status.map_or(FetchStatus::Success, FetchStatus::Code),
            headers,
            at: fetched.map_or(now.0, |fetched| fetched.0),
        };
        let situation = Situation {
            failing_since: failing_since.map(|since| since.0),
            good_copy: last_good_fetched.map(|at| GoodCopy { at: at.0, headers: Vec::new() }),
            unreachable,
            ..Situation::first(attempt)
        };
        records::standing(py, &standing(&situation, now.0, Terms::from(self.dialect)), now.0)
    }

    /// What is said about each usage of `url` (crawl, index, preserve, ai-train, …) by the robots.txt, the files that it
    /// refers to (`references`, by locator), and the `page` at the URL with the `headers` of its response; for `purpose`,
    /// at `now`. ACAP's words count in the dialect `acap` alone.
    #[pyo3(signature = (
        url, user_agent, *, page = None, headers = None, purpose = None, references = None, now = None
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
        references: Option<HashMap<String, Text<'py>>>,
        now: Option<Time>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let crawler = user_agent.crawler(self.dialect)?;
        let mut referenced = Vec::new();
        for (locator, file) in references.iter().flatten() {
            referenced.push(ReferencedFile { locator, bytes: file.bytes()? });
        }
        // The order of the files is their place.
        referenced.sort_unstable_by_key(|file| file.locator);
        let facts = page_facts(page.as_ref(), headers)?;
        let circumstances =
            Circumstances { purpose: purpose.clone(), now: now.map(|now| now.0), ..Circumstances::default() };
        let mut site = SitePermissions::new(self.policy(), &referenced, &crawler, purpose.as_deref());
        let answers = site.answers(url.bytes()?, &PageReading::new(&facts, &crawler).says, &circumstances);
        let answers = answers.ok_or_else(|| value_error(&"expected an absolute URL, or a path"))?;
        let permissions = PyDict::new(py);
        for (usage, answer) in Usage::ALL.iter().zip(&answers) {
            permissions.set_item(usage.as_str(), records::permission(py, answer)?)?;
        }
        Ok(permissions)
    }

    /// Seconds between two requests, when `user_agent` is asked for them.
    fn crawl_delay(&self, user_agent: Text<'_>) -> PyResult<Option<f64>> {
        Ok(self.policy().crawl_delay(&user_agent.crawler(self.dialect)?).map(|delay| delay.as_secs_f64()))
    }

    /// The request rate that `user_agent` is asked for, as a `RequestRate`.
    fn request_rate<'py>(
        &self,
        py: Python<'py>,
        user_agent: Text<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rate = self.policy().request_rate(&user_agent.crawler(self.dialect)?);
        rate.map(|rate| records::request_rate(py, rate)).transpose()
    }

    /// The hours at which visits of `user_agent` are welcome, as a `VisitTime`.
    fn visit_time<'py>(&self, py: Python<'py>, user_agent: Text<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let window = self.policy().visit_time(&user_agent.crawler(self.dialect)?);
        window.map(|window| records::visit_time(py, window)).transpose()
    }

    /// The sitemaps of the file, in its order.
    #[getter]
    fn sitemaps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.policy().sitemaps())?.try_iter()?.into_any())
    }

    /// The host that the site prefers for itself (`Host`, an extension of Yandex).
    #[getter]
    fn preferred_host(&self) -> Option<&str> {
        self.policy().hosts().next()
    }

    /// The name of the dialect.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.dialect.as_str()
    }

    /// The HTTP status that was given.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.status
    }

    /// What pickles it: the file and how it is read.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let robots = slf.get();
        let bytes = robots.parsed.borrow_owner().clone();
        Ok((slf.get_type().getattr("_restore")?, (bytes, robots.dialect.as_str(), robots.status)))
    }

    #[staticmethod]
    fn _restore(content: Vec<u8>, dialect_name: &str, status: Option<u16>) -> PyResult<Self> {
        Ok(Robots::new(content, dialect(dialect_name)?, status))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let bytes = self.parsed.borrow_owner().len();
        let dialect = PyString::new(py, self.dialect.as_str()).repr()?;
        Ok(format!("<robomata.Robots of {bytes} bytes, dialect {dialect}>"))
    }
}

/// Redirects that can be told of: far more than any terms follow.
const REDIRECTS: usize = 1_000;

/// What a page and the headers of its response say; a `str` is UTF-8, whatever the page says of itself.
fn page_facts(page: Option<&Text<'_>>, headers: Option<Headers>) -> PyResult<PageFacts> {
    let headers = headers.map_or_else(Vec::new, |headers| headers.0);
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut reader = PageReader::new(&headers);
    if let Some(page) = page {
        if matches!(page, Text::Str(_)) {
            reader.write("\u{feff}".as_bytes());
        }
        reader.write(page.bytes()?);
    }
    Ok(reader.finish())
}

impl Robots {
    fn new(bytes: Vec<u8>, dialect: Dialect, status: Option<u16>) -> Self {
        let parsed = Parsed::new(bytes, |bytes| {
            Policy::fetched(bytes, status.map(FetchStatus::Code), &Config::new(dialect))
        });
        Robots { parsed, dialect, status, judges: Mutex::default() }
    }

    fn policy(&self) -> &Policy<'_> {
        self.parsed.borrow_dependent()
    }

    fn answer(&self, url: &Text<'_>, user_agent: &Text<'_>) -> PyResult<Answer> {
        let (url, name) = (url.bytes()?, user_agent.bytes()?);
        let mut judges = self.judges();
        if let Some(judge) = judges.get_mut(name) {
            return Ok(judge.check(url));
        }
        let mut judge = SitePolicy::new(self.policy(), &user_agent.crawler(self.dialect)?);
        let answer = judge.check(url);
        if judges.len() >= JUDGES {
            judges.clear();
        }
        judges.insert(name.into(), judge);
        Ok(answer)
    }

    /// Nothing is left half done by whoever panics while holding them.
    fn judges(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, SitePolicy>> {
        self.judges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
