"""One run of a task over a carrier: what is started, and what it has measured."""
import json
import os
import re
import tempfile

from . import running
from .bed import Bed, Here
from .carriers import ON_THE_BED, ON_THIS_MACHINE, Job
from .tasks import programs

WARM_UP = 2  # supersteps that are made but not counted
REAL_TIME = ["chrt", "--rr", "3"]  # less than the bed's router has
LAUNCH_MARGIN = 5.0  # seconds that lbsp run waits longer for its ranks than we do


def periods(ends):
    """The supersteps' times: they add up to the run's. Each rank's own times would not: what one rank waits for, those
    that wait for it in the next superstep would count again."""
    return [after - before for before, after in zip(ends, ends[1:])]


class Probe:
    """superstep_probe, each rank of which writes when each superstep was over for it."""

    def __init__(self, chosen, task, directory):
        self.total = chosen.supersteps + WARM_UP
        self.asked = chosen.supersteps
        self.files = [os.path.join(directory, str(rank)) for rank in range(task.hosts)]
        command = os.path.join(chosen.bin, "superstep_probe")
        self.job = Job([command, str(task.work), str(self.total), directory],
                       ["--start-timeout", f"{chosen.start_limit + LAUNCH_MARGIN:g}s"])

    def ends(self):
        """When each superstep that all ranks have ended was over for the last of them."""
        ranks = []
        for path in self.files:
            try:
                with open(path) as file:
                    ranks.append([float(line) for line in file if line.endswith("\n")])
            except FileNotFoundError:
                return []
        return [max(times) for times in zip(*ranks)]

    def begun(self):
        return all(map(os.path.exists, self.files))

    def complete(self):
        return len(self.ends()) == self.total

    def figures(self, _):
        return {"seconds": periods(self.ends()[WARM_UP - 1:])}


class Program:
    """A ready program, of which lbsp run reports the time of its slowest rank, without the start."""
    begun = None
    asked = 1

    def __init__(self, chosen, task, directory):
        self.limit = chosen.limit
        self.report = os.path.join(directory, "report.json")
        self.job = Job([os.path.join(chosen.bin, task.work), *programs(chosen)[task.work].split()],
                       ["--start-timeout", f"{chosen.start_limit:g}s", "--json", self.report])

    def complete(self):
        return False

    def figures(self, output):
        try:
            with open(self.report) as file:
                report = json.load(file)
        except FileNotFoundError:  # it did not come to its end
            return {"seconds": [], "verified": None}
        own = re.search(r" ([\d.e+-]+) s,", output)  # of the algorithm alone, as the program's line says
        figures = {"seconds": [report["seconds"]["total"]], "verified": report["verified"],
                   "supersteps": report["supersteps"], "algorithm_seconds": float(own[1]) if own else None}
        if report["seconds"]["total"] > self.limit:
            figures["outcome"] = "time-out"
        return figures


def told(outcome, limits):
    """lbsp run's own words for a start that took too long, in ours."""
    return f"did not start in {limits.start:g} s" if " never started: " in outcome else outcome


def measure(chosen, task, carrier, repeat):
    """The run as it is kept."""
    seed = task.seed(chosen.seed, repeat)
    run = {"kind": task.kind, "hosts": task.hosts, "loss_percent": task.loss_percent, "work": task.work,
           "carrier": carrier, "repeat": repeat, "seed": seed}
    lbsp = os.path.join(chosen.bin, "lbsp")
    here = task.kind == "loopback"
    over = (ON_THIS_MACHINE if here else ON_THE_BED)[carrier]
    limits = running.Limits(chosen.start_limit, chosen.limit)
    with tempfile.TemporaryDirectory(prefix="lbsp-compare-") as directory:
        work = (Program if task.is_program else Probe)(chosen, task, directory)
        run["asked"] = work.asked
        with Here(lbsp, task.hosts) if here else Bed(lbsp, task.hosts, task.loss_percent, seed) as place:
            if over.congestion and not place.set_congestion(over.congestion):
                return {**run, "outcome": "no congestion control " + over.congestion, **work.figures("")}
            priority = REAL_TIME if chosen.real_time and not over.waits_actively else []
            commands = [[*priority, *command] for command in over.commands(place, work.job)]
            ended = running.run(commands, limits, work.begun, work.complete)
        return {**run, "outcome": told(ended.outcome, limits), "start_seconds": ended.start_seconds,
                **work.figures(ended.output)}
