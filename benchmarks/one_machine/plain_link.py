#!/usr/bin/env python3
"""Supersteps between two hosts on a fast link, over lbsp and over Open MPI's TCP, in turns.  The hosts are two network
namespaces of this machine that a plain veth pair joins; nothing is emulated.  Needs root.

    benchmarks/one_machine/plain_link.py [--binaries build/bin] [--runs 3] [--quick] [--mtu 1500]

docs/benchmarks/one_machine.md says how to read the table.
"""
import argparse
import os
import statistics
import subprocess
import tempfile

from compare import SIZES, measure, work

HOSTS = {"lbsp-link-a": "10.99.77.1", "lbsp-link-b": "10.99.77.2"}
# ssh's part, for both: it is called with a host, by name or by address, and a command.
AGENT = """#!/bin/sh
case $1 in 10.99.77.1) host=lbsp-link-a ;; 10.99.77.2) host=lbsp-link-b ;; *) host=$1 ;; esac
shift
exec ip netns exec "$host" sh -c "$*"
"""


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def make_link(mtu):
    first, second = HOSTS
    for host in HOSTS:
        ip("netns", "add", host)
    ip("link", "add", "link0", "netns", first, "mtu", str(mtu), "type", "veth", "peer", "name", "link0", "netns",
       second, "mtu", str(mtu))
    for host, address in HOSTS.items():
        ip("-n", host, "addr", "add", f"{address}/24", "dev", "link0")
        ip("-n", host, "link", "set", "lo", "up")
        ip("-n", host, "link", "set", "link0", "up")


def remove_link():
    for host in HOSTS:
        subprocess.run(["ip", "netns", "del", host], stderr=subprocess.DEVNULL, check=False)


def carriers(binaries, folder):
    """By name: the command that goes before the words of timing.hpp, and the words that go behind."""
    agent, hosts = os.path.join(folder, "agent"), os.path.join(folder, "hosts")
    with open(agent, "w", encoding="utf-8") as file:
        file.write(AGENT)
    os.chmod(agent, 0o755)
    with open(hosts, "w", encoding="utf-8") as file:
        file.writelines(f"{host} address={address}\n" for host, address in HOSTS.items())
    binaries = os.path.abspath(binaries)
    lbsp = [os.path.join(binaries, "lbsp"), "run", "--hosts", hosts, "--launch-agent", agent, "--rate", "100Gbit", "--",
            os.path.join(binaries, "supersteps_over_lbsp")]
    mpi = ["ip", "netns", "exec", next(iter(HOSTS)), "mpirun", "--allow-run-as-root", "--host", ",".join(HOSTS.values()),
           "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "link0", "--mca",
           "oob_tcp_if_include", "link0", "--bind-to", "none", "-n", "2", os.path.join(binaries, "supersteps_over_mpi")]
    return {"lbsp": (lbsp, ["unbuffered"]), "Open MPI": (mpi, [])}


def row(arguments, folder, label, size):
    times = {}
    words = work(size, arguments.quick, "marked")
    for _ in range(arguments.runs):
        for name, (command, behind) in carriers(arguments.binaries, folder).items():
            times.setdefault(name, []).append(measure(command, words + behind))
    cells = [f"{statistics.median(found):.3g} ({min(found):.3g} - {max(found):.3g})" for found in times.values()]
    lbsp, mpi = (statistics.median(found) for found in times.values())
    rate = f"{8e-3 * size / lbsp:.2g}" if size else "-"
    print(f"| {label} | {' | '.join(cells)} | {lbsp / mpi:.2f} | {rate} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default="build/bin")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="few supersteps")
    parser.add_argument("--mtu", type=int, default=1500)
    arguments = parser.parse_args()
    remove_link()
    try:
        make_link(arguments.mtu)
        print("| bytes per pair | lbsp, µs | Open MPI over TCP, µs | lbsp : MPI | Gbit/s each way, lbsp |")
        print("| --- | --- | --- | --- | --- |")
        with tempfile.TemporaryDirectory() as folder:
            for label, size in SIZES.items():
                row(arguments, folder, label, size)
    finally:
        remove_link()


if __name__ == "__main__":
    main()
