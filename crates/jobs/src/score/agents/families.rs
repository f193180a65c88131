//! Crawlers that obey the groups of other names if no group names them, according to their operators' public documents.

use robomata_engine::{Crawler, ProductToken};

/// A crawler, or all crawlers with a prefix, and the tokens that they fall back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The product token, or its prefix followed by `*`; compared without case.
    pub token: &'static str,
    /// The tokens to try next, in this order.
    pub falls_back_to: &'static [&'static str],
    /// The document that says so.
    pub source: &'static str,
}

/// The families; the first match counts.
///
/// These are not listed, since they are judged like every other crawler:
///
/// * tokens that no request carries: Google-Extended, Applebot-Extended;
/// * AdsBot-Google, AdsBot-Google-Mobile, Mediapartners-Google and APIs-Google, which ignore the group `*` (Google, List
///   of Google's special-case crawlers);
/// * YandexDirect and similar robots, which interpret robots.txt in their own way (Yandex, User-agent directive);
/// * adidxbot and BingPreview, because Bing's list of its crawlers has only their names.
///
/// RFC 9309 does not provide for the second and the third case.
pub const FAMILIES: &[Family] = &[
    Family { token: "Googlebot-*", falls_back_to: &["Googlebot"], source: GOOGLE },
    Family { token: "Google-InspectionTool", falls_back_to: &["Googlebot"], source: GOOGLE },
    Family { token: "GoogleOther-*", falls_back_to: &["GoogleOther"], source: GOOGLE },
    Family { token: "bingbot", falls_back_to: &["msnbot"], source: BING },
    Family { token: "Applebot", falls_back_to: &["Googlebot"], source: APPLE },
    Family { token: "Yandex*", falls_back_to: &["Yandex"], source: YANDEX },
    Family { token: "Baiduspider-*", falls_back_to: &["Baiduspider"], source: BAIDU },
];

/// These crawlers have several tokens, and the most specific one counts.
const GOOGLE: &str = "Google, List of Google's common crawlers";
/// Its own group comes before that of msnbot, whose directives it honours.
const BING: &str = "Bing Webmaster Blog, Bing crawler: bingbot on the horizon (2010)";
const APPLE: &str = "Apple, About Applebot";
/// The robot's own group comes first, then the group of all Yandex robots, then `*`.
const YANDEX: &str = "Yandex Webmaster, The User-agent directive";
/// Each product has its own robot, and all of them are Baiduspiders.
const BAIDU: &str = "Baidu, Baiduspider help center";

/// The crawler with the product token `name` and the tokens that it falls back to.
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
