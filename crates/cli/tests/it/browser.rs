//! The page of `robomata score` in a browser. The tests are skipped without chromium in the PATH, unless
//! ROBOMATA_REQUIRE_CHROMIUM is set.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Folder;
use serde_json::Value;

/// The widths of a desktop window and of a phone.
const WIDTHS: [u32; 2] = [1280, 390];

/// The time after which a browser is considered hung.
const PATIENCE: Duration = Duration::from_secs(400);

/// Texts that a page must escape: markup, the end of an attribute, a change of direction, and a very long path.
const HOSTILE: [&str; 4] = [
    "<script>document.title='broken'</script>",
    "'><img/src=x/onerror=document.title='broken'>",
    "\u{202e}gnp.exe",
    "</title></style></script>&amp;",
];

/// Sites with delays whose rules change in March, crawled by eight crawlers from January to May. The first line of the
/// log states that it was generated.
fn generated(sites: usize) -> (String, String) {
    let host = |site: usize| match site {
        1 => "a-very-long-name-of-some-department.university.example.net".to_owned(),
        _ => format!("www{site}.example.com"),
    };
    let mut history = String::new();
    for host in (0..sites).map(host) {
        for (time, disallowed) in
            [("2024-01-01", "/a"), ("2024-03-01", "/b/*/with-a-rather-long/pattern*.html$")]
        {
            let body = format!("User-agent: *\\nDisallow: {disallowed}\\nDisallow: /never\\nCrawl-delay: 10");
            let _ = writeln!(history, r#"{{"host": "{host}", "time": "{time}", "body": "{body}"}}"#);
        }
    }
    let mut log = String::from("# Generated requests: nobody made them\n");
    let months = [("Jan", 31), ("Feb", 29), ("Mar", 31), ("Apr", 30), ("May", 31)];
    for (number, (month, day)) in
        months.iter().flat_map(|(month, days)| (1..=*days).map(move |day| (month, day))).enumerate()
    {
        for minute in 0..12_usize {
            let bot = (number * minute) % 8;
            let path =
                ["/a/1", "/b/2/with-a-rather-long/pattern.html", "/c", "/robots.txt"][(number + minute) % 4];
            let (host, second) = (host((number + bot) % sites), (bot * number) % 60);
            let status = [200, 200, 304, 404, 500][(number * 3 + minute) % 5];
            let _ = writeln!(
                log,
                "{host} 192.0.2.1 - - [{day:02}/{month}/2024:07:{:02}:{second:02} +0000] \"GET {path} HTTP/1.1\" {status} 5 \
                 \"-\" \"Example{bot}Bot/1.0 (+https://generated.example/)\"",
                minute / 4
            );
        }
    }
    for text in HOSTILE.iter().copied().chain([&*"x".repeat(5000)]) {
        for agent in
            [format!("Hostile-{text}-Bot/1"), format!("{text} program/1"), "Example0Bot/1.0".to_owned()]
        {
            let request = format!("\"GET /a/{text} HTTP/1.1\" 200 5 \"-\" \"{agent}\"");
            let _ = writeln!(log, "{} 192.0.2.1 - - [31/May/2024:08:00:00 +0000] {request}", host(0));
        }
    }
    (history, log)
}

fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        assert!(std::env::var_os("ROBOMATA_REQUIRE_CHROMIUM").is_none(), "chromium is not on the path");
        println!("skipped: chromium is not on the path");
    }
    found
}

/// Returns the output of chromium for a file of `folder`.
fn browse(program: &Path, folder: &Folder, file: &str, more: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let mut child = Command::new(program)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--hide-scrollbars",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(more)
        .arg(format!("file://{}", folder.path(file).display()))
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(folder.path("out.txt")).unwrap())
        .stderr(std::fs::File::create(folder.path("err.txt")).unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            // Its status shows that it hung.
            child.kill().unwrap();
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}: {}", folder.read("err.txt"));
    folder.read("out.txt")
}

