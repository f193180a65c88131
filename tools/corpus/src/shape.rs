//! The shape of real collections, in numbers. The generator has no other source for it.
//!
//! Chances are in ten thousand. The counts are those of bodies that few sites share; the bodies that many share are in
//! [`crate::heads`].

use crate::rng::Quantiles;

/// Rules of the group for every crawler.
pub(crate) const EVERYONE_RULES: Quantiles = Quantiles(&[
    (0.0, 0.0),
    (0.21, 0.0),
    (0.22, 1.0),
    (0.38, 2.0),
    (0.5, 5.0),
    (0.75, 18.0),
    (0.9, 46.0),
    (0.95, 70.0),
    (0.99, 255.0),
    (0.999, 2_800.0),
    (0.9999, 31_843.0),
    (1.0, 47_064.0),
]);

/// Number of groups with crawler names.
pub(crate) const NAMED_GROUPS: Quantiles = Quantiles(&[
    (0.0, 0.0),
    (0.72, 0.0),
    (0.73, 1.0),
    (0.9, 5.0),
    (0.95, 10.0),
    (0.99, 30.0),
    (0.999, 500.0),
    (1.0, 1_774.0),
]);

/// Rules of a named group that does not simply close or open the site.
pub(crate) const NAMED_RULES: Quantiles =
    Quantiles(&[(0.0, 2.0), (0.5, 6.0), (0.8, 16.0), (0.95, 60.0), (1.0, 400.0)]);

/// Bytes of a pattern other than `/`.
pub(crate) const PATTERN_BYTES: Quantiles = Quantiles(&[
    (0.0, 2.0),
    (0.012, 5.0),
    (0.2, 9.0),
    (0.46, 14.0),
    (0.7, 25.0),
    (0.88, 46.0),
    (0.99, 124.0),
    (0.9999, 400.0),
    (1.0, 7_768.0),
]);

/// Bytes of a URL's path.
pub(crate) const PATH_BYTES: Quantiles = Quantiles(&[
    (0.0, 1.0),
    (0.01, 4.0),
    (0.1, 20.0),
    (0.5, 46.0),
    (0.75, 66.0),
    (0.9, 90.0),
    (0.99, 142.0),
    (0.999, 300.0),
    (1.0, 2_000.0),
]);

/// Segments of a URL's path.
pub(crate) const PATH_SEGMENTS: Quantiles =
    Quantiles(&[(0.0, 1.0), (0.06, 2.0), (0.34, 3.0), (0.57, 4.0), (0.75, 5.0), (0.9, 6.0), (1.0, 10.0)]);

/// How many rule sets come from a template: a shop or blog system with which many sites begin.
pub(crate) const FROM_TEMPLATE: u64 = 4_400;
/// Number of templates.
pub(crate) const TEMPLATES: u64 = 256;
/// Policies up to this one are shared more than once in most collections.
pub(crate) const SHARED_POLICIES: u64 = 1_000;

/// No group for every crawler; no group at all.
pub(crate) const NOT_FOR_EVERYONE: u64 = 190;
pub(crate) const NO_GROUP: u64 = 190;
/// Of the files with one rule for every crawler: those that close, and those that open, the whole site.
pub(crate) const ONE_RULE_CLOSES: u64 = 2_800;
pub(crate) const ONE_RULE_OPENS: u64 = 1_500;
/// Named groups that a single `/` closes, and those that have no rule.
pub(crate) const NAMED_CLOSED: u64 = 7_700;
pub(crate) const NAMED_WITHOUT_RULES: u64 = 700;

/// Rules that allow.
pub(crate) const ALLOWS: u64 = 1_000;
/// Patterns other than `/` with `*`; of these, with more than one; of these, with more than two.
pub(crate) const WITH_STAR: u64 = 2_400;
pub(crate) const MORE_STARS: u64 = 2_450;
pub(crate) const MANY_STARS: u64 = 1_800;
/// Patterns other than `/` that end in `$`.
pub(crate) const WITH_END: u64 = 300;
/// Patterns other than `/` with percent-encoding, with letters outside ASCII, without `/` at the start.
pub(crate) const WITH_PERCENT: u64 = 240;
pub(crate) const WITH_LETTERS: u64 = 70;
pub(crate) const WITHOUT_SLASH: u64 = 30;
/// Policies that write their paths with capitals.
pub(crate) const CAPITALS: u64 = 3_000;

/// Files with a sitemap: of few sites, of many.
pub(crate) const SITEMAP: u64 = 6_900;
pub(crate) const SHARED_SITEMAP: u64 = 2_500;
/// Files with other records.
pub(crate) const CRAWL_DELAY: u64 = 1_400;
pub(crate) const HOST: u64 = 160;
pub(crate) const NOINDEX: u64 = 85;
pub(crate) const REQUEST_RATE: u64 = 40;
pub(crate) const VISIT_TIME: u64 = 30;
pub(crate) const CLEAN_PARAM: u64 = 24;
pub(crate) const CONTENT_SIGNAL: u64 = 5;
pub(crate) const MISSPELT: u64 = 40;
pub(crate) const UNKNOWN: u64 = 70;
/// Files with a long comment that explains robots.txt; others have a comment that names the site.
pub(crate) const LONG_COMMENT: u64 = 400;
/// Encoding details of files.
pub(crate) const BYTE_ORDER_MARK: u64 = 75;
pub(crate) const CRLF: u64 = 2_000;
pub(crate) const CR: u64 = 5;
pub(crate) const NOT_UTF8: u64 = 4;
pub(crate) const NUL: u64 = 1;

/// URLs that match one of the site's own rules, and URLs that narrowly miss one.
pub(crate) const NEAR: u64 = 265;
pub(crate) const NEARLY: u64 = 300;
/// URLs of other shapes.
pub(crate) const HTTPS: u64 = 8_500;
pub(crate) const ROOT: u64 = 60;
pub(crate) const QUERY: u64 = 880;
pub(crate) const FRAGMENT: u64 = 45;
pub(crate) const PERCENT: u64 = 185;
pub(crate) const UPPER: u64 = 1_400;
pub(crate) const ODD_AUTHORITY: u64 = 20;
