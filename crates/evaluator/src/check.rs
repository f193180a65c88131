//! The hot path: from a block of URLs to answers.
//!
//! Every check goes through the same stages, each for the whole block before the next:
//!
//! 1. *split*: the text before the path. A URL with the same text as the one before it belongs to the same run, and
//!    nothing is looked up.
//! 2. *site*: the first URL of each run is looked up in the store.
//! 3. *policy*: the programs of the sites are found.
//! 4. *target* and *verdict*: the normal form of path and query, and the walk.
//!
//! When sites come in random order, a check mostly waits for memory: for the slot, the site, the index and the program.
//! Each pass over a block prefetches what the next pass reads, so that these loads overlap. When URLs come grouped by
//! site, most blocks are one run, and the second and third stage have nothing to do.
//!
//! The stages are generic over who evaluates ([`Evaluate`]: [`Crawlers`], or a version of the past) and where sites are
//! found ([`FindStore`]).

use std::convert::Infallible;
use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use robomata_automaton::{NormalForm, begins_with};
use robomata_protocol::semantics::UrlCut;
use robomata_protocol::{Answer, Crawler, Dialect, Moment, UrlRef};

use crate::rules::RuleTexts;
use crate::site::{ROOT, Site, before_path, leading_site};
use crate::site_policy::{CheckScratch, CompiledPolicy, push_selected};
use crate::store::{CrawlerSlot, PolicyStore, SiteId, SiteKey, StoredPolicy, UnsupportedQueryError};
use crate::target::{Target, TargetBuffer, is_compared_whole};

/// The number of URLs in a block. It is large enough to hide the waits for memory, and small enough that what was
/// fetched first is still in the L1 cache when it is used.
pub const BLOCK: usize = 16;

/// Checks URLs against a store, for one crawler or several. Each thread has its own checker: it owns the scratch memory
/// of the walk. It remembers the last site, because URLs usually come grouped by site.
#[derive(Debug)]
pub struct Checker<'s, W = Crawlers<'s>, P = &'s PolicyStore> {
    pub(crate) find: P,
    pub(crate) who: W,
    answers: Vec<Answer>,
    last: LastSite,
    target: TargetStage,
    /// The texts of URLs that came in parts, for one block.
    joined: Bump,
    store: std::marker::PhantomData<&'s PolicyStore>,
}

/// Where the policy of a site is found.
pub trait FindStore<'s>: Copy {
    /// Why a store cannot be used.
    type Error;

    /// The store that holds a site, if any store does. `site` is the text before the path of a URL.
    ///
    /// # Errors
    /// When the store cannot be opened.
    fn store_of(self, site: &[u8]) -> Result<&'s PolicyStore, Self::Error>;
}

impl<'s> FindStore<'s> for &'s PolicyStore {
    type Error = Infallible;

    #[inline]
    fn store_of(self, _: &[u8]) -> Result<&'s PolicyStore, Infallible> {
        Ok(self)
    }
}

