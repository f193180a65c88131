//! Checks the reference against the specifications, example by example, and against the table, row by row.

mod acap_fields;
mod acap_order;
mod invariants;
mod pages;
mod today;

use robomata_protocol::{
    Circumstances, Crawler, Dialect, FetchStatus, MetaTag, PageElement, PageFacts, PageHeader,
    PermissionAnswer, Place, Usage,
};

use super::{Site, permissions};

/// A question about a site whose files are text.
pub(super) struct Ask<'a> {
    pub(super) site: Site<'a>,
    pub(super) page: PageFacts,
    pub(super) crawler: &'a str,
    pub(super) url: &'a str,
    pub(super) circumstances: Circumstances,
}

impl<'a> Ask<'a> {
    /// Under `acap`, for `searchbot`, with nothing else known.
    pub(super) fn new(robots: &'a str) -> Ask<'a> {
        Ask {
            site: Site {
                robots: robots.as_bytes(),
                status: None,
                dialect: Dialect::Acap,
                referenced: &[],
                tdmrep: None,
                tdmrep_status: None,
                origin: None,
            },
            page: PageFacts::default(),
            crawler: "searchbot",
            url: "http://a.example/",
            circumstances: Circumstances::default(),
        }
    }

    pub(super) fn of_page(page: PageFacts) -> Ask<'a> {
        Ask { page, ..Ask::new("") }
    }

    pub(super) fn at(mut self, url: &'a str) -> Ask<'a> {
        self.url = url;
        self
    }

    pub(super) fn by(mut self, crawler: &'a str) -> Ask<'a> {
        self.crawler = crawler;
        self
    }

    pub(super) fn under(mut self, dialect: Dialect) -> Ask<'a> {
        self.site.dialect = dialect;
        self
    }

    pub(super) fn after(mut self, code: u16) -> Ask<'a> {
        self.site.status = Some(FetchStatus::Code(code));
        self
    }

    pub(super) fn for_purpose(mut self, purpose: &str) -> Ask<'a> {
        self.circumstances.purpose = Some(purpose.to_owned());
        self
    }

    pub(super) fn answer(&self, usage: Usage) -> PermissionAnswer {
        let crawler = Crawler::new(self.crawler);
        let answers =
            permissions(&self.site, &self.page, &crawler, self.url.as_bytes(), &self.circumstances).unwrap();
        answers.into_iter().find(|answer| answer.usage == usage).unwrap()
    }

    /// The answer on one line: permission, reason unless it is `said`, source, qualifiers, lacks, conflicts.
    pub(super) fn summary(&self, usage: Usage) -> String {
        written(&self.answer(usage))
    }
}

fn written(answer: &PermissionAnswer) -> String {
    let mut words = vec![answer.permission.to_string()];
    if answer.reason.as_str() != "explicit" {
        words.push(answer.reason.to_string());
    }
    words.extend(answer.source.map(source));
    words.extend(answer.qualifiers.iter().map(ToString::to_string));
    words.extend(answer.lacks.iter().map(|missing_fact| format!("?{missing_fact}")));
    words.extend(
        answer.conflicts.iter().map(|conflict| format!("({} {})", conflict.rule, source(conflict.loser))),
    );
    words.join(" ")
}

fn source(source: robomata_protocol::Source) -> String {
    let place = match source.place {
        Place::RobotsTxt => String::new(),
        Place::Referenced(at) => format!("@{at}"),
        Place::TdmRepJson => "@tdmrep".to_owned(),
        Place::Meta => "@meta".to_owned(),
        Place::Element(at) => format!("@element{at}"),
        Place::Link => "@link".to_owned(),
        Place::Header => "@header".to_owned(),
    };
    format!("{}{place}:{}", source.vocabulary, source.line)
}

/// A page with META tags, one per line.
pub(super) fn metas(tags: &[(&str, &str)]) -> PageFacts {
    let metas = (1..).zip(tags).map(|(line, &(name, content))| MetaTag {
        name: name.to_owned(),
        content: content.to_owned(),
        line,
    });
    PageFacts { metas: metas.collect(), ..PageFacts::default() }
}

/// A page with headers.
pub(super) fn headers(fields: &[(&str, &str)]) -> PageFacts {
    let headers =
        fields.iter().map(|&(name, value)| PageHeader { name: name.to_owned(), value: value.to_owned() });
    PageFacts { headers: headers.collect(), ..PageFacts::default() }
}

/// An element with these classes within another.
pub(super) fn element(classes: &str, line: u32, parent: Option<u32>) -> PageElement {
    PageElement {
        tag: "div".to_owned(),
        id: None,
        classes: classes.split(' ').map(str::to_owned).collect(),
        line,
        parent,
    }
}
