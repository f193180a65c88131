//! Answers one question from every vocabulary (A14 to A21, P7, P9, R1 to R3).

use robomata_protocol::{
    Access, Answer, Circumstances, ConflictRule, Crawler, Dialect, FetchOutcome, FetchStatus, MissingFact,
    PageFacts, Part, Permission, PermissionAnswer, PermissionReason, Place, Qualifier, Reason, Source, Usage,
    Verdict,
};

use super::locator::{self, Comparison, Location};
use super::reading::Reading;
use super::statement::Statement;
use super::time::Limit;
use super::voice::{Decision, Voice};
use super::{Site, content, ladder, page, qualifiers, robots_meta, scope, signal, tdm, time, voice};
use crate::groups::{self, Name};
use crate::normal::Symbol;
use crate::target;

/// A19: the most resources of the same site that are checked for an answer.
const MOST_TARGETS: u32 = 8;

/// A question, with the known facts.
struct Question<'q> {
    reading: &'q Reading,
    page: &'q PageFacts,
    circumstances: &'q Circumstances,
    /// The crawler's names in robots META tags and headers (P1).
    tokens: Vec<Name>,
    /// Its name in the page's ACAP tags (P1, A5).
    own_in_acap: Option<Name>,
    operators: robots_meta::Operators,
    /// Path and query, in the dialect's form for comparison.
    target: Vec<Symbol>,
    /// Path and query in normal form N1, in which today's vocabularies compare in every dialect.
    plain: Vec<Symbol>,
    location: Location,
}

/// One answer per usage, or `None` for a text that is not a URL.
pub(crate) fn answers(
    reading: &Reading,
    origin: Option<&[u8]>,
    page: &PageFacts,
    crawler: &Crawler,
    url: &[u8],
    circumstances: &Circumstances,
) -> Option<Vec<PermissionAnswer>> {
    let page = &page::with_one_name_each(page);
    let question = Question {
        reading,
        page,
        circumstances,
        tokens: groups::tokens(crawler),
        own_in_acap: page::acap_name_on(page, crawler),
        operators: robots_meta::Operators::of(crawler),
        target: target::of(url, reading.dialect)?,
        plain: locator::normal_path(url),
        location: Location::new(url, origin),
    };
    Some(Usage::ALL.into_iter().map(|usage| question.answer(usage)).collect())
}

