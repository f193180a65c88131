//! Header fields in the form in which they are sent.

use robomata_policy::ResponseHead;
use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::Hop;

/// The fields as `line name=value`, or the number and the text of the first line that is none.
fn read(text: impl AsRef<[u8]>) -> Result<Vec<String>, String> {
    let field =
        |header: &robomata_policy::HeaderLine| format!("{} {}={}", header.line, header.name, header.value);
    match ResponseHead::read(text.as_ref()) {
        Ok(head) => Ok(head.headers.iter().map(field).collect()),
        Err(bad) => Err(format!("{} {}", bad.line, bad.text)),
    }
}

#[track_caller]
fn assert_fields(text: impl AsRef<[u8]>, fields: &[&str]) {
    assert_eq!(read(text), Ok(fields.iter().map(|field| (*field).to_owned()).collect()));
}

#[track_caller]
fn assert_bad(text: impl AsRef<[u8]>, line: &str) {
    assert_eq!(read(text), Err(line.to_owned()));
}

/// RFC 9112, 2.2: "a recipient MAY recognize a single LF as a line terminator and ignore any preceding CR". 5.1:
/// white space around a value "is excluded by parsers when extracting the field line value from a field line".
#[test]
fn names_end_at_the_first_colon() {
    assert_fields(
        "Retry-After: 60\r\nA:b\nC: \t d: e \t\r\nF:\r\r\n",
        &["1 Retry-After=60", "2 A=b", "3 C=d: e", "4 F="],
    );
}

/// RFC 9110, 5.6.2: `tchar = "!" / "#" / "$" / …`.
#[test]
fn a_name_is_a_token() {
    assert_fields("!#$%&'*+-.^_`|~09azAZ: a\nh: i\n \t: j", &["1 !#$%&'*+-.^_`|~09azAZ=a", "2 h=i : j"]);
    for line in
        ["B x : c", ": d", "e", "(f): g", "< X-Robots-Tag: noindex", "{\"server\":[\"x\"],", "a\u{e4}: b"]
    {
        assert_bad(format!("A: b\n{line}\nC: d\n"), &format!("2 {line}"));
    }
}

/// RFC 9112, 5.1: "A proxy MUST remove any such whitespace from a response message before forwarding the message
/// downstream."
#[test]
fn white_space_before_the_colon_is_removed() {
    assert_fields("X-Robots-Tag : noindex\nB \t:c\r\n d\n", &["1 X-Robots-Tag=noindex", "2 B=c d"]);
}

/// RFC 9112, 5.2: "replace each received obs-fold with one or more SP octets".
#[test]
fn a_line_that_begins_with_white_space_continues_the_previous_one() {
    assert_fields("A: b\n c\n\td\nE:\n f\n", &["1 A=b c d", "4 E=f"]);
    // There is nothing to continue, as in the messages of `wget --server-response`.
    assert_bad(" a\n b\nC: d\n", "1  a");
    assert_bad("HTTP/1.1 200 OK\n a\n", "2  a");
    assert_bad("A: b\n\n c\n", "3  c");
    assert_bad("  HTTP/1.1 200 OK\n  X-Robots-Tag: noindex\n", "1   HTTP/1.1 200 OK");
}

#[test]
fn a_folded_line_of_blanks_does_not_end_the_headers() {
    for blanks in [" ", "\t", " \t  "] {
        assert_fields(
            format!("HTTP/1.1 200 OK\r\nServer: x\r\n{blanks}\r\nX-Robots-Tag: noindex\r\n\r\n"),
            &["2 Server=x", "4 X-Robots-Tag=noindex"],
        );
    }
    assert_fields("A: b\n \n c\n", &["1 A=b c"]);
    assert_fields("HTTP/1.1 200 OK\n \nA: b\n", &["3 A=b"]);
}

#[test]
fn fields_after_an_empty_line_count() {
    assert_fields("Server: x\n\nX-Robots-Tag: noindex\n", &["1 Server=x", "3 X-Robots-Tag=noindex"]);
    // The trailer of content in chunks, as curl writes it.
    assert_fields("HTTP/1.1 200 OK\r\nA: b\r\n\r\nC: d\r\n e\r\n\r\n", &["2 A=b", "4 C=d e"]);
    assert_bad("HTTP/1.1 200 OK\nA: b\n\n<html>\n", "4 <html>");
}

#[test]
fn the_last_response_counts() {
    assert_fields("HTTP/1.1 301 Moved\nA: b\n\nHTTP/1.1 200 OK\nC: d\n\n", &["5 C=d"]);
    assert_fields("\n \nHTTP/1.1 200 OK\nA: b\n", &["4 A=b"]);
    // These fields are of no other response.
    assert_bad("A: b\n\nHTTP/1.1 200 OK\nC: d\n", "3 HTTP/1.1 200 OK");
    assert_bad("HTTP/1.1 200 OK\nA: b\nHTTP/1.1 200 OK\n", "3 HTTP/1.1 200 OK");
    assert_bad("HTTP/1.1 503 x\nA: b\n\nUser-agent: *\n\nHTTP/1.1 200 OK\n", "6 HTTP/1.1 200 OK");
}

