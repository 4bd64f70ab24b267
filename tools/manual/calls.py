"""Makes the manual's section 3 of a C header's comments: a page for each comment that stands before declarations, and
for each further call that it describes a page that leads there.

    calls.py VERSION FOLDER HEADER...
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*((?:(?!\*/).)*)\*/\n((?:(?!\n|/\*)[^\n]*\n)+)", re.DOTALL)
CALL = re.compile(r"\b(bsp_\w+)\(")


def c_alone(text):
    """Without what is for C++ alone, and without lines of the preprocessor."""
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#(?:else|endif)\n", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def declarations(text):
    """Of each call: its name, and its declaration without the names of symbols."""
    for declaration in re.findall(r"^\w[^;{]*;", text, re.MULTILINE):
        plain = re.sub(r"\s+", " ", re.sub(r"\s*LBSP_\w+_\(\"\w+\"\)", "", declaration))
        if call := CALL.search(plain):
            yield call[1], plain


def paragraphs(comment):
    """The comment's paragraphs, each of lines without the stars before them."""
    lines = [re.sub(r"^ ?\*? ?", "", line) for line in comment.strip("\n").split("\n")]
    return [part.strip("\n") for part in re.split(r"\n\s*\n", "\n".join(lines)) if part.strip()]


def joined(lines):
    return " ".join(lines.replace("\0", " ").split())


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def body(comment):
    """The description: its paragraphs, and numbered points apart."""
    for number, paragraph in enumerate(paragraphs(comment)):
        lead, *points = re.split(r"^\s+(\d\.) ", paragraph, flags=re.MULTILINE)
        yield from [".PP"] if number else []
        yield roff(joined(lead))
        for name, point in zip(points[::2], points[1::2]):
            point, _, after = re.sub(r"\n(?=\S)", "\0", point).partition("\0")
            yield from [f".IP {name} 4", roff(joined(point))]
            yield from [".PP", roff(joined(after))] if after else []


def summary(comment):
    """The first sentence, without its full stop."""
    return re.split(r"(?<!\.)\.(?: |$)", joined(paragraphs(comment)[0]))[0]


def page(version, header, names, shown, comment):
    return "\n".join([
        f'.TH {names[0].upper()} 3 "" "lbsp {version}" "BSPlib"',
        ".SH NAME", f"{', '.join(names)} \\- {roff(summary(comment))}",
        ".SH SYNOPSIS", ".nf", f"#include <{header}>", ".PP", *map(roff, shown), ".fi",
        ".SH DESCRIPTION", *body(comment),
        ".SH SEE ALSO", ".BR lbspcc (1),", ".BR lbsp\\-run (1)", ""])


def pages(version, header, text):
    for comment, after in COMMENT.findall(c_alone(text)):
        calls = list(declarations(after))
        if calls:
            names = [name for name, _ in calls]
            yield names[0], page(version, header, names, [shown for _, shown in calls], comment)
            for other in names[1:]:
                yield other, f".so man3/{names[0]}.3\n"


def main():
    version, folder, *headers = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for header in map(pathlib.Path, headers):
        for name, text in pages(version, header.name, header.read_text(encoding="utf-8")):
            (folder / f"{name}.3").write_text(text, encoding="utf-8")


main()