impl Question<'_> {
    fn answer(&self, usage: Usage) -> PermissionAnswer {
        let mut answer = match usage {
            Usage::Crawl => return self.crawl(),
            _ => self.of_all(usage),
        };
        self.add_missing(&mut answer);
        answer
    }

    /// The answer for crawl (A21, R3).
    fn crawl(&self) -> PermissionAnswer {
        let outcome = self.reading.outcome;
        if outcome != FetchOutcome::Redirected && is_robots_txt(&self.target, self.reading.dialect) {
            let mut answer = PermissionAnswer::unspecified(Usage::Crawl);
            answer.permission = Permission::Permitted;
            answer.reason = PermissionReason::RobotsTxt;
            return answer;
        }
        let mut answer = self.of_all(Usage::Crawl);
        // R3: the statements of a page hold. Without any, the end of the fetch is the reason.
        if answer.permission == Permission::Unspecified && outcome != FetchOutcome::Success {
            answer.reason = PermissionReason::Fetch;
            if matches!(outcome, FetchOutcome::Deferred | FetchOutcome::Redirected) {
                answer.permission = Permission::Deferred;
            }
        }
        self.add_missing(&mut answer);
        answer
    }

    /// A7: any answer may depend on a file that was not supplied.
    fn add_missing(&self, answer: &mut PermissionAnswer) {
        let mut lacks = std::mem::take(&mut answer.lacks);
        lacks.extend(self.reading.missing.iter().cloned().map(MissingFact::Referenced));
        answer.lacks = voice::sorted_lacks(lacks);
    }

    /// R1 and R2.
    fn of_all(&self, usage: Usage) -> PermissionAnswer {
        let statements = self.statements();
        let (explicit, others): (Vec<_>, Vec<_>) = statements
            .into_iter()
            .filter(|statement| statement.is_explicit(usage) || statement.usage == Usage::Other)
            .partition(|statement| statement.is_explicit(usage));
        let others_sources = ladder::sources(&others);
        let is_fallback = self.circumstances.part == Part::Page && self.reading.dialect == Dialect::Acap;
        let mut voices = self.by_fetch(usage);
        let explicit = match usage {
            Usage::Crawl => self.with_conventional(explicit),
            _ => Spoken::Statements(explicit),
        };
        voices.push(match explicit {
            Spoken::Statements(explicit) => self.decided(usage, explicit),
            Spoken::Conventional(voice) => voice,
        });
        voices.extend(self.other_vocabularies(usage));
        if is_fallback && let Some(fallback) = self.element_fallback(usage, &voices, &others_sources) {
            voices[self.acap_index(usage)] = fallback;
            return voice::answer(usage, voices);
        }
        if voices.iter().any(|voice| voice.decision.is_some()) {
            // A14, step 1, and R2: `other` counts only if nothing is said about the usage.
            let mut overruled = Voice::SILENT;
            overruled.overrule(others_sources, ConflictRule::ExplicitOverOther);
            voices.push(overruled);
        } else {
            voices.push(self.decided(usage, others));
        }
        voice::answer(usage, voices)
    }

    /// The index of ACAP's voice: after the voice of the fetch, if there is one.
    fn acap_index(&self, usage: Usage) -> usize {
        self.by_fetch(usage).len()
    }

    /// ACAP's statements to the crawler about the URL, in text order.
    fn statements(&self) -> Vec<Statement> {
        let purpose = self.circumstances.purpose.as_deref();
        let mut statements = self.reading.statements(&scope::target(&self.plain), purpose);
        if self.reading.dialect != Dialect::Acap {
            return statements;
        }
        let definitions = &self.reading.definitions;
        statements.extend(page::meta_statements(self.page, self.own_in_acap.as_ref(), purpose, definitions));
        statements.extend(page::element_statements(self.page, self.circumstances.part, definitions));
        statements
    }

    /// R3: an unreachable robots.txt prohibits crawl.
    fn by_fetch(&self, usage: Usage) -> Vec<Voice> {
        match self.reading.outcome {
            FetchOutcome::Unreachable | FetchOutcome::Restricted if usage == Usage::Crawl => {
                vec![Voice::of(Decision::prohibited(Vec::new(), PermissionReason::Fetch))]
            }
            _ => Vec::new(),
        }
    }

    /// A17: the conventional rules together with ACAP's fields about crawl, or alone.
    fn with_conventional(&self, explicit: Vec<Statement>) -> Spoken {
        if !explicit.is_empty() {
            let mut all = self.reading.conventional_statements(&self.target);
            all.extend(explicit);
            // In text order: the file's own lines, those of each referenced file, then a page's statements.
            let line = |statement: &Statement| statement.source.line;
            let in_text = |statement: &Statement| match statement.source.place {
                Place::RobotsTxt => (0, 0, line(statement)),
                Place::Referenced(_) => (1, self.reading.order_of(statement.source.place), line(statement)),
                _ => (2, 0, 0),
            };
            all.sort_by_key(in_text);
            return Spoken::Statements(all);
        }
        Spoken::Conventional(match self.reading.conventional_verdict(&self.target) {
            Some((Access::Allow, source)) => Voice::of(Decision::permitted(vec![source], Vec::new())),
            Some((Access::Disallow, source)) => {
                Voice::of(Decision::prohibited(vec![source], PermissionReason::Explicit))
            }
            None => Voice::SILENT,
        })
    }

    /// A14 and A15, then the conditions that turn the permission into a prohibition.
    fn decided(&self, usage: Usage, statements: Vec<Statement>) -> Voice {
        let voice = ladder::decide(usage, statements);
        self.examined(voice)
    }

    /// R1: every other vocabulary, in the order of `Vocabulary`.
    fn other_vocabularies(&self, usage: Usage) -> Vec<Voice> {
        // V1: a statement binds only the names directly above it.
        let fields = &self.reading.spoken.directly;
        // V4: "no preferences are implied for resources that are disallowed", by the file. A header is about what was
        // received.
        let is_of_usage = content::labels(usage).is_some();
        let is_crawlable = is_of_usage && self.crawl().permission != Permission::Prohibited;
        let of_crawlable = if is_crawlable { fields.as_slice() } else { &[] };
        let content_usage = content::content_usage(of_crawlable, self.page, &self.plain, usage);
        [
            content::noindex(fields, &self.plain, usage),
            content::ai_training(fields, &self.plain, usage),
            self.robots_meta(usage),
            signal::voice(fields, self.page, usage),
            content_usage,
            tdm::voice(&self.reading.tdmrep, self.page, &self.plain, usage),
        ]
        .into_iter()
        .map(|voice| self.examined(voice))
        .collect()
    }

    /// P10 to P12 and P16.
    fn robots_meta(&self, usage: Usage) -> Voice {
        robots_meta::voice(self.page, self.reading.dialect, &self.tokens, self.operators, usage)
    }

    /// P9: a crawler that does not work by element is prohibited every usage that an element names.
    fn element_fallback(&self, usage: Usage, voices: &[Voice], others: &[Source]) -> Option<Voice> {
        let elements = page::all_element_statements(self.page, &self.reading.definitions);
        let named: Vec<Source> = elements
            .iter()
            .filter(|statement| statement.is_explicit(usage))
            .map(|statement| statement.source)
            .collect();
        let acap = &voices[self.acap_index(usage)];
        let mut fallback = Voice::SILENT;
        let decided = acap.decision.iter().flat_map(|decision| decision.sources.iter().copied());
        let decided = decided.chain(acap.conflicts.iter().map(|conflict| conflict.loser));
        let by_other = ladder::sources(
            &elements
                .iter()
                .filter(|statement| !statement.is_explicit(usage) && statement.usage == Usage::Other)
                .cloned()
                .collect::<Vec<_>>(),
        );
        let mut sources = named;
        if sources.is_empty() {
            if by_other.is_empty() || self.is_said_on_page(usage) {
                return None;
            }
            sources = by_other;
            fallback.overrule(others.iter().copied(), ConflictRule::InnermostPlace);
        } else {
            fallback.overrule(others.iter().copied(), ConflictRule::ExplicitOverOther);
            fallback.overrule(by_other, ConflictRule::ExplicitOverOther);
        }
        fallback.overrule(decided, ConflictRule::InnermostPlace);
        fallback.decision = Some(Decision::prohibited(sources, PermissionReason::ElementFallback));
        Some(fallback)
    }

    /// P9: returns whether the page, or a header of it, says anything about the usage itself.
    fn is_said_on_page(&self, usage: Usage) -> bool {
        let by_acap =
            self.statements().iter().any(|statement| statement.is_of_page() && statement.is_explicit(usage));
        let others = [
            self.robots_meta(usage),
            signal::voice(&[], self.page, usage),
            content::content_usage(&[], self.page, &self.plain, usage),
            tdm::voice(&tdm::File::default(), self.page, &self.plain, usage),
        ];
        by_acap || others.iter().any(|voice| voice.decision.is_some())
    }

    /// A20, P7, A19, in this order: a permission whose qualifiers do not hold is a prohibition.
    fn examined(&self, mut voice: Voice) -> Voice {
        if let Some(decision) = voice.decision.take() {
            voice.decision = Some(self.examine(decision));
        }
        voice
    }

    fn examine(&self, mut decision: Decision) -> Decision {
        if decision.permission != Permission::Permitted {
            return decision;
        }
        let mut lacks = Vec::new();
        for examine in [Question::time_limit, Question::is_located] {
            for qualifier in &decision.qualifiers {
                match examine(self, qualifier) {
                    Ok(more) => lacks.extend(more),
                    Err(reason) => return Decision::prohibited(decision.sources, reason),
                }
            }
        }
        let mut checked = 0;
        for qualifier in &decision.qualifiers {
            match self.is_target_crawlable(qualifier, &mut checked) {
                Ok(more) => lacks.extend(more),
                Err(reason) => return Decision::prohibited(decision.sources, reason),
            }
        }
        decision.lacks = lacks;
        decision
    }

    /// A20.
    fn time_limit(&self, qualifier: &Qualifier) -> Result<Vec<MissingFact>, PermissionReason> {
        match qualifier {
            Qualifier::TimeLimit(limit) => match time::limit(*limit, self.circumstances) {
                Limit::Holds => Ok(Vec::new()),
                Limit::Expired => Err(PermissionReason::Expired),
                Limit::Lacks(lacks) => Ok(lacks),
            },
            _ => Ok(Vec::new()),
        }
    }

    /// P7.
    fn is_located(&self, qualifier: &Qualifier) -> Result<Vec<MissingFact>, PermissionReason> {
        match qualifier {
            Qualifier::Location(uri) => match self.location.compare(uri.as_bytes()) {
                Comparison::Same => Ok(Vec::new()),
                Comparison::Different => Err(PermissionReason::LocationMismatch),
                Comparison::Unknown => Ok(vec![MissingFact::PageUrl]),
            },
            _ => Ok(Vec::new()),
        }
    }

    /// A19. `checked` counts the resources of the same site that the answer has named so far.
    fn is_target_crawlable(
        &self,
        qualifier: &Qualifier,
        checked: &mut u32,
    ) -> Result<Vec<MissingFact>, PermissionReason> {
        let Some(uri) = qualifiers::target(qualifier) else {
            return Ok(Vec::new());
        };
        match self.location.resolve(uri.as_bytes()) {
            locator::Place::Elsewhere => Ok(vec![MissingFact::CrawlOf(uri.to_owned())]),
            locator::Place::Here(url) => {
                *checked += 1;
                if *checked > MOST_TARGETS {
                    return Ok(vec![MissingFact::CrawlOf(uri.to_owned())]);
                }
                match self.crawl_by_file(&url) {
                    Permission::Prohibited => Err(PermissionReason::TargetNotCrawlable),
                    _ => Ok(Vec::new()),
                }
            }
        }
    }

    /// The answer of the same robots.txt about crawl, for another URL of the site.
    fn crawl_by_file(&self, url: &[u8]) -> Permission {
        crawl(self.reading, url, self.circumstances)
            .map_or(Permission::Unspecified, |answer| answer.permission)
    }
}

