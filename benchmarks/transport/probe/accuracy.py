#!/usr/bin/env python3
"""How well lbsp probe finds what it should: trials against responders behind --wan, over real UDP on this machine.

    benchmarks/transport/probe/accuracy.py [--lbsp build/bin/lbsp] [--trials 100] [--wan loss=10%,rtt=40ms,rate=100Mbit]

Prints for each figure in how many trials it was as it should be: the true loss within the interval that the
probe gives (95 % of trials are meant to), the median round trip within 5 % + 0.2 ms, the bandwidth within 10 %.
"""
import argparse
import json
import os
import re
import socket
import subprocess
import tempfile

SIZE = 1400


def parse_wan(spec):
    units = {"Mbit": 1e6 / 8, "kbit": 1e3 / 8, "Gbit": 1e9 / 8}
    parts = dict(part.split("=") for part in spec.split(","))
    value, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]+)", parts["rate"]).groups()
    return float(parts["loss"].rstrip("%")) / 100, float(parts["rtt"].removesuffix("ms")) / 1e3, float(value) * units[unit]


def free_port():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
        probe.bind(("::", 0))
        return probe.getsockname()[1]


def trial(lbsp, folder, wan, count, seed):
    port, key = free_port(), os.path.join(folder, "key")
    far = subprocess.Popen([lbsp, "probe", "--listen", str(port), "--once", "--key-file", key, "--no-compute",
                            "--wan", wan, "--seed", str(seed)], stderr=subprocess.PIPE, text=True)
    far.stderr.readline()
    near = subprocess.run([lbsp, "probe", f"127.0.0.1:{port}", "--key-file", key, "--no-compute", "--wan", wan,
                           "--seed", str(seed), "--packet-sizes", str(SIZE), "--count", str(count), "--json", "-"],
                          capture_output=True, text=True, timeout=120)
    far.wait(timeout=30)
    if near.returncode != 0:
        raise SystemExit(near.stderr)
    return json.loads(near.stdout)["pairs"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lbsp", default="build/bin/lbsp")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--wan", default="loss=10%,rtt=40ms,rate=100Mbit")
    arguments = parser.parse_args()
    loss, rtt, rate = parse_wan(arguments.wan)
    rtt += 2 * SIZE / rate  # a datagram's own time on the two links
    good = {"loss within its interval": 0, "round trip within 5 % + 0.2 ms": 0, "bandwidth within 10 %": 0}
    sums = [0.0, 0.0, 0.0]
    figures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.trials):
            for pair in trial(arguments.lbsp, folder, arguments.wan, arguments.count, seed + 1):
                low, high = pair["loss_interval"]
                median = pair["rtt"]["median"]
                good["loss within its interval"] += low <= loss <= high
                good["round trip within 5 % + 0.2 ms"] += abs(median - rtt) <= 0.05 * rtt + 0.0002
                good["bandwidth within 10 %"] += abs(pair["bandwidth"] - rate) <= 0.1 * rate
                sums = [s + x for s, x in zip(sums, (pair["loss"], median, pair["bandwidth"]))]
                figures += 1
    print(f"{arguments.trials} trials, both directions, {arguments.wan}, {arguments.count} datagrams of {SIZE} bytes")
    for name, count in good.items():
        print(f"{name:32} {count:4} of {figures}  ({100 * count / figures:.1f} %)")
    print(f"means: loss {sums[0] / figures:.4f}, round trip {sums[1] / figures * 1e3:.3f} ms (true {rtt * 1e3:.3f}), "
          f"bandwidth {sums[2] / figures * 8e-6:.2f} Mbit/s")


if __name__ == "__main__":
    main()
