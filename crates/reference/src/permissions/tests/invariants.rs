//! Properties that hold for all files and pages. The texts are random combinations of the vocabularies' own words.

use robomata_protocol::{
    Answer, Circumstances, ConflictRule, Crawler, Dialect, Moment, PageFacts, Part, Permission, Usage,
};

use super::{element, headers, metas};
use crate::Reference;
use crate::permissions::{Site, announced_by, canonical, licenses, permissions, requests, time_gates};

const KEYS: [&str; 26] = [
    "User-agent: *",
    "User-agent: a",
    "Allow:",
    "Disallow:",
    "Noindex:",
    "Content-Signal: search=no,",
    "Content-Usage: /",
    "DisallowAITraining:",
    "Content-Signal: use=reference,",
    "Clean-param: a&b",
    "TimeGate:",
    "Archived:",
    "License: http://",
    "ACAP-crawler: *",
    "ACAP-crawler: a",
    "ACAP-usage-purpose:",
    "ACAP-permissions-reference:",
    "ACAP-request-re-crawl:",
    "ACAP-resource-set: s",
    "ACAP-qualified-usage: q index",
    "ACAP-composite-usage: c crawl (q)",
    "ACAP-allow-crawl:",
    "ACAP-disallow-crawl:",
    "ACAP-allow-(c):",
    "ACAP-allow-other:",
    "ACAP-ignore-conventional-records",
];

const WORDS: [&str; 26] = [
    "/",
    "/a",
    "*",
    "/*b",
    "$",
    "%41",
    "é",
    "\0",
    ",",
    "train-ai=n",
    "=",
    " ",
    "time-limit=1-days",
    "noindex",
    "unavailable_after:",
    "Fri, 25 Jun 2010 15:00:00 GMT",
    "max-snippet:5",
    "a:",
    "ACAP",
    "allow-index",
    "disallow-present",
    "version 1.2",
    "the-acap:resource-set:s",
    "must-use-resource=/b",
    "http://a:80",
    "the-acap:allow-other",
];

/// A linear congruential generator: the same texts on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn words(&mut self, most: usize) -> String {
        let count = self.below(most + 1);
        let pick = |random: &mut Random| WORDS[random.below(WORDS.len())];
        let separators = ["", " "];
        (0..count).map(|_| format!("{}{}", separators[self.below(2)], pick(self))).collect()
    }

    fn robots(&mut self) -> String {
        let count = self.below(24);
        let mut file = String::new();
        for _ in 0..count {
            let key = KEYS[self.below(KEYS.len())];
            let path = WORDS[self.below(6)];
            file.push_str(&format!("{key} {path}{}\n", self.words(2)));
        }
        file
    }

    fn page(&mut self) -> PageFacts {
        let (first, second) = (self.words(5), self.words(5));
        let mut page = metas(&[("robots", &first), ("a", &second)]);
        let (tag, list, usage) = (self.words(4), self.words(4), self.words(2));
        page.headers = headers(&[
            ("X-Robots-Tag", &tag),
            ("Robots-Tag", &list),
            ("Link", &list),
            ("Content-Usage", &usage),
        ])
        .headers;
        page.elements =
            vec![element(&self.words(2), 3, Some(1)), element("the-acap:disallow-index", 4, Some(0))];
        page
    }
}

#[test]
fn answers_are_complete_and_ordered_and_access_equals_crawl() {
    let mut random = Random(9309);
    let mut decided_by_acap = 0;
    for _ in 0..3000 {
        let (robots, other, page) = (random.robots(), random.robots(), random.page());
        let url = ["/", "/ab", "http://a/AB?a=1&c", "/b/a", "/robots.txt"][random.below(5)].as_bytes();
        let dialect = [Dialect::Acap, Dialect::Acap, Dialect::Rfc9309, Dialect::Google][random.below(4)];
        let crawler = Crawler::new(["a", "b", "x,a"][random.below(3)]);
        let circumstances = Circumstances {
            part: [Part::Page, Part::Rest, Part::Element(0)][random.below(3)],
            now: [None, Some(Moment(2_000_000_000))][random.below(2)],
            ..Circumstances::default()
        };
        let site = Site {
            robots: robots.as_bytes(),
            status: None,
            dialect,
            referenced: &[("/", other.as_bytes())],
            tdmrep: None,
            tdmrep_status: None,
            origin: None,
        };
        let answers = permissions(&site, &page, &crawler, url, &circumstances).unwrap();
        assert_eq!(answers.iter().map(|answer| answer.usage).collect::<Vec<_>>(), Usage::ALL);
        for answer in &answers {
            let is_permitted = answer.permission == Permission::Permitted;
            assert!(is_permitted || answer.qualifiers.is_empty(), "{robots}{answer:?}");
            assert!(
                answer.conflicts.is_sorted_by_key(|conflict| (conflict.rule, conflict.loser)),
                "{answer:?}"
            );
            assert!(
                answer.conflicts.iter().all(|conflict| Some(conflict.loser) != answer.source),
                "{answer:?}"
            );
            assert!(answer.lacks.is_sorted(), "{answer:?}");
            let spoke = answer.conflicts.iter().any(|conflict| conflict.rule < ConflictRule::NarrowestScope);
            assert!(answer.source.is_some() || !spoke, "{robots}{answer:?}");
        }
        let alone = Site { referenced: &[], ..site };
        let crawl =
            &permissions(&alone, &PageFacts::default(), &crawler, url, &Circumstances::default()).unwrap()[0];
        let access = Reference::new(robots.as_bytes(), None, &crawler, dialect).judge(url);
        let expected = if crawl.permission == Permission::Prohibited { "disallow" } else { "allow" };
        let line = crawl.source.map_or(0, |source| source.line);
        assert_eq!((access.as_str(), access.line()), (expected, line), "{dialect} {robots}");
        decided_by_acap +=
            usize::from(dialect == Dialect::Acap && matches!(access, Answer::Verdict(_)) && line > 0);
        // The other questions do not fail on any text either.
        let shortest = canonical(&site, url);
        assert!(shortest.len() <= url.len());
        assert!(time_gates(&site, url).is_sorted_by_key(|&(_, gate, _)| gate));
        assert!(licenses(&site, &PageFacts::default()).is_sorted_by_key(|license| license.line));
        assert!(requests(&site, &crawler, url).iter().all(|(action, _)| *action == "re-crawl"));
        let is_named = robots.contains("memento");
        assert!(is_named || announced_by(&site, url).is_none());
    }
    assert!(decided_by_acap > 100, "{decided_by_acap}");
}
