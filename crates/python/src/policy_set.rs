//! Many sites' policies.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use rayon::prelude::*;
use robomata::{OpenError, PolicyStore};
use robomata_columns::{Query, ColumnsError, Urls, allowed, verdict_fields, verdicts};

use crate::build;
use crate::column::Column;
use crate::cores;
use crate::questions::{AskError, Piece, Questions};
use crate::records::{self, Record};
use crate::sites::SiteIterator;
use crate::text::{Agent, Text, Time, value_error};

/// Policies of many sites, compiled: built in memory, or a bundle that is mapped. They do not change, and may be shared
/// between threads; pickled, a bundle is its path and hash, so that another process opens the file itself.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct PolicySet {
    policies: Arc<robomata_columns::PolicySet>,
    /// None when they were built in memory.
    name: Option<String>,
    /// Who asked about one URL last: it is mostly the same one who asks about the next.
    last: Mutex<Option<NamedQuery>>,
}

/// Who asks, by the name that was given.
type NamedQuery = (Box<[u8]>, Arc<Query>);

#[pymethods]
impl PolicySet {
    /// Compiles robots.txt files: a mapping of sites to bodies, or an iterable of `(site, body)` or `(site, body, status)`.
    /// A site is the URL `https://example.com`, or a host's name, which stands for http and https. `agents` are the
    /// crawlers that will be asked for, None for whoever asks; `usage` is asked about beside crawl.
    #[staticmethod]
    #[pyo3(signature = (robots, *, agents = None, dialect = "rfc9309", usage = None))]
    fn build(
        py: Python<'_>,
        robots: &Bound<'_, PyAny>,
        agents: Option<Vec<String>>,
        dialect: &str,
        usage: Option<&str>,
    ) -> PyResult<Self> {
        let kind = build::kind(agents, dialect, usage)?;
        let captures = build::captures(robots)?;
        Ok(PolicySet::of_store(cores::on_all(py, || build::store(&kind, &captures))?))
    }

