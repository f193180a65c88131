//! The same questions in every form that engines accept.

use robomata_engine::evaluator::TargetBuffer;
use robomata_engine::{Dialect, Target};

use crate::random::Random;

/// The form of question that an engine prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The URL as found.
    Url,
    /// Path and query as written, without the fragment, with a leading `/`.
    Path,
    /// Path and query in RFC 9309's normal form.
    Target,
}

/// The order in which URLs are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Site after site.
    Grouped,
    /// All sites shuffled, by a seed.
    Random,
}

/// URLs in the order of their checks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    urls: Vec<&'static str>,
    paths: Vec<&'static str>,
    targets: Vec<&'static str>,
    /// For each URL: the body to check it against.
    pub(crate) bodies: Vec<u32>,
    /// For each URL: its position in the corpus.
    pub(crate) places: Vec<u32>,
}

impl Questions {
    /// Copies the texts so that they are contiguous in this order.
    pub(super) fn lay_out<'u>(
        items: impl Iterator<Item = (&'u str, u32)> + Clone,
        places: impl Iterator<Item = u32>,
    ) -> Self {
        let urls = lay_out(items.clone().map(|(url, _)| url), |url, out| out.push_str(url));
        let mut buffer = TargetBuffer::default();
        Questions {
            paths: lay_out(urls.iter().copied(), push_path),
            targets: lay_out(urls.iter().copied(), |url, out| push_target(url, &mut buffer, out)),
            urls,
            bodies: items.map(|(_, body)| body).collect(),
            places: places.collect(),
        }
    }

    /// No URLs, only bodies that some URLs would be checked against.
    pub(super) fn of_bodies(bodies: Vec<u32>) -> Self {
        Questions { bodies, ..Questions::default() }
    }

    pub(crate) fn of(&self, form: Form) -> &[&'static str] {
        match form {
            Form::Url => &self.urls,
            Form::Path => &self.paths,
            Form::Target => &self.targets,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.urls.len()
    }

    /// The indices of the questions in this order.
    pub(crate) fn permutation(&self, order: Order) -> Vec<usize> {
        let mut permutation: Vec<usize> = (0..self.len()).collect();
        if order == Order::Random {
            Random::new(9309).shuffle(&mut permutation);
        }
        permutation
    }

    pub(crate) fn in_order(&self, order: Order) -> Self {
        if order == Order::Grouped {
            return self.clone();
        }
        let permutation = self.permutation(order);
        let items = permutation.iter().map(|&at| (self.urls[at], self.bodies[at]));
        Questions::lay_out(items, permutation.iter().map(|&at| self.places[at]))
    }

    /// The questions for which `is_wanted` is true, given their position in the corpus.
    pub(crate) fn select(&self, is_wanted: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.len()).filter(|&at| is_wanted(self.places[at] as usize)).collect();
        let texts = |all: &[&'static str]| kept.iter().map(|&at| all[at]).collect();
        let numbers = |all: &[u32]| kept.iter().map(|&at| all[at]).collect();
        Questions {
            urls: texts(&self.urls),
            paths: texts(&self.paths),
            targets: texts(&self.targets),
            bodies: numbers(&self.bodies),
            places: numbers(&self.places),
        }
    }
}

/// The offset of the path in an absolute URL: the end of the authority.
#[inline]
pub(crate) fn split(url: &str) -> usize {
    let bytes = url.as_bytes();
    let authority = match bytes {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => 8,
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => 7,
        _ => memchr::memmem::find(bytes, b"://").map_or(0, |at| at + 3),
    };
    memchr::memchr3(b'/', b'?', b'#', &bytes[authority..]).map_or(bytes.len(), |at| authority + at)
}

fn push_path(url: &str, out: &mut String) {
    let path = &url[split(url)..];
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    if !path.starts_with('/') {
        out.push('/');
    }
    out.push_str(path);
}

fn push_target(url: &str, buffer: &mut TargetBuffer, out: &mut String) {
    if let Some(target) = Target::new(url.as_bytes()) {
        let normal = target.normal(Dialect::Rfc9309, buffer);
        out.push_str(str::from_utf8(normal).expect("RFC 9309's normal form is ASCII"));
    }
}

/// Concatenates the output of `write` for every URL.
fn lay_out<'u>(
    urls: impl Iterator<Item = &'u str>,
    mut write: impl FnMut(&'u str, &mut String),
) -> Vec<&'static str> {
    let mut text = String::new();
    let ends: Vec<usize> = urls
        .map(|url| {
            write(url, &mut text);
            text.len()
        })
        .collect();
    let text: &'static str = text.leak();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, &end)| &text[start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_after_their_authority() {
        let cases = [
            ("https://a.example/x?y#z", "/x?y"),
            ("http://a.example", "/"),
            ("http://a.example?q/r", "/?q/r"),
            ("HTTP://a.example#/x", "/"),
        ];
        for (url, path) in cases {
            let questions = Questions::lay_out([(url, 0)].into_iter(), 0..1);
            assert_eq!(questions.of(Form::Path), [path]);
            assert_eq!(questions.of(Form::Target), [path]);
        }
    }

    #[test]
    fn a_random_order_is_always_the_same_and_knows_its_places() {
        let urls: Vec<String> = (0..50).map(|n| format!("https://a.example/{n}")).collect();
        let all = Questions::lay_out(urls.iter().map(|url| (url.as_str(), 7)), 0..50);
        let (one, other) = (all.in_order(Order::Random), all.in_order(Order::Random));
        assert_eq!(one.of(Form::Url), other.of(Form::Url));
        assert_ne!(one.of(Form::Url), all.of(Form::Url));
        for (url, &place) in one.of(Form::Url).iter().zip(&one.places) {
            assert_eq!(*url, urls[place as usize]);
        }
        assert_eq!(one.select(|place| place < 10).len(), 10);
    }
}
