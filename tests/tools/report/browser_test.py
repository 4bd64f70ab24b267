"""Opens the page of `lbsp report` in Chromium without a screen: it stands alone, is whole, can be printed, and is dark for
who wants that.

    browser_test.py CHROMIUM BIN     BIN: the folder of lbsp
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

PARTS = ("Measured and estimated", "Time line", "Ranks", "The slowest supersteps",
         "Communication, superstep by superstep", "How long supersteps took", "How long communication took", "Bytes", "Lost")


def called(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=100)
    if done.returncode != 0:
        sys.exit(f"{words[0]} ended with {done.returncode}: {done.stderr}")
    return done


def paper_of(picture):
    """Red, green and blue of the first pixel of a PNG: no filter changes that one."""
    data, place, compressed = picture.read_bytes(), 8, b""
    while place < len(data):
        length = int.from_bytes(data[place:place + 4], "big")
        if data[place + 4:place + 8] == b"IDAT":
            compressed += data[place + 8:place + 8 + length]
        place += length + 12
    return tuple(zlib.decompress(compressed)[1:4])


def main():
    chromium, programs = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace, page, paper = folder / "trace", folder / "report.html", folder / "report.pdf"
        called(programs / "lbsp", "run", "-n", "3", "--wan", "rtt=5ms,loss=5%", "--trace", trace, "--",
               programs / "jacobi", "--size", "65", "--iterations", "64", "--halo", "8")
        called(programs / "lbsp", "report", trace, "-o", page)
        # No network: whatever the page asked for would be an error in the log.
        browser = (chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--log-level=2",
                   "--no-first-run", "--disable-quic", "--disable-background-networking", "--disable-component-update",
                   "--disable-sync",
                   f"--user-data-dir={folder / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND")
        shown = called(*browser, "--dump-dom", page.as_uri())
        called(*browser, f"--print-to-pdf={paper}", page.as_uri())
        light, dark = folder / "light.png", folder / "dark.png"
        called(*browser, f"--screenshot={light}", page.as_uri())
        called(*browser, "--blink-settings=preferredColorScheme=0", f"--screenshot={dark}", page.as_uri())
        problems = [f"no part '{part}'" for part in PARTS if f"<h2>{part}</h2>" not in shown.stdout]
        if shown.stdout.count("<svg") != 4 or shown.stdout.count("</svg>") != 4:
            problems.append("not four drawings")
        # What a browser has to mend in a page, it moves: the text between tags stays in its order only where none is wrong.
        plain = [re.sub(r"<[^>]*>|\s", "", text) for text in (page.read_text(encoding="utf-8"), shown.stdout)]
        if plain[0] != plain[1]:
            problems.append("the browser has mended the page")
        problems += re.findall(r".*CONSOLE.*", shown.stderr)
        if min(paper_of(light)) < 200 or max(paper_of(dark)) > 60:
            problems.append(f"paper of {paper_of(light)} in the light, {paper_of(dark)} in the dark")
        if not paper.read_bytes().startswith(b"%PDF"):
            problems.append("nothing printed")
        sys.exit("\n".join(problems) or 0)


main()
