//! Checks a few URLs against one robots.txt.

use robomata::Robots;

pub(crate) fn main() {
    let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$\n");
    let rules = robots.for_agent("ExampleBot");

    for (url, is_allowed, line) in [
        ("https://example.com/", true, None),
        ("https://example.com/private/plans", false, Some(2)),
        ("https://example.com/private/press", true, Some(3)),
    ] {
        let verdict = rules.check(url);
        println!("{verdict}\t{}\t{url}", verdict.reason());
        assert_eq!((verdict.is_allowed(), verdict.line()), (is_allowed, line));
    }
}
