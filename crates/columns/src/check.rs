//! Row after row to answers.

use std::time::{SystemTime, UNIX_EPOCH};

use robomata::{
    Answer, Checker, Crawler, CrawlerNameError, Dialect, GroupChecker, Moment, PolicyStore, Site,
    UnknownUsage, UnsupportedQueryError, UrlParts, Usage, UsageQuery, read_crawler,
};

use crate::error::ColumnsError;
use crate::file::Opened;
use crate::policies::{Held, PolicySet};
use crate::shards::ShardSet;
use crate::texts::Texts;
use crate::urls::{Columns, Parts, Row, Urls};

const GROUP: usize = GroupChecker::GROUP;

/// Who asks, and about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    name: Name,
    usage_query: UsageQuery,
    now: Option<Moment>,
}

/// The crawler that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// As a user names it: how the text is read depends on the policies' dialect.
    Text(String),
    Crawler(Crawler),
}

impl Query {
    /// The crawler that `user_agent` names ([`read_crawler`], in the dialect of the policies that it asks): a product
    /// token, several, separated by commas, to which it falls back, or a User-Agent header. It asks about `usage`
    /// together with crawl, or about crawl alone.
    ///
    /// # Errors
    /// When the text names a crawler in no dialect, or there is no usage of that name.
    pub fn new(user_agent: &str, usage: Option<&str>) -> Result<Self, ColumnsError> {
        let usage = usage.map(str::parse::<Usage>).transpose();
        let usage = usage.map_err(|error: UnknownUsage| ColumnsError::Usage(error.to_string()))?;
        let usage_query = usage.map_or_else(UsageQuery::default, |usage| UsageQuery { usage, purpose: None });
        let query = Query { name: Name::Text(user_agent.to_owned()), usage_query, now: None };
        // What is refused here is refused in every dialect.
        query.crawler(Dialect::Google)?;
        Ok(query)
    }

    /// This crawler, which asks about that.
    pub fn of(crawler: Crawler, usage_query: UsageQuery) -> Self {
        Query { name: Name::Crawler(crawler), usage_query, now: None }
    }

    /// The same, asking at `now`: a permission that a date has ended (`time-limit=until-2007-12-31`) is none. Without it
    /// the clock counts, as it is when a column is answered.
    #[must_use]
    pub fn at(self, now: Moment) -> Self {
        Query { now: Some(now), ..self }
    }

    /// When it asks: the instant that was set, or the clock.
    pub fn now(&self) -> Moment {
        self.now.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Moment::from_seconds(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        })
    }

    /// The crawler, as policies in `dialect` read its name.
    fn crawler(&self, dialect: Dialect) -> Result<Crawler, CrawlerNameError> {
        match &self.name {
            Name::Text(text) => read_crawler(text, dialect).map(|named| named.crawler),
            Name::Crawler(crawler) => Ok(crawler.clone()),
        }
    }
}

/// Tells the answer for every row, none where it is null.
pub(crate) fn each_answer(
    policies: &PolicySet,
    query: &Query,
    urls: &Urls<'_>,
    mut told: impl FnMut(Option<Answer>),
) -> Result<(), ColumnsError> {
    match (policies.held(), &urls.columns) {
        (Held::Whole(Opened { store, .. }), Columns::Whole(texts)) => {
            let checker = asked(policies, store, query, PolicyStore::group_checker)?.at(query.now());
            each_group(checker, texts, &mut told);
        }
        (Held::Whole(Opened { store, .. }), Columns::Parts(parts)) => {
            let mut checker = asked(policies, store, query, PolicyStore::checker)?.at(query.now());
            each_row(parts, urls.len(), told, |url| Ok(checker.check_parts(url)))?;
        }
        (Held::Shards(shards), Columns::Whole(texts)) => {
            let mut checker = ShardChecker::new(policies, shards, query);
            for row in 0..texts.len() {
                told(texts.at(row).map(|url| checker.check(url)).transpose()?);
            }
        }
        (Held::Shards(shards), Columns::Parts(parts)) => {
            let mut checker = ShardChecker::new(policies, shards, query);
            each_row(parts, urls.len(), told, |url| checker.check_parts(url))?;
        }
    }
    policies.require_sound()
}

