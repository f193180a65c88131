//! Both sides of a comparison, and the crawlers that each pair of policies is compared for.
//!
//! Without named crawlers a pair is compared for every crawler that one of its two policies names, and for `*`. The
//! work therefore depends on the differences, not on the number of crawlers that a collection names.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use robomata_engine::policy::acap::Acap;
use robomata_engine::{
    Audience, CompiledPolicyId, Config, Crawler, Dialect, FetchStatus, Policy, PolicyStore, ProductToken,
    Site, SitePolicy, StoreView, UnsupportedQueryError,
};

use super::Policies;
use crate::bodies::{Bodies, KeptBody};
use crate::error::JobError;

/// The most groups of crawlers that are compared for each pair of policies. Hardly any real file has more.
const MOST_GROUPS: usize = 1_024;

/// The most bytes of programs that are compiled for each pair of policies, but for the last one. In a hostile file, each of
/// the groups has thousands of rules.
const MOST_BYTES: usize = 64 << 20;

/// Any crawler that no group names.
const ANY: &str = "*";

/// The crawlers that the bundles among `sides` were compiled for and that can be compared. None if both sides can
/// answer for every crawler.
///
/// # Errors
/// When both sides are such bundles and have no crawler in common.
pub fn compiled_crawlers(old: &Policies, new: &Policies) -> Result<Option<Vec<Crawler>>, JobError> {
    let held = |policies| match policies {
        &Policies::Sites(ref store, None) => match store.audience() {
            Audience::Crawlers(crawlers) => Some(crawlers.clone()),
            Audience::Everyone => None,
        },
        _ => None,
    };
    let (Some(mut both), Some(others)) = (held(old), held(new)) else {
        return Ok(held(old).or_else(|| held(new)));
    };
    let asked = both[0].clone();
    both.retain(|crawler| others.iter().any(|other| other.is_called(crawler)));
    if both.is_empty() {
        return Err(UnsupportedQueryError::Crawler { asked, held: others }.into());
    }
    Ok(Some(both))
}

/// Both sides, ready to be compared.
pub(super) struct Sides<'p> {
    sides: [Side<'p>; 2],
    /// The crawlers to compare for; none means every crawler that a pair of policies names.
    crawlers: Option<Vec<Crawler>>,
    dialect: Dialect,
}

enum Side<'p> {
    /// One robots.txt, for any site.
    File(&'p [u8], Config),
    /// Captures with their bodies, which answer for every crawler.
    Captures { view: StoreView<'p>, bodies: &'p Bodies },
    /// A store with one view for each crawler; for every crawler it is the view of `*`.
    Store { store: &'p PolicyStore, views: Vec<StoreView<'p>> },
}

/// The policy of a side for a site, for all crawlers that are compared. Equal contents give equal answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Content<'p> {
    File,
    Body(Kept<'p>),
    /// The ids in the store, one for each view.
    Stored(Box<[CompiledPolicyId]>),
}

/// A kept body. Equal bodies are kept only once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept<'p>(&'p KeptBody);

impl PartialEq for Kept<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl Eq for Kept<'_> {}

impl Hash for Kept<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key().hash(state);
    }
}

/// The policies of both sides for a site; none for a side without a policy.
pub(super) type ContentPair<'p> = [Option<Content<'p>>; 2];

/// Crawlers with the same rules on each side, and their policies.
pub(super) struct Group {
    pub(super) crawlers: Vec<Crawler>,
    pub(super) policies: [SitePolicy; 2],
}

impl Group {
    /// Are the policies of both sides equal, byte for byte?
    pub(super) fn is_same(&self) -> bool {
        let [old, new] = &self.policies;
        old.is_same(new)
    }

    fn program_bytes(&self) -> usize {
        let programs = self.policies.iter().filter_map(SitePolicy::program);
        programs.map(|program| program.bytes().len()).sum()
    }

    /// About the memory that it takes, in bytes: its programs and its names.
    pub(super) fn memory(&self) -> usize {
        let of_name = |crawler: &Crawler| size_of::<Crawler>() + crawler.to_string().len();
        self.program_bytes() + self.crawlers.iter().map(of_name).sum::<usize>()
    }
}

/// The groups of a pair of policies.
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// Are there further groups? Then nothing is proved.
    pub(super) is_cut: bool,
}

impl<'p> Sides<'p> {
    /// The sides for `crawlers`, or for every crawler.
    ///
    /// # Errors
    /// When a store does not hold one of the crawlers.
    pub(super) fn new(
        old: &'p Policies,
        new: &'p Policies,
        crawlers: Option<&[Crawler]>,
    ) -> Result<Self, JobError> {
        let side = |policies: &'p Policies| Side::new(policies, crawlers);
        Ok(Sides {
            sides: [side(old)?, side(new)?],
            crawlers: crawlers.map(<[Crawler]>::to_vec),
            dialect: old.dialect(),
        })
    }

