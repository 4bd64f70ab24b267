"""What the processes of counted_work have computed, and whether anything of it was computed on two sides of a split network."""

import glob
import os
import time
from typing import NamedTuple

#: Ranks are one superstep apart at most: who is cut off has the messages of that many more, and no others.
STEPS_WITHOUT_THE_OTHERS = 2


class Unit(NamedTuple):
    """The computation of one cell in one step. Times are of the host's steady clock, which all processes share."""
    began: float
    ended: float
    epoch: int
    what: tuple  # step and cell


def wait_for_first(out, pids, patience=60):
    """Until each of these processes has computed something, which has its files beside the file `out`."""
    end = time.monotonic() + patience
    files = [f"{out}.work.{pid}" for pid in pids.values()]
    while not all(os.path.exists(file) and os.path.getsize(file) > 0 for file in files):
        if time.monotonic() > end:
            raise SystemExit("counted_work.py: a process computes nothing: look at its output")
        time.sleep(0.02)


def units_of(out, pids):
    """By rank: what its process has computed of a job whose result went to the file `out`."""
    units = {}
    for rank, pid in pids.items():
        with open(f"{out}.work.{pid}") as file:
            # The last line of a process that was killed may be cut short.
            words = [line.split() for line in file if line.endswith("\n")]
        units[rank] = [Unit(float(began), float(ended), int(epoch), (int(step), int(cell)))
                       for began, ended, epoch, step, cell in words]
    if len(glob.glob(f"{out}.work.*")) != len(pids):
        raise SystemExit("counted_work.py: there are processes that belong to no rank: nobody replaces ranks here")
    return units


class Split:
    """A job whose network was split at `cut`, by the same clock, so that `losers` had to end."""

    def __init__(self, units, losers, cut):
        self.ended = [unit for rank in losers for unit in units[rank]]
        self.went_on = [unit for rank in units if rank not in losers for unit in units[rank]]
        self.anew = [unit for unit in self.went_on if unit.epoch > 0]
        self.since = {rank: [unit for unit in units[rank] if unit.began > cut] for rank in losers}
        self.all = self.ended + self.went_on

    def since_the_cut(self):
        """How many units the sides that ended have computed since."""
        return sum(len(units) for units in self.since.values())

    def ahead(self):
        """How long before the first unit of the new world the last one of the sides that ended was done."""
        return min(unit.began for unit in self.anew) - max(unit.ended for unit in self.ended)

    def again(self):
        """How many units were computed again, in the world that goes on, because their results were lost."""
        return len({unit.what for unit in self.all if unit.epoch == 0} & {unit.what for unit in self.anew})

    def problems(self):
        if any(unit.epoch > 0 for unit in self.ended):
            yield "who had to end computed in the new world"
        for epoch in sorted({unit.epoch for unit in self.all}):
            of_epoch = [unit.what for unit in self.all if unit.epoch == epoch]
            if len(of_epoch) != len(set(of_epoch)):
                yield f"in epoch {epoch} {len(of_epoch) - len(set(of_epoch))} units were computed twice"
        for rank, units in self.since.items():
            steps = {unit.what[0] for unit in units}
            if len(steps) > STEPS_WITHOUT_THE_OTHERS:
                yield f"rank {rank} computed {len(steps)} steps since the network was split"
        if not self.anew:
            return
        if self.ahead() <= 0:
            yield f"who had to end computed for {-self.ahead():.3f} s beside the others"
        delivered = {unit.what for units in self.since.values() for unit in units} - {unit.what for unit in self.anew}
        if delivered:
            yield f"{len(delivered)} units that were computed on the other side since the split came to those that go on"
