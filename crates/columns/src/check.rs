//! Evaluates a query on every row.

use std::time::{SystemTime, UNIX_EPOCH};

use robomata::{
    Answer, Checker, Crawler, CrawlerNameError, Dialect, GroupChecker, Moment, PolicySet, PolicyStore, Site,
    UnknownUsage, UnsupportedQueryError, UrlParts, Usage, UsageQuery, read_crawler,
};

use crate::error::ColumnsError;
use crate::texts::Texts;
use crate::urls::{Columns, Parts, Row, Urls};

const GROUP: usize = GroupChecker::GROUP;

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
    fn crawler(&self, dialect: Dialect) -> Result<Crawler, CrawlerNameError> {
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
    urls: &Urls<'_>,
    mut emit: impl FnMut(Option<Answer>),
) -> Result<(), ColumnsError> {
    let only = if policies.store_count() == 1 { Some(policies.store(0)?) } else { None };
    match (only, &urls.columns) {
        (Some(store), Columns::Whole(texts)) => {
            let checker = asked(policies, store, query, PolicyStore::group_checker)?.at(query.now());
            each_group(checker, texts, &mut emit);
        }
        (Some(store), Columns::Parts(parts)) => {
            let mut checker = asked(policies, store, query, PolicyStore::checker)?.at(query.now());
            each_row(parts, urls.len(), emit, |url| Ok(checker.check_parts(url)))?;
        }
        (None, Columns::Whole(texts)) => {
            let mut checker = ShardChecker::new(policies, query);
            for row in 0..texts.len() {
                emit(texts.at(row).map(|url| checker.check(url)).transpose()?);
            }
        }
        (None, Columns::Parts(parts)) => {
            let mut checker = ShardChecker::new(policies, query);
            each_row(parts, urls.len(), emit, |url| checker.check_parts(url))?;
        }
    }
    Ok(())
}

/// Checks one URL.
///
/// # Errors
/// Fails like [`allowed`](crate::allowed).
pub fn check_url(policies: &PolicySet, query: &Query, url: &[u8]) -> Result<Answer, ColumnsError> {
    let Ok(site) = Site::of_url(url) else { return Ok(Answer::Invalid) };
    let store = policies.store_of(&site)?;
    Ok(asked(policies, store, query, PolicyStore::checker)?.at(query.now()).check(url))
}

/// Creates a checker for the query. Fails if the store does not support it.
fn asked<'s, C>(
    policies: &PolicySet,
    store: &'s PolicyStore,
    query: &Query,
    checker: impl FnOnce(&'s PolicyStore, &Crawler) -> Result<C, UnsupportedQueryError>,
) -> Result<C, ColumnsError> {
    let crawler = query.crawler(store.dialect())?;
    store.require_aim(&query.usage_query).and_then(|()| checker(store, &crawler)).map_err(|why| {
        ColumnsError::UnsupportedQueryError { name: policies.name().display().to_string(), why }
    })
}

/// Checks whole URLs against one store, with the look-ups of a group interleaved.
fn each_group(mut checker: GroupChecker<'_>, texts: &Texts<'_>, emit: &mut impl FnMut(Option<Answer>)) {
    let mut answers = [Answer::Invalid; GROUP];
    for start in (0..texts.len()).step_by(GROUP) {
        let rows = GROUP.min(texts.len() - start);
        let group: [Option<&[u8]>; GROUP] =
            std::array::from_fn(|at| (at < rows).then(|| texts.at(start + at)).flatten());
        let urls = group.map(Option::unwrap_or_default);
        checker.check(&urls[..rows], &mut answers);
        for (url, answer) in group.iter().zip(answers).take(rows) {
            emit(url.map(|_| answer));
        }
    }
}

fn each_row(
    parts: &Parts<'_>,
    rows: usize,
    mut emit: impl FnMut(Option<Answer>),
    mut check: impl FnMut(&UrlParts<'_>) -> Result<Answer, ColumnsError>,
) -> Result<(), ColumnsError> {
    for row in 0..rows {
        emit(match parts.at(row) {
            Row::Null => None,
            Row::Invalid => Some(Answer::Invalid),
            Row::Url(url) => Some(check(&url)?),
        });
    }
    Ok(())
}

/// Checks each URL against the shard of its host.
struct ShardChecker<'s> {
    policies: &'s PolicySet,
    query: &'s Query,
    /// One instant for all shards.
    now: Moment,
    /// Checkers by shard. An entry is `None` until the first URL of its hosts.
    checkers: Vec<Option<Checker<'s>>>,
    /// The site of the last URL, as written; empty before the first URL.
    last_site: Vec<u8>,
    /// The shard of `last_site`.
    last: usize,
    joined: Vec<u8>,
}

impl<'s> ShardChecker<'s> {
    fn new(policies: &'s PolicySet, query: &'s Query) -> Self {
        let checkers = std::iter::repeat_with(|| None).take(policies.store_count()).collect();
        let now = query.now();
        ShardChecker { policies, query, now, checkers, last_site: Vec::new(), last: 0, joined: Vec::new() }
    }

    fn check(&mut self, url: &[u8]) -> Result<Answer, ColumnsError> {
        if !self.is_on_last_site(url) && !self.visit(url) {
            return Ok(Answer::Invalid);
        }
        Ok(self.checker()?.check(url))
    }

    fn check_parts(&mut self, url: &UrlParts<'_>) -> Result<Answer, ColumnsError> {
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        url.push_url(&mut joined);
        let answer = self.check(&joined);
        self.joined = joined;
        answer
    }

    fn is_on_last_site(&self, url: &[u8]) -> bool {
        !self.last_site.is_empty()
            && url.strip_prefix(&*self.last_site).is_some_and(|path| path.starts_with(b"/"))
    }

    /// Records the shard of the URL's site. Returns false if the URL has no site.
    fn visit(&mut self, url: &[u8]) -> bool {
        let Ok(site) = Site::of_url(url) else { return false };
        self.last = self.policies.number_of(&site);
        self.last_site.clear();
        self.last_site.extend_from_slice(site.as_bytes());
        true
    }

    /// The checker of the last site's shard.
    fn checker(&mut self) -> Result<&mut Checker<'s>, ColumnsError> {
        match &mut self.checkers[self.last] {
            Some(checker) => Ok(checker),
            place => {
                let store = self.policies.store(self.last)?;
                let checker = asked(self.policies, store, self.query, PolicyStore::checker)?;
                Ok(place.insert(checker.at(self.now)))
            }
        }
    }
}
