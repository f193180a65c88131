//! The site that a robots.txt applies to: scheme, host and port of a URL (RFC 9309, section 2.3; RFC 3986, section
//! 3.2).

use std::borrow::Cow;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use robomata_automaton::position;
use robomata_protocol::{SplitUrl, default_port};

use crate::target::Target;

/// The scheme, host and port that choose a robots.txt, in normal form: `https://www.example.com`,
/// `http://example.com:8080`.
///
/// Any scheme counts if an authority follows it (`ftp://example.com`: RFC 9309, section 2.3). Scheme and host are in
/// lower case. An international name is in its ASCII form (punycode), and the host has no trailing dot. User
/// information and the scheme's default port are left out. A host whose last label is a number is an IPv4 address, in dotted
/// decimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site<'u> {
    text: Cow<'u, [u8]>,
}

/// Why a text does not name a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteError {
    /// It is not an absolute URL: a scheme, `://` and an authority.
    NotAbsolute,
    /// The user information contains bytes that some clients do not read as part of it: a backslash, a blank or a
    /// control character.
    User,
    /// The host is empty or contains bytes that a host cannot contain.
    Host,
    /// The last label of the host is a number, but the host is no IPv4 address.
    Address,
    /// The port is not a number up to 65535.
    Port,
    /// It is the URL of another file of a site than those about crawlers.
    Resource,
}

impl fmt::Display for SiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SiteError::NotAbsolute => "expected an absolute URL",
            SiteError::User => "expected no backslash, blank or control character before the host name",
            SiteError::Host => "expected a host name",
            SiteError::Address => {
                "expected an IPv4 address such as 192.0.2.1, because the host ends in a number"
            }
            SiteError::Port => "expected a port up to 65535",
            SiteError::Resource => return write!(f, "expected {}", SiteResource::EXPECTED),
        })
    }
}

impl std::error::Error for SiteError {}

/// The resource that a site's URL denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteResource {
    /// The site itself: the path is empty or `/`.
    Root,
    /// The site's robots.txt.
    Robots,
    /// The site's tdmrep.json.
    TdmRep,
}

impl SiteResource {
    /// The URLs that denote one of them, for messages.
    pub const EXPECTED: &'static str =
        "the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json";

    /// Returns what `url` denotes: a site, its `/robots.txt` (RFC 9309, section 2.3) or its `/.well-known/tdmrep.json`, in
    /// lower case. Returns none for any other resource. A URL with a query is another resource.
    pub fn of_url(url: &[u8]) -> Option<Self> {
        let SplitUrl { authority, rest, .. } = SplitUrl::new(url)?;
        let path = &rest[..memchr::memchr(b'#', rest).unwrap_or(rest.len())];
        match path {
            _ if authority.is_empty() => None,
            b"/robots.txt" => Some(SiteResource::Robots),
            b"/.well-known/tdmrep.json" => Some(SiteResource::TdmRep),
            b"" | b"/" => Some(SiteResource::Root),
            _ => None,
        }
    }
}

impl<'u> Site<'u> {
    /// The site of an absolute URL: a scheme, `://` and an authority.
    ///
    /// # Errors
    /// For any other text.
    pub fn of_url(url: &'u [u8]) -> Result<Self, SiteError> {
        if let Some((site, _)) = leading_site(url) {
            return Ok(Site { text: Cow::Borrowed(site) });
        }
        let target = Target::new(url).ok_or(SiteError::NotAbsolute)?;
        Site::of_target(&target)
    }

    /// Like [`Site::of_url`], for a URL that is already split.
    pub(crate) fn of_target(target: &Target<'u>) -> Result<Self, SiteError> {
        let scheme = target.scheme.ok_or(SiteError::NotAbsolute)?;
        let mut text = String::with_capacity(scheme.len() + "://".len() + target.authority.len());
        write_normal(scheme, target.authority, &mut text)?;
        Ok(Site { text: Cow::Owned(text.into_bytes()) })
    }

