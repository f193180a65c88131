use super::*;

/// All changes of a text, and the text with all of them.
fn all(text: &str) -> (Vec<String>, String) {
    let mut found = Mutants { mutants: Vec::new(), files: BTreeMap::new() };
    found.add("a.rs", "a", text.to_owned()).unwrap();
    let (rewritten, branches) = found.rewrite(&BTreeSet::new()).remove("a.rs").unwrap();
    syn::parse_file(&rewritten).unwrap_or_else(|error| panic!("{error}: {rewritten}"));
    let place = |number: usize| {
        let (at, choice) = (found.mutants[number].place, found.mutants[number].choice);
        &found.files["a.rs"].1[at].choices[choice]
    };
    for (branch, number) in branches {
        assert_eq!(rewritten[branch], place(number).with);
    }
    let names = found.mutants.iter().map(|mutant| mutant.name.strip_prefix("a.rs ").unwrap().to_owned());
    (names.collect(), rewritten)
}

/// The changes of the body of a function that returns a type without simple values.
fn changes(body: &str) -> Vec<String> {
    let (names, _) = all(&format!("fn f() -> ! {{ {body} }}"));
    names.iter().map(|name| name.strip_prefix("f: ").unwrap().to_owned()).collect()
}

#[test]
fn every_operator_has_the_replacements_of_cargo_mutants() {
    let operators = [
        ("==", "!="),
        ("!=", "=="),
        ("&&", "||"),
        ("||", "&&"),
        ("<", "== > <="),
        (">", "== < >="),
        ("<=", ">"),
        (">=", "<"),
        ("+", "- *"),
        ("-", "+ /"),
        ("*", "+ /"),
        ("/", "% *"),
        ("%", "/ +"),
        ("<<", ">>"),
        (">>", "<<"),
        ("&", "| ^"),
        ("|", "& ^"),
        ("^", "| &"),
        ("+=", "-= *="),
        ("-=", "+= /="),
        ("*=", "+= /="),
        ("/=", "%= *="),
        ("%=", "/= +="),
        ("<<=", ">>="),
        (">>=", "<<="),
        ("&=", "|="),
        ("|=", "&="),
        ("^=", "|= &="),
    ];
    for (operator, others) in operators {
        let expected: Vec<String> =
            others.split(' ').map(|other| format!("{operator} to {other} in a {operator} b")).collect();
        assert_eq!(changes(&format!("a {operator} b;")), expected);
    }
    assert_eq!(changes("!a; -b; *c;"), ["delete ! in !a", "delete - in -b"]);
    assert!(changes("a = b; a..b; &a; a as u8; a?;").is_empty());
}

#[test]
fn nested_places_are_switched_in_place() {
    let (names, text) = all("fn f() -> ! { g(a + b == !c) }");
    assert_eq!(
        names,
        ["f: == to != in a + b == !c", "f: + to - in a + b", "f: + to * in a + b", "f: delete ! in !c",]
    );
    // What is changed contains the original operands, so a text grows with the depth, and not with its powers.
    let left = "(if crate::planted(1) { (a) - (b) } else if crate::planted(2) { (a) * (b) } else { a + b })";
    let right = "(if crate::planted(3) { (c) } else { !c })";
    let all = format!("(if crate::planted(0) {{ (a + b) != (!c) }} else {{ {left} == {right} }})");
    assert_eq!(text, format!("fn f() -> ! {{ g({all}) }}"));
}

#[test]
fn bodies_arms_guards_and_fields_are_switched() {
    let (names, text) = all("fn f(a: u8) -> u8 { match a { 1 => 2, 3 if g() => 4, _ => 5 } }");
    let arm = "f: delete arm 1";
    assert_eq!(
        names,
        ["f: return 0", "f: return 1", arm, "f: guard to true in 3 if g()", "f: guard to false in 3 if g()"]
    );
    let body = " if crate::planted(0) { return 0; } else if crate::planted(1) { return 1; }";
    let guard = "(if crate::planted(3) { true } else if crate::planted(4) { false } else { g() })";
    let arms = format!("1 if !crate::planted(2) => 2, 3 if {guard} => 4, _ => 5");
    assert_eq!(text, format!("fn f(a: u8) -> u8 {{{body} match a {{ {arms} }} }}"));
    // An arm without a wildcard after it cannot be deleted.
    assert!(changes("match a { 1 => 2, b => 3 }").is_empty());
    assert_eq!(changes("A { b: 1, c, ..d }"), ["delete field b: 1", "delete field c"]);
    let (_, text) = all("fn f() -> ! { A { b: 1, c, ..d } }");
    assert!(text.contains("{ A { c, ..d } } else if crate::planted(1) { A { b: 1, ..d } } else {"), "{text}");
}

