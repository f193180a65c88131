//! Answers about mining, and adversarial inputs: the work is linear in what a site writes.

use robomata_policy::Policy;
use robomata_protocol::Dialect;
use robomata_syntax::Config;

use super::*;
use crate::compile::READ;
use crate::decide::StatementId;
use crate::program::{StatementScratch, UsageQuery};

fn statements(file: &str, purpose: Option<&str>) -> Statements {
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Acap));
    Statements::new(&policy, &[], None, &Crawler::new("FooBot"), purpose)
}

/// The number of candidates for a usage of `target`, and the number of their statements.
fn counts(statements: &Statements, target: &str, usage: Usage) -> (usize, usize) {
    let (mut matches, mut found) = (Matches::default(), Candidates::default());
    statements.program().find_matches(target.as_bytes(), &mut Scratch::new(), &mut matches);
    let matching = Matching { tables: statements.program().tables(), matches: &matches, now: None };
    matching.find(&[usage], std::slice::from_mut(&mut found));
    let all = [found.explicit, found.others].concat();
    let distinct: HashSet<StatementId> = all.iter().map(|candidate| candidate.statement).collect();
    let members = distinct.iter().map(|&id| match id {
        StatementId::Group(number) => statements.groups[number as usize].members.len(),
        _ => 1,
    });
    (all.len(), members.sum())
}

fn answer(statements: &Statements, target: &str, usage: Usage) -> PermissionAnswer {
    let (page, circumstances) = (PageStatements::default(), Circumstances::default());
    let crawl = Answer::Verdict(Verdict::NO_RULE);
    let matched = statements.matched(target.as_bytes(), crawl, &page, &circumstances, &mut Scratch::new());
    statements.answer(&matched, usage, None, &mut |_| ConditionEffect::Yes(Vec::new()))
}

const FILE: &str = "https://a.example/file";

/// The answer about mining of `/x` with this tdmrep.json and page: permission, place of the source, policy.
fn mining(tdmrep: &str, page: TdmStatement) -> (Permission, Option<Place>, Vec<Qualifier>) {
    let policy = Policy::new(b"User-agent: *\nAllow: /", &Config::new(Dialect::Rfc9309));
    let tdmrep = TdmRep::read(tdmrep.as_bytes());
    let statements = Statements::new(&policy, &[], Some(&tdmrep), &Crawler::new("FooBot"), None);
    let page = PageStatements { tdm: page, ..PageStatements::default() };
    let (circumstances, crawl) = (Circumstances::default(), Answer::Verdict(Verdict::NO_RULE));
    let matched = statements.matched(b"/x", crawl, &page, &circumstances, &mut Scratch::new());
    let answer = statements
        .answer(&matched, Usage::Tdm, Some(Permission::Permitted), &mut |_| ConditionEffect::Yes(Vec::new()));
    (answer.permission, answer.source.map(|source| source.place), answer.qualifiers)
}

