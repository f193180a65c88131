//! Many sites' policies.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use rayon::prelude::*;
use robomata::{Answer, Crawler, PolicyStore};
use robomata_columns::{Asker, ColumnsError, Urls, allowed, verdict_fields, verdicts};

use crate::build;
use crate::column::{Column, whole};
use crate::cores;
use crate::input::Input;
use crate::records::{self, Record};
use crate::text::{Text, value_error};

/// Policies of many sites, compiled: built in memory, or a bundle that is mapped. They do not change, and may be shared
/// between threads; pickled, a bundle is its path and hash, so that another process opens the file itself.
#[pyclass(frozen, module = "robomata")]
pub(crate) struct PolicySet {
    policies: Arc<robomata_columns::PolicySet>,
    /// None when they were built in memory.
    name: Option<String>,
}

/// Rows that a thread takes at a time: fewer are not worth waking another thread.
const PIECE: usize = 1 << 15;

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
        Ok(PolicySet::of_store(py.detach(|| cores::on_all(|| build::store(&kind, &captures)))))
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
        py.detach(|| write(&path, store.octets()))
            .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))
    }

    /// The verdict on each URL, as a column of structs: `verdict`, `line`, `reason`. `urls` is a column of text (anything that
    /// speaks the Arrow PyCapsule interface) or an iterable of `str`, `bytes` and None. `threads` is the most that work on
    /// it; None for as many as there are cores, 1 for the caller's alone.
    #[pyo3(signature = (urls, agent, *, usage = None, threads = None))]
    fn check(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: &str,
        usage: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Column> {
        let question = Question::new(agent, usage, threads)?;
        self.ask(py, Columns::urls(urls)?, &question, &VERDICTS)
    }

    /// May each URL be accessed? A column of booleans, as [`check`]: null where nobody can tell.
    #[pyo3(signature = (urls, agent, *, usage = None, threads = None))]
    fn allowed(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        agent: &str,
        usage: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Column> {
        let question = Question::new(agent, usage, threads)?;
        self.ask(py, Columns::urls(urls)?, &question, &ALLOWED)
    }

    /// As `check`, of URLs in parts, as Common Crawl's index has them; None stands for a port or query that no URL has.
    #[pyo3(signature = (protocol, host, port, path, query, agent, *, usage = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "a URL has as many parts")]
    fn check_parts(
        &self,
        py: Python<'_>,
        protocol: &Bound<'_, PyAny>,
        host: &Bound<'_, PyAny>,
        port: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        query: &Bound<'_, PyAny>,
        agent: &str,
        usage: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Column> {
        let question = Question::new(agent, usage, threads)?;
        self.ask(py, Columns::parts([protocol, host, port, path, query])?, &question, &VERDICTS)
    }

    /// As `allowed`, of URLs in parts; see `check_parts`.
    #[pyo3(signature = (protocol, host, port, path, query, agent, *, usage = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "a URL has as many parts")]
    fn allowed_parts(
        &self,
        py: Python<'_>,
        protocol: &Bound<'_, PyAny>,
        host: &Bound<'_, PyAny>,
        port: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        query: &Bound<'_, PyAny>,
        agent: &str,
        usage: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Column> {
        let question = Question::new(agent, usage, threads)?;
        self.ask(py, Columns::parts([protocol, host, port, path, query])?, &question, &ALLOWED)
    }

    /// The verdict on one URL.
    fn check_url<'py>(&self, py: Python<'py>, url: Text<'py>, agent: &str) -> Record<'py> {
        let url = url.octets()?;
        let crawler = Crawler::new(agent);
        let answer = match self.policies.store_of(url).map_err(|error| raised(&error))? {
            Some(store) => store.check(&crawler, url).map_err(|why| value_error(&why))?,
            None => Answer::Invalid,
        };
        records::verdict(py, answer)
    }

    /// Goes through all octets of the bundle: an error says what is damaged.
    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| cores::on_all(|| self.policies.validate())).map_err(|error| raised(&error))
    }

    /// By which the policies are known, of 32 hexadecimal digits: bundles of one hash have the same octets.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        Ok(self.policies.fingerprint().map_err(|error| raised(&error))?.to_string())
    }

    /// Where the bundle was opened; None when it was built in memory.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The sites that the policies hold, each a `SiteSummary`, in an order that means nothing.
    fn sites<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.policies.sites();
        let sites = sites.map(|site| records::site_summary(py, &site.map_err(|error| raised(&error))?));
        Ok(PyList::new(py, sites.collect::<PyResult<Vec<_>>>()?)?.try_iter()?.into_any())
    }

    /// How many sites the policies hold.
    fn __len__(&self) -> PyResult<usize> {
        self.policies.site_count().map_err(|error| raised(&error))
    }

    /// Do the policies hold the site of this URL?
    fn __contains__(&self, url: Text<'_>) -> PyResult<bool> {
        self.policies.holds(url.octets()?).map_err(|error| raised(&error))
    }

    /// What pickles them: path and hash, or the octets of what was built in memory.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, set) = (slf.py(), slf.get());
        let class = slf.get_type();
        match &set.name {
            Some(name) => Ok((class.getattr("_restore")?, (name, set.hash()?).into_pyobject(py)?)),
            None => {
                let octets = PyBytes::new(py, set.only_store()?.octets());
                Ok((class.getattr("_of_octets")?, (octets,).into_pyobject(py)?))
            }
        }
    }

    #[staticmethod]
    fn _restore(name: &str, hash: &str) -> PyResult<Self> {
        PolicySet::shared(&format!("{name}#{hash}"))
    }

    #[staticmethod]
    fn _of_octets(octets: &[u8]) -> PyResult<Self> {
        cores::on_all(|| PolicyStore::from_octets(octets.to_vec()))
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
    fn of_store(store: PolicyStore) -> Self {
        PolicySet { policies: Arc::new(robomata_columns::PolicySet::of_store(store)), name: None }
    }

    fn shared(name: &str) -> PyResult<Self> {
        let policies = robomata_columns::PolicySet::shared(name).map_err(|error| raised(&error))?;
        let name = Some(policies.name().to_owned());
        Ok(PolicySet { policies, name })
    }

    fn only_store(&self) -> PyResult<&PolicyStore> {
        let mut stores = self.policies.stores();
        match (stores.next(), stores.next()) {
            (Some(store), None) => store.map_err(|error| raised(&error)),
            _ => Err(value_error(&"expected a bundle in one piece, found shards")),
        }
    }

    /// Answers without holding the interpreter.
    fn ask(
        &self,
        py: Python<'_>,
        columns: Columns,
        question: &Question,
        output: &Output,
    ) -> PyResult<Column> {
        let chunks = py.detach(|| {
            let answer =
                |piece: &Columns| (output.answer)(&self.policies, &question.asker, &piece.as_urls()?);
            let pieces = columns.pieces(question.threads);
            if pieces.len() <= 1 || question.threads == 1 {
                return pieces.iter().map(answer).collect::<Result<Vec<_>, _>>();
            }
            let a_thread = pieces.len().div_ceil(question.threads);
            let answers = |pieces: &[Columns]| pieces.iter().map(answer).collect::<Result<Vec<_>, _>>();
            let chunks =
                cores::on_all(|| pieces.par_chunks(a_thread).map(answers).collect::<Result<Vec<_>, _>>())?;
            Ok(chunks.into_iter().flatten().collect())
        });
        let (chunks, data_type) = (chunks.map_err(|error| raised(&error))?, (output.data_type)());
        let chunks = if columns.is_chunked() { chunks } else { vec![whole(&chunks, &data_type)?] };
        Ok(Column::new(chunks, data_type))
    }
}

