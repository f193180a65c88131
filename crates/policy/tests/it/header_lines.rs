//! Header fields in the form in which they are sent.

use robomata_policy::ResponseHead;
use robomata_protocol::FetchStatus;

/// The fields as `line name=value`, and the numbers and texts of other lines.
fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let ResponseHead { headers, bad_lines, .. } = ResponseHead::read(text.as_bytes());
    let header =
        |header: &robomata_policy::HeaderLine| format!("{} {}={}", header.line, header.name, header.value);
    (
        headers.iter().map(header).collect(),
        bad_lines.iter().map(|bad| format!("{} {}", bad.line, bad.text)).collect(),
    )
}

/// RFC 9112, 2.2: "a recipient MAY recognize a single LF as a line terminator and ignore any preceding CR". 5.1:
/// white space around a value "is excluded by parsers when extracting the field line value from a field line".
#[test]
fn names_end_at_the_first_colon() {
    let (headers, bad) = read("Retry-After: 60\r\nA:b\nC: \t d: e \t\r\nF:\n");
    assert_eq!(headers, ["1 Retry-After=60", "2 A=b", "3 C=d: e", "4 F="]);
    assert_eq!(bad, [] as [&str; 0]);
}

/// RFC 9110, 5.6.2: `tchar = "!" / "#" / "$" / …`.
#[test]
fn a_name_is_a_token() {
    let (headers, bad) = read("!#$%&'*+-.^_`|~09azAZ: a\nB x : c\n: d\ne\n(f): g\nh: i\n \t: j");
    assert_eq!(headers, ["1 !#$%&'*+-.^_`|~09azAZ=a", "6 h=i : j"]);
    assert_eq!(bad, ["2 B x : c", "3 : d", "4 e", "5 (f): g"]);
}

/// RFC 9112, 5.1: "A proxy MUST remove any such whitespace from a response message before forwarding the message
/// downstream."
#[test]
fn white_space_before_the_colon_is_removed() {
    let (headers, bad) = read("X-Robots-Tag : noindex\nB \t:c\r\n d\n");
    assert_eq!(headers, ["1 X-Robots-Tag=noindex", "2 B=c d"]);
    assert_eq!(bad, [] as [&str; 0]);
}

/// RFC 9112, 5.2: "replace each received obs-fold with one or more SP octets".
#[test]
fn a_line_that_begins_with_white_space_continues_the_previous_one() {
    let (headers, bad) = read("A: b\n c\n\td\nE:\n f\n");
    assert_eq!(headers, ["1 A=b c d", "4 E=f"]);
    assert_eq!(bad, [] as [&str; 0]);
    // There is nothing to continue, or it is no field either. Such a line is reported once.
    let (headers, bad) = read(" a\n b\nC: d\ne\n f\n g\n");
    assert_eq!(headers, ["3 C=d"]);
    assert_eq!(bad, ["1  a", "4 e"]);
    let (headers, bad) = read("HTTP/1.1 200 OK\n a\n");
    assert_eq!((headers.len(), bad), (0, vec!["2  a".to_owned()]));
}

#[test]
fn the_last_response_counts_and_its_content_does_not() {
    let (headers, bad) = read("HTTP/1.1 301 Moved\nA: b\n\nHTTP/1.1 200 OK\nC: d\n\nE: f\ng\n");
    assert_eq!((headers, bad.len()), (vec!["5 C=d".to_owned()], 0));
    // Empty lines before the first field do not end the fields, and the content of a response may be a status line.
    let (headers, bad) = read("\n \nA: b\n\n\nHTTP/1.1 200 OK\nC: d\n");
    assert_eq!((headers, bad.len()), (vec!["7 C=d".to_owned()], 0));
}

#[test]
fn only_the_beginning_of_a_bad_line_is_quoted() {
    let (_, bad) = read(&format!("{}\n{}\n", "a".repeat(60), "b".repeat(61)));
    assert_eq!(bad, [format!("1 {}", "a".repeat(60)), format!("2 {}", "b".repeat(60))]);
}

/// RFC 9112, 4: `status-line = HTTP-version SP status-code SP [ reason-phrase ]`. curl writes one block of lines for each
/// response.
#[test]
fn the_status_code_is_that_of_the_last_response() {
    let code = |text: &str| {
        let status = ResponseHead::read(text.as_bytes()).status;
        status.map_err(|bad| (bad.line, bad.text))
    };
    let of = |code| Ok(Some(FetchStatus::Code(code)));
    assert_eq!(code("HTTP/1.1 503 Service Unavailable\r\nA: b\r\n\r\n"), of(503));
    assert_eq!(code("HTTP/1.1 301 Moved\r\nA: b\r\n\r\nHTTP/2 404\r\nA: c\r\n\r\n"), of(404));
    // The content of a response is no response.
    assert_eq!(code("HTTP/1.1 503 x\nA: b\n\nUser-agent: *\nHTTP/1.1 200 OK\n"), of(503));
    assert_eq!(code("A: b\n"), Ok(None));
    let line = |text: &str| ResponseHead::read(text.as_bytes()).status_line;
    assert_eq!((line("A: b\n"), line("HTTP/2 301\nA: b\n\nHTTP/2 404\nHTTP: 1\n\nB")), (0, 4));
    for line in ["HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 OK", "HTTP/1.1 20 OK", "HTTP/1.1 +20", "HTTP/1.1 099 x"] {
        assert_eq!(code(&format!("HTTP/1.1 200 OK\n\n{line}")), Err((3, line.to_owned())), "{line}");
    }
}
