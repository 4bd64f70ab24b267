#!/usr/bin/env python3
"""What the router of a bed spends on a datagram, and how much passes it at most, where hosts send trains: two ranks on two
hosts without delay, loss or rate, that send each other 1 MiB in each superstep, on beds with offload and without, in turns.
Root.

    benchmarks/wan/router_time.py build/bin [--runs 3] [--seconds 3] [--wan SPEC]"""

import argparse
import json
import os
import statistics
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
MESSAGE_BYTES = 1 << 20


class RouterBed:
    def __init__(self, binaries, wan, offload):
        self.lbsp = os.path.abspath(os.path.join(binaries, "lbsp"))
        self.name = f"router{os.getpid()}"
        self.answer("up", "-n", "2", "--wan", wan, *([] if offload else ["--no-offload"]))

    def answer(self, verb, *words):
        return subprocess.run([self.lbsp, "wan", verb, "--name", self.name, *words], check=True, capture_output=True,
                              text=True).stdout

    def router_seconds(self):
        pid = json.loads(self.answer("hosts", "--json", "-"))["router_pid"]
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def delivered(self):
        stats = json.loads(self.answer("stats", "--over", "0", "--json", "-"))
        return sum(pair["delivered"] for pair in stats["pairs"]), stats["kept_up"]

    def down(self):
        self.answer("down")


def measure(arguments, offload):
    bed = RouterBed(arguments.bin, arguments.wan, offload)
    try:
        agent = f"{bed.lbsp} wan exec --name {bed.name} --shell"
        program = os.path.abspath(os.path.join(arguments.bin, "supersteps_over_lbsp"))
        batch = 20
        batches = 1
        while True:
            seconds, (packets, _), began = bed.router_seconds(), bed.delivered(), time.monotonic()
            ended = subprocess.run(
                [bed.lbsp, "run", "--hosts", f"/run/lbsp-wan/{bed.name}/hosts", "--launch-agent", agent, "--rate", "20Gbit",
                 "--", program, str(MESSAGE_BYTES), str(batches), str(batch), "marked", "unbuffered"],
                capture_output=True, text=True, check=True)
            if time.monotonic() - began >= arguments.seconds:
                break
            batches *= 2
        now, kept_up = bed.delivered()
        microseconds = float(ended.stdout.split()[-1])
        return {"µs of the router a datagram": 1e6 * (bed.router_seconds() - seconds) / (now - packets),
                "Gbit/s each way": 8e-3 * MESSAGE_BYTES / microseconds,
                "kept up": float(kept_up)}
    finally:
        bed.down()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of the built programs")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="that each run lasts at least")
    parser.add_argument("--wan", default="rtt=0ms")
    arguments = parser.parse_args()
    found = {True: [], False: []}
    for _ in range(arguments.runs):
        for offload, results in found.items():
            results.append(measure(arguments, offload))
    print(f"load {os.getloadavg()[0]:.1f}")
    for offload, results in found.items():
        values = {name: sorted(result[name] for result in results) for name in results[0]}
        print("with offload:" if offload else "without:     ",
              "; ".join(f"{name} {statistics.median(each):.3g} ({each[0]:.3g} to {each[-1]:.3g})"
                        for name, each in values.items()))


if __name__ == "__main__":
    main()
