//! Canonical URLs: removes the query parameters that, according to the site, do not change its pages (Clean-param;
//! `crates/PERMISSIONS.md`, V7).
//!
//! A site's path patterns are split into segments when the policy is compiled. The segments are in normal form, and the
//! first one begins the path. Most patterns are one segment: a prefix. For each parameter name, only those prefixes are
//! kept that do not begin with another prefix of the same name. In alphabetical order, only the last kept prefix that
//! is not greater than a path can begin it. So a parameter costs two binary searches, however many records there are.
//! Patterns of several segments are tried one by one, each once per URL; a policy holds only a few of them
//! ([`CleanParam::MOST_WITH_STARS`]).

use std::borrow::Cow;

use memchr::{memchr, memmem};
use robomata_automaton::NormalForm;
use robomata_policy::{CleanParam, Policy};

use crate::target::Target;

/// The parameters that, according to a site, do not change its pages.
#[derive(Clone, Debug, Default)]
pub struct CleanParams<'p> {
    /// Sorted; no prefix of a name begins with another one of the same name.
    at_prefixes: Vec<Listing<'p>>,
    /// Sorted, so that their numbers compare as they do.
    prefixes: Vec<Segment>,
    /// Sorted.
    at_patterns: Vec<Listing<'p>>,
    /// The patterns of several segments.
    patterns: Vec<Segments>,
}

/// A parameter's name, and the number of the path prefix or path pattern it is listed for.
type Listing<'p> = (&'p [u8], u32);

/// A path pattern: the first segment begins the path, and each other segment comes somewhere after the one before it.
type Segments = Vec<Segment>;

/// Bytes in normal form.
type Segment = Box<[u8]>;

impl<'p> CleanParams<'p> {
    /// The parameters of `policy`. Takes time and space linear in the bytes of its records, except for sorting them.
    pub fn new(policy: &'p Policy<'_>) -> Self {
        let mut params = CleanParams::default();
        let mut records = Vec::new();
        for CleanParam { parameters, path, .. } in policy.clean_params() {
            let mut segments = segments(path.unwrap_or_default());
            if segments.len() > 1 {
                let number = number(params.patterns.len());
                params.patterns.push(segments);
                params.at_patterns.extend(parameters.into_iter().map(|name| (name, number)));
            } else if let Some(prefix) = segments.pop() {
                records.push((parameters, prefix));
            }
        }
        params.at_patterns.sort_unstable();
        params.at_patterns.dedup();
        params.set_prefixes(records);
        params
    }

    /// `records` are parameter names and the path prefix they are listed for.
    fn set_prefixes(&mut self, records: Vec<(Vec<&'p [u8]>, Segment)>) {
        self.prefixes = records.iter().map(|(_, prefix)| prefix.clone()).collect();
        self.prefixes.sort_unstable();
        self.prefixes.dedup();
        for (names, prefix) in records {
            let number = number(self.prefixes.partition_point(|other| *other < prefix));
            self.at_prefixes.extend(names.into_iter().map(|name| (name, number)));
        }
        self.at_prefixes.sort_unstable();
        let prefixes = &self.prefixes;
        // All texts that begin with a prefix directly follow it.
        self.at_prefixes.dedup_by(|next, kept| {
            next.0 == kept.0 && prefixes[next.1 as usize].starts_with(&prefixes[kept.1 as usize])
        });
    }

    /// Whether the policy names no parameter.
    pub fn is_empty(&self) -> bool {
        self.at_prefixes.is_empty() && self.at_patterns.is_empty()
    }

    /// The canonical form of `url`, which is a URL of this policy's site, or a path with a query. It is the URL as
    /// written, without the parameters that a record lists for its path. The order of the other parameters and the
    /// fragment stay. An empty query disappears together with its `?`. A text that is not a URL stays unchanged.
    pub fn canonical<'u>(&self, url: &'u [u8]) -> Cow<'u, [u8]> {
        if self.is_empty() {
            return Cow::Borrowed(url);
        }
        match Parts::of(url) {
            Some(parts) => self.without_parameters(url, &parts),
            None => Cow::Borrowed(url),
        }
    }

    fn without_parameters<'u>(&self, url: &'u [u8], parts: &Parts<'u>) -> Cow<'u, [u8]> {
        let mut place = PathPlace::new(self, parts.path);
        let is_kept = |parameter: &&[u8]| !place.lists(name_of(parameter));
        let parameters = || parts.query.split(|&byte| byte == b'&');
        let kept: Vec<&[u8]> = parameters().filter(is_kept).collect();
        if kept.len() == parameters().count() {
            return Cow::Borrowed(url);
        }
        let mut canonical = Vec::with_capacity(url.len());
        canonical.extend_from_slice(parts.before_query);
        let query = kept.join(&b'&');
        if !query.is_empty() {
            canonical.push(b'?');
            canonical.extend_from_slice(&query);
        }
        canonical.extend_from_slice(parts.fragment);
        Cow::Owned(canonical)
    }
}

