//! The policies of many sites.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use rayon::prelude::*;
use robomata_columns::{
    ColumnsError, Query, Urls, allowed, check_url, holds, pace_fields, site_count, verdict_fields, verdicts,
};
use robomata_engine::{OpenError, PolicySetError, PolicyStore, SharedBundle, sync_folder_of};

use crate::build::{self, Built};
use crate::column::Column;
use crate::cores;
use crate::pace::{self, PaceIterator};
use crate::questions::{AskError, Piece, Questions};
use crate::records::{self, Record};
use crate::sites::SiteIterator;
use crate::text::{Agent, Count, Text, Time, config, value_error, warn};

/// Compiled policies of many sites: built in memory, or a bundle read into memory. A policy set is immutable and may be
/// shared between threads. A bundle is pickled as its path and hash, so another process opens the file itself.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct PolicySet {
    policies: Arc<robomata_engine::PolicySet>,
    /// None if the policies were built in memory.
    name: Option<String>,
    /// The last query of `check_url`: the next call is usually for the same crawler.
    last: Mutex<Option<NamedQuery>>,
}

/// A query with the user agent that the caller passed.
type NamedQuery = (Box<[u8]>, Arc<Query>);

#[pymethods]
impl PolicySet {
    /// Compiles robots.txt files: a mapping of sites to bodies, or an iterable of `(site, body)` or `(site, body,
    /// status)`. A site is a URL like `https://example.com`, or a host name for both http and https. Two spellings of one
    /// site with different files are an error. `agents` are the
    /// crawlers to compile for, or None for every crawler. `usage` is evaluated in addition to crawling. The URL of a
    /// site's `/.well-known/tdmrep.json` may be among the sites; its body counts for the usage `tdm`. At most
    /// `max_robots_bytes` of each robots.txt are read. A body that is still compressed, a bundle or a WARC is a `ValueError`. A
    /// `UserWarning` reports texts without a group, a rule or a known field, and one reports each tdmrep.json with an error: the
    /// number of such items, and the first.
    #[staticmethod]
    #[pyo3(signature = (robots, *, agents = None, dialect = "rfc9309", usage = None, max_robots_bytes = None))]
    fn build(
        py: Python<'_>,
        robots: &Bound<'_, PyAny>,
        agents: Option<Vec<String>>,
        dialect: &str,
        usage: Option<&str>,
        max_robots_bytes: Option<Count>,
    ) -> PyResult<Self> {
        let kind = build::kind(agents, dialect, usage)?;
        let config = config(kind.dialect, max_robots_bytes)?;
        let captures = build::captures(robots, kind.dialect)?;
        let Built { store, warnings } = cores::on_all(py, || build::store(&kind, &config, &captures))?;
        warnings.iter().try_for_each(|warning| warn(py, warning))?;
        Ok(PolicySet::of_store(store))
    }

