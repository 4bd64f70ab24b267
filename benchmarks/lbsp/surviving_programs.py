#!/usr/bin/env python3
"""Whether the ready programs survive, and what it costs when nothing happens: kills, freezes or cuts off hosts of jacobi
and matmul at random times, and compares the file that they write, byte for byte, with that of an undisturbed run.

    benchmarks/lbsp/surviving_programs.py build/bin --bed --runs 50                      # virtual hosts (root)
    benchmarks/lbsp/surviving_programs.py build/bin --bed --runs 50 --on-failure shrink  # jacobi
    benchmarks/lbsp/surviving_programs.py build/bin --bed --runs 10 --cost               # pairs, with states kept and not

A bed has two hosts more than ranks, where new processes start when a host does not answer. What stood still is told by
the job's report: the time from the last sign of a lost rank to when the others knew who goes on."""

import argparse
import filecmp
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from survival import Bed, spread

PROGRAMS = {
    "jacobi": (8, ["--size", "257", "--iterations", "200"]),
    "matmul": (9, ["--size", "504", "--algorithm", "summa", "--memory", "24KiB"]),
}
#: what happens to how many hosts
SCENARIOS = {"kill": 1, "kill two": 2, "freeze": 1, "freeze and thaw": 1, "cut": 1}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of the built programs")
    parser.add_argument("--runs", type=int, default=10, help="of each scenario, or pairs")
    parser.add_argument("--wan", default="loss=10%,rtt=20ms")
    parser.add_argument("--peer-timeout", default="1s")
    parser.add_argument("--bed", action="store_true", help="one rank on each host of a bed of lbsp wan")
    parser.add_argument("--on-failure", default="respawn", choices=["respawn", "shrink"])
    parser.add_argument("--keep", default="10")
    parser.add_argument("--survive", default="2")
    parser.add_argument("--only", help="the programs and scenarios with these words in their name")
    parser.add_argument("--arguments", help="of the program instead, with --only")
    parser.add_argument("--cost", action="store_true", help="pairs of runs that nothing happens to")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Job:
    """A job of a ready program, whose processes tell their ids and hosts."""

    def __init__(self, args, bed, program, folder, out):
        ranks, words = PROGRAMS[program]
        words = args.arguments.split() if args.arguments else words
        self.folder = os.path.join(folder, "pids")
        self.report = os.path.join(folder, "report.json")
        os.mkdir(self.folder)
        lbsp = os.path.abspath(os.path.join(args.bin, "lbsp"))
        outputs = ["--out", out, "--verify"] if out else ["--no-verify"]
        options = [] if args.on_failure == "abort" else ["--on-failure", args.on_failure, "--survive", args.survive]
        self.words = [lbsp, "run", "-n", str(ranks), *options, "--peer-timeout", args.peer_timeout, "--json",
                      self.report, *bed.options(), "--", "sh", "-c", 'echo $$ > "$0/$$"; exec "$@"', self.folder,
                      os.path.abspath(os.path.join(args.bin, program)), *words, "--keep", args.keep, *outputs]
        self.ranks = ranks
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def pids(self):
        """Of the ranks, when all are there."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            pids = [int(name) for name in os.listdir(self.folder)]
            if len(pids) == self.ranks:
                return pids
            time.sleep(0.02)
        raise SystemExit("surviving_programs.py: the job does not start: look at its output")

    def end(self):
        try:
            self.output, self.errors = self.process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        with open(self.report) as file:
            return json.load(file)


def host_of(pid, bed):
    """The number of the host of a bed whose network the process has."""
    with open(f"/run/lbsp-wan/{bed.name}/bed.json") as file:
        networks = [host["inode"] for host in json.load(file)["hosts"]]
    return networks.index(os.stat(f"/proc/{pid}/ns/net").st_ino)


def strike(scenario, job, bed, chance):
    """Returns whether the job was still there."""
    pids = job.pids()
    time.sleep(0.3 + 1.2 * chance.random())
    victims = chance.sample(pids, SCENARIOS[scenario])
    try:
        hosts = [host_of(pid, bed) for pid in victims] if scenario == "cut" else []
        for pid in victims:
            if scenario != "cut":
                os.kill(pid, signal.SIGKILL if scenario.startswith("kill") else signal.SIGSTOP)
    except (ProcessLookupError, FileNotFoundError):
        return False
    for host in hosts:
        bed.cut(host)
    if scenario == "freeze and thaw":
        time.sleep(2.5)
        for pid in victims:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
    return True


def one_run(args, bed, program, scenario, chance, reference):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.npy")
        job = Job(args, bed, program, folder, out)
        try:
            struck = strike(scenario, job, bed, chance)
            told = job.end()
        except subprocess.TimeoutExpired:
            return {"problem": "hangs"}
        if not struck or (not told["changes"] and job.process.returncode == 0):
            return {"late": True}
        right = job.process.returncode == 0 and told["verified"] and filecmp.cmp(out, reference, shallow=False)
        return {"problem": None if right else f"code {job.process.returncode}: {job.output} {job.errors[-400:]}",
                "silence": max(change["silence"] for change in told["changes"]) if told["changes"] else 0,
                "seconds": told["seconds"]["total"]}


def undisturbed(args, bed, program, out=None):
    with tempfile.TemporaryDirectory() as folder:
        job = Job(args, bed, program, folder, out)
        told = job.end()
        if job.process.returncode != 0:
            raise SystemExit(f"surviving_programs.py: {job.errors}")
        return float(job.output.split(" s,")[0].split()[-1]), told


def measure_cost(args, bed, program):
    """Of the algorithm alone, as the program prints it."""
    never = argparse.Namespace(**{**vars(args), "keep": str(10 ** 9)})
    longer, kept, plain = [], [], []
    for pair in range(args.runs):
        first = pair % 2 == 0
        for with_keep in (first, not first):
            (kept if with_keep else plain).append(undisturbed(args if with_keep else never, bed, program)[0])
        longer.append(100 * (kept[-1] / plain[-1] - 1))
    print(f"  {program}: {spread(kept)} s, {spread(plain)} s with nothing kept; {spread(longer)} % longer", flush=True)


def try_all(args, bed, program, chance):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        reference = os.path.join(folder, "reference.npy")
        alone = undisturbed(args, bed, program, reference)[1]["seconds"]["total"]
        for scenario in SCENARIOS:
            if (scenario == "cut" and not args.bed) or (args.only and args.only not in f"{program} {scenario}"):
                continue
            results = []
            late = 0
            while len(results) < args.runs:
                result = one_run(args, bed, program, scenario, chance, reference)
                if scenario == "cut":
                    bed.heal()
                late += "late" in result
                if "late" in result and late < args.runs:
                    continue
                results.append(result)
                if result.get("problem"):
                    bad += 1
                    print(f"  {program}, {scenario}: {result['problem']}", flush=True)
            right = [result for result in results if "seconds" in result and not result["problem"]]
            if right:
                print(f"  {program}, {scenario}: {len(right)} of {len(results)} the same; not heard for "
                      f"{spread([r['silence'] for r in right])} s when it was agreed, took "
                      f"{spread([r['seconds'] for r in right])} s, undisturbed {alone:.3f} s", flush=True)
    return bad


def main():
    args = parse()
    chance = random.Random(args.seed)
    bad = 0
    for program, (ranks, _) in PROGRAMS.items():
        if (args.on_failure == "shrink" and program == "matmul") or (args.only and program not in args.only and
                                                                      any(p in args.only for p in PROGRAMS)):
            continue
        bed = Bed(argparse.Namespace(bin=args.bin, bed=args.bed, wan=args.wan, ranks=ranks + 2))
        try:
            print(f"{program}, {ranks} ranks, {args.wan}, {'bed' if args.bed else 'pretended'}, --on-failure "
                  f"{args.on_failure}, --keep {args.keep}; load {os.getloadavg()[0]:.1f}", flush=True)
            if args.cost:
                measure_cost(args, bed, program)
            else:
                bad += try_all(args, bed, program, chance)
        finally:
            bed.down()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