/// Who asks, and how many threads may work for it.
struct Question {
    asker: Asker,
    threads: usize,
}

impl Question {
    fn new(agent: &str, usage: Option<&str>, threads: Option<usize>) -> PyResult<Self> {
        if threads == Some(0) {
            return Err(value_error(&"threads: expected at least 1, or None for all cores"));
        }
        let asker = Asker::new(agent, usage).map_err(|error| raised(&error))?;
        Ok(Question { asker, threads: threads.unwrap_or_else(cores::count) })
    }
}

/// What comes out.
struct Output {
    answer: fn(&robomata_columns::PolicySet, &Asker, &Urls<'_>) -> Result<ArrayRef, ColumnsError>,
    data_type: fn() -> DataType,
}

const ALLOWED: Output = Output {
    answer: |policies, asker, urls| Ok(Arc::new(allowed(policies, asker, urls)?)),
    data_type: || DataType::Boolean,
};

const VERDICTS: Output = Output {
    answer: |policies, asker, urls| Ok(Arc::new(verdicts(policies, asker, urls)?)),
    data_type: || DataType::Struct(verdict_fields()),
};

/// The columns that are asked about.
enum Columns {
    Whole(Input),
    Parts([ArrayRef; 5]),
}

impl Columns {
    fn urls(urls: &Bound<'_, PyAny>) -> PyResult<Self> {
        let columns = Columns::Whole(Input::texts("urls", urls)?);
        columns.require_types()
    }

