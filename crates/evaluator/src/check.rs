//! The hot path: a URL's text to an answer.

use robomata_automaton::{NormalForm, Scratch, begins_with};
use robomata_protocol::{Answer, Dialect};

use crate::site::{Site, before_path, leading_site};
use crate::site_policy::Decider;
use crate::store::{PolicyStore, SiteId};
use crate::target::{Target, TargetBuffer};

/// Checks URLs against a store for one of its crawlers. One for each thread: it holds the walk's memory, and remembers
/// the last site, since URLs mostly come grouped.
#[derive(Debug)]
pub struct Checker<'s> {
    store: &'s PolicyStore,
    crawler: usize,
    dialect: Dialect,
    scratch: Scratch,
    buffer: TargetBuffer,
    /// Empty where URLs of that site have to be divided one by one.
    last_site: Vec<u8>,
    /// What the last site says; none when the store does not know it.
    last_decider: Option<Decider<'s>>,
}

impl<'s> Checker<'s> {
    pub(crate) fn new(store: &'s PolicyStore, crawler: usize) -> Self {
        Checker {
            store,
            crawler,
            dialect: store.dialect(),
            scratch: Scratch::new(),
            buffer: TargetBuffer::default(),
            last_site: Vec::new(),
            last_decider: None,
        }
    }

    /// The answer for `url`: `invalid` when it is no http or https URL, `unknown` when the store has no policy for its
    /// site. Allocates nothing but for odd spellings of a host.
    #[inline]
    pub fn check(&mut self, url: &[u8]) -> Answer {
        match self.path_on_last_site(url) {
            Some(path) => self.check_path(path),
            None => self.check_any(url),
        }
    }

    /// The path, query and fragment of a URL that is written as the last site in normal form, then a slash.
    #[inline]
    fn path_on_last_site<'u>(&self, url: &'u [u8]) -> Option<&'u [u8]> {
        let path = begins_with(url, &self.last_site).then(|| &url[self.last_site.len()..])?;
        // Before the first site the last one is the empty text, which no site is.
        (path.first() == Some(&b'/') && !self.last_site.is_empty()).then_some(path)
    }

    /// The answer for a target in normal form on the last site.
    #[inline]
    fn judge(&mut self, target: &[u8]) -> Answer {
        match &self.last_decider {
            Some(decider) => decider.answer(target, self.dialect, &mut self.scratch),
            None => Answer::Unknown,
        }
    }

    /// The answer for a path that has to be cut or normalised, on the last site.
    fn check_odd(&mut self, path: &[u8]) -> Answer {
        let Some(decider) = &self.last_decider else { return Answer::Unknown };
        let target = Target::of_path(path, self.dialect);
        decider.answer(target.normal(self.dialect, &mut self.buffer), self.dialect, &mut self.scratch)
    }

    /// The answer for a URL of another site, or in another spelling.
    fn check_any(&mut self, url: &[u8]) -> Answer {
        // What stands before the path in nearly all URLs is a site that the store holds, as it writes it.
        if let Some((site, path)) = before_path(url)
            && let Some(id) = self.store.find(site)
        {
            self.remember(site, Some(id));
            // Unless the dialect cuts the URL elsewhere.
            if !self.last_site.is_empty() {
                return self.check_path(path);
            }
        }
        if let Some((site, path)) = leading_site(url) {
            self.remember(site, None);
            return self.check_path(path);
        }
        self.check_spelling(url)
    }

    /// The answer for what stands behind the last site in a URL.
    #[inline]
    fn check_path(&mut self, path: &[u8]) -> Answer {
        if NormalForm::is_plain(path) { self.judge(path) } else { self.check_odd(path) }
    }

    /// The answer for a URL whose site may not be written in normal form.
    fn check_spelling(&mut self, url: &[u8]) -> Answer {
        let Some(target) = Target::new(url) else { return Answer::Invalid };
        let Ok(site) = Site::of_target(&target) else { return Answer::Invalid };
        self.visit(site.as_octets());
        let Some(decider) = &self.last_decider else { return Answer::Unknown };
        // The dialect may cut paths in another way; the site is everybody's.
        let target = match self.dialect {
            Dialect::Rfc9309 => target,
            Dialect::Google => Target::as_google_cuts(url),
        };
        decider.answer(target.normal(self.dialect, &mut self.buffer), self.dialect, &mut self.scratch)
    }

    /// Makes `site` the last site.
    fn visit(&mut self, site: &[u8]) {
        if site != self.last_site {
            self.remember(site, self.store.find(site));
        }
    }

    /// Makes `site`, with this place in the store, the last site.
    #[inline]
    fn remember(&mut self, site: &[u8], id: Option<SiteId>) {
        self.last_decider = id.map(|id| self.store.decider(id, self.crawler));
        self.last_site.clear();
        // Google's library lets a path begin with `;`, even in a host's name: such a site is no prefix to go by.
        if self.dialect == Dialect::Rfc9309 || !site.contains(&b';') {
            self.last_site.extend_from_slice(site);
        }
    }
}