    /// Opens a bundle written by `robomata compile` or `save`, or the shards of one, `policies-*-of-00016.bundle`. A
    /// shard is opened at the first URL of one of its hosts. The bundle is read and verified, once per process. Later
    /// changes of the file have no effect on the open bundle.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let name = std::path::absolute(&path).unwrap_or(path);
        PolicySet::shared(py, &text(&name)?)
    }

    /// Writes the policies to a bundle. The file is written completely or not at all. Names that `open` cannot read, such as
    /// those of shards, are a `ValueError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        robomata_engine::PolicySet::require_name(&path).map_err(|error| not_opened(&error))?;
        let store = self.only_store()?;
        py.detach(|| write(&path, store.bytes()))
            .map_err(|error| os_error(&error, &path.display().to_string()))
    }

    /// Returns the verdict on each URL, as a column of structs: `verdict`, `line`, `reason`. `urls` is a column of text
    /// (any object with the Arrow PyCapsule interface) or an iterable of `str`, `bytes` and None. Blanks around a URL do
    /// not count. A text with control characters is invalid, so strip the line ends of the lines of a file. `threads` is the
    /// maximum number of threads: None for one per core, 1 for only the calling thread. A permission that ended before
    /// `now` (by default the current time) does not count.
    #[pyo3(signature = (urls, agent, *, usage = None, now = None, threads = None))]
    fn check(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: Agent,
        usage: Option<&str>,
        now: Option<Time>,
        threads: Option<Count>,
    ) -> PyResult<Column> {
        let request = Request::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::whole(urls)?, &request, &VERDICTS)
    }

    /// May each URL be fetched? Returns a column of booleans, null where the answer is unknown. The arguments are those
    /// of `check`.
    #[pyo3(signature = (urls, agent, *, usage = None, now = None, threads = None))]
    fn allowed(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: Agent,
        usage: Option<&str>,
        now: Option<Time>,
        threads: Option<Count>,
    ) -> PyResult<Column> {
        let request = Request::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::whole(urls)?, &request, &ALLOWED)
    }

    /// Like `check`, for URLs in parts as in Common Crawl's index. None stands for a missing port or query, and
    /// an empty query is missing, too. A row is invalid if its path does not begin with `/`, or if its host contains user
    /// information or a delimiter such as `/`. So is a row with a query whose path is None, or whose path is empty while the
    /// query begins with `/`: the two are in the wrong order. One `?` at the beginning of a query does not count.
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
        threads: Option<Count>,
    ) -> PyResult<Column> {
        let request = Request::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::parts([protocol, host, port, path, query])?, &request, &VERDICTS)
    }

    /// Like `allowed`, for URLs in parts; see `check_parts`.
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
        threads: Option<Count>,
    ) -> PyResult<Column> {
        let request = Request::new(&agent, usage, now.as_ref(), threads)?;
        self.ask(py, &Questions::parts([protocol, host, port, path, query])?, &request, &ALLOWED)
    }

    /// Returns the verdict on one URL.
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
        let answer = check_url(&self.policies, &query, url.bytes()?).map_err(|error| raised(&error))?;
        records::verdict(py, answer)
    }

    /// Returns how fast `agent` may fetch from the site of each URL, as a column of structs: `delay`, `source`, `line`,
    /// `hours`, `asked`, `limit`, `visit_time`, `opens_in`. It is null where the site is unknown. Without `at`, the delay
    /// is the longest one of the day. The limits are in seconds.
    #[pyo3(signature = (urls, agent, *, at = None, min_delay = None, max_delay = None, default_delay = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn pace(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: Agent,
        at: Option<Time>,
        min_delay: Option<f64>,
        max_delay: Option<f64>,
        default_delay: Option<f64>,
    ) -> PyResult<Column> {
        let options = pace::options(at.as_ref(), min_delay, max_delay, default_delay)?;
        let query = agent.query(None, None)?;
        let pieces = Questions::whole(urls)?.pieces(1);
        let pace = |urls: &Urls| -> Result<ArrayRef, ColumnsError> {
            Ok(Arc::new(robomata_columns::pace(&self.policies, &query, &options, urls)?))
        };
        let chunks = py.detach(|| pieces.iter().map(|piece| piece.ask(pace)).collect::<Result<Vec<_>, _>>());
        Ok(Column::new(chunks.map_err(ask_error)?, DataType::Struct(pace_fields())))
    }

    /// Iterates over the sites that say how fast or when `agent` may fetch, each a site and a `Pace`, in no particular
    /// order. With a default delay, over all sites.
    #[pyo3(signature = (agent, *, at = None, min_delay = None, max_delay = None, default_delay = None))]
    fn paces(
        &self,
        agent: Agent,
        at: Option<Time>,
        min_delay: Option<f64>,
        max_delay: Option<f64>,
        default_delay: Option<f64>,
    ) -> PyResult<PaceIterator> {
        let options = pace::options(at.as_ref(), min_delay, max_delay, default_delay)?;
        Ok(PaceIterator::new(&self.policies, agent.query(None, None)?, options))
    }

    /// The content hash, 32 hexadecimal digits: bundles with the same hash have the same bytes. The hash of
    /// shards is that of their manifest.
    #[getter]
    fn hash(&self) -> String {
        self.policies.fingerprint().to_string()
    }

    /// The path followed by the hash. Opening it fails if the path has another bundle. None if the policies were built
    /// in memory.
    #[getter]
    fn pinned_path(&self) -> Option<String> {
        self.name.as_ref().map(|_| self.policies.pinned_name())
    }

    /// The path of the bundle. None if the policies were built in memory.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Iterates over the sites of the policies, each a `SiteSummary`, in no particular order.
    fn sites(&self) -> SiteIterator {
        SiteIterator::new(&self.policies)
    }

    /// Returns the number of sites.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| site_count(&self.policies)).map_err(|error| not_opened(&error))
    }

    /// Do the policies contain the site of this URL, or both sites of this host name?
    fn __contains__(&self, url: Text<'_>) -> PyResult<bool> {
        holds(&self.policies, url.bytes()?).map_err(|error| not_opened(&error))
    }

    /// Supports pickling: path and hash, or the bytes of policies built in memory.
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
    fn _restore(py: Python<'_>, name: &str, hash: &str) -> PyResult<Self> {
        PolicySet::shared(py, &format!("{name}#{hash}"))
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
    fn new(policies: Arc<robomata_engine::PolicySet>, name: Option<String>) -> Self {
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
        PolicySet::new(Arc::new(robomata_engine::PolicySet::of_store(store)), None)
    }

    fn shared(py: Python<'_>, name: &str) -> PyResult<Self> {
        // The interpreter is held here, so no other thread can fork while the bundles are locked.
        let bundle = SharedBundle::new(name);
        let policies = py.detach(|| bundle.open()).map_err(|error| not_opened(&error))?;
        let name = Some(policies.name().display().to_string());
        Ok(PolicySet::new(policies, name))
    }

    fn only_store(&self) -> PyResult<&PolicyStore> {
        let mut stores = self.policies.stores();
        match (stores.next(), stores.next()) {
            (Some(store), None) => store.map_err(|error| not_opened(&error)),
            _ => Err(value_error(&"expected a single bundle, found shards")),
        }
    }

    /// Answers without holding the interpreter.
    fn ask(
        &self,
        py: Python<'_>,
        questions: &Questions,
        request: &Request,
        output: &Output,
    ) -> PyResult<Column> {
        let pieces = questions.pieces(request.threads);
        let answer = |piece: &Piece| piece.ask(|urls| (output.answer)(&self.policies, &request.query, urls));
        let answers = |pieces: &[Piece]| pieces.iter().map(answer).collect::<Result<Vec<_>, AskError>>();
        let chunks = if pieces.len() == 1 || request.threads == 1 {
            py.detach(|| answers(&pieces))
        } else {
            let per_thread = pieces.len().div_ceil(request.threads);
            let chunks = cores::on_all(py, || {
                pieces.par_chunks(per_thread).map(answers).collect::<Result<Vec<_>, _>>()
            })?;
            chunks.map(|chunks| chunks.into_iter().flatten().collect())
        };
        Ok(Column::new(chunks.map_err(ask_error)?, (output.data_type)()))
    }
}

