"""What carries the supersteps. A carrier is an entry of a table; it knows the commands that start all ranks of a job,
which run at the same time."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Job:
    program: list  # and its arguments
    options: list = field(default_factory=list)  # of lbsp run


class Lbsp:
    """`lbsp run` over UDP, with these options; the hosts' rate is told, or found as the others find it."""
    congestion = None
    waits_actively = False

    def __init__(self, *options, told=True):
        self.options = options
        self.told = told

    def commands(self, place, job):
        rate = place.rate() if self.told else []
        words = [*place.options(), *rate, *self.options, *job.options]
        return [[place.lbsp, "run", "--backend", "udp", *words, "--", *job.program]]


def open_mpi(layers):
    """Its environment: between these byte transfer layers; ranks that wait let others have the processor, for here
    they share it."""
    return ["env", "OMPI_MCA_pml=ob1", f"OMPI_MCA_btl={layers}", "OMPI_MCA_mpi_yield_when_idle=1"]


class Mpi:
    """The same program over Open MPI and TCP; the hosts' routes say which congestion control."""
    waits_actively = True

    def __init__(self, congestion):
        self.congestion = congestion

    def commands(self, bed, job):
        return [bed.on(0, *open_mpi("tcp,self"), bed.lbsp, "run", "--backend", "mpi",
                       "--hosts", bed.hosts_file, "--launch-agent", bed.agent("--shell"), *job.options, "--",
                       *job.program)]


class MpiHere:
    """Open MPI between processes of this machine, over these of its byte transfer layers."""
    congestion = None
    waits_actively = True

    def __init__(self, layers):
        self.layers = layers

    def commands(self, place, job):
        return [[*open_mpi(self.layers), place.lbsp, "run", *place.options(), "--backend", "mpi", *job.options, "--",
                 *job.program]]


class Mesh:
    """Sockets of superstep_probe's own; `kind` is the last of its arguments. They carry nothing but its messages."""
    congestion = None
    waits_actively = False

    def __init__(self, kind, told=False):
        self.kind = kind
        self.told = told

    def commands(self, bed, job):
        kind = f"{self.kind}-{bed.rate()[-1]}" if self.told else self.kind
        return [bed.on(rank, *job.program, str(rank), bed.addresses(), kind) for rank in range(bed.hosts)]


ON_THE_BED = {
    "lbsp-auto": Lbsp("--copies", "auto"),
    "lbsp-untold": Lbsp("--copies", "auto", told=False),
    "lbsp-k1": Lbsp("--copies", "1"),
    "lbsp-k2": Lbsp("--copies", "2"),
    "lbsp-k3": Lbsp("--copies", "3"),
    "rounds-k2": Lbsp("--copies", "2", "--recovery", "rounds"),
    "whole-round-k2": Lbsp("--copies", "2", "--recovery", "whole-round"),
    "mpi-cubic": Mpi("cubic"),
    "mpi-bbr": Mpi("bbr"),
    "tcp-cubic": Mesh("tcp-cubic"),
    "tcp-bbr": Mesh("tcp-bbr"),
    "udt": Mesh("udt"),
    "udt-rate": Mesh("udt", told=True),
    "srt": Mesh("srt"),
    "srt-rate": Mesh("srt", told=True),
}
ON_THIS_MACHINE = {
    "lbsp-auto": Lbsp("--copies", "auto"),
    "lbsp-k1": Lbsp("--copies", "1"),
    "mpi-tcp": MpiHere("tcp,self"),
    "mpi-shared": MpiHere("vader,self"),
}
ALL = list(dict.fromkeys([*ON_THE_BED, *ON_THIS_MACHINE]))
FOR_PROGRAMS = ["lbsp-auto", "lbsp-k1", "lbsp-k2", "lbsp-k3", "mpi-cubic", "mpi-bbr"]


def is_mesh(name):
    return isinstance(ON_THE_BED.get(name), Mesh)


def library(name):
    """Without which superstep_probe is built without that carrier; None if it needs none."""
    return name[:3] if name[:3] in ("udt", "srt") else None


def family(name):
    """Whose supersteps they are."""
    return "MPI" if name.startswith("mpi-") else "sockets" if is_mesh(name) else "lbsp"
