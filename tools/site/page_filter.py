"""Writes a page of docs/, or README.md, to standard output as Doxygen wants it: what GitHub's Markdown has and Doxygen's
has not is names for pages and headings that links can use.

    page_filter.py ROOT PAGE

A page is named after its file: docs/hosts.md is `hosts`, docs/benchmarks/bed.md `benchmarks-bed`, README.md the main page.
Its headings are named as on GitHub, behind that name: `hosts--ports-and-firewalls`. A link that shows a file's name shows
the page's title. The pages that docs/index.md links stand below it in the tree at the left, in its order, and those of
docs/benchmarks below docs/benchmarks.md.
"""
import pathlib
import re
import sys

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")
MAIN_PAGE = "index"


def page_name(root, page):
    if page == root / "README.md":
        return MAIN_PAGE
    name = "-".join(page.relative_to(root / "docs").with_suffix("").parts)
    return "contents" if name == MAIN_PAGE else name  # Doxygen's own name for the main page


def heading_name(heading):
    """As GitHub makes it."""
    text = LINK.sub(r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def title(page):
    return page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")


def without_code(heading):
    """Doxygen shows no code in headings."""
    return re.sub(r"`([^`]*)`", lambda code: re.sub(r"[<>#@*_\\]|--", r"\\\g<0>", code[1]), heading)


def is_below(root, parent, page):
    if page == parent or not page.is_relative_to(root / "docs"):
        return False
    listed = root / "docs/index.md" if page.parent == root / "docs" else root / "docs/benchmarks.md"
    return parent == listed


class Page:
    """One page; knows which others it has listed as those below it."""

    def __init__(self, root, page):
        self.root, self.page = root, page
        self.listed = set()

    def target(self, match):
        text, (path, _, heading) = match[1], match[2].partition("#")
        if "://" in match[2]:
            return match[0]
        to = (self.page.parent / path).resolve() if path else self.page
        if to.suffix != ".md":
            return f"[{text}](@ref {to.name})"
        name = page_name(self.root, to)
        if text == to.name:
            text = title(to)
        if heading:
            return f"[{text}](@ref {name}--{heading})"
        if is_below(self.root, self.page, to) and to not in self.listed:
            self.listed.add(to)
            return f'@subpage {name} "{text}"'
        return f"[{text}](@ref {name})"

    def line(self, line):
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            name = page_name(self.root, self.page)
            if heading[1] != "#":
                name += "--" + heading_name(heading[2])
            elif name == MAIN_PAGE:
                name = "mainpage"
            return f"{heading[1]} {without_code(heading[2])} {{#{name}}}"
        # Code is left alone, but for code within the text of a link.
        pieces, end = [], 0
        for match in re.finditer(rf"{LINK.pattern}|{CODE.pattern}", line):
            pieces += [line[end:match.start()], match[0] if match[0].startswith("`") else LINK.sub(self.target, match[0])]
            end = match.end()
        # Images are found by their name alone.
        return re.sub(r"(!\[[^\]]*\]\()[^)\s]*/", r"\1", "".join([*pieces, line[end:]]))

    def text(self):
        lines, listing = [], False
        for line in self.page.read_text(encoding="utf-8").split("\n"):
            fence = line.lstrip().startswith("```")
            listing ^= fence
            lines.append(line if listing or fence else self.line(line))
        return "\n".join(lines)


def main():
    root, page = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    sys.stdout.reconfigure(encoding="utf-8")
    print(Page(root, page).text(), end="")


if __name__ == "__main__":
    main()