/// Evaluates a target once the site of its URL is known.
pub trait Evaluate<'s> {
    /// The number of answers for each URL.
    fn width(&self) -> usize;

    /// Prepares the policy of a site; `None` if no store holds the site. `stored` is the policy with the number that
    /// [`Evaluate::policy_number`] returned.
    fn visit(&mut self, site: Option<(&'s PolicyStore, SiteId)>, stored: StoredPolicy<'s>);

    /// The number of the policy that a visit will prepare first.
    fn policy_number(&self, store: &'s PolicyStore, site: SiteId) -> u32;

    /// Evaluates a target in normal form on the last site visited.
    fn evaluate(
        &mut self,
        target: &[u8],
        dialect: Dialect,
        scratch: &mut CheckScratch,
        answers: &mut [Answer],
    );

    /// Called before the first URL of a block.
    fn begin_block(&mut self) {}

    /// Called before the URL with this index in its block is evaluated, after its site was visited.
    #[inline]
    fn begin_url(&mut self, _index: usize) {}
}

impl<'s, W: Evaluate<'s>, P: FindStore<'s>> Checker<'s, W, P> {
    pub(crate) fn with(find: P, dialect: Dialect, who: W) -> Self {
        Checker {
            find,
            answers: vec![Answer::Unknown; who.width()],
            who,
            last: LastSite { text: Vec::new(), url_cut: dialect.semantics().url_cut },
            target: TargetStage {
                dialect,
                scratch: CheckScratch::default(),
                buffer: TargetBuffer::default(),
            },
            joined: Bump::new(),
            store: std::marker::PhantomData,
        }
    }

    /// The checker for queries at time `now`: it ignores permissions that a date has ended
    /// (`time-limit=until-2007-12-31`). Without this call, the checker does not look at dates.
    #[must_use]
    pub fn at(mut self, now: Moment) -> Self {
        self.target.scratch.set_now(now);
        self
    }

    /// Like [`Checker::check_each`], if a store may fail to open.
    ///
    /// # Errors
    /// When a store cannot be opened.
    #[inline]
    pub fn try_check_each(&mut self, url: &[u8]) -> Result<&[Answer], P::Error> {
        let path = path_after(url, &self.last.text);
        if let Some(path) = path {
            self.who.begin_url(0);
            self.target.path(path, &mut self.who, &mut self.answers);
        } else {
            let mut answers = std::mem::take(&mut self.answers);
            let result = self.run::<1>(&[UrlRef::Text(url)], &mut answers);
            self.answers = answers;
            result?;
        }
        Ok(&self.answers)
    }

    /// Like [`Checker::check_block`], if a store may fail to open.
    ///
    /// # Errors
    /// When a store cannot be opened.
    pub fn try_check_block(&mut self, urls: &[UrlRef<'_>], answers: &mut [Answer]) -> Result<(), P::Error> {
        let width = self.who.width();
        for (urls, answers) in urls.chunks(BLOCK).zip(answers.chunks_mut((BLOCK * width).max(1))) {
            self.run::<BLOCK>(urls, answers)?;
        }
        Ok(())
    }

    /// Runs all stages for at most `N` URLs.
    fn run<const N: usize>(&mut self, urls: &[UrlRef<'_>], answers: &mut [Answer]) -> Result<(), P::Error> {
        let Checker { find, who, last, target, joined, .. } = self;
        // A URL that is checked alone is a text.
        if N > 1 {
            joined.reset();
        }
        who.begin_block();
        let mut lookups = [Lookup::NONE; N];
        let lookups = &mut lookups[..urls.len().min(N)];
        let keys = split(urls, last, *find, joined, lookups)?;
        if keys > 0 {
            find_policies(lookups, who, N > 1 && keys > 1);
        }
        let width = who.width();
        // Whether the URLs of this run have to be split one by one.
        let mut is_odd_run = false;
        // The last site that was visited, if that was in this block and its text is usable for comparisons.
        let mut current: Option<&[u8]> = None;
        for (index, lookup) in lookups.iter().enumerate() {
            match lookup.state {
                State::SameRun => {}
                State::Found(store, site, stored) => {
                    who.visit(Some((store, site)), stored);
                    current = Some(lookup.site);
                    is_odd_run = false;
                }
                // The text is a site in normal form that no store holds, or a site in another spelling.
                State::Missing if leading_site(lookup.url).is_some() => {
                    who.visit(None, StoredPolicy::UNKNOWN);
                    current = Some(lookup.site);
                    is_odd_run = false;
                }
                State::Missing | State::Key(..) | State::Numbered(..) | State::Odd => is_odd_run = true,
            }
            let answers = &mut answers[index * width..(index + 1) * width];
            if is_odd_run {
                let url = urls[index].text();
                if let Some(current) = current.take() {
                    last.set(current);
                }
                target.odd_url(&url, last, *find, who, index, answers)?;
            } else {
                who.begin_url(index);
                target.path(lookup.path, who, answers);
            }
        }
        if let Some(current) = current {
            last.set(current);
        }
        Ok(())
    }
}

impl<'s, P: FindStore<'s>> Checker<'s, Crawlers<'s>, P> {
    /// A checker for several crawlers, whose answers are in the order of `crawlers`. `find` finds the stores; `like` is
    /// any of them, because all have the same dialect, crawlers and usage.
    ///
    /// # Errors
    /// When the stores have no programs for one of the crawlers.
    pub fn new(find: P, like: &PolicyStore, crawlers: &[Crawler]) -> Result<Self, UnsupportedQueryError> {
        Ok(Checker::with(find, like.dialect(), Crawlers::new(like.slots_of(crawlers)?)))
    }
}

impl<'s, W: Evaluate<'s>, P: FindStore<'s, Error = Infallible>> Checker<'s, W, P> {
    /// The answers for `url`, one for each crawler: `invalid` if it is not an absolute URL, `unknown` if the store has
    /// no policy for its site. Allocates only for unusual spellings of a host.
    #[inline]
    pub fn check_each(&mut self, url: &[u8]) -> &[Answer] {
        let Ok(answers) = self.try_check_each(url);
        answers
    }

    /// The answer of [`Checker::check_each`] for the only crawler, or the first one.
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> Answer {
        self.check_each(url).first().copied().unwrap_or(Answer::Unknown)
    }

    /// Writes the answers for `urls` to `answers`: for each URL one answer for each crawler. They are those of
    /// [`Checker::check_each`]. When sites come in random order, blocks are much faster than single URLs, because the
    /// look-ups of a block overlap ([`BLOCK`] URLs at a time).
    ///
    /// # Panics
    /// When `answers` has less room than that.
    pub fn check_block(&mut self, urls: &[UrlRef<'_>], answers: &mut [Answer]) {
        let Ok(()) = self.try_check_block(urls, answers);
    }
}

/// The site of the last URL.
#[derive(Debug)]
struct LastSite {
    /// In normal form. Empty if the URLs of that site have to be split one by one.
    text: Vec<u8>,
    url_cut: UrlCut,
}

impl LastSite {
    #[inline]
    fn set(&mut self, site: &[u8]) {
        self.text.clear();
        if is_usable(site, self.url_cut) {
            self.text.extend_from_slice(site);
        }
    }
}

/// Whether what follows `site` in a URL is its path. Google's library lets a path begin with `;`, even within a host
/// name.
#[inline]
fn is_usable(site: &[u8], url_cut: UrlCut) -> bool {
    url_cut != UrlCut::GetPathParamsQuery || !site.contains(&b';')
}

/// The path, query and fragment of a URL that begins with `site` and a slash, or is `site` alone. `None` if `site` is empty.
#[inline]
fn path_after<'u>(url: &'u [u8], site: &[u8]) -> Option<&'u [u8]> {
    let path = begins_with(url, site).then(|| &url[site.len()..])?;
    if path.first() == Some(&b'/') && !site.is_empty() {
        return Some(path);
    }
    (path.is_empty() && !site.is_empty()).then_some(ROOT)
}

/// A URL whose check is in progress.
#[derive(Clone, Copy)]
struct Lookup<'u, 's> {
    /// Empty in a run after its first URL.
    url: &'u [u8],
    site: &'u [u8],
    /// Path, query and fragment, with the leading slash.
    path: &'u [u8],
    state: State<'s>,
}

#[derive(Clone, Copy)]
enum State<'s> {
    /// The URL has the same site as the one before it.
    SameRun,
    /// The site is to be looked up.
    Key(&'s PolicyStore, SiteKey),
    /// The site was found, and the number of its policy.
    Numbered(&'s PolicyStore, SiteId, u32),
    /// The site and its policy were found.
    Found(&'s PolicyStore, SiteId, StoredPolicy<'s>),
    /// The store does not hold a site with this spelling.
    Missing,
    /// The text has to be split with care.
    Odd,
}

impl Lookup<'_, '_> {
    const NONE: Self = Lookup { url: b"", site: b"", path: b"", state: State::Odd };
}

/// Splits each URL after its site. Returns the number of sites to be looked up.
#[inline]
fn split<'u, 's, P: FindStore<'s>>(
    urls: &[UrlRef<'u>],
    last: &LastSite,
    find: P,
    joined: &'u Bump,
    lookups: &mut [Lookup<'u, 's>],
) -> Result<usize, P::Error> {
    let mut site_before: &[u8] = &last.text;
    let mut keys = 0;
    for (lookup, url) in lookups.iter_mut().zip(urls) {
        let url = match *url {
            UrlRef::Text(url) => url,
            UrlRef::Parts(parts) if parts.path.first() == Some(&b'/') && parts.spell(site_before) => {
                let path = match parts.query {
                    None => parts.path,
                    Some(_) => {
                        let mut text = BumpVec::with_capacity_in(parts.max_length(), joined);
                        parts.each_piece_of_path(|piece| text.extend_from_slice_copy(piece));
                        text.into_bump_slice()
                    }
                };
                *lookup = Lookup { path, state: State::SameRun, ..Lookup::NONE };
                continue;
            }
            UrlRef::Parts(parts) => {
                let mut text = BumpVec::with_capacity_in(parts.max_length(), joined);
                parts.each_piece(|piece| text.extend_from_slice_copy(piece));
                text.into_bump_slice()
            }
        };
        if let Some(path) = path_after(url, site_before) {
            *lookup = Lookup { path, state: State::SameRun, ..Lookup::NONE };
            continue;
        }
        // In nearly all URLs, the text before the path is a site as the store spells it.
        match before_path(url).filter(|(site, _)| is_usable(site, last.url_cut)) {
            Some((site, path)) => {
                let store = find.store_of(site)?;
                let key = store.image().key(site);
                store.image().prefetch_slot(key);
                *lookup = Lookup { url, site, path, state: State::Key(store, key) };
                site_before = site;
                keys += 1;
            }
            None => {
                *lookup = Lookup { url, ..Lookup::NONE };
                // It may be a URL of any site.
                site_before = b"";
            }
        }
    }
    Ok(keys)
}

/// Looks up the sites and their policies. If there are several, each pass over them prefetches what the next one reads.
#[inline]
fn find_policies<'s>(lookups: &mut [Lookup<'_, 's>], who: &impl Evaluate<'s>, several: bool) {
    if several {
        for lookup in lookups.iter_mut() {
            if let State::Key(store, key) = &mut lookup.state {
                store.image().prefetch_site(key);
            }
        }
    }
    for lookup in lookups.iter_mut() {
        let State::Key(store, key) = lookup.state else { continue };
        lookup.state = match store.image().find(lookup.site, key) {
            Some(site) => {
                let number = who.policy_number(store, site);
                if several {
                    store.image().prefetch_index(number);
                    State::Numbered(store, site, number)
                } else {
                    State::Found(store, site, store.image().stored_policy(number))
                }
            }
            None => State::Missing,
        };
    }
    if several {
        for lookup in lookups {
            if let State::Numbered(store, site, number) = lookup.state {
                let stored = store.image().stored_policy(number);
                stored.prefetch();
                lookup.state = State::Found(store, site, stored);
            }
        }
    }
}

/// Brings the part of a URL that is evaluated into its normal form, and evaluates it.
#[derive(Debug)]
struct TargetStage {
    dialect: Dialect,
    scratch: CheckScratch,
    buffer: TargetBuffer,
}

impl TargetStage {
    /// Evaluates what follows the site in a URL.
    #[inline]
    fn path<'s>(&mut self, path: &[u8], who: &mut impl Evaluate<'s>, answers: &mut [Answer]) {
        if NormalForm::is_plain(path) && is_compared_whole(path, self.dialect) {
            who.evaluate(path, self.dialect, &mut self.scratch, answers);
        } else {
            self.odd_path(path, who, answers);
        }
    }

    /// Evaluates a path that has to be truncated or normalized.
    fn odd_path<'s>(&mut self, path: &[u8], who: &mut impl Evaluate<'s>, answers: &mut [Answer]) {
        let target = Target::of_path(path, self.dialect);
        let target = target.normal(self.dialect, &mut self.buffer);
        who.evaluate(target, self.dialect, &mut self.scratch, answers);
    }

    /// Evaluates a URL whose site may not be in normal form.
    #[cold]
    fn odd_url<'s, P: FindStore<'s>>(
        &mut self,
        url: &[u8],
        last: &mut LastSite,
        find: P,
        who: &mut impl Evaluate<'s>,
        index: usize,
        answers: &mut [Answer],
    ) -> Result<(), P::Error> {
        let target = Target::new(url);
        let site = target.as_ref().and_then(|target| Site::of_target(target).ok());
        let (Some(target), Some(site)) = (target, site) else {
            who.begin_url(index);
            answers.fill(Answer::Invalid);
            return Ok(());
        };
        let site = site.as_bytes();
        if site != last.text {
            let store = find.store_of(site)?;
            match store.find(site) {
                Some(site) => {
                    let stored = store.image().stored_policy(who.policy_number(store, site));
                    who.visit(Some((store, site)), stored);
                }
                None => who.visit(None, StoredPolicy::UNKNOWN),
            }
            last.set(site);
        }
        who.begin_url(index);
        // The dialect may split paths in another way; the site is the same in all dialects.
        let target = match last.url_cut {
            UrlCut::Rfc3986 => target,
            UrlCut::GetPathParamsQuery => Target::as_google_cuts(url),
        };
        let target = target.as_compared(self.dialect);
        let target = target.normal(self.dialect, &mut self.buffer);
        who.evaluate(target, self.dialect, &mut self.scratch, answers);
        Ok(())
    }
}

