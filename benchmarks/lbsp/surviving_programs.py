#!/usr/bin/env python3
"""Whether the ready programs survive, and what it costs when nothing happens: kills, freezes or cuts off hosts of jacobi,
matmul and dataflow at random times, or kills lbsp run, and compares the file that they write, byte for byte, with that of an
undisturbed run.

    benchmarks/lbsp/surviving_programs.py build/bin --bed --mixed --runs 50                      # virtual hosts (root)
    benchmarks/lbsp/surviving_programs.py build/bin --bed --mixed --runs 50 --on-failure shrink  # jacobi, dataflow
    benchmarks/lbsp/surviving_programs.py build/bin --bed --runs 10                              # so many of each scenario
    benchmarks/lbsp/surviving_programs.py build/bin --bed --runs 10 --cost               # pairs, with states kept and not

A program has eight hosts; matmul, which needs a square number of ranks, has two ranks on the first. A bed has three hosts
more, where new processes start when a host does not answer. How long the job stood still is told by its report: from
the last sign of a lost rank until all had completed a superstep again. It stands beside its bound, the peer timeout +
1 s + three round trips. The time that the lost state takes is not in that bound."""

import argparse
import filecmp
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from lasting_jobs import Job, bound, host_of, stood_still
from survival import Bed, spread

HOSTS = 8
SPARE_HOSTS = 3
#: ranks and words; those of dataflow keep no states: each rank has its streams
PROGRAMS = {
    "jacobi": (8, ["--size", "257", "--iterations", "200"]),
    "matmul": (9, ["--size", "504", "--algorithm", "summa", "--memory", "24KiB"]),
    "fft2d": (8, ["--size", "1024"]),
    "bitonic_sort": (8, ["--size", "400000"]),
    "dataflow matmul": (8, ["--size", "1500", "--pieces", "50"]),
    "dataflow jacobi": (8, ["--size", "512", "--pieces", "16", "--iterations", "200"]),
}
ON_FAILURE = {"respawn": ["jacobi", "matmul", "dataflow jacobi"], "shrink": ["jacobi", "dataflow matmul", "dataflow jacobi"]}
#: what happens to how many hosts
SCENARIOS = {"kill": 1, "kill two": 2, "freeze": 1, "freeze and thaw": 1, "freeze and thaw two": 2, "cut": 1, "cut two": 2,
             "kill lbsp run": 0}
#: of --mixed, which are as likely each
MIXED = ["kill", "kill two", "cut", "cut two", "freeze and thaw", "freeze and thaw two"]
FROZEN_SECONDS = 2.5


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
    parser.add_argument("--mixed", action="store_true", help="each run is one of the scenarios, by chance")
    parser.add_argument("--cost", action="store_true", help="pairs of runs that nothing happens to")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class HostsOfBed(Bed):
    """With as many ranks on the first host as do not fit the others."""

    def __init__(self, args, ranks):
        hosts = (HOSTS if args.bed else ranks) + SPARE_HOSTS
        super().__init__(argparse.Namespace(bin=args.bin, bed=args.bed, wan=args.wan, ranks=hosts))
        self.spare = ranks - HOSTS
        self.file = None
        if self.name and self.spare > 0:
            with open(f"/run/lbsp-wan/{self.name}/hosts") as file:
                lines = file.read().splitlines()
            first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
            lines[first] += f" slots={1 + self.spare}"
            self.file = tempfile.NamedTemporaryFile("w", suffix=".hosts")
            self.file.write("\n".join(lines) + "\n")
            self.file.flush()

    def options(self):
        options = super().options()
        if self.file:
            options[options.index("--hosts") + 1] = self.file.name
        return options


