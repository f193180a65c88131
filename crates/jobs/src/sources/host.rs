//! The site of a source that is a plain robots.txt, and names of files that are no hosts.

use std::iter;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use robomata_engine::{Site, SiteError};
use robomata_formats::{Capture, CaptureSite, capture};

use super::bundles::is_bundle;
use crate::error::JobError;

/// The site of a source that is one plain robots.txt.
///
/// It is parsed from a host name, optionally with a port, or from a URL: `example.com`, `https://example.com/`. A host
/// name means the http site and the https site of the host, both on the port if there is one. A URL means only the site
/// with its scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceHost {
    /// In normal form.
    site: CaptureSite,
}

impl SourceHost {
    /// The scheme, if the site was given as a URL.
    pub fn scheme(&self) -> Option<&str> {
        self.parts().0
    }

    /// The host in normal form, with its port unless it is the default port.
    pub fn host(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (Option<&str>, &str) {
        let (CaptureSite::Host(site) | CaptureSite::Url(site)) = &self.site;
        site.split_once("://").map_or((None, site), |(scheme, host)| (Some(scheme), host))
    }

    /// Is one of `paths` a plain robots.txt, which needs a host? Standard input may be one.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn applies_to(paths: &[PathBuf]) -> Result<bool, JobError> {
        for path in paths {
            if is_plain(path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The site of the source's capture.
    pub(crate) fn site(&self) -> CaptureSite {
        self.site.clone()
    }
}

/// Is `path` one plain robots.txt, as far as this is known without consuming input that can be read only once?
pub(super) fn is_plain(path: &Path) -> Result<bool, JobError> {
    Ok(!is_bundle(path) && !capture::holds_captures(path)?)
}

/// Endings of the names of files, in lower case, that are no top-level domains. Those of captures are errors.
const FILE_ENDINGS: [&str; 13] = [
    ".txt", ".csv", ".bundle", ".html", ".htm", ".xml", ".log", ".bak", ".old", ".orig", ".robots", ".tmp",
    "~",
];

/// Returns whether a file or directory of this name cannot be named by its host, although the name is a host name.
pub(super) fn is_no_host(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let (before, last) = name.trim_end_matches('.').rsplit_once('.').unwrap_or(("", &name));
    let has_scheme = || name.starts_with("http_") || name.starts_with("https_");
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_port = || last.rsplit_once('_').is_some_and(|(_, port)| is_number(port));
    let is_numbers = || name.bytes().all(|byte| byte.is_ascii_digit() || b"-_".contains(&byte));
    let parts = last.match_indices(['-', '_']).map(|(at, _)| &last[at + 1..]);
    FILE_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || (!before.is_empty() && (has_scheme() || has_port()))
        || (before.is_empty() && is_numbers())
        || iter::once(last).chain(parts).any(|part| date_length(part).is_some())
        || date_length(&name).is_some_and(|end| name[end..].starts_with('_'))
}

/// Returns whether the file or directory of `capture` has a name that begins with a date.
pub(super) fn is_dated(capture: &Capture) -> bool {
    matches!(&capture.site, CaptureSite::Host(name) if capture.origin.line.is_none() && date_length(name).is_some())
}

/// The length of the date with which `text` begins, such as `2026-11-28`.
fn date_length(text: &str) -> Option<usize> {
    let is_like = |form: &&str| {
        let has = |(form, byte): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
        text.len() >= form.len() && form.bytes().zip(text.bytes()).all(has)
    };
    let form = ["0000-00-00", "0000_00_00", "00000000"].into_iter().find(is_like)?;
    (text.starts_with("19") || text.starts_with("20")).then_some(form.len())
}

impl FromStr for SourceHost {
    type Err = SiteError;

    fn from_str(text: &str) -> Result<Self, SiteError> {
        let text = text.trim_ascii();
        if text.contains("://") {
            return Ok(SourceHost { site: CaptureSite::Url(Site::of_url(text.as_bytes())?.to_string()) });
        }
        let host = text.split(['/', '?', '#']).next().unwrap_or_default();
        // A URL that is misspelt, such as `https//example.com`, has its scheme where a host is.
        if ["http", "https"].iter().any(|scheme| host.trim_end_matches(':').eq_ignore_ascii_case(scheme)) {
            return Err(SiteError::NotAbsolute);
        }
        let sites = Site::both_of_host(host)?;
        // The port may be the default port of one of the schemes, which then leaves it out.
        let [http, https] = sites.map(|site| site.to_string());
        let (http, https) = (http.trim_start_matches("http://"), https.trim_start_matches("https://"));
        let host = if http.len() < https.len() { https } else { http };
        Ok(SourceHost { site: CaptureSite::Host(host.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_another_file_is_no_host() {
        for name in [
            "2026-11-27",
            "2026-11",
            "crawl-2026-11-28",
            "a.example-2026-11-28",
            "a.example-20261128T060000",
            "a.example_20261128",
            "a.example-20261128-060000",
            "a.example_443",
            "https_a.example_443",
            "http_a.example",
            "2026-11-28_a.example",
            "20261128_a.example",
            "a.example.20261128.",
            "a.example.bak",
            "a.example.OLD",
            "a.example.robots",
            "a.example~",
        ] {
            assert!(is_no_host(name), "{name}");
        }
        for name in [
            "a.example",
            "www.a.example.",
            "a.example:8080",
            "192.0.2.1",
            "192.0.2.1:8080",
            "[2001:db8::1]",
            "20261128.a.example",
            "2026-11-28-a.example",
            "web-20261128.a.example",
            "xn--3e0b707e",
            "ip-10-0-12-123",
            "ip-20-26-11-28",
            "project_web_1",
            "web.project_default",
            "https-www-a-example.proxy.example",
            "http_proxy",
            "node-12345678",
            "b\u{fc}cher.example",
        ] {
            assert!(!is_no_host(name), "{name}");
        }
    }

    #[test]
    fn a_host_names_two_sites_and_a_url_names_one() {
        let host = |host: &str| CaptureSite::Host(host.to_owned());
        let url = |url: &str| CaptureSite::Url(url.to_owned());
        for (text, site) in [
            ("example.com", host("example.com")),
            ("Example.COM.", host("example.com")),
            ("example.com/", host("example.com")),
            ("example.com:8080", host("example.com:8080")),
            ("example.com:80", host("example.com:80")),
            ("example.com:443", host("example.com:443")),
            (" b\u{fc}cher.example ", host("xn--bcher-kva.example")),
            ("https://example.com/", url("https://example.com")),
            ("http://user@example.com:80/a?b", url("http://example.com")),
            ("http://example.com:443", url("http://example.com:443")),
            ("https://example.com:80", url("https://example.com:80")),
            ("FTP://Example.com:21/robots.txt", url("ftp://example.com")),
        ] {
            assert_eq!(text.parse::<SourceHost>().unwrap().site(), site, "{text}");
        }
        let secure: SourceHost = "https://Example.com:8443/".parse().unwrap();
        assert_eq!((secure.scheme(), secure.host()), (Some("https"), "example.com:8443"));
        let both: SourceHost = "example.com:8443".parse().unwrap();
        assert_eq!((both.scheme(), both.host()), (None, "example.com:8443"));
        let misspelt = ["https//example.com", "http:/example.com", "HTTPS:example.com"];
        let others = ["", "/", "https://", "a b", "example.com:port", "https", "user@example.com"];
        for text in others.into_iter().chain(misspelt) {
            assert!(text.parse::<SourceHost>().is_err(), "{text}");
        }
    }
}
