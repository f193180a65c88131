//! Dictionaries of structured fields (RFC 9651, 4.2.2), parsed step by step, for the bare tokens in them (V3).

/// The relevant content of a dictionary member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A bare token; parameters are ignored.
    Token(String),
    /// Anything else.
    Other,
}

/// The members of a dictionary in the order of their first keys, or `None` if the text is not a dictionary.
///
/// Of two members with the same key the later counts (4.2.2, step 2.4).
pub(crate) fn dictionary(text: &[u8]) -> Option<Vec<(String, Value)>> {
    // 4.2: non-ASCII bytes fail, leading and trailing spaces are discarded.
    let mut input = Input { left: text };
    input.skip(|byte| byte == b' ');
    let mut members: Vec<(String, Value)> = Vec::new();
    while !input.left.is_empty() {
        let key = input.key()?;
        let value = if input.take(b'=') {
            input.item_or_inner_list()?
        } else {
            input.parameters()?;
            Value::Other
        };
        match members.iter_mut().find(|(own, _)| *own == key) {
            Some((_, own)) => *own = value,
            None => members.push((key, value)),
        }
        input.skip(is_optional_space);
        if input.left.is_empty() {
            return Some(members);
        }
        if !input.take(b',') {
            return None;
        }
        input.skip(is_optional_space);
        // "If input_string is empty, there is a trailing comma; fail parsing."
        if input.left.is_empty() {
            return None;
        }
    }
    Some(members)
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
    fn item_or_inner_list(&mut self) -> Option<Value> {
        if !self.take(b'(') {
            return self.item();
        }
        // 4.2.1.2.
        loop {
            self.skip(|byte| byte == b' ');
            if self.take(b')') {
                self.parameters()?;
                return Some(Value::Other);
            }
            self.item()?;
            if !matches!(self.peek(), Some(b' ' | b')')) {
                return None;
            }
        }
    }

    /// 4.2.3.
    fn item(&mut self) -> Option<Value> {
        let value = self.bare_item()?;
        self.parameters()?;
        Some(value)
    }

    /// 4.2.3.2.
    fn parameters(&mut self) -> Option<()> {
        while self.take(b';') {
            self.skip(|byte| byte == b' ');
            self.key()?;
            if self.take(b'=') {
                self.bare_item()?;
            }
        }
        Some(())
    }

    /// 4.2.3.1.
    fn bare_item(&mut self) -> Option<Value> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => self.number()?,
            b'"' => self.string()?,
            b':' => self.byte_sequence()?,
            b'?' => {
                self.next();
                matches!(self.next()?, b'0' | b'1').then_some(())?;
            }
            b'@' => {
                self.next();
                self.integer()?;
            }
            b'%' => self.display_string()?,
            first if first.is_ascii_alphabetic() || first == b'*' => {
                return Some(Value::Token(self.run(is_token_byte)));
            }
            _ => return None,
        }
        Some(Value::Other)
    }

    /// 4.2.4: at most 15 digits, or 12, a dot and 1 to 3.
    fn number(&mut self) -> Option<()> {
        self.take(b'-');
        let whole = self.run(|byte| byte.is_ascii_digit());
        if !self.take(b'.') {
            return (1..=15).contains(&whole.len()).then_some(());
        }
        let fraction = self.run(|byte| byte.is_ascii_digit());
        ((1..=12).contains(&whole.len()) && (1..=3).contains(&fraction.len())).then_some(())
    }

    /// 4.2.9: a date is an integer after `@`.
    fn integer(&mut self) -> Option<()> {
        self.take(b'-');
        let whole = self.run(|byte| byte.is_ascii_digit());
        ((1..=15).contains(&whole.len()) && self.peek() != Some(b'.')).then_some(())
    }

    /// 4.2.5.
    fn string(&mut self) -> Option<()> {
        self.next();
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => {
                    matches!(self.next()?, b'"' | b'\\').then_some(())?;
                }
                0x20..=0x7E => {}
                _ => return None,
            }
        }
    }

    /// 4.2.7: the bytes between colons, in base64. Padding is optional, and its bits may have any value.
    fn byte_sequence(&mut self) -> Option<()> {
        self.next();
        let encoded = self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        if !self.take(b':') {
            return None;
        }
        let data = encoded.trim_end_matches('=');
        let padding = encoded.len() - data.len();
        let is_base64 =
            !data.contains('=') && data.len() % 4 != 1 && (padding == 0 || encoded.len().is_multiple_of(4));
        (is_base64 && padding <= 2).then_some(())
    }

    /// 4.2.10: UTF-8 in `%"..."`, with lower-case escapes.
    fn display_string(&mut self) -> Option<()> {
        self.next();
        if !self.take(b'"') {
            return None;
        }
        let mut bytes = Vec::new();
        loop {
            match self.next()? {
                b'"' => return std::str::from_utf8(&bytes).is_ok().then_some(()),
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

    fn read(text: &str) -> Option<Vec<(String, Value)>> {
        dictionary(text.as_bytes())
    }

    fn token(text: &str) -> Value {
        Value::Token(text.to_owned())
    }

    #[test]
    fn dictionaries() {
        assert_eq!(read(""), Some(vec![]));
        assert_eq!(read(" train-ai=n "), Some(vec![("train-ai".into(), token("n"))]));
        assert_eq!(
            read("a=y;x=1,\tb;q, c=?1, d=\"y\", e=(y n);z, f=-1.5, g=:aGk=:, h=@1, i=%\"%c3%a9\""),
            Some(vec![
                ("a".into(), token("y")),
                ("b".into(), Value::Other),
                ("c".into(), Value::Other),
                ("d".into(), Value::Other),
                ("e".into(), Value::Other),
                ("f".into(), Value::Other),
                ("g".into(), Value::Other),
                ("h".into(), Value::Other),
                ("i".into(), Value::Other),
            ])
        );
        assert_eq!(read("a=y, b=n, a=n"), Some(vec![("a".into(), token("n")), ("b".into(), token("n"))]));
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
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
