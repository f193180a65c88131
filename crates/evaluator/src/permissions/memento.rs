//! Which TimeGates have old versions of a URL, and which URLs are Mementos (`crates/PERMISSIONS.md`, M).

use robomata_automaton::{NormalForm, PatternSet, Scratch, readings};
use robomata_policy::{ArchivedPattern, Policy};
use robomata_protocol::{Access, Answer, Crawler, Dialect, Verdict};

use crate::site::Site;
use crate::site_policy::SitePolicy;
use crate::target::{Target, TargetBuffer};

/// The Memento records of one robots.txt, compiled.
#[derive(Debug)]
pub struct SiteMementos {
    dialect: Dialect,
    gates: Vec<(String, u32)>,
    /// The site of the file, if known: its path patterns apply to that site alone.
    site: Option<Site<'static>>,
    /// Patterns of this server's paths, in the form in which targets are compared.
    paths: Archived,
    /// Prefixes of absolute URIs. They include the authority, so they have their own normal form and their own walk.
    uris: Archived,
    /// Decides which URLs are Mementos.
    announced: Option<SitePolicy>,
    scratch: Scratch,
}

/// A TimeGate that has old versions of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FoundTimeGate {
    /// Its URL, as written.
    pub url: String,
    /// The 1-based line of the `TimeGate` record.
    pub line: u32,
    /// The line of its first `Archived` record that matches.
    pub archived_line: u32,
}

/// `Archived` records whose values are compared with one form of a URL.
#[derive(Debug)]
struct Archived {
    set: PatternSet,
    /// By pattern: the index of the TimeGate, and the record's line.
    entries: Vec<(usize, u32)>,
}

impl SiteMementos {
    /// Compiles the Memento records of `policy`, from `site` if that is known.
    pub fn new(policy: &Policy<'_>, site: Option<Site<'static>>) -> Self {
        let (mut gates, mut paths, mut uris) = (Vec::new(), Vec::new(), Vec::new());
        for (place, gate) in policy.time_gates().into_iter().enumerate() {
            gates.push((gate.url.to_owned(), gate.line));
            for archived in &gate.archived {
                match archived.pattern {
                    ArchivedPattern::Path(path) => {
                        paths.push((path.to_vec(), (place, archived.line)));
                    }
                    ArchivedPattern::Uri(uri) => {
                        uris.push((rooted(uri_pattern(uri)), (place, archived.line)));
                    }
                }
            }
        }
        let announced = policy.mementos().map(|_| SitePolicy::conventional(policy, &Crawler::new("memento")));
        let scratch = Scratch::new();
        SiteMementos {
            dialect: policy.dialect(),
            gates,
            site,
            paths: Archived::new(&paths),
            uris: Archived::new(&uris),
            announced,
            scratch,
        }
    }

    /// The TimeGates that have old versions of `url`, in file order.
    pub fn time_gates(&mut self, url: &[u8]) -> Vec<FoundTimeGate> {
        let written = Target::new(url);
        // If the dialect finds a path in any text, use that path, on no site.
        let target = written.or_else(|| Target::read(url, self.dialect));
        let Some(target) = target else { return Vec::new() };
        let mut found: Vec<Option<u32>> = vec![None; self.gates.len()];
        let own_site = Site::of_url(url).ok();
        if target.scheme.is_none() || self.site.is_none() || self.site == own_site {
            let mut buffer = TargetBuffer::default();
            let text = target.in_form(NormalForm::Rfc9309, &mut buffer);
            self.paths.find(text, &mut self.scratch, &mut found);
        }
        // A path without a site belongs to the file's site.
        let site = if target.scheme.is_none() { self.site.as_ref() } else { own_site.as_ref() };
        if written.is_some()
            && let Some(text) = uri_text(&target, site)
        {
            self.uris.find(&text, &mut self.scratch, &mut found);
        }
        let found = self.gates.iter().zip(found).filter_map(|((url, line), archived)| {
            Some(FoundTimeGate { url: url.clone(), line: *line, archived_line: archived? })
        });
        found.collect()
    }

    /// Whether the file announces any Mementos.
    pub fn announces_any(&self) -> bool {
        self.announced.is_some()
    }

    /// The line that announces `url` as a Memento: for crawlers that keep Memento-Datetime sticky, and for no others.
    pub fn announces(&mut self, url: &[u8]) -> Option<u32> {
        match self.announced.as_mut()?.check(url) {
            Answer::Verdict(Verdict { access: Access::Allow, line: line @ 1.., .. }) => Some(line),
            _ => None,
        }
    }
}

impl Archived {
    fn new(patterns: &[(Vec<u8>, (usize, u32))]) -> Self {
        let read = patterns.iter().flat_map(|(pattern, entry)| readings(pattern).map(|read| (read, *entry)));
        let (patterns, entries): (Vec<_>, Vec<_>) = read.unzip();
        let patterns: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
        Archived { set: PatternSet::compile(&patterns, NormalForm::Rfc9309), entries }
    }

