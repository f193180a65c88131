//! Follows redirects among captures of lines and rows, which contain their redirect targets.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use robomata_evaluator::SiteResource;
use robomata_protocol::FetchStatus;

use super::{Bodies, Chains, Content, End, Ended, HasUrl, RedirectCounts, is_redirect, is_success};
use crate::capture::{Capture, CaptureSite, Origin};
use crate::error::{InputError, Kind, quoted};
use crate::file_name::FileName;
use crate::keys;
use crate::uri;

/// Opens a source again; none if it cannot be opened.
pub(crate) type Again<I> = Box<dyn Fn() -> Option<I> + Send>;

/// The captures of `rows`, with redirects followed.
pub(crate) struct Followed<I> {
    name: FileName,
    rows: I,
    /// Opens the source again; none if that is impossible.
    again: Option<Again<I>>,
    reading: Reading,
    /// The number of rows read.
    number: u64,
    /// The number of rows of the source, after the first reading.
    rows_in_all: u64,
    chains: Chains<Capture>,
    /// The bodies of targets; of all captures, if the source cannot be read again.
    bodies: Bodies,
    /// Redirects that take their body from the last reading, by row number.
    waiting: BTreeMap<u64, Vec<Ended<Capture>>>,
    ready: VecDeque<Result<Capture, InputError>>,
}

/// What a reading is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// All captures.
    First,
    /// The results of the targets of redirects.
    Targets,
    /// The bodies of targets.
    Bodies,
}

impl<I: Iterator<Item = Result<Capture, InputError>>> Followed<I> {
    /// Follows redirects in the `rows` of the file `name`. `again` opens it again.
    pub(crate) fn new(name: FileName, rows: I, again: Option<Again<I>>) -> Self {
        Followed {
            name,
            rows,
            again,
            reading: Reading::First,
            number: 0,
            rows_in_all: 0,
            chains: Chains::default(),
            bodies: Bodies::default(),
            waiting: BTreeMap::new(),
            ready: VecDeque::new(),
        }
    }

    /// The counts of redirects, after the last capture.
    pub(crate) fn redirects(&self) -> RedirectCounts {
        self.chains.counts()
    }

    fn add(&mut self, mut capture: Capture) {
        let (urls, end) = self.see(&capture);
        let number = self.number;
        // Most captures are no redirects, and those that wait have their target.
        capture.location = None;
        if let Err(kind) = keys::require_site(&capture.site) {
            if !self.is_target(urls) {
                let (file, line) = (capture.origin.file.clone(), capture.origin.line);
                let item = match capture.other_host {
                    Some(_) => capture.take_other_host(|_| kind).map(Ok),
                    None => Some(Err(InputError::new(file, line, kind))),
                };
                self.ready.extend(item);
            }
            return;
        }
        if capture.other_host.is_some() {
            let (CaptureSite::Host(site) | CaptureSite::Url(site)) = &capture.site;
            let url = quoted(site);
            let other = capture.take_other_host(|host| Kind::OtherHost { host: quoted(host), url });
            self.ready.extend(other.map(Ok));
        }
        if let (Some(FetchStatus::Code(300..=399)), End::Status(_)) = (capture.status, end)
            && !capture.body.is_empty()
        {
            self.chains.count_with_body();
        }
        self.chains.precede(urls, number, capture.time);
        match (capture.status, end) {
            (Some(status), End::Redirect(target)) => {
                capture.body = Arc::default();
                let time = capture.time;
                let ended = self.chains.begin(urls, number, time, (status, target), capture);
                self.deliver(ended, &Ok(Arc::default()));
            }
            _ => self.ready.push_back(Ok(capture)),
        }
    }

    /// Remembers `capture` as a possible target. Returns its URLs and its result.
    fn see(&mut self, capture: &Capture) -> ([Option<u64>; 2], End) {
        let (url, other) = urls(&capture.site);
        let requested = self.chains.url(&uri::key(&url));
        let other = other.map(|url| self.chains.url(&uri::key(&url)));
        let status = capture.status.unwrap_or(FetchStatus::Success);
        let end = match location(capture).and_then(|location| uri::target(&url, location)) {
            Some(target) => End::Redirect(self.chains.url(&target)),
            None if is_success(status) || capture.unreadable.is_some() => End::Body(status),
            None => End::Status(status),
        };
        let urls = [Some(requested), other];
        let is_redirect = matches!(end, End::Redirect(_));
        // A host was requested by http. It is not known that its https site redirects.
        for url in urls.into_iter().take(if is_redirect { 1 } else { 2 }).flatten() {
            self.chains.saw(url, self.number, capture.time, end);
        }
        if matches!(end, End::Body(_)) && (self.again.is_none() || self.is_target(urls)) {
            self.bodies.keep(self.number, &capture.content());
        }
        (urls, end)
    }

