//! Writes the bytes of a robots.txt.

use robomata_engine::Access;

use crate::pattern::push_rule;
use crate::profile::{Case, Dress, Everyone, KnownBy, Profile, Style};
use crate::rng::{Rng, Use, derive, push_number};
use crate::shape;
use crate::words::{CRAWLERS, PARAMETERS, REMARKS, TITLE};

/// Appends the robots.txt of `profile`; `home` is the host of the site that it was written for.
pub(crate) fn push_body(profile: &Profile, home: &[u8], out: &mut Vec<u8>) {
    match profile.dress {
        Dress::Head(head) => match head.whole {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => {
                let mut file = File { out, end: head.line_end, spelling: &SPELLINGS[0] };
                file.lines(head.before);
                file.groups(profile, Place::Last, |file| file.lines(head.within));
                file.lines(head.after);
            }
        },
        Dress::Chance { key, sitemap, known_by } => {
            let mut rng = Rng::new(key);
            let sitemap = rng.chance(sitemap).then(|| Place::of(&mut rng, 2_000));
            let mut dressed = File::begin(&mut rng, out);
            dressed.dress(profile, home, sitemap, known_by, &mut rng);
        }
    }
}

/// Where records are placed among the others of their kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    Last,
}

impl Place {
    /// First, with this chance in ten thousand.
    fn of(rng: &mut Rng, first: u64) -> Self {
        if rng.chance(first) { Place::First } else { Place::Last }
    }
}

/// The spelling of the keys in a file.
struct Spelling {
    user_agent: &'static str,
    disallow: &'static str,
    allow: &'static str,
}

const SPELLINGS: [Spelling; 4] = [
    Spelling { user_agent: "User-agent: ", disallow: "Disallow: ", allow: "Allow: " },
    Spelling { user_agent: "User-Agent: ", disallow: "Disallow: ", allow: "Allow: " },
    Spelling { user_agent: "user-agent: ", disallow: "disallow: ", allow: "allow: " },
    Spelling { user_agent: "User-agent:", disallow: "Disallow:", allow: "Allow:" },
];

struct File<'o> {
    out: &'o mut Vec<u8>,
    end: &'static str,
    spelling: &'static Spelling,
}

fn line_end(rng: &mut Rng) -> &'static str {
    if rng.chance(shape::CRLF) {
        "\r\n"
    } else if rng.chance(shape::CR) {
        "\r"
    } else {
        "\n"
    }
}

impl<'o> File<'o> {
    fn begin(rng: &mut Rng, out: &'o mut Vec<u8>) -> Self {
        const HABITS: [usize; 10] = [0, 0, 0, 0, 0, 0, 1, 1, 2, 3];
        if rng.chance(shape::BYTE_ORDER_MARK) {
            out.extend_from_slice(b"\xef\xbb\xbf");
        }
        File { out, end: line_end(rng), spelling: &SPELLINGS[HABITS[rng.place(HABITS.len())]] }
    }

    /// Everything about a file that is random.
    fn dress(
        &mut self,
        profile: &Profile,
        home: &[u8],
        sitemap: Option<Place>,
        known_by: KnownBy,
        rng: &mut Rng,
    ) {
        if sitemap == Some(Place::First) {
            self.sitemaps(home, rng);
            self.line(&[]);
        } else if (sitemap.is_none() && known_by == KnownBy::Home) || rng.chance(500) {
            self.line(&[b"# ", home]);
        }
        if rng.chance(shape::LONG_COMMENT) {
            for _ in 0..2 + rng.below(14) {
                self.line(&[b"# ", rng.pick(REMARKS).as_bytes()]);
            }
        }
        let place = Place::of(rng, 6_500);
        let within = rng.next();
        self.groups(profile, place, |file| file.records_of_group(&mut Rng::new(within)));
        self.records_of_file(home, rng);
        if sitemap == Some(Place::Last) {
            self.line(&[]);
            self.sitemaps(home, rng);
        }
    }