    /// Records the first matching line of each TimeGate.
    fn find(&self, text: &[u8], scratch: &mut Scratch, found: &mut [Option<u32>]) {
        if self.entries.is_empty() {
            return;
        }
        self.set.as_ref().each_match(text, scratch, |number| {
            let (gate, line) = self.entries[number as usize];
            found[gate] = Some(found[gate].map_or(line, |first| first.min(line)));
        });
    }
}

/// Texts must begin with a slash to be walked.
fn rooted(mut text: Vec<u8>) -> Vec<u8> {
    text.insert(0, b'/');
    text
}

/// An absolute URI pattern with its site in normal form (M3); the automaton normalizes the path.
fn uri_pattern(written: &[u8]) -> Vec<u8> {
    let authority = memchr::memmem::find(written, b"://").map_or(0, |at| at + 3);
    let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
    let path = written[authority..].iter().position(is_end).map_or(written.len(), |at| authority + at);
    let (site, mut path) = written.split_at(path);
    let (site, end): (&[u8], &[u8]) = match site {
        // The host alone, anchored at its end: the URL of its root.
        [site @ .., b'$'] if path.is_empty() => (site, b"$"),
        site => (site, b""),
    };
    let is_cut = site.ends_with(b"*") && path.is_empty();
    let slash: &[u8] = if is_cut || path.first() == Some(&b'/') { b"" } else { b"/" };
    if path.first() == Some(&b'#') {
        path = b"";
    }
    let site = if site.contains(&b'*') { site.to_ascii_lowercase() } else { normal_site(site) };
    [&site, slash, path, end].concat()
}

/// The text of a URL on `site` that URI patterns are compared with; `None` for a path without a known site.
fn uri_text(target: &Target<'_>, site: Option<&Site<'_>>) -> Option<Vec<u8>> {
    let site = match site {
        Some(site) => site.as_bytes().to_vec(),
        None => normal_site(&[target.scheme?, b"://", target.authority].concat()),
    };
    let mut buffer = TargetBuffer::default();
    Some(rooted([&site, target.in_form(NormalForm::Rfc9309, &mut buffer)].concat()))
}

/// A site in normal form; for a scheme other than http and https, as far as it can be normalized.
fn normal_site(written: &[u8]) -> Vec<u8> {
    if let Ok(site) = Site::of_url(written) {
        return site.as_bytes().to_vec();
    }
    let authority = memchr::memmem::find(written, b"://").map_or(0, |at| at + 3);
    let host = written.iter().rposition(|&byte| byte == b'@').map_or(authority, |at| at + 1).max(authority);
    [&written[..authority], &written[host..]].concat().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "idna")]
    use robomata_syntax::Config;

    use super::*;

    #[test]
    fn uri_patterns_have_their_sites_in_normal_form() {
        let pattern = |written: &str| String::from_utf8(uri_pattern(written.as_bytes())).unwrap();
        assert_eq!(pattern("HTTP://user@A.example:80/X*"), "http://a.example/X*");
        assert_eq!(pattern("http://a.example"), "http://a.example/");
        assert_eq!(pattern("http://a.example$"), "http://a.example/$");
        assert_eq!(pattern("http://a.exa*"), "http://a.exa*");
        assert_eq!(pattern("http://a.exa*$"), "http://a.exa*$");
        assert_eq!(pattern("http://*.Example/x"), "http://*.example/x");
        assert_eq!(pattern("http://*.Example"), "http://*.example/");
        assert_eq!(pattern("http://*.example$"), "http://*.example/$");
        assert_eq!(pattern("http://a*?q"), "http://a*/?q");
        assert_eq!(pattern("http://a.example?q"), "http://a.example/?q");
        assert_eq!(pattern("FTP://u@H:21/x"), "ftp://h/x");
        assert_eq!(pattern("FTP://u@H:2121/x"), "ftp://h:2121/x");
    }

    /// M3: a pattern with a star is compared as it is written, and the host of a URL as it is requested.
    #[cfg(feature = "idna")]
    #[test]
    fn international_hosts_are_compared_as_they_are_requested() {
        let text =
            "TimeGate: /1/\nArchived: http://a.exa*\nTimeGate: /2/\nArchived: http://a.ex\u{e4}mple/\n";
        let policy = Policy::new(text.as_bytes(), &Config::new(Dialect::Rfc9309));
        let mut mementos = SiteMementos::new(&policy, None);
        let mut lines = |url: &str| -> Vec<u32> {
            mementos.time_gates(url.as_bytes()).into_iter().map(|gate| gate.line).collect()
        };
        assert_eq!(lines("http://a.ex%61mple/x"), [1]);
        for url in ["http://a.ex\u{e4}mple/x", "http://a.ex%C3%A4mple/x", "http://a.xn--exmple-cua/x"] {
            assert_eq!(lines(url), [3], "{url}");
        }
    }
}
