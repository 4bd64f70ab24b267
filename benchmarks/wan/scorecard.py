#!/usr/bin/env python3
"""Says how jobs share a link with each other and with this machine's TCP, on virtual hosts of `lbsp wan`, as root:

    benchmarks/wan/scorecard.py [--told] [--rate 50] [--rtt 40] [--queue 1] [--bin build/bin]

The link is one host's downlink, with a drop-tail queue. A job has two ranks, one on that host and one on a host of its
own, and exchanges supersteps for as long as the scenario lasts. A TCP flow is this kernel's, with the congestion control
that is named. Each scenario takes half a minute. docs/benchmarks/congestion.md explains the figures; the same scenarios
in virtual time are build/bin/congestion_scorecard.
"""
import argparse
import os
import shutil
import signal
import tempfile

from comparison.options import OneLine, number
from comparison.problem import Problem
from experiment.bed import fail
from sharing.scenario import Link, Scenario

LATER = 5  # seconds until who comes later


def options():
    parser = OneLine(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--told", action="store_true", help="tell each job the link's rate; otherwise it has to find it")
    parser.add_argument("--rate", type=number(1, 1000, float), default=50, help="of the link, Mbit/s (50)")
    parser.add_argument("--rtt", type=number(1, 1000, float), default=40, help="of the paths, ms (40)")
    parser.add_argument("--queue", type=number(0.01, 100, float), default=1, help="in products of rate and RTT (1)")
    parser.add_argument("--seconds", type=number(2, 600), default=20, help="that a scenario is measured (20)")
    parser.add_argument("--bin", default="build/bin", help="folder of lbsp and superstep_probe")
    return parser.parse_args()


def scenarios(controls):
    """Name, congestion controls of the flows that begin at once, jobs, and the flow that takes a job's place."""
    yield "a job alone", [], 1, None
    for jobs in (2, 4):
        yield f"{jobs} jobs", [], jobs, None
    for control in controls:
        yield f"a {control} beside a cubic", [control], 0, "cubic"
        yield f"a {control} beside a job", [control], 1, None


def show(name, figures):
    shares = ", ".join(f"{who} {rate:.1f}" for who, rate in figures.megabits)
    print(f"{name:24} {shares + ' Mbit/s':44} delay {figures.delay_ms:5.1f} ms, drops {figures.drops_percent:5.2f} %",
          flush=True)


def main():
    chosen = options()
    for name in ("lbsp", "superstep_probe"):
        if not os.access(os.path.join(chosen.bin, name), os.X_OK):
            raise Problem(f"no command {os.path.join(chosen.bin, name)}: build it, or give its folder with --bin")
    if os.geteuid() != 0:
        raise Problem("virtual hosts need root: run the scorecard as root, for instance with sudo")
    if shutil.which("ping") is None:
        raise Problem("no ping: install iputils-ping")
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
        known = file.read().split()
    controls = [control for control in ("cubic", "bbr") if control in known]
    link = Link(chosen.rate, chosen.rtt, chosen.queue)
    print(f"{link.megabits:g} Mbit/s, RTT {link.round_trip_ms:g} ms, queue of {link.queue:g} products; the rate is "
          f"{'told' if chosen.told else 'to be found'}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, flows, jobs, other in scenarios(controls):
            show(name, Scenario(os.path.abspath(chosen.bin), link, folder, chosen.told).run(
                flows, jobs, other, LATER, chosen.seconds))


signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    main()
except Problem as problem:
    fail(problem)
except KeyboardInterrupt:
    fail("interrupted")
