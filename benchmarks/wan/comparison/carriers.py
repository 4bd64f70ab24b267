"""What carries the supersteps. A carrier is an entry of CARRIERS; each can say what starts all ranks of a program."""
from .bed import RATE


class Lbsp:
    """`lbsp run` over UDP, with these options."""
    congestion = None

    def __init__(self, *options):
        self.options = options

    def commands(self, bed, program):
        return [[bed.lbsp, "run", "--hosts", bed.hosts_file, "--launch-agent", bed.agent(), "--rate",
                 f"{RATE * 8 / 1e6:g}Mbit", *self.options, "--", *program]]


class Mpi:
    """The same program over Open MPI and TCP; the hosts' routes say which congestion control."""

    def __init__(self, congestion):
        self.congestion = congestion

    def commands(self, bed, program):
        return [bed.on(0, "env", "OMPI_MCA_btl=tcp,self", bed.lbsp, "run", "--backend", "mpi", "--hosts",
                       bed.hosts_file, "--launch-agent", bed.agent("--shell"), "--", *program)]


class Mesh:
    """Sockets of superstep_probe's own; `kind` is the last of its arguments."""
    congestion = None

    def __init__(self, kind):
        self.kind = kind

    def commands(self, bed, program):
        return [bed.on(rank, *program, str(rank), bed.addresses(), self.kind) for rank in range(bed.hosts)]


CARRIERS = {
    "lbsp-auto": Lbsp("--copies", "auto"),
    "lbsp-k1": Lbsp("--copies", "1"),
    "lbsp-k2": Lbsp("--copies", "2"),
    "lbsp-k3": Lbsp("--copies", "3"),
    "rounds-k2": Lbsp("--copies", "2", "--recovery", "rounds"),
    "whole-round-k2": Lbsp("--copies", "2", "--recovery", "whole-round"),
    "mpi-cubic": Mpi("cubic"),
    "mpi-bbr": Mpi("bbr"),
    "tcp-cubic": Mesh("cubic"),
    "tcp-bbr": Mesh("bbr"),
}
