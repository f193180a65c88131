//! Builds stores from robots.txt files that Python code passes.

use std::collections::HashMap;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};
use rayon::prelude::*;
use robomata_engine::policy::outcome;
use robomata_engine::{
    Audience, CompiledTdmRep, Config, Dialect, FetchOutcome, FetchStatus, Policy, PolicyCompiler,
    PolicyStore, Site, SiteResource, StoreBuilder, StoreKind, TdmRep, Usage, UsageQuery,
};

use crate::input::type_name;
use crate::text::{Status, Text, require_text, value_error};

/// A robots.txt or tdmrep.json of a site, or of the two sites (http and https) of a host.
pub(crate) struct Capture {
    sites: Vec<Site<'static>>,
    is_tdmrep: bool,
    body: Vec<u8>,
    status: Option<FetchStatus>,
}

/// Reads captures from a mapping (site → body) or an iterable of (site, body) or (site, body, status). A body may be
/// None if there is a status that is no success, and a status None if there is a body that is not empty. A site may have
/// several captures of one file if all are equal: which of several others counts is not known.
pub(crate) fn captures(robots: &Bound<'_, PyAny>, dialect: Dialect) -> PyResult<Vec<Capture>> {
    let is_mapping = robots.is_instance_of::<PyDict>() || robots.cast::<PyMapping>().is_ok();
    let items = if is_mapping { robots.call_method0("items")? } else { robots.clone() };
    let captures = items.try_iter()?.enumerate().map(|(row, item)| capture(row, &item?));
    let captures: Vec<Capture> = captures.collect::<PyResult<_>>()?;
    for (row, capture) in captures.iter().enumerate() {
        if outcome(capture.status, dialect) == FetchOutcome::Success {
            require_text(&format!("robots, item {row}"), &capture.body)?;
        }
    }
    require_one_for_each_site(&captures)?;
    Ok(captures)
}

/// Fails if two captures of one file of a site differ.
fn require_one_for_each_site(captures: &[Capture]) -> PyResult<()> {
    let mut first = HashMap::new();
    for (row, capture) in captures.iter().enumerate() {
        for site in &capture.sites {
            let known = *first.entry((site.as_bytes(), capture.is_tdmrep)).or_insert(row);
            if !capture.is_like(&captures[known]) {
                let file = if capture.is_tdmrep { "tdmrep.json" } else { "robots.txt" };
                return Err(value_error(&format!(
                    "robots, item {row}: {site} has another {file} in item {known} (pass one for each site)"
                )));
            }
        }
    }
    Ok(())
}

impl Capture {
    fn is_like(&self, other: &Capture) -> bool {
        let status = |capture: &Capture| capture.status.unwrap_or(FetchStatus::Code(200));
        self.body == other.body && status(self) == status(other)
    }
}

fn capture(row: usize, item: &Bound<'_, PyAny>) -> PyResult<Capture> {
    let wrong = |found: &str| {
        let expected = "(site, body) or (site, body, status)";
        PyTypeError::new_err(format!("robots, item {row}: expected {expected}, found {found}"))
    };
    let is_text = item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>();
    let fields: Vec<Bound<'_, PyAny>> =
        if is_text { None } else { item.extract().ok() }.ok_or_else(|| wrong(&type_name(item)))?;
    let (site, body, status) = match fields.as_slice() {
        [site, body] => (site, body, None),
        [site, body, status] => (site, body, Some(status)),
        others => return Err(wrong(&format!("{} fields", others.len()))),
    };
    let in_field = |name: &str, error: PyErr| {
        let message = format!("robots, item {row}, {name}{}", error.value(item.py()));
        match error.is_instance_of::<PyValueError>(item.py()) {
            true => PyValueError::new_err(message),
            false => PyTypeError::new_err(message),
        }
    };
    let site = site
        .extract::<Text<'_>>()
        .and_then(|site| site.lossy())
        .map_err(|error| in_field("site: ", error))?;
    let body: Option<Text<'_>> = body.extract().map_err(|error| in_field("body: ", error))?;
    let has_status = status.is_some();
    let status: Option<Option<Status>> =
        status.map(PyAnyMethods::extract).transpose().map_err(|error| in_field("", error))?;
    let status = status.flatten().map(|Status(status)| status);
    let is_empty = match &body {
        None => true,
        // A pair is the file of a site. Three values without a status may be a fetch that failed.
        Some(body) => has_status && body.bytes()?.is_empty(),
    };
    match (&body, status) {
        (_, None) if is_empty => return Err(wrong("neither body nor status")),
        // Not an empty file: the body of a database or a crawler is missing.
        (None, Some(FetchStatus::Code(code @ 200..=299))) => {
            let use_instead = "b'' for an empty file, or 'no-response' if the body was not received";
            return Err(wrong(&format!("no body with status {code} (use {use_instead})")));
        }
        _ => {}
    }
    let (sites, resource) =
        Site::named(&site).map_err(|error| value_error(&format!("robots, item {row}: '{site}': {error}")))?;
    let sites = sites.into_iter().map(Site::into_owned).collect();
    let is_tdmrep = resource == SiteResource::TdmRep;
    if is_tdmrep
        && !has_status
        && body.as_ref().map_or(Ok(false), |body| body.bytes().map(<[u8]>::is_empty))?
    {
        let use_instead = "(site, None, 'no-response') if the body was not received";
        return Err(value_error(&format!(
            "robots, item {row}: expected JSON, found no bytes (use {use_instead})"
        )));
    }
    let body = body.map_or(Ok(Vec::new()), |body| body.bytes().map(<[u8]>::to_vec))?;
    Ok(Capture { sites, is_tdmrep, body, status })
}

