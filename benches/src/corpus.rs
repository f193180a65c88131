//! The input of the measurements: robots.txt files, their sites, and URLs of those sites.
//!
//! A definition names a corpus by a short text, which [`CorpusName`] parses. Only URLs whose site has exactly one body
//! are kept, because engines look up a policy by its site.
//!
//! All texts are stored contiguously in the order of the checks, so that fetching the next one costs every engine the
//! same, and little. They live until the program ends.

pub(crate) mod bare;
pub(crate) mod generated;
mod name;
mod questions;
mod real;
mod samples;

use std::collections::HashMap;

use anyhow::Result;
use robomata_engine::Site;

pub(crate) use name::{CorpusName, Places};
pub(crate) use questions::{Form, Order, Questions, split};

/// The crawlers with recorded Google verdicts, in the order of the file's letters.
pub(crate) const RECORDED_AGENTS: [&str; 3] = ["Googlebot", "GPTBot", "ExampleBot"];

/// The input of one benchmark.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The distinct bodies.
    pub(crate) bodies: Vec<&'static [u8]>,
    /// The sites in normal form, each with its body.
    pub(crate) sites: Vec<(&'static [u8], u32)>,
    /// The URLs, site after site.
    pub(crate) questions: Questions,
    /// By URL: the verdicts of Google's parser for each of [`RECORDED_AGENTS`].
    recorded: Vec<[u8; 3]>,
}

/// The output of the corpus readers.
#[derive(Debug, Default)]
struct Frontier {
    bodies: Vec<Vec<u8>>,
    /// Sites that have a policy, even if no URL is on them.
    sites: Vec<(Vec<u8>, u32)>,
    lines: Vec<Line>,
}

/// One URL.
#[derive(Debug)]
struct Line {
    body: u32,
    url: String,
    recorded: Option<[u8; 3]>,
}

impl Corpus {
    /// Reads or generates the corpus with that name.
    pub(crate) fn load(name: &CorpusName, places: &Places) -> Result<Self> {
        let (frontier, urls_a_site) = match name {
            CorpusName::Real { urls_a_site, bodies } => {
                (real::read(places.real()?, bodies.unwrap_or(usize::MAX))?, *urls_a_site)
            }
            CorpusName::Samples => (samples::read(&places.samples)?, None),
            CorpusName::Generated(profile) => (generated::frontier(profile)?, None),
        };
        Ok(Corpus::new(frontier, urls_a_site.unwrap_or(usize::MAX)))
    }

    fn new(frontier: Frontier, urls_a_site: usize) -> Self {
        let Frontier { bodies, sites, lines } = frontier;
        let mut groups = Groups::default();
        for (site, body) in sites {
            groups.add(site, body, None);
        }
        for (index, line) in lines.iter().enumerate() {
            // A site that no URL has, for example with a malformed host, is not a site of a store either.
            if let Ok(site) = Site::of_url(line.url.as_bytes()) {
                groups.add(site.as_bytes().to_vec(), line.body, Some(index));
            }
        }
        let (sites, order) = groups.finish(urls_a_site);
        let items = order.iter().map(|&line| (lines[line].url.as_str(), lines[line].body));
        let recorded: Option<Vec<_>> = order.iter().map(|&line| lines[line].recorded).collect();
        Corpus {
            questions: Questions::lay_out(items, (0..).take(order.len())),
            bodies: bodies.into_iter().map(|body| &*body.leak()).collect(),
            sites,
            recorded: recorded.unwrap_or_default(),
        }
    }

    /// A corpus of one file and URLs of its only site.
    pub(crate) fn of_one_site(body: Vec<u8>, urls: Vec<String>) -> Self {
        let line = |url| Line { body: 0, url, recorded: None };
        let lines = urls.into_iter().map(line).collect();
        Corpus::new(Frontier { bodies: vec![body], sites: Vec::new(), lines }, usize::MAX)
    }

    /// The verdicts of Google's parser, as letters in the order of the URLs, or `None` if nothing is recorded.
    pub(crate) fn recorded(&self, agent: &str) -> Option<Vec<u8>> {
        let column = RECORDED_AGENTS.iter().position(|&recorded| recorded == agent)?;
        let letters: Vec<u8> = self.recorded.iter().map(|letters| letters[column]).collect();
        (!letters.is_empty()).then_some(letters)
    }

    pub(crate) fn body_bytes(&self) -> usize {
        self.bodies.iter().map(|body| body.len()).sum()
    }
}

/// URLs by site, in the order in which the sites first occur.
#[derive(Debug, Default)]
struct Groups {
    number_of: HashMap<Vec<u8>, usize>,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    body: u32,
    lines: Vec<usize>,
    has_one_body: bool,
}

impl Groups {
    fn add(&mut self, site: Vec<u8>, body: u32, line: Option<usize>) {
        let groups = &mut self.groups;
        let number = *self.number_of.entry(site).or_insert_with(|| {
            groups.push(Group { body, lines: Vec::new(), has_one_body: true });
            groups.len() - 1
        });
        let group = &mut groups[number];
        group.has_one_body &= group.body == body;
        group.lines.extend(line);
    }

    /// Returns the sites that have exactly one body, and the first `urls_a_site` lines of each.
    fn finish(self, urls_a_site: usize) -> (Vec<(&'static [u8], u32)>, Vec<usize>) {
        let mut names = vec![Vec::new(); self.groups.len()];
        for (name, number) in self.number_of {
            names[number] = name;
        }
        let kept = || self.groups.iter().enumerate().filter(|(_, group)| group.has_one_body);
        let sites =
            kept().map(|(number, group)| (&*std::mem::take(&mut names[number]).leak(), group.body)).collect();
        let order = kept().flat_map(|(_, group)| group.lines.iter().take(urls_a_site).copied()).collect();
        (sites, order)
    }
}
