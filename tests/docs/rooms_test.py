"""Checks that a folder includes only what the table of rooms in docs/contributing.md allows, and that its files'
namespace says the folder.

In the table, `x/y` is a folder with those in it, `x/` is the files of x alone, and `x/y.hpp` is one file.
Every folder of a layer must be in the table, or below one that is.
"""
import pathlib
import re
import sys

SOURCES = ("*.hpp", "*.cpp", "*.h")
LAYERS = ("model", "transport", "lbsp", "algorithms", "tools")


def rooms(page):
    """By folder: what it may include; nothing for a folder that may include everything."""
    table = page[page.index("| folder |"):]
    found = {}
    for row in table[:table.index("\n\n")].split("\n")[2:]:
        folder, _, allowed = [cell.strip() for cell in row.strip("|").split("|")]
        for name in re.findall(r"`([^`]+)`", folder):
            found[name] = None if allowed == "everything" else re.findall(r"`([^`]+)`", allowed)
    return found


def files_of(root, folder):
    place = root / folder
    for pattern in SOURCES:
        yield from place.glob(pattern) if folder.endswith("/") else place.rglob(pattern)


def is_in(included, room):
    if room.endswith("/"):
        return f"{pathlib.PurePath(included).parent}/" == room
    return included == room or included.startswith(f"{room}/")


def without_room(root, table):
    """Folders with sources of which the table says nothing."""
    for layer in LAYERS:
        folders = {file.parent for pattern in SOURCES for file in (root / layer).rglob(pattern)}
        for folder in sorted(str(folder.relative_to(root)) for folder in folders):
            above = [folder, *map(str, pathlib.PurePath(folder).parents)]
            if f"{folder}/" not in table and not any(name in table for name in above):
                yield f"docs/contributing.md: no room {folder}: say in its table what it may include"


def problems(root, table):
    for folder, allowed in table.items():
        if not (root / folder).is_dir():
            yield f"docs/contributing.md: a room {folder}: no such folder"
        for file in [] if allowed is None else sorted(files_of(root, folder)):
            for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
                included = re.match(r'#include "([^"]+/[^"]+)"', line)
                if included and not any(is_in(included[1], room) for room in [folder, *allowed]):
                    yield (f"{file.relative_to(root)}:{number}: {included[1]} is not what {folder} may include: "
                           f"see the rooms in docs/contributing.md")


def expected_namespaces(folder):
    """Of a folder x/y: lbsp::x::y. The layer's own name is left out in lbsp/ and tools/. All rooms of transport/ have
    the layer's, but for those that are named for themselves, and all of lbsp/superstep have that folder's."""
    if folder.parts[:2] == ("lbsp", "superstep"):
        return {"lbsp::superstep"}
    parts = list(folder.parts)
    if parts[0] in ("lbsp", "tools"):
        parts = parts[1:]
    names = {"::".join(["lbsp", *parts])}
    if parts[:1] == ["transport"]:
        names |= {"lbsp::transport", "lbsp"}
    if folder.parts[0] == "lbsp":
        names.add("lbsp")  # what users call
    return names


def misnamed(root):
    """Files whose first namespace does not say their folder."""
    for layer in LAYERS:
        for file in sorted(file for pattern in SOURCES for file in (root / layer).rglob(pattern)):
            found = re.search(r"^namespace (lbsp[\w:]*)", file.read_text(encoding="utf-8"), re.MULTILINE)
            folder = file.relative_to(root).parent
            expected = expected_namespaces(folder)
            inner = f"lbsp::{'::'.join(folder.parts)}::"
            if found and found[1] not in expected and not found[1].startswith(inner):
                yield f"{file.relative_to(root)}: namespace {found[1]}: in {folder} it is {' or '.join(sorted(expected))}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = rooms((root / "docs/contributing.md").read_text(encoding="utf-8"))
    found = [*without_room(root, table), *problems(root, table), *misnamed(root)]
    print("\n".join(found) or f"{len(table)} rooms: no arrow where there may be none")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