fn reservation(is_reserved: bool, with_policy: bool) -> String {
    let policy = if with_policy { format!(r#", "tdm-policy": "{FILE}""#) } else { String::new() };
    format!(r#"[{{"location": "/", "tdm-reservation": {}{policy}}}]"#, u8::from(is_reserved))
}

#[test]
fn a_rule_of_tdmrep_json_without_a_valid_reservation_decides_that_nothing_is_said() {
    let rest = r#"{"location": "/", "tdm-reservation": 1}, {"location": "/x", "tdm-reservation": 1}]"#;
    for reservation in [r#", "tdm-reservation": 2"#, r#", "tdm-reservation": true"#] {
        let file = format!(r#"[{{"location": "/x"{reservation}}}, {rest}"#);
        assert_eq!(mining(&file, headers(None, None)), (Permission::Unspecified, None, Vec::new()), "{file}");
        let program = StatementProgram::of_tdmrep(&TdmRep::read(file.as_bytes())).unwrap();
        let program = StatementProgramRef::from_raw(program.bytes()).unwrap();
        let said =
            |target: &[u8]| program.tdmrep(target, &mut Scratch::new(), &mut StatementScratch::default());
        assert_eq!([said(b"/x"), said(b"/y")], [None, Some(Access::Disallow)], "{file}");
        assert_eq!(mining(&file, headers(Some(true), None)).0, Permission::Prohibited);
    }
}

/// What a page says by its headers.
fn headers(is_reserved: Option<bool>, policy: Option<&str>) -> TdmStatement {
    let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::Header, line: 1 };
    TdmStatement {
        reserved: is_reserved.map(|is_reserved| (is_reserved, source)),
        policy: policy.map(str::to_owned),
    }
}

#[test]
fn a_reservation_prohibits_mining_and_its_policy_is_reported() {
    let (file, header) = (Some(Place::TdmRepJson), Some(Place::Header));
    let terms = |url: &str| vec![Qualifier::Terms(url.to_owned())];
    let (silent, url) = (headers(None, None), Some("https://a.example/page"));
    assert_eq!(mining(&reservation(true, true), silent.clone()), (Permission::Prohibited, file, terms(FILE)));
    assert_eq!(mining(&reservation(true, false), silent.clone()), (Permission::Prohibited, file, Vec::new()));
    assert_eq!(mining(&reservation(false, true), silent), (Permission::Permitted, file, Vec::new()));
    let prohibited = (Permission::Prohibited, header, terms("https://a.example/page"));
    assert_eq!(mining("[]", headers(Some(true), url)), prohibited);
    let permitted = (Permission::Permitted, header, Vec::new());
    assert_eq!(mining(&reservation(true, true), headers(Some(false), url)), permitted);
    // What is absent resets nothing.
    let of_page = terms("https://a.example/page");
    assert_eq!(
        mining(&reservation(true, true), headers(None, url)),
        (Permission::Prohibited, file, of_page.clone())
    );
    assert_eq!(
        mining(&reservation(false, false), headers(Some(true), url)),
        (Permission::Prohibited, header, of_page)
    );
    let of_file = (Permission::Prohibited, header, terms(FILE));
    assert_eq!(mining(&reservation(true, true), headers(Some(true), None)), of_file);
    assert_eq!(mining("[]", headers(None, url)), (Permission::Unspecified, None, Vec::new()));
    let tdmrep = TdmRep::read(reservation(true, true).as_bytes());
    let program = StatementProgram::of_tdmrep(&tdmrep).unwrap();
    let program = StatementProgramRef::from_raw(program.bytes()).unwrap();
    let said = program.tdmrep(b"/x", &mut Scratch::new(), &mut StatementScratch::default());
    assert_eq!(said, Some(Access::Disallow), "in bulk, too");
}

#[test]
fn a_content_usage_header_holds_where_crawl_is_prohibited() {
    let source = |place, line| Some(Source { vocabulary: Vocabulary::ContentUsage, place, line });
    let header = |prohibits| Statement {
        usage: Usage::AiTrain,
        says: says(prohibits),
        address: robomata_policy::Address::Any,
        purpose: None,
        source: Source { vocabulary: Vocabulary::ContentUsage, place: Place::Header, line: 1 },
    };
    let policy = Policy::new(
        b"User-agent: *\nContent-Usage: train-ai=n\nDisallow: /x",
        &Config::new(Dialect::Rfc9309),
    );
    let statements = Statements::new(&policy, &[], None, &Crawler::new("FooBot"), None);
    let training = |header: Option<Statement>, target: &[u8], crawl: Permission| {
        let page =
            PageStatements { content_usage: header.into_iter().collect(), ..PageStatements::default() };
        let circumstances = Circumstances::default();
        let of_rules = Answer::Verdict(Verdict::NO_RULE);
        let matched = statements.matched(target, of_rules, &page, &circumstances, &mut Scratch::new());
        let answer = statements
            .answer(&matched, Usage::AiTrain, Some(crawl), &mut |_| ConditionEffect::Yes(Vec::new()));
        (answer.permission, answer.source)
    };
    let of_header = |permission| (permission, source(Place::Header, 1));
    assert_eq!(training(None, b"/x", Permission::Prohibited), (Permission::Unspecified, None));
    for (prohibits, permission) in [(false, Permission::Permitted), (true, Permission::Prohibited)] {
        assert_eq!(training(Some(header(prohibits)), b"/x", Permission::Prohibited), of_header(permission));
    }
    let of_file = (Permission::Prohibited, source(Place::RobotsTxt, 2));
    assert_eq!(training(Some(header(false)), b"/y", Permission::Permitted), of_file);
}

/// `patterns` patterns that all match the target, in one set, and `lines` fields on it.
fn set_times_fields(patterns: usize, lines: usize) -> (String, String) {
    let target: String =
        std::iter::once("/".to_owned()).chain((0..patterns).map(|n| format!("{n:05}"))).collect();
    let set: String = (0..patterns).map(|n| format!(" *{n:05}")).collect();
    let fields = "ACAP-allow-index: the-acap:resource-set:s\n".repeat(lines);
    (format!("ACAP-resource-set: s{set}\nACAP-crawler: *\n{fields}"), target)
}

#[test]
fn many_fields_on_a_set_of_many_patterns_cost_the_sum_not_the_product() {
    for scale in [100, 1_000] {
        let (file, target) = set_times_fields(scale, scale);
        let compiled = statements(&file, None);
        assert_eq!(compiled.groups.len(), 1);
        assert_eq!(counts(&compiled, &target, Usage::Index), (scale, scale));
        let answer = answer(&compiled, &target, Usage::Index);
        assert_eq!(answer.permission, Permission::Permitted);
        assert_eq!((answer.source.unwrap().line, answer.conflicts.len()), (3, 0));
    }
}

#[test]
fn a_pattern_in_many_sets_has_a_candidate_for_each() {
    for scale in [100, 1_000] {
        let sets: String = (0..scale).map(|n| format!("ACAP-resource-set: s{n} /a\n")).collect();
        let uses: String =
            (0..scale).map(|n| format!("ACAP-disallow-follow: the-acap:resource-set:s{n}\n")).collect();
        let compiled = statements(&format!("{sets}ACAP-crawler: *\n{uses}"), None);
        assert_eq!(counts(&compiled, "/a", Usage::Follow), (scale, scale));
        assert_eq!(counts(&compiled, "/a", Usage::Index), (0, 0));
    }
}

#[test]
fn many_sub_records_of_many_purposes_apply_to_a_query_for_one_of_them() {
    let purposes: String = (0..1_000).map(|n| format!("ACAP-usage-purpose: p{n}\n")).collect();
    let said = "ACAP-allow-index: /\n".repeat(1_000);
    let one = statements(&format!("ACAP-crawler: *\n{purposes}{said}"), Some("p999"));
    assert_eq!(counts(&one, "/", Usage::Index), (1_000, 1_000));
    let each: String =
        (0..1_000).map(|n| format!("ACAP-usage-purpose: p{n}\nACAP-allow-index: /\n")).collect();
    let many = statements(&format!("ACAP-crawler: *\n{each}"), Some("p999"));
    assert_eq!(counts(&many, "/", Usage::Index), (1, 1));
}

#[test]
fn composites_of_all_usages_are_a_group_for_each_usage_of_a_field() {
    let usages: Vec<&str> =
        Usage::ALL.iter().filter(|usage| usage.is_acap()).map(|usage| usage.as_str()).collect();
    let said = "ACAP-allow-(c): /\n".repeat(1_000);
    let file = format!("ACAP-composite-usage: c {}\nACAP-crawler: *\n{said}", usages.join(" "));
    let compiled = statements(&file, None);
    assert_eq!(compiled.groups.len(), usages.len() * 1_000);
    // The usage's own fields, `present`'s and `other`'s.
    assert_eq!(counts(&compiled, "/", Usage::PresentSnippet), (3_000, 3_000));
}

#[test]
fn a_set_that_repeats_a_pattern_has_it_once() {
    let file = |patterns: &str| {
        format!(
            "ACAP-resource-set: s {patterns}\nACAP-crawler: *\nACAP-disallow-index: the-acap:resource-set:s\n"
        )
    };
    let once = statements(&file("/a /b"), None);
    let often = statements(&file(&"/a /b ".repeat(500)), None);
    assert_eq!(often.program.bytes().len(), once.program.bytes().len());
    assert_eq!(counts(&often, "/a", Usage::Index), (1, 1));
}

#[test]
fn fields_overrule_contrary_rules_on_their_scope_alone() {
    // Fields and rules, each many times, and in both orders.
    let rules = "Allow: /a\nDisallow: /b\nAllow: /c\n".repeat(300);
    let fields = "ACAP-disallow-crawl: /a\nACAP-allow-crawl: /b\n".repeat(300);
    let file = format!("User-agent: *\n{rules}\nACAP-crawler: *\n{fields}");
    let statements = statements(&file, None);
    let decided = |target| {
        let answer = answer(&statements, target, Usage::Crawl);
        let overruled = answer.conflicts.iter();
        (answer.permission, overruled.filter(|lost| lost.rule == ConflictRule::AcapOverConventional).count())
    };
    assert_eq!(decided("/a"), (Permission::Prohibited, 300));
    assert_eq!(decided("/b"), (Permission::Permitted, 300));
    assert_eq!(decided("/c"), (Permission::Permitted, 0));
}

#[test]
fn fields_with_a_long_local_usage_read_its_qualifiers_once() {
    let required = |n: usize| format!("ACAP-qualified-usage: q{n} present must-use-resource=/{n}\n");
    let read = |fields: usize, pattern: &dyn Fn(usize) -> String| {
        let qualified: String = (0..500).map(required).collect();
        let names: String = (0..500).map(|n| format!(" (q{n})")).collect();
        let fields: String = (0..fields).map(|n| format!("ACAP-allow-(c): {}\n", pattern(n))).collect();
        let file = format!("{qualified}ACAP-composite-usage: c{names}\nACAP-crawler: *\n{fields}");
        READ.set(0);
        let statements = statements(&file, None);
        let answer = answer(&statements, "/a", Usage::Present);
        assert_eq!((answer.permission, answer.qualifiers.len()), (Permission::Permitted, 500));
        READ.get()
    };
    let one = read(1, &|_| "/a".to_owned());
    assert_eq!(read(500, &|_| "/a".to_owned()), one);
    // Each pattern has a group of its own.
    assert_eq!(read(500, &|n| if n == 0 { "/a".to_owned() } else { format!("/b{n}") }), one);
}

#[test]
fn groups_of_a_set_that_lose_by_their_level_count_once() {
    let patterns: String = (0..500).map(|n| format!(" /*{n}")).collect();
    let field = |said: &str| format!("ACAP-{said}: the-acap:resource-set:s\n");
    let fields: String =
        ["allow-crawl", "disallow-crawl", "allow-other", "disallow-other"].into_iter().map(field).collect();
    let file = format!(
        "ACAP-resource-set: s{patterns}\nUser-agent: *\nAllow: /*7\nACAP-crawler: *\n{fields}\
         ACAP-usage-purpose: p\n{fields}ACAP-crawler: FooBot\n{fields}ACAP-usage-purpose: p\n{fields}"
    );
    let statements = statements(&file, Some("p"));
    let target: String = (0..500).fold("/".to_owned(), |target, n| format!("{target}{n}/"));
    let matching = target.trim_end_matches('/');
    // Those for the purpose that name the crawler permit and prohibit by each pattern. The six others count once.
    let (found, members) = counts(&statements, matching, Usage::Index);
    assert_eq!((found, members), (2 * 500 + 6, 8));
    let (found, _) = counts(&statements, matching, Usage::Crawl);
    assert_eq!(found, 2 * (2 * 500 + 6));
    // The rule is contradicted on its scope, and every group is a conflict.
    let answer = answer(&statements, matching, Usage::Crawl);
    assert_eq!(answer.reason, PermissionReason::Undeterminable);
    let lost = |rule| answer.conflicts.iter().filter(|conflict| conflict.rule == rule).count();
    let rules = [
        ConflictRule::AcapOverConventional,
        ConflictRule::PurposeOverGeneral,
        ConflictRule::NamedOverAny,
        ConflictRule::ExplicitOverOther,
        ConflictRule::NarrowestScope,
    ];
    assert_eq!(rules.map(lost), [1, 4, 2, 8, 1]);
}

#[test]
fn a_program_about_crawl_alone_reads_sets() {
    let file = b"ACAP-resource-set: s /a /b\nACAP-crawler: *\nACAP-disallow-crawl: the-acap:resource-set:s\n";
    let policy = Policy::new(file, &Config::new(Dialect::Acap));
    let program =
        StatementProgram::compile(&policy, &Crawler::new("FooBot"), &UsageQuery::default()).unwrap();
    let program = StatementProgramRef::from_raw(program.bytes()).unwrap();
    let verdict =
        |target: &[u8]| program.verdict(target, &mut Scratch::new(), &mut StatementScratch::default());
    let found = [b"/a", b"/b", b"/c"].map(|target| (verdict(target).access, verdict(target).line));
    assert_eq!(found, [(Access::Disallow, 3), (Access::Disallow, 3), (Access::Allow, 0)]);
}

/// A META tag's statement, on line 1.
fn meta(usage: Usage, permits: bool) -> Statement {
    Statement {
        usage,
        says: says(!permits),
        address: robomata_policy::Address::Any,
        purpose: None,
        source: Source { vocabulary: Vocabulary::Acap, place: Place::Meta, line: 1 },
    }
}

/// The answer for `/a/b` and the purpose `news`, also in bulk: `+` permitted, `-` prohibited, `?` undeterminable; the line
/// (`m` for a META tag's), and what lost.
fn decided(file: &str, page: &[Statement], usage: Usage) -> String {
    let compiled = statements(file, Some("news"));
    let stated = PageStatements { acap: page.to_vec(), ..PageStatements::default() };
    let circumstances = Circumstances::default();
    let crawl = Answer::Verdict(Verdict::NO_RULE);
    let matched = compiled.matched(b"/a/b", crawl, &stated, &circumstances, &mut Scratch::new());
    let answer = compiled.answer(&matched, usage, None, &mut |_| ConditionEffect::Yes(Vec::new()));
    let prohibits = answer.permission == Permission::Prohibited;
    let sign = match answer.reason {
        PermissionReason::Undeterminable => '?',
        _ if prohibits => '-',
        _ => '+',
    };
    let name = |source: Source| match source.place {
        Place::Meta => "m".to_owned(),
        _ => source.line.to_string(),
    };
    if page.is_empty() {
        let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Acap));
        let query = UsageQuery { usage, purpose: Some("news".to_owned()) };
        let program = StatementProgram::compile(&policy, &Crawler::new("FooBot"), &query).unwrap();
        let program = StatementProgramRef::from_raw(program.bytes()).unwrap();
        let verdict = program.verdict(b"/a/b", &mut Scratch::new(), &mut StatementScratch::default());
        assert_eq!(verdict.access == Access::Disallow, prohibits, "{file}");
        assert_eq!(Some(verdict.line), answer.source.map(|source| source.line), "{file}");
        if usage == Usage::Crawl {
            assert_eq!(compiled.prohibits_crawl(&matched), prohibits, "{file}");
        }
    }
    let lost = answer.conflicts.iter().map(|lost| format!(" {} {}", name(lost.loser), lost.rule));
    format!("{sign}{}{}", answer.source.map(name).unwrap_or_default(), lost.collect::<String>())
}

#[test]
fn a14_a_statement_about_present_overrules_no_prohibition_of_a_derived_usage() {
    let of =
        |general: &str, named: &str| format!("ACAP-crawler: *\n{general}\nACAP-crawler: FooBot\n{named}");
    let snippet = |file: &str, page: &[Statement]| decided(file, page, Usage::PresentSnippet);
    let file = |general: &str, named: &str| snippet(&of(general, named), &[]);
    let (own, wide) = ("ACAP-disallow-present-snippet: /", "ACAP-allow-present: /");
    assert_eq!(file(own, wide), "-2 4 derived-over-present");
    // Scopes decide among what stays.
    assert_eq!(file("ACAP-disallow-present-snippet: /a/", wide), "-2 4 narrowest-scope");
    assert_eq!(file(own, "ACAP-allow-present: /a/"), "+4 2 narrowest-scope");
    assert_eq!(
        file("ACAP-disallow-present-snippet: /*b", "ACAP-allow-present: /*a/"),
        "?2 4 narrowest-scope"
    );
    // What is about the same usage overrules it, whatever its scope.
    assert_eq!(
        file("ACAP-disallow-present-snippet: /a/b", "ACAP-allow-present-snippet: /"),
        "+4 2 named-over-any"
    );
    assert_eq!(file("ACAP-disallow-present: /a/b", wide), "+4 2 named-over-any");
    assert_eq!(file("ACAP-disallow-present: /a/b", "ACAP-allow-present-snippet: /"), "+4 2 named-over-any");
    // A permission on a lower level loses.
    assert_eq!(file("ACAP-allow-present-snippet: /a", "ACAP-disallow-present: /"), "-4 2 named-over-any");
    // A field that does not decide can be what overrules the prohibition.
    let two = format!("{}\nACAP-allow-present-snippet: /", of(own, "ACAP-usage-purpose: news"));
    assert_eq!(snippet(&two, &[meta(Usage::Present, true)]), "+m 2 innermost-place 5 innermost-place");
    // A page overrules files for every usage.
    let page = [meta(Usage::Present, true)];
    assert_eq!(snippet(&of(own, ""), &page), "+m 2 innermost-place");
    assert_eq!(snippet(&of(own, ""), &[meta(Usage::PresentSnippet, true)]), "+m 2 innermost-place");
    assert_eq!(
        snippet(&of("ACAP-disallow-present: /", ""), &[meta(Usage::PresentSnippet, true)]),
        "+m 2 innermost-place"
    );
    assert_eq!(snippet(&of(own, ""), &[meta(Usage::Present, false)]), "-m 2 innermost-place");
}

#[test]
fn a14_a_purpose_of_any_crawler_overrules_no_general_prohibition_by_name() {
    let of = |usage: &str, pattern: &str, named: &str| {
        format!(
            "ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-allow-{usage}: {pattern}\nACAP-crawler: FooBot\n{named}"
        )
    };
    let index = |pattern: &str, named: &str| decided(&of("index", pattern, named), &[], Usage::Index);
    assert_eq!(index("/", "ACAP-disallow-index: /"), "?5 3 narrowest-scope");
    assert_eq!(index("/", "ACAP-disallow-index: /a"), "-5 3 narrowest-scope");
    assert_eq!(index("/a", "ACAP-disallow-index: /"), "+3 5 narrowest-scope");
    let crawl = |pattern: &str, named: &str| decided(&of("crawl", pattern, named), &[], Usage::Crawl);
    assert_eq!(crawl("/", "ACAP-disallow-crawl: /a"), "-5 3 narrowest-scope");
    let other = decided(&of("other", "/", "ACAP-disallow-other: /"), &[], Usage::Index);
    assert_eq!(other, "?5 3 narrowest-scope");
    // With the name, or against one that is to any crawler, the purpose goes first.
    assert_eq!(
        index("/", "ACAP-disallow-index: /\nACAP-usage-purpose: news\nACAP-allow-index: /"),
        "+7 5 purpose-over-general 3 named-over-any"
    );
    let any = "ACAP-crawler: *\nACAP-disallow-index: /a\nACAP-usage-purpose: news\nACAP-allow-index: /";
    assert_eq!(decided(any, &[], Usage::Index), "+4 2 purpose-over-general");
    // The page overrules files for the usage, whomever it addresses.
    let file = of("index", "/", "ACAP-disallow-index: /");
    assert_eq!(
        decided(&file, &[meta(Usage::Index, true)], Usage::Index),
        "+m 3 innermost-place 5 innermost-place"
    );
    // On a page, too.
    let named = Statement { address: robomata_policy::Address::Named, ..meta(Usage::Index, false) };
    let news = Statement { purpose: Some("news".into()), ..meta(Usage::Index, true) };
    assert_eq!(decided("ACAP-crawler: *", &[news, named], Usage::Index), "?m");
}

#[test]
fn a14_what_a_set_does_not_overrule_stays_with_the_scope_of_each_pattern() {
    let field = |said: &str| format!("ACAP-{said}: the-acap:resource-set:s\n");
    let file = |general: &str, named: &str| {
        format!(
            "ACAP-resource-set: s / /a\nACAP-crawler: *\n{}ACAP-crawler: FooBot\n{}",
            field(general),
            field(named)
        )
    };
    let snippet = |general: &str, named: &str| decided(&file(general, named), &[], Usage::PresentSnippet);
    assert_eq!(
        snippet("disallow-present-snippet", "allow-present"),
        "-3 5 derived-over-present 5 narrowest-scope"
    );
    assert_eq!(snippet("disallow-present-snippet", "allow-present-snippet"), "+5 3 named-over-any");
}
