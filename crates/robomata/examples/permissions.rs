//! Lists what a site says about the uses of a page: crawling, search, AI training and others.

use robomata::{
    Circumstances, Config, Crawler, Dialect, PageStatements, Permission, Policy, SitePermissions, Usage,
};

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /drafts\nContent-Signal: search=yes, ai-train=no\n";

pub(crate) fn main() {
    let policy = Policy::new(ROBOTS, &Config::new(Dialect::Rfc9309));
    let mut site = SitePermissions::new(&policy, &[], &Crawler::new("ExampleBot"), None);

    let url = b"https://example.com/news/1";
    // Nothing is known of the page itself: no META tags, no headers.
    let (page, circumstances) = (PageStatements::default(), Circumstances::default());
    let answers = site.answers(url, &page, &circumstances).expect("this text is a URL");
    for answer in answers.iter().filter(|answer| answer.permission != Permission::Unspecified) {
        println!("{}\t{}", answer.usage, answer.permission);
    }

    let training =
        answers.iter().find(|answer| answer.usage == Usage::AiTrain).map(|answer| answer.permission);
    assert_eq!(training, Some(Permission::Prohibited));
}