    fn is_target(&self, urls: [Option<u64>; 2]) -> bool {
        urls.into_iter().flatten().any(|url| self.chains.is_target(url))
    }

    fn deliver(&mut self, ended: impl IntoIterator<Item = Ended<Capture>>, content: &Content) {
        self.ready.extend(ended.into_iter().map(|ended| Ok(ended_so(ended, content))));
    }

    /// Begins the next reading that is needed, or ends the source.
    fn end_reading(&mut self) {
        match self.reading {
            Reading::First => self.rows_in_all = self.number,
            Reading::Targets if self.number != self.rows_in_all => self.chains.misread(),
            Reading::Targets => {}
            Reading::Bodies => return self.end(),
        }
        if self.again.is_some() && self.chains.read_again() {
            if self.begin(Reading::Targets) {
                return;
            }
            self.chains.misread();
        }
        let finished = self.chains.finish();
        self.deliver(finished.ended, &Ok(Arc::default()));
        for (number, ended) in finished.bodies {
            match self.bodies.get(number) {
                Some(content) => self.deliver(ended, &content),
                None => drop(self.waiting.insert(number, ended)),
            }
        }
        if self.waiting.is_empty() || !self.begin(Reading::Bodies) {
            self.end();
        }
    }

    fn begin(&mut self, reading: Reading) -> bool {
        let Some(rows) = self.again.as_ref().and_then(|again| again()) else { return false };
        (self.rows, self.number, self.reading) = (rows, 0, reading);
        true
    }

    /// Ends the source. The redirects whose body was not read stay redirects.
    fn end(&mut self) {
        self.reading = Reading::Bodies;
        for ended in std::mem::take(&mut self.waiting).into_values().flatten() {
            let ended = self.chains.lose(ended);
            self.deliver([ended], &Ok(Arc::default()));
        }
        self.ready.extend(self.chains.lost_targets(&self.name).map(Err));
    }
}

impl<I: Iterator<Item = Result<Capture, InputError>>> Iterator for Followed<I> {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            if self.reading == Reading::Bodies && self.waiting.is_empty() {
                self.ready.extend(self.chains.lost_targets(&self.name).map(Err));
                return self.ready.pop_front();
            }
            let Some(row) = self.rows.next() else {
                self.end_reading();
                continue;
            };
            let row = row.map(with_target);
            self.number += 1;
            match (row, self.reading) {
                (Ok(capture), Reading::First) => self.add(capture),
                (Ok(capture), Reading::Targets) => drop(self.see(&capture)),
                (Ok(capture), Reading::Bodies) => {
                    if let Some(ended) = self.waiting.remove(&self.number) {
                        self.deliver(ended, &capture.content());
                    }
                }
                (Err(error), Reading::First) => return Some(Err(error)),
                // This error was already returned in the first reading.
                (Err(_), _) => {}
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
            let root = SiteResource::of_url(url.as_bytes()) == Some(SiteResource::Root);
            let robots = if root { uri::target(url.as_bytes(), b"/robots.txt") } else { None };
            (robots.unwrap_or_else(|| url.clone().into_bytes()), None)
        }
    }
}

/// The capture, which is a failed fetch if it is a redirect that cannot be followed (F6).
fn with_target(capture: Capture) -> Capture {
    let Some(location) = location(&capture) else { return capture };
    if uri::target(&urls(&capture.site).0, location).is_some() {
        return capture;
    }
    let found = quoted(&String::from_utf8_lossy(location));
    let Capture { site, resource, origin, time, .. } = capture;
    let Origin { file, line } = origin.clone();
    let kind = Kind::Value { key: "location", expected: "a URL of http or https", found };
    Capture { time, ..Capture::failed(site, resource, origin, &InputError::new(file, line, kind)) }
}

/// The Location of a capture, if it is a redirect.
fn location(capture: &Capture) -> Option<&[u8]> {
    let is_redirect = matches!(capture.status, Some(FetchStatus::Code(code)) if is_redirect(code));
    capture.location.as_ref().filter(|_| is_redirect).map(String::as_bytes)
}

fn robots_of_host(scheme: &str, host: &str) -> String {
    format!("{scheme}://{}/robots.txt", host.trim_ascii())
}

