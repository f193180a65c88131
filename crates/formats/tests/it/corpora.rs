//! Real files of realistic sizes, if the shared corpora are available.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;

use robomata_formats::{BodyKind, CaptureSite, Frontier, capture};
use robomata_testkit::shared::shared_folder;

#[test]
fn every_real_capture_is_read() {
    let Some(corpora) = shared_folder("corpora") else { return };
    let (mut captures, mut bodies) = (0, HashSet::new());
    for capture in capture::captures(&corpora.join("robots.jsonl.zst")) {
        let capture = capture.unwrap();
        captures += 1;
        assert_eq!(capture.origin.line, Some(captures));
        assert!(matches!(capture.site, CaptureSite::Host(_)) && capture.time.is_some());
        bodies.insert(capture.body);
    }
    assert_eq!((captures, bodies.len()), (29_197, 13_559));
}

/// The number of bodies of each kind in a file.
fn kinds(path: &Path) -> BTreeMap<BodyKind, u32> {
    let mut kinds = BTreeMap::new();
    for capture in capture::captures(path) {
        *kinds.entry(BodyKind::of(&capture.unwrap().body)).or_insert(0) += 1;
    }
    kinds
}

#[test]
fn other_bodies_are_detected_and_no_robots_txt_is_misclassified() {
    let Some(corpora) = shared_folder("corpora") else { return };
    let others = kinds(&corpora.join("nonrobots.jsonl.zst"));
    // One of them is a comment that contains 404.
    let expected = [
        (BodyKind::Robots, 1),
        (BodyKind::Empty, 111),
        (BodyKind::Html, 374),
        (BodyKind::Xml, 15),
        (BodyKind::Json, 13),
        (BodyKind::Binary, 2),
        (BodyKind::Prose, 52),
    ];
    assert_eq!(others, BTreeMap::from(expected));
    let robots = kinds(&corpora.join("robots.jsonl.zst"));
    assert_eq!(robots, BTreeMap::from([(BodyKind::Robots, 29_197)]));
}

#[test]
fn every_url_of_a_real_frontier_is_read() {
    let Some(corpora) = shared_folder("corpora") else { return };
    let frontier = Frontier::new([corpora.join("urls.tsv.zst")]).with_column(NonZeroUsize::new(3).unwrap());
    let (mut lines, mut urls) = (0, 0);
    let mut blocks = frontier.blocks();
    while let Some(block) = blocks.next() {
        let block = block.unwrap();
        assert_eq!(block.end.lines, lines + block.len());
        lines += block.len();
        urls += block.urls().filter(|line| line.url.as_deref().is_some_and(is_http)).count();
        blocks.recycle(block);
    }
    assert_eq!((lines, urls), (1_033_236, 1_033_236));
}

fn is_http(url: &[u8]) -> bool {
    url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"http"))
}
