#!/usr/bin/env python3
"""How long a job stands still when ranks are lost, and whether the others come to the right answer: kills, stops or cuts
off ranks of tests/tools/programs/survivor_probe.cpp at random times; with --keep those of keeping_probe.cpp, whose ranks
have parts of their own that other hosts keep.

    benchmarks/lbsp/survival.py build/bin                                # on this machine, pretended loss
    benchmarks/lbsp/survival.py build/bin --bed --runs 20                # on virtual hosts (root)
    benchmarks/lbsp/survival.py build/bin --bed --split --steps 3000 --runs 3    # three hosts against two for 30 s
    benchmarks/lbsp/survival.py build/bin --keep 10 --bytes 100000       # 100 kB a rank, kept before each 10th step
    benchmarks/lbsp/survival.py build/bin --keep 10 --bytes 100000 --respawn   # new processes take lost ranks' places
    benchmarks/lbsp/survival.py build/bin --keep 10 --bytes 100000 --cost    # what that costs if nobody is lost

What stands still is measured by each survivor: the longest time from one superstep's end to the next one's."""

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SCENARIOS = {
    "kill one": [(0.0, 1, signal.SIGKILL)],
    "kill two at once": [(0.0, 2, signal.SIGKILL)],
    "kill one, and one while they agree": [(0.0, 1, signal.SIGKILL), (1.02, 1, signal.SIGKILL)],
    "stop one for good": [(0.0, 1, signal.SIGSTOP)],
    "cut one host off": [(0.0, 1, "cut")],
}
#: with --split: the network is cut in two, and made whole after 30 s
SPLIT = {"cut two hosts off from the others for 30 s": [(0.0, 2, "split")]}
SPLIT_SECONDS = 30


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of the built programs")
    parser.add_argument("--runs", type=int, default=20, help="of each scenario")
    parser.add_argument("--ranks", type=int, default=5)
    parser.add_argument("--wan", default="loss=10%,rtt=20ms")
    parser.add_argument("--peer-timeout", default="1s")
    parser.add_argument("--bed", action="store_true", help="one rank on each host of a bed of lbsp wan")
    parser.add_argument("--keep", type=int, help="each rank has a part, which other hosts keep before so many steps each")
    parser.add_argument("--bytes", type=int, default=0, help="with --keep: so many more in each rank's part")
    parser.add_argument("--survive", type=int, default=2, help="with --keep: hosts that may be lost at once")
    parser.add_argument("--cost", action="store_true", help="with --keep: pairs of jobs that lose nobody, with it and without")
    parser.add_argument("--split", action="store_true", help="with --bed: cut the network in two, and make it whole again")
    parser.add_argument("--respawn", action="store_true", help="with --keep: --on-failure respawn")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="the scenarios with these words in their name")
    return parser.parse_args()


class Bed:
    """Virtual hosts with their own network between them; none, where the loss is pretended."""

    def __init__(self, args):
        self.lbsp = os.path.join(args.bin, "lbsp")
        self.name = f"survival{os.getpid()}" if args.bed else None
        self.wan = args.wan
        if self.name:
            self.command("up", "-n", str(args.ranks), "--wan", args.wan)

    def command(self, verb, *words):
        subprocess.run([self.lbsp, "wan", verb, "--name", self.name, *words], check=True, capture_output=True)

    def options(self):
        if not self.name:
            return ["--wan", self.wan]
        agent = f"{os.path.abspath(self.lbsp)} wan exec --name {self.name} --shell"
        return ["--hosts", f"/run/lbsp-wan/{self.name}/hosts", "--launch-agent", agent]

    def cut(self, host):
        for way in ("--from", "--to"):
            self.command("change", way, f"h{host}", "--wan", "loss=100%")

    def split(self, hosts, ranks):
        for one in hosts:
            for other in set(range(ranks)) - set(hosts):
                self.command("change", "--from", f"h{one}", "--to", f"h{other}", "--wan", "loss=100%")
                self.command("change", "--from", f"h{other}", "--to", f"h{one}", "--wan", "loss=100%")

    def heal(self):
        self.command("change", "--reset", "--wan", self.wan)

    def down(self):
        if self.name:
            self.command("down")


def pids_in(folder, ranks):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            return [int(open(os.path.join(folder, str(rank))).read()) for rank in range(ranks)]
        except (FileNotFoundError, ValueError):
            time.sleep(0.02)
    raise SystemExit("survival.py: the job does not start: look at its output")


def program(args, folder):
    """The options of lbsp run for it, and its words."""
    name = "keeping_probe" if args.keep else "survivor_probe"
    words = [os.path.abspath(os.path.join(args.bin, name)), str(args.steps), folder]
    if not args.keep:
        return [], [*words, "longest"]
    return ["--survive", str(args.survive)], [*words, str(args.keep), str(args.bytes), "longest"]


