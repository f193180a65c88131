"""Compares robomata with Protego, urllib and fastrobots in one run: `compare.py [--corpus DIR] [--urls N] [--rounds N]`.

All engines check the same URLs for the same crawler. Their answers are compared before anything is timed. robomata's APIs must
agree about every URL, and the other engines about every URL of sites whose rules are unambiguous. For other sites the share of
equal answers is printed. Files are parsed and lazy parts are warm before the clock starts.

The other engines handle one site at a time. They get the parser of each URL's site, and fastrobots gets the URL's path;
robomata's batch finds the site itself. Rounds alternate between engines. The minimum and the median of their times are reported.

Without a corpus, sites and URLs are generated. DIR holds `robots.jsonl.zst` and `urls.tsv.zst`, as for the benchmarks in Rust.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import platform
import random
import statistics
import sys
import time
import urllib.robotparser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import fastrobots
import protego
import pyarrow as pa

from robomata import PolicySet, Robots
from robomata.robotparser import RobotFileParser

AGENT = "ExampleBot"


@dataclass
class Corpus:
    """Sites with their robots.txt, and URLs on them."""

    robots: dict[str, str]
    urls: list[str]
    #: Sites about which engines must agree: plain prefixes, none of which is a prefix of another.
    plain: set[str]


@dataclass
class Way:
    """One engine that checks all URLs."""

    name: str
    judge: Callable[[], list[bool]]
    #: Is it robomata's, so that it has to agree about everything?
    ours: bool = True
    times: list[float] | None = None


def main() -> None:
    options = arguments()
    corpus = real(options.corpus, options.urls) if options.corpus else made_up(options.urls)
    ways = list(every_way(corpus))
    print(f"{len(corpus.urls)} URLs, {len(corpus.robots)} sites, {platform.python_version()} on {platform.machine()}")
    print(", ".join(f"{name} {version(name)}" for name in ("robomata", "protego", "fastrobots")))
    compare(corpus, ways)
    measure(ways, options.rounds)
    report(ways, len(corpus.urls))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares robomata with Protego, urllib and fastrobots")
    parser.add_argument("--corpus", type=Path, help="a folder with robots.jsonl.zst and urls.tsv.zst; made up without")
    parser.add_argument("--urls", type=int, default=100_000, help="at most so many URLs")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def every_way(corpus: Corpus) -> Iterator[Way]:
    sites, urls = [site_of(url) for url in corpus.urls], corpus.urls
    paths = [path_of(url) for url in urls]

    def one_by_one(parse: Callable[[str], Callable[[str], bool]], texts: list[str]) -> Callable[[], list[bool]]:
        judges = {site: parse(body) for site, body in corpus.robots.items()}
        asked = [(judges[site], text) for site, text in zip(sites, texts)]
        return lambda: [judge(text) for judge, text in asked]

    yield Way("Protego", one_by_one(of_protego, urls), ours=False)
    yield Way("urllib", one_by_one(of_urllib, urls), ours=False)
    yield Way("fastrobots", one_by_one(of_fastrobots, paths), ours=False)
    yield Way("robomata.Robots", one_by_one(of_robots, urls))
    yield Way("robomata.robotparser", one_by_one(of_robotparser, urls))

    policies = PolicySet.build(corpus.robots)
    column = pa.array(urls, pa.string())
    yield Way("check_url", lambda: [policies.check_url(url, AGENT).allowed for url in urls])
    yield Way("batch, a list", lambda: policies.allowed(urls, AGENT, threads=1))
    yield Way("batch, Arrow, 1 thread", lambda: policies.allowed(column, AGENT, threads=1))
    yield Way("batch, Arrow, all threads", lambda: policies.allowed(column, AGENT))


def of_protego(body: str) -> Callable[[str], bool]:
    can_fetch = protego.Protego.parse(body).can_fetch
    return lambda url: can_fetch(url, AGENT)


def of_urllib(body: str) -> Callable[[str], bool]:
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(body.splitlines())
    return lambda url: parser.can_fetch(AGENT, url)


def of_fastrobots(body: str) -> Callable[[str], bool]:
    allowed = fastrobots.Robots.parse(body).allowed
    return lambda path: allowed(path, AGENT)


def of_robots(body: str) -> Callable[[str], bool]:
    can_fetch = Robots.parse(body).can_fetch
    return lambda url: can_fetch(url, AGENT)


def of_robotparser(body: str) -> Callable[[str], bool]:
    parser = RobotFileParser()
    parser.parse(body.splitlines())
    return lambda url: parser.can_fetch(AGENT, url)


def compare(corpus: Corpus, ways: list[Way]) -> None:
    """Ends the run if answers differ that must agree, and prints how often the others agree."""
    said = {way.name: [bool(answer) for answer in way.judge()] for way in ways}
    expected = said["batch, Arrow, 1 thread"]
    for way in ways:
        differing = [url for url, ours, theirs in zip(corpus.urls, expected, said[way.name]) if ours is not theirs]
        wrong = differing if way.ours else [url for url in differing if site_of(url) in corpus.plain]
        if wrong:
            sys.exit(f"{way.name}: another answer for {len(wrong)} URLs than the batch's, {wrong[0]} first")
        if not way.ours:
            print(f"{way.name} agrees about {1 - len(differing) / len(corpus.urls):.3%}")
    print(f"allowed: {sum(expected) / len(expected):.1%}\n")


def measure(ways: list[Way], rounds: int) -> None:
    for _ in range(rounds):
        for way in ways:
            start = time.perf_counter()
            way.judge()
            way.times = [*(way.times or []), time.perf_counter() - start]


def report(ways: list[Way], urls: int) -> None:
    base = statistics.median(ways[0].times or [])
    print(f"{'':26} {'ns a URL, least':>16} {'median':>10} {'URLs a second':>14} {'x Protego':>10}")
    for way in ways:
        least, median = min(way.times or []), statistics.median(way.times or [])
        print(
            f"{way.name:26} {least / urls * 1e9:16.0f} {median / urls * 1e9:10.0f} {urls / median:14.0f} {base / median:10.1f}"
        )


def made_up(count: int) -> Corpus:
    """A thousand sites with dozens of rules, and URLs that some of the rules match."""
    made = random.Random(1)
    words = ["search", "cart", "admin", "user", "tag", "print", "api", "news", "private", "login", "feed", "archive"]
    robots: dict[str, str] = {}
    plain: set[str] = set()
    for n in range(1000):
        site = f"https://www{n}.example.com"
        rules = [f"Disallow: /{made.choice(words)}{i}/" for i in range(made.choice([3, 8, 20, 56]))]
        if n % 2:
            rules += ["Disallow: /*?sort=", "Disallow: /*.pdf$", "Allow: /*/public/"]
        else:
            plain.add(site)
        robots[site] = "User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\n" + "\n".join(rules) + "\n"
    sites = sorted(robots)
    ends = ["", "public/a", "page.html", "a/b/c/d?sort=up", "paper.pdf", "item?id=1&page=2"]
    paths = [f"/{word}{i}/{end}" for word in words for i in range(10) for end in ends]
    # A crawler fetches several pages of a site at a time.
    urls = [site + made.choice(paths) for site in made.choices(sites, k=count // 10 + 1) for _ in range(10)]
    return Corpus(robots, urls[:count], plain)


def real(folder: Path, count: int) -> Corpus:
    """Real files and a real frontier, each URL with the file of its host."""
    wanted: dict[str, str] = {}
    urls: list[str] = []
    for line in lines(folder / "urls.tsv.zst"):
        _, digest, url = line.split("\t", 2)
        if site_of(url).startswith("http") and wanted.setdefault(site_of(url), digest) == digest:
            urls.append(url)
    urls = random.Random(1).sample(urls, count) if count < len(urls) else urls
    order = {site: place for place, site in enumerate(wanted)}
    urls.sort(key=lambda url: order[site_of(url)])
    sites = dict.fromkeys(map(site_of, urls))
    bodies: dict[str, str] = {}
    needed = {wanted[site] for site in sites}
    for line in lines(folder / "robots.jsonl.zst"):
        capture = json.loads(line)
        if capture["sha256"] in needed:
            bodies[capture["sha256"]] = base64.b64decode(capture["body_b64"]).decode("utf-8", "replace")
    return Corpus({site: bodies[wanted[site]] for site in sites}, urls, set())


def lines(path: Path) -> Iterator[str]:
    with pa.input_stream(str(path), compression="zstd") as stream:
        yield from (line.rstrip("\n") for line in io.TextIOWrapper(stream, "utf-8", newline="\n"))


def site_of(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


if __name__ == "__main__":
    main()
