"""The whole grid of runs: what is missing is made, and kept at once."""
import os
import shutil
import sys

from .measuring import measure
from .plot import plot
from .report import heading, line, table
from .results import Results, write
from .tasks import programs, task_of, tasks, turns


def begin(chosen):
    """The results to add to."""
    path = chosen.out + ".json"
    results = Results.load(path) if chosen.resume and os.path.exists(path) else Results(path)
    settings = {"limit": chosen.limit, "start_limit": chosen.start_limit, "seed": chosen.seed,
                "real_time": chosen.real_time}
    if chosen.kind == "algorithms":
        settings["arguments"] = programs(chosen)
    else:
        settings["supersteps"] = chosen.supersteps
    results.agree(chosen.kind, settings)
    results.save()  # that it cannot be written is found before hours of work
    return results


def compare(chosen, results, measure=measure):
    """Makes the runs that are missing, the carriers of a task by turns, and prints each task's lines."""
    print(heading(chosen.kind), flush=True)
    for task in tasks(chosen):
        for repeat in range(chosen.repeats):
            for carrier in turns(chosen.carriers, repeat):
                if not results.has(task, carrier, repeat):
                    results.add(measure(chosen, task, carrier, repeat))
        for cell in results.cells(chosen.kind):
            if task_of(cell) == task and cell["carrier"] in chosen.carriers:
                print(line(cell), flush=True)


def show(results, out):
    """Table and figure of all that there is."""
    cells = results.cells()
    write(out + ".txt", table(cells))
    if shutil.which("gnuplot"):
        plot(cells, out + ".svg")
    else:
        print("lbsp: no figure: install gnuplot-nox for it", file=sys.stderr)
    return cells