#[test]
fn redirects_before_the_last_response_are_hops() {
    let hops = |text: &str| {
        let head = ResponseHead::read(text.as_bytes()).unwrap();
        let hop = |hop: &Hop| (hop.status, hop.location.as_deref().map(|at| at.escape_ascii().to_string()));
        head.hops.iter().map(hop).collect::<Vec<_>>()
    };
    let to = |status, location: &str| (status, Some(location.to_owned()));
    assert_eq!(
        hops(
            "HTTP/1.1 200 Connection established\n\nHTTP/1.1 301 M\nlocation: /x\n\nHTTP/2 308\nLocation: https://b/\n\nHTTP/1.1 404 x\n"
        ),
        [to(301, "/x"), to(308, "https://b/")]
    );
    assert_eq!(
        hops(
            "HTTP/1.1 302 M\n\nHTTP/1.1 302 M\nLocation: /x\nLocation: /y\n\nHTTP/1.1 302 M\nLocation: /x\n"
        ),
        [(302, None), (302, None)]
    );
    for other in ["100 Continue", "103 Early Hints", "304 Not Modified", "401 Unauthorized"] {
        assert_eq!(hops(&format!("HTTP/1.1 {other}\nLocation: /x\n\nHTTP/1.1 200 OK\n")), [], "{other}");
    }
    assert_eq!(hops("A: b\n"), []);
}

#[test]
fn a_byte_order_mark_is_removed_and_utf_16_is_decoded() {
    let text = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n";
    let fields = ["2 X-Robots-Tag=noindex"];
    assert_fields(format!("\u{feff}{text}"), &fields);
    let units = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
    assert_fields(units().flat_map(u16::to_le_bytes).collect::<Vec<_>>(), &fields);
    assert_fields(units().flat_map(u16::to_be_bytes).collect::<Vec<_>>(), &fields);
    // Without a mark, it cannot be told from bytes.
    assert!(read(text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).is_err());
}

#[test]
fn a_bare_cr_ends_lines_only_where_there_is_no_lf() {
    assert_fields("HTTP/1.1 200 OK\rA: b\rC: d\r\r", &["2 A=b", "3 C=d"]);
    assert_bad("HTTP/1.1 200 OK\rA: b\n", "1 HTTP/1.1 200 OK\rA: b");
    assert_bad("A: b\rC: d\n", "1 A: b\rC: d");
}

#[test]
fn only_the_beginning_of_a_bad_line_is_quoted() {
    assert_bad("a".repeat(60), &format!("1 {}", "a".repeat(60)));
    assert_bad("b".repeat(61), &format!("1 {}", "b".repeat(60)));
}

#[test]
fn a_page_came_with_a_success_or_without_a_status_line() {
    let is_page = |text: &str| ResponseHead::read(text.as_bytes()).unwrap().require_page().is_ok();
    for page in ["A: b\n", "HTTP/1.1 200 OK\n", "HTTP/2 299\n", "HTTP/1.1 301 Moved\n\nHTTP/1.1 203 x\n"] {
        assert!(is_page(page), "{page}");
    }
    for status in [100, 199, 206, 300, 301, 304, 404, 503] {
        assert!(!is_page(&format!("HTTP/1.1 200 OK\n\nHTTP/1.1 {status} x\n")), "{status}");
    }
}

/// RFC 9112, 4: `status-line = HTTP-version SP status-code SP [ reason-phrase ]`. curl writes one block of lines for each
/// response.
#[test]
fn the_status_code_is_that_of_the_last_response() {
    let code = |text: &str| match ResponseHead::read(text.as_bytes()) {
        Ok(head) => Ok((head.status, head.status_line)),
        Err(bad) => Err((bad.line, bad.text)),
    };
    let of = |code, line| Ok((Some(FetchStatus::Code(code)), line));
    assert_eq!(code("HTTP/1.1 503 Service Unavailable\r\nA: b\r\n\r\n"), of(503, 1));
    assert_eq!(code("HTTP/1.1 301 Moved\r\nA: b\r\n\r\nHTTP/2 404\r\nHTTP: c\r\n\r\n"), of(404, 4));
    assert_eq!(code(":status: 404\nserver: x\n"), of(404, 1));
    assert_eq!(code("A: b\n"), Ok((None, 0)));
    for line in [
        "HTTP/1.1",
        "HTTP/1.1 ",
        "HTTP/1.1 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 +20",
        "HTTP/1.1 099 x",
        "HTTP/1.1 abc",
        ":status: OK",
    ] {
        assert_eq!(code(&format!("HTTP/1.1 200 OK\n\n{line}")), Err((3, line.to_owned())), "{line}");
    }
}
