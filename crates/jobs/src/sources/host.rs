//! The host of a source that is a plain robots.txt.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use robomata_engine::{Site, SiteError};
use robomata_formats::{CaptureSite, capture};

use super::bundles::is_bundle;
use crate::error::JobError;

/// The host of a source that is one plain robots.txt: its http and its https site, or its site with another scheme.
///
/// It is parsed from a host name, optionally with a port, or from a URL of the site: `example.com`,
/// `https://example.com/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceHost {
    host: String,
    /// The site, if its scheme is neither http nor https.
    other: Option<String>,
}

impl SourceHost {
    /// The host in normal form, with its port unless it is the default port.
    pub fn as_str(&self) -> &str {
        &self.host
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
        match &self.other {
            Some(site) => CaptureSite::Url(site.clone()),
            None => CaptureSite::Host(self.host.clone()),
        }
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
        let site = match text.split_once("://") {
            Some(_) => Site::of_url(text.as_bytes())?.to_string(),
            None => {
                let [http, _] = Site::both_of_host(text.split(['/', '?', '#']).next().unwrap_or_default())?;
                http.to_string()
            }
        };
        let (scheme, host) = site.split_once("://").unwrap_or(("", &site));
        let host = host.to_owned();
        Ok(SourceHost { host, other: (!matches!(scheme, "http" | "https")).then_some(site) })
    }
}

impl fmt::Display for SourceHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_from_its_name_and_from_a_url() {
        for (text, host) in [
            ("example.com", "example.com"),
            ("Example.COM.", "example.com"),
            ("https://example.com/", "example.com"),
            ("http://user@example.com:80/a?b", "example.com"),
            ("example.com/", "example.com"),
            ("example.com:8080", "example.com:8080"),
            ("https://example.com:8443", "example.com:8443"),
            (" b\u{fc}cher.example ", "xn--bcher-kva.example"),
        ] {
            assert_eq!(text.parse::<SourceHost>().unwrap().as_str(), host, "{text}");
        }
        let ftp: SourceHost = "FTP://Example.com:21/robots.txt".parse().unwrap();
        assert_eq!(ftp.site(), CaptureSite::Url("ftp://example.com".to_owned()));
        let https: SourceHost = "https://example.com/".parse().unwrap();
        assert_eq!(https.site(), CaptureSite::Host("example.com".to_owned()));
        for text in ["", "/", "https://", "a b", "example.com:port"] {
            assert!(text.parse::<SourceHost>().is_err(), "{text}");
        }
    }
}