/// The capture of a chain that ended with `content`. If it applies to one of the two sites of a host, it is a capture of
/// that site's URL.
fn ended_so(ended: Ended<Capture>, content: &Content) -> Capture {
    let Ended { value: capture, status, redirects, applies, .. } = ended;
    let site = match (capture.site, applies) {
        (CaptureSite::Host(host), [true, false]) => CaptureSite::Url(robots_of_host("http", &host)),
        (CaptureSite::Host(host), [false, true]) => CaptureSite::Url(robots_of_host("https", &host)),
        (site, _) => site,
    };
    Capture { site, status: Some(status), redirects, ..capture }.with_content(content)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::chains::Limits;
    use crate::json;

    /// The bodies or statuses of captures from JSON `lines`, in order, and how the source ends. Two redirects may wait,
    /// with URLs of so many `bytes`.
    fn follow(lines: &[String], bytes: usize) -> (Vec<String>, Option<InputError>) {
        let origin = Origin { file: FileName::new("a.jsonl"), line: Some(1) };
        let rows: Vec<_> =
            lines.iter().map(|line| Ok(json::capture(line.as_bytes(), &origin).unwrap())).collect();
        let mut followed = Followed::new(origin.file.clone(), rows.into_iter(), None);
        followed.chains = Chains::new(Limits { waiting: 2, bytes, captures: 100, evicted: 2 });
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
        for (first, last) in [(Some(ok("t")), None), (None, Some(ok("t")))] {
            let redirects = others.iter().cloned().chain([moved("victim", "t")]);
            let lines: Vec<String> = first.into_iter().chain(redirects).chain(last).collect();
            let (found, error) = follow(&lines, 1000);
            assert!(found.contains(&"Code(301)".to_owned()), "{found:?}");
            let error = error.expect("a lost target");
            assert!(error.is_incomplete() && !error.ends_file(), "{error}");
            assert!(error.to_string().starts_with("a.jsonl: at least 1 redirect"), "{error}");
        }
        // Nothing is lost if the target is not in the source.
        let lines = [others[0].clone(), others[1].clone(), moved("victim", "t"), ok("x")];
        assert!(follow(&lines, 1000).1.is_none());
        // Beyond the limit, it is unknown whether a target comes later.
        let lines: Vec<String> = (0..5).map(|n| moved(&format!("s{n}"), &format!("t{n}"))).collect();
        assert!(follow(&lines, 1000).1.is_some_and(|error| error.is_incomplete()));
        assert!(follow(&lines[..4], 1000).1.is_none());
    }

    /// Follows redirects in JSON `lines`, of which so many captures are remembered. Returns the result, and the number of
    /// readings.
    fn follow_again(lines: &[String], captures: usize) -> (Vec<String>, u32) {
        let origin = Origin { file: FileName::new("a.jsonl"), line: Some(1) };
        let rows: Vec<Capture> =
            lines.iter().map(|line| json::capture(line.as_bytes(), &origin).unwrap()).collect();
        let open = move || rows.clone().into_iter().map(Ok::<_, InputError>);
        let readings = Arc::new(AtomicU32::new(1));
        let (first, counter) = (open(), Arc::clone(&readings));
        let again = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Some(open())
        };
        let mut followed = Followed::new(origin.file.clone(), first, Some(Box::new(again)));
        followed.chains = Chains::new(Limits { waiting: 9, bytes: 1000, captures, evicted: 2 });
        let describe = |item: Result<Capture, InputError>| match item {
            Ok(capture) if capture.body.is_empty() => format!("{:?}", capture.status.unwrap()),
            Ok(capture) => String::from_utf8_lossy(&capture.body).into_owned(),
            Err(error) => error.to_string(),
        };
        (followed.map(describe).collect(), readings.load(Ordering::Relaxed))
    }

    #[test]
    fn captures_of_targets_are_found_in_another_reading_if_there_are_too_many() {
        let others = (0..5).map(|number| ok(&format!("o{number}")));
        let lines: Vec<String> = others.chain([ok("t"), moved("b", "t"), moved("a", "b")]).collect();
        let all = ["o0", "o1", "o2", "o3", "o4", "t", "t", "t"];
        // One more for the body, which came before the redirect.
        assert_eq!(follow_again(&lines, 100), (all.map(str::to_owned).to_vec(), 2));
        assert_eq!(follow_again(&lines, 2), (all.map(str::to_owned).to_vec(), 2));
        let (found, readings) = follow_again(&lines, 1);
        assert_eq!((&found[6..8], readings), (&["Code(301)".to_owned(), "Code(301)".to_owned()][..], 2));
        assert!(found[8].starts_with("a.jsonl: at least 2 redirects lost their targets"), "{found:?}");
        // A body after the redirect is kept.
        let lines: Vec<String> = lines.into_iter().rev().collect();
        assert_eq!(follow_again(&lines, 100).1, 1);
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
