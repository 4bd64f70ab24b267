"""Does what docs/tutorial.md says, step by step, in one shell, and looks for what it says comes out:

    tutorial_test.py PAGE BIN

A listing in C++ is written to the file that the text before it names last. Every `sh` listing must end with exit code 0
and print the lines of the listing behind it, in any order, where … is whatever varies. Without root or /dev/net/tun the
virtual hosts are left out.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NEEDS_ROOT = "## Four virtual hosts"
CLEAN_UP = ["lbsp", "wan", "down", "--name", "tutorial"]
PATIENCE_S = 100


def listings(text):
    """(language, text, the file that the prose has named last) of each listing, in order."""
    named, inside, language, lines = "", False, "", []
    for line in text.split("\n"):
        if line.startswith("```"):
            if inside:
                yield language, "\n".join(lines) + "\n", named
            inside, language, lines = not inside, line[3:], []
        elif inside:
            lines.append(line)
        else:
            named = (re.findall(r"`(\w+\.cpp)`", line) or [named])[-1]


def pattern(line):
    return r"\s+".join(".*?".join(map(re.escape, word.split("…"))) for word in line.strip().split())


class Shell:
    """One bash, to which the steps are given as a reader types them."""

    def __init__(self, folder, bin_folder):
        environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}")
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, commands):
        """The exit code of the last command, and the lines that came out."""
        self.process.stdin.write(f"{{ {commands}\n}} </dev/null\necho; echo end-of-step $?\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith("end-of-step "):
                return int(line.split()[1]), lines
            lines.append(line.rstrip("\n"))
        return -1, lines

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE_S)


def problems_of(steps, folder, bin_folder):
    shell = Shell(folder, bin_folder)
    commands, printed = "", []
    for language, text, named in steps:
        if language == "cpp":
            (folder / named).write_text(text, encoding="utf-8")
        elif language == "sh":
            commands = text
            code, printed = shell.run(text)
            if code != 0:
                yield f"exit code {code} of\n{text}it printed\n" + "\n".join(printed)
        else:
            for line in text.rstrip("\n").split("\n"):
                if not any(re.search(pattern(line), seen) for seen in printed):
                    yield f"no line '{line}' from\n{commands}it printed\n" + "\n".join(printed)
    shell.end()


def main():
    page, bin_folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    text = page.read_text(encoding="utf-8")
    if NEEDS_ROOT not in text:
        print(f"no section '{NEEDS_ROOT}': mend the test")
        return 1
    has_beds = os.geteuid() == 0 and os.access("/dev/net/tun", os.R_OK | os.W_OK)
    if not has_beds:
        text = text.partition(NEEDS_ROOT)[0]
    steps = list(listings(text))
    with tempfile.TemporaryDirectory() as folder:
        try:
            problems = list(problems_of(steps, pathlib.Path(folder), bin_folder))
        finally:
            if has_beds:  # an error in the middle leaves them
                subprocess.run([bin_folder / CLEAN_UP[0], *CLEAN_UP[1:]], capture_output=True, timeout=PATIENCE_S)
    done = sum(language == "sh" for language, _, _ in steps)
    left_out = "" if has_beds else ", without the virtual hosts: they need root and /dev/net/tun"
    print("\n".join(problems) or f"{done} steps: all as the page says{left_out}")
    return 1 if problems or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