    /// The sites of a host name at the default ports: http and https.
    ///
    /// # Errors
    /// When `host` is not a host name. A port may follow it, but a user may not come before it.
    pub fn both_of_host(host: &str) -> Result<[Site<'static>; 2], SiteError> {
        if host.contains('@') {
            return Err(SiteError::Host);
        }
        let of = |scheme: &str| {
            let mut text = String::new();
            write_normal(scheme.as_bytes(), host.as_bytes(), &mut text)?;
            Ok(Site { text: Cow::Owned(text.into_bytes()) })
        };
        Ok([of("http")?, of("https")?])
    }

    /// The sites that a user names with one of their files: the site of a URL, or the two sites of a host name. The URL is
    /// that of a site, of its robots.txt or of its tdmrep.json.
    ///
    /// # Errors
    /// For any other text. The URL of another file is a mistake, such as a column of the wrong files.
    pub fn named(text: &'u str) -> Result<(Vec<Self>, SiteResource), SiteError> {
        let (sites, resource) = if text.contains("://") {
            let site = Site::of_url(text.as_bytes())?;
            let resource = SiteResource::of_url(text.trim_ascii().as_bytes()).ok_or(SiteError::Resource)?;
            (vec![site], resource)
        } else if text.contains(['/', '?', '#']) {
            // These characters may occur in an authority, but not in a host name.
            return Err(SiteError::Host);
        } else {
            (Site::both_of_host(text)?.into(), SiteResource::Root)
        };
        // Clients request such names, but a list of hosts means something else by them.
        let has_empty_label = |site: &Site<'_>| Site::host_of(&site.text).starts_with(b".");
        if sites.iter().any(has_empty_label) {
            return Err(SiteError::Host);
        }
        Ok((sites, resource))
    }

    /// The site in normal form.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The host in a site's text, without scheme and port.
    pub(crate) fn host_of(text: &[u8]) -> &[u8] {
        let start = text.windows(3).position(|bytes| bytes == b"://").map_or(0, |at| at + 3);
        let authority = &text[start..];
        // The colons of an IPv6 address are in brackets.
        let after_address = authority.iter().rposition(|&byte| byte == b']').map_or(0, |at| at + 1);
        let port = authority[after_address..].iter().position(|&byte| byte == b':');
        port.map_or(authority, |at| &authority[..after_address + at])
    }

    /// The shard of the site's host among `shards`: see [`shard_of`](crate::shard_of).
    pub fn shard(&self, shards: u32) -> u32 {
        crate::store::shard_of(Site::host_of(&self.text), shards)
    }

    /// A site that owns its text.
    pub fn into_owned(self) -> Site<'static> {
        Site { text: Cow::Owned(self.text.into_owned()) }
    }
}

impl fmt::Display for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.text))
    }
}

/// The path of a URL that ends with its site: `https://example.com` (RFC 3986, section 6.2.3).
pub(crate) const ROOT: &[u8] = b"/";

/// Splits a URL before the first slash after `http://` or `https://`, wherever that is. Without one, all of it is before
/// the path, which is [`ROOT`].
#[inline]
pub(crate) fn before_path(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let scheme = if url.get(4) == Some(&b':') { 7 } else { 8 };
    let slash = position(url.get(scheme..)?, b'/');
    Some(split(url, slash.map_or(url.len(), |slash| scheme + slash)))
}

/// Splits a URL at the end of its site.
#[inline]
fn split(url: &[u8], end: usize) -> (&[u8], &[u8]) {
    match url.split_at(end) {
        (site, []) => (site, ROOT),
        parts => parts,
    }
}

