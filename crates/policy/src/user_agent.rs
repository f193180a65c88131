//! Names of crawlers in text: product tokens as users write them, and User-Agent headers as programs send them.

use std::fmt;

use robomata_protocol::semantics::{NameBytes, QueryNames};
use robomata_protocol::{Crawler, Dialect, ProductToken, visible};
use robomata_syntax::{AgentName, agent_name, has_odd_bytes};

/// A crawler that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCrawler {
    /// The crawler.
    pub crawler: Crawler,
    /// How the text was interpreted, if that is not obvious: `read as GPTBot`.
    pub note: Option<String>,
}

/// The text does not name a crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrawlerNameError {
    /// There is no name, or an empty name in a list.
    Empty,
    /// The text is not a product token.
    NoProductToken(String),
    /// The text is the User-Agent header of a browser.
    Browser(String),
    /// The text is a User-Agent header that names another product after `compatible;`.
    Several {
        /// The text.
        text: String,
        /// The first product, and the other one.
        products: [String; 2],
    },
}

impl fmt::Display for CrawlerNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrawlerNameError::Empty => {
                f.write_str("the crawler's name is empty: expected a product token, such as Googlebot")
            }
            CrawlerNameError::NoProductToken(text) => write!(
                f,
                "'{}' is not a product token: expected one word of letters, digits, '-', '_' and '.', such as \
                 Googlebot-Image; several are separated by commas (only the dialects acap and yandex have names with \
                 spaces)",
                visible(text)
            ),
            CrawlerNameError::Browser(text) => write!(
                f,
                "'{}' names a browser, not a crawler: expected a product token, such as GPTBot, or a User-Agent that \
                 names the crawler after 'compatible;'",
                visible(text)
            ),
            CrawlerNameError::Several { text, products: [first, other] } => write!(
                f,
                "'{}' names {} and {}: expected the crawler's product token alone",
                visible(text),
                visible(first),
                visible(other)
            ),
        }
    }
}

impl std::error::Error for CrawlerNameError {}

/// Reads the crawler that a user's `text` names in `dialect`. The text is one of: a product token; several tokens
/// separated by commas, where those after the first are fallbacks; `*` for a crawler that no group names; or a
/// User-Agent header, which [`crawler_of_user_agent`] reduces to its crawler. In the dialect `acap`, a name may contain
/// spaces. In the dialect `google`, a name is used as given.
///
/// # Errors
/// When the text does not name a crawler: an empty text, a text that is not a product token, or the User-Agent of a
/// browser or of two products.
pub fn read_crawler(text: &str, dialect: Dialect) -> Result<NamedCrawler, CrawlerNameError> {
    let text = text.trim_ascii();
    if text.contains(['/', '(']) {
        return read_user_agent(text, dialect);
    }
    let crawler = Crawler::new(text);
    for token in crawler.tokens() {
        if token.as_str().is_empty() {
            return Err(CrawlerNameError::Empty);
        }
        if text != "*" && !is_name(token, dialect) {
            return Err(CrawlerNameError::NoProductToken(token.to_string()));
        }
    }
    let are_cut = dialect.semantics().query_names == QueryNames::Cut;
    let is_cut = |token: &ProductToken| !are_cut && !is_whole(token.as_str(), dialect);
    let unnamed = crawler.tokens().iter().find(|token| text != "*" && is_cut(token));
    let note = unnamed.map(|token| {
        format!(
            "'{token}' is used as given, but no group can name it: names in robots.txt end before any character but \
             letters, '-' and '_' (dialect {dialect})"
        )
    });
    let odd = || {
        let has_spaces = dialect.semantics().reads_acap || dialect.semantics().name_bytes == NameBytes::All;
        let is_odd =
            |token: &&ProductToken| has_spaces && text != "*" && has_odd_bytes(token.as_str().as_bytes());
        crawler.tokens().iter().find(is_odd).map(|token| {
            format!("'{token}' is used as given, with characters that product tokens do not have")
        })
    };
    let note = note.or_else(odd);
    Ok(NamedCrawler { crawler, note })
}