    /// Opens a bundle as `robomata compile` or `save` wrote it, or one in shards, `policies-*-of-00016.bundle`, each of which
    /// is opened when a URL of its hosts is first met. It is mapped in no time, once for the whole process; the file must not
    /// change meanwhile, but may be replaced.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        let name = std::path::absolute(&path).unwrap_or(path);
        PolicySet::shared(&text(&name)?)
    }

    /// Writes the policies to a bundle, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let store = self.only_store()?;
        py.detach(|| write(&path, store.bytes()))
            .map_err(|error| os_error(&error, &path.display().to_string()))
    }

    /// The verdict on each URL, as a column of structs: `verdict`, `line`, `reason`. `urls` is a column of text (anything that
    /// speaks the Arrow PyCapsule interface) or an iterable of `str`, `bytes` and None. `threads` is the most that work on
    /// it; None for as many as there are cores, 1 for the caller's alone. A permission that a date has ended by `now` (the
    /// clock, when it is None) is none.
    #[pyo3(signature = (urls, agent, *, usage = None, now = None, threads = None))]
    fn check(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: Agent,
        usage: Option<&str>,
        now: Option<Time>,
        threads: Option<i64>,
    ) -> PyResult<Column> {
        let asked = Asked::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::whole(urls)?, &asked, &VERDICTS)
    }

    /// May each URL be accessed? A column of booleans, as `check`: null where nobody can tell.
    #[pyo3(signature = (urls, agent, *, usage = None, now = None, threads = None))]
    fn allowed(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: Agent,
        usage: Option<&str>,
        now: Option<Time>,
        threads: Option<i64>,
    ) -> PyResult<Column> {
        let asked = Asked::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::whole(urls)?, &asked, &ALLOWED)
    }

    /// As `check`, of URLs in parts, as Common Crawl's index has them; None stands for a port or query that no URL has.
    #[pyo3(signature = (protocol, host, port, path, query, agent, *, usage = None, now = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "a URL has as many parts")]
    fn check_parts(
        &self,
        py: Python<'_>,
        protocol: &Bound<'_, PyAny>,
        host: &Bound<'_, PyAny>,
        port: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        query: &Bound<'_, PyAny>,
        agent: Agent,
        usage: Option<&str>,
        now: Option<Time>,
        threads: Option<i64>,
    ) -> PyResult<Column> {
        let asked = Asked::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::parts([protocol, host, port, path, query])?, &asked, &VERDICTS)
    }

    /// As `allowed`, of URLs in parts; see `check_parts`.
    #[pyo3(signature = (protocol, host, port, path, query, agent, *, usage = None, now = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "a URL has as many parts")]
    fn allowed_parts(
        &self,
        py: Python<'_>,
        protocol: &Bound<'_, PyAny>,
        host: &Bound<'_, PyAny>,
        port: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        query: &Bound<'_, PyAny>,
        agent: Agent,
        usage: Option<&str>,
        now: Option<Time>,
        threads: Option<i64>,
    ) -> PyResult<Column> {
        let asked = Asked::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::parts([protocol, host, port, path, query])?, &asked, &ALLOWED)
    }

    /// The verdict on one URL.
    #[pyo3(signature = (url, agent, *, usage = None, now = None))]
    fn check_url<'py>(
        &self,
        py: Python<'py>,
        url: Text<'py>,
        agent: Text<'py>,
        usage: Option<&str>,
        now: Option<Time>,
    ) -> Record<'py> {
        let query = self.query_of(&agent, usage, now.as_ref())?;
        let answer = self.policies.check_url(&query, url.bytes()?).map_err(|error| raised(&error))?;
        records::verdict(py, answer)
    }

    /// Goes through all bytes of the bundle: an error says what is damaged.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        cores::on_all(py, || self.policies.validate())?.map_err(|error| raised(&error))
    }

    /// By which the policies are known, of 32 hexadecimal digits: bundles of one hash have the same bytes. None for shards
    /// that lie about without their manifest.
    #[getter]
    fn hash(&self) -> Option<String> {
        self.policies.fingerprint().map(|fingerprint| fingerprint.to_string())
    }

    /// The path with the hash behind it: who opens that is told when another bundle lies there. None as `path`.
    #[getter]
    fn pinned_path(&self) -> Option<String> {
        self.name.as_ref().map(|_| self.policies.pinned_name())
    }

    /// Where the bundle was opened; None when it was built in memory.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The sites that the policies hold, each a `SiteSummary`, one after the other, in an order that means nothing.
    fn sites(&self) -> SiteIterator {
        SiteIterator::new(&self.policies)
    }

    /// How many sites the policies hold.
    fn __len__(&self) -> PyResult<usize> {
        self.policies.site_count().map_err(|error| raised(&error))
    }

    /// Do the policies hold the site of this URL?
    fn __contains__(&self, url: Text<'_>) -> PyResult<bool> {
        self.policies.holds(url.bytes()?).map_err(|error| raised(&error))
    }

    /// What pickles them: path and hash, or the bytes of what was built in memory.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, set) = (slf.py(), slf.get());
        let class = slf.get_type();
        match &set.name {
            Some(name) => Ok((class.getattr("_restore")?, (name, set.hash()).into_pyobject(py)?)),
            None => {
                let bytes = PyBytes::new(py, set.only_store()?.bytes());
                Ok((class.getattr("_of_bytes")?, (bytes,).into_pyobject(py)?))
            }
        }
    }

    #[staticmethod]
    fn _restore(name: &str, hash: Option<&str>) -> PyResult<Self> {
        PolicySet::shared(&hash.map_or_else(|| name.to_owned(), |hash| format!("{name}#{hash}")))
    }

    #[staticmethod]
    fn _of_bytes(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        cores::on_all(py, || PolicyStore::from_bytes(content.to_vec()))?
            .map(PolicySet::of_store)
            .map_err(|damage| value_error(&damage))
    }

    fn __repr__(&self) -> String {
        match &self.name {
            Some(name) => format!("<robomata.PolicySet of '{name}'>"),
            None => "<robomata.PolicySet in memory>".to_owned(),
        }
    }
}

impl PolicySet {
    fn new(policies: Arc<robomata_columns::PolicySet>, name: Option<String>) -> Self {
        PolicySet { policies, name, last: Mutex::default() }
    }

