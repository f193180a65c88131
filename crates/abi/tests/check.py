"""Calls the shared library from Python by ctypes: check.py LIBRARY."""

import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])
library.robomata_text_data.restype = ctypes.c_void_p
library.robomata_text_data.argtypes = [ctypes.c_void_p]
library.robomata_text_length.restype = ctypes.c_size_t
library.robomata_text_length.argtypes = [ctypes.c_void_p]
for free in ("robots", "rules", "text"):
    getattr(library, f"robomata_{free}_free").argtypes = [ctypes.c_void_p]


class Verdict(ctypes.Structure):
    _fields_ = [
        ("verdict", ctypes.c_uint8),
        ("reason", ctypes.c_uint8),
        ("reserved", ctypes.c_uint16),
        ("line", ctypes.c_uint32),
    ]


def text(value: bytes) -> tuple[ctypes.c_char_p, ctypes.c_size_t]:
    return ctypes.c_char_p(value), ctypes.c_size_t(len(value))


def last_error() -> str:
    data, length = ctypes.c_void_p(), ctypes.c_size_t()
    library.robomata_last_error(ctypes.byref(data), ctypes.byref(length))
    return ctypes.string_at(data, length.value).decode()


assert library.robomata_abi_version() == 1
body = b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\nSitemap: https://example.com/s.xml\n"
robots, rules = ctypes.c_void_p(), ctypes.c_void_p()
assert library.robomata_robots_parse(*text(body), 0, 200, ctypes.byref(robots)) == 0
assert library.robomata_rules_new(robots, *text(b""), ctypes.byref(rules)) == -3
assert last_error().startswith("the crawler's name is empty"), last_error()
assert library.robomata_rules_new(robots, *text(b"ExampleBot"), ctypes.byref(rules)) == 0

verdict = Verdict()
assert library.robomata_check(rules, *text(b"/private/a"), ctypes.byref(verdict)) == 0
assert (verdict.verdict, verdict.reason, verdict.line) == (2, 1, 2)

urls = [b"/", b"/private", b"not a URL", b""]
offsets = [0]
for url in urls:
    offsets.append(offsets[-1] + len(url))
verdicts = (Verdict * len(urls))()
code = library.robomata_check_batch(
    rules, *text(b"".join(urls)), (ctypes.c_uint32 * len(offsets))(*offsets), ctypes.c_size_t(len(urls)), verdicts
)
assert code == 0
assert [verdict.verdict for verdict in verdicts] == [1, 2, 0, 0]

summary = ctypes.c_void_p()
assert library.robomata_summary(robots, *text(b"ExampleBot"), ctypes.byref(summary)) == 0
data = ctypes.string_at(library.robomata_text_data(summary), library.robomata_text_length(summary))
library.robomata_text_free(summary)
summary = json.loads(data)
assert summary["crawl_delay"] == 2 and summary["sitemaps"] == ["https://example.com/s.xml"], summary

library.robomata_rules_free(rules)
library.robomata_robots_free(robots)
print("ok")
