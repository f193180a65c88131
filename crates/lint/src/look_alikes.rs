//! Characters that look like ASCII.

/// The characters that look like ASCII, from the first to the last of each row, in their order, and what they look like. ASCII
/// characters are among them: `m` looks like `rn`. The last value is whether they are of a script of its own, and not Latin.
static LOOK_ALIKES: &[(char, char, &str, bool)] = include!(concat!(env!("OUT_DIR"), "/look_alikes.rs"));

/// What a character looks like, if that is ASCII and not the character itself, and whether it is of a script of its own, and not Latin.
pub(crate) fn looks_like(c: char) -> Option<(&'static str, bool)> {
    let at = LOOK_ALIKES.partition_point(|&(_, last, ..)| last < c);
    let &(_, _, plain, is_foreign) = LOOK_ALIKES.get(at).filter(|&&(first, ..)| first <= c)?;
    Some((plain, is_foreign))
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
        assert!(LOOK_ALIKES.is_sorted_by(|a, b| a.1 < b.0));
        assert_eq!(looks_like('\u{e0800}').map(|(plain, _)| plain), Some(""));
        assert_eq!(skeleton("sitem\u{430}p"), skeleton("sitemap"));
        assert_eq!(skeleton("disallow\u{a789}"), skeleton("disallow:"));
        assert_eq!(skeleton("b\u{e9}"), None);
        assert_eq!(looks_like('\u{430}'), Some(("a", true)));
        assert_eq!(looks_like('\u{1d41a}'), Some(("a", false)));
        assert_eq!(looks_like('a'), None);
    }
}
