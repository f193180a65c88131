//! Today's fields of robots.txt, tdmrep.json, Memento, Clean-param (V1 to V8, V10, V11, T1 to T3, M1 to M5, R2).

use robomata_protocol::{Dialect, Place, Usage};

use super::{Ask, metas};
use crate::permissions::{announced_by, canonical, licenses, time_gates};

const DIALECTS: [Dialect; 3] = [Dialect::Rfc9309, Dialect::Google, Dialect::Acap];

/// V1 and V8.
#[test]
fn noindex() {
    let robots = "Noindex: /\nUser-agent: searchbot\nNoindex: /a\nDisallow: /x\nNoindex: /a*$\nNoindex: b\n\
                  User-agent: *\nNoindex: /c\nNoindex:\n";
    for dialect in DIALECTS {
        let summary =
            |url, crawler| Ask::new(robots).under(dialect).at(url).by(crawler).summary(Usage::Index);
        assert_eq!(summary("/%61", "searchbot"), "prohibited noindex:5");
        assert_eq!(summary("/c", "searchbot"), "unspecified silence");
        assert_eq!(summary("/c", "other"), "prohibited noindex:8");
        assert_eq!(summary("/a", "other"), "unspecified silence");
    }
}

/// V2.
#[test]
fn content_signal() {
    let robots = "User-agent: *\nContent-Signal: Search = YES , ai-train=no,ai-input=maybe, foo=yes\nAllow: /\n\
                  Content-Signal: search=no, ai-train\nContent-Signal: search=yes, ai-train=yes, use=full\n\
                  Content-Signal: use=reference, use=later\nContent-Signal: use=immediate, use=reference\n";
    let summary = |usage| Ask::new(robots).under(Dialect::Rfc9309).summary(usage);
    assert_eq!(summary(Usage::Search), "prohibited content-signal:4");
    assert_eq!(summary(Usage::AiTrain), "prohibited content-signal:2");
    assert_eq!(summary(Usage::AiInput), "unspecified silence");
    assert_eq!(summary(Usage::Preserve), "prohibited content-signal:7");
    assert_eq!(summary(Usage::Index), "unspecified silence");
}

/// V2.
#[test]
fn a_ceiling_prohibits_what_needs_more() {
    let robots = "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\n";
    let summary = |robots, usage| Ask::new(robots).under(Dialect::Rfc9309).summary(usage);
    assert_eq!(summary(robots, Usage::Search), "permitted content-signal:2");
    assert_eq!(summary(robots, Usage::Preserve), "prohibited content-signal:2");
    assert_eq!(summary(robots, Usage::PresentSnippet), "unspecified silence");
    let robots = "User-agent: *\nContent-Signal: ai-train=yes, search=yes\nContent-Signal: Use = Immediate\n";
    assert_eq!(summary(robots, Usage::AiTrainInSearch), "prohibited content-signal:3");
    assert_eq!(summary(robots, Usage::Search), "prohibited content-signal:3");
    assert_eq!(summary(robots, Usage::PresentOriginal), "unspecified silence");
    let robots = "User-agent: *\nContent-Signal: use=immediate, use=now, use=\n";
    assert_eq!(summary(robots, Usage::Index), "unspecified silence");
}

/// V10 and V11.
#[test]
fn rules_about_training_and_silent_records() {
    let robots = "TDM-Reservation: 1\nUser-agent: searchbot\nSchemamap: x\nDisallowAITraining: /\n\
                  AllowAITraining: /a\nDisallowAITraining: /a\nUser-agent: *\nAllowAITraining: /\n\
                  Disallow: /b\n";
    for dialect in [Dialect::Rfc9309, Dialect::Acap, Dialect::Yandex, Dialect::Koster1996] {
        let ask = |url| Ask::new(robots).under(dialect).at(url);
        assert_eq!(ask("/").summary(Usage::AiTrain), "prohibited ai-control:4");
        assert_eq!(ask("/a").summary(Usage::AiTrainImages), "permitted ai-control:5");
        assert_eq!(ask("/").summary(Usage::Tdm), "unspecified silence");
        assert_eq!(ask("/b").summary(Usage::Crawl), "prohibited robots:9");
    }
    // K1: a key that begins with `Disallow` is Disallow there.
    let google = Ask::new(robots).under(Dialect::Google).at("/c");
    assert_eq!(google.summary(Usage::Crawl), "prohibited robots:4");
    assert_eq!(google.summary(Usage::AiTrain), "unspecified silence");
}