/// Evaluates for one crawler or several, by the policies that a store holds. Crawlers with the same rules (the usual
/// case) share one walk.
#[derive(Debug)]
pub struct Crawlers<'s> {
    slots: Vec<CrawlerSlot>,
    /// The site's compiled policies, each once, with its number in the store. Empty if the site is unknown, unless
    /// there is a single crawler.
    policies: Vec<(Option<u32>, CompiledPolicy<'s>)>,
    /// By crawler: the index of its compiled policy.
    policy_of: Vec<usize>,
    /// By compiled policy.
    evaluated: Vec<Answer>,
    /// The sites visited in this block, after the last one of the block before.
    visits: Vec<Visit<'s>>,
    /// By URL of the block: the index of its visit.
    visit_of: [u8; BLOCK],
    texts: RuleTexts<'s>,
}

/// A site that was visited; `None` if no store holds it.
type Visit<'s> = Option<(&'s PolicyStore, SiteId)>;

impl<'s> Crawlers<'s> {
    pub(crate) fn new(slots: Vec<CrawlerSlot>) -> Self {
        // A single crawler always has a policy, which is replaced where it is.
        let only = (slots.len() == 1).then_some((None, CompiledPolicy::UNKNOWN));
        Crawlers {
            slots,
            policies: Vec::from_iter(only),
            policy_of: Vec::new(),
            evaluated: Vec::new(),
            visits: Vec::new(),
            visit_of: [0; BLOCK],
            texts: RuleTexts::default(),
        }
    }

