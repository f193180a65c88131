//! Colours on terminals.

use std::fmt::Display;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};
use robomata_engine::Permission;
pub(crate) use robomata_engine::protocol::visible;

/// The styles of texts by their meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Styles {
    pub(crate) allow: Style,
    pub(crate) disallow: Style,
    pub(crate) invalid: Style,
    pub(crate) heading: Style,
    pub(crate) faint: Style,
}

impl Styles {
    /// Returns colours if standard output is a terminal that has some and `NO_COLOR` is not set (<https://no-color.org>), else
    /// no styles.
    pub(crate) fn for_stdout() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        if refused || !std::io::stdout().is_terminal() { Styles::plain() } else { Styles::coloured() }
    }

    /// Returns no styles, for files.
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
    pub(crate) fn of_permission(&self, permission: Permission) -> Style {
        match permission {
            Permission::Permitted => self.allow,
            Permission::Prohibited => self.disallow,
            Permission::Deferred => self.invalid,
            Permission::Unspecified => self.faint,
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

    /// A named value of a report, on one line. The value may contain a site's text, so it is escaped.
    pub(crate) fn field(&self, name: impl Display, value: &str) -> String {
        format!("{} {}\n", paint(self.faint, name), visible(value))
    }
}

/// `text` in `style`.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
