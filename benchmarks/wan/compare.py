#!/usr/bin/env python3
"""All-to-all supersteps over lbsp, Open MPI and TCP sockets, side by side on the same bed of `lbsp wan`, as root:

    benchmarks/wan/compare.py [--quick] [--bin build/bin] [--out comparison]

writes OUT.txt (the table, also printed), OUT.json and, where gnuplot is, OUT.svg. Described in docs/comparison.md.
"""
import json
import os
import shutil
import signal
import sys

from comparison.bed import RATE, RTT, Bed
from comparison.options import options
from comparison.plot import plot
from comparison.problem import Problem
from comparison.report import HEAD, line
from comparison.running import run
from comparison.summary import summary


def compare(chosen, lbsp, probe):
    cells = []
    print(HEAD, flush=True)
    for hosts in chosen.hosts:
        for loss in chosen.loss:
            with Bed(lbsp, hosts, loss) as bed:
                for size in chosen.bytes:
                    runs = {carrier: [] for carrier in chosen.carriers}
                    for _ in range(chosen.repeats[0]):
                        for carrier in chosen.carriers:
                            runs[carrier].append(run(bed, probe, carrier, size, chosen))
                    for carrier in chosen.carriers:
                        asked = chosen.supersteps[0] * chosen.repeats[0]
                        cells.append(summary(hosts, loss, size, carrier, runs[carrier], asked))
                        print(line(cells[-1]), flush=True)
    return cells


def main():
    chosen = options(__doc__)
    lbsp, probe = (os.path.realpath(os.path.join(chosen.bin, name)) for name in ("lbsp", "superstep_probe"))
    for path in (lbsp, probe):
        if not os.access(path, os.X_OK):
            raise Problem(f"no command {path}: build it, or give its folder with --bin")
    if os.geteuid() != 0:
        raise Problem("virtual hosts need root: run the comparison as root, for instance with sudo")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        cells = compare(chosen, lbsp, probe)
    except KeyboardInterrupt:
        raise Problem("interrupted: the hosts are taken down")
    try:
        with open(chosen.out + ".txt", "w") as file:
            file.write("\n".join([HEAD, *map(line, cells)]) + "\n")
        with open(chosen.out + ".json", "w") as file:
            json.dump({"rtt": RTT, "rate": RATE, "limit": chosen.limit[0], "cells": cells}, file, indent=1)
    except OSError as error:
        raise Problem(f"{error.filename}: {error.strerror}: give another --out")
    if shutil.which("gnuplot"):
        plot(cells, chosen.out + ".svg")
    else:
        print("lbsp: no plot: install gnuplot-nox for it", file=sys.stderr)


try:
    main()
except Problem as problem:
    print(f"lbsp: {problem}", file=sys.stderr)
    sys.exit(1)
