//! The page of `robomata score`, as a browser shows it. Without chromium on the path there is nothing to see, unless
//! ROBOMATA_REQUIRE_CHROMIUM is set.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::Folder;

/// The widths of a desktop's window and of a phone.
const WIDTHS: [u32; 2] = [1280, 390];

/// After so long a browser hangs.
const PATIENCE: Duration = Duration::from_secs(400);

/// Three sites, that change their minds in March, one of which has a long name, ask for delays, and are crawled by eight
/// crawlers from January to May. Made up, and said so in its first line.
fn generated() -> (String, String) {
    let hosts =
        ["www.example.com", "a-very-long-name-of-some-department.university.example.net", "news.example"];
    let mut history = String::new();
    for host in hosts {
        for (time, disallowed) in
            [("2024-01-01", "/a"), ("2024-03-01", "/b/*/with-a-rather-long/pattern*.html$")]
        {
            let body = format!("User-agent: *\\nDisallow: {disallowed}\\nCrawl-delay: 10");
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
            let (host, second) = (hosts[(number + bot) % 3], (bot * number) % 60);
            let _ = writeln!(
                log,
                "{host} 192.0.2.1 - - [{day:02}/{month}/2024:07:{:02}:{second:02} +0000] \"GET {path} HTTP/1.1\" 200 5 \
                 \"-\" \"Example{bot}Bot/1.0 (+https://generated.example/)\"",
                minute / 4
            );
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

/// What chromium prints when it opens a file of `folder`.
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
            // Its status tells that it hung.
            child.kill().unwrap();
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}: {}", folder.read("err.txt"));
    folder.read("out.txt")
}

/// Shows the report in frames of several widths, and writes what became of it.
const WRAPPER: &str = r#"<!DOCTYPE html><meta charset="utf-8"><body><pre id="measured"></pre><script>
const report = REPORT, widths = WIDTHS, measured = [];
function outside(inner, outer) {
  const a = inner.getBoundingClientRect(), b = outer.getBoundingClientRect();
  return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
}
function measure(frame, width) {
  const page = frame.contentDocument, root = page.documentElement;
  const svgs = [...page.querySelectorAll('svg')].map(svg => ({
    width: svg.getBoundingClientRect().width,
    height: svg.getBoundingClientRect().height,
    texts: [...svg.querySelectorAll('text')].map(text => text.textContent.trim()),
    cut: [...svg.querySelectorAll('text')].filter(text => outside(text, svg)).map(text => text.textContent.trim()),
    lines: svg.querySelectorAll('polyline[stroke-width="2"]').length,
    bars: [...svg.querySelectorAll('rect')].filter(bar => bar.getBoundingClientRect().height > 8).length,
  }));
  const cells = row => [...row.cells].map(cell => cell.innerText.trim());
  const narrow = [...page.querySelectorAll('td code')].filter(code => code.getBoundingClientRect().width < 60);
  return {
    width, title: page.title, svgs,
    scroll: root.scrollWidth, client: root.clientWidth,
    head: cells(page.querySelector('table thead tr')),
    rows: [...page.querySelectorAll('table')[0].tBodies[0].rows].map(cells),
    rules: [...page.querySelectorAll('details td:nth-child(3)')].map(cell => cell.innerText.trim()),
    narrow: narrow.filter(code => code.innerText.length > 12).map(code => code.innerText),
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

/// What the wrapper measured.
fn measured(dom: &str) -> Vec<Value> {
    let (_, rest) = dom.split_once(r#"<pre id="measured">"#).expect("the wrapper's text");
    let (text, _) = rest.split_once("</pre>").unwrap();
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// The figures of each crawler as the table has them, by what the same run says as JSON.
fn rows(json: &Value) -> Vec<Vec<String>> {
    let row = |crawler: &Value| {
        let of = |name: &str| crawler[name].as_u64().unwrap();
        let unknown = of("site_unknown") + of("before_first_capture") + of("no_policy") + of("invalid");
        let numbers = [
            of("requests"),
            of("allowed"),
            of("disallowed"),
            of("excused"),
            unknown,
            of("robots_txt"),
            of("refused"),
        ];
        let delay = &crawler["delay"];
        let mut row = vec![crawler["crawler"].as_str().unwrap().to_owned()];
        row.extend(numbers.map(|number| number.to_string()));
        row.push(format!("{} of {}", delay["broken"], delay["asked"]));
        row
    };
    json["crawlers"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_browser_shows_the_report_whole_at_any_width() {
    let Some(program) = chromium() else { return };
    let (history, log) = generated();
    let folder = Folder::with(&[("robots.jsonl", &history), ("access.log", &log)]);
    let ran = folder.run("score --robots robots.jsonl --sites 2 --json --html report.html access.log");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let report = serde_json::to_string(&folder.read("report.html")).unwrap().replace("</", "<\\/");
    let wrapper = WRAPPER.replace("WIDTHS", &format!("{WIDTHS:?}")).replace("REPORT", &report);
    folder.write("wrapper.html", wrapper);

    let dom = browse(&program, &folder, "wrapper.html", &["--virtual-time-budget=20000", "--dump-dom"]);
    let mut pages = measured(&dom);
    pages.sort_by_key(|page| std::cmp::Reverse(page["width"].as_u64()));
    assert_eq!(pages.len(), WIDTHS.len(), "{dom}");
    for (page, width) in pages.iter().zip(WIDTHS) {
        assert_eq!(page["client"], width);
        assert_eq!(page["scroll"], width, "the page itself scrolls to the side at {width}");
        assert_eq!(page["title"], "Crawlers and robots.txt");
        assert_eq!(texts(&page["requests"]), [""; 0], "the page asks for nothing");
        assert_eq!(texts(&page["narrow"]), [""; 0], "texts in columns too narrow to read at {width}");
        let shown: Vec<Vec<&str>> = page["rows"].as_array().unwrap().iter().map(texts).collect();
        let shown: Vec<&[&str]> = shown.iter().map(|row| &row[..9]).collect();
        assert_eq!(shown, rows(&json), "at {width}");
        assert!(texts(&page["rules"]).contains(&"Disallow: /a"), "{}", page["rules"]);
        assert_drawings(page, &json);
    }
    assert_screenshots(&program, &folder);
}

/// Violations over time, by site, and the times between requests, each readable.
fn assert_drawings(page: &Value, json: &Value) {
    let width = &page["width"];
    let [over_time, by_site, delays] = &page["svgs"].as_array().unwrap()[..] else {
        panic!("three drawings: {}", page["svgs"])
    };
    for svg in [over_time, by_site, delays] {
        assert!(svg["width"].as_f64().unwrap() > 600.0, "small letters at {width}: {svg}");
        assert_eq!(texts(&svg["cut"]), [""; 0], "texts that are cut at {width}");
    }
    // Six crawlers in each, with their names.
    let crawlers = json["crawlers"].as_array().unwrap();
    let worst: Vec<&str> =
        crawlers.iter().take(6).map(|crawler| crawler["crawler"].as_str().unwrap()).collect();
    for name in worst {
        assert!(texts(&over_time["texts"]).contains(&name), "{name}: {over_time}");
    }
    assert_eq!((&over_time["lines"], &delays["lines"]), (&Value::from(6), &Value::from(6)));
    for label in ["0 %", "100 %"] {
        assert!(texts(&delays["texts"]).contains(&label), "{label}: {delays}");
    }
    // All three sites, though two a crawler are listed.
    assert_eq!(by_site["bars"], 3, "{by_site}");
    assert!(texts(&by_site["texts"]).contains(&"https://www.example.com"), "{by_site}");
    assert!(texts(&by_site["texts"]).iter().any(|text| text.contains('…')), "{by_site}");
}

fn assert_screenshots(program: &Path, folder: &Folder) {
    for (width, height) in [(1280, 1600), (500, 1600)] {
        let name = format!("{width}.png");
        let shot = format!("--screenshot={}", folder.path(&name).display());
        browse(program, folder, "report.html", &[&shot, &format!("--window-size={width},{height}")]);
        let png = std::fs::read(folder.path(&name)).unwrap();
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (width, height));
        assert!(png.len() > 20_000, "{} octets: an empty picture", png.len());
    }
}
