//! JSON texts (RFC 8259), for tdmrep.json (T1).

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `null`, `true` or `false`.
    Literal,
    /// A number as written.
    Number(String),
    Text(String),
    Array(Vec<Value>),
    /// In the order of the text. Names may be repeated.
    Object(Vec<(String, Value)>),
}

/// T1: the most arrays and objects within each other.
const DEPTH: usize = 127;

/// The value of `text`, or `None` if it is not a JSON text in UTF-8.
pub(crate) fn value(text: &[u8]) -> Option<Value> {
    let mut input = Input { text: std::str::from_utf8(text).ok()?, at: 0 };
    input.space();
    let value = input.value(0)?;
    input.space();
    (input.at == text.len()).then_some(value)
}

struct Input<'t> {
    text: &'t str,
    at: usize,
}

impl Input<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, wanted: &str) -> Option<()> {
        self.text[self.at..].starts_with(wanted).then(|| self.at += wanted.len())
    }

    /// `ws = *( %x20 / %x09 / %x0A / %x0D )` (2).
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// 3.
    fn value(&mut self, depth: usize) -> Option<Value> {
        Some(match self.peek()? {
            b'{' if depth < DEPTH => Value::Object(self.object(depth + 1)?),
            b'[' if depth < DEPTH => Value::Array(self.array(depth + 1)?),
            b'"' => Value::Text(self.string()?),
            b'-' | b'0'..=b'9' => Value::Number(self.number()?),
            _ => {
                ["null", "true", "false"].into_iter().find_map(|literal| self.take(literal))?;
                Value::Literal
            }
        })
    }

    /// 4.
    fn object(&mut self, depth: usize) -> Option<Vec<(String, Value)>> {
        let mut members = Vec::new();
        self.take("{")?;
        self.space();
        if self.take("}").is_some() {
            return Some(members);
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.take(":")?;
            self.space();
            members.push((name, self.value(depth)?));
            self.space();
            if self.take("}").is_some() {
                return Some(members);
            }
            self.take(",")?;
        }
    }

    /// 5.
    fn array(&mut self, depth: usize) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        self.take("[")?;
        self.space();
        if self.take("]").is_some() {
            return Some(values);
        }
        loop {
            self.space();
            values.push(self.value(depth)?);
            self.space();
            if self.take("]").is_some() {
                return Some(values);
            }
            self.take(",")?;
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// `number = [ minus ] int [ frac ] [ exp ]` (6).
    fn number(&mut self) -> Option<String> {
        let start = self.at;
        let _ = self.take("-");
        let begins_with_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (begins_with_zero && whole > 1) {
            return None;
        }
        if self.take(".").is_some() && self.digits() == 0 {
            return None;
        }
        if self.take("e").or_else(|| self.take("E")).is_some() {
            let _ = self.take("+").or_else(|| self.take("-"));
            if self.digits() == 0 {
                return None;
            }
        }
        let written = &self.text[start..self.at];
        // T1: "beyond double precision" is no number here.
        written.parse::<f64>().is_ok_and(f64::is_finite).then(|| written.to_owned())
    }

    /// 7. A surrogate without its other half is refused, because it is no text (8.2).
    fn string(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut text = String::new();
        loop {
            let next = self.text[self.at..].chars().next()?;
            self.at += next.len_utf8();
            match next {
                '"' => return Some(text),
                '\\' => text.push(self.escape()?),
                '\0'..='\x1f' => return None,
                _ => text.push(next),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let escaped = self.peek()?;
        self.at += 1;
        Some(match escaped {
            b'"' | b'\\' | b'/' => char::from(escaped),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => match self.unit()? {
                high @ 0xD800..=0xDBFF => {
                    self.take("\\u")?;
                    let low = self.unit()?;
                    char::decode_utf16([high, low]).next()?.ok()?
                }
                unit => char::from_u32(u32::from(unit))?,
            },
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex { u16::from_str_radix(digits, 16).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Value> {
        value(text.as_bytes())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn values() {
        let one = || Value::Number("1".to_owned());
        let object = Value::Object(vec![("a".to_owned(), one()), ("a".to_owned(), text("x"))]);
        let read = |text| read(text).unwrap();
        assert_eq!(
            read(" [\n{\"a\": 1,\r\n\"a\" : \"x\"}, true]\n"),
            Value::Array(vec![object, Value::Literal])
        );
        assert_eq!(read("{}"), Value::Object(vec![]));
        assert_eq!(read("\t[ ]"), Value::Array(vec![]));
    }

    #[test]
    fn texts_have_escapes() {
        assert_eq!(
            read(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\uDCA9é""#),
            Some(text("\"\\/\x08\x0c\n\r\té\u{1F4A9}é"))
        );
        for wrong in [
            "\"",
            "\"\\x\"",
            "\"\n\"",
            "\"\\u12\"",
            "\"\\ud83d\"",
            "\"\\udca9\"",
            "\"\\ud83d\\u0041\"",
            "'a'",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_follow_the_grammar() {
        for number in ["0", "-0", "10", "1.0", "1e5", "1E+5", "1.5e-05"] {
            assert_eq!(read(number), Some(Value::Number(number.to_owned())));
        }
        for wrong in ["01", "-", "1.", ".1", "1e", "+1", "0x1", "1 2", "NaN", "--1", "1e999"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_json_text() {
        for wrong in [
            "",
            "[",
            "[1,]",
            "[,1]",
            "{",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "tru",
            "nulls",
            "[1]x",
            "\u{feff}[]",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(value(b"\"\xff\""), None);
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(DEPTH)).is_some() && read(&nested(DEPTH + 1)).is_none());
    }
}
