#!/usr/bin/env python3
"""Does lbsp estimate leave out what else a machine does? 2 ranks compute 40 supersteps beside 0 to 8 programs that take
every processor they get. The wall time grows with them; the estimate should not.

    load_independence.py [BIN [REPEATS]]

BIN holds lbsp and computing_probe: build/bin by default. Prints medians, and the estimate against that without hogs.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from commands import called

HOGS = (0, 1, 2, 4, 8)
SUPERSTEPS, ITERATIONS, BYTES = "40", "10000000", str(256 << 10)


def measure(binaries, hogs):
    """(wall time, estimate) of one run, seconds."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(hogs)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace")
            called([binaries / "lbsp", "run", "-n", "2", "--backend", "threads", "--trace", trace, "--",
                    binaries / "computing_probe", SUPERSTEPS, ITERATIONS, BYTES])
            answer = called([binaries / "lbsp", "estimate", trace, "--model", "critical-path", "--json", "-"])
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    found = json.loads(answer)
    return found["measured"], found["estimates"][0]["seconds"]


def main():
    binaries = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    found = {hogs: [] for hogs in HOGS}
    for _ in range(repeats):
        for hogs in HOGS:
            found[hogs].append(measure(binaries, hogs))
    alone = statistics.median(estimate for _, estimate in found[0])
    print(f"{'hogs':>4} {'wall s':>8} {'estimate s':>11} {'(from .. to)':>15} {'of none':>8}")
    for hogs, runs in found.items():
        estimates = [estimate for _, estimate in runs]
        median = statistics.median(estimates)
        print(f"{hogs:>4} {statistics.median(wall for wall, _ in runs):8.3f} {median:11.4f} "
              f"{min(estimates):7.4f} {max(estimates):7.4f} {100 * (median / alone - 1):+7.1f} %")


if __name__ == "__main__":
    main()
