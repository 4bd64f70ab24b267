#!/usr/bin/env python3
"""lbsp beside Open MPI over one bed of virtual hosts (root): the same program, the same lossy network.

    benchmarks/wan/compare.py [--quick] [--ranks 4] [--bytes 1024,65536] [--loss 0,10] [--supersteps 20] [--json FILE]

Every host sends every other so many bytes in each superstep, back to back, over 70 ms and 100 Mbit/s. Carriers take
turns: lbsp with planned redundancy and with 1 to 3 copies, the paper's selective scheme, and Open MPI over TCP with
the congestion controls cubic and bbr (where the kernel has it). A cell is the median and the 99th percentile over the
supersteps of the longest time that any rank was in sync(), and the median's ratio to the bound
RTT/2 + bytes·(n-1)/rate/(1-p). A run that takes longer than --limit seconds is shown as such.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

RTT, RATE = 0.070, 100e6 / 8
BED = f"compare{os.getpid()}"


def bed_command(lbsp, *words, **options):
    return subprocess.run([lbsp, "wan", *words, "--name", BED] if words[0] != "exec" else
                          [lbsp, "wan", "exec", "--name", BED, *words[1:]], **options)


class AllowedControls:
    """Lets hosts of the bed use the congestion controls that this machine keeps for itself, for as long as this lasts."""

    FILE = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"

    def __enter__(self):
        with open(self.FILE) as file:
            self.before = file.read()
        with open(self.FILE, "w") as file:
            file.write("reno " + " ".join(controls()))

    def __exit__(self, *_):
        with open(self.FILE, "w") as file:
            file.write(self.before)


def controls():
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as file:
        available = file.read().split()
    return [name for name in ("cubic", "bbr") if name in available]


def carriers():
    udp = {"lbsp, planned": [], "lbsp, k=1": ["--copies", "1"], "lbsp, k=2": ["--copies", "2"],
           "lbsp, k=3": ["--copies", "3"], "paper, selective, k=2": ["--copies", "2", "--recovery", "rounds"]}
    return {**{name: ("udp", options) for name, options in udp.items()},
            **{f"Open MPI, {control}": ("mpi", control) for control in controls()}}


def run(arguments, carrier, bytes_per_pair, report):
    """The seconds of each timed superstep; none if the run took too long."""
    backend, how = carrier
    agent = f"{arguments.lbsp} wan exec --name {BED}"
    words = [arguments.lbsp, "run", "--hosts", f"/run/lbsp-wan/{BED}/hosts", "--json", report, "--backend", backend]
    program = ["--", arguments.program, str(bytes_per_pair), str(arguments.supersteps)]
    if backend == "udp":
        command = [*words, "--launch-agent", agent, "--rate", f"{RATE * 8:.0f}bit", *how, *program]
    else:
        for host in range(arguments.ranks):
            bed_command(arguments.lbsp, "exec", f"h{host}", "--", "sysctl", "-qw",
                        f"net.ipv4.tcp_congestion_control={how}", check=True)
        command = [arguments.lbsp, "wan", "exec", "--name", BED, "h0", "--", *words,
                   "--launch-agent", agent + " --shell", *program]
    try:
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        return None
    if ended.returncode != 0:
        sys.exit(f"lbsp: {' '.join(command)} failed: {ended.stderr.strip().splitlines()[-1:]}")
    with open(report) as file:
        # The first superstep registers memory; the last is the program's end.
        return [step["communicate"] for step in json.load(file)["steps"]][1:1 + arguments.supersteps]


def cell(arguments, name, carrier, loss, bytes_per_pair, report):
    times = run(arguments, carrier, bytes_per_pair, report)
    bound = RTT / 2 + bytes_per_pair * (arguments.ranks - 1) / RATE / (1 - loss / 100)
    result = {"carrier": name, "loss": loss / 100, "bytes": bytes_per_pair, "bound": bound, "median": None, "p99": None}
    if times is None:
        print(f"    {name:24} longer than {arguments.limit} s", flush=True)
        return result
    ordered = sorted(times)
    result["median"] = statistics.median(ordered)
    result["p99"] = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    print(f"    {name:24} {result['median'] * 1e3:8.1f} ms  p99 {result['p99'] * 1e3:8.1f} ms  "
          f"{result['median'] / bound:6.2f} × bound", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lbsp", default=os.path.abspath("build/bin/lbsp"))
    parser.add_argument("--program", default=os.path.abspath("build/bin/supersteps"))
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--bytes", default="1024,16384,65536,1048576")
    parser.add_argument("--loss", default="0,1,5,10,15")
    parser.add_argument("--supersteps", type=int, default=20)
    parser.add_argument("--limit", type=int, default=120, help="seconds for one run")
    parser.add_argument("--quick", action="store_true", help="1 KiB and 64 KiB, 0 and 10 %% loss, 10 supersteps")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.bytes, arguments.loss, arguments.supersteps, arguments.limit = "1024,65536", "0,10", 10, 60
    if os.geteuid() != 0:
        sys.exit("lbsp: virtual hosts need root: run this as root")
    cells = []
    with tempfile.TemporaryDirectory() as folder, AllowedControls():
        report = os.path.join(folder, "report.json")
        for loss in map(float, arguments.loss.split(",")):
            spec = f"loss={loss}%,rtt={RTT * 1e3:.0f}ms,rate={RATE * 8 / 1e6:.0f}Mbit,queue=1MiB"
            bed_command(arguments.lbsp, "up", "-n", str(arguments.ranks), "--wan", spec, check=True,
                        stdout=subprocess.DEVNULL)
            try:
                for size in map(int, arguments.bytes.split(",")):
                    print(f"{arguments.ranks} hosts, {loss:g} % loss, {size} bytes a pair", flush=True)
                    for name, carrier in carriers().items():
                        cells.append(cell(arguments, name, carrier, loss, size, report))
            finally:
                bed_command(arguments.lbsp, "down", check=False, stdout=subprocess.DEVNULL)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(cells, file, indent=1)


if __name__ == "__main__":
    main()
