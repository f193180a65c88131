//! Pages, as cases write them.

use robomata_protocol::{MetaTag, PageElement, PageFacts, PageHeader, PageLink};
use serde::Deserialize;

use super::Page;
use crate::error::{Error, Place};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageText {
    #[serde(default)]
    metas: Vec<Meta>,
    #[serde(default)]
    elements: Vec<Element>,
    #[serde(default)]
    links: Vec<Link>,
    #[serde(default)]
    headers: Vec<Header>,
    html: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    name: String,
    content: String,
    line: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Element {
    tag: String,
    id: Option<String>,
    class: String,
    line: Option<u32>,
    parent: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    href: String,
    #[serde(rename = "type")]
    media_type: Option<String>,
    line: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    name: String,
    value: String,
}

impl PageText {
    /// The page. A META tag, element or link without a line gets its 1-based number among its kind.
    pub(super) fn page(&self, place: Place<'_>) -> Result<Page, Error> {
        let metas = (1..).zip(&self.metas).map(|(number, meta)| MetaTag {
            name: meta.name.clone(),
            content: meta.content.clone(),
            line: meta.line.unwrap_or(number),
        });
        let headers = self.headers.iter();
        let headers =
            headers.map(|header| PageHeader { name: header.name.clone(), value: header.value.clone() });
        let mut elements = Vec::new();
        for (number, element) in (1..).zip(&self.elements) {
            elements.push(element.read(number, place)?);
        }
        let links = (1..).zip(&self.links).map(|(number, link)| PageLink {
            href: link.href.clone(),
            media_type: link.media_type.clone(),
            line: link.line.unwrap_or(number),
        });
        let facts = PageFacts {
            metas: metas.collect(),
            elements,
            links: links.collect(),
            headers: headers.collect(),
        };
        Ok(Page { facts, html: self.html.as_ref().map(|html| html.clone().into_bytes()) })
    }
}

impl Element {
    fn read(&self, number: u32, place: Place<'_>) -> Result<PageElement, Error> {
        if self.parent.is_some_and(|parent| parent + 1 >= number) {
            return Err(place.expected("a parent that precedes its element", format!("{:?}", self.parent)));
        }
        Ok(PageElement {
            tag: self.tag.clone(),
            id: self.id.clone(),
            classes: self.class.split_ascii_whitespace().map(str::to_owned).collect(),
            line: self.line.unwrap_or(number),
            parent: self.parent,
        })
    }
}
