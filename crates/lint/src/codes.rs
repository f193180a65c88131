//! The codes of findings, with their documentation.

use crate::Severity::{self, Error, Note, Warning};

/// A kind of finding.
#[derive(Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Code {
    /// The stable name.
    #[cfg_attr(feature = "serde", serde(rename = "code"))]
    pub name: &'static str,
    /// The severity of all findings of this kind.
    pub severity: Severity,
}

impl Code {
    /// The code with this name.
    pub fn find(name: &str) -> Option<&'static Code> {
        CODES.iter().find(|code| code.name == name)
    }

    /// A summary in a few words.
    pub fn summary(&self) -> &'static str {
        self.texts().0
    }

    /// Why it matters and what to do, in a few sentences.
    pub fn text(&self) -> &'static str {
        self.texts().1
    }

    fn texts(&self) -> (&'static str, &'static str) {
        let index = CODES.iter().position(|code| code.name == self.name);
        index.map_or(("", ""), |index| TEXTS[index])
    }
}

/// The code `name`, which must be in [`CODES`].
pub(crate) fn code(name: &str) -> &'static Code {
    Code::find(name).unwrap_or(&CODES[0])
}

/// Declares codes and, in a table of their own, their texts: a program that shows none does not contain them.
macro_rules! codes {
    ($(of($name:literal, $severity:ident, $summary:literal, $text:literal $(,)?),)*) => {
        /// All codes. The first one is for diagnostics without a code of their own. The others are about the file, its lines,
        /// groups, rules and fields.
        pub static CODES: &[Code] = &[$(Code { name: $name, severity: $severity },)*];

        /// By code: its summary and its text.
        static TEXTS: &[(&str, &str)] = &[$(($summary, $text),)*];
    };
}

