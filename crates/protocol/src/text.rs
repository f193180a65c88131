//! How values become text, for people and in serialized results.

/// Implements `Display` for types with a name (`as_str`).
#[doc(hidden)]
#[macro_export]
macro_rules! display_as_name {
    ($($type:ty),* $(,)?) => {$(
        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

/// Implements `serde::Serialize` for types, as the text of their `Display`.
#[doc(hidden)]
#[macro_export]
macro_rules! serialize_as_text {
    ($($type:ty),* $(,)?) => {$(
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

/// Is `c` displayed as nothing, or as something else than itself? Combining marks are visible.
pub fn is_invisible(c: char) -> bool {
    if c.is_ascii_graphic() || c == ' ' {
        return false;
    }
    // Letters and a symbol without ink: fillers of Hangul and vowels of Khmer (Default_Ignorable_Code_Point of Unicode), and
    // the empty pattern of Braille.
    if matches!(c, '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}') {
        return true;
    }
    // Inside a string, `escape_debug` writes only unprintable characters as `\u`.
    let text = String::from_iter(['a', c]);
    let mut escaped = text.escape_debug().skip(1);
    escaped.next() == Some('\\') && escaped.next() == Some('u')
}

/// Escapes control characters and invisible characters. A site's text must not begin a line of a report, move a
/// terminal's cursor, hide characters or change the direction of the text after it.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

use crate::lifecycle::{Applies, Terms, Unreachable};
use crate::{
    Access, ConflictRule, Dialect, FetchOutcome, Modification, Permission, PermissionReason, Place, Usage,
    Vocabulary,
};

display_as_name!(
    Access,
    Applies,
    ConflictRule,
    Dialect,
    FetchOutcome,
    Modification,
    Permission,
    PermissionReason,
    Place,
    Terms,
    Unreachable,
    Usage,
    Vocabulary,
);

#[cfg(feature = "serde")]
mod serialized {
    use super::*;
    use crate::lifecycle::{Moment, Why};
    use crate::{Crawler, MissingFact, Qualifier};

    serialize_as_text!(
        Access,
        Applies,
        ConflictRule,
        Crawler,
        Dialect,
        FetchOutcome,
        MissingFact,
        Moment,
        Permission,
        PermissionReason,
        Place,
        Qualifier,
        Usage,
        Vocabulary,
        Why,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_found_and_marks_and_letters_are_not() {
        for c in
            "\u{a0}\u{200b}\u{feff}\u{e000}\u{202e}\u{3000}\u{ad}\u{3164}\u{1160}\u{2800}\u{ffa0}".chars()
        {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in ['a', ' ', '"', '\\', 'é', '\u{301}', 'и', '漢', '\u{93e}', '€'] {
            assert!(!is_invisible(c), "{c:?}");
        }
    }

    #[test]
    fn a_text_is_one_line_without_commands() {
        assert_eq!(visible("a\n\u{1b}[2J\u{85}\u{202e}é\\"), "a\\n\\u{1b}[2J\\u{85}\\u{202e}é\\");
    }
}
