#!/usr/bin/env python3
"""Supersteps and programs on one machine over lbsp and over Open MPI's shared memory, in turns, and the ratios of their
medians.

    benchmarks/one_machine/compare.py [--binaries build/bin] [--runs 3] [--quick] [--marked] [--only LABEL]

docs/benchmarks/one_machine.md says how to read the table.
"""
import argparse
import os
import re
import statistics
import subprocess

SIZES = {"empty": 0, "1 KiB": 1 << 10, "64 KiB": 1 << 16, "1 MiB": 1 << 20, "16 MiB": 1 << 24}
SUPERSTEPS = {0: 5000, 1 << 10: 3000, 1 << 16: 300, 1 << 20: 20, 1 << 24: 3}
BATCHES = 21
MPI = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "vader,self"]
ONE_PROCESSOR = ["taskset", "-c", "0"]
PROGRAMS = {
    "matmul, N = 1024": ["matmul", "--size", "1024"],
    "matmul, N = 2048": ["matmul", "--size", "2048"],
    "fft2d, N = 1024": ["fft2d", "--size", "1024"],
    "fft2d, N = 4096": ["fft2d", "--size", "4096"],
    "bitonic_sort, 2^20 keys": ["bitonic_sort", "--size", str(1 << 20)],
    "bitonic_sort, 2^24 keys": ["bitonic_sort", "--size", str(1 << 24)],
}


def carriers(binaries, ranks, before):
    """By name: the command that goes before the words of timing.hpp, and the words that go behind."""
    lbsp = [os.path.join(binaries, "lbsp"), "run", "-n", str(ranks)]
    probe = ["--", os.path.join(binaries, "supersteps_over_lbsp")]
    # Where each rank has a processor, those of Open MPI need not yield it.
    yields = ["--mca", "mpi_yield_when_idle", "1"] if ranks > 2 or before else []
    # It would give each rank a processor of its own, whatever taskset allows.
    yields += ["--bind-to", "none"] if before else []
    return {
        "lbsp queue": (lbsp + probe, ["queue"]),
        "lbsp put": (lbsp + probe, ["put"]),
        "lbsp unbuffered": (lbsp + probe, ["unbuffered"]),
        "lbsp threads": (lbsp + ["--backend", "threads"] + probe, ["unbuffered"]),
        "Open MPI": (MPI + yields + ["-n", str(ranks), os.path.join(binaries, "supersteps_over_mpi")], []),
    }


def work(size, quick, values):
    """The words of timing.hpp."""
    return [str(size), str(5 if quick else BATCHES), str(SUPERSTEPS[size]), values]


def measure(command, words):
    ended = subprocess.run(command + words, capture_output=True, text=True, timeout=300, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {ended.stderr}")
    return float(ended.stdout.split()[-1])


def row(arguments, label, ranks, before, size):
    times = {}
    words = work(size, arguments.quick, arguments.values)
    for _ in range(arguments.runs):
        for name, (command, behind) in carriers(arguments.binaries, ranks, before).items():
            times.setdefault(name, []).append(measure(before + command, words + behind))
    mpi = statistics.median(times["Open MPI"])
    cells = [f"{statistics.median(found):.3g} ({min(found):.3g}-{max(found):.3g})" for found in times.values()]
    ratios = [f"{statistics.median(times[name]) / mpi:.2f}" for name in times if name != "Open MPI"]
    print(f"| {label} | {' | '.join(cells)} | {' | '.join(ratios)} |", flush=True)


def program_row(arguments, label, words):
    """The time that the program prints of its own work, on four ranks."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "vader,self"}
    times = {"lbsp": [], "mpi": []}
    for _ in range(arguments.runs):
        for name, backend in (("lbsp", []), ("mpi", ["--backend", "mpi"])):
            command = [os.path.join(arguments.binaries, "lbsp"), "run", "-n", "4", *backend, "--",
                       os.path.join(arguments.binaries, words[0]), *words[1:], "--no-verify"]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=environment)
            times[name].append(1000 * float(re.search(r"([\d.e-]+) s,", ended.stdout).group(1)))
    cells = [f"{statistics.median(found):.3g} ({min(found):.3g}-{max(found):.3g})" for found in times.values()]
    ratio = statistics.median(times["lbsp"]) / statistics.median(times["mpi"])
    print(f"| {label} | {' | '.join(cells)} | {ratio:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default="build/bin")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="few supersteps")
    parser.add_argument("--marked", dest="values", action="store_const", const="marked", default="filled",
                        help="a superstep writes and reads two bytes of each message, not all")
    parser.add_argument("--only", help="one row by its label, such as '2, 64 KiB'")
    arguments = parser.parse_args()
    print("| ranks, bytes per pair | lbsp queue | lbsp put | lbsp unbuffered | lbsp threads | Open MPI | queue : MPI | "
          "put : MPI | unbuffered : MPI | threads : MPI |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for ranks, place, before in ((2, "", []), (4, "", []), (2, " on one processor", ONE_PROCESSOR)):
        for name, size in SIZES.items():
            label = f"{ranks}{place}, {name}"
            if arguments.only in (None, label):
                row(arguments, label, ranks, before, size)
    print("\n| program, 4 ranks | lbsp, ms | the same over Open MPI, ms | lbsp : MPI |")
    print("| --- | --- | --- | --- |")
    for label, words in PROGRAMS.items():
        if arguments.only in (None, label):
            program_row(arguments, label, words)


if __name__ == "__main__":
    main()
