//! Finds product tokens in a User-Agent (RFC 9110, section 10.1.5), including those in its comments.

/// Products that are components of browsers and programs, and words in their comments. They are not names of crawlers.
const NO_CRAWLERS: &str = "mozilla opera applewebkit khtml like gecko chrome chromium safari firefox version mobile \
    edge edg opr trident msie compatible windows macintosh linux x11 android iphone ipad ipod u en en-us nt intel mac \
    os cpu wow64 win64 x64 build presto ubuntu headlesschrome * all user-agent http https www bot crawler spider \
    rv i386 i586 i686 x86_64 amd64 sv1 infopath infopath.1 infopath.2 chromeframe digext aol aolbuild maxthon silk gsa \
    ucbrowser seamonkey konqueror iron dalvik jaunty unknown zh-cn web search not feed library net clr";

/// Words in a product's name that identify it as a crawler.
const CRAWLERS: &[&str] = &["bot", "crawl", "spider", "archiver"];

/// Can `name` be the token of a crawler? A version after it does not matter.
pub(super) fn may_be_crawler(name: &str) -> bool {
    let name = name.split(['/', ' ']).next().unwrap_or_default();
    name.len() > 1
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !NO_CRAWLERS.split(' ').any(|other| name.eq_ignore_ascii_case(other))
}

/// The product token at the place of a match; `None` if that is an address or a browser's name.
pub(super) fn product_at(agent: &[u8], start: usize, end: usize) -> Option<String> {
    let lead = agent[start..end].iter().take_while(|byte| !is_token(**byte)).count();
    let start = (start + lead).min(end);
    let word_start = agent[..start].iter().rposition(ends_word).map_or(0, |at| at + 1);
    let word_end = agent[start..].iter().position(ends_word).map_or(agent.len(), |at| start + at);
    let word = &agent[word_start..word_end];
    // The product ends before its version. A match in the version is not a product.
    let product_end = slash(word).map_or(word_end, |at| word_start + at);
    if is_address(word) || start >= product_end {
        return None;
    }
    token_of(&agent[word_start..product_end]).filter(|name| may_be_crawler(name))
}

/// The first product that declares itself a crawler. If there is none but an address (`+http`), it is the first product
/// that is not a browser's: of those before the address in the same comment, or else of all. Comments before that one may
/// name a phone.
pub(super) fn declared_crawler(agent: &[u8]) -> Option<String> {
    let says_so = |name: &String| {
        let name = name.to_ascii_lowercase();
        // Phones of the brand Cubot name their model.
        !name.starts_with("cubot") && CRAWLERS.iter().any(|word| name.contains(word))
    };
    products(agent).find(says_so).or_else(|| {
        let before = &agent[..agent.windows(5).position(|five| five.eq_ignore_ascii_case(b"+http"))?];
        let comment = before.iter().rposition(|byte| matches!(byte, b'(' | b')')).map(|at| &before[at..]);
        let comment = comment.filter(|comment| comment.starts_with(b"("));
        comment.and_then(any_product).or_else(|| any_product(agent))
    })
}

/// The first product that is not a browser's.
pub(super) fn any_product(agent: &[u8]) -> Option<String> {
    products(agent).next()
}

/// The name of a program that is not a crawler: the text before its version and its comment.
pub(super) fn program(agent: &[u8]) -> String {
    /// The most characters that are kept.
    const LENGTH: usize = 60;
    let name = agent.split(|byte| matches!(byte, b'/' | b'(')).map(<[u8]>::trim_ascii);
    let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or(agent);
    String::from_utf8_lossy(name).chars().take(LENGTH).collect()
}

/// Does the User-Agent begin like that of a browser?
pub(super) fn is_browser(agent: &[u8]) -> bool {
    [&b"mozilla/"[..], b"opera/", b"dalvik/"].iter().any(|product| begins(agent, product))
}

/// The products that can be crawlers, in order.
fn products(agent: &[u8]) -> impl Iterator<Item = String> {
    agent
        .split(ends_word)
        .filter(|word| !is_address(word))
        .filter_map(|word| token_of(word.split(|&byte| byte == b'/').next()?))
        .filter(|name| may_be_crawler(name))
}

fn ends_word(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || b";,()\"'".contains(byte)
}

fn is_address(word: &[u8]) -> bool {
    word.contains(&b'@')
        || word.windows(3).any(|three| three == b"://")
        || [&b"+http"[..], b"http:", b"https:", b"www."].iter().any(|start| begins(word, start))
        // A host with a path. A product has no top-level domain before its slash.
        || slash(word).is_some_and(|slash| {
            let name = &word[..slash];
            name.contains(&b'.') && name.rsplit(|&byte| byte == b'.').next().is_some_and(is_top_level)
        })
}

fn begins(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

fn is_top_level(label: &[u8]) -> bool {
    (2..=4).contains(&label.len()) && label.iter().all(u8::is_ascii_lowercase)
}

/// The product token in `text`, without other bytes around it. A long one is cut.
pub(super) fn token_of(text: &[u8]) -> Option<String> {
    /// The most bytes that are kept: more than twice as many as the longest known token has.
    const LENGTH: usize = 100;
    let start = text.iter().position(|&byte| is_token(byte))?;
    let text = &text[start..];
    let end = text.iter().position(|&byte| !is_token(byte)).unwrap_or(text.len());
    let name = std::str::from_utf8(&text[..end.min(LENGTH)]).ok()?.trim_matches(['.', '-', '_']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Letters, digits and the punctuation in crawlers' names.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'!')
}

fn slash(word: &[u8]) -> Option<usize> {
    word.iter().position(|&byte| byte == b'/')
}
