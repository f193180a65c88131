//! Programs that use another parser can switch in two lines: `docs/library.md`.

const ROBOTS: &str = "User-agent: *\nDisallow: /private\nAllow: /private/press$\nCrawl-delay: 2\n\n\
                      User-agent: OtherBot\nDisallow: /\n\nSitemap: https://example.com/sitemap.xml\n";

const PATHS: [(&str, bool); 4] =
    [("/", true), ("/private", false), ("/private/press", true), ("/private/a", false)];

#[test]
fn texting_robots() {
    let before = texting_robots::Robot::new("ExampleBot", ROBOTS.as_bytes()).unwrap();
    let after = robomata::Robots::parse(ROBOTS).for_agent("ExampleBot");
    for (path, is_allowed) in PATHS {
        assert_eq!((before.allowed(path), after.is_allowed(path)), (is_allowed, is_allowed), "{path}");
    }
    assert_eq!(before.delay, after.crawl_delay().map(|delay| delay.as_secs_f32()));
    assert_eq!(before.sitemaps, after.robots().sitemaps().collect::<Vec<_>>());
    let url = "https://example.com/a?b";
    assert_eq!(texting_robots::get_robots_url(url).unwrap(), robomata::robots_txt_url(url).unwrap());
}

#[test]
fn robotxt() {
    let before = robotxt::Robots::parse(ROBOTS.as_bytes(), "ExampleBot");
    let after = robomata::Robots::parse(ROBOTS).for_agent("ExampleBot");
    for (path, is_allowed) in PATHS {
        assert_eq!((before.is_allowed(path), after.is_allowed(path)), (is_allowed, is_allowed), "{path}");
    }
    let sitemaps: Vec<&str> = before.sitemaps().iter().map(robotxt::url::Url::as_str).collect();
    assert_eq!(sitemaps, after.robots().sitemaps().collect::<Vec<_>>());
}