/// T1 to T3.
#[test]
fn tdmrep_files() {
    let summary = |file: &str, url| {
        let mut ask = Ask::new("").at(url);
        ask.site.tdmrep = Some(file.as_bytes());
        ask.summary(Usage::Tdm)
    };
    let file = r#"[{"location": "/a*c$", "tdm-reservation": 0}, {"location": "/b", "tdm-reservation": 2},
        {"location": "/a", "tdm-reservation": 1, "tdm-policy": "https://p/"}, {"location": "/", "tdm-reservation": 1}]"#;
    assert_eq!(summary(file, "/abc"), "permitted tdmrep@tdmrep:1");
    assert_eq!(summary(file, "/%61"), "prohibited tdmrep@tdmrep:3 terms=https://p/");
    assert_eq!(summary(file, "/b"), "unspecified silence");
    assert_eq!(summary(file, "/c"), "prohibited tdmrep@tdmrep:4");
    assert_eq!(summary(&file[1..], "/a"), "unspecified silence");
}

/// T1 and T2.
#[test]
fn reservations_and_locations_of_tdmrep_files() {
    let summary = |location: &str, reservation: &str| {
        let file = format!("[{{\"location\": \"{location}\", \"tdm-reservation\": {reservation}}}]");
        let mut ask = Ask::new("").at("/a");
        ask.site.tdmrep = Some(file.as_bytes());
        ask.summary(Usage::Tdm)
    };
    for one in ["1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "100.0e-2"] {
        assert_eq!(summary("/", one), "prohibited tdmrep@tdmrep:1", "{one}");
    }
    for zero in ["0", "0.0", "-0", "0e9", "0.00E-5"] {
        assert_eq!(summary("*", zero), "permitted tdmrep@tdmrep:1", "{zero}");
    }
    for other in ["-1", "1.5", "10", "1e1", "0.1", "\"1\"", "true", "null"] {
        assert_eq!(summary("/", other), "unspecified silence", "{other}");
    }
    for location in ["a", "", " /a", "$", "%2Fa", "http://a.example/"] {
        assert_eq!(summary(location, "1"), "unspecified silence", "{location}");
    }
}

/// V3 and V4.
#[test]
fn content_usage() {
    let robots = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y, search=y\n\
                  Content-Usage: /open/ train-ai=n\nContent-Usage: /open/faulty/ train-ai=n,,\n\
                  Content-Usage: /word/ train-ai=\"n\"\nDisallow: /closed/\n";
    let summary = |url, usage| Ask::new(robots).under(Dialect::Rfc9309).at(url).summary(usage);
    assert_eq!(summary("/", Usage::AiTrain), "prohibited content-usage:2");
    assert_eq!(summary("/open/x", Usage::AiTrain), "prohibited content-usage:4");
    assert_eq!(summary("/open/faulty/", Usage::Search), "permitted content-usage:3");
    assert_eq!(summary("/word/", Usage::AiTrain), "unspecified silence");
    assert_eq!(summary("/closed/", Usage::AiTrain), "unspecified silence");
}

/// V3.
#[test]
fn search_overrides_inside_search_applications() {
    let robots = "User-agent: *\nContent-Usage: ai-use=n, train-ai=y, search=y\nContent-Usage: /a search=n\n\
                  Content-Usage: /a train-ai=y, ai-use=y\nContent-Usage: /b ai-use=n, search=?1\n";
    let summary = |url, usage| Ask::new(robots).under(Dialect::Rfc9309).at(url).summary(usage);
    assert_eq!(summary("/", Usage::AiInput), "prohibited content-usage:2");
    assert_eq!(summary("/", Usage::AiInputInSearch), "permitted content-usage:2");
    assert_eq!(summary("/a", Usage::AiTrain), "permitted content-usage:4");
    assert_eq!(summary("/a", Usage::AiTrainInSearch), "prohibited content-usage:3");
    assert_eq!(summary("/b", Usage::AiInputInSearch), "prohibited content-usage:5");
    assert_eq!(summary("/b", Usage::AiTrainInSearch), "unspecified silence");
}

/// R2.
#[test]
fn the_most_restrictive_vocabulary_holds() {
    let robots = "User-agent: *\nNoindex: /\nContent-Signal: search=yes, ai-train=no\n\
                  Content-Usage: search=n, train-ai=n\nACAP-crawler: *\nACAP-allow-index: /\n";
    let mut ask = Ask::new(robots);
    ask.page = metas(&[("robots", "noindex")]);
    assert_eq!(
        ask.summary(Usage::Index),
        "prohibited noindex:2 (most-restrictive acap:6) (most-restrictive robots-meta@meta:1)"
    );
    assert_eq!(ask.summary(Usage::Search), "prohibited content-usage:4 (most-restrictive content-signal:3)");
    assert_eq!(ask.summary(Usage::AiTrain), "prohibited content-signal:3 (most-restrictive content-usage:4)");
    let mut ask = Ask::new("ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2007-12-31\n");
    ask.page = metas(&[("robots", "unavailable_after: 2010-06-25T15:00:00Z")]);
    assert_eq!(
        ask.summary(Usage::Index),
        "permitted acap:2 time-limit=until-2007-12-31 time-limit=until-@1277478000 ?now"
    );
    // An expired permission is a prohibition among the others.
    ask.circumstances.now = Some(robomata_protocol::Moment(1_200_000_000));
    assert_eq!(ask.summary(Usage::Index), "prohibited expired acap:2 (most-restrictive robots-meta@meta:1)");
}