/// Splits a URL before its path, if its site is in normal form, and a slash or nothing follows it: the spelling of nearly
/// all URLs. Takes one pass over the site's bytes.
#[inline]
pub(crate) fn leading_site(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let scheme = if url.starts_with(b"https://") {
        8
    } else if url.starts_with(b"http://") {
        7
    } else {
        return None;
    };
    let (mut last, mut end) = (b'.', url.len());
    for (at, &byte) in url.iter().enumerate().skip(scheme) {
        match CLASS[usize::from(byte)] {
            Class::Host => {}
            // Two hyphens can mean punycode, which may be malformed; the library checks that.
            Class::Hyphen if last != b'-' => {}
            Class::Slash => {
                end = at;
                break;
            }
            _ => return None,
        }
        last = byte;
    }
    // Nearly all hosts end in another byte.
    let may_be_address = matches!(last, b'0'..=b'9' | b'a'..=b'f' | b'x');
    (last != b'.' && !(may_be_address && is_odd_address(&url[scheme..end]))).then(|| split(url, end))
}

/// Whether `host`, without a trailing dot, is an IPv4 address in another form than dotted decimal, or none although its last
/// label is a number.
#[inline]
fn is_odd_address(host: &[u8]) -> bool {
    ends_in_number(host) && !is_dotted_decimal(host)
}

/// Whether the last label of `host`, without a trailing dot, is a number: the "ends in a number checker" of the URL Standard.
#[inline]
fn ends_in_number(host: &[u8]) -> bool {
    let dot = host.iter().rposition(|&byte| byte == b'.');
    match &host[dot.map_or(0, |dot| dot + 1)..] {
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        label => !label.is_empty() && label.iter().all(u8::is_ascii_digit),
    }
}

fn is_dotted_decimal(host: &[u8]) -> bool {
    // It refuses leading zeros.
    std::str::from_utf8(host).is_ok_and(|host| host.parse::<Ipv4Addr>().is_ok())
}

/// The address that `host`, without a trailing dot, spells: the "IPv4 parser" of the URL Standard. One to four numbers,
/// of which the last one has all bytes that remain.
fn ipv4_address(host: &str) -> Option<Ipv4Addr> {
    const BYTES: usize = 4;
    let mut labels = host.rsplit('.');
    let mut address = ipv4_number(labels.next()?)?;
    let bytes_before = labels.clone().count();
    if bytes_before >= BYTES || address >> (8 * (BYTES - bytes_before)) != 0 {
        return None;
    }
    for (label, shift) in labels.zip((8 * (BYTES - bytes_before)..).step_by(8)) {
        address |= u64::from(u8::try_from(ipv4_number(label)?).ok()?) << shift;
    }
    u32::try_from(address).ok().map(Ipv4Addr::from_bits)
}

/// A number of an IPv4 address: decimal, octal after `0`, hexadecimal after `0x`.
fn ipv4_number(label: &str) -> Option<u64> {
    let (digits, radix) = match label.as_bytes() {
        [] => return None,
        [b'0', b'x' | b'X', ..] => (&label[2..], 16),
        [b'0', ..] => (&label[1..], 8),
        _ => (label, 10),
    };
    // `from_str_radix` accepts a sign. A number that is too large for it is too large for an address.
    let are_digits = digits.chars().all(|digit| digit.is_digit(radix));
    match digits {
        "" => Some(0),
        digits => are_digits.then(|| u64::from_str_radix(digits, radix).ok())?,
    }
}

/// The class of a byte in a site in normal form at the start of a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Host,
    Hyphen,
    Slash,
    Other,
}

static CLASS: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' => Class::Host,
            b'-' => Class::Hyphen,
            b'/' => Class::Slash,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

fn write_normal(scheme: &[u8], authority: &[u8], out: &mut String) -> Result<(), SiteError> {
    let name = scheme.to_ascii_lowercase();
    let (user, after_user) = memchr::memrchr(b'@', authority)
        .map_or((&[][..], authority), |at| (&authority[..at], &authority[at + 1..]));
    // Clients that read a backslash as a slash would request another host.
    if user.iter().any(|&byte| matches!(byte, 0..=b' ' | b'\\' | 0x7F)) {
        return Err(SiteError::User);
    }
    let (host, port) = split_port(after_user)?;
    out.push_str(&String::from_utf8_lossy(&name));
    out.push_str("://");
    write_host(host, out)?;
    if let Some(port) = port
        && Some(port) != default_port(&name)
    {
        out.push(':');
        out.push_str(&port.to_string());
    }
    Ok(())
}

