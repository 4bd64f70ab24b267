#!/usr/bin/env python3
"""Does the closed network of queues tell what a program takes at other placements? Runs `fft2d` on 1 to 8 ranks in many
placements over four virtual hosts, calibrates the model with three of them by `lbsp model queueing --runs`, and
compares what it then says of the others with the runs. Ends with the number of ranks on each host beyond which more do
not pay. The hosts share the cores of this machine, as the model is told. Needs root, for lbsp wan.

    benchmarks/lbsp/predict_placement.py BUILD/bin [--repeats 5] [--size 1024] [--wan rtt=20ms,loss=1%,rate=20Mbit]
        [--cores 1]
"""
import argparse
import json
import os
import pathlib
import statistics
import tempfile

from commands import Bed, called

BED = "predict-placement"
CALIBRATED = ((2, 0, 0, 0), (2, 2, 0, 0), (2, 2, 2, 2))
OTHERS = ((1, 0, 0, 0), (4, 0, 0, 0), (8, 0, 0, 0), (1, 1, 0, 0), (2, 1, 0, 0), (3, 1, 0, 0), (3, 3, 0, 0),
          (4, 4, 0, 0), (6, 2, 0, 0), (1, 1, 1, 0), (2, 2, 2, 0), (1, 1, 1, 1), (3, 2, 1, 1))


class PlacedRuns(Bed):
    """Runs on a bed, by how many ranks each host has."""

    def __init__(self, lbsp, hosts, wan):
        super().__init__(lbsp, BED, hosts, wan)
        lines = self.hosts_file.read_text(encoding="utf-8").splitlines()
        self.hosts = [line for line in lines if line and not line.startswith("#")]

    def run(self, given, placement, trace):
        hosts = trace.with_suffix(".hosts")
        hosts.write_text("".join(f"{host} slots={ranks}\n" for host, ranks in zip(self.hosts, placement) if ranks),
                         encoding="utf-8")
        called([self.lbsp, "run", "--hosts", hosts, "--launch-agent", f"{self.lbsp} wan exec --name {BED} --shell",
                "--rate", given.rate, "--shared-memory", "on", "--trace", trace, "--", "fft2d", "--size", given.size,
                "--no-verify"])


def record(bed, given, folder):
    """By placement: its traces. The placements take turns, so that what else the machine does meets all of them."""
    traces = {placement: [] for placement in CALIBRATED + OTHERS}
    for repeat in range(given.repeats):
        for placement, each in traces.items():
            each.append(folder / f"{'-'.join(map(str, placement))}-{repeat}.trace")
            bed.run(given, placement, each[-1])
    return traces


def seconds_of(trace):
    """From the start to the end of the slowest rank."""
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    return max(line["seconds"]["total"] for line in lines if line["superstep"] is None)


def asked(given, traces, reading, *more):
    return json.loads(called([given.lbsp, "model", "queueing", "--runs", ",".join(map(str, traces)), "--shared-cores",
                              given.cores, "--reading", reading, "--json", "-", *more]))


def named(placement):
    return ",".join(str(ranks) for ranks in placement)


def show(given, runs, reading):
    """Prints a line for each placement; returns the errors for those not calibrated with."""
    middle = {placement: each[len(each) // 2] for placement, each in runs.items()}
    calibrated = [middle[placement][1] for placement in CALIBRATED]
    errors = []
    within = []
    for placement in runs:
        answer = asked(given, calibrated, reading, "--placement", named(placement))
        said = answer["seconds"]
        off = said / middle[placement][0] - 1
        known = placement in CALIBRATED
        if not known:
            errors.append(abs(off))
            if answer["interval"] is not None:
                within.append(answer["interval"][0] <= middle[placement][0] <= answer["interval"][1])
        seconds = [each for each, _ in runs[placement]]
        print(f"  {named(placement)}{'*' if known else ' '} measured {middle[placement][0]:.3f} s ({seconds[0]:.3f} to "
              f"{seconds[-1]:.3f}), {reading} {said:.3f} s, {100 * off:+.1f} %", flush=True)
    said = asked(given, calibrated, reading)
    each = said["by_processes_each"]
    print(f"  {reading}: K_cpu {said['cpu']:.3f} s, K_net {said['net']:.2f}; error of the {len(errors)} predicted: "
          f"mean {100 * statistics.mean(errors):.1f} %, median {100 * statistics.median(errors):.1f} %, worst "
          f"{100 * max(errors):.1f} %")
    if within:
        print(f"  {reading}: {sum(within)} of the {len(within)} predicted within the interval of nine of ten")
    print(f"  on all hosts 1, 2, … ranks take {', '.join(f'{seconds:.3f}' for seconds in each)} s: more than "
          f"{each.index(min(each)) + 1} on each do not pay", flush=True)
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of lbsp")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each placement, of which the median counts")
    parser.add_argument("--size", type=int, default=1024, help="of the grid of fft2d")
    parser.add_argument("--wan", default="rtt=20ms,loss=1%,rate=20Mbit")
    parser.add_argument("--cores", type=int, default=os.cpu_count(),
                        help="how many ranks compute at full speed here: fewer than all processors where memory is slow")
    given = parser.parse_args()
    given.lbsp = given.bin.resolve() / "lbsp"
    given.rate = dict(word.split("=") for word in given.wan.split(",")).get("rate", "100Mbit")
    print(f"fft2d --size {given.size}, {given.wan}, {given.cores} cores, load {os.getloadavg()[0]:.1f} before; "
          "* calibrated with", flush=True)
    with tempfile.TemporaryDirectory() as folder, PlacedRuns(given.lbsp, 4, given.wan) as bed:
        traces = record(bed, given, pathlib.Path(folder))
        runs = {placement: sorted((seconds_of(trace), trace) for trace in each) for placement, each in traces.items()}
        for reading in ("ld", "supersteps"):
            show(given, runs, reading)
    print(f"load {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
