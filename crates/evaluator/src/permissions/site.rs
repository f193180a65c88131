//! What one site states about the usages of its resources, for one crawler.

use std::collections::HashMap;

use robomata_automaton::{NormalForm, Scratch};
use robomata_permissions::{ConditionEffect, Matched, Statements};
use robomata_policy::acap::{Acap, Action, ReferencedFile};
use robomata_policy::{PageStatements, Policy, TdmRep};
use robomata_protocol::{
    Answer, Circumstances, Crawler, Dialect, MissingFact, PermissionAnswer, PermissionReason, Qualifier,
    Source, Usage,
};

use super::conditions::{self, Required};
use crate::site_policy::SitePolicy;
use crate::target::{Target, TargetBuffer};

/// A site's robots.txt, compiled for queries about all usages of one crawler, for one purpose or none.
///
/// It evaluates robots.txt and pages together: see [`SitePermissions::answers`]. For queries about one usage of many
/// sites' URLs, compile that usage into a store instead.
#[derive(Debug)]
pub struct SitePermissions {
    statements: Statements,
    /// The resources with requested actions, in folded normal form (A13).
    requests: Vec<(Vec<u8>, Action, Source)>,
    finder: Finder,
}

/// The most resources of the same site that are checked for one answer (A19). Each costs as much as a URL, and a
/// robots.txt can require thousands.
const MOST_TARGETS: usize = 8;

/// The resources that permissions of a URL require.
#[derive(Debug, Default)]
struct Targets {
    /// Whether crawl of each is prohibited, by URI.
    known: HashMap<String, bool>,
    /// The number of qualifiers of the current answer that named one.
    named: usize,
}

/// Finds the statements that match a URL.
#[derive(Debug)]
struct Finder {
    dialect: Dialect,
    /// Decides crawl when ACAP makes no statement.
    crawl: SitePolicy,
    scratch: Scratch,
    buffer: TargetBuffer,
}

