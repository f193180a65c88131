"""A crawl with robomata as the parser of robots.txt files: `scrapy_crawl.py AGENT URL...` prints the pages it has fetched.

It goes to the first URL, and from there to the others. All at once would be judged by Scrapy alone: of the requests that wait
while a site's robots.txt is fetched, Scrapy 2.19 shows the parser two, and lets the others pass, whatever the parser.
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
