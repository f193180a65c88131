//! The licences that a robots.txt, headers and a page name (V6).

use robomata_protocol::{License, PageFacts, Place};

use super::header;
use super::link;
use super::locator::is_url;
use crate::fields::{Field, Key};
use crate::text::{text, words};

/// The licences in order: robots.txt, headers, page.
pub(crate) fn licenses(fields: &[Field], page: &PageFacts) -> Vec<License> {
    let mut licenses = Vec::new();
    for field in fields.iter().filter(|field| field.key == Key::License) {
        let urls = urls(&field.value).into_iter();
        licenses.extend(urls.map(|url| License {
            url,
            media_type: None,
            place: Place::RobotsTxt,
            line: field.line,
        }));
    }
    for (number, value) in header::named(page, "link") {
        let own = link::links(&value).into_iter();
        // "A link with an `anchor` is about something else."
        let own = own.filter(|link| {
            link.is_of_type("license") && link.parameter("anchor").is_none() && !link.target.is_empty()
        });
        licenses.extend(own.map(|link| License {
            media_type: link.parameter("type").map(str::to_owned),
            url: link.target,
            place: Place::Header,
            line: number,
        }));
    }
    licenses.extend(page.links.iter().map(|link| License {
        url: link.href.clone(),
        media_type: link.media_type.clone(),
        place: Place::Link,
        line: link.line,
    }));
    licenses
}

/// The URLs of a record; none if one of them is not an absolute URL.
fn urls(value: &[u8]) -> Vec<String> {
    let words = words(value);
    let mut urls = Vec::new();
    for (at, word) in words.iter().enumerate() {
        // "A comma at the end of a URL that another follows is dropped."
        let is_followed = at + 1 < words.len();
        let url = if is_followed { word.strip_suffix(b",").unwrap_or(word) } else { word };
        if !is_url(url) {
            return Vec::new();
        }
        urls.push(text(url));
    }
    urls
}
