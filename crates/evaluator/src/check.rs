//! The hot path: a URL's text to an answer.

use std::sync::Arc;

use robomata_automaton::{NormalForm, begins_with};
use robomata_protocol::{Answer, Dialect, Moment};

use crate::parts::UrlParts;
use crate::rules::RuleTexts;
use crate::site::{Site, before_path, leading_site};
use crate::site_policy::{CheckScratch, CompiledPolicy};
use crate::store::{CrawlerSlot, PolicyStore, SiteId};
use crate::target::{Target, TargetBuffer};

/// Checks URLs against a store for one of its crawlers. One for each thread: it holds the walk's memory, and remembers
/// the last site, since URLs mostly come grouped.
#[derive(Debug)]
pub struct Checker<'s> {
    looker: Looker<'s>,
    one: One<'s>,
}

impl<'s> Checker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, slot_of_crawler: CrawlerSlot) -> Self {
        Checker { looker: Looker::new(store), one: One { slot_of_crawler, compiled_policy: None } }
    }

    /// The checker for questions asked at `now`: a permission that a date has ended (`time-limit=until-2007-12-31`) is none.
    /// Without it dates are not looked at.
    #[must_use]
    pub fn at(mut self, now: Moment) -> Self {
        self.looker.workspace.set_now(now);
        self
    }

    /// The answer for `url`: `invalid` when it is no absolute URL, `unknown` when the store has no policy for its
    /// site. Allocates nothing but for odd spellings of a host.
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> Answer {
        self.looker.check(url, &mut self.one)
    }

    /// As [`Checker::check`] for the URL that `parts` are, which is put together only where its site is another one than
    /// that of the URL before.
    #[inline]
    pub fn check_parts(&mut self, parts: &UrlParts<'_>) -> Answer {
        self.looker.check_parts(parts, &mut self.one)
    }

    /// As [`Checker::check`] for a URL that has been divided before its path, once its site has been found.
    #[inline]
    pub(crate) fn check_found(&mut self, url: &[u8], divided: (&[u8], &[u8]), site: SiteId) -> Answer {
        self.looker.check_found(url, divided, site, &mut self.one)
    }
}

/// Checks URLs against a store for several of its crawlers at once: each URL is divided and put into its normal form
/// once, its site is looked up once, and crawlers whose rules are the same, as they mostly are, share one walk. One for
/// each thread.
#[derive(Debug)]
pub struct CrowdChecker<'s> {
    looker: Looker<'s>,
    crowd: Crowd<'s>,
    texts: RuleTexts,
}

impl<'s> CrowdChecker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, seats: Vec<CrawlerSlot>) -> Self {
        let answers = vec![Answer::Unknown; seats.len()];
        let (compiled_policies, compiled_policies_of, judged) = (Vec::new(), Vec::new(), Vec::new());
        let crowd = Crowd { seats, compiled_policies, compiled_policies_of, judged, answers };
        CrowdChecker { looker: Looker::new(store), crowd, texts: RuleTexts::default() }
    }

    /// The checker for questions asked at `now`: a permission that a date has ended (`time-limit=until-2007-12-31`) is none.
    /// Without it dates are not looked at.
    #[must_use]
    pub fn at(mut self, now: Moment) -> Self {
        self.looker.workspace.set_now(now);
        self
    }

    /// The answers for `url`, in the order in which the crawlers were given; each is as [`Checker::check`] gives it.
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> &[Answer] {
        self.looker.check(url, &mut self.crowd);
        &self.crowd.answers
    }

    /// The answers for the URL that was checked last.
    pub fn answers(&self) -> &[Answer] {
        &self.crowd.answers
    }

    /// The rules that decided about the URL that was checked last, by crawler, in place of what `rules` holds: as
    /// `Disallow: /private`, the pattern in its normal form. None where no rule decided, or more than rules do (fields of
    /// ACAP, a usage beside crawl).
    pub fn rules(&mut self, rules: &mut Vec<Option<Arc<str>>>) {
        let CrowdChecker { looker, crowd, texts } = self;
        rules.clear();
        rules.extend(crowd.answers.iter().enumerate().map(|(index, answer)| {
            let line = Some(answer.line()).filter(|&line| line > 0)?;
            let (number, _) = crowd.compiled_policies.get(*crowd.compiled_policies_of.get(index)?)?;
            texts.rule(looker.store, (*number)?, (index, &crowd.seats[index]), line)
        }));
    }

    /// As [`CrowdChecker::check`] for the URL that `parts` are; see [`Checker::check_parts`].
    #[inline]
    pub fn check_parts(&mut self, parts: &UrlParts<'_>) -> &[Answer] {
        self.looker.check_parts(parts, &mut self.crowd);
        &self.crowd.answers
    }
}

