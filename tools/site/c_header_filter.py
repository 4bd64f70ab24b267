"""Writes a header of BSPlib to standard output as Doxygen wants it: a comment before several declarations documents each
of them, the first one the file, and declarations are without the names of symbols. The header itself stays plain C.

    c_header_filter.py HEADER
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"^/\*((?:(?!\*/).)*)\*/\n", re.DOTALL | re.MULTILINE)


def escaped(text):
    """Names of headers in <> are no elements of HTML."""
    return re.sub(r"<(?=\w)", r"\\<", text)


def documented(comment, declarations):
    """The declarations up to the first empty line or other comment, each with the comment."""
    lines = []
    for line in declarations.split("\n"):
        if re.match(r"[a-z]", line) and not line.startswith(("extern", "namespace")):
            lines.append(f"/**{comment}*/")
        lines.append(line)
    return "\n".join(lines)


def filtered(text):
    text = re.sub(r"\s*LBSP_\w+_\(\"\w+\"\);", ";", re.sub(r"#define LBSP_\w+_\(name\).*\n", "", text))
    pieces = COMMENT.split(text)  # code, comment, code, comment, …
    out = [pieces[0]]
    for number, (comment, code) in enumerate(zip(pieces[1::2], pieces[2::2])):
        comment = escaped(comment)
        near, empty_line, rest = code.partition("\n\n")
        if number == 0:
            out.append(f"/** @file\n *{comment}*/\n{code}")
        else:
            out.append(documented(comment, near) + empty_line + rest)
    return "".join(out)


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    print(filtered(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), end="")


if __name__ == "__main__":
    main()