    /// Are both sides one robots.txt?
    pub(super) fn is_files(&self) -> bool {
        self.sides.iter().all(|side| matches!(side, Side::File(..)))
    }

    /// The policies of both sides for the site of a URL.
    pub(super) fn contents(&self, site: &Site<'_>) -> ContentPair<'p> {
        self.sides.each_ref().map(|side| side.content(site))
    }

    /// Passes every site of either side to `each`, with the policies of both sides.
    pub(super) fn each_pair(&self, mut each: impl FnMut(Vec<u8>, ContentPair<'p>)) {
        let [Some(old), Some(new)] = self.sides.each_ref().map(Side::view) else { return };
        old.each_pair(new, |pair| {
            let name = pair.site();
            let Ok(site) = Site::of_url(name.as_bytes()) else { return };
            let content = |at: usize, compiled_policy: Option<CompiledPolicyId>| match &self.sides[at] {
                Side::Store { views, .. } if views.len() == 1 => {
                    Some(Content::Stored([compiled_policy?].into()))
                }
                side => side.content(&site),
            };
            let contents = [content(0, pair.old), content(1, pair.new)];
            each(name.into_bytes(), contents);
        });
    }

    /// Is it known without a search that both sides answer alike for all crawlers that are compared?
    pub(super) fn says_same(&self, contents: &ContentPair<'p>) -> bool {
        match (contents, &self.sides) {
            ([Some(Content::Body(old)), Some(Content::Body(new))], _) => {
                (old.0.status, old.0.redirects, &old.0.body) == (new.0.status, new.0.redirects, &new.0.body)
            }
            (
                [Some(Content::Stored(old)), Some(Content::Stored(new))],
                [Side::Store { views: old_views, .. }, Side::Store { views: new_views, .. }],
            ) => {
                let is_for_all = self.crawlers.is_none();
                old.iter().zip(new).zip(old_views.iter().zip(new_views)).all(|((one, other), views)| {
                    match is_for_all {
                        true => views.0.says_same_to_all(*one, views.1, *other),
                        false => views.0.says_same(*one, views.1, *other),
                    }
                })
            }
            _ => false,
        }
    }

    /// The crawlers that a pair of policies is compared for. Crawlers with the same rules are in one group; `*` is
    /// last.
    pub(super) fn groups(&self, contents: &ContentPair<'p>) -> Groups {
        let reading = |at: usize| self.sides[at].reading(contents[at].as_ref(), self.dialect);
        let readings = [reading(0), reading(1)];
        let group = |column: usize, crawlers: Vec<Crawler>| {
            let policies = readings.each_ref().map(|reading| reading.policy(column, &crawlers[0]));
            Group { crawlers, policies }
        };
        if let Some(crawlers) = &self.crawlers {
            let of = |(column, crawler): (usize, &Crawler)| group(column, vec![crawler.clone()]);
            return Groups { groups: crawlers.iter().enumerate().map(of).collect(), is_cut: false };
        }
        let mut named = named_together(readings.each_ref().map(Reading::named));
        let mut is_cut = named.len() > MOST_GROUPS;
        named.truncate(MOST_GROUPS);
        let mut groups = Vec::new();
        let mut bytes = 0;
        for crawlers in named {
            if bytes > MOST_BYTES {
                is_cut = true;
                break;
            }
            let group = group(0, crawlers);
            bytes += group.program_bytes();
            groups.push(group);
        }
        groups.push(group(0, vec![Crawler::new(ANY)]));
        Groups { groups, is_cut }
    }
}

/// Groups the crawlers that two policies name. Each has the number of its rules, in order. Crawlers with the same rules
/// in both policies are together.
fn named_together(named: [Vec<(String, usize)>; 2]) -> Vec<Vec<Crawler>> {
    let mut names: Vec<(String, [Option<usize>; 2])> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (side, named) in named.into_iter().enumerate() {
        for (name, rules) in named.into_iter().filter(|(name, _)| !name.is_empty()) {
            let place = *places.entry(name.to_ascii_lowercase()).or_insert(names.len());
            if place == names.len() {
                names.push((name, [None, None]));
            }
            names[place].1[side] = Some(rules);
        }
    }
    let mut groups: HashMap<[Option<usize>; 2], usize> = HashMap::new();
    let mut together: Vec<Vec<Crawler>> = Vec::new();
    for (name, rules) in names {
        let place = *groups.entry(rules).or_insert(together.len());
        if place == together.len() {
            together.push(Vec::new());
        }
        // A name may contain a comma, which separates names elsewhere.
        together[place].push(Crawler::must(vec![ProductToken::new(&name)]));
    }
    together
}

impl<'p> Side<'p> {
    fn new(policies: &'p Policies, crawlers: Option<&[Crawler]>) -> Result<Self, JobError> {
        Ok(match (policies, crawlers) {
            (Policies::File(file, config), _) => Side::File(file.bytes(), *config),
            (Policies::Sites(store, Some(bodies)), None) => {
                Side::Captures { view: store.view(&Crawler::new(ANY))?, bodies }
            }
            // The captures answer for crawlers that a store of named crawlers does not hold.
            (Policies::Sites(store, Some(bodies)), Some([first, ..]))
                if crawlers.is_some_and(|crawlers| crawlers.len() > 1) || store.view(first).is_err() =>
            {
                Side::Captures { view: store.view(&Crawler::new(ANY))?, bodies }
            }
            (Policies::Sites(store, _), _) => {
                let any = [Crawler::new(ANY)];
                let views = crawlers.unwrap_or(&any).iter().map(|crawler| store.view(crawler));
                Side::Store { store, views: views.collect::<Result<_, _>>()? }
            }
        })
    }

    /// The view for iterating over sites.
    fn view(&self) -> Option<&StoreView<'p>> {
        match self {
            Side::File(..) => None,
            Side::Captures { view, .. } => Some(view),
            Side::Store { views, .. } => views.first(),
        }
    }

    fn content(&self, site: &Site<'_>) -> Option<Content<'p>> {
        match self {
            Side::File(..) => Some(Content::File),
            Side::Captures { bodies, .. } => bodies.of(site).map(|body| Content::Body(Kept(body))),
            Side::Store { views, .. } => views
                .iter()
                .map(|view| view.compiled_policy_of(site))
                .collect::<Option<_>>()
                .map(Content::Stored),
        }
    }

    fn reading<'s>(&'s self, content: Option<&'s Content<'p>>, dialect: Dialect) -> Reading<'s> {
        match (self, content) {
            (Side::File(file, config), _) => Reading::Text(Policy::new(file, config)),
            (Side::Captures { bodies, .. }, Some(Content::Body(kept))) => {
                Reading::Text(bodies.policy(kept.0, dialect))
            }
            (Side::Store { store, views }, Some(Content::Stored(compiled_policies))) => {
                Reading::Stored { store, views, compiled_policies }
            }
            // A robots.txt about which nothing is known.
            _ => Reading::Text(Policy::fetched(b"", Some(FetchStatus::Code(301)), &Config::new(dialect))),
        }
    }
}

