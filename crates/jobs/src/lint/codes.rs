//! What can be found, each under a stable name, with its documentation.

use super::Severity::{self, Error, Note, Warning};

/// A kind of finding.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Its stable name.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Why it matters and what to do, in some sentences.
    pub text: &'static str,
}

impl Code {
    /// The code of this name.
    pub fn find(name: &str) -> Option<&'static Code> {
        CODES.iter().find(|code| code.name == name)
    }
}

/// The code `name`, which stands in [`CODES`].
pub(super) fn code(name: &str) -> &'static Code {
    Code::find(name).unwrap_or(&CODES[0])
}

const fn of(name: &'static str, severity: Severity, summary: &'static str, text: &'static str) -> Code {
    Code { name, severity, summary, text }
}

/// All codes: first one that has no other, then those about the file, its lines, groups, rules and fields.
pub static CODES: &[Code] = &[
    of(
        "oddity",
        Warning,
        "something odd",
        "The parser noticed something that has no code of its own; the message says what.",
    ),
    // The file.
    of(
        "byte-order-mark",
        Note,
        "a byte order mark",
        "The file begins with a UTF-8 byte order mark. RFC 9309 parsers skip it, older ones take it for part of the first key, so that the first line is lost to them. Save the file without it.",
    ),
    of(
        "partial-byte-order-mark",
        Warning,
        "part of a byte order mark",
        "The file begins with some bytes of a byte order mark. Parsers may lose the first line. Save the file as plain UTF-8.",
    ),
    of(
        "utf-16",
        Error,
        "a file in UTF-16",
        "RFC 9309, 2.3 asks for UTF-8. Most parsers read nothing in a UTF-16 file, so that everything is allowed. Save the file as UTF-8.",
    ),
    of(
        "html",
        Error,
        "a web page",
        "The file is HTML, perhaps an error page that is served with status 200. Parsers read its lines all the same and find hardly ever a rule: everything is allowed. Serve a robots.txt, or status 404.",
    ),
    of(
        "not-robots",
        Error,
        "no line is a record",
        "The file is not empty, but no line is a group, a rule or a known field: it may be JSON, an image, or a page. Crawlers take it for a robots.txt that allows everything.",
    ),
    of(
        "binary",
        Error,
        "binary bytes",
        "The file holds NUL bytes near its beginning: it is no text. A robots.txt is plain UTF-8.",
    ),
    of(
        "file-cut",
        Error,
        "longer than the parsing limit",
        "What stands behind the parsing limit is not read at all. Shorten the file: patterns with '*' often replace thousands of lines.",
    ),
    of(
        "over-500-kib",
        Warning,
        "longer than 500 KiB",
        "RFC 9309, 2.5 obliges crawlers to read 500 KiB and no more; Google stops there. Rules behind that place hold for some crawlers only.",
    ),
    // Lines.
    of(
        "line-cut",
        Error,
        "a line that is too long",
        "The dialect reads only so many bytes of a line; what follows is dropped, and the rule says something else than it seems to.",
    ),
    of(
        "nul-ends-line",
        Error,
        "a NUL byte within a line",
        "The line ends at the NUL byte for this parser. Remove it.",
    ),
    of(
        "no-record",
        Warning,
        "neither record nor comment",
        "A line without a colon is no record, and without '#' no comment. It is ignored; some parsers guess. Write 'Key: value', or put '#' before it.",
    ),
    of(
        "missing-colon",
        Warning,
        "no colon between key and value",
        "RFC 9309 asks for a colon. This parser and Google's read the line all the same; others ignore it, and the rule with it.",
    ),
    of(
        "misspelt-key",
        Warning,
        "a misspelt field that some parsers know",
        "The spelling is a common mistake that some parsers accept and others ignore. Write the standard one.",
    ),
    of(
        "near-miss",
        Error,
        "an unknown field that resembles a known one",
        "The line has no effect: the field is not known under this name. Correct the spelling.",
    ),
    of(
        "unknown-key",
        Note,
        "an unknown field",
        "The field is none that this parser knows; it is ignored (RFC 9309, 2.2.4). It may be meant for one crawler.",
    ),
    of(
        "excluded-byte",
        Warning,
        "a byte that values must not hold",
        "RFC 9309, 2.2 has neither control characters nor broken UTF-8 in values. Parsers differ about such lines. Percent-encode the byte in a path, or remove it.",
    ),
    of(
        "glued-lines",
        Error,
        "two records on one line",
        "A record ends where its line does, and a key counts only where a line begins: the second record is read as a part of the first one's value. A line break was lost.",
    ),
    of(
        "glued-comment",
        Warning,
        "a record at the end of a comment",
        "A comment reaches to the end of its line. A line break seems to be lost, so that the record is a part of the comment and has no effect.",
    ),
    of(
        "markup",
        Warning,
        "markup in a robots.txt",
        "Tags, entities or PHP of a page are left on the line. Parsers take them for a part of the value or ignore the line. A robots.txt is plain text.",
    ),
    of(
        "double-encoded",
        Warning,
        "UTF-8 that was encoded twice",
        "The bytes of a character were taken for Latin-1 and encoded again, often by an editor or a form. A name or a pattern with them matches nothing that is meant.",
    ),
    of(
        "invisible-character",
        Error,
        "a character that is not seen",
        "A no-break space, a zero-width or a private-use character stands in a key, a name or a pattern. Editors do not show it, but it counts: the key is unknown, or the value matches nothing. Remove it.",
    ),
    of(
        "look-alike-character",
        Error,
        "a character that looks like another one",
        "A letter of another script, a dash or a full-width sign stands where a Latin letter, '-' or ':' is meant. It looks the same and is not: the key is unknown, or the value matches nothing. Type the word anew.",
    ),
    of(
        "dialects-disagree",
        Note,
        "a line that RFC 9309 and Google read differently",
        "The line is a rule for one of the two and none for the other, so crawlers differ about the same URLs. Write it in the standard form.",
    ),
    // Groups.
    of(
        "text-after-star",
        Warning,
        "text behind '*'",
        "Of 'User-agent: * …' only '*' is read by some, others take the whole for a name. Write '*' alone.",
    ),
    of(
        "user-agent-text",
        Warning,
        "a whole User-Agent header as a name",
        "A User-agent line takes a product token, not the header that a crawler sends. Only the beginning counts, often 'Mozilla', which is no crawler's name, so that the group is obeyed by nobody. Write the token alone.",
    ),
    of(
        "several-names",
        Error,
        "several names on one line",
        "A User-agent line names one crawler: only the first name counts, the others obey another group. Write a line for each.",
    ),
    of(
        "name-cut",
        Warning,
        "a name that is cut",
        "A product token consists of letters, '-' and '_' (RFC 9309, 2.2.1): the name ends before any other byte, a version or a space for instance. The group is for every crawler of the shorter name. Write the token that the crawler's documentation gives.",
    ),
    of(
        "name-with-version",
        Note,
        "a name with a version",
        "The name ends before the slash: the group is for every version of the crawler. Leave the version away.",
    ),
    of(
        "no-name",
        Error,
        "a name that nobody has",
        "The value begins with no letter, '-', '_' and is not '*': no crawler compares equal, so nobody obeys the group. '*' is no wildcard within names.",
    ),
    of(
        "look-alike-name",
        Warning,
        "a name one typing error away from a well-known crawler",
        "No well-known crawler has this name, and one has nearly this one, which does not obey this group.",
    ),
    of(
        "repeated-group",
        Note,
        "a crawler named in several groups",
        "RFC 9309, 2.2.1 merges all groups of one crawler; some parsers take the first or the last alone. Write one group.",
    ),
    of(
        "empty-group",
        Warning,
        "a group without rules",
        "The crawlers named here obey no rule at all, not even those of '*': everything is allowed to them. Write 'Disallow:' if that is meant, or remove the names.",
    ),
    of(
        "record-never-counts",
        Warning,
        "a second record of one crawler",
        "In the dialect koster1996 the first record that names a crawler decides alone: what a later one says never counts. Write one record.",
    ),
    of(
        "joined-groups",
        Warning,
        "a group that goes on behind a Crawl-delay",
        "Only Allow and Disallow end a group's list of names (RFC 9309, 2.2.4). Names before a Crawl-delay, or another field of groups, and names behind it are one group, whatever blank lines are between: the rules that follow hold for all of them, and often close the site to a crawler that was only asked to slow down. Some parsers read it otherwise. Put a rule behind the field, for example an empty 'Disallow:', so that the first group ends there. The delay itself binds only the names before it.",
    ),
    of(
        "joined-over-blank",
        Warning,
        "a blank line among the names of a group",
        "Blank lines separate nothing in RFC 9309, 2.2: names above and below one are one group, and the rules that follow hold for all of them. In the draft of 1996 blank lines separate records, and a name above one has no rules. If all names are meant, remove the blank line; if not, put a rule before it, for example an empty 'Disallow:'. Where blank lines stand between names and rules, too, nothing is reported.",
    ),
    of(
        "name-cut-elsewhere",
        Note,
        "a name that other parsers cut",
        "RFC 9309, 2.2.1 has letters, '-' and '_' in names. Real crawlers are called MJ12bot or 360Spider, and most parsers take digits and dots for part of a name; Google's does not, and reads the group as one for the shorter name.",
    ),
    of(
        "hidden-crawl-delay",
        Note,
        "a Crawl-delay that named groups hide",
        "A crawler that a group names obeys that group alone: a Crawl-delay under '*' does not hold for it. Repeat the line in the named group if it is meant for all. Crawlers that may fetch nothing, that have a delay of their own or that heed none, as Google's, are not counted.",
    ),
    of(
        "hidden-star-rules",
        Note,
        "rules of '*' that a named group hides",
        "A crawler that a group names obeys that group alone. Rules that stand under '*' only do not hold for it. Repeat them if they are meant for all.",
    ),
    of(
        "rule-before-group",
        Error,
        "a rule before any User-agent line",
        "It belongs to no group and has no effect (RFC 9309, 2.2.2). Put 'User-agent: *' before it.",
    ),
    of(
        "record-before-group",
        Warning,
        "a group's field before any User-agent line",
        "It belongs to no group and has no effect. Put it into a group.",
    ),
    of(
        "rule-outside-record",
        Error,
        "a rule behind a blank line",
        "In the dialect koster1996 a blank line ends a record; the rule belongs to none. Remove the blank line.",
    ),
    of(
        "record-not-separated",
        Note,
        "no blank line before a User-agent line",
        "The dialect koster1996 asks for one between records.",
    ),
    of(
        "record-without-rules",
        Warning,
        "names without a rule",
        "In the dialect koster1996 a record needs a rule line; these names have none.",
    ),
    of(
        "space-around-key",
        Note,
        "white space around a key",
        "The dialect koster1996 has none before the key or its colon.",
    ),
    of("empty-path", Note, "an empty path", "In the dialect koster1996 the line has no effect."),
    // Rules.
    of(
        "never-decides",
        Warning,
        "a rule that never decides",
        "Whatever the URL, a rule that ranks higher matches wherever this one does: proved on the compiled automaton. Remove it, or make it more specific than the rule that is named.",
    ),
    of(
        "duplicate-rule",
        Note,
        "a rule that stands there already",
        "Another rule of the same crawler matches the same URLs to the same effect and is the one that is told. Remove one of them.",
    ),
    of(
        "contradicting-rule",
        Warning,
        "the same path allowed and disallowed",
        "Two rules of one crawler match exactly the same URLs and say the opposite; one of them never decides (of equally long ones allow wins, RFC 9309, 2.2.2). Remove the one that is not meant.",
    ),
    of(
        "pattern-without-slash",
        Error,
        "a pattern that begins neither with '/' nor with '*'",
        "Every path begins with '/', so the pattern matches nothing. Put '/' before it, or '*' if it may stand anywhere.",
    ),
    of(
        "absolute-url-pattern",
        Error,
        "an absolute URL as a pattern",
        "Patterns are paths: the line matches nothing. Leave scheme and host away.",
    ),
    of(
        "host-pattern",
        Error,
        "a host name in a pattern",
        "Patterns are paths: the line matches nothing. A robots.txt speaks only of the host that serves it. Leave the host away, or put the rule into that host's own robots.txt.",
    ),
    of(
        "several-paths",
        Error,
        "several paths in one rule",
        "A rule has one pattern: what is written is taken as one, with the spaces or commas in it, and matches none of the paths. Write a line for each.",
    ),
    of(
        "space-in-pattern",
        Warning,
        "a raw space in a pattern",
        "URLs have spaces percent-encoded, so the pattern matches hardly any URL. Write '%20'; a comment needs '#' before it.",
    ),
    of(
        "robots-txt-rule",
        Note,
        "a rule about /robots.txt",
        "Crawlers may fetch /robots.txt whatever its rules are (RFC 9309, 2.2.2): the rule has no effect.",
    ),
    of(
        "encoded-duplicate",
        Note,
        "a rule that differs by percent-encoding alone",
        "Another rule of the same crawler has the same pattern, with some characters percent-encoded and others not: it matches the same URLs to the same effect. Remove one of them.",
    ),
    // What is closed.
    of(
        "site-closed",
        Warning,
        "the whole site closed",
        "No search engine may crawl any page, so the site is hardly found. That is right for a site that is not public yet, and a common mistake after a launch.",
    ),
    of(
        "search-engine-closed",
        Warning,
        "the whole site closed to a large search engine",
        "The group of this crawler closes everything to it, and others may crawl. Pages that it cannot fetch are hardly found by its search engine.",
    ),
    of(
        "closed-to-some",
        Note,
        "the whole site closed to some crawlers",
        "Crawlers without a group of their own, or the crawler of a smaller search engine, may fetch nothing, while large search engines may. Often that is meant.",
    ),
    of(
        "assets-closed",
        Warning,
        "CSS or JavaScript closed",
        "Search engines draw a page to understand it. Without its style sheets and programs they see another page than people do. Let them fetch what pages are drawn with.",
    ),
    of(
        "sitemap-closed",
        Warning,
        "a sitemap that a rule closes",
        "The file names a sitemap, and a rule disallows its URL, so crawlers that obey the rule do not fetch it.",
    ),
    of(
        "dollar-inside",
        Note,
        "'$' within a pattern",
        "Only at the end '$' means the end of the URL; elsewhere it is itself. Write '%24' where it is meant as itself, or end the pattern there.",
    ),
    of(
        "trailing-star",
        Note,
        "a star at the end",
        "A pattern matches every URL that begins so, with or without the star. It adds a byte to the pattern's length, though, and so to its rank.",
    ),
    of(
        "unescaped-bytes",
        Note,
        "bytes beyond ASCII in a pattern",
        "URLs have them percent-encoded; parsers that compare bytes as they are written never match. Write them as %xx.",
    ),
    of(
        "idle-disallow",
        Note,
        "an empty Disallow beside other rules",
        "'Disallow:' means that nothing is disallowed, and only where it stands alone; beside other rules it has no effect, and it lifts none of them.",
    ),
    // Fields.
    of(
        "sitemap-not-absolute",
        Error,
        "a Sitemap that is no absolute URL",
        "sitemaps.org asks for the full URL, with http:// or https://; what is relative is ignored.",
    ),
    of(
        "crawl-delay-no-number",
        Error,
        "a Crawl-delay that is no number",
        "The value is a number of seconds, up to a day; anything else has no effect.",
    ),
    of(
        "crawl-delay-too-long",
        Warning,
        "a Crawl-delay of more than a day",
        "So long a delay is taken for a mistake, milliseconds perhaps, and has no effect here; crawlers that heed it hardly come at all. The value is a number of seconds. To close the site, write 'Disallow: /'.",
    ),
    of(
        "malformed-value",
        Warning,
        "a value that is not of its field's kind",
        "The line has no effect; see crates/PERMISSIONS.md, V1 to V9, for the forms of values.",
    ),
    of(
        "malformed-host",
        Note,
        "a Host that is no host alone",
        "The value is a host name, perhaps with a scheme and a port, and nothing behind it, not even '/'. Yandex, for which the field was, has ignored it since 2018: remove the line.",
    ),
    of(
        "malformed-item",
        Warning,
        "an item of a list that is none",
        "The item has no effect, the others of the line have.",
    ),
    of(
        "too-many-records",
        Warning,
        "too many costly records",
        "Of Clean-param records with a star inside only the first 256 are read.",
    ),
    of(
        "noindex-unsupported",
        Warning,
        "Noindex in robots.txt",
        "Google has ignored it since September 2019, and it is in no specification. Use a robots META tag or the X-Robots-Tag header, and let the page be crawled, else nobody sees them.",
    ),
    of(
        "vocabulary-conflict",
        Warning,
        "two vocabularies that contradict each other",
        "Content-Signal and Content-Usage say the opposite of the same usage for the same crawler. Who reads both takes the more restrictive one; who reads one of them does what that one says.",
    ),
    of(
        "noindex-disallowed",
        Warning,
        "a Noindex for what is disallowed",
        "Every URL that the Noindex matches is disallowed, proved on the compiled automata. Hardly anybody obeys Noindex in robots.txt any more, and who may not fetch a page does not see a noindex that stands in it either: the URL may still be listed, found by links. Let the page be crawled and say noindex there, or rely on Disallow alone.",
    ),
    of(
        "acap-conflict",
        Warning,
        "ACAP and the rules contradict each other",
        "About the URL that is named, which both were asked about, a field of ACAP decides otherwise for crawlers that read ACAP (1.0 part 1, 2.9.2: of two with the same pattern ACAP's counts, and rules within its records are void) than a rule decides for those that do not. Say the same in both vocabularies, to the same names. An empty Disallow that stands alone allows everything. Fields that say something where no rule matches, and uses beyond crawling, are no conflict.",
    ),
    of(
        "timegate-without-archived",
        Warning,
        "a TimeGate without Archived",
        "A TimeGate needs an Archived line behind it, else it has no effect.",
    ),
    of(
        "archived-without-timegate",
        Warning,
        "Archived without a TimeGate",
        "The line needs a well-formed TimeGate before it, else it has no effect.",
    ),
    of(
        "acap-ignored",
        Note,
        "a field of ACAP",
        "Only parsers of ACAP read it; use --dialect acap to look into it.",
    ),
    of(
        "acap-oddity",
        Warning,
        "something odd about a field of ACAP",
        "The message says what; crates/PERMISSIONS.md, A1 to A20, has the rules.",
    ),
];
