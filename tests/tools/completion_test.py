"""Completion offers what lbsp --help tells.

    completion_test.py SHELL SCRIPT FOLDER_OF_LBSP
"""
import os
import subprocess
import sys

CASES = (
    ("lbsp ", {"run", "probe", "tune", "model", "estimate", "report", "trace", "watch", "join", "attach", "wan"}, {"--hosts"}),
    ("lbsp r", {"run", "report"}, {"wan"}),
    ("lbsp run --re", {"--redundancy", "--repair"}, {"--hosts", "run"}),
    ("lbsp wan ", {"up", "change", "exec", "stats", "hosts", "down"}, {"run"}),
    ("lbsp wan up --w", {"--wan"}, {"--hosts"}),
    ("lbsp report --", {"--help"}, {"--size"}),  # of its example
    ("lbsp run --json fi", {"file.json"}, {"run"}),
    ("lbsp run -n 4 -- --re", set(), {"--repair"}),
)
BASH = """
source "$0"
COMP_LINE=$1
read -r -a COMP_WORDS <<<"$1"
[[ $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_lbsp
printf '%s\\n' "${COMPREPLY[@]}"
"""
# Zsh completes in its line editor only: compadd tells what it would offer.
ZSH = """
compdef() { :; }
compadd() { while [[ $1 != -- ]] { shift }; shift; print -l -- ${(M)@:#${words[CURRENT]}*} }
_describe() { print -l -- ${${(P)2}%%:*} }
_files() { print -l -- ${words[CURRENT]}*(N) }
words=(${(s: :)1})
[[ $1 == *" " ]] && words+=("")
CURRENT=${#words}
source $0
"""


def offered(shell, script, line, folder):
    command = [shell, "-c", BASH if shell.endswith("bash") else ZSH, script, line]
    found = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=found)
    return set(done.stdout.split())


def main():
    shell, script, folder = sys.argv[1:]
    for line, wanted, unwanted in CASES:
        if line.endswith("fi"):
            open("file.json", "w", encoding="utf-8").close()
        words = offered(shell, script, line, folder)
        if shell.endswith("zsh") and " -" not in line:
            # Zsh itself leaves those out that do not begin as the word does.
            words = {word for word in words if word.startswith(line.split(" ")[-1])}
        if wanted - words or unwanted & words:
            sys.exit(f"{shell}: '{line}' is completed with {sorted(words)}")


main()