    /// Loads the policies of several crawlers, or of none.
    fn visit_each(&mut self, site: Visit<'s>) {
        self.policies.clear();
        self.policy_of.clear();
        let Some((store, site)) = site else { return };
        let is_group_table = store.distinguishes_crawlers();
        for slot in &self.slots {
            let number = store.image().compiled_policy(site, slot.column);
            // In a store for every crawler, the same group table can have another program for the next crawler.
            let policy = is_group_table.then(|| store.compiled_policy(site, slot));
            let is_known = |(other, known): &(Option<u32>, CompiledPolicy<'_>)| {
                *other == number && policy.as_ref().is_none_or(|policy| known.is_at(policy))
            };
            let known = self.policies.iter().position(is_known);
            self.policy_of.push(known.unwrap_or(self.policies.len()));
            if known.is_none() {
                let policy = policy.unwrap_or_else(|| store.compiled_policy(site, slot));
                self.policies.push((number, policy));
            }
        }
    }

    /// Evaluates a target by each of the policies.
    fn evaluate_each(
        &mut self,
        target: &[u8],
        dialect: Dialect,
        scratch: &mut CheckScratch,
        answers: &mut [Answer],
    ) {
        if self.policies.is_empty() {
            return answers.fill(Answer::Unknown);
        }
        self.evaluated.clear();
        let share_walk = self.policies[0].1.selected().is_some()
            && push_selected(&self.policies, target, dialect, scratch, &mut self.evaluated);
        if !share_walk {
            let policies = self.policies.iter();
            self.evaluated.extend(policies.map(|(_, policy)| policy.answer(target, dialect, scratch)));
        }
        for (answer, &policy) in answers.iter_mut().zip(&self.policy_of) {
            *answer = self.evaluated[policy];
        }
    }
}

