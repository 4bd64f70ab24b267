#!/usr/bin/env python3
"""Random jobs, one after the other: bad networks, programs that verify their answer, options, ranks that are killed or
stopped for a while. Each must end by a bound that follows from what it is, as it should, and leave no process behind.

    soak.py LBSP                     for an hour
    soak.py LBSP --seconds 60 --seed 7 --parallel 2
    soak.py LBSP --seed 7 --only 23  job 23 of that soak again

What does not end well is reported with its command, seed and number. Exits with 1 if there was any.
"""
import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import job as jobs

MARK = "LBSP_SOAK_JOB"
# A process that was told to end may take a moment.
LEAVING_SECONDS = 5
# How a job ends whose rounds never succeed.
NO_WHOLE_ROUND = " have each lost something"


def processes_of(mark):
    """Process ids and names of all that carry this mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if f"{MARK}={mark}".encode() not in environment.read().split(b"\0"):
                    continue
            with open(f"/proc/{pid}/comm") as name, open(f"/proc/{pid}/stat") as status:
                if status.read().rpartition(")")[2].split()[0] != "Z":
                    found.append((int(pid), name.read().strip()))
        except OSError:
            continue  # it has ended meanwhile, or is another user's
    return sorted(found)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Run:
    """One job, from its start to its report."""

    def __init__(self, lbsp, job, mark, folder):
        self.job = job
        self.mark = mark
        self.report = os.path.join(folder, f"{mark}.json")
        self.errors = os.path.join(folder, f"{mark}.errors")
        self.command = [lbsp, "run", "--json", self.report, *job.arguments]
        self.took = 0.0
        self.struck = False  # the job's event took place while it ran

    def make(self):
        """What is wrong; nothing if nothing is."""
        started = time.monotonic()
        with open(self.errors, "wb") as errors:
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                       env={**os.environ, MARK: self.mark}, start_new_session=True)
        end = started + self.job.bound_seconds
        try:
            if self.job.event:
                self.strike(process)
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            left = ", ".join(f"{name} {pid}" for pid, name in processes_of(self.mark))
            self.clear(process)
            return f"did not end within {self.job.bound_seconds:.0f} s (running: {left})"
        except BaseException:
            self.clear(process)
            raise
        self.took = time.monotonic() - started
        left = self.left_behind()
        self.clear(process)
        return f"left behind: {left}" if left else self.verdict(process.returncode)

    def ranks(self):
        return [pid for pid, name in processes_of(self.mark) if name == self.job.program[:15]]

    def strike(self, process):
        event = self.job.event
        try:
            process.wait(event.after_seconds)
            return
        except subprocess.TimeoutExpired:
            pass
        pids = self.ranks()
        chosen = [pids[rank] for rank in event.ranks if rank < len(pids)]
        self.struck = bool(chosen)
        if event.kind == "kill":
            return send(chosen, signal.SIGKILL)
        send(chosen, signal.SIGSTOP)
        time.sleep(event.for_seconds)
        send(chosen, signal.SIGCONT)

    def left_behind(self):
        end = time.monotonic() + LEAVING_SECONDS
        while (left := processes_of(self.mark)) and time.monotonic() < end:
            time.sleep(0.05)
        return ", ".join(f"{name} {pid}" for pid, name in left)

    def clear(self, process):
        send([pid for pid, _ in processes_of(self.mark)], signal.SIGKILL)
        process.wait()

    def verdict(self, code):
        killed = self.struck and self.job.event.kind == "kill"
        if code < 0:
            return f"lbsp run was ended by signal {-code}"
        if code == 0:
            return self.answer()
        if self.job.whole_rounds and any(NO_WHOLE_ROUND in line for line in self.last_lines(5)):
            return ""
        if not killed:
            return f"exit code {code}"
        if not any(line.startswith("lbsp: ") for line in self.last_lines(100)):
            return f"a rank was killed, and no line says so (exit code {code})"
        return ""

    def answer(self):
        try:
            with open(self.report) as file:
                report = json.load(file)
        except (OSError, ValueError) as problem:
            return f"exit code 0 and no report: {problem}"
        return "" if report.get("verified") is True else f"exit code 0 and verified: {report.get('verified')}"

    def last_lines(self, count):
        with open(self.errors, errors="replace") as file:
            return file.read().splitlines()[-count:]

    def forget(self):
        for name in (self.report, self.errors):
            if os.path.exists(name):
                os.remove(name)


class Soak:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.lock = threading.Lock()
        self.next = options.only if options.only is not None else 0
        self.end = time.monotonic() + options.seconds
        self.findings = 0
        self.done = 0

    def take(self):
        with self.lock:
            enough = self.next > self.options.only if self.options.only is not None else time.monotonic() >= self.end
            if enough:
                return None
            self.next += 1
            return self.next - 1

    def work(self):
        while (index := self.take()) is not None:
            job = jobs.draw(self.options.seed, index, self.options.mpi, self.options.longest)
            run = Run(self.options.lbsp, job, f"{os.getpid()}-{index}", self.folder)
            problem = run.make()
            with self.lock:
                self.done += 1
                self.tell(index, run, problem)
            run.forget()

    def tell(self, index, run, problem):
        event = run.job.event
        command = shlex.join(run.command)
        done = ""
        if event:
            done = f"; {event.kind} of ranks {event.ranks} after {event.after_seconds:.2f} s"
            done += f" for {event.for_seconds:.2f} s" if event.kind == "stop" else ""
            done += "" if run.struck else " (it had ended)"
        if not problem:
            if self.options.verbose:
                print(f"{index}: {run.took:.1f} s of {run.job.bound_seconds:.0f} s: {command}{done}", flush=True)
            return
        self.findings += 1
        print(f"\nFINDING: {problem}\n  {command}{done}\n  again: soak.py LBSP --seed {self.options.seed} --only {index}"
              f" --longest {self.options.longest:g}{' --mpi' if self.options.mpi else ''}", flush=True)
        for line in run.last_lines(6):
            print(f"  | {line}", flush=True)


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lbsp", help="the lbsp command, its programs beside it")
    parser.add_argument("--seconds", type=float, default=3600, help="no job is begun after these; default 3600")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random; default 1")
    parser.add_argument("--only", type=int, help="the one job of this number")
    parser.add_argument("--longest", type=float, default=600, help="that one job may be allowed, in seconds; default 600")
    parser.add_argument("--parallel", type=int, default=1, help="jobs at a time; default 1")
    parser.add_argument("--mpi", action="store_true", help="jobs over MPI too")
    parser.add_argument("--verbose", action="store_true", help="a line for every job")
    options = parser.parse_args(words)
    if not os.access(options.lbsp, os.X_OK):
        parser.error(f"{options.lbsp} is no command: give the path of lbsp")
    if options.mpi and not shutil.which("mpirun"):
        parser.error("--mpi, but there is no mpirun: leave it out, or install Open MPI")
    return options


def main():
    options = parse(sys.argv[1:])
    options.lbsp = os.path.abspath(options.lbsp)
    with tempfile.TemporaryDirectory(prefix="lbsp-soak-") as folder:
        soak = Soak(options, folder)
        workers = [threading.Thread(target=soak.work) for _ in range(options.parallel)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print(f"{soak.done} jobs of seed {options.seed}, {soak.findings} findings")
    return 1 if soak.findings else 0


if __name__ == "__main__":
    sys.exit(main())
