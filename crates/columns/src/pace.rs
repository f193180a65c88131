//! How fast a crawler may fetch from the sites of a bundle.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder, UInt32Builder, UInt64Builder};
use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use robomata_engine::policy::{Adjustment, DayWindow, DelayLimits, Pace};
use robomata_engine::{Moment, PolicySet, PolicyStore, Site, StoreView, ViewedSite};
use robomata_url_columns::Urls;

use crate::check::Query;
use crate::error::ColumnsError;

/// The instant and the limits of a query about delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaceOptions {
    /// The instant; none for the longest delay of the day.
    pub at: Option<Moment>,
    /// The crawler's own limits.
    pub limits: DelayLimits,
}

/// How fast the crawler may fetch from the site of each URL, as a struct of [`pace_fields`]. It is null for null rows,
/// for sites whose policy is unknown, and for invalid URLs. The usage of the query does not matter.
///
/// # Errors
/// Fails when the policies do not support the crawler, when a bundle is corrupt, or when a shard cannot be opened.
pub fn pace(
    policies: &PolicySet,
    query: &Query,
    options: &PaceOptions,
    urls: &Urls,
) -> Result<StructArray, ColumnsError> {
    let mut rows = PaceBuilder::default();
    // URLs usually come grouped by site, or all from one store.
    let mut last: Option<(&PolicyStore, StoreView<'_>)> = None;
    if policies.store_count() == 1 {
        // Even without rows, the query is validated.
        let store = policies.store(0)?;
        last = Some((store, view(policies, store, query)?));
    }
    for row in 0..urls.len() {
        let text = urls.at(row).map(|url| url.text().into_owned());
        let site = text.as_deref().and_then(|text| Site::of_url(text).ok());
        let Some(site) = site else {
            rows.push(None);
            continue;
        };
        let store = policies.store_of(&site)?;
        let view = match &last {
            Some((known, view)) if std::ptr::eq(*known, store) => view,
            _ => &last.insert((store, view(policies, store, query)?)).1,
        };
        let policy = view.compiled_policy_of(&site);
        rows.push(policy.map(|policy| view.pace(policy, options.at, &options.limits)).as_ref());
    }
    Ok(rows.finish())
}

/// How fast the crawler may fetch from each site that says something about it; with a default delay, from every site. The
/// order is arbitrary. Opens each shard when the iterator reaches it.
pub fn paces<'p>(
    policies: &'p PolicySet,
    query: &'p Query,
    options: PaceOptions,
) -> impl Iterator<Item = Result<(String, Pace), ColumnsError>> + 'p {
    policies.stores().flat_map(move |store| {
        let view = store.map_err(ColumnsError::from).and_then(|store| view(policies, store, query));
        let (view, error) = match view {
            Ok(view) => (Some(view), None),
            Err(error) => (None, Some(Err(error))),
        };
        let sites = view.into_iter().flat_map(move |view| {
            let sites = view.sites();
            let pace = move |site: ViewedSite<'p>| {
                let pace = view.spoken_pace(&site, options.at, &options.limits)?;
                Some((site, pace))
            };
            sites.filter_map(pace)
        });
        error.into_iter().chain(sites.map(|(site, pace)| Ok((site.site(), pace))))
    })
}

fn view<'s>(
    policies: &PolicySet,
    store: &'s PolicyStore,
    query: &Query,
) -> Result<StoreView<'s>, ColumnsError> {
    let crawler = query.crawler(store.dialect())?;
    store.view(&crawler).map_err(|why| ColumnsError::UnsupportedQueryError {
        name: policies.name().display().to_string(),
        why,
    })
}

/// The fields of a pace:
///
/// * `delay`: seconds from the beginning of one fetch to the beginning of the next, within the limits; null when nothing
///   asks for a delay;
/// * `source`: `crawl-delay`, `request-rate` or `default`; the outcome of the fetch (`unreachable`, …) when there is no
///   robots.txt to obey; null when nothing asks for a delay;
/// * `line`, `hours`: the 1-based line of the robots.txt, and its hours;
/// * `asked`: the seconds that the line asks for;
/// * `limit`: `raised` or `capped` when a limit changed them;
/// * `visit_time`: the hours of visits;
/// * `opens_in`: the seconds until these hours begin, 0 during them; null without an instant.
pub fn pace_fields() -> Fields {
    Fields::from(vec![
        Field::new("delay", DataType::Float64, true),
        Field::new("source", DataType::Utf8, true),
        Field::new("line", DataType::UInt32, true),
        Field::new("hours", DataType::Utf8, true),
        Field::new("asked", DataType::Float64, true),
        Field::new("limit", DataType::Utf8, true),
        Field::new("visit_time", DataType::Utf8, true),
        Field::new("opens_in", DataType::UInt64, true),
    ])
}

/// Builds columns of paces.
#[derive(Debug, Default)]
pub struct PaceBuilder {
    delays: Float64Builder,
    sources: StringBuilder,
    lines: UInt32Builder,
    hours: StringBuilder,
    asked: Float64Builder,
    limits: StringBuilder,
    visit_times: StringBuilder,
    opens_in: UInt64Builder,
    nulls: Vec<bool>,
}

impl PaceBuilder {
    /// Adds a row.
    pub fn push(&mut self, pace: Option<&Pace>) {
        let asked = pace.and_then(|pace| pace.asked);
        let delay = pace.and_then(|pace| pace.delay);
        let hours = |window: DayWindow| window.to_string();
        self.delays.append_option(delay.map(|delay| delay.duration.as_secs_f64()));
        self.sources.append_option(pace.and_then(Pace::source));
        self.lines.append_option(asked.map(|asked| asked.line));
        self.hours.append_option(asked.and_then(|asked| asked.hours).map(hours));
        self.asked.append_option(asked.map(|asked| asked.duration.as_secs_f64()));
        self.limits.append_option(delay.and_then(|delay| delay.adjustment).map(Adjustment::as_str));
        self.visit_times.append_option(pace.and_then(|pace| pace.visit_time).map(hours));
        self.opens_in.append_option(pace.and_then(|pace| pace.opens_in).map(|wait| wait.as_secs()));
        self.nulls.push(pace.is_some());
    }

    /// The rows as columns, in the order of [`pace_fields`], and clears the builder.
    pub fn columns(&mut self) -> Vec<ArrayRef> {
        self.nulls.clear();
        vec![
            Arc::new(self.delays.finish()),
            Arc::new(self.sources.finish()),
            Arc::new(self.lines.finish()),
            Arc::new(self.hours.finish()),
            Arc::new(self.asked.finish()),
            Arc::new(self.limits.finish()),
            Arc::new(self.visit_times.finish()),
            Arc::new(self.opens_in.finish()),
        ]
    }

    fn finish(mut self) -> StructArray {
        let mut nulls = NullBufferBuilder::new(self.nulls.len());
        self.nulls.iter().for_each(|&is_valid| nulls.append(is_valid));
        StructArray::new(pace_fields(), self.columns(), nulls.finish())
    }
}
