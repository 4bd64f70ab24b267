"""The figures of cells: all runs of a task over one carrier."""
import math
import statistics
from collections import Counter

from .bed import RATE, RTT
from .carriers import ALL
from .tasks import PROGRAMS, task_of


def bound_of(task):
    """Seconds below which no carrier can be: half a round trip and the messages at the host's rate, those that are
    lost included. None where the network is not the bed's, or the work more than an exchange."""
    if task.kind != "supersteps":
        return None
    return RTT / 2 + (task.hosts - 1) * task.work / RATE / (1 - task.loss_percent / 100)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered)) - 1]


def outcome_of(runs):
    """"done", or what else came of the runs and how often."""
    others = Counter(run["outcome"] for run in runs if run["outcome"] != "done")
    return "; ".join(what if len(runs) == 1 else f"{times} of {len(runs)}: {what}"
                     for what, times in others.items()) or "done"


def summary(task, carrier, runs):
    seconds = [t for run in runs for t in run["seconds"]]
    medians = [statistics.median(run["seconds"]) for run in runs if run["seconds"]]
    cell = {"kind": task.kind, "hosts": task.hosts, "loss_percent": task.loss_percent, "work": task.work,
            "carrier": carrier, "bound": bound_of(task), "runs": len(runs), "done": len(seconds),
            "asked": sum(run["asked"] for run in runs), "outcome": outcome_of(runs), "mean": None, "median": None,
            "smallest": None, "largest": None, "p99": None, "ratio": None}
    if seconds:
        cell.update(mean=statistics.mean(seconds), median=statistics.median(medians), smallest=min(medians),
                    largest=max(medians), p99=percentile(seconds, 0.99))
        if cell["bound"]:
            cell["ratio"] = cell["median"] / cell["bound"]
    if task.is_program:
        own = [run["algorithm_seconds"] for run in runs if run.get("algorithm_seconds") is not None]
        cell["algorithm"] = statistics.median(own) if own else None
        cell["supersteps"] = max((run.get("supersteps", 0) for run in runs), default=0)
        cell["verified"] = sum(run["verified"] is True for run in runs)
    return cell


def cells_of(kind, runs):
    """Sorted by task, the carriers in their tables' order."""
    groups = {}
    for run in runs:
        if run["kind"] == kind:
            groups.setdefault((task_of(run), run["carrier"]), []).append(run)

    def place(group):
        task, carrier = group
        work = list(PROGRAMS).index(task.work) if task.is_program else task.work
        return task.hosts, task.loss_percent, work, ALL.index(carrier) if carrier in ALL else len(ALL), carrier
    return [summary(*group, groups[group]) for group in sorted(groups, key=place)]