impl<'s> Evaluate<'s> for Crawlers<'s> {
    fn width(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    fn visit(&mut self, site: Visit<'s>, stored: StoredPolicy<'s>) {
        self.visits.push(site);
        if let ([slot], [(_, policy)]) = (&self.slots[..], &mut self.policies[..]) {
            match site {
                Some((store, site)) => store.prepare_site(site, stored, slot, policy),
                None => *policy = CompiledPolicy::UNKNOWN,
            }
            return;
        }
        self.visit_each(site);
    }

    #[inline]
    fn policy_number(&self, store: &'s PolicyStore, site: SiteId) -> u32 {
        self.slots.first().map_or(StoredPolicy::UNKNOWN.number, |slot| store.policy_number(site, slot))
    }

    #[inline]
    fn evaluate(
        &mut self,
        target: &[u8],
        dialect: Dialect,
        scratch: &mut CheckScratch,
        answers: &mut [Answer],
    ) {
        match (&self.policies[..], answers) {
            ([(_, policy)], [answer]) => *answer = policy.answer(target, dialect, scratch),
            (_, answers) => self.evaluate_each(target, dialect, scratch, answers),
        }
    }

    #[inline]
    fn begin_block(&mut self) {
        if self.visits.len() > 1 {
            self.visits.drain(..self.visits.len() - 1);
        }
    }

    #[inline]
    fn begin_url(&mut self, index: usize) {
        // At most one visit for each URL, and one of the block before.
        self.visit_of[index] = self.visits.len().wrapping_sub(1).to_le_bytes()[0];
    }
}

