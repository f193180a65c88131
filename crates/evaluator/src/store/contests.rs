//! Finds sites whose captures are not ordered by their times.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::slice;

use super::PolicyStore;
use super::build::StoreBuilder;
use super::image::{SiteName, UNKNOWN};
use super::merge::StoreRun;
use super::run::{Run, for_each_site};
use super::versions::{Versions, clamped};
use super::write::Content;

/// Sites whose newest captures differ although their times do not say which one is newer. Captures without a conclusion
/// do not count: a redirect that was not followed, and a 304.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contests {
    /// The number of sites where only the order of the input decides: the newest captures are of one second, or all have no
    /// time.
    pub by_order: u64,
    /// The number of sites where a capture without a time loses against a dated one.
    pub undated: u64,
    /// The first of the latter, in normal form.
    pub first_undated: Option<String>,
}

impl Contests {
    /// Adds the contests of other captures.
    pub fn add(&mut self, other: Self) {
        self.by_order += other.by_order;
        self.undated += other.undated;
        self.first_undated = self.first_undated.take().or(other.first_undated);
    }

    /// Adds what is known of the captures of a site: their times, 0 for unknown, in the order of the input. `are_equal`
    /// returns whether two of them have the same policies.
    fn judge(
        &mut self,
        times: &[(i64, usize)],
        are_equal: impl Fn(usize, usize) -> bool,
        site: impl FnOnce() -> String,
    ) {
        let Some(&(newest, winner)) = times.iter().max() else { return };
        let differs = |at: i64| times.iter().any(|&(time, index)| time == at && !are_equal(index, winner));
        self.by_order += u64::from(differs(newest));
        if newest > 0 && differs(0) {
            self.undated += 1;
            self.first_undated.get_or_insert_with(site);
        }
    }
}

/// The time of a capture, and its compiled policies.
type TimeAndPolicies<'b> = (Option<i64>, &'b [u32]);

impl StoreBuilder {
    /// The contests among the captures of the robots.txt, and of the tdmrep.json, of each site.
    pub fn contests(&self) -> Contests {
        let mut contests = Contests::default();
        let mut judge = |number: u32, captures: &[TimeAndPolicies<'_>]| {
            let is_conclusive = |policies: &[u32]| policies.iter().any(|&policy| policy != UNKNOWN);
            let times: Vec<(i64, usize)> = (0..)
                .zip(captures)
                .filter(|(_, (_, policies))| is_conclusive(policies))
                .map(|(index, &(at, _))| (at.map_or(0, clamped), index))
                .collect();
            let are_equal = |one: usize, other: usize| captures[one].1 == captures[other].1;
            contests.judge(&times, are_equal, || SiteName::new(self.site_name(number)).text());
        };
        let mut counts = vec![0_u32; self.site_count()];
        self.captures().for_each(|(site, ..)| counts[site as usize] += 1);
        // Nearly every site has a single capture.
        let several = |&(site, ..): &(u32, Option<i64>, &[u32])| counts[site as usize] > 1;
        let mut by_site: BTreeMap<u32, Vec<TimeAndPolicies<'_>>> = BTreeMap::new();
        for (site, time, policies) in self.captures().filter(several) {
            by_site.entry(site).or_default().push((time, policies));
        }
        by_site.iter().for_each(|(&site, captures)| judge(site, captures));
        let mut tdmreps: Vec<_> = self.tdmrep_captures().collect();
        tdmreps.sort_unstable_by_key(|(site, _)| *site);
        for (site, captures) in tdmreps {
            let captures = captures.iter().map(|(time, policy)| (*time, slice::from_ref(policy)));
            judge(site, &captures.collect::<Vec<_>>());
        }
        contests
    }
}

