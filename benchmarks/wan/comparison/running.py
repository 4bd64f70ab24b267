"""Running superstep_probe once, within a time limit."""
import os
import signal
import subprocess
import tempfile
import time

from .carriers import CARRIERS

WARM_UP = 2  # supersteps that are made but not counted


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


def run(bed, probe, carrier, size, chosen):
    """The seconds of the supersteps that all ranks have ended, and how the run ended."""
    congestion = CARRIERS[carrier].congestion
    if congestion and not bed.set_congestion(congestion):
        return [], "no congestion control " + congestion
    with tempfile.TemporaryDirectory(prefix="lbsp-compare-") as directory, tempfile.TemporaryFile("w+") as errors:
        program = [probe, str(size), str(chosen.supersteps[0] + WARM_UP), directory]
        processes = []
        outcome = "done"
        try:
            for command in CARRIERS[carrier].commands(bed, program):
                processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                  stderr=errors, start_new_session=True))
            deadline = time.monotonic() + chosen.limit[0]
            for process in processes:
                process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            outcome = "time-out"
        finally:
            end(processes)
        if outcome == "done" and any(process.returncode != 0 for process in processes):
            errors.seek(0)
            said = [line for line in errors.read().splitlines() if line.startswith("lbsp: ")]
            outcome = "failed: " + (said[0].removeprefix("lbsp: ") if said else "see it by hand")
        ranks = []
        for rank in range(bed.hosts):
            try:
                with open(os.path.join(directory, str(rank))) as file:
                    ranks.append([float(line) for line in file if line.endswith("\n")])
            except FileNotFoundError:
                ranks.append([])
        return [max(times) for times in zip(*ranks)][WARM_UP:], outcome