/// A page that shows the report in frames of several widths and writes measurements.
const WRAPPER: &str = r#"<!DOCTYPE html><meta charset="utf-8"><body><pre id="measured"></pre><script>
const report = REPORT, widths = WIDTHS, measured = [];
function overlap(a, b) {
  const [one, two] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
  return one.width > 0 && two.width > 0 && one.left < two.right - 1 && two.left < one.right - 1 && one.top < two.bottom - 1 && two.top < one.bottom - 1;
}
function outside(inner, outer) {
  const a = inner.getBoundingClientRect(), b = outer.getBoundingClientRect();
  return a.width > 0 && (a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1);
}
function measure(frame, width) {
  const page = frame.contentDocument, root = page.documentElement;
  const text = node => node.textContent.trim();
  const cells = row => [...row.cells].map(text);
  const axes = [...page.querySelectorAll('.x, .y')].map(axis => [...axis.children]);
  const first = page.querySelector('#crawlers table');
  const before = [...first.tBodies[0].rows].map(cells);
  first.tHead.rows[0].cells[1].querySelector('button').click();
  return {
    width, title: page.title, heading: text(page.querySelector('h1')),
    scroll: root.scrollWidth, client: root.clientWidth,
    crawlers: before,
    sorted: [...first.tBodies[0].rows].map(row => Number(row.cells[1].textContent.replace(/,/g, ''))),
    direction: first.tHead.rows[0].cells[1].getAttribute('aria-sort'),
    sections: [...page.querySelectorAll('section')].map(section => section.id),
    sites: [...page.querySelectorAll('#sites tbody tr')].map(cells),
    rules: [...page.querySelectorAll('#rules code')].map(text),
    paths: [...page.querySelectorAll('#paths tbody code')].map(text),
    programs: [...page.querySelectorAll('#programs tbody th')].map(text),
    columns: [...page.querySelectorAll('.plot')].map(plot => plot.querySelectorAll('g').length),
    flat: [...page.querySelectorAll('rect')].filter(bar => !(bar.height.baseVal.value > 0 && bar.width.baseVal.value > 0)).length,
    overlapping: axes.flatMap(spans => spans.filter((span, at) => spans.slice(at + 1).some(other => overlap(span, other)))).map(text),
    cut: [...page.querySelectorAll('figure .x span, figure .legend li')].filter(span => outside(span, span.closest('figure'))).map(text),
    narrow: [...page.querySelectorAll('td code')].filter(code => code.textContent.length > 12 && code.getBoundingClientRect().width > 0 && code.closest('td').getBoundingClientRect().width < 60).map(text),
    headless: [...page.querySelectorAll('th:not([scope])')].length,
    foreign: page.querySelectorAll('script').length - 1 + page.querySelectorAll('img, link, iframe, object').length,
    turned: /[\u202a-\u202e\u2066-\u2069]/.test(root.textContent),
    requests: frame.contentWindow.performance.getEntriesByType('resource').map(entry => entry.name),
  };
}
for (const width of widths) {
  const frame = document.createElement('iframe');
  frame.style = `border: 0; width: ${width}px; height: 900px`;
  frame.onload = () => {
    measured.push(measure(frame, width));
    document.getElementById('measured').textContent = JSON.stringify(measured);
  };
  frame.srcdoc = report;
  document.body.append(frame);
}
</script>"#;

