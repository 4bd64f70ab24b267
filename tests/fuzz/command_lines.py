#!/usr/bin/env python3
"""Mutated command lines of lbsp and the ready programs: each ends in time and by itself, and one that is refused is
refused in one line. A job that ran and failed may print its report before that line.

    command_lines.py [--any-memory] FOLDER [SECONDS [SEED]]

FOLDER holds lbsp and the programs. Each command may have 4 GiB of address space; with --any-memory all that there is,
as a sanitizer needs. The seed is 1 unless given, so that a second run tries the same lines; 0 draws one. It is printed
with the first command line that misbehaves.
"""
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 60
MEMORY = 4 << 30
REPORT = rb"\Albsp: [^\n]+ on \d+ ranks? over [^\n]+\n(?:  [^\n]+\n)+"

LINES = [
    "lbsp model rho --loss 10% --copies 2 --packets 1e6 --scheme rounds --json -",
    "lbsp model speedup --packets-per-superstep n --work 4h --loss 5% --copies 2 --packet-time 80us --delay 70ms --nodes 64",
    "lbsp model speedup --workload matmul --size 32768 --nodes 65536 --flops 5e8 --packet-size 64KiB --bandwidth 17.5MB "
    "--loss 4.5% --copies 7 --delay 69ms",
    "lbsp model optimum --packets-per-superstep n2 --loss 10% --work 10h --packet-time 80us --delay 70ms --nodes 1024",
    "lbsp model table2 --json -",
    "lbsp model pmm --broadcast flat --overlap average --nodes 25 --order 20000 --element-rate 8.87e6 --flops 8.64e9 --schedule 15ms",
    "lbsp model queueing --hosts 8,8,12:1.05 --placement 4,4,4 --cpu 2400 --net 1.3 --compute-share 85% --message-law power "
    "--message 2e6,0.5 --sends 900,4000 --byte-seconds 8e-9",
    "lbsp estimate no.trace --rtt 2x --rate 50Mbit --flops 4x --model critical-path --json -",
    "lbsp trace convert no.trace --to perfetto -o no.json",
    "lbsp report no.trace -o no.html",
    "lbsp tune --loss 10% --rtt 70ms --bandwidth 100Mbit --algorithm matmul --size 4096 --max-nodes 16",
    "lbsp tune --loss 10% --rtt 70ms --bandwidth 100Mbit --algorithm own --work 4h --message 1MB --supersteps 100 --max-nodes 16",
    "lbsp probe 127.0.0.1:9 --key-file no.key --json -",
    "lbsp wan stats --name nobed",
    "lbsp wan hosts --name nobed",
    "lbsp run -n 2 --copies 2 --wan loss=1%,rtt=2ms --rate 100Mbit --datagram 1400 --peer-timeout 5s -- {bin}/fft2d --size 8",
    "lbsp run -n 2 --backend threads --json - -- {bin}/fft2d --size 8",
    "matmul --size 16 --seed 3 --verify",
    "fft2d --size 16 --seed 3 --verify",
    "jacobi --size 16 --boundary top=1,left=2 --tolerance 1e-3 --iterations 20",
    "bitonic_sort --size 100 --seed 1 --verify",
    "dataflow fft --size 64 --pieces 4 --seed 2 --verify",
]
VALUES = ["", "-", "--", "-1", "0", "1", "3.7", "nan", "inf", "1e309", "0x10", "18446744073709551616", "1" * 400, "%s%n", "'",
          "a\nb", "\x1b[31m", "\udcff", "loss=1%,", "=", "10%%", "1e-320", "9" * 18 + "h", "1Gbit", "5TiB", "x" * 100000]


def mutated(words, chance):
    """The words after the first with a few of them changed, left out, repeated or added."""
    head, rest = words[0], list(words[1:])
    for _ in range(chance.randint(1, 2)):
        place = chance.randrange(len(rest)) if rest else 0
        # How many ranks are started, and which program, stays as it is.
        if rest and (rest[place - 1] == "-n" or "/" in rest[place] or rest[place] == "-n"):
            continue
        deed = chance.randrange(5)
        if deed == 0 and rest:
            rest[place] = chance.choice(VALUES)
        elif deed == 1 and rest:
            del rest[place]
        elif deed == 2 and rest:
            rest.insert(place, rest[place])
        elif deed == 3:
            rest.insert(place, chance.choice(VALUES))
        elif rest and rest[place]:
            at = chance.randrange(len(rest[place]))
            rest[place] = rest[place][:at] + chance.choice(["", "-", "9", "\x7f", "e"]) + rest[place][at + 1:]
    return [head] + [word.replace("\0", "") for word in rest]


def set_limits(memory):
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, folder, memory):
    """(exit code, standard error), the code None if it had to be killed."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True, preexec_fn=lambda: set_limits(memory))
    try:
        errors = process.communicate(timeout=LIMIT_SECONDS)[1]
        return process.returncode, errors
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[1]


def complaint(code, errors):
    """What is wrong with such an end; empty if nothing is."""
    if code is None:
        return f"it does not end within {LIMIT_SECONDS} s"
    if code < 0 or code > 128:
        return f"it ends by signal {-code if code < 0 else code - 128}"
    if code == 0:
        return ""
    if not re.fullmatch(rb"lbsp: [^\n]+\n", re.sub(REPORT, b"", errors)):
        return "it is not refused in one line that begins with lbsp:"
    if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", errors):
        return "its error has bytes that a terminal acts upon"
    return ""


def main():
    arguments = [word for word in sys.argv[1:] if word != "--any-memory"]
    memory = MEMORY if arguments == sys.argv[1:] else resource.RLIM_INFINITY
    binaries = os.path.abspath(arguments[0])
    seconds = float(arguments[1]) if len(arguments) > 1 else 30
    seed = int(arguments[2]) if len(arguments) > 2 else 1
    seed = seed or random.randrange(1, 1 << 32)
    chance = random.Random(seed)
    end = time.monotonic() + seconds
    tried = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            words = mutated(chance.choice(LINES).format(bin=binaries).split(), chance)
            code, errors = run([os.path.join(binaries, words[0])] + words[1:], folder, memory)
            tried += 1
            refused += code != 0
            wrong = complaint(code, errors)
            if wrong:
                shown = [word if len(word) < 500 else word[:20] + "…" for word in words]
                print(f"seed {seed}, command {tried}: {shown!r}: {wrong}; exit code {code}, {errors[:300]!r}")
                return 1
    print(f"seed {seed}: {tried} command lines, {refused} refused, each in one line")
    return 0 if refused else 1


if __name__ == "__main__":
    sys.exit(main())