impl Contests {
    /// The contests among the captures of the robots.txt, and of the tdmrep.json, of each site in `stores`, of which later
    /// ones have precedence. Those within one store are no longer known.
    pub fn among(stores: &[&PolicyStore]) -> Self {
        let mut contests = Contests::default();
        if stores.len() < 2 {
            return contests;
        }
        let columns = stores[0].kind().audience.columns();
        let runs: Vec<StoreRun<'_>> = stores.iter().map(|store| StoreRun::whole(store)).collect();
        let runs: Vec<&dyn Run> = runs.iter().map(|run| run as &dyn Run).collect();
        let mut all = [Versions::new(columns), Versions::new(1)];
        let seed = stores[0].image().layout().seed;
        let done: Result<(), Infallible> = for_each_site(&runs, seed, |same| {
            if same.len() < 2 {
                return Ok(());
            }
            all.iter_mut().for_each(Versions::clear);
            let mut runs_of = [Vec::new(), Vec::new()];
            for (run, site) in same {
                let [robots, tdmrep] = &mut all;
                runs[*run].versions(site, robots);
                runs[*run].tdmreps(site, tdmrep);
                for (runs_of, versions) in runs_of.iter_mut().zip(&all) {
                    runs_of.resize(versions.len(), *run);
                }
            }
            for (versions, runs_of) in all.iter().zip(&runs_of) {
                let conclusive = (0..versions.len()).filter(|&version| !versions.is_inconclusive(version));
                let times: Vec<(i64, usize)> =
                    conclusive.map(|version| (versions.times(version).1, version)).collect();
                let content = |version: usize| -> Vec<Result<Content<'_>, u32>> {
                    let policies = versions.compiled_policies(version).iter();
                    policies.map(|&policy| Content::of_policy(runs[runs_of[version]], policy)).collect()
                };
                let are_equal = |one, other| one == other || content(one) == content(other);
                contests.judge(&times, are_equal, || same[0].1.name.text());
            }
            Ok(())
        });
        let Ok(()) = done;
        contests
    }
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::lifecycle::Moment;
    use robomata_protocol::{Crawler, Dialect};
    use robomata_syntax::Config;

    use super::*;
    use crate::store::StoreKind;
    use crate::{PolicyCompiler, Site};

    /// A store with captures of one site: the times and the rules.
    fn builder(captures: &[(Option<i64>, &str)]) -> StoreBuilder {
        let kind = StoreKind::new(Dialect::Rfc9309, vec![Crawler::new("A")]);
        let mut builder = StoreBuilder::new(kind.clone());
        let site = Site::of_url(b"https://a.example/").unwrap();
        for &(time, rule) in captures {
            let text = format!("User-agent: *\nDisallow: /{rule}\n");
            let policy = Policy::new(text.as_bytes(), &Config::new(Dialect::Rfc9309));
            let policies = PolicyCompiler::new(&kind).compile(&policy);
            builder.insert(&site, &policies, time.map(Moment::from_seconds));
        }
        builder
    }

    #[test]
    fn captures_that_differ_at_one_time_or_without_one_are_contests() {
        for (captures, by_order, undated) in [
            (&[(Some(1), "a"), (Some(2), "b")][..], 0, 0),
            (&[(Some(2), "a"), (Some(2), "b"), (Some(2), "b")], 1, 0),
            (&[(Some(2), "a"), (Some(2), "b"), (Some(3), "c")], 0, 0),
            (&[(Some(2), "a"), (Some(2), "a"), (None, "a")], 0, 0),
            (&[(None, "a"), (None, "b")], 1, 0),
            (&[(None, "b"), (Some(1), "a"), (Some(2), "b")], 0, 0),
            (&[(None, "a"), (Some(1), "a"), (Some(2), "b")], 0, 1),
            (&[(Some(2), "a"), (None, "b"), (None, "c"), (Some(2), "d")], 1, 1),
        ] {
            let first_undated = (undated > 0).then(|| "https://a.example".to_owned());
            let expected = Contests { by_order, undated, first_undated };
            assert_eq!(builder(captures).contests(), expected, "{captures:?}");
            // The same captures, each in a store of its own.
            let stores: Vec<PolicyStore> =
                captures.iter().map(|&capture| builder(&[capture]).build()).collect();
            assert_eq!(Contests::among(&stores.iter().collect::<Vec<_>>()), expected, "{captures:?}");
        }
    }
}
