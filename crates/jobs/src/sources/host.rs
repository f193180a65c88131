//! The site of a source that is a plain robots.txt.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use robomata_engine::{Site, SiteError};
use robomata_formats::{CaptureSite, capture};

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
        for text in ["", "/", "https://", "a b", "example.com:port", "https"].into_iter().chain(misspelt) {
            assert!(text.parse::<SourceHost>().is_err(), "{text}");
        }
    }
}
