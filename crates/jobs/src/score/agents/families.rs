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
/// Not here, as these are judged like everybody:
///
/// * tokens that no request carries: Google-Extended, Applebot-Extended;
/// * AdsBot-Google, AdsBot-Google-Mobile, Mediapartners-Google and APIs-Google, which heed no group `*` (Google, List of
///   Google's special-case crawlers), and YandexDirect and its like, which read robots.txt in a way of their own (Yandex,
///   User-agent directive): RFC 9309 provides for neither;
/// * adidxbot and BingPreview, of which Bing's list of its crawlers says no more than their names.
pub const FAMILIES: &[Family] = &[
    Family { token: "Googlebot-*", falls_back_to: &["Googlebot"], source: GOOGLE },
    Family { token: "Google-InspectionTool", falls_back_to: &["Googlebot"], source: GOOGLE },
    Family { token: "GoogleOther-*", falls_back_to: &["GoogleOther"], source: GOOGLE },
    Family { token: "bingbot", falls_back_to: &["msnbot"], source: BING },
    Family { token: "Applebot", falls_back_to: &["Googlebot"], source: APPLE },
    Family { token: "Yandex*", falls_back_to: &["Yandex"], source: YANDEX },
    Family { token: "Baiduspider-*", falls_back_to: &["Baiduspider"], source: BAIDU },
];

/// Crawlers with several tokens, of which the most specific one counts.
const GOOGLE: &str = "Google, List of Google's common crawlers";
/// Its group counts before that of msnbot, whose directives it honours.
const BING: &str = "Bing Webmaster Blog, Bing crawler: bingbot on the horizon (2010)";
const APPLE: &str = "Apple, About Applebot";
/// One robot's group, then that of all of them, then `*`.
const YANDEX: &str = "Yandex Webmaster, The User-agent directive";
/// One robot a product, and all are Baiduspiders.
const BAIDU: &str = "Baidu, Baiduspider help center";

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
