//! Colours, where a terminal shows them.

use std::fmt::Display;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};
use robomata_jobs::lint::is_invisible;

/// How texts of one meaning are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Styles {
    pub(crate) allow: Style,
    pub(crate) disallow: Style,
    pub(crate) invalid: Style,
    pub(crate) heading: Style,
    pub(crate) faint: Style,
}

impl Styles {
    /// Colours when standard output is a terminal and nobody asks for none (<https://no-color.org>), else nothing.
    pub(crate) fn for_stdout() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if refused || !std::io::stdout().is_terminal() { Styles::plain() } else { Styles::coloured() }
    }

    /// Nothing, for files.
    pub(crate) const fn plain() -> Self {
        let none = Style::new();
        Styles { allow: none, disallow: none, invalid: none, heading: none, faint: none }
    }

    fn coloured() -> Self {
        Styles {
            allow: AnsiColor::Green.on_default().bold(),
            disallow: AnsiColor::Red.on_default().bold(),
            invalid: AnsiColor::Yellow.on_default().bold(),
            heading: Style::new().bold(),
            faint: Style::new().dimmed(),
        }
    }

    /// The style of a permission's word.
    pub(crate) fn of_permission(&self, permission: &str) -> Style {
        match permission {
            "permitted" => self.allow,
            "prohibited" => self.disallow,
            "deferred" => self.invalid,
            _ => self.faint,
        }
    }

    /// The style of a verdict's word.
    pub(crate) fn of_verdict(&self, verdict: &str) -> Style {
        match verdict {
            "allow" => self.allow,
            "disallow" => self.disallow,
            _ => self.invalid,
        }
    }
}

/// `text` in `style`.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A text that shows what it holds: what a site writes must not move a terminal's cursor, hide characters or turn the
/// direction of what follows.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
