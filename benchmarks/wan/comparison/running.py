"""Running the commands of one job at the same time, each wait with a bound."""
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

ENDING = 10.0  # seconds for an orderly end after the last superstep


@dataclass(frozen=True)
class Limits:
    start: float  # seconds until all ranks have begun
    run: float  # seconds from then on


@dataclass(frozen=True)
class Ended:
    outcome: str  # "done", or what came instead
    output: str = ""
    start_seconds: float | None = None  # until all ranks had begun, if that is known


def end(processes):
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def all_over(processes):
    """Whether all have ended, or one has failed, for which the others may wait in vain."""
    codes = [process.poll() for process in processes]
    return None not in codes or any(codes)


def wait_for(processes, seconds, happened, pause=0.02):
    """Until it has happened or the processes are over; False if neither in time."""
    deadline = time.monotonic() + seconds
    while not (happened() or all_over(processes)):
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def follow(processes, limits, begun, complete):
    """How it goes on: "done" or why no longer to wait; and the seconds of the start."""
    if begun is None:  # nothing tells; who starts the ranks has their limit as well
        return "done" if wait_for(processes, limits.start + limits.run, lambda: False) else "time-out", None
    started = time.monotonic()
    if not wait_for(processes, limits.start, begun):
        return f"did not start in {limits.start:g} s", None
    start_seconds = time.monotonic() - started
    if not wait_for(processes, limits.run, complete, pause=0.1):
        return "time-out", start_seconds
    wait_for(processes, ENDING, lambda: False)
    return "done", start_seconds


def failure(processes, errors):
    """What those that failed had to say, or None."""
    if not any(process.returncode for process in processes):
        return None
    said = [line for line in errors.splitlines() if line.startswith("lbsp: ")]
    return "failed: " + (said[-1].removeprefix("lbsp: ") if said else "see it by hand")


def run(commands, limits, begun=None, complete=lambda: False):
    """Runs the commands until all have ended, a limit is exceeded or one fails. `begun` tells whether all ranks have;
    `complete` whether all work is done, after which an end that is not orderly in time does not count."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        processes = []
        try:
            for command in commands:
                processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                                  start_new_session=True))
            outcome, start_seconds = follow(processes, limits, begun, complete)
            failed = any(process.poll() for process in processes)
        finally:
            end(processes)
        for file in (output, errors):
            file.seek(0)
        if failed:
            outcome = failure(processes, errors.read())
        return Ended(outcome, output.read(), start_seconds)
