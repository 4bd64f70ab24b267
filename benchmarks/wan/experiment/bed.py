"""A bed of `lbsp wan` for the time of a with, and commands with a time limit."""
import os
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

import comparison.bed


def fail(message):
    print(f"lbsp: {message}", file=sys.stderr)
    sys.exit(1)


class Ended(NamedTuple):
    """How a command ended: "done", "time-out" or what went wrong; what it wrote; and its messages."""
    outcome: str
    output: str
    said: list


class Bed(comparison.bed.Bed):
    """`network`: the words of `lbsp wan up` that say what lies between the hosts."""

    def __init__(self, lbsp, network):
        self.lbsp, self.network = lbsp, network
        self.name = f"paper-{os.getpid()}"
        self.hosts_file = f"/run/lbsp-wan/{self.name}/hosts"

    def up(self):
        outcome = run([self.lbsp, "wan", "up", "--name", self.name, *self.network], 60).outcome
        if outcome != "done":
            fail(f"no bed: {outcome}")

    def __exit__(self, *_):
        # A second ^C must not leave hosts behind.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().__exit__()
        signal.signal(signal.SIGINT, before)

    def forget_fragments(self):
        """After a second: of what is cut into many, most is never whole. The kernel keeps the rest for 30 s, and when
        it keeps 4 MB, takes no more."""
        change = "echo 1 > /proc/sys/net/ipv4/ipfrag_time"
        run([self.lbsp, "wan", "exec", "--name", self.name, "--shell", "all", change], 30)

    def stats(self):
        """What the router says of itself, if it could not keep up."""
        answer = run([self.lbsp, "wan", "stats", "--name", self.name], 30)
        return [line for line in answer.output.splitlines() if line.startswith("the router")]


def end(process):
    """With all that it started."""
    for stop, patience in ((process.terminate, 5), (lambda: os.killpg(process.pid, signal.SIGKILL), None)):
        if process.poll() is not None:
            return
        stop()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            pass


def run(command, limit):
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                   start_new_session=True)
        try:
            process.wait(limit)
            outcome = "done"
        except subprocess.TimeoutExpired:
            outcome = "time-out"
        finally:
            end(process)
        output.seek(0)
        errors.seek(0)
        said = [line.removeprefix("lbsp: ") for line in errors.read().splitlines() if line.startswith("lbsp: ")]
        if outcome == "done" and process.returncode != 0:
            outcome = (said or [f"exit code {process.returncode}"])[-1]
        return Ended(outcome, output.read(), said)
