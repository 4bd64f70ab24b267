"""Jobs and TCP flows that send to one host of a bed, over its downlink."""
import contextlib
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field

from comparison.problem import Problem
from experiment.bed import Bed, end

RECEIVER, PINGING, FIRST_SENDER = 0, 1, 2
PATIENCE = 10.0  # seconds for something to begin
FLOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tcp_flow.py")


@dataclass(frozen=True)
class Link:
    megabits: float
    round_trip_ms: float
    queue: float

    def product_bytes(self):
        return self.megabits * 1e6 / 8 * self.round_trip_ms / 1e3

    def network(self, hosts):
        queue = max(3000, int(self.queue * self.product_bytes()))
        spec = f"rtt={self.round_trip_ms:g}ms,down={self.megabits:g}Mbit,queue={queue}B"
        return ["-n", str(hosts), "--wan", spec]


@dataclass
class Figures:
    megabits: list = field(default_factory=list)  # (who, Mbit/s)
    delay_ms: float = 0
    drops_percent: float = 0


class Flow:
    """A TCP flow from a host to the receiver."""

    def __init__(self, bed, stack, folder, host, control):
        self.name, self.path = control, os.path.join(folder, f"flow-{host}")
        port = str(7000 + host)
        receiver = stack.start(bed.on(RECEIVER, "python3", FLOW, "receive", port), self.path)
        wait_for(lambda: "ready" in text_of(self.path), receiver)
        self.process = stack.start(bed.on(host, "python3", FLOW, "send", f"h{RECEIVER}", port, control))

    def bytes_at(self, when):
        """Of payload, up to that time."""
        lines = [line.split() for line in text_of(self.path).splitlines()[1:]]
        return max((int(words[1]) for words in lines if len(words) == 2 and float(words[0]) <= when), default=0)


class Job:
    """Two ranks that exchange supersteps of 20 products; its bytes are those that come to the receiver."""
    name = "job"

    def __init__(self, bed, stack, folder, host, link, told, binaries):
        self.bytes = int(max(20 * link.product_bytes(), 65536))
        self.folder = os.path.join(folder, f"job-{host}")
        os.mkdir(self.folder)
        hosts = os.path.join(folder, f"hosts-{host}")
        with open(hosts, "w", encoding="ascii") as file:
            file.writelines(f"h{number} address=198.18.0.{number + 1}\n" for number in (RECEIVER, host))
        rate = ["--rate", f"{link.megabits:g}Mbit"] if told else []
        self.process = stack.start([os.path.join(binaries, "lbsp"), "run", "--hosts", hosts, "--launch-agent",
                                    bed.agent("--shell"), *rate, "--",
                                    os.path.join(binaries, "superstep_probe"), str(self.bytes), "1000000", self.folder])
        wait_for(lambda: os.path.exists(os.path.join(self.folder, "0")), self.process)

    def bytes_at(self, when):
        """Between two supersteps as if they came evenly."""
        ends = [float(word) for word in text_of(os.path.join(self.folder, "0")).split()]
        done = [end for end in ends if end <= when]
        if len(done) < 2:
            return 0.0
        following = ends[len(done)] if len(done) < len(ends) else done[-1] + (done[-1] - done[-2])
        part = (when - done[-1]) / (following - done[-1])
        return (len(done) - 1 + min(part, 1.0)) * self.bytes


class Processes(contextlib.ExitStack):
    def start(self, command, output=None):
        file = self.enter_context(open(output, "w", encoding="ascii")) if output else subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.callback(end, process)
        return process


def text_of(path):
    with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
        return file.read()
    return ""


def wait_for(happened, process):
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > deadline or process.poll() is not None:
            raise Problem("a part of the scenario did not begin: try its commands by hand")
        time.sleep(0.02)


class Scenario:
    def __init__(self, binaries, link, folder, told):
        self.binaries, self.link, self.folder, self.told = binaries, link, folder, told

    def run(self, flows, jobs, other, later, seconds):
        """Flows with these controls; `later` seconds later the jobs, as far apart again, or one flow with the control
        `other`. Measured for `seconds` from twice that time after the last one on."""
        hosts = FIRST_SENDER + len(flows) + jobs + (other is not None)
        folder = os.path.join(self.folder, str(len(os.listdir(self.folder))))
        os.mkdir(folder)
        with Bed(os.path.join(self.binaries, "lbsp"), self.link.network(hosts)) as bed, Processes() as stack:
            senders = []
            for control in flows:
                senders.append(Flow(bed, stack, folder, FIRST_SENDER + len(senders), control))
            if other is not None:
                time.sleep(later)
                senders.append(Flow(bed, stack, folder, FIRST_SENDER + len(senders), other))
            for _ in range(jobs):
                time.sleep(later if senders else 0)
                senders.append(Job(bed, stack, folder, FIRST_SENDER + len(senders), self.link, self.told,
                                   self.binaries))
            time.sleep(2 * later)
            return self.measure(bed, stack, folder, senders, seconds)

    def measure(self, bed, stack, folder, senders, seconds):
        pings = os.path.join(folder, "pings")
        stack.start(bed.on(PINGING, "ping", "-i", "0.05", f"h{RECEIVER}"), pings)
        before, begin = self.counts(bed), time.monotonic()
        time.sleep(seconds)
        after, until = self.counts(bed), time.monotonic()
        time.sleep(2)  # the superstep that was on its way
        figures = Figures()
        for sender in senders:
            if sender.process.poll() is not None:
                raise Problem(f"a {sender.name} ended by itself: try its command by hand")
            rate = (sender.bytes_at(until) - sender.bytes_at(begin)) * 8e-6 / (until - begin)
            figures.megabits.append((sender.name, rate))
        delays = sorted(float(found) for found in re.findall(r"time=([0-9.]+)", text_of(pings)))
        if delays:
            figures.delay_ms = delays[int(0.95 * (len(delays) - 1))] - self.link.round_trip_ms
        came, dropped = (end - start for start, end in zip(before, after))
        figures.drops_percent = 100 * dropped / max(came, 1)
        return figures

    def counts(self, bed):
        """Packets that came to the receiver's downlink, and those that found its queue full."""
        answer = subprocess.run([bed.lbsp, "wan", "stats", "--name", bed.name, "--over", "0", "--json", "-"],
                                capture_output=True, text=True, check=True, timeout=30)
        pairs = [pair for pair in json.loads(answer.stdout)["pairs"] if pair["to"] == RECEIVER]
        dropped = sum(pair["downlink_drops"] for pair in pairs)
        return sum(pair["delivered"] for pair in pairs) + dropped, dropped
