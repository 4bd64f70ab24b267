#!/usr/bin/env python3
"""A superstep of two hosts with two ranks each beside one of two hosts with one rank each, in turns, where as many bytes go
between the hosts: four messages for one of four times their size. The messages within a host come on top. Needs root.

    benchmarks/lbsp/mixed_world.py build/bin [--runs 3] [--supersteps 100] [--wan SPEC] [--lbsp-options '--rate 100Mbit']

docs/benchmarks/one_machine.md says how to read the table.
"""
import argparse
import os
import pathlib
import shlex
import statistics
import tempfile

from commands import Bed, called

RANKS_OF_A_HOST = 2
SIZES = {"4 KiB": 1 << 12, "64 KiB": 1 << 16, "1 MiB": 1 << 20}
TO_BEGIN_WITH = 10  # supersteps that are not timed


class Jobs:
    def __init__(self, arguments, bed, folder):
        self.arguments, self.bed, self.folder = arguments, bed, pathlib.Path(folder)

    def seconds(self, slots, message_bytes):
        """The mean of a run's supersteps."""
        hosts = self.folder / "hosts"
        lines = [line for line in self.bed.hosts_file.read_text().splitlines() if not line.startswith("#")]
        hosts.write_text("".join(f"{line} slots={slots}\n" for line in lines))
        times = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        binaries = pathlib.Path(self.arguments.bin).resolve()
        called([binaries / "lbsp", "run", "--hosts", hosts, "--launch-agent",
                f"{self.bed.lbsp} wan exec --shell --name {self.bed.name}", *shlex.split(self.arguments.lbsp_options), "--",
                binaries / "superstep_probe", message_bytes, self.arguments.supersteps + TO_BEGIN_WITH, times])
        # A superstep has ended when it has ended everywhere.
        ends = [max(map(float, each)) for each in zip(*(rank.read_text().split() for rank in times.iterdir()))]
        return (ends[-1] - ends[TO_BEGIN_WITH - 1]) / self.arguments.supersteps


def row(jobs, name, between_hosts):
    ratios, one, several = [], [], []
    for _ in range(jobs.arguments.runs):
        one.append(jobs.seconds(1, between_hosts))
        several.append(jobs.seconds(RANKS_OF_A_HOST, between_hosts // RANKS_OF_A_HOST**2))
        ratios.append(several[-1] / one[-1])
    cells = [f"{1e3 * statistics.median(found):.4g} ({1e3 * min(found):.4g} - {1e3 * max(found):.4g})"
             for found in (one, several)]
    print(f"| {name} | {' | '.join(cells)} | {statistics.median(several) / statistics.median(one):.3f} "
          f"({min(ratios):.3f} - {max(ratios):.3f}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of the built programs")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--supersteps", type=int, default=100, help="of a run, after the first ten")
    parser.add_argument("--wan", default="loss=10%,rtt=70ms,rate=100Mbit")
    parser.add_argument("--lbsp-options", default="--rate 100Mbit")
    arguments = parser.parse_args()
    lbsp = pathlib.Path(arguments.bin).resolve() / "lbsp"
    with Bed(lbsp, f"mixed{os.getpid()}", 2, arguments.wan) as bed, tempfile.TemporaryDirectory() as folder:
        print("| each way between the hosts | 2 ranks, ms | 4 ranks, ms | 4 : 2 |")
        print("| --- | --- | --- | --- |")
        for name, size in SIZES.items():
            row(Jobs(arguments, bed, folder), name, size)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
