//! Builds policy sets.

use robomata_evaluator::{
    Audience, History, PolicyCompiler, Site, SiteError, SiteResource, StoreBuilder, StoreKind,
};
use robomata_protocol::Crawler;
use robomata_syntax::Config;

use super::PolicySet;
#[cfg(feature = "lifecycle")]
use crate::lifecycle::Applies;
use crate::robots::Fetch;
use crate::{Agent, Dialect, Error, FetchStatus, Moment};

/// Options of a [`PolicySet`], and then its sites.
///
/// Set the options first. The first site fixes them: later changes are errors of the next insertion.
///
/// ```
/// use robomata::PolicySet;
///
/// let mut builder = PolicySet::builder();
/// builder.insert("https://example.com", "User-agent: *\nDisallow: /private")?;
/// builder.insert_fetched("https://example.org", 503, "")?;
/// let policies = builder.build();
/// assert!(policies.check("ExampleBot", "https://example.org/")?.is_disallowed());
///
/// let error = PolicySet::builder().agent("").insert("https://example.com", "").unwrap_err();
/// assert!(error.to_string().starts_with("the crawler's name is empty"));
/// # Ok::<(), robomata::Error>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct PolicySetBuilder {
    agents: Vec<Agent>,
    dialect: Dialect,
    history: bool,
    size_limit: Option<usize>,
    sites: Option<Sites>,
}

/// The sites so far.
#[derive(Debug)]
struct Sites {
    kind: StoreKind,
    config: Config,
    builder: StoreBuilder,
    /// For each site, by its number: whether its captures have times.
    is_dated: Vec<bool>,
}

impl PolicySetBuilder {
    /// Adds a crawler that the set answers for. Without this, it answers for every crawler; such a set is larger, and
    /// its checks are a little slower.
    pub fn agent(mut self, agent: impl Into<Agent>) -> Self {
        self.agents.push(agent.into());
        self
    }

    /// Sets the dialect. The default is that of RFC 9309.
    pub fn dialect(self, dialect: Dialect) -> Self {
        PolicySetBuilder { dialect, ..self }
    }

    /// Sets the number of bytes of each robots.txt that are read: see [`RobotsBuilder::size_limit`](crate::RobotsBuilder::size_limit).
    pub fn size_limit(self, bytes: usize) -> Self {
        PolicySetBuilder { size_limit: Some(bytes), ..self }
    }

    /// Keeps all versions of a site's policy ([`PolicySetBuilder::insert_version`]), for
    /// [`PolicySet::history`]. The default is the newest one.
    pub fn keep_history(self) -> Self {
        PolicySetBuilder { history: true, ..self }
    }

    /// Adds the robots.txt of a site that was fetched successfully. A site is a URL such as `https://example.com` or
    /// `https://example.com/robots.txt`, or a host name, which means both http and https. A later robots.txt of the same site
    /// replaces an earlier one.
    ///
    /// ```
    /// use robomata::{Moment, PolicySet};
    ///
    /// let mut builder = PolicySet::builder();
    /// builder.insert_version("https://example.com", Moment::from_seconds(1_800_000_000), 200, "")?;
    /// let error = builder.insert("https://example.com", "User-agent: *\nDisallow: /").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "https://example.com: a capture without a time among those with one: which of them is newer is not known (insert all \
    ///      captures of a site with insert_version, or none)"
    /// );
    /// # Ok::<(), robomata::Error>(())
    /// ```
    ///
    /// # Errors
    /// When `site` names no site, or an agent of the builder names no crawler. When the body counts and is no text: see
    /// [`RobotsBuilder::try_parse`](crate::RobotsBuilder::try_parse). When another robots.txt of the site has a time
    /// ([`Error::Time`]): which of them is newer is not known.
    pub fn insert(&mut self, site: impl AsRef<str>, body: impl AsRef<[u8]>) -> Result<(), Error> {
        self.insert_fetched(site, FetchStatus::Success, body)
    }

    /// Adds the robots.txt of a site with the result of its fetch, such as an HTTP status. The body only counts after a
    /// success. Like a later robots.txt, a later failure replaces what was inserted before. A redirect that was not followed, or
    /// a 304, says nothing about the site, and replaces nothing.
    ///
    /// # Errors
    /// Those of [`PolicySetBuilder::insert`].
    pub fn insert_fetched(
        &mut self,
        site: impl AsRef<str>,
        status: impl Into<FetchStatus>,
        body: impl AsRef<[u8]>,
    ) -> Result<(), Error> {
        self.insert_capture(site.as_ref(), None, Fetch::Status(status.into()), body.as_ref())
    }

