//! Characters that look like ASCII.

use std::sync::LazyLock;

/// Consecutive characters that look like the same ASCII text. ASCII characters are among them: `m` looks like `rn`.
struct Row {
    first: u32,
    last: u32,
    plain: &'static str,
    /// Whether they are of a script of its own, and not Latin.
    is_foreign: bool,
}

/// In columns, by character: the number of characters since the last row; one less than the number of characters of the row,
/// and `is_foreign` in the lowest bit; and `plain` with a NUL after it. Numbers are in LEB128. As rows, the table would be five
/// times as large.
static PACKED: [&[u8]; 3] = include!(concat!(env!("OUT_DIR"), "/look_alikes.rs"));

static LOOK_ALIKES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let [mut gaps, mut lengths, plains] = PACKED;
    let mut next = 0;
    // Nothing follows the last NUL.
    let plains = plains.strip_suffix(b"\0").unwrap_or(plains).split(|&byte| byte == 0);
    let row = |plain| {
        let (gap, length) = (varint(&mut gaps), varint(&mut lengths));
        let first = next + gap;
        let last = first + (length >> 1);
        next = last + 1;
        let plain = std::str::from_utf8(plain).unwrap_or_default();
        Row { first, last, plain, is_foreign: length & 1 == 1 }
    };
    plains.map(row).collect()
});

/// Reads a number at the beginning of `bytes`, and removes it.
fn varint(bytes: &mut &[u8]) -> u32 {
    let mut number = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else { break };
        *bytes = rest;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// What a character looks like, if that is ASCII and not the character itself, and whether it is of a script of its own, and not Latin.
pub(crate) fn looks_like(c: char) -> Option<(&'static str, bool)> {
    let at = LOOK_ALIKES.partition_point(|row| row.last < u32::from(c));
    let row = LOOK_ALIKES.get(at).filter(|row| row.first <= u32::from(c))?;
    Some((row.plain, row.is_foreign))
}

/// What a text looks like, if that is ASCII. Texts with the same skeleton look alike (Unicode Technical Standard 39).
pub(crate) fn skeleton(text: &str) -> Option<String> {
    let mut skeleton = String::new();
    for c in text.chars() {
        match looks_like(c) {
            Some((plain, _)) => skeleton += plain,
            None if c.is_ascii() => skeleton.push(c),
            None => return None,
        }
    }
    Some(skeleton)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_the_same_skeleton_look_alike() {
        assert!(LOOK_ALIKES.is_sorted_by(|a, b| a.last < b.first));
        assert!(LOOK_ALIKES.len() > 1000 && LOOK_ALIKES.iter().all(|row| row.first <= row.last));
        assert_eq!(looks_like('\u{e0800}').map(|(plain, _)| plain), Some(""));
        assert_eq!(skeleton("sitem\u{430}p"), skeleton("sitemap"));
        assert_eq!(skeleton("disallow\u{a789}"), skeleton("disallow:"));
        assert_eq!(skeleton("b\u{e9}"), None);
        assert_eq!(looks_like('\u{430}'), Some(("a", true)));
        assert_eq!(looks_like('\u{1d41a}'), Some(("a", false)));
        assert_eq!(looks_like('a'), None);
    }
}
