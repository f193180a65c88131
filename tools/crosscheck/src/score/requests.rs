//! Requests generated from a seed: crawler, target and time.

use std::collections::HashMap;
use std::fmt;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use fastrand::Rng;
use robomata_engine::{Crawler, Dialect, Moment};
use robomata_jobs::score::agents::families;

use super::history::{Capture, History, HostHistory};

/// Requests, and the crawlers that made them.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// The seed, which the log names.
    seed: u64,
    requests: Vec<Request>,
    crawlers: Vec<(String, Crawler)>,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The host, as in the captures.
    pub host: String,
    /// The port in the log.
    pub port: Option<u16>,
    /// Seconds since 1970.
    pub time: i64,
    /// Path and query.
    pub target: Vec<u8>,
    who: Who,
    /// UTC offset, in hours, of the clock that wrote the log.
    zone: i64,
}

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// The crawler with this number; its User-Agent has one of several forms.
    Crawler(usize, u8),
    Browser,
    Program,
    Nobody,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { host, port, time, target, .. } = self;
        write!(f, "{host} {port:?} {}, at {}", target.escape_ascii(), Moment::from_seconds(*time))
    }
}

const DAY: i64 = 86_400;

/// The material for requests.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The product tokens of crawlers.
    pub names: Vec<String>,
    /// Targets of real URLs.
    pub targets: Vec<Vec<u8>>,
}

impl Traffic {
    /// Generates `count` requests to the hosts of `history`; the same `seed` gives the same requests. Most targets are
    /// covered by the rules of some version, and most times are close to a change of the policy in force.
    pub fn generated(history: &History, sources: &Sources, seed: u64, count: usize) -> Self {
        let mut random = Rng::with_seed(seed);
        let hosts: Vec<(&str, Patterns<'_>)> =
            history.hosts().map(|(name, host)| (name, Patterns::of(host))).collect();
        let crawlers: Vec<(String, Crawler)> =
            sources.names.iter().map(|name| (name.clone(), families::crawler(name))).collect();
        let request = |random: &mut Rng| {
            let (name, patterns) = &hosts[random.usize(..hosts.len())];
            let who = match random.u8(..50) {
                0 => Who::Browser,
                1 => Who::Program,
                2 => Who::Nobody,
                _ => Who::Crawler(random.usize(..crawlers.len()), random.u8(..3)),
            };
            Request {
                host: if random.u8(..40) == 0 { format!("nowhere.{name}") } else { (*name).to_owned() },
                port: [None, None, None, None, None, Some(443), Some(80), Some(8443)][random.usize(..8)],
                time: time(&patterns.host.captures, random),
                target: target(patterns, &sources.targets, random),
                who,
                zone: [0, 0, 2, -7][random.usize(..4)],
            }
        };
        Traffic { seed, requests: (0..count).map(|_| request(&mut random)).collect(), crawlers }
    }

    /// The requests of crawlers.
    pub fn of_crawlers(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| matches!(request.who, Who::Crawler(..)))
    }

    /// The crawler that made `request`.
    pub fn crawler(&self, request: &Request) -> &Crawler {
        match request.who {
            Who::Crawler(number, _) => &self.crawlers[number].1,
            _ => unreachable!("only called for requests of crawlers"),
        }
    }

    /// The number of log lines, then of requests by crawlers, browsers, other programs and unidentified clients.
    pub fn visitors(&self) -> [u64; 5] {
        let of =
            |who: fn(Who) -> bool| self.requests.iter().filter(|request| who(request.who)).count() as u64;
        [
            HEAD.len() as u64 + self.requests.len() as u64,
            of(|who| matches!(who, Who::Crawler(..))),
            of(|who| who == Who::Browser),
            of(|who| who == Who::Program),
            of(|who| who == Who::Nobody),
        ]
    }