/// Who judges once a URL's site is known.
trait Judge<'s> {
    /// What comes of a URL.
    type Verdicts;

    /// Remembers what the store says of a site; nothing when it does not hold it.
    fn visit(&mut self, store: &'s PolicyStore, site: Option<SiteId>);

    /// Judges a target in normal form on the site that was visited last.
    fn judge(&mut self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Self::Verdicts;

    /// The same answer for everybody.
    fn all(&mut self, answer: Answer) -> Self::Verdicts;
}

/// One crawler.
#[derive(Debug)]
struct One<'s> {
    slot_of_crawler: CrawlerSlot,
    /// None when the store does not know the site.
    compiled_policy: Option<CompiledPolicy<'s>>,
}

impl<'s> Judge<'s> for One<'s> {
    type Verdicts = Answer;

    #[inline]
    fn visit(&mut self, store: &'s PolicyStore, site: Option<SiteId>) {
        self.compiled_policy = site.map(|site| store.compiled_policy(site, &self.slot_of_crawler));
    }

    #[inline]
    fn judge(&mut self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) -> Answer {
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
struct Crowd<'s> {
    seats: Vec<CrawlerSlot>,
    /// What the site says to anyone of them, each with the store's number for it, once.
    compiled_policies: Vec<(Option<u32>, CompiledPolicy<'s>)>,
    /// By crawler: its place among the deciders.
    compiled_policies_of: Vec<usize>,
    /// By decider.
    judged: Vec<Answer>,
    /// By crawler.
    answers: Vec<Answer>,
}

impl<'s> Judge<'s> for Crowd<'s> {
    type Verdicts = ();

    fn visit(&mut self, store: &'s PolicyStore, site: Option<SiteId>) {
        self.compiled_policies.clear();
        self.compiled_policies_of.clear();
        let Some(site) = site else { return };
        let is_group_table = store.tells_crawlers_apart();
        for slot_of_crawler in &self.seats {
            let number = store.image().compiled_policy(site, slot_of_crawler.column);
            // Where a store answers for everyone, the same menu may have another program for the next crawler.
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
    fn judge(&mut self, target: &[u8], dialect: Dialect, workspace: &mut CheckScratch) {
        if self.compiled_policies.is_empty() {
            return self.all(Answer::Unknown);
        }
        self.judged.clear();
        self.judged.extend(
            self.compiled_policies
                .iter()
                .map(|(_, compiled_policy)| compiled_policy.answer(target, dialect, workspace)),
        );
        for (answer, &compiled_policy) in self.answers.iter_mut().zip(&self.compiled_policies_of) {
            *answer = self.judged[compiled_policy];
        }
    }

    fn all(&mut self, answer: Answer) {
        self.answers.fill(answer);
    }
}

/// Finds the site of a URL and what of it is judged; whoever judges remembers what the site says.
#[derive(Debug)]
struct Looker<'s> {
    store: &'s PolicyStore,
    dialect: Dialect,
    workspace: CheckScratch,
    buffer: TargetBuffer,
    /// Empty where URLs of that site have to be divided one by one.
    last_site: Vec<u8>,
    /// Where parts of a URL are put together.
    joined: Vec<u8>,
}

impl<'s> Looker<'s> {
    fn new(store: &'s PolicyStore) -> Self {
        Looker {
            store,
            dialect: store.dialect(),
            workspace: CheckScratch::default(),
            buffer: TargetBuffer::default(),
            last_site: Vec::new(),
            joined: Vec::new(),
        }
    }

    #[inline]
    fn check<J: Judge<'s>>(&mut self, url: &[u8], judge: &mut J) -> J::Verdicts {
        match self.path_on_last_site(url) {
            Some(path) => self.check_path(path, judge),
            None => self.check_any(url, judge),
        }
    }

    /// Judges the URL that `parts` are. Where they spell the last site and the path begins with a slash, what stands behind
    /// the site in the URL is judged, as [`Looker::check`] would: the site's text is not put together for that.
    #[inline]
    fn check_parts<J: Judge<'s>>(&mut self, parts: &UrlParts<'_>, judge: &mut J) -> J::Verdicts {
        let is_last = parts.path.first() == Some(&b'/') && parts.spell(&self.last_site);
        if is_last && parts.query.is_none() {
            return self.check_path(parts.path, judge);
        }
        // Taken out while it is judged: the walk borrows the looker.
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        let verdicts = if is_last {
            parts.push_path(&mut joined);
            self.check_path(&joined, judge)
        } else {
            parts.push_url(&mut joined);
            self.check(&joined, judge)
        };
        self.joined = joined;
        verdicts
    }

    /// The path, query and fragment of a URL that is written as the last site in normal form, then a slash.
    #[inline]
    fn path_on_last_site<'u>(&self, url: &'u [u8]) -> Option<&'u [u8]> {
        let path = begins_with(url, &self.last_site).then(|| &url[self.last_site.len()..])?;
        // Before the first site the last one is the empty text, which no site is.
        (path.first() == Some(&b'/') && !self.last_site.is_empty()).then_some(path)
    }

    /// Judges what stands behind the last site in a URL.
    #[inline]
    fn check_path<J: Judge<'s>>(&mut self, path: &[u8], judge: &mut J) -> J::Verdicts {
        if NormalForm::is_plain(path) && self.is_whole(path) {
            judge.judge(path, self.dialect, &mut self.workspace)
        } else {
            self.check_odd(path, judge)
        }
    }

    /// Is all of `path` judged, its query, too?
    #[inline]
    fn is_whole(&self, path: &[u8]) -> bool {
        self.dialect != Dialect::Koster1996 || memchr::memchr(b'?', path).is_none()
    }

    /// Judges a path that has to be cut or normalised.
    fn check_odd<J: Judge<'s>>(&mut self, path: &[u8], judge: &mut J) -> J::Verdicts {
        let target = Target::of_path(path, self.dialect);
        let target = target.normal(self.dialect, &mut self.buffer);
        judge.judge(target, self.dialect, &mut self.workspace)
    }

    /// Judges a URL of another site, or in another spelling.
    fn check_any<J: Judge<'s>>(&mut self, url: &[u8], judge: &mut J) -> J::Verdicts {
        // What stands before the path in nearly all URLs is a site that the store holds, as it writes it.
        if let Some((site, path)) = before_path(url)
            && let Some(id) = self.store.find(site)
        {
            return self.check_found(url, (site, path), id, judge);
        }
        if let Some((site, path)) = leading_site(url) {
            self.remember(site, None, judge);
            return self.check_path(path, judge);
        }
        self.check_spelling(url, judge)
    }

    /// Judges a URL whose first bytes are a site's text, divided behind it; the site has been found in the store.
    #[inline]
    fn check_found<J: Judge<'s>>(
        &mut self,
        url: &[u8],
        (site, path): (&[u8], &[u8]),
        id: SiteId,
        judge: &mut J,
    ) -> J::Verdicts {
        self.remember(site, Some(id), judge);
        if self.last_site.is_empty() {
            // The dialect divides it elsewhere.
            return self.check_spelling(url, judge);
        }
        self.check_path(path, judge)
    }

    /// Judges a URL whose site may not be written in normal form.
    fn check_spelling<J: Judge<'s>>(&mut self, url: &[u8], judge: &mut J) -> J::Verdicts {
        let Some(target) = Target::new(url) else { return judge.all(Answer::Invalid) };
        let Ok(site) = Site::of_target(&target) else { return judge.all(Answer::Invalid) };
        let site = site.as_bytes();
        if site != self.last_site {
            self.remember(site, self.store.find(site), judge);
        }
        // The dialect may cut paths in another way; the site is everybody's.
        let target = match self.dialect {
            Dialect::Rfc9309 | Dialect::Acap => target,
            Dialect::Google => Target::as_google_cuts(url),
            Dialect::Koster1996 => target.path_only(),
        };
        let target = target.normal(self.dialect, &mut self.buffer);
        judge.judge(target, self.dialect, &mut self.workspace)
    }

    /// Makes `site`, with this place in the store, the last site.
    #[inline]
    fn remember<J: Judge<'s>>(&mut self, site: &[u8], id: Option<SiteId>, judge: &mut J) {
        judge.visit(self.store, id);
        self.last_site.clear();
        // Google's library lets a path begin with `;`, even in a host's name: such a site is no prefix to go by.
        if self.dialect != Dialect::Google || !site.contains(&b';') {
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
        let mut crowd = store.crowd_checker(&["x", "a", "y", "A", "z"].map(Crawler::new)).unwrap();
        let lines =
            crowd.check(b"https://a.example/a").iter().map(|answer| answer.line()).collect::<Vec<_>>();
        assert_eq!(lines, [0, 2, 0, 2, 0]);
        assert_eq!(
            (crowd.crowd.compiled_policies.len(), &crowd.crowd.compiled_policies_of[..]),
            (2, &[0, 1, 0, 1, 0][..])
        );
    }
}
