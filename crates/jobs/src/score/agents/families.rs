//! Crawlers that obey the groups of others where they have none of their own, by their operators' public documents.

use robomata::{Crawler, ProductToken};

/// A crawler, or all whose names begin so, and the tokens it falls back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The product token, or with a `*` at its end what it begins with; compared without case.
    pub token: &'static str,
    /// The tokens that are asked next, in this order.
    pub falls_back_to: &'static [&'static str],
    /// Whose document says so.
    pub source: &'static str,
}

/// The families; the first that fits counts.
///
/// Not here: tokens that no request carries (Google-Extended, Applebot-Extended), and that AdsBot-Google and
/// Mediapartners-Google heed no group `*`, which RFC 9309 does not provide for: they are judged by it like everybody.
pub const FAMILIES: &[Family] = &[
    Family { token: "Googlebot-*", falls_back_to: &["Googlebot"], source: GOOGLE },
    Family { token: "Google-InspectionTool", falls_back_to: &["Googlebot"], source: GOOGLE },
    Family { token: "GoogleOther-*", falls_back_to: &["GoogleOther"], source: GOOGLE },
    Family { token: "bingbot", falls_back_to: &["msnbot"], source: BING },
    Family { token: "BingPreview", falls_back_to: &["bingbot", "msnbot"], source: BING },
    Family { token: "adidxbot", falls_back_to: &["bingbot", "msnbot"], source: BING },
    Family { token: "msnbot-*", falls_back_to: &["msnbot"], source: BING },
    Family { token: "Applebot", falls_back_to: &["Googlebot"], source: APPLE },
    Family { token: "Yandex*", falls_back_to: &["Yandex"], source: YANDEX },
    Family { token: "Baiduspider-*", falls_back_to: &["Baiduspider"], source: BAIDU },
];

const GOOGLE: &str = "Google, List of Google crawlers and fetchers";
const BING: &str = "Bing Webmaster Guidelines, Which crawlers does Bing use";
const APPLE: &str = "Apple, About Applebot";
const YANDEX: &str = "Yandex, User-agent directive";
const BAIDU: &str = "Baidu, Baiduspider help";

/// The crawler of product token `name`, with the tokens it falls back to.
pub fn crawler(name: &str) -> Crawler {
    let family = FAMILIES.iter().find(|family| family.fits(name));
    let others = family.map_or(&[][..], |family| family.falls_back_to);
    let others = others.iter().copied().filter(|other| !other.eq_ignore_ascii_case(name));
    Crawler::must(std::iter::once(name).chain(others).map(ProductToken::new).collect())
}

impl Family {
    fn fits(&self, name: &str) -> bool {
        match self.token.strip_suffix('*') {
            Some(start) => name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
            None => self.token.eq_ignore_ascii_case(name),
        }
    }
}
