//! Checks a few URLs against one robots.txt.

use robomata::{Access, Config, Crawler, Dialect, Policy, SitePolicy};

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private\nAllow: /private/press$\n";

pub(crate) fn main() {
    let policy = Policy::new(ROBOTS, &Config::new(Dialect::Rfc9309));
    let mut site = SitePolicy::new(&policy, &Crawler::new("ExampleBot"));

    for (url, expected, line) in [
        ("https://example.com/", Access::Allow, 0),
        ("https://example.com/private/plans", Access::Disallow, 2),
        ("https://example.com/private/press", Access::Allow, 3),
    ] {
        let answer = site.check(url.as_bytes());
        println!("{}\tline {}\t{url}", answer.as_str(), answer.line());
        assert_eq!((answer.as_str(), answer.line()), (expected.as_str(), line));
    }
}