    fn line(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.out.extend_from_slice(part);
        }
        self.out.extend_from_slice(self.end.as_bytes());
    }

    /// Appends the lines of `text`, with the file's own line end in place of LF. A last line without LF gets no line
    /// end.
    fn lines(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => self.line(&[line.as_bytes()]),
                None => self.out.extend_from_slice(line.as_bytes()),
            }
        }
    }

    /// All groups, with an empty line between them.
    fn groups(&mut self, profile: &Profile, place: Place, within: impl FnOnce(&mut Self)) {
        if place == Place::First {
            self.everyone(profile, within);
            self.named_groups(profile);
        } else {
            self.named_groups(profile);
            self.everyone(profile, within);
        }
    }

    fn everyone(&mut self, profile: &Profile, within: impl FnOnce(&mut Self)) {
        if profile.everyone == Everyone::Absent {
            return;
        }
        self.user_agent(b"*");
        within(self);
        match profile.everyone {
            Everyone::Absent => {}
            Everyone::Unrestricted => self.line(&[self.spelling.disallow.trim_ascii_end().as_bytes()]),
            Everyone::Open => self.rule(Access::Allow, b"/"),
            Everyone::Closed => self.rule(Access::Disallow, b"/"),
            Everyone::Rules(rules) => self.rules(profile.rules_key, rules, profile.style),
        }
    }

    fn named_groups(&mut self, profile: &Profile) {
        // Files begin anywhere in the list and continue from there, so only giants repeat a name.
        let start = derive(profile.rules_key, Use::Group, u64::MAX);
        for number in 0..profile.named {
            let key = derive(profile.rules_key, Use::Group, number);
            let mut rng = Rng::new(key);
            let first = (start % CRAWLERS.len() as u64).wrapping_add(number * 7);
            self.named_agent(first, number);
            if rng.chance(200) {
                self.named_agent(first + 3, number);
            }
            if rng.chance(shape::NAMED_CLOSED) {
                self.rule(Access::Disallow, b"/");
            } else if rng.chance(shape::NAMED_WITHOUT_RULES * 5) {
                self.line(&[b"Disallow:"]);
            } else {
                let lower = Style { case: Case::Lower, ..profile.style };
                self.rules(key, rng.draw(&shape::NAMED_RULES), lower);
            }
            self.line(&[]);
        }
    }

    /// Appends the `number`th crawler from a start in the list. Beyond the length of the list, the name is made up.
    fn named_agent(&mut self, place: u64, number: u64) {
        let listed = CRAWLERS.len() as u64;
        let name = CRAWLERS[usize::try_from(place % listed).expect("a place in a list")];
        if number < listed {
            return self.user_agent(name.as_bytes());
        }
        let mut name = b"Fetcher".to_vec();
        push_number(number, &mut name);
        self.user_agent(&name);
    }

    fn user_agent(&mut self, name: &[u8]) {
        self.line(&[self.spelling.user_agent.as_bytes(), name]);
    }

    fn rules(&mut self, key: u64, rules: u64, style: Style) {
        let mut pattern = Vec::new();
        for number in 0..rules {
            pattern.clear();
            let access = push_rule(key, number, style, &mut pattern);
            self.rule(access, &pattern);
        }
    }

    fn rule(&mut self, access: Access, pattern: &[u8]) {
        let key = match access {
            Access::Allow => self.spelling.allow,
            Access::Disallow => self.spelling.disallow,
        };
        self.line(&[key.as_bytes(), pattern]);
    }

    /// Records that belong to the group for every crawler.
    fn records_of_group(&mut self, rng: &mut Rng) {
        if rng.chance(shape::CRAWL_DELAY) {
            self.line(&[
                b"Crawl-delay: ",
                rng.pick(&["1", "2", "5", "10", "10", "20", "30", "0.5"]).as_bytes(),
            ]);
        }
        if rng.chance(shape::REQUEST_RATE) {
            self.line(&[b"Request-rate: ", rng.pick(&["1/5", "1/10", "6/1m", "1/2s 0100-0600"]).as_bytes()]);
        }
        if rng.chance(shape::VISIT_TIME) {
            self.line(&[b"Visit-time: ", rng.pick(&["0200-0500", "0000-0400", "2200-0600"]).as_bytes()]);
        }
        if rng.chance(shape::CONTENT_SIGNAL) {
            self.line(&[b"Content-Signal: search=yes, ai-train=no"]);
        }
        if rng.chance(shape::NOINDEX) {
            for _ in 0..1 + rng.below(6) {
                self.line(&[b"Noindex: /", rng.pick(TITLE).as_bytes(), b"/"]);
            }
        }
        if rng.chance(shape::MISSPELT) {
            let key: &str = rng.pick(&["Disalow: /", "Dissallow: /", "Disallow /", "Allowed: /"]);
            self.line(&[key.as_bytes(), rng.pick(TITLE).as_bytes(), b"/"]);
        }
    }

    /// Records that belong to the whole file, and bytes that belong to no record.
    fn records_of_file(&mut self, home: &[u8], rng: &mut Rng) {
        if rng.chance(shape::HOST) {
            self.line(&[b"Host: ", home]);
        }
        if rng.chance(shape::CLEAN_PARAM) {
            self.line(&[b"Clean-param: ", rng.pick(PARAMETERS).as_bytes(), b" /"]);
        }
        if rng.chance(shape::UNKNOWN) {
            let record =
                rng.pick(&["Image-sitemap: none", "License: /licence.xml", "Contact: webmaster", "https://"]);
            self.line(&[record.as_bytes()]);
        }
        if rng.chance(shape::NOT_UTF8) {
            self.line(&[b"# gr\xfc\xdfe, caf\xe9"]);
        }
        if rng.chance(shape::NUL) {
            self.line(&[b"\0\0"]);
        }
    }

    fn sitemaps(&mut self, home: &[u8], rng: &mut Rng) {
        let more = if rng.chance(1_500) { rng.below(5) } else { 0 };
        let name = rng.pick(&[
            "sitemap.xml",
            "sitemap.xml",
            "sitemap_index.xml",
            "wp-sitemap.xml",
            "sitemap.xml.gz",
        ]);
        self.line(&[b"Sitemap: https://", home, b"/", name.as_bytes()]);
        for _ in 0..more {
            self.line(&[b"Sitemap: https://", home, b"/", rng.pick(TITLE).as_bytes(), b"/", name.as_bytes()]);
        }
    }
}
