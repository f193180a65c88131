//! A small fixed corpus for measuring robomata's own parts. It is shared by the program here, whose instructions are
//! counted, and by the benchmarks of `robomata-benches`.

use robomata_corpus::{Order, Spec};
use robomata_engine::{
    Audience, Config, Crawler, Dialect, Policy, PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind,
    Usage, UsageQuery,
};

/// Fields about crawl and about a usage, of which two match every URL.
const FIELDS: &[u8] = b"
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-disallow-crawl: /private/
ACAP-allow-preserve: / time-limit=until-2030-01-01
ACAP-disallow-preserve: /news/
ACAP-disallow-index: /search
";

/// Files and URLs generated from a fixed seed.
#[derive(Clone, Debug)]
pub struct Small {
    /// The files.
    pub bodies: Vec<Vec<u8>>,
    /// URLs.
    pub urls: Vec<String>,
    /// For each URL: the file of its site.
    pub body_of: Vec<usize>,
}

impl Small {
    /// The corpus: a few hundred files, a few thousand URLs, site after site.
    pub fn new() -> Self {
        let spec = Spec::new(2).with_sites(200).with_distinct_policies(150).with_urls(4_000);
        Small::generate(spec, Order::Grouped)
    }

    /// A corpus of many sites, with URLs in random order: consecutive URLs have different policies.
    pub fn shuffled() -> Self {
        let spec = Spec::new(3).with_sites(8_000).with_distinct_policies(4_000).with_urls(8_000);
        Small::generate(spec, Order::Shuffled)
    }

    fn generate(spec: Spec, order: Order) -> Self {
        let bodies = (0..spec.distinct_policies).map(|policy| {
            let mut body = Vec::new();
            spec.body(policy, &mut body);
            body
        });
        let mut small = Small { bodies: bodies.collect(), urls: Vec::new(), body_of: Vec::new() };
        let mut urls = spec.frontier(order);
        while let Some((site, url)) = urls.next() {
            let body = usize::try_from(spec.policy_of(site)).expect("a small corpus");
            small.urls.push(String::from_utf8_lossy(url).into_owned());
            small.body_of.push(body);
        }
        small
    }

    /// One file whose groups share names, so that the rules of all crawlers together are much larger than the file.
    pub fn groups() -> Self {
        let mut body = String::new();
        for group in 0..120 {
            let names = (0..48)
                .filter(|name| (group * group * 31 + name * name * 17 + group * name * 13) / 8 % 7 < 3);
            names.for_each(|name| body.push_str(&format!("User-agent: {}\n", Small::name(name))));
            body.push_str(&format!("Disallow: /{group}/\nDisallow: /*/{}$\nAllow: /news\n", group % 10));
        }
        let urls: Vec<String> = (0..500)
            .map(|n| {
                format!("https://a.example/{}/{}/{n}/{}", ["news", "shop", "12"][n % 3], n % 130, n % 12)
            })
            .collect();
        Small { bodies: vec![body.into_bytes()], body_of: vec![0; urls.len()], urls }
    }

    /// The crawlers of [`Small::groups`].
    pub fn crawlers() -> Vec<Crawler> {
        [0, 1, 2, 3, 4, 99].map(|name| Crawler::new(&Small::name(name))).to_vec()
    }

    /// A name that consists of letters.
    fn name(number: usize) -> String {
        format!("bot{}", "x".repeat(number))
    }

    /// How the files are read.
    pub fn config() -> Config {
        Config::new(Dialect::Rfc9309)
    }

    /// The crawler of all checks.
    pub fn crawler() -> Crawler {
        Crawler::new("Googlebot")
    }

    /// The files, parsed.
    pub fn policies(&self) -> Vec<Policy<'_>> {
        self.bodies.iter().map(|body| Policy::new(body, &Small::config())).collect()
    }

    /// A store of the URLs' sites for [`Small::crawler`].
    pub fn store(&self) -> PolicyStore {
        self.store_for(&[Small::crawler()])
    }

    /// A store of the URLs' sites.
    pub fn store_for(&self, crawlers: &[Crawler]) -> PolicyStore {
        self.store_of(&StoreKind::new(Dialect::Rfc9309, crawlers.to_vec()), &self.policies())
    }

    /// A store of the URLs' sites that answers about crawl and `usage`, with ACAP fields in every file.
    pub fn store_with_fields(&self, usage: Usage) -> PolicyStore {
        let kind = StoreKind::new(Dialect::Acap, vec![Small::crawler()]);
        let kind = StoreKind { usage_query: UsageQuery { usage, purpose: None }, ..kind };
        let bodies: Vec<Vec<u8>> = self.bodies.iter().map(|body| [body, FIELDS].concat()).collect();
        let config = Config::new(Dialect::Acap);
        let policies: Vec<Policy<'_>> = bodies.iter().map(|body| Policy::new(body, &config)).collect();
        self.store_of(&kind, &policies)
    }

    /// A store of the URLs' sites for every crawler.
    pub fn store_for_all(&self) -> PolicyStore {
        self.store_of(&StoreKind::new(Dialect::Rfc9309, Audience::Everyone), &self.policies())
    }

    fn store_of(&self, kind: &StoreKind, policies: &[Policy<'_>]) -> PolicyStore {
        let mut compiler = PolicyCompiler::new(kind);
        let mut builder = StoreBuilder::new(kind.clone());
        for (url, &body) in self.urls.iter().zip(&self.body_of) {
            if let Ok(site) = Site::of_url(url.as_bytes()) {
                builder.insert(&site, &compiler.compile(&policies[body]), None);
            }
        }
        builder.build()
    }
}

impl Default for Small {
    fn default() -> Self {
        Small::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_corpus_has_both_verdicts() {
        let small = Small::new();
        let store = small.store();
        let answers = store.check_batch(&Small::crawler(), &small.urls).unwrap();
        for word in ["allow", "disallow"] {
            assert!(answers.iter().any(|answer| answer.as_str() == word), "{word}");
        }
    }
}
