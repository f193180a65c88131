//! One robots.txt.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};
use robomata::{
    Access, Answer, Circumstances, Config, Dialect, FetchStatus, PageStatements, Policy, SitePermissions,
    SitePolicy, Usage, Verdict,
};
use self_cell::self_cell;

use crate::records::{self, Record};
use crate::text::{Text, dialect, http_status, value_error};

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
        Ok(Robots::new(content.octets()?.to_vec(), crate::text::dialect(dialect)?, http_status(status)?))
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
        let (url, crawler) = (url.octets()?, user_agent.crawler()?);
        records::explanation(py, url, &robomata::explain(self.policy(), &crawler, url))
    }

    /// What is said about each usage of `url` (crawl, index, preserve, ai-train, …), by everything that the robots.txt says;
    /// ACAP's words count in the dialect `acap` alone.
    fn permissions<'py>(
        &self,
        py: Python<'py>,
        url: Text<'py>,
        user_agent: Text<'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut site = SitePermissions::new(self.policy(), &[], &user_agent.crawler()?, None);
        let answers = site.answers(url.octets()?, &PageStatements::default(), &Circumstances::default());
        let answers = answers.ok_or_else(|| value_error(&"expected an absolute URL, or a path"))?;
        let permissions = PyDict::new(py);
        for (usage, answer) in Usage::ALL.iter().zip(&answers) {
            permissions.set_item(usage.as_str(), records::permission(py, answer)?)?;
        }
        Ok(permissions)
    }

    /// Seconds between two requests, when `user_agent` is asked for them.
    fn crawl_delay(&self, user_agent: Text<'_>) -> PyResult<Option<f64>> {
        Ok(self.policy().crawl_delay(&user_agent.crawler()?).map(|delay| delay.as_secs_f64()))
    }

    /// The request rate that `user_agent` is asked for, as a `RequestRate`.
    fn request_rate<'py>(
        &self,
        py: Python<'py>,
        user_agent: Text<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rate = self.policy().request_rate(&user_agent.crawler()?);
        rate.map(|rate| records::request_rate(py, rate)).transpose()
    }

    /// The hours at which visits of `user_agent` are welcome, as a `VisitTime`.
    fn visit_time<'py>(&self, py: Python<'py>, user_agent: Text<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let window = self.policy().visit_time(&user_agent.crawler()?);
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
        let octets = robots.parsed.borrow_owner().clone();
        Ok((slf.get_type().getattr("_restore")?, (octets, robots.dialect.as_str(), robots.status)))
    }

    #[staticmethod]
    fn _restore(octets: Vec<u8>, dialect_name: &str, status: Option<u16>) -> PyResult<Self> {
        Ok(Robots::new(octets, dialect(dialect_name)?, status))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let octets = self.parsed.borrow_owner().len();
        let dialect = PyString::new(py, self.dialect.as_str()).repr()?;
        Ok(format!("<robomata.Robots of {octets} octets, dialect {dialect}>"))
    }
}

impl Robots {
    fn new(octets: Vec<u8>, dialect: Dialect, status: Option<u16>) -> Self {
        let parsed = Parsed::new(octets, |octets| {
            Policy::fetched(octets, status.map(FetchStatus::Code), &Config::new(dialect))
        });
        Robots { parsed, dialect, status, judges: Mutex::default() }
    }

    fn policy(&self) -> &Policy<'_> {
        self.parsed.borrow_dependent()
    }

    fn answer(&self, url: &Text<'_>, user_agent: &Text<'_>) -> PyResult<Answer> {
        let (url, name) = (url.octets()?, user_agent.octets()?);
        let mut judges = self.judges();
        if let Some(judge) = judges.get_mut(name) {
            return Ok(judge.check(url));
        }
        let mut judge = SitePolicy::new(self.policy(), &user_agent.crawler()?);
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
