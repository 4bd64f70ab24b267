"""Checks that docs/messages.md lists every message that the sources can print, and that docs/troubleshooting.md speaks of
none that they cannot. With --write, makes the list.

    tests/docs/messages_test.py . --write
"""
import pathlib
import re
import sys

import messages

PAGE = "docs/messages.md"
GUIDE = "docs/troubleshooting.md"
HEAD = """# Messages

With this page you can look up a message of lbsp by the words on your screen, with … for what varies: names, numbers,
and reasons that the system gives. [troubleshooting.md](troubleshooting.md) says more of those that are met most often.

An error is one line, `lbsp: what is wrong: what to do`. A message here that says only one of the two stands inside
another: it is the reason that a longer line gives, or what is to be done about the place that it names. Messages of
several parts of lbsp stand in each of them.
"""
# By the folders that the messages come from: the longest that fits counts.
SECTIONS = {
    "Starting a job": ("Of `lbsp run` before the program runs, and of what is given to it. [running.md](running.md), "
                       "[hosts.md](hosts.md).", ["tools/launch", "tools/uv", "tools/lbsp.cpp"]),
    "Checking hosts": ("Of `lbsp hosts check`. [hosts.md](hosts.md).", ["tools/check"]),
    "Between the launcher and the ranks": ("Most of these mean that files of two builds have met.", ["lbsp/job"]),
    "The network and the hosts during a run": ("[protocol.md](protocol.md), [hosts.md](hosts.md#ports-and-firewalls).",
                                               ["transport"]),
    "What a program does": ("Of calls in C++. [programming.md](programming.md).", ["lbsp"]),
    "What a C program does": ("Of calls of `bsp.h`. [bsplib.md](bsplib.md).", ["lbsp/bsplib"]),
    "Graphs of tasks": ("[dataflow.md](dataflow.md).", ["lbsp/dataflow"]),
    "Algorithms and ready programs": ("[algorithms.md](algorithms.md).", ["algorithms", "tools/programs"]),
    "Numbers, files and output": ("Of all commands.", ["tools/command_line", "transport/quantity.cpp",
                                                       "transport/impairment"]),
    "Measuring": ("Of `lbsp probe`. [probing.md](probing.md).", ["tools/probe", "transport/probe"]),
    "Profiles, tuning and models": ("Of `lbsp tune`, `lbsp model` and profiles. [profile.md](profile.md), "
                                    "[tuning.md](tuning.md), [model.md](model.md).",
                                    ["tools/profile", "tools/tune", "tools/model_command", "model"]),
    "Traces and estimates": ("Of `lbsp trace`, `report`, `estimate` and `watch`. [trace.md](trace.md), "
                             "[watching.md](watching.md).",
                             ["tools/trace_file", "tools/trace_command", "tools/report", "tools/estimate",
                              "tools/calibration", "tools/watch"]),
    "Virtual hosts": ("Of `lbsp wan`. [wan.md](wan.md).", ["tools/wan"]),
    "Building": ("Of the scripts in `tools/` and of the compiler wrappers.", ["tools/"]),
}
ADVICE = re.compile("(check|give|name|use) ")
SAMPLE = r'''
// throw Error("a comment is none: leave it");
void f(int n) {
  if (n < 0) throw UsageError(fmt::format("{} ranks are " "too {:.1f} few: give {} more", n, 1., n));
  if (n > 9) throw std::invalid_argument("a share of " + std::to_string(n) + ": give less");
  options.add("--size", "the size: give a number of rows");
  return fmt::format("host '{}' is asleep: wake it {{up}}", n);
}
'''
OF_SAMPLE = ["… ranks are too … few: give … more", "a share of …: give less", "host '…' is asleep: wake it {up}"]


def section_of(name):
    folders = [(folder, title) for title, (_, folders) in SECTIONS.items() for folder in folders if
               name == folder or name.startswith(folder if folder.endswith("/") else folder + "/")]
    return max(folders, key=lambda found: len(found[0]), default=(None, None))[1]


def parts(message):
    """What is wrong, and what to do: the words behind the last colon outside of quotes and brackets."""
    plain = re.sub(r"\([^()]*\)|'[^']*'|\"[^\"]*\"", lambda match: "_" * len(match[0]), message)
    colons = [match.start() for match in re.finditer("(?<=[^ ]): ", plain)]
    if colons and not messages.words(message[colons[-1]:]):  # ends with what varies
        colons = [colon for colon in colons if ADVICE.match(message[colon + 2:])]
    if colons:
        return message[:colons[-1]], message[colons[-1] + 2:]
    return ("", message) if ADVICE.match(message) else (message, "")


def cell(text):
    return f"`{text}`".replace("|", "\\|") if text else ""


def listing(found):
    """The page, made from the messages by file."""
    by_section = {title: set() for title in SECTIONS}
    for name, here in found.items():
        by_section[section_of(name)].update(here)
    lines = [HEAD]
    for title, (sentence, _) in SECTIONS.items():
        lines += [f"## {title}", "", sentence, "", "| what is wrong | what to do |", "| --- | --- |"]
        order = sorted(by_section[title], key=lambda message: (re.sub(r"[^a-z ]", "", message.lower()).strip(), message))
        lines += [f"| {cell(what)} | {cell(do)} |" for what, do in map(parts, order)]
        lines.append("")
    return "\n".join(lines)


def guide_problems(root, known):
    """Messages that the guide quotes, in code with a … or as a heading, and that the sources do not have."""
    for number, line in enumerate((root / GUIDE).read_text(encoding="utf-8").split("\n"), 1):
        for quoted in re.findall(r"`([^`]*)`", line) if line.startswith("### ") else []:
            if not any(quoted in message for message in known):
                yield f"{GUIDE}:{number}: no source prints '{quoted}': quote it as {PAGE} has it"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = messages.messages(root)
    lost = sorted(name for name in found if section_of(name) is None)
    if lost:
        print(f"no section for {', '.join(lost)}: add their folder to SECTIONS in tests/docs/messages_test.py")
        return 1
    page = listing(found)
    if sys.argv[2:] == ["--write"]:
        (root / PAGE).write_text(page, encoding="utf-8")
    known = {message for here in found.values() for message in here}
    problems = [] if list(messages.messages_of_code(SAMPLE)) == OF_SAMPLE else ["the sample's messages are not found"]
    if (root / PAGE).read_text(encoding="utf-8") != page:
        problems.append(f"{PAGE} is not what the sources print: make it by tests/docs/messages_test.py . --write")
    problems += guide_problems(root, known)
    problems += [f"'{message}' would be printed as 'lbsp: {message}': name lbsp once"
                 for message in sorted(known) if message.startswith("lbsp ")]
    print("\n".join(problems) or f"{len(known)} messages: all are listed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
