"""What there is to run: a task is run over each carrier, several times."""
import zlib
from dataclasses import dataclass

KINDS = ("supersteps", "algorithms", "loopback")

# A second or two with lbsp, and few supersteps, so that MPI comes to its end at 10 % loss as well.
PROGRAMS = {
    "matmul": "--size 768 --verify",
    "bitonic_sort": "--size 262144 --verify",
    "fft2d": "--size 512 --verify",
    "jacobi": "--size 513 --iterations 64 --halo 8 --verify",
}
QUICK_PROGRAMS = {
    "matmul": "--size 512 --verify",
    "bitonic_sort": "--size 131072 --verify",
    "fft2d": "--size 256 --verify",
    "jacobi": "--size 257 --iterations 32 --halo 8 --verify",
}


def programs(chosen):
    """Their arguments."""
    return QUICK_PROGRAMS if chosen.quick else PROGRAMS


@dataclass(frozen=True)
class Task:
    kind: str
    hosts: int
    loss_percent: float  # 0 on this machine
    work: object  # bytes per pair, or a program's name

    @property
    def is_program(self):
        return self.kind == "algorithms"

    def seed(self, first, repeat):
        """Of the bed: another for every repeat, so that its losses are others; the same for all carriers."""
        return zlib.crc32(f"{first} {self.hosts} {self.loss_percent:g} {self.work} {repeat}".encode())


def key_of(run):
    return tuple(run[name] for name in ("kind", "hosts", "loss_percent", "work", "carrier", "repeat"))


def task_of(cell):
    """The task of a run or of a cell."""
    return Task(cell["kind"], cell["hosts"], cell["loss_percent"], cell["work"])


def tasks(chosen):
    losses = [0.0] if chosen.kind == "loopback" else chosen.loss
    works = chosen.algorithms if chosen.kind == "algorithms" else chosen.bytes
    return [Task(chosen.kind, hosts, loss, work) for hosts in chosen.hosts for loss in losses for work in works]


def turns(carriers, repeat):
    """The order of the carriers in a repeat: each time another begins, so that none always follows the same."""
    first = repeat % len(carriers)
    return carriers[first:] + carriers[:first]
