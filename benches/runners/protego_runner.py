"""Protego over standard input and output: one JSON object per line, each answered by one line.

It finds the policy of a URL's site as the harness of the Rust peers does. The URL's beginning up to the path is compared with
the last one, then looked up in a dict as written, then in lower case without user information, default port and
trailing dot.
"""

import json
import sys
from time import perf_counter

try:
    from importlib.metadata import version

    from protego import Protego
except ImportError as missing:
    Protego = None
    MISSING = f"{missing}; try: python3 -m pip install protego"


def parse(content):
    return Protego.parse(content.encode("latin-1").decode("utf-8", "replace"))


def normal(site):
    scheme, _, authority = site.lower().partition("://")
    host, colon, port = authority.rpartition("@")[2].partition(":")
    if not port or (scheme, port) in (("http", "80"), ("https", "443")):
        colon = port = ""
    return f"{scheme}://{host.rstrip('.')}{colon}{port}"


def site_of(url):
    start = url.find("://") + 3
    ends = [at for at in (url.find(mark, start) for mark in "/?#") if at >= 0]
    return url[: min(ends)] if ends else url


class Runner:
    def __init__(self):
        self.agent, self.policies, self.sites = "", [], {}
        self.urls, self.bodies = [], None

    def version(self, _message):
        return {"version": version("protego")}

    def compile(self, message):
        bodies = message["bodies"]
        start = perf_counter()
        for body in bodies:
            parse(body)
        return {"seconds": perf_counter() - start}

    def prepare(self, message):
        self.agent = message["agent"]
        self.policies = [parse(body) for body in message["bodies"]]
        self.sites = {site: self.policies[body] for site, body in message["sites"]}
        return {}

    def questions(self, message):
        self.urls, self.bodies = message["urls"], message["bodies"]
        return {}

    def answers(self):
        """One answer per URL: true, false, or None if there is no policy."""
        agent = self.agent
        if self.bodies is not None:
            policies = self.policies
            return [policies[body].can_fetch(url, agent) for url, body in zip(self.urls, self.bodies)]
        sites, last, policy, answers = self.sites, None, None, []
        for url in self.urls:
            if last is None or not url.startswith(last) or url[len(last) : len(last) + 1] not in ("/", "?", "#", ""):
                last = site_of(url)
                policy = sites.get(last) or sites.get(normal(last))
            answers.append(policy and policy.can_fetch(url, agent))
        return answers

    def check(self, _message):
        start = perf_counter()
        answers = self.answers()
        seconds = perf_counter() - start
        return {"seconds": seconds, "allowed": sum(1 for answer in answers if answer)}

    def letters(self, _message):
        return {"letters": "".join("?" if answer is None else "DA"[bool(answer)] for answer in self.answers())}


def main():
    runner = Runner()
    for line in sys.stdin:
        message = json.loads(line)
        if Protego is None:
            reply = {"error": MISSING}
        else:
            try:
                reply = getattr(runner, message["verb"])(message)
            except Exception as error:  # the harness reports any error
                reply = {"error": repr(error)}
        print(json.dumps(reply), flush=True)


main()