/// The measurements of the wrapper page.
fn measured(dom: &str) -> Vec<Value> {
    let (_, rest) = dom.split_once(r#"<pre id="measured">"#).expect("the wrapper's text");
    let (text, _) = rest.split_once("</pre>").unwrap();
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Figures of each crawler, from the JSON output of the same run.
fn figures(json: &Value) -> Vec<Vec<String>> {
    let row = |crawler: &Value| {
        let of = |name: &str| crawler[name].as_u64().unwrap();
        ["requests", "disallowed", "excused", "robots_txt"].map(|name| of(name).to_string()).to_vec()
    };
    json["crawlers"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_browser_shows_the_report_whole_at_any_width() {
    let Some(program) = chromium() else { return };
    for sites in [1, 2, 20] {
        let (history, log) = generated(sites);
        let folder = Folder::with(&[("robots.jsonl", &history), ("access.log", &log)]);
        let ran = folder.run("score --robots robots.jsonl --sites 2 --json --html report.html access.log");
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let json: Value = serde_json::from_str(&ran.out).unwrap();
        let report = serde_json::to_string(&folder.read("report.html")).unwrap().replace('<', "\\u003c");
        let wrapper = WRAPPER.replace("WIDTHS", &format!("{WIDTHS:?}")).replace("REPORT", &report);
        folder.write("wrapper.html", wrapper);

        let dom = browse(&program, &folder, "wrapper.html", &["--virtual-time-budget=20000", "--dump-dom"]);
        let mut pages = measured(&dom);
        pages.sort_by_key(|page| std::cmp::Reverse(page["width"].as_u64()));
        assert_eq!(pages.len(), WIDTHS.len(), "{dom}");
        for (page, width) in pages.iter().zip(WIDTHS) {
            assert_eq!(page["client"], width);
            assert_eq!(
                page["scroll"], width,
                "{sites} sites: the page itself scrolls to the side at {width}"
            );
            assert_page(page, &json, sites);
        }
        if sites == 20 {
            assert_screenshots(&program, &folder);
        }
    }
}

fn assert_page(page: &Value, json: &Value, sites: usize) {
    let at = format!("{sites} sites at {}", page["width"]);
    let heading = page["heading"].as_str().unwrap();
    assert_eq!((page["title"].as_str().unwrap(), page["foreign"].as_u64()), (heading, Some(0)), "{at}");
    assert!(heading.starts_with("Crawlers on "), "{at}: {heading}");
    assert_eq!(heading.ends_with("17 more sites"), sites == 20, "{at}: {heading}");
    for nothing in ["requests", "overlapping", "cut", "narrow"] {
        assert_eq!(texts(&page[nothing]), [""; 0], "{at}: {nothing}");
    }
    for none in ["flat", "headless"] {
        assert_eq!(page[none], 0, "{at}: {none}");
    }
    assert_eq!(page["turned"], false, "{at}");

    let rows: Vec<Vec<&str>> = page["crawlers"].as_array().unwrap().iter().map(texts).collect();
    let shown: Vec<Vec<String>> =
        rows.iter().map(|row| [1, 4, 6, 8].map(|column| row[column].to_owned()).to_vec()).collect();
    assert_eq!(shown, figures(json), "{at}");
    let sorted: Vec<u64> = page["sorted"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert!(sorted.is_sorted_by(|a, b| a >= b) && page["direction"] == "descending", "{at}: {sorted:?}");

    let has_sites = texts(&page["sections"]).contains(&"sites");
    assert_eq!(has_sites, sites > 1, "{at}: one site needs no table of sites");
    assert_eq!(page["sites"].as_array().unwrap().len(), if sites > 1 { sites } else { 0 }, "{at}");
    // 22 weeks, each with requests and with violations.
    assert_eq!(texts_of_numbers(&page["columns"]), ["22", "22"], "{at}");
    assert!(texts(&page["rules"]).contains(&"Disallow: /never"), "{at}");
    assert!(texts(&page["paths"]).contains(&"/b/2/with-a-rather-long/pattern.html"), "{at}");
    if sites < 20 {
        // With more sites, other paths are listed first.
        assert!(
            texts(&page["paths"]).iter().any(|path| path.contains("<script>")),
            "{at}: {}",
            page["paths"]
        );
        assert!(texts(&page["paths"]).iter().any(|path| path.contains('…')), "{at}: {}", page["paths"]);
    }
    assert!(
        texts(&page["programs"]).iter().any(|name| name.contains("\\u{202e}")),
        "{at}: {}",
        page["programs"]
    );
}

fn texts_of_numbers(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(ToString::to_string).collect()
}

fn assert_screenshots(program: &Path, folder: &Folder) {
    for (width, height) in [(1280, 1600), (500, 1600)] {
        let name = format!("{width}.png");
        let shot = format!("--screenshot={}", folder.path(&name).display());
        browse(program, folder, "report.html", &[&shot, &format!("--window-size={width},{height}")]);
        let png = std::fs::read(folder.path(&name)).unwrap();
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (width, height));
        assert!(png.len() > 20_000, "{} bytes: an empty picture", png.len());
    }
    let print = format!("--print-to-pdf={}", folder.path("report.pdf").display());
    browse(program, folder, "report.html", &[&print, "--no-pdf-header-footer"]);
    assert!(std::fs::read(folder.path("report.pdf")).unwrap().starts_with(b"%PDF"));
}