    fn parts([protocol, host, port, path, query]: [&Bound<'_, PyAny>; 5]) -> PyResult<Self> {
        let columns = Columns::Parts([
            Input::texts("protocol", protocol)?.into_one()?,
            Input::texts("host", host)?.into_one()?,
            Input::ports("port", port)?.into_one()?,
            Input::texts("path", path)?.into_one()?,
            Input::texts("query", query)?.into_one()?,
        ]);
        columns.require_types()
    }

    /// Columns whose types are answered, and that are of one length.
    fn require_types(self) -> PyResult<Self> {
        let checked = match &self {
            Columns::Whole(input) => input.chunks.iter().try_for_each(|chunk| Urls::whole(chunk).map(|_| ())),
            Columns::Parts(_) => self.as_urls().map(|_| ()),
        };
        checked.map_err(|error| raised(&error)).map(|()| self)
    }

    /// Does the answer go back in chunks?
    fn is_chunked(&self) -> bool {
        matches!(self, Columns::Whole(Input { is_chunked: true, .. }))
    }

    /// The columns in pieces for so many threads, in their order: its chunks, and these divided where they are long.
    fn pieces(&self, threads: usize) -> Vec<Columns> {
        let lens = match self {
            Columns::Whole(input) => input.chunks.iter().map(Array::len).collect(),
            Columns::Parts(parts) => vec![parts[0].len()],
        };
        let rows: usize = lens.iter().sum();
        let most = rows.div_ceil(threads).max(PIECE);
        let mut pieces = Vec::new();
        for (chunk, len) in lens.into_iter().enumerate() {
            // Of an empty column, too, it is asked whether the policies answer about it.
            for start in (0..len.max(1)).step_by(most) {
                pieces.push(self.slice(chunk, start, most.min(len - start)));
            }
        }
        pieces
    }

    fn slice(&self, chunk: usize, start: usize, len: usize) -> Columns {
        match self {
            Columns::Whole(input) => {
                let chunks = vec![input.chunks[chunk].slice(start, len)];
                Columns::Whole(Input { chunks, is_chunked: false })
            }
            Columns::Parts(parts) => Columns::Parts(parts.each_ref().map(|part| part.slice(start, len))),
        }
    }

    /// A piece as it is asked about.
    fn as_urls(&self) -> Result<Urls<'_>, ColumnsError> {
        match self {
            Columns::Whole(input) => Urls::whole(&input.chunks[0]),
            Columns::Parts([protocol, host, port, path, query]) => {
                Urls::parts(protocol, host, port, path, query)
            }
        }
    }
}

fn text(path: &Path) -> PyResult<String> {
    let text =
        path.to_str().ok_or_else(|| value_error(&format!("{}: expected a path in UTF-8", path.display())))?;
    Ok(text.to_owned())
}

/// Writes a file, whole or not at all.
fn write(path: &Path, octets: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file =
        tempfile::Builder::new().prefix(".robomata-").permissions(readable()).tempfile_in(folder)?;
    file.write_all(octets)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// As files are made: temporary ones are for their owner alone.
#[cfg(unix)]
fn readable() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

/// What Python raises.
fn raised(error: &ColumnsError) -> PyErr {
    match error {
        ColumnsError::Open { error: robomata::OpenError::Io(io), .. } => match io.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(error.to_string()),
            std::io::ErrorKind::PermissionDenied => PyPermissionError::new_err(error.to_string()),
            _ => PyOSError::new_err(error.to_string()),
        },
        ColumnsError::Column { .. } => PyTypeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
