//! Follows redirects among captures of lines and rows, which contain their redirect targets.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use robomata_protocol::FetchStatus;

use super::{Chain, Chains, End, Ended, HasUrl, is_redirect};
use crate::capture::{Capture, CaptureSite};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::json;
use crate::uri;

/// The captures of `rows`, with redirects followed.
pub(crate) struct Followed<I> {
    name: FileName,
    rows: I,
    /// Opens the source a second time; none if that is impossible.
    again: Option<Box<dyn FnOnce() -> Option<I> + Send>>,
    /// The number of rows read.
    number: u64,
    chains: Chains<Capture>,
    /// Redirects that take their body from the second reading, by row number.
    earlier: BTreeMap<u64, Vec<Chain<Capture>>>,
    is_second: bool,
    ready: VecDeque<Result<Capture, InputError>>,
}

impl<I: Iterator<Item = Result<Capture, InputError>>> Followed<I> {
    /// Follows redirects in the `rows` of the file `name`. `again` opens it a second time.
    pub(crate) fn new(name: FileName, rows: I, again: Option<Box<dyn FnOnce() -> Option<I> + Send>>) -> Self {
        Followed {
            name,
            rows,
            again,
            number: 0,
            chains: Chains::default(),
            earlier: BTreeMap::new(),
            is_second: false,
            ready: VecDeque::new(),
        }
    }

    fn add(&mut self, mut capture: Capture) {
        let number = self.number;
        let (url, other) = urls(&capture.site);
        let requested = self.chains.url(&uri::key(&url));
        let other = other.map(|url| self.chains.url(&uri::key(&url)));
        let target_only = json::require_site(&capture.site);
        if target_only.is_ok() {
            self.chains.precede([Some(requested), other], number, capture.time);
        }
        // Most captures are no redirects, and those that wait have their target.
        let location = capture.location.take();
        if let (Some(FetchStatus::Code(code)), Some(location)) = (capture.status, location)
            && is_redirect(code)
        {
            let target = uri::join(&url, location.as_bytes()).map(|url| self.chains.url(&uri::key(&url)));
            let mut chains = self.chains.take(requested);
            self.chains.saw(requested, number, End::Redirect(target));
            match target_only {
                Ok(()) => {
                    let (time, status) = (capture.time, FetchStatus::Code(code));
                    capture.body = Arc::default();
                    chains.push(self.chains.begin([Some(requested), other], number, time, status, capture));
                }
                Err(kind) if chains.is_empty() => self.refuse(&capture, kind),
                Err(_) => {}
            }
            for chain in chains {
                let ended = self.chains.follow(chain, target);
                self.ready.extend(ended.into_iter().map(|ended| Ok(ended_so(ended, &Arc::default(), None))));
            }
            return;
        }
        let mut chains = self.chains.take(requested);
        let end = End::Status(capture.status.unwrap_or(FetchStatus::Success));
        if let Some(url) = other {
            chains.extend(self.chains.take(url));
            self.chains.saw(url, number, end);
        }
        let is_target = !chains.is_empty();
        self.deliver(chains, &capture);
        self.chains.saw(requested, number, end);
        match target_only {
            Ok(()) => self.ready.push_back(Ok(capture)),
            Err(kind) if !is_target => self.refuse(&capture, kind),
            Err(_) => {}
        }
    }

    fn refuse(&mut self, capture: &Capture, kind: Kind) {
        let error = InputError::new(capture.origin.file.clone(), capture.origin.line, kind);
        self.ready.push_back(Err(error));
    }

    /// Ends `chains` with the result of `end`.
    fn deliver(&mut self, chains: Vec<Chain<Capture>>, end: &Capture) {
        let status = end.status.unwrap_or(FetchStatus::Success);
        for chain in chains {
            let ended = self.chains.end(chain, status);
            self.ready.extend(ended.map(|ended| Ok(ended_so(ended, &end.body, end.unreadable.clone()))));
        }
    }

    /// Ends the rows. Returns true if they must be read a second time.
    fn finish(&mut self) -> bool {
        let left = self.chains.finish();
        self.ready.extend(left.ended.into_iter().map(|ended| Ok(ended_so(ended, &Arc::default(), None))));
        self.earlier = left.earlier;
        self.ready.extend(self.chains.lost_targets(&self.name).map(Err));
        let again = self.again.take().filter(|_| !self.earlier.is_empty());
        if let Some(rows) = again.and_then(|again| again()) {
            (self.rows, self.number, self.is_second) = (rows, 0, true);
        }
        self.is_second
    }

    /// Returns the redirects whose target did not appear in the second reading, as redirects.
    fn give_up(&mut self) {
        for chain in std::mem::take(&mut self.earlier).into_values().flatten() {
            let ended = self.chains.stay(chain);
            self.ready.extend(ended.map(|ended| Ok(ended_so(ended, &Arc::default(), None))));
        }
    }
}

impl<I: Iterator<Item = Result<Capture, InputError>>> Iterator for Followed<I> {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            if self.is_second && self.earlier.is_empty() {
                return None;
            }
            let row = self.rows.next();
            self.number += 1;
            match row {
                Some(Ok(capture)) if self.is_second => {
                    if let Some(chains) = self.earlier.remove(&self.number) {
                        self.deliver(chains, &capture);
                    }
                }
                Some(Ok(capture)) => self.add(capture),
                // This error was already returned in the first reading.
                Some(Err(_)) if self.is_second => {}
                Some(Err(error)) => return Some(Err(error)),
                None if !self.is_second && self.finish() => {}
                None if self.earlier.is_empty() && self.ready.is_empty() => return None,
                None => self.give_up(),
            }
        }
    }
}