/// The policy of a side for a site, ready for queries.
enum Reading<'s> {
    Text(Policy<'s>),
    Stored { store: &'s PolicyStore, views: &'s [StoreView<'s>], compiled_policies: &'s [CompiledPolicyId] },
}

impl Reading<'_> {
    /// The crawlers that the policy names, each with the number of its rules.
    fn named(&self) -> Vec<(String, usize)> {
        match self {
            Reading::Text(policy) => named_by(policy),
            Reading::Stored { views, compiled_policies, .. } => views[0].named(compiled_policies[0]),
        }
    }

    /// The policy for `crawler`, whose view, if any, is at `column`.
    fn policy(&self, column: usize, crawler: &Crawler) -> SitePolicy {
        match self {
            Reading::Text(policy) => SitePolicy::new(policy, crawler),
            Reading::Stored { store, views, compiled_policies } => {
                // A store for every crawler has one view and accepts every crawler with a single name.
                let own = if views.len() == 1 { store.view(crawler).ok() } else { None };
                own.as_ref().unwrap_or(&views[column]).policy(compiled_policies[column])
            }
        }
    }
}

/// The crawlers that `policy` names, each with the number of its rules. ACAP's records add up, so with such records
/// every crawler has a number of its own.
fn named_by(policy: &Policy<'_>) -> Vec<(String, usize)> {
    let text = |name: &[u8]| std::str::from_utf8(name).ok().map(str::to_owned);
    let named = policy.named_rules();
    let named = named
        .iter()
        .enumerate()
        .flat_map(|(number, named)| named.names.iter().filter_map(move |name| Some((text(name)?, number))));
    match Acap::read(policy, &[]) {
        None => named.collect(),
        Some(acap) => {
            let names = named.map(|(name, _)| name).chain(acap.crawlers().filter_map(text));
            names.enumerate().map(|(number, name)| (name, number)).collect()
        }
    }
}