/// V6.
#[test]
fn licences_belong_to_the_file() {
    let robots = "License: https://a.example/l.xml\nUser-agent: *\nlicense: /relative\nLicense: http://b.example/ x\n\
                  ACAP-crawler: *\nLICENSE: https://b.example/\n";
    let of = |ask: Ask<'_>| {
        let licenses = licenses(&ask.site, &ask.page).into_iter();
        licenses.map(|license| (license.url, license.place, license.line)).collect::<Vec<_>>()
    };
    let named = |url: &str, place, line| (url.to_owned(), place, line);
    assert_eq!(
        of(Ask::new(robots)),
        [
            named("https://a.example/l.xml", Place::RobotsTxt, 1),
            named("https://b.example/", Place::RobotsTxt, 6)
        ]
    );
    assert_eq!(of(Ask::new(robots).after(404)), []);
}

/// V7.
#[test]
fn clean_param() {
    let long = format!("Clean-param: z /{}\n", "x".repeat(500));
    let robots = format!(
        "Clean-param: ref&sid /forum/*show\nClean-param: utm\nClean-param: a b c\n{long}User-agent: *\nDisallow: /"
    );
    let canonical = |url: &str| {
        String::from_utf8(canonical(&Ask::new(&robots).under(Dialect::Rfc9309).site, url.as_bytes())).unwrap()
    };
    assert_eq!(
        canonical("http://a.example/forum/x/showthread?sid=1&id=2&ref=3#f"),
        "http://a.example/forum/x/showthread?id=2#f"
    );
    assert_eq!(canonical("/other?sid=1&UTM=2"), "/other?sid=1&UTM=2");
    assert_eq!(canonical("http://a.example?utm=1"), "http://a.example");
    assert_eq!(canonical("/?utm&utm=2#utm"), "/#utm");
    assert_eq!(canonical("/?a=?utm=1"), "/?a=?utm=1");
    assert_eq!(canonical("/x?"), "/x?");
    assert_eq!(canonical("no url?utm=1"), "no url?utm=1");
}

/// M1 to M4.
#[test]
fn time_gates_and_what_they_archive() {
    let robots = "Archived: /\nTimeGate: http://gate.example/tg/\nUser-agent: *\nArchived: /a\nDisallow: /x\nArchived: *\n\
                  TimeGate: /own/\nArchived: http://A.example:80/b\nTimeGate: ftp://no/\nArchived: *\n\
                  TimeGate: /any/\nArchived: http://*.example/c$\nArchived: http://a.exa*\nTime-gate: /x\n\
                  TimeGate: /exact/\nArchived: http://a.example\n";
    for dialect in DIALECTS {
        let summary = |url: &str| {
            let gates = time_gates(&Ask::new(robots).under(dialect).site, url.as_bytes());
            gates.into_iter().map(|(_, gate, archived)| (gate, archived)).collect::<Vec<_>>()
        };
        assert_eq!(summary("/a"), [(2, 4)]);
        assert_eq!(summary("/b"), [(2, 6)]);
        assert_eq!(summary("http://user@a.example/b"), [(2, 6), (7, 8), (11, 13), (15, 16)]);
        assert_eq!(summary("http://a.example"), [(2, 6), (11, 13), (15, 16)]);
        assert_eq!(summary("http://b.example/c"), [(2, 6), (11, 12)]);
        assert_eq!(summary("http://a.example.org/"), [(2, 6), (11, 13)]);
    }
    let mut ask = Ask::new(robots);
    ask.site.origin = Some(b"http://a.example/");
    let summary = |url: &[u8]| time_gates(&ask.site, url).into_iter().map(|gate| gate.1).collect::<Vec<_>>();
    assert_eq!(summary(b"/b"), [2, 7, 11, 15]);
    assert_eq!(summary(b"http://b.example/c"), [11]);
}

/// M5.
#[test]
fn mementos() {
    let robots =
        "User-agent: memento\nAllow: /web/\nAllow:\nDisallow: /web/private/\n\nUser-agent: *\nAllow: /\n";
    for dialect in DIALECTS {
        let is_announced =
            |robots, url: &str| announced_by(&Ask::new(robots).under(dialect).site, url.as_bytes()).is_some();
        assert!(is_announced(robots, "http://a.example/web/2010/x"));
        assert!(!is_announced(robots, "/web/private/x"));
        assert!(!is_announced(robots, "/x"));
        assert!(!is_announced("User-agent: *\nAllow: /\n", "/"));
        assert!(!is_announced("User-agent: memento\nAllow:\n", "/"));
    }
}