fn read_user_agent(text: &str, dialect: Dialect) -> Result<NamedCrawler, CrawlerNameError> {
    let crawler = crawler_of_user_agent(text);
    for token in crawler.tokens() {
        let token = token.as_str();
        if is_browser(token) {
            return Err(CrawlerNameError::Browser(text.to_owned()));
        }
        if token.is_empty() || !is_word(token, dialect) {
            return Err(CrawlerNameError::NoProductToken(text.to_owned()));
        }
    }
    let is_named =
        |name: &str| crawler.tokens().iter().any(|token| token.as_str().eq_ignore_ascii_case(name));
    let other = compatible(text).map(token_at).filter(|other| !other.is_empty() && is_word(other, dialect));
    if let Some(other) = other.filter(|other| !is_browser(other) && !is_named(other)) {
        let products = [crawler.to_string(), other.to_owned()];
        return Err(CrawlerNameError::Several { text: text.to_owned(), products });
    }
    let note = Some(format!("read as {crawler}"));
    Ok(NamedCrawler { crawler, note })
}

/// Names that browsers' User-Agent headers have in the position of a crawler's name.
const BROWSERS: [&str; 6] = ["Mozilla", "MSIE", "Opera", "Chrome", "Safari", "Firefox"];

/// Words about the system that some crawlers write before their name.
const SYSTEMS: [&str; 6] = ["U", "X11", "Linux", "Windows", "Macintosh", "Android"];

fn is_browser(token: &str) -> bool {
    BROWSERS.iter().any(|browser| token.eq_ignore_ascii_case(browser))
}

/// Whether `token` can name a crawler.
fn is_name(token: &ProductToken, dialect: Dialect) -> bool {
    let semantics = dialect.semantics();
    // ACAP compares whole names, including spaces (ACAP 1.0, 2.3.1).
    let is_any = semantics.query_names == QueryNames::Whole || semantics.name_bytes == NameBytes::All;
    if semantics.reads_acap || is_any {
        !token.as_str().contains(char::is_control)
    } else {
        is_whole(token.as_str(), dialect)
    }
}

/// Whether all of `token` is compared with the names in a file (`crates/DIALECTS.md`, G2).
fn is_whole(token: &str, dialect: Dialect) -> bool {
    agent_name(token.as_bytes(), dialect) == AgentName::Named(token.as_bytes())
}

/// Whether `token`, the first product of a header, is one word. That does not depend on how the dialect compares names,
/// but a name can have more kinds of bytes in some dialects.
fn is_word(token: &str, dialect: Dialect) -> bool {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let has_more = dialect.semantics().name_bytes == NameBytes::Token;
    token.bytes().all(is_of_word) || has_more && is_whole(token, dialect)
}

/// The crawler that `text` names: a product token, several tokens separated by commas (those after the first are
/// fallbacks), or a whole User-Agent (RFC 9110, section 10.1.5). The tokens of a list may have versions and comments:
/// `A/2.0,B/1.0` is `A,B`. The first product of a User-Agent counts:
/// `ExampleBot/2.1 (+https://example.com)` is `ExampleBot`. A User-Agent that begins like those of browsers names its
/// crawler after `compatible;`, if it has one, and after words about the system: `Mozilla/5.0 (compatible; ExampleBot/2.1)`,
/// `Mozilla/5.0 (compatible; Linux x86_64; ExampleBot/2.1)`.
pub fn crawler_of_user_agent(text: &str) -> Crawler {
    let text = text.trim_ascii();
    if !text.contains(['/', '(', ' ', '\t']) || is_list(text) {
        return Crawler::new(text);
    }
    Crawler::must(products(text).unwrap_or_else(|| vec![first_product(text)]))
}

/// The products of a list that is separated by commas outside parentheses; `None` for any other text.
fn products(text: &str) -> Option<Vec<ProductToken>> {
    let mut depth = 0_usize;
    let parts = text.split(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    });
    let products: Vec<ProductToken> = parts.map(only_product).collect::<Option<_>>()?;
    (products.len() > 1).then_some(products)
}

