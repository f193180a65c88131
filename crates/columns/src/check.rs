//! Evaluates a query on every row.

use std::time::{SystemTime, UNIX_EPOCH};

use robomata_engine::{
    Answer, BLOCK, Checker, Crawler, CrawlerNameError, Crawlers, Dialect, Moment, PolicySet, PolicySetError,
    PolicyStore, Site, UnknownUsage, UrlRef, Usage, UsageQuery, read_crawler, requestable,
};
use robomata_url_columns::Urls;

use crate::error::ColumnsError;

/// A crawler and the usage that it asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    name: Name,
    usage_query: UsageQuery,
    now: Option<Moment>,
}

/// The name of the crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// A text from a user. Its interpretation depends on the dialect of the policies.
    Text(String),
    Crawler(Crawler),
}

impl Query {
    /// Creates a query for the crawler named in `user_agent`. The name is one product token, several tokens separated
    /// by commas (fallbacks in order), or a User-Agent header. [`read_crawler`] parses it in the dialect of the
    /// policies.
    ///
    /// With a `usage`, the query covers that usage together with crawl. Without one, it covers crawl alone.
    ///
    /// # Errors
    /// Fails when `user_agent` names no crawler in any dialect, or when `usage` is unknown.
    pub fn new(user_agent: &str, usage: Option<&str>) -> Result<Self, ColumnsError> {
        let usage = usage.map(str::parse::<Usage>).transpose();
        let usage = usage.map_err(|error: UnknownUsage| ColumnsError::Usage(error.to_string()))?;
        let usage_query = usage.map_or_else(UsageQuery::default, |usage| UsageQuery { usage, purpose: None });
        let query = Query { name: Name::Text(user_agent.to_owned()), usage_query, now: None };
        // Report an invalid name now: a name that is refused here is refused in every dialect.
        query.crawler(Dialect::Google)?;
        Ok(query)
    }

    /// Creates a query for this crawler and usage query.
    pub fn of(crawler: Crawler, usage_query: UsageQuery) -> Self {
        Query { name: Name::Crawler(crawler), usage_query, now: None }
    }

    /// Sets the time of the query to `now`. A permission that has expired by then (`time-limit=until-2007-12-31`) does
    /// not count. By default the time is the clock's when a column is checked.
    #[must_use]
    pub fn at(self, now: Moment) -> Self {
        Query { now: Some(now), ..self }
    }

    /// The time of the query: the instant that was set, or the clock's.
    pub fn now(&self) -> Moment {
        self.now.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        })
    }

    /// Parses the crawler's name in `dialect`.
    pub(crate) fn crawler(&self, dialect: Dialect) -> Result<Crawler, CrawlerNameError> {
        match &self.name {
            Name::Text(text) => read_crawler(text, dialect).map(|named| named.crawler),
            Name::Crawler(crawler) => Ok(crawler.clone()),
        }
    }
}

/// Calls `emit` with the answer for every row, or with `None` for a null row.
pub(crate) fn each_answer(
    policies: &PolicySet,
    query: &Query,
    urls: &Urls,
    mut emit: impl FnMut(Option<Answer>),
) -> Result<(), ColumnsError> {
    let rows = || (0..urls.len()).map(|row| urls.at(row));
    let Some(store) = any_store(policies, rows().flatten())? else {
        rows().for_each(|url| emit(url.map(|_| Answer::Invalid)));
        return Ok(());
    };
    let mut checker = asked(policies, store, query)?;
    let mut answers = [Answer::Invalid; BLOCK];
    for start in (0..urls.len()).step_by(BLOCK) {
        let rows = BLOCK.min(urls.len() - start);
        let block: [Option<UrlRef<'_>>; BLOCK] =
            std::array::from_fn(|at| (at < rows).then(|| urls.at(start + at)).flatten());
        // An empty text is invalid.
        let texts = block.map(|url| url.unwrap_or(UrlRef::Text(b"")));
        checker.try_check_block(&texts[..rows], &mut answers)?;
        for (url, answer) in block.iter().zip(answers).take(rows) {
            emit(url.map(|_| answer));
        }
    }
    Ok(())
}

/// Checks one URL, without blanks around it. It is invalid if it contains control characters, as in a column.
///
/// # Errors
/// Fails like [`allowed`](crate::allowed).
pub fn check_url(policies: &PolicySet, query: &Query, url: &[u8]) -> Result<Answer, ColumnsError> {
    // An empty text is invalid.
    let url = requestable(url).unwrap_or_default();
    let Some(store) = any_store(policies, std::iter::once(url.into()))? else { return Ok(Answer::Invalid) };
    let answers = asked(policies, store, query)?.try_check_each(url)?[0];
    Ok(answers)
}

/// Any store: it shows which queries the policies support. Of several shards, it is that of the first valid URL, because
/// shards are opened when a URL needs them; none if no URL is valid.
fn any_store<'s, 'u>(
    policies: &'s PolicySet,
    mut urls: impl Iterator<Item = UrlRef<'u>>,
) -> Result<Option<&'s PolicyStore>, PolicySetError> {
    if policies.store_count() == 1 {
        return policies.store(0).map(Some);
    }
    let site = urls.find_map(|url| Some(Site::of_url(&url.text()).ok()?.into_owned()));
    site.map(|site| policies.store_of(&site)).transpose()
}

/// Creates a checker for the query. `store` is any store of the policies. Fails if it does not support the query.
fn asked<'s>(
    policies: &'s PolicySet,
    store: &PolicyStore,
    query: &Query,
) -> Result<Checker<'s, Crawlers<'s>, &'s PolicySet>, ColumnsError> {
    let crawler = query.crawler(store.dialect())?;
    store
        .require_usage_query(&query.usage_query)
        .and_then(|()| Checker::new(policies, store, &[crawler]))
        .map(|checker| checker.at(query.now()))
        .map_err(|why| ColumnsError::UnsupportedQueryError {
            name: policies.name().display().to_string(),
            why,
        })
}
