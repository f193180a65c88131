//! Real robots.txt files, real URLs and what Google's parser said about them.
//!
//! | file | a line |
//! |---|---|
//! | `robots.jsonl.zst` | a capture in JSON; bodies are told apart by their sha256 |
//! | `urls.tsv.zst` | host, sha256 of the body to judge by, URL |
//! | `google_verdicts.tsv.zst` | for the URL on the same line: `A` or `D` for each of [`Agent`], then the line that decided for Googlebot |
//!
//! All texts are put one behind the other in the order in which they are checked, so that fetching the next one costs
//! every engine the same, and little. They live until the program ends.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use robomata::evaluator::TargetBuffer;
use robomata::{Dialect, Site, Target};
use robomata_formats::capture::captures;
use robomata_formats::lines::{LineBlocks, column, trim_line_end};
use sha2::{Digest, Sha256};

/// The crawlers for which Google's verdicts are recorded, in the order of the file's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
pub(crate) enum Agent {
    Googlebot,
    #[value(name = "GPTBot")]
    GptBot,
    ExampleBot,
}

impl Agent {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Agent::Googlebot => "Googlebot",
            Agent::GptBot => "GPTBot",
            Agent::ExampleBot => "ExampleBot",
        }
    }
}

/// What Google's parser said about one URL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Google {
    pub(crate) allows: bool,
    /// The deciding line, 0 for none; it is recorded for Googlebot only.
    pub(crate) line: Option<u32>,
}

/// The URLs of one site that are judged by one body.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Index of the body.
    pub(crate) body: usize,
    /// Which URLs.
    pub(crate) urls: Range<usize>,
    /// Do all URLs of the site name this body? Only then can a store hold the site.
    pub(crate) one_body: bool,
}

/// The form in which an engine likes to be asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// The URL as found.
    Url,
    /// Path and query as written, cut by `robotstxt::get_path_params_query`: Google's way of doing it.
    Path,
    /// Path and query in RFC 9309's normal form.
    Target,
}

/// The same questions in every [`Form`].
#[derive(Debug, Default)]
pub(crate) struct Questions {
    urls: Vec<&'static str>,
    paths: Vec<&'static str>,
    targets: Vec<&'static str>,
}

impl Questions {
    pub(crate) fn of(&self, form: Form) -> &[&'static str] {
        match form {
            Form::Url => &self.urls,
            Form::Path => &self.paths,
            Form::Target => &self.targets,
        }
    }

    /// The questions at these places only.
    pub(crate) fn select(&self, places: &[usize]) -> Self {
        let select = |all: &[&'static str]| places.iter().map(|&place| all[place]).collect();
        Questions { urls: select(&self.urls), paths: select(&self.paths), targets: select(&self.targets) }
    }
}

/// Everything that is measured with.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The distinct bodies in the order of the file.
    pub(crate) bodies: Vec<&'static [u8]>,
    /// Sites in the order in which the file first names them; their URLs follow each other in `questions`.
    pub(crate) groups: Vec<Group>,
    pub(crate) questions: Questions,
    /// By URL.
    pub(crate) google: Vec<Google>,
}

/// Where the body of a sha256 stands among the bodies.
type Places = HashMap<[u8; 32], usize>;

/// One line of `urls.tsv.zst` with its verdict.
struct Line {
    body: usize,
    url: String,
    google: Google,
}

impl Corpus {
    /// Reads the files of `directory`; with `first_bodies` only so many bodies and their URLs.
    pub(crate) fn load(directory: &Path, agent: Agent, first_bodies: Option<usize>) -> Result<Self> {
        ensure!(directory.is_dir(), "{}: expected a directory with a corpus", directory.display());
        let (bodies, places) = bodies(&directory.join("robots.jsonl.zst"))?;
        let limit = first_bodies.unwrap_or(bodies.len()).min(bodies.len());
        let verdicts = verdicts(&directory.join("google_verdicts.tsv.zst"), agent)?;
        let lines = urls(&directory.join("urls.tsv.zst"), &places, &verdicts, limit)?;
        Ok(Corpus::new(bodies.into_iter().take(limit), &lines))
    }

    fn new(bodies: impl Iterator<Item = Vec<u8>>, lines: &[Line]) -> Self {
        let (groups, order) = group(lines);
        let ordered = || order.iter().map(|&line| lines[line].url.as_str());
        let mut buffer = TargetBuffer::default();
        Corpus {
            bodies: bodies.map(|body| &*body.leak()).collect(),
            groups,
            questions: Questions {
                urls: lay_out(ordered(), |url, out| out.push_str(url)),
                paths: lay_out(ordered(), |url, out| out.push_str(&robotstxt::get_path_params_query(url))),
                targets: lay_out(ordered(), |url, out| push_target(url, &mut buffer, out)),
            },
            google: order.iter().map(|&line| lines[line].google).collect(),
        }
    }