    /// Adds the robots.txt of a site with what applies to it, instead of the result of the fetch. The body has to be that
    /// of the latest attempt or of the last good copy, as `applies` says. It replaces what was inserted before, except that
    /// [`Applies::Unknown`] replaces nothing.
    ///
    /// # Errors
    /// Those of [`PolicySetBuilder::insert`].
    #[cfg(feature = "lifecycle")]
    pub fn insert_applies(
        &mut self,
        site: impl AsRef<str>,
        applies: Applies,
        body: impl AsRef<[u8]>,
    ) -> Result<(), Error> {
        self.insert_capture(site.as_ref(), None, Fetch::Applies(applies), body.as_ref())
    }

    /// Adds the robots.txt that a site had at a time. Without [`PolicySetBuilder::keep_history`], the newest one counts; of those
    /// of one second, the last one inserted.
    /// A redirect that was not followed, or a 304, counts only if there is no other one or, in a history, none before.
    ///
    /// # Errors
    /// Those of [`PolicySetBuilder::insert`], but here when another robots.txt of the site has no time. Also [`Error::Time`] when
    /// the time is before 1994, when there was no robots.txt, or from 10^11 seconds on, which are milliseconds.
    pub fn insert_version(
        &mut self,
        site: impl AsRef<str>,
        time: impl Into<Moment>,
        status: impl Into<FetchStatus>,
        body: impl AsRef<[u8]>,
    ) -> Result<(), Error> {
        self.insert_capture(site.as_ref(), Some(time.into()), Fetch::Status(status.into()), body.as_ref())
    }

    fn insert_capture(
        &mut self,
        site: &str,
        time: Option<Moment>,
        fetch: Fetch,
        body: &[u8],
    ) -> Result<(), Error> {
        let is_dated = time.is_some();
        let advice = " (if it is not known, insert_fetched takes captures without a time)";
        time.map_or(Ok(()), |time| Error::require_fetch_time(site, time, advice))?;
        let kind = self.kind()?;
        let config = Config::new(kind.dialect).with_parsing_limit(self.size_limit);
        let Sites { kind, config, builder, is_dated: dated } = match &mut self.sites {
            Some(sites) if (&sites.kind, sites.config) == (&kind, config) => sites,
            Some(_) => {
                let reason =
                    "the options of the builder changed after the first site (set the options first)";
                return Err(Error::UnsupportedOptions(reason));
            }
            sites => sites.insert(Sites::new(kind, config)),
        };
        let sites = match Site::named(site) {
            Ok((sites, SiteResource::Root | SiteResource::Robots)) => sites,
            Ok((_, SiteResource::TdmRep)) | Err(SiteError::Resource) => {
                let expected = "expected the URL of a site or of its /robots.txt".to_owned();
                return Err(Error::Site { text: site.to_owned(), expected });
            }
            Err(error) => return Err(Error::site(site.as_bytes(), error)),
        };
        let is_mixed =
            |site: &&Site<'_>| builder.number(site).is_some_and(|number| dated[number] != is_dated);
        if let Some(site) = sites.iter().find(is_mixed) {
            return Err(Error::mixed_times(site, is_dated));
        }
        let compiled = PolicyCompiler::new(kind).compile(&fetch.policy(body, config)?);
        for site in &sites {
            builder.insert(site, &compiled, time);
        }
        dated.resize(builder.site_count(), is_dated);
        Ok(())
    }

    /// The set of all sites. Its bytes depend only on the options and on what the sites said.
    ///
    /// Options that are set after the last site have no effect. A builder without sites gives an empty set, even if its
    /// options are invalid. An empty set never allows anything.
    #[must_use]
    pub fn build(self) -> PolicySet {
        let sites = match self.sites {
            Some(sites) => sites,
            None => {
                let everyone = |_| StoreKind::new(self.dialect.inner(), Audience::Everyone);
                Sites::new(self.kind().unwrap_or_else(everyone), Config::new(self.dialect.inner()))
            }
        };
        match PolicySet::of_store(sites.builder.build()) {
            Ok(policies) => policies,
            Err(error) => unreachable!("the options were checked at the first site: {error}"),
        }
    }

    fn kind(&self) -> Result<StoreKind, Error> {
        let crawlers = self.agents.iter().map(|agent| agent.crawler(self.dialect));
        let crawlers = crawlers.collect::<Result<Vec<Crawler>, _>>()?;
        let audience = match crawlers.is_empty() {
            true => Audience::Everyone,
            false => Audience::Crawlers(crawlers),
        };
        let mut kind = StoreKind::new(self.dialect.inner(), audience);
        if self.history {
            kind.history = History::All;
        }
        if !kind.is_possible() {
            let reason = "the dialect 'acap' requires agents (call PolicySetBuilder::agent)";
            return Err(Error::UnsupportedOptions(reason));
        }
        Ok(kind)
    }
}

impl Sites {
    fn new(kind: StoreKind, config: Config) -> Self {
        Sites { config, builder: StoreBuilder::new(kind.clone()), kind, is_dated: Vec::new() }
    }
}
