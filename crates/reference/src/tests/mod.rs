//! Every row of `crates/DIALECTS.md`, and the figures and examples of RFC 9309 and of Koster's draft.

mod edges;
mod groups;
mod koster1996;
mod lines;
mod outcome;
mod patterns;
mod records;
mod rfc9309;
mod urls;

use robomata_protocol::{Answer, Crawler, Dialect};

use crate::judge;

/// One question with the answer of each dialect: `allow`, `disallow`, `unknown` or `invalid`, and the line.
struct Row<'a> {
    robots: &'a [u8],
    url: &'a [u8],
    rfc9309: &'a str,
    google: &'a str,
}

/// A row for which the dialects agree.
fn both<'a>(
    robots: &'a (impl AsRef<[u8]> + ?Sized),
    url: &'a (impl AsRef<[u8]> + ?Sized),
    answer: &'a str,
) -> Row<'a> {
    differ(robots, url, answer, answer)
}

/// A row for which the dialects differ.
fn differ<'a>(
    robots: &'a (impl AsRef<[u8]> + ?Sized),
    url: &'a (impl AsRef<[u8]> + ?Sized),
    rfc9309: &'a str,
    google: &'a str,
) -> Row<'a> {
    Row { robots: robots.as_ref(), url: url.as_ref(), rfc9309, google }
}

/// Checks every row, for `crawler`, under both dialects.
#[track_caller]
fn check(crawler: &str, rows: &[Row<'_>]) {
    for row in rows {
        for (dialect, expected) in [(Dialect::Rfc9309, row.rfc9309), (Dialect::Google, row.google)] {
            let answer = judge(row.robots, None, &Crawler::new(crawler), dialect, row.url);
            assert_eq!(
                summary(answer),
                expected,
                "{dialect}: {crawler} about {} in {}",
                row.url.escape_ascii(),
                row.robots[..row.robots.len().min(300)].escape_ascii()
            );
        }
    }
}

/// Checks single rules, each on the second line of a file for every crawler.
#[track_caller]
fn check_rules(rows: &[(&str, &str, &str, &str)]) {
    for (rule, url, rfc9309, google) in rows {
        check("FooBot", &[differ(&format!("User-agent: *\n{rule}\n"), *url, rfc9309, google)]);
    }
}

/// The answer as the rows write it.
fn summary(answer: Answer) -> String {
    format!("{} {}", answer.as_str(), answer.line())
}
