"""What the scripts share that disturb jobs of ready programs: a job whose processes tell their ids, and what its report says."""

import json
import os
import subprocess
import time


class Job:
    """`lbsp run` with these options, and the words of a program of the folder `bin`. Its report and the ids of its processes
    are in `folder`."""

    def __init__(self, bin, ranks, folder, options, words):
        self.ranks = ranks
        self.lbsp = os.path.abspath(os.path.join(bin, "lbsp"))
        self.report = os.path.join(folder, "report.json")
        self.folder = os.path.join(folder, "pids")
        os.mkdir(self.folder)
        program, *arguments = words
        self.process = subprocess.Popen(
            [self.lbsp, "run", "-n", str(ranks), "--json", self.report, *options, "--", "sh", "-c",
             'echo $$ > "$0/$$"; exec "$@"', self.folder, os.path.abspath(os.path.join(bin, program)), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def pids(self):
        """Of the ranks, when all are there."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            pids = [int(name) for name in os.listdir(self.folder)]
            if len(pids) == self.ranks:
                return pids
            time.sleep(0.02)
        raise SystemExit("lasting_jobs.py: the job does not start: look at its output")

    def end(self, patience=120):
        """Its report. Throws subprocess.TimeoutExpired if it has not ended after so many seconds."""
        try:
            self.output, self.errors = self.process.communicate(timeout=patience)
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


def stood_still(changes):
    """For how long at most: from the last word of a lost rank until a superstep was complete again, which may take more
    than one change."""
    longest, began = 0.0, None
    for change in changes:
        word = change["seconds"] - change["silence"]
        began = word if began is None else min(began, word)
        if change["stood_still"] is not None:
            longest = max(longest, word + change["stood_still"] - began)
            began = None
    return longest


def seconds_in(text):
    """Of a quantity such as 1s or 20ms."""
    number = text.rstrip("smunh")
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "min": 60, "h": 3600}[text[len(number):]]


def bound(args):
    """How long a job may stand still: the peer timeout + 1 s + three round trips."""
    round_trip = next((word[4:] for word in args.wan.split(",") if word.startswith("rtt=")), "0s")
    return seconds_in(args.peer_timeout) + 1 + 3 * seconds_in(round_trip)
