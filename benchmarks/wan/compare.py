#!/usr/bin/env python3
"""lbsp, Open MPI and TCP sockets side by side on the same bed of `lbsp wan`, as root, and without a bed:

    benchmarks/wan/compare.py [--quick] [--out comparison]       all-to-all supersteps on the bed
    benchmarks/wan/compare.py --algorithms [--out comparison]    the four algorithms on the bed
    benchmarks/wan/compare.py --loopback [--out comparison]      all-to-all supersteps on this machine
    benchmarks/wan/compare.py --from comparison.json             table and figure once more

writes OUT.txt (the table, also printed), OUT.json and, where gnuplot is, OUT.svg. Described in docs/comparison.md.
"""
import os
import signal
import sys

from comparison.grid import begin, compare, show
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


def main():
    chosen = options(__doc__)
    if chosen.source:
        print(table(show(Results.load(chosen.source), chosen.source.removesuffix(".json"))), end="")
        return
    check_machine(chosen)
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
