//! Crawlers and their product tokens.

use std::fmt;
use std::str::FromStr;

/// The name of a crawler, as its operator gives it, e.g. `Googlebot-Image` (RFC 9309, section 2.2.1).
///
/// The name is stored as given, without surrounding white space. The dialect decides how much of it is compared
/// (`crates/DIALECTS.md`, G3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductToken(String);

impl ProductToken {
    /// The token `name` without surrounding white space. It may be empty: then only the group `*` applies to it.
    pub fn new(name: &str) -> Self {
        ProductToken(name.trim_ascii().to_owned())
    }

    /// The token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A crawler: its product token and the fallback tokens, most specific first.
///
/// `Googlebot-Image,Googlebot` obeys the group of `Googlebot-Image` if the site has one, otherwise that of `Googlebot`
/// (`crates/DIALECTS.md`, G5). The `google` dialect merges the two groups.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Crawler {
    tokens: Vec<ProductToken>,
}

impl Crawler {
    /// The crawler with these tokens, in lookup order. It needs at least one token.
    ///
    /// # Panics
    /// When `tokens` is empty.
    pub fn must(tokens: Vec<ProductToken>) -> Self {
        assert!(!tokens.is_empty(), "a crawler has at least one product token");
        Crawler { tokens }
    }

    /// The crawler that `list` names: product tokens separated by commas.
    pub fn new(list: &str) -> Self {
        Crawler { tokens: list.split(',').map(ProductToken::new).collect() }
    }

    /// Whether `other` has the same tokens. Case does not matter in any dialect (`crates/DIALECTS.md`, G4).
    pub fn is_called(&self, other: &Crawler) -> bool {
        let same = |(token, other): (&ProductToken, &ProductToken)| token.0.eq_ignore_ascii_case(&other.0);
        self.tokens.len() == other.tokens.len() && self.tokens.iter().zip(&other.tokens).all(same)
    }

    /// The product tokens, most specific first; never empty.
    pub fn tokens(&self) -> &[ProductToken] {
        &self.tokens
    }
}

impl FromStr for Crawler {
    type Err = std::convert::Infallible;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        Ok(Crawler::new(list))
    }
}

impl fmt::Display for Crawler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, token) in self.tokens.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{token}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_order_and_loses_its_white_space() {
        let crawler = Crawler::new(" Googlebot-Image , Googlebot");
        let tokens: Vec<_> = crawler.tokens().iter().map(ProductToken::as_str).collect();
        assert_eq!(tokens, ["Googlebot-Image", "Googlebot"]);
        assert_eq!(crawler.to_string(), "Googlebot-Image,Googlebot");
    }

    #[test]
    fn case_makes_no_other_crawler() {
        let is_called = |one: &str, other: &str| Crawler::new(one).is_called(&Crawler::new(other));
        assert!(is_called("Googlebot-Image,Googlebot", "googlebot-image, GOOGLEBOT"));
        assert!(!is_called("Googlebot-Image,Googlebot", "Googlebot-Image"));
        assert!(!is_called("Googlebot", "Googlebots"));
    }

    #[test]
    fn the_empty_list_is_one_empty_token() {
        assert_eq!(Crawler::new("").tokens(), [ProductToken::new("")]);
    }
}