/// Returns the kind of store for these arguments.
pub(crate) fn kind(agents: Option<Vec<String>>, dialect: &str, usage: Option<&str>) -> PyResult<StoreKind> {
    let dialect = crate::text::dialect(dialect)?;
    let audience = match agents {
        None => Audience::Everyone,
        Some(agents) if agents.is_empty() => {
            return Err(value_error(&"agents: expected at least one agent, or None for every crawler"));
        }
        Some(agents) if agents.iter().any(|agent| agent.contains(['\n', '\r'])) => {
            return Err(value_error(&"agents: expected names without line ends"));
        }
        Some(agents) => {
            let crawlers = agents.iter().map(|agent| crate::text::crawler(agent, dialect));
            Audience::Crawlers(crawlers.collect::<PyResult<_>>()?)
        }
    };
    let mut kind = StoreKind::new(dialect, audience);
    if let Some(usage) = usage {
        let usage = usage.parse().map_err(|error: robomata_engine::UnknownUsage| value_error(&error))?;
        kind.usage_query = UsageQuery { usage, purpose: None };
    }
    if !kind.is_possible() {
        let argument = if kind.usage_query.usage == Usage::Crawl { "dialect" } else { "usage" };
        let why = "only crawl, in another dialect than acap, can be compiled for every crawler";
        return Err(value_error(&format!("{argument}: requires agents: {why}")));
    }
    Ok(kind)
}

/// A store, and what its captures say nothing because of.
pub(crate) struct Built {
    pub(crate) store: PolicyStore,
    /// The warnings, each about all captures with the same problem.
    pub(crate) warnings: Vec<String>,
}

/// Compiles `captures` on all cores. A tdmrep.json counts only in a store that answers about mining.
pub(crate) fn store(kind: &StoreKind, config: &Config, captures: &[Capture]) -> Built {
    let (tdmreps, robots): (Vec<_>, Vec<_>) =
        captures.iter().enumerate().partition(|(_, capture)| capture.is_tdmrep);
    let compiled: Vec<_> = robots
        .par_iter()
        .map_init(
            || PolicyCompiler::new(kind),
            |compiler, (_, capture)| {
                let policy = Policy::fetched(&capture.body, capture.status, config);
                (compiler.compile(&policy), is_not_robots(&policy, &capture.body, config))
            },
        )
        .collect();
    let mut builder = StoreBuilder::new(kind.clone());
    let mut others = Vec::new();
    for (&(row, capture), (policies, is_other)) in robots.iter().zip(&compiled) {
        for site in &capture.sites {
            builder.insert(site, policies, None);
        }
        if *is_other {
            others.push((row, NOT_ROBOTS.to_owned()));
        }
    }
    let mut invalid = Vec::new();
    for (row, capture) in tdmreps.into_iter().filter(|_| kind.holds_tdmreps()) {
        let outcome = outcome(capture.status, kind.dialect);
        let tdmrep = TdmRep::read(&capture.body);
        let compiled = CompiledTdmRep::new(outcome, &tdmrep);
        for site in &capture.sites {
            builder.insert_tdmrep(site, &compiled, None);
        }
        let problem = tdmrep.problems.first().filter(|_| outcome == FetchOutcome::Success);
        invalid.extend(problem.map(|problem| (row, problem.to_string())));
    }
    Built {
        store: builder.build(),
        warnings: [others, invalid].iter().filter_map(|rows| warning(rows)).collect(),
    }
}

/// The warning about rows with a problem, if there are any.
fn warning(rows: &[(usize, String)]) -> Option<String> {
    let (row, problem) = rows.first()?;
    let others = match rows.len() {
        1 => String::new(),
        count => format!(", the first of {count} such items"),
    };
    Some(format!("robots, item {row}{others}: {problem}"))
}

/// What the command says about a text that is no robots.txt, too.
pub(crate) const NOT_ROBOTS: &str = "expected a robots.txt, found text without a rule: without rules, everything is allowed \
                                     (check the file)";

/// Is the body of a success something else than a robots.txt? Only the diagnostics know rules outside groups.
pub(crate) fn is_not_robots(policy: &Policy<'_>, text: &[u8], config: &Config) -> bool {
    policy.outcome() == FetchOutcome::Success
        && policy.is_not_robots()
        && Policy::with_diagnostics(text, config).is_not_robots()
}
