//! Converts answers to the named tuples of `robomata/_types.py`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTime, PyTuple, PyType, PyTzInfo};
use robomata_columns::SiteSummary;
use robomata_engine::lifecycle::Standing;
use robomata_engine::policy::{Adjustment, DayWindow, Pace, RequestRate};
use robomata_engine::{Answer, Explanation, Moment, PermissionAnswer};

/// The class `$name` of `robomata._types`, imported once.
macro_rules! class {
    ($py:expr, $name:literal) => {{
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import($py, "robomata._types", $name)
    }};
}

pub(crate) type Record<'py> = PyResult<Bound<'py, PyAny>>;

/// Creates a named tuple from its fields. Does what the class's `__new__` does, but without calling Python code.
fn record<'py>(
    class: &Bound<'py, PyType>,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> Record<'py> {
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = class.py();
    let new =
        NEW.get_or_try_init(py, || Ok::<_, PyErr>(py.get_type::<PyTuple>().getattr("__new__")?.unbind()))?;
    new.bind(py).call1((class, fields.into_pyobject(py)?))
}

pub(crate) fn verdict(py: Python<'_>, answer: Answer) -> Record<'_> {
    record(class!(py, "Verdict")?, (answer.as_str(), line(answer.line()), answer.reason()))
}

/// Returns an empty row of a column of verdicts.
pub(crate) fn verdict_row(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    Ok(class!(py, "VerdictRow")?.call0()?.cast_into()?)
}

/// Returns the line, if one decided.
pub(crate) fn line(line: u32) -> Option<u32> {
    (line > 0).then_some(line)
}

pub(crate) fn explanation<'py>(py: Python<'py>, url: &[u8], explanation: &Explanation<'_>) -> Record<'py> {
    let rules = explanation.matching.iter().map(|rule| {
        record(class!(py, "MatchingRule")?, (rule.line, rule.access.as_str(), &rule.pattern, rule.length))
    });
    record(
        class!(py, "Explanation")?,
        (
            String::from_utf8_lossy(url),
            verdict(py, explanation.answer)?,
            explanation.dialect.as_str(),
            explanation.target.as_deref(),
            explanation.group.as_deref(),
            explanation.rule_count,
            PyTuple::new(py, rules.collect::<PyResult<Vec<_>>>()?)?,
        ),
    )
}

pub(crate) fn permission<'py>(py: Python<'py>, answer: &PermissionAnswer) -> Record<'py> {
    let source = answer.source.map(|source| {
        record(class!(py, "Source")?, (source.vocabulary.as_str(), source.line, source.place.as_str()))
    });
    let texts = |texts: &mut dyn Iterator<Item = String>| PyTuple::new(py, texts.collect::<Vec<String>>());
    record(
        class!(py, "Permission")?,
        (
            answer.permission.as_str(),
            answer.reason.as_str(),
            source.transpose()?,
            texts(&mut answer.qualifiers.iter().map(ToString::to_string))?,
            texts(&mut answer.lacks.iter().map(ToString::to_string))?,
        ),
    )
}

pub(crate) fn standing<'py>(py: Python<'py>, standing: &Standing, now: Moment) -> Record<'py> {
    record(
        class!(py, "Standing")?,
        (
            standing.applies.as_str(),
            moment(py, standing.until)?,
            moment(py, Some(standing.refetch))?,
            standing.is_due(now),
            standing.why.to_string(),
        ),
    )
}

pub(crate) fn pace<'py>(py: Python<'py>, pace: &Pace) -> Record<'py> {
    let Pace { asked, delay, opens_in, .. } = *pace;
    let hours = |window: Option<DayWindow>| window.map(|window| visit_time(py, window)).transpose();
    record(
        class!(py, "Pace")?,
        (
            delay.map(|delay| delay.duration.as_secs_f64()),
            pace.source(),
            asked.map(|asked| asked.line),
            hours(asked.and_then(|asked| asked.hours))?,
            asked.map(|asked| asked.duration.as_secs_f64()),
            delay.and_then(|delay| delay.adjustment).map(Adjustment::as_str),
            hours(pace.visit_time)?,
            opens_in.map(|wait| wait.as_secs()),
        ),
    )
}

pub(crate) fn request_rate(py: Python<'_>, rate: RequestRate) -> Record<'_> {
    let window = rate.window.map(|window| times(py, window)).transpose()?;
    let (start, end) = window.map_or((None, None), |(start, end)| (Some(start), Some(end)));
    record(class!(py, "RequestRate")?, (rate.requests, rate.per.as_secs_f64(), start, end))
}

pub(crate) fn visit_time(py: Python<'_>, window: DayWindow) -> Record<'_> {
    record(class!(py, "VisitTime")?, times(py, window)?)
}

/// Converts the ends of a window. The end of the day becomes midnight, because `datetime.time` has no 24:00.
fn times(py: Python<'_>, window: DayWindow) -> PyResult<(Bound<'_, PyTime>, Bound<'_, PyTime>)> {
    let time = |minutes: u16| {
        let [hour, minute] =
            [minutes / 60 % 24, minutes % 60].map(|part| u8::try_from(part).unwrap_or_default());
        PyTime::new(py, hour, minute, 0, 0, None)
    };
    Ok((time(window.from)?, time(window.to)?))
}

pub(crate) fn site_summary<'py>(py: Python<'py>, site: &SiteSummary) -> Record<'py> {
    let (first, last) = (moment(py, site.first)?, moment(py, site.last)?);
    record(class!(py, "SiteSummary")?, (&site.site, site.outcome.as_str(), first, last, site.versions))
}

/// Converts a moment to a `datetime` in UTC.
fn moment(py: Python<'_>, moment: Option<Moment>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let Some(Moment(seconds)) = moment else { return Ok(None) };
    static DATETIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = DATETIME.import(py, "datetime", "datetime")?;
    class.call_method1("fromtimestamp", (seconds, PyTzInfo::utc(py)?)).map(Some)
}
