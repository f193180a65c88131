//! Builds stores from robots.txt files that Python code passes.

use std::collections::HashMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};
use rayon::prelude::*;
use robomata_engine::policy::outcome;
use robomata_engine::{
    Audience, CompiledTdmRep, Config, Dialect, FetchOutcome, FetchStatus, Policy, PolicyCompiler,
    PolicyStore, Site, SiteResource, StoreBuilder, StoreKind, TdmRep, UsageQuery,
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
        PyTypeError::new_err(format!("robots, item {row}, {name}: {}", error.value(item.py())))
    };
    let site =
        site.extract::<Text<'_>>().and_then(|site| site.lossy()).map_err(|error| in_field("site", error))?;
    let body: Option<Text<'_>> = body.extract().map_err(|error| in_field("body", error))?;
    let has_status = status.is_some();
    let status: Option<Option<Status>> =
        status.map(PyAnyMethods::extract).transpose().map_err(|error| in_field("status", error))?;
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
        return Err(value_error(&"usage: requires agents: only crawl can be compiled for every crawler"));
    }
    Ok(kind)
}

/// Compiles `captures` on all cores. A tdmrep.json counts only in a store that answers about mining.
pub(crate) fn store(kind: &StoreKind, config: &Config, captures: &[Capture]) -> PolicyStore {
    let (tdmreps, robots): (Vec<&Capture>, Vec<&Capture>) =
        captures.iter().partition(|capture| capture.is_tdmrep);
    let compiled: Vec<_> = robots
        .par_iter()
        .map_init(
            || PolicyCompiler::new(kind),
            |compiler, capture| compiler.compile(&Policy::fetched(&capture.body, capture.status, config)),
        )
        .collect();
    let mut builder = StoreBuilder::new(kind.clone());
    for (capture, policies) in robots.iter().zip(&compiled) {
        for site in &capture.sites {
            builder.insert(site, policies, None);
        }
    }
    for capture in tdmreps.into_iter().filter(|_| kind.holds_tdmreps()) {
        let outcome = outcome(capture.status, kind.dialect);
        let compiled = CompiledTdmRep::new(outcome, &TdmRep::read(&capture.body));
        for site in &capture.sites {
            builder.insert_tdmrep(site, &compiled, None);
        }
    }
    builder.build()
}
