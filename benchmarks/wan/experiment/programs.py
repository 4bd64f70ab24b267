"""What the programs of the speedup experiment send in a superstep, and the paper's formula for it. Pure, but for asking
`lbsp model` for the expected rounds."""
import json
import math
from dataclasses import dataclass

from experiment.bed import fail, run

DATAGRAM, HEADER, EMPTY_MESSAGE = 1400, 70, 32  # bytes: of payload, lbsp's in each, and what stands for no message
NODE_FLOPS = 0.5e9  # of the paper's nodes, in its Table II


@dataclass(frozen=True)
class Program:
    name: str
    words: tuple  # its command line
    what: str
    ranks: int
    supersteps: int
    message: int  # bytes
    messages: int  # in a superstep, all ranks together
    operations: float

    def packets_per_message(self):
        return math.ceil(self.message / (DATAGRAM - HEADER))

    def packets(self):
        """c: of a superstep, all ranks together, with those that tell a rank that nothing comes."""
        return self.messages * self.packets_per_message() + self.ranks * (self.ranks - 1) - self.messages

    def sending(self, rate):
        """h·α: how long a rank sends its packets once, on average, in seconds."""
        data = self.messages * (self.message + self.packets_per_message() * HEADER)
        empty = (self.ranks * (self.ranks - 1) - self.messages) * (EMPTY_MESSAGE + HEADER)
        return (data + empty) / self.ranks / rate

    def node_seconds(self):
        """Of the whole work, on one of the paper's nodes."""
        return self.operations / NODE_FLOPS


def matmul(ranks, block):
    """Blocks of block x block numbers on each rank, all exchanged in one superstep."""
    side = math.isqrt(ranks)
    size = block * side
    return Program("matmul", ("matmul", "--size", str(size), "--algorithm", "direct", "--no-verify"),
                   f"matrix product, {size} x {size}", ranks, 1, 8 * block * block, 2 * ranks * (side - 1), 2 * size**3)


def jacobi(ranks, rows, supersteps):
    """A narrow grid with a deep halo: a message fills one packet, as in the paper, and there is work beside it."""
    columns, halo = 12, 16
    sweeps = supersteps * halo
    inside = columns - 2
    words = ("jacobi", "--rows", str(rows), "--columns", str(columns), "--halo", str(halo), "--iterations", str(sweeps),
             "--no-verify")
    # Ten operations for a point, as the paper's section on Laplace counts.
    return Program("jacobi", words, f"Jacobi, {sweeps} sweeps of {rows} x {columns} points", ranks, supersteps,
                   8 * halo * inside, 2 * (ranks - 1), 10 * (rows - 2) * inside * sweeps)


def expected_rounds(lbsp, packets, loss, copies):
    """The paper's (3), selective resending."""
    ended = run([lbsp, "model", "rho", "--packets", str(packets), "--loss", str(loss), "--copies",
                           str(copies), "--scheme", "rounds", "--json", "-"], 30)
    if ended.outcome != "done":
        fail(f"no rounds: {ended.outcome}")
    return json.loads(ended.output)["rounds"]


def paper_exchange(program, copies, network, rounds):
    """2ρ̂τ for one superstep, of which the paper's (6) is made; network: loss, round trip and rate."""
    _, round_trip, rate = network
    return 2 * rounds * (copies * program.sending(rate) + round_trip)


REPAIR_COPIES = 2


def receiver_exchange(program, copies, network):
    """The same where receivers tell what they lack and go on when they have all: model/exchange_time.hpp."""
    loss, round_trip, rate = network
    packet = program.sending(rate) / (program.packets() / program.ranks)
    seconds, missing = round_trip / 2 + copies * program.sending(rate), loss**copies
    while True:
        somebody = -math.expm1(program.packets() * math.log1p(-missing))
        seconds += somebody * round_trip + REPAIR_COPIES * max(program.sending(rate) * missing, packet * somebody)
        if somebody < 1e-9:
            return seconds
        missing *= loss**REPAIR_COPIES


def speedup(work, nodes, exchange, supersteps):
    """The paper's (6): w / (w/n + what the exchanges take)."""
    return work / (work / nodes + supersteps * exchange)
