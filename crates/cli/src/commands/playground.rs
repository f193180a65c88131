//! `robomata playground`: serves the playground, a page that judges URLs while a robots.txt is edited.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use robomata_formats::Output;
use tiny_http::{Header, Method, Request, Response, Server};

use crate::args::usage_error;
use crate::interrupt;
use crate::output::write_text;

/// Serve the playground: a page that judges URLs while you edit a robots.txt.
///
/// The page is one file, and everything happens in the browser: no robots.txt and no URL leaves it. Only this machine can
/// open the address. Ctrl-C ends the command.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata playground
  $ robomata playground --port 0 tools/playground/dist/index.html",
    after_help = "\
Exit codes:
  0  ended with Ctrl-C
  2  a usage error, a page that cannot be read or is another file, or a port that is in use"
)]
pub(crate) struct PlaygroundArguments {
    /// The port on 127.0.0.1; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 8309)]
    port: u16,
    /// The page that tools/playground/build.sh writes, no robots.txt [default: the one that the command was built with, if it
    /// has one]
    #[arg(value_name = "PAGE")]
    page: Option<PathBuf>,
}

/// The page that the command was built with; empty if there is none.
const BUILT_IN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/playground.html"));

/// The title of the page, and the bytes at its beginning that contain it.
const TITLE: &[u8] = b"<title>robots.txt playground</title>";
const HEAD: usize = 4096;

/// The page has scripts and styles inside, whose hashes are in its own policy. This one also forbids frames.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Runs the sub-command.
pub(crate) fn run(arguments: &PlaygroundArguments) -> anyhow::Result<ExitCode> {
    let page = match &arguments.page {
        Some(path) => {
            let page = fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
            if !is_page(&page) {
                anyhow::bail!(
                    "{}: expected the page of the playground, found another file (tools/playground/build.sh builds \
                     tools/playground/dist/index.html; open or paste a robots.txt in the page)",
                    path.display()
                );
            }
            page
        }
        None if BUILT_IN.is_empty() => {
            let message = "expected PAGE: this command was built without one (tools/playground/build.sh builds \
                           tools/playground/dist/index.html; a build with ROBOMATA_PLAYGROUND=FILE contains it)";
            return Err(usage_error("playground", message));
        }
        None => BUILT_IN.to_vec(),
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let server = Server::http(address).map_err(|error| {
        anyhow::anyhow!("{address}: cannot be opened: {error} (choose another --port; 0 is any free one)")
    })?;
    let port = server.server_addr().to_ip().map_or(arguments.port, |address| address.port());
    interrupt::set_ends_well();
    write_text(Output::stdout(), format!("http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"))?;
    for request in server.incoming_requests() {
        let response = answer(&request, &page, port);
        // The browser may have gone away.
        drop(request.respond(response));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a file is the page, by its title. Another file would be served as HTML, also a robots.txt of a stranger.
fn is_page(file: &[u8]) -> bool {
    let head = &file[..file.len().min(HEAD)];
    head.windows(TITLE.len()).any(|window| window == TITLE)
}

/// The page, for its own address. Other names for this machine are refused: a page of another site could use one
/// (DNS rebinding).
fn answer<'p>(request: &Request, page: &'p [u8], port: u16) -> Response<&'p [u8]> {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    let is_own =
        host.is_some_and(|host| hosts.iter().any(|own| host.value.as_str().eq_ignore_ascii_case(own)));
    let path = request.url().split('?').next();
    let (status, kind, body) = match request.method() {
        _ if !is_own => (403, "text/plain", &b"this server only answers for 127.0.0.1\n"[..]),
        Method::Get | Method::Head if matches!(path, Some("/" | "/index.html")) => (200, "text/html", page),
        Method::Get | Method::Head => (404, "text/plain", &b"not found\n"[..]),
        _ => (405, "text/plain", &b"expected GET\n"[..]),
    };
    let kind = format!("{kind}; charset=utf-8");
    let headers = [
        ("Content-Type", kind.as_str()),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    ];
    let allow = (status == 405).then_some(("Allow", "GET, HEAD"));
    let headers =
        headers.into_iter().chain(allow).filter_map(|(name, value)| Header::from_bytes(name, value).ok());
    Response::new(status.into(), headers.collect(), body, Some(body.len()), None)
}
