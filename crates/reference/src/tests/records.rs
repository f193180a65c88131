use super::{both, check, check_rules, differ};

#[test]
fn l7_white_space_around_key_and_value() {
    check_rules(&[
        ("  \tDisallow \t : \t /a \t ", "/a", "disallow 2", "disallow 2"),
        ("Disallow:/a", "/a", "disallow 2", "disallow 2"),
        ("Disallow: /a \x0B", "/a", "allow 0", "disallow 2"),
        ("Disallow: \x0C/a", "/a", "allow 0", "disallow 2"),
        ("\x0BDisallow\x0C: /a", "/a", "allow 0", "disallow 2"),
        // NBSP is two bytes of the value.
        ("Disallow: \u{A0}/a", "/a", "allow 0", "allow 0"),
        ("Disallow: /a b", "/a b", "disallow 2", "disallow 2"),
    ]);
}

#[test]
fn l8_the_first_colon_separates() {
    check_rules(&[
        ("Disallow: /a:b", "/a:b", "disallow 2", "disallow 2"),
        ("Disallow::/a", "/a", "allow 0", "allow 0"),
        (": /a", "/a", "allow 0", "allow 0"),
        (":Disallow: /a", "/a", "allow 0", "allow 0"),
        (": Disallow /a", "/a", "allow 0", "allow 0"),
        (" : ", "/a", "allow 0", "allow 0"),
        ("Disallow", "/a", "allow 0", "allow 0"),
        ("Disallow \t", "/a", "allow 0", "allow 0"),
    ]);
}

#[test]
fn l8_a_missing_colon_is_bridged_by_white_space() {
    check_rules(&[
        ("Disallow /a", "/a", "disallow 2", "disallow 2"),
        ("Disallow\t \t/a", "/a", "disallow 2", "disallow 2"),
        ("Disalow /a # x", "/a", "disallow 2", "disallow 2"),
        ("Disallow /a b", "/a", "allow 0", "allow 0"),
        ("Disallow /a b", "/a b", "allow 0", "allow 0"),
        // The colon of the value: Google's key is `Disallow /a`, which begins with `disallow`, and its value is `b`.
        ("Disallow /a:b", "/a:b", "disallow 2", "allow 0"),
        ("Disallow http:", "/", "allow 0", "allow 2"),
        ("Disallow /a: b", "/a: b", "allow 0", "allow 0"),
        ("Disallow /a:", "/a:", "disallow 2", "allow 2"),
        ("Disallow/a", "/a", "allow 0", "allow 0"),
        ("Disallowed /a", "/a", "allow 0", "disallow 2"),
        // VT is not a separator, but Google trims it from the key.
        ("Disallow\x0B/a", "/a", "allow 0", "allow 0"),
        ("Disallow\x0B /a", "/a", "allow 0", "disallow 2"),
    ]);
    check(
        "FooBot",
        &[
            both("User-agent FooBot\nDisallow /\n", "/", "disallow 2"),
            differ("user agent FooBot\nDisallow: /\n", "/", "disallow 2", "allow 0"),
            differ("user-agent FooBot:x\nDisallow: /\n", "/", "disallow 2", "allow 0"),
            both("user agent: FooBot\nDisallow: /\n", "/", "disallow 2"),
            both("user agent\nDisallow: /\n", "/", "allow 0"),
        ],
    );
}

#[test]
fn k1_keys_and_their_misspellings() {
    for key in ["disallow", "DISALLOW", "dissallow", "dissalow", "disalow", "Diasllow", "disallaw"] {
        check_rules(&[
            (&format!("{key}: /a"), "/a", "disallow 2", "disallow 2"),
            (&format!("{key} /a"), "/a", "disallow 2", "disallow 2"),
            (&format!("{key}ed: /a"), "/a", "allow 0", "disallow 2"),
        ]);
    }
    for key in ["User-Agent", "useragent", "USER AGENT"] {
        check(
            "FooBot",
            &[
                both(&format!("{key}: FooBot\nDisallow: /"), "/", "disallow 2"),
                differ(&format!("{key}s: FooBot\nDisallow: /"), "/", "allow 0", "disallow 2"),
            ],
        );
    }
    check_rules(&[
        ("Disallow: /\nallow: /a", "/a", "allow 3", "allow 3"),
        ("Disallow: /\nallowance: /a", "/a", "disallow 2", "allow 3"),
        ("Disallow: /\nalow: /a", "/a", "disallow 2", "disallow 2"),
        ("Dis-allow: /a", "/a", "allow 0", "allow 0"),
        ("xDisallow: /a", "/a", "allow 0", "allow 0"),
    ]);
    check(
        "FooBot",
        &[
            both("user\tagent: FooBot\nDisallow: /", "/", "allow 0"),
            both("user  agent: FooBot\nDisallow: /", "/", "allow 0"),
        ],
    );
}

#[test]
fn k2_other_keys_decide_nothing() {
    for record in [
        "Sitemap: /a",
        "Site-map: /a",
        "Crawl-delay: 10",
        "Request-rate: 1/5",
        "Visit-time: 0600-0845",
        "Host: example.com",
        "Clean-param: a /a",
        "Noindex: /a",
        "Whatever: /a",
    ] {
        check_rules(&[(record, "/a", "allow 0", "allow 0")]);
    }
}
