//! Stores that answer about usages agree with the permission model.

use robomata_crosscheck::usages::compared;
use robomata_engine::protocol::Usage;
use robomata_testkit::Generator;

#[test]
fn a_store_says_what_the_model_says_about_every_usage() {
    const FILES: usize = 6_000;
    const URLS_A_FILE: usize = 4;
    let (mut allowed, mut disallowed) = (0, 0);
    for file in 0..FILES {
        let mut generator = Generator::new(file as u64);
        let robots = generator.permission_robots();
        for number in 0..URLS_A_FILE {
            let case = generator.permission_question_about(robots.clone());
            let usages = [Usage::Crawl, Usage::ALL[(file * URLS_A_FILE + number) % Usage::ALL.len()]];
            for usage in usages {
                let Some((found, expected)) = compared(&case, usage) else { continue };
                match found {
                    ("allow", 1..) => allowed += 1,
                    ("disallow", 1..) => disallowed += 1,
                    _ => {}
                }
                if found != expected {
                    let robots = String::from_utf8_lossy(&case.robots);
                    let url = String::from_utf8_lossy(&case.url);
                    panic!(
                        "{usage} of {url} for {} ({:?}, purpose {:?}): found {found:?}, expected {expected:?}\n{robots}",
                        case.crawler, case.dialect, case.circumstances.purpose
                    );
                }
            }
        }
    }
    // The comparison is meaningful only if lines decide.
    assert!(allowed > 1000 && disallowed > 1000, "{allowed} allowed, {disallowed} disallowed by a line");
}