fn split_port(authority: &[u8]) -> Result<(&[u8], Option<u16>), SiteError> {
    // The colons of an IPv6 address are in brackets.
    let after_address = memchr::memrchr(b']', authority).map_or(0, |at| at + 1);
    let Some(colon) = memchr::memchr(b':', &authority[after_address..]).map(|at| after_address + at) else {
        return Ok((authority, None));
    };
    let digits = &authority[colon + 1..];
    if digits.is_empty() {
        return Ok((&authority[..colon], None));
    }
    let port = Some(digits)
        .filter(|digits| digits.iter().all(u8::is_ascii_digit))
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| digits.parse().ok())
        .ok_or(SiteError::Port)?;
    Ok((&authority[..colon], Some(port)))
}

fn write_host(host: &[u8], out: &mut String) -> Result<(), SiteError> {
    if let [b'[', address @ .., b']'] = host {
        let address = std::str::from_utf8(address).ok().and_then(|text| text.parse::<Ipv6Addr>().ok());
        out.push_str(&format!("[{}]", address.ok_or(SiteError::Host)?));
        return Ok(());
    }
    let ascii = ascii_name(host).ok_or(SiteError::Host)?;
    let name = ascii.strip_suffix('.').unwrap_or(&ascii);
    if name.is_empty() {
        return Err(SiteError::Host);
    }
    if ends_in_number(name.as_bytes()) {
        let address = ipv4_address(name).ok_or(SiteError::Address)?;
        out.push_str(&address.to_string());
        return Ok(());
    }
    out.push_str(name);
    Ok(())
}

/// The ASCII characters that no host name contains: those of the URL Standard, and the separators and wildcards of lists
/// of hosts. Blanks and control characters are always denied.
#[cfg(feature = "idna")]
const DENIED: idna::AsciiDenyList = idna::AsciiDenyList::new(true, "%#/:<>?@[\\]^|*,");

/// The ASCII form of a host name, in lower case. `None` if it cannot be a host name.
#[cfg(feature = "idna")]
fn ascii_name(name: &[u8]) -> Option<Cow<'_, str>> {
    let decoded: Cow<'_, [u8]> = percent_encoding::percent_decode(name).into();
    let ascii = idna::domain_to_ascii_cow(&decoded, DENIED).ok()?;
    Some(Cow::Owned(ascii.into_owned()))
}

