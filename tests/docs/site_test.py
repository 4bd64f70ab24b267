"""Checks the site that `cmake --build build --target site` makes:

    site_test.py SITE ROOT

- A link leads to a file of the site that is there, and to a place in it that has its name.
- It has every page of docs/, by its title, and every class of the interface that programs begin with.
- Its pages need nothing from elsewhere: they can be read and searched without a network.
- The search knows the pages and the calls.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

CALLS = ("World", "Coarray", "Area", "Queue", "bsp_put", "matmul", "sync")
# Doxygen's heading of classes that it then does not show, as they are private.
NOT_SHOWN = "#nested-classes"
LOADED = {"script": "src", "img": "src", "link": "href"}


class Reader(html.parser.HTMLParser):
    """The links of a page, what it loads, the names of its places, and its title."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag in ("a", "area") and values.get("href"):
            self.links.append(values["href"])
        if values.get(LOADED.get(tag, "")):
            self.loaded.append(values[LOADED[tag]])


def problems_of_links(site, pages):
    for name, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme == "javascript" or link == NOT_SHOWN:
                continue
            if parts.scheme or parts.netloc:
                if link in page.loaded:
                    yield f"{name}: loads {link}: the site must not need a network"
                continue
            path = urllib.parse.unquote(parts.path) or name
            if not (site / path).is_file():
                yield f"{name}: links to {link}: no such file"
            elif parts.fragment and path in pages and parts.fragment not in pages[path].names:
                yield f"{name}: links to {link}: no such place"


def problems_of_pages(root, titles):
    for page in [*sorted((root / "docs").rglob("*.md"))]:
        title = page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ").replace("`", "")
        if title not in titles:
            yield f"{page.relative_to(root)}: the site has no page '{title}'"


def problems_of_search(site, titles):
    known = "".join(file.read_text(encoding="utf-8") for file in (site / "search").glob("all_*.js"))
    for word in [*CALLS, "Troubleshooting", "Where to begin"]:
        if f"['{word}'" not in known:
            yield f"the search does not find {word}"


def main():
    site, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    texts = {file.name: file.read_text(encoding="utf-8") for file in site.glob("*.html")}
    pages = {name: Reader(text) for name, text in texts.items()}
    titles = {re.sub(r"^lbsp: ", "", html.unescape(found[1])) for found in
              (re.search("<title>(.*?)</title>", text) for text in texts.values()) if found}
    problems = [*problems_of_links(site, pages), *problems_of_pages(root, titles), *problems_of_search(site, titles)]
    print("\n".join(problems) or f"{len(pages)} pages: no problem found")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
