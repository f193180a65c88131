//! Reports the permissions of URLs for every usage, from everything that one robots.txt and one page say
//! (`crates/PERMISSIONS.md`).

mod page;
mod purposes;
mod quotes;
mod report;
mod site;

use std::borrow::Cow;
use std::iter;

use robomata_engine::policy::acap::ReferencedFile;
use robomata_engine::policy::{Mementos, PageStatements};
use robomata_engine::{
    Circumstances, CleanParams, Config, Crawler, Dialect, FoundTimeGate, PageFacts, PermissionAnswer,
    SiteMementos, SitePermissions, TdmRep,
};
use robomata_formats::urls::as_text;
use robomata_pages::PageReading;

use crate::crawl::is_path_or_url;
use crate::error::JobError;
use crate::fetch::{Applied, Fetch};
use crate::quotes::{Omitted, cut};
use crate::robots_file::RobotsFile;
use crate::urls::{Urls, require_text};
use purposes::Purposes;
use quotes::Quotes;

pub use page::read_page;
pub use report::{
    AnnouncedMemento, ForeignLabel, NamedRequest, PageElementLine, Quote, SiteRemarks, UrlPermissions,
    UsagePermission,
};

/// A query for permissions, with all the texts that may answer it.
#[derive(Clone, Debug)]
pub struct PermissionsJob<'j> {
    /// The robots.txt.
    pub robots: &'j RobotsFile,
    /// The result of its fetch; by default a success, so that its rules apply.
    pub fetch: Option<&'j Fetch>,
    /// The files that the robots.txt refers to, with their locators as written there (A7).
    pub referenced: &'j [(String, RobotsFile)],
    /// The site's `/.well-known/tdmrep.json`.
    pub tdmrep: Option<&'j RobotsFile>,
    /// The page at the URLs, with the headers of its response; empty if unknown.
    pub page: PageFacts,
    /// The crawler.
    pub crawler: Crawler,
    /// The dialect of the robots.txt, and how much of it is read. Only [`Dialect::Acap`] reads ACAP.
    pub config: Config,
    /// The purpose, the part of the page, and the time.
    pub circumstances: Circumstances,
}

/// The number of URLs, and the remarks about all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PermissionsReport {
    /// The number of URLs.
    pub urls: u64,
    /// Texts that are not URLs.
    pub invalid: u64,
    /// Remarks that are the same for every URL.
    pub site: SiteRemarks,
}

impl<'j> PermissionsJob<'j> {
    /// A query to a robots.txt alone, in the dialect that reads all vocabularies.
    pub fn new(robots: &'j RobotsFile, crawler: Crawler) -> Self {
        PermissionsJob {
            robots,
            fetch: None,
            referenced: &[],
            tdmrep: None,
            page: PageFacts::default(),
            crawler,
            config: Config::new(Dialect::Acap),
            circumstances: Circumstances::default(),
        }
    }
}

