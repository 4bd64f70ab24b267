#!/usr/bin/env python3
"""Do supersteps over real sockets take as long as is predicted for nine of ten? Runs ready programs of many supersteps
over pretended networks, records each, and counts.

    benchmarks/lbsp/intervals.py BUILD/bin [-n 4]
"""
import argparse
import pathlib
import tempfile

from commands import called

NETWORKS = ("rtt=20ms,loss=1%,rate=100Mbit", "rtt=20ms,loss=10%,rate=100Mbit", "rtt=70ms,loss=1%,rate=20Mbit",
            "rtt=70ms,loss=10%,rate=20Mbit")
# 104 supersteps with messages of 10 and 40 kB.
PROGRAMS = (("jacobi", "--size", "257", "--iterations", "200", "--halo", "2"),
            ("jacobi", "--size", "1025", "--iterations", "200", "--halo", "2"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of lbsp")
    parser.add_argument("-n", dest="ranks", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        traces = []
        for network in NETWORKS:
            for program in PROGRAMS:
                traces.append(pathlib.Path(folder) / f"{network} {program[0]} {program[2]}")
                called([given.bin / "lbsp", "run", "-n", given.ranks, "--wan", network, "--trace", traces[-1], "--", *program,
                        "--no-verify"])
        print(called([given.bin / "interval_share", *traces]).replace(f"{folder}/", ""), end="")


main()
