//! Structured fields (RFC 9651): lists and dictionaries, parsed step by step as section 4.2 has it.

/// A bare item (3.3). The types that no vocabulary here gives a meaning are only checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BareItem {
    Token(String),
    Text(String),
    Integer(i64),
    Boolean(bool),
    Date(i64),
    /// A decimal, a byte sequence or a display string.
    Other,
}

/// An item, or an inner list, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The index of its first byte, or of that of its key.
    pub(crate) start: usize,
    /// `None` for an inner list.
    pub(crate) item: Option<BareItem>,
    /// In the order of their first keys; of two with one key the later value counts (4.2.3.2).
    pub(crate) parameters: Parameters,
}

type Parameters = Vec<(String, BareItem)>;

/// The members of a dictionary in the order of their first keys, or `None` if the text is not a dictionary (4.2.2).
///
/// Of two members with the same key the later counts.
pub(crate) fn dictionary(text: &[u8]) -> Option<Vec<(String, Member)>> {
    let mut input = Input { left: text };
    input.skip(is_space);
    let mut members: Vec<(String, Member)> = Vec::new();
    while !input.left.is_empty() {
        let start = text.len() - input.left.len();
        let key = input.key()?;
        let (item, parameters) = if input.take(b'=') {
            input.item_or_inner_list()?
        } else {
            (Some(BareItem::Boolean(true)), input.parameters()?)
        };
        put(&mut members, key, Member { start, item, parameters });
        input.separator()?;
    }
    Some(members)
}

/// The members of a list, or `None` if the text is not a list (4.2.1).
pub(crate) fn list(text: &[u8]) -> Option<Vec<Member>> {
    let mut input = Input { left: text };
    input.skip(is_space);
    let mut members = Vec::new();
    while !input.left.is_empty() {
        let start = text.len() - input.left.len();
        let (item, parameters) = input.item_or_inner_list()?;
        members.push(Member { start, item, parameters });
        input.separator()?;
    }
    Some(members)
}

fn put<V>(members: &mut Vec<(String, V)>, key: String, value: V) {
    match members.iter_mut().find(|(own, _)| *own == key) {
        Some((_, own)) => *own = value,
        None => members.push((key, value)),
    }
}

fn is_space(byte: u8) -> bool {
    byte == b' '
}

fn is_optional_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The remaining input.
struct Input<'t> {
    left: &'t [u8],
}

