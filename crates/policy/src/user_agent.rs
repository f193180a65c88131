//! Who asks, where it is said as a user agent: what programs send, and what libraries have long taken for a crawler's name.

use robomata_protocol::{Crawler, ProductToken};

/// The crawler that `text` names: a product token, tokens separated by commas (those behind the first are fallen back
/// to), or a whole User-Agent (RFC 9110, section 10.1.5), of which the first product counts: `ExampleBot/2.1
/// (+https://example.com)` is `ExampleBot`. A User-Agent that begins as those of browsers do names its crawler behind
/// `compatible;`, if it has one: `Mozilla/5.0 (compatible; ExampleBot/2.1)`.
pub fn crawler_of_user_agent(text: &str) -> Crawler {
    let text = text.trim_ascii();
    if !text.contains(['/', '(', ' ', '\t']) || is_list(text) {
        return Crawler::new(text);
    }
    let product = compatible(text).unwrap_or(text).trim_ascii_start();
    let end = product.find(['/', '(', ')', ';', ' ', '\t']).unwrap_or(product.len());
    Crawler::must(vec![ProductToken::new(&product[..end])])
}

/// Are these tokens with commas between them, and perhaps blanks?
fn is_list(text: &str) -> bool {
    text.contains(',') && text.split(',').all(|token| !token.trim_ascii().contains(['/', '(', ' ', '\t']))
}

/// What stands behind the first `compatible;` of a browser's User-Agent.
fn compatible(text: &str) -> Option<&str> {
    const MARK: &str = "compatible;";
    text.get(..8).filter(|start| start.eq_ignore_ascii_case("mozilla/"))?;
    let at =
        text.as_bytes().windows(MARK.len()).position(|word| word.eq_ignore_ascii_case(MARK.as_bytes()))?;
    text.get(at + MARK.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents_name_their_crawlers() {
        let cases = [
            ("ExampleBot", "ExampleBot"),
            (" Googlebot-Image , Googlebot", "Googlebot-Image,Googlebot"),
            ("ExampleBot/2.1", "ExampleBot"),
            ("Scrapy/2.19 (+https://scrapy.org)", "Scrapy"),
            ("FigTree Robot libwww-perl/5.04", "FigTree"),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/1",
                "bingbot",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0", "Mozilla"),
            ("mozilla/4.0 (COMPATIBLE;Slurp)", "Slurp"),
            ("", ""),
            ("*", "*"),
            ("(", ""),
            ("Mozilla/\u{e9}\u{e9}", "Mozilla"),
        ];
        for (text, expected) in cases {
            assert_eq!(crawler_of_user_agent(text).to_string(), expected, "{text}");
        }
    }
}