/// The sources of the answer about crawl.
enum Spoken {
    /// ACAP's fields and conventional rules, or ACAP's alone.
    Statements(Vec<Statement>),
    /// Conventional rules alone.
    Conventional(Voice),
}

/// The answer of the robots.txt alone about crawl of `url`.
fn crawl(reading: &Reading, url: &[u8], circumstances: &Circumstances) -> Option<PermissionAnswer> {
    let question = Question {
        reading,
        page: &PageFacts::default(),
        circumstances,
        tokens: Vec::new(),
        own_in_acap: None,
        operators: robots_meta::Operators::NONE,
        target: target::of(url, reading.dialect)?,
        plain: locator::normal_path(url),
        location: Location::new(url, None),
    };
    Some(question.crawl())
}

/// A21 and U3.
pub(crate) fn is_robots_txt(target: &[Symbol], dialect: Dialect) -> bool {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex => target == b"/robots.txt".map(Symbol::Byte),
        Dialect::Google | Dialect::Koster1996 => false,
    }
}

/// Access under the dialect `acap`: the answer of the robots.txt about crawl (A14 to A21).
#[derive(Clone, Debug)]
pub(crate) struct CrawlJudge(Reading);

impl CrawlJudge {
    /// Reads `robots` for `crawler`, without referenced files.
    pub(crate) fn new(
        robots: &[u8],
        status: Option<FetchStatus>,
        crawler: &Crawler,
        limit: usize,
    ) -> CrawlJudge {
        let site = Site {
            robots,
            status,
            dialect: Dialect::Acap,
            referenced: &[],
            tdmrep: None,
            tdmrep_status: None,
            origin: None,
        };
        CrawlJudge(Reading::within(&site, crawler, limit))
    }

    /// The answer for `url`.
    pub(crate) fn judge(&self, url: &[u8]) -> Answer {
        let Some(answer) = crawl(&self.0, url, &Circumstances::default()) else {
            return Answer::Invalid;
        };
        let line = answer.source.map_or(0, |source| source.line);
        Answer::Verdict(match (answer.reason, answer.permission) {
            (PermissionReason::Fetch, _) => match self.0.outcome {
                FetchOutcome::Unreachable => Verdict::UNREACHABLE,
                FetchOutcome::Redirected => return Answer::Unknown,
                _ => Verdict::UNAVAILABLE,
            },
            (PermissionReason::RobotsTxt, _) => Verdict::ROBOTS_TXT,
            (PermissionReason::Silence, _) => Verdict::NO_RULE,
            (PermissionReason::Undeterminable, _) => {
                Verdict { access: Access::Disallow, line, reason: Reason::Undeterminable }
            }
            (_, Permission::Prohibited) => Verdict::by_rule(Access::Disallow, line),
            _ => Verdict::by_rule(Access::Allow, line),
        })
    }
}