impl Input<'_> {
    fn peek(&self) -> Option<u8> {
        self.left.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(first)
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.left = &self.left[1..];
        }
        is_next
    }

    fn skip(&mut self, belongs: fn(u8) -> bool) {
        while self.peek().is_some_and(belongs) {
            self.left = &self.left[1..];
        }
    }

    /// The longest run of bytes for which `belongs` is true.
    fn run(&mut self, belongs: fn(u8) -> bool) -> String {
        let mut run = String::new();
        while let Some(byte) = self.peek()
            && belongs(byte)
        {
            run.push(char::from(byte));
            self.left = &self.left[1..];
        }
        run
    }

    /// The comma between two members of a list or dictionary, or the end of the text (4.2.1, 4.2.2).
    fn separator(&mut self) -> Option<()> {
        self.skip(is_optional_space);
        if self.left.is_empty() {
            return Some(());
        }
        if !self.take(b',') {
            return None;
        }
        self.skip(is_optional_space);
        // "If input_string is empty, there is a trailing comma; fail parsing."
        (!self.left.is_empty()).then_some(())
    }

    /// 4.2.3.3.
    fn key(&mut self) -> Option<String> {
        let begins = |byte: u8| byte.is_ascii_lowercase() || byte == b'*';
        if !self.peek().is_some_and(begins) {
            return None;
        }
        Some(self.run(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.' | b'*')
        }))
    }

    /// 4.2.1.1.
    fn item_or_inner_list(&mut self) -> Option<(Option<BareItem>, Parameters)> {
        if !self.take(b'(') {
            return self.item();
        }
        // 4.2.1.2.
        loop {
            self.skip(is_space);
            if self.take(b')') {
                return Some((None, self.parameters()?));
            }
            self.item()?;
            if !matches!(self.peek(), Some(b' ' | b')')) {
                return None;
            }
        }
    }

    /// 4.2.3.
    fn item(&mut self) -> Option<(Option<BareItem>, Parameters)> {
        Some((Some(self.bare_item()?), self.parameters()?))
    }

    /// 4.2.3.2.
    fn parameters(&mut self) -> Option<Parameters> {
        let mut parameters = Vec::new();
        while self.take(b';') {
            self.skip(is_space);
            let key = self.key()?;
            let value = if self.take(b'=') { self.bare_item()? } else { BareItem::Boolean(true) };
            put(&mut parameters, key, value);
        }
        Some(parameters)
    }

    /// 4.2.3.1.
    fn bare_item(&mut self) -> Option<BareItem> {
        Some(match self.peek()? {
            b'-' | b'0'..=b'9' => self.number()?,
            b'"' => BareItem::Text(self.string()?),
            b':' => self.byte_sequence()?,
            b'?' => {
                self.next();
                match self.next()? {
                    b'0' => BareItem::Boolean(false),
                    b'1' => BareItem::Boolean(true),
                    _ => return None,
                }
            }
            b'@' => {
                self.next();
                match self.number()? {
                    BareItem::Integer(seconds) => BareItem::Date(seconds),
                    _ => return None,
                }
            }
            b'%' => self.display_string()?,
            first if first.is_ascii_alphabetic() || first == b'*' => BareItem::Token(self.run(is_token_byte)),
            _ => return None,
        })
    }

    /// 4.2.4: at most 15 digits, or 12, a dot and 1 to 3.
    fn number(&mut self) -> Option<BareItem> {
        let sign = if self.take(b'-') { -1 } else { 1 };
        let whole = self.run(|byte| byte.is_ascii_digit());
        if !self.take(b'.') {
            let digits = (1..=15).contains(&whole.len()).then_some(whole)?;
            return Some(BareItem::Integer(sign * digits.parse::<i64>().ok()?));
        }
        let fraction = self.run(|byte| byte.is_ascii_digit());
        let is_decimal = (1..=12).contains(&whole.len()) && (1..=3).contains(&fraction.len());
        is_decimal.then_some(BareItem::Other)
    }

    /// 4.2.5.
    fn string(&mut self) -> Option<String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next()? {
                b'"' => return Some(text),
                b'\\' => match self.next()? {
                    escaped @ (b'"' | b'\\') => text.push(char::from(escaped)),
                    _ => return None,
                },
                byte @ 0x20..=0x7E => text.push(char::from(byte)),
                _ => return None,
            }
        }
    }

    /// 4.2.7: the bytes between colons, in base64. Padding is optional, and its bits may have any value.
    fn byte_sequence(&mut self) -> Option<BareItem> {
        self.next();
        let encoded = self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        if !self.take(b':') {
            return None;
        }
        let data = encoded.trim_end_matches('=');
        let padding = encoded.len() - data.len();
        let is_base64 =
            !data.contains('=') && data.len() % 4 != 1 && (padding == 0 || encoded.len().is_multiple_of(4));
        (is_base64 && padding <= 2).then_some(BareItem::Other)
    }

    /// 4.2.10: UTF-8 in `%"..."`, with lower-case escapes.
    fn display_string(&mut self) -> Option<BareItem> {
        self.next();
        if !self.take(b'"') {
            return None;
        }
        let mut bytes = Vec::new();
        loop {
            match self.next()? {
                b'"' => return std::str::from_utf8(&bytes).is_ok().then_some(BareItem::Other),
                b'%' => {
                    let digit = |byte: u8| match byte {
                        b'0'..=b'9' => Some(byte - b'0'),
                        b'a'..=b'f' => Some(byte - b'a' + 10),
                        _ => None,
                    };
                    let high = digit(self.next()?)?;
                    bytes.push(high * 16 + digit(self.next()?)?);
                }
                byte @ 0x20..=0x7E => bytes.push(byte),
                _ => return None,
            }
        }
    }
}

