"""Checks README.md and docs/ for what a program can see:

- A link leads to a file that exists, and to a heading in it.
- A file or folder of the tree that a page names in `code` exists. A page that a source file names exists.
- Links lead to every page from docs/index.md.
- Prose has at most 120 columns, and a page at most 200 lines of it. Tables and listings do not count.
- A comment in C++ has at most 120 columns too, since the formatter leaves comments as they are wrapped.
"""
import pathlib
import re
import subprocess
import sys
import unicodedata

COLUMNS = 120
LINES = 200
FOLDERS = ("algorithms", "benchmarks", "docs", "examples", "lbsp", "model", "tests", "tools", "transport")


def without_listings(text):
    """The lines of a page outside of ``` … ```, with their numbers."""
    listing = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            listing = not listing
        elif not listing:
            yield number, line


def columns(text):
    """As a screen counts them: the hat of a rho has no column of its own."""
    return sum(not unicodedata.combining(character) for character in text)


def is_prose(line):
    return line.strip() != "" and not line.startswith("|")


def links(text):
    for number, line in without_listings(text):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if "://" not in target:
                yield number, target


def anchor(heading):
    """The name that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    return {anchor(line.lstrip("#")) for _, line in without_listings(text) if re.match(r"#+ ", line)}


def named_paths(text):
    """Code such as `lbsp/job/run.hpp`, `model/` or `transport/rate/pacer`: a file may be named without its ending."""
    for number, line in without_listings(text):
        for code in re.findall(r"`([^`]*)`", line):
            placeholder = re.search(r"\b[A-Z]{2,}\b", code)
            if re.fullmatch(r"(%s)(/[\w.\-]+)*/?" % "|".join(FOLDERS), code) and "/" in code and not placeholder:
                yield number, code


def named_files(text):
    """Code such as `engine.hpp`, where the folder has been named before; not what the reader writes and compiles."""
    written = set(re.findall(r"^lbspc(?:c|\+\+) .*?(\w+\.cp?p?)$", text, re.MULTILINE))
    for number, line in without_listings(text):
        for code in re.findall(r"`([\w]+\.(?:hpp|cpp|h|py|sh))`", line):
            if code not in written:
                yield number, code


def exists(root, path):
    return (root / path).exists() or any((root / path).parent.glob((root / path).name + ".*"))


def page_problems(root, page, file_names):
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(root)
    for number, target in links(text):
        path, _, heading = target.partition("#")
        leads_to = (page.parent / path).resolve() if path else page
        if not leads_to.exists():
            yield f"{name}:{number}: links to {target}: no such file"
        elif heading and heading not in anchors(leads_to.read_text(encoding="utf-8")):
            yield f"{name}:{number}: links to {target}: no such heading"
    for number, path in named_paths(text):
        if not exists(root, path):
            yield f"{name}:{number}: names {path}: no such file"
    for number, file in named_files(text):
        if file not in file_names:
            yield f"{name}:{number}: names {file}: no file of that name"
    prose = [(number, line) for number, line in without_listings(text) if is_prose(line)]
    for number, line in prose:
        if columns(line) > COLUMNS:
            yield f"{name}:{number}: {columns(line)} columns, at most {COLUMNS}"
    if len(prose) > LINES:
        yield f"{name}: {len(prose)} lines of prose, at most {LINES}"


def unreachable(root, pages):
    seen, waiting = set(), [root / "docs/index.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page not in pages:
            continue
        seen.add(page)
        for _, target in links(page.read_text(encoding="utf-8")):
            waiting.append((page.parent / target.partition("#")[0]).resolve())
    for page in sorted(set(pages) - seen):
        yield f"{page.relative_to(root)}: no link leads to it from docs/index.md"


def source_problems(root, files):
    """Comments, help texts and scripts that send the reader to a page that is not there; comments too wide."""
    for name in files:
        if name.startswith("docs/") or not re.search(r"\.(hpp|cpp|h|c|py|sh|txt|in|cmake)$", name):
            continue
        for number, line in enumerate((root / name).read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            if re.search(r"\.(hpp|cpp|h)$", name) and re.match(r"\s*//", line) and columns(line) > COLUMNS:
                yield f"{name}:{number}: {columns(line)} columns of comment, at most {COLUMNS}"
            for page in re.findall(r"\bdocs/[\w./]+\.md\b", line):
                if not (root / page).exists():
                    yield f"{name}:{number}: names {page}: no such page"


def tree_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0:
        return listed.stdout.split()
    return [str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    files = tree_files(root)
    file_names = {name.rpartition("/")[2] for name in files}
    problems = [problem for page in pages for problem in page_problems(root, page, file_names)]
    problems += unreachable(root, pages)
    problems += source_problems(root, files)
    print("\n".join(problems) or f"{len(pages)} pages: no problem found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