impl SitePermissions {
    /// Compiles the statements of `policy`, of the files it refers to, and of the site's tdmrep.json, for `crawler`.
    pub fn new(
        policy: &Policy<'_>,
        referenced: &[ReferencedFile<'_>],
        tdmrep: Option<&TdmRep>,
        crawler: &Crawler,
        purpose: Option<&str>,
    ) -> Self {
        let statements = Statements::new(policy, referenced, tdmrep, crawler, purpose);
        let requests = statements.acap().map(|acap| requests(acap, crawler)).unwrap_or_default();
        let finder = Finder {
            dialect: policy.dialect(),
            crawl: SitePolicy::conventional(policy, crawler),
            scratch: Scratch::new(),
            buffer: TargetBuffer::default(),
        };
        SitePermissions { statements, requests, finder }
    }

    /// The answers for every usage of `url`, in the order of [`Usage::ALL`]; `None` when the text is not a URL in the
    /// dialect. The purpose is the one that was compiled; that of `circumstances` is ignored.
    pub fn answers(
        &mut self,
        url: &[u8],
        page: &PageStatements,
        circumstances: &Circumstances,
    ) -> Option<Vec<PermissionAnswer>> {
        self.answers_for(&Usage::ALL, url, page, circumstances)
    }

    /// The answer for one usage of `url`.
    pub fn answer_for(
        &mut self,
        usage: Usage,
        url: &[u8],
        page: &PageStatements,
        circumstances: &Circumstances,
    ) -> Option<PermissionAnswer> {
        self.answers_for(&[usage], url, page, circumstances)?.pop()
    }

    fn answers_for(
        &mut self,
        usages: &[Usage],
        url: &[u8],
        page: &PageStatements,
        circumstances: &Circumstances,
    ) -> Option<Vec<PermissionAnswer>> {
        let SitePermissions { statements, finder, .. } = self;
        let page = page.resolved(statements.acap());
        let matched = finder.find(statements, url, &page, circumstances)?;
        let mut targets = Targets::default();
        let mut answer = |usage, crawl| {
            targets.named = 0;
            let mut condition =
                |qualifier: &Qualifier| finder.condition(statements, qualifier, url, &mut targets);
            statements.answer(&matched, usage, crawl, &mut condition)
        };
        let crawl = answer(Usage::Crawl, None);
        let answers = usages.iter().map(|&usage| match usage {
            Usage::Crawl => crawl.clone(),
            usage => answer(usage, Some(crawl.permission)),
        });
        Some(answers.collect())
    }

    /// The actions that the site requests for `url`, and the sources of the requests (A13).
    pub fn requests(&self, url: &[u8]) -> Vec<(Action, Source)> {
        let Some(target) = Target::new(url) else { return Vec::new() };
        let mut buffer = TargetBuffer::default();
        let text = target.in_form(NormalForm::Folded, &mut buffer);
        let of_url = self.requests.iter().filter(|(path, ..)| path == text);
        of_url.map(|&(_, action, source)| (action, source)).collect()
    }
}

impl Finder {
    fn find<'q>(
        &mut self,
        statements: &Statements,
        url: &[u8],
        page: &'q PageStatements,
        circumstances: &'q Circumstances,
    ) -> Option<Matched<'q>> {
        let Finder { dialect, crawl, scratch, buffer } = self;
        let crawl = crawl.check(url);
        if crawl == Answer::Invalid {
            return None;
        }
        // If the dialect finds a path in any text, the other vocabularies use the same path.
        let target = Target::new(url).or_else(|| Target::read(url, *dialect))?;
        let target = target.in_form(NormalForm::Rfc9309, buffer);
        Some(statements.matched(target, crawl, page, circumstances, scratch))
    }

    /// The effect of a qualifier that depends on URLs.
    fn condition(
        &mut self,
        statements: &Statements,
        qualifier: &Qualifier,
        url: &[u8],
        targets: &mut Targets,
    ) -> ConditionEffect {
        if let Qualifier::Location(uri) = qualifier {
            return conditions::location(uri, url);
        }
        let uri = match conditions::required(qualifier, url) {
            Required::Inside => return ConditionEffect::Yes(Vec::new()),
            Required::Elsewhere(uri) => {
                return ConditionEffect::Yes(vec![MissingFact::CrawlOf(uri.to_owned())]);
            }
            Required::Here(uri) => uri,
        };
        targets.named += 1;
        if targets.named > MOST_TARGETS {
            return ConditionEffect::Yes(vec![MissingFact::CrawlOf(uri.to_owned())]);
        }
        let prohibits = match targets.known.get(uri) {
            Some(&prohibits) => prohibits,
            None => {
                let prohibits = self.prohibits_crawl(statements, &conditions::resolved(uri, url));
                *targets.known.entry(uri.to_owned()).or_insert(prohibits)
            }
        };
        if prohibits {
            ConditionEffect::No(PermissionReason::TargetNotCrawlable)
        } else {
            ConditionEffect::Yes(Vec::new())
        }
    }

    /// Whether crawl of `url`, of the same site, is prohibited. Its own page is not known.
    fn prohibits_crawl(&mut self, statements: &Statements, url: &[u8]) -> bool {
        let (page, circumstances) = (PageStatements::default(), Circumstances::default());
        let matched = self.find(statements, url, &page, &circumstances);
        matched.is_some_and(|matched| statements.prohibits_crawl(&matched))
    }
}

fn requests(acap: &Acap, crawler: &Crawler) -> Vec<(Vec<u8>, Action, Source)> {
    let mut buffer = TargetBuffer::default();
    let requests = acap.requests_for(crawler).into_iter().filter_map(|request| {
        let path = Target::new(request.path)?.in_form(NormalForm::Folded, &mut buffer).to_vec();
        Some((path, request.action, request.source))
    });
    requests.collect()
}
