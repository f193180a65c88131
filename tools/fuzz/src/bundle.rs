//! Small bundles, and changes of their bytes that keep the checksums right.

use robomata_engine::{
    Audience, CompiledTdmRep, Config, Crawler, Dialect, FetchOutcome, FetchStatus, History, Moment, Policy,
    PolicyCompiler, Site, StoreBuilder, StoreKind, TdmRep, Usage, UsageQuery,
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The sites of the bundles, and some that they do not have.
pub const URLS: [&str; 8] = [
    "http://example.com/private/a?b=c",
    "https://example.com/",
    "https://example.org/robots.txt",
    "http://example.org:8080/x.gif",
    "https://a.example/a/b/c/d",
    "https://none.example/",
    "example.com/no-url",
    "http://[::1]/index.html",
];

const FILES: [&str; 5] = [
    "User-agent: *\nDisallow: /private\nAllow: /private/a$\nCrawl-delay: 2\nSitemap: https://example.com/s.xml",
    "User-agent: FooBot\nDisallow: /*.gif$\nDisallow: /a/*/c\nAllow: /a/*/d*e\n\nUser-agent: *\nDisallow: /\n\
     Request-rate: 1/10 0600-0845\nVisit-time: 0600-0845",
    "User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /x\nContent-Usage: /a train-ai=n",
    "User-agent: *\nDisallow: /*a*b*c\nDisallow: /*d*e\nDisallow: /*f\nAllow: /*g*h$\nDisallow: /i*j\nDisallow: /k*l*m*n\n\
     Disallow: /*o*p\nAllow: /*q*r\nDisallow: /*s*t$\nDisallow: /*u*v\nAllow: /*w*x*y\nDisallow: /*z",
    "ACAP-crawler: *\nACAP-disallow-crawl: /private/\nACAP-allow-index: /a\nACAP-disallow-(tdm): /x",
];

/// The kinds of bundles that there are here.
pub const KINDS: usize = 8;

fn kind(number: usize) -> StoreKind {
    let crawlers = || Audience::Crawlers(vec![Crawler::new("FooBot"), Crawler::new("BarBot,*")]);
    let everyone = |dialect| StoreKind::new(dialect, Audience::Everyone);
    let about = |usage| UsageQuery { usage, purpose: None };
    match number % KINDS {
        0 => StoreKind::new(Dialect::Rfc9309, crawlers()),
        1 => everyone(Dialect::Rfc9309),
        2 => StoreKind { history: History::All, ..everyone(Dialect::Google) },
        3 => StoreKind { history: History::All, ..StoreKind::new(Dialect::Koster1996, crawlers()) },
        4 => StoreKind { usage_query: about(Usage::Tdm), ..StoreKind::new(Dialect::Rfc9309, crawlers()) },
        5 => StoreKind {
            usage_query: about(Usage::Index),
            history: History::All,
            ..StoreKind::new(Dialect::Acap, crawlers())
        },
        6 => StoreKind { usage_query: about(Usage::AiTrain), ..StoreKind::new(Dialect::Yandex, crawlers()) },
        _ => StoreKind {
            usage_query: about(Usage::Tdm),
            history: History::All,
            ..StoreKind::new(Dialect::Rfc9309, crawlers())
        },
    }
}

/// The bytes of a small bundle, with sites, programs and versions of every sort that its kind can have.
pub fn small(number: usize) -> Vec<u8> {
    let kind = kind(number);
    let mut builder = StoreBuilder::new(kind.clone());
    let mut compiler = PolicyCompiler::new(&kind);
    let config = Config::new(kind.dialect);
    let moment = |time: usize| Some(Moment::from_seconds(1_700_000_000 + time as i64 * 86_400));
    for (index, url) in URLS.iter().enumerate().take(5) {
        let Ok(site) = Site::of_url(url.as_bytes()) else { continue };
        for version in 0..3 {
            let file = FILES[(index + version) % FILES.len()];
            let status = [None, Some(FetchStatus::Code(404)), Some(FetchStatus::Code(503))];
            let policy = Policy::fetched(file.as_bytes(), status[(index * version) % 3], &config);
            let mut policies = compiler.compile(&policy);
            if index < 3 {
                policies = policies.known_by([u8::try_from(index * 3 + version).unwrap_or(0); 20]);
            }
            builder.insert(&site, &policies, moment(index + version * 7));
        }
        if kind.holds_tdmreps() {
            let file = br#"[{"location": "/private", "tdm-reservation": 1}, {"location": "/*.gif", "tdm-reservation": 0}]"#;
            let tdmrep = CompiledTdmRep::new(FetchOutcome::Success, &TdmRep::read(file));
            builder.insert_tdmrep(&site, &tdmrep, moment(index));
        }
    }
    builder.build().bytes().to_vec()
}

/// Changes bytes as `edits` say, seven bytes each: an operation, a position and a value.
pub fn edit(bundle: &mut Vec<u8>, edits: &[u8]) {
    for edit in edits.as_chunks::<7>().0.iter().take(64) {
        let [operation, position @ .., low, high] = *edit;
        let at = u32::from_le_bytes(position) as usize % (bundle.len() + 1);
        match operation % 6 {
            0 => {
                if let Some(byte) = bundle.get_mut(at) {
                    *byte = low;
                }
            }
            1 => {
                if let Some(byte) = bundle.get_mut(at) {
                    *byte ^= 1 << (low % 8);
                }
            }
            2 => {
                if let Some(bytes) = bundle.get_mut(at..at + 4) {
                    bytes.copy_from_slice(&u32::from_le_bytes([low, high, high, high]).to_le_bytes());
                }
            }
            3 => bundle.insert(at, low),
            4 => {
                let end = (at + usize::from(low)).min(bundle.len());
                bundle.drain(at..end);
            }
            _ => {
                let from = usize::from(u16::from_le_bytes([low, high])) % (bundle.len() + 1);
                let bytes: Vec<u8> = bundle[from..].iter().copied().take(8).collect();
                let end = (at + bytes.len()).min(bundle.len());
                let count = end - at;
                bundle[at..end].copy_from_slice(&bytes[..count]);
            }
        }
    }
}

/// The layout of a header: see `crates/evaluator/src/store/image.rs`.
const SECTIONS_AT: usize = 40;
const SECTIONS: usize = 10;
const HEADER_SUM_AT: usize = SECTIONS_AT + SECTIONS * 16;
const HEADER: usize = HEADER_SUM_AT + 8;
const CHECKSUM: usize = 8;
const PIECE: usize = 1 << 18;

/// Makes the sections fit the length of the file: the last one is as long as what is left. An edit that inserts or
/// removes bytes would otherwise only ever test the validation of the header.
pub fn fit(bundle: &mut [u8], section: usize) {
    if bundle.len() < HEADER + CHECKSUM {
        return;
    }
    let number = |bundle: &[u8], at: usize| {
        u64::from_le_bytes(bundle[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    let end = bundle.len() - CHECKSUM;
    let lengths: Vec<usize> =
        (0..SECTIONS).map(|index| number(bundle, SECTIONS_AT + index * 16 + 8).min(end)).collect();
    let total: usize = lengths.iter().sum();
    let mut at = HEADER;
    for (index, &length) in lengths.iter().enumerate() {
        let length = if index == section % SECTIONS {
            (length + (end - HEADER)).saturating_sub(total)
        } else {
            length
        };
        let field = SECTIONS_AT + index * 16;
        bundle[field..field + 8].copy_from_slice(&(at as u64).to_le_bytes());
        bundle[field + 8..field + 16].copy_from_slice(&(length as u64).to_le_bytes());
        at = at.saturating_add(length);
    }
}

/// Computes the checksums anew, as somebody who forges a bundle would.
pub fn seal(bundle: &mut [u8]) {
    if bundle.len() < HEADER + CHECKSUM {
        return;
    }
    let number = |at: usize| u64::from_le_bytes(bundle[at..at + 8].try_into().expect("eight bytes"));
    let meta = usize::try_from(number(SECTIONS_AT)).unwrap_or(usize::MAX);
    let length = usize::try_from(number(SECTIONS_AT + 8)).unwrap_or(usize::MAX);
    let meta = meta.checked_add(length).and_then(|end| bundle.get(meta..end)).unwrap_or_default();
    let mut header = Xxh3::new();
    header.update(&bundle[..HEADER_SUM_AT]);
    header.update(meta);
    let header = header.digest();
    bundle[HEADER_SUM_AT..HEADER].copy_from_slice(&header.to_le_bytes());
    let end = bundle.len() - CHECKSUM;
    let sums: Vec<u8> =
        bundle[HEADER..end].chunks(PIECE).flat_map(|piece| xxh3_64(piece).to_le_bytes()).collect();
    bundle[end..].copy_from_slice(&xxh3_64(&sums).to_le_bytes());
}