codes! {
    of(
        "oddity",
        Warning,
        "something unusual",
        "The parser noticed something unusual that has no code of its own. The message says what it is.",
    ),
    // The file.
    of(
        "byte-order-mark",
        Note,
        "a byte order mark",
        "The file begins with a UTF-8 byte order mark. RFC 9309 parsers skip it. Older parsers read it as part of the first key and so lose the first line. Save the file without it.",
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
        "RFC 9309, 2.3 requires UTF-8. Most parsers find no rule in a UTF-16 file, so they allow everything. Save the file as UTF-8.",
    ),
    of(
        "html",
        Error,
        "a web page",
        "The file is HTML, perhaps an error page served with status 200. Parsers still read its lines but hardly ever find a rule, so they allow everything. Serve a robots.txt, or status 404.",
    ),
    of(
        "not-robots",
        Error,
        "no line is a record",
        "The file is not empty, but no line is a group, a rule or a known field. It may be JSON, an image or a web page. Crawlers treat it as a robots.txt that allows everything.",
    ),
    of(
        "binary",
        Error,
        "binary bytes",
        "The file has NUL bytes near its beginning, so it is not a text file. A robots.txt is plain UTF-8.",
    ),
    of(
        "file-cut",
        Error,
        "longer than the parsing limit",
        "The parser ignores everything after the parsing limit. Shorten the file: patterns with '*' can often replace thousands of lines.",
    ),
    of(
        "over-500-kib",
        Warning,
        "longer than 500 KiB",
        "RFC 9309, 2.5 requires crawlers to read at least 500 KiB. Google stops there. Only some crawlers see the rules after that point.",
    ),
    // Lines.
    of(
        "line-cut",
        Error,
        "a line that is too long",
        "The dialect reads only a limited number of bytes of a line. The rest is dropped, so the rule does not mean what it seems to mean.",
    ),
    of(
        "nul-ends-line",
        Error,
        "a NUL byte within a line",
        "This parser ends the line at the NUL byte. Remove the byte.",
    ),
    of(
        "no-record",
        Warning,
        "neither a record nor a comment",
        "A line without a colon is not a record, and a line without '#' is not a comment. Most parsers ignore it; some guess. Write 'Key: value', or put '#' before it.",
    ),
    of(
        "missing-colon",
        Warning,
        "no colon between key and value",
        "RFC 9309 requires a colon. This parser and Google's accept the line without one. Other parsers ignore the line, and with it the rule.",
    ),
    of(
        "misspelt-key",
        Warning,
        "a misspelt field that some parsers accept",
        "The spelling is a common mistake. Some parsers accept it, others ignore the line. Write the standard spelling.",
    ),
    of(
        "near-miss",
        Error,
        "an unknown field that resembles a known one",
        "The line has no effect because no field has this name. Correct the spelling.",
    ),
    of(
        "unknown-key",
        Note,
        "an unknown field",
        "This parser does not know the field and ignores it (RFC 9309, 2.2.4). It may be meant for one particular crawler.",
    ),
    of(
        "excluded-byte",
        Warning,
        "a byte that is not allowed in values",
        "RFC 9309, 2.2 excludes control characters and invalid UTF-8 from values. Parsers differ about such lines. Percent-encode the byte in a path, or remove it.",
    ),
    of(
        "glued-lines",
        Error,
        "two records on one line",
        "A record ends at the end of its line, and a key counts only at the beginning of a line. The second record is read as part of the first record's value. Insert the missing line break.",
    ),
    of(
        "glued-comment",
        Warning,
        "a record at the end of a comment",
        "A comment extends to the end of its line. A line break seems to be missing: the record is part of the comment and has no effect.",
    ),
    of(
        "markup",
        Warning,
        "markup in a robots.txt",
        "The line contains leftover tags, entities or PHP code. Parsers read them as part of the value or ignore the line. A robots.txt is plain text.",
    ),
    of(
        "double-encoded",
        Warning,
        "UTF-8 that was encoded twice",
        "The bytes of a character were read as Latin-1 and encoded again, often by an editor or a web form. A name or pattern that contains them does not match what you intend.",
    ),
    of(
        "invisible-character",
        Error,
        "an invisible character",
        "A key, a name or a pattern contains a no-break space, a zero-width character or a private-use character. Editors do not show it, but it counts: the key is unknown, or the value matches nothing. Remove it.",
    ),
    of(
        "look-alike-character",
        Error,
        "a character that looks like another one",
        "A letter of another script, a dash or a full-width sign replaces a Latin letter, '-' or ':'. It looks the same but is a different character: the key is unknown, or the value matches nothing. Retype the word.",
    ),
    of(
        "dialects-disagree",
        Note,
        "a line that RFC 9309 and Google read differently",
        "Only one of the two reads the line as a rule, so crawlers differ about the same URLs. Write the line in the standard form.",
    ),
    // Groups.
    of(
        "text-after-star",
        Warning,
        "text after '*'",
        "In 'User-agent: * …' some parsers read only '*', others read the whole value as a name. Write '*' alone.",
    ),
    of(
        "user-agent-text",
        Warning,
        "a whole User-Agent header as a name",
        "A User-agent line takes a product token, not the User-Agent header that a crawler sends. Only the beginning counts. It is often 'Mozilla', which is not the name of any crawler, so no crawler obeys the group. Write only the token.",
    ),
    of(
        "several-names",
        Error,
        "several names on one line",
        "A User-agent line names one crawler. Only the first name counts; the other crawlers obey another group. Write one line for each name.",
    ),
    of(
        "name-cut",
        Warning,
        "a name that is cut off",
        "A product token consists of letters, '-' and '_' (RFC 9309, 2.2.1). The name ends before any other byte, such as a space or a version number. The group applies to every crawler with the shorter name. Write the token from the crawler's documentation.",
    ),
    of(
        "odd-name",
        Warning,
        "a name with characters that no crawler's name has",
        "The dialect reads the whole value as a name, so quotation marks, colons and the like are part of it. Product tokens consist of letters, digits, '-', '_' and '.', so no crawler obeys the group. Write the token from the crawler's documentation.",
    ),
    of(
        "name-with-version",
        Note,
        "a name with a version",
        "The name ends before the slash, so the group applies to every version of the crawler. Leave out the version.",
    ),
    of(
        "no-name",
        Error,
        "a name that no crawler has",
        "The value is not '*' and does not begin with a letter, '-' or '_'. It matches no crawler's name, so no crawler obeys the group. '*' is not a wildcard within names.",
    ),
    of(
        "look-alike-name",
        Warning,
        "a name one typing error away from a well-known crawler",
        "No well-known crawler has this name, but one has a very similar name. That crawler does not obey this group.",
    ),
    of(
        "repeated-group",
        Note,
        "a crawler named in several groups",
        "RFC 9309, 2.2.1 merges all groups of one crawler. Some parsers use only the first or the last group. Write one group.",
    ),
    of(
        "empty-group",
        Warning,
        "a group without rules",
        "The crawlers named here obey no rules at all, not even those of '*', so they may fetch everything. If that is intended, write 'Disallow:'; otherwise remove the names.",
    ),
    of(
        "record-never-counts",
        Warning,
        "a second record of one crawler",
        "In the dialect koster1996 only the first record that names a crawler counts. Later records for it have no effect. Write one record.",
    ),
    of(
        "joined-groups",
        Warning,
        "a group that continues after a Crawl-delay",
        "Only Allow and Disallow end a group's list of names (RFC 9309, 2.2.4). The names before and after a Crawl-delay, or another field of groups, belong to one group, even with blank lines between them. The rules that follow apply to all of these names. They often close the site to a crawler that was only asked to slow down. Some parsers read the file differently. Put a rule after the field, for example an empty 'Disallow:', to end the first group there. The field itself applies only to the names before it.",
    ),
    of(
        "statement-for-some",
        Note,
        "a statement that applies to some names of a group",
        "Noindex, Content-Signal, Content-Usage and the rules about AI training apply only to the names directly above them, as a Crawl-delay does. Names after such a line belong to the same group, because only Allow and Disallow end a group's list of names (RFC 9309, 2.2.4), but the line does not apply to them. Some parsers read the file differently. Put a rule after the line, for example an empty 'Disallow:', to end the first group there. If the line is meant for all names, repeat it below the last one.",
    ),
    of(
        "joined-over-blank",
        Warning,
        "a blank line among the names of a group",
        "In RFC 9309, 2.2 blank lines separate nothing: the names above and below one form one group, and the rules that follow apply to all of them. In the draft of 1996 blank lines separate records, and a name above one has no rules. If the rules are for all names, remove the blank line. If not, put a rule before it, for example an empty 'Disallow:'. Nothing is reported where blank lines also separate names from rules.",
    ),
    of(
        "name-cut-elsewhere",
        Note,
        "a name that other parsers cut off",
        "RFC 9309, 2.2.1 allows only letters, '-' and '_' in names. Some real crawlers have names such as MJ12bot or 360Spider, and most parsers accept digits and dots in a name. Google's parser does not: it applies the group to the shorter name.",
    ),
    of(
        "hidden-crawl-delay",
        Note,
        "a Crawl-delay that named groups hide",
        "A crawler that a group names obeys only that group. A Crawl-delay under '*' does not apply to it. If the delay is for all crawlers, repeat the line in the named group. Some crawlers are not counted: those that may fetch nothing, those with a delay of their own, and those that ignore Crawl-delay, such as Google's.",
    ),
    of(
        "hidden-star-rules",
        Note,
        "rules of '*' that a named group hides",
        "A crawler that a group names obeys only that group. Rules that are only under '*' do not apply to it. If they are for all crawlers, repeat them in the named group.",
    ),
    of(
        "rule-before-group",
        Error,
        "a rule before any User-agent line",
        "The rule belongs to no group and has no effect (RFC 9309, 2.2.2). Put 'User-agent: *' before it.",
    ),
    of(
        "record-before-group",
        Warning,
        "a group's field before any User-agent line",
        "The field belongs to no group and has no effect. Move it into a group.",
    ),
    of(
        "rule-outside-record",
        Error,
        "a rule after a blank line",
        "In the dialect koster1996 a blank line ends a record, so the rule belongs to no record. Remove the blank line.",
    ),
    of(
        "record-not-separated",
        Note,
        "no blank line before a User-agent line",
        "The dialect koster1996 requires a blank line between records.",
    ),
    of(
        "record-without-rules",
        Warning,
        "names without a rule",
        "In the dialect koster1996 a record needs at least one rule. These names have none.",
    ),
    of(
        "space-around-key",
        Note,
        "white space around a key",
        "The dialect koster1996 does not allow white space before the key or its colon.",
    ),
    of("empty-path", Note, "an empty path", "In the dialect koster1996 the line has no effect."),
    // Rules.
    of(
        "never-decides",
        Warning,
        "a rule that never decides",
        "For every URL that this rule matches, a rule with a higher rank matches too. This is proved on the compiled automaton. Remove the rule, or make its pattern more specific than that of the named rule. If the help says that it decides in another dialect, keep it for the crawlers that read the file so.",
    ),
    of(
        "duplicate-rule",
        Note,
        "a repeated rule",
        "Another rule for the same crawler matches the same URLs with the same effect, and answers report that rule's line. Remove this one, unless the help says that it decides in another dialect. If no other rule of its group stays, write an empty 'Allow:' instead: a rule also ends the list of names above it.",
    ),
    of(
        "contradicting-rule",
        Warning,
        "the same path allowed and disallowed",
        "Two rules for one crawler match exactly the same URLs but have opposite effects, so one of them never decides. Between rules of equal length, allow wins (RFC 9309, 2.2.2). Remove the rule that is not intended.",
    ),
    of(
        "pattern-without-slash",
        Error,
        "a pattern that does not begin with '/' or '*'",
        "Every path begins with '/', so the pattern matches nothing. Write the path as it is in URLs, from its first '/' on, or '*' before it if it can match anywhere in the path.",
    ),
    of(
        "absolute-url-pattern",
        Error,
        "an absolute URL as a pattern",
        "Patterns are paths, so the line matches nothing. A robots.txt applies only to the host that serves it. Leave out the scheme and the host, if a path remains: a single '/' is the whole site. Or put the rule into that host's own robots.txt.",
    ),
    of(
        "host-pattern",
        Error,
        "a host name in a pattern",
        "Patterns are paths, so the line matches nothing. A robots.txt applies only to the host that serves it. Leave out the host, if a path remains: a single '/' is the whole site. Or put the rule into that host's own robots.txt.",
    ),
    of(
        "several-paths",
        Error,
        "several paths in one rule",
        "A rule has one pattern. The whole value, with its spaces or commas, is read as one pattern, which matches none of the paths. Write one line for each path.",
    ),
    of(
        "space-in-pattern",
        Warning,
        "a raw space in a pattern",
        "URLs contain spaces only as '%20'. Some crawlers, like Google's, compare the pattern as it is written, so it matches none of their URLs. Write '%20'. If the rest is a comment, put '#' before it.",
    ),
    of(
        "fragment-in-pattern",
        Warning,
        "a '#' within a pattern",
        "A comment begins at '#', also within a pattern, so the rule matches every URL that begins with the part before it. Crawlers send no fragments. A page that a script shows for a fragment has the same URL for them as the page without it.",
    ),
    of(
        "robots-txt-rule",
        Note,
        "a rule about /robots.txt",
        "Crawlers may always fetch /robots.txt (RFC 9309, 2.2.2), so the rule decides about no URL. Like every rule, it still ends the list of names above it.",
    ),
    of(
        "encoded-duplicate",
        Note,
        "a rule that differs only in percent-encoding",
        "Another rule for the same crawler has the same pattern with different characters percent-encoded. In the dialect of the file, both match the same URLs with the same effect. Crawlers such as Google's compare most characters as they are written, and then both are needed: the help says whether to keep this one.",
    ),
    // What is closed.
    of(
        "site-closed",
        Warning,
        "the whole site closed",
        "No large search engine may crawl any page, so search engines hardly show the site. This is right for a site that is not public yet, and a common mistake after a launch.",
    ),
    of(
        "search-engine-closed",
        Warning,
        "the whole site closed to a large search engine",
        "This crawler's group disallows everything, while other crawlers may fetch pages. Its search engine hardly shows pages that it cannot fetch.",
    ),
    of(
        "closed-to-some",
        Note,
        "the whole site closed to some crawlers",
        "Some crawlers may fetch nothing, while at least one large search engine may. They are the crawlers without a group of their own, or the crawler of a smaller search engine. This is often intended.",
    ),
    of(
        "assets-closed",
        Warning,
        "CSS or JavaScript closed",
        "Search engines render a page to understand it. Without its style sheets and scripts they see a different page than people do. Allow the files that are needed to render pages.",
    ),
    of(
        "sitemap-closed",
        Warning,
        "a sitemap that a rule disallows",
        "The file names a sitemap, but a rule disallows its URL. Crawlers that obey the rule do not fetch the sitemap.",
    ),
    of(
        "dollar-inside",
        Note,
        "'$' within a pattern",
        "'$' means the end of the URL only at the end of a pattern. Elsewhere it matches a '$' character. If the character is meant, leave it: crawlers such as Google's do not compare '%24' with it. Otherwise end the pattern there.",
    ),
    of(
        "trailing-star",
        Note,
        "a star at the end",
        "A pattern matches every URL that begins with it, with or without the star. The star only adds one byte to the pattern's length, and so raises its rank.",
    ),
    of(
        "unescaped-bytes",
        Note,
        "non-ASCII bytes in a pattern",
        "URLs contain such bytes in percent-encoded form. Parsers that compare the raw bytes never find a match. Write them as %xx.",
    ),
    of(
        "idle-disallow",
        Note,
        "an empty Disallow among other rules",
        "'Disallow:' means that nothing is disallowed, but only if it is the only rule. Among other rules it has no effect and cancels none of them.",
    ),
    // Fields.
    of(
        "sitemap-not-absolute",
        Error,
        "a Sitemap that is not an absolute URL",
        "sitemaps.org requires the full URL, with http:// or https://. Relative URLs are ignored.",
    ),
    of(
        "crawl-delay-no-number",
        Error,
        "a Crawl-delay that is not a number",
        "The value must be a number of seconds, up to a day. Any other value has no effect.",
    ),
    of(
        "crawl-delay-too-long",
        Warning,
        "a Crawl-delay of more than a day",
        "Such a long delay is probably a mistake, perhaps a number of milliseconds, and has no effect here. Crawlers that obey it hardly visit the site. The value is a number of seconds. To close the site, write 'Disallow: /'.",
    ),
    of(
        "malformed-value",
        Warning,
        "a malformed value",
        "The line has no effect. See crates/PERMISSIONS.md, V1 to V10, for the forms of values.",
    ),
    of(
        "malformed-host",
        Note,
        "a Host value that is not just a host",
        "The value is a host name, optionally with a scheme and a port. Nothing may follow it, not even '/'. The field was meant for Yandex, which has ignored it since 2018: remove the line.",
    ),
    of(
        "malformed-item",
        Warning,
        "a malformed list item",
        "The item has no effect; the other items of the line do.",
    ),
    of(
        "missing-comma",
        Warning,
        "items that are not separated by commas",
        "Content-Usage is a structured-field dictionary (RFC 9651), so commas separate its items: 'Content-Usage: train-ai=n, search=y'. With white space alone the whole line has no effect.",
    ),
    of(
        "too-many-records",
        Warning,
        "too many costly records",
        "The parser reads only the first 256 Clean-param records that have a star inside their pattern.",
    ),
    of(
        "noindex-unsupported",
        Warning,
        "Noindex in robots.txt",
        "Google has ignored the field since September 2019, and no specification defines it. Use a robots META tag or the X-Robots-Tag header, and let crawlers fetch the page; otherwise they never see either.",
    ),
    of(
        "unknown-preference",
        Note,
        "a preference that is neither y nor n",
        "The labels train-ai, ai-use and search of Content-Usage have the values y and n. With any other value, such as no, yes or none at all, nothing is said about the label: the line has no effect.",
    ),
    of(
        "label-of-other-field",
        Note,
        "a label in the wrong field",
        "Content-Signal has the labels search, ai-input and ai-train, with the values yes and no. Content-Usage has search, ai-use and train-ai, with the values y and n. A label in the field of the other vocabulary says nothing.",
    ),
    of(
        "unknown-label",
        Note,
        "a label that resembles a known one",
        "Content-Signal has the labels search, ai-input and ai-train. Content-Usage has search, ai-use and train-ai. Any other label says nothing that a crawler is known to read, for example ai_train or ai-training. Labels that resemble none of these are not reported.",
    ),
    of(
        "vocabulary-conflict",
        Warning,
        "two vocabularies that contradict each other",
        "Content-Signal and Content-Usage state opposite preferences for the same usage and the same crawler. A crawler that reads both uses the more restrictive one. A crawler that reads only one of them follows that one.",
    ),
    of(
        "noindex-disallowed",
        Warning,
        "a Noindex for disallowed URLs",
        "Every URL that the Noindex matches is disallowed. This is proved on the compiled automata. Hardly any crawler still obeys Noindex in robots.txt. A crawler that may not fetch a page cannot see a noindex in the page either, so the URL may still be listed because of links to it. Let crawlers fetch the page and put noindex there, or rely on Disallow alone.",
    ),
    of(
        "acap-conflict",
        Warning,
        "ACAP and the rules contradict each other",
        "For the named URL, both vocabularies give an answer, and the answers differ. A field of ACAP decides for crawlers that read ACAP; a rule decides for crawlers that do not. ACAP 1.0 part 1, 2.9.2 lets ACAP's field win over a rule with the same pattern and makes rules within ACAP's records void. State the same in both vocabularies, for the same names. An empty Disallow as the only rule allows everything. A field is not a conflict where no rule matches, nor if it is about a use other than crawling.",
    ),
    of(
        "timegate-without-archived",
        Warning,
        "a TimeGate without Archived",
        "A TimeGate without a following Archived line has no effect.",
    ),
    of(
        "archived-without-timegate",
        Warning,
        "Archived without a TimeGate",
        "The line has no effect without a well-formed TimeGate line before it.",
    ),
    of(
        "acap-ignored",
        Note,
        "a field of ACAP",
        "Only parsers of ACAP read the field. To check it, use --dialect acap.",
    ),
    of(
        "acap-oddity",
        Warning,
        "a problem with a field of ACAP",
        "The message describes the problem. crates/PERMISSIONS.md, A1 to A20, has the rules.",
    ),
    of(
        "unmet-expectation",
        Error,
        "an expectation that does not hold",
        "A file of expectations (--expect) says which crawlers may fetch which URLs, and the rules say otherwise. The message names a URL that shows it. If the expectation is a pattern, it holds only if that is proved for every URL that the pattern matches. Change the rules, or the expectation.",
    ),
}
