//! Header fields (decisions F10, F12).

use robomata_protocol::lifecycle::Header;

/// RFC 9111, 1.2.2: greater numbers are replaced by this one.
const GREATEST: i128 = 2_147_483_648;

/// The values of all fields with this name, in order.
pub(crate) fn all(headers: &[Header], name: &str) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    for header in headers {
        if header.name.to_ascii_lowercase() == name.to_ascii_lowercase().into_bytes() {
            values.push(trim(&header.value).to_vec());
        }
    }
    values
}

/// The value of the first field with this name.
pub(crate) fn one(headers: &[Header], name: &str) -> Option<Vec<u8>> {
    all(headers, name).into_iter().next()
}

/// Removes SP and HTAB at both ends.
pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// delta-seconds: digits only.
pub(crate) fn number(text: &[u8]) -> Option<i128> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Digits that do not even fit into 128 bits are certainly too large.
    let digits = String::from_utf8(text.to_vec()).expect("digits are ASCII");
    Some(digits.parse::<i128>().unwrap_or(GREATEST).min(GREATEST))
}

/// A directive of Cache-Control.
pub(crate) struct Directive {
    /// In lower case.
    name: Vec<u8>,
    /// The text after the first `=`, if there is one.
    argument: Option<Vec<u8>>,
}

/// The directives of all values, in order.
pub(crate) fn directives(values: &[Vec<u8>]) -> Vec<Directive> {
    values.iter().flat_map(|value| elements(value)).map(|element| directive(&element)).collect()
}

/// Splits a list at the commas outside quoted strings.
fn elements(value: &[u8]) -> Vec<Vec<u8>> {
    let mut elements = vec![Vec::new()];
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b',' => elements.push(Vec::new()),
            b'"' => push_quoted_string(elements.last_mut().expect("there is one"), &mut bytes),
            _ => elements.last_mut().expect("there is one").push(byte),
        }
    }
    elements
}

/// The rest of a quoted string after its first quotation mark: up to its last one, or to the end of the field.
fn push_quoted_string(element: &mut Vec<u8>, bytes: &mut impl Iterator<Item = u8>) {
    element.push(b'"');
    while let Some(byte) = bytes.next() {
        element.push(byte);
        match byte {
            b'"' => return,
            b'\\' => element.extend(bytes.next()),
            _ => {}
        }
    }
}

fn directive(element: &[u8]) -> Directive {
    let mut halves = element.splitn(2, |byte| *byte == b'=');
    let name = trim(halves.next().unwrap_or_default()).to_ascii_lowercase();
    let argument = halves.next().map(|argument| trim(argument).to_vec());
    Directive { name, argument }
}

/// no-store, or no-cache for the whole response.
pub(crate) fn forbids_reuse(directives: &[Directive]) -> bool {
    directives
        .iter()
        .any(|each| each.name == b"no-store" || (each.name == b"no-cache" && each.argument.is_none()))
}

/// The first max-age; if it cannot be read, the lifetime is zero.
pub(crate) fn max_age(directives: &[Directive]) -> Option<i128> {
    let first = directives.iter().find(|each| each.name == b"max-age")?;
    let text = first.argument.as_deref().and_then(token_or_quoted_string);
    Some(text.and_then(|text| number(&text)).unwrap_or(0))
}

/// RFC 9110, 5.6.4: the text within quotation marks, with quoted pairs decoded; or the argument itself if it does not
/// begin with one.
fn token_or_quoted_string(argument: &[u8]) -> Option<Vec<u8>> {
    if argument.first() != Some(&b'"') {
        return Some(argument.to_vec());
    }
    let mut text = Vec::new();
    let mut at = 1;
    while at < argument.len() {
        match argument[at] {
            // The closing mark must be the last byte.
            b'"' if at + 1 == argument.len() => return Some(text),
            b'"' => return None,
            b'\\' => {
                text.push(*argument.get(at + 1)?);
                at += 2;
            }
            byte => {
                text.push(byte);
                at += 1;
            }
        }
    }
    None
}

/// F12: the Age in seconds, or 0 without an Age field.
pub(crate) fn age(headers: &[Header]) -> i128 {
    let Some(value) = one(headers, "Age") else { return 0 };
    let first: Vec<u8> = value.into_iter().take_while(|byte| *byte != b',').collect();
    number(trim(&first)).unwrap_or(0)
}
