//! `robomata playground`.

#![cfg(all(unix, feature = "playground"))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::support::{Folder, ROBOMATA};

/// What makes a page the playground is its title.
const PAGE: &str = "<!doctype html><title>robots.txt playground</title>\u{e9}";

/// A server with a page, and its port.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    port: u16,
}

impl Server {
    fn start(folder: &Folder) -> Self {
        let mut child = Command::new("env")
            .args(["--default-signal=INT,TERM,HUP", ROBOMATA, "playground", "--port", "0", "page.html"])
            .current_dir(folder.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let port =
            line.strip_prefix("http://127.0.0.1:").unwrap().strip_suffix("/ (Ctrl-C ends it)\n").unwrap();
        Server { port: port.parse().unwrap(), child, out }
    }

    /// The response to a request with this request line and host.
    fn ask(&self, line: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }
}

#[test]
fn the_page_is_served_to_this_machine_only() {
    let folder = Folder::with(&[("page.html", PAGE), ("secret.html", "secret")]);
    let mut server = Server::start(&folder);
    let own = format!("127.0.0.1:{}", server.port);
    let page = server.ask("GET /", &own);
    assert!(page.starts_with("HTTP/1.1 200 ") && page.ends_with(&format!("\r\n\r\n{PAGE}")), "{page}");
    for header in [
        "Content-Type: text/html; charset=utf-8\r\n",
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; ",
        "frame-ancestors 'none'\r\n",
        "X-Content-Type-Options: nosniff\r\n",
        "Referrer-Policy: no-referrer\r\n",
    ] {
        assert!(page.contains(header), "{header} in {page}");
    }
    let head = server.ask("HEAD /index.html?a", &format!("localhost:{}", server.port));
    assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
    for (line, host, status) in [
        ("GET /secret.html", own.as_str(), 404),
        ("GET /../secret.html", &own, 404),
        ("GET //", &own, 404),
        ("POST /", &own, 405),
        ("DELETE /", &own, 405),
        ("GET /", "evil.example", 403),
        ("GET /", "127.0.0.1", 403),
        ("GET /", &format!("evil.example:{}", server.port), 403),
    ] {
        let response = server.ask(line, host);
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{line} {host}: {response}");
        assert!(!response.contains("doctype") && response.contains("X-Content-Type-Options"), "{response}");
    }
    // Other requests do not wait for these. A body is not waited for, nor memory reserved for it.
    let mut held = Vec::new();
    for (start, length) in
        [("POST /", "99999999999999"), ("POST /", "2000"), ("GET /", "2000"), ("GET /", "0\r\nX: ")]
    {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        write!(stream, "{start} HTTP/1.1\r\nHost: {own}\r\nContent-Length: {length}\r\n").unwrap();
        stream.write_all(&b"\r\n"[..usize::from(!length.contains('X')) * 2]).unwrap();
        held.push(stream);
        assert!(server.ask("GET /", &own).starts_with("HTTP/1.1 200 "), "{start} {length}");
    }
    let mut long = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let _ = write!(long, "GET / HTTP/1.1\r\nHost: {own}\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    let mut response = Vec::new();
    let _ = long.read_to_end(&mut response);
    assert_eq!(response, b"");
    let twice = server.ask("GET /", &format!("evil.example\r\nHost: {own}"));
    assert!(twice.starts_with("HTTP/1.1 403 "), "{twice}");

    let busy = folder.run(&format!("playground --port {} page.html", server.port));
    assert_eq!(busy.code, Some(2));
    assert!(busy.err.contains("(choose another --port; 0 is any free one)"), "{}", busy.err);

    let sent = Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    server.out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn without_a_page_the_error_says_how_to_get_one() {
    let folder = Folder::new();
    let missing = folder.run("playground missing.html");
    assert_eq!((missing.code, missing.out.as_str()), (Some(2), ""));
    assert!(missing.err.contains("missing.html: cannot be read"), "{}", missing.err);
    if option_env!("ROBOMATA_PLAYGROUND").is_none() {
        let ran = folder.run("playground");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(
            ran.err.contains("expected PAGE") && ran.err.contains("tools/playground/build.sh"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_robots_txt_is_not_served_as_the_page() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/playground/src/index.html");
    assert!(std::fs::read_to_string(page).unwrap().contains("<title>robots.txt playground</title>"));
    let late = format!("{}{PAGE}", " ".repeat(4096));
    let folder =
        Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /\n"), ("late", &late), ("empty", "")]);
    for name in ["robots.txt", "late", "empty"] {
        let ran = folder.run(&format!("playground --port 0 {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains(&format!("{name}: expected the page of the playground")), "{}", ran.err);
        assert!(ran.err.contains("open or paste a robots.txt in the page"), "{}", ran.err);
    }
}
