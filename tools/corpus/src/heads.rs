//! The policies that very many sites share, most shared first: the defaults of hosting companies, shop systems and blog
//! systems.
//!
//! They are few and make up a third of a collection, so their sizes are fixed, not random.

use crate::profile::Everyone;

/// A policy of many sites.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) everyone: Everyone,
    pub(crate) named: u64,
    pub(crate) stars: u64,
    /// Records and comments before the groups.
    pub(crate) before: &'static str,
    /// Records that begin the group for everyone.
    pub(crate) within: &'static str,
    /// Records after the groups.
    pub(crate) after: &'static str,
    pub(crate) line_end: &'static str,
    /// The whole text, for policies that are hardly more than a line.
    pub(crate) whole: Option<&'static str>,
}

const PLAIN: Head = Head {
    everyone: Everyone::Unrestricted,
    named: 0,
    stars: 1,
    before: "",
    within: "",
    after: "",
    line_end: "\n",
    whole: None,
};

const BLOG: &str = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n";
const SITEMAP: &str = "\nSitemap: https://www.many-sites.example/sitemap.xml\n";
const SYSTEM: &str = "#\n# This file tells automated visitors which parts of the site are of no use to them.\n\
    # It has to be at the root of the host, nowhere else.\n# Whoever changes it should know what a longer path does.\n#\n\n";
const RATES: &str = "User-agent: MJ12bot\nRequest-rate: 6/1m\nCrawl-delay: 10\nUser-agent: AhrefsBot\nRequest-rate: 6/1m\n\
    Crawl-delay: 10\nUser-agent: SemrushBot\nRequest-rate: 6/1m\nCrawl-delay: 10\nUser-agent: DotBot\nRequest-rate: 6/1m\n\
    Crawl-delay: 10\nUser-agent: BLEXBot\nRequest-rate: 6/1m\nCrawl-delay: 10\nUser-agent: PetalBot\nRequest-rate: 6/1m\n\
    Crawl-delay: 10\nUser-agent: SeznamBot\nRequest-rate: 6/1m\nCrawl-delay: 10\nUser-agent: *\nRequest-rate: 30/1m\n";

/// The heads, most shared first.
pub(crate) const HEADS: [Head; 17] = [
    Head { everyone: Everyone::Rules(6), named: 8, stars: 1, after: SITEMAP, ..PLAIN },
    Head {
        everyone: Everyone::Rules(23),
        named: 3,
        stars: 0,
        within: "Crawl-delay: 20\n",
        after: SITEMAP,
        line_end: "\r\n",
        ..PLAIN
    },
    Head { whole: Some(BLOG), everyone: Everyone::Rules(2), ..PLAIN },
    Head { everyone: Everyone::Rules(2), stars: 2, within: "Crawl-delay: 10\n", ..PLAIN },
    Head { everyone: Everyone::Rules(52), before: SYSTEM, ..PLAIN },
    Head { whole: Some(RATES), ..PLAIN },
    Head { whole: Some("User-agent: *\nDisallow:\n"), ..PLAIN },
    Head { everyone: Everyone::Rules(68), before: SYSTEM, within: "Crawl-delay: 10\n", ..PLAIN },
    Head { everyone: Everyone::Rules(235), named: 32, stars: 0, before: "\u{feff}", ..PLAIN },
    Head {
        everyone: Everyone::Rules(12),
        named: 1,
        after: "\nHost: www.many-sites.example\nSitemap: https://www.many-sites.example/sitemap.xml\n",
        ..PLAIN
    },
    Head { whole: Some("User-agent: *\nAllow: /\n"), everyone: Everyone::Open, ..PLAIN },
    Head { everyone: Everyone::Unrestricted, named: 1, ..PLAIN },
    Head { whole: Some("User-agent: *\nDisallow: /\n"), everyone: Everyone::Closed, ..PLAIN },
    Head { everyone: Everyone::Rules(44), before: SYSTEM, ..PLAIN },
    Head { everyone: Everyone::Rules(351), named: 3, line_end: "\r\n", ..PLAIN },
    Head { everyone: Everyone::Rules(15), stars: 0, before: SYSTEM, ..PLAIN },
    Head { whole: Some("User-agent: *\nDisallow: /wp-admin/\n\n"), everyone: Everyone::Rules(1), ..PLAIN },
];
