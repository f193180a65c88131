//! A library, with the parts that it lacks to answer URLs of many sites: splitting URLs, and finding the site's policy.
//!
//! The site is the URL's own beginning, up to the path. It is first compared with the last URL's site, because URLs
//! mostly come grouped. Then it is looked up as written, in a hashbrown map with foldhash. Only if that fails is it
//! normalised and looked up again. This is the fastest method that the authors know, and the one that they would use
//! themselves.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::Result;
use hashbrown::HashMap;
use robomata_engine::evaluator::TargetBuffer;
use robomata_engine::{Dialect, Site, Target};

use super::{Asked, Engine, Library, NONE, letter};
use crate::corpus::{Corpus, Form, Questions, split};

/// A library with its compiled bodies.
pub(super) struct Prepared<L: Library> {
    library: L,
    /// By body; `None` for bodies without URLs and for bodies that the library refuses.
    ready: Vec<Option<L::Ready>>,
    refused: usize,
    sites: Sites,
    cut: Cut,
}

/// The look-up of sites.
#[derive(Default)]
struct Sites {
    body_of: HashMap<&'static [u8], u32, foldhash::fast::RandomState>,
    last: (&'static str, Option<u32>),
}

impl Sites {
    /// The body of the site that `url` begins with and that ends at `end`.
    #[inline]
    fn find(&mut self, url: &'static str, end: usize) -> Option<u32> {
        let written = &url[..end];
        if written != self.last.0 {
            let body = self.body_of.get(written.as_bytes()).copied();
            self.last = (written, body.or_else(|| self.find_odd(url)));
        }
        self.last.1
    }

    #[cold]
    fn find_odd(&self, url: &str) -> Option<u32> {
        let site = Site::of_url(url.as_bytes()).ok()?;
        self.body_of.get(site.as_bytes()).copied()
    }
}

/// Buffers for the parts of a URL, for libraries that do not split URLs themselves.
#[derive(Default)]
struct Cut {
    path: String,
    target: TargetBuffer,
}

impl Cut {
    /// Returns `url` in `form`; its path begins at `at`.
    #[inline]
    fn form<'c>(&'c mut self, url: &'c str, at: usize, form: Form) -> &'c str {
        match form {
            Form::Url => url,
            Form::Path => self.path(url, at),
            Form::Target => {
                let target = Target::new(url.as_bytes());
                let normal = target.as_ref().map(|target| target.normal(Dialect::Rfc9309, &mut self.target));
                normal.and_then(|normal| str::from_utf8(normal).ok()).unwrap_or("")
            }
        }
    }

    #[inline]
    fn path<'c>(&'c mut self, url: &'c str, at: usize) -> &'c str {
        let path = &url[at..];
        let path = &path[..memchr::memchr(b'#', path.as_bytes()).unwrap_or(path.len())];
        if path.starts_with('/') {
            return path;
        }
        self.path.clear();
        self.path.push('/');
        self.path.push_str(path);
        &self.path
    }
}

impl<L: Library + 'static> Prepared<L> {
    pub(super) fn boxed(library: L) -> Box<dyn Engine> {
        Box::new(Prepared {
            library,
            ready: Vec::new(),
            refused: 0,
            sites: Sites::default(),
            cut: Cut::default(),
        })
    }

    /// The answer for the URL's text, or `None` for a site without a policy here.
    #[inline]
    fn allows_url(&mut self, url: &'static str) -> Option<bool> {
        let end = split(url);
        let body = self.sites.find(url, end)?;
        let ready = self.ready[body as usize].as_mut()?;
        Some(self.library.allows(ready, self.cut.form(url, end, L::FORM)))
    }

    #[inline]
    fn allows_prepared(&mut self, body: u32, question: &str) -> Option<bool> {
        let ready = self.ready[body as usize].as_mut()?;
        Some(self.library.allows(ready, question))
    }
}

impl<L: Library + 'static> Engine for Prepared<L> {
    fn parse(&mut self, bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        let start = Instant::now();
        for body in bodies {
            self.library.parse(black_box(body));
        }
        Ok(L::PARSES.then(|| start.elapsed()))
    }

    fn compile(&mut self, bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        if !L::COMPILES {
            return Ok(None);
        }
        let start = Instant::now();
        for body in bodies {
            self.library.compile(black_box(body));
        }
        Ok(Some(start.elapsed()))
    }

    fn readable(&mut self, bodies: &[&'static [u8]]) -> Vec<bool> {
        bodies.iter().map(|body| catch(|| self.library.ready(body)).flatten().is_some()).collect()
    }

    fn prepare(&mut self, corpus: &Corpus) -> Result<()> {
        self.ready = corpus.bodies.iter().map(|_| None).collect();
        self.refused = 0;
        let mut is_tried = vec![false; corpus.bodies.len()];
        for &body in &corpus.questions.bodies {
            let body = body as usize;
            if !std::mem::replace(&mut is_tried[body], true) {
                let library = &mut self.library;
                self.ready[body] = catch(|| library.ready(corpus.bodies[body])).flatten();
                self.refused += usize::from(self.ready[body].is_none());
            }
        }
        self.sites = Sites { body_of: corpus.sites.iter().copied().collect(), last: ("", None) };
        Ok(())
    }

    fn refused(&self) -> usize {
        self.refused
    }

    fn ways(&self) -> &'static [Asked] {
        &[Asked::Url, Asked::Prepared]
    }

    fn letters(&mut self, asked: Asked, questions: &Questions) -> Result<Vec<u8>> {
        let answers: Vec<Option<bool>> = match asked {
            Asked::Url => {
                questions.of(Form::Url).iter().map(|url| catch(|| self.allows_url(url)).flatten()).collect()
            }
            Asked::Prepared => (questions.of(L::FORM).iter().zip(&questions.bodies))
                .map(|(question, &body)| catch(|| self.allows_prepared(body, question)).flatten())
                .collect(),
        };
        Ok(answers.into_iter().map(|answer| answer.map_or(NONE, letter)).collect())
    }

    fn check(&mut self, asked: Asked, questions: &Questions) -> Result<(Duration, usize)> {
        let mut allowed = 0;
        let start = Instant::now();
        match asked {
            Asked::Url => {
                for url in questions.of(Form::Url) {
                    allowed += usize::from(self.allows_url(black_box(url)) == Some(true));
                }
            }
            Asked::Prepared => {
                for (question, &body) in questions.of(L::FORM).iter().zip(&questions.bodies) {
                    allowed += usize::from(self.allows_prepared(body, black_box(question)) == Some(true));
                }
            }
        }
        Ok((start.elapsed(), allowed))
    }
}

/// The result of `run`, or `None` if it panics.
fn catch<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_found_as_written_and_in_other_spellings() {
        let mut sites =
            Sites { body_of: [(&b"https://a.example"[..], 3)].into_iter().collect(), last: ("", None) };
        let mut find = |url: &'static str| sites.find(url, split(url));
        assert_eq!(find("https://a.example/x"), Some(3));
        assert_eq!(find("https://a.example/y"), Some(3));
        assert_eq!(find("HTTPS://me@A.example.:443?y"), Some(3));
        assert_eq!(find("https://b.example/x"), None);
    }
}
