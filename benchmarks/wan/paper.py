#!/usr/bin/env python3
"""Repeats the paper's experiment on virtual hosts of `lbsp wan`, as root:

    benchmarks/wan/paper.py [--quick] [--bin build/bin] [--out paper]

- It draws a network like that between the paper's PlanetLab hosts (OUT.matrix), and measures the paper's figures 1 to 3
  there with lbsp probe: loss, bandwidth and round trip against packet size (OUT-figures.csv, OUT-figures.svg).
- It measures the speedup of matmul and jacobi against the number of copies, with the paper's recovery and with lbsp's
  own, beside the models' (OUT-speedup.svg).
All tables are printed and in OUT.txt, all numbers in OUT.json. docs/experiment.md explains them.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import tempfile

from comparison.options import OneLine, number, numbers
from comparison.problem import Problem
from experiment import figures, matrix, plots, speedup
from experiment.bed import Bed, fail


def squares(text):
    values = numbers(4, 25)(text)
    if not set(values) <= {4, 9, 16, 25}:
        raise argparse.ArgumentTypeError("use some of 4,9,16,25")
    return values


def options():
    parser = OneLine(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="4 hosts, two runs of each of the two short programs: some 7 minutes")
    parser.add_argument("--part", choices=["figures", "speedup", "both"], default="both", help="do only this part")
    parser.add_argument("--hosts", type=number(2, 100), help="hosts of figures 1 to 3 (6; quick 4)")
    parser.add_argument("--sample", type=number(1, 10_000),
                        help="measure only so many of their pairs, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="seed of the network and its faults (1)")
    parser.add_argument("--ranks", type=squares, help="ranks of the programs (4,9; quick 4)")
    parser.add_argument("--copies", type=number(1, 16), default=6, help="the most copies (6)")
    parser.add_argument("--repeats", type=number(1, 100), help="interleaved runs of each (5; quick 2)")
    parser.add_argument("--limit", type=number(5, 3600), help="the most seconds for a run (60; quick 20)")
    parser.add_argument("--bin", default="build/bin", help="folder of lbsp, matmul and jacobi")
    parser.add_argument("--out", default="paper", help="beginning of the files' names")
    chosen = parser.parse_args()
    quick = {"hosts": 4, "ranks": [4], "repeats": 2, "limit": 20}
    full = {"hosts": 6, "ranks": [4, 9], "repeats": 5, "limit": 60}
    for name, value in (quick if chosen.quick else full).items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)
    return chosen


class Table:
    """Printed line by line, and kept for the file."""

    def __init__(self):
        self.lines = []

    def add(self, line=""):
        self.lines.append(line)
        print(line, flush=True)


def load():
    """Whether others use the processors, which both parts need for themselves."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def measure_figures(chosen, lbsp, folder, table):
    """Figures 1 to 3; the rows of the CSV and all for the JSON."""
    paths = matrix.draw(chosen.hosts, chosen.seed)
    with open(f"{chosen.out}.matrix", "w") as file:
        file.write(matrix.to_text(paths))
    # Large datagrams take long, for few come through.
    samples = [chosen.sample] * 2 + [chosen.sample or (2 if chosen.quick else None)] * 2
    with Bed(lbsp, ["--matrix", f"{chosen.out}.matrix", "--seed", str(chosen.seed)]) as bed:
        bed.forget_fragments()
        measured, said = figures.measure(bed, folder, chosen.hosts, samples)
        measured = figures.add_fragmented(measured, bed, chosen.hosts, 100 if chosen.quick else 300)
        router = bed.stats()
    rows = figures.beside_matrix(measured, paths)
    summaries = figures.by_size(rows)
    table.add(f"figures 1 to 3, {len(paths)} paths between {chosen.hosts} hosts, {chosen.out}.matrix; {load()}")
    table.add(figures.HEAD)
    for summary in summaries:
        table.add(figures.line(summary))
    for sentence in [*figures.beside_paper(summaries), *figures.shortcomings(said), *router]:
        table.add("  " + sentence)
    figures.write_csv(rows, f"{chosen.out}-figures.csv")
    if shutil.which("gnuplot"):
        plots.draw_figures(rows, summaries, paths, f"{chosen.out}-figures.svg")
    return {"said": said, "router": router, "sizes": summaries, "rows": rows}


def measure_speedup(chosen, lbsp, folder, table):
    cells = []
    for ranks in chosen.ranks:
        cells += speedup.measure(lbsp, folder, ranks, chosen, table)
    if shutil.which("gnuplot") and any(cell["exchange"] for cell in cells):
        plots.draw_speedup(cells, f"{chosen.out}-speedup.svg")
    return {"rtt": speedup.RTT, "loss": speedup.LOSS, "rate": speedup.RATE, "cells": cells}


def check(chosen, lbsp):
    for path in (lbsp, *(os.path.join(os.path.dirname(lbsp), name) for name in ("matmul", "jacobi"))):
        if not os.access(path, os.X_OK):
            fail(f"no command {path}: build it, or give its folder with --bin")
    if os.geteuid() != 0:
        fail("virtual hosts need root: run the experiment as root, for instance with sudo")
    if not shutil.which("gnuplot"):
        print("lbsp: no plots: install gnuplot-nox for them", file=sys.stderr)


def main():
    chosen = options()
    lbsp = os.path.realpath(os.path.join(chosen.bin, "lbsp"))
    check(chosen, lbsp)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    table, answer = Table(), {"seed": chosen.seed}
    try:
        with tempfile.TemporaryDirectory(prefix="lbsp-paper-") as folder:
            if chosen.part != "speedup":
                answer["figures"] = measure_figures(chosen, lbsp, folder, table)
            if chosen.part != "figures":
                answer["speedup"] = measure_speedup(chosen, lbsp, folder, table)
        with open(f"{chosen.out}.txt", "w") as file:
            file.write("\n".join(table.lines) + "\n")
        with open(f"{chosen.out}.json", "w") as file:
            json.dump(answer, file, indent=1)
    except KeyboardInterrupt:
        fail("interrupted: the hosts are taken down")
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}: give another --out")


try:
    main()
except Problem as problem:
    fail(problem)