/// Passes the permissions of each of `urls` to `each`, in order.
///
/// # Errors
/// When the URLs cannot be read, or `each` fails. Also when a URL is not UTF-8, and in the dialect the answer about its text
/// might be another.
pub fn run(
    job: &PermissionsJob<'_>,
    urls: Urls,
    mut each: impl FnMut(&UrlPermissions<'_>) -> Result<(), JobError>,
) -> Result<PermissionsReport, JobError> {
    let Applied { policy, file: _, standing } = Applied::new(job.robots, job.fetch, &job.config);
    let referenced: Vec<ReferencedFile<'_>> = job
        .referenced
        .iter()
        .map(|(locator, file)| ReferencedFile { locator, bytes: file.bytes() })
        .collect();
    let page = PageReading::new(&job.page, &job.crawler, job.config.dialect());
    let tdmrep = job.tdmrep.map(|file| TdmRep::read(file.bytes()));
    let tdmrep = tdmrep.as_ref();
    let quotes = Quotes::new(&policy, &referenced, tdmrep, &job.page, &job.crawler);
    let remarks = SiteRemarks { standing, ..site::remarks(job, &policy, &referenced, tdmrep, &page) };
    let purposes = match &job.circumstances.purpose {
        None => Some(Purposes::new(&policy, &referenced, tdmrep, &page.says, &job.crawler)),
        Some(_) => None,
    };
    let mut questions = Questions {
        purposes,
        site: SitePermissions::new(
            &policy,
            &referenced,
            tdmrep,
            &job.crawler,
            job.circumstances.purpose.as_deref(),
        ),
        mementos: SiteMementos::new(&policy, None),
        clean: CleanParams::new(&policy),
        page: page.says,
        circumstances: &job.circumstances,
        quotes: &quotes,
        remarks: Some(&remarks),
    };
    let (mut valid, mut invalid) = (0, 0);
    urls.for_each(|url| {
        let permissions = questions.about(url);
        if permissions.valid {
            require_text(url, job.config.dialect())?;
            valid += 1;
        } else {
            invalid += 1;
        }
        each(&permissions)
    })?;
    Ok(PermissionsReport { urls: valid, invalid, site: remarks })
}

/// The queries about a URL.
struct Questions<'q> {
    site: SitePermissions,
    /// None when the query names a purpose.
    purposes: Option<Purposes>,
    mementos: SiteMementos,
    clean: CleanParams<'q>,
    page: PageStatements,
    circumstances: &'q Circumstances,
    quotes: &'q Quotes<'q>,
    /// For the first URL.
    remarks: Option<&'q SiteRemarks>,
}

impl<'q> Questions<'q> {
    fn about<'u>(&mut self, url: &'u [u8]) -> UrlPermissions<'u>
    where
        'q: 'u,
    {
        let answers =
            if is_path_or_url(url) { self.site.answers(url, &self.page, self.circumstances) } else { None };
        let site = self.remarks.take();
        let Some(answers) = answers else { return UrlPermissions::invalid(url, site) };
        let canonical = self.clean.canonical(url);
        let mut omitted = site.map_or_else(Omitted::new, |site| site.omitted.clone());
        UrlPermissions {
            url: as_text(url),
            valid: true,
            usages: self.usages(url, answers),
            requests: self.requests(url, &mut omitted),
            time_gates: self.time_gates(url, &mut omitted),
            omitted,
            memento: self.memento(url),
            canonical: (*canonical != *url).then(|| as_text(&canonical).into_owned()),
            site,
        }
    }

    fn usages(&mut self, url: &[u8], answers: Vec<PermissionAnswer>) -> Vec<UsagePermission> {
        let purposes = self.purposes.as_mut();
        let lacking =
            purposes.map(|purposes| purposes.lacking(url, &self.page, self.circumstances, &answers));
        let lacking = lacking.into_iter().flatten().chain(iter::repeat(Vec::new()));
        answers
            .into_iter()
            .zip(lacking)
            .map(|(answer, lacking)| self.quotes.quoted(answer, lacking))
            .collect()
    }

    fn requests(&self, url: &[u8], omitted: &mut Omitted) -> Vec<NamedRequest> {
        let mut requests = self.site.requests(url);
        cut(&mut requests, "requests", omitted);
        let quoted = |(action, source)| NamedRequest { action, source: self.quotes.quote(source, None) };
        requests.into_iter().map(quoted).collect()
    }

    fn time_gates(&mut self, url: &[u8], omitted: &mut Omitted) -> Vec<FoundTimeGate> {
        let mut time_gates = self.mementos.time_gates(url);
        cut(&mut time_gates, "time_gates", omitted);
        time_gates
    }

    fn memento(&mut self, url: &[u8]) -> Option<AnnouncedMemento> {
        let line = self.mementos.announces(url)?;
        Some(AnnouncedMemento { line, condition: Mementos::CONDITION })
    }
}

impl<'u> UrlPermissions<'u> {
    fn invalid(text: &'u [u8], site: Option<&'u SiteRemarks>) -> Self {
        UrlPermissions {
            url: Cow::Owned(as_text(text).into_owned()),
            valid: false,
            usages: Vec::new(),
            requests: Vec::new(),
            time_gates: Vec::new(),
            omitted: site.map_or_else(Omitted::new, |site| site.omitted.clone()),
            memento: None,
            canonical: None,
            site,
        }
    }
}
