#!/usr/bin/env python3
"""Times lbsp, Open MPI, TCP sockets, UDT and SRT side by side, on the same bed of `lbsp wan` (as root) or without one:

    benchmarks/wan/compare.py [--quick] [--out comparison]       all-to-all supersteps on the bed
    benchmarks/wan/compare.py --algorithms [--out comparison]    the four algorithms on the bed
    benchmarks/wan/compare.py --loopback [--out comparison]      all-to-all supersteps on this machine
    benchmarks/wan/compare.py --from comparison.json             tables and figure again, without measuring

It writes OUT.txt (the tables, also printed), OUT.json and, if gnuplot is there, OUT.svg. docs/comparison.md explains
it.
"""
import os
import signal
import subprocess
import sys

from comparison.carriers import library
from comparison.grid import begin, compare, show
from comparison.measuring import REAL_TIME
from comparison.options import options
from comparison.problem import Problem
from comparison.report import table, verdicts
from comparison.results import Results


def check_machine(chosen):
    programs = chosen.algorithms if chosen.kind == "algorithms" else ["superstep_probe"]
    for name in ["lbsp", *programs]:
        if not os.access(os.path.join(chosen.bin, name), os.X_OK):
            raise Problem(f"no command {os.path.join(chosen.bin, name)}: build it, or give its folder with --bin")
    if chosen.kind != "loopback" and os.geteuid() != 0:
        raise Problem("virtual hosts need root: run the comparison as root, for instance with sudo")
    if chosen.real_time and subprocess.run([*REAL_TIME, "true"], capture_output=True).returncode != 0:
        raise Problem("--real-time: this user or machine has no such priority: run it as root, or without")


def leave_out_absent(chosen):
    """What superstep_probe was built without."""
    if not any(map(library, chosen.carriers)):
        return
    probe = os.path.join(chosen.bin, "superstep_probe")
    built = subprocess.run([probe, "carriers"], capture_output=True, text=True, timeout=30).stdout.split()
    absent = [name for name in chosen.carriers if library(name) not in (None, *built)]
    for name in absent:
        print(f"lbsp: no {name}: superstep_probe was built without its library", file=sys.stderr)
    chosen.carriers = [name for name in chosen.carriers if name not in absent]
    if not chosen.carriers:
        raise Problem("no carrier is left: choose others, or install what is missing and build again")


def main():
    chosen = options(__doc__)
    if chosen.source:
        print(table(show(Results.load(chosen.source), chosen.source.removesuffix(".json"))), end="")
        return
    check_machine(chosen)
    leave_out_absent(chosen)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results = begin(chosen)
    try:
        compare(chosen, results)
    except KeyboardInterrupt:
        raise Problem(f"interrupted: {len(results.runs)} runs are in {results.path}: go on with --resume")
    for verdict in verdicts(show(results, chosen.out)):
        print(verdict, flush=True)


try:
    main()
except Problem as problem:
    print(f"lbsp: {problem}", file=sys.stderr)
    sys.exit(1)
