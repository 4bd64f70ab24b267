#!/usr/bin/env python3
"""The experiments of the paper on macro-dataflow that have hosts come and go, in small: a relaxation in pieces as a graph of
tasks (dataflow jacobi), ranks that join it every few levels, and one that is killed when level 17 has ended. Checks the
answer, counts the tasks that run again, and shows tasks per second before and after each event, with a plot of all runs.

    benchmarks/lbsp/dataflow_events.py build/bin                           # all cases, on this machine
    benchmarks/lbsp/dataflow_events.py build/bin --bed --plot events.png   # on virtual hosts (root)
    benchmarks/lbsp/dataflow_events.py build/bin --only "12 pieces" --runs 20

Tasks mostly sleep (--pause of dataflow), so that more ranks than processors gain as more hosts would. Where there are 12
pieces, moving one takes so long that it changes its rank only if it must, as in the vectors. --plot needs gnuplot."""

import argparse
import csv
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

from commands import Bed

HOSTS = 8
FAST = "loss=1%,rtt=4ms"
#: where moving a piece takes ten times as long as computing it
SLOW = "loss=1%,rtt=4ms,rate=100Mbit"
DIES_AFTER = 17
COLOURS = ["#332288", "#44aa99", "#cc6677", "#999933", "#882255", "#0077bb", "#ee7733"]


@dataclass(frozen=True)
class Case:
    name: str
    pieces: int
    sweeps: int
    ranks: int = 4
    size: int = 256
    wan: str = FAST
    pause: str = "5ms"
    options: tuple = ()
    #: by level: after it has ended, what happens
    events: dict = field(default_factory=dict)
    #: what the vectors say runs again, if no piece has changed its rank
    again: int = 0


CASES = [
    Case("12 pieces, 4 ranks, one is killed", 12, 40, size=1024, wan=SLOW, events={DIES_AFTER: "kill"}, again=54),
    Case("12 pieces, 4 ranks, one is killed, every 5th level twice", 12, 40, size=1024, wan=SLOW,
         options=("--replicate", "5"), events={DIES_AFTER: "kill"}, again=9),
    Case("640 tasks, 4 ranks, two join", 64, 9, pause="10ms", events={2: "join", 4: "join"}),
    Case("6400 tasks, 4 ranks, one is killed, three join, every 5th level twice", 64, 99, options=("--replicate", "5"),
         events={DIES_AFTER: "kill", 35: "join", 55: "join", 75: "join"}),
]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder of the built programs")
    parser.add_argument("--runs", type=int, default=5, help="of each case")
    parser.add_argument("--bed", action="store_true", help="one rank on each host of a bed of lbsp wan")
    parser.add_argument("--peer-timeout", default="500ms")
    parser.add_argument("--only", default="", help="the cases with these words in their name")
    parser.add_argument("--plot", type=pathlib.Path, help="draw tasks per second of the first run of each case: .svg or .png")
    return parser.parse_args()


class Job:
    """One run, watched by the file in which rank 0 tells when levels end."""

    def __init__(self, args, bed, case, folder):
        self.case, self.folder = case, pathlib.Path(folder)
        self.lbsp = args.bin.resolve() / "lbsp"
        self.timeline = self.folder / "levels.csv"
        (self.folder / "pids").mkdir()
        if bed:
            self.hosts = ["--hosts", bed.hosts_file, "--launch-agent", f"{self.lbsp} wan exec --name {bed.name} --shell"]
        else:
            self.hosts = ["--wan", case.wan]
        words = [self.lbsp, "run", "-n", case.ranks, "--on-failure", "shrink", "--peer-timeout", args.peer_timeout, "--json",
                 self.folder / "report.json", *self.hosts, "--", "sh", "-c", 'touch "$0/$$"; exec "$@"',
                 self.folder / "pids", args.bin.resolve() / "dataflow", "jacobi", "--size", case.size, "--pieces", case.pieces,
                 "--iterations", case.sweeps, "--pause", case.pause, "--timeline", self.timeline, "--verify", *case.options]
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.joining = []
        self.events = []  # when, and what

    def levels(self):
        try:
            with open(self.timeline) as file:
                return [row for row in csv.DictReader(file) if row["ranks"]]
        except FileNotFoundError:
            return []

    def await_level(self, level):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            if any(int(row["level"]) >= level for row in self.levels()):
                return
            time.sleep(0.001)
        self.fail("it does not come so far")

    def kill(self):
        """The process that was started last: never rank 0, which tells when levels end."""
        os.kill(max(int(name) for name in os.listdir(self.folder / "pids")), signal.SIGKILL)

    def join(self, joined):
        host = ["localhost"]
        if self.hosts[0] == "--hosts":
            name = f"h{self.case.ranks + joined}"
            host = [name, "--address", re.search(rf"^{name} .*address=(\S+)", self.hosts[1].read_text(), re.M)[1]]
        self.joining.append(subprocess.Popen([self.lbsp, "join", str(self.process.pid), *host], stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, text=True))

    def fail(self, why):
        self.process.kill()
        sys.exit(f"lbsp: {self.case.name}: {why}: {self.process.communicate()[1].strip()}")

    def run(self):
        joined = 0
        for level, event in sorted(self.case.events.items()):
            self.await_level(level)
            self.events.append((time.time(), event))
            if event == "kill":
                self.kill()
            else:
                self.join(joined)
                joined += 1
        self.output, errors = self.process.communicate(timeout=120)
        for process in self.joining:
            told = process.communicate()
            if process.returncode != 0:
                self.fail(f"nobody joined: {told[1].strip()}")
        if self.process.returncode != 0:
            sys.exit(f"lbsp: {self.case.name}: {errors.strip()}")
        with open(self.folder / "report.json") as file:
            self.report = json.load(file)
        return self


