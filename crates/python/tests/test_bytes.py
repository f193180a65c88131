"""Any bytes are accepted as a robots.txt, a URL and a crawler's name: every API gives the same answer, without a crash."""

import random

import pytest
from robomata import PolicySet, Robots
from robomata.robotparser import RobotFileParser

WORDS = [b"User-agent:", b"Disallow:", b"Allow:", b"Crawl-delay:", b"Request-rate:", b"Visit-time:", b"Sitemap:", b"*", b"/"]
WORDS += [
    b"\r",
    b"\n",
    b"\r\n",
    b" ",
    b"$",
    b"%",
    b"%2F",
    b"#",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"a",
    b"Bot",
    b"?",
    b"1",
    b"/s",
]


def random_bytes(random: random.Random, length: int) -> bytes:
    if random.random() < 0.2:
        return random.randbytes(length)
    return b"".join(random.choices(WORDS, k=length))


def test_every_way_says_the_same_whatever_the_bytes() -> None:
    made = random.Random(1)
    verdicts, refused = set(), 0
    for _ in range(1000):
        body = made.choice([b"", b"User-agent: *\nDisallow:/"]) + random_bytes(made, made.randrange(60))
        urls = [b"https://a.example/" + random_bytes(made, made.randrange(8)) for _ in range(5)] + [random_bytes(made, 4)]
        agent = made.choice(["Bot", "a", random_bytes(made, 2).decode("latin-1").replace(",", "")])
        robots = Robots.parse(body)
        policies = PolicySet.build({"https://a.example": body})
        try:
            robots.check(urls[0], agent)
        except ValueError:
            refused += 1
            with pytest.raises(ValueError, match="product token"):
                policies.check(urls, agent)
            continue
        rows = policies.check(urls, agent).to_pylist()
        for url, row in zip(urls, rows, strict=True):
            verdict = robots.check(url, agent)
            verdicts.add(verdict.verdict)
            assert robots.can_fetch(url, agent) is verdict.allowed
            if url.startswith(b"https://a.example/"):
                assert row == verdict._asdict(), (body, url, agent)
            assert policies.check_url(url, agent)._asdict() == row
        for ask in (robots.crawl_delay, robots.request_rate, robots.visit_time):
            ask(agent)
        assert all(isinstance(sitemap, str) for sitemap in robots.sitemaps)
        assert str(robots.explain(urls[0], agent))
        if robots.check(urls[0], agent).verdict == "invalid":
            with pytest.raises(ValueError, match="expected an absolute URL"):
                robots.permissions(urls[0], agent)
        else:
            assert "crawl" in robots.permissions(urls[0], agent)
    assert verdicts >= {"allow", "disallow"} and refused


def test_a_parser_of_lines_takes_any_lines() -> None:
    made = random.Random(2)
    parser = RobotFileParser()
    for _ in range(300):
        parser.parse(random_bytes(made, made.randrange(60)).decode("latin-1").splitlines())
        assert parser.can_fetch("Bot", "/" + random_bytes(made, 5).decode("latin-1")) in (True, False)
        assert parser.crawl_delay("Bot") is None or parser.crawl_delay("Bot") >= 0
        assert parser.request_rate("Bot") is None or parser.request_rate("Bot").requests >= 0
        assert parser.site_maps() is None or parser.site_maps()
        assert isinstance(str(parser), str)
