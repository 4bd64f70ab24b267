"""The figures of a cell: all runs of one carrier with the same hosts, loss and size."""
import math
import statistics

from .bed import RATE, RTT


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
