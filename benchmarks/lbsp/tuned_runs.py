#!/usr/bin/env python3
"""Does a program take as long as lbsp tune says, and is its choice the best? For each cell (a network, a number of
hosts, a program) it asks lbsp tune, runs what that advises on a bed of virtual hosts, and compares the communication.
With --neighbours it also runs the settings next to the advised one, all taking turns. Needs root, for lbsp wan.
With --models it also says how many of the runs are within what each model's forecast says of nine of ten.
With --virtual the supersteps pass in virtual time instead, where no processor is in the way: the difference is what
this machine adds.

    benchmarks/lbsp/tuned_runs.py BUILD/bin [--network 1] [--hosts 9] [--program jacobi] [--repeats 3] [--neighbours]
                                  [--models] [--virtual]
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

from commands import Bed, called

NETWORKS = ({"loss": "5%", "rtt": "50ms", "rate": "50Mbit"}, {"loss": "1%", "rtt": "150ms", "rate": "200Mbit"})
HOSTS = (4, 9)
# What it is told on both sides: tune's words, and the program's own.
PROGRAMS = {
    "matmul": (("--size", "1536"), ("--size", "1536")),
    "bitonic_sort": (("--size", "1048576"), ("--size", "1048576")),
    "fft2d": (("--size", "1024"), ("--size", "1024")),
    "jacobi": (("--size", "2050", "--sweeps", "200"), ("--size", "2050", "--iterations", "200")),
}
BED = "tuned-runs"
MODELS = ("lbsp", "pmm", "queueing", "critical-path")


class Hosts(Bed):
    """Runs on a bed, a rank on each host."""

    def __init__(self, lbsp, hosts, network):
        super().__init__(lbsp, BED, hosts, ",".join(f"{key}={value}" for key, value in network.items()))
        self.rate = network["rate"]

    def run(self, setting, program, halo, seed):
        """The seconds of communication of the program in that setting."""
        with tempfile.TemporaryDirectory() as folder:
            return self.report(setting, program, halo, seed, pathlib.Path(folder) / "report.json")

    def report(self, setting, program, halo, seed, report):
        words = [self.lbsp, "run", "--hosts", self.hosts_file, "-n", f"{setting['nodes']:g}", "--seed", seed,
                 "--launch-agent", f"{self.lbsp} wan exec --name {BED} --shell", "--rate", self.rate,
                 "--json", report, *options_of(setting), "--", program, *PROGRAMS[program][1], "--no-verify"]
        # A rank has a host of its own: it computes with one thread.
        called(words + (["--halo", f"{halo:g}"] if halo else []), env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        return json.loads(report.read_text())["seconds"]["communicate"]


class VirtualHosts:
    """The same in virtual time: benchmarks/model/virtual_program.cpp."""

    def __init__(self, lbsp, _, network):
        self.program = lbsp.parent / "virtual_program"
        self.network = ",".join(f"{key}={value}" for key, value in network.items())
        self.round_trip = float(network["rtt"].removesuffix("ms")) / 1000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, setting, program, halo, seed):
        words = [self.program, "--network", self.network, "--nodes", f"{setting['nodes']:g}", "--seed", seed,
                 "--program", program, *PROGRAMS[program][0], *options_of(setting)]
        # tune counts half a round trip for the end of a job.
        return float(called(words + (["--halo", f"{halo:g}"] if halo else []))) + self.round_trip / 2


def options_of(setting):
    """How lbsp run is told of a setting that lbsp tune advises."""
    copies = f"{setting['copies']:g}"
    if setting["longer_copies"] is not None:
        copies += f",{setting['longer_copies']:g}"
    words = ["--copies", copies, "--datagram", f"{setting['packet_size']:g}"]
    for key in ("repair", "tail"):
        if setting[key] is not None:
            words += [f"--{key}", f"{setting[key]:g}"]
    return words


def advice(lbsp, network, program, hosts):
    return json.loads(called([lbsp, "tune", "--loss", network["loss"], "--rtt", network["rtt"], "--bandwidth",
                              network["rate"], "--algorithm", program, *PROGRAMS[program][0], "--nodes", hosts,
                              "--json", "-"]))


def interval_by(lbsp, model, network, program, advised):
    """What nine of ten take to communicate on as many nodes; None where the model does not know the program. Computing
    takes no time."""
    if model == "pmm" and program != "matmul":
        return None
    halo = ["--halo", f"{advised['halo']:g}"] if advised["halo"] else []
    return json.loads(called([lbsp, "tune", "--loss", network["loss"], "--rtt", network["rtt"], "--bandwidth",
                              network["rate"], "--algorithm", program, *PROGRAMS[program][0], "--nodes",
                              f"{advised['nodes']:g}", "--flops", "1e18", "--model", model, *halo, "--json",
                              "-"]))["interval"]


def admissible(program, hosts):
    return 8 if program == "bitonic_sort" and hosts == 9 else hosts


def name_of(setting):
    return " ".join(options_of(setting))


class Cell:
    """One program on one bed, as tune advises it and in other settings."""

    def __init__(self, bed, lbsp, network, program):
        self.bed = bed
        self.program = program
        self.network = network
        self.lbsp = lbsp
        self.own = []
        self.advised = None

    def measure(self, hosts, repeats, with_neighbours):
        """Prints a line; returns the forecast's error, and the best setting's time over the advised one's."""
        advised = advice(self.lbsp, self.network, self.program, admissible(self.program, hosts))
        settings = [advised]
        if with_neighbours:
            settings += [each for each in advised["neighbours"] if each["nodes"] == advised["nodes"]]
        times = self.take_turns(settings, advised["halo"], repeats)
        self.advised = advised
        self.own = own = times[0]
        error = advised["communication"] / statistics.median(own) - 1
        print(f"{','.join(self.network.values()):<17} {advised['nodes']:>2g} {self.program:<12} tune "
              f"{advised['communication']:.3f} s, run {statistics.median(own):.3f} ({min(own):.3f} to {max(own):.3f}), "
              f"error {100 * error:+.1f} %", flush=True)
        for setting, each in zip(settings[1:], times[1:]):
            print(f"    {setting['change']:<11} {name_of(setting)}: tune {setting['communication']:.3f} s, run "
                  f"{statistics.median(each):.3f} ({min(each):.3f} to {max(each):.3f})", flush=True)
        return error, min(map(statistics.median, times)) / statistics.median(own)

    def within(self):
        """By model: how many of the runs are within its interval, how many there are, and half of its width."""
        found = {}
        for model in MODELS:
            interval = interval_by(self.lbsp, model, self.network, self.program, self.advised)
            if interval is None:
                continue
            least, most = interval
            found[model] = (sum(least <= each <= most for each in self.own), len(self.own),
                            (most - least) / (most + least))
        return found

    def take_turns(self, settings, halo, repeats):
        """By setting: the communication in seconds of each run."""
        times = [[] for _ in settings]
        for seed in range(1, repeats + 1):
            for setting, each in zip(settings, times):
                each.append(self.bed.run(setting, self.program, halo, seed))
        return times