/// A URL with a query, split where it is joined again.
struct Parts<'u> {
    /// Everything before the `?`.
    before_query: &'u [u8],
    /// The path, which is a part of it.
    path: &'u [u8],
    query: &'u [u8],
    /// Including its `#`.
    fragment: &'u [u8],
}

impl<'u> Parts<'u> {
    fn of(url: &'u [u8]) -> Option<Self> {
        let Target { scheme, authority, .. } = Target::new(url)?;
        let path_start = scheme.map_or(0, |scheme| scheme.len() + "://".len()) + authority.len();
        let (target, fragment) = url.split_at(memchr(b'#', url).unwrap_or(url.len()));
        let query_start = path_start + memchr(b'?', &target[path_start..])?;
        Some(Parts {
            before_query: &target[..query_start],
            path: &target[path_start..query_start],
            query: &target[query_start + 1..],
            fragment,
        })
    }
}

/// The text before the first `=`.
fn name_of(parameter: &[u8]) -> &[u8] {
    &parameter[..memchr(b'=', parameter).unwrap_or(parameter.len())]
}

/// One URL's path, looked up among the records.
struct PathPlace<'c> {
    params: &'c CleanParams<'c>,
    path: Vec<u8>,
    /// Which patterns of several segments match; `None` for those not tried yet.
    matching: Vec<Option<bool>>,
}

impl<'c> PathPlace<'c> {
    fn new(params: &'c CleanParams<'_>, path: &[u8]) -> Self {
        let path = if path.is_empty() { b"/".to_vec() } else { normal(path) };
        PathPlace { params, path, matching: vec![None; params.patterns.len()] }
    }

    /// Whether a record that matches the path lists `name`.
    fn lists(&mut self, name: &[u8]) -> bool {
        self.lists_at_prefix(name) || self.lists_at_pattern(name)
    }

    fn lists_at_prefix(&self, name: &[u8]) -> bool {
        let CleanParams { at_prefixes, prefixes, .. } = self.params;
        let of_name = of_name(at_prefixes, name);
        let prefix = |&(_, number): &Listing<'_>| &*prefixes[number as usize];
        let end = of_name.partition_point(|listing| prefix(listing) <= self.path.as_slice());
        of_name[..end].last().is_some_and(|listing| self.path.starts_with(prefix(listing)))
    }

    fn lists_at_pattern(&mut self, name: &[u8]) -> bool {
        let (path, patterns) = (&self.path, &self.params.patterns);
        of_name(&self.params.at_patterns, name).iter().any(|&(_, number)| {
            let number = number as usize;
            *self.matching[number].get_or_insert_with(|| matches(&patterns[number], path))
        })
    }
}

fn of_name<'l, 'p>(listings: &'l [Listing<'p>], name: &[u8]) -> &'l [Listing<'p>] {
    let from = listings.partition_point(|&(other, _)| other < name);
    let tail = &listings[from..];
    &tail[..tail.partition_point(|&(other, _)| other == name)]
}

/// Whether the segments follow each other in `path`, the first at its start.
fn matches(segments: &[Segment], path: &[u8]) -> bool {
    let Some((first, others)) = segments.split_first() else { return true };
    let Some(mut rest) = path.strip_prefix(&**first) else { return false };
    // The leftmost position of a segment leaves the most room for the segments after it.
    others.iter().all(|segment| match memmem::find(rest, segment) {
        Some(at) => {
            rest = &rest[at + segment.len()..];
            true
        }
        None => false,
    })
}

/// The segments of a pattern. The pattern is a prefix: a star at its end adds nothing. There is at least one segment,
/// which may be empty; the others are not empty.
fn segments(pattern: &[u8]) -> Segments {
    let mut written = pattern.split(|&byte| byte == b'*');
    let first = written.next().unwrap_or_default();
    let others = written.filter(|segment| !segment.is_empty());
    std::iter::once(first).chain(others).map(|segment| normal(segment).into_boxed_slice()).collect()
}

/// The normal form in which paths and patterns are compared in every dialect.
fn normal(bytes: &[u8]) -> Vec<u8> {
    NormalForm::Rfc9309.of_target(bytes, &mut Vec::new()).to_vec()
}

/// There are fewer records than bytes in a file, which are counted in 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "texts are cut at limits::MAX_PARSING_LIMIT")]
fn number(index: usize) -> u32 {
    index as u32
}
