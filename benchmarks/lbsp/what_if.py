#!/usr/bin/env python3
"""Does lbsp estimate tell what a run takes on another network? Records the ready programs on one pretended network,
estimates them on another, and runs them there; with --grown, on more ranks too.

    benchmarks/lbsp/what_if.py BUILD/bin [--runs 5] [-n 4] [--grown]
"""
import argparse
import json
import pathlib
import statistics
import tempfile

from commands import called

RECORDED = "rtt=20ms,loss=1%,rate=100Mbit"
OTHER = {"rtt": "70ms", "loss": "10%", "rate": "20Mbit"}
PROGRAMS = (
    ("matmul", "--size", "1024"),
    ("fft2d", "--size", "512"),
    ("bitonic_sort", "--size", "262144"),
    ("jacobi", "--size", "257", "--iterations", "200", "--halo", "8"),
)
GROWN = {"matmul": 9}  # which runs on squares; the others on 8


def estimate(lbsp, trace, *more):
    other = [word for key, value in OTHER.items() for word in (f"--{key}", value)]
    answer = json.loads(called([lbsp, "estimate", trace, "--model", "lbsp", "--json", "-", *other, *more]))
    return answer["estimates"][0]


def measured(lbsp, ranks, program):
    wan = ",".join(f"{key}={value}" for key, value in OTHER.items())
    report = json.loads(called([lbsp, "run", "-n", ranks, "--wan", wan, "--json", "-", "--", *program, "--no-verify"]))
    return report["seconds"]["total"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of lbsp")
    parser.add_argument("--runs", type=int, default=5, help="of each program on the other network")
    parser.add_argument("-n", dest="ranks", type=int, default=4, help="that are recorded")
    parser.add_argument("--grown", action="store_true", help="estimate and run 9 ranks of matmul and 8 of the others")
    given = parser.parse_args()
    lbsp = given.bin / "lbsp"
    errors = []
    within = 0
    for program in PROGRAMS:
        ranks = GROWN.get(program[0], 8) if given.grown else given.ranks
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace"
            called([lbsp, "run", "-n", given.ranks, "--wan", RECORDED, "--trace", trace, "--", *program,
                    "--no-verify"])
            found = estimate(lbsp, trace, *(["-n", ranks] if given.grown else []))
        times = [measured(lbsp, ranks, program) for _ in range(given.runs)]
        off = [found["seconds"] / time - 1 for time in times]
        errors += [abs(each) for each in off]
        within += sum(found["interval"][0] <= time <= found["interval"][1] for time in times)
        print(f"{program[0]:<13} estimated {found['seconds']:.3f} s, from {found['interval'][0]:.3f} to "
              f"{found['interval'][1]:.3f}; measured {min(times):.3f} to {max(times):.3f}, median "
              f"{statistics.median(times):.3f}; error {100 * min(off):+.1f} to {100 * max(off):+.1f} %", flush=True)
    print(f"error: median {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %; "
          f"{within} of {len(errors)} runs within the interval for nine of ten")


if __name__ == "__main__":
    main()
