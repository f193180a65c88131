//! Explains a verdict: which rules match the URL, and which of them decides. Then lists the problems in the file.

use robomata::Robots;

pub(crate) fn main() {
    let robots = Robots::parse(
        "User-agent: *\nDisallow: /private\nAllow: /private/press$\nDisallow: /*?sort=\nDisalow: /tmp\n",
    );

    let explanation = robots.explain("ExampleBot", "https://example.com/private/press");
    print!("{explanation}");
    assert_eq!(explanation.winner().map(|rule| rule.line), Some(3));
    assert_eq!(explanation.runner_up().map(|rule| rule.line), Some(2));

    for diagnostic in robots.diagnostics() {
        println!("{diagnostic}");
        assert_eq!((diagnostic.line(), diagnostic.code()), (5, "misspelt-key"));
    }
}
