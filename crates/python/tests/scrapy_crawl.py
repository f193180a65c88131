"""A crawl with robomata as the parser of robots.txt files: `scrapy_crawl.py AGENT URL...` prints the pages that it fetched.

It fetches the first URL, and then the others. If it started with all URLs, most would not be checked: of the requests that wait
while a site's robots.txt is fetched, Scrapy 2.19 checks two and lets the others pass, with any parser.
"""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess


class Pages(scrapy.Spider):
    name = "pages"

    def parse(self, response, first=True):
        print("fetched", response.url, flush=True)
        if first:
            yield from (scrapy.Request(url, cb_kwargs={"first": False}) for url in others)


agent, start, *others = sys.argv[1:]
process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_PARSER": "robomata.scrapy.RobotParser",
        "USER_AGENT": agent,
        "TELNETCONSOLE_ENABLED": False,
        "RETRY_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    }
)
process.crawl(Pages, start_urls=[start])
process.start()
if process.bootstrap_failed:
    sys.exit("the crawl did not start")
