//! The hot path: from a URL's text to an answer.

use std::sync::Arc;

use robomata_automaton::{NormalForm, begins_with};
use robomata_protocol::semantics::UrlCut;
use robomata_protocol::{Answer, Dialect, Moment};

use crate::parts::UrlParts;
use crate::rules::RuleTexts;
use crate::site::{Site, before_path, leading_site};
use crate::site_policy::{CheckScratch, CompiledPolicy};
use crate::store::{CrawlerSlot, PolicyStore, SiteId};
use crate::target::{Target, TargetBuffer};

/// Checks URLs against a store for one of its crawlers. Each thread has its own checker: it owns the scratch memory of
/// the walk. It remembers the last site, because URLs usually come grouped by site.
#[derive(Debug)]
pub struct Checker<'s> {
    url_checker: UrlChecker<'s>,
    single: SingleCrawler<'s>,
}

impl<'s> Checker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, slot_of_crawler: CrawlerSlot) -> Self {
        Checker {
            url_checker: UrlChecker::new(store),
            single: SingleCrawler { slot_of_crawler, compiled_policy: None },
        }
    }

    /// The checker for queries at time `now`: it ignores permissions that a date has ended
    /// (`time-limit=until-2007-12-31`). Without this call, the checker does not look at dates.
    #[must_use]
    pub fn at(mut self, now: Moment) -> Self {
        self.url_checker.workspace.set_now(now);
        self
    }

    /// The answer for `url`: `invalid` if it is not an absolute URL, `unknown` if the store has no policy for its site.
    /// Allocates only for unusual spellings of a host.
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> Answer {
        self.url_checker.check(url, &mut self.single)
    }

    /// Like [`Checker::check`], for the URL with these `parts`. The URL's text is only assembled when its site differs
    /// from that of the previous URL.
    #[inline]
    pub fn check_parts(&mut self, parts: &UrlParts<'_>) -> Answer {
        self.url_checker.check_parts(parts, &mut self.single)
    }

    /// Like [`Checker::check`], for a URL that is already split before its path and whose site is already found.
    #[inline]
    pub(crate) fn check_found(&mut self, url: &[u8], divided: (&[u8], &[u8]), site: SiteId) -> Answer {
        self.url_checker.check_found(url, divided, site, &mut self.single)
    }
}

/// Checks URLs against a store for several of its crawlers at once. Each URL is split and normalized once, and its site
/// is looked up once. Crawlers with the same rules (the usual case) share one walk. Each thread has its own checker.
#[derive(Debug)]
pub struct CrowdChecker<'s> {
    url_checker: UrlChecker<'s>,
    several: SeveralCrawlers<'s>,
    texts: RuleTexts,
}

impl<'s> CrowdChecker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, slots: Vec<CrawlerSlot>) -> Self {
        let answers = vec![Answer::Unknown; slots.len()];
        let (compiled_policies, compiled_policies_of, evaluated) = (Vec::new(), Vec::new(), Vec::new());
        let several = SeveralCrawlers { slots, compiled_policies, compiled_policies_of, evaluated, answers };
        CrowdChecker { url_checker: UrlChecker::new(store), several, texts: RuleTexts::default() }
    }

    /// The checker for queries at time `now`: it ignores permissions that a date has ended
    /// (`time-limit=until-2007-12-31`). Without this call, the checker does not look at dates.
    #[must_use]
    pub fn at(mut self, now: Moment) -> Self {
        self.url_checker.workspace.set_now(now);
        self
    }

    /// The answers for `url`, in the order of the crawlers; each one is that of [`Checker::check`].
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> &[Answer] {
        self.url_checker.check(url, &mut self.several);
        &self.several.answers
    }

    /// The answers for the last URL checked.
    pub fn answers(&self) -> &[Answer] {
        &self.several.answers
    }

    /// Replaces the contents of `rules` with the rules that decided for the last URL checked, by crawler: `Disallow:
    /// /private`, with the pattern in its normal form. An entry is `None` when no rule decided, or when more than rules
    /// decide (fields of ACAP, a usage besides crawl).
    pub fn rules(&mut self, rules: &mut Vec<Option<Arc<str>>>) {
        let CrowdChecker { url_checker, several, texts } = self;
        rules.clear();
        rules.extend(several.answers.iter().enumerate().map(|(index, answer)| {
            let line = Some(answer.line()).filter(|&line| line > 0)?;
            let (number, _) = several.compiled_policies.get(*several.compiled_policies_of.get(index)?)?;
            texts.rule(url_checker.store, (*number)?, (index, &several.slots[index]), line)
        }));
    }

    /// Like [`CrowdChecker::check`], for the URL with these `parts`; see [`Checker::check_parts`].
    #[inline]
    pub fn check_parts(&mut self, parts: &UrlParts<'_>) -> &[Answer] {
        self.url_checker.check_parts(parts, &mut self.several);
        &self.several.answers
    }
}

