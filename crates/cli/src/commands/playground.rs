//! `robomata playground`: serves the playground, a page that judges URLs while a robots.txt is edited.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::Context as _;
use clap::Args;
use robomata_formats::Output;

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

/// The most bytes of a request, the time for it and for the response, and the most connections at a time.
const LONGEST: usize = 8 << 10;
const PATIENCE: Duration = Duration::from_secs(10);
const CONNECTIONS: usize = 64;

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
    let listener = TcpListener::bind(address).map_err(|error| {
        anyhow::anyhow!("{address}: cannot be opened: {error} (choose another --port; 0 is any free one)")
    })?;
    let port = listener.local_addr()?.port();
    interrupt::set_ends_well();
    write_text(Output::stdout(), format!("http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"))?;
    let page: Arc<[u8]> = page.into();
    loop {
        let Ok((connection, _)) = listener.accept() else {
            // There may be too many open files.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        // Each connection has a page. One too many is closed.
        if Arc::strong_count(&page) <= CONNECTIONS {
            let page = Arc::clone(&page);
            // The browser may have gone away.
            let serve = move || drop(serve(&connection, &page, port));
            drop(thread::Builder::new().spawn(serve));
        }
    }
}

/// Whether a file is the page, by its title. Another file would be served as HTML, also a robots.txt of a stranger.
fn is_page(file: &[u8]) -> bool {
    let head = &file[..file.len().min(HEAD)];
    head.windows(TITLE.len()).any(|window| window == TITLE)
}

/// Answers the first request of a connection and closes it. A body is not read: no request that is answered has one.
fn serve(mut connection: &TcpStream, page: &[u8], port: u16) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    connection.set_write_timeout(Some(PATIENCE))?;
    let (mut head, mut piece) = (Vec::new(), [0; 1024]);
    let response = loop {
        let patience = end.saturating_duration_since(Instant::now());
        if patience.is_zero() || head.len() >= LONGEST {
            return Ok(());
        }
        connection.set_read_timeout(Some(patience))?;
        match connection.read(&mut piece)? {
            0 => return Ok(()),
            read => head.extend_from_slice(&piece[..read]),
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(&head) {
            Ok(httparse::Status::Partial) => {}
            Ok(httparse::Status::Complete(_)) => break answer(&request, page, port),
            Err(_) => return Ok(()),
        }
    };
    connection.write_all(response.head.as_bytes())?;
    connection.write_all(response.body)?;
    connection.shutdown(Shutdown::Write)
}

/// A response: its head, with the line that ends it, and its body.
struct Response<'p> {
    head: String,
    body: &'p [u8],
}

/// The page, for its own address. Other names for this machine are refused: a page of another site could use one
/// (DNS rebinding).
fn answer<'p>(request: &httparse::Request<'_, '_>, page: &'p [u8], port: u16) -> Response<'p> {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let mut named = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("host"));
    let is_own = |host: &[u8]| hosts.iter().any(|own| host.eq_ignore_ascii_case(own.as_bytes()));
    let is_own = named.next().is_some_and(|host| is_own(host.value)) && named.next().is_none();
    let path = request.path.and_then(|path| path.split('?').next());
    let method = request.method.unwrap_or_default();
    let (status, kind, body) = match method {
        _ if !is_own => ("403 Forbidden", "plain", &b"this server only answers for 127.0.0.1\n"[..]),
        "GET" | "HEAD" if matches!(path, Some("/" | "/index.html")) => ("200 OK", "html", page),
        "GET" | "HEAD" => ("404 Not Found", "plain", &b"not found\n"[..]),
        _ => ("405 Method Not Allowed\r\nAllow: GET, HEAD", "plain", &b"expected GET\n"[..]),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: text/{kind}; charset=utf-8\r\n\
         Content-Length: {}\r\n\
         Content-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    Response { head, body: if method == "HEAD" { &[] } else { body } }
}