impl HasUrl for Capture {
    fn url_length(&self) -> usize {
        let (CaptureSite::Host(text) | CaptureSite::Url(text)) = &self.site;
        text.len()
    }
}

/// The URL requested for a capture of `site`, and a second URL to which the result also applies.
fn urls(site: &CaptureSite) -> (Vec<u8>, Option<Vec<u8>>) {
    match site {
        CaptureSite::Host(host) => {
            let url = |scheme| robots_of_host(scheme, host).into_bytes();
            (url("http"), Some(url("https")))
        }
        CaptureSite::Url(url) => {
            let root = uri::place(url.as_bytes()) == Some(uri::Place::Root);
            let robots = if root { uri::join(url.as_bytes(), b"/robots.txt") } else { None };
            (robots.unwrap_or_else(|| url.clone().into_bytes()), None)
        }
    }
}

fn robots_of_host(scheme: &str, host: &str) -> String {
    format!("{scheme}://{}/robots.txt", host.trim_ascii())
}

/// The capture of a chain that ended with `body`, or with a result that is `unreadable`. If it applies to one of the two sites of a host, it is a capture of
/// that site's URL.
fn ended_so(ended: Ended<Capture>, body: &Arc<[u8]>, unreadable: Option<Box<str>>) -> Capture {
    let Ended { value: capture, status, applies } = ended;
    let site = match (capture.site, applies) {
        (CaptureSite::Host(host), [true, false]) => CaptureSite::Url(robots_of_host("http", &host)),
        (CaptureSite::Host(host), [false, true]) => CaptureSite::Url(robots_of_host("https", &host)),
        (site, _) => site,
    };
    Capture { site, status: Some(status), body: Arc::clone(body), unreadable, ..capture }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Origin;
    use crate::chains::Limits;

    /// The bodies or statuses of captures from JSON `lines`, in order, and how the source ends. Two redirects may wait,
    /// with URLs of so many `bytes`.
    fn follow(lines: &[String], bytes: usize) -> (Vec<String>, Option<InputError>) {
        let origin = Origin { file: FileName::new("a.jsonl"), line: Some(1) };
        let rows: Vec<_> =
            lines.iter().map(|line| Ok(json::capture(line.as_bytes(), &origin).unwrap())).collect();
        let mut followed = Followed::new(origin.file.clone(), rows.into_iter(), None);
        followed.chains = Chains::new(&Limits { waiting: 2, bytes, seen: 100, evicted: 2 });
        let (mut found, mut end) = (Vec::new(), None);
        for item in followed {
            match item {
                Ok(capture) if capture.location.is_some() => panic!("{capture:?}"),
                Ok(capture) if capture.body.is_empty() => {
                    found.push(format!("{:?}", capture.status.unwrap()));
                }
                Ok(capture) => found.push(String::from_utf8_lossy(&capture.body).into_owned()),
                Err(error) => assert!(end.replace(error).is_none()),
            }
        }
        (found, end)
    }

    fn moved(host: &str, target: &str) -> String {
        format!("{{\"url\":\"http://{host}/\",\"status\":301,\"location\":\"http://{target}/robots.txt\"}}")
    }

    fn ok(host: &str) -> String {
        format!("{{\"url\":\"http://{host}/\",\"body\":\"{host}\"}}")
    }

    #[test]
    fn a_source_is_incomplete_if_a_redirect_loses_a_target_in_it() {
        let others = ["a", "b"].map(|host| moved(host, "nowhere"));
        let [before, after] = [[ok("t"), moved("victim", "t")].to_vec(), [moved("victim", "t")].to_vec()];
        for (first, last) in [(before, None), (after, Some(ok("t")))] {
            let lines: Vec<String> = first.into_iter().chain(others.clone()).chain(last).collect();
            let (found, error) = follow(&lines, 1000);
            assert!(found.contains(&"Code(301)".to_owned()), "{found:?}");
            let error = error.expect("a lost target");
            assert!(error.is_incomplete() && !error.ends_file(), "{error}");
            assert!(error.to_string().starts_with("a.jsonl: at least 1 redirect"), "{error}");
        }
        // Nothing is lost if the target is not in the source.
        let lines = [moved("victim", "t"), others[0].clone(), others[1].clone(), ok("x")];
        assert!(follow(&lines, 1000).1.is_none());
        // Beyond the limit, it is unknown whether a target comes later.
        let lines: Vec<String> = (0..5).map(|n| moved(&format!("s{n}"), &format!("t{n}"))).collect();
        assert!(follow(&lines, 1000).1.is_some_and(|error| error.is_incomplete()));
        assert!(follow(&lines[..4], 1000).1.is_none());
    }

    #[test]
    fn long_urls_wait_within_their_limit_and_targets_are_dropped() {
        let not_a_redirect = r#"{"url":"http://c/","body":"c","location":"http://d/"}"#.to_owned();
        let lines = [moved("victim", "t"), moved(&"a".repeat(40), "t"), not_a_redirect, ok("t")];
        let (found, error) = follow(&lines, 50);
        assert_eq!(found, ["Code(301)", "c", "t", "t"]);
        assert!(error.is_some_and(|error| error.is_incomplete()));
        assert!(follow(&lines, 80).1.is_none());
    }
}