    fn query_of(&self, agent: &Text<'_>, usage: Option<&str>, now: Option<&Time>) -> PyResult<Arc<Query>> {
        let bytes = agent.bytes()?;
        let is_plain = usage.is_none() && now.is_none();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, query)) = last.as_ref().filter(|(name, _)| is_plain && **name == *bytes) {
            return Ok(Arc::clone(query));
        }
        let query = Arc::new(Agent::of(agent)?.query(usage, now)?);
        if is_plain {
            *last = Some((bytes.into(), Arc::clone(&query)));
        }
        Ok(query)
    }

    fn of_store(store: PolicyStore) -> Self {
        PolicySet::new(Arc::new(robomata_columns::PolicySet::of_store(store)), None)
    }

    fn shared(name: &str) -> PyResult<Self> {
        let policies = robomata_columns::PolicySet::shared(name).map_err(|error| raised(&error))?;
        let name = Some(policies.name().to_owned());
        Ok(PolicySet::new(policies, name))
    }

    fn only_store(&self) -> PyResult<&PolicyStore> {
        let mut stores = self.policies.stores();
        match (stores.next(), stores.next()) {
            (Some(store), None) => store.map_err(|error| raised(&error)),
            _ => Err(value_error(&"expected a bundle in one piece, found shards")),
        }
    }

    /// Answers without holding the interpreter.
    fn ask(&self, py: Python<'_>, questions: &Questions, asked: &Asked, output: &Output) -> PyResult<Column> {
        let pieces = questions.pieces(asked.threads);
        let answer = |piece: &Piece| piece.ask(|urls| (output.answer)(&self.policies, &asked.query, urls));
        let answers = |pieces: &[Piece]| pieces.iter().map(answer).collect::<Result<Vec<_>, AskError>>();
        let chunks = if pieces.len() == 1 || asked.threads == 1 {
            py.detach(|| answers(&pieces))
        } else {
            let a_thread = pieces.len().div_ceil(asked.threads);
            let chunks = cores::on_all(py, || {
                pieces.par_chunks(a_thread).map(answers).collect::<Result<Vec<_>, _>>()
            })?;
            chunks.map(|chunks| chunks.into_iter().flatten().collect())
        };
        let chunks = chunks.map_err(|error| match error {
            AskError::Columns(error) => raised(&error),
            AskError::Arrow(error) => value_error(&error),
        })?;
        Ok(Column::new(chunks, (output.data_type)()))
    }
}

/// Who asks, and how many threads may work for it.
struct Asked {
    query: Query,
    threads: usize,
}

impl Asked {
    fn new(agent: &Agent, usage: Option<&str>, now: Option<&Time>, threads: Option<i64>) -> PyResult<Self> {
        let threads = match threads {
            None => cores::count(),
            Some(threads) => {
                usize::try_from(threads).ok().filter(|&threads| threads > 0).ok_or_else(|| {
                    value_error(&format!(
                        "threads: expected at least 1, or None for all cores, found {threads}"
                    ))
                })?
            }
        };
        let query = agent.query(usage, now)?;
        // One instant for all threads.
        let now = query.now();
        Ok(Asked { query: query.at(now), threads })
    }
}

/// What comes out.
struct Output {
    answer: fn(&robomata_columns::PolicySet, &Query, &Urls<'_>) -> Result<ArrayRef, ColumnsError>,
    data_type: fn() -> DataType,
}

const ALLOWED: Output = Output {
    answer: |policies, query, urls| Ok(Arc::new(allowed(policies, query, urls)?)),
    data_type: || DataType::Boolean,
};

const VERDICTS: Output = Output {
    answer: |policies, query, urls| Ok(Arc::new(verdicts(policies, query, urls)?)),
    data_type: || DataType::Struct(verdict_fields()),
};

fn text(path: &Path) -> PyResult<String> {
    let text =
        path.to_str().ok_or_else(|| value_error(&format!("{}: expected a path in UTF-8", path.display())))?;
    Ok(text.to_owned())
}

/// Writes a file, whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary().tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// What makes files as others are: temporary ones are for their owner alone.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".robomata-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// What Python raises.
pub(crate) fn raised(error: &ColumnsError) -> PyErr {
    match error {
        ColumnsError::Open { error: OpenError::Io(io), path } => os_error(io, path),
        ColumnsError::Column { .. } => PyTypeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The `OSError` of this number: Python makes a `FileNotFoundError`, a `PermissionError` or whatever it is of it.
fn os_error(error: &io::Error, path: &str) -> PyErr {
    let known = match error.kind() {
        io::ErrorKind::NotFound => Some((2, "No such file or directory")),
        io::ErrorKind::PermissionDenied => Some((13, "Permission denied")),
        io::ErrorKind::IsADirectory => Some((21, "Is a directory")),
        io::ErrorKind::StorageFull => Some((28, "No space left on device")),
        _ => None,
    };
    match known {
        Some((number, text)) => PyOSError::new_err((number, text, path.to_owned())),
        None => PyOSError::new_err(format!("{path}: {error}")),
    }
}