/// 4.2.6: `tchar`, `:` or `/`.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, start: usize) -> Member {
        Member { start, item: Some(BareItem::Token(text.to_owned())), parameters: Vec::new() }
    }

    /// The items of a dictionary without their parameters.
    fn items(text: &str) -> Option<Vec<(String, Option<BareItem>)>> {
        let members = dictionary(text.as_bytes())?;
        Some(members.into_iter().map(|(key, member)| (key, member.item)).collect())
    }

    #[test]
    fn dictionaries() {
        assert_eq!(dictionary(b""), Some(vec![]));
        assert_eq!(dictionary(b"  "), Some(vec![]));
        assert_eq!(dictionary(b" train-ai=n "), Some(vec![("train-ai".into(), token("n", 1))]));
        assert_eq!(
            items(
                "a=y;x=1,\tb;q, c=?1, d=\"y\\\"\", e=(y n);z, f=-1.5, g=:aGk=:, h=@1, i=%\"%c3%a9\", j=-12"
            ),
            Some(vec![
                ("a".into(), Some(BareItem::Token("y".into()))),
                ("b".into(), Some(BareItem::Boolean(true))),
                ("c".into(), Some(BareItem::Boolean(true))),
                ("d".into(), Some(BareItem::Text("y\"".into()))),
                ("e".into(), None),
                ("f".into(), Some(BareItem::Other)),
                ("g".into(), Some(BareItem::Other)),
                ("h".into(), Some(BareItem::Date(1))),
                ("i".into(), Some(BareItem::Other)),
                ("j".into(), Some(BareItem::Integer(-12))),
            ])
        );
        // The first key keeps its place, and the last value and its parameters count (4.2.2, step 2.4).
        assert_eq!(
            dictionary(b"a=y;p, b=n, a=n"),
            Some(vec![("a".into(), token("n", 12)), ("b".into(), token("n", 7))])
        );
    }

    #[test]
    fn lists() {
        assert_eq!(list(b""), Some(vec![]));
        assert_eq!(list(b"a ,\tb"), Some(vec![token("a", 0), token("b", 4)]));
        let said = |key: &str, value| (key.to_owned(), value);
        assert_eq!(
            list(b"*; noindex;nosnippet=?0 , \"Example Bot\";max-snippet=5;max-snippet=-1, (a b);c"),
            Some(vec![
                Member {
                    start: 0,
                    item: Some(BareItem::Token("*".into())),
                    parameters: vec![
                        said("noindex", BareItem::Boolean(true)),
                        said("nosnippet", BareItem::Boolean(false)),
                    ],
                },
                Member {
                    start: 26,
                    item: Some(BareItem::Text("Example Bot".into())),
                    parameters: vec![said("max-snippet", BareItem::Integer(-1))],
                },
                Member { start: 70, item: None, parameters: vec![said("c", BareItem::Boolean(true))] },
            ])
        );
        for text in
            ["a,", "a b", ",a", "a;", "a ;b", "a;B", "(a,b)", "(a", "a;b=", "a;b=(c)", "\ta", "é", "a=b=c,"]
        {
            assert_eq!(list(text.as_bytes()), None, "{text}");
        }
    }

    /// 4.2.4 to 4.2.10: the bounds of each type.
    #[test]
    fn bare_items() {
        for text in [
            "123456789012345",
            "-999999999999.999",
            "0.1",
            "00",
            "-0",
            "\"\"",
            "\" ~\"",
            "a!#$%&'*+-.^_`|~:/9",
            "*",
            "::",
            ":aGk:",
            ":aGl=:",
            "?0",
            "@-1",
            "%\"\"",
            "%\"%f0%9f%92%a9\"",
        ] {
            assert!(list(text.as_bytes()).is_some(), "{text}");
        }
        for text in [
            "1234567890123456",
            "1234567890123.1",
            "1.1234",
            "1.",
            ".1",
            "-",
            "--1",
            "+1",
            "\"a",
            "\"\\a\"",
            "\"\x7f\"",
            "_a",
            ":a:",
            ":aGk=",
            ":a=Gk:",
            ":aGk===:",
            "?2",
            "?",
            "@1.5",
            "@",
            "%\"%C3%A9\"",
            "%\"%c3\"",
            "%\"%c\"",
            "%a",
        ] {
            assert_eq!(list(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_dictionary() {
        for text in [
            "A=y",
            "a=y,",
            "a =y",
            "a= y",
            "a=y b=n",
            "a=\"y",
            "a=(y",
            "a=1.",
            "a=é",
            "a=y;",
            ",",
            "a=%\"%C3\"",
            "a=,",
            "1=a",
            "a==b",
            "a=y,,b=n",
            "a=y;p=(1)",
        ] {
            assert_eq!(dictionary(text.as_bytes()), None, "{text}");
        }
    }
}