class ProgramJob(Job):
    """A job of a ready program."""

    def __init__(self, args, bed, program, folder, out):
        ranks, words = PROGRAMS[program]
        words = args.arguments.split() if args.arguments else words
        outputs = ["--out", out, "--verify"] if out else ["--no-verify"]
        file, *name = program.split()
        keeps = [] if name else ["--keep", args.keep]
        options = ["--on-failure", args.on_failure] + ([] if name else ["--survive", args.survive])
        super().__init__(args.bin, ranks, folder, [*options, "--peer-timeout", args.peer_timeout, *bed.options()],
                         [file, *name, *words, *keeps, *outputs])

    def attach(self):
        """After its lbsp run has been killed."""
        self.process.communicate()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            attached = subprocess.Popen([self.lbsp, "attach", str(self.process.pid)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
            time.sleep(0.1)
            if attached.poll() is None or attached.returncode == 0:
                break
            attached.communicate()
        self.process = attached


def by_host(pids, bed):
    """The ranks' processes that share a host; without a bed each has its own."""
    hosts = {}
    for pid in pids:
        hosts.setdefault(host_of(pid, bed) if bed.name else pid, []).append(pid)
    return hosts


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def strike(scenario, job, bed, chance):
    """Returns whether the job was still there."""
    pids = job.pids()
    time.sleep(0.3 + 1.2 * chance.random())
    try:
        hosts = by_host(pids, bed)
    except FileNotFoundError:
        return False
    if job.process.poll() is not None:
        return False
    if scenario == "kill lbsp run":
        os.kill(job.process.pid, signal.SIGKILL)
        job.attach()
        return True
    struck = chance.sample(sorted(hosts), SCENARIOS[scenario])
    victims = [pid for host in struck for pid in hosts[host]]
    if scenario.startswith("cut"):
        for host in struck:
            bed.cut(host)
        return True
    send(victims, signal.SIGKILL if scenario.startswith("kill") else signal.SIGSTOP)
    if scenario.startswith("freeze and thaw"):
        time.sleep(FROZEN_SECONDS)
        send(victims, signal.SIGCONT)
    return True


def one_run(args, bed, program, scenario, chance, reference):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.npy")
        job = ProgramJob(args, bed, program, folder, out)
        try:
            struck = strike(scenario, job, bed, chance)
            told = job.end()
        except subprocess.TimeoutExpired:
            return {"problem": "hangs"}
        lost_nobody = scenario != "kill lbsp run" and not told["changes"]
        if not struck or (lost_nobody and job.process.returncode == 0):
            return {"late": True}
        right = job.process.returncode == 0 and told["verified"] and filecmp.cmp(out, reference, shallow=False)
        return {"problem": None if right else f"code {job.process.returncode}: {job.output} {job.errors[-400:]}",
                "stood still": stood_still(told["changes"]),
                "lost": len(told["lost"]),
                "seconds": told["seconds"]["total"]}


def undisturbed(args, bed, program, out=None):
    with tempfile.TemporaryDirectory() as folder:
        job = ProgramJob(args, bed, program, folder, out)
        told = job.end()
        if job.process.returncode != 0:
            raise SystemExit(f"surviving_programs.py: {job.errors}")
        return float(job.output.split(" s,")[0].split()[-1]), told


def forecast(told):
    """What the job forecast of states alone, in percent of the time without: nothing is lost here."""
    states = told.get("notes", {}).get("states", {})
    if not states.get("step_seconds"):
        return 0.0
    part = states["seconds_each"] / states["interval"]
    if "elsewhere_interval" in states:
        part += states["elsewhere_seconds_each"] / states["elsewhere_interval"]
    return 100 * part / states["step_seconds"]


def measure_cost(args, bed, program):
    """Of the algorithm alone, as the program prints it."""
    never = argparse.Namespace(**{**vars(args), "keep": str(10 ** 9)})
    longer, kept, plain, forecasts, states = [], [], [], [], []
    for pair in range(args.runs):
        first = pair % 2 == 0
        for with_keep in (first, not first):
            seconds, told = undisturbed(args if with_keep else never, bed, program)
            (kept if with_keep else plain).append(seconds)
            if with_keep:
                forecasts.append(forecast(told))
                states.append(told.get("notes", {}).get("states", {}).get("kept", 0))
        longer.append(100 * (kept[-1] / plain[-1] - 1))
    print(f"  {program}: {spread(kept)} s, {spread(plain)} s with nothing kept; {spread(longer)} % longer, forecast "
          f"{spread(forecasts)} %; {states[-1]:.0f} states kept", flush=True)


def runs_of(args, bed, program, scenarios, chance, reference):
    """Results of as many runs as asked for, each of one of the scenarios."""
    results, late = [], 0
    while len(results) < args.runs:
        scenario = chance.choice(scenarios)
        result = one_run(args, bed, program, scenario, chance, reference)
        if scenario.startswith("cut"):
            bed.heal()
        late += "late" in result
        if "late" in result and late < args.runs:
            continue
        results.append({**result, "scenario": scenario})
        if result.get("problem"):
            print(f"  {program}, {scenario}: {result['problem']}", flush=True)
    return results


def show(args, program, name, results, alone):
    right = [result for result in results if "seconds" in result and not result["problem"]]
    if not right:
        return
    stood = [result["stood still"] for result in right]
    times = "" if name == "kill lbsp run" else (f"stood still {spread(stood)} s, at most "
                                                f"{max(stood) / bound(args):.3f} of the bound of {bound(args):.2f} s; ")
    print(f"  {program}, {name}: {len(right)} of {len(results)} the same, {sum(r['lost'] for r in right)} ranks lost; "
          f"{times}took {spread([r['seconds'] for r in right])} s, undisturbed {alone:.3f} s", flush=True)


def try_all(args, bed, program, chance):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        reference = os.path.join(folder, "reference.npy")
        alone = undisturbed(args, bed, program, reference)[1]["seconds"]["total"]
        possible = {name: [name] for name in SCENARIOS if args.bed or not name.startswith("cut")}
        if args.mixed:
            possible = {"mixed": [name for name in MIXED if name in possible]}
        for name, scenarios in possible.items():
            if args.only and args.only not in f"{program} {name}":
                continue
            results = runs_of(args, bed, program, scenarios, chance, reference)
            bad += sum(1 for result in results if result.get("problem"))
            show(args, program, name, results, alone)
            for each in scenarios if args.mixed else []:
                show(args, program, each, [result for result in results if result["scenario"] == each], alone)
    return bad


def main():
    args = parse()
    chance = random.Random(args.seed)
    bad = 0
    named = [program for program in PROGRAMS
             if args.only and (program.startswith(args.only) or args.only.startswith(program))]
    for program in named or ON_FAILURE[args.on_failure]:
        ranks = PROGRAMS[program][0]
        bed = HostsOfBed(args, ranks)
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
