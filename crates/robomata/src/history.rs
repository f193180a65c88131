//! What sites said over time.
//!
//! A [`PolicySet`](crate::PolicySet) can keep all versions of a site's policy
//! ([`PolicySetBuilder::keep_history`](crate::PolicySetBuilder::keep_history)). A [`HistoryChecker`] checks URLs by any
//! of them.
//!
//! ```
//! use robomata::{FetchStatus, Moment, PolicySet};
//!
//! let (june, july) = (Moment::from_seconds(1_780_300_800), Moment::from_seconds(1_782_892_800));
//! let mut builder = PolicySet::builder().keep_history();
//! builder.insert_version("https://example.com", june, FetchStatus::Success, "")?;
//! builder.insert_version("https://example.com", july, FetchStatus::Success, "User-agent: *\nDisallow: /")?;
//! let policies = builder.build();
//!
//! let mut history = policies.history("ExampleBot")?;
//! let url = "https://example.com/news";
//! let versions = history.versions(url).to_vec();
//! assert_eq!(versions[1].first, Some(july));
//! assert!(history.check(url, 0).is_allowed());
//! assert!(history.check(url, 1).is_disallowed());
//! # Ok::<(), robomata::Error>(())
//! ```

use robomata_evaluator as evaluator;
use robomata_evaluator::Stores;

use crate::policy_set::judged;
use crate::{Moment, Verdict};

/// Checks URLs by earlier versions of their sites' policies. See the [module](self).
pub struct HistoryChecker<'s> {
    checker: evaluator::HistoryChecker<'s, Stores<'s>>,
    versions: Vec<Version>,
}

/// A version of a site's policy. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The time of its first capture; `None` when that is not known.
    pub first: Option<Moment>,
    /// The time of its last capture; `None` when that is not known.
    pub last: Option<Moment>,
}

impl<'s> HistoryChecker<'s> {
    pub(crate) fn new(checker: evaluator::HistoryChecker<'s, Stores<'s>>) -> Self {
        HistoryChecker { checker, versions: Vec::new() }
    }

    /// The versions of the URL's site, the oldest first. Empty when the set does not hold the site, or `url` is not an
    /// absolute URL.
    pub fn versions(&mut self, url: impl AsRef<[u8]>) -> &[Version] {
        let Ok(versions) = self.checker.versions(judged(url.as_ref()));
        self.versions.clear();
        self.versions
            .extend(versions.iter().map(|version| Version { first: version.first, last: version.last }));
        &self.versions
    }

    /// The verdict on `url` by the version of its site with this index in [`HistoryChecker::versions`]. Without such a
    /// version, the verdict is neither *allow* nor *disallow*.
    pub fn check(&mut self, url: impl AsRef<[u8]>, version: usize) -> Verdict {
        let Ok(answer) = self.checker.check_version(judged(url.as_ref()), version);
        Verdict::of(answer)
    }
}

impl std::fmt::Debug for HistoryChecker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HistoryChecker").finish_non_exhaustive()
    }
}
