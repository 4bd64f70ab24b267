#!/usr/bin/env python3
"""All-to-all supersteps over lbsp, Open MPI and TCP sockets, side by side on the same bed of `lbsp wan`, as root:

    benchmarks/wan/compare.py [--quick] [--bin build/bin] [--out comparison]

writes OUT.txt (the table, also printed), OUT.json and, where gnuplot is, OUT.svg. Described in docs/comparison.md.
"""
import argparse
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

RTT = 0.070
RATE = 100e6 / 8
WARM_UP = 2  # supersteps that are made but not counted
LBSP = {
    "lbsp-auto": ["--copies", "auto"],
    "lbsp-k1": ["--copies", "1"],
    "lbsp-k2": ["--copies", "2"],
    "lbsp-k3": ["--copies", "3"],
    "rounds-k2": ["--copies", "2", "--recovery", "rounds"],
    "whole-round-k2": ["--copies", "2", "--recovery", "whole-round"],
}
CARRIERS = [*LBSP, "mpi-cubic", "mpi-bbr", "tcp-cubic", "tcp-bbr"]


def fail(message):
    print(f"lbsp: {message}", file=sys.stderr)
    sys.exit(1)


def numbers(least, most, kind=int):
    def parse(text):
        values = [kind(word) for word in text.split(",")]
        if not all(least <= value <= most for value in values):
            raise ValueError
        return values
    parse.__name__ = f"list of numbers from {least} to {most}"
    return parse


def carriers(text):
    names = text.split(",")
    if not set(names) <= set(CARRIERS):
        raise argparse.ArgumentTypeError(f"use some of {','.join(CARRIERS)}")
    return names


class OneLine(argparse.ArgumentParser):
    def error(self, message):
        fail(f"{message}: see --help")


def options():
    parser = OneLine(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 hosts, 64 KiB, loss 0 and 10 %%, within 3 minutes")
    parser.add_argument("--hosts", type=numbers(2, 250), help="2,4,8")
    parser.add_argument("--bytes", type=numbers(8, 1 << 28), help="per pair: 1024,16384,65536,1048576")
    parser.add_argument("--loss", type=numbers(0, 50, float), help="in percent: 0,1,5,10,15")
    parser.add_argument("--carriers", type=carriers, default=CARRIERS, help=",".join(CARRIERS))
    parser.add_argument("--supersteps", type=numbers(1, 1_000_000), help="timed in each run (50; quick 20)")
    parser.add_argument("--repeats", type=numbers(1, 1000), help="interleaved runs of each cell (3; quick 1)")
    parser.add_argument("--limit", type=numbers(0.1, 86400, float), help="seconds for each run (60; quick 6)")
    parser.add_argument("--bin", default="build/bin", help="where lbsp and superstep_probe are")
    parser.add_argument("--out", default="comparison", help="what the files' names begin with")
    chosen = parser.parse_args()
    quick = {"hosts": [4], "bytes": [65536], "loss": [0.0, 10.0], "supersteps": [20], "repeats": [1], "limit": [6.0]}
    full = {"hosts": [2, 4, 8], "bytes": [1024, 16384, 65536, 1 << 20], "loss": [0.0, 1.0, 5.0, 10.0, 15.0],
            "supersteps": [50], "repeats": [3], "limit": [60.0]}
    for name, value in (quick if chosen.quick else full).items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)
    return chosen


class Bed:
    """Virtual hosts, there from the beginning to the end of a with."""

    def __init__(self, lbsp, hosts, loss):
        self.lbsp, self.hosts, self.loss = lbsp, hosts, loss
        self.name = f"compare-{os.getpid()}"
        self.hosts_file = f"/run/lbsp-wan/{self.name}/hosts"

    def __enter__(self):
        network = f"loss={self.loss:g}%,rtt={RTT * 1e3:g}ms,rate={RATE * 8 / 1e6:g}Mbit"
        up = subprocess.run([self.lbsp, "wan", "up", "--name", self.name, "-n", str(self.hosts), "--wan", network],
                            capture_output=True, text=True)
        if up.returncode != 0:
            self.__exit__()
            fail((up.stderr.strip().splitlines() or ["lbsp: no bed: see lbsp wan up"])[-1].removeprefix("lbsp: "))
        return self

    def __exit__(self, *_):
        subprocess.run([self.lbsp, "wan", "down", "--name", self.name], capture_output=True)

    def on(self, host, *command):
        return [self.lbsp, "wan", "exec", "--name", self.name, f"h{host}", "--", *command]

    def agent(self, shell=""):
        return f"{self.lbsp} wan exec --name {self.name} {shell}".strip()

    def set_congestion(self, name):
        """By the hosts' routes: as a namespace's default the kernel takes only what the whole machine allows."""
        change = f'ip route replace $(ip route show dev wan0 | sed "s/congctl [a-z]*//") dev wan0 congctl {name}'
        return all(subprocess.run(self.on(host, "sh", "-c", change), capture_output=True).returncode == 0
                   for host in range(self.hosts))

    def addresses(self):
        return ",".join(f"198.18.0.{host + 1}" for host in range(self.hosts))


def commands(bed, probe, carrier, arguments):
    """What starts the ranks, as commands that run at the same time."""
    if carrier in LBSP:
        return [[bed.lbsp, "run", "--hosts", bed.hosts_file, "--launch-agent", bed.agent(), "--rate",
                 f"{RATE * 8 / 1e6:g}Mbit", *LBSP[carrier], "--", probe, *arguments]]
    family, congestion = carrier.split("-")
    if family == "mpi":
        return [bed.on(0, "env", "OMPI_MCA_btl=tcp,self", bed.lbsp, "run", "--backend", "mpi", "--hosts",
                       bed.hosts_file, "--launch-agent", bed.agent("--shell"), "--", probe, *arguments)]
    return [bed.on(rank, probe, *arguments, str(rank), bed.addresses(), congestion) for rank in range(bed.hosts)]