def on_failure(args):
    return "respawn" if args.respawn else "shrink"


def one_run(args, bed, events, chance):
    lbsp = os.path.abspath(os.path.join(args.bin, "lbsp"))
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        options, words = program(args, folder)
        words = [lbsp, "run", "-n", str(args.ranks), "--on-failure", on_failure(args), "--peer-timeout",
                 args.peer_timeout, "--json", report, *bed.options(), *options, "--", *words]
        job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        pids = pids_in(folder, args.ranks)
        victims = chance.sample(range(args.ranks), sum(count for _, count, _ in events))
        time.sleep(0.3 + 0.7 * chance.random())
        hit = []
        for wait, count, what in events:
            time.sleep(wait)
            if what == "split":
                hit = victims
                bed.split(hit, args.ranks)
                time.sleep(SPLIT_SECONDS)
                bed.heal()
                continue
            for victim in victims[len(hit):len(hit) + count]:
                bed.cut(victim) if what == "cut" else os.kill(pids[victim], what)
                hit.append(victim)
        try:
            output, errors = job.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            job.kill()
            return {"problem": f"hangs, lost {hit}"}
        with open(report) as file:
            told = json.load(file)
    lines = output.splitlines()
    answers = [line for line in lines if line.startswith("answer")]
    gaps = [float(line.split()[1]) for line in lines if line.startswith("longest")]
    there = [rank for rank in range(args.ranks) if args.respawn or rank not in hit]
    members = " ".join(str(rank) for rank in there)
    right = len(answers) == len(there) and len(set(answers)) == 1
    right = right and answers[0].endswith(f"members {members}") and job.returncode == 0
    for loss in told["lost"] if args.split else []:
        print(f"    {loss['how']}")
    return {"problem": None if right else f"lost {hit}, code {job.returncode}: {answers} {errors[-600:]}",
            "answer": answers[0].split(",")[0] if answers else None,
            "gap": max(gaps, default=float("nan")),
            "agreement": sum(change["agreement"] for change in told["changes"])}


def seconds_of(args, bed, every):
    """Of a job that nothing happens to."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        probe = os.path.abspath(os.path.join(args.bin, "keeping_probe"))
        subprocess.run([os.path.abspath(os.path.join(args.bin, "lbsp")), "run", "-n", str(args.ranks), "--on-failure",
                        on_failure(args), "--survive", str(args.survive), "--json", report, *bed.options(), "--", probe,
                        str(args.steps), folder, str(every), str(args.bytes)], check=True, capture_output=True)
        with open(report) as file:
            return json.load(file)["seconds"]["total"]


def measure_cost(args, bed):
    never = 10 ** 9
    pairs = [(seconds_of(args, bed, args.keep), seconds_of(args, bed, never)) for _ in range(args.runs)]
    longer = [100 * (kept / plain - 1) for kept, plain in pairs]
    print(f"  {args.steps} steps: {spread([kept for kept, _ in pairs])} s, "
          f"{spread([plain for _, plain in pairs])} s with nothing kept; {spread(longer)} % longer", flush=True)


def spread(values):
    values = sorted(values)
    return f"{statistics.median(values):.3f} ({values[0]:.3f} to {values[-1]:.3f})"


def main():
    args = parse()
    chance = random.Random(args.seed)
    bed = Bed(args)
    bad = 0
    try:
        kept = f"{args.bytes} bytes kept every {args.keep} steps, --survive {args.survive}; " if args.keep else ""
        print(f"{args.ranks} ranks, {args.wan}, {'bed' if args.bed else 'pretended'}, --peer-timeout {args.peer_timeout}; "
              f"{kept}load {os.getloadavg()[0]:.1f}")
        if args.cost:
            measure_cost(args, bed)
            return 0
        answers = set()
        for name, events in (SPLIT if args.split else SCENARIOS).items():
            cuts = any(what == "cut" for _, _, what in events)
            if (cuts and (args.respawn or not args.bed)) or (args.only and args.only not in name):
                continue
            results = []
            for _ in range(args.runs):
                result = one_run(args, bed, events, chance)
                if cuts:
                    bed.heal()
                if result["problem"]:
                    bad += 1
                    print(f"  {name}: {result['problem']}", flush=True)
                    continue
                results.append(result)
                answers.add(result["answer"])
            if results:
                print(f"  {name}: {len(results)} of {args.runs} right; stood still {spread([r['gap'] for r in results])} s, "
                      f"agreement {spread([r['agreement'] for r in results])} s", flush=True)
        if len(answers) > 1:
            bad += 1
            print(f"  the answers differ: {answers}")
    finally:
        bed.down()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