    /// Writes the requests as a log: Combined format after the virtual host.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        for line in HEAD {
            writeln!(out, "# {line} (seed {})", self.seed)?;
        }
        for request in &self.requests {
            let Request { host, port, time, target, who, zone } = request;
            let port = port.map_or_else(String::new, |port| format!(":{port}"));
            let (clock, agent) = (clock(*time, *zone), self.agent(*who));
            write!(out, "{host}{port} 192.0.2.1 - - [{clock}] \"GET ")?;
            for byte in target {
                match byte {
                    b'"' | b'\\' => write!(out, "\\{}", char::from(*byte))?,
                    b' '..=b'~' => out.write_all(&[*byte])?,
                    _ => write!(out, "\\x{byte:02x}")?,
                }
            }
            writeln!(out, " HTTP/1.1\" 200 0 \"-\" \"{agent}\"")?;
        }
        Ok(())
    }

    fn agent(&self, who: Who) -> String {
        match who {
            Who::Crawler(number, form) => {
                let name = &self.crawlers[number].0;
                match form {
                    0 => format!("{name}/1.0 (+https://generated.example/)"),
                    1 => format!("Mozilla/5.0 (compatible; {name}/2.1; +https://generated.example/bot)"),
                    _ => format!(
                        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {name}/1.2; \
                         +https://generated.example/) Chrome/116.0.1938.76 Safari/537.36"
                    ),
                }
            }
            Who::Browser => {
                "Mozilla/5.0 (X11; Linux x86_64; rv:1.0; generated) Gecko/1 Firefox/1.0".to_owned()
            }
            Who::Program => "generated/1.0".to_owned(),
            Who::Nobody => "-".to_owned(),
        }
    }
}

/// The first lines of a log.
const HEAD: [&str; 2] = [
    "Generated requests, not real traffic",
    "Crawler names are real, but the crawlers did not make these requests",
];

/// `17/May/2015:10:05:03 +0200`
fn clock(time: i64, zone: i64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let local = Moment::from_seconds(time + zone * 3600).to_string();
    let month: usize = local[5..7].parse().unwrap_or(1);
    let sign = if zone < 0 { '-' } else { '+' };
    let (year, day, clock) = (&local[..4], &local[8..10], &local[11..19]);
    format!("{day}/{}/{year}:{clock} {sign}{:02}00", MONTHS[month - 1], zone.abs())
}

/// How long a crawler may use a copy after the robots.txt changed: a day (RFC 9309, section 2.4), or seven (Koster's
/// draft, section 3.4; row F8).
const LIMITS: [i64; 2] = [DAY, 7 * DAY];

/// A random time near a boundary: at a capture, within the day after it, when a copy expires, between two captures,
/// long after the last, before the first.
fn time(captures: &[Capture], random: &mut Rng) -> i64 {
    let place = random.usize(..captures.len());
    let this = captures[place].time;
    let next = captures.get(place + 1).map_or(this + 400 * DAY, |next| next.time);
    let limit = LIMITS[random.usize(..LIMITS.len())];
    match random.u8(..18) {
        0 => this,
        1 => this - 1,
        2 => this + limit,
        3 | 16 | 17 => this + limit + random.i64(-2..=2),
        4..=6 => this + random.i64(0..DAY),
        7 => this + 30 * DAY + random.i64(-DAY..=DAY),
        8 => this + DAY / 2 + random.i64(-2..=2),
        9 => captures[0].time - random.i64(1..100 * DAY),
        _ => this + random.i64(0..(next - this).max(1)),
    }
}

/// The patterns in each distinct body of a host.
struct Patterns<'h> {
    host: &'h HostHistory,
    bodies: Vec<Vec<&'h [u8]>>,
}

impl<'h> Patterns<'h> {
    fn of(host: &'h HostHistory) -> Self {
        let mut bodies: Vec<&[u8]> = host.captures.iter().map(|capture| &*capture.body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let bodies = bodies.into_iter().map(values_of_rules).filter(|rules| !rules.is_empty()).collect();
        Patterns { host, bodies }
    }
}

/// The values of `allow:` and `disallow:` lines.
fn values_of_rules(body: &[u8]) -> Vec<&[u8]> {
    let is_rule = |key: &[u8]| key.eq_ignore_ascii_case(b"disallow") || key.eq_ignore_ascii_case(b"allow");
    let mut values = Vec::new();
    for line in body.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let value = line[colon + 1..].trim_ascii();
        if is_rule(line[..colon].trim_ascii()) && !value.is_empty() {
            values.push(value);
        }
    }
    values
}

fn target(patterns: &Patterns<'_>, real: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    const ROBOTS: [&[u8]; 5] =
        [b"/robots.txt", b"/robots.txt?1", b"/robots.tx%74", b"/robots.txt/", b"/a/../robots.txt"];
    let is_real = !real.is_empty() && random.u8(..8) == 0;
    let mut target = match random.u8(..32) {
        0 => ROBOTS[random.usize(..ROBOTS.len())].to_vec(),
        1 => b"/".to_vec(),
        _ if is_real => real[random.usize(..real.len())].clone(),
        _ if patterns.bodies.is_empty() => format!("/{}", random.u16(..)).into_bytes(),
        _ => {
            let rules = &patterns.bodies[random.usize(..patterns.bodies.len())];
            near(rules[random.usize(..rules.len())], random)
        }
    };
    if target.first() != Some(&b'/') {
        target.insert(0, b'/');
    }
    // White space at the end of a request target is not part of it.
    target.truncate(target.trim_ascii_end().len());
    target
}

