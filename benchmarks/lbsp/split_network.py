#!/usr/bin/env python3
"""What becomes of a job whose network splits: cuts the network between virtual hosts in two or three, makes it whole again
after a while, and looks at who goes on. Root, on a bed of lbsp wan.

    benchmarks/lbsp/split_network.py build/bin                                  # 45 minutes
    benchmarks/lbsp/split_network.py build/bin --only "jacobi 3 | 2" --runs 3
    benchmarks/lbsp/split_network.py build/bin --seconds 5                      # cut for 5 s only, 20 minutes

A run is right if

- one side goes on: the one with most ranks, or of two halves the one with rank 0. It comes to its end, verified, and the file
  that it writes has the bytes of that of an undisturbed run;
- each process of the other sides has ended before the network is whole again, within the peer timeout + 1 s + three round
  trips of the cut, and with one line: `only 2 of 5 ranks answer, …`. So what was computed since the cut was computed on one
  side, and its one result is written once;
- the world changes once: the ranks of the other sides are lost, and never come back;
- where no side can go on, all end so, and the job with exit code 1.

Jobs of counted_work show, besides, that nothing is computed on two sides. Their processes write down what they compute, and
when (counted_work.py). In each world everything is computed once. Who has to end is at most two steps ahead of the cut, has
computed its last before the others begin anew, and none of what it computed since reaches these: they compute it, too."""

import argparse
import filecmp
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import counted_work
from lasting_jobs import Job, bound, host_of, stood_still
from survival import Bed, spread

#: words; jobs last longer than the network is split
PROGRAMS = {
    "jacobi": ["jacobi", "--size", "257", "--keep", "10"],
    "dataflow": ["dataflow", "jacobi", "--size", "256", "--pieces", "10", "--replicate", "5"],
    "counted states": ["counted_work", "states"],
    "counted tokens": ["counted_work", "tokens"],
}
#: as many hosts may be lost as any side that goes on loses
OPTIONS = {"jacobi": ["--survive", "2"], "dataflow": [], "counted states": ["--survive", "2"], "counted tokens": []}
#: the ranks of each side, and the place of the one that goes on
SPLITS = {
    "3 | 2": ([[0, 1, 2], [3, 4]], 0),
    "2 | 3, rank 0 among the two": ([[0, 1], [2, 3, 4]], 1),
    "2 | 2": ([[0, 1], [2, 3]], 0),
    "2 | 2, rank 0 with the last": ([[1, 2], [0, 3]], 1),
    "2 | 2 | 1": ([[0, 1], [2, 3], [4]], None),
}
FEWER = re.compile(r"only (\d+) of (\d+) ranks answer, too few to go on: ")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of the built programs")
    parser.add_argument("--runs", type=int, default=1, help="of each program and split")
    parser.add_argument("--seconds", type=float, default=30, help="for which the network is split")
    parser.add_argument("--wan", default="loss=10%,rtt=20ms")
    parser.add_argument("--peer-timeout", default="1s")
    parser.add_argument("--only", default="", help="the programs and splits with these words in their name")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class HostsThatSplit(Bed):
    def __init__(self, args, hosts):
        super().__init__(argparse.Namespace(bin=args.bin, bed=True, wan=args.wan, ranks=hosts))

    def part(self, sides):
        """At once."""
        side_of = {host: place for place, side in enumerate(sides) for host in side}
        hosts = sorted(side_of)
        with tempfile.NamedTemporaryFile("w", suffix=".matrix") as file:
            for one in hosts:
                words = ["-" if one == other else self.wan if side_of[one] == side_of[other] else "loss=100%" for other in hosts]
                file.write(" ".join(words) + "\n")
            file.flush()
            self.command("change", "--matrix", file.name)


class SplitJob(Job):
    """A job of one of the programs, a rank on each host."""

    def __init__(self, args, bed, program, ranks, iterations, folder, peer_timeout=None):
        self.out = os.path.join(folder, "out.npy")
        super().__init__(args.bin, ranks, folder,
                         ["--on-failure", "shrink", *OPTIONS[program], "--peer-timeout", peer_timeout or args.peer_timeout,
                          *bed.options()],
                         [*PROGRAMS[program], "--iterations", str(iterations), "--out", self.out, "--verify"])

    def pids_by_rank(self, bed):
        return {host_of(pid, bed): pid for pid in self.pids()}


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