/// Evaluates a URL once its site is known.
trait Evaluate<'s> {
    /// The result for a URL.
    type Verdicts;

    /// Loads the store's policy for a site; `None` if the store does not have the site.
    fn visit(&mut self, store: &'s PolicyStore, site: Option<SiteId>);

    /// Evaluates a target in normal form on the last site visited.
    fn evaluate(&mut self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Self::Verdicts;

    /// Gives the same answer to every crawler.
    fn all(&mut self, answer: Answer) -> Self::Verdicts;
}

/// One crawler.
#[derive(Debug)]
struct SingleCrawler<'s> {
    slot_of_crawler: CrawlerSlot,
    /// `None` when the store does not know the site.
    compiled_policy: Option<CompiledPolicy<'s>>,
}

impl<'s> Evaluate<'s> for SingleCrawler<'s> {
    type Verdicts = Answer;

    #[inline]
    fn visit(&mut self, store: &'s PolicyStore, site: Option<SiteId>) {
        self.compiled_policy = site.map(|site| store.compiled_policy(site, &self.slot_of_crawler));
    }

    #[inline]
    fn evaluate(&mut self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Answer {
        match &self.compiled_policy {
            Some(compiled_policy) => compiled_policy.answer(target, dialect, workspace),
            None => Answer::Unknown,
        }
    }

    #[inline]
    fn all(&mut self, answer: Answer) -> Answer {
        answer
    }
}

/// Several crawlers.
#[derive(Debug)]
struct SeveralCrawlers<'s> {
    slots: Vec<CrawlerSlot>,
    /// The site's compiled policies, each once, with its number in the store.
    compiled_policies: Vec<(Option<u32>, CompiledPolicy<'s>)>,
    /// By crawler: the index of its compiled policy.
    compiled_policies_of: Vec<usize>,
    /// By compiled policy.
    evaluated: Vec<Answer>,
    /// By crawler.
    answers: Vec<Answer>,
}

impl<'s> Evaluate<'s> for SeveralCrawlers<'s> {
    type Verdicts = ();

    fn visit(&mut self, store: &'s PolicyStore, site: Option<SiteId>) {
        self.compiled_policies.clear();
        self.compiled_policies_of.clear();
        let Some(site) = site else { return };
        let is_group_table = store.distinguishes_crawlers();
        for slot_of_crawler in &self.slots {
            let number = store.image().compiled_policy(site, slot_of_crawler.column);
            // In a store for every crawler, the same group table can have another program for the next crawler.
            let compiled_policy = is_group_table.then(|| store.compiled_policy(site, slot_of_crawler));
            let is_known = |(other, known): &(Option<u32>, CompiledPolicy<'_>)| {
                *other == number
                    && compiled_policy.as_ref().is_none_or(|compiled_policy| known.is_at(compiled_policy))
            };
            let known = self.compiled_policies.iter().position(is_known);
            self.compiled_policies_of.push(known.unwrap_or(self.compiled_policies.len()));
            if known.is_none() {
                self.compiled_policies.push((
                    number,
                    compiled_policy.unwrap_or_else(|| store.compiled_policy(site, slot_of_crawler)),
                ));
            }
        }
    }

    #[inline]
    fn evaluate(&mut self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) {
        if self.compiled_policies.is_empty() {
            return self.all(Answer::Unknown);
        }
        self.evaluated.clear();
        self.evaluated.extend(
            self.compiled_policies
                .iter()
                .map(|(_, compiled_policy)| compiled_policy.answer(target, dialect, workspace)),
        );
        for (answer, &compiled_policy) in self.answers.iter_mut().zip(&self.compiled_policies_of) {
            *answer = self.evaluated[compiled_policy];
        }
    }

    fn all(&mut self, answer: Answer) {
        self.answers.fill(answer);
    }
}

