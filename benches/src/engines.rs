//! The engines, one file each, as their own documentation recommends: compiled once a body, then asked.

mod fast_robots;
mod reference;
mod robomata;
mod robotstxt;
mod robotxt;
mod store;
mod texting_robots;

use ::robomata::{Access, Answer, Crawler, Dialect};

use crate::contender::{Contender, Prepared};
use crate::corpus::{Agent, Corpus, Form};

/// The row that ratios refer to.
pub(crate) const BASELINE: &str = "fast-robots, matcher";
/// The row that robomata's other rows under RFC 9309 must agree with.
pub(crate) const REFERENCE: &str = "robomata's reference";
/// robomata's rows under RFC 9309.
pub(crate) const RFC9309: [&str; 4] =
    ["robomata, program alone", "robomata, site, path", "robomata, site, URL", "robomata, store, URL"];
/// robomata's row that must say what Google's parser says.
pub(crate) const GOOGLE: &str = "robomata as `google`, site, URL";

/// What lies between the octets of a body and the first check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// Parsing, then compiling what was parsed.
    ParseAndCompile,
    /// One step for both; nothing can be parsed without a crawler.
    OneStep,
    /// Nothing at all: each check parses. What is timed as parsing is what each check does.
    ParseAtCheck,
    /// What another row of the same library does; only checks are timed.
    ElsewhereTimed,
}

/// What the report says of an engine, and how it is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// What comes before checks.
    pub(crate) steps: Steps,
    /// How it is asked.
    pub(crate) form: Form,
}

/// One way of asking one library.
pub(crate) trait Engine {
    /// One body, ready to be asked for one crawler.
    type Ready;

    /// What it is called, and how it is to be measured.
    fn row(&self) -> Row;

    /// Makes a body ready; none when the library reports an error.
    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready>;

    /// Parses a body and drops what that gives.
    fn parse(&mut self, _body: &'static [u8]) {}

    /// Makes a body ready and drops that.
    fn compile(&mut self, body: &'static [u8]) {
        std::hint::black_box(self.ready(body));
    }

    /// May the crawler fetch what `question`, in this engine's form, names?
    fn allows(&mut self, ready: &mut Self::Ready, question: &'static str) -> bool;
}

/// All engines in the order of the report.
pub(crate) fn all(corpus: &Corpus, agent: Agent) -> Vec<Box<dyn Contender>> {
    let name = agent.as_str();
    let crawler = Crawler::new(name);
    let [walk, path, url, store] = RFC9309;
    let compiled = Steps::ParseAndCompile;
    let path = Row { name: path, steps: compiled, form: Form::Path };
    let url = Row { name: url, steps: Steps::ElsewhereTimed, form: Form::Url };
    let google = Row { name: GOOGLE, steps: compiled, form: Form::Url };
    vec![
        Box::new(Prepared::new(robomata::Walk::new(walk, &crawler))),
        Box::new(Prepared::new(robomata::OneSite::new(path, &crawler, Dialect::Rfc9309))),
        Box::new(Prepared::new(robomata::OneSite::new(url, &crawler, Dialect::Rfc9309))),
        Box::new(store::InStore::new(store, corpus, &crawler)),
        Box::new(Prepared::new(robomata::OneSite::new(google, &crawler, Dialect::Google))),
        Box::new(Prepared::new(fast_robots::Matcher { agent: name })),
        Box::new(Prepared::new(fast_robots::Parsed { agent: name })),
        Box::new(Prepared::new(texting_robots::Robot { agent: name })),
        Box::new(Prepared::new(robotxt::Robots { agent: name })),
        Box::new(Prepared::new(robotstxt::GooglePort::new(name))),
        Box::new(Prepared::new(reference::Oracle::new(&crawler))),
    ]
}

/// What is neither allowed nor forbidden is not allowed.
fn is_allowed(answer: Answer) -> bool {
    matches!(answer, Answer::Verdict(verdict) if verdict.access == Access::Allow)
}
