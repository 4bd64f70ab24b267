"""The command line."""
import argparse
import os

from .carriers import ALL, FOR_PROGRAMS, ON_THE_BED, ON_THIS_MACHINE, is_mesh
from .problem import Problem
from .tasks import PROGRAMS

LOSSES = [0.0, 1.0, 5.0, 10.0, 15.0]
FULL = {
    "supersteps": {"hosts": [2, 4, 8], "bytes": [1024, 16384, 65536, 1 << 20], "loss": LOSSES,
                   "carriers": list(ON_THE_BED), "supersteps": 50, "repeats": 3, "limit": 60.0, "start_limit": 120.0},
    "algorithms": {"hosts": [4], "bytes": [], "loss": LOSSES, "carriers": FOR_PROGRAMS, "supersteps": 1, "repeats": 3,
                   "limit": 300.0, "start_limit": 120.0},
    "loopback": {"hosts": [2, 4], "bytes": [0, 65536], "loss": [], "carriers": list(ON_THIS_MACHINE),
                 "supersteps": 1000, "repeats": 3, "limit": 60.0, "start_limit": 30.0},
}
QUICK = {
    "supersteps": {"hosts": [4], "bytes": [65536], "loss": [0.0, 10.0], "supersteps": 20, "repeats": 1, "limit": 8.0,
                   "start_limit": 30.0},
    "algorithms": {"loss": [0.0, 10.0], "repeats": 1, "limit": 90.0, "start_limit": 60.0},
    "loopback": {"supersteps": 200, "repeats": 1, "limit": 10.0},
}
CARRIERS = {"supersteps": list(ON_THE_BED), "algorithms": [name for name in ON_THE_BED if not is_mesh(name)],
            "loopback": list(ON_THIS_MACHINE)}


def number(least, most, kind=int):
    def parse(text):
        value = kind(text)
        if not least <= value <= most:
            raise ValueError
        return value
    parse.__name__ = f"number from {least} to {most}"
    return parse


def numbers(least, most, kind=int):
    def parse(text):
        return [number(least, most, kind)(word) for word in text.split(",")]
    parse.__name__ = f"list of numbers from {least} to {most}"
    return parse


def some_of(names):
    def parse(text):
        words = text.split(",")
        if not set(words) <= set(names):
            raise argparse.ArgumentTypeError(f"use some of {','.join(names)}")
        return words
    return parse


class OneLine(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(f"{message}: see --help")


def parser_of(described):
    parser = OneLine(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--algorithms", nargs="?", const=list(PROGRAMS), type=some_of(PROGRAMS), metavar="LIST",
                      help="time ready programs on the bed instead: " + ",".join(PROGRAMS))
    what.add_argument("--loopback", action="store_true", help="time supersteps on this machine, without a bed")
    what.add_argument("--from", dest="source", metavar="OUT.json",
                      help="measure nothing: make the tables and the figure of that file")
    add("--quick", action="store_true",
        help="loss 0 and 10 %%, and little of everything else; supersteps take less than 3 minutes")
    add("--resume", action="store_true", help="keep the runs that OUT.json has, and make the missing ones")
    add("--hosts", type=numbers(2, 250), help="numbers of hosts: 2,4,8 (algorithms 4; loopback 2,4)")
    add("--bytes", type=numbers(0, 1 << 28), help="bytes per pair: 1024,16384,65536,1048576 (loopback 0,65536)")
    add("--loss", type=numbers(0, 50, float), help="losses in percent: 0,1,5,10,15")
    add("--carriers", type=some_of(ALL), help="carriers: " + ",".join(ALL))
    add("--supersteps", type=number(1, 1_000_000), help="timed supersteps in each run (50; loopback 1000)")
    add("--repeats", type=number(1, 1000), help="interleaved runs of each cell (3; quick 1)")
    add("--limit", type=number(0.1, 86400, float),
        help="the most seconds for a run, once it has begun (60; algorithms 300)")
    add("--start-limit", type=number(0.1, 86400, float),
        help="the most seconds until a run has begun (120; loopback 30)")
    add("--seed", type=number(0, 1 << 32), default=1, help="seed of the losses on the bed (1)")
    add("--real-time", action="store_true",
        help="a real-time priority on a busy machine; not for MPI, whose ranks "
        "wait actively")
    add("--bin", default="build/bin", help="folder of lbsp, superstep_probe and the programs")
    add("--out", default="comparison", help="beginning of the files' names")
    return parser


def check(chosen):
    sizes_of_sockets = [size for size in chosen.bytes if size == 0 and any(map(is_mesh, chosen.carriers))]
    if sizes_of_sockets or any(0 < size < 8 for size in chosen.bytes):
        raise Problem("--bytes: a message has at least 8 bytes; 0 for empty supersteps is not for plain sockets")
    wrong = set(chosen.carriers) - set(CARRIERS[chosen.kind])
    if wrong:
        raise Problem(f"--carriers {','.join(sorted(wrong))}: for {chosen.kind} there are "
                      f"{','.join(CARRIERS[chosen.kind])}")


def options(described, words=None):
    chosen = parser_of(described).parse_args(words)
    chosen.kind = "algorithms" if chosen.algorithms else "loopback" if chosen.loopback else "supersteps"
    defaults = {**FULL[chosen.kind], **(QUICK[chosen.kind] if chosen.quick else {})}
    for name, value in defaults.items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)
    chosen.bin = os.path.realpath(chosen.bin)
    check(chosen)
    return chosen