impl<'s, P: FindStore<'s>> Checker<'s, Crawlers<'s>, P> {
    /// Replaces the contents of `rules` with the rules that decided for the URL with this index in the last block, by
    /// crawler: `Disallow: /private`, with the pattern in its normal form. `answers` are those for that URL. An entry
    /// is `None` when no rule decided, or when more than rules decide (fields of ACAP, a usage besides crawl). A block
    /// has at most [`BLOCK`] URLs; after a single check, the index is 0.
    pub fn rules(&mut self, index: usize, answers: &[Answer], rules: &mut Vec<Option<Arc<str>>>) {
        let Crawlers { slots, visits, visit_of, texts, .. } = &mut self.who;
        rules.clear();
        let visit = visit_of.get(index).and_then(|&visit| visits.get(usize::from(visit)).copied()).flatten();
        rules.extend(answers.iter().zip(slots.iter()).map(|(answer, slot)| {
            let line = Some(answer.line()).filter(|&line| line > 0)?;
            let (store, site) = visit?;
            let number = store.image().compiled_policy(site, slot.column)?;
            texts.rule(store, number, slot, line)
        }));
    }
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
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
        let mut checker = store.checker_for(&["x", "a", "y", "A", "z"].map(Crawler::new)).unwrap();
        let lines =
            checker.check_each(b"https://a.example/a").iter().map(|answer| answer.line()).collect::<Vec<_>>();
        assert_eq!(lines, [0, 2, 0, 2, 0]);
        assert_eq!((checker.who.policies.len(), &checker.who.policy_of[..]), (2, &[0, 1, 0, 1, 0][..]));
    }
}
