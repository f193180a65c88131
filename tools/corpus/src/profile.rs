//! The outline of a policy: a few numbers that are derived before any of its text is written. They are cheap to derive,
//! so a URL can be made for a site whose robots.txt is never generated.

use robomata_engine::Access;

use crate::heads::{self, Head};
use crate::rng::{Rng, Use, derive};
use crate::shape;

/// The groups of a policy, and how it is written.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// The key that rules are derived from: the same for all policies of a template.
    pub(crate) rules_key: u64,
    pub(crate) everyone: Everyone,
    /// Number of groups with crawler names.
    pub(crate) named: u64,
    pub(crate) style: Style,
    /// The rest of the file, derived from the policy alone.
    pub(crate) dress: Dress,
}

/// The group for every crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Everyone {
    /// No such group.
    Absent,
    /// `Disallow:` without a value.
    Unrestricted,
    /// `Allow: /`.
    Open,
    /// `Disallow: /`.
    Closed,
    /// This many rules.
    Rules(u64),
}

/// How a policy writes its patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// How much more often than usual a pattern has `*`: 0, 1 or 2 times.
    pub(crate) stars: u64,
    pub(crate) case: Case,
}

/// The letters of a policy's patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Capitals,
}

/// The source of the rest of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dress {
    /// The body of a head: [`Head`] gives it in full.
    Head(&'static Head),
    /// Random, from this key; `sitemap` in ten thousand have a sitemap.
    Chance { key: u64, sitemap: u64, known_by: KnownBy },
}

/// What distinguishes a file from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownBy {
    /// Its rules: they are many, and not those of a template.
    Rules,
    /// The name of its home site, which the file must contain.
    Home,
}

impl Dress {
    /// Few rules cannot distinguish one file from another.
    fn of(self, everyone: Everyone) -> Self {
        const MANY: u64 = 8;
        match (self, everyone) {
            (Dress::Head(_), _) | (_, Everyone::Rules(MANY..)) => self,
            (Dress::Chance { key, sitemap, .. }, _) => {
                Dress::Chance { key, sitemap, known_by: KnownBy::Home }
            }
        }
    }
}

impl Profile {
    pub(crate) fn new(seed: u64, policy: u64) -> Self {
        if let Some(head) = heads::HEADS.get(usize::try_from(policy).unwrap_or(usize::MAX)) {
            return Profile::of_head(derive(seed, Use::OwnRules, policy), head);
        }
        let mut rng = Rng::of(seed, Use::Policy, policy);
        let (rules_key, share, known_by) = if rng.chance(shape::FROM_TEMPLATE) {
            let (key, share) = template(seed, rng.unit());
            (key, share, KnownBy::Home)
        } else {
            let key = derive(seed, Use::OwnRules, policy);
            (key, Rng::new(key).unit(), KnownBy::Rules)
        };
        let sitemap = if policy < shape::SHARED_POLICIES { shape::SHARED_SITEMAP } else { shape::SITEMAP };
        Profile::of_rules(rules_key, share, Dress::Chance { key: rng.next(), sitemap, known_by })
    }

    fn of_head(rules_key: u64, head: &'static Head) -> Self {
        let style = Style { stars: head.stars, case: Case::Lower };
        Profile { rules_key, everyone: head.everyone, named: head.named, style, dress: Dress::Head(head) }
    }

    /// `share` of all policies have fewer rules for every crawler.
    fn of_rules(rules_key: u64, share: f64, dress: Dress) -> Self {
        /// A file with this many rules has no style of its own: it would weigh too much in a collection.
        const GIANT: u64 = 400;
        let mut rng = Rng::of(rules_key, Use::Policy, 0);
        let rules = shape::EVERYONE_RULES.at(share);
        let stars = if rules > GIANT { 1 } else { [0, 1, 1, 2][rng.place(4)] };
        let case = if rng.chance(shape::CAPITALS) { Case::Capitals } else { Case::Lower };
        let mut named = rng.draw(&shape::NAMED_GROUPS);
        let mut everyone = everyone(rules, &mut rng);
        if rng.chance(shape::NO_GROUP) {
            (everyone, named) = (Everyone::Absent, 0);
        } else if rng.chance(shape::NOT_FOR_EVERYONE) {
            (everyone, named) = (Everyone::Absent, named.max(1));
        }
        Profile { rules_key, everyone, named, style: Style { stars, case }, dress: dress.of(everyone) }
    }

    /// The access of a crawler that no group names, on nearly every page.
    pub(crate) fn access(&self) -> Access {
        if self.everyone == Everyone::Closed { Access::Disallow } else { Access::Allow }
    }
}

fn everyone(rules: u64, rng: &mut Rng) -> Everyone {
    match rules {
        0 => Everyone::Unrestricted,
        1 if rng.chance(shape::ONE_RULE_CLOSES) => Everyone::Closed,
        1 if rng.chance(shape::ONE_RULE_OPENS) => Everyone::Open,
        rules => Everyone::Rules(rules),
    }
}

/// A template's key, and its quantile among all rule sets by size. The first templates are the most used.
fn template(seed: u64, unit: f64) -> (u64, f64) {
    /// Spreads the sizes of templates evenly for any subset in use, by the golden ratio.
    const SPREAD: f64 = 0.618_033_988_749_894_8;
    /// No template is a giant.
    const LARGEST: f64 = 0.985;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than the templates")]
    let number = (unit * unit * shape::TEMPLATES as f64) as u64;
    let share = ((number as f64 + 0.5) * SPREAD).fract() * LARGEST;
    (derive(seed, Use::Template, number), share)
}