/// A query, and the maximum number of threads for it.
struct Request {
    query: Query,
    threads: usize,
}

impl Request {
    fn new(agent: &Agent, usage: Option<&str>, now: Option<&Time>, threads: Option<Count>) -> PyResult<Self> {
        let threads = match threads {
            None => cores::count(),
            Some(Count(threads)) => {
                usize::try_from(threads).ok().filter(|&threads| threads > 0).ok_or_else(|| {
                    value_error(&format!(
                        "threads: expected at least 1, or None for all cores, found {threads}"
                    ))
                })?
            }
        };
        let query = agent.query(usage, now)?;
        // All threads use the same time.
        let now = query.now();
        Ok(Request { query: query.at(now), threads })
    }
}

/// A kind of output column.
struct Output {
    answer: fn(&robomata_engine::PolicySet, &Query, &Urls) -> Result<ArrayRef, ColumnsError>,
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

/// Writes a file, completely or not at all.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary().tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_folder_of(path)
}

/// Returns a builder for temporary files with ordinary permissions: by default only the owner can read them.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".robomata-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn ask_error(error: AskError) -> PyErr {
    match error {
        AskError::Columns(error) => raised(&error),
        AskError::Arrow(error) => value_error(&error),
    }
}

/// Converts an error to a Python exception.
pub(crate) fn raised(error: &ColumnsError) -> PyErr {
    match error {
        ColumnsError::Policies(error) => not_opened(error),
        ColumnsError::Column { .. } => PyTypeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Converts an error in opening a bundle to a Python exception.
pub(crate) fn not_opened(error: &PolicySetError) -> PyErr {
    match error {
        PolicySetError::Open { error: OpenError::Io(io), path }
        | PolicySetError::Manifest { error: io, path } => os_error(io, &path.display().to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Creates an `OSError`. With the error number, Python creates the matching subclass, such as `FileNotFoundError`.
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