/// A target that `pattern` matches, or nearly matches.
fn near(pattern: &[u8], random: &mut Rng) -> Vec<u8> {
    const FILLS: [&[u8]; 4] = [b"", b"x", b"/y/", b"%7Ez"];
    const ENDS: [&[u8]; 8] = [b"", b"", b"x", b"/", b"index.html", b"?q=1", b"#f", b"&a=b"];
    let is_anchored = pattern.ends_with(b"$");
    let mut target = Vec::new();
    for &byte in pattern.strip_suffix(b"$").unwrap_or(pattern) {
        match byte {
            b'*' => target.extend_from_slice(FILLS[random.usize(..FILLS.len())]),
            _ => target.push(byte),
        }
    }
    if !is_anchored || random.u8(..4) == 0 {
        target.extend_from_slice(ENDS[random.usize(..ENDS.len())]);
    }
    if random.u8(..8) == 0 {
        target.pop();
    }
    target
}

/// Returns whether a robots.txt could contain `name`, a name from a directory of crawlers.
fn is_name(name: &str) -> bool {
    name.len() > 3 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[derive(serde::Deserialize)]
struct Entry {
    pattern: String,
}

impl Sources {
    /// The same sources, restricted to the names that `dialect` supports in policies for everyone. google/robotstxt
    /// joins the groups of all names that it is given. Such a policy does not hold that, so crawlers with fallback
    /// names are unknown there.
    pub fn of(&self, dialect: Dialect) -> Self {
        let is_held =
            |name: &&String| dialect != Dialect::Google || families::crawler(name).tokens().len() == 1;
        let names = self.names.iter().filter(is_held).cloned().collect();
        Sources { names, targets: self.targets.clone() }
    }

    /// Reads the sources from `folder`. The names are crawlers of the directories in `folder`/agents: those that the
    /// robots.txt files of `history` name most often, and some that they do not name. The targets are those of the URLs
    /// in `folder`.
    ///
    /// # Errors
    /// If a file is missing or malformed.
    pub fn load(folder: &Path, history: &History, random: &mut Rng) -> Result<Self> {
        const URLS: usize = 20_000;
        let names = names(&folder.join("agents"), history, random)?;
        let mut targets = Vec::new();
        let path = crate::corpus::file(folder, "urls.tsv");
        for block in robomata_formats::lines::LineBlocks::open(&path)? {
            for line in block?.lines() {
                let url = line.rsplit(|&byte| byte == b'\t').next().unwrap_or_default();
                let rest = url.splitn(4, |&byte| byte == b'/').nth(3);
                targets.extend(rest.map(|rest| [b"/", rest].concat()));
            }
            if targets.len() >= URLS {
                break;
            }
        }
        Ok(Sources { names, targets })
    }
}

fn names(folder: &Path, history: &History, random: &mut Rng) -> Result<Vec<String>> {
    const NAMED: usize = 32;
    const OTHERS: usize = 8;
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).with_context(|| format!("reading {}", path.display()))
    };
    let entries: Vec<Entry> = serde_json::from_slice(&read("crawler-user-agents.json")?)?;
    let robots: HashMap<String, serde_json::Value> = serde_json::from_slice(&read("ai-robots-txt.json")?)?;
    let patterns = entries.into_iter().map(|entry| entry.pattern.trim_end_matches("\\/").to_owned());
    let mut names: Vec<String> = patterns.chain(robots.into_keys()).filter(|name| is_name(name)).collect();
    names.sort_by_key(|name| name.to_ascii_lowercase());
    names.dedup_by(|a, b| a.eq_ignore_ascii_case(b));

    let mut mentions: HashMap<String, usize> = HashMap::new();
    for line in history.hosts().filter_map(|(_, host)| host.captures.last()).flat_map(lines_of) {
        *mentions.entry(line).or_default() += 1;
    }
    let mention = |name: &String| mentions.get(&name.to_ascii_lowercase()).copied().unwrap_or(0);
    names.sort_by_key(|name| (std::cmp::Reverse(mention(name)), name.to_ascii_lowercase()));
    let mut others = names.split_off(NAMED.min(names.len()));
    random.shuffle(&mut others);
    names.extend(others.into_iter().take(OTHERS));
    Ok(names)
}

/// The values of `user-agent:` lines, in lower case.
fn lines_of(capture: &Capture) -> Vec<String> {
    let text = String::from_utf8_lossy(&capture.body).to_ascii_lowercase();
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("user-agent:"));
    names.map(|name| name.trim().to_owned()).collect()
}
