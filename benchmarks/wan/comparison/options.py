"""The command line."""
import argparse

from .carriers import CARRIERS
from .problem import Problem


def numbers(least, most, kind=int):
    def parse(text):
        values = [kind(word) for word in text.split(",")]
        if not all(least <= value <= most for value in values):
            raise ValueError
        return values
    parse.__name__ = f"list of numbers from {least} to {most}"
    return parse


def carriers(text):
    names = text.split(",")
    if not set(names) <= set(CARRIERS):
        raise argparse.ArgumentTypeError(f"use some of {','.join(CARRIERS)}")
    return names


class OneLine(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(f"{message}: see --help")


def options(described):
    parser = OneLine(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 hosts, 64 KiB, loss 0 and 10 %%, within 3 minutes")
    parser.add_argument("--hosts", type=numbers(2, 250), help="2,4,8")
    parser.add_argument("--bytes", type=numbers(8, 1 << 28), help="per pair: 1024,16384,65536,1048576")
    parser.add_argument("--loss", type=numbers(0, 50, float), help="in percent: 0,1,5,10,15")
    parser.add_argument("--carriers", type=carriers, default=list(CARRIERS), help=",".join(CARRIERS))
    parser.add_argument("--supersteps", type=numbers(1, 1_000_000), help="timed in each run (50; quick 20)")
    parser.add_argument("--repeats", type=numbers(1, 1000), help="interleaved runs of each cell (3; quick 1)")
    parser.add_argument("--limit", type=numbers(0.1, 86400, float), help="seconds for each run (60; quick 6)")
    parser.add_argument("--bin", default="build/bin", help="where lbsp and superstep_probe are")
    parser.add_argument("--out", default="comparison", help="what the files' names begin with")
    chosen = parser.parse_args()
    quick = {"hosts": [4], "bytes": [65536], "loss": [0.0, 10.0], "supersteps": [20], "repeats": [1], "limit": [6.0]}
    full = {"hosts": [2, 4, 8], "bytes": [1024, 16384, 65536, 1 << 20], "loss": [0.0, 1.0, 5.0, 10.0, 15.0],
            "supersteps": [50], "repeats": [3], "limit": [60.0]}
    for name, value in (quick if chosen.quick else full).items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)
    return chosen
