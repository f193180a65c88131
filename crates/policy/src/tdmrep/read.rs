//! Reads a tdmrep.json.

use robomata_protocol::limits::DEFAULT_PARSING_LIMIT;
use robomata_protocol::{Place, Source, Vocabulary};
use serde_json::{Map, Value};

use super::{TdmProblem, TdmRep, TdmRule, TdmStatement};
use crate::extension::is_http_url;

impl TdmRep {
    /// Reads a tdmrep.json. It accepts any bytes; problems say nothing about usages.
    pub fn read(file: &[u8]) -> Self {
        let json = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let failed = |problem| TdmRep { rules: Vec::new(), problems: vec![problem] };
        if file.len() > DEFAULT_PARSING_LIMIT {
            return failed(TdmProblem::TooLong);
        }
        let values = match serde_json::from_slice(json) {
            Ok(Value::Array(values)) => values,
            Ok(_) => return failed(TdmProblem::NotAnArray),
            Err(error) => return failed(TdmProblem::NotJson(error.to_string())),
        };
        let mut read = TdmRep::default();
        for (number, value) in (1..).zip(&values) {
            match value.as_object().and_then(|members| rule(members, number, &mut read.problems)) {
                Some(rule) => read.rules.push(rule),
                None => read.problems.push(TdmProblem::VoidRule(number)),
            }
        }
        read
    }
}

fn rule(members: &Map<String, Value>, number: u32, problems: &mut Vec<TdmProblem>) -> Option<TdmRule> {
    let location = members.get("location")?.as_str()?.to_owned();
    let reserved = match members.get("tdm-reservation")?.as_f64() {
        Some(0.0) => Some(false),
        Some(1.0) => Some(true),
        _ => None,
    };
    if !location.starts_with(['/', '*']) {
        problems.push(TdmProblem::InvalidLocation(number));
    }
    if reserved.is_none() {
        problems.push(TdmProblem::InvalidReservation(number));
    }
    let written = members.get("tdm-policy");
    let policy = written.and_then(Value::as_str).filter(|url| is_http_url(url)).map(str::to_owned);
    if reserved == Some(true) && written.is_some() && policy.is_none() {
        problems.push(TdmProblem::InvalidPolicy(number));
    }
    let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::TdmRepJson, line: number };
    let says = TdmStatement { reserved: reserved.map(|is_reserved| (is_reserved, source)), policy };
    let text = Value::Object(members.clone()).to_string();
    Some(TdmRule { location, says, number, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Location, reservation, policy and number of a rule.
    type Read = (String, Option<bool>, Option<String>, u32);

    fn read(text: &str) -> (Vec<Read>, Vec<TdmProblem>) {
        let TdmRep { rules, problems } = TdmRep::read(text.as_bytes());
        let read = rules.into_iter().map(|TdmRule { location, says, number, .. }| {
            assert!(says.reserved.is_none_or(|(_, source)| source.line == number));
            (location, says.reserved.map(|(is_reserved, _)| is_reserved), says.policy, number)
        });
        (read.collect(), problems)
    }

    #[test]
    fn t1_rules_have_a_location_and_a_reservation() {
        let file = r#"[{"location": "/a\u002f", "tdm-reservation": 1}, {"location": "/b", "tdm-reservation": 2},
            {"tdm-reservation": 1}, {"location": "/c*.jpg$", "tdm-reservation": 0, "tdm-policy": 7}, 1,
            {"location": "/d", "tdm-reservation": 0, "tdm-reservation": 1, "tdm-policy": "https://a.example/p", "x": []}]"#;
        let (rules, problems) = read(file);
        let policy = Some("https://a.example/p".to_owned());
        let expected = [
            ("/a/", Some(true), None, 1),
            ("/b", None, None, 2),
            ("/c*.jpg$", Some(false), None, 4),
            ("/d", Some(true), policy, 6),
        ];
        assert_eq!(
            rules,
            expected.map(|(location, is_reserved, policy, number)| {
                (location.to_owned(), is_reserved, policy, number)
            })
        );
        use TdmProblem::{InvalidReservation, VoidRule};
        assert_eq!(problems, [InvalidReservation(2), VoidRule(3), VoidRule(5)]);
    }

    #[test]
    fn t1_a_rule_with_another_reservation_says_nothing() {
        for reservation in ["\"1\"", "true", "1.5", "-1", "1e1", "null", "[1]"] {
            let file = format!(r#"[{{"location": "/", "tdm-reservation": {reservation}}}]"#);
            let silent = ("/".to_owned(), None, None, 1);
            assert_eq!(read(&file), (vec![silent], vec![TdmProblem::InvalidReservation(1)]), "{reservation}");
        }
        assert_eq!(read(r#"[{"location": "/"}]"#), (vec![], vec![TdmProblem::VoidRule(1)]));
        let file = r#"[{"location": "/", "tdm-reservation": 2, "tdm-policy": "http://p/"}]"#;
        assert_eq!(read(file).0, [("/".to_owned(), None, Some("http://p/".to_owned()), 1)]);
        let policy = r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/p"}]"#;
        assert_eq!(read(policy).1, [TdmProblem::InvalidPolicy(1)]);
    }

    #[test]
    fn t1_a_reservation_is_a_number_however_it_is_written() {
        for (number, is_reserved) in
            [("1.0", true), ("1e0", true), ("10E-1", true), ("-0", false), ("0.0", false), ("0e9", false)]
        {
            let file = format!(r#"[{{"location": "/", "tdm-reservation": {number}}}]"#);
            assert_eq!(read(&file), (vec![("/".to_owned(), Some(is_reserved), None, 1)], vec![]), "{number}");
        }
    }

    #[test]
    fn t2_a_location_that_matches_nothing_is_reported() {
        for location in ["", "a", "private/", "https://a.example/a", " /a", "$"] {
            let file = format!(r#"[{{"location": "{location}", "tdm-reservation": 1}}]"#);
            let (rules, problems) = read(&file);
            assert_eq!(problems, [TdmProblem::InvalidLocation(1)], "{location}");
            assert_eq!(rules.len(), 1, "{location}");
        }
        let void = r#"[{"location": "a"}, {"location": "*a", "tdm-reservation": 1}]"#;
        assert_eq!(read(void).1, [TdmProblem::VoidRule(1)]);
    }

    #[test]
    fn t1_files_that_are_no_arrays_say_nothing() {
        assert_eq!(read("\u{feff}[]"), (vec![], vec![]));
        assert_eq!(read("{}"), (vec![], vec![TdmProblem::NotAnArray]));
        let rule = r#"[{"location": "/", "tdm-reservation": 1}]"#;
        let long = |bytes: usize| format!("{rule}{}", " ".repeat(bytes - rule.len()));
        assert_eq!(read(&long(DEFAULT_PARSING_LIMIT)).0.len(), 1);
        assert_eq!(read(&long(DEFAULT_PARSING_LIMIT + 1)), (vec![], vec![TdmProblem::TooLong]));
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(read(&deep(127)).1, [TdmProblem::VoidRule(1)]);
        for odd in ["", "[", "[] x", "[1,]", r#"["\ud800"]"#, "[1e400]", &deep(128)] {
            assert!(matches!(read(odd).1[..], [TdmProblem::NotJson(_)]), "{odd}");
        }
        assert!(matches!(TdmRep::read(b"[\"\xff\"]").problems[..], [TdmProblem::NotJson(_)]));
    }
}
