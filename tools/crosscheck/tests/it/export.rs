//! The export of the conformance cases, run as another project would: from the JSON file and the page's HTML alone.

use std::collections::BTreeMap;
use std::path::Path;

use robomata_crosscheck::permissions::{engine, reference};
use robomata_engine::protocol::{Circumstances, FetchStatus, Moment, PageHeader};
use robomata_engine::{Crawler, Dialect, ProductToken};
use robomata_pages as pages;
use robomata_testkit::permission_case::{Expectations, Outcome, Page, PermissionCase};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    format: String,
    version: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    title: String,
    #[serde(default)]
    note: String,
    crawler: Vec<String>,
    url: String,
    robots: String,
    robots_status: Option<u16>,
    tdmrep: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default)]
    page: String,
    now: Option<i64>,
    #[serde(default)]
    expect: BTreeMap<String, Value>,
    licenses: Option<Value>,
}

impl Case {
    fn question(&self) -> PermissionCase {
        let mut facts = pages::facts(self.page.as_bytes(), &[]);
        facts.headers = self
            .headers
            .iter()
            .map(|(name, value)| PageHeader { name: name.clone(), value: value.clone() })
            .collect();
        let tokens = self.crawler.iter().map(|token| ProductToken::new(token)).collect();
        let circumstances = Circumstances { now: self.now.map(Moment), ..Circumstances::default() };
        PermissionCase {
            id: self.id.clone(),
            section: String::new(),
            title: self.title.clone(),
            dialect: Dialect::Rfc9309,
            origin: "http://example.com".to_owned(),
            robots: self.robots.clone().into_bytes(),
            status: self.robots_status.map(FetchStatus::Code),
            referenced: Vec::new(),
            tdmrep: self.tdmrep.clone().map(String::into_bytes),
            page: Some(Page { facts, html: None }),
            crawler: Crawler::must(tokens),
            url: self.url.clone().into_bytes(),
            circumstances,
            expect: Expectations::default(),
            note: self.note.clone(),
        }
    }

    /// The answers in the form of the export; parts that the case does not name are left out.
    fn answered(&self, outcome: &Outcome) -> (BTreeMap<String, Value>, Option<Value>) {
        let mut answers = BTreeMap::new();
        for (usage, expected) in &self.expect {
            let answer = outcome.answers.iter().find(|answer| answer.usage.as_str() == usage);
            let Some(answer) = answer else { continue };
            let mut written =
                json!({ "answer": answer.permission.as_str(), "reason": answer.reason.as_str() });
            if let Some(source) = answer.source {
                written["source"] = json!({ "place": source.place.as_str(), "line": source.line });
                if expected.pointer("/source/vocabulary").is_some() {
                    written["source"]["vocabulary"] = json!(source.vocabulary.as_str());
                }
            }
            let mut qualifiers: Vec<_> = answer.qualifiers.iter().map(ToString::to_string).collect();
            qualifiers.sort();
            let lacks: Vec<_> = answer.lacks.iter().map(ToString::to_string).collect();
            for (name, values) in [("qualifiers", qualifiers), ("lacks", lacks)] {
                if !values.is_empty() {
                    written[name] = json!(values);
                }
            }
            answers.insert(usage.clone(), written);
        }
        let licenses = outcome.licenses.as_ref().map(|licenses| {
            let written = licenses.iter().map(|license| {
                let source = json!({ "place": license.place.as_str(), "line": license.line });
                let mut written = json!({ "url": license.url, "source": source });
                if let Some(media_type) = &license.media_type {
                    written["type"] = json!(media_type);
                }
                written
            });
            Value::Array(written.collect())
        });
        (answers, self.licenses.as_ref().and(licenses))
    }
}

#[test]
fn every_exported_case_is_answered_as_expected() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/conformance/export/vocabularies.json");
    let export: Export = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!((export.format.as_str(), export.version), ("robomata-vocabulary-cases", 1));
    let mut wrong = Vec::new();
    for case in &export.cases {
        let question = case.question();
        let expected = (case.expect.clone(), case.licenses.clone());
        for (name, outcome) in [("engine", engine(&question)), ("reference", reference(&question))] {
            let answered = case.answered(&outcome);
            if answered != expected {
                wrong.push(format!(
                    "{} by the {name}:\n  expected {expected:?}\n  got      {answered:?}",
                    case.id
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
