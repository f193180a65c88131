use robomata_protocol::{Crawler, Dialect, ProductToken};

use super::{both, check, differ, summary};
use crate::judge;

#[test]
fn only_rules_end_the_list_of_names() {
    for between in ["", "\n\n", "Sitemap: /s\n", "Crawl-delay: 1\n", "Whatever: 1\n", "# x\n", "no record\n"]
    {
        let robots = format!("User-agent: a\n{between}User-agent: b\nDisallow: /x\n");
        let line = 3 + between.matches('\n').count();
        check("a", &[both(&robots, "/x", &format!("disallow {line}"))]);
        check("b", &[both(&robots, "/x", &format!("disallow {line}"))]);
    }
    for between in ["Allow: /y\n", "Disallow: /y\n", "Disallow:\n", "Allow\t:\n"] {
        let robots = format!("User-agent: a\n{between}User-agent: b\nDisallow: /x\n");
        check("b", &[both(&robots, "/x", "disallow 4")]);
        let google = if between.ends_with(":\n") { "allow 2" } else { "allow 0" };
        check("a", &[differ(&robots, "/x", "allow 0", google)]);
    }
}

#[test]
fn blank_lines_and_other_records_do_not_end_a_group() {
    let robots = "User-agent: a\nDisallow: /x\n\n\nSitemap: /s\n\nDisallow: /y\n";
    check("a", &[both(robots, "/x", "disallow 2"), both(robots, "/y", "disallow 7")]);
}

#[test]
fn g1_rules_before_any_group_are_ignored() {
    let robots = "Disallow: /\nAllow: /a\nUser-agent: *\nDisallow: /b\n";
    check("FooBot", &[both(robots, "/a", "allow 0"), both(robots, "/b", "disallow 4")]);
    check("FooBot", &[both("Disallow: /\n", "/a", "allow 0")]);
    // Nor do they end a list of names that has not begun.
    check("b", &[both("Disallow: /\nUser-agent: a\nUser-agent: b\nDisallow: /b\n", "/b", "disallow 4")]);
}

#[test]
fn g2_which_names_mean_every_crawler() {
    for (value, rfc9309, google) in [
        ("*", "disallow 2", "disallow 2"),
        ("* ", "disallow 2", "disallow 2"),
        ("* and more", "disallow 2", "disallow 2"),
        ("*\tx", "disallow 2", "disallow 2"),
        ("*\x0Bx", "allow 0", "disallow 2"),
        ("*\x0Cx", "allow 0", "disallow 2"),
        ("*x", "allow 0", "allow 0"),
        ("**", "allow 0", "allow 0"),
        ("*,FooBot", "allow 0", "allow 0"),
        ("", "allow 0", "allow 0"),
    ] {
        check("FooBot", &[differ(&format!("User-agent: {value}\nDisallow: /"), "/", rfc9309, google)]);
    }
}

#[test]
fn g2_the_name_in_the_file_is_cut() {
    for (value, crawler, rfc9309, google) in [
        ("FooBot", "foobot", "disallow 2", "disallow 2"),
        ("FooBot/2.1", "FooBot", "disallow 2", "disallow 2"),
        ("FooBot Images", "FooBot", "disallow 2", "disallow 2"),
        ("FooBot, BarBot", "FooBot", "disallow 2", "disallow 2"),
        ("FooBot, BarBot", "BarBot", "allow 0", "allow 0"),
        ("FooBot*", "FooBot", "disallow 2", "disallow 2"),
        ("Foo_Bot-x", "FOO_BOT-X", "disallow 2", "disallow 2"),
        ("MJ12bot", "MJ12bot", "disallow 2", "allow 0"),
        ("MJ12bot", "MJ", "allow 0", "disallow 2"),
        ("AI2Bot", "ai2bot", "disallow 2", "allow 0"),
        ("archive.org_bot", "archive.org_bot", "disallow 2", "allow 0"),
        ("archive.org_bot", "archive", "allow 0", "disallow 2"),
        ("Jävla", "J", "disallow 2", "disallow 2"),
    ] {
        check(crawler, &[differ(&format!("User-agent: {value}\nDisallow: /"), "/", rfc9309, google)]);
    }
}

#[test]
fn g2_an_empty_name_opens_a_group_and_names_no_crawler() {
    let robots = "User-agent: *\nDisallow: /a\nUser-agent:\nDisallow: /b\n";
    check("FooBot", &[both(robots, "/a", "disallow 2"), both(robots, "/b", "allow 0")]);
    // Under google the empty name equals an empty name.
    check(
        "",
        &[differ(robots, "/a", "disallow 2", "allow 0"), differ(robots, "/b", "allow 0", "disallow 4")],
    );
    let robots = "User-agent: /x\nUser-agent: FooBot\nDisallow: /b\n";
    check("FooBot", &[both(robots, "/b", "disallow 3")]);
}