/// Without tables of international names, a name is in ASCII already. Punycode is not verified.
#[cfg(not(feature = "idna"))]
fn ascii_name(name: &[u8]) -> Option<Cow<'_, str>> {
    const FORBIDDEN: &[u8] = b"\x7F #%/:<>?@[\\]^|*,";
    let is_allowed = |byte: &u8| (0x20..0x80).contains(byte) && !FORBIDDEN.contains(byte);
    let name = std::str::from_utf8(name).ok().filter(|name| name.as_bytes().iter().all(is_allowed))?;
    Some(Cow::Owned(name.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_one_normal_form() {
        let cases = [
            ("https://www.example.com/x", "https://www.example.com"),
            ("HTTP://WWW.Example.COM.:80/x", "http://www.example.com"),
            ("https://user:secret@example.com:443?x", "https://example.com"),
            ("http://example.com:8080", "http://example.com:8080"),
            ("http://example.com:443/", "http://example.com:443"),
            ("http://example.com:/", "http://example.com"),
            #[cfg(feature = "idna")]
            ("http://b\u{FC}cher.example/", "http://xn--bcher-kva.example"),
            #[cfg(feature = "idna")]
            ("http://B%C3%9Ccher.example/", "http://xn--bcher-kva.example"),
            ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example"),
            ("http://[2001:DB8:0::1]:8080/", "http://[2001:db8::1]:8080"),
            ("http://a_b.example/", "http://a_b.example"),
            ("http://x@y@example.com/", "http://example.com"),
            ("https://example.com.", "https://example.com"),
            ("https://a-b.example/", "https://a-b.example"),
            ("https://a--b.example", "https://a--b.example"),
            ("https://example.com", "https://example.com"),
            ("FTP://Example.com:21/x", "ftp://example.com"),
            ("ftp://example.com:2121/x", "ftp://example.com:2121"),
            ("ws://example.com:80", "ws://example.com"),
            ("gopher+x://example.com:70/", "gopher+x://example.com:70"),
        ];
        for (url, expected) in cases {
            assert_eq!(Site::of_url(url.as_bytes()).unwrap().to_string(), expected, "{url}");
        }
    }

    #[test]
    fn errors_explain_why_a_text_is_not_a_site() {
        let cases = [
            ("/x", SiteError::NotAbsolute),
            ("mailto:x@example.com", SiteError::NotAbsolute),
            ("dns:example.com", SiteError::NotAbsolute),
            ("data:text/plain,x", SiteError::NotAbsolute),
            (r"https://example.com\@evil.com/private", SiteError::User),
            ("https://a b@evil.com/", SiteError::User),
            ("https://a\tb@evil.com/", SiteError::User),
            ("https://a\x7F@evil.com/", SiteError::User),
            (r"https://example.com\evil.com/", SiteError::Host),
            ("https://*.example.com/", SiteError::Host),
            ("https://a.com,www.a.com/", SiteError::Host),
            ("https://a%2Cb/", SiteError::Host),
            ("file:///x", SiteError::Host),
            ("http:///x", SiteError::Host),
            ("http://./x", SiteError::Host),
            ("http://a b/", SiteError::Host),
            ("http://[::g]/", SiteError::Host),
            ("http://example.com:65536/", SiteError::Port),
            ("http://example.com:8o/", SiteError::Port),
            ("http://\u{FF0F}x\u{E000}/", SiteError::Host),
            ("http://%00/x", SiteError::Host),
            ("http://a%7Fb/x", SiteError::Host),
        ];
        for (url, expected) in cases {
            assert_eq!(Site::of_url(url.as_bytes()), Err(expected), "{url}");
        }
    }

    /// The URL Standard, "IPv4 parser" and "ends in a number checker".
    #[test]
    fn every_spelling_of_an_ipv4_address_is_one_site() {
        for host in [
            "127.0.0.1",
            "127.0.0.1.",
            "127.1",
            "127.0.1",
            "2130706433",
            "2130706433.",
            "0x7f.1",
            "0X7F.1",
            "0x7f000001",
            "0x7F.0x0.0x.0x1",
            "0x7f.0.0.01",
            "0177.0.0.1",
            "0177.00.000.0x01",
            "127.000.000.001",
            "017700000001",
            "00000000000000000000000000000000017700000001",
            "0x00000000000000000000000000000000007f000001",
            "127.0x000001",
            "user@127.1",
            "127.1:80",
            "127.1:",
            "%31%32%37.1",
            #[cfg(feature = "idna")]
            "\u{FF11}27.1",
        ] {
            let url = format!("http://{host}/private");
            let site = Site::of_url(url.as_bytes());
            if cfg!(feature = "idna") || !host.starts_with('%') {
                assert_eq!(site.unwrap().to_string(), "http://127.0.0.1", "{host}");
            }
        }
        for (host, expected) in [
            ("0", "0.0.0.0"),
            ("0x", "0.0.0.0"),
            ("00", "0.0.0.0"),
            ("0.0x", "0.0.0.0"),
            ("255.255.255.255", "255.255.255.255"),
            ("4294967295", "255.255.255.255"),
            ("0xffffffff", "255.255.255.255"),
            ("037777777777", "255.255.255.255"),
            ("1.0xffffff", "1.255.255.255"),
            ("1.2.0xfffe", "1.2.255.254"),
            ("1.2.3.0xAf", "1.2.3.175"),
            ("010.8", "8.0.0.8"),
        ] {
            let url = format!("http://{host}/");
            assert_eq!(
                Site::of_url(url.as_bytes()).unwrap().to_string(),
                format!("http://{expected}"),
                "{host}"
            );
        }
    }

    #[test]
    fn a_host_that_ends_in_a_number_and_is_no_address_is_invalid() {
        for host in [
            "256.0.0.1",
            "1.256.0.1",
            "1.2.3.256",
            "1.2.65536",
            "1.16777216",
            "4294967296",
            "0x100000000",
            "040000000000",
            "99999999999999999999999999",
            "08",
            "1.2.3.08",
            "1.2.3.09",
            "0x7g.1",
            "1.2.3.4.5",
            "0.0.0.0.0",
            "1..2",
            ".1",
            "..1",
            "foo.0x4",
            "foo.0x",
            "foo.1",
            "a.b.c.0xAf",
            "a.b.c.09.",
            "1.2.-3.4",
            "+1.2.3.4",
            "1_0.1",
        ] {
            for url in [format!("http://{host}/"), format!("HTTP://{host}:8080/")] {
                assert_eq!(Site::of_url(url.as_bytes()), Err(SiteError::Address), "{url}");
            }
        }
        assert_eq!(Site::both_of_host("foo.0x4"), Err(SiteError::Address));
    }

    #[test]
    fn a_host_that_does_not_end_in_a_number_is_a_name() {
        for host in [
            "1.2.3.4.nip.io",
            "127.0.0.1a",
            "0xg",
            "a0x1",
            "1.2.0x1z",
            "f",
            "x",
            "cafe",
            "a.de",
            "0xd-e",
            "4u",
            "1e0-",
        ] {
            let url = format!("https://{host}/");
            assert_eq!(
                Site::of_url(url.as_bytes()).unwrap().to_string(),
                format!("https://{host}"),
                "{host}"
            );
            assert_eq!(
                leading_site(url.as_bytes()).unwrap().0,
                format!("https://{host}").as_bytes(),
                "{host}"
            );
        }
    }

    #[test]
    fn a_site_at_the_start_of_a_url_is_in_normal_form() {
        let labels = ["0", "1", "127", "255", "256", "01", "0x", "0xaf", "a", "de", "0xg", "x"];
        let hosts = labels.iter().flat_map(|last| {
            let shorter = labels.iter().map(move |first| format!("{first}.{last}"));
            let longer = labels.iter().map(move |first| format!("{first}.0.0.{last}"));
            shorter.chain(longer).chain([(*last).to_owned()])
        });
        let mut leading = 0;
        for host in hosts {
            let url = format!("https://{host}/x");
            if let Some((site, _)) = leading_site(url.as_bytes()) {
                leading += 1;
                let Target { scheme, authority, .. } = Target::new(url.as_bytes()).unwrap();
                let mut normal = String::new();
                write_normal(scheme.unwrap(), authority, &mut normal).unwrap();
                assert_eq!(normal.as_bytes(), site, "{host}");
            }
        }
        assert!(leading > 50, "{leading}");
    }

    #[test]
    fn lists_and_wildcards_are_no_hosts() {
        for host in ["*.example.com", "a.com,www.a.com", "a.com, b.com", "a.com b.com"] {
            assert_eq!(Site::both_of_host(host), Err(SiteError::Host), "{host}");
        }
    }

    #[test]
    fn a_user_is_no_part_of_a_host() {
        for host in ["user@a.com", "a.com@2026", "@a.com"] {
            assert_eq!(Site::both_of_host(host), Err(SiteError::Host), "{host}");
            assert_eq!(Site::named(host), Err(SiteError::Host), "{host}");
        }
    }

    #[test]
    fn a_host_has_sites_for_both_schemes() {
        let [http, https] = Site::both_of_host("Example.com.").unwrap();
        assert_eq!(
            (http.to_string(), https.to_string()),
            ("http://example.com".into(), "https://example.com".into())
        );
    }
}