/// The product that is all of `part`, with a version and a comment if it has them.
fn only_product(part: &str) -> Option<ProductToken> {
    let part = part.trim_ascii();
    let (name, comment) = part.split_once('(').unwrap_or((part, ")"));
    let is_one = !name.trim_ascii().contains([' ', '\t']) && comment.ends_with(')');
    let product = first_product(part);
    (is_one && !product.as_str().is_empty() && !is_browser(product.as_str())).then_some(product)
}

/// The first product of a User-Agent, or the one that a browser's User-Agent names as compatible.
fn first_product(text: &str) -> ProductToken {
    let is_browsers = text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("mozilla/"));
    let compatible = if is_browsers { compatible(text) } else { None };
    ProductToken::new(token_at(compatible.unwrap_or(text)))
}

/// The token at the start of `product`.
fn token_at(product: &str) -> &str {
    let product = product.trim_ascii_start();
    &product[..product.find(['/', '(', ')', ';', ' ', '\t']).unwrap_or(product.len())]
}

/// Whether these are tokens separated by commas and optional blanks.
fn is_list(text: &str) -> bool {
    text.contains(',') && text.split(',').all(|token| !token.trim_ascii().contains(['/', '(', ' ', '\t']))
}

/// The text after the first `compatible;` of a User-Agent, without words about the system. None if nothing else is there.
fn compatible(text: &str) -> Option<&str> {
    const MARK: &str = "compatible;";
    let at =
        text.as_bytes().windows(MARK.len()).position(|word| word.eq_ignore_ascii_case(MARK.as_bytes()))?;
    let mut product = text.get(at + MARK.len()..)?;
    while SYSTEMS.iter().any(|system| system.eq_ignore_ascii_case(token_at(product))) {
        let end = product.find([';', ')'])?;
        product = product[end..].strip_prefix(';')?;
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents_name_their_crawlers() {
        let cases = [
            ("ExampleBot", "ExampleBot"),
            (" Googlebot-Image , Googlebot", "Googlebot-Image,Googlebot"),
            ("Opera, A;b", "Opera,A;b"),
            ("ExampleBot/2.1", "ExampleBot"),
            ("Scrapy/2.19 (+https://scrapy.org)", "Scrapy"),
            ("FigTree Robot libwww-perl/5.04", "FigTree"),
            ("Googlebot-Image/1.0,Googlebot/2.1", "Googlebot-Image,Googlebot"),
            ("A/1.0 (+https://a.example, x), B , C/3", "A,B,C"),
            ("A/1.0 (like Gecko, not), B/2 C/3", "A"),
            ("A/1.0, like Gecko", "A"),
            ("A/1.0,", "A"),
            ("A/1.0,Mozilla/5.0", "A"),
            ("A/1.0,Mozilla/5.0 (compatible; B/2)", "A,B"),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/1",
                "bingbot",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0", "Mozilla"),
            ("mozilla/4.0 (COMPATIBLE;Slurp)", "Slurp"),
            ("Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +https://help.example)", "Mail.RU_Bot"),
            ("Mozilla/5.0 (compatible; U; x11;AnyEvent-HTTP/2.24)", "AnyEvent-HTTP"),
            ("Mozilla/5.0 (compatible; Windows NT 10.0) Gecko; A/1.0", "Mozilla"),
            ("Mozilla/5.0 (compatible; Linux", "Mozilla"),
            ("Phone/2.0 (compatible; A/1.0)", "Phone"),
            ("A;B", "A;B"),
            ("", ""),
            ("*", "*"),
            ("(", ""),
            ("Mozilla/\u{e9}\u{e9}", "Mozilla"),
        ];
        for (text, expected) in cases {
            assert_eq!(crawler_of_user_agent(text).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn read_crawler_accepts_names_and_rejects_other_texts() {
        let read = |text, dialect| {
            let named = read_crawler(text, dialect)?;
            Ok::<_, CrawlerNameError>((named.crawler.to_string(), named.note))
        };
        let note = |text: &str| Some(text.to_owned());
        let user_agent = "Mozilla/5.0 (compatible; GPTBot/1.0)";
        for dialect in Dialect::ALL {
            assert_eq!(read("ExampleBot", dialect), Ok(("ExampleBot".to_owned(), None)));
            assert_eq!(read("*", dialect), Ok(("*".to_owned(), None)));
            assert_eq!(read(" a , b ", dialect), Ok(("a,b".to_owned(), None)));
            assert_eq!(read(user_agent, dialect), Ok(("GPTBot".to_owned(), note("read as GPTBot"))));
            assert_eq!(read("FooBot/2.1", dialect), Ok(("FooBot".to_owned(), note("read as FooBot"))));
            let list = read("Googlebot-Image/1.0,Googlebot/2.1", dialect);
            assert_eq!(
                list,
                Ok(("Googlebot-Image,Googlebot".to_owned(), note("read as Googlebot-Image,Googlebot")))
            );
            for text in ["", " ", ",", "a,", "a,,b"] {
                assert_eq!(read(text, dialect), Err(CrawlerNameError::Empty), "{text}");
            }
            for text in [
                "Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0",
                "Mozilla/5.0",
                "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)",
                "Mozilla/5.0 (compatible; Linux)",
                "Opera/9.80 (Windows NT 6.1)",
                "Chrome/54.0 (compatible; A/1.0)",
            ] {
                assert_eq!(read(text, dialect), Err(CrawlerNameError::Browser(text.to_owned())));
            }
            let several = read("Phone/2.0 (c100) (compatible; U; A/1.0)", dialect).unwrap_err().to_string();
            assert!(
                several.contains("names Phone and A: expected the crawler's product token alone"),
                "{several}"
            );
            for (text, one) in [
                ("A/1.0 (compatible; a/1.0)", "A"),
                ("A/1.0 (compatible; MSIE 6.0)", "A"),
                ("A/1.0 (compatible; Mozilla/5.0; B/2)", "A"),
                ("A/1.0 (compatible; +https://a.example)", "A"),
                ("A/1.0 (compatible;)", "A"),
                ("A/1.0 (compatible; Linux)", "A"),
                ("A/1.0,Mozilla/5.0 (compatible; B/2)", "A,B"),
            ] {
                assert_eq!(read(text, dialect), Ok((one.to_owned(), note(&format!("read as {one}")))));
            }
            for text in ["/", "(", "Mozilla/5.0 (compatible; \u{e9}/1.0)", "Mozilla/5.0 (compatible;)"] {
                assert_eq!(read(text, dialect), Err(CrawlerNameError::NoProductToken(text.to_owned())));
            }
        }
    }

    #[test]
    fn valid_names_depend_on_the_dialect() {
        let read = |text, dialect| read_crawler(text, dialect).map(|named| named.crawler.to_string());
        let refused = |text: &str| Err(CrawlerNameError::NoProductToken(text.to_owned()));
        for text in ["Google bot", "Googlebot\u{e9}", "\"Googlebot\""] {
            assert_eq!(read(text, Dialect::Rfc9309), refused(text));
            assert_eq!(read(text, Dialect::Koster1996), refused(text));
            assert_eq!(read(text, Dialect::Acap), Ok(text.to_owned()));
            assert_eq!(read(text, Dialect::Google), Ok(text.to_owned()));
            let note = |dialect| read_crawler(text, dialect).unwrap().note;
            let is_odd = text != "Google bot";
            assert_eq!(note(Dialect::Acap).is_some(), is_odd, "{text}");
            assert_eq!(note(Dialect::Yandex).is_some(), is_odd, "{text}");
        }
        assert_eq!(read("Googlebot,Google bot", Dialect::Rfc9309), refused("Google bot"));
        assert_eq!(read("Google\nbot", Dialect::Acap), refused("Google\nbot"));
        assert_eq!(read("foo*bot", Dialect::Rfc9309), refused("foo*bot"));
        assert_eq!(read("foo*bot", Dialect::Koster1996), Ok("foo*bot".to_owned()));
        assert_eq!(read("MJ12bot", Dialect::Rfc9309), Ok("MJ12bot".to_owned()));
        let note = read_crawler("MJ12bot", Dialect::Google).unwrap().note.unwrap();
        assert!(note.starts_with("'MJ12bot' is used as given"), "{note}");
    }
}
