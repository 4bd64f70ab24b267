#!/usr/bin/env python3
"""The plan and the prediction in real runs: matmul over UDP through pretended networks on this machine.

    benchmarks/lbsp/plan/real_runs.py [--lbsp build/bin/lbsp] [--ranks 4,9] [--repeat 5] [--network SPEC] [--json FILE]

For each network and number of ranks it measures the network with lbsp probe, runs matmul with redundancy planned
from that profile and with 1 to 8 fixed copies, taking turns, and prints
 - the communication time that was predicted beside the one measured, with the median of the errors' sizes,
 - the median time with the plan beside that with each number of copies, and its ratio to the best of them.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

NETWORKS = ["loss=1%,rtt=100ms,rate=50Mbit", "loss=5%,rtt=20ms,rate=100Mbit",
            "loss=10%,rtt=70ms,rate=100Mbit", "loss=15%,rtt=40ms,rate=200Mbit"]
SIZE = {4: 512, 9: 510}
COPIES = range(1, 9)


def probe(lbsp, folder, ranks, wan):
    hosts, profile = os.path.join(folder, "hosts"), os.path.join(folder, "profile.json")
    with open(hosts, "w") as file:
        file.writelines(f"127.0.0.{i + 1}\n" for i in range(ranks))
    subprocess.run([lbsp, "probe", "--hosts", hosts, "--wan", wan, "--packet-sizes", "1400", "--no-compute",
                    "--count", "300", "--json", profile],
                   check=True, timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return hosts, profile


def run(lbsp, folder, hosts, wan, seed, ranks, *options):
    report, trace = os.path.join(folder, "report.json"), os.path.join(folder, "trace.json")
    subprocess.run([lbsp, "run", "--hosts", hosts, "-n", str(ranks), "--wan", wan, "--seed", str(seed),
                    "--json", report, "--trace", trace, *options, "--", "matmul", "--size", str(SIZE.get(ranks, 512)), "--verify"],
                   check=True, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report) as file, open(trace) as lines:
        steps = [step for step in map(json.loads, lines) if step["superstep"] is not None]  # without the end
        return json.load(file), steps


def communication(trace, ranks):
    """The time that a rank was in sync(), in all supersteps together: the mean over the ranks."""
    return sum(line["communicate"] for line in trace) / ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lbsp", default="build/bin/lbsp")
    parser.add_argument("--ranks", default="4,9")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--network", action="append", help="instead of the four: a --wan specification; more than once")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    cells = []
    for ranks in map(int, arguments.ranks.split(",")):
        for wan in arguments.network or NETWORKS:
            with tempfile.TemporaryDirectory() as folder:
                hosts, profile = probe(arguments.lbsp, folder, ranks, wan)
                planned, fixed = [], {copies: [] for copies in COPIES}
                for seed in range(1, arguments.repeat + 1):
                    planned.append(run(arguments.lbsp, folder, hosts, wan, seed, ranks, "--profile", profile))
                    for copies in COPIES:
                        fixed[copies].append(communication(run(arguments.lbsp, folder, hosts, wan, seed, ranks,
                                                               "--copies", str(copies))[1], ranks))
            auto = statistics.median(communication(trace, ranks) for _, trace in planned)
            planned = [report for report, _ in planned]
            predictions = [report["prediction"] for report in planned]
            # Of the plan alone: what the report predicts has learnt from the run.
            errors = [each["planned"] / each["measured"] - 1 for each in predictions]
            medians = {copies: statistics.median(times) for copies, times in fixed.items()}
            best = min(medians, key=medians.get)
            cells.append({"ranks": ranks, "network": wan, "errors": errors, "auto": auto, "copies": medians})
            print(f"{ranks} ranks, {wan}")
            print(f"  predicted {statistics.median(each['planned'] for each in predictions) * 1e3:.0f} ms, "
                  f"measured {statistics.median(each['measured'] for each in predictions) * 1e3:.0f} ms, "
                  f"errors " + " ".join(f"{error:+.1%}" for error in errors))
            print(f"  planned {auto * 1e3:.0f} ms; copies " +
                  " ".join(f"{copies}: {time * 1e3:.0f}" for copies, time in medians.items()) +
                  f" ms; planned / best ({best} copies) {auto / medians[best]:.2f}", flush=True)
    sizes = [abs(error) for cell in cells for error in cell["errors"]]
    print(f"prediction: median error {statistics.median(sizes):.1%} of {len(sizes)} runs, worst {max(sizes):.1%}")
    ratios = [cell["auto"] / min(cell["copies"].values()) for cell in cells]
    print(f"planned / best fixed copies: {min(ratios):.2f} to {max(ratios):.2f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(cells, file, indent=1)


if __name__ == "__main__":
    main()