#[test]
fn g3_the_name_of_the_caller() {
    let robots = "User-agent: *\nDisallow: /a\nUser-agent: FooBot\nDisallow: /b\n";
    check("  FooBot ", &[both(robots, "/b", "disallow 4")]);
    for crawler in ["FooBot/2.1", "FooBot Images"] {
        check(
            crawler,
            &[differ(robots, "/b", "disallow 4", "allow 0"), differ(robots, "/a", "allow 0", "disallow 2")],
        );
    }
    for crawler in ["*", "/x", "Foo", "FooBotX"] {
        check(crawler, &[both(robots, "/a", "disallow 2"), both(robots, "/b", "allow 0")]);
    }
}

#[test]
fn g4_whole_names_without_ascii_case() {
    let robots = "User-agent: fOObOT\nDisallow: /\n";
    check("FooBot", &[both(robots, "/", "disallow 2")]);
    check("FooBo", &[both(robots, "/", "allow 0")]);
    check("FooBots", &[both(robots, "/", "allow 0")]);
}

#[test]
fn g5_several_names_of_the_caller() {
    let robots =
        "User-agent: Images\nDisallow: /a\nUser-agent: Foo\nDisallow: /b\nUser-agent: *\nDisallow: /c\n";
    for crawler in ["Images,Foo", "None,Images,Foo", ",Images,Foo"] {
        check(
            crawler,
            &[
                both(robots, "/a", "disallow 2"),
                differ(robots, "/b", "allow 0", "disallow 4"),
                both(robots, "/c", "allow 0"),
            ],
        );
    }
    check("Foo,Images", &[differ(robots, "/a", "allow 0", "disallow 2"), both(robots, "/b", "disallow 4")]);
    check("Nobody,None", &[both(robots, "/c", "disallow 6"), both(robots, "/a", "allow 0")]);
    // The first token's group decides even if it is empty.
    let robots = "User-agent: Foo\nDisallow: /b\nUser-agent: Images\n";
    check("Images,Foo", &[differ(robots, "/b", "allow 0", "disallow 2")]);
}

#[test]
fn g5_a_token_may_hold_a_comma() {
    let crawler = Crawler::must(vec![ProductToken::new("Foo,Bar")]);
    let robots = b"User-agent: Foo\nDisallow: /\n";
    assert_eq!(summary(judge(robots, None, &crawler, Dialect::Rfc9309, b"/")), "disallow 2");
    assert_eq!(summary(judge(robots, None, &crawler, Dialect::Google, b"/")), "allow 0");
}

#[test]
fn g6_groups_of_one_name_merge_in_file_order() {
    let robots = "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /z\nUser-agent: A\nDisallow: /y\nDisallow: /x\n";
    check(
        "a",
        &[both(robots, "/x", "disallow 2"), both(robots, "/y", "disallow 6"), both(robots, "/z", "allow 0")],
    );
    let robots = "User-agent: *\nDisallow: /x\nUser-agent: b\nDisallow: /z\nUser-agent: *\nDisallow: /y\n";
    check("a", &[both(robots, "/x", "disallow 2"), both(robots, "/y", "disallow 6")]);
}

#[test]
fn g7_own_group_then_everyone_then_no_rule() {
    let robots = "User-agent: *\nDisallow: /\n\nUser-agent: FooBot\n";
    check("FooBot", &[both(robots, "/", "allow 0")]);
    check("BarBot", &[both(robots, "/", "disallow 2")]);
    let robots = "User-agent: FooBot\nDisallow: /\n";
    check("BarBot", &[both(robots, "/", "allow 0")]);
    // If no rule of the own group matches, `*` does not apply.
    let robots = "User-agent: *\nDisallow: /\nUser-agent: FooBot\nDisallow: /x\n";
    check("FooBot", &[both(robots, "/", "allow 0")]);
}

#[test]
fn a_group_of_everyone_and_a_name_serves_both() {
    let robots = "User-agent: *\nUser-agent: FooBot\nDisallow: /a\nUser-agent: *\nDisallow: /b\n";
    check("FooBot", &[both(robots, "/a", "disallow 3"), both(robots, "/b", "allow 0")]);
    check("BarBot", &[both(robots, "/a", "disallow 3"), both(robots, "/b", "disallow 5")]);
}