def ends_of(job):
    """When each level, or part of it, had ended; its tasks; those of them that ran again; and the ranks."""
    return [(float(row["seconds"]), int(row["tokens"]), int(row["again"]), int(row["ranks"])) for row in job.levels()]


def rates(ends):
    """Tasks per second of each stretch of levels with the same number of ranks, of new tasks and of all. The level in which
    the world changed belongs to none."""
    stretches = []
    for before, after in zip(ends, ends[1:]):
        if before[3] != after[3]:
            continue
        if not stretches or stretches[-1]["ranks"] != after[3] or stretches[-1]["end"] != before[0]:
            stretches.append({"ranks": after[3], "begin": before[0], "tokens": 0, "again": 0})
        stretches[-1]["end"] = after[0]
        stretches[-1]["tokens"] += after[1]
        stretches[-1]["again"] += after[2]
    for each in stretches:
        each["rate"] = each["tokens"] / (each["end"] - each["begin"])
    return stretches


def spread(values, digits=0):
    values = sorted(values)
    return f"{statistics.median(values):.{digits}f} ({values[0]:.{digits}f} to {values[-1]:.{digits}f})"


def show(case, jobs):
    right = sum(1 for job in jobs if job.report["verified"])
    again = [job.report["notes"]["dataflow"].get("tokens_again", 0) for job in jobs]
    as_told = f", {again.count(case.again)} times the {case.again} of the vectors" if case.again else ""
    print(f"{case.name} ({case.wan}): {right} of {len(jobs)} right; run again {spread(again)}{as_told}")
    for place in range(len(case.events) + 1):
        found = [rates(ends_of(job)) for job in jobs]
        there = [stretches[place] for stretches in found if place < len(stretches)]
        if there:
            print(f"    {statistics.mode(each['ranks'] for each in there)} ranks: "
                  f"{spread([each['rate'] for each in there])} tasks a second")
    still = [change["stood_still"] for job in jobs for change in job.report["changes"] if change["stood_still"] is not None]
    if still:
        print(f"    stood still for {spread(still, 3)} s", flush=True)
    return right == len(jobs)


def panel(case, job):
    """gnuplot's input: tasks per second of each level, and the events."""
    ends = ends_of(job)
    begin = ends[0][0]
    # Each level, or part of one, is a line from its beginning to its end.
    points = [(at[0] - begin, after[1] / (after[0] - before[0]))
              for before, after in zip(ends, ends[1:]) if after[0] > before[0] for at in (before, after)]
    most = 1.25 * max(rate for _, rate in points)
    lines = [f"set title '{case.name}'", f"set yrange [0:{most:g}]", "unset arrow", "unset label"]
    for place, (at, event) in enumerate(job.events):
        what = "one is killed" if event == "kill" else "one joins"
        lines.append(f"set arrow from {at - begin:g},0 to {at - begin:g},{most:g} nohead dt 2 lc rgb '#cc6677'")
        lines.append(f"set label '{what}' at {at - begin:g},{most * (0.96 - 0.06 * (place % 2)):g} offset 0.5,0 font ',9'")
    rows = "\n".join(f"{at:g} {rate:g}" for at, rate in points)
    ranks = "\n".join(f"{end[0] - begin:g} {end[3]}" for end in ends)
    return [*lines, f"$rates << EOD\n{rows}\nEOD", f"$ranks << EOD\n{ranks}\nEOD",
            "plot $rates using 1:2 with lines lw 1.5 lc rgb '#332288' title 'tasks per second', "
            "$ranks using 1:2 axes x1y2 with steps lw 1.5 lc rgb '#999933' title 'ranks'"]


def draw(first_runs, path):
    kind = "pngcairo" if path.suffix == ".png" else "svg"
    height = 260 * len(first_runs)
    lines = [f"set terminal {kind} size 900,{height} noenhanced font 'sans,11' background rgb 'white'",
             f"set output '{path}'", f"set multiplot layout {len(first_runs)},1", "set grid y lc rgb '#dddddd'",
             "set xlabel 'seconds'", "set ylabel 'tasks per second'", "set y2label 'ranks'", "set y2range [0:10]",
             "set y2tics 2", "set ytics nomirror", "set key tmargin right horizontal"]
    for case, job in first_runs:
        lines += panel(case, job)
    text = "\n".join([*lines, "unset multiplot"]) + "\n"
    drawn = subprocess.run(["gnuplot"], input=text, text=True, capture_output=True)
    if drawn.returncode != 0:
        sys.exit(f"lbsp: {path}: gnuplot failed: {drawn.stderr.strip()}")


def run_case(args, case):
    jobs = []
    for number in range(args.runs):
        with tempfile.TemporaryDirectory() as folder:
            if args.bed:
                with Bed(args.bin.resolve() / "lbsp", f"events{os.getpid()}", HOSTS, case.wan) as bed:
                    job = Job(args, bed, case, folder).run()
            else:
                job = Job(args, None, case, folder).run()
            job.kept = job.levels()
            job.levels = lambda kept=job.kept: kept
        jobs.append(job)
    return jobs


def main():
    args = parse()
    print(f"dataflow jacobi, {'bed' if args.bed else 'pretended'}; load "
          f"{os.getloadavg()[0]:.1f}", flush=True)
    well, first_runs = True, []
    for case in CASES:
        if args.only not in case.name:
            continue
        jobs = run_case(args, case)
        well = show(case, jobs) and well
        first_runs.append((case, jobs[0]))
    if args.plot:
        draw(first_runs, args.plot)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