/// A checker for who asks, if the store answers about that.
pub(crate) fn asked<'s, C>(
    policies: &PolicySet,
    store: &'s PolicyStore,
    query: &Query,
    checker: impl FnOnce(&'s PolicyStore, &Crawler) -> Result<C, UnsupportedQueryError>,
) -> Result<C, ColumnsError> {
    let crawler = query.crawler(store.dialect())?;
    store
        .require_aim(&query.usage_query)
        .and_then(|()| checker(store, &crawler))
        .map_err(|why| ColumnsError::UnsupportedQueryError { name: policies.name().to_owned(), why })
}

/// Whole URLs against one store: their look-ups go side by side.
fn each_group(mut checker: GroupChecker<'_>, texts: &Texts<'_>, told: &mut impl FnMut(Option<Answer>)) {
    let mut answers = [Answer::Invalid; GROUP];
    for start in (0..texts.len()).step_by(GROUP) {
        let rows = GROUP.min(texts.len() - start);
        let group: [Option<&[u8]>; GROUP] =
            std::array::from_fn(|at| (at < rows).then(|| texts.at(start + at)).flatten());
        let urls = group.map(Option::unwrap_or_default);
        checker.check(&urls[..rows], &mut answers);
        for (url, answer) in group.iter().zip(answers).take(rows) {
            told(url.map(|_| answer));
        }
    }
}

fn each_row(
    parts: &Parts<'_>,
    rows: usize,
    mut told: impl FnMut(Option<Answer>),
    mut check: impl FnMut(&UrlParts<'_>) -> Result<Answer, ColumnsError>,
) -> Result<(), ColumnsError> {
    for row in 0..rows {
        told(match parts.at(row) {
            Row::Null => None,
            Row::Invalid => Some(Answer::Invalid),
            Row::Url(url) => Some(check(&url)?),
        });
    }
    Ok(())
}

/// Checks URLs against the shard of their host.
struct ShardChecker<'s> {
    policies: &'s PolicySet,
    shards: &'s ShardSet,
    query: &'s Query,
    /// One instant for all shards.
    now: Moment,
    /// By shard; none before a URL of its hosts is met.
    checkers: Vec<Option<Checker<'s>>>,
    /// The site of the last URL, as it was written; empty before the first.
    last_site: Vec<u8>,
    /// Its shard.
    last: usize,
    joined: Vec<u8>,
}

impl<'s> ShardChecker<'s> {
    fn new(policies: &'s PolicySet, shards: &'s ShardSet, query: &'s Query) -> Self {
        let checkers = std::iter::repeat_with(|| None).take(shards.len()).collect();
        let now = query.now();
        ShardChecker {
            policies,
            shards,
            query,
            now,
            checkers,
            last_site: Vec::new(),
            last: 0,
            joined: Vec::new(),
        }
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

    /// Remembers the shard of the URL's site; false where it has none.
    fn visit(&mut self, url: &[u8]) -> bool {
        let Ok(site) = Site::of_url(url) else { return false };
        self.last = self.shards.number_of(&site);
        self.last_site.clear();
        self.last_site.extend_from_slice(site.as_bytes());
        true
    }

    /// The checker of the last site's shard.
    fn checker(&mut self) -> Result<&mut Checker<'s>, ColumnsError> {
        match &mut self.checkers[self.last] {
            Some(checker) => Ok(checker),
            place => {
                let store = self.shards.store(self.last)?;
                let checker = asked(self.policies, store, self.query, PolicyStore::checker)?;
                Ok(place.insert(checker.at(self.now)))
            }
        }
    }
}