    pub(crate) fn body_octets(&self) -> usize {
        self.bodies.iter().map(|body| body.len()).sum()
    }
}

/// The distinct bodies in the order of the file.
fn bodies(path: &Path) -> Result<(Vec<Vec<u8>>, Places)> {
    let (mut bodies, mut places) = (Vec::new(), HashMap::new());
    for capture in captures(path) {
        let body = capture?.body;
        if let Entry::Vacant(entry) = places.entry(Sha256::digest(&body).into()) {
            entry.insert(bodies.len());
            bodies.push(body);
        }
    }
    Ok((bodies, places))
}

fn verdicts(path: &Path, agent: Agent) -> Result<Vec<Google>> {
    let mut verdicts = Vec::new();
    for_each_line(path, |line| {
        verdicts
            .push(verdict(line, agent).context("expected three letters A or D, a tab and a line number")?);
        Ok(())
    })?;
    Ok(verdicts)
}

fn verdict(line: &[u8], agent: Agent) -> Option<Google> {
    let [_, _, _] = column(line, 1)? else { return None };
    let allows = match line[agent as usize] {
        b'A' => true,
        b'D' => false,
        _ => return None,
    };
    let number = str::from_utf8(column(line, 2)?).ok()?.parse().ok()?;
    Some(Google { allows, line: (agent == Agent::Googlebot).then_some(number) })
}

/// The URLs that are judged by one of the first `limit` bodies.
fn urls(path: &Path, places: &Places, verdicts: &[Google], limit: usize) -> Result<Vec<Line>> {
    let (mut lines, mut verdicts) = (Vec::new(), verdicts.iter());
    for_each_line(path, |line| {
        let google = *verdicts.next().context("expected a verdict for every URL, found fewer")?;
        let body = column(line, 2).and_then(sha256).context("expected a sha256 in the second column")?;
        let body = *places.get(&body).context("expected the sha256 of a body, found an unknown one")?;
        let url = column(line, 3).context("expected a URL in the third column")?;
        let url = str::from_utf8(url).context("expected a URL in UTF-8")?.to_owned();
        ensure!(is_absolute(&url), "expected an absolute URL");
        if body < limit {
            lines.push(Line { body, url, google });
        }
        Ok(())
    })?;
    ensure!(verdicts.next().is_none(), "{}: expected a URL for every verdict, found fewer", path.display());
    Ok(lines)
}

fn is_absolute(url: &str) -> bool {
    Target::new(url.as_bytes()).is_some_and(|target| target.scheme.is_some())
}

fn sha256(hex: &[u8]) -> Option<[u8; 32]> {
    let mut octets = [0; 32];
    if hex.len() != 2 * octets.len() {
        return None;
    }
    for (octet, digits) in octets.iter_mut().zip(hex.chunks(2)) {
        *octet = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(octets)
}

fn for_each_line(path: &Path, mut use_line: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    for block in LineBlocks::open(path)? {
        for (number, line) in block?.numbered_lines() {
            use_line(trim_line_end(line)).with_context(|| format!("{}:{number}", path.display()))?;
        }
    }
    Ok(())
}

/// Groups lines by site and body; gives the groups, and the lines in their order.
fn group(lines: &[Line]) -> (Vec<Group>, Vec<usize>) {
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut group_of = HashMap::new();
    let mut bodies_of_site: HashMap<_, usize> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        // What is the site of no URL, for a malformed host say, is no site of a store either.
        let site = Site::of_url(line.url.as_bytes()).ok();
        let group = *group_of.entry((site.clone(), line.body)).or_insert_with(|| {
            *bodies_of_site.entry(site).or_default() += 1;
            members.push(Vec::new());
            members.len() - 1
        });
        members[group].push(index);
    }
    let mut groups = Vec::with_capacity(members.len());
    let mut order: Vec<usize> = Vec::with_capacity(lines.len());
    for group in members {
        let first = &lines[group[0]];
        let site = Site::of_url(first.url.as_bytes()).ok();
        let one_body = site.is_some() && bodies_of_site[&site] == 1;
        groups.push(Group { body: first.body, urls: order.len()..order.len() + group.len(), one_body });
        order.extend(group);
    }
    (groups, order)
}

/// Appends the normal form of the path and query of `url`.
fn push_target(url: &str, buffer: &mut TargetBuffer, out: &mut String) {
    if let Some(target) = Target::new(url.as_bytes()) {
        let normal = target.normal(Dialect::Rfc9309, buffer);
        out.push_str(str::from_utf8(normal).expect("RFC 9309's normal form is ASCII"));
    }
}

/// What `write` makes of every URL, one behind the other.
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