/// Finds the site of a URL and the part of the URL that is evaluated.
#[derive(Debug)]
struct UrlChecker<'s> {
    store: &'s PolicyStore,
    dialect: Dialect,
    workspace: CheckScratch,
    buffer: TargetBuffer,
    /// Empty if the URLs of that site have to be split one by one.
    last_site: Vec<u8>,
    /// The buffer in which parts of a URL are joined.
    joined: Vec<u8>,
}

impl<'s> UrlChecker<'s> {
    fn new(store: &'s PolicyStore) -> Self {
        UrlChecker {
            store,
            dialect: store.dialect(),
            workspace: CheckScratch::default(),
            buffer: TargetBuffer::default(),
            last_site: Vec::new(),
            joined: Vec::new(),
        }
    }

    #[inline]
    fn check<E: Evaluate<'s>>(&mut self, url: &[u8], evaluator: &mut E) -> E::Verdicts {
        match self.path_on_last_site(url) {
            Some(path) => self.check_path(path, evaluator),
            None => self.check_any(url, evaluator),
        }
    }

    /// Evaluates the URL with these `parts`. If they spell the last site and the path begins with a slash, it evaluates
    /// what follows the site, as [`UrlChecker::check`] would, without assembling the site's text.
    #[inline]
    fn check_parts<E: Evaluate<'s>>(&mut self, parts: &UrlParts<'_>, evaluator: &mut E) -> E::Verdicts {
        let is_last = parts.path.first() == Some(&b'/') && parts.spell(&self.last_site);
        if is_last && parts.query.is_none() {
            return self.check_path(parts.path, evaluator);
        }
        // Taken out during the evaluation, because the walk borrows `self`.
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        let verdicts = if is_last {
            parts.push_path(&mut joined);
            self.check_path(&joined, evaluator)
        } else {
            parts.push_url(&mut joined);
            self.check(&joined, evaluator)
        };
        self.joined = joined;
        verdicts
    }

    /// The path, query and fragment of a URL that begins with the last site in normal form and a slash.
    #[inline]
    fn path_on_last_site<'u>(&self, url: &'u [u8]) -> Option<&'u [u8]> {
        let path = begins_with(url, &self.last_site).then(|| &url[self.last_site.len()..])?;
        // Before the first site, the last site is the empty text, which is not a site.
        (path.first() == Some(&b'/') && !self.last_site.is_empty()).then_some(path)
    }

    /// Evaluates what follows the last site in a URL.
    #[inline]
    fn check_path<E: Evaluate<'s>>(&mut self, path: &[u8], evaluator: &mut E) -> E::Verdicts {
        if NormalForm::is_plain(path) && self.is_whole(path) {
            evaluator.evaluate(path, self.dialect, &mut self.workspace)
        } else {
            self.check_odd(path, evaluator)
        }
    }

    /// Whether all of `path` is evaluated, including its query.
    #[inline]
    fn is_whole(&self, path: &[u8]) -> bool {
        self.dialect.semantics().compares_query || memchr::memchr(b'?', path).is_none()
    }

    /// Evaluates a path that has to be truncated or normalized.
    fn check_odd<E: Evaluate<'s>>(&mut self, path: &[u8], evaluator: &mut E) -> E::Verdicts {
        let target = Target::of_path(path, self.dialect);
        let target = target.normal(self.dialect, &mut self.buffer);
        evaluator.evaluate(target, self.dialect, &mut self.workspace)
    }

    /// Evaluates a URL of another site, or in another spelling.
    fn check_any<E: Evaluate<'s>>(&mut self, url: &[u8], evaluator: &mut E) -> E::Verdicts {
        // In nearly all URLs, the text before the path is a site as the store spells it.
        if let Some((site, path)) = before_path(url)
            && let Some(id) = self.store.find(site)
        {
            return self.check_found(url, (site, path), id, evaluator);
        }
        if let Some((site, path)) = leading_site(url) {
            self.remember(site, None, evaluator);
            return self.check_path(path, evaluator);
        }
        self.check_spelling(url, evaluator)
    }

    /// Evaluates a URL that is already split after the site's text; the store has the site.
    #[inline]
    fn check_found<E: Evaluate<'s>>(
        &mut self,
        url: &[u8],
        (site, path): (&[u8], &[u8]),
        id: SiteId,
        evaluator: &mut E,
    ) -> E::Verdicts {
        self.remember(site, Some(id), evaluator);
        if self.last_site.is_empty() {
            // The dialect splits it at another position.
            return self.check_spelling(url, evaluator);
        }
        self.check_path(path, evaluator)
    }

    /// Evaluates a URL whose site may not be in normal form.
    fn check_spelling<E: Evaluate<'s>>(&mut self, url: &[u8], evaluator: &mut E) -> E::Verdicts {
        let Some(target) = Target::new(url) else { return evaluator.all(Answer::Invalid) };
        let Ok(site) = Site::of_target(&target) else { return evaluator.all(Answer::Invalid) };
        let site = site.as_bytes();
        if site != self.last_site {
            self.remember(site, self.store.find(site), evaluator);
        }
        // The dialect may split paths in another way; the site is the same in all dialects.
        let target = match self.dialect.semantics().url_cut {
            UrlCut::Rfc3986 => target.as_compared(self.dialect),
            UrlCut::GetPathParamsQuery => Target::as_google_cuts(url).as_compared(self.dialect),
        };
        let target = target.normal(self.dialect, &mut self.buffer);
        evaluator.evaluate(target, self.dialect, &mut self.workspace)
    }

    /// Makes `site`, with this position in the store, the last site.
    #[inline]
    fn remember<E: Evaluate<'s>>(&mut self, site: &[u8], id: Option<SiteId>, evaluator: &mut E) {
        evaluator.visit(self.store, id);
        self.last_site.clear();
        // Google's cut lets a path begin with `;`, even within a host name: such a site is not a usable prefix.
        if self.dialect.semantics().url_cut != UrlCut::GetPathParamsQuery || !site.contains(&b';') {
            self.last_site.extend_from_slice(site);
        }
    }
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::Crawler;
    use robomata_syntax::Config;

    use super::*;
    use crate::{Audience, PolicyCompiler, StoreBuilder, StoreKind};

    const ROBOTS: &[u8] = b"User-agent: a\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";

    #[test]
    fn crawlers_that_obey_the_same_rules_are_judged_once() {
        let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
        let policy = Policy::new(ROBOTS, &Config::new(Dialect::Rfc9309));
        let mut builder = StoreBuilder::new(kind.clone());
        let site = Site::of_url(b"https://a.example/").unwrap();
        builder.insert(&site, &PolicyCompiler::new(&kind).compile(&policy), None);
        let store = builder.build();
        let mut checker = store.crowd_checker(&["x", "a", "y", "A", "z"].map(Crawler::new)).unwrap();
        let lines =
            checker.check(b"https://a.example/a").iter().map(|answer| answer.line()).collect::<Vec<_>>();
        assert_eq!(lines, [0, 2, 0, 2, 0]);
        assert_eq!(
            (checker.several.compiled_policies.len(), &checker.several.compiled_policies_of[..]),
            (2, &[0, 1, 0, 1, 0][..])
        );
    }
}