#[test]
fn functions_return_simple_values() {
    let values = |of: &str| -> Vec<String> {
        let (names, _) = all(&format!("fn f() -> {of} {{ g() }}"));
        names.iter().map(|name| name.strip_prefix("f: return ").unwrap().to_owned()).collect()
    };
    assert_eq!(values("bool"), ["true", "false"]);
    assert_eq!(values("i8"), ["0", "1", "-1"]);
    assert_eq!(values("&'static str"), ["\"\"", "\"xyzzy\""]);
    assert_eq!(values("Option<u8>"), ["None", "Some(0)", "Some(1)"]);
    assert_eq!(values("Result<(), E>"), ["Ok(())"]);
    assert_eq!(values("Vec<A>"), ["vec![]", "vec![Default::default()]"]);
    assert_eq!(values("&[u8]"), ["Vec::leak(Vec::new())", "Vec::leak(vec![0])", "Vec::leak(vec![1])"]);
    assert_eq!(values("[bool; 2 * N]"), ["[true; 2 * N]", "[false; 2 * N]"]);
    assert_eq!(values("(u8, A)"), ["(0, Default::default(),)", "(1, Default::default(),)"]);
    assert_eq!(values("&mut A"), ["Box::leak(Box::new(Default::default()))"]);
    assert_eq!(values("impl Iterator<Item = u8>"), ["an empty iterator"]);
    let (_, text) = all("fn f() -> impl Iterator<Item = u8> { g() }");
    assert!(
        text.ends_with("{ Iterator::take(g(), if crate::planted(0) { 0 } else { usize::MAX }) }"),
        "{text}"
    );
    assert_eq!(all("fn f() { g() }").0, ["f: return"]);
    // A value that is returned anyway.
    assert_eq!(all("fn f() -> bool { true }").0, ["f: return false"]);
}

#[test]
fn what_is_not_run_or_has_no_meaning_is_not_changed() {
    for text in [
        "const A: u8 = 1 + 2;",
        "static A: u8 = 1 + 2;",
        "enum A { B = 1 + 2 }",
        "struct A([u8; 1 + 2]);",
        "const fn f() -> bool { 1 == 2 }",
        "unsafe fn f() -> bool { 1 == 2 }",
        "#[test] fn f() { g() }",
        "#[cfg(test)] mod tests { fn f() { g() } }",
        "#[cfg(test)] fn f() { g() }",
        "impl fmt::Debug for A { fn fmt() -> bool { 1 == 2 } }",
        "impl Display for A { fn fmt() -> bool { 1 == 2 } }",
        "impl Default for A { fn default() -> bool { 1 == 2 } }",
        "trait A { fn f() -> bool; }",
        "fn f() {}",
    ] {
        assert_eq!(all(text).0, [] as [&str; 0], "{text}");
    }
    for body in [
        "[0; 1 + 2];",
        "const { 1 + 2 };",
        "let a: [u8; 1 + 2] = b;",
        "debug_assert!(a == b);",
        "Vec::with_capacity(a + b);",
        "a.reserve(b + c);",
        "match a { -1 => 2 }",
        // In parentheses, this is no Rust.
        "if let a = b && let c = d { g() }",
    ] {
        assert_eq!(changes(body), [] as [&str; 0], "{body}");
    }
    assert_eq!(changes("if a == b && let c = d { g() }"), ["== to != in a == b"]);
    assert_eq!(all("impl A { fn new() -> A { B == C } }").0, ["A::new: == to != in B == C"]);
}

#[test]
fn names_are_unique_and_numbers_remain() {
    let (names, _) = all("fn f() -> ! { !a; !a; }");
    assert_eq!(names, ["f: delete ! in !a", "f: delete ! in !a #2"]);
    let mut found = Mutants { mutants: Vec::new(), files: BTreeMap::new() };
    found.add("a.rs", "a", "fn f() -> ! { !a; !b; }".to_owned()).unwrap();
    let rewritten = found.rewrite(&BTreeSet::from([0]));
    assert_eq!(rewritten["a.rs"].0, "fn f() -> ! { !a; (if crate::planted(1) { (b) } else { !b }); }");
}

#[test]
fn results_are_kept_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tsv");
    let mut found = Mutants { mutants: Vec::new(), files: BTreeMap::new() };
    found.add("a.rs", "a", "fn f() -> ! { a == b; a < b; !c; -d }".to_owned()).unwrap();
    let mut results = Results::open(&path).unwrap();
    let verdicts =
        [Verdict::Caught, Verdict::Endless, Verdict::Missed, Verdict::Missed, Verdict::Unbuildable];
    for (mutant, verdict) in found.mutants.iter().zip(verdicts) {
        let row = Row { verdict, by: "unit a".to_owned(), seconds: 2 };
        results.rows.insert(mutant.name.clone(), row);
    }
    results.write().unwrap();
    assert!(Results::open(&path).unwrap_err().to_string().contains("in use by another run"));
    drop(results);
    // A process that another test has started holds the lock, too, until its program begins.
    let opened = (0..100).find_map(|_| {
        let opened = Results::open(&path);
        if opened.is_err() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        opened.ok()
    });
    let results = opened.unwrap();
    assert_eq!(results.rows.len(), 5);
    let why = BTreeMap::from([(found.mutants[2].name.clone(), "it is equal".to_owned())]);
    let report = Report::new(&found, &results, &why);
    assert_eq!(report.unexplained, 1);
    let printed = report.to_string();
    assert!(printed.contains("MISSED\ta.rs:1\ta.rs f: < to <= in a < b\n"), "{printed}");
    assert!(printed.ends_with("\nall\t6\t1\t4\t1\t1\t2\t1\n"), "{printed}");
    drop(results);
    std::fs::write(&path, "other\n").unwrap();
    assert!(Results::open(&path).unwrap_err().to_string().contains("not results of this command"));
}
