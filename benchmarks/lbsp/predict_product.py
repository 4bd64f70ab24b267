#!/usr/bin/env python3
"""Does the model of Fox's product tell the time of other orders? Runs `matmul --algorithm fox` on 4 and on 9 hosts of a
bed, calibrates the model with three orders by `lbsp model pmm --runs`, and compares what it then says of the others
with the runs, beside lossy BSP's prediction. Needs root, for lbsp wan.

    benchmarks/lbsp/predict_product.py BUILD/bin [--repeats 5] [--wan rtt=20ms,loss=1%,rate=20Mbit] [--ranks 4] [--quick]
"""
import argparse
import json
import os
import pathlib
import statistics
import tempfile

from commands import Bed, called

BED = "predict-product"
# Multiples of the mesh's side, from 256 to 2048; the model is calibrated with three.
ORDERS = {
    4: {"calibrated": (384, 1024, 2048), "others": (256, 512, 640, 768, 1280, 1536, 1792)},
    9: {"calibrated": (384, 1026, 2046), "others": (258, 513, 639, 768, 1281, 1536, 1791)},
}
QUICK = {4: {"calibrated": (384, 1024, 2048), "others": (640, 1536)}}


class Products(Bed):
    """Runs on a bed, a rank on each host."""

    def __init__(self, lbsp, hosts, wan):
        super().__init__(lbsp, BED, hosts, wan)

    def run(self, rate, order, trace):
        # A rank is a process of its own on a host of its own: it computes with one thread.
        called([self.lbsp, "run", "--hosts", self.hosts_file, "--launch-agent",
                f"{self.lbsp} wan exec --name {BED} --shell", "--rate", rate, "--trace", trace, "--", "matmul",
                "--algorithm", "fox", "--size", order, "--no-verify"], env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})


def fitted(lbsp, traces, *more):
    return json.loads(called([lbsp, "model", "pmm", "--runs", ",".join(map(str, traces)), "--json", "-", *more]))


def record(bed, rate, orders, repeats, folder):
    """By order: its traces. The orders take turns, so that what else the machine does meets all of them."""
    traces = {order: [] for order in orders}
    for repeat in range(repeats):
        for order in orders:
            trace = folder / f"{order}-{repeat}.trace"
            bed.run(rate, order, trace)
            traces[order].append(trace)
    return traces


def seconds_of(lbsp, trace):
    """Of the product alone, as measured."""
    answer = json.loads(called([lbsp, "estimate", trace, "--model", "pmm", "--json", "-"]))
    return answer["estimates"][0]["product"]["measured"]


def by_time(lbsp, traces):
    """By order: pairs of seconds and trace, the shortest first."""
    return {order: sorted((seconds_of(lbsp, trace), trace) for trace in each) for order, each in traces.items()}


def show(lbsp, runs, orders):
    """Prints a line for each order; returns the errors of both predictions for those not calibrated with, and whether each
    is within what the calibration says of nine of ten."""
    middle = {order: each[len(each) // 2] for order, each in runs.items()}
    calibrated = [middle[order][1] for order in orders["calibrated"]]
    errors = {"pmm": [], "lossy": []}
    within = []
    for order in sorted(runs):
        said = fitted(lbsp, calibrated, "--order", order)
        measured, _ = middle[order]
        off = {"pmm": said["total"] / measured - 1, "lossy": said["lossy_bsp"] / measured - 1}
        known = order in orders["calibrated"]
        if not known:
            for model, error in off.items():
                errors[model].append(abs(error))
            within.append(said["interval"][0] <= measured <= said["interval"][1])
        print(f"  {order:>5}{'*' if known else ' '} measured {measured:.3f} s ({runs[order][0][0]:.3f} to "
              f"{runs[order][-1][0]:.3f}), pmm {said['total']:.3f} s ({said['interval'][0]:.3f} to {said['interval'][1]:.3f}), "
              f"{100 * off['pmm']:+.1f} %; lossy BSP "
              f"{said['lossy_bsp']:.3f} s, {100 * off['lossy']:+.1f} %", flush=True)
    said = fitted(lbsp, calibrated)
    print(f"  calibrated: {said['element_rate'] * 64 / 1e6:.1f} Mbit/s, {said['flops'] / 1e9:.2f} GFlop/s of a rank, "
          f"start-up {1e3 * said['startup']:.1f} ms")
    return errors, within


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of lbsp")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each order, of which the median counts")
    parser.add_argument("--wan", default="rtt=20ms,loss=1%,rate=20Mbit")
    parser.add_argument("--ranks", type=int, choices=sorted(ORDERS), help="on so many only; 4 and 9 otherwise")
    parser.add_argument("--quick", action="store_true", help="4 hosts and five orders only")
    given = parser.parse_args()
    lbsp = given.bin.resolve() / "lbsp"
    rate = dict(word.split("=") for word in given.wan.split(",")).get("rate", "100Mbit")
    total = {"pmm": [], "lossy": []}
    inside = []
    for hosts, orders in (QUICK if given.quick else ORDERS).items():
        if given.ranks not in (None, hosts):
            continue
        print(f"{hosts} ranks, {given.wan}, load {os.getloadavg()[0]:.1f} before; * calibrated with", flush=True)
        with tempfile.TemporaryDirectory() as folder, Products(lbsp, hosts, given.wan) as bed:
            every = sorted(orders["calibrated"] + orders["others"])
            traces = record(bed, rate, every, given.repeats, pathlib.Path(folder))
            errors, within = show(lbsp, by_time(lbsp, traces), orders)
        inside += within
        for model, each in errors.items():
            total[model] += each
        print(f"  {hosts} ranks, error in the median: pmm {100 * statistics.median(errors['pmm']):.1f} %, lossy BSP "
              f"{100 * statistics.median(errors['lossy']):.1f} %", flush=True)
    for model, name in (("pmm", "pmm"), ("lossy", "lossy BSP")):
        print(f"{name}: error of the {len(total[model])} predicted: median "
              f"{100 * statistics.median(total[model]):.1f} %, worst {100 * max(total[model]):.1f} %")
    print(f"pmm: {sum(inside)} of the {len(inside)} predicted within the interval of nine of ten")


if __name__ == "__main__":
    main()
