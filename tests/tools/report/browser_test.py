"""Opens the page of `lbsp report` in Chromium without a screen: it stands alone, is whole, and can be printed.

    browser_test.py CHROMIUM BIN     BIN: the folder of lbsp
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PARTS = ("Measured and estimated", "Time line", "Ranks", "The slowest supersteps",
         "Communication, superstep by superstep", "How long supersteps took", "How long communication took", "Bytes", "Lost")


def called(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=100)
    if done.returncode != 0:
        sys.exit(f"{words[0]} ended with {done.returncode}: {done.stderr}")
    return done


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
                   f"--user-data-dir={folder / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND")
        shown = called(*browser, "--dump-dom", page.as_uri())
        called(*browser, f"--print-to-pdf={paper}", page.as_uri())
        problems = [f"no part '{part}'" for part in PARTS if f"<h2>{part}</h2>" not in shown.stdout]
        if shown.stdout.count("<svg") != 4 or shown.stdout.count("</svg>") != 4:
            problems.append("not four drawings")
        # What a browser has to mend in a page, it moves: the text between tags stays in its order only where none is wrong.
        plain = [re.sub(r"<[^>]*>|\s", "", text) for text in (page.read_text(encoding="utf-8"), shown.stdout)]
        if plain[0] != plain[1]:
            problems.append("the browser has mended the page")
        problems += re.findall(r".*CONSOLE.*", shown.stderr)
        if not paper.read_bytes().startswith(b"%PDF"):
            problems.append("nothing printed")
        sys.exit("\n".join(problems) or 0)


main()