def cells(given):
    """The errors of the forecasts, and how much better the best neighbours are; and, by model, what Cell.within says of
    each cell."""
    lbsp = given.bin.resolve() / "lbsp"
    measured = []
    within = {model: [] for model in MODELS}
    for network in NETWORKS if given.network is None else NETWORKS[given.network - 1:given.network]:
        for hosts in HOSTS if given.hosts is None else (given.hosts,):
            with (VirtualHosts if given.virtual else Hosts)(lbsp, hosts, network) as bed:
                for program in PROGRAMS if given.program is None else (given.program,):
                    cell = Cell(bed, lbsp, network, program)
                    measured.append(cell.measure(hosts, given.repeats, given.neighbours))
                    for model, found in (cell.within() if given.models else {}).items():
                        within[model].append(found)
    return measured, within


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of lbsp")
    parser.add_argument("--network", type=int, choices=range(1, len(NETWORKS) + 1), help="only the first or the second")
    parser.add_argument("--hosts", type=int, choices=HOSTS, help="only so many")
    parser.add_argument("--program", choices=sorted(PROGRAMS), help="only this one")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each setting, of which the median counts")
    parser.add_argument("--neighbours", action="store_true", help="run the settings next to the advised one, too")
    parser.add_argument("--models", action="store_true", help="the intervals of all models, too")
    parser.add_argument("--virtual", action="store_true", help="in virtual time")
    given = parser.parse_args()
    if given.repeats < 1:
        sys.exit("lbsp: --repeats: name a number of 1 or more")
    measured, within = cells(given)
    errors = [abs(error) for error, _ in measured]
    print(f"error of {len(errors)} forecasts: median {100 * statistics.median(errors):.1f} %, worst "
          f"{100 * max(errors):.1f} %")
    for model, found in within.items():
        if found:
            inside, runs = sum(each[0] for each in found), sum(each[1] for each in found)
            print(f"{model:<13} {inside} of {runs} runs are within nine of ten ({100 * inside / runs:.1f} %), "
                  f"±{100 * statistics.median(each[2] for each in found):.1f} % wide in the median")
    if given.neighbours:
        behind = [100 * (1 / best - 1) for _, best in measured]
        print(f"the advised setting took {max(behind):.1f} % longer than its best neighbour at most, "
              f"{statistics.median(behind):.1f} % in the median")


if __name__ == "__main__":
    main()