def end(processes):
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(bed, probe, carrier, size, chosen):
    """The seconds of the supersteps that all ranks have ended, and how the run ended."""
    if carrier.startswith("mpi-") and not bed.set_congestion(carrier[4:]):
        return [], "no congestion control " + carrier[4:]
    with tempfile.TemporaryDirectory(prefix="lbsp-compare-") as directory, tempfile.TemporaryFile("w+") as errors:
        arguments = [str(size), str(chosen.supersteps[0] + WARM_UP), directory]
        processes = []
        outcome = "done"
        try:
            for command in commands(bed, probe, carrier, arguments):
                processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                  stderr=errors, start_new_session=True))
            deadline = time.monotonic() + chosen.limit[0]
            for process in processes:
                process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            outcome = "time-out"
        finally:
            end(processes)
        if outcome == "done" and any(process.returncode != 0 for process in processes):
            errors.seek(0)
            said = [line for line in errors.read().splitlines() if line.startswith("lbsp: ")]
            outcome = "failed: " + (said[0].removeprefix("lbsp: ") if said else "see it by hand")
        ranks = []
        for rank in range(bed.hosts):
            try:
                with open(os.path.join(directory, str(rank))) as file:
                    ranks.append([float(line) for line in file if line.endswith("\n")])
            except FileNotFoundError:
                ranks.append([])
        return [max(times) for times in zip(*ranks)][WARM_UP:], outcome


def summary(hosts, loss, size, carrier, runs, asked):
    times = sorted(t for seconds, _ in runs for t in seconds)
    bound = RTT / 2 + (hosts - 1) * size / RATE / (1 - loss / 100)
    outcomes = [outcome for _, outcome in runs if outcome != "done"]
    cell = {"hosts": hosts, "loss": loss / 100, "bytes": size, "carrier": carrier, "bound": bound,
            "supersteps": len(times), "asked": asked, "outcome": outcomes[0] if outcomes else "done",
            "median": None, "p99": None, "ratio": None, "run_medians": [statistics.median(s) for s, _ in runs if s]}
    if times:
        cell["median"] = statistics.median(times)
        cell["p99"] = times[math.ceil(0.99 * len(times)) - 1]
        cell["ratio"] = cell["median"] / bound
    return cell


HEAD = f"{'n':>3} {'loss':>5} {'bytes':>8}  {'carrier':<15} {'median':>10} {'p99':>10} {'/bound':>7}  supersteps"


def line(cell):
    def milliseconds(value):
        return "-" if value is None else f"{value * 1e3:.1f} ms"
    ratio = "-" if cell["ratio"] is None else f"{cell['ratio']:.2f}"
    text = (f"{cell['hosts']:>3} {cell['loss'] * 100:>4g}% {cell['bytes']:>8}  {cell['carrier']:<15} "
            f"{milliseconds(cell['median']):>10} {milliseconds(cell['p99']):>10} {ratio:>7}  "
            f"{cell['supersteps']} of {cell['asked']}")
    return text if cell["outcome"] == "done" else f"{text}, {cell['outcome']}"


def plot(cells, path):
    """The ratio to the bound against loss, a panel for each size and number of hosts."""
    panels = sorted({(cell["hosts"], cell["bytes"]) for cell in cells})
    columns = math.ceil(math.sqrt(len(panels)))
    rows = math.ceil(len(panels) / columns)
    losses = [cell["loss"] * 100 for cell in cells]
    script = [f"set terminal svg size {480 * columns},{360 * rows}", f"set output '{path}'",
              f"set multiplot layout {rows},{columns}", "set logscale y",
              f"set xrange [{min(losses) - 1:g}:{max(losses) + 1:g}]", "set xlabel 'loss (%)'",
              "set ylabel 'median / bound'", "set key left top font ',8'"]
    for hosts, size in panels:
        curves = {}
        for cell in cells:
            if (cell["hosts"], cell["bytes"]) == (hosts, size) and cell["ratio"] is not None:
                curves.setdefault(cell["carrier"], []).append(f"{cell['loss'] * 100:g} {cell['ratio']:g}")
        if not curves:
            continue
        script.append(f"set title '{hosts} hosts, {size} bytes per pair'")
        for index, points in enumerate(curves.values()):
            script.append("\n".join([f"$c{index} << EOD", *points, "EOD"]))
        script.append("plot " + ", ".join(f"$c{index} with linespoints title '{name}'"
                                          for index, name in enumerate(curves)))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


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
    chosen = options()
    lbsp, probe = (os.path.realpath(os.path.join(chosen.bin, name)) for name in ("lbsp", "superstep_probe"))
    for path in (lbsp, probe):
        if not os.access(path, os.X_OK):
            fail(f"no command {path}: build it, or give its folder with --bin")
    if os.geteuid() != 0:
        fail("virtual hosts need root: run the comparison as root, for instance with sudo")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        cells = compare(chosen, lbsp, probe)
    except KeyboardInterrupt:
        fail("interrupted: the hosts are taken down")
    try:
        with open(chosen.out + ".txt", "w") as file:
            file.write("\n".join([HEAD, *map(line, cells)]) + "\n")
        with open(chosen.out + ".json", "w") as file:
            json.dump({"rtt": RTT, "rate": RATE, "limit": chosen.limit[0], "cells": cells}, file, indent=1)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}: give another --out")
    if shutil.which("gnuplot"):
        plot(cells, chosen.out + ".svg")
    else:
        print("lbsp: no plot: install gnuplot-nox for it", file=sys.stderr)


main()