class Ends(threading.Thread):
    """Notes when processes end."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids = pids
        self.began = time.monotonic()
        self.at = {}
        self.start()

    def run(self):
        while len(self.at) < len(self.pids):
            for rank, pid in self.pids.items():
                if rank not in self.at and is_gone(pid):
                    self.at[rank] = time.monotonic() - self.began
            time.sleep(0.005)


def problems(args, told, job, sides, winner, ends, reference):
    """What is not as it must be."""
    ranks = sum(len(side) for side in sides)
    losers = sorted(rank for place, side in enumerate(sides) if place != winner for rank in side)
    hows = {loss["rank"]: loss["how"] for loss in told["lost"]}
    late = {rank: ends.get(rank) for rank in losers if not ends.get(rank) or ends[rank] > bound(args)}
    if late:
        yield f"ended too late after the cut: {late}"
    if winner is None:
        if job.process.returncode != 1 or told["verified"]:
            yield f"exit code {job.process.returncode}, verified: {told['verified']}"
        if not FEWER.search(job.errors):
            yield f"says {job.errors[-300:]}"
        return
    for rank in losers:
        side = next(side for side in sides if rank in side)
        found = FEWER.search(hows.get(rank, ""))
        if not found or "\n" in hows[rank] or found.groups() != (str(len(side)), str(ranks)):
            yield f"rank {rank} ended so: {hows.get(rank)}"
    if sorted(hows) != losers:
        yield f"lost {sorted(hows)}"
    changes = [(change["members"], change["seated"]) for change in told["changes"]]
    if changes != [(sides[winner], [])]:
        yield f"worlds of {changes}"
    if job.process.returncode != 0 or not told["verified"]:
        yield f"exit code {job.process.returncode}, verified: {told['verified']}: {job.errors[-300:]}"
    elif not filecmp.cmp(job.out, reference, shallow=False):
        yield "another result"
    if len(job.output.splitlines()) != 1:
        yield f"writes {job.output!r}"


def one_run(args, bed, program, split, iterations, chance, reference):
    sides, winner = SPLITS[split]
    with tempfile.TemporaryDirectory() as folder:
        job = SplitJob(args, bed, program, sum(len(side) for side in sides), iterations, folder)
        pids = job.pids_by_rank(bed)
        if program.startswith("counted"):
            counted_work.wait_for_first(job.out, pids)
        time.sleep(0.5 + chance.random())
        began = time.monotonic()
        bed.part(sides)
        ends = Ends(pids)
        cut = ends.began - began
        try:
            if winner is not None:
                time.sleep(args.seconds)
                there = not is_gone(pids[sides[winner][0]])
                bed.heal()
                if not there:
                    told = job.end(60)
                    if job.process.returncode == 0:
                        return {"took": told["seconds"]["total"]}
                    return {"problems": [f"ended before the network was whole again, lost {told['lost']}: {job.errors[-300:]}"]}
            told = job.end(args.seconds + 120)
        except subprocess.TimeoutExpired:
            return {"problems": ["hangs"]}
        finally:
            bed.heal()
        losers = [rank for place, side in enumerate(sides) if place != winner for rank in side]
        result = {"problems": list(problems(args, told, job, sides, winner, ends.at, reference)),
                  "ended": max(ends.at.get(rank, float("inf")) for rank in losers),
                  "cutting": cut,
                  "stood still": stood_still(told["changes"])}
        if program.startswith("counted"):
            result["work"] = counted_work.Split(counted_work.units_of(job.out, pids), losers, ends.began)
            result["problems"] += result["work"].problems()
        return result


def undisturbed(args, bed, program, ranks, iterations, keep=None):
    with tempfile.TemporaryDirectory() as folder:
        job = SplitJob(args, bed, program, ranks, iterations, folder, "15s")  # also on a machine that is busy
        told = job.end(300)
        if job.process.returncode != 0:
            raise SystemExit(f"split_network.py: {job.errors}")
        if keep:
            os.replace(job.out, keep)
        return told["seconds"]["total"]


def iterations_for(args, bed, program, ranks):
    """So many that the job lasts a while longer than the split, also if fewer ranks do them sooner."""
    some = 300
    return round(1.5 * some * (args.seconds + 5) / undisturbed(args, bed, program, ranks, some))


def show_work(program, split, works):
    """Of right runs."""
    for work in works:
        others = (f", the last {work.ahead():.3f} s before the others began anew, who computed {work.again()} again"
                  if work.anew else "")
        print(f"  {program} {split}: who could not go on computed {work.since_the_cut()} of {len(work.all)} units since the "
              f"cut{others}", flush=True)


def try_split(args, program, split, chance):
    sides, winner = SPLITS[split]
    ranks = sum(len(side) for side in sides)
    bed = HostsThatSplit(args, ranks)
    bad = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            reference = os.path.join(folder, "reference.npy")
            iterations = iterations_for(args, bed, program, ranks)
            if winner is not None:
                undisturbed(args, bed, program, ranks, iterations, reference)
            results = []
            while len(results) < args.runs:
                result = one_run(args, bed, program, split, iterations, chance, reference)
                if "took" in result:
                    iterations = round(1.3 * iterations * (args.seconds + 5) / result["took"])
                    undisturbed(args, bed, program, ranks, iterations, reference)
                    continue
                results.append(result)
                for problem in result["problems"]:
                    print(f"  {program} {split}: {problem}", flush=True)
        bad = sum(1 for result in results if result["problems"])
        right = [result for result in results if not result["problems"]]
        if right:
            stood = f"the others stood still {spread([r['stood still'] for r in right])} s; " if winner is not None else ""
            print(f"  {program} {split}: {len(right)} of {len(results)} right; {stood}who could not go on had ended "
                  f"{spread([r['ended'] for r in right])} s after the cut, which took {spread([r['cutting'] for r in right])} s",
                  flush=True)
            show_work(program, split, [result["work"] for result in right if "work" in result])
    except subprocess.TimeoutExpired:
        print(f"  {program} {split}: a job that nothing happened to did not end", flush=True)
        bad += 1
    finally:
        bed.down()
    return bad


def main():
    args = parse()
    chance = random.Random(args.seed)
    print(f"{args.wan}, --peer-timeout {args.peer_timeout}, split for {args.seconds:g} s; load {os.getloadavg()[0]:.1f}",
          flush=True)
    bad = 0
    for program in PROGRAMS:
        for split in SPLITS:
            if args.only in f"{program} {split}":
                bad += try_split(args, program, split, chance)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
