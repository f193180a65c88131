//! Whole files of captures and URLs: ours, and real ones of realistic sizes if available.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;

use robomata_formats::{BodyKind, CaptureSite, Frontier, capture};
use robomata_testkit::shared::{shared_folder, small_corpus};

/// The numbers of captures and of distinct bodies in a file of which every line is a capture.
fn captures(path: &Path) -> (u64, usize) {
    let (mut captures, mut bodies) = (0, HashSet::new());
    for capture in capture::captures(path) {
        let capture = capture.unwrap();
        captures += 1;
        assert_eq!(capture.origin.line, Some(captures));
        assert!(matches!(capture.site, CaptureSite::Host(_)) && capture.time.is_some());
        bodies.insert(capture.body);
    }
    (captures, bodies.len())
}

#[test]
fn every_capture_is_read() {
    assert_eq!(captures(&small_corpus().join("robots.jsonl")), (12, 9));
    if let Some(corpora) = shared_folder("corpora") {
        assert_eq!(captures(&corpora.join("robots.jsonl.zst")), (29_197, 13_559));
    }
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
    use BodyKind::{Binary, Empty, Html, Json, Prose, Robots, Xml};
    let ours = small_corpus();
    // One of them is a comment that contains 404.
    let expected = [(Robots, 1), (Empty, 2), (Html, 3), (Xml, 2), (Json, 2), (Binary, 1), (Prose, 2)];
    assert_eq!(kinds(&ours.join("nonrobots.jsonl")), BTreeMap::from(expected));
    assert_eq!(kinds(&ours.join("robots.jsonl")), BTreeMap::from([(Robots, 12)]));

    let Some(corpora) = shared_folder("corpora") else { return };
    let expected = [(Robots, 1), (Empty, 111), (Html, 374), (Xml, 15), (Json, 13), (Binary, 2), (Prose, 52)];
    assert_eq!(kinds(&corpora.join("nonrobots.jsonl.zst")), BTreeMap::from(expected));
    assert_eq!(kinds(&corpora.join("robots.jsonl.zst")), BTreeMap::from([(Robots, 29_197)]));
}

/// The numbers of lines of a frontier, and of URLs in its third column.
fn lines_and_urls(path: &Path) -> (u64, usize) {
    let frontier = Frontier::new([path]).with_column(NonZeroUsize::new(3).unwrap());
    let (mut lines, mut urls) = (0, 0);
    let mut blocks = frontier.blocks();
    while let Some(block) = blocks.next() {
        let block = block.unwrap();
        assert_eq!(block.end.lines, lines + block.len());
        lines += block.len();
        urls += block.urls().filter(|line| line.url.as_deref().is_some_and(is_http)).count();
        blocks.recycle(block);
    }
    (lines, urls)
}

#[test]
fn every_url_of_a_frontier_is_read() {
    assert_eq!(lines_and_urls(&small_corpus().join("urls.tsv")), (77, 77));
    if let Some(corpora) = shared_folder("corpora") {
        assert_eq!(lines_and_urls(&corpora.join("urls.tsv.zst")), (1_033_236, 1_033_236));
    }
}

fn is_http(url: &[u8]) -> bool {
    url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"http"))
}
